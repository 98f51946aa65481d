"""Report data → its tables as CSV files, JSON, LaTeX with booktabs; any frame as safe CSV or LaTeX."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from otherwords.core.contract import ANSWERED, OUTCOMES, STATUSES
from otherwords.core.texts import count_text, percent, point_number, share_text
from otherwords.core.types import Estimate
from otherwords.core.verdict import Evidence
from otherwords.report.data import AgentRow, AuditedRow, BaselineRow, ReportData, RunPoint
from otherwords.report.escape import csv_cell, one_line
from otherwords.report.formats import (
    band_of,
    bound_columns,
    floor_text,
    interval,
    interval_columns,
    is_uninformative,
)
from otherwords.report.messages import band_shares, counts, headlines, quadrant

EXTRA_ESTIMATES = (
    "accuracy_orig",
    "s_norm",
    "consistency_at_k",
    "pairwise_agreement",
    "c_out",
    "fragility_score",
    "excess_flips",
    "delta_accuracy",
    "format_failure_rate",
    "phrasing",
    "noise",
    "phrasing_share",
    "s_corrected",
    "responsiveness",
    "r_fault",
    *(f"{outcome}_rate" for outcome in OUTCOMES if outcome != ANSWERED),
)


def task_level_csv(data: ReportData) -> str:
    """One row for each item of each agent."""
    frame = data.items.select(
        agent="model",
        benchmark="task",
        task_id="id",
        n_variations="n_variants",
        mean_score="mean_score",
        variance="variance",
        s_task="s_task",
        min_max_gap="min_max_gap",
        band="band",
        uninformative=is_uninformative(),
        n_rows="n_rows",
        n_missing="n_missing",
        audit="audit",
        probability_wording_matters="probability",
    )
    return frame_csv(frame)


def agent_level_csv(data: ReportData) -> str:
    """One row for each agent on each benchmark."""
    rows = []
    for agent in data.agents:
        value = {name: estimate.value for name, estimate in agent.estimates.items()}
        row: dict[str, object] = {"agent": agent.model, "benchmark": agent.task}
        row |= interval_columns(agent.estimates, "s_prompt")
        row |= {
            "mean_variance": value.get("mean_variance"),
            "std_variance": value.get("std_variance"),
            "mean_min_max_gap": value.get("min_max_gap"),
            "max_min_max_gap": value.get("max_min_max_gap"),
            "num_tasks": data.items_of(agent).height,
        }
        row |= interval_columns(agent.estimates, "accuracy")
        row |= {"band": band_of(value.get("s_prompt")), "s_prompt_floor": data.floor(agent)}
        row |= {"repeats": agent.repeats, "level": data.level, "ddof": data.ddof}
        row |= interval_columns(agent.estimates, *EXTRA_ESTIMATES)
        row |= bound_columns(agent.estimates, "accuracy", "accuracy_orig", "delta_accuracy")
        row |= {f"rows_{status}": agent.statuses.get(status, 0) for status in STATUSES}
        row |= {f"outcome_{outcome}": agent.outcomes.get(outcome, 0) for outcome in OUTCOMES}
        rows.append(row)
    return frame_csv(pl.DataFrame(rows, infer_schema_length=None))


def outcome_rates_csv(data: ReportData) -> str:
    """One row for each agent, kind and change of wording, and outcome but `answered` that it has."""
    return frame_csv(data.outcome_rates.rename({"model": "agent", "task": "benchmark"}, strict=False))


def frame_csv(frame: pl.DataFrame) -> str:
    """A table whose texts a spreadsheet shows and does not run."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    safe = frame.with_columns(_safe(frame[name]) for name in texts)
    safe = safe.rename({name: csv_cell(name) or "" for name in frame.columns})
    return safe.write_csv()


_PLAIN = r"\A[0-9A-Za-z][ -~]*\z"
"""Text that a spreadsheet shows as it is."""


def _safe(texts: pl.Series) -> pl.Series:
    if texts.str.contains(_PLAIN).all():
        return texts
    each = texts.unique().drop_nulls()
    safe: pl.Series = texts.replace_strict(
        each, [csv_cell(text) for text in each], default=None, return_dtype=pl.String
    )
    return safe


FORMAT, VERSION = "otherwords-report", 2


def report_json(data: ReportData) -> str:
    """Writes a report as JSON text.

    Args:
        data: what the report is about.

    Returns:
        JSON in ASCII: texts are as they were read, and what a terminal would obey is written as its number.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "title": data.title,
        "level": data.level,
        "ddof": data.ddof,
        "public": data.public,
        "findings": headlines(data),
        "agents": [_agent(data, agent) for agent in data.agents],
        "without_ambiguous": [_audited(row) for row in data.audited],
        "history": [_point(point) for point in data.history],
        "baseline": [_baseline(row) for row in data.baseline],
        "templates": [one.to_json() for one in data.templates],
        "trajectories": [one.to_json() for one in data.trajectories],
        "provenance": None if data.provenance is None else asdict(data.provenance),
        "logs": [asdict(log) for log in data.logs],
        "skipped": [asdict(skip) for skip in data.skipped],
        "notes": list(data.notes),
    }
    return json.dumps(content, indent=2, allow_nan=False)


def _agent(data: ReportData, agent: AgentRow) -> dict[str, Any]:
    s_prompt = agent.estimates.get("s_prompt")
    return {
        "model": agent.model,
        "benchmark": agent.task,
        "verdict": agent.verdict.to_json(),
        "band": band_of(s_prompt.value if s_prompt else None),
        "s_prompt_floor": data.floor(agent),
        "quadrant": quadrant(agent),
        "repeats": agent.repeats,
        "stopped": agent.stopped and dict(agent.stopped),
        "rows": dict(agent.statuses),
        "rows_by_outcome": dict(agent.outcomes),
        "rows_without_score": dict(agent.unscored),
        "items": asdict(counts(data, agent)),
        "items_by_band": band_shares(data, agent),
        "estimates": {name: _estimate(one) for name, one in agent.estimates.items()},
        "flips_by_kind": {kind: _estimate(one) for kind, one in agent.flips.items()},
        "changes": data.kinds_of(agent).drop("task", "model").to_dicts(),
        "outcome_rates": data.outcome_rates_of(agent).drop("task", "model", strict=False).to_dicts(),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    found = asdict(estimate)
    del found["metric"], found["group"]
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in found.items()
    }


def _audited(row: AuditedRow) -> dict[str, Any]:
    return {
        "model": row.model,
        "benchmark": row.task,
        "items_by_label": dict(row.labels),
        "items_by_reason": dict(row.reasons),
        "items_left": row.total - row.flagged,
        "s_prompt_floor": row.floor,
        "estimates": {name: _estimate(one) for name, one in row.estimates.items()},
    }


def _baseline(row: BaselineRow) -> dict[str, Any]:
    return {
        "model": row.model,
        "benchmark": row.task,
        "newly_broken": list(row.broken),
        "newly_fixed": list(row.fixed),
        "unchanged": row.unchanged,
        "accuracy_change": _estimate(row.change),
        "p": row.p,
    }


def _point(point: RunPoint) -> dict[str, Any]:
    return {
        "model": point.model,
        "benchmark": point.task,
        "run": point.label,
        "items": point.n_items,
        "s_prompt_floor": point.floor,
        "estimates": {name: _estimate(one) for name, one in point.estimates.items()},
    }


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "—": "---",
    "–": "--",
    "--": "-{}-",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{one: f"\\{one}" for one in "&%$#_{}"},
}
"""Also what would be read as more than a letter behind the end of a row, or beside its like."""
_TO_ESCAPE = re.compile("|".join(re.escape(one) for one in _SPECIAL) + "|[^\\x20-\\x7e\\xa1-\\xff]")
"""With all letters that pdfLaTeX has no font for unless a document sets one up."""
HEAD = "% Needs \\usepackage{booktabs}, \\usepackage{graphicx} and \\usepackage[T1]{fontenc}.\n"
_AS_WIDE = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""No wider than the text."""


def latex_tables(data: ReportData) -> str:
    """The text of `tables.tex`."""
    return HEAD + "\n".join([_agents(data), _changes(data), _hal(data)])


def latex_text(text: object) -> str:
    """One line of plain text inside LaTeX: no command, no comment, no formula; other scripts as numbers."""
    return _TO_ESCAPE.sub(
        lambda found: _SPECIAL.get(found[0]) or f"{{[}}U+{ord(found[0]):04X}{{]}}", one_line(text)
    )


def _agents(data: ReportData) -> str:
    head = (
        "Agent",
        "Benchmark",
        "Accuracy",
        "Lost",
        "Excess flips",
        "Phrasing share",
        "No score",
        "$n$",
        "Effect",
    )
    rows = []
    for agent in data.agents:
        one = agent.verdict
        rows.append(
            [
                latex_text(agent.model),
                latex_text(agent.task),
                latex_text(percent(one.accuracy.value))
                + _between(one.accuracy.low, one.accuracy.high, percent),
                _points(one.loss),
                _points(one.excess_flips),
                latex_text(share_text(one)),
                latex_text(percent(one.unscored.share)),
                count_text(one.n_items),
                latex_text(one.effect),
            ]
        )
    caption = (
        "Effect of rewording. Lost: accuracy on the original minus accuracy over all rewordings, in "
        "percentage points; excess flips: answers that differ from the original's beyond those that differ "
        f"when it is asked again, in points. In brackets: {100 * data.level:g}% intervals. $n$: items."
    )
    return latex_table(head, rows, caption.replace("%", r"\%"), "tab:agents", left=2)


def _changes(data: ReportData) -> str:
    head = ("Agent", "Benchmark", "Change", "Points lost", "$p$", "$n$")
    rows = []
    for agent in data.agents:
        for one in agent.verdict.changes:
            loss = one.loss
            p = "---" if loss.p is None else "$<$ .001" if loss.p < 0.001 else f"{loss.p:.3f}".lstrip("0")
            size = _number(loss.value) + _between(loss.corrected_low, loss.corrected_high, point_number)
            cells = (agent.model, agent.task, one.name)
            rows.append([*map(latex_text, cells), size, p, count_text(loss.n_items)])
    caption = (
        "What each kind of change costs against the original wording of the same items; a negative number "
        "is a gain. Intervals are corrected for the number of questions asked; $p$ is not. $n$: items."
    )
    return latex_table(head, rows, caption, "tab:changes", left=3)


def _hal(data: ReportData) -> str:
    head = (
        "Agent",
        "Benchmark",
        r"$S_\mathrm{prompt}$",
        "Lowest",
        "Mean variance",
        "Mean gap",
        r"$C_\mathrm{out}$",
    )
    rows = [
        [
            latex_text(agent.model),
            latex_text(agent.task),
            latex_text(interval("s_prompt", agent.estimates.get("s_prompt"))),
            latex_text(floor_text(data.floor(agent))),
            *(
                latex_text(interval(name, agent.estimates.get(name)))
                for name in ("mean_variance", "min_max_gap", "c_out")
            ),
        ]
        for agent in data.agents
    ]
    caption = (
        "HAL's measures. Lowest: the lowest $S_\\mathrm{prompt}$ that this many wordings allow. In brackets: "
        f"{100 * data.level:g}\\% intervals."
    )
    return latex_table(head, rows, caption, "tab:hal", left=2)


def _points(evidence: Evidence) -> str:
    return _number(evidence.value) + _between(evidence.low, evidence.high, point_number)


def _number(value: float | None) -> str:
    return "---" if value is None else latex_text(point_number(value))


def _between(low: float | None, high: float | None, text: object) -> str:
    assert callable(text)
    return "" if low is None or high is None else f" ({latex_text(text(low))} to {latex_text(text(high))})"


def latex_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, label: str, *, left: int
) -> str:
    """A table with rules of booktabs; the first `left` columns are of text. Cells are LaTeX already."""
    columns = "l" * left + "r" * (len(head) - left)
    lines = [f"    {' & '.join(row)} \\\\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{caption}}}",
            f"  \\label{{{label}}}",
            _AS_WIDE,
            f"  \\begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {' & '.join(head)} \\\\",
            r"    \midrule",
            *lines,
            r"    \bottomrule",
            r"  \end{tabular}}",
            r"\end{table}",
            "",
        ]
    )
