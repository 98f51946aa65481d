"""Compares what the model was shown under each variant with what it was shown under the original prompt.

Only the solver knows what it takes from a sample. Where it takes the prompt from another place than the one
that is reworded, the model is shown the same text under every variant, and robustness would be measured of
nothing. Such variants count as not delivered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from otherwords.core.contract import ITEM_ID, ORIG, OWN_PREFIX, VARIANT

__all__ = ["ENOUGH", "DeliveryTracker"]

ENOUGH = 3
"""Variants that show the model nothing new after which a run is ended early."""

Shown = frozenset[int]


class DeliveryTracker:
    """Of one run. A sample is known by Inspect's id of its execution, an item by its run's and its own id."""

    def __init__(self) -> None:
        self._samples: dict[str, tuple[tuple[str, str], bool]] = {}
        self._shown: dict[str, set[int]] = {}
        self._originals: dict[tuple[str, str], set[Shown]] = {}
        self._pending: dict[tuple[str, str], list[Shown]] = {}
        self._compared = self._changed = 0

    def begins(self, sample: str, run: str, metadata: Mapping[str, Any]) -> None:
        prefix = OWN_PREFIX if OWN_PREFIX + ITEM_ID in metadata else ""
        item, variant = metadata.get(prefix + ITEM_ID), metadata.get(prefix + VARIANT)
        if item is not None and variant is not None:
            self._samples[sample] = ((run, str(item)), variant == ORIG)
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
        item, is_original = self._samples[sample]
        if is_original:
            self._originals.setdefault(item, set()).add(shown)
            for pending in self._pending.pop(item, []):
                self._compare(item, pending)
        elif item in self._originals:
            self._compare(item, shown)
        else:
            self._pending.setdefault(item, []).append(shown)

    def is_undelivered(self, sample: str) -> bool:
        """Whether the model was shown only what the original prompt shows it."""
        shown = self._shown.get(sample)
        if not shown or self._samples[sample][1]:
            return False
        return frozenset(shown) in self._originals.get(self._samples[sample][0], ())

    def ends(self, sample: str) -> None:
        self._samples.pop(sample, None)
        self._shown.pop(sample, None)

    def never_delivered(self, *, at_least: int = 1) -> bool:
        """Whether at least so many variants were compared with their originals, and none differed."""
        return self._compared >= at_least and not self._changed

    def _compare(self, item: tuple[str, str], shown: Shown) -> None:
        self._compared += 1
        self._changed += shown not in self._originals[item]
