"""Errors of a simulated user: what must be found, and what must not."""

from __future__ import annotations

import pytest

from otherwords.runs.simulated_user import (
    ENDED_ON_QUESTION,
    GAVE_IN,
    UNKNOWN_FACT,
    FoundError,
    Turn,
    audit_user,
)

SCENARIO = (
    "You are Yusuf Rossi in zip code 19122, phone 555-123-2002, e-mail yusuf.rossi@example.com. You want to "
    "cancel order #W2378156 of 2024-05-20, at most for fifteen hundred dollars. If the agent says it cannot "
    "be cancelled, insist once, and then ask for an exchange."
)


def said(*texts: str) -> list[Turn]:
    """The user begins."""
    return [Turn("agent" if place % 2 else "user", text) for place, text in enumerate(texts)]


def facts(text: str, scenario: str = SCENARIO) -> str:
    found = audit_user(scenario, [Turn("user", text)])
    assert {one.kind for one in found} <= {UNKNOWN_FACT}
    return "; ".join(one.detail for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Hi, I'd like to cancel my order W2378156, please.",
        "my name is Yusuf Rossi, zip 19122, and it's (555) 123 2002 or 5551232002",
        "The last four digits are 2002. Mail me at Yusuf.Rossi@Example.com",
        "It was on May 20th, 2024. The 20 of May.",
        "I can pay up to $1,500.",
        "It's for 3 people, at 10am, the 2nd of them is 41. 50% of it, 20kg, 1st class, iPhone 12.",
        "W-2378156, that is.",
        "I've waited 2 weeks, since 2024. Never mind.",
    ],
)
def test_what_the_scenario_says_may_be_said_in_other_forms(text: str) -> None:
    assert facts(text) == ""


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("It is order #W2378157.", "#W2378157"),
        ("Reservation K1NW8N, please.", "K1NW8N"),
        ("I live in 19123.", "19123"),
        ("Call me on 555-123-2003.", "555-123-2003"),
        ("Write to yusuf@example.com.", "yusuf@example.com"),
        ("It came on May 21st.", "May 21st"),
        ("It came on 2024-05-21.", "2024-05-21"),
        ("I paid $1,200 for it.", "$1,200"),
        ("My name is Yusuf Rosso.", "Yusuf Rosso"),
        ("My user id is yusuf_rossi_9620.", "yusuf_rossi_9620"),
        ("The card ends in 4711.", "4711"),
    ],
)
def test_a_fact_from_nowhere_is_found(text: str, unknown: str) -> None:
    assert facts(text) == unknown


def test_what_the_agent_or_a_tool_has_said_is_known_from_then_on() -> None:
    turns = [
        Turn("user", "Is flight HAT045 free?"),
        Turn("agent", "HAT045 is full, HAT046 is free for $300."),
        Turn("user", "Then HAT046 for $300."),
        Turn("tool", "signal: 4 bars, model X9000"),
        Turn("user", "I have an X9000."),
    ]
    assert audit_user("Fly somewhere.", turns) == [FoundError(UNKNOWN_FACT, 1, "HAT045")]


@pytest.mark.parametrize(
    ("asked", "answer", "is_error"),
    [
        ("It costs $50. Do you want me to cancel it (yes/no)?", "Yes, please go ahead. ###STOP###", True),
        ("Could you give me your zip code?", "It is 19122. ###STOP###", True),
        ("It costs $50. Do you want me to cancel it?", "No, leave it. ###STOP###", False),
        ("It is cancelled. Is there anything else I can help you with?", "No, thanks! ###STOP###", False),
        ("It is cancelled. Do you have any other questions?", "Yes, that was all. ###STOP###", False),
        ("It is cancelled.", "Okay, thanks. ###STOP###", False),
        ("You are being transferred. Is that fine?", "Yes. ###TRANSFER###", False),
        ("Do you want me to cancel it?", "Yes, please.", False),
    ],
)
def test_ending_where_the_agent_waits_for_an_answer(asked: str, answer: str, is_error: bool) -> None:
    kinds = [one.kind for one in audit_user(SCENARIO, said("Hello.", asked, answer))]
    assert kinds == ([ENDED_ON_QUESTION] if is_error else [])


def test_giving_in_at_the_first_no() -> None:
    no = "I am sorry, but this order cannot be cancelled."
    bye = "Oh. All right, bye. ###STOP###"
    assert audit_user(SCENARIO, said("Cancel it.", no, bye)) == [FoundError(GAVE_IN, 3)]
    assert audit_user("You want to cancel your order.", said("Cancel it.", no, bye)) == []
    assert audit_user(SCENARIO, said("Cancel it.", no, "I insist.", no, bye)) == []
    assert audit_user(SCENARIO, said("Cancel it.", "It is done.", bye)) == []


def test_nothing_was_said() -> None:
    assert audit_user(SCENARIO, []) == []
    assert audit_user(SCENARIO, said("###STOP###")) == []
