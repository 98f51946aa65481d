"""Report data → the texts and counts that outputs share: headlines, sizes, sensitive and ambiguous items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.contract import ORIG
from otherwords.core.texts import by_severity
from otherwords.core.wording_names import wording_name
from otherwords.report.formats import TARGET, differs, floor_text, interval, is_uninformative, items_

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, AuditedRow, ReportData


C_OUT_CUT = 0.8
"""Of C_out, between consistent and not: a wording that comes out the same way 19 times in 20 has 0.81."""
QUADRANTS = {
    (True, True): "Deterministic and robust",
    (True, False): "Deterministic but brittle",
    (False, True): "Stochastic but robust",
    (False, False): "Stochastic and brittle",
}
"""HAL's, by whether C_out and S_prompt are high."""
NOT_ROBUST = "High S_prompt; the verdict does not say that wording has no effect"
"""In place of what HAL's quadrants would call robust."""
BAND_SHARES = {
    "all right": "always right: uninformative",
    "high": "low sensitivity, others",
    "medium": "medium sensitivity",
    "low": "high sensitivity",
    "all wrong": "always wrong: uninformative",
    "no variance": "fewer than two scored wordings",
}
"""The parts into which an agent's items fall, with what a reader is told of each."""


@dataclass(frozen=True)
class ItemCounts:
    """How many items an agent has, and how many of them the wording moves or cannot move."""

    total: int
    differ: int
    all_right: int
    all_wrong: int


@dataclass(frozen=True)
class Breakage:
    """A wording under which an item scored differently from the original."""

    variant: str
    name: str
    """Its kind and change in words."""
    score: float
    orig_score: float
    prompt: str | None
    answer: str | None

    @property
    def broke(self) -> bool:
        """Worse than the original; otherwise this wording did better."""
        return self.score < self.orig_score


def counts(data: ReportData, agent: AgentRow) -> ItemCounts:
    items = data.items_of(agent)
    flat = items.filter(is_uninformative())
    right = flat.filter(pl.col("mean_score") >= 1).height
    return ItemCounts(items.height, items.filter(differs()).height, right, flat.height - right)


def band_shares(data: ReportData, agent: AgentRow) -> dict[str, int]:
    """How many items are in each part of `BAND_SHARES`."""
    flat, mean = is_uninformative(), pl.col("mean_score")
    part = (
        pl.when(pl.col("band").is_null())
        .then(pl.lit("no variance"))
        .when(flat & (mean >= 1))
        .then(pl.lit("all right"))
        .when(flat)
        .then(pl.lit("all wrong"))
        .otherwise(pl.col("band"))
    )
    counted = dict(data.items_of(agent).group_by(part=part).len().iter_rows())
    return {name: int(counted.get(name, 0)) for name in BAND_SHARES}


def quadrant(agent: AgentRow) -> str | None:
    """Which of `QUADRANTS` the agent is in; None without repeats.

    Nothing is called robust that the verdict does not let be called so: there it is `NOT_ROBUST`.
    """
    c_out, s_prompt = (agent.estimates.get(name) for name in ("c_out", "s_prompt"))
    if c_out is None or s_prompt is None or c_out.value is None or s_prompt.value is None:
        return None
    name = QUADRANTS[c_out.value >= C_OUT_CUT, s_prompt.value >= TARGET]
    return NOT_ROBUST if s_prompt.value >= TARGET and not agent.verdict.robust else name


def wordings_text(data: ReportData, agent: AgentRow) -> str:
    """`6 wordings`, or `4 to 6 wordings` when items differ."""
    spread = data.wordings_range(agent)
    if spread is None:
        return "one wording"
    low, high = spread
    return f"{high} wordings" if low == high else f"{low} to {high} wordings"


def repeats_text(agent: AgentRow) -> str:
    return "1 repeat" if agent.repeats == 1 else f"{agent.repeats} repeats"


def size_text(data: ReportData, agent: AgentRow) -> str:
    return f"{items_(data.items_of(agent).height)} × {wordings_text(data, agent)} × {repeats_text(agent)}"


def most_sensitive(data: ReportData, agent: AgentRow, n: int) -> list[dict[str, Any]]:
    """Finds the items for which wording matters more likely than not.

    Args:
        data: what the report is about.
        agent: one of `data.agents`.
        n: at most so many items.

    Returns:
        Rows of the items frame, the most likely first; none where no effect of wording was found.
    """
    likely = {item.id for item in agent.verdict.items}
    return data.items_of(agent).filter(pl.col("id").is_in(likely)).head(n).to_dicts()


def breaking_wording(data: ReportData, agent: AgentRow, item_id: str) -> Breakage | None:
    """Finds the wording that moved an item's score furthest from the original's.

    Args:
        data: what the report is about.
        agent: one of `data.agents`.
        item_id: the item.

    Returns:
        The wording with both scores, a worse one before a better one; None where none scored differently.
    """
    cells = data.cells_of(agent).filter((pl.col("id") == item_id) & pl.col("score").is_not_null())
    original = cells.filter(pl.col("variant") == ORIG)
    if original.is_empty():
        return None
    orig_score = original.item(0, "score")
    others = cells.filter((pl.col("variant") != ORIG) & (pl.col("score") != orig_score)).to_dicts()
    if not others:
        return None
    worst = min(others, key=lambda cell: (cell["score"] > orig_score, -abs(cell["score"] - orig_score)))
    text = data.wordings.filter(task=agent.task, id=item_id, variant=worst["variant"])
    prompt = None if text.is_empty() else text.item(0, "prompt")
    name = wording_name(worst["kind"], worst["change"] or "") if worst["kind"] else worst["variant"]
    return Breakage(worst["variant"], name, worst["score"], orig_score, prompt, worst["answer"])


def headlines(data: ReportData) -> list[str]:
    """The sentence of each agent's verdict, what was found before what was not."""
    return [one.sentence for one in by_severity(agent.verdict for agent in data.agents)]


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


def templates_title(data: ReportData) -> str:
    """Of the part on templates; where there is but one, of that on the factors of a design."""
    ranked = any(one.ranking is not None for one in data.templates)
    return "Templates" if ranked else "Crossed factors"
