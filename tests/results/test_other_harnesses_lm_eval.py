from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.results import read_results

DATE = "2026-03-01T10-20-30.123456"


def choice(number: int, likelihoods: list[float], target: int, **more: Any) -> dict[str, Any]:
    """A multiple-choice record as the harness writes it: one request an option."""
    best = likelihoods.index(max(likelihoods))
    return {
        "doc_id": number,
        "doc": {"question": f"question {number}?", "choices": ["a", "b", "c"]},
        "target": str(target),
        "arguments": {
            f"gen_args_{place}": {"arg_0": f"Question: {number}?\nAnswer:", "arg_1": f" option {place}"}
            for place in range(3)
        },
        "resps": [[[str(value), "False"]] for value in likelihoods],
        "filtered_resps": [[str(value), "False"] for value in likelihoods],
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        "acc": float(best == target),
        "acc_norm": 0.0,
        **more,
    }


def generated(number: int, said: str, score: float, filtered: str = "strict-match") -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": f"{number}?"},
        "target": "42",
        "arguments": {"gen_args_0": {"arg_0": f"Q: {number}?", "arg_1": {"until": ["\n"]}}},
        "resps": [[f"It is {said}."]],
        "filtered_resps": [said],
        "filter": filtered,
        "metrics": ["exact_match"],
        "exact_match": score,
    }


def write(folder: Path, records: list[dict[str, Any]], task: str = "arc_easy", model: str = "m") -> Path:
    folder = folder / model
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{DATE}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_summary(folder: Path, model: str = "org/m") -> Path:
    content = {
        "results": {"arc_easy": {"alias": "arc_easy", "acc,none": 0.5}},
        "group_subtasks": {"arc_easy": []},
        "configs": {"arc_easy": {"task": "arc_easy"}},
        "versions": {"arc_easy": 1.0},
        "n-shot": {"arc_easy": 0},
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
        "model_source": "hf",
        "model_name": model,
    }
    path = folder / f"results_{DATE}.json"
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return path


def test_multiple_choice(tmp_path: Path) -> None:
    path = write(
        tmp_path, [choice(0, [-3.0, -1.0, -2.0], 1), choice(1, [-1.0, -2.0, -3.0], 2)], model="org__m"
    )
    write_summary(path.parent)
    results = read_results(tmp_path, strict=True)
    rows = results.outcomes.select(
        "task", "model", "id", "variant", "score", "answer", "pred_index", "target_index"
    )
    assert rows.rows() == [
        ("arc_easy", "org/m", "0", "orig", 1.0, "B", 1, 1),
        ("arc_easy", "org/m", "1", "orig", 0.0, "A", 0, 2),
    ]
    assert results.wordings.select("id", "prompt", "target").rows() == [
        ("0", "Question: 0?\nAnswer:", "1"),
        ("1", "Question: 1?\nAnswer:", "2"),
    ]
    assert results.skipped == ()


def test_without_its_summary_the_model_is_the_folders_name(tmp_path: Path) -> None:
    write(tmp_path, [choice(0, [-1.0, -2.0, -3.0], 0)], model="org__m")
    assert read_results(tmp_path).outcomes["model"].to_list() == ["org__m"]


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path, [choice(0, [-1.0, -2.0, -3.0], 0)])
    renamed = path.rename(path.with_name("mine.txt"))
    assert read_results(renamed).outcomes.select("task", "id").rows() == [("mine", "0")]


def test_a_document_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    record = choice(0, [-1.0, -2.0, -3.0], 0, doc={"text": "word " * 50_000})
    assert read_results(write(tmp_path, [record])).outcomes.height == 1


def test_the_metric_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, [choice(0, [-1.0, -2.0, -3.0], 0)])
    results = read_results(path)
    assert set(results.outcomes["scorer"]) == {"acc"}
    assert results.notes == ("In arc_easy, 'acc' counts; there is also 'acc_norm' (choose with --scorer).",)
    chosen = read_results(path, scorer="acc_norm")
    table = chosen.outcomes
    assert (set(table["scorer"]), chosen.notes) == ({"acc_norm"}, ())
    assert table.select("score", "answer").rows() == [(0.0, None)]
    with pytest.raises(InputError) as caught:
        read_results(path, scorer="f1")
    assert str(caught.value) == (
        f"no results found in {path}\n{path}: line 1: has no metric 'f1' (its metrics: acc, acc_norm)"
    )


def test_of_several_filters_one_is_read_and_the_others_are_counted(tmp_path: Path) -> None:
    records = [
        generated(0, "42", 1.0),
        generated(1, "41", 0.0),
        generated(0, "42", 1.0, "flexible-extract"),
        generated(1, "42", 1.0, "flexible-extract"),
    ]
    path = write(tmp_path, records, task="gsm8k")
    results = read_results(path, strict=True)
    assert results.outcomes.select("id", "score", "answer", "response").rows() == [
        ("0", 1.0, "42", "42"),
        ("1", 0.0, "41", "41"),
    ]
    assert [one.reason for one in results.skipped] == [
        "2 records of filter 'flexible-extract' are other readings of the answers of 'strict-match'"
    ]
    flexible = read_results(path, scorer="exact_match,flexible-extract").outcomes
    assert flexible["score"].to_list() == [1.0, 1.0]


def test_tasks_that_ask_in_several_wordings(tmp_path: Path) -> None:
    records = [
        choice(number, [-1.0, -2.0, -3.0], 0, doc={"question_id": number // 2, "prompt_id": number % 2})
        for number in range(4)
    ]
    table = read_results(write(tmp_path, records)).outcomes
    assert table.select("id", "variant", "kind").rows() == [
        ("0", "prompt0", "paraphrase"),
        ("0", "prompt1", "paraphrase"),
        ("1", "prompt0", "paraphrase"),
        ("1", "prompt1", "paraphrase"),
    ]


def test_a_mapping_reaches_into_the_document(tmp_path: Path) -> None:
    records = [choice(0, [-1.0, -2.0, -3.0], 0, doc={"uid": "q7", "style": "formal"}, f1=0.5)]
    columns = {"id": "doc.uid", "variant": "doc.style", "score": "f1"}
    table = read_results(write(tmp_path, records), columns=columns).outcomes
    assert table.select("id", "variant", "score").rows() == [("q7", "formal", 0.5)]


def test_two_runs_with_the_same_settings_are_repeats(tmp_path: Path) -> None:
    for folder, likely in (("one", -1.0), ("two", -1.5)):
        write(tmp_path / folder, [choice(0, [likely, -2.0, -3.0], 0)])
    results = read_results(tmp_path)
    assert results.outcomes["repeat"].to_list() == [1, 2]
    assert results.notes[1:] == (
        "In arc_easy, 2 files of 'm' with the same settings count as repeats of each other.",
    )


def test_a_copy_of_a_file_is_no_repeat(tmp_path: Path) -> None:
    first, second = (write(tmp_path / one, [choice(0, [-1.0, -2.0, -3.0], 0)]) for one in ("one", "two"))
    results = read_results(tmp_path)
    assert results.outcomes["repeat"].to_list() == [1]
    assert [str(one) for one in results.skipped] == [f"{second}: is a copy of {first}, which counts"]


def test_runs_with_other_settings_are_told_apart(tmp_path: Path) -> None:
    for folder, heat in (("one", 0), ("two", 1)):
        write(tmp_path / folder, [choice(0, [-1.0 - heat, -2.0, -3.0], 0)], model="m")
        summary = json.loads(write_summary(tmp_path / folder / "m").read_text())
        summary["config"]["gen_kwargs"] = f"temperature={heat}"
        path = tmp_path / folder / "m" / f"results_{DATE}.json"
        path.write_text(json.dumps(summary), encoding="utf-8")
    table = read_results(tmp_path).outcomes
    assert table["model"].n_unique() == 2
    assert set(table["repeat"]) == {1}


def test_an_answer_that_no_filter_finds_is_unreadable(tmp_path: Path) -> None:
    table = read_results(write(tmp_path, [generated(0, "[invalid]", 0.0), generated(1, "42", 1.0)])).outcomes
    assert table.select("status", "score", "outcome", "answer").rows() == [
        ("scored", 0.0, "unreadable", "(unreadable)"),
        ("scored", 1.0, "answered", "42"),
    ]


def test_a_cut_file_gives_its_whole_lines_and_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, [choice(0, [-1.0, -2.0, -3.0], 0), choice(1, [-1.0, -2.0, -3.0], 0)])
    path.write_bytes(path.read_bytes()[:-20])
    results = read_results(path)
    assert results.outcomes["id"].to_list() == ["0"]
    (skipped,) = results.skipped
    assert skipped.reason.startswith("1 of its lines cannot be read; line 2: ")
    with pytest.raises(InputError):
        read_results(path, strict=True)
