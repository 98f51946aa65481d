"""A selector such as `message[0]/<scenario>` → reads a sample's prompt, and puts another one in its place.

    input                              the whole input, where it is plain text
    last_user                          the last user message; plain text counts as one (the default)
    message[0]   message[-1]           one message of a chat, counted from 0 or from the end
    metadata.steps[*].text             a field of the metadata; [*] takes every element of a list
    metadata["any name"][0]            any key, and one element

Each may be followed by the part of that text which is the prompt; white space around the part is left alone.

    message[0]/<scenario>              between <scenario> and </scenario>
    input after "Question:"            what follows the first such words
    input before "Options:"            what precedes the last such words
    input after "[BEGIN]" before "[END]"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ContentText

from otherwords.core.errors import InputError

_FORMS = (
    'Write it as input, last_user, message[0] or metadata.name, if need be with /<tag>, after "words" '
    'or before "words" behind it.'
)


class LocationError(Exception):
    """The sample does not have what the selector names; the message says what is missing."""


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
    return message.content if isinstance(message.content, str) else _only_text(message).text


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


def quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Selector:
    """Reads the prompt of a sample, and puts another wording in its place."""

    location: Location
    part: Part

    def get(self, sample: Sample) -> str:
        """The prompt. Several texts become one, with a line such as `[PART 1 OF 3]` above each."""
        try:
            return self._get(sample)
        except LocationError as error:
            raise self._refusal(sample, str(error)) from None

    def put(self, sample: Sample, text: str) -> Sample:
        """A deep copy of `sample` with `text` as its prompt and everything else as it was."""
        try:
            self._get(sample)
            copy = sample.model_copy(deep=True)
            texts = self.location.read(copy)
            bounds = self._bounds(texts)
            wordings = _split(text, len(texts))
            if not all(wording.strip() for wording in wordings):
                raise LocationError("the wording is empty")
            changed = [
                old[:start] + wording + old[end:]
                for old, (start, end), wording in zip(texts, bounds, wordings, strict=True)
            ]
            if changed == texts:
                raise LocationError("the wording is the one that is there already, so nothing would change")
            self._bounds(changed)  # refuses a wording that has the mark of its own end in it
            self.location.write(copy, changed)
        except LocationError as error:
            raise self._refusal(sample, str(error)) from None
        return copy

    def is_whole_input(self, sample: Sample) -> bool:
        """Whether the prompt is all that the sample says, so that a chat may stand in its place."""
        whole = isinstance(self.part, WholeText) and not isinstance(self.location, MetadataField)
        return whole and isinstance(sample.input, str)

    def __str__(self) -> str:
        return f"{self.location}{self.part}"

    def _get(self, sample: Sample) -> str:
        texts = self.location.read(sample)
        pieces = [text[start:end] for text, (start, end) in zip(texts, self._bounds(texts), strict=True)]
        if not all(piece.strip() for piece in pieces):
            raise LocationError("the prompt is empty")
        if isinstance(self.location, MetadataField):
            given = sample.input
            shown = given if isinstance(given, str) else "\n".join(message.text for message in given)
            if any(piece.strip() in shown for piece in pieces):
                raise LocationError(
                    "the same text stands in the input, which the model would still see unchanged"
                )
        return _join(pieces)

    def _bounds(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        bounds = [self.part.bounds(text) for text in texts]
        if len(texts) == 1:
            return bounds
        return [_trimmed(text, start, end) for text, (start, end) in zip(texts, bounds, strict=True)]

    def _refusal(self, sample: Sample, problem: str) -> InputError:
        known = None if sample.id is None else str(sample.id)
        return InputError(problem, item=known, hint=f"The prompt was looked for at: {self}")


@dataclass(frozen=True, slots=True)
class WholeText:
    def bounds(self, text: str) -> tuple[int, int]:
        return 0, len(text)

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Tagged:
    tag: str

    def bounds(self, text: str) -> tuple[int, int]:
        opening, closing = f"<{self.tag}>", f"</{self.tag}>"
        for mark in (opening, closing):
            if text.count(mark) != 1:
                raise LocationError(f"{mark} stands there {text.count(mark)} times, not once")
        start, end = text.index(opening) + len(opening), text.index(closing)
        if end < start:
            raise LocationError(f"{closing} stands before {opening}")
        return _trimmed(text, start, end)

    def __str__(self) -> str:
        return f"/<{self.tag}>"


@dataclass(frozen=True, slots=True)
class Marked:
    after: str = ""
    before: str = ""

    def bounds(self, text: str) -> tuple[int, int]:
        start = text.find(self.after) + len(self.after)
        if start < len(self.after):
            raise LocationError(f"the words {quoted(self.after)} do not stand there")
        end = text.rfind(self.before, start) if self.before else len(text)
        if end < 0:
            raise LocationError(f"the words {quoted(self.before)} do not stand there")
        return _trimmed(text, start, end)

    def __str__(self) -> str:
        marks = (("after", self.after), ("before", self.before))
        return "".join(f" {word} {quoted(mark)}" for word, mark in marks if mark)


Location = WholeInput | LastUser | MessageAt | MetadataField
Part = WholeText | Tagged | Marked

_LOCATION = re.compile(r"(?:input|last_user|metadata)(?![\w-])|message\[(?P<index>-?\d+)\]")
_STEP = re.compile(
    r"\.(?P<name>[A-Za-z_][\w-]*)|\[(?P<place>-?\d+)\]|\[(?P<every>\*)\]|\[(?P<key>\"(?:[^\"\\]|\\.)*\")\]"
)
_WORDS = r"(?:\"(?:[^\"\\]|\\.)+\"|'[^']+')"
_PART = re.compile(
    rf"\s*/\s*<(?P<tag>[A-Za-z_][\w.-]*)>|(?:\s+after\s+(?P<after>{_WORDS}))?(?:\s+before\s+(?P<before>{_WORDS}))?"
)


def parse_selector(text: str) -> Selector:
    """The selector that `text` writes; `str()` of it writes it again."""
    wanted = text.strip()
    start = _LOCATION.match(wanted)
    if start is None:
        raise InputError(f"cannot read the prompt field '{text}'", hint=_FORMS)
    location, at = _read_location(wanted, start)
    part = _PART.fullmatch(wanted, at)
    if part is None:
        raise InputError(
            f"cannot read the prompt field '{text}' from '{wanted[at:].strip()}' on", hint=_FORMS
        )
    if part["tag"]:
        return Selector(location, Tagged(part["tag"]))
    if part["after"] or part["before"]:
        return Selector(location, Marked(_unquoted(part["after"], text), _unquoted(part["before"], text)))
    return Selector(location, WholeText())


def _read_location(text: str, start: re.Match[str]) -> tuple[Location, int]:
    if start["index"] is not None:
        return MessageAt(int(start["index"])), start.end()
    if start.group() != "metadata":
        return (WholeInput() if start.group() == "input" else LastUser()), start.end()
    steps: list[str | int | None] = []
    at = start.end()
    while step := _STEP.match(text, at):
        at = step.end()
        if step["every"]:
            steps.append(None)
        elif step["place"]:
            steps.append(int(step["place"]))
        else:
            steps.append(step["name"] or _unquoted(step["key"], text))
    if not steps:
        raise InputError(f"the prompt field '{text}' names no field of the metadata", hint=_FORMS)
    return MetadataField(tuple(steps)), at


def _unquoted(words: str | None, text: str) -> str:
    if words is None:
        return ""
    if words.startswith("'"):
        return words[1:-1]
    try:
        return str(json.loads(words, strict=False))
    except json.JSONDecodeError:
        raise InputError(
            f"cannot read the prompt field '{text}': {words} has a backslash that means nothing", hint=_FORMS
        ) from None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end]
    if not inner.strip():
        return start, end
    return start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())


# In capitals and brackets, so that rewording leaves the line alone: it is a protected span.
_PART_LINE = re.compile(r"\[PART (\d+) OF (\d+)\][ \t]*$", re.MULTILINE)


def _join(pieces: Sequence[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    if any(_PART_LINE.search(piece) for piece in pieces):
        raise LocationError(
            "one of its texts has a line such as [PART 1 OF 3], which is kept for joining texts"
        )
    return "\n\n".join(
        f"[PART {number} OF {len(pieces)}]\n{piece}" for number, piece in enumerate(pieces, start=1)
    )


def _split(text: str, count: int) -> list[str]:
    """The texts that `_join` made one; words added above the first part go to it."""
    if count == 1:
        return [text]
    opening, *rest = _PART_LINE.split(text)
    numbers, pieces = list(zip(rest[0::3], rest[1::3], strict=True)), [piece.strip() for piece in rest[2::3]]
    if numbers != [(str(number), str(count)) for number in range(1, count + 1)]:
        raise LocationError(
            f"the wording does not keep the {count} lines [PART 1 OF {count}] and so on in order"
        )
    if opening.strip():
        pieces[0] = f"{opening.strip()}\n\n{pieces[0]}"
    return pieces


DEFAULT_SELECTOR = Selector(LastUser(), WholeText())
"""Right for ordinary tasks: the whole of a plain text, the last user message of a chat."""
