"""`names`: people, places and days with capital letters are the original's, each in its place."""

from __future__ import annotations

from collections.abc import Iterable

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.light import LIGHT
from otherwords.checks.people import FIRST_NAMES, are_related
from otherwords.checks.quantities import UNIT_OF
from otherwords.checks.reading import Reading

NAME = "names"
_ORDINARY = frozenset(
    """i true false yes no none null question answer context note step option options task example input
    output text
    article summary review email items part section figure table chapter problem solution if the a an and or
    for what which who
    how when where why please let given return write find use is are it in on at to of""".split()
)


@compares_meaning(NAME)
def names(before: Reading, after: Reading) -> str | None:
    if before.word_set == after.word_set:
        return "names changed places" if _changed_places(before, after) else None
    gone = _capitalised(before.word_set - after.word_set, before)
    new = _capitalised(after.word_set - before.word_set, after)
    if not gone and not new:
        return None
    was, openers_were = before.names
    now, openers_now = after.names
    lost = sorted(gone & (was | openers_were & (FIRST_NAMES | now)))
    added = sorted(new & (now | openers_now & (FIRST_NAMES | was)))
    return told(_unrelated(lost, after), _unrelated(added, before))


def _capitalised(words: frozenset[str], reading: Reading) -> set[str]:
    """Those of `words` that stand with a capital letter somewhere, and may be names."""
    return {
        bare
        for word in words - LIGHT
        if (word.capitalize() in reading.text or word in reading.camel_case)
        and (bare := word.split("'", 1)[0]) not in _ORDINARY
        and bare not in UNIT_OF
    }


def _unrelated(lost: Iterable[str], other: Reading) -> list[str]:
    """Those of `lost` that `other` does not have as a possessive, a plural or an adjective either."""
    bare = {word.split("'", 1)[0] for word in other.word_set}
    return [
        name.capitalize()
        for name in lost
        if name not in bare and not any(are_related(name, word) for word in bare)
    ]


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
