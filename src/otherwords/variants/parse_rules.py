"""The paraphrase rules: read from rules/*.yaml, matched on a parsed sentence, written out by their templates.

A rule of the stage `words` has swaps: other words of the same sense, with conditions on the parse. One of the
stages `clause` and `mood` has a pattern of named tokens with conditions, and templates. A named group in a
condition `like` names a part of that token's text. A clause rule applies only if every word of the sentence
is in a slot of its template or is a token that the pattern names, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from otherwords.english.lexicon import parse_yaml, read_lexicon
from otherwords.english.parse import Instruction, Parts, Range
from otherwords.english.questions import Question
from otherwords.english.words import inflect

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

Stage: TypeAlias = Literal["words", "clause", "mood"]
Clause: TypeAlias = "Question | Instruction | None"
Found: TypeAlias = "dict[str, Span]"
"""Where a rule's named tokens are in a sentence, each with all that hangs on it."""
_SLOT = re.compile(r"\{(?P<before><)?(?P<name>\w+)(?P<after>>)?(?::(?P<form>\w+))?\}")


@cache
def listed(text: str) -> frozenset[str]:
    """The words of a text; "$people" stands for that list of `nouns.yaml`."""
    lists = (read_lexicon("nouns")[word[1:]] if word[0] == "$" else word for word in text.split())
    return frozenset(" ".join(lists).split())


class Swap(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class Rule:
    """One file of rules/."""

    name: str
    stage: Stage
    about: str
    strength: str = "medium"
    form: str = ""
    when: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The named tokens and what must hold of each."""
    table: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    """The token whose lemma is looked up in `table`."""
    to: tuple[str, ...] = ()
    gives: Mapping[str, str] = field(default_factory=dict)
    """Of a clause: the phrases that moods may take, by what they need: told, named, measured, indirect."""
    needs: str = ""
    """Of a mood: the form of the clause that its template takes."""
    unless: str = "(?!)"
    """A regular expression that the sentence, in lower case, must not have."""
    prompt: str = ""
    """A regular expression that the whole prompt, in lower case, must have."""
    swaps: tuple[Swap, ...] = ()
    examples: Mapping[str, Any] = field(default_factory=dict)
    refused: Sequence[str] = ()

    def applies(self, doc: Doc, prompt: str) -> bool:
        """Whether the sentence has nothing that it must not be used with, and the prompt what it wants."""
        return not re.search(self.unless, doc.text.lower()) and bool(re.search(self.prompt, prompt.lower()))


@cache
def load_rules() -> tuple[Rule, ...]:
    """All rules, sorted by the names of their files."""
    folder = files("otherwords.variants") / "rules"
    rules = []
    for name in sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml")):
        of = parse_yaml((folder / name).read_text("utf-8"))
        to = of.pop("to", ())
        swaps = tuple(chain.from_iterable(map(read_swaps, of.pop("swaps", ()))))
        to = (to,) if isinstance(to, str) else tuple(to)
        rules.append(Rule(name.removesuffix(".yaml"), to=to, swaps=swaps, **of))
    return tuple(rules)


@cache
def rules_of(stage: Stage) -> tuple[Rule, ...]:
    """The rules of one stage."""
    return tuple(rule for rule in load_rules() if rule.stage == stage)


def match(rule: Rule, doc: Doc, clause: Clause, prompt: str, *, anew: bool = False) -> Found | None:
    """Where the rule applies to the sentence; nothing if its conditions do not hold.

    Of a sentence that a clause rule says `anew` only what is asked is looked at.
    """
    if not rule.applies(doc, prompt):
        return None
    found = _given(doc, clause)
    named = [name for name in rule.when if name == "asked" or not anew]
    for name in named:
        of = rule.when[name]
        span = _find(name, of, doc, found)
        if (span is None) != ("absent" in of):
            return None
        if span is not None:
            found[name] = span
            said = re.fullmatch(of.get("like", ".*"), span.text.lower())
            for part in said.groupdict() if said else ():
                start, end = said.span(part) if said else (0, 0)
                inside = doc.char_span(span.start_char + start, span.start_char + end)
                if inside is None:
                    return None
                found[part] = inside
    if rule.table and found[rule.key].root.lemma_.lower() not in rule.table:
        return None
    end = clause.end if clause is not None else len(doc) - (doc[-1].text in (".", "!", "?"))
    found["tail"] = doc[min(end, max([found[name].end for name in named if name in found], default=0)) : end]
    return found


def _given(doc: Doc, clause: Clause) -> Found:
    """The parts that a clause has of itself."""
    found = {"sentence": doc[:]}
    if isinstance(clause, Question):
        start, stop = clause.asked
        found |= {name: doc[slice(*getattr(clause, name))] for name in ("asked", "subject", "lead")}
        found |= {"finite": doc[clause.finite : clause.finite + 1], "after_asked": doc[stop : clause.end]}
        verb = clause.verb
        found |= {"verb": doc[verb : verb + 1], "body": doc[start : clause.end]}
    elif isinstance(clause, Instruction):
        found |= {"verb": doc[clause.verb : clause.verb + 1], "rest": doc[clause.verb + 1 : clause.end]}
        found["lead"] = doc[slice(*clause.lead)]
    else:
        root = next(token.i for token in doc if token.dep_ == "ROOT")
        found["root"] = doc[root : root + 1]
    return found


def _find(name: str, of: Mapping[str, Any], doc: Doc, found: Found) -> Span | None:
    """The part of that name, or the first child that is as it must be."""
    if name in found:
        return found[name] if len(found[name]) and _holds(of, found[name]) else None
    for token in found[of["under"]].root.children if of.get("under") in found else ():
        span = doc[token.left_edge.i : token.right_edge.i + 1]
        follows = "after" not in of or span.start == found[of["after"]].end
        if follows and len(list(token.subtree)) == len(span) and _holds(of, span):
            return span
    return None


def _holds(of: Mapping[str, Any], span: Span) -> bool:
    """Whether the token, with all that hangs on it, is as it must be."""
    token, text = span.root, span.text.lower()
    is_of = {"lower": token.lower_, "tag": token.tag_, "pos": token.pos_, "dep": token.dep_}
    is_of |= {"lemma": token.lemma_.lower(), "first": span[0].lower_}
    least, _, most = of.get("words", "1-60").partition("-")
    return (
        all(is_of[name] in listed(of[name]) for name in is_of if name in of)
        and not any(is_of[name] in listed(of[f"not_{name}"]) for name in is_of if f"not_{name}" in of)
        and int(least) <= len(span) <= int(most or least)
        and re.fullmatch(of.get("like", "(?s:.*)"), text) is not None
        and re.search(of.get("unlike", "(?!)"), text) is None
    )


def fill(rule: Rule, template: str, found: Found, clause: Clause) -> Parts | None:
    """The template with the sentence's words in its slots; nothing where a form is not known."""
    parts: list[Any] = []
    at = 0
    for slot in _SLOT.finditer(template):
        parts.append(template[at : slot.start()])
        at = slot.end()
        name, form, span = slot["name"], slot["form"], found.get(slot["name"])
        if name == "word":
            parts.append(rule.table[found[rule.key].root.lemma_.lower()])
        elif name in ("statement", "indirect"):
            parts += getattr(clause, name)
        elif name == "is":
            parts.append("was" if found["finite"].root.tag_ == "VBD" else "is")
        elif span is None or (form and not inflect(span.root.lemma_.lower(), form)):
            return None
        elif form:
            parts.append(inflect(span.root.lemma_.lower(), form))
        else:
            start, end = (0, span.start) if slot["before"] else (span.start, span.end)
            parts.append((span.end, found["tail"].end) if slot["after"] else (start, end))
    parts.append(template[at:])
    return tuple(part for part in parts if part and (isinstance(part, str) or part[1] > part[0]))


def covers(rule: Rule, template: str, parts: Parts, found: Found, clause: Clause) -> bool:
    """Whether each word of the sentence is in one slot, or is a token that the rule names."""
    end = found["tail"].end
    places = [place for part in parts if not isinstance(part, str) for place in range(*part)]
    used = set(places)
    if len(used) < len(places) or max(places, default=0) >= end:
        return False
    if isinstance(clause, Question) and ("{statement}" in template or "{indirect}" in template):
        used.update(range(clause.finite, clause.end))
    if isinstance(clause, Instruction) and not clause.lead[1]:
        used.update(range(*clause.opener))
    for name, span in found.items():
        if len(span) and (name != "lead" or name in rule.when):
            used.update(range(span.start, span.end) if name in ("asked", "lead", "joint") else (span.root.i,))
    return used.issuperset(range(end))


def word_places(doc: Doc) -> dict[str, list[int]]:
    """Where each word of the sentence stands, by its lower-case form and by its lemma."""
    found: dict[str, list[int]] = {}
    for token in doc:
        for word in {token.lower_.replace("’", "'"), token.lemma_.lower()}:
            found.setdefault(word, []).append(token.i)
    return found


def swaps_in(
    swaps: Sequence[Swap], doc: Doc, places: Mapping[str, list[int]], free: frozenset[int]
) -> Iterator[tuple[Range, dict[str, str]]]:
    """Where the swaps apply at tokens that are `free`, and what may be said there, each with its form."""
    for swap in swaps:
        for start in places.get(swap.words[0], ()):
            span = start, start + len(swap.words)
            says = free.issuperset(range(*span)) and _says(swap, [*doc[slice(*span)]])
            if says and all(_stands(name, wanted, doc, *span) for name, wanted in swap.of.items()):
                formed = {new: _formed(new, swap, doc[start]) for new in swap.new}
                if all(formed.values()) or not swap.pos:
                    yield span, formed


def term(doc: Doc, span: Range) -> str:
    """What must have one name all through a prompt: the verb or the words in a span; else nothing."""
    here = doc[slice(*span)]
    verb = next((token.lemma_.lower() for token in here if token.pos_ == "VERB"), "")
    if verb or all(token.pos_ not in ("NOUN", "ADJ", "ADV") for token in here):
        return verb
    return here[0].lemma_.lower() if len(here) == 1 else here.text.lower()


def _says(swap: Swap, here: Sequence[Token]) -> bool:
    first = here[0]
    if not swap.pos:
        return tuple(token.lower_.replace("’", "'") for token in here) == swap.words
    return (
        (first.lemma_.lower(), first.pos_) == (swap.words[0], swap.pos)
        and (first.text[0].islower() or first.i == 0)
        and all(child.dep_ not in ("prt", "dative") for child in first.children)  # "buy back", "write me a"
    )


def _stands(name: str, wanted: str, doc: Doc, start: int, stop: int) -> bool:
    """Whether one condition of a swap is met."""
    word = doc[start]
    if name == "alone":  # a clause has one verb, and it is sure of which noun it is said
        verbs = any(token.dep_ == "conj" and token.tag_ in ("VBZ", "VBP", "VBD") for token in doc[stop:])
        several = any(child.dep_ == "conj" for token in doc[start:stop] for child in token.children)
        of_which = start and doc[start - 1].dep_ == "pobj"  # "cells in a row that contain"
        return not (verbs or several or of_which)
    if name in ("tag", "dep"):
        return getattr(word, f"{name}_") in listed(wanted)
    near = {
        "next": [*doc[stop : stop + 1]],
        "previous": [*doc[max(start, 1) - 1 : start]],
        "object": [child for child in word.children if child.dep_ in ("dobj", "nsubjpass", "pobj")],
        "subject": [child for child in word.children if child.dep_ in ("nsubj", "nsubjpass")],
    }[name.removeprefix("not_")]
    said = {"some" if near else "end"}
    said.update(*((token.lemma_.lower(), token.lower_, token.pos_, token.tag_) for token in near))
    return said.isdisjoint(listed(wanted)) == name.startswith("not_")


def _formed(new: str, swap: Swap, token: Token) -> str:
    """In the form that the old word has."""
    if not swap.pos or token.tag_ in ("NN", "NNP", "JJ", "RB", "IN", "VB", "VBP"):
        return new
    first, _, rest = new.partition(" ")
    said = inflect(first, token.tag_)
    return f"{said} {rest}".strip() if said else ""
