"""`spans` and `code`: addresses, paths, placeholders, formulas and code are there, letter by letter."""

from __future__ import annotations

from collections import Counter

from otherwords.checks.base import format_diff, invariant, short, sign
from otherwords.checks.reading import Pair
from otherwords.english.lexicon import Patterns
from otherwords.english.quantities import mentions, unit_names
from otherwords.english.spans import find_spans, is_addressed_line

_MUST_STAY = frozenset(("url", "email", "path", "placeholder"))
_MAY_DIFFER = frozenset(("formula", "quoted"))
_SHAPES = str.maketrans("“”„«»‘’−–", '"""""\'\'--')
_SAYS = Patterns("code")


def _said(text: str, kinds: frozenset[str]) -> set[str]:
    """What the spans of those kinds say, with quotation marks and dashes of one shape."""
    spans_of = [text[start:end] for start, end, kind in find_spans(text) if kind in kinds]
    said = (" ".join(one.translate(_SHAPES).strip(" \"'").split()) for one in spans_of)
    return {one for one in said if one}


@invariant("spans", english=False)
def spans(pair: Pair) -> str | None:
    """Addresses, file names, placeholders and numbers of orders are all there, and no others."""
    was, now = (
        {*_said(text, _MUST_STAY), *_SAYS.numbered.findall(text)}
        for text in (pair.whole_before, pair.whole_after)
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
    return "".join(text.translate(_SHAPES).casefold().split())


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
    return bool(_SAYS.line.match(line)) and not is_addressed_line(line)


def _pieces(text: str) -> Counter[str]:
    found = Counter(
        name
        for name in _SAYS.identifier.findall(text)
        if not _SAYS.prose_slash.fullmatch(name.lower()) and not unit_names().issuperset(name.split("/"))
    )
    found.update(
        text[start:end].strip() for start, end, kind in find_spans(text) if kind in ("fence", "code")
    )
    return found


def _exchanged(before: str, after: str) -> bool:
    """The same sentence with its pieces of code in another order."""
    was, now = _SAYS.inline.findall(before), _SAYS.inline.findall(after)
    return (
        was != now
        and sorted(was) == sorted(now)
        and _SAYS.inline.sub("`", before) == _SAYS.inline.sub("`", after)
    )
