"""`numbers`, `units`, `bounds` and `counted`: numbers, their units, their limits and what they count stay."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, islice

from otherwords.checks.base import flag, format_diff, invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.quantities import Mention

_LIMITS = Patterns("bounds")


@invariant("numbers")
def numbers(pair: Pair) -> str | None:
    """No number, in digits or in words, became another; times of day are said in many ways.

    One that is only lost or only added may be said by other words, "right angle": `number_words` flags it.
    """
    lost, added = _changed_numbers(pair)
    both = (*pair.before.mentions, *pair.after.mentions)
    times_of_day = any(name in ("am", "pm") for one in both for name, _ in one.unit)
    alike = any(_may_be_same(one, other) for one in lost for other in added)
    return format_diff(lost, added, _shown) if lost and added and not times_of_day and not alike else None


def _may_be_same(one: Fraction, other: Fraction) -> bool:
    """1986 and '86; "before 2020" and "by the end of 2019"; "1.2 to 1.5 million" and "1.2 million"."""
    neighbours = abs(one - other) == 1 and 1500 < min(one, other) < 2100
    scaled = bool(one and other) and max(one, other) / min(one, other) in (1_000, 1_000_000, 1_000_000_000)
    return one % 100 == other or other % 100 == one or neighbours or scaled


_FAR = 0.4
"""Word edit distance from which a rewording may count what was only listed: "Two questions:"."""


@flag("number_words")
def number_words(pair: Pair) -> str | None:
    """No number is lost or added; a word with other uses, "second", may be lost, and becomes no other."""
    lost, added = _changed_numbers(pair)
    side = pair.before if lost else pair.after
    small = {one.value for one in side.mentions if one.spelling == "word" and not one.unit} & {2, 3, 4}
    counts_parts = lost | added <= small and pair.distance >= _FAR
    if (lost or added) and not counts_parts:
        return format_diff(lost, added, _shown)
    lost, added = _lost(pair.before, pair.after), _lost(pair.after, pair.before)
    return format_diff(lost, added, _shown) if lost and added else None


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator == 1 or value.denominator > 100 else f"{float(value):g}"


def _changed_numbers(pair: Pair) -> tuple[set[Fraction], set[Fraction]]:
    """The numbers that say something by themselves in one text, and are not in the other in any way."""
    return _lost(pair.before, pair.after, firm=True), _lost(pair.after, pair.before, firm=True)


def _lost(here: Reading, there: Reading, *, firm: bool = False) -> set[Fraction]:
    """The numbers of `here` that `there` does not say in any way; if `firm`, without unsure ones.

    Words such as "one" are unsure, and where "both" or "a couple" is said, 2 and 3.
    """
    several = ("both", "either", "neither", "each", "pair", "couple")
    unsure = {1} if there.word_set.isdisjoint(several) else {1, 2, 3}
    words = here.word_set | there.word_set
    tells_time = any(":" in word for word in words) or not words.isdisjoint(("am", "pm"))
    said = {one.value for one in there.mentions if one.value is not None}
    hours, sizes = {one for one in said if one <= 24}, {size_of(one) for one in there.mentions} - {None}
    found = set()
    for one in here.mentions:
        value = one.value
        if value is None or (firm and (one.spelling == "vague" or value in unsure)):
            continue
        is_said = value in said or size_of(one) in sizes or not said.isdisjoint(_shares(value))
        times = (said if value <= 24 else hours) if tells_time and not is_said else ()
        if not is_said and not any(_is_clock(min(value, other), max(value, other), words) for other in times):
            found.add(value)
    return found


def _shares(value: Fraction) -> tuple[Fraction, ...]:
    """How else it may be said: as a share, in percent, as what is added to 1: "half", "50%", "1.5 times"."""
    every = (1 / value, 100 * value, value / 100, 100 * (value - 1), value / 100 + 1) if value else ()
    return tuple(one for one in every if one)


def _is_clock(hour: Fraction, minutes: Fraction, words: frozenset[str]) -> bool:
    """Whether a clock time in minutes is said by its hour: "7:30 pm", "half past seven"; or as "7.30"."""
    if hour.denominator > 1:
        return 60 * int(hour) + 100 * (hour % 1) == minutes
    past = abs((minutes - 60 * hour + 360) % 720 - 360)
    word = {0: "", 15: "quarter", 30: "half"}.get(int(past), ":")
    return 1 <= hour <= 12 and (word == "" or word in words)


def size_of(mention: Mention) -> tuple[str, Fraction] | None:
    """What is measured and how much of it, where the unit is one that others measure too."""
    if mention.value is None or len(mention.unit) != 1 or mention.unit[0] not in _sizes():
        return None
    dimension, factor = _sizes()[mention.unit[0]]
    return dimension, mention.value * factor


@cache
def _sizes() -> dict[tuple[str, int], tuple[str, Fraction]]:
    """Units by what they measure and how much of it they are."""
    return {
        (unit, 1): (dimension, Fraction(str(factor)))
        for dimension, units in read_lexicon("units")["sizes"].items()
        for unit, factor in units.items()
    }


@flag("amounts")
def amounts(pair: Pair) -> str | None:
    """In two texts that are near each other, no number stands once less, and another one in its place."""
    was, now = (
        Counter(one.value for one in side.mentions if one.value) for side in (pair.before, pair.after)
    )
    lost, added = was - now, now - was
    is_repeated = lost.keys() <= now.keys() or added.keys() <= was.keys()  # others: `number_words`
    return (
        format_diff(lost, added, _shown) if lost and added and is_repeated and pair.distance < _FAR else None
    )


@invariant("units")
def units(pair: Pair) -> str | None:
    """A number keeps its unit with its power, and what is asked for in a unit is asked for in it."""
    before, after = _by_value(pair.before), _by_value(pair.after)
    for value in sorted(before.keys() & after.keys()):
        was, now = ([one for one in side[value] if one.unit] for side in (before, after))
        if was and now and not any(_agree(one, other, pair) for one in was for other in now):
            return format_diff(was, now, _name_of_unit)
    if before.keys() != after.keys():
        return None  # perhaps the same quantity in another unit
    lost, added = _changed_powers(pair)
    measured = [{_sizes().get((name, 1), (name,))[0] for name, _ in powers} for powers in (lost, added)]
    return format_diff(lost, added, _power_name) if measured[0] & measured[1] else None


@flag("unit_words")
def unit_words(pair: Pair) -> str | None:
    """Every unit of the original is named, and no other is; those of texts have many names: "a one-liner"."""
    lost, added = ({one for one in some if one[0] not in ("word", "line")} for some in _changed_powers(pair))
    sizes = [{size_of(one) for one in side.mentions} - {None} for side in (pair.before, pair.after)]
    every = (*pair.before.mentions, *pair.after.mentions)
    in_other_units = sizes[0] == sizes[1] and lost | added <= _powers(one for one in every if size_of(one))
    if in_other_units or (not lost and added == {("percent", 1)}):  # "half of the price", "what share"
        return None
    return format_diff(lost, added, _power_name)


def _by_value(reading: Reading) -> dict[Fraction, list[Mention]]:
    """The mentions of each number but ordinals."""
    found = defaultdict[Fraction, list[Mention]](list)
    for one in reading.mentions:
        if one.value is not None and one.spelling != "ordinal":
            found[abs(one.value)].append(one)
    return found


def _said_once(reading: Reading) -> dict[Fraction, Mention]:
    """The numbers with one mention."""
    return {value: one for value, (one, *more) in _by_value(reading).items() if not more}


def _agree(one: Mention, other: Mention, pair: Pair) -> bool:
    """Whether two units are the same, but for what is said elsewhere: "2 litres … every minute"."""
    was, now = _powers([one]), _powers([other])
    lost, added = _changed_powers(pair)
    lost = {one for one in lost if one[0] not in pair.after.lemmas}  # "per minute" and "each minute"
    added = {one for one in added if one[0] not in pair.before.lemmas}
    changed = (was - now and now - was) or (was - now) & lost or (now - was) & added
    return not was or not now or not changed


def _changed_powers(pair: Pair) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """The units that are in one of the texts only."""
    was, now = _powers(pair.before.mentions), _powers(pair.after.mentions)
    return was - now, now - was


def _powers(mentions: Iterable[Mention]) -> set[tuple[str, int]]:
    """The units without their places above or below a line: "per week" is "weekly"."""
    loose = word_set("units", "loose")
    return {(name, abs(power)) for one in mentions for name, power in one.unit if name not in loose}


def _power_name(power: tuple[str, int]) -> str:
    return power[0] if power[1] == 1 else f"{power[0]}^{power[1]}"


def _name_of_unit(one: Mention) -> str:
    return " ".join((_shown(abs(one.value or Fraction(0))), *map(_power_name, one.unit)))


@invariant("bounds")
def bounds(pair: Pair) -> str | None:
    """A number that limits from above does not limit from below."""
    denials = [len(_LIMITS.denied.findall(side.folded)) for side in (pair.before, pair.after)]
    turned = [
        _shown(one) for one, said in _limits(pair) if set(map(_IS_FROM_ABOVE.get, said)) == {True, False}
    ]
    return f"turned round: the limit {', '.join(turned)}" if turned and denials[0] == denials[1] else None


@flag("limit")
def limit(pair: Pair) -> str | None:
    """A number stays the limit that it is: not "at most 50" and then "fewer than 50"."""
    changed = [_shown(one) for one, said in _limits(pair) if len(said - {""}) > 1]
    return f"another limit: {', '.join(changed)}" if changed else None


def _limits(pair: Pair) -> Iterator[tuple[Fraction, set[str]]]:
    """The numbers that both texts have once, and what limits they are."""
    before, after = _said_once(pair.before), _said_once(pair.after)
    for value in sorted(before.keys() & after.keys()):
        yield value, {_limit(pair.before, before[value]), _limit(pair.after, after[value])}


def limits_of(reading: Reading) -> list[str]:
    """What each of its numbers limits, such as `at_most`; of those that limit."""
    return [limit for one in reading.mentions if one.value is not None and (limit := _limit(reading, one))]


_IS_FROM_ABOVE = {"under": True, "at_most": True, "over": False, "at_least": False}
_NEGATED = {"over": "at_most", "under": "at_least", "at_least": "under", "at_most": "over"}


def _limit(reading: Reading, one: Mention) -> str:
    """The name of the limit that the number is, by the phrase before or after it."""
    left = reading.text[max(0, one.start - 40) : one.start].lower().replace("’", "'")
    first = _LIMITS.before.search(left)
    match = first or _LIMITS.after.search(reading.text[one.end : one.end + 40].lower())
    limit = (match.lastgroup or "") if match else ""
    clause = _LIMITS.ends.split(left[: first.start()] if first else left)[-1]
    is_denied = (not first or limit in ("over", "under")) and _LIMITS.denied.search(clause)
    return _NEGATED.get(limit, limit) if is_denied else limit


@invariant("counted")
def counted(pair: Pair) -> str | None:
    """Numbers do not change places: each counts what it counted."""
    was, now = _counted(pair.before), _counted(pair.after)
    for one, other in combinations(sorted(was.keys() & now.keys()), 2):
        if was[one] == now[other] != was[other] == now[one]:
            return f"exchanged: {_shown(one)} and {_shown(other)} ({was[one]}, {was[other]})"
    return None


def _counted(reading: Reading) -> dict[Fraction, str]:
    """Numbers that are said once, each with the noun that it counts or the name that it belongs to."""
    found: dict[Fraction, str] = {}
    for value, one in _said_once(reading).items():
        span = reading.doc.char_span(one.start, one.end, alignment_mode="expand")
        heads = islice(span.root.ancestors, 3) if span is not None else ()  # "three short green books"
        if noun := next((head for head in heads if head.pos_ in ("NOUN", "PROPN")), None):
            found[value] = noun.lemma_.lower()
    return found
