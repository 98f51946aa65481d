"""Inspect's entry point: exports our solvers, scorers, providers; defines tasks that vary a dataset's items.

The tasks here are those of `inspect eval otherwords/NAME -T dataset_path=FILE`: items → variants → task.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai import Task, task

from otherwords.checks import vet
from otherwords.core.contract import FORMAT, OPTIONS
from otherwords.items import load_items
from otherwords.runs.agents import PlaceholderModel
from otherwords.runs.agents.external import command_agent, url_agent
from otherwords.runs.agents.function import callable_agent
from otherwords.runs.agents.hal import hal_agent
from otherwords.runs.benchmarks.appworld import act_in_appworld, appworld, appworld_tests
from otherwords.runs.gguf import gguf
from otherwords.runs.item_task import answers, ask, build_task, short_answer
from otherwords.runs.resolve import click_errors
from otherwords.variants.base import make_candidates

__all__ = [
    "PlaceholderModel",
    "act_in_appworld",
    "answers",
    "appworld",
    "appworld_tests",
    "ask",
    "callable_agent",
    "command_agent",
    "gguf",
    "hal_agent",
    "paraphrase_consistency",
    "perturbation_stability",
    "short_answer",
    "url_agent",
]


@task
def paraphrase_consistency(
    dataset_path: str, k: int = 2, seed: int = 123, max_items: int | None = None
) -> Task:
    """Each item as it is and in up to `k` paraphrases.

    Args:
        dataset_path: A file of items, as for `load_items`.
        k: The most paraphrases of an item.
        seed: Other seeds choose other paraphrases.
        max_items: Only the first so many items; all if not given.
    """
    return _varied_task(
        "paraphrase_consistency", ["paraphrase"], load_from=dataset_path, k=k, seed=seed, max_items=max_items
    )


@task
def perturbation_stability(
    dataset_path: str, k: int = 3, seed: int = 123, max_items: int | None = None
) -> Task:
    """Each item as it is and under up to `k` changes of format or option order.

    Args:
        dataset_path: A file of items, as for `load_items`.
        k: The most changes of an item.
        seed: Other seeds choose other changes.
        max_items: Only the first so many items; all if not given.
    """
    return _varied_task(
        "perturbation_stability",
        [FORMAT, OPTIONS],
        load_from=dataset_path,
        k=k,
        seed=seed,
        max_items=max_items,
    )


def _varied_task(
    name: str, families: Sequence[str], *, load_from: str, k: int, seed: int, max_items: int | None
) -> Task:
    with click_errors():
        items = load_items(load_from, max_items)
        vetted = [one for item in items for one in vet(item, make_candidates(item, families, k=k, seed=seed))]
        accepted = [one.variant for one in vetted if one.accepted]
        counts = {"candidates": len(vetted), "accepted": len(accepted), "items": len(items)}
        return build_task(name, items, accepted, seed=seed, metadata=counts)
