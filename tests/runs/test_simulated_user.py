from __future__ import annotations

from typing import Any

import pytest
from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)

from otherwords.core.contract import STRENGTHS
from otherwords.core.contract import USER_TRAITS as TRAITS
from otherwords.core.errors import InputError
from otherwords.runs import parse_selector, vary_task
from otherwords.runs.simulated_user import USER_STYLES, USER_TRAITS, user_errors, with_simulated_user

SCENARIO = "You are Emma Kim.\nYou want to cancel reservation EHGLP3."


def conversation(opening: Any = None) -> Task:
    first = opening or ChatMessageSystem(
        content=f"Play a customer.\n<scenario>\n{SCENARIO}\n</scenario>\n", metadata={"kept": True}
    )
    sample = Sample(id="t", input=[first, ChatMessageUser(content="Begin.")], metadata={"own": 1})
    return Task(dataset=MemoryDataset([sample], name="shop"), name="shop", metadata={"of": "theirs"})


def opening(task: Task) -> str:
    return task.dataset[0].input[0].text  # type: ignore[union-attr]


def test_the_strengths_are_those_of_rewording() -> None:
    assert list(USER_STYLES) == list(STRENGTHS)


@pytest.mark.parametrize("strength", ["medium", "strong", "naturalistic"])
def test_a_style_is_added_after_the_scenario_and_the_scenario_stays(strength: str) -> None:
    task = conversation()
    before = opening(task)
    styled = with_simulated_user(task, strength)
    assert opening(styled).startswith(before.rstrip())
    added = opening(styled).removeprefix(before.rstrip())
    assert USER_STYLES[strength] in added
    assert "character for character" in added
    assert "###STOP###" in added
    assert parse_selector("message[0]/<scenario>").get(styled.dataset[0]) == SCENARIO
    assert styled.dataset[0].input[1:] == task.dataset[0].input[1:]
    assert opening(task) == before


def test_mild_adds_nothing_but_is_recorded() -> None:
    task = conversation()
    styled = with_simulated_user(task, "mild")
    assert opening(styled) == opening(task)
    assert styled.version == task.version
    assert styled.metadata == {"of": "theirs", "user_style": "mild"}
    assert styled.dataset[0].metadata == {"own": 1, "user_style": "mild"}


def test_every_style_is_another_version_so_that_no_run_resumes_another() -> None:
    versions = {str(with_simulated_user(conversation(), strength).version) for strength in USER_STYLES}
    assert len(versions) == len(USER_STYLES)


def test_the_style_and_the_users_model_outlive_the_rewording_of_the_scenario() -> None:
    from dataclasses import replace

    from otherwords.core.types import original, variant_id
    from otherwords.items import items_from_task

    styled = with_simulated_user(task_with(conversation(), model_roles={"user": "mockllm/model"}), "strong")
    selector = parse_selector("message[0]/<scenario>")
    (item,) = items_from_task(styled, selector)
    other = SCENARIO.replace("want", "wish")
    variant = replace(
        original(item), id=variant_id("t", "para1"), name="para1", kind="paraphrase", prompt=other
    )
    varied = vary_task(styled, [variant], selector=selector)
    assert opening(varied) == opening(styled).replace(SCENARIO, other)
    assert varied.metadata is not None
    assert varied.metadata["user_style"] == "strong"
    assert varied.model_roles is not None
    assert str(varied.model_roles["user"]) == "mockllm/model"


@pytest.mark.parametrize(
    "opening",
    [
        ChatMessageUser(content=f"<scenario>{SCENARIO}</scenario>"),
        ChatMessageSystem(content="Play a customer."),
    ],
    ids=["not the system", "no scenario"],
)
def test_a_task_without_a_simulated_user_is_refused(opening: Any) -> None:
    with pytest.raises(InputError) as refused:
        with_simulated_user(conversation(opening), "strong")
    assert str(refused.value) == (
        "item 't': task 'shop' has no simulated user whose style or trait could be set: its first message is "
        "not a system message with a <scenario> block"
    )


def test_so_is_plain_text() -> None:
    task = Task(dataset=MemoryDataset([Sample(id=1, input="What now?")]), name="plain")
    with pytest.raises(InputError, match=r"^item '1': task 'plain' has no simulated user"):
        with_simulated_user(task, "mild")


def test_an_unknown_style() -> None:
    with pytest.raises(InputError) as refused:
        with_simulated_user(conversation(), "stronger")
    assert str(refused.value) == "unknown user style 'stronger'. Did you mean: strong?"


def test_a_trait_stands_beside_a_style_and_is_another_run() -> None:
    assert tuple(USER_TRAITS) == TRAITS
    task = conversation()
    both = with_simulated_user(task, "medium", "sceptical")
    added = opening(both).removeprefix(opening(task).rstrip())
    assert added.index(USER_STYLES["medium"]) < added.index(USER_TRAITS["sceptical"])
    assert "character for character" in added
    assert both.metadata == {"of": "theirs", "user_style": "medium", "user_trait": "sceptical"}
    alone = with_simulated_user(task, None, "verbose")
    assert alone.dataset[0].metadata == {"own": 1, "user_trait": "verbose"}
    tasks = [task, both, alone, *(with_simulated_user(task, "medium", trait) for trait in (None, "confused"))]
    assert len({str(one.version) for one in tasks}) == len(tasks)
    with pytest.raises(InputError, match=r"unknown user trait 'skeptical'\. Did you mean: sceptical\?"):
        with_simulated_user(task, None, "skeptical")


def test_the_conversation_is_read_from_the_users_side() -> None:
    chat: list[ChatMessage] = [
        ChatMessageSystem(content=f"<scenario>{SCENARIO}</scenario>"),
        ChatMessageUser(content="Begin with #W1234567."),
        ChatMessageAssistant(content="I am Emma Kim. Cancel EHGLP3 or W7654321."),
        ChatMessageUser(content="Shall I?"),
        ChatMessageAssistant(content=""),
        ChatMessageTool(content="bars: X9000"),
        ChatMessageAssistant(content="X9000. ###STOP###"),
    ]
    assert user_errors(chat) == "unknown fact (turn 1: W7654321); ended on a question (turn 4)"
    assert user_errors(chat[:2]) == ""
    many = [*chat[:2], *(ChatMessageAssistant(content=f"It is K{n}{n}{n}{n}X") for n in range(100))]
    assert len(user_errors(many)) == 500
