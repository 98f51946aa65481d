"""Two workers of Ray's: the table of a local run, one budget, nothing lost with a worker, no key kept."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from otherwords.core.errors import InputError
from otherwords.pipeline.agents import Agent
from otherwords.pipeline.run import run
from otherwords.pipeline.shards import cut_run, run_shards
from otherwords.pipeline.vary import Wordings
from otherwords.results import read_results
from otherwords.runs import Budget
from otherwords.runs.progress import Progress

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow

INHERITED, IN_FILE = "sk-inherited" + "a1B2" * 8, "sk-infile" + "c3D4" * 8
AGENT = """
import os, signal
from pathlib import Path

def answer(prompt):
    with open("calls.txt", "a") as file:
        file.write(f"{os.getpid()}\\t{prompt}\\n")
    keys = os.environ.get("INHERITED_API_KEY", ""), os.environ.get("FILE_API_KEY", "")
    Path("keys.txt").write_text(" ".join(str(len(key)) for key in keys))
    if Path("kill").exists() and "land 7" in prompt:
        Path("kill").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return "A" if len(prompt) % 3 else "B"
"""
QUIZ = """
import anyio
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import includes

@modelapi(name="paid")
class Paid(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        with open(CALLS, "a") as file:
            file.write(f"0\\t{input[-1].text}\\n")
        output = ModelOutput.from_content(self.model_name, "A")
        tokens = 40 if "land 5" in input[-1].text else 4
        output.usage = ModelUsage(input_tokens=tokens - 1, output_tokens=1, total_tokens=tokens)
        await anyio.sleep(0.1)
        return output

@task
def quiz():
    samples = [Sample(id=f"q{n}", input=f"What is land {n}?", target="A") for n in range(80)]
    return Task(samples, scorer=includes())
"""


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[Path]:
    """The folder of one Ray session with two processors, whose workers inherit a key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INHERITED_API_KEY", INHERITED)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        started = ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield Path(started.address_info["session_dir"])
        ray.shutdown()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        {"id": f"q{n}", "question": f"What is the capital of land {n}?", "answer": "A"} for n in range(10)
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("mine.py").write_text(AGENT)
    Path("quiz.py").write_text(QUIZ.replace("CALLS", repr(str(tmp_path / "calls.txt"))))
    return tmp_path


def calls() -> list[tuple[str, str]]:
    return [(line.split("\t")[0], line.split("\t")[1]) for line in Path("calls.txt").read_text().splitlines()]


def table(log_dir: str) -> pl.DataFrame:
    return read_results(log_dir).outcomes.drop("log", "seconds")


def test_two_workers_give_the_table_of_a_local_run_and_ray_keeps_no_key(session: Path) -> None:
    run("questions.jsonl", Agent(function="mine.py:answer"), k=2, repeats=2, log_dir="whole")
    before, seen = len(calls()), list[Progress]()
    keys = Path("keys.env")
    keys.write_text(f"FILE_API_KEY={IN_FILE}\n")
    keys.chmod(0o600)
    sharded = cut_run(
        "questions.jsonl",
        Agent(function="mine.py:answer"),
        4,
        log_dir="cut",
        keys_file=keys,
        plan={"wordings": Wordings(k=2), "repeats": 2},
    )
    summary = run_shards(sharded, executor="ray", workers=2, on_progress=seen.append)
    asked = calls()[before:]
    assert (summary.finished, summary.total, len(asked)) == (before, before, before)
    assert len({worker for worker, _ in asked}) == 2
    assert (seen[-1].finished, seen[-1].total) == (before, before)
    assert_frame_equal(table("cut"), table("whole"))
    assert Path("keys.txt").read_text() == f"{len(INHERITED)} {len(IN_FILE)}"
    files = [file for file in session.rglob("*") if file.is_file() and not file.is_symlink()]
    assert len(files) > 10
    assert not [file for file in files if {INHERITED.encode(), IN_FILE.encode()} & _found_in(file)]


def _found_in(file: Path) -> set[bytes]:
    content = file.read_bytes()
    return {key for key in (INHERITED.encode(), IN_FILE.encode()) if key in content}


def test_a_killed_worker_loses_nothing_and_nothing_finished_is_paid_twice() -> None:
    Path("kill").touch()
    sharded = cut_run(
        "questions.jsonl",
        Agent(function="mine.py:answer"),
        2,
        log_dir="cut",
        plan={"wordings": Wordings(k=2), "repeats": 1},
        execute={"max_connections": 1},
    )
    summary = run_shards(sharded, executor="ray", workers=2)
    assert not Path("kill").exists()
    assert (summary.finished, summary.total) == (30, 30)
    asked = Counter(prompt for _, prompt in calls())
    twice = {prompt: count for prompt, count in asked.items() if count > 1}
    assert len(asked) == 30
    assert list(twice.values()) == [2]  # the call that was killed, which never came back
    assert "land 7" in next(iter(twice))
    assert read_results("cut").outcomes["status"].to_list() == ["scored"] * 30


def test_one_budget_holds_over_both_workers() -> None:
    sharded = cut_run(
        "quiz.py@quiz", "paid/x", 2, log_dir="cut", plan={"wordings": Wordings(k=1), "repeats": 1}
    )
    stopped = run_shards(sharded, executor="ray", workers=2, budget=Budget(calls=100), expected=160)
    assert (len(calls()), stopped.calls, stopped.finished) == (100, 100, 100)
    assert stopped.stopped == "calls=100"
    # tokens are known when an answer is there: what the other worker has under way is held back, too
    second = run_shards(sharded, executor="ray", workers=2, budget=Budget(tokens=120))
    assert second.stopped == "tokens=120"
    assert 120 - 40 < second.tokens <= 120 + 40
    assert second.finished == 100 + second.calls == len(calls())
    summary = run_shards(sharded, executor="ray", workers=2)
    assert (summary.reused, summary.finished, summary.total) == (second.finished, 160, 160)
    assert Counter(prompt for _, prompt in calls()).most_common(1)[0][1] == 1


def test_an_error_of_a_worker_is_told_as_it_is(folder: Path) -> None:
    sharded = cut_run("gone.jsonl", "paid/x", 2, log_dir="cut", plan={"repeats": 1})
    with pytest.raises(InputError) as refused:
        run_shards(sharded, executor="ray", workers=1)
    assert str(refused.value) == "gone.jsonl: no such file"
    assert os.listdir(folder) == ["mine.py", "questions.jsonl", "quiz.py"] or not (folder / "cut").exists()
