"""`units`: miles stay miles. A unit may be written out or shortened, and may be said once more or less."""

from __future__ import annotations

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.reading import Reading

NAME = "units"
_HARDLY_UNITS = frozenset(("degree", "day", "night"))
"""Units that other words imply or hide: "25 °C" is "25 degrees Celsius", "these days", "good night"."""

_AGE = frozenset("age aged ages old older turned turns".split())


@compares_meaning(NAME)
def units(before: Reading, after: Reading) -> str | None:
    if before.measured == after.measured and before.named_units == after.named_units:
        return None
    was, now = before.measured + before.named_units, after.measured + after.named_units
    lost, added = was - now, now - was
    if lost.keys() | added.keys() == {"year"} and not _AGE.isdisjoint(before.word_set | after.word_set):
        return None  # "a woman of 60 years" is "a 60-year-old woman"
    one_is_gone_or_new = was.keys() != now.keys()
    if lost and added and one_is_gone_or_new and (lost.keys() | added.keys()) - _HARDLY_UNITS:
        return told(sorted(lost), sorted(added))
    if lost and added and before.measured - after.measured and after.measured - before.measured:
        return told(sorted(lost), sorted(added))
    return told(
        [unit for unit in sorted(before.measured.keys() - now.keys()) if unit not in _HARDLY_UNITS],
        [unit for unit in sorted(after.measured.keys() - was.keys()) if unit not in _HARDLY_UNITS],
    )
