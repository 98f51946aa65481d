"""Metrics of whether answers change, right or wrong: consistency, flips, agreement, response to controls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from otherwords.core.contract import PUBLIC_ITEM
from otherwords.metrics.answer_agreement import Agreement
from otherwords.metrics.measures import Bounds, Measure, lacks_scores, mean_over_groups, sums_over_groups
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.score_arrays import ScoreArrays

NO_PAIR = "no item has an answer both to the original and to another wording"
LACKS_ONE = "no answer to the original or to any other wording"
NO_TWO = "no item has two wordings with an answer"
HASHED = "answers are hashed for each item, so that agreement by chance is not known"
TOO_FEW = "fewer than two wordings with an answer"
NO_REPEATS = "no original was answered twice; rerun with --repeats 3"
_FREQUENT = 8
"""Answers whose frequency differs between items; the rarer ones hardly change chance agreement."""


@metric()
def consistency_at_k(arrays: ScoreArrays) -> Measure:
    """Share of (item, model) groups whose canonical answers are identical over all wordings.

    With repeats: the mean chance that one run of each wording gives one and the same answer. It falls with
    every wording added: compare it at the same number of them.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import consistency_at_k
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a", "a", "b", "b"],
        ...         "variant": ["orig", "para1"] * 2,
        ...         "score": 0.0,
        ...         "pred_index": [1, 1, 0, 2],
        ...     }
        ... )
        >>> consistency_at_k(table).value
        0.5
    """
    consistent = arrays.agreement.consistent
    found = mean_over_groups(
        arrays,
        consistent,
        ~np.isnan(consistent),
        rows=arrays.agreement.answered,
        nothing=NO_TWO,
        left_out=TOO_FEW,
        cells=arrays.agreement.consistent_of_cells,
        of_cells=arrays.agreement.runs > 0,
    )
    return replace(found, if_missing=_consistency_bounds(arrays))


@metric()
def fragility_score(arrays: ScoreArrays) -> Measure:
    """Flip rate: share of other wordings whose canonical answer differs from the original's, over items.

    With repeats: flips are averaged over all pairs of a run of the original and a run of the wording.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import fragility_score
        >>> table = pl.DataFrame(
        ...     {"id": "a", "variant": ["orig", "para1", "para2"], "score": 0.0, "pred_index": [1, 1, 2]}
        ... )
        >>> fragility_score(table).value
        0.5
    """
    flipped = arrays.agreement.flipped
    found = mean_over_groups(
        arrays,
        flipped,
        ~np.isnan(flipped),
        rows=arrays.agreement.answered,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        cells=arrays.agreement.flips_of_cells,
        of_cells=arrays.agreement.runs > 0,
        against_original=True,
    )
    return replace(found, if_missing=_flip_bounds(arrays))


@metric()
def excess_flips(arrays: ScoreArrays) -> Measure:
    """Flip rate against the original − flip rate between repeats of the original, on the same items.

    What rewording changes beyond what asking again changes. Needs repeats.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import excess_flips
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": "a",
        ...         "variant": ["orig", "orig", "para1"],
        ...         "repeat": [1, 2, 1],
        ...         "score": 1.0,
        ...         "answer": ["Paris", "Paris", "Lyon"],
        ...     }
        ... )
        >>> excess_flips(table).value
        1.0
    """
    flipped, rerun = arrays.agreement.flipped, arrays.agreement.rerun_flipped
    enters = ~np.isnan(flipped) & ~np.isnan(rerun)
    return mean_over_groups(
        arrays,
        np.where(enters, flipped - rerun, 0.0),
        enters,
        difference=True,
        rows=arrays.agreement.answered,
        nothing=NO_REPEATS if np.isnan(rerun).all() and not np.isnan(flipped).all() else NO_PAIR,
        left_out=f"{LACKS_ONE}, or the original was answered once",
        cells=arrays.agreement.flips_of_cells - np.nan_to_num(rerun)[arrays.group],
        of_cells=arrays.agreement.runs > 0,
        against_original=True,
    )


@metric(by_kind=False)
def responsiveness(arrays: ScoreArrays) -> Measure:
    """Share of negative controls (kind `control`) whose answer differs from the original's, over items.

    Whether the answer changes where it must: stability without responsiveness is insensitivity.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import responsiveness
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": "a",
        ...         "variant": ["orig", "control:negate"],
        ...         "kind": ["orig", "control"],
        ...         "score": [1.0, 0.0],
        ...         "pred_index": [1, 2],
        ...     }
        ... )
        >>> responsiveness(table).value
        1.0
    """
    view = arrays.with_controls
    changed = view.agreement.flipped
    return mean_over_groups(
        view,
        changed,
        ~np.isnan(changed),
        rows=view.agreement.answered,
        nothing="no item has an answer both to the original and to a negative control",
        left_out="no answer to the original or to any negative control",
    )


@metric()
def agreement(arrays: ScoreArrays) -> Iterator[Measure]:
    """How far the answers to all wordings agree with each other, and not only with the original.

    Returns:
        Estimates of `pairwise_agreement` (chance that runs of two wordings give the same answer),
        `answer_entropy` (0: all the same) and `fleiss_kappa` (agreement beyond chance).

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import agreement
        >>> table = pl.DataFrame(
        ...     {"id": "a", "variant": ["orig", "para1", "para2"], "score": 0.0, "pred_index": [1, 1, 2]}
        ... )
        >>> round(agreement(table)["pairwise_agreement"].value, 4)
        0.3333
    """
    found = arrays.agreement
    for name, values, cells in (
        ("pairwise_agreement", found.pairwise, found.pairs_of_cells),
        ("answer_entropy", found.entropy, None),
    ):
        yield mean_over_groups(
            arrays,
            values,
            ~np.isnan(values),
            name=name,
            rows=found.answered,
            nothing=NO_TWO,
            left_out=TOO_FEW,
            cells=cells,
            of_cells=found.runs > 0,
        )
    yield fleiss_kappa(arrays)


def fleiss_kappa(arrays: ScoreArrays) -> Measure:
    pairwise = arrays.agreement.pairwise
    # Were the hashes of a public table taken for answers, no two items would share one: kappa is too high.
    is_hashed = bool(arrays.grid.names["id"].str.contains(PUBLIC_ITEM).all()) and arrays.n_groups > 0
    enters = np.zeros(len(pairwise), np.bool_) if is_hashed else ~np.isnan(pairwise)
    answers, totals = arrays.agreement.answer_totals(enters)
    n = max(int(enters.sum()), 1)
    rare = float(np.sum(np.square(totals[_FREQUENT:] / n)))

    def kappa(sums: FloatArray) -> FloatArray:
        n_groups = sums[..., 1]
        by_chance = np.sum(np.square(sums[..., 2:] / n_groups[..., None]), axis=-1) + rare
        beyond = 1.0 - by_chance
        found = (sums[..., 0] / n_groups - by_chance) / np.where(beyond > 1e-9, beyond, np.nan)
        # two wordings that never agree have −1; only made-up items could say less
        return np.asarray(np.maximum(found, -1.0))

    shares = [arrays.agreement.answer_shares(int(one)) for one in answers[:_FREQUENT]]
    # pseudo-items that agree never, or always, and give the answers that the others give
    typical = (totals[:_FREQUENT] / n).tolist()
    return sums_over_groups(
        arrays,
        [np.where(enters, pairwise, 0.0), enters, *(np.where(enters, share, 0.0) for share in shares)],
        kappa,
        enters,
        name="fleiss_kappa",
        rows=arrays.agreement.answered,
        nothing=HASHED if is_hashed else NO_TWO,
        left_out=TOO_FEW,
        undefined="every answer is the same one, so chance alone would agree",
        ends=((0.0, 1.0, *typical), (1.0, 1.0, *typical)),
    )


def _flip_bounds(arrays: ScoreArrays) -> Bounds:
    """Of the flip rate: a missing answer agrees with no other, or with all."""
    every = arrays.with_unscored
    if not lacks_scores(every).any():
        return None
    answered, flipped = _answered(every), _of_all_runs(every).flipped
    of_original = every.sum_cells(answered * every.original)[every.group]
    others = np.maximum(every.sum_cells(~every.original), 1)
    open_pairs = every.sum_cells((1 - of_original * answered) * ~every.original) / others
    return _between(flipped - open_pairs, flipped)


def _consistency_bounds(arrays: ScoreArrays) -> Bounds:
    """Of the share of items with the same answer to all wordings."""
    every = arrays.with_unscored
    if not lacks_scores(every).any():
        return None
    all_answered = np.ones(every.n_groups)
    np.multiply.at(all_answered, every.group, _answered(every))
    consistent = _of_all_runs(every).consistent
    return _between(consistent, consistent + 1 - all_answered)


def _of_all_runs(every: ScoreArrays) -> Agreement:
    """Over all runs that were planned, a missing answer agreeing with none."""
    planned = every.grid.rows[every.chosen].astype(np.float64)
    return Agreement(every.answers, every.group, every.original, every.n_groups, planned)


def _answered(every: ScoreArrays) -> FloatArray:
    """The share of each cell's runs that have an answer."""
    return every.agreement.runs / np.maximum(every.grid.rows[every.chosen], 1)


def _between(least: FloatArray, most: FloatArray) -> Bounds:
    enters = ~np.isnan(least)
    if not enters.any():
        return None
    return float(np.maximum(least[enters], 0.0).mean()), float(np.minimum(most[enters], 1.0).mean())
