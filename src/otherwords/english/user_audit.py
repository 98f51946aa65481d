"""A simulated user's scenario and conversation → the errors of the user: facts it made up, ends too early.

The rules look for what can be told without a model. A user that changes its mind or forgets a wish is not
found, and codes of letters alone (`EHGLPX`) are not taken for facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from otherwords.english.lexicon import Patterns
from otherwords.english.quantities import mentions

Speaker: TypeAlias = Literal["user", "agent", "tool"]
UserError: TypeAlias = Literal["unknown fact", "ended on a question", "gave in"]
UNKNOWN_FACT: UserError = "unknown fact"
"""It says a code, a number, a date, an address or a name that it has from nowhere."""
ENDED_ON_QUESTION: UserError = "ended on a question"
"""It ends the conversation where the agent waits for its answer, which the agent never hears."""
GAVE_IN: UserError = "gave in"
"""It ends the conversation at the agent's first no, where its scenario says what to do then."""
USER_ERRORS: tuple[UserError, ...] = (UNKNOWN_FACT, ENDED_ON_QUESTION, GAVE_IN)

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
        >>> from otherwords.english.user_audit import Turn, audit_user
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
