from __future__ import annotations

from pathlib import PureWindowsPath

import pytest
from inspect_ai.solver import SolverSpec

from otherwords.runs import settings
from otherwords.runs.settings import RunSettings


def test_a_solvers_file_counts_by_its_name_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(solver: str) -> str:
        return RunSettings(solver=SolverSpec(solver, {}, {})).hash

    assert hashed("/here/mine.py@ask") == hashed("/there/mine.py@ask") != hashed("/here/mine.py@other")
    monkeypatch.setattr(settings, "PurePath", PureWindowsPath)
    assert hashed(r"C:\here\mine.py@ask") == hashed(r"D:\mine.py@ask") == hashed("/here/mine.py@ask")
