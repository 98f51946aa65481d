"""A public report, searched in every file for what was planted in the private table that it is of."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.pipeline.write_report import write_report
from otherwords.publish.file_parts import parts_of
from otherwords.report import ReportData
from otherwords.report.figures import draw_all
from otherwords.report.tables import report_json

PLANTED = "PLANTED-7f3a"


def private_table(mark: str = PLANTED) -> pl.DataFrame:
    """Every text that may come from the set, from a model or from a machine has the mark in it."""
    rows = []
    for model in (f"/home/{mark}/one.gguf", f"host-{mark}/two"):
        for item in range(12):
            for place, variant in enumerate(("orig", "para1", "pert:punct", f"{mark} of a reader")):
                right = (item + place + len(model)) % 3 > 0
                for repeat in (1, 2):
                    missing = item == 3 and place == 2
                    rows.append(
                        {
                            "task": f"/data/{mark}/capitals",
                            "model": model,
                            "id": f"{mark} item-{item:03}",
                            "variant": variant,
                            "kind": ("orig", "paraphrase", "format", f"{mark} kind")[place],
                            "change": ("", "what-which", "punct", f"{mark} change")[place],
                            "repeat": repeat,
                            "status": "error" if missing else "scored",
                            "outcome": "provider_error" if missing else "answered",
                            "score": None if missing else float(right),
                            "answer": None if missing else f"{mark} {right}",
                            "reason": f"{mark}Error('x')" if missing else None,
                            "response": mark,
                            "tool_calls": mark,
                            "scorer": f"{mark}_scorer",
                            "tokens": 10 + item,
                            "seconds": 1.5,
                            "log": f"/home/{mark}/a.eval",
                            f"{mark}_column": mark,
                        }
                    )
    return pl.DataFrame(rows)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "logs" / f"{PLANTED}.parquet"
    path.parent.mkdir()
    private_table().write_parquet(path)
    return path


def every_text(path: Path) -> str:
    """A file's texts, what is compressed in it too."""
    return "\n".join(part.text for part in parts_of(path.read_bytes()))


@pytest.mark.slow
def test_nothing_that_was_planted_is_in_any_file(table: Path, tmp_path: Path) -> None:
    salt = tmp_path / "salt"
    write_report(table, tmp_path / "private", baseline=table)
    assert all(
        PLANTED in every_text(tmp_path / "private" / name)
        for name in ("index.html", "sensitivity_report.md", "task_level_sensitivity.csv")
    )
    data, written = write_report(
        table, tmp_path / "public", public=True, salt_file=salt, latex=True, baseline=table
    )
    assert {"index.html", "tables.tex"} < {path.name for path in written}
    pictures = [path for path in written if path.suffix == ".png"]
    for path in written:
        if path not in pictures:
            assert PLANTED not in every_text(path), path.name
    # A picture is nothing but its drawing.
    drawings = draw_all(data)
    assert {path.stem for path in pictures} <= {drawing.name for drawing in drawings}
    assert not [drawing.name for drawing in drawings if PLANTED in drawing.svg + drawing.table.write_csv()]
    assert PLANTED not in report_json(data)
    assert PLANTED not in repr(data)
    for name in ("tool_calls", "logged", "host-", "/home", "/data"):
        assert name not in report_json(data).replace("tool_calls_", ""), name


def numbers(data: ReportData) -> list[dict[str, float | None]]:
    def of(estimates: dict[str, Estimate]) -> dict[str, float | None]:
        """Without Fleiss' kappa, which needs to know which items share an answer."""
        return {
            name: one.value and round(one.value, 9)
            for name, one in estimates.items()
            if name != "fleiss_kappa"
        }

    return [of(dict(agent.estimates)) for agent in data.agents]


def test_the_numbers_stay(table: Path, tmp_path: Path) -> None:
    private, _ = write_report(table, None)
    public, _ = write_report(table, None, public=True, salt_file=tmp_path / "salt")
    assert numbers(public) == numbers(private)
    assert public.public
    assert private.provenance is not None
    assert public.provenance is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", private.provenance.made)
    assert public.provenance.made == private.provenance.made[:10]
    assert [agent.model for agent in public.agents] == ["one.gguf", "two"]
    assert {agent.task for agent in public.agents} == {"capitals"}
    assert public.items["id"].n_unique() == 12
    assert all(re.fullmatch(r"item-[0-9a-f]{16}", name) for name in public.items["id"])
    assert public.wordings.is_empty()
    assert sorted(private.items["variance"]) == sorted(public.items["variance"])


def test_the_same_salt_gives_the_same_names_and_another_gives_others(table: Path, tmp_path: Path) -> None:
    def ids(salt: str) -> set[str]:
        data, _ = write_report(table, None, public=True, salt_file=tmp_path / salt)
        return set(data.items["id"])

    assert ids("a") == ids("a")
    assert not ids("a") & ids("b")


def test_a_private_report_is_not_made_public_in_its_own_folder(table: Path, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "texts-1.js").write_text("private")
    with pytest.raises(InputError) as caught:
        write_report(table, tmp_path / "report", public=True, salt_file=tmp_path / "salt")
    assert str(caught.value) == (
        f"{tmp_path / 'report'}: a public folder must be new or empty, and was not written by --public: "
        "texts-1.js\nChoose another folder, or move that file away."
    )


def test_a_short_salt_is_refused(table: Path, tmp_path: Path) -> None:
    (tmp_path / "salt").write_text("short")
    with pytest.raises(InputError) as caught:
        write_report(table, None, public=True, salt_file=tmp_path / "salt")
    assert caught.value.problem == "the salt has 5 bytes, which could be guessed; it takes 16"
