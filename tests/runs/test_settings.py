from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest
from inspect_ai.solver import SolverSpec

from otherwords.runs import settings
from otherwords.runs.settings import RunSettings, callable_fingerprint, source_fingerprint


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
    before = source_fingerprint(tmp_path / "mine.py")
    (tmp_path / "other.py").write_text("CITY = 2\n", encoding="utf-8")
    assert source_fingerprint(tmp_path / "mine.py") == before
    (tmp_path / file).write_text("CITY = 2\n", encoding="utf-8")
    assert source_fingerprint(tmp_path / "mine.py") != before


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


def test_a_solvers_file_counts_by_its_name_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(solver: str) -> str:
        return RunSettings(solver=SolverSpec(solver, {}, {})).hash

    assert hashed("/here/mine.py@ask") == hashed("/there/mine.py@ask") != hashed("/here/mine.py@other")
    monkeypatch.setattr(settings, "PurePath", PureWindowsPath)
    assert hashed(r"C:\here\mine.py@ask") == hashed(r"D:\mine.py@ask") == hashed("/here/mine.py@ask")
