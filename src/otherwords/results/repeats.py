"""Separate runs of the same wordings are further repeats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import polars as pl


def number_repeats(runs: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """The tables of single runs, in order: where a run asks what an earlier one asked, its repeats go on
    from the highest of that task and model."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        if run.height:
            places[run["task"][0], run["model"][0]].append(place)
    numbered = list(runs)
    for same in places.values():
        if len(same) > 1:
            _number(numbered, same)
    return numbered


def _number(runs: list[pl.DataFrame], places: Sequence[int]) -> None:
    seen: set[tuple[str, str]] = set()
    highest = 0
    for place in places:
        run = runs[place]
        asked = set(run.select("id", "variant").iter_rows())
        if not asked.isdisjoint(seen):
            run = runs[place] = run.with_columns(pl.col("repeat") + highest)
        seen |= asked
        highest = max(highest, int(run["repeat"].max() or 0))  # type: ignore[arg-type]
