"""The hand-written wordings that ship with otherwords: frozen, and for the scenarios they were made for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import otherwords.benchmarks as shipped
from otherwords.benchmarks import content_hash, scenario_hash, shipped_file, shipped_path, shipped_wordings
from otherwords.cli import main
from otherwords.core.contract import VOICES
from otherwords.core.errors import InputError
from otherwords.core.registry import is_wording, traits_of
from otherwords.core.types import Item
from otherwords.core.wording_names import wording_name


@pytest.fixture
def items(monkeypatch: pytest.MonkeyPatch) -> list[Item]:
    """Two items of the airline, with prompts for which the file has wordings."""
    file = shipped_file()
    made = [Item("0", "first scenario"), Item("1", "second scenario")]
    rows = {
        ("taubench_airline", item.id): {
            **file.rows["taubench_airline", item.id],
            "scenario": scenario_hash(item),
        }
        for item in made
    }
    monkeypatch.setattr(shipped, "shipped_file", lambda: replace(file, rows=rows))
    return made


def test_there_are_820_of_164_scenarios_in_five_voices() -> None:
    file = shipped_file()
    assert file.header["voices"] == list(VOICES)
    assert (len(file.of_benchmark("taubench_airline")), len(file.of_benchmark("taubench_retail"))) == (
        50,
        114,
    )
    texts = [one["text"] for row in file.rows.values() for one in row["wordings"].values()]
    assert len(texts) == len(set(texts)) == file.header["wordings"] == 820
    assert all(set(row["wordings"]) == set(VOICES) for row in file.rows.values())
    assert file.header["licence"] == "MIT"


def test_they_go_far_from_the_scenario_and_from_each_other() -> None:
    wordings = [one for row in shipped_file().rows.values() for one in row["wordings"].values()]
    mean = {key: sum(one[key] for one in wordings) / len(wordings) for key in ("words", "kept", "sibling")}
    assert mean["words"] >= 0.5
    assert mean["kept"] <= 0.85
    assert mean["sibling"] >= 0.5


def test_the_bytes_are_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _, rest = shipped_path().read_text("utf-8").partition("\n")
    assert json.loads(first)["content_hash"] == content_hash(rest)
    other = tmp_path / "taubench_wordings.jsonl"
    other.write_text(f"{first}\n{rest.replace('Emma Kim', 'Anna Kim', 1)}", encoding="utf-8")
    monkeypatch.setattr(shipped, "shipped_path", lambda: other)
    with pytest.raises(InputError) as caught:
        shipped_file.__wrapped__()
    assert str(caught.value) == (
        f"{other}: was changed after it was published\nInstall otherwords again to have it back."
    )


def test_each_voice_is_a_kind_of_its_own_accepted_by_a_person(items: list[Item]) -> None:
    found = shipped_wordings("taubench_airline", items)
    assert [one.variant.name for one in found.vetted] == ["orig", *VOICES] * 2
    assert all(one.variant.kind == one.variant.name for one in found.vetted)
    assert all(one.accepted for one in found.vetted)
    assert {one.decided_by for one in found.vetted if not one.variant.is_original} == {"person"}
    assert all(one.variant.distance is not None for one in found.vetted if not one.variant.is_original)
    assert found.refused == {}


def test_another_version_of_a_scenario_is_refused_and_the_others_run(items: list[Item]) -> None:
    changed = [items[0], replace(items[1], prompt="second scenario, edited"), Item("99", "new")]
    found = shipped_wordings("taubench_airline", changed)
    assert {one.variant.item_id for one in found.vetted} == {"0"}
    assert found.refused == {
        "1": "its prompt is not the one they were written for",
        "99": "no wording of it is shipped",
    }
    with pytest.raises(InputError) as caught:
        shipped_wordings("taubench_airline", changed[1:])
    assert str(caught.value) == (
        "item '1': the shipped wordings are for none of these items: "
        "its prompt is not the one they were written for"
    )


def test_a_benchmark_without_any_is_one_sentence() -> None:
    with pytest.raises(InputError) as caught:
        shipped_wordings("gaia", [Item("1", "x")])
    assert str(caught.value) == (
        "no wordings ship with otherwords for benchmark 'gaia'\n"
        "There are some for taubench_airline and taubench_retail. Make others with otherwords vary."
    )


def test_so_it_is_for_a_dataset_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": "1", "question": "What is 2 + 2?", "answer": "4"}\n', encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["run", str(file), "--variants", "shipped", "--model", "mockllm/model", "--dry-run"])
    assert end.value.code == 2
    assert "no wordings ship with otherwords for this task\n" in capsys.readouterr().err


def test_voices_have_names_for_people_and_advice() -> None:
    names = [wording_name(voice, voice) for voice in VOICES]
    assert names == ["terse note", "chatty", "formal", "non-native, by hand", "told out of order"]
    assert all(is_wording(voice) and "voice" in traits_of(voice).advice for voice in VOICES)
