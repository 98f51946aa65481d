"""Whether other words reach the model at all.

Only the solver knows what it takes from a sample. Where it takes the prompt from another place than the one
that is reworded, the model is shown the same under every wording, and the measure would be one of nothing.
So what the calls of each wording show is held against what the original's show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from otherwords.core.types import ORIG

__all__ = ["Reach"]

ENOUGH = 3
"""Wordings after which it is plain that none of them reaches the model."""

Shown = frozenset[int]


class Reach:
    """Of one run. A sample is known by Inspect's id of its execution, an item by its run's and its own id."""

    def __init__(self) -> None:
        self._wordings: dict[str, tuple[tuple[str, str], bool]] = {}
        self._shown: dict[str, set[int]] = {}
        self._originals: dict[tuple[str, str], set[Shown]] = {}
        self._waiting: dict[tuple[str, str], list[Shown]] = {}
        self._compared = self._changed = 0

    def begins(self, sample: str, run: str, metadata: Mapping[str, Any]) -> None:
        prefix = "otherwords_" if "otherwords_item_id" in metadata else ""
        item, variant = metadata.get(prefix + "item_id"), metadata.get(prefix + "variant")
        if item is not None and variant is not None:
            self._wordings[sample] = ((run, str(item)), variant == ORIG)
            self._shown[sample] = set()

    def shows(self, sample: str, messages: Iterable[ChatMessage], tools: Iterable[ToolInfo]) -> None:
        """A call is about to be made. What the model itself has said does not count as shown to it."""
        shown = self._shown.get(sample)
        if shown is not None:
            shown.update(hash(message.text) for message in messages if message.role != "assistant")
            shown.update(hash(tool.description) for tool in tools)

    def scoring_begins(self, sample: str) -> None:
        shown = frozenset(self._shown.get(sample, ()))
        if not shown:
            return
        item, is_original = self._wordings[sample]
        if is_original:
            self._originals.setdefault(item, set()).add(shown)
            for waiting in self._waiting.pop(item, []):
                self._compare(item, waiting)
        elif item in self._originals:
            self._compare(item, shown)
        else:
            self._waiting.setdefault(item, []).append(shown)

    def is_unseen(self, sample: str) -> bool:
        """Whether the model was shown just what it is shown with the original's words."""
        shown = self._shown.get(sample)
        if not shown or self._wordings[sample][1]:
            return False
        return frozenset(shown) in self._originals.get(self._wordings[sample][0], ())

    def ends(self, sample: str) -> None:
        self._wordings.pop(sample, None)
        self._shown.pop(sample, None)

    @property
    def is_in_vain(self) -> bool:
        """Whether there were enough wordings to tell, and none reached the model."""
        return self._compared >= ENOUGH and not self._changed

    @property
    def was_in_vain(self) -> bool:
        """Whether there were any wordings, and none reached the model."""
        return self._compared > 0 and not self._changed

    def _compare(self, item: tuple[str, str], shown: Shown) -> None:
        self._compared += 1
        self._changed += shown not in self._originals[item]
