"""Rules on option texts with thresholds (`AuditSettings`) → `Decision`: an item's label and reason codes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from otherwords.core.contract import AMBIGUOUS, CLEAN, UNANSWERABLE, AuditLabel
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import Item
from otherwords.english import normalize as english
from otherwords.english.lexicon import word_set
from otherwords.english.normalize import (
    are_antonyms,
    jaccard,
    singular_tokens,
    token_text,
    without_negation,
    words_only,
)

REASONS: Final[dict[str, str]] = {
    "answer_not_an_option": "the answer that is given as right is none of the options",
    "fewer_than_two_options": "fewer than two different options are left to choose from",
    "right_answer_twice": "another option says the same as the right one",
    "duplicate_options": "two options say the same",
    "near_duplicate_options": "two options share nearly all their words",
    "empty_option": "an option is empty",
    "contradictory_options:negation": "two options differ only in a negation",
    "contradictory_options:antonym": "two options differ only in a word and its opposite",
    "crowded_numbers": "two numbers can hardly be told apart",
    "boolean_like": "an option says only yes, no, true, false or maybe",
    "meta_option:all_of_the_above": "an option is about the others: all of them",
    "meta_option:none_of_the_above": "an option is about the others: none of them",
    "meta_option:both_options": "an option is about the others: some of them",
    "meta_option:dont_know": "an option says that one does not know",
    "meta_option:cannot_be_determined": "an option says that it cannot be known",
    "meta_option:other": "an option stands for whatever is not listed",
    "too_many_options": "more options than are compared with one another",
    "critic:ambiguous": "the model critic says ambiguous",
    "critic:unanswerable": "the model critic says unanswerable",
    "critic:no_verdict": "the model critic's reply has no verdict that can be read",
}
"""The worst first."""

UNANSWERABLE_REASONS: Final = frozenset(
    {"answer_not_an_option", "fewer_than_two_options", "critic:unanswerable"}
)


def reason_family(code: str) -> str:
    """The code without its detail: `meta_option:other` → `meta_option`."""
    return code.partition(":")[0]


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Thresholds of the audit's rules."""

    near_duplicate: float = 0.9
    """Jaccard similarity of two options' words from which they count as nearly the same."""
    crowding: float = 0.01
    """With four or more numbers: relative distance of neighbours up to which they are crowded."""
    crowding_of_three: float = 0.0015
    """The same with exactly three numbers."""
    crowding_of_three_strict: float = 0.002
    strict: bool = False
    """Use `crowding_of_three_strict`."""
    years_crowd: bool = False
    """Whether years (whole numbers from 1500 to 2100 without a unit) may be crowded too."""
    boolean_tokens: int = 2
    """An option with more words than this is not read as yes, no, true, false or maybe."""
    most_options: int = 100
    """Options of an item beyond which they are not compared with one another."""
    near_duplicate_items: float = 0.9
    """Jaccard similarity of two items' words (question and options) from which they are nearly the same."""
    significance: float = 0.05
    """Of the test that the right answers stand at every place equally often."""
    ignore: tuple[str, ...] = ()
    """Reason codes, whole or without what follows the colon, that do not count."""

    def __post_init__(self) -> None:
        for name in ("near_duplicate", "near_duplicate_items"):
            _require(0 < getattr(self, name) <= 1, name, "above 0 and at most 1", getattr(self, name))
        for name in ("crowding", "crowding_of_three", "crowding_of_three_strict"):
            _require(0 <= getattr(self, name) < 1, name, "from 0 to below 1", getattr(self, name))
        _require(0 < self.significance < 1, "significance", "between 0 and 1", self.significance)
        for name in ("boolean_tokens", "most_options"):
            _require(getattr(self, name) >= 1, name, "1 or more", getattr(self, name))
        known = {*REASONS, *map(reason_family, REASONS)}
        for code in self.ignore:
            if code not in known:
                raise UnknownNameError("reason", code, known)

    def counts(self, code: str) -> bool:
        """Whether the reason is not ignored."""
        return code not in self.ignore and reason_family(code) not in self.ignore


def _require(holds: bool, name: str, wanted: str, got: float) -> None:
    if not holds:
        raise InputError(f"{name} must be {wanted}, got {got:g}")


_DEFAULT = AuditSettings()


@dataclass(frozen=True, slots=True)
class Decision:
    """The label of one item, and why."""

    id: str
    label: AuditLabel
    reasons: tuple[str, ...]

    def with_reason(self, code: str) -> Decision:
        reasons = tuple(dict.fromkeys((*self.reasons, code)))
        return replace(self, label=label_for(reasons), reasons=reasons)


def label_for(reasons: Iterable[str]) -> AuditLabel:
    """Unanswerable: nobody could be right. Ambiguous: any other reason was found."""
    found = set(reasons)
    return UNANSWERABLE if found & UNANSWERABLE_REASONS else AMBIGUOUS if found else CLEAN


def audit_choices(
    choices: Sequence[str],
    settings: AuditSettings | None = None,
    *,
    id: str = "",
    target: int | tuple[str, ...] = (),
) -> Decision:
    """Label one item by its options.

    Args:
        choices: The texts of the options.
        settings: Thresholds; the usual ones by default.
        id: The item's id, for the decision and for errors.
        target: The index of the right option, or what is given as right though it is none of them.

    Returns:
        The label and the reason codes.

    Raises:
        InputError: There are no choices, or they are not texts.

    Examples:
        >>> from otherwords.audit import audit_choices
        >>> audit_choices(["Paris", "London", "All of the above"]).reasons
        ('meta_option:all_of_the_above',)
    """
    if isinstance(choices, str) or not all(isinstance(choice, str) for choice in choices):
        raise InputError("choices must be a list of texts", item=id or None)
    if not choices:
        raise InputError("has no choices to audit", item=id or None)
    settings = settings or _DEFAULT
    found = [code for rule in RULES for code in rule(choices, settings)]
    texts = [token_text(choice) for choice in choices]
    if len({text for text in texts if text}) < 2:
        found.append("fewer_than_two_options")
    if isinstance(target, int):
        if not 0 <= target < len(choices):
            found.append("answer_not_an_option")
        elif texts.count(texts[target]) > 1:
            found.append("right_answer_twice")
    elif target:
        found.append("answer_not_an_option")
    reasons = tuple(dict.fromkeys(code for code in found if settings.counts(code)))
    return Decision(id, label_for(reasons), reasons)


def audit_items(items: Iterable[Item], settings: AuditSettings | None = None) -> list[Decision]:
    """One decision for each item that has choices; the others have nothing to audit."""
    return [
        audit_choices(item.choices, settings, id=item.id, target=item.target)
        for item in items
        if item.choices
    ]


# ---- the rules: each gives the reason codes that it finds in the options


def meta_options(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    for choice in choices:
        for name in english.meta_options(choice):
            yield f"meta_option:{name}"


def duplicates(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    texts = [token_text(choice) for choice in choices]
    if any(not text for text in texts):
        yield "empty_option"
    if len(set(texts)) < len(texts):
        yield "duplicate_options"


def near_duplicates(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """The same words but for a few. In another order, or with other numbers, they say something else."""
    different = {token_text(choice): singular_tokens(choice) for choice in choices}
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
    boolean = word_set("answer_options", "boolean")
    read = [without_negation(choice) for choice in choices if words_only(choice) not in boolean]
    for (one, one_negated), (other, other_negated) in _pairs(read, settings):
        if one_negated == other_negated:
            if are_antonyms(one ^ other):
                yield "contradictory_options:antonym"
        elif one and one == other:
            yield "contradictory_options:negation"


_MINUS = str.maketrans("\u2212", "-")
# A currency sign, digits (with or without thousands separators and decimals), a power of ten as e3 or × 10^3,
# and up to forty characters of a unit without digits.
_NUMBER = re.compile(
    r"(?:([$€£¥])\s*)?([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)"
    r"(?:e([-+]?\d{1,3})|\s*[×x*]\s*10\s*\^?\s*([-+]?\d{1,3}))?\s*(\D{0,40})\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|2100")


class Quantity(NamedTuple):
    """A number and its unit, which may be empty or a currency sign."""

    value: float
    unit: str
    is_year: bool
    """A whole number from 1500 to 2100 with nothing beside it."""


def read_quantity(text: str) -> Quantity | None:
    """The quantity that is the whole of `text`, or None.

    Examples:
        >>> read_quantity("5.5 × 10^3 km")
        Quantity(value=5500.0, unit='km', is_year=False)
    """
    plain = text.strip().translate(_MINUS)
    found = _NUMBER.match(plain)
    if found is None:
        return None
    sign, number, exponent, power, unit = found.groups()
    value = float(f"{number.replace(',', '')}e{exponent or power or 0}")
    return Quantity(value, (sign or "") + unit.strip().casefold(), bool(_YEAR.fullmatch(plain)))


def crowded_numbers(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    """Numbers of one unit whose neighbours can hardly be told apart; `0.1` and `0.10` are the same."""
    by_unit: dict[str, dict[str, float]] = defaultdict(dict)
    only_years = not settings.years_crowd
    for choice in choices:
        quantity = read_quantity(choice)
        if quantity is not None:
            by_unit[quantity.unit][token_text(choice)] = quantity.value
            only_years = only_years and quantity.is_year
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
    boolean = word_set("answer_options", "boolean")
    for choice in choices:
        words = words_only(choice).split()
        if words and len(words) <= settings.boolean_tokens and boolean.issuperset(words):
            yield "boolean_like"


def too_many(choices: Sequence[str], settings: AuditSettings) -> Iterator[str]:
    if len(choices) > settings.most_options:
        yield "too_many_options"


def _pairs(things: Sequence[tuple], settings: AuditSettings) -> Iterable[tuple]:  # type: ignore[type-arg]
    return combinations(things, 2) if len(things) <= settings.most_options else ()


Rule = Callable[[Sequence[str], AuditSettings], Iterable[str]]
RULES: tuple[Rule, ...] = (
    meta_options,
    duplicates,
    near_duplicates,
    contradictions,
    crowded_numbers,
    boolean_like,
    too_many,
)
