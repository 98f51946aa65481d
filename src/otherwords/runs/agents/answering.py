"""The text that an agent is asked, and its answer as the sample's output."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice

from otherwords.core.letters import letter_of
from otherwords.runs.agents.errors import EXTERNAL_AGENT
from otherwords.runs.selectors import Selector

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

        async def in_place_of_a_model(state: TaskState, *_arguments: Any, **_settings: Any) -> TaskState:
            said = await ask(state, _text(state, None))
            return _answer(state, _as_letter(said, [choice.value for choice in state.choices]), name)

        return await choose(state, in_place_of_a_model)

    return solve


def _text(state: TaskState, selector: Selector | None) -> str:
    """What the selector chooses, or else all that a model would read."""
    if selector is not None:
        return selector.get(Sample(input=state.input, metadata=state.metadata, id=state.sample_id))
    return "\n\n".join(message.text for message in state.messages if message.text)


def _answer(state: TaskState, said: str, name: str) -> TaskState:
    # Half of a surrogate pair cannot be written to a log.
    text = said.encode("utf-8", "replace").decode("utf-8")
    state.output = ModelOutput.from_content(model=name, content=text)
    state.messages.append(ChatMessageAssistant(content=text, model=name))
    return state


def _as_letter(said: str, options: list[str]) -> str:
    """In the form that is asked of models, where an agent says just an option's letter or its very words."""
    bare = _BARE_LETTER.fullmatch(said.strip())
    letters = [letter_of(place) for place in range(len(options))]
    if bare and bare[1].upper() in letters:
        return f"ANSWER: {bare[1].upper()}"
    plain = said.strip().casefold()
    same = [
        letter for letter, option in zip(letters, options, strict=True) if option.strip().casefold() == plain
    ]
    return f"ANSWER: {same[0]}" if len(same) == 1 else said
