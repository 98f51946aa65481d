from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords import Item, freeze, vary, vet_file
from otherwords.core.types import Distance
from otherwords.variants.distance import (
    is_frame_only,
    lemmas_kept,
    summarise_distances,
    word_distance,
)

TEXTS = st.lists(st.sampled_from("who wrote the play Hamlet when in London".split()), max_size=8).map(
    " ".join
)


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("Who wrote Hamlet?", "who wrote hamlet?", 0.0),
        ("Who wrote Hamlet?", "Who was the author of Hamlet?", 4 / 6),
        ("a b c", "", 1.0),
        ("", "", 0.0),
    ],
)
def test_word_distance(one: str, other: str, far: float) -> None:
    assert word_distance(one, other) == pytest.approx(far)


@given(TEXTS, TEXTS, TEXTS)
def test_it_is_symmetric_bounded_and_zero_for_the_same(one: str, other: str, around: str) -> None:
    far = word_distance(one, other)
    assert far == word_distance(other, one)
    assert 0 <= far <= 1
    assert (far == 0) == (one.lower().split() == other.lower().split())
    assert word_distance(f"{around} {one}", f"{around} {other}") <= far + 1e-9


def test_the_original_without_its_mark_may_stand_whole_in_a_variant() -> None:
    assert is_frame_only("Who wrote Hamlet?", "Tell me who wrote Hamlet.")
    assert not is_frame_only("When did Mozart die?", "Tell me when Mozart died.")


def test_lemmas_are_kept_whatever_their_form() -> None:
    assert lemmas_kept("When did Mozart die?", "I know when Mozart died.") == 1.0
    assert lemmas_kept("Who wrote the play?", "Who composed the play?") == 0.5


def test_every_variant_but_the_original_has_its_distance() -> None:
    item = Item("1", "Who wrote Hamlet?", (), ("Shakespeare",))
    first, *others = vary([item], ["paraphrase", "format"], k=4)
    assert first.variant.distance is None
    assert all(one.variant.distance is not None for one in others)
    by_rule = [one.variant.distance for one in others if one.variant.kind == "paraphrase"]
    assert all(far is not None and far.words > 0.5 and far.sibling for far in by_rule)


def test_rewordings_that_are_too_near_are_rejected_and_layout_is_not() -> None:
    item = Item("1", "Do not use any libraries.", (), ("none",))
    vetted = vary([item], ["paraphrase", "format"], k=3, min_distance=0.9)
    said = {one.variant.kind: [check.reason for check in one.failures] for one in vetted}
    assert said["paraphrase"] == ["0.40 of the words differ from the original; at least 0.90 was asked for"]
    assert said["format"] == said["orig"] == []


def test_the_least_distance_still_holds_when_the_file_is_vetted_again(tmp_path: Path) -> None:
    line = {"id": "1", "question": "Do not use any libraries.", "answer": "none"}
    (tmp_path / "items.jsonl").write_text(json.dumps(line), encoding="utf-8")
    file = tmp_path / "variants.jsonl"
    made = freeze(tmp_path / "items.jsonl", file, ["paraphrase"], k=1, min_distance=0.9)
    again = vet_file(file)
    assert made.rejected_by_reason == again.rejected_by_reason == {"distance": 1}


def test_no_lemmas_are_compared_in_another_language() -> None:
    item = Item("1", "Quelle est la capitale de la France ?", (), ("Paris",))
    for one in vary([item], ["format"], k=2)[1:]:
        assert one.variant.distance is not None
        assert one.variant.distance.kept is None


def test_the_summary_is_printed_beside_what_people_do() -> None:
    found = [Distance(0.4, 1.0, True, 0.2), Distance(0.6, None, False, None)]
    assert str(summarise_distances(found)) == (
        "How far 2 rewordings go: word distance .50 (people: .64), from the nearest sibling .20 (.80), "
        "content words kept 1.00 (.71), original whole inside 50% (0%)"
    )
    assert summarise_distances([]) is None
