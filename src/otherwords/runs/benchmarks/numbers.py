"""One number a sample, where a benchmark's own scorer gives several."""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from otherwords.core.errors import InputError

__all__ = ["EVERY_PART", "one_number"]

EVERY_PART = "*"
"""The mean of all parts, such as the share of a problem's steps that were solved."""


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
