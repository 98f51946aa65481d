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
    from spacy.tokens import Doc, Token


@cache
def _split(text: str) -> frozenset[str]:
    """The words of a text; "$people" stands for that list of `nouns.yaml`."""
    lists = (read_lexicon("nouns")[word[1:]] if word[0] == "$" else word for word in text.split())
    return frozenset(" ".join(lists).split())


def listed(value: str | list[str]) -> frozenset[str]:
    """The words of a list that a rule gives as a text or as a list."""
    return _split(value) if isinstance(value, str) else frozenset(value)


def among(wanted: str | list[str] | None, found: str) -> bool:
    """Whether `found` is in the list; anything is in none."""
    return wanted is None or found in listed(wanted)


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
    for word in str(given.get("each", "*")).split():
        yield _read_swap({name: said for name, said in given.items() if name != "each"}, word)


def _read_swap(of: dict[str, Any], word: str) -> Swap:
    of["swap"] = of["swap"].replace("*", word)
    old, _, new = of.pop("swap").partition(" -> ")
    words, _, pos = old.partition("/")
    return Swap(tuple(words.split()), pos, tuple(one.strip() for one in new.split("|")), of)


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
            if not all(token.i in free for token in here) or not _says(swap, here[0], here):
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


def _says(swap: Swap, first: Token, here: Any) -> bool:
    if swap.pos:
        return (
            first.lemma_.lower() == swap.words[0]
            and first.pos_ == swap.pos
            and first.text[0].islower() | (first.i == 0)
            and not any(
                child.dep_ in ("prt", "dative") for child in first.children
            )  # "buy back", "write me a poem"
        )
    return all(token.lower_.replace("’", "'") == word for token, word in zip(here, swap.words, strict=True))


def _holds(of: Mapping[str, Any], doc: Doc, start: int, stop: int) -> bool:
    word = doc[start]
    for name, wanted in of.items():
        if name == "alone":
            if not _is_alone(doc, start, stop):
                return False
            continue
        if name in ("tag", "dep"):
            if not among(wanted, getattr(word, f"{name}_")):
                return False
            continue
        negated = name.startswith("not_")
        kind = name.removeprefix("not_")
        if kind == "next":
            found = [doc[stop]] if stop < len(doc) else []
        elif kind == "previous":
            found = [doc[start - 1]] if start else []
        elif kind == "object":
            found = [child for child in word.children if child.dep_ in ("dobj", "nsubjpass", "pobj")]
        elif kind == "subject":
            found = [child for child in word.children if child.dep_ in ("nsubj", "nsubjpass")]
        else:
            found = [word.head]
        said = {
            text for token in found for text in (token.lemma_.lower(), token.lower_, token.pos_, token.tag_)
        }
        said.add("end" if not found else "some")
        if bool(said & listed(wanted)) == negated:
            return False
    return True


def _is_alone(doc: Doc, start: int, stop: int) -> bool:
    """Whether a clause has one verb, and it is sure of which noun it is said."""
    verbs = any(token.dep_ == "conj" and token.tag_ in ("VBZ", "VBP", "VBD") for token in doc[stop:])
    several = any(child.dep_ == "conj" for token in doc[start:stop] for child in token.children)
    return not (
        verbs or several or (start and doc[start - 1].dep_ == "pobj")
    )  # "cells in a row that contain"


def _formed(new: str, swap: Swap, token: Token) -> str:
    """In the form that the old word has."""
    if not swap.pos or token.tag_ in ("NN", "NNP", "JJ", "RB", "IN", "VB", "VBP"):
        return new
    first, _, rest = new.partition(" ")
    said = inflect(first, token.tag_)
    return f"{said} {rest}".strip() if said else ""
