"""A task's simulated user: a copy of the task with a style or trait of it; errors the user made in a chat.

Style and trait are directives beside the scenario, which itself stays as it is. They are given to every
variant of a run alike, so that variants are compared between users of one kind.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from otherwords.core.contract import MEDIUM, MILD, NATURALISTIC, STRONG, USER_ERRORS_KEY
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import stable_hash
from otherwords.english.lexicon import Patterns
from otherwords.english.quantities import mentions

USER_STYLE = "user_style"
USER_TRAIT = "user_trait"
"""Metadata of the task and of each of its samples."""

USER_STYLES = {
    MILD: "",
    MEDIUM: (
        "Talk the way most people do in a chat with a shop: short, everyday sentences in words of your own, "
        "friendly and to the point. Say one thing at a time."
    ),
    STRONG: (
        "Talk in a way that is far from the scenario's. Come to your request by way of what led to it, put "
        "it as a question or a hint rather than as an order, take up points in another order than the "
        "scenario has them where their order does not matter, and choose other words wherever there are any."
    ),
    NATURALISTIC: (
        "Type as someone does on a phone between two other things: mostly lower case, little punctuation, "
        "everyday abbreviations such as pls, thx or cuz, now and then a slip of the finger or half a "
        "sentence that the next message completes. Some messages are a single word."
    ),
}
USER_TRAITS = {
    "impatient": (
        "You are short of time and show it: brief messages, a reminder now and then that you have to go, a "
        "request to come to the point where the agent explains at length. You stay until what you came for "
        "is settled, and you give up none of it for being in a hurry."
    ),
    "confused": (
        "You find this hard to follow. You mix up the agent's terms, ask what a word or a step means, now "
        "and then answer beside the question and set it right when the agent asks again. What you tell in "
        "the end is right and complete."
    ),
    "sceptical": (
        "You doubt what you are told. You ask why, and whether the agent is sure, before you agree to "
        "anything, and you want to hear the terms once more. Once that is answered you go on as the scenario "
        "says."
    ),
    "verbose": (
        "You talk at length: each message comes with how you feel about it, why it matters and a remark on "
        "the side. You make up no name, number, date, person or event for it, and the request itself is "
        "always there, somewhere in the middle."
    ),
}
_FACTS = (
    "This is only about how you say things. What you want, what you know and what you decide is exactly what "
    "the scenario says, and so is what you leave unsaid until you are asked. Names, numbers, codes, dates, "
    "amounts and e-mail addresses are written character for character as the scenario has them, and so are "
    "the signals that end the conversation, such as ###STOP###."
)
_OPENING, _CLOSING = "<scenario>", "</scenario>"


def with_simulated_user(task: Task, style: str | None = None, trait: str | None = None) -> Task:
    """A copy of `task` whose simulated user talks in a style and has a trait; `mild` adds nothing.

    Every sample must be a chat that opens with the simulated user's system message, with the scenario in a
    block of its own, as tau2's are. The directives come after that block.
    """
    for what, given, known in (("style", style, USER_STYLES), ("trait", trait, USER_TRAITS)):
        if given is not None and given not in known:
            raise UnknownNameError(f"user {what}", given, known)
    about = {name: given for name, given in ((USER_STYLE, style), (USER_TRAIT, trait)) if given is not None}
    directives = [USER_STYLES[style or MILD], USER_TRAITS[trait] if trait is not None else ""]
    added = "\n\n".join(filter(None, directives))
    changed: dict[str, Any] = {}
    if added:
        # Another user is another run: what was asked with one is never taken for the other's.
        known_by = [str(task.version), USER_STYLE, style] if trait is None else [str(task.version), about]
        changed["version"] = stable_hash(known_by)
    return task_with(
        copy.copy(task),
        dataset=MemoryDataset(
            [_with_user(sample, about, added, task.name) for sample in task.dataset],
            name=task.dataset.name,
            location=task.dataset.location,
            shuffled=task.dataset.shuffled,
        ),
        metadata={**(task.metadata or {}), **about},
        **changed,
    )


def _with_user(sample: Sample, about: dict[str, str], added: str, task: str) -> Sample:
    changed = sample.model_copy(deep=True)
    opening = changed.input[0] if isinstance(changed.input, list) and changed.input else None
    if (
        not isinstance(opening, ChatMessageSystem)
        or not isinstance(opening.content, str)
        or _OPENING not in opening.content
        or _CLOSING not in opening.content
    ):
        raise InputError(
            f"task '{task}' has no simulated user whose style or trait could be set: its first message is "
            f"not a system message with a {_OPENING} block",
            item=None if sample.id is None else str(sample.id),
        )
    if added:
        opening.content = f"{opening.content.rstrip()}\n\n## How you talk\n{added}\n\n{_FACTS}\n"
    changed.metadata = {**(changed.metadata or {}), **about}
    return changed


# ---- its errors
#
# The rules look for what can be told without a model. A user that changes its mind or forgets a wish is not
# found, and codes of letters alone (`EHGLPX`) are not taken for facts.

LONGEST_RECORD = 500
"""Characters of what is written down of one conversation."""


def with_user_errors(score: Score, state: TaskState) -> Score:
    """The score, with the errors of the user in the sample's conversation in its metadata; empty if none."""
    return score.model_copy(
        update={"metadata": {**(score.metadata or {}), USER_ERRORS_KEY: user_errors(state.messages)}}
    )


def user_errors(messages: list[ChatMessage]) -> str:
    """The errors of the user in a chat that is its own, in which the agent is the one with the role `user`.

    Returns:
        `unknown fact (turn 3: K1NW8N); gave in (turn 9)`; empty where there is none.
    """
    scenario = "\n".join(one.text for one in messages if one.role == "system")
    turns: list[Turn] = []
    for one in messages:
        if one.role == "assistant" and one.text.strip():
            turns.append(Turn("user", one.text))
        elif one.role == "tool":
            turns.append(Turn("tool", one.text))
        elif one.role == "user" and turns:  # what comes before bids the user begin
            turns.append(Turn("agent", one.text))
    told = [
        f"{error.kind} (turn {error.turn}{': ' if error.detail else ''}{error.detail})"
        for error in audit_user(scenario, turns)
    ]
    record = "; ".join(told)
    return record if len(record) <= LONGEST_RECORD else record[: LONGEST_RECORD - 1] + "…"


Speaker: TypeAlias = Literal["user", "agent", "tool"]
UserError: TypeAlias = Literal["unknown fact", "ended on a question", "gave in"]
UNKNOWN_FACT: UserError = "unknown fact"
"""It says a code, a number, a date, an address or a name that it has from nowhere."""
ENDED_ON_QUESTION: UserError = "ended on a question"
"""It ends the conversation where the agent waits for its answer, which the agent never hears."""
GAVE_IN: UserError = "gave in"
"""It ends the conversation at the agent's first no, where its scenario says what to do then."""

_SAYS = Patterns("user_turns")
_JOINTS = str.maketrans("", "", " ().-")
_SHOWN = 3
"""Facts that are named of one message."""


class Turn(NamedTuple):
    speaker: Speaker
    """`tool` for the result of a tool that the user itself has used."""
    text: str


class FoundError(NamedTuple):
    kind: UserError
    turn: int
    """Which of the turns, from 1 on."""
    detail: str = ""
    """The facts."""


def audit_user(scenario: str, turns: Sequence[Turn]) -> list[FoundError]:
    """The errors of a simulated user.

    Args:
        scenario: All that the user was told beforehand, in the wording that it was told it in.
        turns: What was said, in order.

    Returns:
        At most one error of a kind for each turn, in order.

    Example:
        >>> from otherwords.runs.simulated_user import Turn, audit_user
        >>> turns = [Turn("user", "Please cancel K1NW8N."), Turn("agent", "It costs $50. Do you agree?"),
        ...     Turn("user", "Yes, do it. ###STOP###")]
        >>> [(one.kind, one.turn, one.detail) for one in audit_user("Cancel reservation JMO1MG.", turns)]
        [('unknown fact', 1, 'K1NW8N'), ('ended on a question', 3, '')]
    """
    found: list[FoundError] = []
    known, before = scenario, Turn("agent", "")
    refusals = 0
    for place, turn in enumerate(turns, start=1):
        if turn.speaker == "user":
            unknown = list(_unknown_facts(_SAYS.ends.sub("", turn.text), known))
            if unknown:
                shown = ", ".join(dict.fromkeys(unknown[:_SHOWN]))
                found.append(FoundError(UNKNOWN_FACT, place, shown))
            how = _SAYS.ends.search(turn.text)
            if how is not None and how[1] == "STOP" and place > 1:
                said = _SAYS.ends.sub("", turn.text)
                if _is_left_waiting(before.text, said):
                    found.append(FoundError(ENDED_ON_QUESTION, place))
                elif refusals == 1 and _SAYS.refuses.search(before.text) and _SAYS.then.search(scenario):
                    found.append(FoundError(GAVE_IN, place))
        elif turn.speaker == "agent":
            refusals += _SAYS.refuses.search(turn.text) is not None
            before = turn
        known = f"{known}\n{turn.text}"
    return found


def _is_left_waiting(asked: str, said: str) -> bool:
    """Whether the agent's question is open, and the answer to it is a yes or a fact that it never hears."""
    questions = [one for one in _SAYS.question.findall(asked) if not _SAYS.closing.search(one)]
    if not questions:
        return False
    return bool(_SAYS.agrees.search(said)) or any(_facts(said))


def _unknown_facts(said: str, known: str) -> Iterator[str]:
    plain = known.casefold().replace("#", "")
    digits, joined = known.translate(_JOINTS), plain.translate(_JOINTS)
    values: set[Fraction | None] | None = None
    days = set(_days(known))
    for kind, fact in _facts(said):
        if kind == "day":
            if not set(_days(fact)) <= days:
                yield fact
        elif kind == "money":
            number = _SAYS.money.sub(r"\1", fact).replace(",", "")
            values = {one.value for one in mentions(known)} if values is None else values
            if Fraction(number) not in values and number not in digits.replace(",", ""):
                yield fact
        elif kind == "number":
            if fact.translate(_JOINTS) not in digits:
                yield fact
        else:
            bare = fact.casefold().removeprefix("#")
            if bare not in plain and bare.translate(_JOINTS) not in joined:
                yield fact


def _facts(text: str) -> Iterator[tuple[str, str]]:
    """What is said that must come from somewhere: its kind, and it as it stands."""
    for found in _SAYS.own_name.finditer(text):
        yield "name", found[1].strip()
    for found in _SAYS.month_day.finditer(text):
        yield "day", found[0]
    for found in _SAYS.money.finditer(text):
        yield "money", found[0].rstrip(",")
    rest = text
    for pattern in (_SAYS.email, _SAYS.iso_day, _SAYS.code):
        for found in pattern.finditer(rest):
            yield "day" if pattern is _SAYS.iso_day else "code", found[0]
        rest = pattern.sub(" ", rest)
    for found in _SAYS.long_number.finditer(rest):
        if not _SAYS.year.fullmatch(found[0]):
            yield "number", found[0]


def _days(text: str) -> Iterator[tuple[str, int]]:
    """Each day of a year in it, by the first letters of its month."""
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    for found in _SAYS.month_day.finditer(text):
        month, day = (found[1], found[2]) if found[1] else (found[4], found[3])
        yield month[:3].casefold(), int(day)
    for found in _SAYS.iso_day.finditer(text):
        if 1 <= int(found[1]) <= 12:
            yield months[int(found[1]) - 1], int(found[2])
