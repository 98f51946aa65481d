"""What went wrong in a sample → whether the agent's own code failed, or else its provider or the machine.

An agent's own failure is a result: it is scored 0. A provider's or the machine's says nothing of the agent:
it has no score, and the next run tries it again.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Score

from otherwords.core.contract import AGENT_ERROR, AGENT_FAILED, OUTCOME_KEY, PROVIDER_FAILED
from otherwords.core.secret_patterns import redacted
from otherwords.runs.agents.worker import error_kinds

__all__ = [
    "AgentError",
    "ProviderError",
    "agent_failure",
    "describe_exception",
    "is_outside",
    "shortened",
    "told",
]

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
