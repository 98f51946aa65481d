"""An outcome table → its public columns alone: pseudonyms for ids and answers, reasons by listed words.

A column is published because it is in `PUBLIC_COLUMNS`; every other column is dropped. A word is published
because it is in `publish.vocabulary`; others become `other` or a hash. Public logs and reports are made of
this table alone.
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
    STATUSES,
    SWALLOWED_ERRORS,
    WORDING_NOT_SEEN,
)
from otherwords.core.table import as_outcomes
from otherwords.core.wording_names import levels_text, read_levels
from otherwords.publish.pseudonyms import NamesOf, Pseudonyms
from otherwords.publish.vocabulary import ERROR_CLASSES, WITHHELD

PUBLIC_COLUMNS = (
    "task",
    "model",
    "id",  # hashed
    "variant",
    "kind",
    "change",
    "paraphrase_id",
    "perturbation_kind",
    "template",
    "wording",
    "levels",
    "repeat",
    "status",
    "outcome",  # one of nine words
    "score",
    "correct",
    "answer",  # hashed: tells whether two answers are the same, and nothing else
    "confidence",
    "seed",  # always empty: the order of the options follows from it
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


def public_outcomes(table: pl.DataFrame, salts: NamesOf, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """`PUBLIC_COLUMNS` of an outcome table, sorted by hashed id so that the order does not tell the items.

    Every metric gives the same for it as for `table`. `keep` are further columns, left as they are.
    """
    outcomes = as_outcomes(table)
    parts = [
        _public_task(part, salts.names(task or ""), keep)
        for (task,), part in outcomes.group_by("task", maintain_order=True)
    ]
    rows = pl.concat(parts) if parts else outcomes.select(*PUBLIC_COLUMNS, *keep)
    return rows.sort(_ORDER, maintain_order=True)


def _public_task(outcomes: pl.DataFrame, names: Pseudonyms, keep: Sequence[str]) -> pl.DataFrame:
    outcomes = outcomes.with_columns(answer=_answers(outcomes, names), seed=pl.lit(None, pl.Int64))
    models = names.models(outcomes["model"].unique().drop_nulls().to_list())
    changed: dict[str, Callable[[str], str | None]] = {
        "task": names.task,
        "model": models.__getitem__,
        "id": names.item,
        "variant": names.variant,
        "kind": names.kind,
        "change": names.change,
        "paraphrase_id": names.variant,
        "perturbation_kind": names.change,
        "template": names.variant,
        "wording": names.variant,
        "levels": lambda text: _levels(text, names),
        "status": lambda text: text if text in STATUSES else None,
        "outcome": lambda text: text if text in OUTCOMES else None,
        "reason": public_reason,
        "scorer": names.scorer,
        "reducer": names.reducer,
    }
    for column, rename in changed.items():
        new = {text: rename(text) for text in outcomes[column].unique().drop_nulls().to_list()}
        outcomes = outcomes.with_columns(
            pl.col(column).replace_strict(new, default=None, return_dtype=pl.String)
        )
    return outcomes.select(*PUBLIC_COLUMNS, *keep)


def _levels(text: str, names: Pseudonyms) -> str:
    """The levels of a design, each by a name that may be told."""
    told = {names.factor(factor): names.variant(level) for factor, level in read_levels(text).items()}
    return levels_text(told)


def public_reason(reason: str) -> str:
    """A reason of ours, the name of a limit, or the class of an error; an error's text may quote anything."""
    if reason in OWN_REASONS or reason in LIMITS or _NEVER_RAN.fullmatch(reason):
        return reason
    blame = next((start for start in (AGENT_FAILED, PROVIDER_FAILED) if reason.startswith(start)), "")
    named = _ERROR_CLASS.match(reason.removeprefix(blame).removeprefix("raised "))
    return blame + (named.group(1) if named and named.group(1) in ERROR_CLASSES else WITHHELD)


def _answers(outcomes: pl.DataFrame, names: Pseudonyms) -> pl.Series:
    """Hashed for each item, and told apart where the metrics would: by options if it has any, else by text.

    Were they hashed for the whole set, the hashes of four options would part its items into four groups: the
    key, but for the letters.
    """
    scored = pl.col("status") == SCORED
    has_options = (pl.col("pred_index").is_not_null() & scored).any().over("task", "model", "id")
    given = outcomes.select(
        "task",
        "id",
        given=pl.when(has_options)
        .then(pl.coalesce(pl.format("option {}", "pred_index"), pl.format("text {}", "answer")))
        .otherwise(pl.format("text {}", "answer")),
    )
    known = given.unique().drop_nulls()
    hashed = pl.Series("hashed", [names.answer(*row) for row in known.iter_rows()], dtype=pl.String)
    joined = given.join(
        known.with_columns(hashed), on=["task", "id", "given"], how="left", maintain_order="left"
    )
    # What stands for no readable answer is the outcome, which is public.
    is_outcome = pl.col("answer").eq(pl.format("({})", "outcome")).fill_null(value=False)
    answers = outcomes.with_columns(joined["hashed"]).select(
        answer=pl.when(is_outcome).then("answer").otherwise("hashed")
    )
    return answers["answer"]


NOTE = (
    "Made to be public: prompts, options, answers, targets, log addresses and item ids are not in it. "
    "Items are named by a salted hash."
)
