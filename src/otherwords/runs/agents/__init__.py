"""`callable_agent`: a Python callable → an Inspect solver; answers, errors and model names of all agents.

They share a solver that asks them, the model's name `agent/NAME`, and whose failure a failed sample is. An
agent's own failure is a result: it is scored 0. A provider's or the machine's says nothing of the agent: it
has no score, and the next run tries it again.
"""

from __future__ import annotations

import contextvars
import errno
import importlib
import importlib.util
import inspect
import os
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import anyio
import anyio.from_thread
import anyio.lowlevel
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver
from inspect_ai.util import LimitExceededError

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    AGENT_SECONDS,
    EXTERNAL_AGENT,
    OUTCOME_KEY,
    PROVIDER_FAILED,
)
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.secret_patterns import redacted
from otherwords.core.types import letter_of
from otherwords.runs.agents.worker import error_kinds
from otherwords.runs.selectors import Selector, parse_selector

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
            return _answer(state, as_letter(answer, [choice.value for choice in state.choices]), name)

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


def as_letter(answer: str, options: Sequence[str]) -> str:
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


LONGEST_REASON = 400
_CLIENTS = frozenset(
    "openai anthropic litellm google botocore mistralai groq cohere together httpx httpcore requests urllib3 "
    "aiohttp grpc huggingface_hub replicate ollama azure urllib http ssl socket".split()
)
"""Packages through which agents ask their models, by the first part of their name."""
_SERVICE_ERRORS = re.compile(
    r"RateLimit|Connect|Timeout|TimedOut|Unavailable|InternalServer|ServerError|Overloaded|APIError$|"
    r"Authentication|PermissionDenied|Unauthorized|Quota|Exhausted|Network|Protocol|Disconnected|ReadError|"
    r"SSL|Proxy|gaierror|URLError$"
)
_SERVICE_STATUSES = frozenset({401, 402, 403, 407, 408, 409, 425, 429})
"""HTTP statuses that are no fault of the request; so is every one from 500 on."""
_ALWAYS_OUTSIDE = frozenset(
    {
        *("builtins.MemoryError", "builtins.ConnectionError", "docker.DockerException"),
        *(
            "inspect_ai.SandboxUnavailableError",
            "inspect_ai.PrerequisiteError",
            "inspect_ai.ModelGenerateError",
        ),
        *("inspect_ai.AttemptTimeoutError", "inspect_ai.StreamIdleTimeoutError"),
        *("otherwords.ProviderError", "otherwords.OtherwordsError"),
    }
)
_OWN_PIPE = "builtins.BrokenPipeError"
"""A connection error that an agent makes by itself, as when it ends a program that it talks to."""
_MACHINE_NUMBERS = frozenset(
    getattr(errno, name)
    for name in "ENOSPC EDQUOT ENOMEM EMFILE ENFILE EIO ENETUNREACH EHOSTUNREACH ENETDOWN".split()
    if hasattr(errno, name)
)


class AgentError(Exception):
    """Why an agent gave no answer, where that is its own doing.

    It is raised in the solver. A run scores the sample 0; elsewhere Inspect records it as the sample's error.

    Inspect takes `message` as it is; without it the log would say `AgentError('…')`.
    """

    def __init__(self, reason: str) -> None:
        self.reason = shortened(redacted(reason))
        self.message = AGENT_FAILED + self.reason
        super().__init__(self.message)


class ProviderError(Exception):
    """Why an agent gave no answer, where its model's provider or the machine is to blame."""

    def __init__(self, reason: str) -> None:
        self.reason = shortened(redacted(reason))
        self.message = PROVIDER_FAILED + self.reason
        super().__init__(self.message)


def shortened(text: str) -> str:
    """On one line and not too long: reasons are shown in tables."""
    flat = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return flat if len(flat) <= LONGEST_REASON else flat[: LONGEST_REASON - 1] + "…"


def describe_exception(error: BaseException) -> str:
    """`raised KeyError: 'x'`."""
    message = str(error)
    return f"raised {type(error).__name__}: {message}" if message else f"raised {type(error).__name__}"


def told(error: BaseException) -> str:
    """The error as an agent's failure is told: `agent: raised KeyError: 'x'`."""
    inner = getattr(error, "exceptions", ())
    if inner:
        return told(inner[0])
    return error.message if isinstance(error, AgentError) else AgentError(describe_exception(error)).message


def agent_failure(failure: str, value: Any = 0) -> Score:
    """The score of a sample whose agent failed by itself."""
    return Score(value=value, explanation=failure, reason=AGENT_ERROR, metadata={OUTCOME_KEY: AGENT_ERROR})


def is_outside(error: BaseException | Iterable[Mapping[str, Any]]) -> bool:
    """Whether a provider or the machine is to blame for the error, or for one that it came from.

    An error of another process is given as `worker.error_kinds` tells it.
    """
    kinds = error_kinds(error) if isinstance(error, BaseException) else error
    return any(_is_outside(one["names"], one.get("status"), one.get("errno")) for one in kinds)


def _is_outside(names: Sequence[str], status: Any, number: Any) -> bool:
    if not names or names[0] == "otherwords.AgentError":
        return False
    if number in _MACHINE_NUMBERS or (_ALWAYS_OUTSIDE & set(names) and _OWN_PIPE not in names):
        return True
    root, _, name = names[0].partition(".")
    if root not in _CLIENTS:
        return False
    if isinstance(status, int):
        return status in _SERVICE_STATUSES or status >= 500
    return _SERVICE_ERRORS.search(name) is not None


Answer = Callable[[str], str] | Callable[[str], Awaitable[str]]


@solver
def callable_agent(
    function: Answer | str, time_limit: float | None = AGENT_SECONDS, prompt_field: str | None = None
) -> Solver:
    """Have each sample answered by a Python function in place of a model.

    A plain function runs in a thread of its own; one that is over the time limit cannot be ended, but is left
    alone and does not keep the program from ending.

    Args:
        function: A callable that is given the prompt and returns the answer, or its name as
            `module:function` or `file.py:function`. A module is looked for in the current folder first.
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
    answer = find_callable(function) if isinstance(function, str) else function
    if not callable(answer):
        raise InputError(f"the agent is {type(answer).__name__}, which cannot be called")
    name = function if isinstance(function, str) else getattr(function, "__name__", type(function).__name__)
    selector = None if prompt_field is None else parse_selector(prompt_field)

    async def ask(_state: TaskState, prompt: str) -> str:
        with anyio.move_on_after(time_limit) as clock:
            try:
                text = await _call(answer, prompt)
            except LimitExceededError:
                raise  # a limit of the sample, which Inspect records by itself
            except (Exception, SystemExit) as error:
                raise AgentError(describe_exception(error)) from error
        if clock.cancelled_caught:
            raise AgentError(f"timed out after {time_limit:g} s")
        if not isinstance(text, str):
            raise AgentError(f"returned {type(text).__name__}, not text")
        return text

    return answered_by(ask, name, selector)


def find_callable(name: str) -> Callable[[str], Any]:
    """The callable that `module:function` or `file.py:function` names."""
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
    if not callable(found):
        raise InputError(f"'{attribute}' in {where} is {type(found).__name__}, which cannot be called")
    return cast(Callable[[str], Any], found)


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
        name for name, value in vars(module).items() if not name.startswith("_") and inspect.isroutine(value)
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
