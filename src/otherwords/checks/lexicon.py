"""Small words that carry the logic of a prompt, by what they mean.

Words of one meaning are interchangeable: "at least 3" and "no fewer than 3" say the same. A `FIRM` word must
have a counterpart in the variant. A `SOFT` word may stand for a firm one, but may also come and go by itself,
since it often means something else ("following", "once", "over").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from otherwords.checks.opposites import OPPOSITES

FIRM: Mapping[str, str] = {
    "not": """
        not, don't, doesn't, didn't, isn't, aren't, wasn't, weren't, can't, cannot, couldn't,
        won't, wouldn't, shouldn't, mustn't, needn't, haven't, hasn't, hadn't, ain't, mightn't,
        shan't, dont, doesnt, didnt, isnt, arent, wasnt, werent, cant, couldnt, wont, wouldnt,
        shouldnt, mustnt, havent, hasnt, hadnt, never, no, none, nobody, no one, no longer,
        nothing, nowhere, neither, without, w/o, avoid, avoids, avoiding, avoided, refrain,
        refraining, omit, omits, omitting, omitted, leave out, leaving out, leaves out, left
        out, lack, lacks, lacking, lacked, unable, impossible, fails to, failed to, failing to,
        fail to, false, incorrect, incorrectly, wrong, wrongly, untrue, inaccurate, invalid,
        forbidden, prohibited, prohibit, prohibits, forbid, forbids, disallow, disallowed,
        banned, non, may not, must not, can not, untouched, unchanged, unaffected, unaltered,
        off limits, rule out, rules out, ruled out, ruling out, out of the question, nobody
        else, no one else, none other""",
    "only": """
        only, solely, exclusively, nothing but, nothing else, nothing other than, nothing
        except, no other, just the, just a, just its, just one, nothing more than, only if, only
        when, only after, only once, only then""",
    "at least": """
        at least, no fewer than, no less than, not less than, not fewer than, or more, or
        greater, or above, or older, or over, or higher, or later, a minimum of, minimum of, at
        minimum, at a minimum, or longer, no shorter than, no lower than, no smaller than, no
        younger than, no earlier than""",
    "at most": """
        at most, up to a maximum of, no more than, not more than, no greater than, no longer than, not longer
        than,        or fewer, or less, or below, or under, or younger, or lower, or earlier, a maximum of,
        maximum of, not exceed, not exceeding, no higher than, no larger than, no bigger than,
        no older than, not exceeds, or shorter, up to""",
    "more than": "more than, greater than, in excess of, exceeding, exceeds, exceed, exceeded",
    "less than": "less than, fewer than",
    "more": "more",
    "less": "less, fewer",
    "most": "most, more than any, more than all",
    "least": "least, fewest, less than any, less than all, fewer than any, fewer than all",
    "all": "all, every, each, everything, everyone, everybody",
    "some": "some, a few, someone, somebody, some of, a few of",
    "many": "many, numerous",
    "few": "few, little of, hardly any",
    "both": "both",
    "either": "either",
    "always": "always, at all times, every time, each time, invariably",
    "usually": "usually, often, generally, typically, frequently, normally, commonly, mostly",
    "sometimes": "sometimes, occasionally, at times, now and then, from time to time",
    "rarely": "rarely, seldom, hardly, barely, scarcely, infrequently",
    "must": """
        must, has to, have to, had to, needs to, need to, required to, is required, are
        required, mandatory, obligatory, compulsory, obliged to, shall""",
    "should": "should, ought to, supposed to, recommended",
    "may": """
        may, might, can, could, able to, optional, optionally, allowed, permitted, possible,
        possibly, permissible""",
    "before": "before, prior to, b4",
    "after": "after",
    "until": "until, till",
    "unless": "unless, except if, except when",
    "except": """
        except, except for, excluding, exclude, excludes, excluded, other than, apart from,
        aside from, with the exception of, save for, all but, everything but, every but, but one, bar one""",
    "if": "if, only if, provided that, in case, on condition that, as long as",
    "about": "approximately, roughly, approx, more or less, estimate, estimated, estimates",
    "exactly": "exactly, precisely",
    "one of": "one of",
    "each": "each, apiece",
    "in total": "altogether, in total, combined, all told",
    "part of": "some of, a few of, a portion of, a fraction of",
    "or": "or",
    "and": "and",
}

SOFT: Mapping[str, str] = {
    "not": """
        instead of, rather than, in place of, as opposed to, stop, stops, prevent, prevents,
        ignore, ignores, ignoring, disregard, skip, skipping, missing, absent, absence, other
        than, except, excluding, exclude, unlike, free, devoid, minus, outside, keep from, steer
        clear, stay away, nor, unless, few, hardly, cannot, refuse, refuses, refusing, ban,
        bans, deny, denies, lose, losing, loses, lost, loss, forbidding, prohibiting, leave,
        leaves, leaving, as is, as it is, as they are, intact, keep, keeps, keeping, kept,
        remain, remains, remaining, stay, stays, same, retain, retaining, preserve, preserving,
        mistake, mistakes, error, errors, flawed, faulty, mistaken, bug, bugs, exempt, forgo,
        discard, barring, far from, anything but, zero, different, differ, differs, inactive,
        incomplete, ineligible, incapable, but, opposite, oppose, opposes, decline, declines,
        off, out of, run out, runs out, ran out""",
    "only": """
        just, merely, alone, sole, single, one, limit, limited, restrict, restricted, stick to,
        simply, exclusive, purely, strictly, but, confine, confined, exactly, not, no more than,
        at most, nothing, no additional, no one else, nobody else, none other, provided,
        provided that, as long as, unique, rely, entirely, no more, at least""",
    "at least": """
        minimum, at the very least, from, and up, and above, and over, and older, and more,
        upward, upwards, onwards, between, as many as, not under, not below, starting at,
        starting from, or better, equal to or""",
    "at most": """
        maximum, within, limit, limited, limits, cap, capped, max, ceiling, between, not above,
        not over, at the most, not surpass, as many as, keep to, only, upper, or equal to""",
    "more than": """
        over, above, beyond, longer than, higher than, larger than, bigger than, older than,
        later than, past, greater, surpass, surpasses, surpassing, upwards of, taller than,
        more, another, heavier than, stronger than, faster than, superior, outnumber,
        outnumbers, longer, higher, larger, further than, exceeds""",
    "less than": """
        under, below, shorter than, lower than, smaller than, younger than, earlier than, less,
        fewer, cheaper than, within, short of, lighter than, not reach, slower than, shorter,
        lower, smaller, weaker than, inferior""",
    "more": """
        additional, additionally, extra, further, another, greater, higher, larger, bigger,
        older, longer, taller, faster, stronger, later, heavier, over, exceed, exceeds,
        exceeded, outnumber, plus, surpass, increase, increases, increased, wider, deeper,
        warmer, better, above, beyond, most, in addition, rise, rises, rose, grew, improve,
        else, up, on top, again, other, easier, clearer, harder, newer, richer""",
    "less": """
        lower, smaller, shorter, younger, slower, weaker, earlier, lighter, under, below,
        reduce, reduces, reduced, reduction, cheaper, worse, colder, cooler, narrower, minus,
        short of, decrease, decreases, decreased, not as, least, fall, falls, down, decline,
        declines, drop, drops, lesser, poorer, easier""",
    "most": """
        majority, mostly, mainly, chiefly, primarily, largely, highest, greatest, largest,
        biggest, best, main, key, primary, top, maximum, more than any, more, usual, principal,
        number one, predominant, predominantly, greater part, larger part, better part, bulk,
        more than half, over half, nearly all, almost all, lion's share, above all, leading""",
    "least": "lowest, smallest, minimum, less, fewer, minimal, bottom",
    "all": """
        any, entire, entirely, whole, full, complete, completely, always, per, apiece,
        throughout, both, daily, weekly, monthly, hourly, yearly, annually, entirety, fully,
        anything, anyone, anybody, total, without exception, respectively""",
    "some": """
        any, several, certain, various, couple, multiple, handful, part, parts, partly, number,
        something, one, not all, portion, a number of""",
    "many": """
        several, lot, lots, much, plenty, multiple, various, great number, large number, dozens,
        countless, a great deal, multitude, abundance, widely""",
    "few": """
        little, hardly any, hardly anyone, hardly anybody, hardly, barely, scarcely, not many,
        handful, scarce, a small number, small number, a few, rare, rarely, limited, almost no,
        almost nobody, almost none, minority""",
    "both": "two, each, pair, couple, all, as well as, together, also",
    "either": "one of, or, any",
    "always": """
        all, every, each, ever, must, whenever, consistently, constantly, without fail, without
        exception""",
    "usually": """
        most, regularly, tend, tends, usual, typical, common, in general, as a rule, likely,
        mainly, many""",
    "sometimes": """
        can, may, some, occasional, on occasion, at some, once in a while, periodically, every
        so often, might""",
    "rarely": "rare, few, uncommon, little, not often, hardly ever, almost never, unusual, exceptionally",
    "must": """
        required, require, requires, requirement, necessary, need, needs, needed, essential,
        make sure, making sure, ensure, ensuring, be sure, should, supposed to, is to, are to,
        important, always, without fail, obligation, only, forced""",
    "should": """
        must, need, needs, needed, has to, have to, is to, are to, required, require, requires,
        expected, want, make sure, ensure, so that, would, ideally, best, suggest, better""",
    "may": """
        able, let, lets, free to, feel free, perhaps, potentially, option, potential,
        permission, allow, allows, likely""",
    "before": """
        earlier, ahead of, ahead, preceding, precede, precedes, until, till, first, by, previously,
        prior, beforehand, leading up to, in advance, no later than, sooner, then, only after,
        once, only once""",
    "after": """
        following, once, then, later, since, subsequent, subsequently, afterwards, upon, when,
        past, next, having, as soon as, in the wake of, thereafter, from, until, in, post, on""",
    "until": "before, up to, unless, by, through, as far as, to, no later than, as late as",
    "unless": """
        if, except, except for, without, otherwise, other than, save, barring, provided,
        provided that, only when, only if, as long as, but""",
    "except": """
        but, not, besides, unless, only, without, leaving, save, outside, bar, barring, minus,
        aside, apart, omit, all other, every other, any other, the rest""",
    "if": """
        when, whenever, given, suppose, supposing, assume, assuming, provided, once, unless,
        whether, while, imagine, should, where, in the event, in the case, for, with, as, upon,
        since, were, any""",
    "about": """
        about, around, nearly, almost, some, approximate, ballpark, rough, or so, guess, circa,
        close to, something like""",
    "superlative": """
        most, least, top, best, worst, maximum, minimum, main, leading, number one, more than
        any, first, last, record, fewest, less than any, peak, furthest, ultimate, any other,
        more, bigger, larger, smaller, all others, anyone else, everyone else""",
    "part of": "some, several, certain, part, parts, portion, subset, any, few, among, most, many, couple",
    "exactly": "exact, precise, just, only, no more and no less, single, precise number",
}

IDIOMS = """
    how many, how much, not only, not just, whether or not, or not, no matter, after all, of course, all
    right, each other, above all, first of all, most of all, can you, could you, would you, will you,
    can i, could i, may i, not to mention, as much as, as well as, even if, if any, if possible, what
    if, at all, and or, more and more, as if, once and for all, all in all, all together, in all,
    question or, if you please, all else, everything else, lost and found, so called, why not, even
    though, may have, could have, might have been, no idea, no doubt, correct or incorrect, right or
    wrong, true or false, false or true, whatever, for example, to do, wrong with, go wrong, goes wrong,
    went wrong, gone wrong, add up to, adds up to, added up to, adding up to, amount to, up to you,
    nothing wrong with, nothing wrong, no problem, no problems, not bad,
    without losing, not lose, not losing, don't lose"""
"""Read as wholes, because their words do not have their own meaning in them."""

NOT_SUPERLATIVES = frozenset(
    """test rest west east interest forest request suggest honest contest guest best digest harvest invest
    protest
    quest nest chest vest arrest modest manifest earnest pest zest attest conquest ingest congest inquest
    unrest
    detest crest midwest northwest southwest bequest wrest molest incest retest pretest lest interest everest
    budapest bucharest""".split()
)


PLAIN_NEGATIONS = frozenset(
    phrase
    for phrase in " ".join(FIRM["not"].replace("\n", " ").split()).split(", ")
    if phrase
    in {
        "not",
        "cannot",
        "never",
        "no",
        "none",
        "nobody",
        "no one",
        "no longer",
        "nothing",
        "nowhere",
        "neither",
        "nobody else",
        "no one else",
        "none other",
    }
    or phrase
    in {
        "without",
        "unable",
        "impossible",
        "may not",
        "must not",
        "can not",
        "false",
        "incorrect",
        "invalid",
        "untrue",
        "wrong",
    }
    or phrase.endswith(("n't", "nt"))
)
"""The others, such as "avoid", may come into a free wording without turning it round."""


class Marks(NamedTuple):
    """What a phrase says."""

    firm: tuple[str, ...]
    soft: tuple[str, ...]
    ends: tuple[str, ...]
    """The ends of scales that its words stand for, such as `3+`."""


def is_superlative(word: str) -> bool:
    return word.endswith("est") and len(word) > 4 and word not in NOT_SUPERLATIVES


def _listed(text: str) -> Iterable[str]:
    return (" ".join(phrase.split()) for phrase in text.split(",") if phrase.strip())


def _ends() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for axis, poles in enumerate(OPPOSITES):
        for sign, words in zip("+-", poles, strict=True):
            for word in words.split():
                found[word] = (*found.get(word, ()), f"{axis}{sign}")
    return found


def _marks() -> dict[str, Marks]:
    firm: dict[str, list[str]] = {phrase: [] for phrase in _listed(IDIOMS)}
    soft: dict[str, list[str]] = {}
    for table, into in ((FIRM, firm), (SOFT, soft)):
        for mark, phrases in table.items():
            for phrase in _listed(phrases):
                into.setdefault(phrase, []).append(mark)
    ends = _ends()
    found = {}
    for phrase in firm.keys() | soft.keys() | ends.keys():
        marks = [*firm.get(phrase, ()), *(["superlative"] if is_superlative(phrase) else ())]
        others = [mark for mark in soft.get(phrase, ()) if mark not in marks]
        own = (
            [end for word in phrase.split() for end in ends.get(word, ())]
            if marks or others or phrase in ends
            else []
        )
        found[phrase] = Marks(tuple(marks), tuple(others), tuple(own))
    return found


MARKS: Mapping[str, Marks] = _marks()
NEGATIONS = frozenset(phrase for phrase, marks in MARKS.items() if {"not", "unless"} & set(marks.firm))


class Head(NamedTuple):
    """What a word may open."""

    alone: bool
    """It is a phrase by itself."""
    longer: Mapping[str, tuple[tuple[list[str], str], ...]]
    """By the second word: the words after the first, and the whole phrase; the longest first."""

    @property
    def phrases(self) -> Iterable[str]:
        return (phrase for found in self.longer.values() for _, phrase in found)


def _heads() -> dict[str, Head]:
    longer: dict[str, dict[str, list[tuple[list[str], str]]]] = {}
    for phrase in MARKS:
        first, *rest = phrase.split()
        by_second = longer.setdefault(first, {})
        if rest:
            by_second.setdefault(rest[0], []).append((rest, phrase))
    return {
        first: Head(
            first in MARKS,
            {
                second: tuple(sorted(found, key=lambda one: (-len(one[0]), one[1])))
                for second, found in by_second.items()
            },
        )
        for first, by_second in longer.items()
    }


HEADS: Mapping[str, Head] = _heads()
"""By first word."""

_SUPERLATIVE = Marks(("superlative",), (), ())
_NOTHING = Marks((), (), ())


def marks_of(phrase: str) -> Marks:
    return MARKS.get(phrase) or (_SUPERLATIVE if is_superlative(phrase) else _NOTHING)
