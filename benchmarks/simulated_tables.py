"""Made-up models whose truth is known: chances, scores and answers as arrays, and the library's view of them.

A process makes the chance that each wording of each item is answered rightly. Scores and answers are drawn
from it as [item, wording, repeat] and handed to the library as `ScoreArrays`, with no data frame in between,
so that thousands of tables are measured in minutes. `check_same` makes sure that a frame gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.contract import ANSWERED, OUTCOMES
from otherwords.metrics import METRICS, Measure, ScoreArrays, summarise
from otherwords.metrics.answer_metrics import fleiss_kappa
from otherwords.metrics.intervals import LEVEL, Error, interval_of
from otherwords.metrics.measures import estimates
from otherwords.metrics.noise_metrics import item_variance
from otherwords.metrics.outcome_rows import Rows
from otherwords.metrics.score_arrays import Grid, grid_of
from otherwords.metrics.significance import Cells

Array = npt.NDArray[np.float64]
Rng = np.random.Generator
LARGE = 10_000
TOGETHER = 50
"""Tables that are measured at once."""
VARIANTS, OPTIONS, FAULTS = 6, 4, 2
"""The original and five other wordings; then one negative control and two runs under faults."""
RATES = tuple(outcome for outcome in OUTCOMES if outcome != ANSWERED)


@dataclass(frozen=True)
class Table:
    """One run of one model. `outcome` has 0 for `answered`, else the place in `RATES` plus one."""

    score: Array
    answer: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.int64]
    scored: npt.NDArray[np.bool_]
    kinds: tuple[str, ...]
    """Of each wording."""

    @property
    def names(self) -> list[str]:
        """Of each wording."""
        return ["orig", *(f"{kind}:{place}" for place, kind in enumerate(self.kinds) if place)]

    def with_all_scores(self) -> Table:
        """As if no score were missing."""
        return replace(self, scored=np.ones_like(self.scored))


# ---- the chance that each wording of each item is right: [item, wording]


def moved(p: Array, by: Array) -> Array:
    """Chances moved on the logit scale."""
    kept = np.clip(p, 1e-6, 1 - 1e-6)
    return np.asarray(1 / (1 + np.exp(-(np.log(kept / (1 - kept)) + by))))


def some(rng: Rng, n_items: int, share: float) -> npt.NDArray[np.bool_]:
    """Which items are of a sort that so many are; exactly so many where the table is to tell the truth."""
    chosen = rng.random((n_items, 1)) < share
    if n_items >= LARGE:
        chosen = np.arange(n_items)[:, None] < share * n_items
    return chosen


def easy(rng: Rng, n_items: int, effect: float = 1.5) -> Array:
    """Accuracy .92: 15% of the items are not near-certain, and in those the wording matters."""
    hard = some(rng, n_items, 0.15)
    p = np.repeat(np.where(hard, rng.uniform(0.2, 0.8, (n_items, 1)), 0.995), VARIANTS, axis=1)
    return np.where(hard, moved(p, effect * rng.standard_normal(p.shape)), p)


def mixed(rng: Rng, n_items: int, effect: float = 1.0) -> Array:
    """Items from impossible to certain, accuracy about .65; each has wordings of its own."""
    p = np.repeat(rng.beta(1.3, 0.7, (n_items, 1)), VARIANTS, axis=1)
    return moved(p, effect * rng.standard_normal(p.shape))


def shared(rng: Rng, n_items: int, spread: float, n_sets: int = 1, wordings: int = VARIANTS) -> Array:
    """Mixed items whose wordings are the same for all; each of `n_sets` sets of items has other wordings."""
    p = np.repeat(rng.beta(1.3, 0.7, (n_items, 1)), wordings, axis=1)
    effects = spread * rng.standard_normal((n_sets, wordings))
    return moved(p, np.repeat(effects, n_items // n_sets, axis=0))


def decides_in_few(rng: Rng, n_items: int) -> Array:
    """In 8% of the items each wording is nearly always right or nearly always wrong."""
    hit = some(rng, n_items, 0.08)
    return np.where(hit, np.where(rng.random((n_items, VARIANTS)) < 0.5, 0.02, 0.98), 0.99)


def breaks_few(rng: Rng, n_items: int) -> Array:
    """The original is always right; in 15% of the items no other wording ever is."""
    p = np.ones((n_items, VARIANTS))
    p[:, 1:] -= some(rng, n_items, 0.15)
    return p


def costs_some(rng: Rng, n_items: int) -> Array:
    """Mixed items that lose a logit under every rewording: about 15 points."""
    p = np.repeat(rng.beta(1.3, 0.7, (n_items, 1)), VARIANTS, axis=1)
    p[:, 1:] = moved(p[:, 1:], np.full(p[:, 1:].shape, -1.0))
    return p


def in_few(rng: Rng, n_items: int) -> Array:
    """A coin in 8% of the items, and always right in the others."""
    p = np.where(some(rng, n_items, 0.08), 0.5, 1.0)
    return np.repeat(p, VARIANTS, axis=1)


def same_variance_in_all(rng: Rng, n_items: int) -> Array:
    """The mean variance of `in_few`, spread over all items."""
    return np.full((n_items, VARIANTS), 0.5 + np.sqrt(0.25 - 0.08 * 0.25))


def same_accuracy_in_all(rng: Rng, n_items: int) -> Array:
    """The accuracy of `in_few`, spread over all items."""
    return np.full((n_items, VARIANTS), 0.96)


# ---- tables


def draw(rng: Rng, p: Array, repeats: int, *, kind: str = "paraphrase", missing: bool = False) -> Table:
    """A table of right-or-wrong scores, with controls, faults and outcomes.

    With `missing`, a wrong run has no score in 30% of the cases and a right one in 5%.
    """
    n_items, wordings = p.shape
    under_faults = np.repeat(p[:, :1] * 0.8, FAULTS, axis=1)
    changes = rng.uniform(0.5, 1.0, (n_items, 1))
    chances = np.hstack([p, 1 - changes, under_faults])[..., None]
    right = rng.random((*chances.shape[:2], repeats)) < chances
    target = rng.integers(0, OPTIONS, n_items)[:, None, None]
    answer = np.where(right, target, (target + rng.integers(1, OPTIONS, right.shape)) % OPTIONS)
    scored = np.ones(right.shape, np.bool_)
    if missing:
        scored = rng.random(right.shape) >= np.where(right, 0.05, 0.3)
    kinds = ("orig", *([kind] * (wordings - 1)), "control", *(["fault"] * FAULTS))
    return Table(right.astype(float), answer, _outcomes(rng, right.shape), scored, kinds)


def partial_credit(rng: Rng, p: Array, repeats: int) -> Table:
    """Skewed scores: whole with the chance p, else mostly near 0 and seldom near 1."""
    table = draw(rng, p, repeats)
    part = rng.beta(0.3, 3.0, table.score.shape)
    return replace(table, score=np.where(table.score > 0, 1.0, np.round(part, 3)))


def _outcomes(rng: Rng, shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """In a tenth of the items each outcome comes up, more or less often; in the others it does not."""
    found = np.zeros(shape, np.int64)
    for place in range(len(RATES)):
        prone = (rng.random(shape[0]) < 0.1) * rng.uniform(0.05, 0.5, shape[0])
        found[rng.random(shape) < prone[:, None, None]] = place + 1
    return found


# ---- the library's view of them


def grid_of_all(tables: Sequence[Table]) -> Grid:
    """What the library computes on: tables of one shape, each as a model with items of its own."""
    n_items, n_wordings, repeats = tables[0].score.shape
    n_groups, kinds = len(tables) * n_items, sorted({"", *tables[0].kinds})
    wording = np.tile(np.repeat(np.arange(n_wordings), repeats), n_groups)
    cell = np.repeat(np.arange(n_groups * n_wordings), repeats)
    usable, score, answer, outcome = (
        np.concatenate([getattr(one, name).reshape(-1) for one in tables])
        for name in ("scored", "score", "answer", "outcome")
    )
    models = [f"{place:04}" if len(tables) > 1 else "" for place in range(len(tables))]
    rows = Rows(
        names=pl.DataFrame(
            {"task": "", "model": np.repeat(models, n_items), "id": np.arange(n_groups)},
            schema_overrides={"id": pl.String},
        ),
        cluster=np.arange(n_groups),
        variants=tables[0].names,
        kinds=kinds,
        changes=[""],
        group=np.repeat(np.arange(n_groups), n_wordings * repeats),
        cell=cell,
        cell_starts=np.arange(n_groups * n_wordings) * repeats,
        variant=wording,
        kind=np.array([kinds.index(one) for one in tables[0].kinds])[wording],
        change=np.zeros(len(cell), np.int64),
        original=wording == 0,
        usable=usable,
        replied=np.ones(len(cell), np.bool_),
        outcomes={name: outcome == place + 1 for place, name in enumerate(RATES)},
        score=score,
        right=(score >= 0.5).astype(float),
        answer=np.where(usable, answer, -1),
        reducers=None,
    )
    return grid_of(rows)


def measures(table: Table, only: Sequence[str] = ()) -> dict[str, Measure]:
    """Every metric of a table, before its interval."""
    return _of_arrays(grid_of_all([table]).select(), only)


def measures_of_all(tables: Sequence[Table], only: Sequence[str] = ()) -> Iterator[dict[str, Measure]]:
    """`measures` with an interval of each table, computed together and then taken apart, which is quicker."""
    if not all(one.scored.all() for one in tables):
        # what a made-up item says depends there on how many runs of the others have a score
        yield from (_with_interval(measures(one, only)) for one in tables)
        return
    grid, n_items = grid_of_all(tables), len(tables[0].score)
    together = _with_interval(_of_arrays(grid.select(), only))
    cells: dict[str, Cells] = {}
    for place, model in enumerate(grid.models):
        found = {name: _part(one, place * n_items, n_items, cells) for name, one in together.items()}
        arrays = grid.select(model=model)
        for name, own in OF_ALL_ITEMS.items():
            if name in together:
                found[name] = own(arrays)
        yield found


def _std_variance(arrays: ScoreArrays) -> Measure:
    return _of_arrays(arrays, ["std_variance"])["std_variance"]


def intervals_of_all(measured: Sequence[Measure]) -> list[tuple[float, float] | None]:
    """The intervals over items of one metric of many tables: what `estimates` gives, with the arithmetic of
    otherwords.metrics.intervals for all tables at once. None where a table has none."""
    statistics = [one.statistic for one in measured if one.statistic is not None]
    first = statistics[0]
    alike = measured[0].metric not in OF_ALL_ITEMS and all(
        np.any(one.columns != 0, axis=1).all() and np.array_equal(one.ends or (), first.ends or ((),))
        for one in statistics
    )
    if not alike:
        found = estimates(measured, generalize="items")
        return [None if one.low is None or one.high is None else (one.low, one.high) for one in found]
    assert first.ends is not None
    columns = np.stack([one.columns for one in statistics])
    added = np.repeat(np.vstack(first.ends), first.at_each_end, axis=0)
    rows = np.concatenate([columns, np.broadcast_to(added, (len(columns), *added.shape))], axis=1)
    n_items, n_rows, totals = columns.shape[1], rows.shape[1], rows.sum(axis=1)
    with np.errstate(all="ignore"):
        centre = first.combine(totals)
        without_one = first.combine(totals[:, None] - rows)
    apart = without_one.mean(axis=1, keepdims=True) - without_one
    variance = (n_rows - 1) / n_rows * np.square(apart).sum(axis=1)
    skew = np.zeros(len(columns))
    if first.signed:
        real = apart[:, :n_items] - apart[:, :n_items].mean(axis=1, keepdims=True)
        skew = ((n_rows - 1) / n_rows) ** 3 * (real**3).sum(axis=1) / variance**1.5
    known = np.isfinite(centre) & np.isfinite(without_one).all(axis=1)
    errors = (
        Error(*numbers, "items", "") if has else "none"
        for has, *numbers in zip(known, centre, variance, [n_rows - 1.0] * len(columns), skew, strict=True)
    )
    ends = [interval_of(one, error, LEVEL) for one, error in zip(statistics, errors, strict=True)]
    return [None if one.low is None or one.high is None else (one.low, one.high) for one in ends]


OF_ALL_ITEMS = {"item": item_variance, "fleiss_kappa": fleiss_kappa, "std_variance": _std_variance}
"""What an item says in these depends on the other items."""


def _part(measure: Measure, first: int, n_items: int, kept: dict[str, Cells]) -> Measure:
    """The measure of some of the items that it is of."""
    statistic = measure.statistic
    assert statistic is not None

    def cells() -> Cells:
        if measure.metric not in kept:
            assert statistic.cells is not None
            kept[measure.metric] = statistic.cells()
        whole = kept[measure.metric]
        part = slice(*np.searchsorted(whole.item, [first, first + n_items]).tolist())
        share = None if whole.share is None else whole.share[part]
        return whole._replace(
            item=whole.item[part] - first,
            wording=whole.wording[part],
            columns=whole.columns[part],
            share=share,
        )

    columns = statistic.columns[first : first + n_items]
    own = replace(statistic, columns=columns, cells=cells if statistic.cells else None)
    return replace(measure, statistic=own)


def _of_arrays(arrays: ScoreArrays, only: Sequence[str]) -> dict[str, Measure]:
    chosen = [one.measures for name, one in METRICS if one.measures and (not only or name in only)]
    return {found.metric: found for one in chosen for found in one(arrays)}


def _with_interval(found: dict[str, Measure]) -> dict[str, Measure]:
    return {name: one for name, one in found.items() if one.statistic is not None}


def values_of(found: dict[str, Measure]) -> dict[str, float]:
    """Every value that an interval is made for."""
    with_interval = {name: one.statistic.value for name, one in found.items() if one.statistic is not None}
    return {name: value for name, value in with_interval.items() if value is not None}


def as_frame(table: Table, model: str = "", wordings: int | None = None) -> pl.DataFrame:
    """The table as people have it; with `wordings`, only so many of them."""
    part = (slice(None), slice(wordings))
    item, wording, repeat = (grid.reshape(-1) for grid in np.indices(table.score[part].shape))
    outcome = table.outcome[part].reshape(-1)
    frame = pl.DataFrame(
        {
            "model": model,
            "id": pl.Series(item).cast(pl.String).str.zfill(5),
            "variant": pl.Series(table.names)[wording],
            "kind": pl.Series(table.kinds)[wording],
            "repeat": repeat + 1,
            "score": table.score[part].reshape(-1),
            "pred_index": table.answer[part].reshape(-1),
            "outcome": pl.Series([ANSWERED, *RATES])[outcome],
        }
    )
    has_score = pl.Series(table.scored[part].reshape(-1))
    return frame.with_columns(score=pl.when(has_score).then("score"))


def check_same(tables: Sequence[Table]) -> None:
    """That the last of the tables, measured with the others, is what the library reads from a frame of it."""
    by_frame = summarise(as_frame(tables[-1]))["all"]
    over_items = summarise(as_frame(tables[-1]), generalize="items")["all"]
    measured = list(measures_of_all(tables))
    for name, measure in measured[-1].items():
        (ours,) = estimates([measure])
        theirs = by_frame[name]
        at_once = intervals_of_all([one[name] for one in measured])[-1]
        alone = over_items[name]
        assert (alone.low is None) == (at_once is None), name
        assert at_once is None or np.allclose(at_once, [alone.low, alone.high], atol=1e-9), (name, at_once)
        for mine, other in ((ours.value, theirs.value), (ours.low, theirs.low), (ours.high, theirs.high)):
            assert (mine is None) == (other is None), (name, ours, theirs)
            assert mine is None or other is None or abs(mine - other) < 1e-9, (name, ours, theirs)


# ---- templates


def logistic(values: Array) -> Array:
    """Chances from logits."""
    return 1 / (1 + np.exp(-values))


def sparse_grid(rng: Rng, n_items: int, n_templates: int, share: float) -> Array:
    """Which cells are asked: as many of each item, and of each template."""
    per_item = round(n_templates * share)
    asked = np.zeros((n_items, n_templates))
    for place, item in enumerate(rng.permutation(n_items)):
        asked[item, [(place * per_item + k) % n_templates for k in range(per_item)]] = 1
    return asked[:, rng.permutation(n_templates)]


def template_chances(rng: Rng, spread: float, items: str = "normal", each: float = 0.0) -> Array:
    """Of 100 items under 20 templates."""
    p = np.clip(rng.beta(1.3, 0.7, (100, 1)), 0.003, 0.997)
    easiness = rng.normal(0.8, 1.5, (100, 1)) if items == "normal" else np.log(p / (1 - p))
    noise = each * rng.standard_normal((100, 20))
    return logistic(easiness + spread * rng.standard_normal((1, 20)) + noise)


def item_chances(rng: Rng, n_items: int, items: str = "mixed") -> Array:
    """Of right answers, of items that differ or are alike."""
    return np.full(n_items, 0.7) if items == "alike" else rng.beta(1.3, 0.7, n_items)


def raised(chances: Array, by: float) -> Array:
    """The same items, on average so much better (or worse)."""
    logit = np.log(np.clip(chances, 1e-6, 1 - 1e-6) / (1 - np.clip(chances, 1e-6, 1 - 1e-6)))
    low, high = -12.0, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        if logistic(logit + middle).mean() - chances.mean() < by:
            low = middle
        else:
            high = middle
    return logistic(logit + low)
