"""Variants files hold the very wordings that version 0.1 wrote, but for families that were written anew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import doors
import pytest
from pin_cases import FAMILIES, WHOLE, WHOLE_FILE, made_variants, wording_of
from pin_data import MADE, lay_out, read_packed
from pin_runs import WORDINGS
from since_0_1 import DRAWN_ANEW, REWORDED_ANEW

pytestmark = pytest.mark.slow


def test_the_wordings_of_families_that_have_not_changed_are_the_same(folder: Path) -> None:
    _, lines = made_variants(WHOLE, [name for name in FAMILIES if name not in REWORDED_ANEW])
    kept = read_packed(WHOLE_FILE).splitlines(keepends=True)
    found, before = (_by_id(part) for part in (lines, kept))
    both = found.keys() & before.keys()
    assert {name for name in both if found[name] != before[name]} == set()
    assert both == before.keys()


def test_a_small_file_has_other_paraphrases_and_all_else_as_it_was(folder: Path) -> None:
    lay_out(folder)
    assert doors.command("vary", "questions.jsonl", "-o", "again.jsonl", *WORDINGS).code == 0
    kept, found = (
        _by_id(path.read_text("utf-8").splitlines()[1:])
        for path in (MADE / "variants.jsonl", Path("again.jsonl"))
    )
    assert {name: one for name, one in found.items() if name in kept} == {
        name: one for name, one in kept.items() if name in found
    }
    assert [name for name in found if name.endswith("#orig")] == [
        name for name in kept if name.endswith("#orig")
    ]


def _by_id(lines: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The wordings of families that make the same as in 0.1, by their ids."""
    wordings = map(wording_of, lines)
    same = (one for one in wordings if one["kind"] not in REWORDED_ANEW)
    return {one["id"]: one for one in same if not one["id"].endswith(DRAWN_ANEW)}
