"""`validate`: a tau-bench scenario and a wording of it → what the wording lost, changed or added.

Facts (ids, addresses, numbers, names) must be the same in both, and stand among the same words. Each sentence
of the scenario must be told by some stretch of the wording, with its negations; each of its conditions by one
of the wording's; and each sentence of the wording must be grounded in some stretch of the scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from otherwords.benchmarks.compared_texts import (
    Span,
    Text,
    Word,
    alike,
    all_words,
    any_ids,
    digits,
    directed,
    ids,
    may_negate,
    names,
    numbers,
    pattern,
    scenario_text,
    small_number,
    word_list,
)
from otherwords.benchmarks.conditions import conditions, unconditional
from otherwords.benchmarks.opposites import ranked, turned, turned_conditions, turned_in_place

_TOLD, _GROUNDED, _AS_GOOD, _HARDLY_LESS = 0.32, 0.2, 0.15, 0.08
_LOST_AT_MOST = 6.0


def validate(scenario: str, wording: str, siblings: Sequence[str] = ()) -> list[str]:
    """What a wording of a tau-bench scenario lost, changed or added.

    Args:
        scenario: The scenario, as tau2 has it.
        wording: The same in other words.
        siblings: Other wordings of the same scenario. They show how else its facts may be said, so that more
            is found; what all of them get wrong in the same way is not.

    Returns:
        The problems, each in a few words; none where all facts are kept.

    Example:
        >>> validate("You are Emma Kim. Cancel EHGLP3.", "Emma Kim, who cancels EHGLP4.")
        ['id lost: EHGLP3', 'id added: EHGLP4']
    """
    before, after = _read(scenario_text(scenario)), Text(wording)
    references = [before, *(_read(one) for one in siblings if one != wording)]
    checks = (_facts, _told, _grounded)
    compared = (
        *(_exchanged, _mislabelled, _new_words, _new_counts, _unlicensed, _lost_words),
        *(conditions, unconditional),
        *(turned_conditions, turned, turned_in_place, ranked, _redirected),
    )
    return [
        *(problem for check in checks for problem in check(before, after)),
        *(problem for other in compared for problem in other(references, after)),
    ]


_read = lru_cache(maxsize=64)(Text)


# ---- facts


def _facts(before: Text, after: Text) -> Iterator[str]:
    for what, lost, added in (
        ("id", ids(before) - ids(after), ids(after) - ids(before)),
        ("number", numbers(before) - numbers(after, all_of_them=True), digits(after) - numbers(before)),
    ):
        yield from (f"{what} lost: {one}" for one in sorted(lost))
        yield from (f"{what} added: {one}" for one in sorted(added))
    yield from (
        f"name lost: {one}" for one in sorted(names(before)) if one.removesuffix("s") not in all_words(after)
    )
    yield from (
        f"name added: {one}" for one in sorted(names(after)) if one.removesuffix("s") not in all_words(before)
    )


# ---- facts among their words


class _Reach(NamedTuple):
    """How far from a fact its words are looked at, and how sure an exchange must be."""

    near: int
    fall: float
    least: float
    margin: float


_REACHES = (_Reach(3, 0.7, 0.5, 0.2), _Reach(8, 0.3, 0.3, 0.15))
_BEFORE = 1.3
"""How much more a word before a fact weighs than one after it."""


def _exchanged(references: Sequence[Text], after: Text) -> Iterator[str]:
    """Two facts that stand where the other one stood."""
    before = references[0]
    for kind in (any_ids, digits, names):
        shared = sorted(one for one in kind(before) if re.search(rf"(?i)\b{re.escape(one)}\b", after.text))
        changed = {
            pair
            for pair in combinations(shared, 2)
            if _reversed(before, after, *pair) or _reversed(before, after, *pair[::-1])
        }
        for reach in _REACHES:
            now = {one: _around(after, one, reach) for one in shared}
            were = [{one: _around(text, one, reach) for one in shared} for text in references]
            changed |= {
                (one, other)
                for one, other in combinations(shared, 2)
                if fmean(
                    alike(was[one], now[other])
                    + alike(was[other], now[one])
                    - alike(was[one], now[one])
                    - alike(was[other], now[other])
                    for was in were
                )
                > reach.margin
            }
        yield from (f"exchanged: {one} and {other}" for one, other in sorted(changed))
    yield from _strange_pairs(references, after)


def _strange_pairs(references: Sequence[Text], after: Text) -> Iterator[str]:
    """A name that is followed by another than in every reference: "Chen Johnson" became "Chen Houston"."""
    known = [_pairs(text) for text in references]
    for first, second in sorted(_pairs(after)):
        if not any((first, second) in pairs for pairs in known) and all(
            any(one == first for one, _ in pairs) or any(other == second for _, other in pairs)
            for pairs in known
        ):
            yield f"not together before: {first} {second}"


def _redirected(references: Sequence[Text], after: Text) -> Iterator[str]:
    """What went from one fact to another now goes the other way: "from Lee to Kim"."""
    now, were = directed(after), [directed(text) for text in references]
    for one, other in sorted(now):
        known = (other, one) in now or any((one, other) in pairs for pairs in were)
        if not known and sum((other, one) in pairs for pairs in were) > len(were) / 2:
            yield f"exchanged: {one} and {other}"


def _pairs(text: Text) -> frozenset[tuple[str, str]]:
    """Names that follow each other, with nothing but a space between them."""
    return frozenset((one.lower(), other.lower()) for one, other in _PAIR.findall(text.text))


_PAIR = re.compile(r"\b([A-Z][a-z]+) (?=([A-Z][a-z]+|\d{5})\b)")


def _reversed(before: Text, after: Text, one: str, other: str) -> bool:
    """Whether one came right before the other, and now comes right after it."""
    return _follows(before, one, other) and _follows(after, other, one) and not _follows(after, one, other)


def _follows(text: Text, one: str, other: str) -> bool:
    gap = r"(?:[\s,]+|\s+to\s+)" if f"{one}{other}".upper() in text.text.replace(" to ", "") else r"[\s,]+"
    return re.search(rf"(?i)\b{re.escape(one)}{gap}{re.escape(other)}\b", text.text) is not None


def _around(text: Text, fact: str, reach: _Reach) -> list[tuple[float, Word]]:
    """The words near a fact, the nearer the heavier."""
    found = []
    for match in re.finditer(rf"(?i)(?<!\w){re.escape(fact)}(?!\w)", text.text):
        (at, _) = text.span(match.start(), match.end())
        sentence = next((one for one in text.sentences if one.first <= at < one.end), text.whole)
        for place in range(max(sentence.first, at - reach.near), min(sentence.end, at + reach.near + 1)):
            if place != at:
                weight = max(text.words[place].weight, reach.least) * (_BEFORE if place < at else 1.0)
                found.append((weight / (1 + reach.fall * abs(place - at)), text.words[place]))
    return found


# ---- new words


def _new_words(references: Sequence[Text], after: Text) -> Iterator[str]:
    """Words that neither the scenario nor any other wording has, and that may be a fact."""
    if len(references) < _ENOUGH:
        return
    idle = [found.span() for found in pattern("idioms").finditer(after.text)]
    for word in after.words:
        if (
            word.weight > _LIGHT
            and not {word.lemma, word.lower} & word_list("harmless")
            and not any(start <= word.start < end for start, end in idle)
            and not any(text.places(word) for text in references)
        ):
            yield f"new: {word.lower}"


def _new_counts(references: Sequence[Text], after: Text) -> Iterator[str]:
    """Numbers in words that no reference has; those in digits are compared as facts.

    A text may number what it lists: "two points: ...", "(two) ...".
    """
    if len(references) < _ENOUGH:
        return
    known = frozenset[str]().union(*(numbers(text, all_of_them=True) for text in references))
    own = {found.start() for found in pattern("own_count").finditer(after.text)}
    said = dict.fromkeys(word.lower for word in after.words if word.start not in own)
    yield from (f"number added: {one}" for one in said if (value := small_number(one)) and value not in known)


def _unlicensed(references: Sequence[Text], after: Text) -> Iterator[str]:
    """A sentence whose words the references have in other sentences, or beside other words.

    Each two words that stand side by side, or with one between them, should be near each other in two of the
    references; and the sentence as a whole should be told by a sentence or two of each.
    """
    if len(references) < _ENOUGH:
        return
    for span in after.sentences:
        weighed = [(max(word.weight, _LEAST_LICENSED), word) for word in after.of(span) if word.weight]
        total = sum(weight for weight, _ in weighed)
        if total < _SAYS_LITTLE or after.said(span).rstrip().endswith(":"):
            continue
        together = _together(weighed, references)
        if together < _LICENSED and (
            together + fmean(_best_share(weighed, text) for text in references) < _LICENSED
        ):
            yield f"added: {after.short(span)}"


def _best_share(weighed: Sequence[tuple[float, Word]], text: Text) -> float:
    """The share of some words that the best one or two sentences of a text have."""
    places = [(weight, text.places(word)) for weight, word in weighed]
    return max(
        (
            sum(weight for weight, found in places if any(span.first <= at < span.end for at in found))
            for span in text.stretches[: 2 * len(text.sentences) - 1]
        ),
        default=0.0,
    ) / sum(weight for weight, _ in weighed)


def _together(weighed: Sequence[tuple[float, Word]], references: Sequence[Text]) -> float:
    """The share of neighbours that are near each other in references, half of it if in one only."""
    places = [[text.places(word) for _, word in weighed] for text in references]
    had = total = 0.0
    for one, other in ((at, at + step) for step in (1, 2) for at in range(len(weighed) - step)):
        (weight, word), (other_weight, other_word) = weighed[one], weighed[other]
        if word.lemma != other_word.lemma:
            count = sum(
                any(0 < abs(a - b) <= _TOGETHER for a in found[one] for b in found[other]) for found in places
            )
            total += weight * other_weight
            had += weight * other_weight * min(count, 2) / 2
    return had / total if total else 1.0


_LEAST_LICENSED, _SAYS_LITTLE, _LICENSED, _TOGETHER = 0.35, 2.5, 0.72, 8


def _lost_words(references: Sequence[Text], after: Text) -> Iterator[str]:
    """Words that the scenario and every other wording have."""
    before, *siblings = references
    if len(references) < _ENOUGH:
        return
    for word in dict.fromkeys(before.words):
        if (
            word.weight > _HEAVY
            and not {word.lemma, word.lower} & word_list("unsaid")
            and not after.places(word)
            and all(text.places(word) for text in siblings)
        ):
            yield f"lost: '{word.lower}'"


def _mislabelled(references: Sequence[Text], after: Text) -> Iterator[str]:
    """An id after a label that no reference gives to an id of its shape: "email emma_kim_9957"."""
    known = {pair for text in references for pair in _labels(text)}
    for label, shape in sorted(_labels(after) - known):
        if label not in shape and (label, shape) != ("confirmation", "number of a reservation"):
            yield f"wrong id: {label}, but {shape}"


_LABELLED = re.compile(
    r"(?i)\b(email|user|confirmation|reservation|order)\b(?: \w+| id is)?(?: is| number|:|,)? "
    r"(?:(\S+@\S+\w)|([a-z]+_[a-z]+_\d+)|(#?W\d+)|((?=\w*\d)[A-Z0-9]{6}))"
)


def _labels(text: Text) -> set[tuple[str, str]]:
    shapes = ("address of an email", "name of a user", "number of an order", "number of a reservation")
    return {
        (found[1].lower(), next(shape for shape, one in zip(shapes, found.groups()[1:], strict=True) if one))
        for found in _LABELLED.finditer(text.text)
    }


_ENOUGH, _LIGHT, _HEAVY = 4, 0.2, 0.5
"""References with fewer words would make too many of a wording's words new."""


# ---- sentences


def _covering(sentence: Sequence[Word], text: Text) -> tuple[float, list[Span]]:
    """How much of a sentence the best stretch of a text tells, and the stretches that tell about as much.

    Of these only the shortest are given: none has a part that tells about as much.
    """
    weighed = [(word.weight, text.places(word)) for word in sentence if word.weight]
    total = sum(weight for weight, _ in weighed)
    if not total:
        return 1.0, list(text.stretches)
    shares = {
        span: sum(weight for weight, places in weighed if any(span.first <= at < span.end for at in places))
        / total
        for span in text.stretches
    }
    best = max(shares.values(), default=0.0)
    good = [span for span, share in shares.items() if share >= best - _AS_GOOD]
    return best, [
        span
        for span in good
        if not any(
            other != span
            and span.first <= other.first
            and other.end <= span.end
            and shares[other] >= shares[span] - _HARDLY_LESS
            for other in good
        )
    ]


def _told(before: Text, after: Text) -> Iterator[str]:
    for span in before.sentences:
        words = before.of(span)
        best, good = _covering(words, after)
        weight = sum(word.weight for word in words)
        if weight > 1 and (best < _TOLD or weight * (1 - best) > _LOST_AT_MOST):
            yield f"lost: {before.short(span)}"
        elif _denial_missing(before, span, after, good):
            yield f"no longer negated: {before.short(span)}"


def _grounded(before: Text, after: Text) -> Iterator[str]:
    for span in after.sentences:
        words = after.of(span)
        best, good = _covering(words, before)
        weight = sum(word.weight for word in words)
        if weight > 2.2 and best < _GROUNDED:
            yield f"added: {after.short(span)}"
        elif _denial_missing(after, span, before, good):
            yield f"negated: {after.short(span)}"


def _denial_missing(text: Text, span: Span, other: Text, stretches: Sequence[Span]) -> bool:
    """Whether a part of one text denies, by grammar, what the other never denies, if only by "unless"."""
    denied = text.negations(span)
    if not denied or len(text.negations(text.whole)) <= len(other.negations(other.whole)):
        return False
    words = [word for at in denied if (word := text.denied_word(at, span.end)) is not None]
    places = [found for found in map(other.places, words) if found]
    if places:
        near = any(_denied_near(other, place) for found in places for place in found)
        return not near and not any(len(other.negations(one)) >= len(denied) for one in stretches)
    least = max(1, len(denied) - 1)
    return not any(sum(map(may_negate, other.of(other.wider(one)))) >= least for one in stretches)


def _denied_near(text: Text, place: int) -> bool:
    return any(may_negate(word) for word in text.words[max(0, place - 10) : place + 9])
