"""How far a run has come, as `listening` hears it while it runs, and what ends it before it is through."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

import anyio
from inspect_ai.model import ChatMessageUser, ModelCost, ModelUsage, compute_model_cost
from inspect_ai.scorer import Score

from otherwords.runs.budget import Budget
from otherwords.runs.reach import Reach

SELF_SCORED, UNJUDGED = "self_scored", "unjudged"
"""Metadata of a score: it is the agent's own word; it is none, as the agent's answer could not be judged."""
PATIENCE = 30.0
"""Seconds without any news after which samples still under way are given up when the budget is spent."""
_LOOK_EVERY = 0.05


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
    """Counts events and tells the listener of each change.

    When the budget is spent, no further call goes out and no further sample begins; the answers under way
    come in and are scored, and then the run is interrupted as by Ctrl-C, which leaves logs to resume from.
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
    ) -> None:
        self.progress, self._on_progress = progress, on_progress
        self.samples_are_calls = samples_are_calls
        self.stopped: str | None = None
        """The part of the budget that ended the run."""
        self.reach = Reach()
        self.self_scored = 0
        """Samples whose score is what the agent says of itself."""
        self.unjudged: list[str] = []
        """Why each of the samples has no score whose agent's answer could not be judged."""
        self._budget, self._prices, self._patience = budget, dict(prices or {}), patience
        self._under_way: set[str] = set()
        self._being_scored: set[str] = set()
        self._held: set[str] = set()
        self._last_news = time.monotonic()
        self._tell()

    def add(
        self, *, finished: int = 0, errors: int = 0, calls: int = 0, tokens: int = 0, usd: float = 0.0
    ) -> None:
        if self.stopped:
            return  # the samples that the interruption ends are not finished
        now = self.progress
        self.progress = replace(
            now,
            finished=now.finished + finished,
            errors=now.errors + errors,
            calls=now.calls + calls,
            tokens=now.tokens + tokens,
            usd=now.usd + usd,
        )
        self._last_news = time.monotonic()
        self._tell()

    async def sample_begins(self, sample: str) -> None:
        self._under_way.add(sample)
        await self._hold_if_spent(sample)
        if self.samples_are_calls:
            self.add(calls=1)

    async def call_begins(self, sample: str) -> None:
        if sample not in self._being_scored:
            await self._hold_if_spent(sample)
        self.add(calls=1)

    def call_ends(self, model: str, usage: ModelUsage) -> None:
        price = self._prices.get(model)
        usd = usage.total_cost if price is None else compute_model_cost(price, usage)
        self.add(tokens=usage.total_tokens, usd=usd or 0.0)

    def scoring_begins(self, sample: str) -> None:
        self._being_scored.add(sample)
        self.reach.scoring_begins(sample)

    def judged(self, scores: Iterable[Score]) -> None:
        for score in scores:
            known = score.metadata or {}
            self.self_scored += bool(known.get(SELF_SCORED))
            if known.get(UNJUDGED):
                self.unjudged.append(str(score.explanation))

    async def sample_ends(self, sample: str, *, failed: bool) -> None:
        self._under_way.discard(sample)
        self._being_scored.discard(sample)
        self.reach.ends(sample)
        self.add(finished=1, errors=int(failed))
        if self.reach.is_in_vain and threading.current_thread() is threading.main_thread():
            await self._stop("no wording reaches the model")

    async def _hold_if_spent(self, sample: str) -> None:
        spent = self._spent()
        if spent is None:
            return
        self._held.add(sample)
        self._last_news = time.monotonic()
        while not (self._under_way <= self._held or time.monotonic() - self._last_news > self._patience):
            await anyio.sleep(_LOOK_EVERY)
        await self._stop(spent)

    async def _stop(self, why: str) -> None:
        """Ends the run as Ctrl-C does, and does not come back."""
        if self.stopped is None:
            self.stopped = why
            signal.raise_signal(signal.SIGINT)
        await anyio.sleep_forever()

    def _spent(self) -> str | None:
        now = self.progress
        if self._budget is None:
            return None
        return self._budget.used_up(calls=now.calls, tokens=now.tokens, usd=now.usd)

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress)


# Inspect tells another id with a call than with its sample, so the sample's is kept in its own context.
current_sample: ContextVar[str] = ContextVar("otherwords_sample", default="")
# Inspect makes one hooks object for the whole process, so the run that it serves is kept here.
active: list[Tally] = []


def wording_is_unseen() -> bool:
    """Whether the sample that is being scored showed the model just what the original shows it."""
    return bool(active) and active[-1].reach.is_unseen(current_sample.get())


def wording_is_handed_over(text: str) -> None:
    """The sample that runs is answered by an agent outside of Inspect, which has been given this text."""
    if active:
        active[-1].reach.shows(current_sample.get(), [ChatMessageUser(content=text)], [])


@contextmanager
def counting(tally: Tally) -> Iterator[Tally]:
    active.append(tally)
    try:
        yield tally
    finally:
        active.remove(tally)
