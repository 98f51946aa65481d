"""Logs and thresholds → decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, cast
from xml.etree import ElementTree

import polars as pl

from otherwords.core.errors import InputError
from otherwords.metrics import Decision, compare, gate, summarise
from otherwords.results import load_all_results

FALLING = ("accuracy", "s_prompt")


def check(
    logs: str | Path | Sequence[str | Path],
    thresholds: Mapping[str, float],
    *,
    benchmark: str | None = None,
    baseline: str | Path | None = None,
    max_fall: float = 0.0,
    on: str = "bound",
) -> tuple[list[Decision], list[str]]:
    """One decision for each task, model and threshold; and what to know about the comparison."""
    judged = cast(Literal["bound", "value"], on)
    table = load_all_results(logs)
    decisions: list[Decision] = []
    for task in _tasks(table, benchmark):
        for estimates in summarise(table, task).values():
            decisions += gate(estimates, thresholds, on=judged)
    if baseline is None:
        return decisions, []
    falls, notes = _falls(table, load_all_results(baseline), benchmark, max_fall, judged)
    return decisions + falls, notes


def _tasks(table: pl.DataFrame, benchmark: str | None) -> list[str]:
    return [benchmark] if benchmark is not None else table["task"].unique(maintain_order=True).to_list()


def _falls(
    table: pl.DataFrame,
    before: pl.DataFrame,
    benchmark: str | None,
    max_fall: float,
    on: Literal["bound", "value"],
) -> tuple[list[Decision], list[str]]:
    """A fall counts when the whole interval of the change is below the allowance."""
    decisions: list[Decision] = []
    notes: list[str] = []
    for task in _tasks(table, benchmark):
        now = table.filter(task=task) if benchmark is None else table
        then = before.filter(task=task) if benchmark is None else before
        models = [model for model in now["model"].unique(maintain_order=True) if model in set(then["model"])]
        if not models:
            raise InputError(f"the baseline has no model of task '{task}' in common with the logs")
        for model in models:
            found = compare(then, now, benchmark, model_a=model, model_b=model, metrics=FALLING)
            notes += [f"{model}: {note}" for note in found.notes]
            for one in found.differences:
                bound = one.change.high if on == "bound" else one.change.value
                passed = one.change.value is not None and (
                    bound is None or bound >= -max_fall or one.change.value >= -max_fall
                )
                decisions.append(
                    Decision(
                        name=f"max_fall_of_{one.metric}",
                        metric=one.metric,
                        group=model,
                        threshold=max_fall,
                        value=one.change.value,
                        bound=bound,
                        passed=passed,
                        why=_why_fall(one.change.value, one.change.low, one.change.high, max_fall, passed),
                    )
                )
    return decisions, notes


def _why_fall(
    value: float | None, low: float | None, high: float | None, max_fall: float, passed: bool
) -> str:
    if value is None:
        return "there is nothing to compare with the baseline"
    between = "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
    verdict = "not a fall beyond doubt" if passed and value < -max_fall else "" if passed else "it fell"
    allowed = f"may fall by {max_fall:g}, the change is {value:+.3f}{between}"
    return f"{allowed}; {verdict}" if verdict else allowed


def junit_xml(decisions: Sequence[Decision]) -> bytes:
    """One test case for each decision, as CI systems read them."""
    failed = sum(not one.passed for one in decisions)
    suite = ElementTree.Element(
        "testsuite", name="otherwords check", tests=str(len(decisions)), failures=str(failed), errors="0"
    )
    for one in decisions:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(one.group), name=one.name.replace("_", "-")
        )
        if not one.passed:
            ElementTree.SubElement(case, "failure", message=_xml(one.why)).text = _xml(one.why)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _xml(text: str) -> str:
    """XML has no place for control characters."""
    return "".join(c if c in "\t\n" or ord(c) >= 32 else "\N{REPLACEMENT CHARACTER}" for c in text)
