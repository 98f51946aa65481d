"""Files of a sample, as an agent in a process of its own finds them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, solver

from otherwords.core.types import original
from otherwords.items import items_from_task
from otherwords.runs import DEFAULT_SELECTOR, RunSettings, run_tasks, vary_task
from otherwords.runs.agents import ProviderError, agent_model
from otherwords.runs.agents.hal import copy_files, hal_agent

READER = """
import json, os

def run(input):
    ((task_id, task),) = input.items()
    told = {name: task.get(name) for name in ("files", "file_name", "file_path")}
    read = {}
    for path in told["files"] or {}:
        with open(path, "rb") as file:
            read[path] = file.read().decode("latin-1")
    return {task_id: json.dumps([told, read, sorted(os.listdir("."))])}
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # the agent lists what is in its folder
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "main.py").write_text(READER, encoding="utf-8")
    return folder


def asked(folder: Path, logs: Path, *samples: Sample, **agent: Any) -> list[EvalSample]:
    task = Task(dataset=list(samples), scorer=includes(), name="reading")
    items = items_from_task(task, DEFAULT_SELECTOR)
    solver = hal_agent(str(folder), **agent)
    summary = run_tasks(
        vary_task(task, [original(item) for item in items]),
        agent_model("reader"),
        log_dir=logs,
        settings=RunSettings(solver=solver, calls_no_model=True),
    )
    return read_eval_log(str(summary.logs[0]), resolve_attachments="full").samples or []


def said(sample: EvalSample) -> Any:
    assert sample.error is None, sample.error.message
    return json.loads(sample.output.completion)


@pytest.mark.slow
def test_a_file_lies_in_the_agents_folder_under_its_own_name_as_in_hal(agent: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(b"a,b\n1,2\n")
    first, second = asked(
        agent,
        tmp_path / "logs",
        Sample(id="with", input="What is b?", target="2", files={"/shared_files/table.csv": str(table)}),
        Sample(id="without", input="What is c?", target="2"),
    )
    told, read, beside = said(first)
    assert told == {"files": {"table.csv": "table.csv"}, "file_name": "table.csv", "file_path": "table.csv"}
    assert read == {"table.csv": "a,b\n1,2\n"}
    assert beside == ["main.py", "table.csv"]
    assert said(second) == [{"files": None, "file_name": None, "file_path": None}, {}, ["main.py"]]
    assert sorted(path.name for path in agent.iterdir()) == ["main.py"]


@pytest.mark.slow
def test_it_is_handed_over_again_when_the_run_is_resumed(agent: Path, tmp_path: Path) -> None:
    samples = [Sample(id=n, input=f"What is {n}?", target="x", files={"x.txt": "xyz"}) for n in (1, 2)]
    asked(agent, tmp_path / "logs", *samples)
    again = asked(agent, tmp_path / "logs", *samples)
    assert [said(sample)[1] for sample in again] == [{"x.txt": "xyz"}] * 2
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 1


def test_where_the_agent_works_in_its_own_folder_the_files_are_elsewhere(agent: Path, tmp_path: Path) -> None:
    sample = Sample(id="s", input="What?", target="x", files={"x.txt": "xyz"})
    (told, read, beside), *_ = map(said, asked(agent, tmp_path / "logs", sample, copy_folder=False))
    assert Path(told["file_name"]).is_absolute()
    assert list(read.values()) == ["xyz"]
    assert beside == ["main.py"]
    assert not Path(told["file_name"]).exists()


@solver
def noting() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.metadata["noted"] = True
        return state

    return solve


def test_the_tasks_own_first_step_is_kept(agent: Path, tmp_path: Path) -> None:
    sample = Sample(id="s", input="What?", target="x", files={"x.txt": "xyz"})
    summary = run_tasks(
        Task(dataset=[sample], scorer=includes(), setup=noting(), name="reading"),
        agent_model("reader"),
        log_dir=tmp_path / "logs",
        settings=RunSettings(solver=hal_agent(str(agent)), calls_no_model=True),
    )
    (done,) = read_eval_log(str(summary.logs[0])).samples or []
    assert done.metadata["noted"] is True
    assert said(done)[0]["file_name"] == "x.txt"


def test_a_file_that_is_not_there_is_the_samples_error(agent: Path, tmp_path: Path) -> None:
    sample = Sample(id="s", input="What?", target="x", files={"x.txt": f"file://{tmp_path}/gone.txt"})
    (done,) = asked(agent, tmp_path / "logs", sample)
    assert done.error is not None
    told = "provider or machine: the agent could not be given the sample's file 'x.txt': [Errno 2]"
    assert done.error.message.startswith(told)


def test_files_of_every_source(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "x.txt").write_text("deep", encoding="utf-8")
    (tmp_path / "here.txt").write_text("here", encoding="utf-8")
    files = {
        "/data/inline.txt": "just text\nof several lines",
        "/data/coded.bin": "data:application/octet-stream;base64," + base64.b64encode(b"\x00\xff").decode(),
        "/data/plain.txt": "data:text/plain,a%20b",
        "/data/path.txt": str(tmp_path / "here.txt"),
        "/data/address.txt": f"file://{tmp_path}/here.txt",
        "/data/folder": str(folder),
        "/data/long.txt": "x" * 5000,
        "/data/empty.txt": "",
    }
    work = tmp_path / "work"
    work.mkdir()
    paths = copy_files(files, work)
    assert paths == [name.removeprefix("/data/") for name in files]
    assert (work / "inline.txt").read_text(encoding="utf-8") == files["/data/inline.txt"]
    assert (work / "coded.bin").read_bytes() == b"\x00\xff"
    assert (work / "plain.txt").read_bytes() == b"a b"
    assert (work / "path.txt").read_text(encoding="utf-8") == "here"
    assert (work / "address.txt").read_text(encoding="utf-8") == "here"
    assert (work / "folder" / "deep" / "x.txt").read_text(encoding="utf-8") == "deep"
    assert (work / "long.txt").stat().st_size == 5000
    assert (work / "empty.txt").read_bytes() == b""


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (["/a/b/x.txt", "/a/b/y.txt"], ["x.txt", "y.txt"]),
        (["/a/b/x.txt", "/a/c/x.txt"], ["b/x.txt", "c/x.txt"]),
        (["x.txt", "c/x.txt"], ["x.txt", "c/x.txt"]),
        (["victim:/etc/flag.txt"], ["flag.txt"]),
        (["deep/main.py"], ["task_files/main.py"]),
        (["main.py", "x.txt"], ["task_files/main.py", "task_files/x.txt"]),
    ],
)
def test_where_they_lie(given: list[str], paths: list[str], tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("the agent's own", encoding="utf-8")
    assert copy_files(dict.fromkeys(given, "text"), tmp_path) == paths
    assert all((tmp_path / path).read_text(encoding="utf-8") == "text" for path in paths)
    assert (tmp_path / "main.py").read_text(encoding="utf-8") == "the agent's own"


def test_none_is_written_outside_the_folder(tmp_path: Path) -> None:
    with pytest.raises(ProviderError) as caught:
        copy_files({"a.txt": "x", "../../b.txt": "x"}, tmp_path)
    assert str(caught.value) == (
        "provider or machine: the agent could not be given the sample's file '../../b.txt': it leads out of "
        "its folder"
    )
    assert not list(tmp_path.iterdir())
