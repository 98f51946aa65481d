from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import (
    CORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    choice,
    includes,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, generate, multiple_choice, solver
from inspect_ai.tool import ToolCall

from otherwords.results import load_all_results
from otherwords.runs.agents import callable_agent
from otherwords.runs.invalid_scores import mark_invalid

Scripted = Callable[[str, Callable[[str], str]], str]


def run(
    solver: Solver, model: str, folder: Path, scorers: Scorer | list[Scorer] | None = None, **settings: Any
) -> EvalLog:
    marked = scorers if isinstance(scorers, list) else [scorers or untouched_world()]
    task = Task(
        dataset=MemoryDataset([Sample(input="What now?", target="x", id="q")], name="suspects"),
        solver=solver,
        scorer=mark_invalid(marked, expect_model=settings.pop("expect_model", True)),
        **settings,
    )
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none", fail_on_error=False)
    return log


def only(log: EvalLog) -> EvalSample:
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def score_of(log: EvalLog, name: str = "untouched_world") -> Score:
    scores = only(log).scores
    assert scores is not None
    return scores[name]


@scorer(metrics=[accuracy(), stderr()])
def untouched_world() -> Scorer:
    """Right when nothing was changed, as where the task is to refuse: doing nothing solves it."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=CORRECT, answer=state.output.completion, metadata={"changed": 0})

    return score


@solver
def idle() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@solver
def swallowing(turns: int = 3, role: str | None = None, grows: bool = False) -> Solver:
    """Goes on after errors as tau2's simulated user does; `grows` adds a turn after each."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model(role=role)
        for turn in range(turns):
            try:
                state.output = await model.generate(state.messages)
                state.messages.append(state.output.message)
            except RuntimeError:
                if grows:
                    state.messages.append(ChatMessageUser(content=f"turn {turn}"))
        return state

    return solve


def failing_until(call: int) -> Callable[[str], str]:
    """A model whose calls before the given one fail."""
    made = []

    def answer(prompt: str) -> str:
        made.append(prompt)
        if len(made) < call:
            raise RuntimeError("the service is down")
        return "done"

    return answer


@pytest.mark.slow
def test_a_solver_that_asked_no_model_is_not_scored(scripted: Scripted, tmp_path: Path) -> None:
    log = run(idle(), scripted("m", lambda prompt: "hi"), tmp_path)
    score = score_of(log)
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert score.reason == "no model call"
    assert score.metadata == {"changed": 0, "suspect": "no model call", "suspect_value": "C"}
    assert log.results is not None
    assert math.isnan(log.results.scores[0].metrics["accuracy"].value)
    (row,) = load_all_results(tmp_path).rows(named=True)
    assert (row["status"], row["score"], row["reason"]) == ("unscored", None, "no model call")


@pytest.mark.slow
def test_an_honest_sample_keeps_its_score(scripted: Scripted, tmp_path: Path) -> None:
    score = score_of(run(generate(), scripted("m", lambda prompt: "hi"), tmp_path))
    assert (score.value, score.reason, score.metadata) == ("C", None, {"changed": 0})


def test_a_task_may_say_that_no_model_is_expected(scripted: Scripted, tmp_path: Path) -> None:
    log = run(idle(), scripted("m", lambda prompt: "hi"), tmp_path, expect_model=False)
    assert score_of(log).value == "C"


def test_an_external_agent_asks_its_own_models(scripted: Scripted, tmp_path: Path) -> None:
    log = run(callable_agent(lambda prompt: "hi"), scripted("m", lambda prompt: "hi"), tmp_path)
    assert score_of(log).value == "C"
    silent = run(callable_agent(lambda prompt: " "), scripted("m", lambda prompt: "hi"), tmp_path)
    assert score_of(silent).reason == "no_response"


@pytest.mark.parametrize("grows", [False, True])
def test_a_solver_that_swallowed_every_error_is_not_scored(
    grows: bool, scripted: Scripted, tmp_path: Path
) -> None:
    model = scripted("m", failing_until(100))
    assert score_of(run(swallowing(grows=grows), model, tmp_path)).reason == "swallowed errors"
    (row,) = load_all_results(tmp_path).rows(named=True)
    assert (row["status"], row["score"], row["reason"]) == ("unscored", None, "swallowed errors")


def test_a_lost_call_is_not_made_good_by_another_question(scripted: Scripted, tmp_path: Path) -> None:
    log = run(swallowing(grows=True), scripted("m", failing_until(2)), tmp_path)
    assert score_of(log).reason == "swallowed errors"


@pytest.mark.slow
def test_asking_the_same_again_until_it_works_is_no_swallowing(scripted: Scripted, tmp_path: Path) -> None:
    log = run(swallowing(), scripted("m", failing_until(3)), tmp_path)
    assert score_of(log).value == "C"


def test_a_failing_role_is_seen_beside_a_working_model(scripted: Scripted, tmp_path: Path) -> None:
    broken, works = scripted("user", failing_until(100)), scripted("m", lambda prompt: "hi")
    task = Task(
        dataset=MemoryDataset([Sample(input="What now?", target="x", id="q")]),
        solver=[generate(), swallowing(role="user")],
        scorer=mark_invalid([untouched_world()]),
        model_roles={"user": broken},
    )
    (log,) = inspect_eval(task, model=works, log_dir=str(tmp_path), display="none")
    assert score_of(log).reason == "swallowed errors"


def test_a_grader_is_no_model_call_of_the_solver(scripted: Scripted, tmp_path: Path) -> None:
    @scorer(metrics=[accuracy()])
    def graded() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            await get_model().generate("Was it right?")
            return Score(value=CORRECT)

        return score

    log = run(idle(), scripted("m", lambda prompt: "hi"), tmp_path, [graded(), untouched_world()])
    assert score_of(log, "graded").reason == "no model call"
    assert score_of(log).reason == "no model call"


def test_a_model_that_said_nothing_at_all_gave_no_response(scripted: Scripted, tmp_path: Path) -> None:
    log = run(generate(), scripted("m", lambda prompt: " \n"), tmp_path)
    assert score_of(log).reason == "no_response"
    (row,) = load_all_results(tmp_path).rows(named=True)
    assert (row["status"], row["reason"]) == ("unscored", "format")


def test_tool_calls_are_a_response(scripted: Scripted, tmp_path: Path) -> None:
    @solver
    def acts() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            said = await get_model().generate(state.messages)
            state.output = said.model_copy(deep=True)  # what the model did not do is no event of the model
            call = ToolCall(id="1", function="book", arguments={})
            state.output.choices[0].message.tool_calls = [call]
            return state

        return solve

    silent = scripted("m", lambda prompt: "")
    assert score_of(run(acts(), silent, tmp_path)).reason == "no_response"

    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    @modelapi(name="calling")
    class Calling(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            output = ModelOutput.for_tool_call("calling", "book", {})
            output.choices[0].message.content = ""
            output.usage = ModelUsage(total_tokens=1)
            return output

    assert score_of(run(swallowing(turns=1), "calling/x", tmp_path)).value == "C"


def test_options_that_were_not_answered_are_a_format_failure(scripted: Scripted, tmp_path: Path) -> None:
    task = Task(
        dataset=MemoryDataset([Sample(input="Which?", choices=["a", "b"], target="B", id="q")]),
        solver=multiple_choice(),
        scorer=mark_invalid([choice()]),
    )
    (log,) = inspect_eval(
        task, model=scripted("m", lambda prompt: "the second"), log_dir=str(tmp_path), display="none"
    )
    assert score_of(log, "choice").reason == "invalid_response_format"
    (row,) = load_all_results(tmp_path).rows(named=True)
    assert (row["status"], row["reason"]) == ("unscored", "format")


@pytest.mark.slow
def test_the_scorers_keep_their_names_and_metrics(scripted: Scripted, tmp_path: Path) -> None:
    @scorer(metrics={"good": [mean()], "fast": [mean()]})
    def several() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value={"good": 1, "fast": 0})

        return score

    def scored(solver: Solver) -> EvalLog:
        model = scripted("m", lambda prompt: "x")
        return run(solver, model, tmp_path, [includes(), several()], epochs=Epochs(2, "mean"))

    honest, suspect = scored(generate()), scored(idle())
    for log in (honest, suspect):
        assert log.status == "success"
        assert log.results is not None
        assert {one.name for one in log.results.scores} >= {"includes"}
    assert honest.results is not None
    values = {
        f"{one.name}/{name}": metric.value
        for one in honest.results.scores
        for name, metric in one.metrics.items()
    }
    assert values == {
        "includes/accuracy": 1.0,
        "includes/stderr": 0.0,
        "good/mean": 1.0,
        "fast/mean": 0.0,
    }
    assert suspect.samples is not None
    reasons = [score.reason for sample in suspect.samples for score in (sample.scores or {}).values()]
    assert reasons == ["no model call"] * 4


@pytest.mark.slow
def test_tau2_with_every_model_call_failing_is_not_solved(scripted: Scripted, tmp_path: Path) -> None:
    tau2 = pytest.importorskip("inspect_evals.tau2", reason="inspect_evals needs Python 3.11 or later")
    task = tau2.tau2_airline(shuffle=False, message_limit=2)
    task.scorer = mark_invalid(task.scorer)
    (log,) = inspect_eval(
        task, model=scripted("m", failing_until(100)), limit=1, log_dir=str(tmp_path), display="none"
    )
    (score,) = (only(log).scores or {}).values()
    assert score.reason == "swallowed errors"
    assert score.metadata is not None
    assert score.metadata["suspect_value"] == CORRECT, "what tau2 says by itself"
