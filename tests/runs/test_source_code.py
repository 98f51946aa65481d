from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otherwords.runs.source_code import (
    callable_fingerprint,
    folder_sources,
    function_sources,
    package_version,
    source_files,
    source_fingerprint,
    task_sources,
)


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def test_a_task_counts_by_its_files_and_arguments(tmp_path: Path) -> None:
    file = tmp_path / "quiz.py"
    file.write_text("import words\n")
    (tmp_path / "words.py").write_text("A = 1\n")
    first = task_sources(f"{file}@one", {"n": 1})
    assert set(first) == {"quiz.py", "words.py", "-T n"}
    assert task_sources(str(file), {"n": 1}) == first
    assert changed(first, task_sources(str(file), {"n": 2})) == {"-T n"}
    (tmp_path / "words.py").write_text("A = 2\n")
    assert changed(first, task_sources(str(file), {"n": 1})) == {"words.py"}


def test_a_packages_task_counts_by_its_version() -> None:
    assert task_sources("inspect_evals/gsm8k", {"fewshot": 0}).keys() == {"inspect_evals", "-T fewshot"}
    assert task_sources("inspect_ai/x", {}) == {"inspect_ai": package_version("inspect_ai")}
    assert task_sources("registered_here", {}) == {}


def test_an_agents_folder_counts_by_its_code_and_prompts(tmp_path: Path) -> None:
    for name in (
        "main.py",
        "prompts/system.md",
        "settings.yaml",
        "weights.bin",
        ".git/config.txt",
        "log.json",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one")
    before = folder_sources(tmp_path, leave_out={".git"})
    assert set(before) == {"main.py", "prompts/system.md", "settings.yaml"}
    (tmp_path / "prompts" / "system.md").write_text("two")
    assert changed(before, folder_sources(tmp_path, leave_out={".git"})) == {"prompts/system.md"}


# ---- functions

AGENT = """
import helper_of_mine
calls = 0
LIMIT = 3

def say(text):
    return text + "!"

class Polite:
    word = "please"

def answer(prompt, tries=2, seen=[]):
    global calls
    calls += 1
    seen.append(prompt)
    return say(prompt * LIMIT) + Polite.word + helper_of_mine.word() + str(tries)

def unused():
    return 1

def closing(most):
    asked = []
    def answer(prompt):
        asked.append(prompt)
        return say(prompt) * most
    return answer

class Called:
    def __init__(self):
        self.calls = 0
    def __call__(self, prompt):
        self.calls += 1
        return "Paris"
"""
HELPER = "def word():\n    return 'Rome'\n"


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The module of an agent whose text, or whose helper's text, has been changed in one place."""
    monkeypatch.syspath_prepend(tmp_path)

    def load(old: str = "", new: str = "") -> Any:
        import linecache
        import sys

        assert old in AGENT + HELPER
        for name, text in (("agent_of_mine", AGENT), ("helper_of_mine", HELPER)):
            (tmp_path / f"{name}.py").write_text(text.replace(old, new) if old else text)
            monkeypatch.delitem(sys.modules, name, raising=False)
        linecache.clearcache()
        importlib.invalidate_caches()
        return importlib.import_module("agent_of_mine")

    monkeypatch.setattr("sys.dont_write_bytecode", True)
    return load


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("str(tries)", "str(tries + 1)", True),
        ('text + "!"', 'text + "?"', True),
        ("LIMIT = 3", "LIMIT = 4", True),
        ('word = "please"', 'word = "now"', True),
        ("tries=2", "tries=1", True),
        ("return 'Rome'", "return 'Oslo'", True),
        ("return 1", "return 2", False),
        ("calls = 0\nLIMIT", "calls = 7\nLIMIT", False),
    ],
)
def test_a_function_counts_with_all_that_it_calls(
    agent: Callable[..., Any], old: str, new: str, counts: bool
) -> None:
    before = function_sources(agent().answer)
    assert set(before) == {"answer()"}
    assert (function_sources(agent(old, new).answer) != before) is counts


def test_what_an_agent_holds_may_change_as_it_runs(agent: Callable[..., Any]) -> None:
    made = agent()
    called = made.Called()
    closed = made.closing(2)
    before = [function_sources(one) for one in (made.answer, closed, called)]
    for one in (made.answer, closed, called):
        one("Who?")
    assert [function_sources(one) for one in (made.answer, closed, called)] == before
    assert function_sources(made.closing(3)) != before[1]
    other = agent('return "Paris"', 'return "Rome"')
    assert function_sources(other.Called()) != before[2]


# ---- source files


@pytest.mark.parametrize(
    ("importing", "file"),
    [
        ("import words", "words.py"),
        ("import pack.words", "pack/words.py"),
        ("import pack.words", "pack/__init__.py"),
        ("from pack import words", "pack/words.py"),
        ("from pack.words import CITY", "pack/words.py"),
        ("from words import CITY as HERE", "words.py"),
        ("def f():\n    import words", "words.py"),
        ("import first", "words.py"),
        ("from pack import inner", "pack/words.py"),
        ("from pack.inner import CITY", "pack/words.py"),
    ],
)
def test_what_the_file_imports_from_its_folder_counts(importing: str, file: str, tmp_path: Path) -> None:
    for name, source in {
        "mine.py": importing,
        "words.py": "CITY = 1",
        "first.py": "import second",
        "second.py": "import words\nimport first",
        "pack/__init__.py": "",
        "pack/words.py": "CITY = 1",
        "pack/inner.py": "from .words import CITY\nfrom .. import nothing_above\nfrom . import gone",
        "other.py": "CITY = 1",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source + "\n", encoding="utf-8")
    before = source_files(tmp_path / "mine.py")
    (tmp_path / "other.py").write_text("CITY = 2\n", encoding="utf-8")
    assert source_files(tmp_path / "mine.py") == before
    (tmp_path / file).write_text("CITY = 2\n", encoding="utf-8")
    assert changed(before, source_files(tmp_path / "mine.py")) == {file}


def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text("import words\n", encoding="utf-8")
        (tmp_path / name / "words.py").write_text("", encoding="utf-8")
    here, there = (callable_fingerprint(f"{tmp_path / name}/mine.py:answer") for name in ("here", "there"))
    assert here == there
    assert here != callable_fingerprint(f"{tmp_path}/here/mine.py:other")


def test_a_module_in_a_package_sees_the_packages_other_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "a_package_of_agents" / "inner"
    folder.mkdir(parents=True)
    (folder.parent / "words.py").write_text("CITY = 1\n", encoding="utf-8")
    (folder / "mine.py").write_text("from a_package_of_agents.words import CITY\n", encoding="utf-8")
    before = callable_fingerprint("a_package_of_agents.inner.mine:answer")
    (folder.parent / "words.py").write_text("CITY = 2\n", encoding="utf-8")
    assert callable_fingerprint("a_package_of_agents.inner.mine:answer") != before


def test_a_module_without_source_is_known_by_its_name() -> None:
    assert callable_fingerprint("math:sqrt") != callable_fingerprint("math:floor")
    assert callable_fingerprint("os.path:basename") == callable_fingerprint("os.path:basename")


def test_a_file_that_is_no_python_still_has_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def (", encoding="utf-8")
    before = source_fingerprint(tmp_path / "mine.py")
    (tmp_path / "mine.py").write_text("def )", encoding="utf-8")
    assert source_fingerprint(tmp_path / "mine.py") != before
