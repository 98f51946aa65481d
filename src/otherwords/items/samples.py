"""The samples of an Inspect task → items, one for each, in the task's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from otherwords.core.errors import InputError
from otherwords.core.types import Item, index_of
from otherwords.items.record import require_length

if TYPE_CHECKING:  # importing Inspect takes seconds
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

LONGEST_KEPT = 200
"""Characters of a text in the metadata that an item keeps; the sample itself has the rest."""


class ReadsPrompt(Protocol):
    """Knows where in a sample the prompt is."""

    def get(self, sample: Sample) -> str: ...


def items_from_task(
    task: Task, selector: ReadsPrompt, *, source: str | None = None, max_items: int | None = None
) -> list[Item]:
    """Reads an Inspect task as items: one a sample, in the task's order.

    Options come along only where exactly one of them is right, since only then may they be moved.
    A sample without an id is named by its place from 1, as Inspect does.

    Args:
        task: The Inspect task.
        selector: Finds the text that is varied in a sample; it becomes the item's prompt.
        source: What `Item.source` is; the task's name if not given.
        max_items: Read at most so many samples, from the first.

    Returns:
        The items.

    Raises:
        InputError: Two samples have the same id, or `max_items` is less than 1.

    Example:
        >>> from inspect_ai import Task
        >>> from inspect_ai.dataset import Sample
        >>> from otherwords.items import items_from_task
        >>> class Input:
        ...     def get(self, sample):
        ...         return sample.input
        >>> task = Task(dataset=[Sample(input="Capital of France?", choices=["Oslo", "Paris"], target="B")])
        >>> (item,) = items_from_task(task, Input())
        >>> item.id, item.prompt, item.target
        ('1', 'Capital of France?', 1)
    """
    if max_items is not None and max_items < 1:
        raise InputError(f"max_items must be at least 1, got {max_items}")
    items: list[Item] = []
    seen: set[str] = set()
    for place, sample in enumerate(task.dataset, start=1):
        known = str(place if sample.id is None else sample.id)
        if known in seen:
            raise InputError(f"two samples of task '{task.name}' have this id", item=known)
        seen.add(known)
        items.append(_item(known, sample, selector, source or task.name))
        require_length(items[-1])
        if len(items) == max_items:
            break
    return items


def _item(known: str, sample: Sample, selector: ReadsPrompt, source: str) -> Item:
    options = tuple(sample.choices or ())
    right = _right_option(sample.target, len(options))
    accepted = (sample.target,) if isinstance(sample.target, str) else tuple(sample.target)
    return Item(
        id=known,
        prompt=selector.get(sample),
        choices=() if right is None else options,
        target=tuple(answer for answer in accepted if answer) if right is None else right,
        metadata=_small(sample.metadata or {}),
        source=source,
    )


def _right_option(target: str | list[str], options: int) -> int | None:
    letters = [target] if isinstance(target, str) else target
    place = index_of(letters[0]) if len(letters) == 1 else None
    return place if place is not None and place < options else None


def _small(metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in metadata.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= LONGEST_KEPT)
    }
