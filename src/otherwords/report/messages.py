"""Report data → the sentences that every output shares: verdicts, cautions, rankings and findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.contract import ANSWERED, ORIG, SCORED
from otherwords.core.types import Estimate
from otherwords.report.formats import (
    MEDIUM,
    TARGET,
    band_of,
    differs,
    interval,
    is_uninformative,
    items_,
    number,
    points,
    sensitivity,
)

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData

NOISE = "run-to-run noise (the same prompt asked again)"
ONE_REPEAT = (
    f"Each wording was run once, so the effect of phrasing and {NOISE} are not separated. "
    "Rerun with --repeats 3 to tell them apart."
)
MOSTLY_WRONG = 0.1
C_OUT_CUT = 0.8
"""Of C_out, between consistent and not: a wording that comes out the same way 19 times in 20 has 0.81."""
QUADRANTS = {
    (True, True): "Deterministic and robust",
    (True, False): "Deterministic but brittle",
    (False, True): "Stochastic but robust",
    (False, False): "Stochastic and brittle",
}
"""By whether C_out and S_prompt are high."""
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
class Verdict:
    """What a report says of one agent.

    Attributes:
        headline: one sentence in plain words.
        numbers: the estimates behind it, with their intervals.
        cautions: sentences without which the headline would mislead.
        band: HAL's band of S_prompt: high, medium or low.
    """

    headline: str
    numbers: str
    cautions: tuple[str, ...]
    band: str | None


@dataclass(frozen=True)
class ItemCounts:
    """How many items an agent has, and how many of them the wording moves or cannot move."""

    total: int
    differ: int
    all_right: int
    all_wrong: int

    @property
    def uninformative(self) -> int:
        return self.all_right + self.all_wrong


@dataclass(frozen=True)
class Breakage:
    """A wording under which an item scored differently from the original."""

    variant: str
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
    """Which of `QUADRANTS` the agent is in; None without repeats."""
    c_out, s_prompt = (agent.estimates.get(name) for name in ("c_out", "s_prompt"))
    if c_out is None or s_prompt is None or c_out.value is None or s_prompt.value is None:
        return None
    return QUADRANTS[c_out.value >= C_OUT_CUT, s_prompt.value >= TARGET]


def verdict(data: ReportData, agent: AgentRow) -> Verdict:
    """Sums up one agent of a report in sentences.

    Args:
        data: what the report is about.
        agent: one of `data.agents`.

    Returns:
        A headline, the numbers behind it, the cautions that belong to it, and the band of S_prompt.
    """
    accuracy, s_prompt = agent.estimates.get("accuracy"), agent.estimates.get("s_prompt")
    count = counts(data, agent)
    floor = data.floor(agent)
    if s_prompt is None or s_prompt.value is None:
        reason = (s_prompt.reason.rstrip(".") if s_prompt else "") or "no item has two scored wordings"
        right = f"Right {interval('accuracy', accuracy)} of the time." if accuracy else ""
        return Verdict(
            f"Robustness could not be measured: {reason}.", right, tuple(_cautions(data, agent)), None
        )
    band = band_of(s_prompt.value)
    level = f"{100 * data.level:g}% interval"
    numbers = (
        f"Right {_with_level('accuracy', accuracy, level)} of the time; "
        f"S_prompt {_with_level('s_prompt', s_prompt, level)}, {sensitivity(band)}"
    )
    if floor is not None:
        numbers += f", lowest possible value: {floor:.2f}"
    s_norm = agent.estimates.get("s_norm")
    if s_norm is not None and s_norm.value is not None:
        numbers += f"; S_norm {interval('s_norm', s_norm)} on a full scale from 0 to 1"
    return Verdict(_headline(count), f"{numbers}.", tuple(_cautions(data, agent)), band)


def _headline(count: ItemCounts) -> str:
    if count.differ:
        return f"The score differs between wordings on {count.differ} of {items_(count.total)}."
    if count.total == count.uninformative:
        return (
            f"The same outcome under every wording on all {items_(count.total)}: "
            f"{count.all_right} always right, {count.all_wrong} always wrong."
        )
    return f"The same score under every wording on all {items_(count.total)}."


def _cautions(data: ReportData, agent: AgentRow) -> list[str]:
    lines = []
    count, floor = counts(data, agent), data.floor(agent)
    accuracy, share = agent.estimates.get("accuracy"), agent.estimates.get("phrasing_share")
    if agent.repeats <= 1:
        lines.append(ONE_REPEAT)
    elif share is not None and share.value is not None:
        lines.append(
            f"Of the variance between runs of an item, {interval('phrasing_share', share)} comes from "
            f"phrasing and the rest from {NOISE}."
        )
    if accuracy is not None and accuracy.value is not None and accuracy.value <= MOSTLY_WRONG:
        lines.append("It is nearly always wrong: robustness means little until it can do the task.")
    if count.uninformative:
        lines.append(
            f"{items_(count.uninformative)} {'is' if count.uninformative == 1 else 'are'} always right or "
            f"always wrong: {count.all_right} right, {count.all_wrong} wrong."
        )
    if floor is not None and floor >= MEDIUM - 1e-9:
        lines.append(
            f"With {wordings_text(data, agent)} an item, S_prompt cannot go below {floor:.2f}, so high "
            "sensitivity is out of reach; S_norm uses the whole scale."
        )
    lost = agent.unscored or {name: n for name, n in agent.statuses.items() if name != SCORED and n}
    if lost:
        total = sum(agent.statuses.values())
        parts = ", ".join(f"{n:,} {_cause(name)}" for name, n in lost.items())
        lines.append(f"Runs without a score: {sum(lost.values()):,} of {total:,} ({parts}).{_bounds(agent)}")
    return lines


def _cause(outcome: str) -> str:
    return "answered and not scored" if outcome == ANSWERED else outcome.replace("_", " ")


def _bounds(agent: AgentRow) -> str:
    """What the runs without a score could make of accuracy and of what rewording costs."""
    told = []
    for name, what in (("accuracy", "accuracy"), ("delta_accuracy", "the accuracy lost by rewording")):
        one = agent.estimates.get(name)
        if one is not None and one.low_if_missing is not None and one.high_if_missing is not None:
            told.append(f"{what} {number(name, one.low_if_missing)} to {number(name, one.high_if_missing)}")
    return f" If they had all been wrong, or right: {', '.join(told)}." if told else ""


def _with_level(name: str, estimate: Estimate | None, level: str) -> str:
    text = interval(name, estimate)
    return text.replace("(", f"({level} ", 1) if "(" in text else text


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
    """Finds the items that wording moves most.

    Args:
        data: what the report is about.
        agent: one of `data.agents`.
        n: at most so many items.

    Returns:
        Rows of the items frame whose scores differ between wordings, largest variance first.
    """
    return data.items_of(agent).filter(differs()).head(n).to_dicts()


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
    return Breakage(worst["variant"], worst["score"], orig_score, prompt, worst["answer"])


def findings(data: ReportData) -> list[str]:
    """A report in sentences: who is least affected by wording, what costs accuracy, what is noise."""
    found = ranking(data)
    for agent in data.agents:
        found += [f"{data.name(agent)}: {text}" for text in _findings_of(data, agent)]
    return found


def ranking(data: ReportData) -> list[str]:
    """Who is least and who most affected by wording, a sentence for each benchmark with several agents."""
    lines = []
    for task in data.tasks:
        known = [
            (one.value, agent)
            for agent in data.agents
            if agent.task == task and (one := agent.estimates.get("s_prompt")) and one.value is not None
        ]
        if len(known) < 2:
            continue
        best, worst = max(known, key=lambda one: one[0])[1], min(known, key=lambda one: one[0])[1]
        high, low = (
            f"{interval('s_prompt', agent.estimates['s_prompt'])}, "
            f"lowest possible value {data.floor(agent) or 0:.2f}, "
            f"accuracy {interval('accuracy', agent.estimates.get('accuracy'))}"
            for agent in (best, worst)
        )
        apart = _apart(best.estimates["s_prompt"], worst.estimates["s_prompt"])
        where = "" if len(data.tasks) == 1 else f"On {task}, "
        lines.append(
            f"{where}{best.model} is least affected by wording (S_prompt {high}) and "
            f"{worst.model} most affected ({low}){apart}."
        )
    return lines


def _apart(a: Estimate, b: Estimate) -> str:
    if a.low is None or b.high is None:
        return ""
    return "" if a.low > b.high else "; their intervals overlap, so the order is not certain"


def _findings_of(data: ReportData, agent: AgentRow) -> list[str]:
    headline = verdict(data, agent).headline
    lines = [f"{headline[0].lower()}{headline[1:]}"]
    kinds = data.kinds_of(agent)
    sure = kinds.filter((pl.col("delta_low") > 0) & (pl.col("q").is_null() | (pl.col("q") <= 0.05)))
    if not sure.is_empty():
        row = sure.row(0, named=True)
        name = f"{row['kind']}: {row['change']}" if row["change"] else row["kind"]
        lost = points(row["delta"], row["delta_low"], row["delta_high"])
        lines.append(f"the costliest change is {name}, which loses {lost} points of accuracy.")
    elif not kinds.is_empty():
        lines.append("no kind of change is known to cost accuracy.")
    phrasing, noise = agent.estimates.get("phrasing"), agent.estimates.get("noise")
    if phrasing and noise and phrasing.value is not None and noise.value is not None:
        if noise.value > max(phrasing.value, 0.0):
            lines.append("run-to-run noise moves the outcome more than wording does.")
        else:
            lines.append("wording moves the outcome more than run-to-run noise does.")
    where = quadrant(agent)
    if where is not None:
        lines.append(f"{where[0].lower()}{where[1:]} (C_out {interval('c_out', agent.estimates['c_out'])}).")
    changes = agent.estimates.get("responsiveness")
    if changes is not None and changes.value is not None and changes.value < 0.5:
        share = interval("responsiveness", changes)
        lines.append(
            f"only {share} of answers change where the meaning does: it may be insensitive to the question."
        )
    return lines
