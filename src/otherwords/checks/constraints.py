"""`constraints`: no condition, no sentence and no part of an enumeration is gone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from otherwords.checks.base import compares_meaning, short
from otherwords.checks.light import FAINT
from otherwords.checks.marks import changed_marks
from otherwords.checks.passages import lost_passage
from otherwords.checks.quantities import UNIT_OF
from otherwords.checks.reading import Reading

NAME = "constraints"
_CONDITIONS = ("unless", "except", "until", "before", "after")
_TIMES = ("before", "after")
_RULE_WITH_IF = re.compile(r"\bif\b[^.?!\n]*[.!\n]", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.](?=\w)[^.!?\n]*)*")
_CLAUSE = re.compile(
    r"[,;:]|\b(?:and|but|while|with|without|unless|before|after|if|so that|who|which|that|for|to|in)\b",
    re.IGNORECASE,
)
_ENUMERATED = re.compile(
    r"(?:[\w'’-]+(?: [\w'’-]+)?, )+[\w'’-]+(?: [\w'’-]+)?,? (?:and|or) [\w'’-]+", re.IGNORECASE
)
_STEM = 4
_GONE = 0.25
"""A sentence of which no more than this share of its words is left has gone."""


@compares_meaning(NAME)
def constraints(before: Reading, after: Reading) -> str | None:
    if before.said != after.said:
        lost, added, *_ = changed_marks(before, after)
        gone = [
            mark
            for mark in _CONDITIONS
            if lost[mark] and (mark not in _TIMES or _in_a_rule(mark, before, after))
        ]
        if lost["if"] and _rules(before) > _rules(after) + added["unless"]:
            gone.append("if")
        if gone:
            return f"lost: {', '.join(gone)}"
    missing = {
        word for word in before.word_set - after.word_set - FAINT if "'" not in word and word != "cannot"
    }
    if not missing:
        return None
    if after.word_set <= before.word_set:
        return f"lost: {', '.join(dict.fromkeys(word for word in before.words if word in missing))}"
    kept = _stems(after.word_set)
    gone_stems = {word[:_STEM] for word in missing} - kept
    if not gone_stems:
        return None
    return (
        _lost_item(before, after, kept)
        or _lost_sentence(before, after, kept)
        or _lost_clause(before, after, kept)
        or (lost_passage(before.clauses, after.clauses) if len(gone_stems) > 1 else None)
    )


def _rules(reading: Reading) -> int:
    return len(_RULE_WITH_IF.findall(reading.text))


def _in_a_rule(mark: str, before: Reading, after: Reading) -> bool:
    """Before a number or in a statement. In a question, "after it runs" may become "it runs; what then?"."""
    pattern = re.compile(rf"\b{mark}\b(?: \d|[^.?!\n]*[.!\n])", re.IGNORECASE)
    return len(pattern.findall(before.text)) > len(pattern.findall(after.text))


def _stems(words: Iterable[str]) -> set[str]:
    return {word[:_STEM] for word in words if word not in FAINT and ("'" not in word or word.endswith("'s"))}


def _lost_item(before: Reading, after: Reading, kept: set[str]) -> str | None:
    for match in _ENUMERATED.finditer(before.text):
        items = [item for item in re.split(r", (?:and |or )?| (?:and|or) ", match.group().lower()) if item]
        stems = [_stems(re.findall(r"[\w'’]+", item)) for item in items]
        left = [not own or bool(own & kept) for own in stems]
        if left.count(False) and left.count(True) >= 2 and not after.word_set - before.word_set - FAINT:
            return f"lost from an enumeration: {items[left.index(False)]}"
    return None


def _lost_sentence(before: Reading, after: Reading, kept: set[str]) -> str | None:
    """The variant is shorter by about the length of a sentence whose words it does not have."""
    shorter = len(before.words) - len(after.words)
    if shorter < 2:
        return None
    still_asks = after.text.count("?") >= before.text.count("?")
    for match in _SENTENCE.finditer(before.text):
        if still_asks and before.text[match.end() : match.end() + 1] == "?":
            continue
        said = re.findall(r"[^\W_]+(?:['’][^\W_]+)?", match.group().lower())
        own = _stems(said)
        if len(said) >= 2 and own and shorter >= 0.6 * len(said) and len(own & kept) <= _GONE * len(own):
            return f'lost: "{short(match.group().strip(), 60)}"'
    return None


def _lost_clause(before: Reading, after: Reading, kept: set[str]) -> str | None:
    """Two or more weighty words in a row are gone, and too few new ones stand for them."""
    if len(before.words) - len(after.words) < 2:
        return None
    had = _stems(before.word_set)
    new, gone = kept - had, had - kept
    if len(gone) < len(new) + 2:
        return None
    run: list[str] = []
    for word in [*before.words, ""]:
        if word in FAINT or word in UNIT_OF:
            continue
        if word and word[:_STEM] in gone:
            run.append(word)
            continue
        if len(run) >= 2:
            return f"lost: {' … '.join(run)}"
        run = []
    return None
