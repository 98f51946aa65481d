"""Styles for the simulated user of an Inspect task, and copies of a task with such a style or user model.

The style is a directive beside the scenario, which itself stays as it is. It is given to every variant of a
run alike, so that variants are compared between users of one kind.
"""

from __future__ import annotations

import copy
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, Model

from otherwords.core.contract import MEDIUM, MILD, NATURALISTIC, STRONG
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import stable_hash

__all__ = ["USER_STYLES", "with_user_model", "with_user_style"]

USER_STYLE = "user_style"
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
_FACTS = (
    "This is only about how you say things. What you want, what you know and what you decide is exactly what "
    "the scenario says, and so is what you leave unsaid until you are asked. Names, numbers, codes, dates, "
    "amounts and e-mail addresses are written character for character as the scenario has them, and so are "
    "the signals that end the conversation, such as ###STOP###."
)
_OPENING, _CLOSING = "<scenario>", "</scenario>"


def with_user_style(task: Task, strength: str) -> Task:
    """A copy of `task` whose simulated user talks in the style of `strength`; `mild` adds nothing.

    Every sample must be a chat that opens with the simulated user's system message, with the scenario in a
    block of its own, as tau2's are. The directive comes after that block.
    """
    if strength not in USER_STYLES:
        raise UnknownNameError("user style", strength, USER_STYLES)
    directive = USER_STYLES[strength]
    changed: dict[str, Any] = {}
    if directive:
        # Another style is another run: what was asked in one is never taken for the other's.
        changed["version"] = stable_hash([str(task.version), USER_STYLE, strength])
    return task_with(
        copy.copy(task),
        dataset=MemoryDataset(
            [_styled(sample, strength, directive, task.name) for sample in task.dataset],
            name=task.dataset.name,
            location=task.dataset.location,
            shuffled=task.dataset.shuffled,
        ),
        metadata={**(task.metadata or {}), USER_STYLE: strength},
        **changed,
    )


def with_user_model(task: Task, model: str | Model) -> Task:
    """A copy of `task` whose simulated user is always `model`, whichever model is tested."""
    return task_with(
        copy.copy(task),
        model_roles={**(task.model_roles or {}), "user": model},
        version=stable_hash([str(task.version), "user_model", str(model)]),
    )


def _styled(sample: Sample, strength: str, directive: str, task: str) -> Sample:
    styled = sample.model_copy(deep=True)
    opening = styled.input[0] if isinstance(styled.input, list) and styled.input else None
    if (
        not isinstance(opening, ChatMessageSystem)
        or not isinstance(opening.content, str)
        or _OPENING not in opening.content
        or _CLOSING not in opening.content
    ):
        raise InputError(
            f"task '{task}' has no simulated user whose style could be set: its first message is not a "
            f"system message with a {_OPENING} block",
            item=None if sample.id is None else str(sample.id),
        )
    if directive:
        opening.content = f"{opening.content.rstrip()}\n\n## How you talk\n{directive}\n\n{_FACTS}\n"
    styled.metadata = {**(styled.metadata or {}), USER_STYLE: strength}
    return styled
