"""`names`: people, places and days with capital letters are the original's, each in its place."""

from __future__ import annotations

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.converses import is_converse
from otherwords.checks.kinds import exchanged_things
from otherwords.checks.light import FAINT, LIGHT
from otherwords.checks.people import FIRST_NAMES, are_related
from otherwords.checks.quantities import UNIT_OF
from otherwords.checks.reading import Reading
from otherwords.checks.stems import stem

NAME = "names"
_ORDINARY = frozenset(
    """i true false yes no none null question answer context note step option options task example input
    output text
    article summary review email items part section figure table chapter problem solution if the a an and or
    for what which who
    how when where why please let given return write find use is are it in on at to of""".split()
)


_RELATING = frozenset("than of to from by before after behind above below is does did has".split())
_A_PAIR = 2
_FEW_CHANGES = 4
_SHORT_WORD = 3


@compares_meaning(NAME)
def names(before: Reading, after: Reading) -> str | None:
    if before.word_set == after.word_set:
        return "names changed places" if _changed_places(before, after) else None
    return _lost_or_added(before, after) or _of_a_kind(before, after) or _in_other_places(before, after)


def _of_a_kind(before: Reading, after: Reading) -> str | None:
    pair = exchanged_things(before.word_set, after.word_set)
    return None if pair is None or is_converse(*pair, before, after) else told([pair[0]], [pair[1]])


def _in_other_places(before: Reading, after: Reading) -> str | None:
    """ "left of Ann" became "left of Bo", in free wording, and both are still there."""
    if len((before.word_set ^ after.word_set) - LIGHT) <= _FEW_CHANGES:
        return None
    known = (
        (before.names[0] | after.names[0])
        & (before.names[0] | before.names[1])
        & (after.names[0] | after.names[1])
    )
    if len(known) < _A_PAIR:
        return None
    was, now = _places(before, known), _places(after, known)
    changed = [place for place in was.keys() & now.keys() if was[place].isdisjoint(now[place])]
    return "names changed places" if changed else None


def _places(reading: Reading, names: frozenset[str]) -> dict[tuple[str, str], set[str]]:
    """Names by the two words before them, where these relate them to another: "older than"."""
    found: dict[tuple[str, str], set[str]] = {}
    words = reading.words
    for at in range(2, len(words)):
        name = words[at].removesuffix("'s")
        if name in names and words[at - 1] in _RELATING and words[at - 2] not in FAINT | names:
            found.setdefault((words[at - 2], words[at - 1]), set()).add(name)
    return found


def _lost_or_added(before: Reading, after: Reading) -> str | None:
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


def _unrelated(lost: list[str], other: Reading) -> list[str]:
    """Those of `lost` that `other` does not have as a possessive, a plural or an adjective either."""
    if not lost:
        return []
    bare = {word.split("'", 1)[0] for word in other.word_set}
    ordinary = {stem(word) for word in bare - other.names[0] - other.names[1] if len(word) > _SHORT_WORD}
    return [
        name.capitalize()
        for name in lost
        if name not in bare
        and (name in FIRST_NAMES or stem(name) not in ordinary)  # "Cancelling", where the other says "cancel"
        and not any(are_related(name, word) for word in bare)
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
