"""An agent written for HAL, `run({task_id: task}, **kwargs) -> {task_id: answer}`, as a solver."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
from inspect_ai.log import transcript
from inspect_ai.solver import Solver, TaskState, solver
from inspect_ai.util import concurrency

from otherwords.core.errors import InputError
from otherwords.core.keys import without_keys
from otherwords.runs.agents.answering import answered_by
from otherwords.runs.agents.checking import LEFT_OUT, find_agent
from otherwords.runs.agents.files import files_at_hand, lay_out
from otherwords.runs.agents.handing import answer_text, files_of_task, hal_task, task_id_of
from otherwords.runs.agents.process import Ended, run_worker
from otherwords.runs.agents.tau_bench import act_again, tau_bench_fields
from otherwords.runs.hiding import revealed
from otherwords.runs.progress import wording_is_handed_over
from otherwords.runs.selectors import parse_selector

TIME_LIMIT = 600.0
"""Seconds for one task, as in HAL."""
_CACHES = frozenset({"__pycache__"})


@solver
def hal_agent(
    agent_dir: str,
    agent_function: str = "main.run",
    agent_args: Mapping[str, Any] | None = None,
    agent_name: str | None = None,
    python: str | None = None,
    time_limit: float | None = TIME_LIMIT,
    input_field: str | Sequence[str] | None = None,
    prompt_field: str | None = None,
    metadata_fields: Sequence[str] | None = None,
    copy_folder: bool = True,
    max_processes: int | None = None,
    simulated_user: str | None = None,
) -> Solver:
    """Has each sample answered by a HAL agent, in a process of its own.

    `agent_args` are the function's keyword arguments. `python` is the agent's interpreter, or the folder of
    its virtual environment; ours if not given. The agent works in a copy of its folder, unless `copy_folder`
    is false. A sample's files lie in that copy if `run_tasks` runs it, and the task names them as HAL does,
    in `files` and, if there is but one, in `file_name`.

    The task that it gets has the prompt as `prompt`, `question` and `input`, and under the names of
    `input_field`; `prompt_field` is a selector for the prompt, which is else all that a model would read.
    The sample's metadata are in the task too, but for what may give the answer away; `metadata_fields`
    names exactly those that shall be. An agent that gives no answer is recorded as the sample's error.

    `simulated_user` is for tau-bench as `load_benchmark` loads it: the model that plays the customer, or an
    empty text. The task is then HAL's, without metadata, and the actions that the agent took are taken again.
    """
    if time_limit is not None and not time_limit > 0:
        raise InputError(f"the agent's time limit must be more than 0 seconds, got {time_limit:g}")
    agent = find_agent(agent_dir, agent_function, python)
    arguments = _json_arguments(agent_args or {})
    fields = [input_field] if isinstance(input_field, str) else list(input_field or ())
    selector = None if prompt_field is None else parse_selector(prompt_field)
    name = agent_name or agent.folder.name
    at_a_time = max_processes or os.cpu_count() or 1
    if simulated_user is not None and metadata_fields is None:
        metadata_fields = ()  # tau2's have the original wording, and what the actions should be

    async def ask(state: TaskState, prompt: str) -> str:
        task_id = task_id_of(state)
        task, withheld = hal_task(state, prompt, fields, metadata_fields)
        if simulated_user is not None:
            task.update(tau_bench_fields(state, prompt, simulated_user))
        wording_is_handed_over(prompt)
        request = {
            "module": agent.module,
            "function": agent.function,
            "input": {task_id: task},
            "kwargs": revealed(arguments),
            "task_id": task_id,
        }
        files = files_at_hand()
        async with concurrency(f"agent {name}", at_a_time):
            with _workplace() as place:
                folder = place if copy_folder else agent.folder
                if copy_folder:
                    await anyio.to_thread.run_sync(_copy, agent.folder, place)
                if files:
                    paths = await anyio.to_thread.run_sync(lay_out, files, place)
                    task.update(
                        files_of_task(paths if copy_folder else [str(place / path) for path in paths])
                    )
                ended = await run_worker(agent.python, folder, request, time_limit)
        _record(ended, name, task, withheld)
        answer = ended.require_answer(time_limit)
        text = answer_text(answer, task_id)
        if simulated_user is not None:
            await act_again(state, answer, prompt)
        return text

    return answered_by(ask, name, selector)


@contextmanager
def _workplace() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="otherwords-agent-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # an agent may have left files that cannot be removed


def _copy(source: Path, target: Path) -> None:
    """Copies the agent's files; what is large and no code of the agent's is linked to."""
    for entry in source.iterdir():
        if entry.name in _CACHES:
            continue
        if entry.name in LEFT_OUT:
            (target / entry.name).symlink_to(entry)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.copytree(
                entry, target / entry.name, symlinks=True, ignore=shutil.ignore_patterns(*_CACHES)
            )
        else:
            shutil.copy2(entry, target / entry.name, follow_symlinks=True)


def _record(ended: Ended, name: str, task: Mapping[str, Any], withheld: list[str]) -> None:
    """In the transcript, where the log viewer shows it beside the answer or the error."""
    response = ended.response or {}
    told: dict[str, Any] = {
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
    transcript().info(without_keys(told), source="hal_agent")


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
