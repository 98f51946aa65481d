"""A prompt → its rewordings by rules: words, then one clause, then one mood; and the choice among them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from otherwords.core.contract import MEDIUM, MILD
from otherwords.core.errors import MissingDependencyError
from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.parse import AUXILIARIES, INSTALL, WH, EnglishModelError, Instruction, Parts, Wish
from otherwords.english.questions import Question
from otherwords.english.spans import same_spans
from otherwords.english.words import word_distance
from otherwords.variants.distance import is_frame_only
from otherwords.variants.parse_rules import Clause, Match, Rule, applies, covers, fill, match, rules_of
from otherwords.variants.prompt_sentences import (
    Edit,
    Sentence,
    asks_the_reader,
    asks_twice,
    both_indirect,
    is_well_formed,
    read_sentences,
    refusal,
    render,
)
from otherwords.variants.swaps import Swap, swaps_in, term, word_places

_SAYS = Patterns("rewording")
_AFTER_LEAD = frozenset(("polite", "could-you", "can-you-tell", "tell-me", "explain", "work-out"))
"""Frames that may follow "As a travel agent," or "Assuming this,", since the same one is spoken of."""
_NOUNS = ("told", "named", "measured")
"""What moods may need of a noun phrase: that the thing is told, called by its name, or worked out."""
_OPENS_QUESTION = WH | AUXILIARIES | {"according", "given", "based"}
_CHANGES = 3
"""Words that may change in a prompt of usual length."""


@dataclass(frozen=True, slots=True)
class Reworded:
    """A prompt in other words, and by which rules."""

    text: str
    rules: tuple[str, ...]
    strength: str
    framed: bool
    """Whether it is a frame around a whole sentence."""


@dataclass(frozen=True)
class _Form:
    """A sentence after a clause rule: as it is said, and as it stands in a frame."""

    rules: tuple[Rule, ...]
    said: Parts
    """The whole sentence with its mark."""
    frames: dict[str, Parts]
    """What moods may take: of a question `indirect` and its noun phrase, of an instruction its `phrase`."""


def rewordings(text: str, k: int) -> list[Reworded]:
    """Up to `k` rewordings of the prompt, those first that differ most; none where the rules are not sure."""
    try:
        return _choose(text, all_rewordings(text), k)
    except EnglishModelError as error:
        raise MissingDependencyError(str(error).removesuffix(f": {INSTALL}") + ".", INSTALL) from error


def all_rewordings(text: str) -> list[Reworded]:
    """Every rewording that the rules make, among which `rewordings` chooses."""
    if refusal(text):
        return []
    found: dict[str, Reworded] = {}
    for one in _candidates(text, read_sentences(text)):
        if one.text not in found and is_well_formed(text, one.text) and same_spans(text, one.text):
            found[one.text] = one
    return list(found.values())


def _candidates(text: str, sentences: Sequence[Sentence]) -> Iterator[Reworded]:
    """Every combination of the stages, the smallest first."""
    word_sets = _word_sets(text, sentences)
    for edits in word_sets:
        if edits:
            yield _written(text, sentences, edits, None, ())
    for place in _main(sentences):
        for rules, parts in _said_anew(sentences[place], text):
            for edits in word_sets:
                yield _written(text, sentences, edits, (place, parts), rules)


def _said_anew(sentence: Sentence, text: str) -> list[tuple[tuple[Rule, ...], Parts]]:
    """The sentence by each clause rule and each mood; where these are few, a question in a frame as it is."""
    found: list[tuple[tuple[Rule, ...], Parts]] = []
    for form in _forms(sentence, text):
        found += [(form.rules, form.said)] if form.rules and form.said else []
        found += _moods(sentence, form, text)
    if len(found) < _ENOUGH and _stays_whole(sentence, text):
        for rule in rules_of("mood"):
            if rule.needs == "whole":
                before = _picked(rule, sentence.doc.text).removesuffix("{whole}")
                if before.endswith("? ") and text[sentence.end :].strip():
                    continue
                found.append(((rule,), (before, (0, len(sentence.doc)))))
    return found


def _stays_whole(sentence: Sentence, text: str) -> bool:
    """Whether it opens the prompt and is a question, or the first part of one: "Which is prime: 9 or 11?"."""
    first, kept = sentence.doc[0], _SAYS.if_asked.search(sentence.doc.text) or _SAYS.asks.search(text)
    if text[: sentence.start].strip() or kept or _is_spoken_of(sentence, text):
        return False
    if first.lower_ not in _OPENS_QUESTION and first.pos_ not in ("ADP", "SCONJ"):
        return False
    if asks_the_reader(sentence):
        return False
    asks = sentence.mark == "?" and ";" not in sentence.doc.text and "?" not in text[sentence.end :]
    line = text[sentence.end :].partition("\n")[0].rstrip()
    opens = sentence.mark == ":" and first.lower_ in WH and line.endswith("?")
    return opens or (asks and (sentence.clause is None or isinstance(sentence.clause, Question)))


def _is_spoken_of(sentence: Sentence, text: str) -> bool:
    """Whether the prompt says something of its question, which then stays a question."""
    return _SAYS.the_question.search(text[: sentence.start] + text[sentence.end :]) is not None


def _main(sentences: Sequence[Sentence]) -> list[int]:
    """The sentences whose clause may change: the last question or the first instruction, and statements.

    Of several questions in a row it is the first: "Tell me why it fails. How can I mend it?".
    """
    questions = [at for at, one in enumerate(sentences) if isinstance(one.clause, Question)]
    instructions = [at for at, one in enumerate(sentences) if isinstance(one.clause, Instruction)]
    unread = any(one.mark == "?" and one.clause is None for one in sentences)
    last = [at for at in questions if set(range(at, questions[-1])) <= set(questions)]
    main = last[:1] or ([] if unread else instructions[:1])
    return [*main, *(at for at, one in enumerate(sentences) if one.clause is None)][:6]


def _word_sets(text: str, sentences: Sequence[Sentence]) -> list[tuple[Edit, ...]]:
    """No change of words, and up to two choices of words that differ from each other."""
    choices = _word_choices(text, sentences)
    most = max(_CHANGES, sum(len(one.doc) for one in sentences) // 14)
    first = [options[0] for options in choices[:most]]
    rest = choices[most:] if len(choices) > most else choices[::2]
    second = [options[-1] for options in rest[:most]]
    third = [options[-1] for options in choices[1::2][:most]]
    return list(dict.fromkeys(tuple(chain(*edits)) for edits in ([], first, second, third)))


def _word_choices(prompt: str, sentences: Sequence[Sentence]) -> list[tuple[tuple[Edit, ...], ...]]:
    """What may be said in other words, and its options; each option has the edits that go together.

    A word that the prompt has more than once is replaced by one synonym at all its places or at none, and by
    none that the prompt has already: two words may be meant to differ, and one thing needs one name.
    """
    text = "\n".join(one.doc.text.lower() for one in sentences)
    known = {word for one in sentences for token in one.doc for word in (token.lower_, token.lemma_.lower())}
    found: dict[tuple[str, int, int], list[tuple[Swap, tuple[Edit, ...]]]] = {}
    taken: dict[int, set[int]] = {}
    places = [word_places(sentence.doc) for sentence in sentences]
    for rule in rules_of("words"):
        for at, sentence in enumerate(sentences):
            if not applies(rule, sentence.doc, prompt):
                continue
            for swap, span, new in swaps_in(rule.swaps, sentence.doc, places[at], sentence.free):
                used = taken.setdefault(at, set())
                if used.isdisjoint(range(*span)):
                    used.update(range(*span))
                    named = term(sentence.doc, span)
                    edits = tuple(
                        Edit(at, span, one, rule)
                        for one, base in zip(new, swap.new, strict=True)
                        if not named or len(swap.words) > 1 or base not in known
                    )
                    key = (named, 0, 0) if named else ("", at, span[0])
                    found.setdefault(key, []).append((swap, edits))
    choices = []
    for (named, _, _), mates in found.items():
        times = text.count(named) if " " in named else sum(len(one.get(named, ())) for one in places)
        same = len({swap.new for swap, _ in mates}) == 1
        if mates[0][1] and (not named or (same and len(mates) == times)):
            choices.append(tuple(zip(*(edits for _, edits in mates), strict=True)))
    return choices


def _forms(sentence: Sentence, text: str) -> list[_Form]:
    """The sentence as it is, and as each clause rule makes it."""
    doc, clause = sentence.doc, sentence.clause
    forms = [_form_as_it_is(sentence)]
    kind = _kind(clause)
    if asks_twice(sentence):
        kind = "several"
    elif _SAYS.joint.search(doc.text):
        return forms
    for rule in rules_of("clause"):
        found = match(rule, doc, clause, text) if rule.form == kind else None
        form = _form_by(rule, _picked(rule, doc.text), found, sentence) if found is not None else None
        if form is not None:
            forms.append(form)
    return forms


def _kind(clause: Clause) -> str:
    """The form of sentence that rules name."""
    if isinstance(clause, Question):
        return "question"
    return "wish" if isinstance(clause, Wish) else "instruction" if clause else "statement"


def _form_as_it_is(sentence: Sentence) -> _Form:
    clause, text = sentence.clause, sentence.doc.text
    frames: dict[str, Parts] = {}
    if asks_twice(sentence):
        both = both_indirect(text)
        if both:
            frames["indirect"] = (both,)
    elif isinstance(clause, Question) and clause.lead != (0, 0):
        if sentence.doc[0].lower_ in word_set("questions", "leads") and not clause.strands_verb:
            frames["indirect"] = clause.indirect
    elif isinstance(clause, Question):
        if not (_SAYS.how_do_i.match(text) or clause.strands_verb or asks_the_reader(sentence)):
            frames["indirect"] = clause.indirect
        frames["statement"] = clause.statement
        if clause.copular:
            frames |= dict.fromkeys(_NOUNS, ((clause.subject[0], clause.end),))
    if isinstance(clause, Instruction) and not clause.lacks_object:
        frames["phrase"] = (clause.phrase,)
    return _Form((), (), frames)


def _form_by(rule: Rule, template: str, found: Match, sentence: Sentence) -> _Form | None:
    clause = sentence.clause
    said = fill(template, found, clause)
    if said is None or not covers(template, said, found, clause):
        return None
    if not rule.to:
        said = ()
    frames: dict[str, Parts] = {}
    for names, form in ((rule.gives, rule.noun), (("indirect",), rule.indirect)):
        strands = "{indirect}" in form and isinstance(clause, Question) and clause.strands_verb
        parts = fill(form, found, clause) if form and not strands else None
        if parts:
            frames |= dict.fromkeys(names, parts)
    if isinstance(clause, Instruction):
        frames["phrase"] = said
        said = (*said, "." if sentence.mark == "?" else sentence.mark)
        if clause.lead != (0, 0):
            said = (clause.lead, *said)
    elif said and isinstance(clause, Question) and clause.lead != (0, 0):
        if "{phrase_before}" not in template and "{condition}" not in template:
            first = said[0]
            opening = first[0].lower() + first[1:] if isinstance(first, str) else first
            said, frames = (clause.lead, opening, *said[1:]), {}
    elif clause is None and not template.endswith("?"):
        said = (*said, sentence.mark)
    return _Form((rule,), said, frames)


def _picked(rule: Rule, text: str) -> str:
    """One of a rule's templates, by the text, so that prompts do not all get the same one."""
    templates = rule.to or (rule.noun or rule.indirect,)
    new = [one for one in templates if not text.startswith(one.partition("{")[0] or "{")] or templates
    return new[zlib.crc32(f"{rule.name} {text}".encode()) % len(new)]


def _moods(sentence: Sentence, form: _Form, text: str) -> Iterator[tuple[tuple[Rule, ...], Parts]]:
    """The frames that take the form."""
    clause = sentence.clause
    kind = "question" if "indirect" in form.frames else _kind(clause)
    spoken_of = kind != "instruction" and sentence.mark == "?" and _is_spoken_of(sentence, text)
    a_step = isinstance(clause, Instruction) and sentence.doc[0].lower_ in word_set("instructions", "steps")
    if spoken_of or a_step:
        return
    for rule in rules_of("mood"):
        marked = isinstance(clause, Instruction) and sentence.mark not in rule.marks | {"?"}
        if rule.needs not in form.frames or rule.form != kind or marked:
            continue
        if match(_of_asked(rule) if form.rules else rule, sentence.doc, clause, text) is None:
            continue
        template = _picked(rule, sentence.doc.text)
        before, _, after = template.partition("{" + rule.needs + "}")
        if isinstance(clause, Instruction) and after == "." and sentence.mark in (":", "!"):
            after = sentence.mark
        if clause is not None and clause.lead != (0, 0):
            if isinstance(clause, Question) and form.rules:
                continue
            if rule.name in _AFTER_LEAD and not (
                rule.name == "could-you" and sentence.doc[0].lower_ == "given"
            ):
                opening = before[0].lower() + before[1:]
                yield (*form.rules, rule), (clause.lead, opening, *form.frames[rule.needs], after)
            continue
        yield (*form.rules, rule), (before, *form.frames[rule.needs], after)


def _of_asked(rule: Rule) -> Rule:
    """The rule with those conditions only that hold of any form of a question."""
    return replace(rule, nodes=tuple(node for node in rule.nodes if node.name == "asked"))


def _written(
    text: str,
    sentences: Sequence[Sentence],
    edits: Sequence[Edit],
    changed: tuple[int, Parts] | None,
    rules: tuple[Rule, ...],
) -> Reworded:
    """The whole prompt with the edits in it, and with one sentence said anew."""
    pieces: list[str] = []
    used: list[Rule] = []
    end = 0
    for at, sentence in enumerate(sentences):
        own = [edit for edit in edits if edit.sentence == at]
        anew = changed is not None and changed[0] == at
        if not own and not anew:
            continue
        parts = changed[1] if changed is not None and anew else ((0, len(sentence.doc)),)
        said, by = render(sentence, parts, own)
        pieces += (text[end : sentence.start], said)
        used += by
        end = sentence.end
    pieces.append(text[end:])
    all_rules = (*used, *rules)
    names = tuple(dict.fromkeys(rule.name for rule in all_rules))
    strength = MEDIUM if any(rule.strength == MEDIUM for rule in all_rules) else MILD
    return Reworded("".join(pieces), names, strength, any(rule.needs == "whole" for rule in rules))


_WORTH = 0.08
"""A rewording that is nearer than this to one that was chosen is left out where others are."""
_ENOUGH = 3
"""So many rewordings that no frame around the whole original and no near copy of another one is added."""
_CHAIN, _NEW, _SIBLING = 0.05, 0.1, 0.3
"""What a third rule costs, what a rule that no other has earns, and how much siblings count."""


def _choose(text: str, found: Sequence[Reworded], k: int) -> list[Reworded]:
    """Those that differ most from the original and from each other; frames around the original come last."""
    far = {one.text: word_distance(text, one.text) for one in found}
    framed = {one.text for one in found if one.framed or is_frame_only(text, one.text)}
    gaps = dict(far)
    pool, chosen = list(found), list[Reworded]()
    while pool and len(chosen) < k:
        known = {rule for one in chosen for rule in one.rules}
        others = any(one.text not in framed and gaps[one.text] >= _WORTH for one in pool)
        worth = {
            one.text: (far[one.text] + min(far[one.text], gaps[one.text])) / 2
            + _SIBLING * gaps[one.text]
            - _CHAIN * max(0, len(one.rules) - 2)
            + _NEW * (not known.issuperset(one.rules))
            - (one.text in framed and others)
            for one in pool
        }
        best = max(pool, key=lambda one: worth[one.text])
        if len(chosen) >= _ENOUGH and (best.text in framed or gaps[best.text] < _WORTH):
            break
        chosen.append(best)
        for one in pool:
            gaps[one.text] = min(gaps[one.text], word_distance(best.text, one.text))
        pool = [one for one in pool if gaps[one.text] > 0]
    return chosen
