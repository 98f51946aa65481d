"""One call to a paraphrasing model: which model, its cache, what it cost and what went wrong.

What is wrong with one item stays with the item (`Unanswered`). What is wrong with the model itself (no key,
no such model, refused access, ten failed calls in a row) stops everything: every item would go missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from otherwords.core.contract import DEFAULT_PARAPHRASER
from otherwords.core.errors import InputError, MissingDependencyError, OtherwordsError, RunError
from otherwords.core.model_calls import CallCounts, JsonCalls
from otherwords.variants.llm.prompt import KEY, Request

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput

PARAPHRASER = "paraphraser"
"""The model role that is asked when no model is named."""
MOST_FAILURES = 10
"""Failed calls in a row after which the model is held to be down."""
_RETRIES = 5
_SEEDS = 2**31
_REFUSED = (401, 403, 404)
_FIELDS = {KEY: {"type": "array", "items": {"type": "string"}}}


@dataclass
class Counts(CallCounts):
    """What a batch asked for, what it cost and what became of it."""

    errors: int = 0
    """Calls that failed."""
    accepted: int = 0
    missing: int = 0
    unused: int = 0
    """Rewordings beyond those that were wanted."""
    rejected: Counter[str] = field(default_factory=Counter)
    """Rewordings by the first check that they failed."""
    undecided: Counter[str] = field(default_factory=Counter)
    """Rewordings that nobody decided on, by the first check that asks for a look."""
    bad_replies: Counter[str] = field(default_factory=Counter)
    """Replies that as a whole were not what was asked for, by what was wrong."""


class Reply(NamedTuple):
    """What the model wrote, why it stopped when that was not at the end, and whether the cache had it."""

    text: str
    stopped: str
    cached: bool = False


class Unanswered(Exception):
    """This call failed; another may not."""


class Asker:
    def __init__(self, model: Model, *, seed: int, cache: bool, counts: Counts) -> None:
        import inspect_ai.hooks
        import inspect_ai.util

        self.model, self.seed, self.cache, self.counts = model, seed, cache, counts
        self._calls = JsonCalls(inspect_ai, KEY, _FIELDS, cache=cache, counts=counts)
        self._failures_in_a_row = 0

    @property
    def name(self) -> str:
        return str(self.model)

    async def ask(self, request: Request, attempt: int = 1) -> Reply:
        """What the model answered.

        Each attempt has a seed of its own, and so its own place in the cache.
        """
        from inspect_ai.util import LimitExceededError

        own = self.model.config
        retries = _RETRIES if own.max_retries is None and own.timeout is None else None
        seed = (self.seed + attempt - 1) % _SEEDS
        try:
            output, cached = await self._calls.ask(self.model, *request, seed=seed, max_retries=retries)
        except LimitExceededError:
            raise
        except Exception as error:
            raise self._failed(error) from error
        self._failures_in_a_row = 0
        return Reply(output.completion, _stopped(output), cached)

    def _failed(self, error: Exception) -> Exception:
        self.counts.errors += 1
        self._failures_in_a_row += 1
        if isinstance(error, (InputError, MissingDependencyError)):
            return error
        said = _said(error)
        if _is_setup(error):
            return RunError(f"cannot ask {self.name} for rewordings: {said}")
        if self._failures_in_a_row >= MOST_FAILURES:
            return RunError(
                f"{MOST_FAILURES} calls to {self.name} failed in a row, the last one with: {said}\n"
                + ("Replies so far are cached; run it again to go on." if self.cache else "")
            )
        return Unanswered(said)


def paraphraser(model: str | Model | None) -> str | Model:
    """`model`, or else the model role `paraphraser`, or else the default model."""
    from inspect_ai.model import model_roles

    if model is not None:
        return model
    role = model_roles().get(PARAPHRASER)
    return (role[0] if isinstance(role, list) else role) or DEFAULT_PARAPHRASER


@asynccontextmanager
async def asking(
    model: str | Model | None, *, seed: int, cache: bool, counts: Counts
) -> AsyncIterator[Asker]:
    """With `model`, or the paraphraser where none is named.

    A model that is given by name gets a client of its own, closed at the end: clients keep connections that
    only work in the event loop that opened them.
    """
    from inspect_ai.model import Model, get_model

    model = paraphraser(model)
    if isinstance(model, Model):
        yield Asker(model, seed=seed, cache=cache, counts=counts)
        return
    try:
        opened = get_model(model, memoize=False)
    except OtherwordsError:
        raise
    except Exception as error:
        raise InputError(f"cannot use the model '{model}' to reword: {_said(error, named=False)}") from error
    async with opened:
        yield Asker(opened, seed=seed, cache=cache, counts=counts)


def _stopped(output: ModelOutput) -> str:
    if output.empty:
        return output.error or "no reply"
    reason = output.stop_reason
    if reason == "content_filter":
        return "stopped by the provider's content filter"
    return output.error or ("" if reason in ("stop", "unknown", "tool_calls") else f"stopped: {reason}")


def _is_setup(error: Exception) -> bool:
    """Whether the next call would fail in the same way, whatever it asks."""
    statuses = [getattr(error, "status_code", None), getattr(error, "code", None)]
    statuses.append(getattr(getattr(error, "response", None), "status_code", None))
    refused = any(isinstance(status, int) and status in _REFUSED for status in statuses)
    return refused or isinstance(error, (ImportError, NotImplementedError)) or _is_prerequisite(error)


def _said(error: Exception, *, named: bool = True) -> str:
    from rich.text import Text

    message = str(error)
    if _is_prerequisite(error):  # written for Inspect's own console
        message, named = Text.from_markup(message).plain.removeprefix("ERROR: "), False
    line = " ".join(message.split())
    return f"{type(error).__name__}: {line}" if line and named else line or type(error).__name__


def _is_prerequisite(error: Exception) -> bool:
    """Inspect's own error for a missing key or package, which it does not export."""
    return any(kind.__name__ == "PrerequisiteError" for kind in type(error).__mro__)
