"""A benchmark → its Inspect task, with its usual arguments, or a message that says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.runs.benchmarks.catalogue import Benchmark
from otherwords.runs.benchmarks.needs import how_to_get, require_data, require_packages
from otherwords.runs.benchmarks.numbers import one_number
from otherwords.runs.benchmarks.tau2 import only_where_the_agent_spoke
from otherwords.runs.resolve import resolve_task

__all__ = ["load_benchmark"]


def load_benchmark(benchmark: Benchmark, task_args: Mapping[str, Any] | None = None) -> Task:
    """The benchmark's task, its samples always in the same order unless `task_args` ask for another."""
    given = dict(task_args or {})
    require_packages(benchmark)
    if benchmark.data.argument not in given:
        require_data(benchmark)
    try:
        task = resolve_task(benchmark.spec, {**benchmark.task_args, **given})
    except UnknownNameError:
        raise
    except InputError as error:
        if benchmark.data.home in ("bundled", "appworld"):
            raise
        raise InputError(
            f"benchmark '{benchmark.name}' could not be loaded: {error.problem}",
            hint=how_to_get(benchmark.data),
        ) from error
    if task.dataset.shuffled and "shuffle" not in given:
        task.dataset.sort(key=lambda sample: str(sample.id))
    if benchmark.has_simulated_user and task.scorer is not None:
        task.scorer = only_where_the_agent_spoke(task.scorer)
    if benchmark.score_part and task.scorer is not None:
        task.scorer = [one_number(scorer, benchmark.score_part) for scorer in task.scorer]
    return task
