"""Runs without a score: how many, accuracy's bounds as estimated, each reason with what to do about it."""

from __future__ import annotations

import re

import polars as pl

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    ANSWERED,
    FILTERED,
    FORMAT_FAILURE,
    LIMITED,
    NOT_RUN,
    PROVIDER_ERROR,
    PROVIDER_FAILED,
    REFUSED,
    TRUNCATED,
    UNREADABLE,
)
from otherwords.core.types import Estimate
from otherwords.core.verdict import UnscoredReason, UnscoredRuns
from otherwords.metrics.outcome_rows import has_score


def unscored_runs(rows: pl.DataFrame, accuracy: Estimate) -> UnscoredRuns:
    """How many runs have no score and why, and what accuracy could be with them."""
    without = rows.filter(~has_score()).height
    return UnscoredRuns(
        count=without,
        n_runs=rows.height,
        reasons=unscored_reasons(rows),
        accuracy_low=accuracy.low_if_missing if without and accuracy.value is not None else None,
        accuracy_high=accuracy.high_if_missing if without and accuracy.value is not None else None,
    )


ADVICE: dict[str, str] = {
    ANSWERED: "the scorer gave no score: look at one in `inspect view`, then score the log again",
    UNREADABLE: "ask for the answer's format more plainly, or read it more leniently",
    REFUSED: "read the refusals: a wording that is refused is a finding",
    FILTERED: "another provider or another filter setting; a wording that is filtered is a finding",
    TRUNCATED: "run again with a larger --max-tokens",
    LIMITED: "run again with a larger limit (--message-limit, --token-limit, --time-limit)",
    AGENT_ERROR: "mend the agent: its own code failed",
    PROVIDER_ERROR: "run the same command again: only what is missing is asked",
    NOT_RUN: "run the same command again: only what is missing is asked",
}
"""By outcome."""
_LONGEST = 120
_VARYING = re.compile(r"\b(?:0x[0-9a-f]+|[0-9a-f]{8,}|\d[\d.,:_-]*)\b", re.IGNORECASE)
"""Numbers, hashes and addresses, which differ between runs that failed for one reason."""
_FILE = re.compile(r"(?:/[\w.@+-]+){2,}")


def unscored_reasons(outcomes: pl.DataFrame) -> tuple[UnscoredReason, ...]:
    """Each reason why rows have no score, the most frequent first.

    Args:
        outcomes: An outcome table with all of its columns (`core.table.as_outcomes`).

    Returns:
        A reason for each outcome and text of a reason; texts that differ in numbers only are one.

    Example:
        >>> import polars as pl
        >>> from otherwords.core.table import as_outcomes
        >>> from otherwords.metrics.unscored_runs import unscored_reasons
        >>> rows = {"id": ["a", "b"], "variant": "orig", "score": None, "status": "limit", "reason": "time"}
        >>> found = unscored_reasons(as_outcomes(pl.DataFrame(rows)))
        >>> [(one.outcome, one.reason, one.count) for one in found]
        [('limit', 'time', 2)]
    """
    rows = outcomes.filter(~has_score()).select("id", "variant", "repeat", "outcome", "reason")
    if rows.is_empty():
        return ()
    texts = rows["reason"].unique().drop_nulls().to_list()
    short = {text: _general(text) for text in texts}
    counted = (
        rows.with_columns(
            pl.col("outcome").fill_null(NOT_RUN),
            pl.col("reason").replace_strict(short, default="", return_dtype=pl.String).fill_null(""),
        )
        .group_by("outcome", "reason", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("id", "variant", "repeat").first())
        .sort("n", descending=True, maintain_order=True)
    )
    return tuple(
        UnscoredReason(
            outcome=row["outcome"],
            reason=row["reason"],
            count=row["n"],
            example=f"{row['id']}, {row['variant']}, run {row['repeat']}",
            advice=ADVICE.get(row["outcome"], ADVICE[ANSWERED]),
        )
        for row in counted.iter_rows(named=True)
    )


def _general(reason: str) -> str:
    """The first line of a reason without what differs from run to run, and without whose failure it was."""
    lines = [line.strip() for line in reason.strip().splitlines() if line.strip()]
    text = lines[0] if lines else ""
    for start in (AGENT_FAILED, PROVIDER_FAILED):
        text = text.removeprefix(start)
    text = _VARYING.sub("…", _FILE.sub("…", text))
    if text == FORMAT_FAILURE:
        return ""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
