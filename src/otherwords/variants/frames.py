"""What may be put before any question, instruction or statement: a last resort, since it rewords nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.passages import Passage
from otherwords.variants.protect import Edit
from otherwords.variants.questions import is_request
from otherwords.variants.rule import Edits, Rule
from otherwords.variants.sentences import Sentence
from otherwords.variants.verbs import lexicon

_UNFINISHED = re.compile(
    r"[^.?!]* (?:is|are|was|were|be|been|in|of|by|to|the|an?|that|as|for|with|from|at|on|called|because"
    r"|than|when"
    r"|which|and|or)\s*|[^.?!]*[a-z)]\s*:\s*|[^?!]*(?:…|\.\.\.|_{2,})\s*"
)
_SHORT = 25
_OPTIONS_WITHIN = re.compile(r"\sA[.):] .+\sB[.):] ", re.DOTALL)
_STATEMENT_OPENERS = lexicon("""
    the a an i i'm i've you you're your we my our he she it they his her its their this that these there
    in on at for after when while because since although during as some many most all each every two
    three one last
""")


_LABELS = {
    "question": ("Answer this question:", "Here is a question to answer:", "My question is this:"),
    "q": ("Answer this question:", "Here is a question to answer:", "My question is this:"),
    "task": ("Here is your task:", "This is your task:", "Your task is this:"),
    "problem": ("Here is the problem:", "This is the problem:", "The problem is this:"),
}
_LABEL = re.compile(r"(question|q|task|problem):\s*$", re.I)


def _other_label(which: int) -> Callable[[Passage], Edits]:
    """Another way to announce what is labelled, where it is labelled once."""

    def edits(passage: Passage) -> Edits:
        led = [sentence for sentence in passage.sentences if sentence.led and not sentence.data]
        if len(led) != 1:
            return ()
        line = passage.text.rfind("\n", 0, led[0].start) + 1
        label = _LABEL.search(passage.text, line, led[0].start)
        if label is None:
            return ()
        gap = label[0][label[0].index(":") + 1 :]
        return (Edit(label.start(), led[0].start, _LABELS[label[1].lower()][which] + gap),)

    return edits


def _introduced(one: str, several: str, request: str) -> Callable[[Passage], Edits]:
    """Before the question, or before a run of questions that ends the prompt."""

    def edits(passage: Passage) -> Edits:
        questions = passage.questions
        if not questions or any(question.led for question in questions):
            return ()
        last = questions[-1]
        if last.text.startswith(("And ", "But ", "Or ", "So ")):
            return ()
        if is_request(last):
            return (_before(last, request),)
        first = _start_of_run(passage, last)
        return (_before(first, one if first is last else several),)

    return edits


def _start_of_run(passage: Passage, last: Sentence) -> Sentence:
    """The first of the questions that stand together with the last one."""
    place = passage.sentences.index(last)
    while place and passage.sentences[place - 1].asks and not is_request(passage.sentences[place - 1]):
        place -= 1
    return passage.sentences[place]


def _before(sentence: Sentence, opening: str) -> Edit:
    small = sentence.text[0].islower()
    return Edit(sentence.start, sentence.start, f"{opening[0].lower() + opening[1:] if small else opening} ")


def _stated(opening: str, unfinished: str) -> Callable[[Passage], Edits]:
    """Before a prompt that neither asks nor instructs."""

    def edits(passage: Passage) -> Edits:
        if (
            passage.questions
            or not passage.statements
            or (passage.instructions and not passage.tells_of_you())
        ):
            return ()
        first = passage.sentences[0]
        if first.data or first.item or first.led or first.text[0].islower() or len(first.text.split()) < 3:
            return ()
        if _is_unfinished(passage, first):
            return (_before(first, unfinished),)
        whole = (
            first.first in _STATEMENT_OPENERS
            and first.text.endswith((".", "!", ":"))
            and len(first.text) > _SHORT
        )
        return (_before(first, opening),) if whole and not _OPTIONS_WITHIN.search(passage.text) else ()

    return edits


def _is_unfinished(passage: Passage, first: Sentence) -> bool:
    """A statement that the options complete, or one that breaks off."""
    if _OPTIONS_WITHIN.search(first.text):
        return True
    others = passage.sentences[1:]
    if not all(other.data or other.item for other in others):
        return False
    return bool(_UNFINISHED.fullmatch(first.text) or (others and first.text[-1] not in ".?!"))


INTRODUCTIONS: tuple[Rule, ...] = (
    Rule(
        "answer-this", _introduced("Answer this question:", "Answer these questions:", "Here is my request:")
    ),
    Rule(
        "here-question",
        _introduced(
            "Here is a question to answer:", "Here are the questions to answer:", "My request is this:"
        ),
    ),
    Rule("my-question", _introduced("My question is this:", "My questions are these:", "I have a request:")),
    Rule("label", _other_label(0)),
    Rule("other-label", _other_label(1)),
    Rule("third-label", _other_label(2)),
    Rule("situation", _stated("Here is the situation:", "Complete this statement:")),
    Rule("this-situation", _stated("This is the situation:", "Finish this statement:")),
    Rule("as-follows", _stated("The situation is as follows:", "Here is a statement to complete:")),
)
