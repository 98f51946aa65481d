"""Small words that carry the logic of a prompt, by what they mean.

Words of one meaning are interchangeable: "at least 3" and "no fewer than 3" say the same. A `FIRM` word must have
a counterpart in the variant. A `SOFT` word may stand for a firm one, but may also come and go by itself, since it
often means something else ("following", "once", "over").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

FIRM: Mapping[str, str] = {
    "not": """not, don't, doesn't, didn't, isn't, aren't, wasn't, weren't, can't, cannot, couldn't, won't, wouldn't,
        shouldn't, mustn't, needn't, haven't, hasn't, hadn't, ain't, mightn't, shan't, dont, doesnt, didnt, isnt, arent,
        wasnt, werent, cant, couldnt, wont, wouldnt, shouldnt, mustnt, havent, hasnt, hadnt, never, no, none, nobody,
        no one, nothing, nowhere, neither, without, w/o, avoid, avoids, avoiding, avoided, refrain, refraining, omit,
        omits, omitting, omitted, leave out, leaving out, leaves out, left out, lack, lacks, lacking, lacked, unable,
        impossible, fails to, failed to, failing to, fail to, false, incorrect, incorrectly, wrong, wrongly, untrue,
        inaccurate, invalid, forbidden, prohibited, prohibit, prohibits, forbid, forbids, disallow, disallowed, banned,
        non, may not, must not, can not, untouched, unchanged, unaffected, unaltered, off limits""",
    "only": """only, solely, exclusively, nothing but, nothing else, nothing other than, nothing except, no other,
        just the, just a, just its, just one, nothing more than""",
    "at least": """at least, no fewer than, no less than, not less than, not fewer than, or more, or greater, or above,
        or older, or over, or higher, or later, a minimum of, minimum of, at minimum, at a minimum, or longer, no shorter
        than, no lower than, no smaller than, no younger than, no earlier than""",
    "at most": """at most, no more than, not more than, no greater than, no longer than, not longer than, or fewer, or
        less, or below, or under, or younger, or lower, or earlier, a maximum of, maximum of, not exceed, not exceeding,
        no higher than, no larger than, no bigger than, no older than, not exceeds, or shorter, up to""",
    "more than": "more than, greater than, in excess of, exceeding, exceeds, exceed, exceeded",
    "less than": "less than, fewer than",
    "more": "more",
    "less": "less, fewer",
    "most": "most",
    "least": "least, fewest",
    "all": "all, every, each, everything, everyone, everybody",
    "some": "some, a few, someone, somebody",
    "many": "many, numerous",
    "few": "few",
    "both": "both",
    "either": "either",
    "always": "always, at all times, every time, each time, invariably",
    "usually": "usually, often, generally, typically, frequently, normally, commonly, mostly",
    "sometimes": "sometimes, occasionally, at times, now and then, from time to time",
    "rarely": "rarely, seldom, hardly, barely, scarcely, infrequently",
    "must": """must, has to, have to, had to, needs to, need to, required to, is required, are required,
        mandatory, obligatory, compulsory, obliged to, shall""",
    "should": "should, ought to, supposed to, recommended",
    "may": """may, might, can, could, able to, optional, optionally, allowed, permitted, possible, possibly,
        permissible""",
    "before": "before, prior to, b4",
    "after": "after",
    "until": "until, till",
    "unless": "unless, except if, except when",
    "except": """except, except for, excluding, exclude, excludes, excluded, other than, apart from, aside from, with the
        exception of, save for, all but, everything but, every but""",
    "if": "if, provided that, in case, on condition that, as long as",
    "about": "approximately, roughly, approx, more or less, estimate, estimated, estimates",
    "exactly": "exactly, precisely",
    "or": "or",
    "and": "and",
}

SOFT: Mapping[str, str] = {
    "not": """instead of, rather than, stop, stops, prevent, prevents, ignore, ignoring, skip, skipping, missing, absent,
        other than, except, excluding, exclude, unlike, free of, free from, devoid, minus, outside, keep from, steer clear,
        stay away, nor, unless, few, unsafe, unlikely, unpaid, unused, unknown, unrelated, inactive, incomplete, ineligible,
        incapable, unnecessary, unsupported, unavailable, different, cannot, refuse, refuses, ban, bans, w/out, deny, lose,
        losing, loses, forbidding, prohibiting, loss""",
    "only": """just, merely, alone, sole, single, one, limit, limited, restrict, restricted, stick to, simply, exclusive,
        purely, but, confine, confined, exactly, not, no more than, at most, nothing""",
    "at least": """minimum, or older, at the very least, from, and up, and above, and over, upwards, onwards, between,
        as many as""",
    "at most": """maximum, within, limit, limited, cap, capped, max, below, under, between, not above, not over, not
        longer than, at the most, not surpass, as many as, keep to, only""",
    "more than": """over, above, beyond, exceeding, longer than, higher than, larger than, bigger than, older than, later
        than, past, greater, exceed, surpass, surpasses, surpassing, upwards of, taller than, more, another, heavier than""",
    "less than": """under, below, shorter than, lower than, smaller than, younger than, earlier than, less, fewer, cheaper
        than, within, short of, lighter than, not reach""",
    "more": """additional, extra, further, another, greater, higher, larger, bigger, older, longer, taller, faster,
        stronger, later, heavier, over, exceed, exceeds, exceeded, outnumber, extra, plus, surpass, increased, wider,
        deeper, warmer, better, above, beyond, most, in addition, rise, rises, improve, else""",
    "less": """lower, smaller, shorter, younger, slower, weaker, earlier, lighter, under, below, reduced, cheaper, worse,
        colder, cooler, narrower, minus, short of, decreased, not as, least, fall, falls""",
    "most": """majority, mostly, mainly, chiefly, primarily, largely, highest, greatest, largest, biggest, best, main,
        top, maximum, more than any, more, likeliest, usual, commonest, principal, number one, predominant, predominantly""",
    "least": "lowest, smallest, minimum, less, fewer, minimal",
    "all": """any, entire, entirely, whole, full, complete, completely, always, per, apiece, throughout, both,
        daily, weekly, monthly, hourly, yearly, annually, entirety, fully, anything, anyone""",
    "some": "any, several, certain, various, couple, multiple, handful, part, partly, number, something, one",
    "many": "several, lot, lots, much, plenty, multiple, various, great number, large number, dozens, countless",
    "few": "little, hardly any, handful, scarce, a small number, a few",
    "both": "two, each, pair, couple, all, as well as, together",
    "either": "one of, or, any",
    "always": "all, every, each, ever, must, whenever",
    "usually": "most, regularly, tend, tends, usual, typical, common, in general, as a rule, likely",
    "sometimes": "can, may, some, occasional, at some",
    "rarely": "rare, few, uncommon, little, not often",
    "must": """required, require, requires, requirement, necessary, need, needs, needed, essential, make sure, making sure,
        ensure, ensuring, be sure, should, supposed to, is to, are to, important, always, without fail, obligation, only,
        forced""",
    "should": """must, need, needs, needed, has to, have to, is to, are to, required, require, requires, expected, want, make
        sure, ensure, so that, would, ideally, best, suggest, better""",
    "may": """able, let, lets, free to, feel free, perhaps,
        potentially, option, potential, permission, allow, allows, likely""",
    "before": """earlier, ahead of, preceding, precede, precedes, until, first, by, previously, prior, beforehand, leading
        up to, in advance""",
    "after": """following, once, then, later, since, subsequent, subsequently, afterwards, upon, when, past, next, having,
        as soon as, in the wake of, thereafter, from, until, in""",
    "until": "before, up to, unless, by, through, as far as, to",
    "unless": "if, except, except for, without, otherwise, other than, save, barring",
    "except": "but, not, besides, unless, only, without, leaving, save, outside",
    "if": """when, whenever, given, suppose, supposing, assume, assuming, provided, once, unless, whether, while, imagine,
        should, where, in the event, in the case, for, with, as, upon, since, were""",
    "about": "about, around, nearly, almost, some, approximate, ballpark, rough, or so, guess",
    "superlative": """most, least, top, best, worst, maximum, minimum, main, leading, number one, more than any, first,
        last, record, fewest, less than any, peak, furthest, ultimate, any other, more, bigger, larger, smaller""",
    "exactly": "exact, precise, just, only, no more and no less, single, precise number",
}

IDIOMS = """how many, how much, not only, not just, whether or not, or not, no matter, no longer, after all, of course, all
    right, each other, above all, first of all, most of all, can you, could you, would you, will you, can i, could i, may i,
    not to mention, as much as, as well as, even if, if any, if possible, what if, at all, only if, and or, more and more, as if,
    once and for all, all in all, all together, in all, question or, if you please, all else, everything else, lost and found,
    so called, why not, even though, may have, could have, might have been, no idea, no doubt, correct or incorrect, right or
    wrong, true or false, false or true, whatever, for example, to do, add up to, adds up to, added up to, adding up to, amount to, up to you, without losing, not lose, not losing, don't lose"""
"""Read as wholes, because their words do not have their own meaning in them. "Only if" is left to `if`."""

POLES: tuple[tuple[str, str], ...] = (
    (
        "big bigger biggest large larger largest great greater greatest huge maximum max maximal maximise maximize",
        "small smaller smallest little tiny minimum min minimal minimise minimize",
    ),
    ("high higher highest tall taller tallest top upper", "low lower lowest short shorter shortest bottom"),
    ("old older oldest elder eldest", "young younger youngest new newer newest recent"),
    ("long longer longest lengthen", "short shorter shortest shorten brief briefer"),
    ("fast faster fastest quick quicker quickest rapid", "slow slower slowest"),
    ("early earlier earliest first", "late later latest last final"),
    ("ahead front", "behind back"),
    (
        "increase increases increased increasing rise rises rising rose grow grows growing raise raises raised ascending gain",
        "decrease decreases decreased decreasing fall falls falling fell shrink shrinks reduce reduces reduced"
        " descending drop drops dropped decline declines lowers lowered lowering",
    ),
    ("heavy heavier heaviest", "light lighter lightest"),
    ("hot hotter hottest warm warmer warmest", "cold colder coldest cool cooler coolest"),
    ("near nearer nearest close closer closest", "far farther farthest further furthest distant"),
    ("wide wider widest broad broader", "narrow narrower narrowest"),
    ("deep deeper deepest", "shallow shallower shallowest"),
    ("expensive costly dear dearest priciest", "cheap cheaper cheapest inexpensive"),
    ("strong stronger strongest", "weak weaker weakest"),
    ("easy easier easiest simple simpler simplest", "hard harder hardest difficult"),
    (
        "good better best advantage advantages benefit benefits pros strength strengths",
        "bad worse worst disadvantage disadvantages drawback drawbacks cons weakness weaknesses",
    ),
    ("left", "right"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("inside internal inner indoors", "outside external outer outdoors"),
    ("above over", "below under beneath"),
    (
        "add adds adding added sum plus append",
        "subtract subtracts subtracting difference minus remove removes removing delete",
    ),
    ("multiply multiplied times", "divide divided"),
    ("win wins won", "lose loses lost"),
    ("open opens opened", "close closes closed"),
    ("accept accepts accepted approve", "reject rejects rejected decline"),
    ("positive", "negative"),
    ("even", "odd"),
    ("same equal identical", "different unequal"),
    ("similar similarity similarities alike", "different difference differences"),
    ("encrypt encode", "decrypt decode"),
    ("start starts begin begins beginning", "end ends finish finishes ending"),
    ("absorb absorbs absorbed", "release releases released emit emits"),
    ("boil boiling", "freeze freezing"),
    ("melt melting", "freeze freezing"),
    ("male men man", "female women woman"),
    ("import imports imported", "export exports exported"),
    ("enable enables enabled", "disable disables disabled"),
    ("half halved halve", "double doubled twice"),
    ("empty", "full non-empty"),
    ("pass passes passed", "fail fails failed"),
    ("morning a.m. am", "evening p.m. pm"),
    ("credit", "debit"),
    ("profit profits", "loss losses"),
    ("parent parents", "child children"),
    ("vertical vertically", "horizontal horizontally"),
    ("public", "private"),
    ("hidden", "visible"),
    ("synonym synonyms", "antonym antonyms opposite"),
)
"""The two ends of a scale. A word of one end replaced by a word of the other changes the problem."""

NOT_SUPERLATIVES = frozenset(
    """test rest west east interest forest request suggest honest contest guest best digest harvest invest protest
    quest nest chest vest arrest modest manifest earnest pest zest attest conquest ingest congest inquest unrest
    detest crest midwest northwest southwest bequest wrest molest incest retest pretest lest interest everest
    budapest bucharest""".split()
)


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
    for axis, poles in enumerate(POLES):
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


def _heads() -> dict[str, tuple[tuple[list[str], str], ...]]:
    heads: dict[str, list[tuple[list[str], str]]] = {}
    for phrase in MARKS:
        first, *rest = phrase.split()
        heads.setdefault(first, []).append((rest, phrase))
    return {
        first: tuple(sorted(found, key=lambda one: (-len(one[0]), one[1]))) for first, found in heads.items()
    }


HEADS: Mapping[str, tuple[tuple[list[str], str], ...]] = _heads()
"""By first word: the words that follow, and the whole phrase; the longest first."""

_SUPERLATIVE = Marks(("superlative",), (), ())
_NOTHING = Marks((), (), ())


def marks_of(phrase: str) -> Marks:
    return MARKS.get(phrase) or (_SUPERLATIVE if is_superlative(phrase) else _NOTHING)
