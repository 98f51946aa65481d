"""An Inspect task → the texts that its samples share, and a copy whose solver takes those of each sample.

They are the texts of `system_message()` and `prompt_template()` in the task's solver, a system message that
every sample begins with, and the descriptions of the tools of `use_tools()`. A variant that has other words
there has them in the metadata of its sample, and the solver's step is made with them for that sample alone.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from inspect_ai import Task, task_with
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem
from inspect_ai.solver import (
    Generate,
    MultipleChoiceTemplate,
    Solver,
    TaskState,
    chain,
    chain_of_thought,
    multiple_choice,
    prompt_template,
    solver,
    system_message,
)
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import registry_info, resource

from otherwords.core.contract import PLACES_KEY, SYSTEM, TEMPLATE, TOOLS
from otherwords.core.errors import InputError
from otherwords.core.template import Template, placeholder_names, tools_text, unfilled
from otherwords.core.types import Message, Prompt, plain_params
from otherwords.runs.selectors import LocationError


@dataclass(frozen=True)
class SharedTexts:
    """What the samples of a task share, as a template."""

    template: Template
    own: str
    """The placeholder of the item's own text."""
    descriptions: Mapping[str, str]
    """Of tools, by name."""
    system_in_samples: bool
    """Whether the system message stands in the samples, not in the solver."""

    def rendered(self, text: str, texts: Mapping[str, Any]) -> Prompt:
        """What is shown of an item with the wording `text`, where the places have these texts."""
        template = self.template
        for place, given in texts.items():
            said = tools_text({**self.descriptions, **given}) if place == TOOLS else str(given)
            template = template.with_part(place, said, template.name)
        return template.render({**unfilled(template, self.own), self.own: text})

    def put(self, sample: Sample, texts: Mapping[str, Any]) -> None:
        """Gives the sample these texts, for `varied` to find."""
        sample.metadata = {**(sample.metadata or {}), PLACES_KEY: plain_params(texts)}
        if SYSTEM in texts and self.system_in_samples:
            _system_message(sample).content = texts[SYSTEM]


def shared_texts(task: Task, places: Sequence[str]) -> SharedTexts:
    """What the samples of a task share at these places.

    Raises:
        InputError: The task has no such place.
    """
    messages: list[Message] = []
    in_samples = False
    if SYSTEM in places:
        step = _find(task, SYSTEM)
        in_samples = step is None
        messages.append(Message("system", _shared_system(task) if step is None else _text_of(step)))
    descriptions = _descriptions(task) if TOOLS in places else {}
    if descriptions:
        messages.append(Message("system", tools_text(descriptions)))
    text, own = "{prompt}", "prompt"
    if TEMPLATE in places:
        step = _find(task, TEMPLATE)
        if step is None:
            raise _lacks(task, TEMPLATE, "no prompt_template(), chain_of_thought() or multiple_choice()")
        text, own = _text_of(step), "question" if _step_name(step) == "multiple_choice" else "prompt"
    if own not in placeholder_names(text):
        raise _lacks(task, TEMPLATE, f"a template without {{{own}}}")
    return SharedTexts(Template((*messages, Message("user", text))), own, descriptions, in_samples)


_STEPS: Mapping[str, Mapping[str, Any]] = {
    SYSTEM: {"system_message": system_message},
    TEMPLATE: {
        "prompt_template": prompt_template,
        "chain_of_thought": chain_of_thought,
        "multiple_choice": multiple_choice,
    },
    TOOLS: {"use_tools": None},
}
"""Inspect's solvers that have a text of each place, by name, with what makes another one."""


def _steps(task: Task) -> list[Any]:
    solver: Any = task.solver
    return list(solver) if isinstance(solver, Sequence) else [solver]


def _step_name(step: Any) -> str:
    try:
        return registry_info(step).name.removeprefix("inspect_ai/")
    except ValueError:
        return ""


def _params(step: Any) -> dict[str, Any]:
    """What the solver was made with, as Inspect records it on the solver."""
    return dict(getattr(step, "__registry_params__", {}))


def _find(task: Task, place: str) -> Any | None:
    return next((step for step in _steps(task) if _step_name(step) in _STEPS[place]), None)


def _text_of(step: Any) -> str:
    given = _params(step)
    if "template" in given:
        return resource(str(given["template"]))
    if _step_name(step) == "chain_of_thought":
        return str(inspect.signature(chain_of_thought).parameters["template"].default)
    kind = ("MULTIPLE" if given.get("multiple_correct") else "SINGLE") + "_ANSWER"
    return str(MultipleChoiceTemplate[kind + ("_COT" if given.get("cot") else "")].value)


def _lacks(task: Task, place: str, what: str) -> InputError:
    return InputError(f"task '{task.name}' has {what}, so that --vary {place} has nothing to vary")


def _system_message(sample: Sample) -> ChatMessage:
    found = [one for one in sample.input if isinstance(one, ChatMessageSystem)]
    if isinstance(sample.input, str) or len(found) != 1 or not isinstance(found[0].content, str):
        raise LocationError
    return found[0]


def _shared_system(task: Task) -> str:
    try:
        texts = {str(_system_message(sample).content) for sample in task.dataset}
    except LocationError:
        texts = set()
    if len(texts) != 1:
        has = "no system_message() in its solver, and its samples do not share one system message"
        raise _lacks(task, SYSTEM, has)
    return texts.pop()


def _descriptions(task: Task) -> dict[str, str]:
    step = _find(task, TOOLS)
    given = [] if step is None else inspect.getclosurevars(step).nonlocals.get("tools", ())
    flat = [one for group in given for one in (group if isinstance(group, Sequence) else [group])]
    tools = [one if isinstance(one, ToolDef) else ToolDef(one) for one in flat if callable(one)]
    if not tools:
        raise _lacks(task, TOOLS, "no use_tools() with tools in its solver")
    return {tool.name: tool.description for tool in tools}


def with_varied_steps(task: Task, places: Sequence[str]) -> Task:
    wrapped = {id(step): place for place in places if (step := _find(task, place)) is not None}
    steps = [varied(one, wrapped[id(one)]) if id(one) in wrapped else one for one in _steps(task)]
    return task_with(copy.copy(task), solver=chain(*steps))


@solver
def varied(step: Solver, place: str) -> Solver:
    """The solver `step`, made with the text that the sample has for `place`, if it has one."""
    given = {name: value for name, value in _params(step).items() if name != "template"}
    make = _STEPS[place][_step_name(step)]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = (state.metadata.get(PLACES_KEY) or {}).get(place)
        if text is None:
            return await step(state, generate)
        if place != TOOLS:
            return cast(TaskState, await make(text, **given)(state, generate))
        state = await step(state, generate)
        state.tools = [_described(tool, text) for tool in state.tools]
        return state

    return solve


def _described(tool: Tool, descriptions: Mapping[str, str]) -> Tool:
    known = ToolDef(tool)
    if descriptions.get(known.name) in (None, known.description):
        return tool
    return ToolDef(tool, description=descriptions[known.name]).as_tool()
