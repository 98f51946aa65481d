"""A public report, searched in every file for what was planted in the private one."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.core.verdict import ItemEvidence, UnscoredReason
from otherwords.publish.redact import public_report
from otherwords.publish.search import parts_of
from otherwords.report import write_report
from otherwords.report.figures import draw_all
from otherwords.report.tables import report_json
from otherwords.report.write import page_files

SALT = b"a salt of thirty-two bytes, here"
PLANTED = "PLANTED-7f3a"


def planted(data: Any) -> Any:
    """Every text that may come from the set or from a model has the mark in it."""
    marked = [
        pl.format(f"{PLANTED} {{}} {name}", name).alias(name)
        for name in ("id", "prompt", "target", "answer", "log")
    ]

    def mark(frame: pl.DataFrame) -> pl.DataFrame:
        here = [one for one in marked if one.meta.output_name() in frame.columns]
        return frame.with_columns(here)

    variants = {"para1": f"{PLANTED} of a reader", "orig": "orig"}
    wordings = mark(data.wordings).with_columns(
        choices=pl.col("choices").list.eval(pl.format(f"{PLANTED}{{}}", pl.element())),
        variant=pl.col("variant").replace(variants),
        change=pl.format(f"{PLANTED} {{}}", "change"),
    )
    estimates = {
        name: replace(one, reason=f"{PLANTED} item-001 id is odd")
        for name, one in data.agents[0].estimates.items()
    }
    agent = data.agents[0]
    change = replace(agent.verdict.changes[0], kind=f"{PLANTED} kind", change=f"{PLANTED} of a reader")
    told = replace(
        agent.verdict,
        sentence=f"Rewording costs it 9 points under the change '{change.name}'; n = 12 items.",
        changes=(change,),
        worst=change,
        items=(ItemEvidence(f"{PLANTED} item-001 id", 0.9, 0.01),),
        unscored=replace(
            agent.verdict.unscored,
            reasons=(
                UnscoredReason("provider_error", f"{PLANTED} text", 3, f"{PLANTED} item-001", "try again"),
            ),
        ),
    )
    return replace(
        data,
        agents=(replace(agent, estimates=estimates, verdict=told), *data.agents[1:]),
        items=mark(data.items),
        cells=mark(data.cells).with_columns(variant=pl.col("variant").replace(variants)),
        kinds=data.kinds.with_columns(change=pl.format(f"{PLANTED} {{}}", "change")),
        wordings=wordings,
        samples=mark(data.samples).with_columns(
            pl.lit(PLANTED).alias("answer"),
            pl.lit(PLANTED).alias("reason"),
            pl.lit(PLANTED).alias("log"),
            pl.lit(PLANTED).alias("tools"),
            pl.lit(PLANTED).alias("parting"),
            variant=pl.col("variant").replace(variants),
        ),
        provenance=replace(data.provenance, families=((PLANTED, 2),), files=(PLANTED,)),
        baseline_name=PLANTED,
        skipped=tuple(replace(one, file=PLANTED, reason=PLANTED) for one in data.skipped),
        history=tuple(replace(one, label=f"{PLANTED} {one.label}") for one in data.history),
        notes=(),
    )


def every_text(path: Path) -> str:
    """A file's texts, what is compressed in it too."""
    return "\n".join(part.text for part in parts_of(path.read_bytes()))


@pytest.mark.slow
def test_nothing_that_was_planted_is_in_any_file(build: Any, in_runs: Any, tmp_path: Path) -> None:
    private = planted(in_runs(build(2, 12)))
    write_report(private, tmp_path / "private")
    assert all(
        PLANTED in every_text(tmp_path / "private" / name)
        for name in ("index.html", "sensitivity_report.md", "task_level_sensitivity.csv")
    )
    public = public_report(private, SALT)
    written = write_report(public, tmp_path / "public")
    pictures = [path for path in written if path.suffix == ".png"]
    for path in written:
        if path not in pictures:
            assert PLANTED not in every_text(path), path.name
    # A picture is nothing but its drawing.
    drawings = draw_all(public)
    assert {path.stem for path in pictures} < {drawing.name for drawing in drawings}
    assert not [drawing.name for drawing in drawings if PLANTED in drawing.svg + drawing.table.write_csv()]
    assert PLANTED not in report_json(public)
    assert PLANTED not in repr(public)


def test_the_numbers_stay(build: Any) -> None:
    private = build(2, 12)
    public = public_report(private, SALT)
    for before, after in zip(private.agents, public.agents, strict=True):
        assert {name: one.value for name, one in before.estimates.items()} == {
            name: one.value for name, one in after.estimates.items()
        }
        old, new = private.items_of(before), public.items_of(after)
        assert sorted(old["variance"]) == sorted(new["variance"])
        assert new["id"].n_unique() == 12
    assert public.cells["score"].sum() == private.cells["score"].sum()


def test_names_of_our_own_variants_stay_and_others_are_hashed(build: Any) -> None:
    private = build(1, 3)
    odd = private.cells.with_columns(pl.col("variant").replace({"para1": "What is the capital of Kenya?"}))
    public = public_report(replace(private, cells=odd, wordings=pl.DataFrame()), SALT)
    names = public.variants_of("capitals")
    assert {"orig", "para2", "pert:punct", "pert:order_rev"} <= set(names)
    assert [name for name in names if re.fullmatch(r"variant-[0-9a-f]{16}", name)]


def test_the_same_salt_gives_the_same_names_and_another_gives_others(build: Any) -> None:
    data = build(1, 5)
    first, again, other = (public_report(data, salt).items["id"] for salt in (SALT, SALT, b"x" * 32))
    assert first.to_list() == again.to_list()
    assert not set(first) & set(other)
    assert all(re.fullmatch(r"item-[0-9a-f]{16}", name) for name in first)


def test_the_order_of_the_items_tells_nothing(build: Any) -> None:
    """Were they left in the order of their ids, a list of known ids would name them."""
    public = public_report(build(1, 30), SALT)
    assert public.items["id"].to_list() == sorted(public.items["id"])
    assert public.cells["id"].to_list() == sorted(public.cells["id"])
    assert public.wordings["id"].to_list() == sorted(public.wordings["id"])


@pytest.mark.slow
def test_what_an_earlier_report_left_is_removed(build: Any, tmp_path: Path, monkeypatch: Any) -> None:
    data = planted(build(1, 12))
    little_room = functools.partial(page_files, text_budget=100)
    monkeypatch.setattr("otherwords.report.write.page_files", little_room)
    write_report(data, tmp_path / "report")
    assert (tmp_path / "report" / "texts-1.js").exists()
    (tmp_path / "report" / "mine.txt").write_text("kept")
    monkeypatch.undo()
    write_report(public_report(data, SALT), tmp_path / "report")
    assert not (tmp_path / "report" / "texts-1.js").exists()
    assert (tmp_path / "report" / "mine.txt").read_text() == "kept"


def test_a_short_salt_is_refused(build: Any) -> None:
    with pytest.raises(InputError) as caught:
        public_report(build(1, 2), b"short")
    assert str(caught.value) == "the salt has 5 bytes, which could be guessed; it takes 16"
