from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessageAssistant,
    ContentText,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import (
    CORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    choice,
    includes,
    match,
    mean,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, chain, generate, multiple_choice, solver
from outcome_runs import (
    OUTPUTS,
    Scripted,
    failing_until,
    idle,
    only,
    playing,
    run,
    score_of,
    swallowing,
    talking,
    told,
    untouched_world,
)

from otherwords.results import read_results
from otherwords.runs.agents.function import callable_agent
from otherwords.runs.outcomes import telling_outcomes

# ---- what the model said


SAID: dict[str, tuple[Any, str, tuple[Any, str]]] = {
    "right": ("ANSWER: B", "stop", ("C", "answered")),
    "wrong": ("ANSWER: A", "stop", ("I", "answered")),
    "no letter": ("the second", "stop", ("I", "unreadable")),
    "nothing": (" \n", "stop", ("N", "unreadable")),
    "refusal": ("I'm sorry, but I can't help with that.", "stop", ("I", "refused")),
    "hedged": ("I'm sorry, but I can't help with that.\n\nANSWER: B", "stop", ("C", "answered")),
    "cut": ("Let me think about", "max_tokens", ("I", "truncated")),
    "full": ("Let me think about", "model_length", ("I", "truncated")),
    "filtered": ("", "content_filter", ("N", "filtered")),
    "filtered refusal": ("I can't help with that.", "content_filter", ("I", "filtered")),
}
SAID_IN_WORDS: dict[str, tuple[Any, str, tuple[Any, str]]] = {
    "right": ("It is Paris.", "stop", ("C", "answered")),
    "wrong": ("It is Rome.", "stop", ("I", "answered")),
    "nothing": ("", "stop", ("I", "unreadable")),
    "refusal": ("I'm sorry, but I can't help with that.", "stop", ("I", "refused")),
    "hedged": ("I can't help with that, but Paris is its capital.", "stop", ("C", "answered")),
    "marked": ([ContentText(text="No.", refusal=True)], "stop", ("I", "refused")),
    "cut": ("Let me think. France is", "max_tokens", ("I", "truncated")),
    "right and cut": ("It is Paris, which is", "max_tokens", ("C", "truncated")),
    "filtered": ("", "content_filter", ("I", "filtered")),
}


def outcomes_of(log: EvalLog) -> dict[Any, tuple[Any, str]]:
    found = {}
    for sample in log.samples or []:
        (score,) = (sample.scores or {}).values()
        assert score.metadata is not None
        found[sample.id] = (score.value, score.metadata["otherwords_outcome"])
    return found


def replying(table: dict[str, tuple[Any, str, tuple[Any, str]]]) -> str:
    """A model that says what the table has for the question's first line."""

    def reply(prompt: str) -> ModelOutput:
        said, stop_reason, _ = next(
            table[name] for name in sorted(table, key=len)[::-1] if f"<{name}>" in prompt
        )
        message = ChatMessageAssistant(content=said)
        return ModelOutput.from_message(message, stop_reason=stop_reason)  # type: ignore[arg-type]

    OUTPUTS["table"] = reply
    return "playing/table"


def test_multiple_choice_keeps_its_scorers_value(tmp_path: Path) -> None:
    samples = [Sample(input=f"<{name}>", choices=["a", "b"], target="B", id=name) for name in SAID]
    log = run(multiple_choice(), replying(SAID), tmp_path, choice(), sample=samples)
    assert outcomes_of(log) == {name: expected for name, (_, _, expected) in SAID.items()}
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(0.2), "what Inspect counts"


def test_free_text_is_told_in_the_same_way(tmp_path: Path) -> None:
    samples = [Sample(input=f"<{name}>", target="Paris", id=name) for name in SAID_IN_WORDS]
    log = run(generate(), replying(SAID_IN_WORDS), tmp_path, includes(), sample=samples)
    assert outcomes_of(log) == {name: expected for name, (_, _, expected) in SAID_IN_WORDS.items()}


def test_the_reader_finds_the_same_in_a_log_that_no_run_of_ours_marked(tmp_path: Path) -> None:
    asked = [Sample(input=f"<{name}>", choices=["a", "b"], target="B", id=name) for name in SAID]
    for table, task in (
        (SAID, Task(dataset=MemoryDataset(asked), solver=multiple_choice(), scorer=choice(), name="options")),
        (
            SAID_IN_WORDS,
            Task(
                dataset=[Sample(input=f"<{name}>", target="Paris", id=name) for name in SAID_IN_WORDS],
                solver=generate(),
                scorer=includes(),
                name="words",
            ),
        ),
    ):
        folder = tmp_path / str(task.name)
        inspect_eval(task, model=replying(table), log_dir=str(folder), display="none")
        found = read_results(folder).outcomes.select("id", "outcome").iter_rows()
        assert dict(found) == {name: outcome for name, (_, _, (_, outcome)) in table.items()}


def test_a_scorer_that_says_what_it_could_not_read_is_believed(tmp_path: Path) -> None:
    @scorer(metrics=[accuracy()])
    def reasoned() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=0, reason=state.output.completion)

        return score

    expected = {"invalid_response_format": "unreadable", "no_response": "unreadable", "refusal": "refused"}
    for reason, outcome in expected.items():
        assert told(run(generate(), playing(reason), tmp_path, reasoned())) == (0, outcome)


def test_a_grader_that_failed_is_no_fault_of_the_model(tmp_path: Path) -> None:
    @scorer(metrics=[accuracy()])
    def broken() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score.unscored(reason="grader_failed")

        return score

    value, outcome = told(run(generate(), playing("hi"), tmp_path, broken()))
    assert math.isnan(value)
    assert outcome == "provider_error"


def test_what_the_scorer_wrote_down_is_kept(tmp_path: Path) -> None:
    score = score_of(run(generate(), playing("hi"), tmp_path))
    assert (score.value, score.reason) == ("C", None)
    assert score.metadata == {"changed": 0, "otherwords_outcome": "answered"}


# ---- limits


def test_a_sample_that_hit_a_limit_is_scored_and_told(tmp_path: Path) -> None:
    log = run(talking(9), playing("no"), tmp_path, includes(), message_limit=4)
    assert only(log).limit is not None
    assert told(log) == ("I", "limit")
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 0.0


def test_a_limit_of_time_is_a_limit(tmp_path: Path) -> None:
    @solver
    def slow() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            import anyio

            await generate(state)
            await anyio.sleep(30)
            return state

        return solve

    log = run(slow(), playing("x"), tmp_path, includes(), time_limit=1)
    limit = only(log).limit
    assert limit is not None
    assert limit.type == "time"
    assert told(log)[1] == "limit"


def test_a_limit_that_the_agent_set_itself_is_none_of_the_sample(tmp_path: Path) -> None:
    log = run(talking(9, limit=4), playing("no"), tmp_path, includes())
    assert only(log).limit is None
    assert told(log) == ("C", "answered")


# ---- model calls


@pytest.mark.slow
def test_a_solver_that_calls_its_own_service_is_scored_with_a_note(tmp_path: Path) -> None:
    log = run(idle(), playing("hi"), tmp_path)
    score = score_of(log)
    assert score.value == "C"
    assert score.metadata == {
        "changed": 0,
        "otherwords_outcome": "answered",
        "otherwords_note": "no model call",
    }
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0


def test_a_task_may_say_that_no_model_is_expected(tmp_path: Path) -> None:
    log = run(idle(), playing("hi"), tmp_path, expect_model=False)
    assert score_of(log).metadata == {"changed": 0, "otherwords_outcome": "answered"}


def test_an_external_agent_asks_its_own_models(tmp_path: Path) -> None:
    log = run(callable_agent(lambda prompt: "hi"), playing("hi"), tmp_path)
    assert score_of(log).metadata == {"changed": 0, "otherwords_outcome": "answered"}
    silent = run(callable_agent(lambda prompt: " "), playing("hi"), tmp_path)
    assert told(silent) == ("C", "unreadable")


@pytest.mark.parametrize("grows", [False, True])
def test_a_solver_that_swallowed_every_error_is_not_scored(
    grows: bool, scripted: Scripted, tmp_path: Path
) -> None:
    score = score_of(run(swallowing(grows=grows), scripted("m", failing_until(100)), tmp_path))
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert score.reason == "swallowed errors"
    assert score.metadata == {
        "changed": 0,
        "otherwords_error": "RuntimeError('the service is down')",
        "suspect": "swallowed errors",
        "suspect_value": "C",
        "otherwords_outcome": "provider_error",
    }


def test_a_lost_call_is_not_made_good_by_another_question(scripted: Scripted, tmp_path: Path) -> None:
    log = run(swallowing(grows=True), scripted("m", failing_until(2)), tmp_path)
    assert score_of(log).reason == "swallowed errors"


def test_asking_the_same_again_until_it_works_is_no_swallowing(scripted: Scripted, tmp_path: Path) -> None:
    assert told(run(swallowing(), scripted("m", failing_until(3)), tmp_path)) == ("C", "answered")


def test_a_failing_role_is_seen_beside_a_working_model(scripted: Scripted, tmp_path: Path) -> None:
    broken = scripted("user", failing_until(100))
    steps = chain(generate(), swallowing(role="user"))
    log = run(steps, playing("hi"), tmp_path, model_roles={"user": broken})
    assert score_of(log).reason == "swallowed errors"


def test_a_grader_is_no_model_call_of_the_solver(tmp_path: Path) -> None:
    @scorer(metrics=[accuracy()])
    def graded() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            await get_model().generate("Was it right?")
            return Score(value=CORRECT)

        return score

    log = run(idle(), playing("hi"), tmp_path, [graded(), untouched_world()])
    for name in ("graded", "untouched_world"):
        metadata = score_of(log, name).metadata
        assert metadata is not None
        assert metadata["otherwords_note"] == "no model call"


def test_tool_calls_are_a_response(tmp_path: Path) -> None:
    def calls(prompt: str) -> ModelOutput:
        output = ModelOutput.for_tool_call("one", "book", {})
        output.choices[0].message.content = ""
        return output

    OUTPUTS["calls"] = calls
    assert told(run(swallowing(turns=1), "playing/calls", tmp_path)) == ("C", "answered")
    assert told(run(swallowing(turns=1), playing(""), tmp_path)) == ("C", "unreadable")


@pytest.mark.slow
def test_the_scorers_keep_their_names_and_metrics(tmp_path: Path) -> None:
    @scorer(metrics={"good": [mean()], "fast": [mean()]})
    def several() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value={"good": 1, "fast": 0})

        return score

    log = run(generate(), playing("x"), tmp_path, [includes(), several(), match()], epochs=Epochs(2, "mean"))
    assert log.results is not None
    values = {
        f"{one.name}/{name}": metric.value
        for one in log.results.scores
        for name, metric in one.metrics.items()
    }
    assert values == {
        "includes/accuracy": 1.0,
        "includes/stderr": 0.0,
        "good/mean": 1.0,
        "fast/mean": 0.0,
        "match/accuracy": 1.0,
        "match/stderr": 0.0,
    }


def test_a_task_without_a_scorer_stays_as_it_is() -> None:
    task = Task(dataset=[Sample(input="hi")])
    assert telling_outcomes([task]) == ([task], None)


@pytest.mark.slow
def test_tau2_with_every_model_call_failing_is_not_solved(scripted: Scripted, tmp_path: Path) -> None:
    tau2 = pytest.importorskip("inspect_evals.tau2", reason="inspect_evals needs Python 3.11 or later")
    (task,), _ = telling_outcomes([tau2.tau2_airline(shuffle=False, message_limit=2)])
    (log,) = inspect_eval(
        task, model=scripted("m", failing_until(100)), limit=1, log_dir=str(tmp_path), display="none"
    )
    (score,) = (only(log).scores or {}).values()
    assert score.reason == "swallowed errors"
    assert score.metadata is not None
    assert score.metadata["suspect_value"] == CORRECT, "what tau2 says by itself"
