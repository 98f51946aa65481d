"""Runs whose logs are pinned: what is kept in them, and whether they are gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import doors
import pin_provider  # noqa: F401  it registers its model with Inspect
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from pin_data import V0_1, plain

INTERRUPTED = V0_1 / "interrupted"
"""Folders of logs of runs that version 0.1 did not finish."""
WORDINGS = ("--families", "paraphrase,format,options,control", "-k", "6")
_QUIZ = ("run", "quiz.py@capitals", "--model", "quizzed/x", "--families", "paraphrase,format", "-k", "2")
_QUESTIONS = ("run", "questions.jsonl", "--variants", "variants.jsonl", "--model", "pinned/x")
_AGENT = ("run", "questions.jsonl", "--agent", "mine.py:answer", "--agent-name", "mine")
WHOLE_RUNS = {
    "logs": (*_QUIZ, "--repeats", "2"),
    "logs-questions": (*_QUESTIONS, "--repeats", "1", "--temperature", "0.5", "--system-message", "Say it."),
}
RESUMED = {
    "task": (*_QUIZ, "--repeats", "2", "--max-tokens", "20"),
    "dataset": (*_QUESTIONS, "--repeats", "2", "--model-seed", "3"),
    "agent": (*_AGENT, "--repeats", "1", "-k", "3"),
    "killed": (*_QUIZ, "--repeats", "2", "-T", "country=island"),
}
BUDGETS = {
    "task": ("--budget", "calls=11", "--max-connections", "2"),
    "dataset": ("--budget", "calls=17", "--max-connections", "2"),
    "agent": ("--budget", "calls=7"),
}
"""By which they were interrupted, except for the one that was killed."""
FRESH_RUNS = {
    "task": (*_QUIZ, "--repeats", "1", "--max-tokens", "9", "-T", "country=town"),
    "dataset": (*_QUESTIONS, "--repeats", "1", "--temperature", "0"),
    "agent": (*_AGENT, "--repeats", "1", "-k", "5", "--families", "paraphrase,format,options,naturalistic"),
}
_ABOUT_THE_RUN = ("log", "seconds")


def logs_in(folder: str | Path) -> list[EvalLog]:
    return [read_eval_log(info) for info in list_eval_logs(str(folder))]


def finished(folder: str | Path) -> list[list[Any]]:
    """Id and epoch of each sample that has a score."""
    if not Path(folder).is_dir():
        return []
    return sorted(
        [str(sample.id), sample.epoch]
        for log in logs_in(folder)
        for sample in log.samples or []
        if sample.scores and not sample.error
    )


def outcome_rows(folder: str | Path) -> list[dict[str, Any]]:
    """The table of the logs, without what differs from run to run."""
    table = doors.load_all_results(folder)
    kept = table.drop(name for name in _ABOUT_THE_RUN if name in table.columns)
    keys = ("task", "model", "id", "variant", "repeat")
    return sorted((plain(row) for row in kept.to_dicts()), key=lambda row: [row[key] for key in keys])


def metadata_pin(name: str) -> dict[str, Any]:
    """What our code puts into the log of one of `FRESH_RUNS`: names, hashes, metadata."""
    folder = f"fresh-{name}"
    ended = doors.command(*FRESH_RUNS[name], "--log-dir", folder)
    assert ended.code == 0, ended.err
    (log,) = logs_in(folder)
    samples = log.samples or []
    return {
        "files": sorted(path.name for path in Path(folder).iterdir() if path.suffix != ".eval"),
        "task": {
            "name": log.eval.task,
            "version": str(log.eval.task_version),
            "file": log.eval.task_file,
            "args": plain(log.eval.task_args),
            "model": log.eval.model,
            "solver": log.eval.solver,
            "solver_args": plain(log.eval.solver_args),
            "dataset": log.eval.dataset.name,
            "tags": plain(log.eval.tags),
            "metadata": plain(log.eval.metadata),
            "scorers": [one.name for one in log.eval.scorers or []],
            "plan": [step.solver for step in log.plan.steps],
        },
        "samples": {
            f"{sample.id} {sample.epoch}": {
                "input": sample.input if isinstance(sample.input, str) else "chat",
                "choices": plain(sample.choices),
                "target": plain(sample.target),
                "metadata": plain(sample.metadata),
                "store": sorted(sample.store),
                "scores": {
                    scorer: {
                        "value": plain(score.value),
                        "answer": score.answer,
                        "metadata": plain(score.metadata),
                    }
                    for scorer, score in (sample.scores or {}).items()
                },
            }
            for sample in samples
        },
    }
