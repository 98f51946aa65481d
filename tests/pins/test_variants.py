"""Variants files hold the very wordings that version 0.1 wrote for the same items, families and seeds."""

from __future__ import annotations

from pathlib import Path

import doors
import pytest
from pin_cases import WHOLE, WHOLE_FILE, made_variants, wording_of
from pin_data import MADE, lay_out, read_packed
from pin_runs import WORDINGS

pytestmark = pytest.mark.slow


def test_the_wordings_are_the_same(folder: Path) -> None:
    _, lines = made_variants(WHOLE)
    kept = read_packed(WHOLE_FILE).splitlines(keepends=True)
    found, before = ([wording_of(line) for line in part] for part in (lines, kept))
    changed = {one["item_id"] for one in before if one not in found} | {
        one["item_id"] for one in found if one not in before
    }
    assert changed == set()


def test_the_wordings_of_a_small_file_are_the_same(folder: Path) -> None:
    lay_out(folder)
    assert doors.command("vary", "questions.jsonl", "-o", "again.jsonl", *WORDINGS).code == 0
    kept, found = (
        [wording_of(line) for line in path.read_text("utf-8").splitlines()[1:]]
        for path in (MADE / "variants.jsonl", Path("again.jsonl"))
    )
    assert found == kept
