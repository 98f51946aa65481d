"""Counts samples, calls, tokens and money of a run; stops it at its budget or when one error repeats.

Also notes whether the prompt of each sample was given to the model or agent.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import anyio
from inspect_ai.model import ChatMessageUser, ModelCost, ModelUsage, compute_model_cost
from inspect_ai.scorer import Score

from otherwords.core.errors import RunError
from otherwords.runs.logs import Problem
from otherwords.runs.outcomes import ENOUGH, DeliveryTracker
from otherwords.runs.sample_costs import Budget, Cost, HeldBudget

SELF_SCORED, UNJUDGED = "self_scored", "unjudged"
"""Metadata keys of a score: the agent scored itself; the agent's answer could not be judged."""
PATIENCE = 30.0
"""Seconds without any event after which samples under way are given up when the budget is spent."""
ALIKE = 5
"""Samples in a row that end with the same error after which a run is stopped."""
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Progress:
    total: int
    """Samples of the whole run: wordings times repeats times models."""
    reused: int = 0
    """Samples that an earlier, interrupted run had already finished."""
    finished: int = 0
    """Samples that ended in this run, failed ones included."""
    errors: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    """Of the calls whose price is known."""

    @property
    def done(self) -> int:
        return self.reused + self.finished


OnProgress = Callable[[Progress], None]


class Tally:
    """Counts the events of a run and calls the listener after each.

    A sample waits until the budget has room for it, beside what is held back for those under way; where none
    is under way and there is no room, the run is interrupted as by Ctrl-C, which leaves logs to resume from.
    Should the budget be spent all the same, no further call goes out and no further sample begins, and the
    answers under way come in and are scored before that.
    """

    def __init__(
        self,
        progress: Progress,
        on_progress: OnProgress | None,
        *,
        budget: Budget | None = None,
        prices: Mapping[str, ModelCost] | None = None,
        samples_are_calls: bool = False,
        patience: float = PATIENCE,
        keep_going: bool = False,
    ) -> None:
        self.progress, self._on_progress = progress, on_progress
        self.samples_are_calls = samples_are_calls
        self.stopped: str | None = None
        """The part of the budget that ended the run."""
        self.delivery = DeliveryTracker()
        self.self_scored = 0
        """Samples whose score is what the agent says of itself."""
        self.unjudged: list[str] = []
        """Why each of the samples has no score whose agent's answer could not be judged."""
        self.repeated: Problem | None = None
        """The error with which so many samples in a row ended that the run is to end, too."""
        self.repeated_by = ""
        """The model or agent of those samples."""
        self._keep_going = keep_going
        self._alike: dict[str, tuple[str, int]] = {}
        self._prices, self._patience = dict(prices or {}), patience
        self._held_budget = HeldBudget(budget or Budget())
        self.costs = self._held_budget.costs
        self._is_limited = self._held_budget.budget.is_limited
        self._shared = None if budget is None else budget.shared
        self._paying: set[str] = set()
        """Samples under way that have made a call; one that has made none, and may wait for a connection that
        a held call keeps, loses nothing."""
        self._being_scored: set[str] = set()
        self._held: set[str] = set()
        self._waiting: list[str] = []
        """Samples that have not begun, as the budget has no room for them yet; the first comes first."""
        self._last_event = time.monotonic()
        self._notify()

    def add(
        self, *, finished: int = 0, errors: int = 0, calls: int = 0, tokens: int = 0, usd: float = 0.0
    ) -> None:
        if self.stopped:
            return  # the samples that the interruption ends are not finished
        now = self.progress
        self.progress = Progress(
            now.total,
            now.reused,
            now.finished + finished,
            now.errors + errors,
            now.calls + calls,
            now.tokens + tokens,
            now.usd + usd,
        )
        self._last_event = time.monotonic()
        self._notify()

    async def sample_asks(self, sample: str, model: str) -> None:
        """Wait until the budget has room for one more sample of the model."""
        if not self._is_limited:
            self.costs.begins(sample, model)
            return
        self._waiting.append(sample)
        try:
            while True:
                lacking = await self._begins(sample, model) if self._waiting[0] == sample else ""
                if lacking is None:
                    return
                if lacking:
                    await self.stop(lacking)
                await anyio.sleep(_POLL_SECONDS)
        finally:
            self._waiting.remove(sample)

    async def _begins(self, sample: str, model: str) -> str | None:
        if self._shared is None:
            return self._held_budget.begins(sample, model)
        lacking = await self._shared.begins(sample, model)
        if lacking is None:
            self.costs.begins(sample, model)
        return lacking

    async def sample_begins(self, sample: str) -> None:
        await self._hold_if_spent(sample, is_call=self.samples_are_calls)
        if self.samples_are_calls:
            self._pays(sample)

    async def call_begins(self, sample: str) -> None:
        if sample not in self._being_scored:
            await self._hold_if_spent(sample, is_call=True)
        elif self._shared is not None:
            self._shared.add(sample, calls=1)
        self._pays(sample)

    def _pays(self, sample: str) -> None:
        self._paying.add(sample)
        self._held_budget.spends(sample, Cost(calls=1))
        self.add(calls=1)

    def call_ends(self, sample: str, model: str, usage: ModelUsage) -> None:
        price = self._prices.get(model)
        usd = usage.total_cost if price is None else compute_model_cost(price, usage)
        self._held_budget.spends(sample, Cost(tokens=usage.total_tokens, usd=usd or 0.0))
        self.add(tokens=usage.total_tokens, usd=usd or 0.0)
        if self._shared is not None:
            self._shared.add(sample, tokens=usage.total_tokens, usd=usd or 0.0)

    def call_was_cached(self) -> None:
        """Nobody was asked: Inspect's cache had the reply."""
        self._held_budget.spends("", Cost(calls=-1))
        self.add(calls=-1)
        if self._shared is not None:
            self._shared.add(calls=-1)

    def scoring_begins(self, sample: str) -> None:
        self._being_scored.add(sample)
        self.delivery.scoring_begins(sample)

    def judged(self, scores: Iterable[Score]) -> None:
        for score in scores:
            known = score.metadata or {}
            self.self_scored += bool(known.get(SELF_SCORED))
            if known.get(UNJUDGED):
                self.unjudged.append(str(score.explanation))

    async def sample_ends(
        self,
        sample: str,
        *,
        failed: bool = False,
        asked: str = "",
        problem: Problem | None = None,
        seconds: float = 0.0,
    ) -> None:
        """`failed` without a score; `asked` is the model or agent."""
        self._paying.discard(sample)
        counts = not failed and self.stopped is None
        self.costs.ends(sample, seconds, counts=counts)
        if self._shared is not None:
            self._shared.ends(sample, counts=counts)
        self._being_scored.discard(sample)
        self.delivery.ends(sample)
        self.add(finished=1, errors=int(failed))
        self._compare(asked, problem)
        if self.stopped is not None:
            return  # Inspect waits for the samples that the interruption ends
        if self.delivery.never_delivered(at_least=ENOUGH):
            self._interrupt("no wording reaches the model")
        elif self.repeated is not None:
            self._interrupt("the same error again and again")

    def _compare(self, asked: str, problem: Problem | None) -> None:
        if problem is None or self.stopped:
            self._alike.pop(asked, None)
            return
        pattern, before = problem.pattern, self._alike.get(asked, ("", 0))
        count = before[1] + 1 if before[0] == pattern else 1
        self._alike[asked] = (pattern, count)
        if count >= ALIKE and not self._keep_going and self.repeated is None:
            self.repeated, self.repeated_by = problem, asked

    async def _hold_if_spent(self, sample: str, *, is_call: bool) -> None:
        spent = self._held_budget.used_up() if self._is_limited else None
        if spent is None and is_call and self._shared is not None:
            spent = await self._shared.next_call(sample)
        if spent is None:
            return
        self._held.add(sample)
        self._last_event = time.monotonic()
        while not (self._paying <= self._held or time.monotonic() - self._last_event > self._patience):
            await anyio.sleep(_POLL_SECONDS)
        await self.stop(spent)

    async def stop(self, why: str) -> None:
        """End the run as Ctrl-C does, and never return."""
        self._interrupt(why)
        await anyio.sleep_forever()

    def _interrupt(self, why: str) -> None:
        if self.stopped is None:
            self.stopped = why
            if threading.current_thread() is threading.main_thread():
                signal.raise_signal(signal.SIGINT)
            else:
                _cancel_run()

    def _notify(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress)


def _cancel_run() -> None:
    """End the run whose sample this is, where it has a thread of its own, as in a notebook.

    A signal would go to the main thread. The task that all others come from is cancelled, as the signal does.
    """
    tasks = {id(task): task for task in asyncio.all_tasks()}
    parents = {one.id: one.parent_id for one in anyio.get_running_tasks()}
    place = anyio.get_current_task().id
    while (parent := parents.get(place)) in tasks:
        assert parent is not None
        place = parent
    tasks[place].cancel()


# Inspect's event of a model call has another id than its sample's, so the sample's is kept in its context.
current_sample: ContextVar[str] = ContextVar("otherwords_sample", default="")
# Inspect makes one hooks object for the whole process, so the run that it serves is kept here.
active: list[Tally] = []


def prompt_not_delivered() -> bool:
    """Whether the sample that is being scored showed the model only what its original prompt shows it."""
    return bool(active) and active[-1].delivery.is_undelivered(current_sample.get())


def repeated_error() -> str | None:
    """The error for which the run is to end, if there is one."""
    repeated = active[-1].repeated if active else None
    return None if repeated is None else repeated.text


def same_error(problem: Problem, asked: str, folder: Path) -> RunError:
    """That a run was stopped, as samples of one model or agent ended with one and the same error."""
    counted = (
        "The failed ones are scored 0, as failures of the agent; where it was not its fault, use another "
        "folder."
        if problem.is_agents
        else "The failed ones have no score, and are tried again."
    )
    return RunError(
        f"stopped, as {ALIKE} samples of {asked} in a row ended with the same error: {problem.text}\n"
        f"What has finished is in {folder}. {counted}\n"
        "Run the same command again when the cause is mended, or with --keep-going to go on in spite of it."
    )


def prompt_given_to_agent(text: str) -> None:
    """Record that the agent outside of Inspect that answers the running sample was given this text."""
    if active:
        active[-1].delivery.shows(current_sample.get(), [ChatMessageUser(content=text)], [])


@contextmanager
def counting(tally: Tally) -> Iterator[Tally]:
    active.append(tally)
    try:
        yield tally
    finally:
        active.remove(tally)
