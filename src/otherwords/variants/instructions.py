"""Other ways to give the same instruction."""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.passages import Passage
from otherwords.variants.protect import MASK, Edit
from otherwords.variants.rule import Edits, Rule
from otherwords.variants.sentences import Sentence
from otherwords.variants.verbs import lexicon

_QUANTITY = (
    r"(?:(?:total|average|final|new|combined|remaining|original|initial|expected|exact|smallest|largest"
    r"|greatest) )?"
    r"(?:value|sum|total|number|average|mean|median|mode|probability|area|volume|perimeter"
    r"|circumference|length|height"
    r"|width|distance|speed|percentage|ratio|cost|price|amount|product|remainder|profit|derivative"
    r"|integral|determinant"
    r"|slope|radius|diameter|mass|weight|density)\b"
)
_SAME: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (verb, re.compile(after), new)
    for verb, after, new in (
        ("calculate", "", "compute"),
        ("compute", "", "calculate"),
        ("choose", rf"(?:the|one|an?|two|three|from|{MASK})\b", "select"),
        ("select", rf"(?:the|one|an?|two|three|from|{MASK})\b(?! \w+ from\b)", "choose"),
        ("pick", r"(?:the|one|an?|two|three|from)\b", "choose"),
        ("find", rf"the {_QUANTITY}|how (?:many|much)\b", "determine"),
        ("find", r"out\b", "determine"),
        ("determine", rf"the {_QUANTITY}", "find"),
        ("determine", r"(?:whether|if|how|which|what|who|where|when|why)\b", "work out"),
        ("write", r"(?:an?|the) (?:\w+ )?(?:function|method|class|algorithm|program)\b", "implement"),
        ("implement", r"an? (?:\w+ )?(?:function|method|class|program|script)\b", "write"),
        (
            "write",
            r"an? (?:\w+ ){0,2}(?:poem|haiku|sonnet|e-?mail|letter|song|limerick|essay|story|speech)\b",
            "compose",
        ),
        (
            "compose",
            r"an? (?:\w+ ){0,2}(?:poem|haiku|sonnet|e-?mail|letter|song|limerick|essay|story|speech)\b",
            "write",
        ),
        ("write", r"an? (?:\w+ ){0,2}(?:script|query|test|regex|pipeline|tool)\b", "create"),
        (
            "create",
            r"an? (?:\w+ ){0,2}(?:list|table|chart|plan|schedule|report|summary|script|file)\b",
            "make",
        ),
        ("generate", r"an? (?:\w+ ){0,2}(?:list|report|summary|table|plan|set|series)\b", "produce"),
        ("provide", r"(?:an?|the|your|two|three|some)\b(?!.*\bwith\b)", "give"),
        (
            "give",
            r"(?:an?|two|three|some|your) (?:\w+ )*?(?:examples?|explanation|reasons?|summary|answer"
            r"|overview|description)\b(?!.*\bto the\b)",
            "provide",
        ),
        ("name", r"the\b", "identify"),
        ("identify", r"(?:which|whether|what|how)\b", "determine"),
        ("verify", r"(?:that|whether)\b", "check"),
        ("check", r"(?:whether)\b", "verify"),
        ("fix", r"(?:the|this) (?:bug|issue|problem|error)\b", "resolve"),
        ("resolve", r"(?:the|this) (?:bug|issue|problem|error)\b", "fix"),
        ("state", r"(?:the|your)\b", "give"),
        ("estimate", r"the\b", "make an estimate of"),
        ("obtain", r"the\b", "get"),
        ("suggest", r"(?:an?|two|three|some|ways)\b", "propose"),
        ("propose", r"(?:an?|two|three|some)\b", "suggest"),
        (
            "remove",
            r"(?:the|all|any|every) (?:\w+ )?(?:files?|rows?|columns?|lines?|items?|records?|entr(?:y"
            r"|ies))\b",
            "delete",
        ),
        ("delete", r"(?:the|all|any|every)\b", "remove"),
        ("develop", r"an? (?:\w+ ){0,2}(?:plan|strategy|model|script|program|function|tool)\b", "create"),
        ("construct", r"an? \b", "build"),
        ("build", r"an? \b", "create"),
        ("evaluate", r"(?:the (?:integral|sum|limit|product|determinant)|" + MASK + ")", "compute"),
    )
)
_SAME_AS: dict[str, list[tuple[re.Pattern[str], str]]] = {}
for _old, _follows, _new in _SAME:
    _SAME_AS.setdefault(_old, []).append((_follows, _new))
_NOUN = {
    "summarize": "a summary of",
    "summarise": "a summary of",
    "explain": "an explanation of",
    "describe": "a description of",
    "list": "a list of",
    "define": "a definition of",
    "compare": "a comparison of",
    "outline": "an outline of",
}
_THING = re.compile(
    rf"(?:the|this|these|those|all|two|three|four|five|six|seven|ten|your|his|its|their|{MASK}|[A-Z]\w*"
    rf"|how|why|what)\b(?! (?:to|with)\b)"
)


def _verb(find: Callable[[Sentence], Edit | None]) -> Callable[[Passage], Edits]:
    """The first instruction that `find` can change; the edit is relative to the sentence."""

    def edits(passage: Passage) -> Edits:
        for sentence in passage.instructions:
            found = find(sentence)
            if found is not None:
                return (Edit(sentence.start + found.start, sentence.start + found.end, found.new),)
        return ()

    return edits


def _same_verb(sentence: Sentence) -> Edit | None:
    after = sentence.verb_at + len(sentence.first) + 1
    for follows, new in _SAME_AS.get(sentence.first, ()):
        if follows.match(sentence.text, after):
            return _in_place_of_verb(sentence, new)
    return None


def _noun(sentence: Sentence) -> Edit | None:
    """ "Summarize the article" → "Give a summary of the article"."""
    noun = _NOUN.get(sentence.first)
    after = sentence.verb_at + len(sentence.first) + 1
    if noun is None or not _THING.match(sentence.text, after):
        return None
    if sentence.first in ("compare", "define") and re.match(r"how|why|what", sentence.text[after:]):
        return None
    return _in_place_of_verb(sentence, f"give {noun}")


def _in_place_of_verb(sentence: Sentence, new: str) -> Edit:
    capital = sentence.text[sentence.verb_at].isupper()
    return Edit(
        sentence.verb_at,
        sentence.verb_at + len(sentence.first),
        new[0].upper() + new[1:] if capital else new,
    )


def _no_please(sentence: Sentence) -> Edit | None:
    if not sentence.polite:
        return None
    at = sentence.verb_at - len("please ")
    first = sentence.text[sentence.verb_at]
    return Edit(at, sentence.verb_at + 1, first.upper() if sentence.text[at].isupper() else first)


def _no_please_anywhere(passage: Passage) -> Edits:
    for sentence in passage.statements:
        if sentence.instructs or sentence.constrains:
            found = _no_please(sentence)
            if found is not None:
                return (Edit(sentence.start + found.start, sentence.start + found.end, found.new),)
    return ()


def _bare_task(passage: Passage) -> Edits:
    """ "Your task is to sort the list." → "Sort the list."."""
    for sentence in passage.instructions:
        if sentence.tasked and not sentence.led:
            letter = sentence.text[sentence.verb_at].upper()
            return (Edit(sentence.start, sentence.start + sentence.verb_at + 1, letter),)
    return ()


def _opening(frame: str, *, of_tasks_only: bool = False) -> Callable[[Passage], Edits]:
    """Before the first instruction, unless a story that is told in the second person leads up to it.

    A task is not there to be told of beside a question, nor is a condition such as "Make sure …" one.
    """

    def edits(passage: Passage) -> Edits:
        if not passage.instructions or (passage.questions and of_tasks_only):
            return ()
        first = passage.instructions[0]
        if _ANOTHER_IMPERATIVE.search(first.text):
            return ()
        if of_tasks_only and _CONDITION.match(first.text, first.verb_at):
            return ()
        at = _frame_place(first)
        if first.led or at is None or _dangles(first) or not _sets_the_task(passage, first):
            return ()
        letter = first.text[first.verb_at].lower()
        return (
            Edit(first.start + at, first.start + first.verb_at + 1, f"{_as_at(first, at, frame)} {letter}"),
        )

    return edits


def _sets_the_task(passage: Passage, sentence: Sentence) -> bool:
    """At the start or at the end of a long prompt; one in its middle is no more than a detail.

    In a story that is told in the second person it is a detail too, unless it comes last and alone.
    """
    own = [other for other in passage.sentences if not other.data and not other.item]
    if passage.tells_of_you():
        return own[-1] is sentence and passage.instructions[0] is sentence
    place = next((at for at, other in enumerate(own) if other is sentence), len(own))
    return place < _NEAR or place >= len(own) - _NEAR


_NEAR = 4
_CONDITION = re.compile(r"(?:make sure|ensure|be sure|remember|note|keep|avoid)\b", re.I)
_ANOTHER_IMPERATIVE = re.compile(r"\b(?:and|but|then),? (?:do not|don['’]t|never|please)\b", re.I)
"""It would not follow "Your task is to …"."""
_SAYS_HOW = ("Using ", "Without ", "With ", "By ", "To ", "As ", "Based ", "From ")


def _frame_place(sentence: Sentence) -> int | None:
    """Where a frame begins: at the start or after a clause, but not after "First,"."""
    at = 0 if sentence.tasked else sentence.verb_at - len("please ") * sentence.polite
    return at if not at or sentence.text[:at].count(" ") > 1 else None


def _dangles(sentence: Sentence) -> bool:
    """ "Using the table, your task is …": what comes first would no longer say how the task is done."""
    return sentence.text.startswith(_SAYS_HOW) and not sentence.tasked


def _as_at(sentence: Sentence, at: int, frame: str) -> str:
    """With the capital that belongs at that place."""
    small = sentence.text[at].islower() and not frame.startswith("I ")
    return frame[0].lower() + frame[1:] if small else frame


def _please(passage: Passage) -> Edits:
    for sentence in passage.instructions:
        at = _frame_place(sentence)
        if at is not None and not sentence.polite and not sentence.led:
            letter = sentence.text[sentence.verb_at].lower()
            new = f"{_as_at(sentence, at, 'Please')} {letter}"
            return (Edit(sentence.start + at, sentence.start + sentence.verb_at + 1, new),)
    return ()


def _here_is(frame: str) -> Callable[[Passage], Edits]:
    """Before the first instruction of a prompt that asks nothing."""

    def edits(passage: Passage) -> Edits:
        first = passage.instructions[0] if passage.instructions else None
        if first is None or first.tasked or first.polite or passage.questions or first.text[0].islower():
            return ()
        if first.led or not _sets_the_task(passage, first):
            return ()
        return (Edit(first.start, first.start, f"{frame} "),)

    return edits


INSTRUCTION_RULES: tuple[Rule, ...] = (
    Rule("same-verb", _verb(_same_verb)),
    Rule("noun", _verb(_noun)),
    Rule("bare-task", _bare_task),
    Rule("no-please", _no_please_anywhere, lexicon("please")),
)
INSTRUCTION_FRAMES: tuple[Rule, ...] = (
    Rule("task-is", _opening("Your task is to", of_tasks_only=True)),
    Rule("want-you", _opening("I want you to")),
    Rule("please", _please),
    Rule("here-task", _here_is("Here is your task:")),
)
