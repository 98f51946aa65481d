from __future__ import annotations

import math
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelCost, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, includes, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from otherwords.core.errors import InputError
from otherwords.runs import Budget, Limits, RunSettings, RunSummary, parse_budget, run_tasks
from otherwords.runs.progress import Progress, Tally

Scripted = Callable[[str, Callable[[str], str]], str]


@pytest.mark.parametrize(
    ("texts", "budget"),
    [
        ([], None),
        (["calls=100"], Budget(calls=100)),
        (["calls=100", " usd = 2.5 "], Budget(calls=100, usd=2.5)),
        (["tokens=2_000_000,usd=5"], Budget(tokens=2_000_000, usd=5.0)),
    ],
)
def test_parsing(texts: list[str], budget: Budget | None) -> None:
    assert parse_budget(texts) == budget


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["minutes=3"],
            "cannot read the budget 'minutes=3'\nWrite it as calls=1000, tokens=2000000 or usd=5.",
        ),
        (["100"], "cannot read the budget '100'\nWrite it as calls=1000, tokens=2000000 or usd=5."),
        (
            ["calls=few"],
            "cannot read the budget 'calls=few'\nWrite it as calls=1000, tokens=2000000 or usd=5.",
        ),
        (["calls=0"], "a budget must be more than 0, got 'calls=0'"),
        (["usd=nan"], "a budget must be more than 0, got 'usd=nan'"),
        (["usd=-1"], "a budget must be more than 0, got 'usd=-1'"),
        (["calls=1", "calls=2"], "the budget names calls twice"),
    ],
)
def test_what_cannot_be_read_is_told(texts: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_budget(texts)
    assert str(caught.value) == message


def test_what_is_left_is_never_less_than_nothing() -> None:
    left = Budget(calls=10, usd=1.0).less(calls=4, tokens=99, usd=2.0)
    assert left == Budget(calls=6, usd=0.0)
    assert left.used_up(calls=0, tokens=0, usd=0.0) == "usd=1", "what the user gave"


def questions(count: int, solver: Solver | None = None, scorer: Scorer | None = None) -> Task:
    samples = [Sample(id=n, input=f"question {n}?", target="Paris") for n in range(1, count + 1)]
    return Task(
        dataset=samples,
        solver=solver or generate(),
        scorer=scorer or includes(),
        name="capitals",
        version="1",
    )


@pytest.fixture
def parisian(scripted: Scripted) -> str:
    return scripted("parisian", lambda prompt: "Paris")


def test_a_job_in_the_background_ends_at_its_budget_too(parisian: str, tmp_path: Path) -> None:
    """There the shell has interrupts ignored, and the run would wait for one for ever."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        summary = run_tasks(questions(9), parisian, log_dir=tmp_path, budget=Budget(calls=2))
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert (summary.stopped, summary.finished) == ("calls=2", 2)


@pytest.mark.slow
def test_calls_are_kept_to_exactly_and_nothing_paid_for_is_lost(parisian: str, tmp_path: Path) -> None:
    first = run_tasks(questions(20), parisian, log_dir=tmp_path, max_connections=4, budget=Budget(calls=7))
    assert (first.stopped, first.calls, first.finished, first.errored) == ("calls=7", 7, 7, 0)
    assert first.total == 20
    second = run_tasks(questions(20), parisian, log_dir=tmp_path, max_connections=4, budget=Budget(calls=9))
    assert (second.stopped, second.reused, second.finished) == ("calls=9", 7, 16)
    last = run_tasks(questions(20), parisian, log_dir=tmp_path, max_connections=4, budget=Budget(calls=9))
    assert (last.stopped, last.reused, last.calls, last.finished) == (None, 16, 4, 20)
    (log,) = last.logs
    whole = read_eval_log(str(log))
    assert whole.status == "success"
    assert sorted(sample.id for sample in whole.samples or []) == list(range(1, 21))


def test_a_budget_that_suffices_changes_nothing(parisian: str, tmp_path: Path) -> None:
    summary = run_tasks(questions(5), parisian, log_dir=tmp_path, budget=Budget(calls=5))
    assert (summary.stopped, summary.calls, summary.finished) == (None, 5, 5)


@pytest.mark.slow
def test_tokens_and_money_stop_a_run_too(parisian: str, tmp_path: Path) -> None:
    tokens = run_tasks(
        questions(20), parisian, log_dir=tmp_path / "tokens", max_connections=1, budget=Budget(tokens=20)
    )
    assert (tokens.stopped, tokens.tokens, tokens.finished) == ("tokens=20", 20, 5)
    price = {parisian: ModelCost(input=1e6, output=2e6, input_cache_write=0, input_cache_read=0)}
    money = run_tasks(
        questions(20),
        parisian,
        log_dir=tmp_path / "usd",
        max_connections=1,
        budget=Budget(usd=12.5),
        prices=price,
    )
    assert (money.stopped, money.usd, money.finished) == ("usd=12.5", 10.0, 2)


@pytest.mark.slow
def test_two_models_share_one_budget(scripted: Scripted, tmp_path: Path) -> None:
    models = [scripted("one", lambda prompt: "Paris"), scripted("two", lambda prompt: "Rome")]
    first = run_tasks(questions(6), models, log_dir=tmp_path, budget=Budget(calls=5))
    assert (first.calls, first.finished, first.total) == (5, 5, 12)
    last = run_tasks(questions(6), models, log_dir=tmp_path)
    assert (last.reused, last.calls, last.finished) == (5, 7, 12)


@solver
def talks(calls: int) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for _ in range(calls):
            state = await generate(state)
        return state

    return solve


@pytest.mark.slow
def test_no_agent_begins_that_the_budget_would_end_in_the_middle(parisian: str, tmp_path: Path) -> None:
    first = run_tasks(
        questions(4, talks(3)), parisian, log_dir=tmp_path, max_connections=1, budget=Budget(calls=8)
    )
    assert (first.stopped, first.calls, first.finished) == ("calls=8", 6, 2)
    last = run_tasks(questions(4, talks(3)), parisian, log_dir=tmp_path, max_connections=1)
    assert (last.reused, last.calls, last.finished) == (2, 6, 4)


@scorer(metrics=[accuracy()])
def graded(model: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=(await get_model(model).generate("good?")).completion)

    return score


def test_graders_count(parisian: str, scripted: Scripted, tmp_path: Path) -> None:
    grader = scripted("grader", lambda prompt: "C")
    summary = run_tasks(
        questions(6, scorer=graded(grader)),
        parisian,
        log_dir=tmp_path,
        budget=Budget(tokens=36),
    )
    # 4 tokens each of the model and the grader, however many are asked at once
    assert (summary.stopped, summary.finished, summary.calls, summary.tokens) == ("tokens=36", 4, 8, 32)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [0.1, 1.5])
def test_a_budget_is_not_exceeded_by_more_than_a_sample(seed: int, spread: float) -> None:
    """Sixteen samples at once, each of two calls, whose costs differ little or by two orders of magnitude."""
    rng, most = random.Random(seed), 20_000
    costs = [max(int(100 * math.exp(rng.gauss(0, spread))), 1) for _ in range(400)]
    tally = Tally(Progress(total=len(costs)), None, budget=Budget(tokens=most), patience=60)
    finished: list[int] = []
    groups: list[anyio.abc.TaskGroup] = []

    def interrupt(why: str) -> None:
        tally.stopped = why
        groups[0].cancel_scope.cancel()

    tally._interrupt = interrupt  # type: ignore[method-assign]

    async def sample(name: str, cost: int, slots: anyio.Semaphore) -> None:
        async with slots:
            await tally.sample_asks(name, "m")
            await tally.sample_begins(name)
            for part in (cost // 2, cost - cost // 2):
                await tally.call_begins(name)
                await anyio.sleep(0)
                tally.call_ends(name, "m", ModelUsage(total_tokens=part))
            finished.append(cost)
            await tally.sample_ends(name)

    async def whole() -> None:
        slots = anyio.Semaphore(16)
        async with anyio.create_task_group() as group:
            groups.append(group)
            for place, cost in enumerate(costs):
                group.start_soon(sample, f"s{place}", cost, slots)

    anyio.run(whole)
    assert tally.stopped == f"tokens={most}"
    assert tally.progress.tokens <= most + max(costs)
    # what is left would not have held another dear one
    assert tally.progress.tokens > most - max(costs)
    if spread < 1:  # nothing under way was given up
        assert sum(finished) == tally.progress.tokens


@pytest.mark.slow
def test_a_sample_that_waits_never_runs_into_its_time_limit(parisian: str, tmp_path: Path) -> None:
    settings = RunSettings(limits=Limits(seconds=60))
    summary = run_tasks(
        questions(8), parisian, log_dir=tmp_path, settings=settings, max_connections=2, budget=Budget(calls=3)
    )
    assert summary.stopped == "calls=3"
    assert summary.calls == 3
    last = run_tasks(questions(8), parisian, log_dir=tmp_path, settings=settings)
    assert last.finished == 8


def test_a_budget_ends_a_run_in_a_thread_and_not_the_main_thread(parisian: str, tmp_path: Path) -> None:
    found: list[RunSummary] = []

    def work() -> None:
        found.append(run_tasks(questions(4), parisian, log_dir=tmp_path, budget=Budget(calls=2)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(120)
    assert found[0].stopped == "calls=2"
    assert found[0].calls == 2
    assert run_tasks(questions(4), parisian, log_dir=tmp_path).finished == 4
