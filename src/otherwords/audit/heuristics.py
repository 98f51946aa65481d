"""Each heuristic looks at the options and gives the reason codes that it finds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from otherwords.audit.normalise import folded, in_singular, jaccard, normalise, parts, singular
from otherwords.audit.settings import AuditSettings

Heuristic = Callable[[Sequence[str], AuditSettings], Iterable[str]]

_LIST = r"[a-h1-8](?: [a-h1-8])*(?: and| or| nor) [a-h1-8]"
_THEM = r"(?:the )?(?:above|these|those|options|choices|answers|following)"
_RIGHT = r"(?: (?:is|are) (?:all )?(?:true|correct|right))?"
_META = {
    "all_of_the_above": rf"(?:all|any)(?: of)? {_THEM}{_RIGHT}|all(?: are)? (?:true|correct|right)",
    "none_of_the_above": rf"(?:none|neither)(?: of)? {_THEM}{_RIGHT}"
    r"|none(?: is| are)? (?:true|correct|right)|neither",
    "both_options": rf"(?:only |both |neither |either )?(?:options? |choices? )?{_LIST}(?: only)?{_RIGHT}"
    rf"|both(?: of)?(?: {_THEM})?{_RIGHT}|(?:two|more than one|some) of {_THEM}{_RIGHT}",
    "dont_know": r"(?:i )?(?:dont|do not) know|(?:i am |im )?(?:not sure|unsure)|unknown"
    r"|(?:i have )?no idea",
    "cannot_be_determined": r"(?:it )?(?:cannot|cant|can not) be (?:determined|known|told|answered|inferred)"
    r"|(?:cannot|cant|can not) (?:tell|say|determine|answer)"
    r"|(?:there is )?(?:not enough|insufficient) (?:information|data)(?: given| provided)?",
    "other": r"(?:an)?other(?: answer| option)?|something else",
}
_IS_META = {name: re.compile(rf"(?:{pattern})\Z") for name, pattern in _META.items()}
_BOOLEAN = frozenset({"yes", "no", "true", "false", "maybe"})

_LITTLE = frozenset({"a", "an", "the", "do", "does", "did"})
_NEGATIONS = frozenset({"not", "no", "never", "none", "without", "nor"})
_CONTRACTED = {
    "cannot": "can", "cant": "can", "dont": "do", "doesnt": "does", "didnt": "did", "isnt": "is",
    "arent": "are", "wasnt": "was", "werent": "were", "wont": "will", "wouldnt": "would", "couldnt": "could",
    "shouldnt": "should", "hasnt": "has", "havent": "have", "hadnt": "had",
}  # fmt: skip
_ANTONYM_PAIRS = """
    increase/decrease increased/decreased increasing/decreasing higher/lower high/low highest/lowest more/less
    most/least rise/fall rising/falling always/never all/none maximum/minimum before/after inside/outside
    above/below positive/negative true/false hot/cold acidic/basic acid/base gain/lose gain/loss gained/lost
    expand/contract open/closed present/absent active/inactive safe/dangerous safe/unsafe possible/impossible
    legal/illegal stable/unstable early/late earlier/later strong/weak stronger/weaker fast/slow faster/slower
    large/small larger/smaller up/down upward/downward true/untrue toxic/nontoxic
    necessary/unnecessary soluble/insoluble visible/invisible allowed/forbidden legal/forbidden
"""
_ANTONYMS = frozenset(
    frozenset(singular(word) for word in pair.split("/")) for pair in _ANTONYM_PAIRS.split()
)
_MINUS = str.maketrans("\u2212", "-")
_NUMBER = re.compile(
    r"(?:([$€£¥])\s*)?([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)"
    r"(?:e([-+]?\d{1,3})|\s*[×x*]\s*10\s*\^?\s*([-+]?\d{1,3}))?\s*(\D{0,40})\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|2100")


def meta_options(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    for choice in choices:
        text = normalise(choice.replace("&", " and "))
        for name, pattern in _IS_META.items():
            if pattern.match(text):
                yield f"meta_option:{name}"


def duplicates(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    texts = [folded(choice) for choice in choices]
    if any(not text for text in texts):
        yield "empty_option"
    if len(set(texts)) < len(texts):
        yield "duplicate_options"


def near_duplicates(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """The same words but for a few. In another order, or with other numbers, they say something else."""
    different = {folded(choice): in_singular(choice) for choice in choices}
    for one, other in _pairs(list(different.values()), settings):
        words, others = frozenset(one), frozenset(other)
        if jaccard(words, others) < settings.near_duplicate:
            continue
        shared = words & others
        in_order = [word for word in one if word in shared] == [word for word in other if word in shared]
        if in_order and all(word[0].isalpha() for word in words ^ others):
            yield "near_duplicate_options"
            return


def contradictions(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """Two options that differ in a negation, or in one word and its opposite, and in nothing else."""
    read = [_reading(choice) for choice in choices if normalise(choice) not in _BOOLEAN]
    for (one, one_negated), (other, other_negated) in _pairs(read, settings):
        if one_negated == other_negated:
            if one ^ other in _ANTONYMS:
                yield "contradictory_options:antonym"
        elif one and one == other:
            yield "contradictory_options:negation"


@lru_cache(maxsize=65536)
def _reading(choice: str) -> tuple[frozenset[str], bool]:
    """What the option says without articles and negations, and whether it is negated."""
    words = parts(choice)
    negated = any(word in _NEGATIONS or word in _CONTRACTED for word in words)
    said = (_CONTRACTED.get(word, word) for word in words if word not in _NEGATIONS)
    return frozenset(singular(word) for word in said if word not in _LITTLE), negated


def crowded_numbers(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """Numbers of one unit whose neighbours can hardly be told apart; `0.1` and `0.10` are the same."""
    by_unit: dict[str, dict[str, float]] = defaultdict(dict)
    only_years = not settings.years_crowd
    for choice in choices:
        text = choice.strip().translate(_MINUS)
        found = _NUMBER.match(text)
        if found:
            sign, number, exponent, power, unit = found.groups()
            value = float(f"{number.replace(',', '')}e{exponent or power or 0}")
            by_unit[(sign or "") + unit.strip().casefold()][folded(choice)] = value
            only_years = only_years and bool(_YEAR.fullmatch(text))
    if only_years:
        return
    for values in by_unit.values():
        limit = _crowding_limit(len(values), settings)
        ordered = sorted(values.values())
        if len(set(ordered)) < len(ordered):
            yield "duplicate_options"
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


def too_many(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    if len(choices) > settings.most_options:
        yield "too_many_options"


def _pairs(things: Sequence[tuple], settings: AuditSettings) -> Iterable[tuple]:  # type: ignore[type-arg]
    return combinations(things, 2) if len(things) <= settings.most_options else ()


HEURISTICS: tuple[Heuristic, ...] = (
    meta_options,
    duplicates,
    near_duplicates,
    contradictions,
    crowded_numbers,
    boolean_like,
    too_many,
)
