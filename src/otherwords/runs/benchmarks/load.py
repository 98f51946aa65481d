"""A benchmark → its Inspect task, with one number for a score, or an error that says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.runs.agents.tau_bench import only_where_the_agent_spoke
from otherwords.runs.benchmarks.catalogue import Benchmark
from otherwords.runs.benchmarks.needs import how_to_get, require_data, require_packages
from otherwords.runs.resolve import resolve_task

__all__ = ["load_benchmark", "one_number"]

EVERY_PART = "*"
"""The mean of all parts, such as the share of a problem's steps that were solved."""


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
        task.scorer = [one_number(scored, benchmark.score_part) for scored in task.scorer]
    return task


@scorer(metrics=[mean(), stderr()])
def one_number(scored: Scorer, part: str) -> Scorer:
    """The number that `scored` calls `part`; all that it gave is in the metadata as `parts`."""

    async def score(state: TaskState, target: Target) -> Score | None:
        given = await scored(state, target)
        if given is None or not isinstance(given.value, dict):
            return given
        parts = {str(name): value for name, value in given.value.items()}
        if part != EVERY_PART and part not in parts:
            raise InputError(
                f"the scorer gave no '{part}' (it gave: {', '.join(parts) or 'nothing'})",
                item=str(state.sample_id),
            )
        numbers = [float(value or 0) for value in (parts.values() if part == EVERY_PART else [parts[part]])]
        return given.model_copy(
            update={
                "value": sum(numbers) / len(numbers) if numbers else float("nan"),
                "metadata": {**(given.metadata or {}), "parts": parts},
            }
        )

    return score
