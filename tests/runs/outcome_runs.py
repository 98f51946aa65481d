"""What tests of outcomes share: a model that says what it is told, solvers that fail, and one run of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import CORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, message_limit

from otherwords.runs.outcomes import telling_outcomes

Scripted = Callable[[str, Callable[[str], str]], str]
OUTPUTS: dict[str, Callable[[str], ModelOutput]] = {}


@modelapi(name="playing")
class Playing(ModelAPI):
    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        output = OUTPUTS[self.model_name](input[-1].text)
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output


def playing(said: str | list[Any], stop_reason: Any = "stop") -> str:
    """A model that always says so, and stops for this reason."""
    content: Any = said
    OUTPUTS["one"] = lambda prompt: ModelOutput.from_message(
        ChatMessageAssistant(content=content), stop_reason=stop_reason
    )
    return "playing/one"


def run(
    solver: Solver, model: str, folder: Path, scorers: Scorer | list[Scorer] | None = None, **settings: Any
) -> EvalLog:
    told = {"expect_model": settings.pop("expect_model", True)}
    given = settings.pop("sample", None)
    samples = given or [Sample(input="What now?", target="x", id="q")]
    instead = settings.pop("instead", None)
    task = Task(
        dataset=MemoryDataset(samples, name="outcomes"),
        solver=solver,
        scorer=scorers if isinstance(scorers, list) else [scorers or untouched_world()],
        **settings,
    )
    (watched,), other = telling_outcomes([task], instead, **told)
    (log,) = inspect_eval(
        watched, solver=other, model=model, log_dir=str(folder), display="none", fail_on_error=False
    )
    return log


def only(log: EvalLog) -> EvalSample:
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def score_of(log: EvalLog, name: str | None = None) -> Score:
    scores = only(log).scores
    assert scores is not None
    return scores[name] if name else next(iter(scores.values()))


def told(log: EvalLog, name: str | None = None) -> tuple[Any, str]:
    """The value of the score and the outcome of its sample."""
    score = score_of(log, name)
    assert score.metadata is not None
    return score.value, score.metadata["otherwords_outcome"]


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
def failing(error: Any, asks: bool = False) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if asks:
            state = await generate(state)
        raise error

    return solve


@solver
def swallowing(turns: int = 3, role: str | None = None, grows: bool = False, then: Any = None) -> Solver:
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
        if then is not None:
            raise then
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


@solver
def talking(turns: int, limit: int | None = None) -> Solver:
    """Goes on and on; with a limit of its own it then answers."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        try:
            with message_limit(limit) if limit else nullcontext():
                for _ in range(turns):
                    state = await generate(state)
                    state.messages.append(ChatMessageUser(content="and?"))
        except LimitExceededError:
            if limit is None:
                raise
            state.output = ModelOutput.from_content("m", "x")
        return state

    return solve
