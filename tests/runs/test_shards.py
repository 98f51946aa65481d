"""Parts are the whole, in order; a run that was cut is cut the same way ever after."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.core.types import Item
from otherwords.runs.shards import CUT_FILE, Shard, cut, parse_shard, parts_of, require_cut


@given(count=st.integers(1, 500), parts=st.integers(1, 60))
def test_parts_in_order_are_the_whole_and_differ_by_one_item_at_most(count: int, parts: int) -> None:
    taken = [shard.take(range(count)) for shard in cut(["m"], parts)]
    assert [place for part in taken for place in part] == list(range(count))
    assert max(map(len, taken)) - min(map(len, taken)) <= 1


def test_each_shard_has_one_model_and_a_folder_of_its_own() -> None:
    shards = cut(["openai/gpt-4o", "agent/mine.py:answer"], 20)
    assert [shard.name for shard in shards[8:12]] == ["9/10", "10/10", "1/10", "2/10"]
    assert shards[8].folder("logs") == Path("logs/openai-gpt-4o/part-09-of-10")
    assert shards[10].folder("logs") == Path("logs/agent-mine.py-answer/part-01-of-10")
    assert len({shard.folder("logs") for shard in shards}) == 20


@pytest.mark.parametrize("text", ["3", "3/", "a/b", "3/4/5", "-1/4", ""])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_shard(text)
    expected = f"cannot read the shard '{text}'\nWrite it as --shard 3/40, for the third of forty."
    assert str(refused.value) == expected


@pytest.mark.parametrize("text", ["0/4", "5/4"])
def test_a_number_beyond_the_last_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"there is no shard '{text}': they are numbered from 1 to 4"):
        parse_shard(text)


def test_models_have_as_many_shards_each() -> None:
    with pytest.raises(InputError) as refused:
        cut(["a", "b", "c"], 40)
    assert str(refused.value) == (
        "40 shards cannot be shared out evenly among 3 models: each shard has one\n"
        "Ask for 39 or 42, or run one model at a time."
    )


def _items(count: int) -> list[Item]:
    return [Item(f"q{number}", f"What is {number}?", (), ("?",)) for number in range(count)]


def test_a_run_is_cut_the_same_way_ever_after(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    require_cut(folder, _items(8), 4)
    assert not folder.exists()
    assert parts_of(folder) is None
    require_cut(folder, _items(8), 4, write=True)
    require_cut(folder, _items(8), 4, write=True)
    assert parts_of(folder) == 4
    with pytest.raises(InputError) as refused:
        require_cut(folder, _items(8), 2)
    assert str(refused.value) == (
        f"{folder}: this run was cut into 4 parts for each model, and not into 2\n"
        f"Cut otherwise, what has finished would be asked again. To begin another run: --log-dir {folder}-2"
    )
    more = (
        f"{folder}: this run was cut from 8 items, and these are {{}}, or others\n"
        f"A run that is cut cannot get more items. To begin another run: --log-dir {folder}-2"
    )
    for others in (_items(9), _items(8)[::-1]):
        with pytest.raises(InputError) as refused:
            require_cut(folder, others, 4)
        assert str(refused.value) == more.format(len(others))


def test_there_are_no_empty_parts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^3 items cannot be cut into 4 parts"):
        require_cut(tmp_path, _items(3), 4)


def test_a_note_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / CUT_FILE).write_text("[]")
    with pytest.raises(InputError) as refused:
        require_cut(tmp_path, _items(8), 4)
    assert str(refused.value) == f"{tmp_path / CUT_FILE}: is not what a run that was cut into shards wrote"


def test_a_shard_names_its_part(tmp_path: Path) -> None:
    assert Shard("m", 3, 20).name == "3/20"
