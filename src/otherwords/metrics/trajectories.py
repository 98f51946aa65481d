"""Tool calls of runs → how far they differ under rewording, beyond noise; how much more effort runs take.

Every run of another wording is compared with every run of the original, and the runs of the original with
each other: what these differ by is the noise floor. Both are means over pairs, so that an agent that does not
heed the wording has an excess of 0 on average, whatever its noise. Items are what intervals are over.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from otherwords.core.tool_calls import Parting, ToolPath, aligned, parting, read_tool_calls
from otherwords.metrics.accuracy_metrics import LOSS_TESTED_AT
from otherwords.metrics.measures import Measure, mean_over_groups, once, sums_over_groups
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, Rows
from otherwords.metrics.score_arrays import Grid, ScoreArrays

SHARES = (
    "path_change",
    "tool_set_change",
    "tool_order_change",
    "tool_argument_change",
    "same_outcome_other_path",
    "other_outcome_other_path",
    "tool_error_rate",
)
RERUN, EXCESS = "rerun_", "excess_"
EFFORT = ("steps", "model_calls", "messages", "tokens", "seconds", "cost")
NO_PAIR = "no item has tool calls both of the original and of another wording"
LACKS_ONE = "no tool calls of the original or of any other wording"
NO_RERUN = "no original was run twice with its tool calls known; rerun with --repeats 3"
RAN_ONCE = f"{LACKS_ONE}, or the original was run once"
MOST_CALLS = 30
"""Of the curve; what parts later counts in all other measures."""
_NEAR = 1e-9


@metric()
def trajectory_changes(arrays: ScoreArrays) -> Iterator[Measure]:
    """How far the tool calls of reworded runs differ from the original's; empty where no run called a tool.

    Returns:
        Three estimates for each measure: the share itself, the same between repeats of the original
        (`rerun_…`, the noise floor), and the difference (`excess_…`), which needs two repeats. The measures
        are `path_change` (any call differs), `tool_set_change` (1 − Jaccard of the sets of tools),
        `tool_order_change` (edits of the sequence of tools, over its length), `tool_argument_change` (of
        calls of the same tool at the same place, those with other arguments), `same_outcome_other_path`,
        `other_outcome_other_path` (by the score) and `tool_error_rate` (calls that failed).

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import trajectory_changes
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": "a",
        ...         "variant": ["orig", "orig", "para1"],
        ...         "repeat": [1, 2, 1],
        ...         "score": 1.0,
        ...         "tool_calls": ["find#00000a book#00000b"] * 2 + ["find#00000a book#00000c"],
        ...     }
        ... )
        >>> found = trajectory_changes(table)
        >>> found["excess_path_change"].value, found["excess_tool_argument_change"].value
        (1.0, 0.5)
    """
    pairs = pairs_of(arrays.grid)
    if pairs is not None:
        for name in SHARES:
            yield from three_measures(arrays, name, pairs.shares[name])


@metric()
def trajectory_effort(arrays: ScoreArrays) -> Iterator[Measure]:
    """What runs take under rewording more than under the original; empty where no run called a tool.

    Returns:
        Estimates of `extra_steps` (tool calls), `extra_model_calls`, `extra_messages`, `extra_tokens`,
        `extra_seconds` and `extra_cost`, as far as they are known: 0.1 is 10% more.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import trajectory_effort
        >>> calls = ["find#00000a", "find#00000a book#00000b"]
        >>> rows = {"id": "a", "variant": ["orig", "para1"], "score": 1.0, "tool_calls": calls}
        >>> trajectory_effort(pl.DataFrame(rows))["extra_steps"].value
        1.0
    """
    pairs = pairs_of(arrays.grid)
    for name in EFFORT if pairs is not None else ():
        assert pairs is not None
        if not np.isnan(pairs.effort[name][arrays.chosen]).all():
            yield extra(arrays, name, pairs.effort[name])


# ---- what two runs differ in


class _Compared(NamedTuple):
    tool_set: float
    order: float
    arguments: float
    """NaN where no call of one path has the tool of the other's at its place."""
    tools: tuple[tuple[str, float], ...]
    """The same for each tool."""
    parting: Parting | None


@lru_cache(maxsize=65_536)
def _compare(record: str, original: str) -> _Compared:
    here, there = read_tool_calls(record), read_tool_calls(original)
    apart = parting(here, there)
    # what a record has no room for is not compared
    mine = here.names[: len(there.names)] if there.cut else here.names
    theirs = there.names[: len(here.names)] if here.cut else there.names
    union = len(set(mine) | set(theirs))
    steps = aligned(mine, theirs)
    same = [(i, j) for i, j in steps if i is not None and j is not None and mine[i] == theirs[j]]
    seen: dict[str, list[bool]] = defaultdict(list)
    for i, j in same:
        seen[mine[i]].append(here.arguments[i] != there.arguments[j])
    return _Compared(
        tool_set=1 - len(set(mine) & set(theirs)) / union if union else 0.0,
        order=1 - len(same) / len(steps) if steps else 0.0,
        arguments=sum(map(sum, seen.values())) / len(same) if same else math.nan,
        tools=tuple((tool, sum(one) / len(one)) for tool, one in seen.items()),
        parting=apart,
    )


Place = tuple[int, str]


@dataclass(frozen=True)
class Pairs:
    """Means over the pairs of each cell of a grid: of a wording with the original, or of its repeats."""

    known: BoolArray
    """Which cells have a run with a path."""
    shares: dict[str, FloatArray]
    effort: dict[str, FloatArray]
    at: FloatArray
    """For each cell and call: the share of pairs that part there."""
    other_at: FloatArray
    """For each cell and call: the share that parts there and comes to another outcome."""
    compared: BoolArray
    """Which cells have a pair."""
    places: dict[Place, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    """The share of a cell's pairs that part at a call where the original calls a tool."""
    ways: dict[tuple[int, Place], Counter[tuple[str, str, bool]]] = field(default_factory=dict)
    """For each group and place: how, by which tool, whether with another outcome."""
    tools: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    """For each tool the share of its aligned calls with other arguments, of each cell that has any."""


def pairs_of(grid: Grid) -> Pairs | None:
    """Worked out once for a grid; None where no run has a path."""
    rows = grid.runs
    return None if rows is None else once(grid, "trajectories", lambda: _read_pairs(grid, rows))


def _read_pairs(grid: Grid, rows: Rows) -> Pairs:
    assert rows.trajectories is not None
    records = rows.trajectories["tool_calls"].to_list()
    runs: list[list[int]] = [[] for _ in grid.group]
    for row, (cell, usable) in enumerate(zip(rows.cell.tolist(), rows.usable.tolist(), strict=True)):
        if usable and records[row] is not None:
            runs[cell].append(row)
    n_cells = len(grid.group)
    shares = {name: np.full(n_cells, np.nan) for name in SHARES}
    pairs = Pairs(
        known=np.array([bool(some) for some in runs], np.bool_),
        shares=shares,
        effort=_effort(grid, rows),
        at=np.zeros((n_cells, MOST_CALLS)),
        other_at=np.zeros((n_cells, MOST_CALLS)),
        compared=np.zeros(n_cells, np.bool_),
    )
    originals = {int(grid.group[cell]): runs[cell] for cell in np.flatnonzero(grid.original)}
    for cell, mine in enumerate(runs):
        theirs = originals.get(int(grid.group[cell]), [])
        both = permutations(mine, 2) if grid.original[cell] else product(mine, theirs)
        group = None if grid.original[cell] else int(grid.group[cell])
        _add_pairs(pairs, cell, [*both], records, rows.score, group)
        failed = [share for row in mine if (share := _failed(read_tool_calls(records[row]))) is not None]
        if failed:
            shares["tool_error_rate"][cell] = sum(failed) / len(failed)
    return pairs


def _failed(path: ToolPath) -> float | None:
    return sum(path.failed) / len(path.failed) if path.failed else None


def _add_pairs(
    pairs: Pairs,
    cell: int,
    both: Sequence[tuple[int, int]],
    records: Sequence[str],
    score: FloatArray,
    group: int | None,
) -> None:
    """What the pairs of a cell differ in; `group` is None for repeats of the original."""
    if not both:
        return
    n, shares = len(both), pairs.shares
    sums: Counter[str] = Counter()
    arguments: list[float] = []
    tools: dict[str, list[float]] = defaultdict(list)
    places: Counter[Place] = Counter()
    for here, there in both:
        one = _compare(records[here], records[there])
        other = abs(score[here] - score[there]) > _NEAR
        sums["tool_set_change"] += one.tool_set  # type: ignore[assignment]
        sums["tool_order_change"] += one.order  # type: ignore[assignment]
        arguments += [] if math.isnan(one.arguments) else [one.arguments]
        for tool, share in one.tools:
            tools[tool].append(share)
        if one.parting is None:
            continue
        apart = one.parting
        sums["path_change"] += 1
        sums["other_outcome_other_path" if other else "same_outcome_other_path"] += 1
        place = (apart.call, apart.there or apart.here)
        places[place] += 1
        if group is not None:
            ways = pairs.ways.setdefault((group, place), Counter())
            ways[apart.how, apart.here, other] += 1
        if apart.call <= MOST_CALLS:
            pairs.at[cell, apart.call - 1] += 1 / n
            pairs.other_at[cell, apart.call - 1] += other / n
    pairs.compared[cell] = True
    for name in SHARES[:6]:
        shares[name][cell] = sums[name] / n
    shares["tool_argument_change"][cell] = sum(arguments) / len(arguments) if arguments else np.nan
    for place, count in places.items():
        pairs.places[place][cell] = count / n
    for tool, found in tools.items():
        pairs.tools[tool][cell] = sum(found) / len(found)


def _effort(grid: Grid, rows: Rows) -> dict[str, FloatArray]:
    """For each cell the mean over its scored runs; NaN where none is known."""
    assert rows.trajectories is not None
    paths = [None if one is None else read_tool_calls(one).calls for one in rows.trajectories["tool_calls"]]
    found = {}
    for name in EFFORT:
        given = paths if name == "steps" else rows.trajectories[name].to_list()
        values = np.array([np.nan if one is None else float(one) for one in given])
        known = rows.usable & ~np.isnan(values)
        total = np.bincount(rows.cell[known], weights=values[known], minlength=len(grid.group))
        count = np.bincount(rows.cell[known], minlength=len(grid.group))
        found[name] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return found


# ---- measures


class Split(NamedTuple):
    """The cells of a view, and for each group the original's value and the mean of the other wordings'."""

    cells: FloatArray
    """0 where it is not known."""
    others: BoolArray
    """Which cells are of other wordings, and known."""
    original: FloatArray
    rest: FloatArray
    has_original: BoolArray
    has_rest: BoolArray

    @property
    def has_both(self) -> BoolArray:
        return self.has_original & self.has_rest


def split(arrays: ScoreArrays, of_cells: FloatArray) -> Split:
    """From a value for each cell of the grid, NaN where it is not known."""
    cells = of_cells[arrays.chosen]
    known = ~np.isnan(cells)
    cells = np.where(known, cells, 0.0)
    others, first = known & ~arrays.original, known & arrays.original
    n_others = arrays.sum_cells(others)
    rest = arrays.sum_cells(np.where(others, cells, 0.0)) / np.maximum(n_others, 1)
    original = arrays.sum_cells(np.where(first, cells, 0.0))
    return Split(cells, others, original, rest, arrays.sum_cells(first) > 0, n_others > 0)


def three_measures(arrays: ScoreArrays, name: str, of_cells: FloatArray) -> Iterator[Measure]:
    """Over wordings, between repeats of the original, and the difference."""
    one = split(arrays, of_cells)
    both, floor = one.has_both, one.original
    yield mean_over_groups(
        arrays,
        one.rest,
        one.has_rest,
        name=name,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        cells=one.cells,
        of_cells=one.others,
    )
    yield mean_over_groups(
        arrays,
        floor,
        one.has_original,
        name=RERUN + name,
        nothing=NO_RERUN,
        left_out="the original was run once",
    )
    yield mean_over_groups(
        arrays,
        np.where(both, one.rest - floor, 0.0),
        both,
        name=EXCESS + name,
        difference=True,
        tested_at=LOSS_TESTED_AT,
        nothing=NO_RERUN if one.has_rest.any() else NO_PAIR,
        left_out=RAN_ONCE,
        cells=one.cells - floor[arrays.group],
        of_cells=one.others,
        against_original=True,
    )


def extra(arrays: ScoreArrays, name: str, of_cells: FloatArray) -> Measure:
    """Relative change of the mean over items. A pseudo-item doubles it, and another takes nothing."""
    one = split(arrays, of_cells)
    both = one.has_both
    usual = float(one.original[both].mean()) if both.any() else 0.0

    def by_cell() -> list[FloatArray]:
        used = one.others & both[arrays.group]
        share = used / np.maximum(arrays.sum_cells(used), 1)[arrays.group]
        base = one.original[arrays.group]
        return [(one.cells - base) * share, base * share]

    def ratio(sums: FloatArray) -> FloatArray:
        return np.asarray(sums[..., 0] / np.where(sums[..., 1] > 0, sums[..., 1], np.nan))

    return sums_over_groups(
        arrays,
        [np.where(both, one.rest - one.original, 0.0), np.where(both, one.original, 0.0)],
        ratio,
        both,
        name=f"extra_{name}",
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        undefined="the original takes none",
        ends=((-usual, usual), (usual, usual)),
        at_each_end=1,
        signed=True,
        cells=by_cell,
    )
