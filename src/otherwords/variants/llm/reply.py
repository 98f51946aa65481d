"""A model's reply → the rewordings in it: JSON as asked for, or the lists that models write in its place.

Seen: fences and prose around the JSON, Python lists, one JSON text a line, numbered and bulleted lists, bold
headings and labels such as "Casual:", quotation marks, notes at the end, and replies that are cut off.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from otherwords.english.language import is_refusal
from otherwords.english.lexicon import Patterns
from otherwords.variants.llm.prompt import KEY


class Rewordings(NamedTuple):
    """What was read of a reply."""

    texts: tuple[str, ...]
    problem: str = ""
    """What is wrong with the reply as a whole; what could be read of it is in `texts` all the same."""


NO_LIST = "no list of rewordings in it"
_SAYS = Patterns("replies")
_BETWEEN = re.compile(r"[\s,]*")
_MOST_OPENINGS = 50
_JSON = json.JSONDecoder(strict=False)
"""Takes line breaks inside texts, which models forget to escape."""


def read_reply(reply: str, wanted: int) -> Rewordings:
    """The rewordings in `reply`, of which `wanted` were asked for."""
    said = _SAYS.thought.sub("", reply).strip()
    if not said:
        return Rewordings((), "the reply is empty")
    texts, whole = [*_as_json_lines(said)], True
    if not texts:
        texts, whole = _in_brackets(said)
    if not texts and not whole:
        texts, whole = [*_listed(said, wanted)], True
        if not texts:
            return Rewordings((), NO_LIST)
    cleaned = tuple(text for one in texts if (text := _cleaned(one)))
    if not cleaned:
        return Rewordings((), "the list is empty")
    of = f"{len(cleaned)} of {wanted}"
    lacking = f"only {of} rewordings" if whole else f"cut off after {of}"
    return Rewordings(cleaned, lacking if len(cleaned) < wanted else "")


def _in_brackets(reply: str) -> tuple[list[str], bool]:
    """The texts of the first JSON or Python list, or object of texts, and whether it ends well."""
    openings = [match.end() - 1 for match in _SAYS.keyed.finditer(reply)]
    openings = openings or [match.start() for match in re.finditer(r"[\[{]", reply)]
    for start in openings[:_MOST_OPENINGS]:
        texts, whole = _read_array(reply, start + 1) if reply[start] == "[" else _read_object(reply, start)
        texts, whole = (texts, whole) if texts or whole else _read_python(reply, start)
        if texts or (whole and KEY in reply[:start]):
            return texts, whole
    return [], False


def _read_array(reply: str, place: int) -> tuple[list[str], bool]:
    """The texts from `place` on, and whether the array ends well; what follows a broken one is not read."""
    texts: list[str] = []
    while True:
        place = _BETWEEN.match(reply, place).end()  # type: ignore[union-attr]  # it matches nothing, too
        if reply[place : place + 1] == "]":
            return texts, True
        try:
            value, place = _JSON.raw_decode(reply, place)
        except (json.JSONDecodeError, RecursionError):
            return texts, False
        text = _as_text(value)
        if text is None:
            return [], False
        texts.append(text)


def _read_object(reply: str, place: int) -> tuple[list[str], bool]:
    """The values of an object whose values are texts, such as {"mild": "…", "strong": "…"}."""
    try:
        value, _ = _JSON.raw_decode(reply, place)
    except (json.JSONDecodeError, RecursionError):
        return [], False
    texts = [one for one in value.values() if isinstance(one, str)] if isinstance(value, dict) else []
    return (texts, True) if texts and len(texts) == len(value) else ([], False)


def _read_python(reply: str, start: int) -> tuple[list[str], bool]:
    """['…', '…'] up to the last bracket that closes it."""
    end = reply.rfind("]", start)
    if reply[start] != "[" or not re.match(r"\[\s*['\"]", reply[start:]) or end < 0:
        return [], False
    try:
        value = ast.literal_eval(reply[start : end + 1])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return [], False
    texts = value if isinstance(value, list) and all(isinstance(one, str) for one in value) else []
    return texts, bool(texts)


def _as_text(value: Any) -> str | None:
    """Some models wrap each text, as in {"text": "…"}, and name its strength beside it."""
    if isinstance(value, str):
        return value
    given = value if isinstance(value, dict) else {}
    texts = {name: one for name, one in given.items() if isinstance(one, str)}
    named = [texts[name] for name in ("text", "rewording", "paraphrase") if name in texts]
    found = named or [*texts.values()]
    return found[0] if len(found) == 1 else None


def _as_json_lines(reply: str) -> Iterator[str]:
    """One JSON text or object on each of several lines."""
    lines = [line.strip().rstrip(",") for line in reply.splitlines() if line.strip().strip("`")]
    if len(lines) < 2:
        return
    try:
        texts = [text for line in lines if (text := _as_text(json.loads(line))) is not None]
    except (ValueError, RecursionError):
        return
    if len(texts) == len(lines):
        yield from texts


def _listed(reply: str, wanted: int) -> Iterator[str]:
    """The parts of a list that is no JSON; of a reply without one, its paragraphs or lines, if they fit."""
    reply = _SAYS.closing.sub("", _SAYS.fence.sub("", reply)).strip()
    for marker in (_SAYS.number, _SAYS.heading, _SAYS.label, _SAYS.bullet):
        found = [*marker.finditer(reply)]
        if len(found) < min(wanted, 2) or not found:
            continue
        ends = [match.start() for match in found[1:]] + [len(reply)]
        parts = [reply[match.end() : end] for match, end in zip(found, ends, strict=True)]
        if all(map(str.strip, parts)):
            yield from (re.sub(r"\n[ \t]{2,3}(?=\S)", "\n", _SAYS.rule.sub("", part)) for part in parts)
            return
    body = _SAYS.lead_in.sub("", reply, count=1).strip()
    for split in (r"\n\s*\n", r"\n"):
        parts = [part for part in re.split(split, body) if part.strip()]
        if len(parts) == wanted > 1:
            yield from parts
            return
    no_text = is_refusal(body) or _SAYS.no_text.match(body)
    if wanted == 1 and not no_text:
        yield body


def _cleaned(text: str) -> str:
    """`text` without labels, notes, quotation marks and bold type around it."""
    before = None
    text = text.strip()
    while text != before:
        before = text
        text = _SAYS.note.sub("", _SAYS.stripped.sub("", text, count=1)).strip()
        for around in (_SAYS.quoted, _SAYS.in_bold):
            if match := around.match(text):
                text = match[match.lastindex or 0].strip()
    return text
