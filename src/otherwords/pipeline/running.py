"""A dataset and its frozen variants → Inspect logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant
from otherwords.items import load_items
from otherwords.pipeline.varying import freeze
from otherwords.variants import DEFAULT_FAMILIES, VariantsHeader, default_k, read_variants

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig

    from otherwords.runs import Limits, OnProgress, RunSummary

FROZEN = "variants.jsonl"
"""Where a run that was given no variants file keeps its own, beside its logs."""


@dataclass(frozen=True)
class RunPlan:
    name: str
    items: list[Item]
    variants: list[Variant]
    variants_file: Path
    models: tuple[str, ...]
    repeats: int

    @property
    def calls(self) -> int:
        return len(self.variants) * self.repeats * len(self.models)

    @property
    def rewordings(self) -> int:
        return sum(not variant.is_original for variant in self.variants)


def plan_run(
    dataset: str | Path,
    models: Sequence[str],
    *,
    variants_file: str | Path | None = None,
    families: Sequence[str] = DEFAULT_FAMILIES,
    k: int | None = None,
    seed: int = 0,
    repeats: int = 3,
    max_items: int | None = None,
    log_dir: str | Path = "logs",
    name: str | None = None,
) -> RunPlan:
    """What a run would ask. Without a variants file one is made and frozen in the log folder."""
    if not models:
        raise InputError("a run needs a model", hint="For example: --model openai/gpt-4o-mini")
    items = load_items(dataset, max_items)
    given = variants_file is not None
    path = Path(variants_file) if variants_file is not None else Path(log_dir) / FROZEN
    if not given and not path.exists():
        freeze(items, path, families, k=k, seed=seed)
    frozen = read_variants(path)
    frozen.require_match(items)
    if not given:
        _require_settings(path, frozen.header, families, default_k(families) if k is None else k, seed)
    return RunPlan(
        name=name or _task_name(dataset),
        items=items,
        variants=list(frozen.accepted),
        variants_file=path,
        models=tuple(models),
        repeats=repeats,
    )


def run(
    plan: RunPlan,
    *,
    log_dir: str | Path = "logs",
    max_connections: int | None = None,
    limits: Limits | None = None,
    config: GenerateConfig | None = None,
    model_args: Mapping[str, Any] | None = None,
    constrain_choices: bool = False,
    on_progress: OnProgress | None = None,
) -> RunSummary:
    """Ask every model every wording. Run again, it asks only what is missing."""
    from otherwords.runs import ask, build_task, run_tasks

    task = build_task(
        plan.name,
        plan.items,
        plan.variants,
        solver=ask(constrain_choices=constrain_choices),
        metadata={"constrain_choices": constrain_choices},
    )
    return run_tasks(
        task,
        plan.models,
        log_dir=log_dir,
        repeats=plan.repeats,
        max_connections=max_connections,
        limits=limits,
        config=config,
        model_args=model_args,
        on_progress=on_progress,
    )


def _require_settings(path: Path, header: VariantsHeader, families: Sequence[str], k: int, seed: int) -> None:
    """A run is resumed with the wordings that it began with."""
    before = (header.families, header.k, header.seed)
    if before != (tuple(families), k, seed):
        raise InputError(
            f"this run began with --families {','.join(header.families)} -k {header.k} --seed {header.seed}",
            file=path,
            hint="Use the same, or another --log-dir.",
        )


def _task_name(dataset: str | Path) -> str:
    return Path(dataset).stem.replace(" ", "_") or "dataset"
