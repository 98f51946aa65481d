"""An outcome table → the same table redacted for publication: listed columns only, ids and answers hashed.

A column is published because it is in `PUBLIC_COLUMNS`; every other column is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from otherwords.core.contract import (
    AGENT_FAILED,
    FORMAT_FAILURE,
    NO_MODEL_CALL,
    OUTCOMES,
    PROVIDER_FAILED,
    SCORED,
    SWALLOWED_ERRORS,
    WORDING_NOT_SEEN,
)
from otherwords.core.secret_patterns import redacted
from otherwords.core.table import as_outcomes
from otherwords.publish.pseudonyms import WITHHELD, Pseudonyms

PUBLIC_COLUMNS = (
    "task",
    "model",
    "id",  # hashed
    "variant",
    "kind",
    "change",
    "paraphrase_id",
    "perturbation_kind",
    "repeat",
    "status",
    "outcome",  # one of nine words
    "score",
    "correct",
    "answer",  # hashed: tells whether two answers are the same, and nothing else
    "confidence",
    "seed",
    "reason",  # one of ours, or the class of an error
    "scorer",  # its name
    "reducer",  # its name
)
"""Tokens, seconds and distances are not among them: they tell how long a prompt is, so that a guess could be
tested."""
OWN_REASONS = frozenset(
    {
        FORMAT_FAILURE,
        "the log has no score for it",
        "the table has no score for it",
        "the scorer gave no score",
        "the score is not one number",
        "interrupted before it finished",
        NO_MODEL_CALL,
        SWALLOWED_ERRORS,
        WORDING_NOT_SEEN,
    }
)
"""Reasons for a missing score that are sentences of this package and quote nothing."""
LIMITS = frozenset({"context", "time", "working", "message", "token", "turn", "cost", "operator", "custom"})
"""The names of Inspect's limits."""
_NEVER_RAN = re.compile(r"never ran: the run ended as '[a-z]{1,20}'")
# The class at the beginning of an error's text, behind the names of its modules: `openai.RateLimitError(…`.
_ERROR_CLASS = re.compile(r"[A-Za-z_.]{0,60}?([A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout|Exceeded))\b")
_ORDER = ["task", "model", "id"]


def public_outcomes(table: pl.DataFrame, names: Pseudonyms, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """`PUBLIC_COLUMNS` of an outcome table, sorted by hashed id so that the order does not tell the items.

    Every metric gives the same for it as for `table`. `keep` are further columns, left as they are.
    """
    outcomes = as_outcomes(table).with_columns(answer=_answers(as_outcomes(table), names))
    changed: dict[str, Callable[[str], str | None]] = {
        "model": redacted,
        "id": names.item,
        "variant": lambda text: names.word("variant", text),
        "kind": lambda text: names.word("kind", text),
        "change": lambda text: names.word("change", text),
        "paraphrase_id": lambda text: names.word("variant", text),
        "perturbation_kind": lambda text: names.word("change", text),
        "outcome": lambda text: text if text in OUTCOMES else None,
        "reason": public_reason,
        "scorer": lambda text: names.word("scorer", text),
        "reducer": lambda text: names.word("reducer", text),
    }
    for column, rename in changed.items():
        old = outcomes[column].unique().drop_nulls().to_list()
        new = {text: rename(text) for text in old}
        outcomes = outcomes.with_columns(
            pl.col(column).replace_strict(new, default=None, return_dtype=pl.String)
        )
    return outcomes.select(*PUBLIC_COLUMNS, *keep).sort(_ORDER, maintain_order=True)


def public_reason(reason: str) -> str:
    """A reason of ours, the name of a limit, or the class of an error; an error's text may quote anything."""
    if reason in OWN_REASONS or reason in LIMITS or _NEVER_RAN.fullmatch(reason):
        return reason
    blame = next((start for start in (AGENT_FAILED, PROVIDER_FAILED) if reason.startswith(start)), "")
    named = _ERROR_CLASS.match(reason.removeprefix(blame).removeprefix("raised "))
    return blame + (named.group(1) if named else WITHHELD)


def _answers(outcomes: pl.DataFrame, names: Pseudonyms) -> pl.Series:
    """Hashed, and told apart where the metrics would: by options where an item has any, else by text."""
    scored = pl.col("status") == SCORED
    has_options = (pl.col("pred_index").is_not_null() & scored).any().over("task", "model", "id")
    given = outcomes.select(
        "task",
        given=pl.when(has_options)
        .then(pl.coalesce(pl.format("option {}", "pred_index"), pl.format("text {}", "answer")))
        .otherwise(pl.format("text {}", "answer")),
    )
    known = given.unique().drop_nulls()
    hashed = pl.Series("hashed", [names.answer(*row) for row in known.iter_rows()], dtype=pl.String)
    joined = given.join(known.with_columns(hashed), on=["task", "given"], how="left", maintain_order="left")
    # What stands for no readable answer is the outcome, which is public.
    is_outcome = pl.col("answer").eq(pl.format("({})", "outcome")).fill_null(value=False)
    answers = outcomes.with_columns(joined["hashed"]).select(
        answer=pl.when(is_outcome).then("answer").otherwise("hashed")
    )
    return answers["answer"]
