"""`code`: blocks, inline code, lines that are code and names of functions or files are the same, in the
same order."""

from __future__ import annotations

import re
from collections import Counter

from otherwords.checks.base import Scope, compares_meaning, short, told
from otherwords.checks.reading import Reading
from otherwords.english.sentences import is_addressed_line
from otherwords.english.spans import find_spans

NAME = "code"
_CODE_LINE = re.compile(
    r"(?: {4,}|\t)\S"
    r"|\s*(?:def |class |import |from \w+ import |return\b|elif |else:|except\b.*:|try:|@\w|#include|#!/"
    r"|(?:const|let|var|int|void|float|double|char|public|private|static) \w+\b.*[=;({]"
    r"|(?:for|if|while|with) .*:\s*$|function\b.*\{|SELECT |INSERT |UPDATE |CREATE "
    r"|[}\]{)]|//|\w+ = |\w[\w.]*\(.*\)\s*;?$|\|)"
    r"|.*[;{}]\s*$"
    r"|[^\s;,]+(?:[;,][^\s;,]+)+$"
)
"""Indented, opening like a statement, closing like one, or values with separators."""
_IDENTIFIER = re.compile(
    r"\b[A-Za-z]\w*_\w+|\b[A-Za-z]\w*\((?!s\))[^()\n]{0,60}\)|(?<![\w/.])[A-Za-z]{3,}(?:/[\w.-]*\w{3})+"
)
_INLINE = re.compile(r"`[^`\n]+`")
_PROSE_SLASHES = frozenset("and/or yes/no true/false his/her she/her him/her input/output either/or".split())


@compares_meaning(NAME, Scope.LINES, weighed=False)
def code(before: Reading, after: Reading) -> str | None:
    if not (before.may_have_code or after.may_have_code):
        return None
    was, now = _marked(before.text), _marked(after.text)
    if was != now:
        return _told(was - now, now - was)
    if _changed_places(before.text, after.text):
        return "pieces of code changed places"
    if "\n" in before.text:
        lines = [line.rstrip() for line in before.text.split("\n") if _is_code(line)]
        wanted = set(lines)
        kept = [line.rstrip() for line in after.text.split("\n") if line.rstrip() in wanted]
        if kept != lines:
            gone = Counter(lines) - Counter(kept)
            return _told(gone, Counter()) if gone else "lines of code moved or repeated"
    return None


def _is_code(line: str) -> bool:
    return bool(_CODE_LINE.match(line)) and not is_addressed_line(line)


def _marked(text: str) -> Counter[str]:
    found = Counter([name for name in _IDENTIFIER.findall(text) if name.lower() not in _PROSE_SLASHES])
    if "`" in text or "~~~" in text:
        pieces = [text[start:end] for start, end, kind in find_spans(text) if kind in ("fence", "code")]
        found.update([piece.strip() for piece in pieces])
    return found


def _changed_places(before: str, after: str) -> bool:
    """The same sentence with its pieces of code in another order."""
    was, now = _INLINE.findall(before), _INLINE.findall(after)
    return was != now and sorted(was) == sorted(now) and _INLINE.sub("`", before) == _INLINE.sub("`", after)


def _told(lost: Counter[str], added: Counter[str]) -> str | None:
    return told(sorted(map(short, lost.elements())), sorted(map(short, added.elements())))
