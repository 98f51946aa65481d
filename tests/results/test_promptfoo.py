from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.results import read_results

PROMPTS = ["Translate to French: {{text}}", "Say in French: {{text}}"]


def result(test: int, prompt: int, score: float, **more: Any) -> dict[str, Any]:
    """One cell of promptfoo's table: a test, asked with a prompt and a provider."""
    text = more.pop("text", "hello" if test % 2 == 0 else "bye")
    said = "bonjour" if score else "no"
    return {
        "id": f"{test}-{prompt}",
        "promptIdx": prompt,
        "testIdx": test,
        "testCase": {
            "vars": {"text": text},
            "assert": [{"type": "contains", "value": "o"}],
            "options": {},
            "metadata": {},
        },
        "promptId": f"hash{prompt}",
        "provider": {"id": "openai:gpt-x", "label": ""},
        "prompt": {"raw": PROMPTS[prompt].replace("{{text}}", text), "label": PROMPTS[prompt]},
        "vars": {"text": text},
        "response": {"output": said, "tokenUsage": {"total": 12, "prompt": 10, "completion": 2}},
        "success": score == 1.0,
        "score": score,
        "latencyMs": 250,
        "failureReason": 0 if score == 1.0 else 1,
        "error": None if score == 1.0 else "Expected output to contain",
        "gradingResult": {"pass": score == 1.0, "score": score, "reason": "…", "componentResults": []},
        "namedScores": {"tone": 0.25},
        "cost": 0.001,
        **more,
    }


RESULTS = [result(0, 0, 1.0), result(0, 1, 0.0), result(1, 0, 0.5), result(1, 1, 1.0)]
EXPECTED = [
    ("test0", "orig", "orig", 1, 1.0),
    ("test0", "prompt2", "paraphrase", 1, 0.0),
    ("test1", "orig", "orig", 1, 0.5),
    ("test1", "prompt2", "paraphrase", 1, 1.0),
]
COLUMNS = ["id", "variant", "kind", "repeat", "score"]


def whole(results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "evalId": "eval-1",
        "results": {
            "version": 3,
            "timestamp": "2026-01-01T00:00:00Z",
            "prompts": [{"raw": prompt, "label": prompt, "provider": "openai:gpt-x"} for prompt in PROMPTS],
            "results": results,
            "stats": {"successes": 2, "failures": 2, "errors": 0},
        },
        "config": {"description": "greetings", "prompts": PROMPTS},
        "shareableUrl": None,
        "metadata": {"promptfooVersion": "0.117.4"},
    }


def write(folder: Path, content: Any) -> Path:
    path = folder / "output"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "task"),
    [
        (whole(RESULTS), "greetings"),
        (whole(RESULTS)["results"], "promptfoo"),
        ("".join(json.dumps(one) + "\n" for one in RESULTS), "promptfoo"),
        (whole(RESULTS[::-1]), "greetings"),
    ],
    ids=["file", "summary", "lines", "in the order of finishing"],
)
def test_a_test_is_an_item_and_a_prompt_a_wording(content: Any, task: str, tmp_path: Path) -> None:
    results = read_results(write(tmp_path, content), strict=True)
    table = results.outcomes
    assert table.select(COLUMNS).rows() == EXPECTED
    assert set(table["task"]) == {task}
    assert set(table["model"]) == {"openai:gpt-x"}
    assert table.row(0, named=True) | {"log": ""} == {
        "task": task,
        "model": "openai:gpt-x",
        "id": "test0",
        "variant": "orig",
        "kind": "orig",
        "change": "",
        "distance": None,
        "paraphrase_id": None,
        "perturbation_kind": None,
        "template": None,
        "wording": None,
        "levels": None,
        "repeat": 1,
        "status": "scored",
        "outcome": "answered",
        "score": 1.0,
        "correct": True,
        "answer": "bonjour",
        "response": "bonjour",
        "pred_index": None,
        "target_index": None,
        "confidence": None,
        "seed": None,
        "tokens": 12,
        "seconds": 0.25,
        "cost": None,
        "messages": None,
        "model_calls": None,
        "tool_calls": None,
        "user_errors": None,
        "reason": None,
        "scorer": "score",
        "reducer": None,
        "log": "",
    }
    assert results.wordings.filter(id="test1")["prompt"].to_list() == [
        "Translate to French: bye",
        "Say in French: bye",
    ]


def test_repeats_have_numbers_of_their_own_and_are_told_by_the_test(tmp_path: Path) -> None:
    again = [result(2, 0, 0.0, text="hello"), result(2, 1, 1.0, text="hello")]
    table = read_results(write(tmp_path, whole([*RESULTS[:2], *again]))).outcomes
    assert table.select(COLUMNS).rows() == [
        ("test0", "orig", "orig", 1, 1.0),
        ("test0", "prompt2", "paraphrase", 1, 0.0),
        ("test0", "orig", "orig", 2, 0.0),
        ("test0", "prompt2", "paraphrase", 2, 1.0),
    ]


def test_providers_are_models(tmp_path: Path) -> None:
    other = result(0, 0, 0.0, provider={"id": "x", "label": "Mine"}, promptIdx=2)
    table = read_results(write(tmp_path, whole([RESULTS[0], other]))).outcomes
    assert table.select("model", "variant", "repeat", "score").rows() == [
        ("openai:gpt-x", "orig", 1, 1.0),
        ("Mine", "orig", 1, 0.0),
    ]


def test_a_failed_call_is_an_error_and_a_failed_assertion_is_a_score(tmp_path: Path) -> None:
    broken = result(0, 0, 0.0, failureReason=2, error="API error: 500", response=None, gradingResult=None)
    empty = result(1, 0, 1.0)
    empty["testCase"]["assert"] = []
    table = read_results(write(tmp_path, whole([broken, empty, result(3, 0, 0.0, text="x")]))).outcomes
    assert table.select("id", "status", "score", "reason").rows() == [
        ("test0", "error", None, "API error: 500"),
        ("test1", "unscored", None, "the test asserts nothing"),
        ("test3", "scored", 0.0, None),
    ]


def test_the_score_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, whole(RESULTS))
    results = read_results(path)
    (note,) = results.notes
    assert note.endswith(", 'score' counts; there is also 'pass', 'tone' (choose with --scorer).")
    assert set(results.outcomes["scorer"]) == {"score"}
    assert read_results(path, scorer="score").outcomes["score"].equals(results.outcomes["score"])
    assert read_results(path, scorer="pass").outcomes["score"].to_list() == [1.0, 0.0, 0.0, 1.0]
    assert read_results(path, scorer="tone").outcomes["score"].to_list() == [0.25] * 4
    with pytest.raises(InputError) as caught:
        read_results(path, scorer="wit")
    assert (
        str(caught.value) == f"no results found in {path}\n{path}: has no score by 'wit' (it has: pass, tone)"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (whole([result(0, 0, 3.0)]), "item 'test0': the score 3 is outside [0, 1]"),
        (whole([]), "has no results"),
        (whole([{"promptIdx": 0, "testCase": 3}]), "is not a readable file of promptfoo: "),
    ],
)
def test_what_cannot_be_used_is_refused(content: Any, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value).startswith(f"no results found in {path}\n{path}: {reason}")


def test_how_an_answer_ended_is_its_outcome(tmp_path: Path) -> None:
    ended = [("length", "no"), ("content_filter", ""), ("refusal", "no"), ("stop", "no")]
    results = [
        result(place, 0, 0.0, text=f"t{place}", response={"output": said, "finishReason": reason})
        for place, (reason, said) in enumerate(ended)
    ]
    table = read_results(write(tmp_path, whole(results))).outcomes
    assert table.select("status", "outcome", "answer").rows() == [
        ("scored", "truncated", "no"),
        ("scored", "filtered", "(filtered)"),
        ("scored", "refused", "(refused)"),
        ("scored", "answered", "no"),
    ]


def test_another_configuration_of_a_provider_is_another_run(tmp_path: Path) -> None:
    for heat in (0, 1):
        content = whole(RESULTS)
        provider = {"id": "openai:gpt-x", "config": {"temperature": heat}}
        content["config"] = {**content["config"], "providers": [provider]}
        (tmp_path / f"{heat}.json").write_text(json.dumps(content), encoding="utf-8")
    table = read_results(tmp_path).outcomes
    assert set(table["model"]) == {"openai:gpt-x (temperature=0)", "openai:gpt-x (temperature=1)"}
    assert set(table["repeat"]) == {1}
