"""The fields of a sample that can hold a prompt, and whether a wording put there reached the model.

Only the solver knows what it takes from a sample. Where it takes the prompt from another place than the one
that is reworded, the model is shown the same text under every variant, and robustness would be measured of
nothing. Such variants count as not delivered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ContentText
from inspect_ai.tool import ToolInfo

from otherwords.core.contract import ITEM_ID, ORIG, OWN_PREFIX, VARIANT


class LocationError(Exception):
    """The sample does not have what the selector names; the message says what is missing."""


class Location(Protocol):
    def read(self, sample: Sample) -> list[str]: ...

    def write(self, sample: Sample, texts: Sequence[str]) -> None:
        """Put `texts` where `read` found them, in the sample itself."""


@dataclass(frozen=True, slots=True)
class WholeInput:
    def read(self, sample: Sample) -> list[str]:
        if not isinstance(sample.input, str):
            raise LocationError(f"the input is a chat of {len(sample.input)} messages, not a text")
        return [sample.input]

    def write(self, sample: Sample, texts: Sequence[str]) -> None:
        (sample.input,) = texts

    def __str__(self) -> str:
        return "input"


@dataclass(frozen=True, slots=True)
class LastUser:
    def read(self, sample: Sample) -> list[str]:
        return [sample.input if isinstance(sample.input, str) else _text(self._message(sample.input))]

    def write(self, sample: Sample, texts: Sequence[str]) -> None:
        if isinstance(sample.input, str):
            (sample.input,) = texts
        else:
            _set_text(self._message(sample.input), *texts)

    def _message(self, chat: Sequence[ChatMessage]) -> ChatMessage:
        last = next((message for message in reversed(chat) if message.role == "user"), None)
        if last is None:
            raise LocationError("no message of the input is the user's")
        return last

    def __str__(self) -> str:
        return "last_user"


@dataclass(frozen=True, slots=True)
class MessageAt:
    index: int

    def read(self, sample: Sample) -> list[str]:
        count = 1 if isinstance(sample.input, str) else len(sample.input)
        if not -count <= self.index < count:
            raise LocationError(f"the input has {count} message{'s' if count > 1 else ''}, and no {self}")
        return [sample.input if isinstance(sample.input, str) else _text(sample.input[self.index])]

    def write(self, sample: Sample, texts: Sequence[str]) -> None:
        if isinstance(sample.input, str):
            (sample.input,) = texts
        else:
            _set_text(sample.input[self.index], *texts)

    def __str__(self) -> str:
        return f"message[{self.index}]"


@dataclass(frozen=True, slots=True)
class MetadataField:
    path: tuple[str | int | None, ...]
    """Keys and indices from the metadata inwards; None stands for every element."""

    def read(self, sample: Sample) -> list[str]:
        texts = []
        for holder, key, where in self._slots(sample):
            if not isinstance(holder[key], str):
                raise LocationError(f"{where} is no text but {type(holder[key]).__name__}")
            texts.append(holder[key])
        return texts

    def write(self, sample: Sample, texts: Sequence[str]) -> None:
        for (holder, key, _), text in zip(list(self._slots(sample)), texts, strict=True):
            holder[key] = text

    def _slots(self, sample: Sample) -> Iterator[tuple[Any, str | int, str]]:
        """Each text's holder, its key there, and how a person would name it."""
        found = list(_walk(sample.metadata or {}, self.path, "metadata"))
        if not found:
            raise LocationError(f"{self} names a list without elements")
        yield from found

    def __str__(self) -> str:
        return "metadata" + "".join(map(_step, self.path))


def _step(step: str | int | None) -> str:
    if step is None:
        return "[*]"
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch(r"[A-Za-z_][\w-]*", step) else f"[{quoted(step)}]"


def _walk(holder: Any, path: Sequence[str | int | None], where: str) -> Iterator[tuple[Any, str | int, str]]:
    step, rest = path[0], path[1:]
    for key in _keys(holder, step, where):
        here = where + _step(key)
        if rest:
            yield from _walk(holder[key], rest, here)
        else:
            yield holder, key, here


def _keys(holder: Any, step: str | int | None, where: str) -> Sequence[str | int]:
    if isinstance(step, str):
        if not isinstance(holder, dict):
            raise LocationError(f"{where} has no fields: it is {type(holder).__name__}")
        if step not in holder:
            known = ", ".join(map(str, holder)) or "none"
            raise LocationError(f"{where} has no field '{step}' (it has: {known})")
        return [step]
    if not isinstance(holder, list):
        raise LocationError(f"{where} is no list: it is {type(holder).__name__}")
    if step is None:
        return range(len(holder))
    if not -len(holder) <= step < len(holder):
        raise LocationError(f"{where} has {len(holder)} elements, and no [{step}]")
    return [step]


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return _only_text(message).text


def _set_text(message: ChatMessage, text: str) -> None:
    if isinstance(message.content, str):
        message.content = text
    else:
        _only_text(message).text = text


def _only_text(message: ChatMessage) -> ContentText:
    texts = [part for part in message.content if isinstance(part, ContentText)]
    if len(texts) != 1:
        raise LocationError(f"the {message.role} message has {len(texts)} parts of text, not one")
    return texts[0]


def all_text(given: str | list[ChatMessage]) -> str:
    return given if isinstance(given, str) else "\n".join(message.text for message in given)


def quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


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
