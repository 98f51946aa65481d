from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import includes

from otherwords.core.errors import MissingDependencyError, OtherwordsError
from otherwords.core.types import original
from otherwords.items import items_from_task
from otherwords.runs import DEFAULT_SELECTOR, registered_tasks, resolve, resolve_task, run_tasks, vary_task

Scripted = Callable[[str, Callable[[str], str]], str]
QUIZ = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from quiz_names import NAME

@task
def quiz(limit: int = 2, **more):
    samples = json_dataset("quiz.jsonl")[:limit]
    return Task(dataset=samples, scorer=includes(), metadata={"name": NAME, **more})
"""
TWO = """
from inspect_ai import Task, task

@task
def first(): return Task()

@task(name="other")
def second(name: str): return Task(metadata={"name": name})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "quiz.py").write_text(QUIZ)
    (tmp_path / "quiz_names.py").write_text("NAME = 'cities'\n")
    rows = '{"id": "a", "input": "Capital of France?", "target": "Paris"}\n{"id": "b", "input": "Hi?"}\n'
    (tmp_path / "quiz.jsonl").write_text(rows)
    (tmp_path / "two.py").write_text(TWO)
    return tmp_path


def refusal(spec: str, arguments: dict[str, Any] | None = None) -> str:
    with pytest.raises(OtherwordsError) as caught:
        resolve_task(spec, arguments)
    return str(caught.value)


@pytest.mark.parametrize("spec", ["quiz.py", "quiz.py@quiz"])
def test_a_file_names_its_task_and_works_in_its_own_folder(folder: Path, spec: str) -> None:
    came_from, searched = os.getcwd(), list(sys.path)
    made = resolve_task(str(folder / spec), {"limit": 1, "colour": "red"})
    assert [sample.id for sample in made.dataset] == ["a"]
    assert (made.name, made.metadata) == ("quiz", {"name": "cities", "colour": "red"})
    assert (os.getcwd(), sys.path) == (came_from, searched)


def test_a_file_is_read_again_when_it_has_changed(folder: Path) -> None:
    assert resolve_task(str(folder / "two.py@first")).metadata is None
    (folder / "two.py").write_text(TWO.replace("return Task()", "return Task(metadata={'new': True})"))
    assert resolve_task(str(folder / "two.py@first")).metadata == {"new": True}


def test_a_task_argument_may_have_any_name(folder: Path) -> None:
    assert resolve_task(str(folder / "two.py@other"), {"name": "x"}).metadata == {"name": "x"}


@pytest.mark.slow
def test_a_run_knows_the_file_that_its_task_came_from(
    folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    made = resolve_task(str(folder / "quiz.py"))
    variants = [original(item) for item in items_from_task(made, DEFAULT_SELECTOR)]
    varied = vary_task(made, variants)
    summary = run_tasks(varied, scripted("paris", lambda prompt: "Paris"), log_dir=tmp_path / "logs")
    log = read_eval_log(str(summary.logs[0]), header_only=True)
    # By its name alone, so that the run may be gone on with from another folder.
    assert (log.eval.task, log.eval.task_file) == ("quiz", "quiz.py")


def test_our_own_tasks_are_found_by_name(folder: Path) -> None:
    (folder / "items.jsonl").write_text(
        '{"id": "a", "question": "Which of the following is it?", "answer": "x"}\n'
    )
    made = resolve_task("otherwords/paraphrase_consistency", {"dataset_path": str(folder / "items.jsonl")})
    assert made.dataset[0].id == "a#orig"
    assert "otherwords/perturbation_stability" in registered_tasks("otherwords")
    assert set(registered_tasks("otherwords")) <= set(registered_tasks())


def test_a_task_registered_in_this_process_is_found_by_its_name() -> None:
    @task
    def registered_here(target: str = "x") -> Task:
        return Task(dataset=[Sample(input="a", target=target)], scorer=includes())

    assert resolve_task("registered_here", {"target": "y"}).dataset[0].target == "y"


def test_a_file_that_has_no_single_task_is_refused(folder: Path) -> None:
    two, empty = folder / "two.py", folder / "quiz_names.py"
    assert refusal(str(two)) == f"{two}: has 2 tasks: first, other\nSay which, such as {two}@first"
    assert refusal(f"{two}@frist") == f"unknown task in {two} 'frist'. Did you mean: first?"
    assert refusal(str(empty)) == f"{empty}: has no task: no function in it is marked with @task"


def test_what_is_no_python_file_is_refused(folder: Path) -> None:
    assert refusal(str(folder / "no.py@x")) == f"{folder / 'no.py'}: no such file"
    (folder / "note.ipynb").write_text("{}")
    for name in ("note.ipynb", "quiz.jsonl"):
        assert (
            refusal(str(folder / name)) == f"{folder / name}: a task is read from a .py file; save it as one"
        )
    (folder / "bad.py").write_text("import os\ndef (:\n")
    assert refusal(str(folder / "bad.py")) == f"{folder / 'bad.py'}:2: is not valid Python: invalid syntax"


def test_a_file_that_fails_says_how_and_leaves_nothing_behind(folder: Path) -> None:
    before = set(sys.modules)
    (folder / "bad.py").write_text("raise RuntimeError('no luck')\n")
    assert refusal(str(folder / "bad.py")) == f"{folder / 'bad.py'}: could not be run: RuntimeError: no luck"
    (folder / "needs.py").write_text("import quiz_nowhere.deep\n")
    assert refusal(str(folder / "needs.py")) == (
        f"task '{folder / 'needs.py'}' needs the Python package 'quiz_nowhere', which is not installed\n"
        "Install it with: pip install 'quiz_nowhere'"
    )
    assert set(sys.modules) == before


def test_a_folder_lists_its_tasks(folder: Path) -> None:
    found = ", ".join(f"{folder / name}" for name in ("quiz.py@quiz", "two.py@first", "two.py@other"))
    assert refusal(str(folder)) == f"{folder}: is a folder; a run takes one task\nTasks in it: {found}"
    (folder / "empty").mkdir()
    assert refusal(str(folder / "empty")) == (
        f"{folder / 'empty'}: is a folder; a run takes one task\nIt has no tasks."
    )


def test_arguments_are_checked_by_name(folder: Path) -> None:
    spec = str(folder / "two.py@other")
    assert refusal(spec) == f"task '{spec}' needs the argument 'name'\nGive it with -T name=…"
    assert refusal(spec, {"name": "x", "nane": 1}) == (
        f"unknown argument of task '{spec}' 'nane'. Did you mean: name?"
    )


def test_unknown_names_say_what_is_near() -> None:
    assert refusal("perturbation_stability") == (
        "unknown task 'perturbation_stability'. Did you mean: otherwords/perturbation_stability?"
    )
    assert refusal("otherwords/paraphrase_consistancy") == (
        "unknown task 'otherwords/paraphrase_consistancy'. Did you mean: otherwords/paraphrase_consistency?"
    )
    nowhere = "otherwords/" + "z" * 40
    assert refusal(nowhere) == (
        f"unknown task '{nowhere}'. Known: otherwords/appworld, otherwords/paraphrase_consistency, "
        "otherwords/perturbation_stability."
    )
    assert refusal("otherword/zzz") == (
        "unknown package of Inspect tasks 'otherword'. Did you mean: otherwords?"
    )


def test_a_package_that_is_not_there_is_named_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    with pytest.raises(MissingDependencyError) as caught:
        resolve_task("cattle/sort")
    assert str(caught.value) == (
        "no installed package offers Inspect tasks as 'cattle/…' (installed: barn)\n"
        "Install it with: pip install cattle"
    )


def test_a_task_of_the_hub_is_refused() -> None:
    assert refusal("hf/somebody/data") == (
        "the task 'hf/somebody/data' lies on the Hugging Face Hub, which cannot be varied by name\n"
        "Write it down as a task in a .py file, and give that file."
    )


METADATA = """Metadata-Version: 2.1
Name: barn
Version: 1
Provides-Extra: cow-bench
Provides-Extra: hay
Requires-Dist: moo>=1; extra == "hay"
Requires-Dist: moo>=1; extra == "cow-bench"
Requires-Dist: straw; extra == "hay"
Requires-Dist: oats
"""
BARN = """
import sys
from inspect_ai import Task, task

@task
def cow_bench_mini(how: str = "fine"):
    if how == "moo": import moo.deep
    if how == "straw": import straw
    if how == "oats": import oats
    if how == "data": raise ValueError("the data are not there") from OSError("no net")
    if how == "silent": raise AssertionError
    if how == "other": return type("Pen", (), {})()
    return Task()
"""


class Barn(Distribution):
    def read_text(self, filename: str) -> str | None:
        return METADATA if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return Path(path)


def offer(monkeypatch: pytest.MonkeyPatch, name: str = "barn", module: str = "barn_tasks") -> None:
    """As if the distribution `barn` were installed and offered the tasks of `module`."""
    point = EntryPoint(name, module, "inspect_ai")
    vars(point)["dist"] = Barn()
    monkeypatch.setattr(resolve, "entry_points", lambda group: [point])


@pytest.fixture
def cows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    site = tmp_path / "site-packages"  # from here Inspect puts the package's name before the task's
    site.mkdir()
    (site / "barn_tasks.py").write_text(BARN)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "barn_tasks", raising=False)
    offer(monkeypatch, name="barn_tasks")
    return "barn_tasks/cow_bench_mini"


def test_a_packages_task_is_made_by_name(cows: str) -> None:
    assert registered_tasks() == [cows]
    assert resolve_task(cows, {"how": "well"}).name == cows


@pytest.mark.parametrize(
    ("package", "wanted"), [("moo", "barn[cow-bench]"), ("straw", "barn[hay]"), ("oats", "oats")]
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    cows: str, package: str, wanted: str
) -> None:
    assert refusal(cows, {"how": package}) == (
        f"task '{cows}' needs the Python package '{package}', which is not installed\n"
        f"Install it with: pip install '{wanted}'"
    )


def test_a_task_that_cannot_be_made_says_why_and_what_it_may_need(cows: str) -> None:
    hint = "\nWhat it needs beside its data: pip install 'barn[cow-bench]'"
    assert refusal(cows, {"how": "data"}) == (
        f"task '{cows}' could not be made: ValueError: the data are not there (OSError: no net){hint}"
    )
    assert refusal(cows, {"how": "silent"}) == f"task '{cows}' could not be made: AssertionError{hint}"
    assert refusal(cows, {"how": "other"}) == f"'{cows}' made no Inspect task but Pen"


def test_a_package_that_cannot_be_loaded_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, module="straw.tasks")
    assert refusal("barn/cows") == (
        "task 'barn/cows' needs the Python package 'straw', which is not installed\n"
        "Install it with: pip install 'barn[hay]'"
    )
    assert registered_tasks() == []
    assert refusal("cows") == "unknown task 'cows'. None are registered."
