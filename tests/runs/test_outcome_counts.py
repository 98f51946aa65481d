from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from otherwords.core.errors import RunError
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.results import read_results
from otherwords.runs import RunSettings, RunSummary, build_task, run_tasks
from otherwords.runs.agents import agent_model
from otherwords.runs.agents.function import callable_agent
from otherwords.runs.progress import Problem

Scripted = Callable[[str, Callable[[str], str]], str]


def questions(count: int, solver: Solver | None = None, wordings: int = 1) -> Task:
    items = [Item(id=f"q{n}", prompt=f"question {n}?", target=("Paris",)) for n in range(count)]
    variants: list[Variant] = []
    for item in items:
        first = original(item)
        variants.append(first)
        for k in range(1, wordings):
            name = f"para{k}"
            prompt = f"wording {k} of {item.prompt}"
            new = variant_id(item.id, name)
            variants.append(replace(first, id=new, name=name, kind="paraphrase", prompt=prompt))
    return build_task("capitals", items, variants, solver=solver)


def run_function(function: Callable[[str], Any], folder: Path, count: int, **given: Any) -> RunSummary:
    task = questions(count, wordings=given.pop("wordings", 1))
    settings = RunSettings(solver=callable_agent(function), calls_no_model=True, agent_name="mine")
    return run_tasks(task, agent_model("mine"), log_dir=folder, settings=settings, **given)


def accuracy_of(summary: RunSummary) -> float:
    results = read_eval_log(str(summary.logs[0])).results
    assert results is not None
    return results.scores[0].metrics["accuracy"].value


@pytest.mark.slow
def test_failures_are_counted_by_wording_and_only_the_providers_are_tried_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        if prompt.startswith("wording 1"):
            return str({}["flight"])
        if prompt == "wording 2 of question 1?":
            raise ConnectionResetError("reset by peer")
        return "Paris"

    summary = run_function(answer, tmp_path, 3, wordings=3)
    assert (summary.total, summary.finished, summary.errored) == (9, 8, 1)
    counts = summary.outcomes
    assert counts.runs == 9
    assert counts.by_wording == {
        "answered": {"orig": 3, "para2": 2},
        "agent_error": {"para1": 3},
        "provider_error": {"para2": 1},
    }
    assert counts.unscored == {"provider_error": 1}
    assert counts.first == {
        "agent_error": "agent: raised KeyError: 'flight'",
        "provider_error": "provider or machine: raised ConnectionResetError: reset by peer",
    }
    assert counts.failed_models == ()
    table = read_results(tmp_path).outcomes.sort("id", "variant")
    assert table.filter(variant="para1").select("status", "score", "outcome").unique().rows() == [
        ("scored", 0.0, "agent_error")
    ]
    asked.clear()
    again = run_function(answer, tmp_path, 3, wordings=3)
    assert asked == ["wording 2 of question 1?"], "an agent's own failure is finished"
    assert (again.reused, again.errored) == (8, 1)


@pytest.mark.slow
def test_a_solver_with_a_service_of_its_own_is_scored_and_the_run_says_so(
    scripted: Scripted, tmp_path: Path
) -> None:
    """Seen: 630 of 630 finished, all without a score, and not a word at the end."""

    @solver
    def own_service() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.output.completion = "Paris"
            return state

        return solve

    summary = run_tasks(
        questions(3),
        scripted("m", lambda prompt: "?"),
        log_dir=tmp_path,
        settings=RunSettings(solver=own_service()),
    )
    assert accuracy_of(summary) == 1.0
    assert (summary.outcomes.no_model, dict(summary.outcomes.unscored)) == (3, {})
    assert read_results(tmp_path).outcomes["score"].to_list() == [1.0] * 3


def test_five_of_the_same_error_in_a_row_stop_the_run(scripted: Scripted, tmp_path: Path) -> None:
    asked: list[str] = []

    def down(prompt: str) -> str:
        asked.append(prompt)
        raise RuntimeError(f"request req_{len(asked)}abc failed after {len(asked)}.5 s")

    model = scripted("down", down)
    with pytest.raises(RunError) as caught:
        run_tasks(questions(40), model, log_dir=tmp_path, max_connections=1)
    first, *rest = str(caught.value).splitlines()
    assert first.startswith(
        "stopped, as 5 samples of scripted/down in a row ended with the same error: "
        "RuntimeError('request req_"
    )
    assert rest == [
        f"What has finished is in {tmp_path}. The failed ones have no score, and are tried again.",
        "Run the same command again when the cause is mended, or with --keep-going to go on in spite of it.",
    ]
    assert len(asked) < 40
    scripted("down", lambda prompt: "Paris")
    summary = run_tasks(questions(40), model, log_dir=tmp_path)
    assert (summary.finished, summary.errored) == (40, 0)


@pytest.mark.slow
def test_what_has_finished_before_the_stop_is_kept(tmp_path: Path) -> None:
    asked: list[str] = []
    mended: list[bool] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        if len(asked) > 3 and not mended:
            raise ValueError("lost the map")
        return "Paris"

    with pytest.raises(RunError) as caught:
        run_function(answer, tmp_path, 30)
    assert (
        "The failed ones are scored 0, as failures of the agent; where it was not its fault, use another "
        "folder." in str(caught.value)
    )
    table = read_results(tmp_path).outcomes
    right = table.filter(score=1.0).height
    failed = table.filter(outcome="agent_error").height
    assert right == 3
    assert 5 <= failed <= 27
    mended.append(True)
    summary = run_function(answer, tmp_path, 30)
    assert summary.reused == right + failed
    assert summary.outcomes.count("agent_error") == failed


@pytest.mark.slow
def test_it_goes_on_where_it_is_told_to_or_the_errors_differ(tmp_path: Path) -> None:
    def fails(prompt: str) -> str:
        raise ValueError("always")

    summary = run_function(fails, tmp_path / "a", 8, keep_going=True)
    assert (summary.finished, summary.outcomes.count("agent_error")) == (8, 8)
    assert summary.outcomes.failed_models == ("mine",)
    assert accuracy_of(summary) == 0.0

    names = iter("abcdefgh")

    def fails_otherwise(prompt: str) -> str:
        raise ValueError(next(names))

    assert run_function(fails_otherwise, tmp_path / "b", 8).outcomes.count("agent_error") == 8


@pytest.mark.slow
def test_a_run_in_another_thread_asks_no_more_after_the_fifth(tmp_path: Path) -> None:
    asked: list[str] = []
    found: list[Exception] = []

    def fails(prompt: str) -> str:
        asked.append(prompt)
        raise ValueError("always")

    def work() -> None:
        try:
            run_function(fails, tmp_path, 40, max_connections=1)
        except RunError as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert [str(error).splitlines()[0] for error in found] == [
        "stopped, as 5 samples of mine in a row ended with the same error: agent: raised ValueError: always"
    ]
    assert 5 <= len(asked) < 40


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("KeyError: 'q1' in line 12", "KeyError: 'q2' in line 12", True),
        ("Error code: 429 - req_011CTab", "Error code: 429 - req_77xyz", True),
        ("Error code: 429 - slow down", "Error code: 500 - slow down", False),
        ("HTTP 503 after 1.5 s", "HTTP 503 after 20.25 s", True),
        ("/tmp/otherwords-agent-x1_9kdf2/main.py", "/tmp/otherwords-agent-ab_9kdf2/main.py", True),
        ("at 0x7f8e79cac860", "at 0x7f8e79cac8a0", True),
        ("no module named numpy", "no module named polars", False),
    ],
)
def test_errors_are_the_same_but_for_ids_and_numbers(one: str, other: str, same: bool) -> None:
    assert (Problem(one, names=("q1",)).pattern == Problem(other, names=("q2",)).pattern) is same


@pytest.mark.slow
def test_a_model_that_failed_everywhere_is_named(scripted: Scripted, tmp_path: Path) -> None:
    def breaks(prompt: str) -> str:
        raise RuntimeError("no paper")

    models = [scripted("empty", breaks), scripted("parisian", lambda prompt: "Paris")]
    summary = run_tasks(questions(2), models, log_dir=tmp_path)
    assert summary.outcomes.failed_models == ("scripted/empty",)
    assert dict(summary.outcomes.unscored) == {"provider_error": 2}


def test_of_several_scores_the_one_that_counts_is_looked_at(scripted: Scripted, tmp_path: Path) -> None:
    @scorer(metrics={"good": [mean()], "fast": [mean()]})
    def graded() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value={"good": 1, "fast": float("nan")})

        return score

    task = questions(2)
    task.scorer = [graded()]
    model = scripted("m", lambda prompt: "Paris")
    for name, unscored in (("graded.good", {}), ("graded.fast", {"the scorer gave no score": 2})):
        summary = run_tasks(task, model, log_dir=tmp_path / name, settings=RunSettings(scorer=name))
        assert dict(summary.outcomes.unscored) == unscored
        assert (read_eval_log(str(summary.logs[0])).eval.metadata or {})["otherwords_scorer"] == name


@pytest.mark.slow
def test_a_scorer_that_fails_is_no_failure_of_the_agent(scripted: Scripted, tmp_path: Path) -> None:
    @scorer(metrics=[mean()])
    def broken() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            raise KeyError("rubric")

        return score

    task = questions(2)
    task.scorer = [broken()]
    summary = run_tasks(task, scripted("m", lambda prompt: "Paris"), log_dir=tmp_path)
    assert dict(summary.outcomes.unscored) == {"provider_error": 2}
    table = read_results(tmp_path).outcomes
    assert table.select("status", "outcome", "reason").unique().rows() == [
        ("error", "provider_error", "KeyError('rubric')")
    ]
