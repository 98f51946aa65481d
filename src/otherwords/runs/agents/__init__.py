"""For all agents outside of Inspect: a solver that asks them, their model's name, whose fault an error is.

An agent's model is called `agent/NAME`. An agent's own failure is a result: it is scored 0. A provider's or
the machine's says nothing of the agent: it has no score, and the next run tries it again.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
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
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    EXTERNAL_AGENT,
    OUTCOME_KEY,
    PROVIDER_FAILED,
)
from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import redacted
from otherwords.core.types import letter_of
from otherwords.runs.agents.worker import error_kinds
from otherwords.runs.selectors import Selector

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
