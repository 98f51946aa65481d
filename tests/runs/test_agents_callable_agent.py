from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, solver

from otherwords.core.errors import InputError
from otherwords.core.tool_calls import tool_call_record
from otherwords.core.types import Item, original
from otherwords.results import load_all_results, logged_runs
from otherwords.runs import build_task, run_tasks
from otherwords.runs.agents import agent_model
from otherwords.runs.agents.function import _asked_by, _call, callable_agent
from otherwords.runs.agents.replies import read_reply
from otherwords.runs.agents.trajectory import note_calls_of_answer
from otherwords.runs.outcomes import telling_outcomes

Scripted = Callable[[str, Callable[[str], str]], str]


def answered(agent: Any, folder: Path, model: str | None = None, **settings: Any) -> EvalSample:
    task = Task(
        dataset=MemoryDataset([Sample(input="Where is Oslo?", target="Norway", id="q")]),
        solver=callable_agent(agent, **settings),
        scorer=includes(),
        message_limit=5,
    )
    (log,) = inspect_eval(
        task,
        model=model or agent_model("plain"),
        log_dir=str(folder / "logs"),
        display="none",
        fail_on_error=False,
    )
    assert log.samples is not None
    return log.samples[0]


def error_of(sample: EvalSample) -> str:
    assert sample.error is not None
    return sample.error.message


def in_norway(prompt: str) -> str:
    return f"{prompt} In Norway."


async def in_norway_later(prompt: str) -> str:
    await anyio.sleep(0)
    return in_norway(prompt)


def gives_an_awaitable(prompt: str) -> Awaitable[str]:
    return in_norway_later(prompt)


class Object:
    def __call__(self, prompt: str) -> str:
        return in_norway(prompt)


class AsyncObject:
    async def __call__(self, prompt: str) -> str:
        return in_norway(prompt)


@pytest.mark.parametrize(
    "agent",
    [in_norway, in_norway_later, Object(), AsyncObject(), gives_an_awaitable],
    ids=["plain", "async", "object", "async object", "gives an awaitable"],
)
def test_a_callable_answers(agent: Any, tmp_path: Path) -> None:
    sample = answered(agent, tmp_path)
    assert sample.error is None
    assert sample.output.completion == "Where is Oslo? In Norway."
    assert sample.metadata["external_agent"] is True
    assert (sample.scores or {})["includes"].value == "C"


def test_options_and_short_answers_through_to_the_table(tmp_path: Path) -> None:
    items = [
        Item(id="mc", prompt="Which is in Norway?", choices=("Paris", "Oslo"), target=1),
        Item(id="short", prompt="Where is Oslo?", target=("Norway",)),
    ]

    def knows(prompt: str) -> str:
        return "Oslo" if "Which" in prompt else "In Norway."

    task = build_task("plain", items, [original(item) for item in items], solver=callable_agent(knows))
    summary = run_tasks(task, agent_model("knows"), log_dir=tmp_path)
    table = load_all_results(tmp_path).sort("id")
    assert table.select("id", "status", "score", "answer").rows() == [
        ("mc", "scored", 1.0, "B"),
        ("short", "scored", 1.0, "Norway"),
    ]
    recorded = read_eval_log(str(summary.logs[0])).plan.steps[0]
    assert recorded.solver.endswith("callable_agent")
    assert recorded.params["function"] == "knows"


def test_a_callable_may_ask_inspects_models(scripted: Scripted, tmp_path: Path) -> None:
    async def asks(prompt: str) -> str:
        return (await get_model().generate(prompt)).completion

    sample = answered(asks, tmp_path, model=scripted("m", lambda prompt: "Norway"))
    assert sample.output.completion == "Norway"
    assert sum(usage.total_tokens for usage in sample.model_usage.values()) == 4


def test_a_limit_of_the_sample_stays_a_limit(scripted: Scripted, tmp_path: Path) -> None:
    async def asks_for_ever(prompt: str) -> str:
        while True:
            await get_model().generate(prompt)

    task = Task(
        dataset=MemoryDataset([Sample(input="x", target="y")]),
        solver=callable_agent(asks_for_ever),
        token_limit=10,
    )
    (log,) = inspect_eval(
        task, model=scripted("m", lambda prompt: "no"), log_dir=str(tmp_path), display="none"
    )
    assert log.samples is not None
    assert log.samples[0].error is None
    assert log.samples[0].limit is not None
    assert log.samples[0].limit.type == "token"


def raises(prompt: str) -> str:
    raise ValueError("no such place")


async def raises_later(prompt: str) -> str:
    raise KeyError


def times_out_itself(prompt: str) -> str:
    raise TimeoutError("the service is slow")


def gives_a_number(prompt: str) -> int:
    return 7


async def gives_nothing(prompt: str) -> None:
    return None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (raises, "agent: raised ValueError: no such place"),
        (raises_later, "agent: raised KeyError"),
        (times_out_itself, "agent: raised TimeoutError: the service is slow"),
        (gives_a_number, "agent: returned int, not text"),
        (gives_nothing, "agent: returned NoneType, not text"),
    ],
)
def test_a_failure_is_the_samples_error(agent: Any, message: str, tmp_path: Path) -> None:
    sample = answered(agent, tmp_path)
    assert error_of(sample) == message
    assert not sample.scores
    assert sample.metadata["external_agent"] is True


def test_the_callables_own_traceback_is_in_the_log(tmp_path: Path) -> None:
    sample = answered(raises, tmp_path)
    assert sample.error is not None
    assert 'raise ValueError("no such place")' in sample.error.traceback


@pytest.mark.slow
def test_a_callable_that_hangs_is_left_alone(tmp_path: Path) -> None:
    release = threading.Event()

    def hangs(prompt: str) -> str:
        release.wait()
        return "late"

    async def hangs_later(prompt: str) -> str:
        await anyio.sleep_forever()
        return "never"

    try:
        assert error_of(answered(hangs, tmp_path, time_limit=0.5)) == "agent: timed out after 0.5 s"
        assert error_of(answered(hangs_later, tmp_path, time_limit=0.5)) == "agent: timed out after 0.5 s"
    finally:
        release.set()


@pytest.mark.slow
def test_a_hanging_callable_does_not_keep_the_program(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import sys, time\n"
        "from inspect_ai import Task, eval\n"
        "from inspect_ai.dataset import MemoryDataset, Sample\n"
        "from otherwords.runs.agents import agent_model\n"
        "from otherwords.runs.agents.function import callable_agent\n"
        "agent = callable_agent(lambda prompt: time.sleep(3600), time_limit=0.2)\n"
        "task = Task(dataset=MemoryDataset([Sample(input='x')]), solver=agent)\n"
        "model = agent_model('x')\n"
        "(log,) = eval(task, model=model, log_dir=sys.argv[1], display='none', fail_on_error=False)\n"
        "print(log.samples[0].error.message)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, timeout=300, check=True
    )
    assert "agent: timed out after 0.2 s" in done.stdout


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return folder


@pytest.mark.slow
def test_a_callable_by_its_name(here: Path, tmp_path: Path) -> None:
    (here / "my_words.py").write_text("NORWAY = 'Norway'\n", encoding="utf-8")
    (here / "my_agent.py").write_text(
        "from my_words import NORWAY\n"
        "def answer(prompt):\n"
        "    return NORWAY\n"
        "class Agent:\n"
        "    @staticmethod\n"
        "    async def answer(prompt):\n"
        "        return NORWAY + ' later'\n",
        encoding="utf-8",
    )
    assert answered("my_agent:answer", tmp_path).output.completion == "Norway"
    assert answered("my_agent:Agent.answer", tmp_path).output.completion == "Norway later"
    assert answered("my_agent.py:answer", tmp_path).output.completion == "Norway"
    assert answered(str(here / "my_agent.py") + ":answer", tmp_path).output.completion == "Norway"
    assert answered("os.path:basename", tmp_path).output.completion == "Where is Oslo?"


def test_a_name_that_leads_nowhere_is_said_before_the_run(here: Path) -> None:
    (here / "lost_agent.py").write_text("def answer(prompt):\n    return ''\nanswers = 3\n", encoding="utf-8")
    (here / "needy_agent.py").write_text("import a_package_that_nobody_has\n", encoding="utf-8")
    (here / "broken_agent.py").write_text("1 / 0\n", encoding="utf-8")
    form = "is not of the form module:function\nFor example: my_agent:answer"
    cases = {
        "lost_agent": f"the agent 'lost_agent' {form}",
        ":answer": f"the agent ':answer' {form}",
        "no_such_agent:answer": "there is no module 'no_such_agent' here or among the installed ones",
        "lost_agent:anser": "unknown function in lost_agent: 'anser'. Did you mean: answer?",
        "lost_agent:answers": "the agent 'lost_agent:answers' is int, which is no function and has neither "
        "invoke, run nor __call__",
        "needy_agent:answer": "the agent's module 'needy_agent' cannot be imported: "
        "No module named 'a_package_that_nobody_has'",
        "broken_agent:answer": "the agent's module 'broken_agent' cannot be imported: "
        "it raised ZeroDivisionError: division by zero",
        "absent.py:answer": "absent.py: the agent's file does not exist",
        "broken_agent.py:answer": "broken_agent.py: the agent's file cannot be imported: "
        "it raised ZeroDivisionError: division by zero",
    }
    for name, message in cases.items():
        with pytest.raises(InputError) as caught:
            callable_agent(name)
        assert str(caught.value) == message
    not_callable: Any = 3
    with pytest.raises(InputError, match="the agent 'int' is int, which is no function"):
        callable_agent(not_callable)
    with pytest.raises(InputError, match="the agent's time limit must be more than 0 seconds, got -1"):
        callable_agent(in_norway, time_limit=-1)


def test_a_selector_chooses_what_is_asked(tmp_path: Path) -> None:
    sample = answered(lambda prompt: prompt, tmp_path, prompt_field='input after "Where is"')
    assert sample.output.completion == "Oslo?"


# ---- objects


class Invoked:
    """As LangChain's runnables: `__call__` is there, too, and is not what they are asked by."""

    def invoke(self, given: Any) -> Any:
        return given

    def run(self, given: Any) -> Any:
        raise AssertionError

    def __call__(self, given: Any) -> Any:
        raise AssertionError


class OfFields(Invoked):
    def __init__(self, fields: dict[str, Any], required: list[str] | None = None) -> None:
        self._schema = {"properties": fields} | ({} if required is None else {"required": required})

    def get_input_jsonschema(self) -> dict[str, Any]:
        return self._schema


class InvokedLater:
    async def ainvoke(self, given: Any) -> Any:
        return {"messages": [{"role": "assistant", "content": f"{given} later"}]}

    def get_input_jsonschema(self) -> dict[str, Any]:
        raise NotImplementedError


class Ran:
    async def run(self, prompt: str) -> Any:
        class Result:
            output = f"{prompt} ran"

        return Result()


class NeedsArguments(Invoked):
    def __init__(self, model: str) -> None:
        pass


class Silent:
    pass


def asked(thing: Any) -> Any:
    return anyio.run(_call, _asked_by(thing, "mine"), "Where?")


def test_objects_are_asked_by_the_first_of_their_methods() -> None:
    assert asked(Invoked()) == asked(Invoked) == "Where?"
    assert asked(OfFields({"messages": {}, "other": {}})) == {
        "messages": [{"role": "user", "content": "Where?"}]
    }
    assert asked(OfFields({"input": {}, "chat_history": {}})) == {"input": "Where?"}
    assert asked(OfFields({"question": {}})) == {"question": "Where?"}
    assert asked(OfFields({"a": {}, "b": {}}, ["b"])) == {"b": "Where?"}
    assert asked(OfFields({})) == "Where?"
    assert read_reply(asked(InvokedLater())).text == "Where? later"
    assert read_reply(asked(Ran())).text == "Where? ran"


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (
            Silent(),
            "the agent 'mine' is Silent, which is no function and has neither invoke, run nor __call__",
        ),
        (Silent, "the agent 'mine' is a class without invoke, run or __call__"),
        (
            NeedsArguments,
            "the agent 'mine' is a class, and making one raised TypeError: NeedsArguments.__init__() missing "
            "1 required positional argument: 'model'\nName an object of it, or a function that makes one and "
            "asks it.",
        ),
        (
            OfFields({"a": {}, "b": {}}),
            "the agent 'mine' is invoked with 'a', 'b', and a prompt is one text\nName a function that makes "
            "of the prompt what it needs.",
        ),
    ],
)
def test_an_object_that_cannot_be_asked_is_refused(thing: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _asked_by(thing, "mine")
    assert str(caught.value) == message


def test_tool_calls_in_a_returned_chat_are_the_samples(tmp_path: Path) -> None:
    def answer(prompt: str) -> list[dict[str, Any]]:
        call = {"id": "1", "function": {"name": "find_city", "arguments": '{"name": "Oslo"}'}}
        return [
            {"role": "user", "content": prompt},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "in Norway"},
            {"role": "assistant", "content": "It is in Norway."},
        ]

    item = Item(id="oslo", prompt="Where is Oslo?", target=("Norway",))
    task = build_task("cities", [item], [original(item)], solver=callable_agent(answer))
    run_tasks(task, agent_model("knows"), log_dir=tmp_path)
    (row,) = load_all_results(tmp_path).iter_rows(named=True)
    assert (row["score"], row["answer"]) == (1.0, "Norway")
    assert row["tool_calls"] == tool_call_record([("find_city", {"name": "Oslo"})])


ASKED = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"country": "Norway"}'}}
CHAT = [
    {"role": "user", "content": "Where is Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [ASKED]},
    {"role": "tool", "tool_call_id": "1", "content": "yes"},
    {"role": "assistant", "content": [{"type": "text", "text": "In Norway."}]},
]


@pytest.mark.parametrize("form", [list, lambda chat: {"messages": chat}], ids=["list", "state"])
def test_an_agent_may_return_its_messages_and_its_tool_calls_are_kept(form: Any, tmp_path: Path) -> None:
    task = Task(
        dataset=MemoryDataset([Sample(input="Where is Oslo?", target="Norway", id="q")]),
        solver=callable_agent(lambda prompt: form(CHAT)),
        scorer=includes(),
        message_limit=3,
    )
    (watched,), _ = telling_outcomes([task])
    (log,) = inspect_eval(watched, model=agent_model("plain"), log_dir=str(tmp_path), display="none")
    assert log.samples is not None
    assert log.samples[0].output.completion == "In Norway."
    (row,) = load_all_results(tmp_path).iter_rows(named=True)
    assert row["score"] == 1.0
    assert row["tool_calls"] == tool_call_record([("find", {"country": "norway"})])
    (found,) = logged_runs(row["log"], [("q", "orig", 1)])
    assert found is not None
    assert [call.arguments for call in found.calls] == [{"country": "Norway"}]


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ({"answer": "Norway", "taken_actions": [{"name": "find", "kwargs": {"n": 1}}]}, ["find"]),
        ({"answer": "Norway", "messages": CHAT}, ["find"]),
        ({"answer": "Norway", "messages": "none"}, []),
        ("Norway", []),
    ],
)
def test_what_a_hal_agent_tells_of_its_calls_is_kept(told: Any, names: list[str], tmp_path: Path) -> None:
    @solver
    def telling() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            note_calls_of_answer(told)
            return state

        return solve

    task = Task(dataset=MemoryDataset([Sample(input="?", id="q")]), solver=telling(), scorer=includes())
    inspect_eval(task, model=agent_model("hal"), log_dir=str(tmp_path), display="none")
    (log,) = tmp_path.glob("*.eval")
    (found,) = logged_runs(str(log), [("q", "orig", 1)])
    assert found is not None
    assert [call.tool for call in found.calls] == names
