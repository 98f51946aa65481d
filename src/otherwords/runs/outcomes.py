"""Inspect task → a copy that scores a crash 0, a lost call not at all; whether wordings reach the model.

The outcome (`answered`, `unreadable`, `refused`, …) is metadata of each score. The scorer's value stands,
whatever the outcome, but for three cases. A sample whose solver failed by its own fault is scored 0, in place
of ending with an error. A sample in which a model call was lost, as its solver went on without the answer,
and one whose wording the model was never shown are not scored (`Score.unscored`); the value that was taken
away is in the metadata as `suspect_value`.

Of several outcomes the first of these counts: agent_error, provider_error, missing, limit, filtered,
truncated, refused, unreadable, answered.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai.event import Event, ModelEvent, SpanBeginEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ContentText
from inspect_ai.scorer import CORRECT, NOANSWER, Score, Scorer, Target
from inspect_ai.solver import Generate, Plan, Solver, TaskState, chain
from inspect_ai.tool import ToolInfo
from inspect_ai.util import LimitExceededError, registry_info

from otherwords.core.contract import (
    ANSWERED,
    EXTERNAL_AGENT,
    FILTERED,
    INVALID_FORMAT,
    ITEM_ID,
    LIMITED,
    NO_MODEL_CALL,
    NO_RESPONSE,
    NOT_RUN,
    ORIG,
    OUTCOME_KEY,
    OWN_PREFIX,
    PROVIDER_ERROR,
    REFUSED,
    SWALLOWED_ERRORS,
    TRUNCATED,
    UNREADABLE,
    VARIANT,
    WORDING_NOT_SEEN,
    Outcome,
)
from otherwords.english.language import is_refusal
from otherwords.runs.agents import AgentError, ProviderError, agent_failure, is_outside, shortened, told
from otherwords.runs.agents.trajectory import trajectory_of

SUSPECT, SUSPECT_VALUE = "suspect", "suspect_value"
NOTE_KEY = OWN_PREFIX + "note"
"""Metadata key of a score: what to know about it. `no model call`: its solver asked no model by Inspect."""
ERROR_KEY = OWN_PREFIX + "error"
"""Metadata key of a score: the error of the model call that its solver went on without."""
_CANCELLED = "model call cancelled"
"""In the error of a call that the solver itself broke off."""
_ENDS_SAMPLE = frozenset({"TerminateSampleError", "TerminateTaskError", "SentinelFailure"})
"""Inspect's own exceptions, which it does not export, and that it acts upon itself."""
_INSTRUMENT = ("grader_failed", "scoring_failed")
"""Inspect's reasons of a score for a scorer or a grader that could not do its work."""
_STOPPED: Mapping[str, Outcome] = {
    "content_filter": FILTERED,
    "max_tokens": TRUNCATED,
    "model_length": TRUNCATED,
}
_GLOB = frozenset("*?[")
ENOUGH = 3
"""Variants that show the model nothing new after which a run is ended early."""
Stopped = Callable[[], str | None]


@dataclass
class _Endings:
    """How the solvers of samples ended, where not by giving back their state; by the sample's `uuid`."""

    failures: dict[str, str] = field(default_factory=dict)
    """What the agent's own code did."""
    early: set[str] = field(default_factory=set)
    """Ended by a limit or by an operator."""


def telling_outcomes(
    tasks: Sequence[Task],
    solver: Solver | None = None,
    *,
    expect_model: bool = True,
    is_undelivered: Callable[[], bool] = lambda: False,
    stopped: Stopped = lambda: None,
) -> tuple[list[Task], Solver | None]:
    """Copies of the tasks whose scores tell their outcome, and of `solver`, which is asked in their place.

    Args:
        tasks: Any Inspect tasks. One without a scorer is given back as it is.
        solver: In place of the tasks' solvers, if not None.
        expect_model: False for tasks whose solvers rightly ask no model. External agents ask their own, and
            are known by their mark in the sample's metadata.
        is_undelivered: Whether the prompt of the sample that is being scored never reached the model.
        stopped: Why the run is to end; samples that begin after it are not asked.
    """
    endings = _Endings()
    if solver is not None and any(task.scorer is not None for task in tasks):
        solver = _guarded(solver, endings, stopped)

    def telling(task: Task) -> Task:
        if task.scorer is None:
            return task
        scorers = [
            _telling(score, endings, _zero(score, task.metrics), expect_model, is_undelivered)
            for score in task.scorer
        ]
        own = _guarded(task.solver, endings, stopped) if solver is None else task.solver
        return task_with(copy.copy(task), solver=own, scorer=scorers)

    return [telling(task) for task in tasks], solver


# ---- solvers


def _guarded(solver: Solver, endings: _Endings, stopped: Stopped) -> Solver:
    """The same solver, by which a sample goes on to be scored where its own code fails."""
    if isinstance(solver, Plan):
        plan = copy.copy(solver)
        plan.steps = [_guarded(step, endings, stopped) for step in solver.steps]
        return plan
    if isinstance(solver, Sequence):  # Inspect shows the steps of a chain one by one
        return chain(*(_guarded(step, endings, stopped) for step in solver))

    @functools.wraps(solver)
    async def guarded(state: TaskState, generate: Generate) -> TaskState:
        why = stopped()
        if why is not None:
            raise ProviderError(f"not asked, since the run was stopped: {why}")
        try:
            given = await solver(state, generate)
        except (Exception, SystemExit) as error:
            if _ends_by_limit(error):
                endings.early.add(state.uuid)
                raise
            if _lost_calls(_calls_of_solver(transcript().events)) or is_outside(error):
                if isinstance(error, AgentError):
                    raise ProviderError(error.reason) from error
                raise
            failure = told(error)
        except BaseException:  # cancelled: by a limit of time, by an operator, or with the whole run
            endings.early.add(state.uuid)
            raise
        else:
            if isinstance(given, TaskState):
                return given
            failure = AgentError(f"returned {type(given).__name__}, not a TaskState").message
        endings.failures[state.uuid] = failure
        transcript().info({"failure": failure}, source="otherwords")
        state.completed = True
        return state

    return guarded


def _ends_by_limit(error: BaseException) -> bool:
    inner = getattr(error, "exceptions", ())
    if inner:
        return any(map(_ends_by_limit, inner))
    names = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, LimitExceededError) or bool(names & _ENDS_SAMPLE)


def _calls_of_solver(events: Iterable[Event]) -> list[ModelEvent]:
    calls = []
    for event in events:
        if isinstance(event, SpanBeginEvent) and event.name == "scorers" and event.parent_id is None:
            break  # what follows are the scorers' own calls
        if isinstance(event, ModelEvent):
            calls.append(event)
    return calls


def _lost_calls(calls: Sequence[ModelEvent]) -> list[ModelEvent]:
    """Calls that failed for good: Inspect's retries, and a solver's, ask the same again and succeed."""
    return [
        call
        for place, call in enumerate(calls)
        if call.error is not None
        and _CANCELLED not in call.error
        and not any(other.error is None and _asks_the_same(call, other) for other in calls[place + 1 :])
    ]


def _asks_the_same(one: ModelEvent, other: ModelEvent) -> bool:
    if (one.model, one.role, len(one.input)) != (other.model, other.role, len(other.input)):
        return False
    return all(
        mine.role == theirs.role and mine.text == theirs.text
        for mine, theirs in zip(one.input, other.input, strict=True)
    )


# ---- scorers


def _telling(
    score: Scorer,
    endings: _Endings,
    zero: Any,
    expect_model: bool,
    is_undelivered: Callable[[], bool],
) -> Scorer:
    async def with_outcome(state: TaskState, target: Target) -> Score | None:
        failure = endings.failures.get(state.uuid)
        if failure is not None:
            if zero is None:  # only the scorer knows the names of its values
                given = await score(state, target)
                return None if given is None else agent_failure(failure, _as_zero(given.value))
            return agent_failure(failure, zero)
        given = await score(state, target)
        if given is None or OUTCOME_KEY in (given.metadata or {}):
            return given
        calls = _calls_of_solver(transcript().events)
        lost = _lost_calls(calls)
        if lost:
            return _unscored(
                given, SWALLOWED_ERRORS, PROVIDER_ERROR, {ERROR_KEY: shortened(str(lost[0].error))}
            )
        if is_undelivered():
            return _unscored(given, WORDING_NOT_SEEN, NOT_RUN, {})
        noted: dict[str, str] = {OUTCOME_KEY: _outcome(state, given, calls, state.uuid in endings.early)}
        if not calls and expect_model and not state.metadata.get(EXTERNAL_AGENT):
            noted[NOTE_KEY] = NO_MODEL_CALL
        return _with_metadata(given, noted)

    @functools.wraps(score)
    async def telling(state: TaskState, target: Target) -> Score | None:
        given = await with_outcome(state, target)
        return given if given is None else _with_metadata(given, trajectory_of(state))

    return telling


def _with_metadata(given: Score, about: Mapping[str, str | int]) -> Score:
    return given.model_copy(update={"metadata": {**(given.metadata or {}), **about}}) if about else given


def _as_zero(value: Any) -> Any:
    """Zero in the shape of another score's value."""
    return dict.fromkeys(value, 0) if isinstance(value, Mapping) else 0


def _zero(score: Scorer, metrics: Any) -> Any:
    """Zero in the shape that the metrics of the scorer take; None where they take any."""
    if metrics is None:
        try:
            metrics = registry_info(score).metadata.get("metrics")
        except ValueError:  # a scorer without the decorator
            return 0
    named = (
        [metrics]
        if isinstance(metrics, Mapping)
        else [one for one in metrics or () if isinstance(one, Mapping)]
    )
    keys = [str(key) for one in named for key in one]
    if any(_GLOB & set(key) for key in keys):
        return None
    return dict.fromkeys(keys, 0) if keys else 0


def _unscored(given: Score, reason: str, outcome: Outcome, about: dict[str, Any]) -> Score:
    return Score.unscored(
        reason=reason,
        answer=given.answer,
        explanation=given.explanation,
        metadata={
            **(given.metadata or {}),
            **about,
            SUSPECT: reason,
            SUSPECT_VALUE: given.value,
            OUTCOME_KEY: outcome,
        },
    )


def _outcome(state: TaskState, given: Score, calls: Sequence[ModelEvent], ended_early: bool) -> Outcome:
    """Of a sample whose solver came to an end; in the order in which one outcome goes before another."""
    stopped = _STOPPED.get(state.output.stop_reason) if state.output.choices else None
    found: tuple[tuple[bool, Outcome], ...] = (
        (given.reason in (WORDING_NOT_SEEN, NO_MODEL_CALL), NOT_RUN),
        (given.reason in _INSTRUMENT and _is_unscored(given), PROVIDER_ERROR),
        (ended_early, LIMITED),
        (stopped == FILTERED, FILTERED),
        (stopped == TRUNCATED, TRUNCATED),
        (_is_refused(state, given), REFUSED),
        (_is_unreadable(state, given, calls), UNREADABLE),
    )
    return next((outcome for holds, outcome in found if holds), ANSWERED)


def _is_unscored(given: Score) -> bool:
    return isinstance(given.value, float) and math.isnan(given.value)


def _is_refused(state: TaskState, given: Score) -> bool:
    """A reply from which an option was read, or that is right, has answered in whatever words it began."""
    if given.reason == "refusal":
        return True
    if given.value in (CORRECT, 1) or any(option.correct for option in state.choices):
        return False
    said = state.output.choices[0].message.content if state.output.choices else ""
    parts = said if isinstance(said, list) else []
    return any(isinstance(part, ContentText) and part.refusal for part in parts) or is_refusal(
        state.output.completion
    )


def _is_unreadable(state: TaskState, given: Score, calls: Sequence[ModelEvent]) -> bool:
    if given.reason in (INVALID_FORMAT, NO_RESPONSE) or given.value == NOANSWER:
        return True
    if len(state.choices) and given.answer == "":
        return True
    asked = bool(calls) or bool(state.metadata.get(EXTERNAL_AGENT))
    return asked and not state.output.completion.strip() and not any(map(_has_content, calls))


def _has_content(call: ModelEvent) -> bool:
    return bool(call.output.completion.strip()) or any(
        choice.message.tool_calls for choice in call.output.choices
    )


Shown = frozenset[int]


class DeliveryTracker:
    """Whether the wordings of one run reach the model.

    Only the solver knows what it takes from a sample. Where it takes the prompt from another place than the
    one that is reworded, the model is shown the same text under every variant, and robustness would be
    measured of nothing. A sample is known by Inspect's id of its execution, an item by its run's and its own.
    """

    def __init__(self) -> None:
        self._samples: dict[str, tuple[tuple[str, str], bool]] = {}
        self._shown: dict[str, set[int]] = {}
        self._originals: dict[tuple[str, str], set[Shown]] = {}
        self._pending: dict[tuple[str, str], list[Shown]] = {}
        self._compared = self._changed = 0

    def begins(self, sample: str, run: str, metadata: Mapping[str, Any]) -> None:
        prefix = OWN_PREFIX if OWN_PREFIX + ITEM_ID in metadata else ""
        item, variant = metadata.get(prefix + ITEM_ID), metadata.get(prefix + VARIANT)
        if item is not None and variant is not None:
            self._samples[sample] = ((run, str(item)), variant == ORIG)
            self._shown[sample] = set()

    def shows(self, sample: str, messages: Iterable[ChatMessage], tools: Iterable[ToolInfo]) -> None:
        """A call is about to be made. What the model itself has said does not count as shown to it."""
        shown = self._shown.get(sample)
        if shown is not None:
            shown.update(hash(message.text) for message in messages if message.role != "assistant")
            shown.update(hash(tool.description) for tool in tools)

    def scoring_begins(self, sample: str) -> None:
        shown = frozenset(self._shown.get(sample, ()))
        if not shown:
            return
        item, is_original = self._samples[sample]
        if is_original:
            self._originals.setdefault(item, set()).add(shown)
            for pending in self._pending.pop(item, []):
                self._compare(item, pending)
        elif item in self._originals:
            self._compare(item, shown)
        else:
            self._pending.setdefault(item, []).append(shown)

    def is_undelivered(self, sample: str) -> bool:
        """Whether the model was shown only what the original prompt shows it."""
        shown = self._shown.get(sample)
        if not shown or self._samples[sample][1]:
            return False
        return frozenset(shown) in self._originals.get(self._samples[sample][0], ())

    def ends(self, sample: str) -> None:
        self._samples.pop(sample, None)
        self._shown.pop(sample, None)

    def never_delivered(self, *, at_least: int = 1) -> bool:
        """Whether at least so many variants were compared with their originals, and none differed."""
        return self._compared >= at_least and not self._changed

    def _compare(self, item: tuple[str, str], shown: Shown) -> None:
        self._compared += 1
        self._changed += shown not in self._originals[item]
