from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from otherwords.core.errors import InputError
from otherwords.core.registry import FAMILIES, FamilyTraits
from otherwords.core.types import Item, Variant
from otherwords.pipeline.agents import Agent, as_agent
from otherwords.pipeline.frozen import Writing
from otherwords.pipeline.inputs import open_source
from otherwords.pipeline.run import execute_plan, run
from otherwords.pipeline.run_plan import estimate_plan, plan_run
from otherwords.pipeline.vary import Wordings
from otherwords.results import load_all_results, read_results
from otherwords.runs import Limits
from otherwords.variants.base import reworded

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


@pytest.mark.slow
def test_a_plan_says_what_is_asked_and_a_second_run_asks_nothing(
    dataset: Path, parisian: str, tmp_path: Path
) -> None:
    def planned() -> tuple[int, int, int]:
        plan = plan_run(dataset, [parisian], wordings=Wordings(k=2), repeats=2, log_dir=tmp_path / "logs")
        taken = estimate_plan(plan)
        summary = execute_plan(plan)
        return plan.calls, taken.calls, summary.calls

    assert planned() == (12, 12, 12)
    assert planned() == (12, 0, 0)


@pytest.mark.slow
def test_an_opened_source_can_be_planned_for_several_agents(
    dataset: Path, scripted: Scripted, tmp_path: Path
) -> None:
    source = open_source(dataset)
    seen: dict[str, list[str]] = {"warm": [], "cold": []}
    for name, prompts in seen.items():
        model = scripted("same", lambda prompt, prompts=prompts: prompts.append(prompt) or "Paris")
        agent = Agent((model,), name=name, generate={"temperature": 0.0 if name == "cold" else 1.0})
        plan = plan_run(source, agent, wordings=Wordings(k=2), repeats=1, log_dir=tmp_path / "logs")
        assert execute_plan(plan).finished == 6
    assert sorted(seen["warm"]) == sorted(seen["cold"])
    table = read_results(str(tmp_path / "logs")).outcomes
    assert table.group_by("model").len().sort("model").rows() == [("cold", 6), ("warm", 6)]


@pytest.mark.slow
def test_one_agent_under_two_names_is_run_twice(dataset: Path, parisian: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        plan = plan_run(
            dataset,
            Agent((parisian,), name=name),
            wordings=Wordings(k=1),
            repeats=1,
            log_dir=tmp_path / "logs",
        )
        summary = execute_plan(plan)
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
    config = read_eval_log(str(execute_plan(plan).logs[0])).eval.config
    limits = (config.message_limit, config.token_limit, config.time_limit, config.working_limit)
    assert limits == (7, 5000, 100, 90)


@pytest.mark.slow
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
    summary = execute_plan(plan)
    assert (summary.finished, summary.calls) == (4, 4)
    assert planned() == 0
    (folder / "main.py").write_text("def run(input, **kw):\n    return {key: 'Rome' for key in input}\n")
    with pytest.raises(InputError) as caught:
        planned()
    assert str(caught.value) == (
        f"{tmp_path / 'logs'}: the agent's code or arguments changed since the run of task 'questions' with "
        "agent 'mine' began: main.py\n"
        f"Undo the change to go on with that run, or begin another one: --log-dir {tmp_path / 'logs'}-2"
    )


@pytest.mark.slow
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
        execute_plan(plan)
        return taken

    assert (left(), left()) == (4, 0)
    Path(changed).write_text(Path(changed).read_text() + "# and more\n")
    if changed == "unused.py":
        assert left() == 0
        return
    what = "agent" if form == "function" else "solver"
    with pytest.raises(InputError) as caught:
        left()
    assert str(caught.value).startswith(
        f"{tmp_path / 'logs'}: the {what}'s code or arguments changed since the run of task 'questions' with "
        f"agent 'mine' began: {changed}\n"
    )


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
    execute_plan(plan)
    table = read_results(str(tmp_path / "logs")).outcomes
    assert table.select("status", "score", "reason").unique().rows() == [
        ("unscored", None, "swallowed errors")
    ]


@pytest.mark.slow
def test_inspects_model_for_none_is_not_expected_to_be_asked(tmp_path: Path) -> None:
    (tmp_path / "careless.py").write_text(SWALLOWS.replace("return await generate(state)", "return state"))
    plan = plan_run(
        str(tmp_path / "careless.py"),
        ["none/none"],
        wordings=Wordings(k=1),
        repeats=1,
        log_dir=tmp_path / "logs",
    )
    execute_plan(plan)
    assert read_results(str(tmp_path / "logs")).outcomes["score"].to_list() == [1.0, 1.0]


def test_a_function_of_python_is_run_in_one_call_and_resumed(dataset: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def parisian(prompt: str) -> str:
        asked.append(prompt)
        return "Paris"

    first = run(dataset, parisian, families=["paraphrase"], k=1, repeats=1, log_dir=tmp_path / "logs")
    assert (first.finished, first.errored) == (first.total, 0)
    assert len(asked) == first.total
    table = load_all_results(tmp_path / "logs")
    assert set(table["model"]) == {"parisian"}
    again = run(dataset, parisian, families=["paraphrase"], k=1, repeats=1, log_dir=tmp_path / "logs")
    assert again.reused == first.total == len(asked)


def test_what_can_be_an_agent() -> None:
    assert as_agent("openai/gpt-4o-mini") == as_agent(["openai/gpt-4o-mini"])
    assert as_agent(["a/b", "c/d"]).models == ("a/b", "c/d")
    agent = Agent(("a/b",), name="mine")
    assert as_agent(agent) is agent
    assert as_agent(str.upper).label == "upper"
    assert as_agent(str.upper).is_external


class Ghostwriter:
    """A family of another package that asks a model, and has no method for many items at a time."""

    name, version = "ghost", 1
    traits = FamilyTraits(needs_model=True)

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        starts = ("Please tell me: ", "Tell me, please: ", "Kindly tell me: ")
        texts = [start + str(item.prompt)[0].lower() + str(item.prompt)[1:] for start in starts]
        made = [
            reworded(item, text, f"ghost{place}", self, "start") for place, text in enumerate(texts, start=1)
        ]
        return made  # more than k, which is a bound for the caller too


@pytest.mark.parametrize(("families", "each"), [(("ghost",), 2), (("format", "ghost"), 1)])
def test_a_family_that_asks_a_model_needs_only_candidates(
    families: tuple[str, ...], each: int, dataset: Path, parisian: str, tmp_path: Path
) -> None:
    announced: list[Writing] = []
    progress: list[tuple[int, int]] = []
    FAMILIES.add("ghost", Ghostwriter())
    try:
        plan = plan_run(
            dataset,
            [parisian],
            wordings=Wordings(families, k=2),
            log_dir=tmp_path / "logs",
            on_writing=announced.append,
            on_item=lambda *now: progress.append(now),
        )
    finally:
        FAMILIES.remove("ghost")
    assert announced == [Writing("the variant family 'ghost'", 2, each)]
    assert progress == [(1, 2), (2, 2)]
    names = [variant.name for variant in plan.variants if variant.item_id == "france"]
    assert [name for name in names if name.startswith("ghost")] == ["ghost1", "ghost2"][:each]
    assert "orig" in names
    assert plan.made is not None
    assert plan.made.accepted == 4
