from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from otherwords import freeze, read_variants
from otherwords.core.errors import InputError
from otherwords.items import load_for_audit, load_items

ROWS = [
    {"id": "q1", "question": "What is the capital of France?", "choices": ["Oslo", "Paris"], "answer": 1},
    {"id": "q2", "question": "What is the capital of Norway?", "choices": ["Oslo", "Rome"], "answer": 0},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    frame = pl.DataFrame(rows)
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.name.startswith("stream"):
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather", "a.ipc", "stream.arrow"])
def test_items_from_columns(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, ROWS)
    items = load_items(path)
    assert [(item.id, item.choices, item.target) for item in items] == [
        ("q1", ("Oslo", "Paris"), 1),
        ("q2", ("Oslo", "Rome"), 0),
    ]
    assert [item.id for item in load_items(path, max_items=1)] == ["q1"]
    assert [item.id for item in load_for_audit(path)] == ["q1", "q2"]


def test_short_answers_nulls_and_times(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "question": ["2 + 2?", "3 + 3?"],
            "answers": [["4", "four"], ["6"]],
            "source": ["book", None],
            "asked": pl.Series(["2026-01-02", "2026-01-03"]).str.to_date(),
        }
    )
    frame.write_parquet(tmp_path / "sums.parquet")
    first, second = load_items(tmp_path / "sums.parquet")
    assert (first.target, first.metadata) == (("4", "four"), {"source": "book", "asked": "2026-01-02"})
    assert (second.target, second.metadata) == (("6",), {"asked": "2026-01-03"})


def test_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"question": ["?"], "answer": ["x"], "image": [b"\x00"]}).write_parquet(path)
    with pytest.raises(InputError) as caught:
        load_items(path)
    assert str(caught.value) == (
        f"{path}: the column 'image' holds Binary, which no item can have\nWrite the file without it."
    )


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_damaged_file_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, ROWS)
    path.write_bytes(path.read_bytes()[:40])
    kind = "Parquet" if name.endswith("parquet") else "Arrow"
    with pytest.raises(InputError) as caught:
        load_items(path)
    assert str(caught.value).startswith(f"{path}: is damaged, or no {kind} file: ")
    assert "\n" not in str(caught.value)


def test_a_file_that_claims_too_many_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherwords.items.tables.MOST_ROWS", 1)
    path = write(tmp_path / "a.parquet", ROWS)
    with pytest.raises(InputError) as caught:
        load_items(path)
    assert str(caught.value) == f"{path}: is refused: it claims to hold 2 rows"


def test_vary_takes_them(tmp_path: Path) -> None:
    path = write(tmp_path / "capitals.arrow", ROWS)
    freeze(path, tmp_path / "out.jsonl")
    assert {one.variant.item_id for one in read_variants(tmp_path / "out.jsonl").vetted} == {"q1", "q2"}
