"""How far a run has come, told by Inspect's hooks while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelUsageData, SampleEnd, hooks


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

    @property
    def done(self) -> int:
        return self.reused + self.finished


OnProgress = Callable[[Progress], None]


class Tally:
    """Counts events and tells the listener of each change."""

    def __init__(self, progress: Progress, on_progress: OnProgress | None) -> None:
        self.progress, self._on_progress = progress, on_progress
        self._tell()

    def add(self, *, finished: int = 0, errors: int = 0, calls: int = 0, tokens: int = 0) -> None:
        now = self.progress
        self.progress = replace(
            now,
            finished=now.finished + finished,
            errors=now.errors + errors,
            calls=now.calls + calls,
            tokens=now.tokens + tokens,
        )
        self._tell()

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress)


# Inspect makes one hooks object for the whole process, so the run that it serves is kept here.
_active: list[Tally] = []


@contextmanager
def counting(progress: Progress, on_progress: OnProgress | None) -> Iterator[Tally]:
    tally = Tally(progress, on_progress)
    _active.append(tally)
    try:
        yield tally
    finally:
        _active.remove(tally)


@hooks(name="otherwords_progress", description="Counts samples, calls and tokens of a run.")
class ProgressHooks(Hooks):
    def enabled(self) -> bool:
        return bool(_active)

    async def on_sample_end(self, data: SampleEnd) -> None:
        _active[-1].add(finished=1, errors=int(data.sample.error is not None))

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        _active[-1].add(calls=1)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        _active[-1].add(tokens=data.usage.total_tokens)
