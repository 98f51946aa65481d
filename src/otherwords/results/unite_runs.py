"""Tables of single runs → the same tables with different runs told apart and nothing counted twice.

Repeats are what a run itself numbers (Inspect's epochs). Two logs of the same run conditions that hold the
same wording and epoch are one result, of which the fuller log's counts. For other tools, whose files hold one
run each, files of the same configuration are numbered as repeats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from otherwords.core.contract import ERROR, MISSING
from otherwords.results.run_identity import RunIdentity, labels_of

_CELL = ["id", "variant", "repeat"]


def told_apart(runs: Sequence[tuple[str, str, RunIdentity]], notes: list[str]) -> list[str]:
    """For each run (task, model, identity) the model's name, with a label where runs of it differ."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (task, model, _) in enumerate(runs):
        places[task, model].append(place)
    names = [model for _, model, _ in runs]
    for (task, model), same in places.items():
        labels = labels_of([runs[place][2] for place in same])
        for place, label in zip(same, labels, strict=True):
            names[place] = f"{model} ({label})" if label else model
        if any(labels):
            several = " and ".join(f"'{name}'" for name in dict.fromkeys(names[place] for place in same))
            notes.append(f"In {task}, runs of '{model}' differ and are reported apart: {several}.")
    return names


def named(table: pl.DataFrame, model: str) -> pl.DataFrame:
    """The table with `model` as the name of its model."""
    return table.with_columns(pl.lit(model, pl.String).alias("model")) if table.height else table


def united(
    tables: Sequence[pl.DataFrame], ranks: Sequence[tuple[int, str, str]], names: Sequence[str]
) -> tuple[list[pl.DataFrame], dict[int, str]]:
    """The tables with each wording and epoch of a model in one of them only, and what others lost.

    Args:
        tables: One for each run; those of the same task and model are parts of one run.
        ranks: Of two runs that hold the same, the one with the higher rank counts, unless it failed there.
        names: What the runs are called in the messages.

    Returns:
        The tables, and for the places of those that lost rows a message.
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, table in enumerate(tables):
        if table.height:
            places[table["task"][0], table["model"][0]].append(place)
    kept, messages = list(tables), dict[int, str]()
    for same in places.values():
        if len(same) > 1:
            _keep_one_of_each(
                kept, sorted(same, key=lambda place: ranks[place], reverse=True), names, messages
            )
    return kept, messages


def _keep_one_of_each(
    tables: list[pl.DataFrame], best_first: Sequence[int], names: Sequence[str], messages: dict[int, str]
) -> None:
    failed = pl.col("status").is_in([ERROR, MISSING])
    rows = pl.concat(
        [
            tables[place].select(*_CELL, failed=failed, rank=pl.lit(rank, pl.Int64)).with_row_index("row")
            for rank, place in enumerate(best_first)
        ]
    )
    winner = pl.col("rank").sort_by("failed", "rank").first().over(_CELL)
    rows = rows.with_columns(winner=winner)
    lost = rows.filter(pl.col("rank") != pl.col("winner"))
    for (rank,), of_run in lost.group_by("rank", maintain_order=True):
        place = best_first[int(str(rank))]
        had = tables[place].height - int(of_run["failed"].sum())
        gone = of_run.filter(~pl.col("failed"))
        tables[place] = tables[place].with_row_index("row").join(of_run, on="row", how="anti").drop("row")
        if gone.height:
            by = names[best_first[int(gone["winner"].mode().sort()[0])]]
            messages[place] = _lost(gone.height, had, by)


def _lost(gone: int, had: int, by: str) -> str:
    if gone < had:
        return f"{gone} of its {had} results are also in {by}, which counts"
    return (
        f"holds the same wordings and epochs as {by}, which counts: repeats come from epochs, not from files "
        "(for more, run again with a higher --repeats; for runs over time, name each log by itself)"
    )


def number_repeats(runs: Sequence[pl.DataFrame], notes: list[str]) -> list[pl.DataFrame]:
    """Separate runs of the same wordings as further repeats, for tools whose files hold one run each.

    `runs` are the tables of single runs, in order: where a run asks what an earlier one asked, its repeats go
    on from the highest of that task and model, and that is noted.
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        if run.height:
            places[run["task"][0], run["model"][0]].append(place)
    numbered = list(runs)
    for (task, model), same in places.items():
        again = _number(numbered, same) if len(same) > 1 else 0
        if again:
            notes.append(
                f"In {task}, {again + 1} files of '{model}' with the same settings count as repeats of "
                "each other."
            )
    return numbered


def _number(runs: list[pl.DataFrame], places: Sequence[int]) -> int:
    """How many of the runs ask again what an earlier one asked."""
    seen: set[tuple[str, str]] = set()
    highest = again = 0
    for place in places:
        run = runs[place]
        asked = set(run.select("id", "variant").iter_rows())
        if not asked.isdisjoint(seen):
            again += 1
            run = runs[place] = run.with_columns(pl.col("repeat") + highest)
        seen |= asked
        highest = max(highest, int(run["repeat"].max() or 0))  # type: ignore[arg-type]
    return again
