from __future__ import annotations

import math
from typing import Any

import pytest

from otherwords.core.scores import counted_and_others, score_labels, score_parts, which_counts

PARTS = {"first": [], "pkg/grade": ["facts", "style"], "v1.2": ["a.b", "c"]}


def test_a_sample_without_a_score_does_not_hide_the_parts_of_the_others() -> None:
    values: list[dict[str, Any]] = [
        {"grade": math.nan},
        {"grade": None},
        {},
        {"grade": {"style": 1, "facts": "C"}, "first": "C"},
    ]
    assert score_parts(values, []) == {"grade": ["style", "facts"], "first": []}
    computed = [("first", "first"), ("grade", "facts"), ("grade", "style"), ("gone", "gone")]
    assert score_parts(values, computed) == {"first": [], "grade": ["facts", "style"]}


@pytest.mark.parametrize(
    ("wanted", "chosen", "others"),
    [
        (None, ("first", None), ["pkg/grade.facts", "pkg/grade.style", "v1.2.a.b", "v1.2.c"]),
        ("first", ("first", None), []),
        ("grade", ("pkg/grade", "facts"), ["pkg/grade.style"]),
        ("pkg/grade", ("pkg/grade", "facts"), ["pkg/grade.style"]),
        ("grade.style", ("pkg/grade", "style"), []),
        ("pkg/grade.facts", ("pkg/grade", "facts"), []),
        ("v1.2", ("v1.2", "a.b"), ["v1.2.c"]),
        ("v1.2.a.b", ("v1.2", "a.b"), []),
    ],
)
def test_the_score_that_counts_and_what_else_there_is(
    wanted: str | None, chosen: tuple[str, str | None], others: list[str]
) -> None:
    assert counted_and_others(wanted, PARTS) == (chosen, others)


@pytest.mark.parametrize("wanted", ["elo", "first.x", "grade.wit", ".", "", "v1"])
def test_there_is_no_such_score(wanted: str) -> None:
    assert counted_and_others(wanted, PARTS) is None


def test_no_score_at_all() -> None:
    assert counted_and_others(None, {}) is None
    assert score_labels({}) == []


def test_every_label_finds_its_score_again() -> None:
    for label in score_labels(PARTS):
        assert counted_and_others(label, PARTS) is not None
    assert which_counts("a", ["b", "c.d"]) == "'a' counts; there is also 'b', 'c.d' (choose with --scorer)"
