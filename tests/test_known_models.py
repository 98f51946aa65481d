"""What the metrics must say of test models that we know, through real Inspect logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

from otherwords._registry import perturbation_stability
from otherwords.metrics import (
    accuracy,
    consistency_at_k,
    format_failure_rate,
    fragility_score,
    mcnemar_orig_vs_variants,
    s_prompt,
)
from otherwords.results import load_all_results, readable_only

pytestmark = pytest.mark.slow

ITEMS = [
    ("Which of these is a mammal?", ["Dolphin", "Trout", "Frog", "Sparrow"], "A"),
    ("Which of these is a metal?", ["Oxygen", "Iron", "Sulfur", "Helium"], "B"),
    ("Which of these is a fruit?", ["Carrot", "Potato", "Apple", "Leek"], "C"),
    ("Which of these can fly?", ["Cow", "Horse", "Dog", "Eagle"], "D"),
    ("Which of these is a planet?", ["Mars", "Moon", "Sun", "Sirius"], "A"),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    with path.open("w") as file:
        for number, (question, choices, answer) in enumerate(ITEMS):
            file.write(
                json.dumps({"id": f"q{number}", "question": question, "choices": choices, "answer": answer})
            )
            file.write("\n")
    return path


def run(dataset: Path, model: str, logs: Path) -> None:
    (log,) = inspect_eval(
        perturbation_stability(str(dataset), k=5), model=model, log_dir=str(logs), display="none"
    )
    assert log.status == "success"


def test_a_model_that_is_always_right_is_perfectly_robust(
    dataset: Path, tmp_path: Path, oracle: Callable[[set[str]], str]
) -> None:
    run(dataset, oracle({"Dolphin", "Iron", "Apple", "Eagle", "Mars"}), tmp_path / "logs")
    table = load_all_results(tmp_path / "logs")
    assert set(table["variant"]) >= {"orig", "pert:punct", "pert:order_swap", "pert:order_rev"}
    assert table["score"].to_list() == [1.0] * table.height
    assert consistency_at_k(table, "perturbation_stability").value == 1
    assert fragility_score(table, "perturbation_stability").value == 0
    assert s_prompt(table, "perturbation_stability").value == 1


def test_a_model_that_always_says_a_is_caught_by_the_order_of_the_options(
    dataset: Path, tmp_path: Path, scripted: Callable[[str, Callable[[str], str]], str]
) -> None:
    run(dataset, scripted("always-a", lambda _: "ANSWER: A"), tmp_path / "logs")
    table = load_all_results(tmp_path / "logs")
    consistency, flips = consistency_at_k(table), fragility_score(table)
    assert consistency.value == 0
    assert flips.value is not None
    assert flips.value > 0
    reordered = table.filter(table["variant"].str.starts_with("pert:order"))
    unmoved = table.filter(table["variant"] == "pert:punct")
    assert set(reordered["pred_index"]) == {3}
    assert set(unmoved["pred_index"]) == {0}
    test = mcnemar_orig_vs_variants(table)
    assert test.n + test.ties == len(ITEMS)


def test_a_model_that_does_not_keep_to_the_format_is_wrong_and_told_apart(
    dataset: Path, tmp_path: Path, scripted: Callable[[str, Callable[[str], str]], str]
) -> None:
    run(dataset, scripted("chatty", lambda _: "What a lovely question."), tmp_path / "logs")
    table = load_all_results(tmp_path / "logs")
    assert table.select("status", "score", "outcome").unique().rows() == [("scored", 0.0, "unreadable")]
    assert accuracy(table).value == 0.0
    assert format_failure_rate(table).value == 1.0
    found = s_prompt(readable_only(table))
    assert found.value is None
    assert found.n_missing == table.height
