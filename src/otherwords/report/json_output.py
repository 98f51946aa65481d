"""Report data → the JSON of `otherwords report --json`: each agent's estimates, verdicts, findings."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from otherwords.core.types import Estimate
from otherwords.report.data import AgentRow, AuditedRow, BaselineRow, ReportData, RunPoint
from otherwords.report.formats import band_of
from otherwords.report.messages import band_shares, counts, headlines, quadrant

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
