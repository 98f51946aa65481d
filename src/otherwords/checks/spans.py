"""`spans` and `code`: addresses, paths, placeholders, formulas and code are there, letter by letter."""

from __future__ import annotations

import re
from collections import Counter

from otherwords.checks.base import format_diff, invariant, short, sign
from otherwords.checks.reading import Pair
from otherwords.english.quantities import mentions
from otherwords.english.spans import find_spans, is_addressed_line

_MUST_STAY = frozenset(("url", "email", "path", "placeholder"))
_MAY_DIFFER = frozenset(("formula", "quoted"))
_QUOTES = str.maketrans("“”„«»‘’", '"""""\'\'')
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


# Numbers of orders, reservations and the like: with a hash, or capitals and digits in one word.
_NUMBERED = re.compile(r"#\w*\d\w*|\b(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{5,}\b")


def _said(text: str, kinds: frozenset[str]) -> Counter[str]:
    """What the spans of those kinds say, with quotation marks and dashes of one shape."""
    found = Counter(
        " ".join(text[start:end].translate(_QUOTES).strip(" \"'").replace("−", "-").replace("–", "-").split())
        for start, end, kind in find_spans(text)
        if kind in kinds
    )
    return Counter({one: times for one, times in found.items() if one})


@invariant("spans", english=False)
def spans(pair: Pair) -> str | None:
    """Addresses, file names, placeholders and numbers of orders are all there, and no others."""
    was, now = (
        {*_said(text, _MUST_STAY), *_NUMBERED.findall(text)} for text in (pair.whole_before, pair.whole_after)
    )
    lost = [one for one in was if one not in pair.whole_after]
    added = [one for one in now if one not in pair.whole_before]
    return format_diff(sorted(map(short, lost)), sorted(map(short, added)))


@sign("spelling")
def spelling(pair: Pair) -> str | None:
    """Formulas and quotations are there, letter by letter."""
    was, now = (
        {one for one in _said(text, _MAY_DIFFER) if not all(mention.unit for mention in mentions(one))}
        for text in pair.parts
    )
    after, before = _loose(pair.whole_after), _loose(pair.whole_before)
    lost = [one for one in was if _loose(one) not in after]
    added = [one for one in now if _loose(one) not in before]
    return format_diff(sorted(map(short, lost)), sorted(map(short, added)))


def _loose(text: str) -> str:
    return "".join(text.translate(_QUOTES).casefold().replace("−", "-").replace("–", "-").split())


@invariant("code", english=False)
def code(pair: Pair) -> str | None:
    """Code blocks, inline code, lines of code and identifiers are the same, in the same order."""
    before, after = pair.whole_before, pair.whole_after
    was, now = _pieces(before), _pieces(after)
    lost = Counter({one: n for one, n in (was - now).items() if one not in after})
    added = Counter({one: n for one, n in (now - was).items() if one not in before})
    if lost or added:
        return format_diff(sorted(map(short, lost)), sorted(map(short, added)))
    if _exchanged(before, after):
        return "pieces of code changed places"
    if "\n" not in before:
        return None
    lines = [line.rstrip() for line in before.split("\n") if _is_code(line)]
    wanted = set(lines)
    kept = [line.rstrip() for line in after.split("\n") if line.rstrip() in wanted]
    if kept == lines:
        return None
    gone = Counter(lines) - Counter(kept)
    return format_diff(sorted(map(short, gone)), []) if gone else "lines of code moved or repeated"


def _is_code(line: str) -> bool:
    return bool(_CODE_LINE.match(line)) and not is_addressed_line(line)


def _pieces(text: str) -> Counter[str]:
    found = Counter(name for name in _IDENTIFIER.findall(text) if name.lower() not in _PROSE_SLASHES)
    found.update(
        text[start:end].strip() for start, end, kind in find_spans(text) if kind in ("fence", "code")
    )
    return found


def _exchanged(before: str, after: str) -> bool:
    """The same sentence with its pieces of code in another order."""
    was, now = _INLINE.findall(before), _INLINE.findall(after)
    return was != now and sorted(was) == sorted(now) and _INLINE.sub("`", before) == _INLINE.sub("`", after)
