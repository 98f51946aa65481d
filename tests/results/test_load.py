from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Vetted, original
from otherwords.results import READERS, Reader, Results, load_all_results, read_results
from otherwords.results.reader import outcomes_frame
from otherwords.results.tables import write_csv, write_parquet
from otherwords.variants.file import make_header, write_variants

ROW = {
    "task": "t",
    "model": "m",
    "id": "q1",
    "variant": "orig",
    "repeat": 1,
    "status": "scored",
    "score": 1.0,
    "log": "a.eval",
}


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        read_results("no/such/folder")
    assert str(caught.value) == "no/such/folder: there is no such file or folder"


def test_an_empty_folder_and_no_path_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_results(tmp_path)
    assert str(caught.value) == f"no results found in {tmp_path}"
    with pytest.raises(InputError) as caught:
        read_results([])
    assert str(caught.value) == "no results found in nothing"


def test_foreign_files_are_named_hidden_and_inspects_own_lists_are_not(tmp_path: Path) -> None:
    write_csv(outcomes_frame([ROW]), tmp_path / "outcomes.csv")
    for name in ("notes.txt", "data.json", "empty.eval", "logs.json", "eval-set.json", ".hidden"):
        (tmp_path / name).write_text("{}" if name.endswith("json") else "", encoding="utf-8")
    item = Item(id="q1", prompt="Who?", target=("me",))
    header = make_header([item], families=[], k=0, seed=0)
    write_variants(tmp_path / "variants.jsonl", [Vetted(original(item), ())], header=header)
    results = read_results(tmp_path)
    assert results.outcomes.height == 1
    assert [str(one) for one in results.skipped] == [
        f"{tmp_path / name}: is not a result file of a known kind"
        for name in ("data.json", "empty.eval", "notes.txt")
    ]
    with pytest.raises(InputError) as caught:
        read_results(tmp_path, strict=True)
    assert str(caught.value).splitlines()[0] == "3 of the files cannot be used"


def test_the_same_rows_in_two_files_count_once(tmp_path: Path) -> None:
    rows = outcomes_frame([ROW, {**ROW, "id": "q2"}])
    write_csv(rows, tmp_path / "outcomes.csv")
    write_parquet(rows, tmp_path / "outcomes.parquet")
    results = read_results(tmp_path)
    assert results.outcomes.height == 2
    assert [str(one) for one in results.skipped] == ["a.eval: 2 rows were read twice, kept once"]


def test_rows_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    other = {**ROW, "id": "q2"}
    write_csv(outcomes_frame([ROW, other]), tmp_path / "one.csv")
    changed = [{**ROW, "score": 0.0, "log": "b.eval"}, {**other, "score": 0.0, "log": "c.eval"}]
    write_csv(outcomes_frame(changed), tmp_path / "two.csv")
    with pytest.raises(InputError) as caught:
        read_results(tmp_path)
    assert str(caught.value) == (
        "item 'q1': variant 'orig', repeat 1 of task 't' with model 'm' has two different results, "
        "in a.eval and b.eval"
    )


def test_a_new_kind_of_file_is_one_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(READERS, "_things", dict(READERS))
    READERS.add(
        "shout",
        Reader(
            matches=lambda peek, options: peek.head.startswith(b"RIGHT!"),
            read=lambda files, options: Results(
                outcomes=outcomes_frame([{**ROW, "id": file.name} for file in files])
            ),
        ),
    )
    (tmp_path / "q9.txt").write_text("RIGHT!", encoding="utf-8")
    assert load_all_results([tmp_path / "q9.txt"])["id"].to_list() == ["q9.txt"]


@pytest.mark.slow
def test_reading_does_not_import_inspect() -> None:
    code = "import sys, otherwords.results.aggregate; sys.exit('inspect_ai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
