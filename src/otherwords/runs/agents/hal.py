"""`hal_agent`: a HAL agent's folder, function and Python, checked and fingerprinted → an Inspect solver.

What is wrong with the agent's folder, function or interpreter is reported before anything runs.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio.to_thread
from inspect_ai.log import transcript
from inspect_ai.solver import Solver, TaskState, solver
from inspect_ai.util import concurrency

from otherwords.core.contract import AGENT_SECONDS
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.secret_patterns import without_keys
from otherwords.core.types import stable_hash
from otherwords.runs.agents.answering import answered_by
from otherwords.runs.agents.hal_io import (
    answer_text,
    copy_files,
    current_sample_files,
    files_of_task,
    hal_task,
    task_id_of,
)
from otherwords.runs.agents.process import Ended, run_worker
from otherwords.runs.agents.tau_bench import replay_actions, tau_bench_fields
from otherwords.runs.progress import prompt_given_to_agent
from otherwords.runs.secrets import revealed
from otherwords.runs.selectors import parse_selector

NOT_CODE = frozenset({"__pycache__", ".git", ".hg", ".svn", ".venv", "venv", "node_modules"})
"""Folders that are no part of an agent's code."""
_CACHES = frozenset({"__pycache__"})
_SECONDS_TO_START = 30


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
            with _working_folder() as place:
                folder = place if copy_folder else agent.folder
                if copy_folder:
                    await anyio.to_thread.run_sync(_copy, agent.folder, place)
                if files:
                    paths = await anyio.to_thread.run_sync(copy_files, files, place)
                    task.update(
                        files_of_task(paths if copy_folder else [str(place / path) for path in paths])
                    )
                ended = await run_worker(agent.python, folder, request, time_limit)
        _record(ended, name, task, withheld)
        answer = ended.require_answer(time_limit)
        text = answer_text(answer, task_id)
        if simulated_user is not None:
            await replay_actions(state, answer, prompt)
        return text

    return answered_by(ask, name, selector)


@contextmanager
def _working_folder() -> Iterator[Path]:
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
        if entry.name in NOT_CODE:
            (target / entry.name).symlink_to(entry)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.copytree(
                entry, target / entry.name, symlinks=True, ignore=shutil.ignore_patterns(*_CACHES)
            )
        else:
            shutil.copy2(entry, target / entry.name, follow_symlinks=True)


def _record(ended: Ended, name: str, task: Mapping[str, Any], withheld: list[str]) -> None:
    """Write how the process ended into the transcript, where the log viewer shows it."""
    response = ended.response or {}
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


@dataclass(frozen=True)
class HalAgent:
    folder: Path
    module: str
    function: str
    python: str


def find_agent(agent_dir: str | Path, agent_function: str, python: str | Path | None) -> HalAgent:
    """The agent, or an InputError that says what is missing."""
    if os.name != "posix":
        raise InputError(
            "HAL agents need Linux or macOS",
            hint="A Python callable runs everywhere: --agent module:function",
        )
    folder = Path(agent_dir).expanduser().resolve()
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"the agent's folder {what}", file=agent_dir)
    module, _, function = agent_function.rpartition(".")
    if not all(part.isidentifier() for part in [*module.split("."), function]):
        raise InputError(
            f"the agent's function '{agent_function}' is not of the form module.function",
            hint="For example: --agent-function main.run",
        )
    source = _source(folder, module, agent_dir)
    _require_function(source, function, interpreter_is_ours=python is None)
    return HalAgent(folder, module, function, find_python(python))


def find_python(given: str | Path | None) -> str:
    """An interpreter's path: ours, the one given, or the one of a virtual environment given by its folder."""
    if given is None:
        return sys.executable
    path = Path(given).expanduser()
    if path.is_dir():
        path = path / "bin" / "python"
    found = shutil.which(str(path))
    if found is None:
        raise InputError("the agent's interpreter is not there or cannot be run", file=given)
    # Not resolved: a virtual environment's interpreter is a link, and knows itself by where the link is.
    found = os.path.abspath(found)
    asked = [found, "-c", "import sys; sys.stdout.write('%d %d' % sys.version_info[:2])"]
    try:
        ran = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS_TO_START, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"the agent's interpreter does not start: {error}", file=given) from error
    version = tuple(int(part) for part in ran.stdout.split() if part.isdecimal())
    if ran.returncode != 0 or len(version) != 2:
        raise InputError("the agent's interpreter is not a Python", file=given)
    if version < (3, 7):
        raise InputError(
            f"the agent's interpreter is Python {version[0]}.{version[1]}, 3.7 is needed", file=given
        )
    return found


def agent_fingerprint(
    agent_dir: str | Path, agent_function: str = "main.run", agent_args: Mapping[str, Any] | None = None
) -> str:
    """A hash of the agent's Python files, function and arguments, for telling another agent's run apart."""
    folder = Path(agent_dir).expanduser().resolve()
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(_python_files(folder))
    }
    return stable_hash([files, agent_function, dict(agent_args or {})])


def _python_files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_CODE]
        yield from (Path(root, name) for name in files if name.endswith(".py"))


def _source(folder: Path, module: str, agent_dir: str | Path) -> Path:
    base = folder.joinpath(*module.split("."))
    for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if path.is_file():
            return path
    there = sorted(path.stem for path in folder.glob("*.py"))
    raise InputError(
        f"the agent's folder has no module '{module}'",
        file=agent_dir,
        hint=f"It has: {', '.join(there)}." if there else "It has no Python file.",
    )


def _require_function(source: Path, function: str, *, interpreter_is_ours: bool) -> None:
    try:
        tree = ast.parse(source.read_bytes(), filename=str(source))
    except (SyntaxError, ValueError) as error:
        if not interpreter_is_ours:
            return  # another Python may read what ours does not
        line = getattr(error, "lineno", None)
        raise InputError(f"is not Python: {getattr(error, 'msg', error)}", file=source, line=line) from error
    names = set(_names(tree.body))
    if function not in names and "*" not in names:
        raise UnknownNameError(f"function in {source}:", function, names)


def _names(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """What a module's statements bind, as far as can be seen without running them; `*` for all of another."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.split(".")[0]
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (
                node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
            )
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.stmt):
                    yield from _names([child])
                elif isinstance(child, ast.ExceptHandler):
                    yield from _names(child.body)
