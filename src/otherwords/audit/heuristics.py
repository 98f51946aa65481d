"""Each heuristic looks at the options and gives the reason codes that it finds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from otherwords.audit.normalise import jaccard, normalise, tokens
from otherwords.audit.settings import AuditSettings

Heuristic = Callable[[Sequence[str], AuditSettings], Iterable[str]]

_META = {
    "all_of_the_above": re.compile(r"^all (of )?(the )?(above|these|options|choices)( are (true|correct))?$"),
    "none_of_the_above": re.compile(
        r"^none (of )?(the )?(above|these|options|choices)( are (true|correct)| is (true|correct))?$"
    ),
    "both_options": re.compile(
        r"^(both )?[a-h1-8] (and|or) [a-h1-8]( only)?$|^both( of (the above|these))?$"
    ),
    "dont_know": re.compile(r"^(i )?(dont|do not) know$|^(not|un)sure$|^unknown$|^no idea$"),
    "cannot_be_determined": re.compile(
        r"^(it )?(cannot|cant|can not) be (determined|known|told|answered)$"
        r"|^(not enough|insufficient) (information|data)$"
    ),
    "other": re.compile(r"^other( answer)?$"),
}
_BOOLEAN = frozenset({"yes", "no", "true", "false", "maybe"})
_NEGATIONS = frozenset(
    "not no never none cannot cant dont doesnt didnt isnt arent wasnt werent wont without nor".split()
)
_AUXILIARIES = frozenset({"do", "does", "did"})
_ANTONYM_PAIRS = """
    increase/decrease increased/decreased higher/lower high/low more/less rise/fall always/never
    all/none maximum/minimum before/after inside/outside above/below positive/negative true/false
    yes/no hot/cold acidic/basic acid/base gain/lose gained/lost expand/contract expands/contracts
    open/closed present/absent active/inactive safe/dangerous safe/unsafe possible/impossible
    legal/illegal stable/unstable early/late strong/weak stronger/weaker fast/slow faster/slower
    large/small larger/smaller left/right up/down
"""
_ANTONYMS = frozenset(frozenset(pair.split("/")) for pair in _ANTONYM_PAIRS.split())
_NUMBER = re.compile(
    r"^([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)(?:e([-+]?\d{1,3}))?\s*(\D*)$", re.IGNORECASE
)


def meta_options(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    for choice in choices:
        text = normalise(choice)
        for name, pattern in _META.items():
            if pattern.match(text):
                yield f"meta_option:{name}"


def duplicates(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    texts = [normalise(choice) or choice.strip() for choice in choices]
    if any(not text for text in texts):
        yield "empty_option"
    if len(set(texts)) < len(texts):
        yield "duplicate_options"


def near_duplicates(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    different = list(dict.fromkeys(normalise(choice) for choice in choices))
    pairs = combinations([tokens(text) for text in different], 2)
    if any(jaccard(one, other) >= settings.near_duplicate for one, other in pairs):
        yield "near_duplicate_options"


def contradictions(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """Two options that differ in a negation, or in one word and its opposite, and in nothing else."""
    sets = [frozenset(normalise(choice).split()) for choice in choices]
    for one, other in combinations(sets, 2):
        if len(one) < 2 or len(other) < 2:
            continue
        if frozenset(one ^ other) in _ANTONYMS:
            yield "contradictory_options:antonym"
        elif _is_negation(one, other) or _is_negation(other, one):
            yield "contradictory_options:negation"


def _is_negation(plain: frozenset[str], negated: frozenset[str]) -> bool:
    if not negated & _NEGATIONS or plain & _NEGATIONS:
        return False

    def stems(words: frozenset[str]) -> frozenset[str]:
        return frozenset(word.rstrip("s") for word in words - _NEGATIONS - _AUXILIARIES)

    return stems(plain) == stems(negated)


def crowded_numbers(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """Numbers of one unit whose neighbours can hardly be told apart."""
    by_unit: dict[str, list[float]] = defaultdict(list)
    for choice in choices:
        found = _NUMBER.match(choice.strip())
        if found:
            number, exponent, unit = found.groups()
            by_unit[unit.strip()].append(float(f"{number.replace(',', '')}e{exponent or 0}"))
    for values in by_unit.values():
        limit = _crowding_limit(len(values), settings)
        ordered = sorted(values)
        if any(0 < _distance(low, high) <= limit for low, high in pairwise(ordered)):
            yield "crowded_numbers"


def _crowding_limit(count: int, settings: AuditSettings) -> float:
    if count >= 4:
        return settings.crowding
    if count == 3:
        return settings.crowding_of_three_strict if settings.strict else settings.crowding_of_three
    return 0.0


def _distance(low: float, high: float) -> float:
    return abs(high - low) / max(abs(low), abs(high)) if low != high else 0.0


def boolean_like(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    for choice in choices:
        words = normalise(choice).split()
        if words and len(words) <= settings.boolean_tokens and _BOOLEAN.issuperset(words):
            yield "boolean_like"


HEURISTICS: tuple[Heuristic, ...] = (
    meta_options,
    duplicates,
    near_duplicates,
    contradictions,
    crowded_numbers,
    boolean_like,
)
