"""AppWorld as an Inspect task: on a stand-in and, where APPWORLD_PYTHON names one, on the package itself."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.types import original, variant_id
from otherwords.items import items_from_task
from otherwords.results import read_results
from otherwords.runs import parse_selector, run_tasks, vary_task
from otherwords.runs.benchmarks import find_benchmark
from otherwords.runs.benchmarks.appworld import World, WorldError
from otherwords.runs.benchmarks.load import load_benchmark
from otherwords.runs.resolve import resolve_task

FOLDER = Path(__file__).with_name("appworld_folder.py")
REAL = os.environ.get("APPWORLD_PYTHON")
TASK = "abc1234_1"
INSTRUCTION = "How many songs are in my Spotify queue?"
OTHER_WORDS = "What is the number of songs in my Spotify queue?"

STAND_IN = '''
"""Has what is used of AppWorld, with its results and its ways of failing."""
import contextlib, io, json, os
from types import SimpleNamespace

class Record(SimpleNamespace):
    def save(self):
        print("saved")  # AppWorld prints, too

class AppWorld:
    def __init__(self, task_id, experiment_name):
        root = os.environ["APPWORLD_ROOT"]
        folder = os.path.join(root, "data", "tasks", task_id)
        if not os.path.exists(folder):
            raise Exception("The task directory doesn't exist.")
        os.makedirs(os.path.join(root, "experiments", "outputs", experiment_name))
        with open(os.path.join(folder, "specs.json")) as file:
            said = json.load(file)["instruction"]
        self.task = SimpleNamespace(instruction=said)
        self.record = Record(instruction=said, answer=None, status=None)
        records = SimpleNamespace(all=lambda: [self.record])
        self.models = SimpleNamespace(supervisor=SimpleNamespace(Task=records))
        self.session = {"apis": SimpleNamespace(supervisor=self)}

    def show_active_task(self):
        return {"instruction": self.record.instruction}

    def complete_task(self, answer=None, status="success"):
        self.record.answer, self.record.status = answer, status

    def execute(self, code):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(code, self.session)
        except Exception as error:
            return "Execution failed. Traceback:\\n%r" % error
        return out.getvalue() or "Execution successful."

    def task_completed(self):
        return self.record.status in ("success", "fail")

    def evaluate(self):
        passed = self.record.answer == "7"
        one = [{"requirement": "assert answers match.", "label": "no_op_fail"}]
        report = {
            "success": passed, "difficulty": 1, "num_tests": 1,
            "passes": one if passed else [], "failures": [] if passed else one,
        }
        return SimpleNamespace(to_dict=lambda: report)

    def close(self):
        print("closed")
'''


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "appworld.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.setenv("APPWORLD_PYTHON", sys.executable)
    monkeypatch.setenv("APPWORLD_ROOT", str(tmp_path / "root"))
    runpy.run_path(str(FOLDER))["write_listing_and_specs"](tmp_path / "root", "0.1.0")
    return tmp_path / "root"


@pytest.fixture
def itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if not REAL:
        pytest.skip("APPWORLD_PYTHON names no interpreter that has appworld")
    monkeypatch.setenv("APPWORLD_ROOT", str(tmp_path / "root"))
    (tmp_path / "root").mkdir()
    subprocess.run([REAL, str(FOLDER), str(tmp_path / "root")], check=True, capture_output=True)
    return tmp_path / "root"


Act = Callable[[list[ChatMessage]], str | None]


def agent(act: Act) -> Model:
    """A model that runs the code that `act` gives, or, where it gives none, only talks."""

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        code = act(messages)
        output = (
            ModelOutput.from_content("mockllm/agent", "Let me think.")
            if code is None
            else ModelOutput.for_tool_call("mockllm/agent", "run_code", {"code": code})
        )
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output

    return get_model("mockllm/agent", custom_outputs=answer, memoize=False)


def wordings(**arguments: Any) -> Task:
    benchmark = find_benchmark("appworld_test_normal")
    assert benchmark is not None
    task = load_benchmark(benchmark, arguments)
    selector = parse_selector(benchmark.selector)
    (item,) = items_from_task(task, selector)
    assert item.prompt == INSTRUCTION
    other = replace(
        original(item), id=variant_id(TASK, "para1"), name="para1", kind="paraphrase", prompt=OTHER_WORDS
    )
    return vary_task(task, [original(item), other], selector=selector)


def run(task: Task, model: Model, folder: Path) -> EvalLog:
    summary = run_tasks(task, model, log_dir=folder)
    return read_eval_log(str(summary.logs[0]), resolve_attachments=True)


def outcomes(folder: Path, column: str) -> dict[str, Any]:
    return dict(read_results([folder]).outcomes.select("variant", column).iter_rows())


LOOK = "print(apis.supervisor.show_active_task()['instruction'])"


def answers_by_the_words_of_the_task(messages: list[ChatMessage]) -> str:
    """Looks the task up in AppWorld, and is right only if it is told as it was."""
    if messages[-1].role != "tool":
        return LOOK
    return f"apis.supervisor.complete_task(answer='{7 if INSTRUCTION in messages[-1].text else 8}')"


@pytest.mark.slow
@pytest.mark.parametrize("place", ["stand_in", "itself"])
def test_from_two_wordings_to_the_score(request: pytest.FixtureRequest, tmp_path: Path, place: str) -> None:
    root = request.getfixturevalue(place)
    log = run(wordings(), agent(answers_by_the_words_of_the_task), tmp_path / "logs")
    assert log.eval.task == "appworld_test_normal"
    assert outcomes(tmp_path / "logs", "score") == {"orig": 1.0, "para1": 0.0}
    for sample, wording in zip(log.samples or [], (INSTRUCTION, OTHER_WORDS), strict=True):
        system, user, *rest = sample.messages
        assert user.text == wording
        assert "Ada Example (ada@example.com, phone 5550100)" in system.text
        assert [message.role for message in rest] == ["assistant", "tool", "assistant", "tool"]
        assert rest[1].text.strip() == wording
        assert sample.scores is not None
        score = sample.scores["appworld_tests"]
        assert score.metadata is not None
        assert (score.metadata["tests"], score.metadata["said_done"]) == (1, True)
    assert list((root / "experiments" / "outputs").iterdir()) == []


@pytest.mark.slow
def test_an_agent_that_runs_nothing_is_reminded_once_and_then_scored(stand_in: Path, tmp_path: Path) -> None:
    log = run(wordings(), agent(lambda messages: None), tmp_path / "logs")
    assert outcomes(tmp_path / "logs", "score") == {"orig": 0.0, "para1": 0.0}
    assert log.samples is not None
    said = [message.text for message in log.samples[0].messages if message.role == "user"]
    assert said == [
        INSTRUCTION,
        "Nothing was run. Call run_code with your next step, or with apis.supervisor.complete_task() "
        "if you are done.",
    ]
    assert log.samples[0].scores is not None
    assert log.samples[0].scores["appworld_tests"].explanation == (
        "0 of 1 tests passed.\nassert answers match."
    )


@pytest.mark.slow
def test_turns_are_bounded(stand_in: Path, tmp_path: Path) -> None:
    log = run(wordings(max_turns=3), agent(lambda messages: "print('again')"), tmp_path / "logs")
    assert log.samples is not None
    assert [message.role for message in log.samples[0].messages].count("assistant") == 3


@pytest.mark.slow
def test_another_solver_finds_the_tool_in_its_state(stand_in: Path, tmp_path: Path) -> None:
    def answers_and_ends(messages: list[ChatMessage]) -> str | None:
        return None if messages[-1].role == "tool" else "apis.supervisor.complete_task(answer='7')"

    run(task_with(wordings(), solver=generate()), agent(answers_and_ends), tmp_path / "logs")
    assert outcomes(tmp_path / "logs", "score") == {"orig": 1.0, "para1": 1.0}


@pytest.mark.slow
def test_code_that_fails_is_told_to_the_agent(stand_in: Path, tmp_path: Path) -> None:
    log = run(wordings(max_turns=1), agent(lambda messages: "1 / 0"), tmp_path / "logs")
    assert log.samples is not None
    assert "ZeroDivisionError" in log.samples[0].messages[-1].text


@pytest.mark.slow
def test_a_world_that_breaks_is_an_error_of_its_sample(stand_in: Path, tmp_path: Path) -> None:
    def breaks_at_other_words(messages: list[ChatMessage]) -> str:
        if messages[1].text == OTHER_WORDS:
            return "import os, sys; sys.stderr.write('out of memory'); os._exit(3)"
        return "apis.supervisor.complete_task(answer='7')"

    log = run(wordings(), agent(breaks_at_other_words), tmp_path / "logs")
    assert outcomes(tmp_path / "logs", "status") == {"orig": "scored", "para1": "error"}
    broken = next(sample for sample in log.samples or [] if sample.error is not None)
    assert broken.error is not None
    assert broken.error.message.startswith("WorldError(\"AppWorld's process ended (is_completed): ")
    assert "out of memory" in broken.error.message
    assert list((stand_in / "experiments" / "outputs").iterdir()) == []


@pytest.mark.slow
def test_a_run_in_which_no_world_opens_says_why(stand_in: Path, tmp_path: Path) -> None:
    task = wordings()
    for sample in task.dataset:
        assert sample.metadata is not None
        sample.metadata["task_id"] = "gone_1"
    summary = run_tasks(task, agent(lambda messages: None), log_dir=tmp_path / "logs")
    assert (summary.finished, summary.errored) == (0, 2)
    assert summary.first_error == (
        'WorldError("AppWorld could not open: Exception: The task directory doesn\'t exist.")'
    )


def test_an_interpreter_without_appworld(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH")
    with pytest.raises(MissingDependencyError) as refused:
        wordings()
    assert str(refused.value) == (
        f"the Python interpreter '{sys.executable}' has no package 'appworld'\n"
        "Install it with: python3.11 -m venv appworld-env && appworld-env/bin/pip install appworld && "
        "appworld-env/bin/appworld install\n"
        "Then: export APPWORLD_PYTHON=$PWD/appworld-env/bin/python"
    )


def specs(root: Path) -> Path:
    return root / "data" / "tasks" / TASK / "specs.json"


def broken_json(root: Path) -> str:
    specs(root).write_text('{"instruction":', encoding="utf-8")
    return f"{specs(root)}:1: is not valid JSON: Expecting value"


def no_instruction(root: Path) -> str:
    told = json.loads(specs(root).read_text(encoding="utf-8"))
    del told["instruction"]
    specs(root).write_text(json.dumps(told), encoding="utf-8")
    return f"{specs(root)}, item '{TASK}': has no field 'instruction'"


def no_specs(root: Path) -> str:
    specs(root).unlink()
    listing = root / "data" / "datasets" / "test_normal.txt"
    return f"{listing}:1, item '{TASK}': there is no {specs(root).relative_to(root)}"


def empty_listing(root: Path) -> str:
    listing = root / "data" / "datasets" / "test_normal.txt"
    listing.write_text("\n", encoding="utf-8")
    return f"{listing}: lists no task"


@pytest.mark.parametrize("damage", [broken_json, no_instruction, no_specs, empty_listing])
def test_damaged_data_is_told_with_its_place(stand_in: Path, damage: Callable[[Path], str]) -> None:
    told = damage(stand_in)
    with pytest.raises(InputError) as refused:
        wordings()
    assert str(refused.value) == told


def test_an_unknown_split(stand_in: Path) -> None:
    with pytest.raises(InputError) as refused:
        resolve_task("otherwords/appworld", {"split": "test"})
    assert str(refused.value) == (
        "AppWorld has no split 'test'. Known: train, dev, test_normal, test_challenge."
    )


def test_a_tag_behind_a_task_is_no_part_of_its_id(stand_in: Path) -> None:
    listing = stand_in / "data" / "datasets" / "test_normal.txt"
    listing.write_text(f"\n{TASK}:tag\n", encoding="utf-8")
    task = resolve_task("otherwords/appworld")
    assert [sample.id for sample in task.dataset] == [TASK]


def test_a_pipe_that_breaks_while_it_is_written_to_is_an_error_of_the_world() -> None:
    """Else it would count as the agent's own fault, and be scored 0."""

    async def breaks(line: bytes) -> None:
        raise ConnectionResetError("Connection lost")

    async def ask() -> None:
        world = World.__new__(World)
        world._one_at_a_time = anyio.Lock()
        world._process = SimpleNamespace(stdin=SimpleNamespace(send=breaks))  # type: ignore[assignment]
        world._last_errors = lambda: "out of memory"  # type: ignore[method-assign]
        await world._ask("is_completed")

    with pytest.raises(WorldError, match=r"AppWorld's process ended \(is_completed\): out of memory"):
        anyio.run(ask)
