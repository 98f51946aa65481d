"""`units`: miles stay miles. A unit may be written out or shortened, and may be said once more or less."""

from __future__ import annotations

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.reading import Reading, more_in

NAME = "units"
_HARDLY_UNITS = frozenset(("degree", "day", "night"))
"""Units that other words imply or hide: "25 °C" is "25 degrees Celsius", "these days", "good night"."""

_AGE = frozenset("age aged ages old older turned turns".split())


@compares_meaning(NAME)
def units(before: Reading, after: Reading) -> str | None:
    if before.units == after.units:
        return _of_numbers(before, after)
    measured_before, measured_after = before.units[0], after.units[0]
    was, now = _all(before), _all(after)
    lost, added = more_in(was, now), more_in(now, was)
    changed = lost.keys() | added.keys()
    if changed == {"year"} and not _AGE.isdisjoint(before.word_set | after.word_set):
        return None  # "a woman of 60 years" is "a 60-year-old woman"
    if lost and added and changed - _HARDLY_UNITS:
        exchanged = more_in(measured_before, measured_after) and more_in(measured_after, measured_before)
        if exchanged or was.keys() != now.keys():
            return told(sorted(lost), sorted(added))
    return told(
        sorted(measured_before.keys() - now.keys() - _HARDLY_UNITS),
        sorted(measured_after.keys() - was.keys() - _HARDLY_UNITS),
    ) or _of_numbers(before, after)


def _of_numbers(before: Reading, after: Reading) -> str | None:
    """ "40 characters" became "40 words", or "$5 per person" became "$5 per table"."""
    for were, are, shown in (
        (before.text_units, after.text_units, "{} {}"),
        (before.rates, after.rates, "{} per {}"),
    ):
        for number, was in were.items():
            now = are.get(number, was)
            if was.isdisjoint(now):
                return told(
                    [shown.format(number, unit) for unit in sorted(was)],
                    [shown.format(number, unit) for unit in sorted(now)],
                )
    return None


def _all(reading: Reading) -> dict[str, int]:
    measured, named = reading.units
    return {unit: measured.get(unit, 0) + named.get(unit, 0) for unit in measured.keys() | named.keys()}
