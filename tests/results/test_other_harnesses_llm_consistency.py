from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import agreement, consistency_at_k
from otherwords.results import read_results

CONFIG = {
    "model": "gpt-x",
    "provider": "openai",
    "perturbation_types": ["OPTION_REORDER", "PARAPHRASE"],
    "scorer": "exact_match",
    "num_variants": 2,
    "mca_threshold": 1.0,
}


def response(kind: str | None, score: float, method: str = "exact_match") -> dict[str, Any]:
    return {
        "question_id": "q_v0",
        "is_correct": score == 1.0,
        "score": score,
        "scoring_method": method,
        "perturbation_type": kind,
    }


def question(name: str, *responses: dict[str, Any], answers: dict[str, int] | None = None) -> dict[str, Any]:
    return {
        "question_id": name,
        "rc_correct": 0.5,
        "rc_agree": 0.5,
        "total_variants": len(responses),
        "correct_count": 1,
        "answer_distribution": answers or {},
        "scored_responses": list(responses),
    }


QUESTIONS = [
    question(
        "q1",
        response("option_reorder", 1.0),
        response("option_reorder", 0.0),
        response("paraphrase", 1.0),
        response("instruction_rephrase", 0.0, "error:Timeout: too slow"),
        answers={"A": 2, "C": 1, "<error:q1_v3>": 1},
    ),
    question("q2", response("format_change", 1.0), response(None, 0.0), answers={"B": 1, "No idea.": 1}),
]
EXPECTED = [
    ("q1", "option_reorder1", "options", "scored", 1.0, None),
    ("q1", "option_reorder2", "options", "scored", 0.0, None),
    ("q1", "paraphrase1", "llm", "scored", 1.0, None),
    ("q1", "instruction_rephrase1", "paraphrase", "error", None, "Timeout: too slow"),
    ("q2", "format_change1", "format", "scored", 1.0, None),
    ("q2", "variant1", "", "scored", 0.0, None),
]
COLUMNS = ["id", "variant", "kind", "status", "score", "reason"]


NOT_BY_WORDING = (
    "of {} questions it tells how often each answer was given and not to which wording, so that consistency "
    "is exact and the answer shown beside a wording may be another's"
)


def report(questions: list[dict[str, Any]]) -> str:
    content = {
        "config": CONFIG,
        "results": questions,
        "total_questions": len(questions),
        "total_variants": 6,
        "mean_rc_correct": 0.5,
        "mean_rc_agree": 0.5,
        "created_at": "2026-01-01T00:00:00+00:00",
        "aggregate": {"core_index": 0.5},
    }
    return json.dumps(content, indent=2)


def checkpoint(questions: list[dict[str, Any]], version: int = 2) -> str:
    header = {
        "type": "header",
        "version": version,
        "config_hash": "0" * 64,
        "created_at": "2026-01-01T00:00:00+00:00",
        "package_version": "1.1.0",
        "python_version": "3.12",
        "seed": 1,
        "config_snapshot": CONFIG,
    }
    lines = [header, *({"type": "qcr", "qcr": one} for one in questions)]
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize("content", [report(QUESTIONS), checkpoint(QUESTIONS)], ids=["report", "checkpoint"])
def test_every_variant_is_a_row(content: str, tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_text(content, encoding="utf-8")
    results = read_results(path, strict=True)
    assert results.outcomes.select(COLUMNS).rows() == EXPECTED
    assert set(results.outcomes["model"]) == {"gpt-x"}
    assert [one.reason for one in results.skipped] == [NOT_BY_WORDING.format(1)], "q1 is sure"


def test_of_a_question_asked_again_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    again = [question("q1", response("paraphrase", 0.0)), question("q1", response("paraphrase", 1.0))]
    path.write_text(checkpoint(again), encoding="utf-8")
    assert read_results(path).outcomes.select("id", "score").rows() == [("q1", 1.0)]


def test_a_cut_checkpoint_gives_what_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(checkpoint(QUESTIONS)[:-30], encoding="utf-8")
    results = read_results(path)
    assert set(results.outcomes["id"]) == {"q1"}
    (skipped,) = results.skipped
    assert skipped.unreadable
    assert skipped.reason.startswith("1 of its lines cannot be read; line 3: ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            checkpoint(QUESTIONS, version=1),
            "is of a release that scored reordered options against the wrong labels",
        ),
        (report([question("q1")]), "has no scores of single variants"),
        (
            report([question("q1", response("paraphrase", 2.0))]),
            "item 'q1': the score 2 is outside [0, 1]",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(content: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == f"no results found in {path}\n{path}: {reason}"


def test_the_distribution_of_answers_is_what_consistency_is_of(tmp_path: Path) -> None:
    kinds = ("paraphrase", "option_reorder", "format_change", "separator_change")
    wrong = [response(kind, 0.0) for kind in kinds]
    questions = [
        question("alike", *wrong, answers={"B": 4}),
        question("mixed", *wrong, answers={"B": 2, "C": 2}),
        question("right", response("paraphrase", 1.0), *wrong[1:], answers={"D": 2, "A": 1, "C": 1}),
    ]
    path = tmp_path / "run.json"
    path.write_text(report(questions), encoding="utf-8")
    results = read_results(path)
    table = results.outcomes
    assert [one.reason for one in results.skipped] == [NOT_BY_WORDING.format(2)]
    assert {id_: sorted(part["answer"]) for (id_,), part in table.group_by("id")} == {
        "alike": ["B", "B", "B", "B"],
        "mixed": ["B", "B", "C", "C"],
        "right": ["A", "C", "D", "D"],
    }
    assert table.filter(id="right", score=1.0)["answer"].item() in ("A", "C")
    assert consistency_at_k(table).value == pytest.approx(1 / 3)
    assert agreement(table)["pairwise_agreement"].value == pytest.approx((1 + 2 / 6 + 1 / 6) / 3)


def test_answers_that_do_not_fit_the_scores_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(report([question("q1", response("paraphrase", 0.0), answers={"A": 3})]), encoding="utf-8")
    results = read_results(path)
    assert results.outcomes["answer"].to_list() == [None]
    assert [one.reason for one in results.skipped] == [
        "the answers of 1 questions do not fit their scores and are not used"
    ]


def test_another_scorer_is_another_run(tmp_path: Path) -> None:
    for scorer in ("exact_match", "judge"):
        content = json.loads(report(QUESTIONS))
        content["config"]["scorer"] = scorer
        (tmp_path / f"{scorer}.json").write_text(json.dumps(content), encoding="utf-8")
    results = read_results(tmp_path)
    assert set(results.outcomes["model"]) == {"gpt-x (scorer=exact_match)", "gpt-x (scorer=judge)"}
    assert set(results.outcomes["repeat"]) == {1}
