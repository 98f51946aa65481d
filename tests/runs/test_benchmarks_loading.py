"""Benchmarks whose data is not ours to ship, loaded by their own code from data of the same shape."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")

import pyarrow as pa
import pyarrow.parquet as pq
from inspect_ai import Task, task_with
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, read_eval_log

from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.items import items_from_task
from otherwords.results import read_results
from otherwords.runs import parse_selector, run_tasks, vary_task
from otherwords.runs.benchmarks import Benchmark, find_benchmark
from otherwords.runs.benchmarks.load import load_benchmark

pytestmark = pytest.mark.slow

Scripted = Callable[[str, Callable[[str], str]], str]


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every cache that a loader looks into is below this folder, and the Hub is out of reach."""
    import datasets
    import huggingface_hub.constants

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_EVALS_CACHE_DIR", str(tmp_path / "inspect_evals"))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for package in ("swebench", "gdown"):  # only looked for, not used, where the data is there
        (tmp_path / "packages" / package).mkdir(parents=True)
        (tmp_path / "packages" / package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    return tmp_path


def benchmark(name: str) -> Benchmark:
    found = find_benchmark(name)
    assert found is not None
    return found


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def read_items(name: str, task: Task) -> list[Item]:
    return items_from_task(task, parse_selector(benchmark(name).selector))


def reworded(item: Item, prompt: str) -> Variant:
    return replace(
        original(item), id=variant_id(item.id, "para1"), name="para1", kind="paraphrase", prompt=prompt
    )


def varied(name: str, task: Task, item: Item, prompt: str) -> Task:
    return vary_task(
        task, [original(item), reworded(item, prompt)], selector=parse_selector(benchmark(name).selector)
    )


def run(task: Task, model: str, folder: Path) -> EvalLog:
    summary = run_tasks(task, model, log_dir=folder)
    assert (summary.finished, summary.errored) == (summary.total, 0)
    return read_eval_log(str(summary.logs[0]), resolve_attachments=True)


def scores(folder: Path) -> dict[str, float]:
    table = read_results([folder]).outcomes
    assert set(table["status"]) == {"scored"}
    return dict(table.select("variant", "score").iter_rows())


GAIA_CARD = """---
configs:
- config_name: 2023_all
  data_files:
  - split: validation
    path: 2023/validation/metadata.parquet
---
"""


def test_gaia(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = caches / "inspect_evals" / "gaia_dataset" / "GAIA"
    rows = [
        {
            "task_id": name,
            "Question": question,
            "Level": "1",
            "Final answer": "3",
            "file_name": "",
            "Annotator Metadata": {"Steps": "1. Read it."},
        }
        for name, question in (("a-1", "How many albums came out?"), ("b-2", "What does the picture show?"))
    ]
    write_parquet(folder / "2023" / "validation" / "metadata.parquet", rows)
    (folder / "2023" / "validation" / "b-2.png").touch()
    (folder / "README.md").write_text(GAIA_CARD, encoding="utf-8")
    monkeypatch.setattr("inspect_evals.gaia.dataset.GAIA_DATASET_DIR", folder)

    task = load_benchmark(benchmark("gaia"))
    first, second = read_items("gaia", task)
    assert (first.prompt, second.prompt) == ("How many albums came out?", "What does the picture show?")
    sample = varied("gaia", task, second, "What can be seen in the picture?").dataset[1]
    assert isinstance(sample.input, str)
    assert sample.input.endswith("Here is the question:\n\nWhat can be seen in the picture?")
    assert "/shared_files/b-2.png" in sample.input
    assert sample.files == {"/shared_files/b-2.png": str(folder / "2023" / "validation" / "b-2.png")}
    assert sample.target == "3"


def swe_rows() -> list[dict[str, Any]]:
    return [
        {
            "instance_id": "django__django-11039",
            "problem_statement": "sqlmigrate adds BEGIN/COMMIT.\n\n`atomic = False` is ignored.",
            "PASS_TO_PASS": '["test_a"]',
            "FAIL_TO_PASS": '["test_b"]',
        }
        | dict.fromkeys(
            (
                "base_commit patch test_patch version repo environment_setup_commit hints_text created_at"
            ).split(),
            "x",
        )
    ]


def swe_bench_module() -> ModuleType:
    return import_module("inspect_evals.swe_bench.swe_bench")  # its package has a function of that name


@pytest.mark.parametrize("name", ["swebench_verified", "swebench_verified_mini"])
def test_swe_bench(caches: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    import datasets

    write_parquet(caches / "repository" / "data" / "test-00000-of-00001.parquet", swe_rows())
    (caches / "datasets" / benchmark(name).data.kept.replace("/", "___").lower()).mkdir(parents=True)
    really_load = datasets.load_dataset

    def from_disk(path: str, **rest: Any) -> Any:
        assert path == benchmark(name).data.kept
        return really_load(path=str(caches / "repository"), **rest)

    monkeypatch.setattr(datasets, "load_dataset", from_disk)
    monkeypatch.setattr(swe_bench_module(), "COMPOSE_FILES_DIR", caches / "compose")

    task = load_benchmark(benchmark(name))
    (item,) = read_items(name, task)
    assert item.prompt == swe_rows()[0]["problem_statement"]
    wording = "BEGIN/COMMIT are added by sqlmigrate.\n\n`atomic = False` is ignored."
    sample = varied(name, task, item, wording).dataset[1]
    assert sample.input == f"Please solve the following coding issue:\n\n{wording}"
    assert sample.sandbox == task.dataset[0].sandbox
    assert sample.metadata is not None
    assert sample.metadata["FAIL_TO_PASS"] == ["test_b"]


def test_swe_bench_from_a_folder_of_ones_own(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_parquet(caches / "mine" / "test.parquet", swe_rows())
    monkeypatch.setattr(swe_bench_module(), "COMPOSE_FILES_DIR", caches / "compose")
    task = load_benchmark(benchmark("swebench_verified"), {"dataset": str(caches / "mine")})
    assert [item.id for item in read_items("swebench_verified", task)] == ["django__django-11039"]


SOLUTION = "```python\nprint(int(input()) * 2)\n```"


def test_usaco_to_the_score(caches: Path, monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    folder = caches / "inspect_evals" / "usaco" / "data"
    tests = folder / "usaco_v3" / "tests" / "1_bronze_cows"
    tests.mkdir(parents=True)
    (tests / "1.in").write_text("4\n", encoding="utf-8")
    (tests / "1.out").write_text("8\n", encoding="utf-8")
    problem = {
        "problem_id": "1_bronze_cows",
        "cp_id": "1",
        "name": "Cows",
        "problem_level": "bronze",
        "num_tests": 1,
        "runtime_limit": 10,
        "memory_limit": 512,
        "description": "Farmer John has N cows.\nPrint twice their number.",
    }
    (folder / "usaco_subset307_dict.json").write_text(json.dumps({"1": problem}), encoding="utf-8")
    monkeypatch.setattr("inspect_evals.usaco.dataset.USACO_BASE_DIR", folder.parent)
    monkeypatch.setattr("inspect_evals.usaco.dataset.USACO_DATA_DIR", folder)

    task = load_benchmark(benchmark("usaco"))
    (item,) = read_items("usaco", task)
    assert item.prompt == problem["description"]
    wording = "There are N cows at Farmer John's.\nPrint twice their number."

    def solves_the_first_wording(prompt: str) -> str:
        return SOLUTION if "Farmer John has N cows." in prompt else "No idea."

    model = scripted("coder", solves_the_first_wording)
    # The machine itself in place of the container; the scorer and its tests are the benchmark's own.
    run(task_with(varied("usaco", task, item, wording), sandbox="local"), model, caches / "logs")
    assert scores(caches / "logs") == {"orig": 1.0, "para1": 0.0}


def test_assistantbench_to_the_score(
    caches: Path, monkeypatch: pytest.MonkeyPatch, scripted: Scripted
) -> None:
    import datasets

    name = "inspect_evals/assistant_bench_closed_book_zero_shot"
    rows = [
        {
            "id": key,
            "task": f"How many gyms are near {key}?",
            "answer": "3",
            "explanation": "",
            "difficulty": "Hard",
        }
        for key in "edcba"
    ]
    write_parquet(caches / "repository" / "validation.parquet", rows)
    (caches / "datasets" / "AssistantBench___assistant_bench").mkdir(parents=True)
    really_load = datasets.load_dataset
    monkeypatch.setattr(
        datasets,
        "load_dataset",
        lambda path, **rest: really_load(path=str(caches / "repository"), **rest),
    )

    task = load_benchmark(benchmark(name))
    items = read_items(name, task)
    assert [item.id for item in items] == list("abcde")  # though the task shuffles, and cannot be told not to

    def answers(prompt: str) -> str:
        return "The final answer is: 3" if prompt.startswith("How many") else "The final answer is: 5"

    wording = "What is the number of gyms near a?"
    log = run(varied(name, task, items[0], wording), scripted("closed", answers), caches / "logs")
    found = scores(caches / "logs")
    assert found["orig"] == 1.0
    assert 0.0 < found["para1"] < 1.0  # a number near the right one is partly right
    assert log.samples is not None
    assert log.samples[0].scores is not None
    assert log.samples[0].scores["one_number"].metadata == {
        "parts": {"score": 1.0, "is_answered": 1},
        "otherwords_outcome": "answered",
    }


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_scicode_to_the_score(caches: Path, monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    folder = caches / "inspect_evals" / "scicode" / "data"
    folder.mkdir(parents=True)
    steps = [
        {
            "step_number": f"9.{number}",
            "step_description_prompt": text,
            "function_header": f"def f{number}(x):",
            "return_line": "    return y",
            "step_background": "",
            "test_cases": [],
        }
        for number, text in ((1, "Write a function that doubles x."), (2, "Write a function that halves x."))
    ]
    problem = {"problem_id": "9", "required_dependencies": "import math", "sub_steps": steps}
    (folder / "problems_all.jsonl").write_text(json.dumps(problem) + "\n", encoding="utf-8")
    (folder / "test_data.h5").write_bytes(b"numbers")
    monkeypatch.setattr("inspect_evals.scicode.dataset.CACHE_DIR", folder)
    monkeypatch.setattr("inspect_evals.scicode.dataset.TEST_DATA_PATH", folder / "test_data.h5")
    monkeypatch.setattr("inspect_evals.scicode.dataset.TEST_DATA_SHA256", sha256(folder / "test_data.h5"))
    sums = {"problems_all": sha256(folder / "problems_all.jsonl")}
    monkeypatch.setattr("inspect_evals.scicode.dataset.CHECKSUMS", sums)

    task = load_benchmark(benchmark("scicode"))
    (item,) = read_items("scicode", task)
    assert isinstance(item.prompt, str)
    assert item.prompt == (
        "[PART 1 OF 2]\nWrite a function that doubles x.\n\n[PART 2 OF 2]\nWrite a function that halves x."
    )
    wording = item.prompt.replace("Write a function that", "Give a function which")
    local = task_with(varied("scicode", task, item, wording), sandbox="local")
    log = run(local, scripted("scientist", lambda prompt: "```python\ndef f(x): ...\n```"), caches / "logs")
    asked = {
        sample.metadata["variant"]: [
            event.input[-1].text for event in sample.events if isinstance(event, ModelEvent)
        ]
        for sample in log.samples or []
    }
    for place, step in enumerate(steps):
        old, new = (
            step["step_description_prompt"],
            f"Give a function which {'doubles' if place == 0 else 'halves'} x.",
        )
        assert old in asked["orig"][place]
        assert new in asked["para1"][place]
        assert old not in asked["para1"][place]
    # Outside the container the tests' own modules are missing, so that no step passes.
    assert scores(caches / "logs") == {"orig": 0.0, "para1": 0.0}
