"""A run grows, is continued with what it began with alone, and never pays for the same twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, task_with
from inspect_ai.log import read_eval_log, write_eval_log

from otherwords.core.contract import CONTENT_KEY, FINGERPRINT_KEY, SETTINGS_KEY
from otherwords.core.errors import InputError, RunError
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.runs import RunSettings, build_task, run_tasks, samples_left
from otherwords.runs.earlier_runs import FoundRuns
from otherwords.runs.fingerprint import KnownAs

Scripted = Callable[[str, Callable[[str], str]], str]
WHOSE = "the run of task 'capitals' with model 'scripted/counted'"


def undo(folder: Path) -> str:
    return f"Undo the change to go on with that run, or begin another one: --log-dir {folder}-2"


def questions(count: int, wordings: int = 1, **metadata: Any) -> Task:
    items = [Item(id=f"q{n}", prompt=f"question {n}?", target=("Paris",)) for n in range(count)]
    variants: list[Variant] = []
    for item in items:
        variants.append(original(item))
        for k in range(1, wordings):
            name = f"para{k}"
            variants.append(
                replace(
                    variants[0],
                    id=variant_id(item.id, name),
                    item_id=item.id,
                    name=name,
                    kind="paraphrase",
                    prompt=f"wording {k} of {item.prompt}",
                )
            )
    task = build_task("capitals", items, variants)
    for sample in task.dataset:
        if metadata and str(sample.id).startswith("q1#"):
            sample.metadata = {**(sample.metadata or {}), **metadata}
    return task


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def model(asked: list[str], scripted: Scripted) -> str:
    return scripted("counted", lambda prompt: asked.append(prompt) or "Paris")


@pytest.mark.slow
def test_a_pilot_grows_and_nothing_is_asked_twice(model: str, asked: list[str], tmp_path: Path) -> None:
    for task, repeats in (
        (questions(2), 1),
        (questions(4), 1),  # more items
        (questions(4, wordings=3), 1),  # more wordings
        (questions(4, wordings=3), 2),  # more repeats
        (questions(6, wordings=4), 3),  # all at once
    ):
        before, total = len(asked), len(task.dataset) * repeats
        left = samples_left(task, model, log_dir=tmp_path, repeats=repeats)
        assert sum(left[model].values()) == total - before
        summary = run_tasks(task, model, log_dir=tmp_path, repeats=repeats)
        assert (summary.total, summary.finished, summary.reused) == (total, total, before)
        assert summary.calls == total - before
        assert len(asked) == total
    assert set(Counter(asked).values()) == {3}
    (log,) = [read_eval_log(str(path)) for path in tmp_path.glob("*.eval")]
    assert log.status == "success"
    assert set(log.eval.metadata[FINGERPRINT_KEY]) == {  # type: ignore[index]
        *("task", "solver", "scorer", "model_args", "generate", "limits", "agent", "roles")
    }
    assert all(CONTENT_KEY in sample.metadata for sample in log.samples or [])

    fewer = run_tasks(questions(2, wordings=2), model, log_dir=tmp_path, repeats=1)
    assert (fewer.total, fewer.finished, fewer.calls, fewer.logs) == (4, 4, 0, summary.logs)
    assert len(read_eval_log(str(summary.logs[0])).samples or []) == 72


@pytest.mark.slow
def test_a_model_that_joins_later_is_asked_all(model: str, scripted: Scripted, tmp_path: Path) -> None:
    run_tasks(questions(2), model, log_dir=tmp_path)
    other = scripted("late", lambda prompt: "Paris")
    summary = run_tasks(questions(4), [model, other], log_dir=tmp_path)
    assert (summary.finished, summary.reused, summary.calls) == (8, 2, 6)
    first = run_tasks(questions(4), other, log_dir=tmp_path)
    assert (first.finished, first.calls) == (4, 0)
    # One has all that is asked, and more; the other lacks some of it.
    third = scripted("latest", lambda prompt: "Paris")
    last = run_tasks(questions(3), [model, third], log_dir=tmp_path)
    assert (last.total, last.finished, last.reused, last.calls, len(last.logs)) == (6, 6, 3, 3, 2)


@pytest.mark.slow
def test_less_than_before_is_refused_while_something_is_missing(
    model: str, scripted: Scripted, tmp_path: Path
) -> None:
    def breaks(prompt: str) -> str:
        if "question 0" in prompt:
            raise RuntimeError("out of paper")
        return "Paris"

    scripted("counted", breaks)
    run_tasks(questions(3), model, log_dir=tmp_path, repeats=2)
    scripted("counted", lambda prompt: "Paris")
    for count, repeats, began in ((2, 2, "more samples, such as 'q2#orig'"), (3, 1, "--repeats 2")):
        with pytest.raises(InputError) as caught:
            run_tasks(questions(count), model, log_dir=tmp_path, repeats=repeats)
        assert str(caught.value) == (
            f"{tmp_path}: {WHOSE} was begun with {began}, and not all that is asked now has finished\n"
            "Ask for as many items, wordings and repeats as it was begun with, or more; or begin another "
            f"one: --log-dir {tmp_path}-2"
        )
    assert run_tasks(questions(3), model, log_dir=tmp_path, repeats=2).calls == 2


def test_a_sample_that_was_edited_is_named(model: str, asked: list[str], tmp_path: Path) -> None:
    run_tasks(questions(3, wordings=2, level="easy"), model, log_dir=tmp_path)
    before = len(asked)
    with pytest.raises(InputError) as caught:
        run_tasks(questions(4, wordings=2, level="hard"), model, log_dir=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: the sample of item 'q1' (wording 'orig') and of 1 more changed since {WHOSE} began\n"
        f"{undo(tmp_path)}"
    )
    assert len(asked) == before


def test_what_changed_is_named(model: str, tmp_path: Path) -> None:
    before = {"quiz.py": "1", "words.py": "1", "gone.py": "1", "a_package": "1.2", "-T n": "1"}
    after = {"quiz.py": "1", "words.py": "2", "new.py": "1", "a_package": "1.3", "-T n": "2"}
    (tmp_path.with_name(f"{tmp_path.name}-2")).mkdir()
    run_tasks(questions(1), model, log_dir=tmp_path, settings=RunSettings(task_sources=before))
    with pytest.raises(InputError) as caught:
        run_tasks(questions(1), model, log_dir=tmp_path, settings=RunSettings(task_sources=after))
    assert str(caught.value) == (
        f"{tmp_path}: the task's code or arguments changed since {WHOSE} began: -T n, a_package 1.2 → 1.3, "
        f"gone.py, new.py, words.py\nUndo the change to go on with that run, or begin another one: --log-dir "
        f"{tmp_path}-3"
    )


def as_of_0_1(log: Path, settings: RunSettings) -> None:
    """The log as version 0.1 wrote it, with one of its samples missing."""
    known = read_eval_log(str(log))
    known.eval.metadata = {SETTINGS_KEY: settings.hash}
    known.samples = [sample for sample in known.samples or [] if sample.id != "q1#orig"]
    for sample in known.samples:
        sample.metadata.pop(CONTENT_KEY)
    known.status = "error"
    write_eval_log(known, str(log))


@pytest.mark.slow
def test_a_run_of_version_0_1_is_continued_only_when_told_to(
    model: str, asked: list[str], tmp_path: Path
) -> None:
    (log,) = run_tasks(questions(3), model, log_dir=tmp_path).logs
    as_of_0_1(log, RunSettings())
    with pytest.raises(InputError) as caught:
        run_tasks(questions(3), model, log_dir=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: {WHOSE} was begun by version 0.1, which kept no trace of its code: whether that has "
        "changed since cannot be told\nIf it has not, go on with --adopt; else begin another run: --log-dir "
        f"{tmp_path}-2"
    )
    with pytest.raises(InputError, match="that used other wordings, settings or arguments"):
        run_tasks(questions(4), model, log_dir=tmp_path, adopt=True)
    summary = run_tasks(questions(3), model, log_dir=tmp_path, adopt=True)
    assert (summary.reused, summary.calls) == (2, 1)
    grown = run_tasks(questions(4), model, log_dir=tmp_path)  # it has a fingerprint by now
    assert (grown.reused, grown.calls, len(asked)) == (3, 1, 5)


def test_two_runs_of_the_same_are_not_told_apart_by_counting_files(model: str, tmp_path: Path) -> None:
    (log,) = run_tasks(questions(2), model, log_dir=tmp_path).logs
    known = read_eval_log(str(log))
    known.eval.task_id = "another"
    write_eval_log(known, str(tmp_path / "z.eval"))
    with pytest.raises(InputError) as caught:
        run_tasks(questions(2), model, log_dir=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: the folder holds two runs of task 'capitals' with model 'scripted/counted': {log.name} "
        "and z.eval\nMove the logs of one of them away, or begin another one: --log-dir "
        f"{tmp_path}-2"
    )


@pytest.mark.slow
def test_were_inspect_to_begin_anew_nothing_is_paid_for_twice(
    model: str, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_tasks(questions(3), model, log_dir=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.eval")}
    whole = FoundRuns.read

    def misread(*given: Any, **named: Any) -> FoundRuns:
        return replace(whole(*given, **named), known_as={"capitals": KnownAs("unknown to Inspect")})

    monkeypatch.setattr(FoundRuns, "read", misread)
    with pytest.raises(RunError) as caught:
        run_tasks(questions(4), model, log_dir=tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: stopped before anything was paid for twice: Inspect does not go on from this run's "
        "log, and asks again what has finished\nThe logs are as they were. Go on from the folder and with "
        f"the version of inspect_ai that it began with, or begin another one: --log-dir {tmp_path}-2"
    )
    assert len(asked) <= 4
    assert Counter(asked)["question 0?"] == 1
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.eval")} == before


def test_what_is_left_is_counted_without_a_trace(model: str, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    task = task_with(questions(2), name="other")
    assert samples_left(task, model, log_dir=folder, repeats=2) == {model: {"q0#orig": 2, "q1#orig": 2}}
    assert not folder.exists()
