"""A dataset or an Inspect task, and its frozen variants → Inspect logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant
from otherwords.pipeline.source import Source, open_source
from otherwords.pipeline.varying import freeze
from otherwords.variants import DEFAULT_FAMILIES, VariantsHeader, default_k, read_variants

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig

    from otherwords.runs import Limits, OnProgress, RunSummary

FROZEN = "variants.jsonl"
"""Where a run that was given no variants file keeps its own, beside its logs."""


@dataclass(frozen=True)
class RunPlan:
    source: Source
    variants: list[Variant]
    variants_file: Path
    models: tuple[str, ...]
    repeats: int

    @property
    def items(self) -> list[Item]:
        return self.source.items

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
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
) -> RunPlan:
    """What a run would ask. Without a variants file one is made and frozen in the log folder."""
    if not models:
        raise InputError("a run needs a model", hint="For example: --model openai/gpt-4o-mini")
    source = open_source(dataset, max_items=max_items, task_args=task_args, prompt_field=prompt_field)
    given = variants_file is not None
    path = Path(variants_file) if variants_file is not None else Path(log_dir) / FROZEN
    if not given and not path.exists():
        freeze(source, path, families, k=k, seed=seed)
    frozen = read_variants(path)
    frozen.require_match(source.items)
    if not given:
        _require_settings(path, frozen.header, families, default_k(families) if k is None else k, seed)
    return RunPlan(
        source=source,
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
    from otherwords.runs import run_tasks

    return run_tasks(
        plan.source.as_task(plan.variants, constrain_choices=constrain_choices),
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
