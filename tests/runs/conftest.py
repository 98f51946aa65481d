"""Databases of tau2 cut to what its first tasks need; and `outcome_runs` can be imported by name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def small_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of tau2's airline and shop, what the first three tasks name and all that it refers to.

    Inspect copies, compares and logs the database with each sample: megabytes, which take seconds each time.
    """
    db = pytest.importorskip("inspect_evals.tau2.environment.db")
    whole = db.load_file
    monkeypatch.setattr(db, "load_file", lambda path: json.loads(_cut(path, whole)))


@cache
def _cut(path: str, load: Callable[[str], dict[str, Any]]) -> str:
    tables, folder = load(path), Path(path).parent
    if folder.name not in ("airline", "retail"):
        return json.dumps(tables)
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    kept, named = {}, json.dumps(tasks[:3])
    for _ in tables:  # a customer names reservations, which name flights
        kept = {
            table: {key: row for key, row in rows.items() if key in named} for table, rows in tables.items()
        }
        named += json.dumps(kept)
    assert all(kept.values())
    return json.dumps(kept)
