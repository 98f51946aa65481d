"""Flags: reasons for a judge or a person to look; most are signs that the flag `wording` weighs together."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from math import log
from typing import TYPE_CHECKING

from otherwords.checks.asked import new_questions
from otherwords.checks.base import SIGNS, flag, format_diff, short, sign
from otherwords.checks.polarity import denying, may_deny, plain_negations
from otherwords.checks.reading import Pair, Reading
from otherwords.checks.roles import possessions
from otherwords.english.lexicon import read_lexicon
from otherwords.english.words import CONTENT, are_related_names, lemma, share_stem

if TYPE_CHECKING:
    from spacy.tokens import Token

_FAR = 0.6
"""Word edit distance from which two wordings are not near each other at all."""


@cache
def _frame_words() -> frozenset[str]:
    return frozenset(read_lexicon("frame_words")["words"].split())


@lru_cache(maxsize=64)
def unmatched(here: Reading, there: Reading) -> tuple[Token, ...]:
    """Content words of `here` that `there` neither repeats nor replaces by a form or a synonym.

    Without numbers, units, negations and limits, which have checks of their own.
    """
    others, content = there.lemmas | there.undotted, [one for one in there.content if len(one) > 3]
    measured = [(one.start, one.end) for one in here.mentions]
    new = there.new_groups(here)
    found = []
    for token, groups in zip(here.tokens, here.groups, strict=True):
        word, bare = lemma(token), token.lower_.replace(".", "")
        if token.pos_ not in CONTENT or len(bare) < 2 or not bare[0].isalnum() or token.like_num:
            continue
        if not {word, bare, token.lower_}.isdisjoint(others | _frame_words()):
            continue
        if any(start <= token.idx < end for start, end in measured) or may_deny(token):
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
    """Each sign with how much of it there is; `lexicon/signs.yaml` says what they are and what they weigh."""
    before, after = pair.before, pair.after
    lost, added = unmatched(before, after), unmatched(after, before)
    sizes = [sum(_is_counted(one) for one in side.tokens) + 3 for side in (before, after)]
    parts = [Counter(one.pos_ for one in side) for side in (lost, added)]
    found = {
        "lost_names": min(parts[0]["PROPN"], 4),
        "lost_rare_nouns": _rare_nouns(before, lost),
        "lost_verbs": min(parts[0]["VERB"], 4),
        "added_names": min(parts[1]["PROPN"], 4),
        "added_rare_nouns": _rare_nouns(after, added),
        "added_adjectives": min(parts[1]["ADJ"], 4),
        "shorter": max(0.0, log(sizes[0] / sizes[1])),
        "far": max(0.0, pair.distance - _FAR) if before.words and after.words else 0.0,
        "net_lost": min(4, max(0, len(lost) - len(added))),
        "to": float(("to" in before.word_set) != ("to" in after.word_set)),
        "fewer_negations": min(2, max(0, len(plain_negations(before)) - len(plain_negations(after)))),
        "new_denying_words": min(2, (denying(after) - denying(before)).total()),
        "new_questions": float(min(2, new_questions(pair))),
        "small_edit": _small_edit(pair),
        "other_owner": float(_other_owner(pair)),
        **{name: float(finding is not None) for name, finding in _findings(pair).items()},
        "sentences": min(3.0, abs(_sentences(before) - _sentences(after))),
    }
    nearness = max(0.0, 1 - pair.distance / _FAR)
    return found | {
        "near_lost": nearness * (found["lost_rare_nouns"] + found["lost_names"]),
        "near_added": nearness * sum(found[f"added_{one}"] for one in ("rare_nouns", "names", "adjectives")),
        "near_shorter": nearness * found["shorter"],
    }


_SMALL = 0.3
"""Word edit distance from which a rewording is no small edit."""


def _small_edit(pair: Pair) -> float:
    """How near the two are, if a word that matters changed or moved: in a small edit each word counts."""
    alone = not pair.before.words or not pair.after.words  # a sentence that is gone or new
    nearness = 1.0 if alone else max(0.0, 1 - pair.distance / _SMALL)
    if not nearness or _replaces(pair.before, pair.after) or _replaces(pair.after, pair.before):
        return nearness
    was, now = (
        [one for one in side.words if one not in _light_words()] for side in (pair.before, pair.after)
    )
    if pair.before.words.count("of") != pair.after.words.count(
        "of"
    ):  # "a solution of salt", "a salt solution"
        return 0.0
    return nearness if was != now and sorted(was) == sorted(now) else 0.0


def _replaces(here: Reading, there: Reading) -> bool:
    """Whether some word is new in `here`, and no form or synonym of a word that is new in `there`."""
    new, others = _new_words(here, there), _new_words(there, here)
    groups = set[int]().union(*(groups for _, groups in others))
    lemmas = {lemma(token) for token, _ in others}
    is_denied = any(_denies(token) for token, _ in others)
    return any(
        not (is_denied and _denies(token))
        and groups_of.isdisjoint(groups)
        and lemma(token) not in lemmas
        and not any(share_stem(lemma(token), one) for one in lemmas)
        for token, groups_of in new
    )


def _denies(token: Token) -> bool:
    """Whether the word is a negation, or may stand for one: "without" for "avoid"."""
    return token.dep_ == "neg" or token.lower_ in ("no", "without") or may_deny(token)


def _new_words(here: Reading, there: Reading) -> list[tuple[Token, set[int]]]:
    """The words that stand in `here` more often than in `there`, without light ones and numbers."""
    light, new = _light_words(), Counter(here.words) - Counter(there.words)
    known = {(one.value, one.unit) for one in there.mentions}
    spans = [(one.start, one.end) for one in here.mentions if (one.value, one.unit) in known]
    return [
        (token, groups)
        for token, groups in zip(here.tokens, here.groups, strict=True)
        if token.lower_.replace("’", "'") in new
        and light.isdisjoint((token.lower_, lemma(token)))
        and not any(start <= token.idx < end for start, end in spans)
    ]


@cache
def _light_words() -> frozenset[str]:
    return frozenset(read_lexicon("signs")["light"].split())


def _is_counted(token: Token) -> bool:
    """Whether it is a content word; "more than 3" says as much as "over 3", "the following" as "these"."""
    return token.pos_ in CONTENT and token.lower_ not in ("more", "less", "following")


def _sentences(reading: Reading) -> int:
    return sum(1 for _ in reading.doc.sents)


def _rare_nouns(reading: Reading, tokens: tuple[Token, ...]) -> float:
    """How many nouns there are; one with few senses counts more than others."""
    senses = {token.i: len(groups) for token, groups in zip(reading.tokens, reading.groups, strict=True)}
    return min(sum(1 / (1 + senses[one.i]) for one in tokens if one.pos_ == "NOUN"), 3.0)


@cache
def _classes() -> dict[str, dict[str, str]]:
    """Quantifiers and words of statistics by what they say; pronouns by their person."""
    read = read_lexicon("signs")
    return {
        name: {word: kind for kind, words in read[name].items() for word in words.split()}
        for name in ("quantifiers", "pronouns", "statistics")
    }


def _other_owner(pair: Pair) -> bool:
    """Whether what both texts name has an owner in each that it does not have in the other."""
    was, now = set(possessions(pair.before)), set(possessions(pair.after))
    lost = {owned for _, owned in was - now if owned in pair.after.lemmas}
    return any(owned in lost for _, owned in now - was if owned in pair.before.lemmas)


@sign("quantifier")
def quantifier(pair: Pair) -> str | None:
    """A word of both texts has another quantifier in each: "all members", "some members"."""
    was, now = _quantified(pair.before), _quantified(pair.after)
    for word in sorted(was.keys() & now.keys()):
        if was[word].isdisjoint(now[word]):
            return f"{min(was[word])} became {min(now[word])}: {word}"
    return None


def _quantified(reading: Reading) -> dict[str, set[str]]:
    """Nouns and verbs with what their quantifiers say: "each of the rooms", "they always pay"."""
    found: dict[str, set[str]] = {}
    for token in reading.tokens:
        kind = _classes()["quantifiers"].get(token.lower_)
        of = [one for child in token.children if child.lower_ == "of" for one in child.children]
        head = of[0] if of else token.head
        if kind and head.pos_ in ("NOUN", "PROPN", "VERB"):
            a_few = kind == "few" and token.i and token.nbor(-1).lower_ == "a"
            found.setdefault(lemma(head), set()).add("some" if a_few else kind)
    return found


@flag("statistic")
def statistic(pair: Pair) -> str | None:
    """A mean stays a mean, a maximum a maximum."""
    kinds = _classes()["statistics"]
    was, now = ({kinds[one] for one in side.words if one in kinds} for side in (pair.before, pair.after))
    return format_diff(sorted(was - now), sorted(now - was)) if was - now and now - was else None


@sign("other_pronoun")
def other_pronoun(pair: Pair) -> str | None:
    """What was mine is yours, or what was his is hers."""
    was, now = _pronoun_owners(pair.before), _pronoun_owners(pair.after)
    for owned in sorted(was.keys() & now.keys()):
        both = was[owned] | now[owned]
        if was[owned].isdisjoint(now[owned]) and not ("they" in both and both <= {"they", "he", "she"}):
            return f"another owner: {owned}"
    return None


def _pronoun_owners(reading: Reading) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for token in reading.tokens:
        if token.dep_ == "poss" and (who := _classes()["pronouns"].get(token.lower_)):
            found.setdefault(lemma(token.head), set()).add("first" if who == "we" else who)
    return found


@sign("dropped")
def dropped(pair: Pair) -> str | None:
    """A sentence of the original that has lost most of its content words."""
    gone = set(unmatched(pair.before, pair.after))
    frame = _frame_words()
    for sentence in pair.before.doc.sents:
        content = [one for one in sentence if one.pos_ in CONTENT]
        words = [one for one in content if one.lower_ not in frame and lemma(one) not in frame]
        lost = [one for one in words if one in gone]
        if not words and len(content) > 1:  # "Explain your answer."
            words, lost = content, [one for one in content if lemma(one) not in pair.after.lemmas]
        if lost and len(lost) >= 0.6 * len(words):
            return f"a sentence lost: {' '.join(one.text for one in lost[:6])}"
    return None


@lru_cache(maxsize=64)
def _findings(pair: Pair) -> dict[str, str | None]:
    """What each registered sign says of the pair."""
    return {name: compare(pair) for name, compare in SIGNS.items()}


@flag("wording")
def wording(pair: Pair) -> str | None:
    """The signs, each times its weight, stay below the threshold; the reason names those that weigh most."""
    read = read_lexicon("signs")
    weights: dict[str, float] = read["weights"]
    parts = {name: weights.get(name, 0.0) * amount for name, amount in signs(pair).items()}
    total = sum(parts.values())
    if total < read["threshold"]:
        return None
    most = sorted((name for name, part in parts.items() if part > 0), key=lambda name: -parts[name])
    said = [finding for name in most if (finding := _findings(pair).get(name))]
    for side, here, there in (("lost", pair.before, pair.after), ("added", pair.after, pair.before)):
        if words := unmatched(here, there):
            said.append(f"{side}: {', '.join(one.text for one in words[:4])}")
    points = f"{total:.1f} of {read['threshold']:g} points: {', '.join(most[:3]).replace('_', ' ')}"
    return f"{points} ({'; '.join(said)})" if said else points


_SHORTEST, _LONGEST = 0.45, 2.2


@flag("length", english=False)
def length(pair: Pair) -> str | None:
    """The variant is neither much shorter nor much longer."""
    was, now = len(pair.whole_before.split()), len(pair.whole_after.split())
    if not was or _SHORTEST <= now / was <= _LONGEST or abs(now - was) < 8:
        return None
    return f"{now} words instead of {was}"


# A line of a list or a table: with a label, a bullet or bars, or a short name, a colon and a few words.
_LISTED = re.compile(
    r"\s*(?:(?:\(?\w{1,2}[.)]\s|[-*•|+]\s?\S).*|[^\n:]{1,30}:\s*\S[^\n?]{0,40}|.*\S\s\|\s.*)"
)


@sign("lines")
def lines(pair: Pair) -> str | None:
    """Every line of a list or a table is there, with its words, in its order, on a line of its own."""
    listed = [line for line in pair.whole_before.split("\n") if _LISTED.fullmatch(line)]
    if len(listed) < 2:
        return None
    after = _squeezed(pair.whole_after)
    places = [after.find(_squeezed(line)) for line in listed]
    if -1 in places:
        return f"changed or lost: {short(listed[places.index(-1)])}"
    if places != sorted(places):
        return "in another order"
    new_lines = {_squeezed(line) for line in pair.whole_after.split("\n")}
    gone = [line for line in listed if _squeezed(line) not in new_lines]
    return f"no longer on a line of its own: {short(gone[0])}" if gone else None


def _squeezed(text: str) -> str:
    """Letters, digits and signs in lower case, without labels, spaces and marks at the end of lines."""
    return "".join(re.sub(r"(?m)^\s*(?:\(?\w{1,2}[.)]|[-*•+])\s+|[.;,]\s*$", "", text.lower()).split())


@cache
def _constraints() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    """By name: the words that say it, and these with all that may stand for them."""

    def any_of(phrases: list[str]) -> re.Pattern[str]:
        return re.compile(
            rf"\b(?:{'|'.join(map(re.escape, sorted(map(str, phrases), key=len, reverse=True)))})\b"
        )

    return {
        name: (any_of(group["says"]), any_of([*group["says"], *group["may_be"]]))
        for name, group in read_lexicon("constraints").items()
    }


@sign("constraints")
def constraints(pair: Pair) -> str | None:
    """Words that limit what is asked have a counterpart: only, exactly, unless, most."""
    before, after = pair.before.folded, pair.after.folded
    lost = [
        name
        for name, (says, any_of) in _constraints().items()
        if says.search(before) and not any_of.search(after)
    ]
    read = read_lexicon("constraints")
    added = [
        name
        for name, (says, any_of) in _constraints().items()
        if says.search(after) and not any_of.search(before) and "only_lost" not in read[name]
    ]
    return format_diff(lost, added)
