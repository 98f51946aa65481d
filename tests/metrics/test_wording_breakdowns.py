from __future__ import annotations

import polars as pl
import pytest

from otherwords.metrics import by_distance, fix
from otherwords.metrics.wording_breakdowns import distance_sentence


def table(far_score: float, n: int = 40) -> pl.DataFrame:
    rows = [
        (f"q{number}", variant, kind, distance, score)
        for number in range(n)
        for variant, kind, distance, score in (
            ("orig", "orig", None, 1.0),
            ("para1", "paraphrase", 0.1, 1.0),
            ("para2", "paraphrase", 0.5, far_score if number % 2 else 1.0),
            ("pert:case", "format", 0.9, 0.0),
            ("control:negate", "control", 0.1, 0.0),
        )
    ]
    return pl.DataFrame(rows, schema=["id", "variant", "kind", "distance", "score"], orient="row")


def test_only_rewordings_are_told_apart_by_their_distance() -> None:
    found = by_distance(table(0.0))
    assert found.select("band", "distance", "delta", "n_items").rows() == [
        ("near", 0.1, 0.0, 40),
        ("far", 0.5, 0.5, 40),
    ]


def test_without_distances_there_is_nothing_to_tell() -> None:
    without = table(0.0).drop("distance")
    assert by_distance(without).is_empty()
    assert fix(without).by_distance is not None
    assert not any("how far" in sentence for sentence in fix(without).suggestions)


def test_fix_says_robust_near_and_fragile_far() -> None:
    [sentence] = [one for one in fix(table(0.0, n=200)).suggestions if "how far" in one]
    assert sentence.endswith("are lost: robust near, fragile far.")
    assert "near ones (0.0 to 0.2) 0.0 points" in sentence


def test_with_few_items_near_wordings_are_not_called_robust() -> None:
    assert distance_sentence(by_distance(table(0.0, n=20))).endswith(
        "fragile far, and near it is not settled."
    )


@pytest.mark.parametrize("score", [1.0, 0.9])
def test_no_verdict_where_far_wordings_do_not_lose(score: float) -> None:
    assert distance_sentence(by_distance(table(score, n=6))).endswith("are lost.")
