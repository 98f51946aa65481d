"""`trajectory_summaries`: of each agent with tool calls: shares, where paths part, tool agreement, effort."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from otherwords.core.tool_calls import read_tool_calls
from otherwords.core.trajectory_results import (
    FINDING,
    Effort,
    PartingPlace,
    PartingPoint,
    ToolAgreement,
    TrajectoryShare,
    TrajectorySummary,
)
from otherwords.core.types import Estimate
from otherwords.metrics.findings import shrink
from otherwords.metrics.intervals import Generalize
from otherwords.metrics.measures import estimates, p_value
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, Role
from otherwords.metrics.score_arrays import Grid, ScoreArrays, read_grid
from otherwords.metrics.significance import benjamini_hochberg
from otherwords.metrics.trajectories import (
    EFFORT,
    SHARES,
    Pairs,
    Place,
    extra,
    pairs_of,
    split,
    three_measures,
)

MOST_PLACES = 40
"""Places that are tested, those at which most runs part."""
_Z = 1.959964


def trajectory_summaries(
    table: Any, *, generalize: Generalize | None = None
) -> tuple[TrajectorySummary, ...]:
    """All that is said of trajectories, of each agent that calls tools on each benchmark.

    Args:
        table: Outcome table with the column `tool_calls`: a polars or pandas frame.
        generalize: For whom the intervals speak: other `items`, other `wordings`, or `both`.

    Returns:
        One summary for each task and model with tool calls; none where no run called a tool.

    Raises:
        InputError: The table has rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import trajectory_summaries
        >>> rows = [
        ...     (f"q{n}", variant, repeat, 1.0, "find#00000a" if variant == "orig" else "look#00000a")
        ...     for n in range(20) for variant in ("orig", "para1") for repeat in (1, 2)
        ... ]
        >>> names = ["id", "variant", "repeat", "score", "tool_calls"]
        >>> (found,) = trajectory_summaries(pl.DataFrame(rows, schema=names, orient="row"))
        >>> found.worst.call, found.worst.tool, found.worst.instead
        (1, 'find', 'look')
    """
    grid = read_grid(table)
    pairs = pairs_of(grid)
    if pairs is None:
        return ()
    made = []
    for task, model in grid.names.select("task", "model").unique(maintain_order=True).iter_rows():
        groups = ((grid.names["task"] == task) & (grid.names["model"] == model)).to_numpy()
        if pairs.known[groups[grid.group]].any():
            made.append(_summary(grid, groups, pairs, task, model, generalize))
    return _corrected(made)


def _spread(cells: dict[int, float], compared: BoolArray) -> FloatArray:
    """An entry for each cell: 0 where it was compared and has none."""
    values = np.where(compared, 0.0, np.nan)
    values[list(cells)] = list(cells.values())
    return values


def _share(
    arrays: ScoreArrays, name: str, cells: FloatArray, generalize: Generalize | None
) -> TrajectoryShare:
    return TrajectoryShare(name, *estimates(three_measures(arrays, name, cells), generalize=generalize))


def _summary(
    grid: Grid, groups: BoolArray, pairs: Pairs, task: str, model: str, generalize: Generalize | None
) -> TrajectorySummary:
    of_cell = groups[grid.group]
    part = replace(grid, role=np.where(of_cell, grid.role, -1))
    arrays = part.select()
    rows = grid.runs
    assert rows is not None
    assert rows.trajectories is not None
    mine = rows.usable & of_cell[rows.cell]
    paths = [None if one is None else read_tool_calls(one) for one in rows.trajectories["tool_calls"]]
    read = [path for path, used in zip(paths, mine.tolist(), strict=True) if used and path is not None]
    cut = [path.cut for path in read if path.cut]
    tools = [tool for tool, cells in pairs.tools.items() if any(of_cell[cell] for cell in cells)]
    missing = np.zeros(len(grid.group), np.bool_)
    return TrajectorySummary(
        task=task,
        model=model,
        shares=tuple(_share(arrays, name, pairs.shares[name], generalize) for name in SHARES),
        curve=tuple(_curve(arrays, pairs, of_cell, generalize)),
        places=tuple(_places(arrays, pairs, groups, generalize)),
        tools=tuple(
            ToolAgreement(tool, _share(arrays, tool, _spread(pairs.tools[tool], missing), generalize))
            for tool in sorted(tools)
        ),
        effort=tuple(_efforts(part, pairs, generalize)),
        n_runs=len(read),
        n_unknown=int(mine.sum()) - len(read),
        n_cut=len(cut),
        n_cut_calls=sum(cut),
    )


def _curve(
    arrays: ScoreArrays, pairs: Pairs, of_cell: BoolArray, generalize: Generalize | None
) -> Iterator[PartingPoint]:
    steps = np.flatnonzero(pairs.at[of_cell].sum(axis=0) > 0)
    parted = np.where(pairs.compared[:, None], np.cumsum(pairs.at, axis=1), np.nan)
    other = np.where(pairs.compared[:, None], pairs.other_at, np.nan)
    for step in range(int(steps.max()) + 1 if len(steps) else 0):
        by_here = _share(arrays, "parted", parted[:, step], generalize)
        here = _share(arrays, "parted_with_other_outcome", other[:, step], generalize)
        yield PartingPoint(
            step + 1, _less(by_here.wordings), _less(by_here.rerun), by_here.excess, here.excess
        )


def _less(estimate: Estimate) -> float | None:
    return None if estimate.value is None else 1 - estimate.value


def _places(
    arrays: ScoreArrays, pairs: Pairs, groups: BoolArray, generalize: Generalize | None
) -> Iterator[PartingPlace]:
    ways: dict[Place, Counter[tuple[str, str, bool]]] = defaultdict(Counter)
    for (group, place), seen in pairs.ways.items():
        if groups[group]:
            ways[place] += seen
    for place, seen in sorted(ways.items(), key=lambda pair: (-pair[1].total(), pair[0]))[:MOST_PLACES]:
        measure = [*three_measures(arrays, "parting", _spread(pairs.places[place], pairs.compared))][-1]
        how, instead = Counter((how, here) for how, here, _ in seen.elements()).most_common(1)[0][0]
        other = sum(count for (_, _, is_other), count in seen.items() if is_other)
        (excess,) = estimates([measure], generalize=generalize)
        p = p_value(measure, generalize=generalize)
        yield PartingPlace(*place, how, instead, excess, p, None, None, other / seen.total())


def _efforts(grid: Grid, pairs: Pairs, generalize: Generalize | None) -> Iterator[Effort]:
    kinds = [grid.kinds[one] for one in np.unique(grid.kind[(grid.role == Role.WORDING) & ~grid.original])]
    for kind in (None, *(kind for kind in kinds if kind and len(kinds) > 1)):
        arrays = grid.select(kind=kind)
        for name in EFFORT:
            one = split(arrays, pairs.effort[name])
            if one.has_both.any():
                (change,) = estimates([extra(arrays, name, pairs.effort[name])], generalize=generalize)
                original, rest = (float(part[one.has_both].mean()) for part in (one.original, one.rest))
                yield Effort(name, kind or "", original, rest, change)


def _corrected(summaries: Iterable[TrajectorySummary]) -> tuple[TrajectorySummary, ...]:
    """With q over the places of all agents, and what was found shrunk; who parts most comes first."""
    every = list(summaries)
    q_values = benjamini_hochberg([place.p for one in every for place in one.places])
    found = sum(q is not None and q <= FINDING for q in q_values)
    cut = FINDING * found / max(sum(q is not None for q in q_values), 1)
    left = iter(q_values)
    made = []
    for one in every:
        places = [_with_q(place, next(left), cut) for place in one.places]
        places.sort(key=lambda place: (-(place.excess.value or 0.0), place.call, place.tool))
        made.append(replace(one, places=tuple(places)))
    return tuple(sorted(made, key=lambda one: -(one["path_change"].excess.value or 0.0)))


def _with_q(place: PartingPlace, q: float | None, cut: float) -> PartingPlace:
    one = place.excess
    if q is None or q > FINDING or place.p is None or one.value is None:
        return replace(place, q=q)
    error = None if one.low is None or one.high is None else (one.high - one.low) / (2 * _Z)
    return replace(place, q=q, shrunk=shrink(one.value, place.p, cut, error=error).value)
