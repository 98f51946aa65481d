"""Variants files hold the very bytes that version 0.1 wrote for the same items, families and seeds."""

from __future__ import annotations

from pathlib import Path

import doors
import pytest
from pin_cases import WHOLE, WHOLE_FILE, made_variants, variant_runs, variants_pin
from pin_data import MADE, lay_out, load, read_packed
from pin_runs import WORDINGS

pytestmark = pytest.mark.slow

MAY_CHANGE = ("version", "otherwords")
"""In the header: the format's version, and the package's if it is ever written there."""


@pytest.mark.parametrize("name", variant_runs())
def test_the_lines_are_the_same(name: str, folder: Path) -> None:
    expected = load("variants")[name]
    header, lines = made_variants(name)
    if name == WHOLE:
        kept = read_packed(WHOLE_FILE).splitlines(keepends=True)
        for line, before in zip(lines, kept, strict=False):
            assert line == before
    found = variants_pin(header, lines)
    changed = [item for item, part in expected["items"].items() if found["items"].get(item) != part]
    assert not changed, f"{len(changed)} items have other variants than in 0.1: {changed[:10]}"
    assert (found["lines"], found["sha256"]) == (expected["lines"], expected["sha256"])
    assert set(expected["header"]) <= set(header)
    for key, value in expected["header"].items():
        if key not in MAY_CHANGE:
            assert header[key] == value, key


def test_the_lines_of_a_small_file_are_the_same(folder: Path) -> None:
    lay_out(folder)
    assert doors.command("vary", "questions.jsonl", "-o", "again.jsonl", *WORDINGS).code == 0
    kept, found = ((MADE / "variants.jsonl").read_bytes(), Path("again.jsonl").read_bytes())
    assert found.splitlines()[1:] == kept.splitlines()[1:]
