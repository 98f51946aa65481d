"""The python blocks of docs/results.md, one after the other, print the text blocks that follow them."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.table import OUTCOME_COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)


def test_the_examples_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == PAGE.count("```python")
    names: dict[str, Any] = {}
    for code, expected in examples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "results.md", "exec"), names)
        assert out.getvalue() == expected


def test_every_column_is_explained() -> None:
    table = PAGE.split("## The columns")[1].split("##")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", " ".join(cells))) == set(OUTCOME_COLUMNS)
