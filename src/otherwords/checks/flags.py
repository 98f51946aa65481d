"""Flags: reasons for a judge or a person to look. None of them refuses a variant."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from otherwords.checks.asked import asked_changes
from otherwords.checks.base import flag, format_diff, short
from otherwords.checks.polarity import denials, exchanged_opposites, may_deny
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon
from otherwords.english.words import are_related_names, edit_distance, lemma, share_stem

if TYPE_CHECKING:
    from spacy.tokens import Token

_SHORTEST, _LONGEST = 0.45, 2.2


@flag("length", english=False)
def length(pair: Pair) -> str | None:
    """The variant is neither much shorter nor much longer."""
    was, now = len(pair.whole_before.split()), len(pair.whole_after.split())
    if not was or _SHORTEST <= now / was <= _LONGEST or abs(now - was) < 8:
        return None
    return f"{now} words instead of {was}"


# A line of a list or a table: with a label, a bullet or bars, or a short name and a colon.
_LISTED = re.compile(r"\s*(?:\(?\w{1,2}[.)]\s|[-*•|+]\s?\S|[^\n:]{1,30}:\s*\S).*")


@flag("lines", english=False)
def lines(pair: Pair) -> str | None:
    """Every line of a list or a table is there, with its words."""
    if "\n" not in pair.whole_before:
        return None
    after = _squeezed(pair.whole_after)
    listed = [line for line in pair.whole_before.split("\n") if _LISTED.fullmatch(line)]
    gone = [line for line in listed if _squeezed(line) not in after]
    return f"changed or lost: {short(gone[0])}" if gone else None


def _squeezed(text: str) -> str:
    """Letters, digits and signs in lower case, without labels, spaces and marks at the end of lines."""
    return "".join(re.sub(r"(?m)^\s*(?:\(?\w{1,2}[.)]|[-*•+])\s+|[.;,]\s*$", "", text.lower()).split())


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
        if token.pos_ not in _CONTENT or len(bare) < 2 or not bare[0].isalnum() or token.like_num:
            continue
        if not {word, bare, token.lower_}.isdisjoint(others | _frame_words()):
            continue
        if any(start <= token.idx < end for start, end in measured) or may_deny(token):
            continue
        related = are_related_names if token.pos_ == "PROPN" else share_stem
        if not groups.isdisjoint(new) or any(related(word, one) for one in content):
            continue
        found.append(token)
    return tuple(found)


_CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV", "INTJ"))


@cache
def _frame_words() -> frozenset[str]:
    return frozenset(read_lexicon("frame_words")["words"].split())


@flag("names")
def names(pair: Pair) -> str | None:
    """No name is lost or added."""
    lost, added = (
        [
            token.text
            for token in unmatched(here, there)
            if token.pos_ == "PROPN" and not _abbreviated(token, there)
        ]
        for here, there in ((pair.before, pair.after), (pair.after, pair.before))
    )
    return format_diff(sorted(lost), sorted(added))


def _abbreviated(token: Token, other: Reading) -> bool:
    """Whether the other text has the initials of the words that the name stands among."""
    capitals = {one.text.rstrip("s.") for one in other.tokens if one.text.isupper() and len(one.text) > 1}
    if token.text.isupper() and len(token.text) > 1:
        initials = "".join(one.text[0] for one in other.tokens if one.text[0].isalpha()).lower()
        return token.text.lower().rstrip("s") in initials
    return any(token.text[0].upper() in abbreviation for abbreviation in capitals)


def _replaced(pair: Pair, part: str) -> str | None:
    lost, added = (
        [token.text.lower() for token in unmatched(here, there) if token.pos_ == part]
        for here, there in ((pair.before, pair.after), (pair.after, pair.before))
    )
    return format_diff(sorted(lost), sorted(added)) if lost and added else None


@flag("nouns")
def nouns(pair: Pair) -> str | None:
    """No noun is replaced by another that is no synonym of it."""
    return _replaced(pair, "NOUN")


_LITTLE = 0.35
"""Word edit distance up to which a rewording stands so near its original that every word counts."""
_QUANTIFIERS = frozenset("all any one both each every most some many few either neither".split())


@flag("edited")
def edited(pair: Pair) -> str | None:
    """Where nearly all words stayed, none is gone or new that says something."""
    before, after = pair.before.words, pair.after.words
    if edit_distance(before, after) > _LITTLE * max(len(before), len(after), 1):
        return None
    commands = frozenset(read_lexicon("requests")["commands"].split())
    lost, added = (
        [one.text.lower() for one in unmatched(*two) if lemma(one) not in commands]
        for two in ((pair.before, pair.after), (pair.after, pair.before))
    )
    small = Counter(before) - Counter(after), Counter(after) - Counter(before)
    quantifiers = [[one for one in words if one in _QUANTIFIERS] for words in small]
    asked_lost, asked_added = asked_changes(pair)
    return format_diff([*lost, *quantifiers[0], *asked_lost], [*added, *quantifiers[1], *asked_added])


@flag("adjectives")
def adjectives(pair: Pair) -> str | None:
    """No adjective is replaced by another that is no synonym of it."""
    return _replaced(pair, "ADJ")


@flag("lost_words")
def lost_words(pair: Pair) -> str | None:
    """No two nouns are gone without other words in their place."""
    lost = [token.text for token in unmatched(pair.before, pair.after) if token.pos_ in ("NOUN", "PROPN")]
    return f"lost: {', '.join(lost)}" if len(lost) > 1 and not unmatched(pair.after, pair.before) else None


@flag("new_words")
def new_words(pair: Pair) -> str | None:
    """No content word is added without one of the original going: two of them, or one that narrows a noun."""
    new = [token for token in unmatched(pair.after, pair.before) if token.pos_ in ("NOUN", "PROPN", "ADJ")]
    if not new or unmatched(pair.before, pair.after):
        return None
    narrows = any(
        one.dep_ in ("amod", "compound") or any(child.dep_ == "compound" for child in one.children)
        for one in new
    )
    return f"added: {', '.join(one.text for one in new)}" if len(new) > 1 or narrows else None


@flag("asked_verb")
def asked_verb(pair: Pair) -> str | None:
    """The verb of a question or an instruction is not replaced by one that is no synonym of it."""
    lost, added = (
        [token.text.lower() for token in unmatched(*two) if token.pos_ == "VERB" and _is_asked(token)]
        for two in ((pair.before, pair.after), (pair.after, pair.before))
    )
    return format_diff(lost, added) if lost and added else None


def _is_asked(token: Token) -> bool:
    """Whether it is the main verb of a sentence that asks."""
    asks = "?" in token.sent.text or any(child.tag_.startswith("W") for child in token.children)
    return asks and (token.dep_ == "ROOT" or any(child.tag_.startswith("W") for child in token.children))


@flag("dropped")
def dropped(pair: Pair) -> str | None:
    """No sentence of the original has lost most of its content words."""
    gone = set(unmatched(pair.before, pair.after))
    frame = _frame_words()
    for sentence in pair.before.doc.sents:
        content = [one for one in sentence if one.pos_ in _CONTENT]
        words = [one for one in content if one.lower_ not in frame and lemma(one) not in frame]
        lost = [one for one in words if one in gone]
        if not words and len(content) > 1:  # "Explain your answer."
            words, lost = content, [one for one in content if lemma(one) not in pair.after.lemmas]
        if lost and len(lost) >= 0.6 * len(words):
            return f"may be lost: {' '.join(one.text for one in lost[:6])}"
    return None


@flag("added")
def added(pair: Pair) -> str | None:
    """Nothing is said that the original does not say."""
    new = [
        token
        for token in unmatched(pair.after, pair.before)
        if token.pos_ in ("NOUN", "VERB", "ADJ", "PROPN")
    ]
    lost = unmatched(pair.before, pair.after)
    if len(new) >= 3 and len(new) >= len(lost) + 3:
        return f"added: {' '.join(token.text for token in new[:6])}"
    return None


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


@flag("constraints")
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


@flag("opposite_words")
def opposite_words(pair: Pair) -> str | None:
    """A word may have been replaced by its opposite, or a negation come or gone."""
    found = exchanged_opposites(pair)
    if found:
        return f"lost: {found[0][0]}; added: {found[0][1]}"
    return denials(pair)
