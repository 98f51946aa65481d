"""`fix`: findings, confirmed or not, losses by distance, where tool calls part → items to read, advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import (
    AGENT_ERROR,
    FILTERED,
    LIMITED,
    PROVIDER_ERROR,
    REFUSED,
    TRUNCATED,
    UNREADABLE,
)
from otherwords.core.errors import InputError
from otherwords.core.registry import traits_of
from otherwords.core.texts import of_things, p_text, percent, point_number, points, points_between
from otherwords.core.trajectory_results import TrajectorySummary, place_sentence
from otherwords.core.types import Estimate
from otherwords.core.wording_names import wording_name
from otherwords.metrics.findings import (
    ACCURACY,
    FINDING,
    Finding,
    Found,
    confirm,
    find_effects,
    fresh_rows,
    split_items,
)
from otherwords.metrics.intervals import RESAMPLES, Generalize
from otherwords.metrics.metric_registry import summarise
from otherwords.metrics.outcome_rows import BoolArray, IntArray, select_outcomes
from otherwords.metrics.score_arrays import ScoreArrays, read_grid
from otherwords.metrics.trajectory_breakdowns import trajectory_summaries
from otherwords.metrics.wording_breakdowns import by_distance, distance_sentence

MANY_UNREADABLE = 0.05
INSENSITIVE = 0.5
NOTHING = "Nothing that noise would not do as well"
NOT_ASKED = (
    "Nothing could be asked: it takes wordings whose kinds are named and an original beside them, or "
    "wordings that were run twice (--repeats 3)"
)
OWN_RUNS = "its own runs"
_NEAR = 1e-9
_BRINGS: dict[str, str] = {
    UNREADABLE: "make answers unreadable",
    REFUSED: "make it refuse",
    FILTERED: "are stopped by the provider's filter",
    TRUNCATED: "have their answers cut off",
    LIMITED: "run into a limit",
    AGENT_ERROR: "make the agent fail",
    PROVIDER_ERROR: "meet failures of the provider",
}


@dataclass(frozen=True, slots=True)
class SensitiveItem:
    """A wording that fails beside one that passes; the wordings themselves are looked up by these names."""

    task: str
    model: str
    id: str
    failing: str
    failing_kind: str
    failing_change: str
    failing_score: float
    passing: str
    passing_score: float
    n_failing: int
    """Wordings that score below the best one."""
    n_variants: int
    p: float | None
    """That shuffled runs would differ as much between wordings; null for an example of a finding."""
    q: float | None
    evidence: str = OWN_RUNS
    """`its own runs`, or the finding that it is an example of."""

    @property
    def gap(self) -> float:
        return self.passing_score - self.failing_score


@dataclass(frozen=True)
class Recommendations:
    """The result of `fix`."""

    items: tuple[SensitiveItem, ...]
    """Items whose own runs show it first, then examples of findings; widest gap first."""
    costs: pl.DataFrame
    """What each kind and each change costs, the largest loss first, survived or not, with intervals and q."""
    suggestions: tuple[str, ...]
    """Findings over all models, the largest loss first and gains last; then what is said of each model."""
    findings: tuple[Finding, ...] = ()
    """What survives, the largest effect first."""
    n_tests: int = 0
    """How many questions were asked of the table; q is over all of them."""
    by_distance: pl.DataFrame | None = None
    """What wordings near the original cost, and those far from it; see `by_distance`."""
    trajectories: tuple[TrajectorySummary, ...] = ()
    """Where the tool calls of agents part; see `trajectory_summaries`."""


def fix(
    table: Any,
    task: str | None = None,
    *,
    confirm_table: Any = None,
    split: bool = False,
    generalize: Generalize | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Recommendations:
    """What to fix: effects of rewording that noise does not explain, items that show them, and advice.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        confirm_table: Another outcome table, of other items or of other runs of the same items, in which the
            findings are tested again.
        split: Find in one half of the items, drawn at random, and test in the other half.
        generalize: For whom the intervals speak: other `items`, other `wordings`, or `both`; see `by_change`.
        resamples: 0 for no intervals.
        seed: Seed of the permutations and of the split.

    Returns:
        What survives with its size shrunk, items with a wording that fails and one that passes, what each
        kind and change costs, and suggestions in sentences.

    Raises:
        InputError: The table has no such task, rows cannot be measured, or nothing is left to confirm with.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import fix
        >>> rows = [
        ...     (f"q{n}", variant, kind, float(kind != "format"))
        ...     for n in range(20)
        ...     for variant, kind in (("orig", "orig"), ("upper", "format"))
        ... ]
        >>> found = fix(pl.DataFrame(rows, schema=["id", "variant", "kind", "score"], orient="row"))
        >>> [(one.kind, round(one.shrunk, 1)) for one in found.findings]
        [('format', 1.0)]
        >>> found.items[0].failing, found.items[0].passing
        ('upper', 'orig')
    """
    outcomes = select_outcomes(table, task)
    other = None
    if split:
        if confirm_table is not None:
            raise InputError("confirm by other logs or by a split, not by both")
        outcomes, other = split_items(outcomes, seed)
    elif confirm_table is not None:
        other = select_outcomes(confirm_table, task)
    found = find_effects(outcomes, generalize=generalize, resamples=resamples, seed=seed)
    findings = found.findings
    if other is not None:
        fresh, on = fresh_rows(outcomes, other)
        findings = confirm(findings, fresh, on, generalize)
    grid = read_grid(outcomes)
    items = sorted(
        _sensitive(grid.select(), found, findings),
        key=lambda one: (
            (one.q is None, -one.gap, -one.n_failing / one.n_variants),
            (one.task, one.model, one.id),
        ),
    )
    summary = summarise(grid, metrics=_SUMMARISED, generalize=generalize, resamples=resamples)
    losses_first = sorted(findings, key=lambda one: one.effect < 0)  # largest first, of whatever model
    suggestions = [(one.model, sentence) for one in losses_first if (sentence := _sentence(one))]
    suggestions += [
        (model, sentence)
        for model in sorted(grid.models, key=lambda model: not any(one.model == model for one in findings))
        for sentence in _beside_findings(model, items, found, findings, summary)
    ]
    distances = by_distance(outcomes, generalize=generalize, resamples=resamples)
    for model, task_name in product(grid.models, distances["task"].unique(maintain_order=True)):
        sentence = distance_sentence(distances.filter(model=model, task=task_name))
        suggestions += [(model, sentence)] if sentence else []
    several = len(grid.models) > 1
    trajectories = trajectory_summaries(grid, generalize=generalize)
    suggestions += [(one.model, f"{place_sentence(one.worst)}.") for one in trajectories if one.worst]
    return Recommendations(
        items=tuple(items),
        costs=found.costs.sort("delta", descending=True, nulls_last=True, maintain_order=True),
        suggestions=tuple(f"{model}: {text}" if several else text for model, text in suggestions),
        findings=findings,
        n_tests=found.n_tests,
        by_distance=distances,
        trajectories=trajectories,
    )


_SUMMARISED = ["variance_components", "format_failure_rate", "responsiveness", "delta_accuracy"]


def _sensitive(arrays: ScoreArrays, found: Found, findings: Sequence[Finding]) -> Iterator[SensitiveItem]:
    """Items that survive by themselves, then those that lose under a kind or change that does."""
    if not len(arrays.group):
        return
    best, worst = _best_and_worst(arrays, np.ones(len(arrays.group), np.bool_))
    below = arrays.sum_cells(arrays.mean < arrays.mean[best][arrays.group] - _NEAR)
    original = np.full(arrays.n_groups, -1)
    original[arrays.group[arrays.original]] = np.flatnonzero(arrays.original)
    own = set()
    for group in np.flatnonzero((arrays.variants >= 2) & (arrays.gap > _NEAR)):
        key = arrays.names.row(int(group))
        if key in found.items:
            own.add(int(group))
            p, q = found.items[key]
            yield _item(arrays, int(group), int(worst[group]), int(best[group]), int(below[group]), p, q)
    for finding in findings:
        if finding.what != ACCURACY or finding.effect <= 0:
            continue
        cells = _cells_of(arrays, finding)
        _, low = _best_and_worst(arrays, cells)
        for group in np.unique(arrays.group[cells]):
            passing, failing = int(original[group]), int(low[group])
            if int(group) in own or passing < 0:
                continue
            if arrays.mean[passing] - arrays.mean[failing] > _NEAR:
                own.add(int(group))
                named = wording_name(finding.kind, finding.change)
                yield _item(
                    arrays, int(group), failing, passing, int(below[group]), None, None, f"example of {named}"
                )


def _cells_of(arrays: ScoreArrays, finding: Finding) -> BoolArray:
    grid = arrays.grid
    kinds, changes = grid.kind[arrays.chosen], grid.change[arrays.chosen]
    mine = ((arrays.names["task"] == finding.task) & (arrays.names["model"] == finding.model)).to_numpy()
    cells: BoolArray = (kinds == grid.kinds.index(finding.kind)) & mine[arrays.group]
    return cells & (changes == grid.changes.index(finding.change)) if finding.change else cells


def _item(
    arrays: ScoreArrays,
    group: int,
    low: int,
    high: int,
    below: int,
    p: float | None,
    q: float | None,
    evidence: str = OWN_RUNS,
) -> SensitiveItem:
    grid, chosen = arrays.grid, arrays.chosen
    task, model, item = arrays.names.row(group)
    return SensitiveItem(
        task=task,
        model=model,
        id=item,
        failing=grid.variants[grid.variant[chosen[low]]],
        failing_kind=grid.kinds[grid.kind[chosen[low]]],
        failing_change=grid.changes[grid.change[chosen[low]]],
        failing_score=float(arrays.mean[low]),
        passing=grid.variants[grid.variant[chosen[high]]],
        passing_score=float(arrays.mean[high]),
        n_failing=below,
        n_variants=int(arrays.variants[group]),
        p=p,
        q=q,
        evidence=evidence,
    )


def _best_and_worst(arrays: ScoreArrays, among: BoolArray) -> tuple[IntArray, IntArray]:
    """Of each group the cell with the highest score (the original among equals) and with the lowest."""
    cells = np.flatnonzero(among)
    rounded = np.round(arrays.mean[cells], 9)
    upward = cells[np.lexsort((arrays.original[cells], rounded, arrays.group[cells]))]
    best, worst = np.zeros(arrays.n_groups, np.int64), np.zeros(arrays.n_groups, np.int64)
    best[arrays.group[upward]] = upward
    worst[arrays.group[upward[::-1]]] = upward[::-1]
    return best, worst


def _beside_findings(
    model: str,
    items: Sequence[SensitiveItem],
    found: Found,
    findings: Sequence[Finding],
    summary: dict[str, dict[str, Estimate]],
) -> Iterator[str]:
    mine = [one for one in findings if one.model == model]
    own = [one for one in items if one.model == model and one.q is not None]
    said = summary.get(model) or next(iter(summary.values()))
    if own:
        scored = of_things(len(own), "item scores", "items score")
        yield (
            f"{scored} differently from one wording to another by more than run-to-run noise (q ≤ {FINDING})."
        )
    if not mine and not own:
        yield _nothing(said["delta_accuracy"], found)
    for sentence in (_noise(said), _unreadable(said), _insensitive(said)):
        if sentence:
            yield sentence


def _sentence(one: Finding) -> str:
    name = wording_name(one.kind, one.change)
    subject = f"The change '{name}'" if one.change else f"Wordings of kind '{name}'"
    if one.what != ACCURACY:
        if one.effect <= 0:
            return ""
        verb = _BRINGS.get(one.what, f"end as {one.what}")
        return (
            f"{subject}{' is one of those that' if one.change else ''} {verb} more often, by {_points(one)}."
        )
    if one.effect < 0:
        better = f"{subject} score{'s' if one.change else ''} better than the original"
        return f"{better}, by {_points(one)}: adopt one of them."
    costs = f"{subject} cost{'s' if one.change else ''} {_points(one)}"
    return f"{costs}." if one.change else f"{costs}; {traits_of(one.kind).advice}."


def _points(one: Finding) -> str:
    low, high = one.shrunk_low, one.shrunk_high
    if one.effect < 0:
        low, high = -high, -low
    items = of_things(one.n_items, "item")
    told = (
        f"about {points(abs(one.shrunk))}{' of accuracy' if one.what == ACCURACY else ''} "
        f"({_between(low, high)}; {point_number(abs(one.effect))} were seen, shrunk because the largest are "
        f"picked) on {f'{items} of {one.task}' if one.task else items}, q {p_text(one.q).removeprefix('p ')}"
    )
    if one.low_if_missing is not None and one.high_if_missing is not None:
        ends = sorted((one.low_if_missing, one.high_if_missing))
        ends = [-ends[1], -ends[0]] if one.effect < 0 else ends
        told += f" ({_between(*ends)} if every run had a score)"
    again = one.confirmation
    if again is None:
        return told
    if again.effect is None:
        return f"{told}; not tested again, since the other runs have no such wordings"
    data = "items that did not pick it" if again.on == "items" else "other runs of the same items"
    verdict = "confirmed" if again.confirmed else "not confirmed"
    seen = f"{points(again.effect)} on {of_things(again.n_items, 'item')}, {p_text(again.p)}"
    return f"{told}; {verdict} on {data} ({seen})"


def _between(low: float, high: float) -> str:
    return f"{point_number(low)} to {point_number(high)}"


def _nothing(delta: Estimate, found: Found) -> str:
    if not found.n_tests:
        return f"{NOT_ASKED}{_loss(delta)}."
    asked = of_things(found.n_tests, "question was", "questions were")
    text = f"{NOTHING}: {asked} asked, and no effect survives (q ≤ {FINDING}){_loss(delta)}"
    if not found.repeated:
        text += "; with one repeat no single item can be told from run-to-run noise (--repeats 3)"
    return f"{text}."


def _loss(delta: Estimate) -> str:
    if delta.value is None or delta.low is None or delta.high is None:
        return ""
    return f"; over all rewordings the loss is {points_between(delta.value, delta.low, delta.high)}"


def _noise(found: dict[str, Estimate]) -> str:
    phrasing, noise = found["phrasing"].value, found["noise"].value
    if phrasing is None or noise is None or noise <= max(phrasing, 0.0):
        return ""
    return (
        "Run-to-run noise (the same prompt asked again) moves the outcome more than wording does: lower the "
        "temperature, or take the majority of several runs, before rewording anything."
    )


def _unreadable(found: dict[str, Estimate]) -> str:
    rate = found["format_failure_rate"].value
    if rate is None or rate < MANY_UNREADABLE:
        return ""
    return (
        f"{percent(rate)} of the replies could not be read: ask for the answer's format more plainly, or "
        "read it more leniently."
    )


def _insensitive(found: dict[str, Estimate]) -> str:
    changed = found["responsiveness"].value
    if changed is None or changed >= INSENSITIVE:
        return ""
    return (
        f"Only {percent(changed)} of the answers change where the question's meaning does: stability here "
        "may be insensitivity to the question."
    )
