"""Logs of a run that was cut into shards → in the order of its items, and with tables as of one log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from otherwords.core.contract import ORIG, PARAPHRASE_ID, PERTURBATION_KIND, SHARD_KEY, VARIANT
from otherwords.results.inspect_samples import InspectLog


def shard_number(log: InspectLog) -> int:
    """Which part of the items the log asks, from 1 on; 0 where its run was not cut into shards."""
    number = str((log.eval.get("metadata") or {}).get(SHARD_KEY) or "").partition("/")[0]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def in_order(logs: Sequence[InspectLog]) -> list[InspectLog]:
    """By when they were made; shards of one run in the order of its items, whichever ran first."""
    began: dict[tuple[str, str], str] = {}
    for log in logs:
        if shard_number(log):
            run = log.task, log.model
            began[run] = min(log.created, began.get(run, log.created))

    def place(log: InspectLog) -> tuple[str, str, int, str, str]:
        number = shard_number(log)
        first = (began[log.task, log.model], log.model) if number else (log.created, "")
        return *first, number, log.created, str(log.file)

    return sorted(logs, key=place)


def shards_together(tables: Sequence[pl.DataFrame], logs: Sequence[InspectLog]) -> list[pl.DataFrame]:
    """The tables of a run's shards as one log would have them: one may lack wordings that others have."""
    together = list(tables)
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (table, log) in enumerate(zip(tables, logs, strict=True)):
        if shard_number(log) and table.height:
            places[table["task"][0], table["model"][0]].append(place)
    for same in places.values():
        whole = same_originals(pl.concat([tables[place] for place in same]))
        for place in same:
            height = tables[place].height
            together[place], whole = whole.head(height), whole.slice(height)
    return together


def same_originals(frame: pl.DataFrame) -> pl.DataFrame:
    """Originals name the kinds of wordings that their run had when they ran; a run that grew has more."""
    orig = pl.col(VARIANT) == ORIG
    return frame.with_columns(
        pl.when(orig & pl.col(name).is_null().any() & (orig & pl.col(name).eq(ORIG)).any())
        .then(pl.lit(ORIG))
        .otherwise(pl.col(name))
        .alias(name)
        for name in (PARAPHRASE_ID, PERTURBATION_KIND)
    )
