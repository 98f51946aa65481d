"""One budget and one rate over all shards; Ray runs them, and starts again what died."""

from __future__ import annotations

import math
import random
import sys

import anyio
import pytest
from inspect_ai.model import ModelUsage

from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.runs import Budget, Progress, RunSummary
from otherwords.runs.executors import Execution, Ledger, LocalCount, run_by_ray, run_locally, with_rate
from otherwords.runs.logs import OutcomeCounts
from otherwords.runs.progress import OnProgress, Tally
from otherwords.runs.shards import Shard, cut
from otherwords.runs.summary import joined

pytestmark = pytest.mark.slow


def test_a_ledger_gives_out_as_many_calls_as_the_budget_has() -> None:
    ledger = Ledger(Budget(calls=3))
    assert [ledger.reserve()[0] for _ in range(5)] == [None, None, None, "calls=3", "calls=3"]


def test_what_was_spent_without_asking_counts() -> None:
    ledger = Ledger(Budget(calls=3, tokens=10, usd=1.0))
    ledger.add(calls=2)
    assert ledger.used_up() is None
    ledger.add(tokens=10)
    assert ledger.reserve() == ("tokens=10", 0.0)
    ledger = Ledger(Budget(usd=1.0))
    ledger.add(usd=1.5)
    assert ledger.used_up() == "usd=1"


def test_what_another_worker_has_under_way_is_held_back() -> None:
    ledger = Ledger(Budget(tokens=1000))
    one, two = cut(["m"], 2)
    assert ledger.begins(one, "a", "m") is None
    assert ledger.begins(two, "b", "m") == ""  # nobody knows yet what a sample costs
    ledger.add("a", calls=1, tokens=10)
    ledger.ends(one, "a")
    # the dearest so far cost 10, and of a single one 41 times that is held back
    assert [ledger.begins(shard, name, "m") for shard, name in ((two, "b"), (one, "c"), (two, "d"))] == [
        *(None, None, "")
    ]
    ledger.forget(one)  # its worker died
    assert ledger.begins(two, "d", "m") is None
    ledger.add("b", tokens=985)
    ledger.forget(two)
    assert ledger.begins(one, "e", "m") == "tokens=1000"


def test_a_rate_without_a_budget_holds_nothing_back() -> None:
    ledger = Ledger(None, 600)
    assert [ledger.begins(None, name, "m") for name in "abc"] == [None, None, None]


@pytest.mark.parametrize("seed", range(3))
def test_two_workers_exceed_one_budget_by_no_more_than_a_sample(seed: int) -> None:
    """Eight samples at once in each, whose costs differ by two orders of magnitude."""
    rng, most = random.Random(seed), 20_000
    costs = [max(int(100 * math.exp(rng.gauss(0, 1.5))), 1) for _ in range(400)]
    ledger = Ledger(Budget(tokens=most))
    stopped: list[str] = []

    async def worker(shard: Shard) -> None:
        budget = Budget(tokens=most, shared=LocalCount(ledger, shard))
        tally, mine = Tally(Progress(total=200), None, budget=budget), costs[shard.part - 1 :: 2]

        def interrupt(why: str) -> None:
            tally.stopped = why
            stopped.append(why)
            group.cancel_scope.cancel()

        tally._interrupt = interrupt  # type: ignore[method-assign]

        async def sample(name: str, cost: int) -> None:
            async with slots:
                await tally.sample_asks(name, "m")
                await tally.call_begins(name)
                await anyio.sleep(0)
                tally.call_ends(name, "m", ModelUsage(total_tokens=cost))
                await tally.sample_ends(name)

        slots = anyio.Semaphore(8)
        async with anyio.create_task_group() as group:
            for place, cost in enumerate(mine):
                group.start_soon(sample, f"{shard.part}-{place}", cost)
        ledger.forget(shard)

    async def both() -> None:
        async with anyio.create_task_group() as group:
            for shard in cut(["m"], 2):
                group.start_soon(worker, shard)

    anyio.run(both)
    assert set(stopped) == {f"tokens={most}"}
    assert most - max(costs) < ledger._held.spent.tokens <= most + max(costs)


def test_calls_go_out_no_faster_than_the_rate() -> None:
    ledger = Ledger(None, 600)
    waits = [ledger.reserve()[1] for _ in range(4)]
    assert waits == pytest.approx([0, 0.1, 0.2, 0.3], abs=0.01)


def test_a_local_count_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    count = LocalCount(Ledger(Budget(calls=2), 60))

    async def ask() -> list[str | None]:
        return [await count.next_call() for _ in range(3)]

    assert anyio.run(ask) == [None, None, "calls=2"]
    assert slept == pytest.approx([1.0], abs=0.05)
    count.add(tokens=5)


def test_a_rate_needs_no_budget() -> None:
    assert with_rate(None, None) is None
    limited = with_rate(Budget(calls=7), 60)
    assert limited is not None
    assert (limited.calls, limited.shared is None) == (7, False)
    free = with_rate(None, 60)
    assert free is not None
    assert free.calls is None


def _summary(calls: int, stopped: str | None = None, **others: object) -> RunSummary:
    return RunSummary((), calls, calls, 0, 0, calls, 0, 1.0, stopped=stopped, **others)  # type: ignore[arg-type]


def test_shards_that_a_spent_budget_leaves_are_not_begun() -> None:
    seen: list[Progress] = []

    def one(shard: Shard, budget: Budget | None, on_progress: OnProgress) -> RunSummary:
        assert budget is not None
        assert budget.shared is not None
        budget.shared.add(calls=4)
        on_progress(Progress(total=4, finished=4, calls=4))
        return _summary(4)

    how = Execution(Budget(calls=8), expected=20, on_progress=seen.append)
    done = run_locally(cut(["m"], 5), one, how)
    assert [shard.part for shard, _ in done] == [1, 2]
    assert [(now.total, now.finished) for now in seen] == [(20, 4), (20, 8)]


def test_a_model_failed_only_if_it_failed_in_every_shard() -> None:
    failed = OutcomeCounts(2, {"provider_error": {"orig": 2}}, {"provider_error": 2}, {}, 0, ("a",))
    fine = OutcomeCounts(2, {"answered": {"orig": 1, "para": 1}})
    both = joined([("a", _summary(2, outcomes=failed)), ("a", _summary(2, "calls=4", outcomes=fine))])
    assert both.outcomes.failed_models == ()
    assert both.outcomes.by_wording == {"provider_error": {"orig": 2}, "answered": {"orig": 1, "para": 1}}
    assert (both.total, both.stopped, both.outcomes.runs) == (4, "calls=4", 4)
    assert joined([("a", _summary(2, outcomes=failed))] * 2).outcomes.failed_models == ("a",)


def test_errors_of_simulated_users_are_counted_over_all_shards() -> None:
    one = OutcomeCounts(2, {"answered": {"orig": 2}}, user_errors={"orig": (0, 2)})
    two = OutcomeCounts(
        3,
        {"answered": {"orig": 2, "para": 1}},
        user_errors={"orig": (1, 2), "para": (1, 1)},
        first_user_error="wrong id in sample a",
    )
    both = joined([("m", _summary(2, outcomes=one)), ("m", _summary(3, outcomes=two))]).outcomes
    assert both.user_errors == {"orig": (1, 4), "para": (1, 1)}
    assert both.first_user_error == "wrong id in sample a"


def test_where_nothing_is_limited_nobody_is_asked() -> None:
    def one(shard: Shard, budget: Budget | None, on_progress: OnProgress) -> RunSummary:
        assert budget is None
        return _summary(1)

    assert len(run_locally(cut(["m"], 2), one, Execution())) == 2
    assert Execution(calls_a_minute=60).budget_of(None) == Budget()


def _never(shard: Shard, budget: Budget | None, on_progress: OnProgress) -> RunSummary:
    raise AssertionError


def test_without_ray_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError) as refused:
        run_by_ray(cut(["m"], 1), _never, Execution())
    assert str(refused.value) == ("--executor ray needs Ray\nInstall it with: pip install 'otherwords[ray]'")


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("127.0.0.1:1", "no Ray cluster answers at '127.0.0.1:1': Connection refused"),
        ("ray://127.0.0.1:1", "no Ray cluster answers at 'ray://127.0.0.1:1': Connection refused"),
        ("nowhere", "cannot read the Ray address 'nowhere'"),
        ("host:many", "cannot read the Ray address 'host:many'"),
    ],
)
def test_an_address_that_does_not_answer_is_told_at_once(address: str, problem: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(InputError) as refused:
        run_by_ray(cut(["m"], 1), _never, Execution(), address=address)
    assert str(refused.value).splitlines()[0] == problem
    assert len(str(refused.value).splitlines()) == 2
