"""`hal_agent`: an agent written for HAL → an Inspect solver; samples → HAL's tasks and files; answers → text.

Inspect copies a sample's files into its sandbox, which an agent in a process of its own does not see. A
solver is not told of them either, so the task gets a first step that makes them available while its sample
runs.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote_to_bytes

import anyio.to_thread
from inspect_ai import Task, task_with
from inspect_ai.log import transcript
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import concurrency

from otherwords.core.contract import AGENT_SECONDS, EXTERNAL_AGENT, ITEM_ID, OWN_PREFIX, VARIANT, VARIANT_KEYS
from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import without_keys
from otherwords.core.types import variant_id
from otherwords.english.language import names_service_failure
from otherwords.runs.agents import AgentError, ProviderError, answered_by
from otherwords.runs.agents.agent_folder import copy_agent, find_agent
from otherwords.runs.agents.process import (
    Containment,
    Ended,
    require_answer,
    run_worker,
    working_folder,
)
from otherwords.runs.agents.tau_bench import replay_actions, tau_bench_fields
from otherwords.runs.agents.trajectory import note_calls_of_answer
from otherwords.runs.progress import prompt_given_to_agent
from otherwords.runs.selectors import parse_selector
from otherwords.runs.settings import revealed

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
"""The field of HAL's own tasks that has the prompt, so that an agent written for one of them finds it."""
PROMPT_NAMES = ("prompt", "question", "input")
"""Fields that always hold the prompt."""
_ALSO_PROMPTS = frozenset({"Question", "problem", "problem_statement", "instruction"})
"""Fields that hold the prompt where the sample's metadata have them, as those have the original wording."""
_SCORING_WORDS = frozenset(
    "annotator annotation answer correct criteria criterion evaluation evaluator expected gold golden grader "
    "grading hint label pass patch reference rubric score scorer scoring solution target test truth".split()
)
"""Words in the names of fields that help to score a sample, and so may give its answer away."""
_LONG = 20
"""Characters from which a text that equals the target is no coincidence."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")
_ERROR = "ERROR:"
"""What a HAL agent's answer begins with when the agent has caught its own failure."""
_ANSWER_FIELDS = ("answer", "response")
SUBFOLDER = "task_files"
"""The folder for a sample's files where one of them has the name of a file of the agent's."""
_current_files: ContextVar[Mapping[str, str]] = ContextVar("otherwords_sample_files")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DATA = re.compile(r"data:[^,]*?(?P<base64>;base64)?,", re.IGNORECASE)
_SANDBOX = re.compile(r"[\w-]+:(?=/)")


@solver
def hal_agent(
    agent_dir: str,
    agent_function: str = "main.run",
    agent_args: Mapping[str, Any] | None = None,
    agent_name: str | None = None,
    python: str | None = None,
    time_limit: float | None = AGENT_SECONDS,
    input_field: str | Sequence[str] | None = None,
    prompt_field: str | None = None,
    metadata_fields: Sequence[str] | None = None,
    copy_folder: bool = True,
    max_processes: int | None = None,
    simulated_user: str | None = None,
    env: Sequence[str] = (),
    memory: int | None = None,
    withheld_files: Sequence[str] = (),
) -> Solver:
    """Have each sample answered by an agent that was written for HAL, in a process of its own.

    The agent's function is called with `{task_id: task}` and returns `{task_id: answer}`. The task has the
    prompt as `prompt`, `question` and `input`; the sample's metadata, except for what may give the answer
    away; and the sample's files, if `run_tasks` runs it, named as HAL names them, in `files` and, if there is
    only one, in `file_name`. Where the agent gives no answer by its own fault, a run scores the sample 0.

    Args:
        agent_dir: The agent's folder.
        agent_function: The function in it, as `module.function`.
        agent_args: The function's keyword arguments.
        agent_name: What the agent is called in logs; by default its folder's name.
        python: The agent's interpreter, or the folder of its virtual environment; ours if not given.
        time_limit: Seconds that one task may take; None for any time.
        input_field: Further names under which the task has the prompt.
        prompt_field: Where the sample keeps its prompt, as for `vary_task`; by default the agent is given all
            that a model would read.
        metadata_fields: The metadata that the task has, in place of all that do not give the answer away.
        copy_folder: Whether the agent works in a copy of its folder, where the sample's files are, too.
        max_processes: Agents that may run at a time; by default one for each core.
        simulated_user: For tau-bench as `load_benchmark` loads it: the model that plays the customer, or an
            empty text. The task is then HAL's, without metadata, and the agent's actions are replayed.
        env: Variables of the environment that the agent has, beside those that every program needs.
        memory: Bytes of memory that the agent's processes may have together; None for any number.
        withheld_files: Files and folders that the copy of the agent's folder does not have.

    Returns:
        An Inspect solver.

    Raises:
        InputError: The folder, the function or the interpreter cannot be used, an argument is wrong, or this
            system is neither Linux nor macOS.

    Example:
        >>> from otherwords import hal_agent
        >>> hal_agent("no/such/folder")
        Traceback (most recent call last):
        otherwords.core.errors.InputError: no/such/folder: the agent's folder does not exist
    """
    may = Containment(time_limit, memory, tuple(env))
    may.require()
    agent = find_agent(agent_dir, agent_function, python)
    arguments = _json_arguments(agent_args or {})
    fields = [input_field] if isinstance(input_field, str) else list(input_field or ())
    selector = None if prompt_field is None else parse_selector(prompt_field)
    name = agent_name or agent.folder.name
    at_a_time = max_processes or os.cpu_count() or 1
    kept_out = {Path(file).resolve() for file in withheld_files}
    if simulated_user is not None and metadata_fields is None:
        metadata_fields = ()  # tau2's have the original wording, and what the actions should be

    async def ask(state: TaskState, prompt: str) -> str:
        task_id = task_id_of(state)
        task, withheld = hal_task(state, prompt, fields, metadata_fields)
        if simulated_user is not None:
            task.update(tau_bench_fields(state, prompt, simulated_user))
        prompt_given_to_agent(prompt)
        request = {
            "module": agent.module,
            "function": agent.function,
            "input": {task_id: task},
            "kwargs": revealed(arguments),
            "task_id": task_id,
        }
        files = current_sample_files()
        async with concurrency(f"agent {name}", at_a_time):
            with working_folder() as place:
                folder = place if copy_folder else agent.folder
                if copy_folder:
                    await anyio.to_thread.run_sync(copy_agent, agent.folder, place, kept_out)
                if files:
                    paths = await anyio.to_thread.run_sync(copy_files, files, place)
                    task.update(
                        files_of_task(paths if copy_folder else [str(place / path) for path in paths])
                    )
                ended, response = await run_worker(agent.python, folder, request, may)
        _record(ended, response or {}, name, task, withheld)
        answer = require_answer(ended, response, may)
        text = answer_text(answer, task_id)
        if simulated_user is not None:
            await replay_actions(state, answer, prompt)
        else:
            note_calls_of_answer(answer)
        return text

    return answered_by(ask, name, selector)


def _record(
    ended: Ended, response: Mapping[str, Any], name: str, task: Mapping[str, Any], withheld: list[str]
) -> None:
    """Write how the process ended into the transcript, where the log viewer shows it."""
    about: dict[str, Any] = {
        "agent": name,
        "given": sorted(task),
        "withheld": withheld,
        "seconds": ended.seconds,
        "exit_code": ended.exit_code,
        "timed_out": ended.timed_out,
        "stdout": ended.stdout,
        "stderr": ended.stderr,
        "traceback": _utf8(response.get("traceback")),
        "metrics": _metrics(response.get("answer")),
    }
    transcript().info(without_keys(about), source="hal_agent")


def _metrics(answer: Any) -> Any:
    """What newer HAL agents count of their own doing, beside the answer."""
    return answer.get("metrics") if isinstance(answer, dict) else None


def _utf8(text: Any) -> str | None:
    return None if text is None else str(text).encode("utf-8", "replace").decode("utf-8")


def _json_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in given.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"the agent's argument '{name}' cannot be handed over: {error}") from error
    return dict(given)


def task_id_of(state: TaskState) -> str:
    """The item's id, the same for all its wordings; the sample's id where it is no wording of ours."""
    for prefix in (OWN_PREFIX, ""):
        item, variant = state.metadata.get(prefix + ITEM_ID), state.metadata.get(prefix + VARIANT)
        ours = {variant_id(str(item), str(variant), again) for again in (0, 1)}
        if item is not None and variant is not None and str(state.sample_id) in ours:
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
    """HAL's task fields for files, as paths that the agent can open from its working folder."""
    fields: dict[str, Any] = {"files": {path: path for path in paths}}
    if len(paths) == 1:
        fields |= {"file_name": paths[0], "file_path": paths[0]}
    return fields


def answer_text(answer: Any, task_id: str) -> str:
    """The answer as a model would have written it; HAL's `{"answer": …}` and `{"response": …}` are opened."""
    if isinstance(answer, dict):
        inner = next((answer[name] for name in _ANSWER_FIELDS if name in answer), answer)
        if inner is not answer:
            return answer_text(inner, task_id)
    if answer is None:
        raise AgentError(f"returned null for task '{task_id}'")
    text = json.dumps(answer, ensure_ascii=False) if isinstance(answer, dict | list) else str(answer)
    if text.lstrip().startswith(_ERROR):
        kind = ProviderError if names_service_failure(text) else AgentError
        raise kind(f"answered with its own error: {text.lstrip().removeprefix(_ERROR)}")
    return text


def _metadata(
    state: TaskState, task_id: str, fields: Sequence[str] | None
) -> tuple[dict[str, Any], list[str]]:
    ours: Sequence[str] = VARIANT_KEYS if task_id != str(state.sample_id) else ()
    if any(name.startswith(OWN_PREFIX) for name in state.metadata):
        ours = ()  # these names are then the sample's own
    theirs = {
        name: value
        for name, value in state.metadata.items()
        if name not in ours and not name.startswith(OWN_PREFIX) and name != EXTERNAL_AGENT
    }
    if fields is not None:
        kept = {name: theirs[name] for name in fields if name in theirs and _is_json(theirs[name])}
    else:
        targets = {text.strip() for text in state.target if len(text) >= _LONG}
        kept = {
            name: _without_scoring_fields(value)
            for name, value in theirs.items()
            if not _names_scoring(name)
            and not (isinstance(value, str) and value.strip() in targets)
            and _is_json(value)
        }
    return kept, sorted(theirs.keys() - kept.keys())


def _names_scoring(name: str) -> bool:
    words = _WORD.findall(_CAMEL.sub(" ", name).casefold())
    return any(word in _SCORING_WORDS or word.removesuffix("s") in _SCORING_WORDS for word in words)


def _without_scoring_fields(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            name: _without_scoring_fields(part)
            for name, part in value.items()
            if not _names_scoring(str(name))
        }
    if isinstance(value, list | tuple):
        return [_without_scoring_fields(part) for part in value]
    return value


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def with_sample_files(task: Task) -> Task:
    """The same task where no sample has files; else a copy that sets `current_sample_files`."""
    files = {sample.id: dict(sample.files) for sample in task.dataset if sample.files}
    if not files:
        return task

    @solver
    def sample_files() -> Solver:
        async def keep(state: TaskState, generate: Generate) -> TaskState:
            _current_files.set(files.get(state.sample_id, {}))
            return state

        return keep

    own = task.setup or []
    return task_with(copy.copy(task), setup=[sample_files(), *(own if isinstance(own, list) else [own])])


def current_sample_files() -> Mapping[str, str]:
    """Of the sample that runs: where each belongs, and its source, which may be the text itself."""
    return _current_files.get({})


def copy_files(files: Mapping[str, str], folder: Path) -> list[str]:
    """Put the files into `folder`, without the folders that they have in common; their paths in it."""
    places = _places(files)
    if any((folder / place).exists() for place in places.values()):
        places = {given: PurePosixPath(SUBFOLDER) / place for given, place in places.items()}
    for given, place in places.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _put(files[given], target)
        except (OSError, ValueError, ImportError) as error:
            raise ProviderError(
                f"the agent could not be given the sample's file '{given}': {error}"
            ) from error
    return [str(place) for place in places.values()]


def _places(files: Mapping[str, str]) -> dict[str, PurePosixPath]:
    plain = {given: PurePosixPath("/" + _SANDBOX.sub("", given).lstrip("/")) for given in files}
    for given, path in plain.items():
        if ".." in path.parts:
            raise ProviderError(
                f"the agent could not be given the sample's file '{given}': it leads out of its folder"
            )
    parents = [path.parents for path in plain.values()]
    shared = next(one for one in parents[0] if all(one in others for others in parents))
    return {given: path.relative_to(shared) for given, path in plain.items()}


def _put(source: str, target: Path) -> None:
    inline = _DATA.match(source)
    if inline:
        rest = source[inline.end() :]
        target.write_bytes(base64.b64decode(rest) if inline["base64"] else unquote_to_bytes(rest))
    elif _ADDRESS.match(source):
        import fsspec  # type: ignore[import-untyped]

        with fsspec.open(source, "rb") as there:
            target.write_bytes(there.read())
    elif _is_path(source) and Path(source).is_dir():
        shutil.copytree(source, target)
    elif _is_path(source):
        shutil.copyfile(source, target)
    else:
        target.write_text(source, encoding="utf-8")


def _is_path(source: str) -> bool:
    """A text that stands for itself may be too long for a path, or have a character that no path has."""
    try:
        return bool(source) and Path(source).exists()
    except (OSError, ValueError):
        return False
