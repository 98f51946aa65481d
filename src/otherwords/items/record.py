"""One record of a file, a frame or a list → an item, or an error that names the field."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NoReturn, cast

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message, Prompt, Role

QUESTION = ("question", "stem", "prompt", "input", "messages")
CHOICES = ("choices", "options")
ANSWER = ("answer", "target", "answers")
OTHER_ANSWER = ("expected", "label")
"""Read as the answer where none of the usual fields is there; otherwise kept in the metadata."""
KNOWN = {*QUESTION, *CHOICES, *ANSWER, "id", "metadata"}
ROLES = ("system", "user", "assistant")
LONGEST_ID = 1_000
"""Characters. A longer id is a text in the wrong column."""
_SHOWN = 80
_FIELDS_SHOWN = 10
LONGEST_ITEM = 1_000_000
"""Characters of all texts of an item. To parse so many takes a minute, for each wording again."""


def read_record(
    fields: dict[str, Any],
    *,
    file: Path | None,
    line: int | None,
    place: int,
    all_text: bool = False,
    own: str | None = None,
) -> Item:
    """`all_text`: the file cannot tell 2 from "2" (CSV), so a digit may be an index or an option's text.

    `own` is the field with the text of a case that stands in a template, in place of the usual names.
    """
    reader = _Reader if own is None else partial(_CaseReader, own)
    return reader(fields, file, line, _made_id(line, place), all_text).item()


def read_for_audit(
    fields: dict[str, Any], *, file: Path | None, line: int | None, place: int, all_text: bool = False
) -> Item:
    """As `read_record`, of records that may lack a question, an answer or a real choice."""
    return _AuditReader(fields, file, line, _made_id(line, place), all_text).item()


def _made_id(line: int | None, place: int) -> str:
    return f"line-{line}" if line is not None else f"item-{place}"


class _Reader:
    known: Collection[str] = KNOWN
    """Fields that are no part of the metadata."""

    def __init__(
        self, fields: dict[str, Any], file: Path | None, line: int | None, made_id: str, all_text: bool
    ) -> None:
        self.fields, self.file, self.line, self.all_text = fields, file, line, all_text
        self.id = made_id
        self.id = self._id(made_id)

    def item(self) -> Item:
        prompt = self._prompt()
        choices = self._choices()
        return Item(
            id=self.id,
            prompt=prompt,
            choices=choices,
            target=self._right_choice(choices) if choices else self._accepted(),
            metadata=self._metadata(),
            source=f"{self.file}:{self.line}" if self.line is not None else str(self.file or ""),
        )

    def _refuse(self, problem: str, hint: str | None = None) -> NoReturn:
        raise InputError(problem, file=self.file, line=self.line, item=self.id, hint=hint)

    def _near(self, names: tuple[str, ...]) -> str | None:
        """Which fields are there, for one who misspelt a name or has names of their own."""
        known = {*self.known, *OTHER_ANSWER}
        there = [name for name, value in self.fields.items() if value is not None and name not in known]
        for name in there:
            near = difflib.get_close_matches(name.strip().lower(), names, n=1, cutoff=0.7)
            if near:
                return f"It has '{_short(name)}'. Did you mean '{near[0]}'?"
        shown = ", ".join(map(_short, there[:_FIELDS_SHOWN])) + (", …" if len(there) > _FIELDS_SHOWN else "")
        return f"It has other fields: {shown}. Rename the one that holds it." if there else None

    def _one_of(self, names: tuple[str, ...]) -> tuple[str, Any]:
        """The only one of these fields that is there; a null counts as absent."""
        present = [name for name in names if self.fields.get(name) is not None]
        if len(present) > 1:
            self._refuse(f"has both '{present[0]}' and '{present[1]}', which mean the same; keep one")
        return (present[0], self.fields[present[0]]) if present else (names[0], None)

    def _id(self, made_id: str) -> str:
        given = self.fields.get("id")
        if given is None:
            return made_id
        if isinstance(given, bool) or not isinstance(given, str | int):
            self._refuse(f"'id' must be text or a whole number, got {_kind(given)}")
        if not str(given).strip():
            self._refuse("'id' is empty")
        if len(str(given)) > LONGEST_ID:
            self._refuse(f"'id' has {len(str(given)):,} characters; at most {LONGEST_ID:,} are taken")
        return str(given)

    def _prompt(self) -> Prompt:
        name, value = self._one_of(QUESTION)
        if value is None:
            self._refuse(f"has no question (looked for: {', '.join(QUESTION)})", self._near(QUESTION))
        if isinstance(value, list):
            if not any(isinstance(part, dict) and part.get("role") == "user" for part in value):
                self._refuse(f"'{name}' has no user message")
            return tuple(self._message(name, number, part) for number, part in enumerate(value, start=1))
        if not isinstance(value, str):
            self._refuse(f"'{name}' must be text or a list of messages, got {_kind(value)}")
        if not value.strip():
            self._refuse(f"'{name}' is empty")
        if name == "messages" and value.lstrip().startswith("["):
            self._refuse(
                "'messages' is text, and a list of messages is wanted", "Read it with json.loads first."
            )
        return value

    def _message(self, name: str, number: int, part: Any) -> Message:
        if not isinstance(part, dict):
            self._refuse(f"message {number} of '{name}' must be an object with role and content")
        role, content = part.get("role"), part.get("content")
        if role not in ROLES:
            known = ", ".join(ROLES)
            self._refuse(f"message {number} of '{name}' has the role {_short(str(role))!r}; known: {known}")
        if not isinstance(content, str):
            self._refuse(f"message {number} of '{name}' must have text as content, got {_kind(content)}")
        return Message(cast(Role, role), content)

    def _choices(self) -> tuple[str, ...]:
        name, value = self._one_of(CHOICES)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._refuse(f"'{name}' must be a list, got {_kind(value)}")
        if not value:
            return ()
        if len(value) == 1:
            self._refuse(f"'{name}' has only one option")
        return tuple(
            self._text(f"option {place + 1} of '{name}'", option) for place, option in enumerate(value)
        )

    def _text(self, what: str, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self._refuse(f"{what} must be text or a number, got {_kind(value)}")
        if isinstance(value, float) and not math.isfinite(value):
            self._refuse(f"{what} is not a finite number")
        if not str(value).strip():
            self._refuse(f"{what} is empty")
        return str(value)

    def _answer(self) -> tuple[str, Any]:
        name, value = self._given_answer()
        if value is None:
            names = (*ANSWER, *OTHER_ANSWER)
            self._refuse(f"has no answer (looked for: {', '.join(names)})", self._near(names))
        return name, value

    def _given_answer(self) -> tuple[str, Any]:
        """The field and the answer; nothing where there is none."""
        name, value = self._one_of(ANSWER)
        return (name, value) if value is not None else self._one_of(OTHER_ANSWER)

    def _accepted(self) -> tuple[str, ...]:
        name, value = self._answer()
        if not isinstance(value, list):
            return (self._text(f"'{name}'", value),)
        if not value:
            self._refuse(f"'{name}' is an empty list")
        return tuple(
            self._text(f"answer {place} of '{name}'", one) for place, one in enumerate(value, start=1)
        )

    def _right_choice(self, choices: tuple[str, ...]) -> int | tuple[str, ...]:
        """The answer as a letter, as an index from 0 and as an option's text; they must not disagree.

        One case is settled rather than refused: in JSON, where an index is a number, digits in quotes that
        are an option's text mean that option.
        """
        name, value = self._answer()
        if isinstance(value, bool) or not isinstance(value, str | int):
            self._refuse(f"'{name}' must be a letter, an index or an option's text, got {_kind(value)}")
        said = str(value).strip()
        by_text = [place for place, option in enumerate(choices) if option.strip() == said]
        readings: dict[int, str] = {}
        if said.isascii() and said.isdigit() and int(said) < len(choices):
            quoted_option = isinstance(value, str) and not self.all_text and bool(by_text)
            if not quoted_option:
                readings[int(said)] = "as an index"
        if isinstance(value, str) and len(said) == 1 and said.upper() in ascii_uppercase[: len(choices)]:
            readings[ascii_uppercase.index(said.upper())] = "as a letter"
        if len(by_text) > 1 and not readings:
            letters = " and ".join(_letter(place) for place in by_text)
            self._refuse(f"the answer {_short(said)!r} is the text of options {letters}", _HOW_TO_FIX)
        if by_text and not readings:
            return by_text[0]
        if not readings:
            shown = "; ".join(f"{_letter(place)}. {_short(text)}" for place, text in enumerate(choices))
            self._refuse(
                f"the answer {_short(said)!r} is no letter, index or text of the {len(choices)} options",
                f"Options: {shown}",
            )
        [(place, how)] = readings.items()
        others = [other for other in by_text if other != place]
        if others and place not in by_text:
            self._refuse(
                f"the answer {_short(said)!r} is ambiguous: {how} it is option {_letter(place)}, "
                f"as text it is option {_letter(others[0])}",
                _HOW_TO_FIX,
            )
        return place

    def _metadata(self) -> dict[str, Any]:
        given = self.fields.get("metadata")
        if given is None:
            given = {}
        if not isinstance(given, dict):
            self._refuse(f"'metadata' must be an object, got {_kind(given)}")
        known = {*self.known, self._given_answer()[0]}
        rest = {name: value for name, value in self.fields.items() if name not in known}
        clash = next((name for name in rest if name in given), None)
        if clash is not None:
            self._refuse(f"'{clash}' is given both beside and inside 'metadata'")
        return {**given, **rest}


class _AuditReader(_Reader):
    def _prompt(self) -> Prompt:
        if self._one_of(QUESTION)[1] is not None:
            return super()._prompt()
        if not self._one_of(CHOICES)[1]:
            self._refuse(f"has neither a question ({', '.join(QUESTION)}) nor choices ({', '.join(CHOICES)})")
        return ""

    def _choices(self) -> tuple[str, ...]:
        name, value = self._one_of(CHOICES)
        if not isinstance(value, list) or not value:
            return super()._choices()
        return tuple(
            option if isinstance(option, str) else self._text(f"option {place} of '{name}'", option)
            for place, option in enumerate(value, start=1)
        )

    def _accepted(self) -> tuple[str, ...]:
        return () if self._given_answer()[1] is None else super()._accepted()

    def _answer(self) -> tuple[str, Any]:
        name, value = super()._answer()
        return name, value[0] if isinstance(value, list) and len(value) == 1 else value

    def _right_choice(self, choices: tuple[str, ...]) -> int | tuple[str, ...]:
        """Nothing where the answer is not given or not one; its text where it is none of the options."""
        if self._given_answer()[1] is None or isinstance(value := self._answer()[1], list):
            return ()
        said = str(value).strip()
        by_text = [place for place, option in enumerate(choices) if option.strip() == said]
        try:
            return super()._right_choice(choices)
        except InputError:
            if len(by_text) == 1:  # a letter or an index that is also another option's text
                raise
            return by_text[0] if by_text else (said,)


class _CaseReader(_Reader):
    def __init__(self, own: str, *given: Any) -> None:
        self.own = own
        self.known = {own, *(KNOWN - set(QUESTION))}
        super().__init__(*given)

    def _prompt(self) -> Prompt:
        value = self.fields.get(self.own)
        if value is None:
            self._refuse(f"has no field '{self.own}', which the template names")
        return self._text(f"'{self.own}'", value)


_HOW_TO_FIX = "Give the letter when options are numbers, and the index (from 0) when they are letters."


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _letter(place: int) -> str:
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    names = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def require_length(item: Item, file: Path | None = None, line: int | None = None) -> None:
    """Refuses an item that would take minutes and gigabytes, before anything is done with it."""
    target = () if isinstance(item.target, int) else item.target
    prompt = item.prompt if isinstance(item.prompt, str) else [one.content for one in item.prompt]
    length = sum(map(_length, (prompt, item.choices, target, item.metadata)))
    if length > LONGEST_ITEM:
        problem = f"is too long: {length:,} characters of text, and an item may have {LONGEST_ITEM:,}"
        raise InputError(problem, file=file, line=line, item=item.id)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_length, value)) + sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list | tuple) else 0
