"""What agents outside of Inspect share: a solver that asks them, and the model `agent/NAME`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice

from otherwords.core.contract import EXTERNAL_AGENT
from otherwords.core.errors import InputError
from otherwords.core.types import letter_of
from otherwords.runs.agents.failures import ProviderError
from otherwords.runs.selectors import Selector

__all__ = ["PlaceholderModel", "agent_model", "answered_by"]

_PROVIDER = "agent"
Ask = Callable[[TaskState, str], Awaitable[str]]
"""Asks an agent a text in a sample; its answer."""
_BARE_LETTER = re.compile(r"\(?([A-Za-z])[).]?")


def answered_by(ask: Ask, name: str, selector: Selector | None = None) -> Solver:
    """A solver that has every question answered by `ask`; options are asked as Inspect asks a model."""
    choose = multiple_choice()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.metadata[EXTERNAL_AGENT] = True
        if len(state.choices) == 0:
            return _answer(state, await ask(state, _text(state, selector)), name)

        async def ask_in_place_of_a_model(state: TaskState, *_arguments: Any, **_settings: Any) -> TaskState:
            answer = await ask(state, _text(state, None))
            return _answer(state, _as_letter(answer, [choice.value for choice in state.choices]), name)

        return await choose(state, ask_in_place_of_a_model)

    return solve


def _text(state: TaskState, selector: Selector | None) -> str:
    """What the selector chooses, or else all that a model would read."""
    if selector is not None:
        return selector.get(Sample(input=state.input, metadata=state.metadata, id=state.sample_id))
    return "\n\n".join(message.text for message in state.messages if message.text)


def _answer(state: TaskState, answer: str, name: str) -> TaskState:
    # Half of a surrogate pair cannot be written to a log.
    text = answer.encode("utf-8", "replace").decode("utf-8")
    state.output = ModelOutput.from_content(model=name, content=text)
    state.messages.append(ChatMessageAssistant(content=text, model=name))
    return state


def _as_letter(answer: str, options: list[str]) -> str:
    """In the form that is asked of models, where an agent says just an option's letter or its very words."""
    bare = _BARE_LETTER.fullmatch(answer.strip())
    letters = [letter_of(place) for place in range(len(options))]
    if bare and bare[1].upper() in letters:
        return f"ANSWER: {bare[1].upper()}"
    plain = answer.strip().casefold()
    same = [
        letter for letter, option in zip(letters, options, strict=True) if option.strip().casefold() == plain
    ]
    return f"ANSWER: {same[0]}" if len(same) == 1 else answer


def agent_model(name: str) -> str:
    """The model's name for a run of the agent called `name`."""
    plain = " ".join(name.split())
    if not plain:
        raise InputError("the agent needs a name")
    return f"{_PROVIDER}/{plain}"


@modelapi(name=_PROVIDER)
class PlaceholderModel(ModelAPI):
    """The model `agent/NAME` of a run whose agent calls its own models.

    Inspect's logs name a model, and results are told apart by it. This one is a name and cannot be asked.
    """

    async def generate(
        self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        raise ProviderError(
            f"'{self.model_name}' is an agent and no model. What asks a model here, such as a scorer, needs "
            "one of its own, given by its role"
        )
