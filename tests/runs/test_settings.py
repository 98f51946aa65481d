"""Settings are hashed alike on every system; keys that a run is given do their work and are in no log."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.solver import SolverSpec

from otherwords.core.errors import InputError
from otherwords.core.types import Item, original
from otherwords.pipeline.agents import Agent, run_settings
from otherwords.pipeline.inputs import open_source
from otherwords.runs import RunSettings, build_task, run_tasks, settings
from otherwords.runs.settings import Hidden, hidden, refuse_keys, revealed

TOKEN = "tk-4bC9dE2fGh1jK7mN0pQ"
API_KEY = "sk-4bC9dE2fGh1jK7mN0pQ"
SEEN: list[tuple[str, str]] = []


@pytest.fixture(scope="module")
def keyed() -> str:
    @modelapi(name="keyed")
    class Keyed(ModelAPI):
        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: Any = None,
            token: str = "",
        ) -> None:
            super().__init__(model_name, base_url, api_key, [], config)
            self.token = token

        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            SEEN.append((str(self.api_key), self.token))
            if "second" in input[-1].text and len(SEEN) < 3:
                raise RuntimeError("not yet")
            output = ModelOutput.from_content(self.model_name, "Paris")
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

    return "keyed/x"


def everything_in(folder: Path) -> str:
    said = ""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as archive:
                said += "\n".join(name + archive.read(name).decode() for name in archive.namelist())
        elif path.is_file():
            said += path.read_bytes().decode("utf-8", "replace")
    return said


@pytest.mark.slow
def test_a_models_keys_are_used_and_not_logged_when_a_run_is_resumed_too(keyed: str, tmp_path: Path) -> None:
    items = [Item(id=name, prompt=f"The {name} question?", target=("Paris",)) for name in ("first", "second")]
    task = build_task("quiz", items, [original(item) for item in items])
    settings = RunSettings(model_args={"api_key": API_KEY, "token": TOKEN})
    first = run_tasks(task, keyed, log_dir=tmp_path, settings=settings)
    assert (first.finished, first.errored) == (1, 1)
    again = run_tasks(task, keyed, log_dir=tmp_path, settings=settings)
    assert (again.finished, again.errored, again.reused) == (2, 0, 1)
    assert set(SEEN) == {(API_KEY, TOKEN)}
    said = everything_in(tmp_path)
    assert "The second question?" in said
    assert TOKEN not in said
    assert API_KEY not in said


def test_an_address_with_a_password_is_refused(keyed: str, tmp_path: Path) -> None:
    item = Item(id="a", prompt="Which?", target=("b",))
    settings = RunSettings(model_args={"base_url": "https://me:pass@host/v1"})
    with pytest.raises(InputError) as caught:
        run_tasks(build_task("q", [item], [original(item)]), keyed, log_dir=tmp_path, settings=settings)
    assert str(caught.value) == (
        "-M base_url=… looks like a key, and Inspect writes these arguments into its logs\n"
        "Give it in a variable of the environment."
    )


def test_what_inspect_would_write_down_is_refused(tmp_path: Path) -> None:
    problem = "looks like a key, and Inspect writes these arguments into its logs"
    with pytest.raises(InputError, match=rf"^-S token=… {problem}\n"):
        run_settings(Agent(models=("a/b",), solver="generate", solver_args={"token": TOKEN}))
    with pytest.raises(InputError, match=rf"^-T anything=… {problem}\n"):
        open_source("pkg/task", task_args={"anything": API_KEY})
    refuse_keys({"answer_key": "gold", "tokens": 5, "secret": "no"}, "-T")


def test_hidden_arguments_read_as_redacted_and_can_be_revealed() -> None:
    given = {"api_key": API_KEY, "deep": [{"password": "a1b2c3d4e5"}, 3], "name": "x", "free": API_KEY}
    kept = hidden(given)
    assert json.loads(json.dumps(kept)) == {
        "api_key": "[redacted]",
        "deep": [{"password": "[redacted]"}, 3],
        "name": "x",
        "free": "[redacted]",
    }
    assert revealed(kept) == given
    assert revealed(copy.deepcopy(kept)) == given
    assert pickle.loads(pickle.dumps(Hidden(API_KEY))) == "[redacted]"


def test_a_solvers_file_counts_by_its_name_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(solver: str) -> str:
        return RunSettings(solver=SolverSpec(solver, {}, {})).hash

    assert hashed("/here/mine.py@ask") == hashed("/there/mine.py@ask") != hashed("/here/mine.py@other")
    monkeypatch.setattr(settings, "PurePath", PureWindowsPath)
    assert hashed(r"C:\here\mine.py@ask") == hashed(r"D:\mine.py@ask") == hashed("/here/mine.py@ask")
