"""Text → a normal form in which two texts can be compared, also where a person typed it in a hurry.

A text in JSON has its words inside quotation marks, one with other list labels has lost the old ones, and one
whose instruction moved has the same paragraphs in another order.

A slip in a word that turns a meaning round is not mended: "nit" for "not" is no variant worth running.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache

from otherwords.english.lexicon import read_lexicon
from otherwords.english.spans import OPENS_SPAN, find_spans, sentences

_LABEL = r"[ \t]*(?:\([A-Za-z0-9]{1,2}\)|(?:[A-Za-z]|\d{1,2})[.)]|[-*•])[ \t]+"
_LABELLED_LINE = re.compile(rf"^{_LABEL}", re.MULTILINE)
_LIST_LINE = re.compile(rf"\n{_LABEL}")
_LAST_MARK = re.compile(r"[a-z]{2}[.?]")
_OPENER = re.compile(rf"(?!{OPENS_SPAN})([A-Z])(?:[a-z]+[ ,]| [a-z]{{2}})")
_BLANK_LINES = re.compile(r"(?:\A|\n)(?:[ \t]*\n)+")


def folded(text: str) -> str:
    """`text` in lower case, with single spaces for all white space."""
    return " ".join(text.casefold().split())


def unmarked(text: str) -> str:
    """As `folded`, without its last mark: two rewordings that share it are one."""
    return folded(text).rstrip(".?! ")


def without_surface_form(before: str, after: str, change: str) -> tuple[str, str]:
    """Both without what the change of format named `change` may alter."""
    if (change == "punct" and _differ_in_last_mark(before, after)) or (
        change == "case" and _differ_in_openers(before, after)
    ):
        return before, before
    return without_form(before, change), without_form(after, change)


def without_form(text: str, change: str) -> str:
    """`text` without what the change of format named `change` may alter."""
    if change == "json":
        return _inside_json(text)
    if change == "enumerator":
        return _LABELLED_LINE.sub("- ", text)
    if change in ("list", "prose"):
        return _LIST_LINE.sub(" ", text)
    return text


def _differ_in_last_mark(before: str, after: str) -> bool:
    """After a plain word."""
    return before[:-1] == after[:-1] and bool(_LAST_MARK.match(before[-3:]) and _LAST_MARK.match(after[-3:]))


def _differ_in_openers(before: str, after: str) -> bool:
    """Sentences that open with a plain word open with it in lower case."""
    start = 0
    for sentence in sentences(before):
        if not after.startswith(sentence, start):
            opener = _OPENER.match(sentence)
            if opener is None or not after.startswith(opener[1].lower() + sentence[opener.end(1) :], start):
                return False
        start += len(sentence)
    return 0 < start == len(after)


def _inside_json(text: str) -> str:
    """The one text in an object of one field; anything else is returned as it is."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    said = list(read.values()) if isinstance(read, dict) else []
    return said[0] if len(said) == 1 and isinstance(said[0], str) else text


def sorted_paragraphs(texts: Iterable[str]) -> str:
    """The paragraphs of all `texts` in alphabetical order, without space at their ends."""
    parts = (part.rstrip() for text in texts for part in _parted(text))
    return "\n\n".join(sorted(part for part in parts if part))


def _parted(text: str) -> Iterator[str]:
    """At the blank lines, but for those in fenced code."""
    fences = [span for span in find_spans(text) if span.kind == "fence"]
    end = 0
    for gap in _BLANK_LINES.finditer(text):
        if not any(fence.start < gap.start() < fence.end for fence in fences):
            yield text[end : gap.start()]
            end = gap.end()
    yield text[end:]


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SHORTEST_MENDED = 4


@cache
def _short_forms() -> tuple[dict[str, str], re.Pattern[str]]:
    long_of: dict[str, str] = read_lexicon("informal")["short_forms"]
    any_of = "|".join(map(re.escape, sorted(long_of, key=len, reverse=True)))
    return long_of, re.compile(rf"(?<![\w/'’])(?:{any_of})(?![\w/'’])", re.IGNORECASE)


def in_plain_english(text: str, original: str) -> str:
    """Short forms that the original does not have are written out; words with one slip become its words."""
    known = {word.lower() for word in _WORD.findall(original)}
    long_of, pattern = _short_forms()
    long = pattern.sub(
        lambda short: short[0] if short[0].lower() in known else long_of[short[0].lower()], text
    )
    words = {word.lower() for word in _WORD.findall(long)}
    negations = frozenset(read_lexicon("negations")["words"])
    missing = [word for word in known - words if len(word) >= _SHORTEST_MENDED and word not in negations]
    slips = {
        strange: right
        for strange in words - known
        for right in missing
        if abs(len(strange) - len(right)) <= 1 and is_one_slip(right, strange)
    }
    return _WORD.sub(lambda word: slips.get(word[0].lower(), word[0]), long) if slips else long


def is_one_slip(right: str, typed: str) -> bool:
    """One letter dropped, added or changed, or two neighbours swapped."""
    start = next(
        (at for at, (one, other) in enumerate(zip(right, typed, strict=False)) if one != other),
        min(len(right), len(typed)),
    )
    if len(right) == len(typed):
        swapped = right[start + 1 : start + 2] + right[start : start + 1] + right[start + 2 :]
        return right[start + 1 :] == typed[start + 1 :] or swapped == typed[start:]
    longer, shorter = (right, typed) if len(right) > len(typed) else (typed, right)
    return longer[start + 1 :] == shorter[start:]
