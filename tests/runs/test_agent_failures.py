from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    get_model,
)
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    accuracy,
    mean,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, chain, generate, solver
from inspect_ai.util import SandboxUnavailableError
from outcome_runs import (
    Scripted,
    failing,
    failing_until,
    idle,
    only,
    playing,
    run,
    score_of,
    swallowing,
    talking,
    told,
)

from otherwords.english.language import names_service_failure
from otherwords.runs.agents import is_outside
from otherwords.runs.agents.function import callable_agent


class Odd(Exception):
    """Of an agent that names its errors itself."""


FAILURES: dict[str, BaseException] = {
    "agent: raised KeyError: 'price'": KeyError("price"),
    "agent: raised Odd: lost": Odd("lost"),
    "agent: raised ZeroDivisionError": ZeroDivisionError(),
    "agent: raised TimeoutError: took too long": TimeoutError("took too long"),
    "agent: raised SystemExit: 3": SystemExit(3),
    "agent: raised BrokenPipeError: [Errno 32] Broken pipe": BrokenPipeError(32, "Broken pipe"),
    "agent: raised FileNotFoundError: notes.txt": FileNotFoundError("notes.txt"),
}


@solver
def failing_by_input(errors: Any) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await generate(state)
        raise errors[state.input_text]

    return solve


@pytest.mark.parametrize("place", ["task", "instead"])
def test_an_agent_whose_own_code_fails_has_the_score_0(place: str, tmp_path: Path) -> None:
    broken = failing_by_input(FAILURES)
    own, instead = (broken, None) if place == "task" else (idle(), broken)
    samples = [Sample(input=said, id=place, target="x") for place, said in enumerate(FAILURES, start=1)]
    log = run(own, playing("x"), tmp_path, sample=samples, instead=instead)
    assert log.status == "success"
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 0.0
    for sample, said in zip(log.samples or [], FAILURES, strict=True):
        assert sample.error is None
        (score,) = (sample.scores or {}).values()
        assert (score.value, score.explanation, score.reason) == (0, said, "agent_error")
        assert score.metadata == {"otherwords_outcome": "agent_error"}
        (note,) = [event.data for event in sample.events if event.event == "info"]
        assert note == {"failure": said}


def test_a_failed_step_is_the_last_and_the_others_keep_their_names(tmp_path: Path) -> None:
    log = run(chain(generate(), failing(KeyError("x")), talking(1)), playing("x"), tmp_path)
    assert told(log) == (0, "agent_error")
    assert [step.solver for step in log.plan.steps] == ["generate", "failing", "talking"]
    assert len([event for event in only(log).events if event.event == "model"]) == 1


def test_an_inspect_agent_is_guarded_like_a_solver(tmp_path: Path) -> None:
    @agent
    def crashing() -> Agent:
        async def execute(state: AgentState) -> AgentState:
            state.output = await get_model().generate(state.messages)
            state.messages.append(state.output.message)
            raise KeyError("plan")

        return execute

    log = run(crashing(), playing("x"), tmp_path)  # type: ignore[arg-type]
    assert told(log) == (0, "agent_error")
    assert only(log).messages[-1].text == "x", "what it did before is in the log"


def test_a_solver_that_gives_back_something_else_has_failed(tmp_path: Path) -> None:
    @solver
    def forgetful() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> Any:
            await generate(state)

        return solve

    log = run(forgetful(), playing("x"), tmp_path)
    assert told(log) == (0, "agent_error")
    assert score_of(log).explanation == "agent: returned NoneType, not a TaskState"


def test_zero_has_the_shape_that_the_metrics_take(tmp_path: Path) -> None:
    def several(metrics: Any) -> Scorer:
        @scorer(metrics=metrics)
        def graded() -> Scorer:
            async def score(state: TaskState, target: Target) -> Score:
                return Score(value={"good": 1, "fast": 0.5})

            return score

        return graded()

    for metrics in (
        {"good": [mean()], "fast": [mean()]},
        [{"good": [mean()], "fast": [mean()]}],
        {"*": [mean()]},
    ):
        log = run(failing(KeyError("x"), asks=True), playing("x"), tmp_path, several(metrics))
        assert log.status == "success"
        assert told(log) == ({"good": 0, "fast": 0}, "agent_error")
        assert log.results is not None
        means = {one.name: one.metrics["mean"].value for one in log.results.scores if one.metrics}
        assert means == {"good": 0, "fast": 0}


def test_a_task_may_bring_the_metrics_itself(tmp_path: Path) -> None:
    @scorer(metrics=[accuracy()])
    def graded() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value={"good": 1})

        return score

    log = run(failing(KeyError("x")), playing("x"), tmp_path, graded(), metrics={"good": [mean()]})
    assert told(log) == ({"good": 0}, "agent_error")


def test_the_machines_failure_is_the_samples_error_and_has_no_score(tmp_path: Path) -> None:
    errors = {
        "disk": OSError(errno.ENOSPC, "No space left on device"),
        "memory": MemoryError(),
        "refused": ConnectionRefusedError("refused"),
        "reset": ConnectionResetError("reset"),
        "docker": SandboxUnavailableError("docker is gone"),
    }
    samples = [Sample(input=name, id=name, target="x") for name in errors]
    log = run(failing_by_input(errors), playing("x"), tmp_path, sample=samples)
    for sample in log.samples or []:
        assert sample.error is not None, sample.id
        assert not sample.scores


def test_a_failing_provider_is_the_samples_error(scripted: Scripted, tmp_path: Path) -> None:
    log = run(generate(), scripted("m", failing_until(100)), tmp_path)
    error = only(log).error
    assert error is not None
    assert "the service is down" in error.message
    assert not only(log).scores


@pytest.mark.parametrize("then", [AttributeError("None has no text"), RuntimeError("gave up")])
def test_what_fails_for_want_of_a_models_answer_is_the_providers(
    then: Exception, scripted: Scripted, tmp_path: Path
) -> None:
    log = run(swallowing(then=then), scripted("m", failing_until(100)), tmp_path)
    error = only(log).error
    assert error is not None
    assert str(then) in error.message


def test_a_function_whose_service_is_down_has_no_score(tmp_path: Path) -> None:
    def answer(prompt: str) -> str:
        raise ConnectionRefusedError("nobody is there")

    error = only(run(callable_agent(answer), playing("x"), tmp_path)).error
    assert error is not None
    assert error.message == "provider or machine: raised ConnectionRefusedError: nobody is there"


def test_a_function_that_fails_by_itself_has_the_score_0(tmp_path: Path) -> None:
    def leaves(prompt: str) -> str:
        sys.exit("no more")

    for broken, said in [
        (lambda prompt: 1 / 0, "agent: raised ZeroDivisionError: division by zero"),
        (lambda prompt: 7, "agent: returned int, not text"),
        (leaves, "agent: raised SystemExit: no more"),
    ]:
        log = run(callable_agent(broken), playing("x"), tmp_path)  # type: ignore[arg-type]
        assert told(log) == (0, "agent_error")
        assert score_of(log).explanation == said


def kind(*names: str, status: int | None = None) -> list[dict[str, Any]]:
    return [{"names": names, "status": status, "errno": None}]


@pytest.mark.parametrize(
    ("kinds", "outside"),
    [
        (kind("openai.RateLimitError", "openai.APIStatusError", status=429), True),
        (kind("openai.APIConnectionError", "openai.APIError"), True),
        (kind("openai.AuthenticationError", status=401), True),
        (kind("anthropic.InternalServerError", status=529), True),
        (kind("httpx.ReadTimeout", "httpx.TimeoutException"), True),
        (kind("requests.ConnectionError", "builtins.OSError"), True),
        (kind("openai.BadRequestError", status=400), False),
        (kind("litellm.NotFoundError", status=404), False),
        (kind("requests.JSONDecodeError", "builtins.ValueError"), False),
        (kind("builtins.ValueError", status=500), False),
        (kind("builtins.TimeoutError", "builtins.OSError"), False),
        (kind("my_agent.RateLimitError"), False),
        (kind("otherwords.AgentError"), False),
        ([], False),
    ],
)
def test_errors_of_clients_of_models(kinds: list[dict[str, Any]], outside: bool) -> None:
    assert is_outside(kinds) is outside


def test_the_cause_of_an_error_counts() -> None:
    def caught(first: Exception) -> Exception:
        try:
            try:
                raise first
            except Exception:  # noqa: BLE001
                raise KeyError("answer") from None
        except KeyError as error:
            return error

    assert is_outside(caught(ConnectionResetError()))
    assert not is_outside(caught(ValueError()))


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("ERROR: RateLimitError: Rate limit reached for gpt-4o", True),
        ("ERROR: Error code: 503 - overloaded", True),
        ("ERROR: Error code: 400 - bad request", False),
        ("ERROR: KeyError: 'answer'", False),
        ("ERROR: I found 429 apples", False),
    ],
)
def test_errors_that_an_agent_tells_as_its_answer(text: str, outside: bool) -> None:
    assert names_service_failure(text) is outside
