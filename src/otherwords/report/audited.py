"""Report data with an audit → a table and sentences: robustness with and without ambiguous items."""

from __future__ import annotations

from otherwords.report.data import AgentRow, AuditedRow, ReportData
from otherwords.report.formats import floor_text, interval, items_

COLUMNS = (
    ("Accuracy", "accuracy"),
    ("S_prompt", "s_prompt"),
    ("S_norm", "s_norm"),
    ("Same answer", "consistency_at_k"),
    ("Flips", "fragility_score"),
    ("Accuracy lost", "delta_accuracy"),
)
ALL, WITHOUT = "all", "without ambiguous"
MOST_REASONS = 4


def audit_table(data: ReportData) -> tuple[tuple[str, ...], list[list[str]]]:
    """Its heading and two rows for each agent: with every item, and without those that are not clean."""
    titles = [title for title, _ in COLUMNS]
    head = ("Agent", "Items", "n", *titles[:2], "Lowest possible", *titles[2:])
    rows = []
    for agent, row in _paired(data):
        known = [agent.estimates.get(name) for _, name in COLUMNS]
        left = [row.estimates.get(name) for _, name in COLUMNS]
        for which, count, found, floor in (
            (ALL, row.total, known, data.floor(agent)),
            (WITHOUT, row.total - row.flagged, left, row.floor),
        ):
            values = [interval(name, one) for (_, name), one in zip(COLUMNS, found, strict=True)]
            rows.append([data.name(agent), which, f"{count:,}", *values[:2], floor_text(floor), *values[2:]])
    return head, rows


def audit_sentences(data: ReportData) -> list[str]:
    """How many items are not clean and why, once where it is the same for all agents of a benchmark."""
    said: dict[str, None] = {}
    for _, row in _paired(data):
        where = "" if len(data.tasks) == 1 else f"{row.task}: "
        said[where + _sentence(row)] = None
    return list(said)


def _sentence(row: AuditedRow) -> str:
    unseen = row.labels.get("not audited", 0)
    stay = "was not audited and stays in" if unseen == 1 else "were not audited and stay in"
    more = f" {items_(unseen)} {stay}." if unseen else ""
    if not row.flagged:
        return f"All {items_(row.total - unseen)} that were audited have clean options.{more}"
    reasons = [f"{code} {count:,}" for code, count in row.reasons.items()]
    if len(reasons) > MOST_REASONS + 1:
        reasons[MOST_REASONS:] = [f"{len(reasons) - MOST_REASONS} other reasons"]
    because = f" ({', '.join(reasons)})" if reasons else ""
    are = "is" if row.flagged == 1 else "are"
    return (
        f"By their options alone, {row.flagged:,} of {items_(row.total)} {are} ambiguous or unanswerable "
        f"before any rewording{because}.{more}"
    )


def _paired(data: ReportData) -> list[tuple[AgentRow, AuditedRow]]:
    rows = {row.key: row for row in data.audited}
    return [(agent, rows[agent.key]) for agent in data.agents if agent.key in rows]
