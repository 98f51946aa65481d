"""A wording and its references → words, bounds of numbers, ranks and conditions that became their opposites.

A reference is a text that says the same: the scenario, or another wording of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import fmean

from otherwords.benchmarks.compared_texts import Span, Text, Word, alike, is_plain, pattern, same, word_list
from otherwords.english.lexicon import read_lexicon


@cache
def _scales(name: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """The two ends of each scale; those of a free one are often said in other words."""
    scales = read_lexicon("scenarios")[name]
    return tuple(
        (re.compile(rf"(?i)\b(?:{one})\b"), re.compile(rf"(?i)\b(?:{other})\b")) for one, other in scales
    )


def turned(references: Sequence[Text], after: Text) -> Iterator[str]:
    """A word became its opposite, or a bound of a number: "less than $100" is "more than $100"."""
    both = [
        (one, name == "free_scales")
        for name in ("scales", "word_scales", "free_scales")
        for one in _scales(name)
    ]
    for scale, is_free in both:
        for old, new in (scale, scale[::-1]):
            were = [(_count(text, old, new), _count(text, new, old)) for text in references]
            usual = (min if is_free else fmean)([count for count, _ in were])
            lost = _count(after, old, new) < usual
            if lost and _count(after, new, old) > max(count for _, count in were):
                yield f"turned round: {', '.join(sorted(set(map(str.lower, new.findall(after.text)))))}"
    now = _bounds(after)
    were_bounds = [_bounds(text) for text in references]
    for number in sorted(now):
        was = [bounds[number] for bounds in were_bounds if number in bounds]
        if was and not any(one & now[number] for one in was):
            yield f"bound turned round: {number}"
        elif not was and len(references) >= _ENOUGH:
            yield f"bound added: {number}"


def turned_in_place(references: Sequence[Text], after: Text) -> Iterator[str]:
    """A word became its opposite among words that the references have beside the other end of the scale.

    So it is found too where the text has both ends.
    """
    for one, other in (*_scales("scales"), *_scales("scales_in_place")):
        were = [list(_ends(text, one, other)) for text in references]
        for is_one, said, words in _ends(after, one, other):
            gain = fmean(
                max((alike(words, there) for end, _, there in ends if end != is_one), default=0.0)
                - max((alike(words, there) for end, _, there in ends if end == is_one), default=0.0)
                for ends in were
            )
            if gain > _MARGIN:
                yield f"turned round: {said}"


_MARGIN, _NEAR, _FALL, _LEAST_WEIGHT = 0.2, 6, 0.3, 0.2
_ENOUGH = 4


def _ends(
    text: Text, one: re.Pattern[str], other: re.Pattern[str]
) -> Iterator[tuple[bool, str, list[tuple[float, Word]]]]:
    """Where an end of a scale is said: whether it is the first end, its words, and those near it."""
    for end in (one, other):
        for found in end.finditer(text.text):
            if not _is_less(text.text, found.start()):
                is_one = end is one
                yield is_one, found[0].lower(), _beside(text, text.span(found.start(), found.end()))


def _beside(text: Text, span: Span) -> list[tuple[float, Word]]:
    """The words of the sentence near a span, the nearer the heavier, without those of comparing."""
    sentence = next((one for one in text.sentences if one.first <= span.first < one.end), text.whole)
    found = []
    for place in range(max(sentence.first, span.first - _NEAR), min(sentence.end, span.end + _NEAR)):
        word = text.words[place]
        if span.first <= place < span.end or word.lower in (
            "most",
            "least",
            "less",
            "more",
            "than",
            "the",
            "of",
        ):
            continue
        away = span.first - place if place < span.first else place - span.end + 1
        found.append((max(word.weight, _LEAST_WEIGHT) / (1 + _FALL * away), word))
    return found


def _count(text: Text, end: re.Pattern[str], other: re.Pattern[str]) -> int:
    """How often one end of a scale is said: "cheap", and "least expensive", but not "not cheap"."""
    said = [_is_less(text.text, found.start()) for found in end.finditer(text.text)]
    denied = [_is_less(text.text, found.start()) for found in other.finditer(text.text)]
    return said.count(False) + denied.count(True)


def _is_less(text: str, place: int) -> bool:
    return _LESS.search(text[max(0, place - 12) : place]) is not None


_LESS = re.compile(r"\b(?:less|least|not|no|never)\s+(?:\w{1,3}\s+)?$", re.IGNORECASE)


def _bounds(text: Text) -> dict[str, set[bool]]:
    """For each number that is a bound: whether it is one from above."""
    upper, lower = word_list("upper"), word_list("lower")
    found: dict[str, set[bool]] = {}
    for at, word in enumerate(text.words):
        if not word.lower[0].isdigit():
            continue
        for place in (at - 1, at + 1, at - 2, at + 2, at - 3, at - 4):
            if not 0 <= place < len(text.words):
                continue
            near = text.words[place].lower
            low, high = sorted((word.start, text.words[place].start))
            if re.search(r"[,;.:()](?:\s|$)", text.text[low:high]):
                continue
            following = text.words[place + 1].lower if place + 1 < len(text.words) else ""
            if near in _PREPOSITIONS and (place > at or following in ("in", "at", "the")):
                continue
            is_upper = near in upper or (near == "up" and place + 1 < at and following == "to")
            if is_upper or near in lower:
                found.setdefault(word.lower, set()).add(is_upper != _is_denied(text, place, at))
                break
    return found


_PREPOSITIONS = frozenset("over under above below beyond before after until till within only".split())


def _is_denied(text: Text, place: int, number: int) -> bool:
    """Whether a bound is negated: "nothing before 11", "before 11 you do not"."""
    sentence = next((one for one in text.sentences if one.first <= place < one.end), text.whole)
    if place == sentence.first:
        return any(map(is_plain, text.words[number : min(sentence.end, number + 7)]))
    return any(map(is_plain, text.words[max(sentence.first, place - 9) : place]))


def ranked(references: Sequence[Text], after: Text) -> Iterator[str]:
    """What the references rank first, the wording ranks second."""
    were = [pair for text in references for pair in _ranks(text)]
    for first, second in _ranks(after):
        turned = any(_has(better, second) and _has(worse, first) for better, worse in were)
        if turned and not any(_has(better, first) and _has(worse, second) for better, worse in were):
            yield f"ranked the other way: {first[0].lower}, {second[0].lower}"


def _has(words: Sequence[Word], others: Sequence[Word]) -> bool:
    return any(same(one, other) for one in words for other in others)


def _ranks(text: Text) -> list[tuple[list[Word], list[Word]]]:
    """The words before and after such as "rather than"; "less than" ranks what stands after it first."""
    found = []
    for match in pattern("rank").finditer(text.text):
        (at, end) = text.span(match.start(), match.end())
        compares = pattern("compares").fullmatch(match[0]) is not None
        if compares and not any(_is_preference(word) for word in text.words[max(0, at - 6) : at]):
            continue
        near = [word for word in text.words[max(0, at - 3 - compares) : at] if word.weight > 0.2]
        before = [word for word in near if not _is_preference(word)][-2:]
        after = [word for word in text.words[end : end + 3] if word.weight > 0.2][:2]
        if before and after:
            is_less = match[0].lower().startswith("less")
            found.append((after, before[::-1]) if is_less else (before[::-1], after))
    return found


def _is_preference(word: Word) -> bool:
    return word.lemma.startswith("prefer")


# ---- conditions


def turned_conditions(references: Sequence[Text], after: Text) -> Iterator[str]:
    """Conditions of the wording that are negated where those of the scenario are not."""
    before = references[0]
    others = _clauses(before, "any_condition")
    for clause in _clauses(after, "condition_clause"):
        shares = {case: _clause_share(after, clause, before, case) for case in others}
        best = max(shares.values(), default=0.0)
        like = [case for case, share in shares.items() if share >= best - 0.3]
        sure = any(_clause_share(before, case, after, clause) >= 0.7 for case in like)
        is_unless = after.of(clause)[0].lower == "unless"
        if (
            not sure
            or best < 0.75
            or len(_boosted(after, clause)) < 2 - is_unless
            or "only" in _only_near(after, clause)
        ):
            continue
        turns = _turns(after, clause)
        if not any(
            "only" in _only_near(before, one) or _agree(turns, _turns(before, one), is_unless) for one in like
        ):
            yield f"condition turned round: {after.short(clause)}"


def _agree(one: int, other: int, is_unless: bool) -> bool:
    """Whether two conditions are negated alike: both an odd number of times, or both at all."""
    return one % 2 == other % 2 or (bool(one) == bool(other) and not is_unless)


def _only_near(text: Text, clause: Span) -> str:
    return " ".join(word.lower for word in text.words[max(0, clause.first - 12) : clause.end + 2])


def _clauses(text: Text, name: str) -> list[Span]:
    """From the word of condition to the end of its clause."""
    found = []
    for match in pattern(name).finditer(text.text):
        end = pattern("clause_end").search(text.text, match.end() + 6)
        found.append(text.span(match.start(), len(text.text) if end is None else end.start()))
    return [one for one in found if one.end > one.first]


def _boosted(text: Text, span: Span) -> list[tuple[float, Word]]:
    """The words of a clause; light ones count more than elsewhere, since it has few."""
    return [
        (max(word.weight, 0.5), word)
        for word in text.of(span)[1:]
        if word.weight and word.lemma not in word_list("empty")
    ]


def _clause_share(one: Text, clause: Span, other: Text, span: Span) -> float:
    """The share of a clause's words that a span of the other text has."""
    words = _boosted(one, clause)
    total = sum(weight for weight, _ in words)
    if not total:
        return 0.0
    return (
        sum(w for w, word in words if any(span.first <= at < span.end for at in other.places(word))) / total
    )


def _turns(text: Text, clause: Span) -> int:
    return sum(
        is_plain(word) or word.lemma in word_list("turning") or bool(pattern("negative").match(word.lower))
        for word in text.of(clause)
    )
