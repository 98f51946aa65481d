"""Results → how a report on them was made: date, versions, models, settings, calls, tokens, cost, hashes."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version

import polars as pl

from otherwords.core.contract import MISSING, ORIG
from otherwords.report import AgentRow, ModelRun, Provenance
from otherwords.results import LogAccuracy

_SHOWN = 16
"""Characters of a hash that tell sets apart."""


def provenance_of(
    outcomes: pl.DataFrame, wordings: pl.DataFrame, logs: Sequence[LogAccuracy], agents: Sequence[AgentRow]
) -> Provenance:
    """What is known of how these results came about."""
    kinds = wordings.filter(pl.col("variant") != ORIG, pl.col("kind").is_not_null())
    if wordings.is_empty():
        kinds = outcomes.filter(pl.col("variant") != ORIG).unique(["task", "id", "variant"])
    families = kinds.group_by("kind").len().sort("len", "kind", descending=[True, False])
    originals = wordings.filter(pl.col("variant") == ORIG)
    return Provenance(
        made=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        versions=_versions(logs),
        runs=tuple(_run(agent, [log for log in logs if _is_of(log, agent)]) for agent in agents),
        calls=outcomes.filter(pl.col("status") != MISSING).height,
        tokens=_tokens(outcomes, logs),
        cost=_sum([log.made.cost for log in logs]),
        seeds=tuple(outcomes["seed"].drop_nulls().unique().sort()),
        families=tuple((str(kind), int(count)) for kind, count in families.iter_rows() if kind),
        items_hash=_hash(originals, ["task", "id", "prompt", "choices", "target"]),
        variants_hash=_hash(wordings, ["task", "id", "variant", "prompt", "choices"]),
        generalizes=tuple(dict.fromkeys(one for agent in agents if (one := agent.verdict.generalizes))),
        files=tuple(outcomes["log"].drop_nulls().unique(maintain_order=True)),
    )


def _is_of(log: LogAccuracy, agent: AgentRow) -> bool:
    return (log.task, log.model) == agent.key


def _run(agent: AgentRow, logs: Sequence[LogAccuracy]) -> ModelRun:
    settings = list(
        dict.fromkeys(", ".join(f"{name} {one}" for name, one in log.made.settings) for log in logs)
    )
    began = sorted(log.made.created for log in logs if log.made.created)
    return ModelRun(
        agent=agent.model,
        benchmark=agent.task,
        model=", ".join(dict.fromkeys(log.made.model for log in logs if log.made.model)),
        settings=" or ".join(one or "the provider's default settings" for one in settings),
        began=began[0][:16].replace("T", " ") if began else "",
    )


def _versions(logs: Sequence[LogAccuracy]) -> tuple[tuple[str, str], ...]:
    """Ours and Python's now, and what the logs say of theirs."""
    now = [("otherwords", _installed("otherwords")), ("Python", platform.python_version())]
    theirs = dict.fromkeys(pair for log in logs for pair in log.made.versions)
    return tuple(dict.fromkeys([*now, *theirs]))


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _tokens(outcomes: pl.DataFrame, logs: Sequence[LogAccuracy]) -> int | None:
    """Of whole logs, or else of the rows that tell."""
    whole = _sum([log.made.tokens for log in logs])
    if whole is not None:
        return int(whole)
    told = outcomes["tokens"].drop_nulls()
    return None if told.is_empty() else int(told.sum())


def _sum(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) if known else None


def _hash(wordings: pl.DataFrame, columns: list[str]) -> str:
    """Of the texts, whatever the order in which they were read; empty where no prompt is known."""
    if wordings.is_empty() or wordings["prompt"].null_count() == wordings.height:
        return ""
    texts = wordings.select(
        pl.concat_str(
            [
                (pl.col(name).list.join("\x1e") if name == "choices" else pl.col(name)).fill_null("\x00")
                for name in columns
            ],
            separator="\x1f",
        )
    ).to_series()
    return hashlib.sha256("\x1d".join(texts.sort()).encode()).hexdigest()[:_SHOWN]
