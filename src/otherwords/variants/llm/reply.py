"""Reading the rewordings out of a reply: the JSON that was asked for, also in fences, in prose or cut off."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

KEY = "rewordings"

_ARRAY = re.compile(rf'["\']?{KEY}["\']?\s*:\s*\[')
_ANY_ARRAY = re.compile(r"\[")
_BETWEEN = re.compile(r"[\s,]*")
_MOST_ARRAYS = 50
_JSON = json.JSONDecoder(strict=False)
"""Takes line breaks inside texts, which models forget to escape."""


@dataclass(frozen=True, slots=True)
class Rewordings:
    texts: tuple[str, ...]
    problem: str = ""
    """What is wrong with the reply as a whole; what could be read of it is in `texts` all the same."""


def read_reply(reply: str, wanted: int) -> Rewordings:
    if not reply.strip():
        return Rewordings((), "the reply is empty")
    arrays = [*_ARRAY.finditer(reply)] or [*_ANY_ARRAY.finditer(reply)]
    texts: list[str] = []
    whole = False
    for start in arrays[:_MOST_ARRAYS]:
        texts, whole = _read_array(reply, start.end())
        if texts:
            break
    if not texts:
        return Rewordings((), "the list is empty" if whole else "not a JSON list of texts")
    problem = (
        f"only {len(texts)} of {wanted} rewordings" if whole else f"cut off after {len(texts)} of {wanted}"
    )
    return Rewordings(tuple(texts), problem if len(texts) < wanted else "")


def _read_array(reply: str, place: int) -> tuple[list[str], bool]:
    """The texts from `place` on, and whether the array ends well; what follows a broken one is not read."""
    texts: list[str] = []
    while True:
        place = _end_of(reply, place)
        if reply[place : place + 1] == "]":
            return texts, True
        try:
            value, place = _JSON.raw_decode(reply, place)
        except (json.JSONDecodeError, RecursionError):
            return texts, False
        text = _as_text(value)
        if text is None:
            return [], False
        if text.strip():
            texts.append(text)


def _end_of(reply: str, place: int) -> int:
    match = _BETWEEN.match(reply, place)
    return match.end() if match else place


def _as_text(value: Any) -> str | None:
    """Some models wrap each text, as in {"text": "…"}."""
    if isinstance(value, dict):
        texts = [one for one in value.values() if isinstance(one, str)]
        return texts[0] if len(texts) == 1 else None
    return value if isinstance(value, str) else None
