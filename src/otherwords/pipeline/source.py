"""What a user names, a dataset's file or any Inspect task → its items, and how their wordings are run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant
from otherwords.items import load_items

if TYPE_CHECKING:
    from inspect_ai import Task

    from otherwords.runs.benchmarks import Benchmark
    from otherwords.runs.selectors import Selector

DATASETS = (".jsonl", ".ndjson", ".json", ".csv")


@dataclass(frozen=True)
class Source:
    name: str
    items: list[Item]
    task: Task | None = None
    """None for a dataset of ours."""
    selector: Selector | None = None
    """Where in the task's samples the prompt is."""
    benchmark: Benchmark | None = None
    """What is known of it beforehand, if it is one of the catalogue's."""
    left_out: tuple[Item, ...] = ()
    """Items that an audit did not find clean, and that are not run."""
    is_part: bool = False
    """Whether no more than so many of the first items were asked for."""

    def refused(self, variants: Sequence[Variant]) -> dict[str, str]:
        """Variants that cannot be asked through the task, by id, with the reason."""
        if self.task is None:
            return {}
        from otherwords.runs.wrap import refused_variants

        return refused_variants(self.task, variants, selector=self.selector)

    def as_task(self, variants: Sequence[Variant], *, constrain_choices: bool = False) -> Task:
        """The Inspect task that asks every one of `variants`."""
        if self.task is not None:
            from otherwords.runs.wrap import vary_task

            return vary_task(self.task, variants, selector=self.selector)
        from otherwords.runs import ask, build_task

        return build_task(
            self.name,
            self.items,
            variants,
            solver=ask(constrain_choices=constrain_choices),
            metadata={"constrain_choices": constrain_choices}
            | ({"left_out_as_ambiguous": len(self.left_out)} if self.left_out else {}),
        )


def open_source(
    named: str | Path,
    *,
    max_items: int | None = None,
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
) -> Source:
    """`named` is a dataset's file, a benchmark, or anything Inspect can name: `pkg/task`, `file.py@task`."""
    if Path(named).suffix.lower() in DATASETS:
        if task_args or prompt_field:
            raise InputError(
                "-T and --prompt-field are for Inspect tasks; a dataset's file has neither", file=named
            )
        return Source(source_name(named), load_items(named, max_items), is_part=max_items is not None)
    from otherwords.items.inspect_task import items_from_task
    from otherwords.runs.benchmarks import find_benchmark, load_benchmark
    from otherwords.runs.hiding import refuse_keys
    from otherwords.runs.resolve import resolve_task
    from otherwords.runs.selectors import DEFAULT_SELECTOR, parse_selector

    refuse_keys(task_args or {}, "-T")
    benchmark = find_benchmark(str(named))
    if benchmark is not None:
        task = load_benchmark(benchmark, task_args)
        prompt_field = prompt_field or benchmark.selector
    else:
        task = resolve_task(str(named), task_args)
    selector = DEFAULT_SELECTOR if prompt_field is None else parse_selector(prompt_field)
    items = items_from_task(task, selector, source=str(named), max_items=max_items)
    if not items:
        raise InputError(f"task '{named}' has no samples")
    name = task.name.rsplit("/", 1)[-1]
    return Source(name, items, task, selector, benchmark, is_part=max_items is not None)


def source_name(file: str | Path) -> str:
    """What a dataset's file is called in logs and tables."""
    return Path(file).stem.replace(" ", "_") or "dataset"
