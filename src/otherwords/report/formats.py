"""Metrics' names, numbers and table columns of a report, bands of S_prompt; how it was made, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import polars as pl

from otherwords.core.texts import count_text, of_things, points, points_between
from otherwords.core.types import Estimate
from otherwords.core.wording_names import kind_name

HIGH, MEDIUM, TARGET = 0.9, 0.7, 0.85
BANDS = ("high", "medium", "low")
"""HAL's bands of S_prompt, as they stand in the CSV and JSON files."""
SENSITIVITY = {"high": "low", "medium": "medium", "low": "high"}
"""What a reader is told of a band: a high S_prompt is a low sensitivity to wording."""
SENSITIVITY_MEANING = {
    "high": "S_prompt of 0.9 or more: outcomes stay nearly the same however the task is worded.",
    "medium": "S_prompt from 0.7 to 0.9: some outcomes depend on the wording.",
    "low": "S_prompt under 0.7: outcomes swing with the wording.",
}
"""By band."""
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
    "c_out": "Repeatability (C_out)",
    "fragility_score": "Answers that flip against the original",
    "excess_flips": "Flips beyond run-to-run noise",
    "delta_accuracy": "Accuracy lost by rewording",
    "format_failure_rate": "Answers in the wrong format",
    "phrasing": "Variance from phrasing",
    "noise": "Variance from run-to-run noise",
    "phrasing_share": "Phrasing share of that variance",
    "s_corrected": "S_prompt corrected for run-to-run noise",
    "responsiveness": "Answers that change when the meaning does",
    "robust_at_k": "Right under each of 3 wordings",
    "r_fault": "Accuracy kept under faults (R_fault)",
    "unreadable_rate": "Runs with an unreadable answer",
    "refused_rate": "Runs that were refused",
    "filtered_rate": "Runs ended by a content filter",
    "truncated_rate": "Runs with a truncated answer",
    "limit_rate": "Runs that hit a limit",
    "agent_error_rate": "Runs in which the agent failed",
    "provider_error_rate": "Runs in which the provider failed",
    "missing_rate": "Runs that are missing",
}
AS_PERCENT = frozenset(
    {
        "accuracy",
        "accuracy_orig",
        "consistency_at_k",
        "pairwise_agreement",
        "fragility_score",
        "responsiveness",
        "format_failure_rate",
        "phrasing_share",
        "robust_at_k",
        *(name for name in METRIC_NAMES if name.endswith("_rate")),
    }
)

AS_POINTS = frozenset({"excess_flips", "delta_accuracy"})
"""Differences of percentages, which are in points."""


@overload
def band_of(value: float) -> str: ...
@overload
def band_of(value: float | None) -> str | None: ...
def band_of(value: float | None) -> str | None:
    """The band of an S_prompt: high, medium or low."""
    if value is None:
        return None
    return "high" if value >= HIGH else "medium" if value >= MEDIUM else "low"


def sensitivity(band: str) -> str:
    """`low sensitivity` for the band `high`, and so on."""
    return f"{SENSITIVITY[band]} sensitivity"


def number(name: str, value: float | None) -> str:
    """The value of the metric `name`: shares in percent, their differences in points, others as decimals."""
    if value is None:
        return "—"
    if name in AS_POINTS:
        return points(value)
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
    if name in AS_POINTS:
        return points_between(estimate.value, estimate.low, estimate.high)
    if name == "phrasing_share":
        if estimate.value <= 0:
            return "no effect of wording found"
        estimate = replace(
            estimate,
            low=None if estimate.low is None else max(estimate.low, 0.0),
            high=None if estimate.high is None else min(estimate.high, 1.0),
        )
    text = number(name, estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({number(name, estimate.low)} to {number(name, estimate.high)})"


def floor_text(floor: float | None) -> str:
    """The lowest possible S_prompt with two decimals; a dash where there is none."""
    return "—" if floor is None else f"{floor:.2f}"


def p_value(value: float | None) -> str:
    """Never 0: no test with a finite number of draws can say that."""
    if value is None:
        return "—"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def items_(count: int) -> str:
    """`1 item`, `1,200 items`."""
    return f"{count:,} item" if count == 1 else f"{count:,} items"


def interval_columns(estimates: Mapping[str, Estimate], *names: str) -> dict[str, float | None]:
    """For a table: `NAME`, `NAME_low` and `NAME_high` of each metric, empty where it was not computed."""
    row: dict[str, float | None] = {}
    for name in names:
        one = estimates.get(name)
        row |= {
            name: one.value if one else None,
            f"{name}_low": one.low if one else None,
            f"{name}_high": one.high if one else None,
        }
    return row


def bound_columns(estimates: Mapping[str, Estimate], *names: str) -> dict[str, float | None]:
    """For a table: the least and the most of each metric, if every run without a score had one."""
    row: dict[str, float | None] = {}
    for name in names:
        one = estimates.get(name)
        row |= {
            f"{name}_low_if_missing": one.low_if_missing if one else None,
            f"{name}_high_if_missing": one.high_if_missing if one else None,
        }
    return row


def is_uninformative() -> pl.Expr:
    """Of the items frame: always right or always wrong, so that the item cannot show what wording does."""
    mean = pl.col("mean_score")
    return (pl.col("min_max_gap") == 0) & ((mean <= 0) | (mean >= 1))


def differs() -> pl.Expr:
    """Of the items frame: the score is not the same under every wording."""
    return (pl.col("min_max_gap") > 0) & pl.col("variance").is_not_null()


SPEAKS_FOR = {
    "items": "other items of the same kind, asked in these wordings",
    "wordings": "other wordings of these items",
    "both": "other items, and other wordings of the kinds tried",
}
"""By what a verdict's intervals generalize to."""
UNKNOWN = "not recorded"


@dataclass(frozen=True)
class ModelRun:
    """One model or agent on one benchmark: with what it was run."""

    agent: str
    benchmark: str
    model: str = ""
    """The model behind the agent, where the log names it and it is another name."""
    settings: str = ""
    """`temperature 0, max_tokens 256`; empty where none is known."""
    began: str = ""
    """When the first of its logs began."""


@dataclass(frozen=True)
class Provenance:
    """How a report was made. What is not known is None or empty, and is said to be."""

    made: str
    """Date and time of the report, in UTC."""
    versions: tuple[tuple[str, str], ...] = ()
    runs: tuple[ModelRun, ...] = ()
    calls: int = 0
    """Runs of wordings that were asked for and not missing."""
    tokens: int | None = None
    cost: float | None = None
    """In US dollars."""
    seeds: tuple[int, ...] = ()
    """Of the runs, where rows have one."""
    wording_seeds: tuple[int, ...] = ()
    """Of what made the wordings, where the file of them says so."""
    families: tuple[tuple[str, int], ...] = ()
    """Kinds of wordings, with how many wordings there are of each."""
    items_hash: str = ""
    variants_hash: str = ""
    generalizes: tuple[str, ...] = ()
    files: tuple[str, ...] = field(default=())
    """What was read."""


def _settings(runs: Sequence[ModelRun]) -> Iterator[str]:
    """With what one agent was run, once for all benchmarks that are alike in it."""
    about: dict[str, list[str]] = {}
    for run in runs:
        model = f"model {run.model}" if run.model and run.model != run.agent else ""
        parts = [model, run.settings or f"settings {UNKNOWN}", f"run {run.began}" if run.began else ""]
        about.setdefault("; ".join(filter(None, parts)), []).append(run.benchmark)
    for text, benchmarks in about.items():
        named = ", ".join(filter(None, benchmarks))
        yield f"on {named}: {text}" if named else text


def provenance_rows(made: Provenance) -> Iterator[tuple[str, str]]:
    """What is said of a report's making, a name and a text for each line."""
    yield "Report made", made.made
    yield "Versions", ", ".join(f"{name} {version}" for name, version in made.versions) or UNKNOWN
    for agent in dict.fromkeys(run.agent for run in made.runs):
        yield agent or "Model", " · ".join(_settings([run for run in made.runs if run.agent == agent]))
    yield "Runs asked", count_text(made.calls)
    yield "Tokens", UNKNOWN if made.tokens is None else count_text(made.tokens)
    yield "Cost", UNKNOWN if made.cost is None else f"${made.cost:,.2f}"
    yield "Seed of the runs", ", ".join(map(str, made.seeds)) or UNKNOWN
    yield "Seed of the wordings", ", ".join(map(str, made.wording_seeds)) or UNKNOWN
    kinds = [f"{kind_name(kind)} ({of_things(count, 'wording')})" for kind, count in made.families]
    yield "Kinds of wordings", ", ".join(kinds) or UNKNOWN
    yield "Hash of the items", made.items_hash or UNKNOWN
    yield "Hash of the wordings", made.variants_hash or UNKNOWN
    speaks = [SPEAKS_FOR.get(one, one) for one in made.generalizes]
    yield "Intervals speak for", "; ".join(speaks) or UNKNOWN
    if made.files:
        yield "Files", ", ".join(made.files)
