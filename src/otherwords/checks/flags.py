"""Flags: reasons for a judge or a person to look; most are signs that the flag `wording` weighs together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from otherwords.checks.asked import question_signs
from otherwords.checks.base import SIGNS, flag, short, sign
from otherwords.checks.pair_model import log_odds
from otherwords.checks.polarity import denying, may_deny, plain_negations
from otherwords.checks.quantities import limits_of, size_of
from otherwords.checks.reading import Pair, Reading, read
from otherwords.english.lexicon import read_lexicon, word_classes, word_set
from otherwords.english.parse import WH
from otherwords.english.spans import sentences
from otherwords.english.words import CONTENT, are_related_names, lemma, share_stem

if TYPE_CHECKING:
    from spacy.tokens import Token

_FAR = 0.6
"""Word edit distance from which two wordings are not near each other at all."""
_SMALL = 0.3
"""Word edit distance from which a rewording is no small edit, in which each word counts."""
LEAST, _BY_FAR = 0.15, 2.0
"""Points that other signs have, at least and above the threshold, where the model is asked."""
_COMPARED = 800
"""Words whose edits are read, since the time grows with their square."""


@lru_cache(maxsize=64)
def unmatched(here: Reading, there: Reading) -> tuple[Token, ...]:
    """Content words of `here` that `there` neither repeats nor replaces by a form or a synonym.

    Without numbers, units, negations and limits, which have checks of their own.
    """
    others, content = there.lemmas | there.undotted, [one for one in there.content if len(one) > 3]
    measured = {place for one in here.mentions for place in range(one.start, one.end)}
    new = there.new_groups(here)
    found = []
    for token, groups in zip(here.tokens, here.groups, strict=True):
        word, bare = lemma(token), token.lower_.replace(".", "")
        if token.pos_ not in CONTENT or len(bare) < 2 or not bare[0].isalnum() or token.like_num:
            continue
        if not {word, bare, token.lower_}.isdisjoint(others | word_set("frame_words", "words")):
            continue
        if token.idx in measured or may_deny(token):
            continue
        related = are_related_names if token.pos_ == "PROPN" else share_stem
        if not groups.isdisjoint(new) or any(related(word, one) for one in content):
            continue
        if token.pos_ == "PROPN" and _abbreviated(token, there):
            continue
        found.append(token)
    return tuple(found)


def _abbreviated(token: Token, other: Reading) -> bool:
    """Whether the other text has the initials of the words that the name stands among."""
    capitals = {one.text.rstrip("s.") for one in other.tokens if one.text.isupper() and len(one.text) > 1}
    if token.text.isupper() and len(token.text) > 1:
        initials = "".join(one.text[0] for one in other.tokens if one.text[0].isalpha()).lower()
        return token.text.lower().rstrip("s") in initials
    return any(token.text[0].upper() in abbreviation for abbreviation in capitals)


def signs(pair: Pair) -> dict[str, float]:
    """Which signs there are, from 0 to 1 each; `lexicon/signs.yaml` says what each weighs.

    A change weighs more in a small edit than where all is said in other words, so most signs are there twice.
    """
    edits = _edits(pair)
    found: Counter[str] = question_signs(pair) + edits
    for name, here, there in (("lost", pair.before, pair.after), ("added", pair.after, pair.before)):
        found.update(f"{name}: {_part(token)}" for token in unmatched(here, there))
        more = _classes(here) - _classes(there)
        denied = ["denying word"] * ((denying(here) - denying(there)).total() > 0)
        found.update(f"{name}: {one}" for one in [*_asking(here) - _asking(there), *more, *denied])
    found.update(name for name, finding in _findings(pair).items() if finding is not None)
    nearness = max(0.0, 1 - pair.distance / _FAR)
    sizes = [sum(_is_counted(one) for one in side.tokens) + 3 for side in (pair.before, pair.after)]
    shorter = log(sizes[0] / sizes[1])
    amounts = {**found, "shorter": max(0.0, shorter), "longer": max(0.0, -shorter)}
    amounts = {name: min(1.0, amount) for name, amount in amounts.items()}
    return {
        **amounts,
        **{f"{name}{_NEAR}": nearness * amount for name, amount in amounts.items()},
        "far": max(0.0, pair.distance - _FAR),
        "small edit": any("alike" not in name for name in edits) * max(0.0, 1 - pair.distance / _SMALL),
    }


def _part(token: Token) -> str:
    """The part of speech, more exactly where a change of it alone may change the meaning."""
    if token.lower_ in WH:
        return "question word"
    if token.dep_ == "neg" or token.lower_ in ("no", "never", "without"):
        return "negation"
    return _DEGREES.get(token.tag_, "modal" if token.tag_ == "MD" else token.pos_)


_DEGREES = {"JJR": "comparative", "RBR": "comparative", "JJS": "superlative", "RBS": "superlative"}


def _edits(pair: Pair) -> Counter[str]:
    """What was replaced, lost, added and moved, by parts of speech, without light words."""
    sides = []
    for here, there in ((pair.before, pair.after), (pair.after, pair.before)):
        repeated = _same_quantities(here, there)
        sides.append([token for token in here.tokens if not token.is_punct and token.idx not in repeated])
    was, now = ([lemma(token) for token in side[:_COMPARED]] for side in sides)
    groups = {
        token: some
        for side in (pair.before, pair.after)
        for token, some in zip(side.tokens, side.groups, strict=True)
    }
    light, found = word_set("signs", "light"), Counter[str]()
    for kind, start, end, first, last in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone, come = (
            [token for token in some if token.lower_ not in light]
            for some in (sides[0][start:end], sides[1][first:last])
        )
        if len(gone) == len(come) == 1:
            alike = " alike" if groups[gone[0]] & groups[come[0]] else ""
            found[f"{_part(gone[0])} became {_part(come[0])}{alike}"] += 1
            continue
        said = [set().union(*(groups[one] for one in some)) for some in (gone, come)]
        gone = [one for one in gone if groups[one].isdisjoint(said[1])]  # not "before" for "earlier than"
        come = [one for one in come if groups[one].isdisjoint(said[0])]
        found.update(f"{'moved' if lemma(one) in now else 'gone'}: {_part(one)}" for one in gone)
        found.update(f"new: {_part(one)}" for one in come if lemma(one) not in was)
    return found


def _same_quantities(here: Reading, there: Reading) -> set[int]:
    """Where numbers stand that the other text has with their units too: "90 L", "ninety litres"."""
    known = {(one.value, one.unit) for one in there.mentions} | {size_of(one) for one in there.mentions}
    known -= {None}
    same = [one for one in here.mentions if (one.value, one.unit) in known or size_of(one) in known]
    return {place for one in same for place in range(one.start, one.end)}


def _asking(reading: Reading) -> set[str]:
    """The words that ask: "how", "many", "which"."""
    found = set()
    for token in reading.tokens:
        if token.lower_ in WH:
            for one in token.doc[token.i : token.i + 4]:
                if one.lower_ not in WH and one.pos_ not in ("ADJ", "ADV"):
                    break
                found.add(one.lower_)
    return found


def _classes(reading: Reading) -> Counter[str]:
    """Quantifiers, words of statistics, degrees, negations and words that may deny."""
    kinds = word_classes("signs", "classes")
    found = Counter(kinds[token.lower_] for token in reading.tokens if token.lower_ in kinds)
    found.update(_DEGREES[token.tag_] for token in reading.tokens if token.tag_ in _DEGREES)
    found.update(f"limit {limit}" for limit in limits_of(reading))
    found["negation"] = len(plain_negations(reading))
    return found


def _is_counted(token: Token) -> bool:
    """Whether it is a content word; "more than 3" says as much as "over 3", "the following" as "these"."""
    return token.pos_ in CONTENT and token.lower_ not in ("more", "less", "following")


@lru_cache(maxsize=64)
def _findings(pair: Pair) -> dict[str, str | None]:
    """What each registered sign says of the pair."""
    return {name: compare(pair) for name, compare in SIGNS.items()}


def model_says(pair: Pair) -> float:
    """Log odds of the shipped model, if above 0; quantities of both are read in the original's words."""
    was, text = pair.before.text, pair.after.text
    said = {size_of(one) or (one.value, one.unit): was[one.start : one.end] for one in pair.before.mentions}
    for one in reversed(pair.after.mentions):
        words = said.get(size_of(one) or (one.value, one.unit), text[one.start : one.end])
        text = text[: one.start] + words + text[one.end :]
    return max(0.0, log_odds(was, text))


_NEAR = ", near"


@flag("wording")
def wording(pair: Pair) -> str | None:
    """The signs, each times its weight, stay below the threshold; the reason names those that weigh most.

    The model alone decides nothing; it takes longest, and is not asked where others have more than enough.
    """
    read = read_lexicon("signs")
    weights: dict[str, float] = read["weights"]
    points = defaultdict[str, float](float)
    for name, amount in signs(pair).items():
        points[name.removesuffix(_NEAR)] += weights.get(name, 0.0) * amount
    if LEAST <= sum(points.values()) < read["threshold"] + _BY_FAR:
        points["model"] = weights["model"] * model_says(pair)
    total = sum(points.values())
    if total < read["threshold"]:
        return None
    most = sorted((name for name in points if points[name] > 0), key=lambda name: -points[name])
    said = [finding for name in most if (finding := _findings(pair).get(name))]
    for side, here, there in (("lost", pair.before, pair.after), ("added", pair.after, pair.before)):
        if words := unmatched(here, there):
            said.append(f"{side}: {', '.join(one.text for one in words[:4])}")
    reason = f"{total:.1f} of {read['threshold']:g} points: {', '.join(most[:3]).replace('_', ' ')}"
    return f"{reason} ({'; '.join(said)})" if said else reason


@flag("sentence")
def sentence(pair: Pair) -> str | None:
    """No sentence that says something is gone or new, where all others are as they were."""
    sides = [sentences(part) for part in pair.parts]
    was, now = (Counter(filter(None, map(str.strip, side))) for side in sides)
    changed = {"gone": was - now, "new": now - was}
    found = [(name, one) for name, some in changed.items() for one in some if read(one).content]
    one_sided = all(sides) and bool(changed["gone"]) != bool(changed["new"])
    return f"{found[0][0]}: {short(found[0][1])}" if found and one_sided else None


# A line of a list or a table: with a label, a bullet or bars, or a short name, a colon and a few words.
_LISTED = re.compile(
    r"\s*(?:(?:\(?\w{1,2}[.)]\s|[-*•|+]\s?\S).*|[^\n:]{1,30}:\s*\S[^\n?]{0,40}|.*\S\s\|\s.*)"
)


@sign("lines")
def lines(pair: Pair) -> str | None:
    """Every line of a list or a table is there, with its words, in its order, on a line of its own."""
    listed = [line for line in pair.whole_before.split("\n") if _LISTED.fullmatch(line)]
    now = [_squeezed(line) for line in pair.whole_after.split("\n")]
    wanted = [_squeezed(line) for line in listed]
    gone = [line for line, squeezed in zip(listed, wanted, strict=True) if squeezed not in now]
    if len(listed) < 2 or [line for line in now if line in wanted] == wanted:
        return None
    return f"changed or lost: {short(gone[0])}" if gone else "in another order"


def _squeezed(line: str) -> str:
    """Letters, digits and signs in lower case, without a label, spaces and a mark at the end."""
    return "".join(re.sub(r"^\s*(?:\(?\w{1,2}[.)]|[-*•+])\s+|[.;,]\s*$", "", line.lower()).split())
