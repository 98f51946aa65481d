"""The paraphrase rules: read from rules/*.yaml, matched on a parsed sentence, written out by their templates.

A rule has a stage (`words`, `clause` or `mood`), a pattern of named tokens with conditions, and templates. A
clause rule applies only if every word of the sentence is in a slot of its template or is a token that the
pattern names, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from otherwords.english.lexicon import Patterns, parse_yaml, word_set
from otherwords.english.parse import SUBJECTS, WH, Instruction, Parts, Range
from otherwords.english.questions import Question
from otherwords.english.words import inflect
from otherwords.variants.swaps import Swap, listed, read_swaps

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Stage: TypeAlias = Literal["words", "clause", "mood"]
Clause: TypeAlias = "Question | Instruction | None"
_PAST = frozenset(("was", "were", "did", "had"))
_SAYS = Patterns("rewording")
_SLOT = re.compile(r"\{([<\w]+)([>]?)(?::([\w$]+))?\}")


@dataclass(frozen=True)
class Node:
    """A named token of a pattern and what must hold of it."""

    name: str
    of: Mapping[str, Any]

    def matches(self, token: Token, span: Range) -> bool:
        """Whether the token, with all that hangs on it, is as it must be."""
        of, words = self.of, token.doc[slice(*span)]
        text = words.text.lower()
        found = {name: getattr(token, f"{name}_") for name in ("lower", "tag", "pos", "dep")}
        found |= {"lemma": token.lemma_.lower(), "first": words[0].lower_}
        least, _, most = of.get("words", "1-60").partition("-")
        return (
            all(found[name] in listed(of[name]) for name in found if name in of)
            and not any(found[name] in listed(of[f"not_{name}"]) for name in found if f"not_{name}" in of)
            and int(least) <= len(words) <= int(most or least)
            and ("like" not in of or re.fullmatch(of["like"], text) is not None)
            and ("unlike" not in of or re.search(of["unlike"], text) is None)
        )


@dataclass(frozen=True, eq=False)
class Rule:
    """One file of rules/."""

    name: str
    stage: Stage
    about: str
    strength: str = "medium"
    form: str = ""
    nodes: tuple[Node, ...] = ()
    table: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    """The node whose lemma is looked up in `table`."""
    to: tuple[str, ...] = ()
    noun: str = ""
    indirect: str = ""
    needs: str = ""
    """Of a mood: the form of the clause that its template takes."""
    unless: str = ""
    """A regular expression that the sentence, in lower case, must not have."""
    gives: frozenset[str] = frozenset()
    """Of a clause: which moods may take its `noun`, by what they need: told, named, measured."""
    prompt: str = ""
    """A regular expression that the whole prompt, in lower case, must have."""
    swaps: tuple[Swap, ...] = ()
    marks: frozenset[str] = frozenset((".", "", "!"))
    """Of a mood of instructions: the marks at the end with which it goes."""
    examples: Mapping[str, Any] = field(default_factory=dict)
    refused: Sequence[str] = ()
    never: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Prompts, and wordings that no rule and no chain of rules may make of them."""


@cache
def load_rules() -> tuple[Rule, ...]:
    """All rules, sorted by the names of their files."""
    folder = files("otherwords.variants") / "rules"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return tuple(_rule(name, parse_yaml((folder / name).read_text("utf-8"))) for name in names)


@cache
def rules_of(stage: Stage) -> tuple[Rule, ...]:
    """The rules of one stage."""
    return tuple(rule for rule in load_rules() if rule.stage == stage)


def _rule(file: str, of: dict[str, Any]) -> Rule:
    to = of.pop("to", ())
    return Rule(
        name=file.removesuffix(".yaml"),
        nodes=tuple(Node(node, conditions or {}) for node, conditions in of.pop("when", {}).items()),
        to=(to,) if isinstance(to, str) else tuple(to),
        gives=listed(of.pop("gives", "told")),
        swaps=tuple(chain.from_iterable(map(read_swaps, of.pop("swaps", ())))),
        marks=frozenset(of.pop("marks", (".", "", "!"))),
        **of,
    )


@dataclass(frozen=True)
class Match:
    """Where a rule's named tokens are in a sentence."""

    spans: Mapping[str, Range]
    heads: Mapping[str, Token]
    word: str
    """What the rule's table says, where it has one."""
    end: int


def applies(rule: Rule, doc: Doc, prompt: str) -> bool:
    """Whether the sentence has nothing that the rule must not be used with, and the prompt what it wants."""
    unless = rule.unless and re.search(rule.unless, doc.text.lower())
    return not unless and (not rule.prompt or re.search(rule.prompt, prompt.lower()) is not None)


def match(rule: Rule, doc: Doc, clause: Clause, prompt: str) -> Match | None:
    """Where the rule applies to the sentence; nothing if its conditions do not hold."""
    if not applies(rule, doc, prompt):
        return None
    spans, heads = _given(doc, clause)
    for name, span in _two_questions(doc).items():
        spans[name], heads[name] = span, doc[slice(*span)].root
    for node in rule.nodes:
        found = _find(node, doc, spans, heads)
        if (found is None) != node.of.get("absent", False):
            return None
        if found is not None:
            heads[node.name], spans[node.name] = found
    word = rule.table.get(heads[rule.key].lemma_.lower(), "") if rule.table else ""
    if rule.table and not word:
        return None
    end = clause.end if clause is not None else len(doc) - (doc[-1].text in (".", "!", "?"))
    named = [node.name for node in rule.nodes]
    spans["tail"] = (max([spans[name][1] for name in named if name in spans] or [0]), end)
    return Match(spans, heads, word, end)


def _given(doc: Doc, clause: Clause) -> tuple[dict[str, Range], dict[str, Token]]:
    """The parts that a clause has of itself."""
    if isinstance(clause, Question):
        spans = {"asked": clause.asked, "subject": clause.subject, "lead": clause.lead}
        spans["finite"] = (clause.finite, clause.finite + 1)
        spans |= _named_parts(doc, clause)
        heads = {name: _head(doc, span) for name, span in spans.items() if span[1] > span[0]}
        verb = _verb(doc, clause)
        spans["verb"], heads["verb"] = (verb.i, verb.i + 1), verb
        return spans, heads
    if isinstance(clause, Instruction):
        verb = doc[clause.verb]
        spans = {"verb": (verb.i, verb.i + 1), "rest": (verb.i + 1, clause.end), "phrase": clause.phrase}
        heads = {"verb": verb, "rest": doc[slice(*spans["rest"])].root}
        if clause.lacks_object:
            spans["open_colon"], heads["open_colon"] = (clause.end, clause.end + 1), doc[clause.end]
        return spans, heads
    root = next(token for token in doc if token.dep_ == "ROOT")
    return {"root": (root.i, root.i + 1)}, {"root": root}


def _head(doc: Doc, span: Range) -> Token:
    """The root of a span; of "which two countries" the noun, whatever the parse makes of "which"."""
    if doc[span[0]].lower_ in ("which", "what") and doc[span[1] - 1].pos_ in ("NOUN", "PROPN"):
        inside = range(*span)
        roots = [token for token in doc[slice(*span)] if token.head.i not in inside or token.head == token]
        return roots[-1]
    return doc[slice(*span)].root


def _named_parts(doc: Doc, question: Question) -> dict[str, Range]:
    """Parts of the question, where it has them: what is `counted`, "in", "which" and the `one`, a `lead`."""
    start, stop = question.asked
    words = [token.lower_ for token in doc[start:stop]]
    found = {"after_asked": (stop, question.end)} if stop > start else {}
    if words[:2] == ["how", "many"] and len(words) > 2:
        found["of_these" if words[2] == "of" else "counted"] = (start + 2, stop)
    if words[:1] in (["which"], ["what"]) and len(words) > 1:
        found["one"] = found["options"] = (start + 1, stop)
    if words[1:2] in (["which"], ["what"]) and len(words) > 2:
        found["preposition"], found["one"] = (start, start + 1), (start + 2, stop)
    first, last = question.subject
    to = next((token.i for token in doc[first:last] if token.tag_ == "TO"), 0)
    if question.copular and to > first + 2 and doc[first].lower_ == "the":
        found |= {"article": (first, first + 1), "rank": (first + 1, first + 2)}
        found |= {"ranked": (first + 2, to), "to_do": (to, last)}
    time = _time_at_end(doc, question)
    if time:
        found["time"] = (time, question.end)
    marks = [token.i for token in doc if token.lower_ in (",", "or")]
    if len(marks) == 2 and doc[marks[1]].lower_ == "or" and not question.lead[1]:
        comma, either = marks
        found |= {"compared": (0, comma), "first_option": (comma + 1, either)}
        found |= {"comma": (comma, comma + 1), "or": (either, either + 1)}
        found["second_option"] = (either + 1, question.end)
    if question.lead[1]:
        found["phrase_before"] = (0, question.lead[1] - 1)
        found["condition"] = (1, question.lead[1] - 1)
        found["body"] = (question.lead[1], question.end)
    return found


def _time_at_end(doc: Doc, question: Question) -> int:
    """Where "in 2012" begins at the end, if it goes with the only verb and no other time is there; else 0."""
    main = _verb(doc, question)
    verbs = [token for token in doc[: question.end] if token.pos_ in ("VERB", "AUX") or token.tag_ == "TO"]
    if any(
        token not in (main, doc[question.finite]) and token.dep_ not in ("aux", "auxpass") for token in verbs
    ):
        return 0
    after = doc[question.finite + 2 : question.end - 1]
    first = next((token for token in after if token.lower_ in word_set("questions", "time_or_place")), None)
    if first is None or not _SAYS.time.fullmatch(doc[first.i : question.end].text):
        return 0
    return int(first.i) if first.head in (main, doc[question.finite]) else 0


def _two_questions(doc: Doc) -> dict[str, Range]:
    """The parts of "Who was it, and where did he live?"."""
    for token in doc[2 : len(doc) - 3]:
        wh = token.i + 1 + (doc[token.i + 1].pos_ == "ADP")
        statement = doc[wh + 1].pos_ in ("PRON", "DET") or doc[wh + 1].dep_ in SUBJECTS
        inside = statement and doc[wh].lower_ not in ("which", "whose")  # "and how it works"
        if token.lower_ == "and" and doc[wh].lower_ in WH and not inside:
            comma = token.i - (doc[token.i - 1].text == ",")
            return {
                "first_question": (0, comma),
                "joint": (comma, token.i + 1),
                "second_question": (token.i + 1, len(doc) - 1),
            }
    return {}


def _verb(doc: Doc, question: Question) -> Token:
    """The verb that says what is asked; the auxiliary itself where there is no other."""
    finite = doc[question.finite]
    if finite.dep_ in ("aux", "auxpass") and finite.head.i > finite.i:
        return finite.head
    start = max(question.finite + 1, question.subject[1])
    later = [token for token in doc[start : start + 3] if token.tag_ in ("VB", "VBN", "VBG")]
    return later[0] if later and finite.lemma_ in ("do", "be", "have") and not question.copular else finite


def _find(
    node: Node, doc: Doc, spans: Mapping[str, Range], heads: Mapping[str, Token]
) -> tuple[Token, Range] | None:
    if node.name in spans:
        span = spans[node.name]
        if node.of.get("empty"):
            return (doc[0], span) if span[1] == span[0] else None
        known = node.name in heads and node.matches(heads[node.name], span)
        return (heads[node.name], span) if known else None
    under: str = node.of.get("under", "")
    for token in heads[under].children if under in heads else ():
        span = (token.left_edge.i, token.right_edge.i + 1)
        whole = len(list(token.subtree)) == span[1] - span[0]
        follows = "after" not in node.of or span[0] == spans[node.of["after"]][1]
        if whole and follows and node.matches(token, span):
            return token, span
    return None


def fill(template: str, found: Match, clause: Clause) -> Parts | None:
    """The template with the sentence's words in its slots; nothing where a form is not known."""
    parts: list[str | Range] = []
    end = 0
    for slot in _SLOT.finditer(template):
        parts.append(template[end : slot.start()])
        end = slot.end()
        name, form = slot[1], slot[3]
        if name.startswith("<"):
            parts.append((0, found.spans[name[1:]][0]))
        elif slot[2]:
            parts.append((found.spans[name][1], found.end))
        elif name == "word":
            parts.append(found.word)
        elif name in ("is", "was"):
            finite = found.heads["finite"]
            parts.append("was" if finite.tag_ == "VBD" or finite.lower_ in _PAST else "is")
        elif name in ("statement", "indirect") and isinstance(clause, Question):
            parts += clause.statement if name == "statement" else clause.indirect
        elif form in ("was", "tense"):
            past = form == "was" or found.heads["verb"].tag_ == "VBD"
            parts.append(_be(found.heads[name], past=past))
        elif form:
            said = inflect(found.heads[name].lemma_.lower(), form)
            if not said:
                return None
            parts.append(said)
        else:
            parts.append(found.spans[name])
    parts.append(template[end:])
    return tuple(part for part in parts if part and (isinstance(part, str) or part[1] > part[0]))


def _be(subject: Token, *, past: bool) -> str:
    several = subject.tag_ in ("NNS", "NNPS") or any(child.dep_ == "conj" for child in subject.children)
    return ("were" if past else "are") if several else ("was" if past else "is")


def covers(template: str, parts: Parts, found: Match, clause: Clause) -> bool:
    """Whether each word of the sentence is in one slot, or is a token that the rule names."""
    start = clause.lead[1] if isinstance(clause, Question) else 0
    places = [place for part in parts if not isinstance(part, str) for place in range(*part)]
    used = set(places)
    if len(used) < len(places) or max(places, default=0) >= found.end:
        return False
    if isinstance(clause, Question) and ("{statement}" in template or "{indirect}" in template):
        used.update(range(clause.finite, clause.end))
    for name, head in found.heads.items():
        used.add(head.i)
        if name in ("asked", "lead", "joint"):
            used.update(range(*found.spans[name]))
    if isinstance(clause, Instruction):
        used.update(range(*clause.opener))
    return all(place in used for place in range(start, found.end))
