"""An Inspect task → the texts that its samples share, and a copy whose solver takes those of each sample.

They are the texts of `system_message()` and `prompt_template()` in the task's solver, the system message of
an agent or one that every sample begins with, and the descriptions of tools. A variant that has other words
there has them in the metadata of its sample. A step of the solver is made with them for that sample alone;
what an agent holds is replaced where the model is called, by a hook.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, cast

from inspect_ai import Task, task_with
from inspect_ai.dataset import Sample
from inspect_ai.hooks import BeforeModelGenerate, Hooks, hooks
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
from inspect_ai.tool import ToolDef
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
        held = None if step is not None else next(_held_by(task, ChatMessageSystem), None)
        in_samples = step is None and held is None
        text = _shared_system(task) if in_samples else held.text if held is not None else _text_of(step)
        messages.append(Message("system", text))
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
}
"""Inspect's solvers that have a text of each place, by name, with what makes another one."""


def _steps(task: Task) -> list[Any]:
    solver: Any = task.solver
    return list(solver) if isinstance(solver, Sequence) else [solver]


def _registered(one: Any) -> tuple[str, str]:
    """Inspect's type and name of a thing; empty where it has none."""
    try:
        info = registry_info(one)
    except ValueError:
        return "", ""
    return info.type, info.name.removeprefix("inspect_ai/")


def _step_name(step: Any) -> str:
    return _registered(step)[1]


def _params(step: Any) -> dict[str, Any]:
    """What the solver was made with, as Inspect records it on the solver."""
    return dict(getattr(step, "__registry_params__", {}))


def _find(task: Task, place: str) -> Any | None:
    return next((step for step in _steps(task) if _step_name(step) in _STEPS.get(place, {})), None)


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
    tools = [one if isinstance(one, ToolDef) else ToolDef(one) for one in _held_by(task, ToolDef)]
    if not tools:
        raise _lacks(task, TOOLS, "no tools in its solver that are known before it runs")
    return {tool.name: tool.description for tool in tools}


def _held_by(task: Task, kind: type[Any]) -> Iterator[Any]:
    """What the functions of the task's solver hold of a kind; a tool counts as its definition."""
    waiting: list[Any] = _steps(task)
    seen: set[int] = set()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, kind) or (kind is ToolDef and _is_tool(one)):
            yield one
        elif isinstance(one, list | tuple):
            waiting += one
        elif inspect.isfunction(one) and not _is_tool(one):
            waiting += [cell.cell_contents for cell in one.__closure__ or () if _is_filled(cell)]


def _is_tool(one: Any) -> bool:
    return callable(one) and _registered(one)[0] == "tool"


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # of a function that is not defined yet
        return False


def with_varied_steps(task: Task, places: Sequence[str]) -> Task:
    """A copy of the task whose samples have their own texts at these places."""
    steps = _steps(task)
    for place in places:
        found = _find(task, place)
        if found is not None:
            steps = [varied(one, place) if one is found else one for one in steps]
    if TOOLS in places or (SYSTEM in places and _find(task, SYSTEM) is None):
        agents = shared_texts(task, [place for place in places if place != TEMPLATE])
        if TOOLS in places or not agents.system_in_samples:
            steps = [with_own_texts(one, _system_of(agents)) for one in steps]
    return task_with(copy.copy(task), solver=chain(*steps))


def _system_of(shared: SharedTexts) -> str:
    first = shared.template.messages[0]
    return first.content if first.role == "system" else ""


@solver
def varied(step: Solver, place: str) -> Solver:
    """The solver `step`, made with the text that the sample has for `place`, if it has one."""
    given = {name: value for name, value in _params(step).items() if name != "template"}
    make = _STEPS[place][_step_name(step)]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = (state.metadata.get(PLACES_KEY) or {}).get(place)
        if text is None:
            return await step(state, generate)
        return cast(TaskState, await make(text, **given)(state, generate))

    return solve


_NONE: Mapping[str, Any] = MappingProxyType({})
_own: ContextVar[Mapping[str, Any]] = ContextVar("otherwords_own_texts", default=_NONE)
"""While a step of a sample runs: its descriptions of tools by name, and its system message by the old one."""


@solver
def with_own_texts(step: Solver, system: str) -> Solver:
    """The solver `step`, whose model is shown the sample's own system message and descriptions of tools."""
    _show_in_runs_of_others()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        texts = state.metadata.get(PLACES_KEY) or {}
        new = {system: texts[SYSTEM]} if system and SYSTEM in texts else {}
        before = _own.set({TOOLS: texts.get(TOOLS, {}), SYSTEM: new})
        try:
            return await step(state, generate)
        finally:
            _own.reset(before)

    return solve


def show_own_texts(data: BeforeModelGenerate) -> None:
    """Changes what the model is about to be shown to what the sample has; doing it twice is harmless."""
    own = _own.get()
    if not own:
        return
    for tool in data.tools:
        tool.description = own.get(TOOLS, {}).get(tool.name, tool.description)
    for place, message in enumerate(data.input):
        text = own.get(SYSTEM, {}).get(message.text) if message.role == "system" else None
        if text is not None:
            data.input[place] = message.model_copy(update={"content": text})


@cache
def _show_in_runs_of_others() -> None:
    """Our own runs call `show_own_texts` before they look at what is shown.

    Inspect announces every hook that a process has, so there is none until a task needs it.
    """

    @hooks(name="otherwords_texts", description="Shows the model a sample's own texts.")
    class TextHooks(Hooks):
        def enabled(self) -> bool:
            return bool(_own.get())

        async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
            show_own_texts(data)
