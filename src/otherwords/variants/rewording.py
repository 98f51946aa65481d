"""A prompt → its rewordings by rules: words, then one clause, then one mood; and the choice among them."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from otherwords.core.contract import MEDIUM, MILD
from otherwords.core.errors import MissingDependencyError
from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.parse import AUXILIARIES, INSTALL, WH, EnglishModelError, Instruction, Parts
from otherwords.english.questions import Question
from otherwords.english.spans import same_spans
from otherwords.english.words import word_distance
from otherwords.variants.distance import is_frame_only
from otherwords.variants.parse_rules import Rule, covers, fill, match, rules_of, swaps_in, term, word_places
from otherwords.variants.prompt_sentences import Edit, Sentence, is_well_formed, read_sentences, refusal

_SAYS = Patterns("rewording")
_NOUNS = ("told", "named", "measured")
"""What moods may need of a noun phrase: that the thing is told, called by its name, or worked out."""
_OPENS_QUESTION = WH | AUXILIARIES | {"according", "given", "based"}
_CHANGES = 3
"""Words that may change in a prompt of usual length."""
_WORTH = 0.08
"""A rewording that is nearer than this to one that was chosen is left out where others are."""
_ENOUGH = 3
"""So many rewordings that no frame around the whole original and no near copy of another one is added."""


class Reworded(NamedTuple):
    """A prompt in other words, and by which rules."""

    text: str
    rules: tuple[str, ...]
    strength: str


class _Form(NamedTuple):
    """A sentence after rules: as it is said with its mark, and what moods may take of it."""

    rules: tuple[Rule, ...]
    said: Parts
    frames: Mapping[str, Parts]


def rewordings(text: str) -> Iterator[Reworded]:
    """Rewordings of the prompt, those first that differ most; none where the rules are not sure."""
    try:
        yield from _choose(text, all_rewordings(text))
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
    choices = _word_choices(text, sentences)
    most = max(_CHANGES, sum(len(one.doc) for one in sentences) // 14)
    first, last = [one[0] for one in choices], [one[-1] for one in choices]
    word_sets = [one[:most] for one in (first, last[::2], last[1::2])]
    for edits in word_sets:
        yield _written(text, sentences, edits, {})
    for place in _main(sentences):
        for form in _said_anew(sentences[place], text):
            for edits in ([], *word_sets):
                yield _written(text, sentences, edits, {place: form})


def _main(sentences: Sequence[Sentence]) -> list[int]:
    """The sentences whose clause may change: the last question or the first instruction, and statements.

    Of several questions in a row it is the first: "Tell me why it fails. How can I mend it?".
    """
    questions = [at for at, one in enumerate(sentences) if isinstance(one.clause, Question)]
    instructions = [at for at, one in enumerate(sentences) if isinstance(one.clause, Instruction)]
    unread = any(one.mark == "?" and one.clause is None and ": " not in one.doc.text for one in sentences)
    last = [at for at in questions if set(range(at, questions[-1])) <= set(questions)]
    wishes = [at for at in instructions if sentences[at].kind == "wish"]
    told = [at for at in instructions if at not in wishes]
    main = last[:1] or ([] if unread else [*wishes[:1], *told[:1]])
    return [*main, *(at for at, one in enumerate(sentences) if one.clause is None)][:6]


def _word_choices(prompt: str, sentences: Sequence[Sentence]) -> list[list[Edit]]:
    """What may be said in other words, each with its options.

    A word that the prompt has more than once stays, and none is replaced by one that the prompt has already:
    two words may be meant to differ, and one thing needs one name.
    """
    text = "\n".join(one.doc.text.lower() for one in sentences)
    places = [word_places(sentence.doc) for sentence in sentences]
    known = Counter(word for one in places for word, found in one.items() for _ in found)
    taken: set[tuple[int, int]] = set()
    choices = []
    for rule in rules_of("words"):
        for at, sentence in enumerate(sentences):
            if not rule.applies(sentence.doc, prompt):
                continue
            for span, formed in swaps_in(rule.swaps, sentence.doc, places[at], sentence.free):
                named = term(sentence.doc, span)
                tokens = {(at, place) for place in range(*span)}
                if (text.count(named) if " " in named else known[named]) > 1 or taken & tokens:
                    continue
                taken |= tokens
                alone = not named or len(tokens) > 1
                forms = [form for new, form in formed.items() if alone or new not in known]
                choices += [[Edit(at, span, form, rule) for form in forms]] if forms else []
    return choices


def _said_anew(sentence: Sentence, text: str) -> list[_Form]:
    """The sentence by each clause rule and each mood; where these are few, a question in a frame as it is."""
    found: list[_Form] = []
    for form in _forms(sentence, text):
        found += [form] if form.said else []
        found += _moods(sentence, form, text)
    if len(found) < _ENOUGH and _stays_whole(sentence, text):
        place = "last" if text[: sentence.start].strip() else "whole"
        found += _moods(sentence, _Form((), (), {place: ((0, len(sentence.doc)),)}), text)
    return found


def _stays_whole(sentence: Sentence, text: str) -> bool:
    """Whether it is the prompt's one question, which may lack its mark in a chat."""
    first, doc, others = sentence.doc[0], sentence.doc, text[: sentence.start] + text[sentence.end :]
    opens = first.lower_ in _OPENS_QUESTION or first.pos_ in ("ADP", "SCONJ")
    in_chat = not others.strip() and _SAYS.asked_in_chat.match(doc.text)
    asks = (sentence.mark == "?" or in_chat) and ";" not in doc.text and "?" not in others
    kept = _SAYS.if_asked.search(doc.text) or sentence.asks_the_reader
    told = isinstance(sentence.clause, Instruction)
    return bool((opens or _SAYS.asked_in_place.search(doc.text)) and asks) and not (told or kept)


def _forms(sentence: Sentence, text: str) -> Iterator[_Form]:
    """The sentence as it is, and as each clause rule makes it if its template has all words."""
    clause, doc = sentence.clause, sentence.doc
    yield _Form((), (), _frames(sentence))
    for rule in rules_of("clause"):
        found = match(rule, doc, clause, text) if sentence.kind in rule.form else None
        if found is None:
            continue
        template = _picked(rule, doc.text)
        said = fill(rule, template, found, clause)
        if said is None or not covers(rule, template, said, found, clause):
            continue
        strands = isinstance(clause, Question) and clause.misreads
        forms = {need: form for need, form in rule.gives.items() if not (strands and "{indirect}" in form)}
        filled = {need: fill(rule, form, found, clause) for need, form in forms.items()}
        frames = {need: parts for need, parts in filled.items() if parts}
        if isinstance(clause, Instruction) and not clause.lead[1]:
            frames["phrase"] = said
        if not isinstance(clause, Question) and not template.endswith("?"):
            said = (*said, "." if sentence.mark == "?" else sentence.mark)
        yield _Form((rule,), said if rule.to else (), frames)


def _frames(sentence: Sentence) -> dict[str, Parts]:
    """What moods may take of the sentence as it is."""
    clause, frames = sentence.clause, dict[str, Parts]()
    if sentence.kind == "several":
        return {"indirect": (both,)} if (both := sentence.both_indirect) else {}
    if isinstance(clause, Question) and not clause.lead[1]:
        if not (clause.misreads or sentence.asks_the_reader):
            frames["indirect"] = clause.indirect
        if clause.copular:
            frames |= dict.fromkeys(_NOUNS, (clause.subject,))
    if isinstance(clause, Instruction) and not (clause.lacks_object or clause.lead[1]):
        frames["wish" if sentence.kind == "wish" else "phrase"] = (clause.phrase,)
    return frames


def _picked(rule: Rule, text: str) -> str:
    """One of a rule's templates, by the text, so that prompts do not all get the same one."""
    templates = rule.to or tuple(rule.gives.values())[:1]
    new = [one for one in templates if not text.startswith(one.partition("{")[0] or "{")] or templates
    return new[zlib.crc32(f"{rule.name} {text}".encode()) % len(new)]


def _moods(sentence: Sentence, form: _Form, text: str) -> Iterator[_Form]:
    """The frames that take the form; none where the prompt says something of its question, or gives steps."""
    clause, doc = sentence.clause, sentence.doc
    others = text[: sentence.start] + text[sentence.end :]
    told = isinstance(clause, Instruction)
    if doc[0].lower_ in word_set("instructions", "steps") if told else _SAYS.the_question.search(others):
        return
    for rule in rules_of("mood"):
        if rule.needs not in form.frames or match(rule, doc, clause, text, anew=bool(form.rules)) is None:
            continue
        before, _, after = _picked(rule, doc.text).partition("{" + rule.needs + "}")
        if told and after == "." and sentence.mark in (":", "!"):
            after = sentence.mark
        yield _Form((*form.rules, rule), (before, *form.frames[rule.needs], after), {})


def _written(
    text: str, sentences: Sequence[Sentence], edits: Sequence[Edit], anew: Mapping[int, _Form]
) -> Reworded:
    """The whole prompt with the edits in it, and with some of its sentences said anew."""
    pieces: list[str] = []
    used: list[Rule] = []
    end = 0
    for at, sentence in enumerate(sentences):
        own = [edit for edit in edits if edit.sentence == at]
        if own or at in anew:
            said, by = sentence.say(anew[at].said if at in anew else ((0, len(sentence.doc)),), own)
            pieces += (text[end : sentence.start], said)
            used += by
            end = sentence.end
    used += chain.from_iterable(form.rules for form in anew.values())
    strength = MEDIUM if any(rule.strength == MEDIUM for rule in used) else MILD
    names = tuple(dict.fromkeys(rule.name for rule in used))
    return Reworded("".join((*pieces, text[end:])), names, strength)


def _choose(text: str, pool: Sequence[Reworded]) -> Iterator[Reworded]:
    """Those that differ most from the original and from each other; frames around the original come last."""
    far = {one.text: word_distance(text, one.text) for one in pool}
    gaps = dict(far)
    announcing = {rule.name for rule in rules_of("mood") if rule.needs == "last"}

    def worth(one: Reworded) -> tuple[bool, float]:
        real = gaps[one.text] >= _WORTH and not is_frame_only(text, one.text)
        return real and announcing.isdisjoint(one.rules), far[one.text] + gaps[one.text]

    for chosen in count():
        best = max(pool, key=worth, default=None)
        if best is None or (chosen >= _ENOUGH and not worth(best)[0]):
            return
        yield best
        for one in pool:
            gaps[one.text] = min(gaps[one.text], word_distance(best.text, one.text))
        pool = [one for one in pool if gaps[one.text] > 0]
