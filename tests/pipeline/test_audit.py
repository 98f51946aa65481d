"""Datasets and tasks that are audited before they are run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from otherwords.audit import audit_json
from otherwords.core.errors import InputError
from otherwords.pipeline.audit import (
    WITHOUT_QUESTION,
    audit_dataset,
    open_without_ambiguous,
    plan_choices_only,
    read_for_audit,
    run_choices_only,
)
from otherwords.pipeline.run_plan import plan_run
from otherwords.pipeline.suite import plan_suite, read_suite

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

@task
def quiz():
    return Task(
        dataset=[
            Sample(id="one", input="Which is a mammal?", choices=["Trout", "Dolphin"], target="B"),
            Sample(id="two", input="Which are metals?", choices=["Iron", "Iron.", "Tin"], target=["A", "C"]),
            Sample(id="three", input="Is it?", choices=["Yes", "No"], target="A"),
            Sample(id="four", input="Who?", target="me"),
        ],
        solver=multiple_choice(),
        scorer=choice(),
    )
"""


@pytest.fixture
def quiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("quiz.py").write_text(TASK)
    return "quiz.py@quiz"


def test_a_task_is_audited_with_all_its_options(quiz: str) -> None:
    source = read_for_audit(quiz)
    audit = audit_dataset(source.items, name=source.name)
    assert audit.name == "quiz"
    assert {one.id: one.reasons for one in audit.decisions} == {
        "one": (),
        "two": ("duplicate_options",),
        "three": ("boolean_like",),
    }
    assert audit.without_options == 1
    assert audit.position is not None
    assert audit.position.n == 2


def test_a_task_is_run_without_its_ambiguous_items(quiz: str, tmp_path: Path) -> None:
    source, left_out = open_without_ambiguous(quiz)
    assert [item.id for item in source.items] == ["one", "four"]
    assert (left_out.kept, left_out.count, left_out.labels) == (2, 2, {"ambiguous": 2})
    plan = plan_run(source, ["mockllm/model"], log_dir=tmp_path / "logs", repeats=1)
    assert {variant.item_id for variant in plan.variants} == {"one", "four"}
    assert {sample.metadata["item_id"] for sample in plan.task.dataset} == {"one", "four"}


def test_arguments_of_tasks_are_refused_for_files(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"choices": ["a", "b"]}\n')
    with pytest.raises(InputError, match=r"-T and --prompt-field are for Inspect tasks"):
        read_for_audit(path, task_args={"x": 1})


def test_a_clean_set_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Which?", "choices": ["Trout", "Dolphin"], "answer": "B"}\n')
    source, left_out = open_without_ambiguous(path)
    assert (len(source.items), source.left_out, left_out.count) == (1, (), 0)


def test_how_many_were_left_out_is_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(
        '{"id": "a", "question": "Which?", "choices": ["Trout", "Dolphin"], "answer": "B"}\n'
        '{"id": "b", "question": "Is it?", "choices": ["Yes", "No"], "answer": "B"}\n'
    )
    source, _ = open_without_ambiguous(path)
    plan = plan_run(source, ["mockllm/model"], log_dir=tmp_path / "logs", repeats=1)
    assert plan.task.metadata == {"constrain_choices": False, "left_out_as_ambiguous": 1}


def test_a_label_that_a_person_changed_stands(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    lines = (
        {"id": f"q{n}", "question": f"Is it {n}?", "choices": ["Yes", "No"], "answer": "A"} for n in (1, 2)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = json.loads(audit_json(audit_dataset(path)))
    found["decisions"][0]["label"] = "clean"
    labels = tmp_path / "audit.json"
    labels.write_text(json.dumps(found))
    source, left_out = open_without_ambiguous(path, audit_file=labels)
    assert [item.id for item in source.items] == ["q1"]
    assert left_out.reasons == {"boolean_like": 1}


def test_the_question_does_not_reach_the_model(
    scripted: Callable[[str, Callable[[str], str]], str], tmp_path: Path
) -> None:
    asked: list[str] = []
    model = scripted("b", lambda prompt: asked.append(prompt) or "ANSWER: B")
    items = audit_items()
    plan = plan_choices_only("quiz", items, model, log_dir=tmp_path / "logs")
    found, _ = run_choices_only(plan)
    assert found.asked == len(asked) == 2
    assert found.right is not None
    assert (found.right.count, found.right.n, found.right.chance) == (2, 2, pytest.approx(5 / 12))
    assert all(WITHOUT_QUESTION in prompt and "secret" not in prompt for prompt in asked)


def audit_items() -> list:  # type: ignore[type-arg]
    from otherwords.core.types import Item

    return [
        Item("a", "A secret question?", ("Trout", "Dolphin"), 1, {"hint": "secret"}),
        Item("b", "A secret question?", ("Trout", "Dolphin", "Frog"), 1),
        Item("c", "A secret question?", ("Trout", "Dolphin")),
        Item("d", "A secret question?", target=("x",)),
    ]


def test_without_right_answers_a_run_would_show_nothing(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^no item of 'quiz' has options and a known right answer, so a run"
    ):
        plan_choices_only("quiz", audit_items()[2:], "mockllm/model", log_dir=tmp_path)


def test_a_suite_can_leave_them_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text(
        '{"id": "a", "question": "Which?", "choices": ["Trout", "Dolphin"], "answer": "B"}\n'
        '{"id": "b", "question": "Is it?", "choices": ["Yes", "No"], "answer": "B"}\n'
    )
    suite = (
        "agents: [{model: mockllm/model}]\nexclude_ambiguous: %s\nbenchmarks: [{task: q.jsonl}]\nrepeats: 1\n"
    )
    for value, items in (("true", ["a"]), ("false", ["a", "b"])):
        Path("suite.yaml").write_text(suite % value + f"log_dir: logs-{value}\n")
        [plan] = plan_suite(read_suite("suite.yaml"))
        assert [item.id for item in plan.items] == items
    Path("suite.yaml").write_text(suite % "perhaps")
    with pytest.raises(
        InputError, match=r"^suite.yaml:2: exclude_ambiguous must be true or false, got 'perhaps'$"
    ):
        read_suite("suite.yaml")
