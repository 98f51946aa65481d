"""Words of a parsed sentence → other words of the same sense, by tables with conditions on the parse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from otherwords.english.lexicon import read_lexicon
from otherwords.english.parse import Range
from otherwords.english.words import inflect

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


@cache
def listed(text: str) -> frozenset[str]:
    """The words of a text; "$people" stands for that list of `nouns.yaml`."""
    lists = (read_lexicon("nouns")[word[1:]] if word[0] == "$" else word for word in text.split())
    return frozenset(" ".join(lists).split())


@dataclass(frozen=True)
class Swap:
    """Words that may be said in other words."""

    words: tuple[str, ...]
    """Lower-case words; or one lemma, where `pos` is given."""
    pos: str
    new: tuple[str, ...]
    """What may be said instead, each in its base form where `pos` is given."""
    of: Mapping[str, Any]
    """What else must hold: of the word, of its `object`, `subject`, `next` or `previous` word."""


def read_swaps(given: Mapping[str, Any]) -> Iterator[Swap]:
    """The swap that a rule gives; with `each`, one for every word that may stand for the star in it."""
    of = {name: said for name, said in given.items() if name not in ("each", "swap")}
    for word in str(given.get("each", "*")).split():
        old, _, new = given["swap"].replace("*", word).partition(" -> ")
        words, _, pos = old.partition("/")
        yield Swap(tuple(words.split()), pos, tuple(one.strip() for one in new.split("|")), of)


def word_places(doc: Doc) -> dict[str, list[int]]:
    """Where each word of the sentence stands, by its lower-case form and by its lemma."""
    found: dict[str, list[int]] = {}
    for token in doc:
        for word in {token.lower_.replace("’", "'"), token.lemma_.lower()}:
            found.setdefault(word, []).append(token.i)
    return found


def swaps_in(
    swaps: Sequence[Swap], doc: Doc, places: Mapping[str, list[int]], free: frozenset[int]
) -> Iterator[tuple[Swap, Range, tuple[str, ...]]]:
    """The swaps that apply, where, and what may be said there instead; only at tokens that are `free`."""
    for swap in swaps:
        size = len(swap.words)
        for start in places.get(swap.words[0], ()):
            if start + size > len(doc):
                continue
            here = doc[start : start + size]
            if not all(token.i in free for token in here) or not _says(swap, here):
                continue
            if not _holds(swap.of, doc, start, start + size):
                continue
            new = tuple(_formed(one, swap, here[0]) for one in swap.new)
            if all(new) or not swap.pos:
                yield swap, (start, start + size), new


def term(doc: Doc, span: Range) -> str:
    """What must have one name all through a prompt: the verb in a span, or its words; empty for small words.

    Example:
        >>> from otherwords.english.parse import parse
        >>> doc = parse("It never deletes what is in the folder.")
        >>> term(doc, (2, 3)), term(doc, (7, 8)), term(doc, (3, 4))
        ('delete', 'folder', '')
    """
    here = doc[slice(*span)]
    verb = next((token.lemma_.lower() for token in here if token.pos_ == "VERB"), "")
    if verb or all(token.pos_ not in ("NOUN", "ADJ", "ADV") for token in here):
        return verb
    return here[0].lemma_.lower() if len(here) == 1 else here.text.lower()


def _says(swap: Swap, here: Span) -> bool:
    first = here[0]
    if not swap.pos:
        return tuple(token.lower_.replace("’", "'") for token in here) == swap.words
    return (
        first.lemma_.lower() == swap.words[0]
        and first.pos_ == swap.pos
        and (first.text[0].islower() or first.i == 0)
        and all(child.dep_ not in ("prt", "dative") for child in first.children)  # "buy back", "write me a"
    )


def _holds(of: Mapping[str, Any], doc: Doc, start: int, stop: int) -> bool:
    word = doc[start]
    near: dict[str, Span | list[Token]] = {
        "next": doc[stop : stop + 1],
        "previous": doc[max(start, 1) - 1 : start],
        "object": [child for child in word.children if child.dep_ in ("dobj", "nsubjpass", "pobj")],
        "subject": [child for child in word.children if child.dep_ in ("nsubj", "nsubjpass")],
    }
    for name, wanted in of.items():
        if name == "alone":
            holds = _is_alone(doc, start, stop)
        elif name in ("tag", "dep"):
            holds = getattr(word, f"{name}_") in listed(wanted)
        else:
            found = near[name.removeprefix("not_")]
            said = {"some" if found else "end"}
            said.update(*((token.lemma_.lower(), token.lower_, token.pos_, token.tag_) for token in found))
            holds = said.isdisjoint(listed(wanted)) == name.startswith("not_")
        if not holds:
            return False
    return True


def _is_alone(doc: Doc, start: int, stop: int) -> bool:
    """Whether a clause has one verb, and it is sure of which noun it is said."""
    verbs = any(token.dep_ == "conj" and token.tag_ in ("VBZ", "VBP", "VBD") for token in doc[stop:])
    several = any(child.dep_ == "conj" for token in doc[start:stop] for child in token.children)
    of_which = start and doc[start - 1].dep_ == "pobj"  # "cells in a row that contain"
    return not (verbs or several or of_which)


def _formed(new: str, swap: Swap, token: Token) -> str:
    """In the form that the old word has."""
    if not swap.pos or token.tag_ in ("NN", "NNP", "JJ", "RB", "IN", "VB", "VBP"):
        return new
    first, _, rest = new.partition(" ")
    said = inflect(first, token.tag_)
    return f"{said} {rest}".strip() if said else ""
