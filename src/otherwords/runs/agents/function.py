"""`callable_agent`: a Python function, an object with `invoke` or `run`, or its name → an Inspect solver."""

from __future__ import annotations

import contextvars
import importlib
import importlib.util
import inspect
import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from inspect_ai.solver import Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from otherwords.core.contract import AGENT_SECONDS
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.runs.agents import AgentError, answered_by, describe_exception
from otherwords.runs.agents.replies import read_reply
from otherwords.runs.selectors import parse_selector

Ask = Callable[[Any], Any]
"""What an agent is asked by; it may give back an awaitable."""
_METHODS = ("ainvoke", "invoke", "run", "__call__")
"""By which an object is asked; the first that it has. A graph of LangGraph's may know `ainvoke` alone."""


@solver
def callable_agent(
    function: Any, time_limit: float | None = AGENT_SECONDS, prompt_field: str | None = None
) -> Solver:
    """Have each sample answered by a Python function or object in place of a model.

    A plain function runs in a thread of its own; one that is over the time limit cannot be ended, but is left
    alone and does not keep the program from ending.

    Args:
        function: A function, plain or async, that is given the prompt and returns the answer; an object with
            `invoke`, `run` or `__call__`, or a class of such; or the name of one, as `module:name` or
            `file.py:name`. A module is looked for in the current folder first. The answer may be text, a
            message, or a chat of which the agent's last message counts.
        time_limit: Seconds that one call may take; None for any time.
        prompt_field: Where the sample keeps its prompt, as for `vary_task`; by default the function is given
            all that a model would read.

    Returns:
        An Inspect solver. Where the function raises, is too slow or returns no text, a run scores the sample
        0; `inspect eval` records it as the sample's error.

    Raises:
        InputError: There is no such function, or an argument is wrong.

    Example:
        >>> from inspect_ai import Task
        >>> from inspect_ai.dataset import Sample
        >>> from inspect_ai.scorer import includes
        >>> from otherwords import callable_agent
        >>> task = Task(
        ...     dataset=[Sample(input="What is the capital of France?", target="Paris")],
        ...     solver=callable_agent(lambda prompt: "It is Paris."),
        ...     scorer=includes(),
        ... )
        >>> callable_agent("answer")
        Traceback (most recent call last):
        otherwords.core.errors.InputError: the agent 'answer' is not of the form module:function
        For example: my_agent:answer
    """
    if time_limit is not None and not time_limit > 0:
        raise InputError(f"the agent's time limit must be more than 0 seconds, got {time_limit:g}")
    name = function if isinstance(function, str) else _name(function)
    ask_agent = _asked_by(find_by_name(function) if isinstance(function, str) else function, name)
    selector = None if prompt_field is None else parse_selector(prompt_field)

    async def ask(state: TaskState, prompt: str) -> str:
        with anyio.move_on_after(time_limit) as clock:
            try:
                given = await _call(ask_agent, prompt)
            except LimitExceededError:
                raise  # a limit of the sample, which Inspect records by itself
            except (Exception, SystemExit) as error:
                raise AgentError(describe_exception(error)) from error
        if clock.cancelled_caught:
            raise AgentError(f"timed out after {time_limit:g} s")
        reply = read_reply(given)
        state.messages.extend(reply.messages)
        return reply.text

    return answered_by(ask, name, selector)


def _name(thing: Any) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))


def find_by_name(name: str) -> Any:
    """What `module:name` or `file.py:name` names."""
    where, colon, attribute = name.rpartition(":")
    if not colon or not where or not attribute:
        raise InputError(
            f"the agent '{name}' is not of the form module:function", hint="For example: my_agent:answer"
        )
    module = _load_file(Path(where)) if where.endswith(".py") else _import(where)
    found = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UnknownNameError(f"function in {where}:", part, _public(found))
        found = getattr(found, part)
    return found


def _asked_by(thing: Any, name: str) -> Ask:
    """The function itself, or the method by which an object is asked."""
    if inspect.isroutine(thing):
        return thing
    if inspect.isclass(thing):
        thing = _made(thing, name)
    method = next((one for one in _METHODS if callable(getattr(thing, one, None))), None)
    if method is None:
        raise InputError(
            f"the agent '{name}' is {type(thing).__name__}, which is no function and has neither invoke, run "
            "nor __call__"
        )
    asked: Ask = getattr(thing, method)
    if method not in ("invoke", "ainvoke"):
        return asked if method != "__call__" else thing
    field = _input_field(thing, name)
    if field is None:
        return asked
    if _is_async(asked):

        async def ask_later(prompt: str) -> Any:
            return await asked(_input(field, prompt))

        return ask_later
    return lambda prompt: asked(_input(field, prompt))


def _made(kind: type, name: str) -> Any:
    if not set(_METHODS) & set(dir(kind)):
        raise InputError(f"the agent '{name}' is a class without invoke, run or __call__")
    try:
        return kind()
    except Exception as error:
        raise InputError(
            f"the agent '{name}' is a class, and making one {describe_exception(error)}",
            hint="Name an object of it, or a function that makes one and asks it.",
        ) from error


def _input(field: str, prompt: str) -> dict[str, Any]:
    return {field: [{"role": "user", "content": prompt}] if field == "messages" else prompt}


def _input_field(thing: Any, name: str) -> str | None:
    """The field in which LangChain's and LangGraph's objects take a prompt; None where they take text."""
    schema = getattr(thing, "get_input_jsonschema", None)
    try:
        known = schema() if callable(schema) else {}
    except Exception:  # noqa: BLE001 -- a framework that cannot describe itself is asked with text
        return None
    fields: Mapping[str, Any] = known.get("properties") or {}
    if not fields:
        return None
    needed = known.get("required") or list(fields)
    for usual in ("messages", "input"):
        if usual in fields:
            return usual
    if len(needed) == 1:
        return str(needed[0])
    raise InputError(
        f"the agent '{name}' is invoked with {', '.join(map(repr, fields))}, and a prompt is one text",
        hint="Name a function that makes of the prompt what it needs.",
    )


def _import(name: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise InputError(f"there is no module '{name}' here or among the installed ones") from error
        raise InputError(f"the agent's module '{name}' cannot be imported: {error}") from error
    except Exception as error:
        raise InputError(
            f"the agent's module '{name}' cannot be imported: it {describe_exception(error)}"
        ) from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError("the agent's file does not exist", file=path)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        raise InputError("the agent's file cannot be read as Python", file=path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(
            f"the agent's file cannot be imported: it {describe_exception(error)}", file=path
        ) from error
    return module


def _public(module: Any) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and (inspect.isroutine(value) or hasattr(value, "invoke"))
    ]


async def _call(function: Callable[[str], Any], prompt: str) -> Any:
    """A coroutine function is called here; anything else in a thread, since it may take its time."""
    if _is_async(function):
        return await function(prompt)
    text = await _in_own_thread(function, prompt)
    return await text if inspect.isawaitable(text) else text


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 -- an object whose call is async
    )


async def _in_own_thread(function: Callable[[str], Any], prompt: str) -> Any:
    """In a daemon thread: one of anyio's would keep the program from ending while it hangs."""
    done, loop = anyio.Event(), anyio.lowlevel.current_token()
    result: list[Any] = []
    problem: list[BaseException] = []

    def work() -> None:
        try:
            result.append(context.run(function, prompt))
        except BaseException as error:  # noqa: BLE001 -- raised again where it is waited for
            problem.append(error)
        try:
            anyio.from_thread.run_sync(done.set, token=loop)
        except (RuntimeError, anyio.RunFinishedError):
            return  # the run has ended without us

    context = contextvars.copy_context()
    threading.Thread(target=work, name="agent", daemon=True).start()
    await done.wait()
    if problem:
        raise problem[0]
    return result[0]
