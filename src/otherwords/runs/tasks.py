"""The two tasks that `inspect eval otherwords/…` runs by name."""

from __future__ import annotations

from collections.abc import Sequence

import click
from inspect_ai import Task, task

from otherwords.checks import vet
from otherwords.core.errors import InputError
from otherwords.items import load_items
from otherwords.runs.expand import build_task
from otherwords.variants import make_candidates


class TaskInputError(InputError, click.ClickException):
    """An InputError that `inspect eval`, being a click program, prints as one message."""

    def __init__(self, error: InputError) -> None:
        InputError.__init__(
            self, error.problem, file=error.file, line=error.line, item=error.item, hint=error.hint
        )
        click.ClickException.__init__(self, str(error))


@task
def paraphrase_consistency(
    dataset_path: str, k: int = 2, seed: int = 123, max_items: int | None = None
) -> Task:
    """Each item as it is and in up to `k` paraphrases."""
    return _varied_task(
        "paraphrase_consistency", ["paraphrase"], load_from=dataset_path, k=k, seed=seed, max_items=max_items
    )


@task
def perturbation_stability(
    dataset_path: str, k: int = 3, seed: int = 123, max_items: int | None = None
) -> Task:
    """Each item as it is and under up to `k` changes of format or option order."""
    return _varied_task(
        "perturbation_stability",
        ["format", "options"],
        load_from=dataset_path,
        k=k,
        seed=seed,
        max_items=max_items,
    )


def _varied_task(
    name: str, families: Sequence[str], *, load_from: str, k: int, seed: int, max_items: int | None
) -> Task:
    try:
        items = load_items(load_from, max_items)
        vetted = [one for item in items for one in vet(item, make_candidates(item, families, k=k, seed=seed))]
        accepted = [one.variant for one in vetted if one.accepted]
        counts = {"candidates": len(vetted), "accepted": len(accepted), "items": len(items)}
        return build_task(name, items, accepted, seed=seed, metadata=counts)
    except InputError as error:
        raise TaskInputError(error) from error
