from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from otherwords.core.errors import InputError
from otherwords.pipeline import Agent, Wordings, estimate_plan, open_source, plan_run, run
from otherwords.results import read_results
from otherwords.runs import Limits

Scripted = Callable[[str, Callable[[str], str]], str]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    lines = [
        {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
        {"id": "play", "question": "Who wrote the play Hamlet?", "answer": "Shakespeare"},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def parisian(scripted: Scripted) -> str:
    return scripted("parisian", lambda prompt: "Paris")


def test_a_plan_says_what_is_asked_and_a_second_run_asks_nothing(
    dataset: Path, parisian: str, tmp_path: Path
) -> None:
    def planned() -> tuple[int, int, int]:
        plan = plan_run(dataset, [parisian], wordings=Wordings(k=2), repeats=2, log_dir=tmp_path / "logs")
        taken = estimate_plan(plan)
        summary = run(plan)
        return plan.calls, taken.calls, summary.calls

    assert planned() == (12, 12, 12)
    assert planned() == (12, 0, 0)


def test_an_opened_source_can_be_planned_for_several_agents(
    dataset: Path, scripted: Scripted, tmp_path: Path
) -> None:
    source = open_source(dataset)
    seen: dict[str, list[str]] = {"warm": [], "cold": []}
    for name, prompts in seen.items():
        model = scripted("same", lambda prompt, prompts=prompts: prompts.append(prompt) or "Paris")
        agent = Agent((model,), name=name, generate={"temperature": 0.0 if name == "cold" else 1.0})
        plan = plan_run(source, agent, wordings=Wordings(k=2), repeats=1, log_dir=tmp_path / "logs")
        assert run(plan).finished == 6
    assert sorted(seen["warm"]) == sorted(seen["cold"])
    table = read_results(str(tmp_path / "logs")).outcomes
    assert table.group_by("model").len().sort("model").rows() == [("cold", 6), ("warm", 6)]


def test_one_agent_under_two_names_is_run_twice(dataset: Path, parisian: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        plan = plan_run(
            dataset,
            Agent((parisian,), name=name),
            wordings=Wordings(k=1),
            repeats=1,
            log_dir=tmp_path / "logs",
        )
        summary = run(plan)
        assert (summary.calls, summary.reused) == (4, 0)


def test_limits_reach_inspect(dataset: Path, parisian: str, tmp_path: Path) -> None:
    plan = plan_run(
        dataset,
        [parisian],
        wordings=Wordings(k=1),
        repeats=1,
        limits=Limits(messages=7, tokens=5000, seconds=100, working_seconds=90),
        log_dir=tmp_path / "logs",
    )
    config = read_eval_log(str(run(plan).logs[0])).eval.config
    limits = (config.message_limit, config.token_limit, config.time_limit, config.working_limit)
    assert limits == (7, 5000, 100, 90)


def test_an_agent_with_another_file_is_another_run(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "main.py").write_text("def run(input, **kw):\n    return {key: 'Paris' for key in input}\n")

    def planned() -> int:
        agent = Agent(name="mine", agent_dir=folder)
        plan = plan_run(dataset, agent, wordings=Wordings(k=1), repeats=1, log_dir=tmp_path / "logs")
        return estimate_plan(plan).calls

    plan = plan_run(
        dataset,
        Agent(name="mine", agent_dir=folder),
        wordings=Wordings(k=1),
        repeats=1,
        log_dir=tmp_path / "logs",
    )
    summary = run(plan)
    assert (summary.finished, summary.calls) == (4, 4)
    assert planned() == 0
    (folder / "main.py").write_text("def run(input, **kw):\n    return {key: 'Rome' for key in input}\n")
    with pytest.raises(InputError) as caught:
        planned()
    assert str(caught.value) == (
        f"{tmp_path / 'logs'}: the folder holds a run of task 'questions' with agent 'mine' that used other "
        "wordings, settings or arguments\nChoose another log folder, or remove that run's logs."
    )


@pytest.mark.parametrize("changed", ["mine.py", "words.py", "unused.py"])
@pytest.mark.parametrize("form", ["function", "solver"])
def test_a_function_or_a_solver_whose_code_has_changed_is_another_run(
    form: str, changed: str, dataset: Path, parisian: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "words", raising=False)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    monkeypatch.chdir(tmp_path)
    for file in ("words.py", "unused.py"):
        Path(file).write_text("CITY = 'Paris'\n")
    Path("mine.py").write_text(
        "from inspect_ai.solver import generate, solver\n"
        "from words import CITY\n"
        "def answer(prompt):\n    return CITY\n"
        "@solver\ndef solve():\n    return generate()\n"
    )
    agent = Agent(name="mine", function="mine.py:answer")
    if form == "solver":
        agent = Agent((parisian,), name="mine", solver="mine.py@solve")

    def left() -> int:
        plan = plan_run(dataset, agent, wordings=Wordings(k=1), repeats=1, log_dir=tmp_path / "logs")
        taken = estimate_plan(plan).calls
        run(plan)
        return taken

    assert (left(), left()) == (4, 0)
    Path(changed).write_text(Path(changed).read_text() + "# and more\n")
    if changed == "unused.py":
        assert left() == 0
        return
    with pytest.raises(InputError, match="agent 'mine' that used other wordings, settings or arguments"):
        left()


SWALLOWS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver

@solver
def careless():
    async def solve(state, generate):
        try:
            return await generate(state)
        except Exception:
            return state
    return solve

@scorer(metrics=[accuracy()])
def generous():
    async def score(state, target):
        return Score(value="C", answer=state.output.completion)
    return score

@task
def nothing_changes():
    return Task(dataset=[Sample(id="a", input="What is the capital of France?", target="x")],
                solver=careless(), scorer=generous())
"""


def test_a_solver_that_swallows_errors_never_counts_as_right(scripted: Scripted, tmp_path: Path) -> None:
    def breaks(prompt: str) -> str:
        raise RuntimeError("no connection")

    (tmp_path / "careless.py").write_text(SWALLOWS)
    plan = plan_run(
        str(tmp_path / "careless.py"),
        [scripted("broken", breaks)],
        wordings=Wordings(k=1),
        repeats=1,
        log_dir=tmp_path / "logs",
    )
    run(plan)
    table = read_results(str(tmp_path / "logs")).outcomes
    assert table.select("status", "score", "reason").unique().rows() == [
        ("unscored", None, "swallowed errors")
    ]


def test_inspects_model_for_none_is_not_expected_to_be_asked(tmp_path: Path) -> None:
    (tmp_path / "careless.py").write_text(SWALLOWS.replace("return await generate(state)", "return state"))
    plan = plan_run(
        str(tmp_path / "careless.py"),
        ["none/none"],
        wordings=Wordings(k=1),
        repeats=1,
        log_dir=tmp_path / "logs",
    )
    run(plan)
    assert read_results(str(tmp_path / "logs")).outcomes["score"].to_list() == [1.0, 1.0]
