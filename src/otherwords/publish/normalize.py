"""Text → its words, its views without escapes and tags, its short cells: for finding text in any file."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(r"[^\W_]+")
_WORD_OR_SIGN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}_])\w)+")
"""Chinese, Japanese and Korean have no spaces between words; each sign counts as one."""
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# The escapes of JSON and of program text.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrtbfv0])|(.))")
# An HTML tag; bounded, so that a lone `<` does not make the search slow.
_TAG = re.compile(r"<[^<>]{0,2000}>")
# Characters that end a cell or a string in CSV, JSON, HTML and program text.
_BREAK = re.compile(r"[\n\r\t,;|\"'<>=:()\[\]{}]+")


def words_of(text: str) -> list[str]:
    """The words of `text` without case, punctuation, invisible characters and compatibility forms."""
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _WORD_OR_SIGN.findall(plain)


def unescaped_views(text: str) -> Iterator[str]:
    """`text`, and what a reader would see of it if it is JSON, HTML or part of an address."""
    yield text
    seen = text
    if "\\" in seen:
        seen = _ESCAPE.sub(_unescaped, seen)
        if "\\" in seen:  # JSON within JSON
            seen = _ESCAPE.sub(_unescaped, seen)
    if "%" in seen:
        seen = unquote(seen, errors="replace")
    if "&" in seen:
        seen = html.unescape(seen)
    if "<" in seen:
        spaced, joined = _TAG.sub(" ", seen), _TAG.sub("", seen)
        yield spaced
        if joined != spaced:
            yield joined
    elif seen is not text and seen != text:
        yield seen


def standalone_values(text: str) -> set[str]:
    """The short pieces of `text` that stand by themselves, such as cells and strings, as their words."""
    found = set()
    for piece in set(_BREAK.split(text)):
        if 0 < len(piece) <= 100:
            words = words_of(piece)
            if 0 < len(words) <= 2:
                found.add(" ".join(words))
    return found


def _unescaped(match: re.Match[str]) -> str:
    long, short, control, other = match.groups()
    if long or short:
        return chr(int(long or short, 16))
    return " " if control else other
