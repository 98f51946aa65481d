"""A scenario of tau-bench and a wording of it → what the wording lost, changed or added.

Facts (ids, addresses, numbers, names) must be the same in both, and stand among the same words. Each sentence
of the scenario must be told by some stretch of the wording, with its negations; each of its conditions by one
of the wording's; and each sentence of the wording must be grounded in some stretch of the scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from otherwords.benchmarks.compared_texts import (
    Span,
    Text,
    Word,
    all_words,
    digits,
    ids,
    is_plain,
    may_negate,
    names,
    numbers,
    pattern,
    same,
    scenario_text,
    word_list,
)
from otherwords.english.lexicon import read_lexicon

_TOLD, _GROUNDED, _AS_GOOD, _HARDLY_LESS = 0.32, 0.2, 0.15, 0.08
_LOST_AT_MOST = 6.0


def validate(scenario: str, wording: str) -> list[str]:
    """What a wording of a tau-bench scenario lost, changed or added.

    Args:
        scenario: The scenario, as tau2 has it.
        wording: The same in other words.

    Returns:
        The problems, each in a few words; none where all facts are kept.

    Example:
        >>> validate("You are Emma Kim. Cancel EHGLP3.", "Emma Kim, who cancels EHGLP4.")
        ['id lost: EHGLP3', 'id added: EHGLP4']
    """
    before, after = Text(scenario_text(scenario)), Text(wording)
    checks = (_facts, _exchanged, _told, _conditions, _turned, _ranked, _grounded)
    return [problem for check in checks for problem in check(before, after)]


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

_NEAR, _MARGIN = 6, 0.45


def _exchanged(before: Text, after: Text) -> Iterator[str]:
    """Two facts that stand where the other one stood."""
    for kind in (ids, digits, names):
        shared = sorted(one for one in kind(before) if re.search(rf"(?i)\b{re.escape(one)}\b", after.text))
        around = {one: (_around(before, one), _around(after, one)) for one in shared}
        for one, other in combinations(shared, 2):
            if _reversed(before, after, one, other) or _reversed(before, after, other, one):
                yield f"exchanged: {one} and {other}"
                continue
            (one_was, one_is), (other_was, other_is) = around[one], around[other]
            straight = _alike(one_was, one_is) + _alike(other_was, other_is)
            crossed = _alike(one_was, other_is) + _alike(other_was, one_is)
            if crossed > straight + _MARGIN:
                yield f"exchanged: {one} and {other}"


def _reversed(before: Text, after: Text, one: str, other: str) -> bool:
    """Whether one came right before the other, and now comes right after it."""
    return _follows(before, one, other) and _follows(after, other, one) and not _follows(after, one, other)


def _follows(text: Text, one: str, other: str) -> bool:
    gap = r"(?:[\s,]+|\s+to\s+)" if f"{one}{other}".upper() in text.text.replace(" to ", "") else r"[\s,]+"
    return re.search(rf"(?i)\b{re.escape(one)}{gap}{re.escape(other)}\b", text.text) is not None


def _around(text: Text, fact: str) -> list[tuple[float, Word]]:
    """The words near a fact, the nearer the heavier."""
    found = []
    for match in re.finditer(rf"(?i)(?<!\w){re.escape(fact)}(?!\w)", text.text):
        (at, _) = text.span(match.start(), match.end())
        sentence = next(
            (one for one in text.sentences if one.first <= at < one.end), Span(0, len(text.words))
        )
        for place in range(max(sentence.first, at - _NEAR), min(sentence.end, at + _NEAR + 1)):
            word = text.words[place]
            side = word.lower in ("from", "to") and place == at - 1
            if place != at and (word.weight or side):
                found.append(((1.5 if side else max(word.weight, 0.5)) / (1 + abs(place - at) / 2), word))
    return found


def _alike(one: Sequence[tuple[float, Word]], other: Sequence[tuple[float, Word]]) -> float:
    """The share of the words around one place that are around another."""
    total = sum(weight for weight, _ in one)
    if not total:
        return 0.0
    return (
        sum(weight * max((w for w, o in other if same(word, o)), default=0.0) for weight, word in one) / total
    )


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


# ---- conditions


_CLAUSE, _CLAUSE_IF_WEAK = 0.35, 0.5


def _conditions(before: Text, after: Text) -> Iterator[str]:
    """Each condition of the scenario has one in the wording that tells it, and that is negated as it is."""
    cases = [
        one
        for one in _clauses(before, "condition")
        if sum(weight for weight, _ in _boosted(before, one)) > 1.0
    ]
    signs = _signs(after)
    told = {
        number: [
            at
            for at, (least, near) in enumerate(signs)
            if any(_share(before, case, after, one) >= least for one in near)
        ]
        for number, case in enumerate(cases)
    }
    taken: dict[int, int] = {}
    for number, case in enumerate(cases):
        if not _take(number, told, taken, set()):
            yield f"condition lost: {before.short(case)}"
    others = _clauses(before, "any_condition")
    for clause in _clauses(after, "condition_clause"):
        shares = {case: _share(after, clause, before, case) for case in others}
        best = max(shares.values(), default=0.0)
        alike = [case for case, share in shares.items() if share >= best - 0.3]
        sure = any(_share(before, case, after, clause) >= 0.7 for case in alike)
        is_unless = after.of(clause)[0].lower == "unless"
        if (
            not sure
            or best < 0.75
            or len(_boosted(after, clause)) < 2 - is_unless
            or "only" in _only_near(after, clause)
        ):
            continue
        turned = _turns(after, clause)
        if not any(
            "only" in _only_near(before, one) or _agree(turned, _turns(before, one), is_unless)
            for one in alike
        ):
            yield f"condition turned round: {after.short(clause)}"


def _agree(one: int, other: int, is_unless: bool) -> bool:
    """Whether two conditions are negated alike: both an odd number of times, or both at all."""
    return one % 2 == other % 2 or (bool(one) == bool(other) and not is_unless)


def _only_near(text: Text, clause: Span) -> str:
    return " ".join(word.lower for word in text.words[max(0, clause.first - 12) : clause.end + 2])


def _take(case: int, told: dict[int, list[int]], taken: dict[int, int], seen: set[int]) -> bool:
    """Find a sign for the case that no other case needs."""
    for sign in told[case]:
        if sign not in seen:
            seen.add(sign)
            if sign not in taken or _take(taken[sign], told, taken, seen):
                taken[sign] = case
                return True
    return False


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


def _share(one: Text, clause: Span, other: Text, span: Span) -> float:
    """The share of a clause's words that a span of the other text has."""
    words = _boosted(one, clause)
    total = sum(weight for weight, _ in words)
    if not total:
        return 0.0
    return (
        sum(w for w, word in words if any(span.first <= at < span.end for at in other.places(word))) / total
    )


def _signs(text: Text) -> list[tuple[float, list[Span]]]:
    """Where the wording tells a condition: its sentence, with the next ones, and the share they must tell."""
    yours = sum(word.lower in ("you", "your", "yourself") for word in text.words)
    note = "sign_of_note" if yours < len(text.words) * 0.06 else "sign_before_colon"
    last = len(text.sentences) - 1
    found = []
    for name, least in (("sign", _CLAUSE), ("weak_sign", _CLAUSE_IF_WEAK), (note, _CLAUSE_IF_WEAK)):
        for match in pattern(name).finditer(text.text):
            place = match.end() - 1
            at = max(
                (n for n, one in enumerate(text.sentences) if text.words[one.first].start <= place), default=0
            )
            pairs = ((at, at), (max(0, at - 1), at), (at, min(last, at + 1)))
            found.append((least, [Span(text.sentences[a].first, text.sentences[b].end) for a, b in pairs]))
    return found


def _turns(text: Text, clause: Span) -> int:
    return sum(
        is_plain(word) or word.lemma in word_list("turning") or bool(pattern("negative").match(word.lower))
        for word in text.of(clause)
    )


# ---- opposites and ranks


@cache
def _poles() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    scales = read_lexicon("scenarios")["scales"]
    return tuple((frozenset(one.split()), frozenset(other.split())) for one, other in scales)


def _turned(before: Text, after: Text) -> Iterator[str]:
    """A word became its opposite, or a bound of a number: "less than $100" is "more than $100"."""
    for one, other in _poles():
        for old, new in ((one, other), (other, one)):
            lost = _count(before, old) - _count(after, old)
            if lost > 0 and _count(after, new) > _count(before, new):
                yield f"turned round: {' or '.join(sorted(old & {word.lower for word in before.words}))}"
    was, now = _bounds(before), _bounds(after)
    for number in sorted(was.keys() & now.keys()):
        if not was[number] & now[number]:
            yield f"bound turned round: {number}"


def _count(text: Text, forms: frozenset[str]) -> int:
    """How often one of the words is there, and is not denied."""
    return sum(
        word.lower in forms
        and not any(near.lower in _LESS or is_plain(near) for near in text.words[max(0, at - 2) : at])
        for at, word in enumerate(text.words)
    )


_LESS = ("less", "least", "not", "no")


def _bounds(text: Text) -> dict[str, set[bool]]:
    """For each number that is a bound: whether it is one from above."""
    upper, lower = word_list("upper"), word_list("lower")
    found: dict[str, set[bool]] = {}
    for at, word in enumerate(text.words):
        if not word.lower[0].isdigit() or text.text[word.start - 1 : word.start] != "$":
            continue
        for near in [*text.words[max(0, at - 3) : at][::-1], *text.words[at + 1 : at + 3]]:
            if near.lower in upper or near.lower in lower:
                place = text.words.index(near)
                turned = any(is_plain(one) for one in text.words[max(0, place - 5) : place])
                found.setdefault(word.lower, set()).add((near.lower in upper) != turned)
                break
    return found


def _ranked(before: Text, after: Text) -> Iterator[str]:
    """What the scenario ranks first, the wording ranks second."""
    now = _ranks(after)
    for better, worse in _ranks(before):
        for first, second in now:
            turned = _has(better, second) and _has(worse, first)
            if turned and not any(_has(better, x) and _has(worse, y) for x, y in now):
                yield f"ranked the other way: {better[0].lower}, {worse[0].lower}"


def _has(words: Sequence[Word], others: Sequence[Word]) -> bool:
    return any(same(one, other) for one in words for other in others)


def _ranks(text: Text) -> list[tuple[list[Word], list[Word]]]:
    """The words before and after such as "rather than"."""
    found = []
    for match in pattern("rank").finditer(text.text):
        (at, end) = text.span(match.start(), match.end())
        before = [word for word in text.words[max(0, at - 3) : at] if word.weight > 0.2][-2:]
        after = [word for word in text.words[end : end + 3] if word.weight > 0.2][:2]
        if before and after:
            found.append((before[::-1], after))
    return found
