"""Shards and a function that runs one → all run, here or by Ray; the `Ledger` of budget and rate they share.

Ray schedules the shards, and starts one again whose worker died; the shard goes on from its folder. All
workers share one `Ledger`, so that a budget and a rate hold for the whole run.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import anyio

from otherwords.core.errors import InputError, MissingDependencyError, RunError
from otherwords.runs.progress import OnProgress, Progress
from otherwords.runs.sample_costs import Budget, Cost, HeldBudget
from otherwords.runs.shards import Shard
from otherwords.runs.summary import RunSummary

LOCAL, RAY = "local", "ray"
RETRIES = 3
"""How often Ray starts a shard again whose worker died."""
_REPORT_EVERY = 1.0
"""Seconds between two reports of a worker on its progress, and between two looks at them."""
_CONNECT_SECONDS = 5.0


class Ledger:
    """What all shards of a run have spent and hold back together, and how fast they may go on."""

    def __init__(self, budget: Budget | None = None, calls_a_minute: float | None = None) -> None:
        self._held = HeldBudget(budget or Budget())
        self._gap = 60.0 / calls_a_minute if calls_a_minute else 0.0
        self._next = 0.0
        self._under_way: dict[Shard | None, set[str]] = {}
        self._progress: dict[Shard, Progress] = {}

    def used_up(self) -> str | None:
        """The part of the budget that is spent, such as `calls=100`."""
        return self._held.used_up()

    def begins(self, shard: Shard | None, sample: str, model: str) -> str | None:
        """Hold back what a sample of the shard may cost: as `HeldBudget.begins`."""
        lacking = self._held.begins(sample, model)
        if lacking is None:
            self._under_way.setdefault(shard, set()).add(sample)
        return lacking

    def ends(self, shard: Shard | None, sample: str, counts: bool = True) -> None:
        self._under_way.get(shard, set()).discard(sample)
        self._held.costs.ends(sample, 0.0, counts=counts)

    def forget(self, shard: Shard | None) -> None:
        """Hold nothing back any more for what a worker of the shard had under way when it ended or died."""
        for sample in self._under_way.pop(shard, ()):
            self._held.costs.ends(sample, 0.0, counts=False)

    def reserve(self, sample: str = "") -> tuple[str | None, float]:
        """Count one call, which may go out after so many seconds; or the part of the budget that is spent."""
        spent = self.used_up()
        if spent is not None:
            return spent, 0.0
        self.add(sample, calls=1)
        now = time.monotonic()
        at = max(now, self._next)
        self._next = at + self._gap
        return None, at - now

    def add(self, sample: str = "", calls: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        self._held.spends(sample, Cost(calls, tokens, usd))

    def report(self, shard: Shard, progress: Progress) -> None:
        self._progress[shard] = progress

    def progress(self) -> dict[Shard, Progress]:
        return self._progress


class LocalCount:
    """A ledger in this process."""

    def __init__(self, ledger: Ledger, shard: Shard | None = None) -> None:
        self._ledger, self._shard = ledger, shard

    async def begins(self, sample: str, model: str) -> str | None:
        return self._ledger.begins(self._shard, sample, model)

    async def next_call(self, sample: str = "") -> str | None:
        spent, seconds = self._ledger.reserve(sample)
        if seconds:
            await anyio.sleep(seconds)
        return spent

    def add(self, sample: str = "", *, calls: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        self._ledger.add(sample, calls, tokens, usd)

    def ends(self, sample: str, *, counts: bool) -> None:
        self._ledger.ends(self._shard, sample, counts)


def with_rate(budget: Budget | None, calls_a_minute: float | None) -> Budget | None:
    """The budget of a run that is not cut, with calls that go out no faster than this."""
    if calls_a_minute is None:
        return budget
    return replace(budget or Budget(), shared=LocalCount(Ledger(budget, calls_a_minute)))


RunShard = Callable[[Shard, Budget | None, OnProgress], RunSummary]
"""Runs one shard; what it spends is counted by the budget's `shared`."""
Done = list[tuple[Shard, RunSummary]]


@dataclass(frozen=True)
class Execution:
    """How shards are run."""

    budget: Budget | None = None
    calls_a_minute: float | None = None
    expected: int = 0
    """About how many samples there are, before all shards have said it."""
    on_progress: OnProgress | None = None

    def ledger(self) -> Ledger:
        return Ledger(self.budget, self.calls_a_minute)

    def budget_of(self, shared: Any) -> Budget | None:
        """The budget as each shard is given it; None where nothing is limited, and nobody need be asked."""
        if self.budget is None and self.calls_a_minute is None:
            return None
        return replace(self.budget or Budget(), shared=shared)

    def tell(self, found: dict[Shard, Progress], shards: int) -> None:
        """Call the listener with the progress of all shards together."""
        if self.on_progress is None:
            return
        known = list(found.values())
        total = sum(one.total for one in known)
        self.on_progress(
            Progress(
                total=total if len(known) == shards else max(total, self.expected),
                reused=sum(one.reused for one in known),
                finished=sum(one.finished for one in known),
                errors=sum(one.errors for one in known),
                calls=sum(one.calls for one in known),
                tokens=sum(one.tokens for one in known),
                usd=sum(one.usd for one in known),
            )
        )


def run_locally(shards: Sequence[Shard], run_one: RunShard, how: Execution) -> Done:
    """One shard after the other, in this process; those that a spent budget leaves are not begun."""
    ledger = how.ledger()
    done: Done = []
    for shard in shards:
        if ledger.used_up() is not None:
            break

        def report(progress: Progress, shard: Shard = shard) -> None:
            ledger.report(shard, progress)
            how.tell(ledger.progress(), len(shards))

        done.append((shard, run_one(shard, how.budget_of(LocalCount(ledger, shard)), report)))
        ledger.forget(shard)
    return done


# ---- Ray


class RayCount:
    """A ledger that is an actor of Ray's; it is told things in the order in which a worker says them."""

    def __init__(self, ledger: Any, shard: Shard) -> None:
        self._ledger, self._shard = ledger, shard

    async def begins(self, sample: str, model: str) -> str | None:
        lacking: str | None = await _answer(self._ledger.begins.remote(self._shard, sample, model))
        return lacking

    async def next_call(self, sample: str) -> str | None:
        spent, seconds = await _answer(self._ledger.reserve.remote(sample))
        if seconds:
            await anyio.sleep(seconds)
        return str(spent) if spent is not None else None

    def add(self, sample: str = "", *, calls: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        self._ledger.add.remote(sample, calls, tokens, usd)

    def ends(self, sample: str, *, counts: bool) -> None:
        self._ledger.ends.remote(self._shard, sample, counts)


async def _answer(asked: Any) -> Any:
    import ray

    return await anyio.to_thread.run_sync(ray.get, asked)


def run_by_ray(
    shards: Sequence[Shard],
    run_one: RunShard,
    how: Execution,
    *,
    address: str | None = None,
    workers: int | None = None,
) -> Done:
    """Each shard by a worker of a Ray cluster: of the one at `address`, or of one that is started here.

    Raises:
        MissingDependencyError: Ray is not installed.
        InputError: No cluster answers at the address.
        RunError: The worker of a shard died again and again.
    """
    with _connected(address, workers) as ray:
        ledger = ray.remote(num_cpus=0)(Ledger).remote(how.budget, how.calls_a_minute)
        work = ray.remote(num_cpus=1, max_retries=RETRIES, scheduling_strategy="SPREAD")(_work)
        at_once = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting, running, done = list(shards), dict[Any, Shard](), dict[Shard, RunSummary]()
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    shard = waiting.pop(0)
                    budget = how.budget_of(RayCount(ledger, shard))
                    running[work.remote(run_one, shard, budget, ledger, os.getcwd())] = shard
                ended, _ = ray.wait(list(running), num_returns=1, timeout=_REPORT_EVERY)
                for one in ended:
                    shard = running.pop(one)
                    summary = _result(ray, one, shard)
                    if summary is not None:
                        done[shard] = summary
                    if summary is None or summary.stopped:
                        waiting.clear()
                how.tell(ray.get(ledger.progress.remote()), len(shards))
        except BaseException:
            for one in running:
                ray.cancel(one)
            ray.wait(list(running), num_returns=len(running), timeout=_CONNECT_SECONDS)
            raise
    return [(shard, done[shard]) for shard in shards if shard in done]


def _result(ray: Any, ended: Any, shard: Shard) -> RunSummary | None:
    try:
        summary: RunSummary | None = ray.get(ended)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        said = str(error).strip().splitlines()
        raise RunError(
            f"the worker of part {shard.name} of {shard.model} died {RETRIES + 1} times, the last time with "
            f"{type(error).__name__}: {said[0] if said else ''}\n"
            "What has finished is in the logs; run the same command again to go on."
        ) from error
    return summary


def _work(
    run_one: RunShard, shard: Shard, budget: Budget | None, ledger: Any, folder: str
) -> RunSummary | None:  # pragma: no cover  in a worker's process
    """In a worker: run the shard in the driver's folder; None where the budget is spent before it begins."""
    import ray

    try:
        os.chdir(folder)
    except OSError as error:
        raise InputError(
            f"is not on the machine {socket.gethostname()}, where a worker of Ray's runs",
            file=folder,
            hint="All of them need the same folder: start the run in one that they share.",
        ) from error
    ledger.forget.remote(shard)  # of a worker that died
    if ray.get(ledger.used_up.remote()) is not None:
        return None
    told = 0.0
    latest: Progress | None = None

    def report(progress: Progress) -> None:
        nonlocal told, latest
        latest = progress
        if time.monotonic() - told >= _REPORT_EVERY:
            told = time.monotonic()
            ledger.report.remote(shard, progress)

    try:
        summary = run_one(shard, budget, report)
    finally:
        ledger.forget.remote(shard)
    if latest is not None:
        ray.get(ledger.report.remote(shard, latest))
    return summary


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[Any]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingDependencyError("--executor ray needs Ray", "pip install 'otherwords[ray]'") from None
    if ray.is_initialized():
        yield ray
        return
    where = address or os.environ.get("RAY_ADDRESS") or LOCAL
    if where not in (LOCAL, "auto"):
        _require_answer(where)
    started: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if where == LOCAL else {}
    try:
        # No runtime environment: Ray writes it to its logs, and variables hold keys.
        ray.init(where, logging_level=logging.ERROR, log_to_driver=False, **started)
    except (ConnectionError, RuntimeError, ValueError) as error:
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise _no_cluster(where, why) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Ray itself waits for minutes where nothing answers."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None:
        raise InputError(
            f"cannot read the Ray address '{address}'", hint="Write it as HOST:PORT, ray://HOST:PORT or auto."
        )
    try:
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        raise _no_cluster(address, error.strerror or str(error)) from error


def _no_cluster(address: str, why: str) -> InputError:
    return InputError(
        f"no Ray cluster answers at '{address}': {why}",
        hint="Start one with `ray start --head`, or leave --ray-address out to use this machine alone.",
    )
