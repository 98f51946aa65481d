"""`spans` and `code`: addresses, paths, placeholders, formulas and code are there, letter by letter."""

from __future__ import annotations

from collections import Counter

from otherwords.checks.base import format_diff, invariant, short
from otherwords.checks.reading import Pair
from otherwords.english.lexicon import Patterns
from otherwords.english.quantities import unit_names
from otherwords.english.spans import find_spans, is_addressed_line

_MUST_STAY = frozenset(("url", "email", "path", "placeholder"))
_QUOTES = " \n\"'“”„«»‘’"
_SAYS = Patterns("code")


@invariant("spans", english=False)
def spans(pair: Pair) -> str | None:
    """Addresses, file names, placeholders and numbers of orders are all there, and no others."""
    was, now = _names(pair.whole_before), _names(pair.whole_after)
    return format_diff(was - now, now - was, short)


def _names(text: str) -> set[str]:
    found = {text[start:end] for start, end, kind in find_spans(text) if kind in _MUST_STAY}
    return {one.strip(_QUOTES) for one in found} | {*_SAYS.numbered.findall(text)}


@invariant("code", english=False)
def code(pair: Pair) -> str | None:
    """Code blocks, inline code and identifiers are the same, and so are lines of code, in the same order."""
    before, after = pair.whole_before, pair.whole_after
    was, now = _pieces(before), _pieces(after)
    if was != now:
        return format_diff(was - now, now - was, short)
    if "\n" not in before:
        return None
    every = [line.rstrip() for line in before.split("\n")]
    lines = [line for line in every if _SAYS.line.match(line) and not is_addressed_line(line)]
    kept = [line.rstrip() for line in after.split("\n") if line.rstrip() in lines]
    gone = Counter(lines) - Counter(kept)
    return None if kept == lines else format_diff(gone, (), short) or "lines of code moved or repeated"


def _pieces(text: str) -> Counter[str]:
    names = [name for name in _SAYS.identifier.findall(text) if not unit_names().issuperset(name.split("/"))]
    blocks = [text[start:end].strip() for start, end, kind in find_spans(text) if kind in ("fence", "code")]
    return Counter([*names, *blocks])
