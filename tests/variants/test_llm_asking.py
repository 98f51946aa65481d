"""One call at a time, against real Inspect models whose provider is a Python function."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError, RunError
from otherwords.core.model_calls import CallCounts
from otherwords.variants.llm import MOST_FAILURES, Asker, Unanswered, asking

REQUEST = "Who is it?"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path))


def asked(
    model: Any, talk: Callable[[Asker], Awaitable[Any]], *, seed: int = 0, cache: bool = True
) -> tuple[Any, CallCounts]:
    counts = CallCounts()

    async def run() -> Any:
        async with asking(model, seed=seed, cache=cache, counts=counts) as asker:
            return await talk(asker)

    return asyncio.run(run()), counts


async def ask_once(asker: Asker) -> tuple[str, bool]:
    output, cached = await asker.ask(REQUEST)
    return output.completion, cached


def test_calls_and_tokens_are_counted_and_the_second_time_costs_nothing(scripted: Any) -> None:
    model = scripted("who", lambda prompt: f"said to {prompt}")
    said, counts = asked(model, ask_once)
    assert said == ("said to Who is it?", False)
    assert (counts.calls, counts.cached, counts.input_tokens, counts.output_tokens) == (1, 0, 3, 1)
    said, counts = asked(model, ask_once)
    assert said == ("said to Who is it?", True)
    assert (counts.calls, counts.cached, counts.input_tokens, counts.output_tokens) == (0, 1, 0, 0)


def test_another_seed_and_no_cache_ask_again(scripted: Any) -> None:
    model = scripted("again", lambda _: "x")
    asked(model, ask_once)
    assert asked(model, ask_once, seed=7)[1].calls == 1
    assert asked(model, lambda asker: asker.ask(REQUEST, attempt=2))[1].calls == 1
    assert asked(model, ask_once, cache=False)[1].calls == 1
    assert asked(model, ask_once, cache=False)[1].calls == 1


def test_a_model_object_is_asked_and_left_open(scripted: Any) -> None:
    from inspect_ai.model import GenerateConfig, get_model

    model = get_model(scripted("object", lambda _: "x"), config=GenerateConfig(max_tokens=7))
    assert asked(model, ask_once)[0] == ("x", False)
    assert asked(model, ask_once, cache=False)[0] == ("x", False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nobody/x",
            "cannot ask nobody/x for rewordings: "
            "ValueError: Model API nobody of model 'nobody/x' not recognized.",
        ),
        (
            "plain",
            "cannot ask plain for rewordings: "
            "ValueError: Model name 'plain' should be in the format of <api_name>/<model_name>.",
        ),
    ],
)
def test_an_unknown_model_stops_at_once(name: str, message: str) -> None:
    with pytest.raises(RunError) as caught:
        asked(name, ask_once)
    assert str(caught.value) == message


def test_without_a_key_or_the_package_the_default_model_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(
        RunError,
        match=r"^cannot ask openai/gpt-4o-mini for rewordings: .*(OPENAI_API_KEY|pip install)",
    ):
        asked(None, ask_once)


def raising(error: Exception) -> Callable[[str], str]:
    def answer(_: str) -> str:
        raise error

    return answer


class Refused(Exception):
    status_code = 401


class Broken(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (Refused("bad key"), RunError, "cannot ask scripted/broken for rewordings: Refused: bad key"),
        (
            ImportError("no boto3"),
            RunError,
            "cannot ask scripted/broken for rewordings: ImportError: no boto3",
        ),
        (InputError("bad grammar"), InputError, "bad grammar"),
        (Broken("[oops] once"), Unanswered, "Broken: [oops] once"),
        (Broken(), Unanswered, "Broken"),
    ],
)
def test_errors_of_the_model_stop_and_errors_of_a_call_do_not(
    scripted: Any, error: Exception, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        asked(scripted("broken", raising(error)), ask_once)
    assert str(caught.value) == message


@pytest.mark.slow
def test_ten_failures_in_a_row_stop(scripted: Any) -> None:
    failed = 0

    async def until_it_stops(asker: Asker) -> None:
        nonlocal failed
        while True:
            try:
                await asker.ask(REQUEST)
            except Unanswered:
                failed += 1

    with pytest.raises(RunError) as caught:
        asked(scripted("down", raising(Broken("down"))), until_it_stops)
    assert str(caught.value) == ("10 calls to scripted/down failed in a row, the last one with: Broken: down")
    assert failed == MOST_FAILURES - 1


def test_an_answer_between_failures_starts_the_count_again(scripted: Any) -> None:
    turn = iter(range(100))

    def every_fifth(_: str) -> str:
        if next(turn) % 5:
            raise Broken("sometimes")
        return "x"

    async def thirty_times(asker: Asker) -> int:
        answered = 0
        for number in range(30):
            try:
                await asker.ask(f"{number}")
                answered += 1
            except Unanswered:
                pass
        return answered

    answered, counts = asked(scripted("moody", every_fifth), thirty_times)
    assert (answered, counts.calls, counts.errors) == (6, 6, 24)


@pytest.fixture
def probe() -> Callable[[Callable[[Any], Any]], Any]:
    """A model whose reply depends on the settings of the call, or is a whole ModelOutput."""
    from inspect_ai.model import Model, ModelAPI, ModelOutput

    def make(answer: Callable[[Any], Any]) -> Model:
        class Probe(ModelAPI):
            async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
                said = answer(config)
                return said if isinstance(said, ModelOutput) else ModelOutput.from_content("probe", said)

        from inspect_ai.model import GenerateConfig, get_model, modelapi

        modelapi(name="probe")(Probe)
        return get_model("probe/x", config=GenerateConfig(), memoize=False)

    return make


def test_a_list_of_texts_is_demanded_by_schema(probe: Any) -> None:
    configs: list[Any] = []
    asked(probe(lambda config: configs.append(config) or "x"), ask_once, seed=5)
    (config,) = configs
    schema = config.response_schema.json_schema.model_dump(exclude_none=True)
    assert schema == {
        "type": "object",
        "properties": {"rewordings": {"type": "array", "items": {"type": "string"}}},
        "additionalProperties": False,
        "required": ["rewordings"],
    }
    assert (config.seed, config.max_retries, config.temperature) == (5, 5, None)


def test_a_model_without_schemas_is_asked_without(probe: Any) -> None:
    def answer(config: Any) -> str:
        if config.response_schema is not None:
            raise Broken("Invalid parameter: 'response_format' of type 'json_schema' is not supported")
        return "free text"

    async def twice(asker: Asker) -> list[str]:
        return [(await asker.ask(request))[0].completion for request in (REQUEST, "Who else?")]

    said, counts = asked(probe(answer), twice)
    assert said == ["free text"] * 2
    assert (counts.calls, counts.errors) == (2, 0)


def test_the_model_role_is_asked_when_no_model_is_named(scripted: Any, tmp_path: Path) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import Generate, TaskState, solver

    @solver
    def reword() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            async with asking(None, seed=0, cache=False, counts=CallCounts()) as asker:
                state.output.completion = (await ask_once(asker))[0]
                state.metadata["asked"] = str(asker.model)
            return state

        return solve

    (log,) = eval(
        Task(dataset=[Sample(input="x")], solver=reword()),
        model=scripted("tested", lambda _: "wrong one"),
        model_roles={"paraphraser": scripted("role", lambda _: "from the role")},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success"
    assert log.samples is not None
    assert log.samples[0].output.completion == "from the role"
    assert log.samples[0].metadata["asked"] == "scripted/role"


def test_counts_add_up() -> None:
    total = CallCounts(calls=1)
    total.add(CallCounts(calls=2, errors=1))
    assert (total.calls, total.errors) == (3, 1)
