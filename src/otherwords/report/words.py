"""The sentences of a report, the same on the page, in Markdown and in the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from otherwords.core.types import ORIG, Estimate
from otherwords.report.data import AgentRow, ReportData, differs, is_uninformative

HIGH, MEDIUM, TARGET = 0.9, 0.7, 0.85
BAND_MEANING = {
    "high": "S_prompt of 0.9 or more: outcomes stay nearly the same however the task is worded.",
    "medium": "S_prompt from 0.7 to 0.9: some outcomes depend on the wording.",
    "low": "S_prompt under 0.7: outcomes swing with the wording.",
}
METRIC_NAMES = {
    "accuracy": "Accuracy, all wordings",
    "accuracy_orig": "Accuracy, original wording",
    "s_prompt": "S_prompt",
    "s_norm": "S_norm",
    "mean_variance": "Mean variance",
    "std_variance": "Standard deviation of variances",
    "min_max_gap": "Mean min-max gap",
    "max_min_max_gap": "Largest min-max gap",
    "consistency_at_k": "Same answer under every wording",
    "pairwise_agreement": "Same answer under two wordings",
    "c_out": "Same outcome when asked again (C_out)",
    "fragility_score": "Answers that flip against the original",
    "excess_flips": "Flips beyond luck",
    "delta_accuracy": "Accuracy lost by rewording",
    "format_failure_rate": "Answers in the wrong format",
    "phrasing": "Variance from phrasing",
    "noise": "Variance from luck",
    "phrasing_share": "Share of phrasing in that variance",
    "s_corrected": "S_prompt with luck taken out",
    "responsiveness": "Answers that change when the meaning does",
    "r_fault": "Accuracy kept under faults (R_fault)",
}
AS_PERCENT = frozenset(
    {
        "accuracy",
        "accuracy_orig",
        "consistency_at_k",
        "pairwise_agreement",
        "fragility_score",
        "excess_flips",
        "responsiveness",
        "delta_accuracy",
        "format_failure_rate",
        "phrasing_share",
    }
)
ONE_REPEAT = (
    "Each wording was run once, so the effect of phrasing and plain luck are not separated. "
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
    "high": "high band, others",
    "medium": "medium band",
    "low": "low band",
    "all wrong": "always wrong: uninformative",
    "no variance": "fewer than two scored wordings",
}


@dataclass(frozen=True)
class Verdict:
    """`headline` in plain words, `numbers` that stand behind it, `cautions` without which it misleads."""

    headline: str
    numbers: str
    cautions: tuple[str, ...]
    band: str | None


@dataclass(frozen=True)
class ItemCounts:
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


def band_of(value: float | None) -> str | None:
    if value is None:
        return None
    return "high" if value >= HIGH else "medium" if value >= MEDIUM else "low"


def number(name: str, value: float | None) -> str:
    if value is None:
        return "—"
    if name in AS_PERCENT:
        text, unit = f"{100 * value:.0f}", "%"
    else:
        fine = "variance" in name or name in ("phrasing", "noise")
        text, unit = f"{value:.{3 if fine else 2}f}", ""
    minus = "−" if float(text) < 0 else ""
    return f"{minus}{text.removeprefix('-')}{unit}"


def interval(name: str, estimate: Estimate | None) -> str:
    """`0.91 (0.88 to 0.94)`, or the value alone where there is no interval."""
    if estimate is None or estimate.value is None:
        return "—"
    text = number(name, estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({number(name, estimate.low)} to {number(name, estimate.high)})"


def p_value(value: float | None) -> str:
    """Never 0: no test with a finite number of draws can say that."""
    if value is None:
        return "—"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


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


def points(value: float | None, low: float | None, high: float | None) -> str:
    """A difference of accuracies in percentage points; positive is a loss."""
    if value is None:
        return "—"
    texts = [f"{100 * part + 0.0:.1f}".replace("-", "−") for part in (value, low, high) if part is not None]
    return texts[0] if len(texts) < 3 else f"{texts[0]} ({texts[1]} to {texts[2]})"


def verdict(data: ReportData, agent: AgentRow) -> Verdict:
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
        f"S_prompt {_with_level('s_prompt', s_prompt, level)}, {band} band"
    )
    if floor is not None:
        numbers += f", on a scale that starts at {floor:.2f} here"
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
            "phrasing and the rest from luck (the same wording run again)."
        )
    if accuracy is not None and accuracy.value is not None and accuracy.value <= MOSTLY_WRONG:
        lines.append("It is nearly always wrong: steadiness means little until it can do the task.")
    if count.uninformative:
        lines.append(
            f"{items_(count.uninformative)} {'says' if count.uninformative == 1 else 'say'} nothing about "
            f"wording: {count.all_right} always right, {count.all_wrong} always wrong."
        )
    if floor is not None and floor >= MEDIUM - 1e-9:
        lines.append(
            f"With {wordings_text(data, agent)} an item, S_prompt cannot go below {floor:.2f}, so the low "
            "band is out of reach; S_norm uses the whole scale."
        )
    left_out = {status: n for status, n in agent.statuses.items() if status != "scored" and n}
    if left_out:
        total = sum(agent.statuses.values())
        parts = ", ".join(f"{n:,} {status}" for status, n in left_out.items())
        lines.append(f"Left out of every score: {sum(left_out.values()):,} of {total:,} rows ({parts}).")
    return lines


def _with_level(name: str, estimate: Estimate | None, level: str) -> str:
    text = interval(name, estimate)
    return text.replace("(", f"({level} ", 1) if "(" in text else text


def items_(count: int) -> str:
    return f"{count:,} item" if count == 1 else f"{count:,} items"


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
    """Rows of the items frame whose scores differ between wordings, largest variance first."""
    return data.items_of(agent).filter(differs()).head(n).to_dicts()


def breaking_wording(data: ReportData, agent: AgentRow, item_id: str) -> Breakage | None:
    """The wording whose score is furthest from the original's, a worse one before a better one."""
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
    """What the report comes to, in sentences: who is steadiest, what costs, what is luck."""
    found = ranking(data)
    for agent in data.agents:
        found += [f"{data.name(agent)}: {text}" for text in _findings_of(data, agent)]
    return found


def ranking(data: ReportData) -> list[str]:
    """Who is steadiest and who least, a sentence for each benchmark with several agents."""
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
            f"{interval('s_prompt', agent.estimates['s_prompt'])}, floor {data.floor(agent) or 0:.2f}, "
            f"accuracy {_accuracy(agent)}"
            for agent in (best, worst)
        )
        apart = _apart(best.estimates["s_prompt"], worst.estimates["s_prompt"])
        where = "" if len(data.tasks) == 1 else f"On {task}, "
        lines.append(
            f"{where}{best.model} is the steadiest (S_prompt {high}) and "
            f"{worst.model} the least steady ({low}){apart}."
        )
    return lines


def _accuracy(agent: AgentRow) -> str:
    return interval("accuracy", agent.estimates.get("accuracy"))


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
            lines.append("luck moves the outcome more than wording does.")
        else:
            lines.append("wording moves the outcome more than luck does.")
    where = quadrant(agent)
    if where is not None:
        lines.append(f"{where[0].lower()}{where[1:]} (C_out {interval('c_out', agent.estimates['c_out'])}).")
    changes = agent.estimates.get("responsiveness")
    if changes is not None and changes.value is not None and changes.value < 0.5:
        share = interval("responsiveness", changes)
        lines.append(f"only {share} of answers change where the meaning does: it may not be listening.")
    return lines
