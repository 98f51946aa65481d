from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.core.tool_calls import tool_call_record
from otherwords.results import Results, read_results

CONFIG = {
    "agent_name": "my_agent",
    "benchmark_name": "taubench_airline",
    "date": "2026-01-09",
    "run_id": "taubench_airline_my_agent_1",
    "agent_args": {"model_name": "m"},
    "run_command": "hal-eval --benchmark taubench_airline",
    "prompt_sensitivity": True,
}
LISTS = {
    "0": [{"variation_id": 0, "score": 1.0}, {"variation_id": 1, "score": 0.0}],
    "1": [{"variation_id": 0, "score": 0.5}, {"variation_id": 1, "score": 0.5}],
}


def upload(raw: Any, **more: Any) -> dict[str, Any]:
    return {
        "config": CONFIG,
        "results": {"accuracy": 0.5, "total_cost": 0.1, "latencies": {}},
        "raw_eval_results": raw,
        "raw_logging_results": [],
        **more,
    }


def write(folder: Path, content: Any, name: str = "run_UPLOAD.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def read(folder: Path, content: Any) -> Results:
    return read_results(write(folder, content))


def scores(results: Results) -> list[tuple[Any, ...]]:
    return results.outcomes.select("id", "variant", "kind", "status", "score").rows()


EXPECTED = [
    ("0", "orig", "orig", "scored", 1.0),
    ("0", "var1", "llm", "scored", 0.0),
    ("1", "orig", "orig", "scored", 0.5),
    ("1", "var1", "llm", "scored", 0.5),
]


@pytest.mark.parametrize(
    "raw",
    [
        LISTS,
        {task: {str(one["variation_id"]): one for one in results} for task, results in LISTS.items()},
        {
            task: {str(one["variation_id"]): one["score"] for one in results}
            for task, results in LISTS.items()
        },
        {task: [one["score"] for one in results] for task, results in LISTS.items()},
        {
            task: [{"variation_id": one["variation_id"], "reward": one["score"]} for one in results]
            for task, results in LISTS.items()
        },
        [{"task_id": task, **one} for task, results in LISTS.items() for one in results],
    ],
    ids=["lists", "dicts", "dicts of numbers", "lists of numbers", "rewards", "one list"],
)
def test_every_form_of_the_raw_results_reads_the_same(raw: Any, tmp_path: Path) -> None:
    results = read(tmp_path, upload(raw))
    assert scores(results) == EXPECTED
    assert set(results.outcomes["model"]) == {"my_agent"}
    assert set(results.outcomes["task"]) == {"taubench_airline"}
    assert set(results.outcomes["repeat"]) == {1}
    assert results.skipped == ()


def test_the_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    assert scores(read_results(write(tmp_path, upload(LISTS), "anything.txt"))) == EXPECTED


def test_a_plain_run_is_the_original_only(tmp_path: Path) -> None:
    raw = {"a": {"reward": 1.0, "cost": 3}, "b": {"score": False, "explanation": "no"}, "c": 0.25}
    results = read(tmp_path, upload(raw, task_prompts={"a": "Fly me to Rome"}))
    assert scores(results) == [
        ("a", "orig", "orig", "scored", 1.0),
        ("b", "orig", "orig", "scored", 0.0),
        ("c", "orig", "orig", "scored", 0.25),
    ]
    assert results.wordings.select("id", "variant", "prompt").rows() == [("a", "orig", "Fly me to Rome")]


def test_what_has_no_score_is_not_a_zero(tmp_path: Path) -> None:
    raw = {
        "crash": "ERROR: Task timed out after 600 seconds",
        "text": "an answer",
        "none": {"explanation": "?"},
        "null": [{"variation_id": 0, "score": None}],
        "fine": {"score": 1},
    }
    table = read(tmp_path, upload(raw)).outcomes
    assert table.select("id", "status", "score", "reason").rows() == [
        ("crash", "error", None, "ERROR: Task timed out after 600 seconds"),
        ("text", "unscored", None, "no score, but text"),
        ("none", "unscored", None, "no score or reward or accuracy in its result"),
        ("null", "unscored", None, "no score or reward or accuracy in its result"),
        ("fine", "scored", 1.0, None),
    ]


def test_a_variation_that_others_have_is_missing(tmp_path: Path) -> None:
    raw = {**LISTS, "2": [{"variation_id": 0, "score": 1.0}], "3": []}
    rows = read(tmp_path, upload(raw)).outcomes.filter(pl.col("status") == "missing")
    assert rows.select("id", "variant", "kind", "score", "reason").rows() == [
        ("2", "var1", "llm", None, "the file has no result for it"),
        ("3", "orig", "orig", None, "the file has no result for it"),
        ("3", "var1", "llm", None, "the file has no result for it"),
    ]


def test_a_summary_of_the_benchmarks_own_is_read_through_the_two_lists(tmp_path: Path) -> None:
    raw = {"total_instances": 500, "resolved_ids": ["a__1"], "unresolved_ids": ["b__2"]}
    results = {"accuracy": 0.5, "successful_tasks": ["a__1"], "failed_tasks": ["b__2"]}
    assert scores(read(tmp_path, upload(raw, results=results))) == [
        ("a__1", "orig", "orig", "scored", 1.0),
        ("b__2", "orig", "orig", "scored", 0.0),
    ]


CRASH = "ERROR: KeyError: 'flight'"
ALWAYS_FAILED = {
    "listed as failed": (
        upload({"a": CRASH, "b": CRASH}, results={"accuracy": 0.0, "failed_tasks": ["a", "b"]}),
        [("scored", 0.0, "agent_error")],
    ),
    "lists alone": (
        upload({}, results={"accuracy": 0.0, "successful_tasks": [], "failed_tasks": ["a", "b"]}),
        [("scored", 0.0, "answered")],
    ),
    "not listed": (upload({"a": CRASH, "b": CRASH}), [("error", None, "agent_error")]),
    "a provider's": (
        upload({"a": "ERROR: Error code: 429", "b": "ERROR: RateLimitError: slow"}),
        [("error", None, "provider_error")],
    ),
    "of version 0.1": (upload({"a": [], "b": []}), [("missing", None, "missing")]),
}


@pytest.mark.parametrize("name", ALWAYS_FAILED)
def test_an_agent_that_always_failed_is_read(name: str, tmp_path: Path) -> None:
    content, expected = ALWAYS_FAILED[name]
    table = read(tmp_path, content).outcomes
    assert table["id"].to_list() == ["a", "b"]
    assert table.select("status", "score", "outcome").unique().rows() == expected


def test_runs_of_single_variations_are_variants_of_one_agent(tmp_path: Path) -> None:
    for number, agent in enumerate(
        ["bot", "bot", "bot_prompt_mild_var1", "bot_prompt_strong_var1", "bot_fault_20pct"]
    ):
        arguments = {"enable_fault_injection": "true"} if "fault" in agent else {}
        config = {**CONFIG, "agent_name": agent, "agent_args": arguments, "run_id": str(number)}
        write(tmp_path / str(number), upload({"a": {"reward": 1.0}}, config=config))
    table = read_results(tmp_path).outcomes
    assert set(table["model"]) == {"bot"}
    assert table.select("variant", "kind", "change", "repeat").rows() == [
        ("orig", "orig", "", 1),
        ("orig", "orig", "", 2),
        ("mild_var1", "llm", "mild", 1),
        ("strong_var1", "llm", "strong", 1),
        ("fault", "fault", "20%", 1),
    ]


@pytest.mark.parametrize(
    ("mean_variance", "said"),
    [
        (0.25, None),
        (0.125, "its mean_variance 0.125 divides by n; with n - 1, as here, it is 0.25"),
        (0.4, "its mean_variance 0.4 is not that of its scores (0.25), which are used"),
    ],
)
def test_hals_own_metrics_are_compared(mean_variance: float, said: str | None, tmp_path: Path) -> None:
    metrics = {"mean_variance": mean_variance, "num_tasks": 2}
    results = read(tmp_path, upload(LISTS, prompt_sensitivity_metrics=metrics))
    assert scores(results) == EXPECTED
    assert results.skipped == ()  # it was read
    assert [one.partition(": ")[2] for one in results.notes] == ([] if said is None else [said])


def test_what_a_run_keeps_beside_its_results_is_one_note(tmp_path: Path) -> None:
    run = tmp_path / "results" / "taubench_airline" / "run1"
    write(run, upload(LISTS), "run1_UPLOAD.json")
    write(run, {"0": {"reward": 1}}, "run1.json")
    write(run / "0", {"task_id": "0"}, "input.json")
    (run / "0" / "main.py").write_text("print()", encoding="utf-8")
    results = read_results(tmp_path, strict=True)
    assert results.outcomes.height == 4
    assert [str(one) for one in results.skipped] == [f"{run}/: 3 other files of the run hold no results"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (upload({"a": {"score": 7}}), "item 'a': the score 7 is outside [0, 1]"),
        (upload({}), "has no result of any task"),
        (upload(3), "has no raw_eval_results"),
        (upload(LISTS, config={"agent_name": "x"}), "its config names no agent_name or no benchmark_name"),
        (
            upload({"a": [{"variation_id": 1, "score": 1}, {"variation_id": 1, "score": 0}]}),
            "item 'a': variation 'var1' has two results",
        ),
        (upload([{"score": 1}]), "is not a readable file of HAL: 'task_id'"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(content: Any, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == f"no results found in {path}\n{path}: {reason}"


def test_runs_of_an_agent_with_other_settings_are_told_apart(tmp_path: Path) -> None:
    for heat in (0, 1):
        arguments = {"model_name": "gpt-x", "temperature": heat, "api_base": "https://example.org"}
        config = {**CONFIG, "agent_args": arguments, "run_id": str(heat)}
        write(tmp_path / str(heat), upload({"a": {"reward": 1.0}}, config=config))
    table = read_results(tmp_path).outcomes
    agent = CONFIG["agent_name"]
    assert set(table["model"]) == {f"{agent} (temperature=0)", f"{agent} (temperature=1)"}
    assert set(table["repeat"]) == {1}


def test_the_actions_of_tau_bench_are_tool_calls(tmp_path: Path) -> None:
    find = {"name": "find", "kwargs": {"day": "May 4"}}
    raw = {
        "0": {"reward": 1.0, "taken_actions": [find, {"name": "respond", "kwargs": {"content": "Hello."}}]},
        "1": {"reward": 0.0, "taken_actions": []},
        "2": {
            "score": 1.0,
            "messages": [{"role": "assistant", "tool_calls": [{"name": "find", "args": {}}]}],
        },
        "3": {"score": 1.0},
    }
    found = dict(read(tmp_path, upload(raw)).outcomes.select("id", "tool_calls").iter_rows())
    assert found["0"] == tool_call_record([("find", {"day": "may 4"})])
    assert found["1"] == ""
    assert found["2"] == tool_call_record([("find", {})])
    assert found["3"] is None
