"""Other ways to put the same question or the same instruction."""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.indirect import indirect
from otherwords.variants.nouns import is_noun_phrase
from otherwords.variants.protect import MASK
from otherwords.variants.rule import Rule
from otherwords.variants.sentences import Passage, Sentence

_WHAT_IS_THE = re.compile(r"What (?:is|are) (the .+)\?")
_SUPERLATIVE = re.compile(r"the (?:\w+ )?(?:\w+est|most|least|first|last|only)\b")
_ABSTRACT = re.compile(r"\bdifference\b|the (?:point|use) of\b|the matter\b|\bproblem with\b")
_WHAT_CAUSES = re.compile(r"What causes (.+)\?")
_OWNED = r"(?=(?:the|a|an|your|his|her|their|our|my|this|that) \w)"
_CONTRACTIBLE = re.compile(rf"(What|Who|Where) is {_OWNED}")
_CONTRACTED = re.compile(rf"(What|Who|Where)['’]s {_OWNED}")
_IN_WHICH = re.compile(
    r"In (which|what) (?=(?:year|century|decade|month|country|city|continent|ocean|state)\b)"
)
_PLACE = rf"(?:in|on) (?:(?:the|a|an|each|this) |[A-Z]|{MASK}).+"
_ARE_THERE = re.compile(rf"(How many (?!of\b).+? are )there ({_PLACE})\?")
_ARE_IN = re.compile(rf"(How many (?!of\b)(?:[a-z]+ ){{1,3}}are )({_PLACE})\?")

_CLEARLY_VERBS = (
    "Calculate|Compute|Determine|Identify|Explain|Describe|Define|Translate|Summari[sz]e|Convert|Write|Give|Solve"
    "|Evaluate|Simplify|Choose|Select|Provide|Create|Generate|Find|Rewrite|Classify|Compare|Implement|Fix|Prove"
)
_ALSO_NOUNS = "Name|List|State|Sort|Count|Estimate|Pick|Order|Rank|Complete|Round"
_INSTRUCTION = re.compile(
    rf"((?:{_CLEARLY_VERBS}) \S"
    rf"|(?:{_ALSO_NOUNS}) (?:the|a|an|all|any|one|two|three|four|five|your|this|these)\b"
    rf"|(?:{_ALSO_NOUNS}) (?:how|what|which|who|where|when)\b)"
)
_SAME_VERB = {
    "Calculate": "Compute",
    "Compute": "Calculate",
    "Choose": "Select",
    "Select": "Choose",
    "Pick": "Choose",
}

QuestionFrame = Callable[[str], "str | None"]


def _question(change: QuestionFrame) -> Callable[[Passage], str | None]:
    """After a label such as `Question:` only a question fits."""

    def rewrite(passage: Passage) -> str | None:
        question = passage.question
        new = change(question.text) if question else None
        if question is None or new is None or (question.led and not new.endswith("?")):
            return None
        return passage.with_sentence(question, new)

    return rewrite


def _asked_as(frame: str) -> QuestionFrame:
    def change(question: str) -> str | None:
        clause = indirect(question)
        return frame.format(clause) if clause else None

    return change


def _state_the(question: str) -> str | None:
    match = _WHAT_IS_THE.fullmatch(question)
    if match is None or not is_noun_phrase(match[1], relative=True) or _ABSTRACT.search(match[1]):
        return None
    return f"{'Name' if _SUPERLATIVE.match(match[1]) else 'State'} {match[1]}."


def _cause_of(question: str) -> str | None:
    match = _WHAT_CAUSES.fullmatch(question)
    if match is None:
        return None
    effect = match[1]
    plain = is_noun_phrase(effect if " " in effect else f"the {effect}") and " to " not in effect
    return f"What is the cause of {effect}?" if plain else None


def _contracted(question: str) -> str | None:
    if _CONTRACTIBLE.match(question):
        return _CONTRACTIBLE.sub(r"\1's ", question, count=1)
    return _CONTRACTED.sub(r"\1 is ", question, count=1) if _CONTRACTED.match(question) else None


def _in_what(question: str) -> str | None:
    match = _IN_WHICH.match(question)
    other = {"which": "what", "what": "which"}
    return f"In {other[match[1]]} {question[match.end() :]}" if match else None


def _there(question: str) -> str | None:
    with_there, without = _ARE_THERE.fullmatch(question), _ARE_IN.fullmatch(question)
    if with_there:
        return f"{with_there[1]}{with_there[2]}?"
    return f"{without[1]}there {without[2]}?" if without else None


def _introduced(one: str, several: str) -> Callable[[Passage], str | None]:
    """Before the question, or before a run of questions that ends the prompt."""

    def rewrite(passage: Passage) -> str | None:
        questions = passage.questions
        if not questions or any(question.led for question in questions):
            return None
        first = questions[0]
        if len(questions) == 1:
            return passage.with_sentence(first, f"{one} {first.text}")
        run = passage.sentences[passage.sentences.index(first) :]
        return passage.with_sentence(first, f"{several} {first.text}") if run == questions else None

    return rewrite


def _instruction(change: Callable[[str], str | None]) -> Callable[[Passage], str | None]:
    """On the first instruction of a prompt that asks no question."""

    def rewrite(passage: Passage) -> str | None:
        found = _first_instruction(passage)
        new = change(found.text) if found else None
        return passage.with_sentence(found, new) if found and new else None

    return rewrite


def _first_instruction(passage: Passage) -> Sentence | None:
    if passage.questions:
        return None
    return next(
        (
            one
            for one in passage.sentences
            if not one.listed and _INSTRUCTION.match(_without_please(one.text))
        ),
        None,
    )


def _without_please(text: str) -> str:
    bare = text.removeprefix("Please ")
    return bare[:1].upper() + bare[1:]


def _same_verb(text: str) -> str | None:
    verb, _, rest = text.partition(" ")
    return f"{_SAME_VERB[verb]} {rest}" if verb in _SAME_VERB else None


def _identify(text: str) -> str | None:
    return f"Identify {text[len('Name ') :]}" if text.startswith("Name the ") else None


def _as_part(opening: str) -> Callable[[str], str | None]:
    def change(text: str) -> str | None:
        bare = _without_please(text)
        return f"{opening} {bare[0].lower()}{bare[1:]}"

    return change


FRAME_RULES: tuple[Rule, ...] = (
    Rule("cause-of", _question(_cause_of)),
    Rule("state-the", _question(_state_the)),
    Rule("tell-me", _question(_asked_as("Tell me {}."))),
    Rule("in-what", _question(_in_what)),
    Rule("there", _question(_there)),
    Rule("contraction", _question(_contracted)),
    Rule("want-to-know", _question(_asked_as("I want to know {}."))),
    Rule("state", _question(_asked_as("State {}."))),
    Rule("no-please", _instruction(_without_please)),
    Rule("same-verb", _instruction(_same_verb)),
    Rule("identify", _instruction(_identify)),
    Rule("task-is", _instruction(_as_part("Your task is to"))),
    Rule("want-you", _instruction(_as_part("I want you to"))),
    Rule("here-task", _instruction(lambda text: f"Here is your task: {_without_please(text)}")),
    Rule("answer-this", _introduced("Answer this question:", "Answer these questions:")),
    Rule("here-question", _introduced("Here is a question to answer:", "Here are the questions to answer:")),
    Rule("my-question", _introduced("My question is this:", "My questions are these:")),
)
