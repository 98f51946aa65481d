from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import SolverSpec

from otherwords._registry import paraphrase_consistency, perturbation_stability
from otherwords.core.errors import InputError
from otherwords.results import load_all_results

Scripted = Callable[[str, Callable[[str], str]], str]
DATASET = [
    {
        "id": "q1",
        "question": "Which of the following animals can fly?",
        "choices": ["Cow", "Crow", "Cat"],
        "answer": "B",
    },
    {
        "id": "q2",
        "question": "Which of the following is most likely to swim?",
        "choices": ["Cod", "Hen", "Ape"],
        "answer": 0,
    },
]
RIGHT = {"Crow", "Cod"}


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    path = tmp_path / "animals.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in DATASET), encoding="utf-8")
    return str(path)


def run(task: str, dataset: str, k: int, model: str, folder: Path) -> None:
    (log,) = inspect_eval(
        f"otherwords/{task}",
        task_args={"dataset_path": dataset, "k": k},
        model=model,
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success"


@pytest.mark.slow
def test_perturbations_by_entry_point_with_a_right_answerer(
    dataset: str, oracle: Callable[[set[str]], str], tmp_path: Path
) -> None:
    run("perturbation_stability", dataset, 5, oracle(RIGHT), tmp_path / "logs")
    table = load_all_results(tmp_path / "logs")
    assert set(table["task"]) == {"perturbation_stability"}
    kinds = table.filter(pl.col("id") == "q1").select("variant", "perturbation_kind").rows()
    assert set(kinds) >= {
        ("orig", "orig"),
        ("pert:punct", "punct"),
        ("pert:preamble", "preamble"),
        ("pert:order_swap", "order:swap"),
    }
    assert set(table["score"]) == {1.0}
    answers = dict(table.group_by("id").agg(pl.col("answer").unique()).iter_rows())
    assert answers == {"q1": ["B"], "q2": ["A"]}
    assert set(table["seed"]) == {123}


@pytest.mark.slow
def test_perturbations_unmask_one_who_always_says_a(dataset: str, scripted: Scripted, tmp_path: Path) -> None:
    run(
        "perturbation_stability", dataset, 5, scripted("first", lambda prompt: "ANSWER: A"), tmp_path / "logs"
    )
    table = load_all_results(tmp_path / "logs").filter(pl.col("id") == "q1")
    chosen = dict(table.select("variant", "pred_index").iter_rows())
    assert (chosen["orig"], chosen["pert:punct"], chosen["pert:order_swap"]) == (0, 0, 2)


@pytest.mark.slow
def test_paraphrases_by_entry_point(dataset: str, oracle: Callable[[set[str]], str], tmp_path: Path) -> None:
    run("paraphrase_consistency", dataset, 2, oracle(RIGHT), tmp_path / "logs")
    table = load_all_results(tmp_path / "logs")
    names = table.select("variant", "paraphrase_id").rows()
    assert set(names) == {("orig", "orig"), ("para1", "para1"), ("para2", "para2")}
    assert set(table["score"]) == {1.0}


def test_max_items_takes_the_first(dataset: str) -> None:
    task = paraphrase_consistency(dataset, k=1, max_items=1)
    assert {(sample.metadata or {})["item_id"] for sample in task.dataset} == {"q1"}


@pytest.mark.parametrize("make", [paraphrase_consistency, perturbation_stability])
def test_the_same_arguments_make_the_same_samples(make: Callable[..., object], dataset: str) -> None:
    first, second = make(dataset), make(dataset)
    assert first.version == second.version  # type: ignore[attr-defined]
    assert first.metadata["accepted"] == len(first.dataset)  # type: ignore[attr-defined]


def test_a_bad_dataset_is_an_input_error_in_python() -> None:
    with pytest.raises(InputError) as caught:
        paraphrase_consistency("nowhere.jsonl")
    assert str(caught.value) == "nowhere.jsonl: no such file"
    assert caught.value.file is not None


@pytest.mark.slow
def test_a_bad_dataset_is_one_sentence_on_inspects_command_line(tmp_path: Path) -> None:
    inspect = shutil.which("inspect", path=str(Path(sys.executable).parent))
    assert inspect is not None
    task = [inspect, "eval", "otherwords/paraphrase_consistency", "-T", "dataset_path=nowhere.jsonl"]
    done = subprocess.run(
        [*task, "--model", "mockllm/model", "--display", "plain"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "Error: nowhere.jsonl: no such file\n")


@pytest.mark.slow
def test_agents_are_solvers_by_entry_point(dataset: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "def run(input, letter):\n    return {key: letter for key in input}\n"
        "def answer(prompt):\n    return 'A'\n",
        encoding="utf-8",
    )
    chosen = {
        "hal_agent": {"agent_dir": str(tmp_path), "agent_args": {"letter": "B"}},
        "callable_agent": {"function": f"{tmp_path / 'main.py'}:answer"},
    }
    for name, arguments in chosen.items():
        (log,) = inspect_eval(
            paraphrase_consistency(dataset, k=1, max_items=1),
            solver=SolverSpec(f"otherwords/{name}", arguments, arguments),
            model=f"agent/{name}",
            log_dir=str(tmp_path / "logs"),
            display="none",
        )
        assert log.status == "success"
    rows = load_all_results(tmp_path / "logs").select("model", "score").unique().rows()
    assert sorted(rows) == [("agent/callable_agent", 0.0), ("agent/hal_agent", 1.0)]
