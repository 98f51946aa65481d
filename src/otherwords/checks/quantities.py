"""`numbers`, `units`, `bounds` and `counted`: numbers, their units, their limits and what they count stay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from typing import TypeVar

from otherwords.checks.base import flag, format_diff, invariant, sign
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon
from otherwords.english.quantities import Mention, Unit

T = TypeVar("T")
_MEASURES = 3
"""Words between a number and what it counts: "three short green books"."""


@invariant("numbers")
def numbers(pair: Pair) -> str | None:
    """No number, in digits or in words, became another; times of day are said in many ways.

    One that is only lost or only added may be said by other words, "right angle": `number_words` flags it.
    """
    lost, added = _changed_numbers(pair)
    both = (*pair.before.mentions, *pair.after.mentions)
    times_of_day = any(name in ("am", "pm") for one in both for name, _ in one.unit)
    alike = any(_may_be_same(one, other) for one in lost for other in added)
    return _diff(lost, added, _shown) if lost and added and not times_of_day and not alike else None


def _may_be_same(one: Fraction, other: Fraction) -> bool:
    """1986 and '86; "before 2020" and "by the end of 2019"; "1.2 to 1.5 million" and "1.2 million"."""
    neighbours = abs(one - other) == 1 and 1500 < min(one, other) < 2100
    scaled = bool(one and other) and max(one, other) / min(one, other) in (1_000, 1_000_000, 1_000_000_000)
    return one % 100 == other or other % 100 == one or neighbours or scaled


@sign("count_of_parts")
def count_of_parts(pair: Pair) -> str | None:
    """ "Two questions:" is new before them, or "the two" is gone; nothing else became another number."""
    return _diff(*_changed_numbers(pair), _shown) if is_count_of_parts(pair) else None


def is_count_of_parts(pair: Pair) -> bool:
    """Whether only a small number in words is new or gone, in a rewording that is no small edit."""
    lost, added = _changed_numbers(pair)
    side = pair.before if lost else pair.after
    spelled = {one.value for one in side.mentions if one.spelling == "word" and not one.unit}
    small = {Fraction(2), Fraction(3), Fraction(4)} & spelled
    return bool(lost) != bool(added) and lost | added <= small and pair.distance >= _FAR


_FAR = 0.4
"""Word edit distance from which a rewording may count what was only listed."""


@flag("number_words")
def number_words(pair: Pair) -> str | None:
    """No number is lost or added; a word with other uses, "second", may be lost, and becomes no other."""
    numbers_of = _changed_numbers(pair)
    if any(numbers_of) and not is_count_of_parts(pair):
        return _diff(*numbers_of, _shown)
    lost, added = _replaced(pair.before, pair.after), _replaced(pair.after, pair.before)
    return _diff(lost, added, _shown) if lost and added else None


def _replaced(here: Reading, there: Reading) -> set[Fraction]:
    """The numbers of `here`, in whatever words, that are in `there` neither so nor in another unit."""
    ours, others = _values(here), _values(there)
    return {one for one in ours - others if not any(_is_same(one, here, other, there) for other in others)}


def _values(reading: Reading) -> set[Fraction]:
    return {one.value for one in reading.mentions if one.value is not None}


def _diff(lost: Iterable[T], added: Iterable[T], shown: Callable[[T], str]) -> str | None:
    return format_diff(sorted(map(shown, lost)), sorted(map(shown, added)))


def _changed_numbers(pair: Pair) -> tuple[set[Fraction], set[Fraction]]:
    return _unmatched(pair.before, pair.after), _unmatched(pair.after, pair.before)


def _unmatched(here: Reading, there: Reading) -> set[Fraction]:
    """The numbers that say something by themselves in `here`, and are not in `there` in any way."""
    others = _values(there)
    firm = {one.value for one in here.mentions if one.value is not None and one.spelling != "vague"}
    return {one for one in firm - others if not _said_otherwise(one, here, there, others)}


def _said_otherwise(value: Fraction, here: Reading, there: Reading, others: Iterable[Fraction]) -> bool:
    """As a share or a century, in another unit, as a roman number, or as a word such as "both"."""
    if value == 1 or any(_is_same(value, here, one, there) for one in others):
        return True
    if value in (2, 3) and there.word_set & {"both", "either", "neither", "each", "pair", "couple"}:
        return True
    roman = _ROMAN.get(int(value)) if value.denominator == 1 else None
    return roman is not None and any(token.text == roman for token in (*there.tokens, *here.tokens))


_ROMAN = dict(enumerate("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split(), 1))


def _is_same(value: Fraction, here: Reading, other: Fraction, there: Reading) -> bool:
    """Whether both say one quantity: a share, a century, twice and half, in two units: 24 hours, one day."""
    shares = (100 * value, value / 100, 100 * (value - 1), value / 100 + 1)
    if value * other == 1 or (value and other and other in shares):
        return True
    if _is_clock(value, other, here, there) or _is_clock(other, value, there, here):
        return True
    ones = {_size(one) for one in here.mentions if one.value == value}
    return not ones.isdisjoint({_size(one) for one in there.mentions if one.value == other} - {None})


def _is_clock(value: Fraction, hour: Fraction, here: Reading, there: Reading) -> bool:
    """Whether a clock time in minutes is said by its hour: "7:30 pm", "half past seven"; or as "7.30"."""
    if hour.denominator > 1:
        return 60 * int(hour) + 100 * (hour % 1) == value and ":" in here.text
    if not 1 <= hour <= 12 or not (":" in here.text or {"am", "pm"} & (here.word_set | there.word_set)):
        return False
    past = (value - 60 * hour) % 720
    said = {0: True, 30: "half" in there.word_set, 15: "quarter" in there.word_set}
    return bool(said.get(int(past) if past <= 30 else 720 - int(past), False))


def _size(mention: Mention) -> tuple[str, Fraction] | None:
    if mention.value is None or len(mention.unit) != 1 or mention.unit[0][1] != 1:
        return None
    dimension, factor = _sizes().get(mention.unit[0][0], ("", Fraction(0)))
    return (dimension, mention.value * factor) if dimension else None


@cache
def _sizes() -> dict[str, tuple[str, Fraction]]:
    """Units by what they measure and how much of it they are."""
    return {
        unit: (dimension, Fraction(str(factor)))
        for dimension, units in read_lexicon("units")["sizes"].items()
        for unit, factor in units.items()
    }


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator == 1 or value.denominator > 100 else f"{float(value):g}"


@invariant("units")
def units(pair: Pair) -> str | None:
    """A number keeps its unit with its power, and what is asked for in a unit is asked for in it."""
    before, after = _units_by_value(pair.before), _units_by_value(pair.after)
    every_before, every_after = _all_units(pair.before), _all_units(pair.after)
    for value in sorted(before.keys() & after.keys()):
        was, now = sorted(before[value] - {()}), sorted(after[value] - {()})
        agree = any(_agree(one, other, every_before, every_after) for one in was for other in now)
        if was and now and not agree:
            return format_diff(
                *(
                    [f"{_shown(value)} {' '.join(map(_power_name, unit))}" for unit in side]
                    for side in (was, now)
                )
            )
    if any(_changed_numbers(pair)) or before.keys() != after.keys():
        return None  # perhaps the same quantity in another unit
    was_of, now_of = _powers(every_before), _powers(every_after)
    lost, added = was_of - now_of, now_of - was_of
    return _diff(lost, added, _power_name) if _dimensions(lost) & _dimensions(added) else None


_SHARES = frozenset(("half", "quarter", "third", "share", "proportion", "fraction", "percentage"))
_TEXT = frozenset(("word", "line"))
"""They measure texts, and are named in many other ways: "a one-liner"."""


@flag("unit_words")
def unit_words(pair: Pair) -> str | None:
    """Every unit of the original is named, and no other is."""
    was, now = _powers(_all_units(pair.before)), _powers(_all_units(pair.after))
    lost, added = ({one for one in some if one[0] not in _TEXT} for some in (was - now, now - was))
    sizes = [{_size(one) for one in side.mentions} - {None} for side in (pair.before, pair.after)]
    every = (*pair.before.mentions, *pair.after.mentions)
    asked_in = _powers(one.unit for one in every if one.value is None)
    same = sizes[0] and sizes[0] == sizes[1] and {power for _, power in lost | added} == {1}
    if same and _dimensions((lost | added) & asked_in).isdisjoint(_dimensions(now)):
        return None  # the same quantities in other units
    if not lost and added == {("percent", 1)} and not _SHARES.isdisjoint(pair.before.lemmas):
        return None  # "half of the price", "what share"
    return _diff(lost, added, _power_name)


def _agree(one: Unit, other: Unit, before: set[Unit], after: set[Unit]) -> bool:
    """Whether two units are the same, but for what is said elsewhere: "2 litres … every minute"."""
    was, now = _powers({one}), _powers({other})
    if one == other or not was or not now:
        return True
    lost, added = was - now, now - was
    return lost <= _powers(after) and added <= _powers(before) and not (lost and added)


def _powers(units_of: Iterable[Unit]) -> set[tuple[str, int]]:
    """The units without their places above or below a line: "per week" is "weekly"."""
    return {(name, abs(power)) for unit in units_of for name, power in unit if name not in _LOOSE}


_LOOSE = frozenset(("degree", "night", "day", "year", "am", "pm"))
"""Units that other words imply: "25 °C" is "25 degrees Celsius", "a woman of 60 years" is "aged 60"."""


def _dimensions(powers: Iterable[tuple[str, int]]) -> set[str]:
    """What the units measure; those that are not known measure themselves."""
    return {_sizes().get(name, (name,))[0] for name, _ in powers}


def _power_name(power: tuple[str, int]) -> str:
    return power[0] if power[1] == 1 else f"{power[0]}^{power[1]}"


def _units_by_value(reading: Reading) -> dict[Fraction, set[Unit]]:
    found: dict[Fraction, set[Unit]] = {}
    for one in reading.mentions:
        if one.value is not None and one.spelling != "ordinal":
            found.setdefault(abs(one.value), set()).add(one.unit)
    return found


def _all_units(reading: Reading) -> set[Unit]:
    return {one.unit for one in reading.mentions if one.unit}


@invariant("bounds")
def bounds(pair: Pair) -> str | None:
    """A number that limits from above does not limit from below."""
    was, now = _limits(pair.before), _limits(pair.after)
    if len(_DENIED.findall(pair.before.folded)) != len(_DENIED.findall(pair.after.folded)):
        return None
    shared = sorted(was.keys() & now.keys())
    turned = [value for value in shared if {was[value][:1], now[value][:1]} == {"<", ">"}]
    return f"turned round: the limit {', '.join(map(_shown, turned))}" if turned else None


@flag("limits")
def limits(pair: Pair) -> str | None:
    """A limit takes its number in, or leaves it out, as it did: "more than 3" is not "at least 3"."""
    was, now = _limits(pair.before), _limits(pair.after)
    for value in sorted(was.keys() & now.keys()):
        if was[value] != now[value] and {was[value], now[value]} <= _NEGATED.keys():
            return f"{_shown(value)}: '{was[value]}' became '{now[value]}'"
    return None


_NEGATED = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
_DENIED = re.compile(r"\b(?:no|not|never|without|cannot|none|neither)\b|n't\b")
_BREAK = re.compile(r"[,;:.?!]|\b(?:and|but|or)\b")


def _limits(reading: Reading) -> dict[Fraction, str]:
    """Each number that is said once, with the sign of the limit that it is; empty where it is none."""
    times = Counter(abs(one.value) for one in reading.mentions if one.value is not None)
    found: dict[Fraction, str] = {}
    for one in reading.mentions:
        if one.value is None or times[abs(one.value)] > 1 or one.spelling == "ordinal":
            continue
        left = reading.text[max(0, one.start - 40) : one.start].lower().replace("’", "'")
        found[abs(one.value)] = _limit(left, reading.text[one.end : one.end + 40].lower())
    return found


def _limit(left: str, right: str) -> str:
    before, after = _limit_patterns()
    first = before.search(left)
    match = first or after.search(right)
    if match is None:
        return ""
    sign, rest = _SIGNS[match.lastgroup or ""], left[: first.start()] if first else left
    denied = (sign in (">", "<") or not first) and sign in _NEGATED and _DENIED.search(_BREAK.split(rest)[-1])
    return _NEGATED[sign] if denied else sign


_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "about": "~"}


@cache
def _limit_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What bounds a number before it and after it; each sign is a group."""
    read = read_lexicon("bounds")
    names = {sign: name for name, sign in _SIGNS.items()}

    def any_of(where: str) -> str:
        return "|".join(
            rf"(?P<{names[sign]}>\b(?:{'|'.join(map(re.escape, sorted(phrases, key=len, reverse=True)))}))"
            for sign, phrases in sorted(read[where].items(), key=lambda one: -len(one[0]))
            if phrases
        )

    return (
        re.compile(rf"(?:{any_of('before')}) *(?:(?:a|an|the|of|about|total|just|only|than) +)*[$€£¥₹]?\Z"),
        re.compile(rf"\A[ -]*(?:\w+ +){{0,2}}?(?:{any_of('after')})\b"),
    )


@invariant("counted")
def counted(pair: Pair) -> str | None:
    """Numbers do not change places: each counts what it counted."""
    was, now = _counted(pair.before), _counted(pair.after)
    shared = [value for value in was.keys() & now.keys() if was[value] != now[value]]
    for one in shared:
        for other in shared:
            if one < other and was[one] == now[other] and was[other] == now[one]:
                return f"exchanged: {_shown(one)} and {_shown(other)} ({was[one]}, {was[other]})"
    return None


def _counted(reading: Reading) -> dict[Fraction, str]:
    """Numbers that are said once, each with the noun that it counts or the name that it belongs to."""
    found: dict[Fraction, list[str]] = {}
    for one in reading.mentions:
        span = reading.doc.char_span(one.start, one.end, alignment_mode="expand")
        if one.value is None or span is None:
            continue
        head = span.root
        for _ in range(_MEASURES):
            if head.dep_ == "ROOT" or (head.pos_ in ("NOUN", "PROPN") and head not in span):
                break
            head = head.head
        if head.pos_ in ("NOUN", "PROPN"):
            found.setdefault(abs(one.value), []).append(head.lemma_.lower())
    return {value: nouns[0] for value, nouns in found.items() if len(nouns) == 1}
