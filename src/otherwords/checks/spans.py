"""`spans`: formulas, addresses, dates, quotations, labels, names in capitals … are all there, as often as
    they were.

Numbers and code have checks of their own, `numbers` and `code`, which know when two spellings are one thing.
"""

from __future__ import annotations

import re
from collections import Counter

from otherwords.checks.base import Scope, compares_meaning, short, told
from otherwords.checks.reading import Reading
from otherwords.english.spans import find_spans, same_spans

NAME = "spans"
_ELSEWHERE = frozenset(("number", "fence", "code"))
_QUOTES = str.maketrans("“”„«»‘’", '"""""\'\'')
_RANGE = re.compile(r"\d+ ?[-–] ?\d+")
_SPACES = re.compile(r"\s+")


@compares_meaning(NAME, Scope.WHOLE)
def spans(before: Reading, after: Reading) -> str | None:
    if same_spans(before.text, after.text):
        return None
    was, now = _protected(before.text), _protected(after.text)
    if was == now:
        return None
    return told(_listed(was - now), _listed(now - was))


def _protected(text: str) -> Counter[str]:
    """What the spans say, with quotation marks and dashes of one shape; "3-4" is left to `numbers`."""
    found: Counter[str] = Counter()
    for start, end, kind in find_spans(text):
        if kind in _ELSEWHERE:
            continue
        said = text[start:end].strip()
        if kind == "quoted":
            said = said.translate(_QUOTES)
        elif kind == "formula":
            if _RANGE.fullmatch(said):
                continue
            said = _SPACES.sub("", said).replace("−", "-").replace("–", "-")
        elif kind == "date":
            said = _SPACES.sub(" ", said.replace(",", ""))
        found[said] += 1
    return found


def _listed(found: Counter[str]) -> list[str]:
    return [short(one) for one in sorted(found.elements())]
