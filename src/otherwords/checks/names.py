"""`names`: people, places and days with capital letters are the original's, each in its place."""

from __future__ import annotations

from collections.abc import Iterable

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.people import FIRST_NAMES, are_related
from otherwords.checks.quantities import UNIT_OF
from otherwords.checks.reading import Reading

NAME = "names"
_ORDINARY = frozenset(
    """i true false yes no none null question answer context note step option options task example input output text
    article summary review email items part section figure table chapter problem solution if the a an and or for what which who
    how when where why please let given return write find use is are it in on at to of""".split()
)


@compares_meaning(NAME)
def names(before: Reading, after: Reading) -> str | None:
    was, openers_were = before.names
    now, openers_now = after.names
    lost = [name for name in sorted(was) if name not in after.word_set and name not in _ORDINARY]
    added = [name for name in sorted(now) if name not in before.word_set and name not in _ORDINARY]
    lost += [name for name in sorted(openers_were & (FIRST_NAMES | now)) if name not in after.word_set]
    added += [name for name in sorted(openers_now & (FIRST_NAMES | was)) if name not in before.word_set]
    lost, added = (
        [name for name in lost if name not in UNIT_OF],
        [name for name in added if name not in UNIT_OF],
    )
    if lost or added:
        lost, added = _unrelated(lost, after), _unrelated(added, before)
        if lost or added:
            return told([name.capitalize() for name in lost], [name.capitalize() for name in added])
    return "names changed places" if _changed_places(before, after) else None


def _unrelated(lost: Iterable[str], other: Reading) -> list[str]:
    """Those of `lost` that `other` does not have as a possessive, a plural or an adjective either."""
    bare = {word.split("'", 1)[0] for word in other.word_set}
    return [name for name in lost if name not in bare and not any(are_related(name, word) for word in bare)]


def _changed_places(before: Reading, after: Reading) -> bool:
    """Another one is taller: the same sentence with its names in another order."""
    if (
        before.word_set != after.word_set
        or len(before.words) != len(after.words)
        or before.words == after.words
    ):
        return False
    known = before.names[0] | after.names[0] | ((before.names[1] | after.names[1]) & FIRST_NAMES)
    was = ["" if word in known else word for word in before.words]
    if len(known) < 2 or was != ["" if word in known else word for word in after.words]:
        return False
    changed = [
        at for at, pair in enumerate(zip(before.words, after.words, strict=True)) if pair[0] != pair[1]
    ]
    return any(word not in ("and", "or", "") for word in was[changed[0] : changed[-1]])
