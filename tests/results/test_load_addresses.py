from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
from inspect_ai import eval as inspect_eval
from polars.testing import assert_frame_equal

from otherwords.core.errors import InputError
from otherwords.core.table import with_outcomes
from otherwords.core.types import Item, original
from otherwords.results import load_all_results, read_results
from otherwords.results import reader as reader_module
from otherwords.results.reader import outcomes_frame
from otherwords.results.tables import write_csv, write_parquet
from otherwords.runs import build_task

ROW = {
    "task": "t",
    "model": "m",
    "id": "q1",
    "variant": "orig",
    "kind": "orig",
    "repeat": 1,
    "status": "scored",
}
ROWS = [{**ROW, "score": 1.0, "log": "a.eval"}, {**ROW, "id": "q2", "score": 0.0, "log": "a.eval"}]
ITEMS = [Item(id=f"q{n}", prompt=f"question {n}?", target=("Paris",)) for n in range(3)]


@pytest.fixture
def bucket() -> str:
    """The address of a folder that no other test has."""
    return f"memory://{uuid.uuid4().hex}"


@pytest.fixture
def logs(scripted: Callable[[str, Callable[[str], str]], str], tmp_path: Path) -> Path:
    task = build_task("capitals", ITEMS, [original(item) for item in ITEMS])
    model = scripted("paris", lambda prompt: "Paris")
    for log_format, heat in (("eval", 0), ("json", 1)):
        folder = str(tmp_path / "logs")
        inspect_eval(
            task, model=model, temperature=heat, log_dir=folder, log_format=log_format, display="none"
        )
    return tmp_path / "logs"


def put(address: str, content: bytes) -> None:
    with fsspec.open(address, "wb") as file:
        file.write(content)


@pytest.mark.slow
def test_logs_at_an_address_read_as_they_do_here(logs: Path, bucket: str) -> None:
    for path in logs.iterdir():
        put(f"{bucket}/deep/down/{path.name}", path.read_bytes())
    put(f"{bucket}/deep/notes.txt", b"hello")
    put(f"{bucket}/deep/.hidden", b"hello")
    put(f"{bucket}/deep/logs.json", b"{}")
    here, there = read_results(logs), read_results(bucket)
    assert_frame_equal(there.outcomes.drop("log"), here.outcomes.drop("log"))
    assert_frame_equal(there.wordings, here.wordings)
    assert set(there.outcomes["log"]) == {f"{bucket}/deep/down/{path.name}" for path in logs.iterdir()}
    assert [str(one) for one in there.skipped] == [
        f"{bucket}/deep/notes.txt: is not a result file of a known kind"
    ]


@pytest.mark.slow
def test_one_file_at_an_address(logs: Path, bucket: str) -> None:
    (path,) = logs.glob("*.eval")
    put(f"{bucket}/one.eval", path.read_bytes())
    assert load_all_results(f"{bucket}/one.eval").height == 3
    assert load_all_results(path.as_uri()).height == 3
    assert load_all_results(f"simplecache::{bucket}/one.eval").height == 3


def test_tables_at_an_address(bucket: str, tmp_path: Path) -> None:
    table = with_outcomes(outcomes_frame(ROWS))
    for write, name in ((write_csv, "a.csv"), (write_parquet, "a.parquet")):
        put(f"{bucket}/{name}", write(table, tmp_path / name).read_bytes())
        assert_frame_equal(load_all_results(f"{bucket}/{name}"), table)


def test_an_address_and_a_folder_together(bucket: str, tmp_path: Path) -> None:
    put(f"{bucket}/a.csv", write_csv(outcomes_frame(ROWS[:1]), tmp_path / "x" / "a.csv").read_bytes())
    write_csv(outcomes_frame(ROWS[1:]), tmp_path / "here" / "b.csv")
    assert load_all_results([bucket, tmp_path / "here"])["id"].to_list() == ["q1", "q2"]


def test_an_address_that_was_made_a_path(bucket: str, tmp_path: Path) -> None:
    put(f"{bucket}/a.csv", write_csv(outcomes_frame(ROWS), tmp_path / "a.csv").read_bytes())
    assert set(load_all_results(Path(bucket))["id"]) == {"q1", "q2"}


def test_an_address_that_is_not_there(bucket: str) -> None:
    with pytest.raises(InputError) as caught:
        read_results(f"{bucket}/none")
    assert str(caught.value) == f"{bucket}/none: there is no such file or folder"


def test_a_protocol_that_nobody_knows() -> None:
    with pytest.raises(InputError) as caught:
        read_results("gopher://logs")
    assert str(caught.value).startswith("gopher://logs: cannot be reached: ")


class Refused(Exception):
    """What a storage library raises; nobody knows it beforehand."""


def test_refused_credentials_are_one_message(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise Refused("no credentials")

    put(f"{bucket}/a.csv", b"id,variant,score\n1,orig,1\n")
    memory = type(fsspec.filesystem("memory"))
    monkeypatch.setattr(memory, "open", refuse)
    with pytest.raises(InputError) as caught:
        read_results(bucket)
    reason = "cannot be opened: Refused: no credentials"
    assert str(caught.value) == f"no results found in {bucket}\n{bucket}/a.csv: {reason}"
    monkeypatch.setattr(memory, "isfile", refuse)
    with pytest.raises(InputError) as caught:
        read_results(bucket)
    assert str(caught.value) == f"{bucket}: cannot be reached: no credentials"


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = write_csv(outcomes_frame(ROWS), tmp_path / "a.csv")
    results = read_results([path, tmp_path, str(path)])
    assert results.outcomes.height == 2
    assert results.skipped == ()


def test_a_file_too_large_for_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(outcomes_frame(ROWS), tmp_path / "a.csv")
    size = path.stat().st_size
    monkeypatch.setattr(reader_module, "LARGEST", 100)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == (
        f"no results found in {path}\n{path}: is too large to be read at once ({size:,} bytes of 100)"
    )


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(outcomes_frame(ROWS), tmp_path / "a.csv")

    def refuse(self: Path, mode: str = "r") -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == f"no results found in {path}\n{path}: cannot be opened: Permission denied"


def test_utf_16_is_told(tmp_path: Path) -> None:
    path = tmp_path / "excel.csv"
    path.write_text("id,variant,score\nq,orig,1\n", encoding="utf-16")
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == f"no results found in {path}\n{path}: is UTF-16 text; save it as UTF-8"
