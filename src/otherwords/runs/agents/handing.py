"""A sample as the task that a HAL agent is given, and what the agent gives back as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspect_ai.solver import TaskState

from otherwords.core.types import variant_id
from otherwords.runs.agents.errors import EXTERNAL_AGENT, AgentError

HAL_PROMPT_FIELDS = {
    "taubench_airline": "instruction",
    "taubench_retail": "instruction",
    "gaia": "Question",
    "swebench_verified": "problem_statement",
    "swebench_verified_mini": "problem_statement",
    "usaco": "description",
    "assistantbench": "task",
    "appworld_test_normal": "instruction",
    "appworld_test_challenge": "instruction",
}
"""Where HAL's own tasks have the prompt, so that an agent written for one of them finds it."""
PROMPT_NAMES = ("prompt", "question", "input")
"""Fields that always hold the prompt."""
_ALSO_PROMPTS = frozenset({"Question", "problem", "problem_statement", "instruction"})
"""Fields that hold the prompt where the sample's metadata have them, as those have the original wording."""
_TELLTALE = frozenset(
    "annotator annotation answer correct criteria criterion evaluation evaluator expected gold golden grader "
    "grading hint label pass patch reference rubric score scorer scoring solution target test truth".split()
)
"""Words in the names of fields that help to score a sample, and so may give its answer away."""
_LONG = 20
"""Characters from which a text that equals the target is no coincidence."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")
_OURS = "otherwords_"
_OUR_FIELDS = frozenset(
    "item_id variant kind change paraphrase_id perturbation_kind option_order seed".split()
)
_ERROR = "ERROR:"
"""What a HAL agent's answer begins with when the agent has caught its own failure."""
_ANSWER_FIELDS = ("answer", "response")


def task_id_of(state: TaskState) -> str:
    """The item's id, the same for all its wordings; the sample's id where it is no wording of ours."""
    for prefix in (_OURS, ""):
        item, variant = state.metadata.get(f"{prefix}item_id"), state.metadata.get(f"{prefix}variant")
        if item is not None and variant is not None and str(state.sample_id) == variant_id(item, variant):
            return str(item)
    return str(state.sample_id)


def hal_task(
    state: TaskState, prompt: str, input_fields: Iterable[str], metadata_fields: Sequence[str] | None
) -> tuple[dict[str, Any], list[str]]:
    """The task, and the names of the metadata that were withheld from it."""
    task_id = task_id_of(state)
    task, withheld = _metadata(state, task_id, metadata_fields)
    task.update(dict.fromkeys(_ALSO_PROMPTS & task.keys(), prompt))
    task.update({"id": task_id, "task_id": task_id, "instance_id": task_id})
    task.update(dict.fromkeys(PROMPT_NAMES, prompt))
    if len(state.choices):
        task["choices"] = [choice.value for choice in state.choices]
    task.update(dict.fromkeys(input_fields, prompt))
    return task, withheld


def files_of_task(paths: Sequence[str]) -> dict[str, Any]:
    """The fields by which HAL tells of files, as paths that the agent can open from where it works."""
    told: dict[str, Any] = {"files": {path: path for path in paths}}
    if len(paths) == 1:
        told |= {"file_name": paths[0], "file_path": paths[0]}
    return told


def answer_text(answer: Any, task_id: str) -> str:
    """The answer as a model would have said it; HAL's `{"answer": …}` and `{"response": …}` are opened."""
    if isinstance(answer, dict):
        inner = next((answer[name] for name in _ANSWER_FIELDS if name in answer), answer)
        if inner is not answer:
            return answer_text(inner, task_id)
    if answer is None:
        raise AgentError(f"returned null for task '{task_id}'")
    text = json.dumps(answer, ensure_ascii=False) if isinstance(answer, dict | list) else str(answer)
    if text.lstrip().startswith(_ERROR):
        raise AgentError(f"answered with its own error: {text.lstrip().removeprefix(_ERROR)}")
    return text


def _metadata(
    state: TaskState, task_id: str, fields: Sequence[str] | None
) -> tuple[dict[str, Any], list[str]]:
    ours = _OUR_FIELDS if task_id != str(state.sample_id) else frozenset()
    if any(name.startswith(_OURS) for name in state.metadata):
        ours = frozenset()  # these names are then the sample's own
    theirs = {
        name: value
        for name, value in state.metadata.items()
        if name not in ours and not name.startswith(_OURS) and name != EXTERNAL_AGENT
    }
    if fields is not None:
        kept = {name: theirs[name] for name in fields if name in theirs and _is_json(theirs[name])}
    else:
        targets = {text.strip() for text in state.target if len(text) >= _LONG}
        kept = {
            name: _without_telltales(value)
            for name, value in theirs.items()
            if not _tells(name)
            and not (isinstance(value, str) and value.strip() in targets)
            and _is_json(value)
        }
    return kept, sorted(theirs.keys() - kept.keys())


def _tells(name: str) -> bool:
    words = _WORD.findall(_CAMEL.sub(" ", name).casefold())
    return any(word in _TELLTALE or word.removesuffix("s") in _TELLTALE for word in words)


def _without_telltales(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_telltales(part) for name, part in value.items() if not _tells(str(name))}
    if isinstance(value, list | tuple):
        return [_without_telltales(part) for part in value]
    return value


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
