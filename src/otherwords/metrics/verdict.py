"""`verdicts`: an outcome table in; for each agent and benchmark one `Verdict` out.

A verdict asks several questions: what is lost over all rewordings, by each kind and by each change of a kind
that has several, whether answers flip beyond noise, and whether scores depend on the wording at all. Its
intervals are at the level 1 − 0.05 / questions (Bonferroni), so that with no effect of wording one is said to
be found in at most 5% of verdicts. The effect is large where the nearer end of such an interval is at least 5
points from 0, and small where it excludes 0, or where the permutation test alone says that wording matters.
With neither, none was found if a loss of 10 points would have been (with a chance of 80%), and no more than
that can be hidden by runs without a score; else it cannot be told. benchmarks/sim_verdict.py has how often.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from otherwords.core.contract import OUTCOMES
from otherwords.core.families import is_wording
from otherwords.core.table import by_task
from otherwords.core.types import Estimate
from otherwords.core.verdict import (
    CANNOT_TELL,
    DETECTABLE,
    LARGE,
    LARGE_FROM,
    NONE_FOUND,
    SMALL,
    ChangeLoss,
    DifferingItems,
    Effect,
    Evidence,
    ItemEvidence,
    Power,
    UnscoredRuns,
    Verdict,
    WordingDistance,
)
from otherwords.metrics.change_breakdowns import losses
from otherwords.metrics.distance_breakdown import wording_distance
from otherwords.metrics.evidence_by_item import item_evidence
from otherwords.metrics.intervals import FEW_ITEMS, LEVEL, Generalize, check_generalize
from otherwords.metrics.measures import Measure, as_share, estimates, p_value
from otherwords.metrics.metric_registry import measures_of
from otherwords.metrics.missing_scores import has_score, unscored_reasons
from otherwords.metrics.outcome_rows import outcomes_of
from otherwords.metrics.phrasing_permutation import PERMUTATIONS, PhrasingTest, phrasing_test
from otherwords.metrics.score_arrays import Grid, read_grid
from otherwords.metrics.student_t import student_t
from otherwords.metrics.verdict_sentences import with_sentences

__all__ = ["Verdict", "verdicts"]

_METRICS = ("accuracy", "accuracy_orig", "delta_accuracy", "excess_flips", "variance_components")
_POWER = 0.8416
"""Standard errors above a threshold at which 80% are above it."""
_SHOWN_ITEMS = 10
_LIKELY = 0.5


@dataclass(frozen=True)
class _Agent:
    """The rows of one agent on one benchmark, and what was computed of them."""

    task: str
    model: str
    rows: pl.DataFrame
    measures: Mapping[str, Measure]
    losses: Sequence[tuple[dict[str, str], Measure]]
    tested: PhrasingTest
    generalize: Generalize | None


def verdicts(
    table: Any,
    task: str | None = None,
    *,
    wordings: pl.DataFrame | None = None,
    source: str = "logs",
    generalize: Generalize | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    grid: Grid | None = None,
) -> list[Verdict]:
    """What wording does to each agent on each benchmark of an outcome table.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        wordings: What was asked (columns task, id, variant, prompt), for how far the wordings went.
        source: What the commands of `actions` name, as it is typed in a shell: the logs, a table.
        generalize: For whom the intervals speak: other `items`, other `wordings` of these items, or `both`;
            if not given, `both` where items share their wordings.
        permutations: Shuffles of the permutation test at most.
        seed: Of the shuffles.
        grid: The same table as `read_grid` reads it, of one task, where it was read before.

    Returns:
        One verdict for each task and model, in the order of the table.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import verdicts
        >>> cells = [("orig", 1.0), ("para1", 0.0)]
        >>> rows = [(f"q{n}", name, score) for n in range(40) for name, score in cells]
        >>> table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
        >>> [(one.effect, one.loss.value) for one in verdicts(table)]
        [('large', 1.0)]
    """
    check_generalize(generalize)
    outcomes = outcomes_of(table, task).with_columns(pl.col("task", "model").fill_null(""))
    found = []
    for name, of_task in by_task(outcomes):
        cells = read_grid(of_task if grid is None else grid)
        evidence = item_evidence(cells)
        measures: dict[str, dict[str, Measure]] = {}
        for one in measures_of(cells, metrics=_METRICS):
            measures.setdefault(one.group, {})[one.metric] = one
        by_kind = list(losses(cells))
        for (model,), every in of_task.group_by("model", maintain_order=True):
            rows = every.filter(_is_wording(every))
            rows = every if rows.is_empty() else rows  # nothing but controls or faults: nothing can be told
            # without repeats there is nothing to shuffle, and one row says so as well as all
            has_repeats = rows.select("id", "variant").is_duplicated().any()
            agent = _Agent(
                task=str(name),
                model=str(model),
                rows=rows,
                measures=measures[cells.label_of(str(model))],
                losses=[one for one in by_kind if one[0]["model"] == model],
                tested=phrasing_test(
                    rows if has_repeats else rows.head(1), permutations=permutations, seed=seed
                ),
                generalize=generalize,
            )
            distance = wording_distance(rows, wordings, str(name))
            found.append(with_sentences(_verdict(agent, evidence, distance), source=source))
    return found


def _is_wording(rows: pl.DataFrame) -> pl.Expr:
    """Rows that ask the same problem under the same conditions: no controls, no faults."""
    kinds = [kind for kind in rows["kind"].unique() if kind is None or is_wording(kind)]
    return pl.col("kind").is_in(kinds, nulls_equal=True)


def _verdict(agent: _Agent, evidence: pl.DataFrame, distance: WordingDistance | None) -> Verdict:
    asked = _asked(agent.losses)
    flips, loss = agent.measures["excess_flips"], agent.measures["delta_accuracy"]
    others = [one for one in (flips, *([] if _is_one_kind(asked, loss) else [loss])) if one.statistic]
    questions = max(len(asked) + len(others) + (agent.tested.p is not None), 1)
    told, flipped = (_evidence(one, questions, agent.generalize) for one in (loss, flips))
    changes = sorted(
        (
            ChangeLoss(names["kind"], names["change"], _evidence(one, questions, agent.generalize))
            for names, one in asked
        ),
        key=lambda one: (1.0 if one.loss.p is None else one.loss.p, one.kind, one.change),
    )
    accuracy, accuracy_orig = estimates(
        [agent.measures["accuracy"], agent.measures["accuracy_orig"]], generalize=agent.generalize
    )
    power = _power(told, accuracy_orig, questions, agent.rows.height)
    by_test = agent.tested.p is not None and agent.tested.p <= (1 - LEVEL) / questions
    effect = _effect([told, flipped, *(one.loss for one in changes)], by_test, power)
    sensitive = _sensitive(agent, evidence) if effect in (SMALL, LARGE) else []
    cells = agent.rows.group_by("id", "variant").len()
    return Verdict(
        agent=agent.model,
        benchmark=agent.task,
        effect=effect,
        sentence="",
        actions=(),
        cautions=(),
        n_items=cells["id"].n_unique(),
        n_wordings=max(cells.group_by("id").len()["len"].to_list(), default=0),
        n_repeats=max(cells["len"].to_list(), default=0),
        n_runs=agent.rows.height,
        questions=questions,
        accuracy=accuracy,
        accuracy_orig=accuracy_orig,
        loss=told,
        excess_flips=flipped,
        phrasing_share=_share(agent),
        permutation_p=agent.tested.p,
        differing=_differing(agent.tested),
        changes=tuple(changes),
        worst=max(
            (one for one in changes if one.loss.is_loss), key=lambda one: one.loss.value or 0.0, default=None
        ),
        items=tuple(sensitive[:_SHOWN_ITEMS]),
        n_sensitive=len(sensitive),
        unscored=_unscored(agent.rows, accuracy),
        outcomes=_outcomes(agent.rows),
        power=power,
        distance=distance,
        generalizes=told.generalizes or accuracy.generalizes,
    )


def _asked(parts: Sequence[tuple[dict[str, str], Measure]]) -> list[tuple[dict[str, str], Measure]]:
    """Kinds, and the changes of a kind of which two or more are of enough items to be asked by themselves.

    A kind with one change is asked once, by the change's name.
    """
    found = [
        (names, one)
        for names, one in parts
        if one.statistic and (not names["change"] or one.n_items >= FEW_ITEMS)
    ]
    changes = Counter(names["kind"] for names, _ in found if names["change"])
    whole = {names["kind"]: one for names, one in found if not names["change"]}
    alone = {
        names["kind"]
        for names, one in found
        if names["change"] and changes[names["kind"]] == 1 and _is_same(one, whole.get(names["kind"]))
    }
    return [
        (names, one)
        for names, one in found
        if (names["kind"] in alone) == bool(names["change"])
        or (names["change"] and changes[names["kind"]] > 1)
    ]


def _is_same(one: Measure, other: Measure | None) -> bool:
    return other is not None and one.n_items == other.n_items and _value(one) == _value(other)


def _is_one_kind(asked: Sequence[tuple[dict[str, str], Measure]], loss: Measure) -> bool:
    """Whether the loss over all rewordings is that of the only kind, and is asked once."""
    return len({names["kind"] for names, _ in asked}) == 1 and any(_is_same(one, loss) for _, one in asked)


def _value(measure: Measure) -> float | None:
    value = measure.statistic.value if measure.statistic else None
    return None if value is None else round(value, 12)


def _evidence(measure: Measure, questions: int, generalize: Generalize | None) -> Evidence:
    (plain,) = estimates([measure], generalize=generalize)
    (corrected,) = estimates([measure], generalize=generalize, level=_level(questions))
    return Evidence(
        value=plain.value,
        low=plain.low,
        high=plain.high,
        corrected_low=corrected.low,
        corrected_high=corrected.high,
        p=p_value(measure, generalize=generalize),
        n_items=plain.n_items,
        reason=plain.reason,
        low_if_missing=plain.low_if_missing,
        high_if_missing=plain.high_if_missing,
        generalizes=plain.generalizes,
    )


def _level(questions: int) -> float:
    return 1 - (1 - LEVEL) / questions


def _effect(evidence: Sequence[Evidence], by_test: bool, power: Power) -> Effect:
    farthest = max(one.from_zero for one in evidence)
    if farthest >= LARGE_FROM:
        return LARGE
    if farthest > 0 or by_test:
        return SMALL
    if power.smallest_loss is None or power.smallest_loss > DETECTABLE or power.hidden_loss > DETECTABLE:
        return CANNOT_TELL
    return NONE_FOUND


def _power(loss: Evidence, original: Estimate, questions: int, n_runs: int) -> Power:
    hidden = 0.0
    if loss.high_if_missing is not None and loss.value is not None:
        hidden = max(loss.high_if_missing - loss.value, 0.0)
    if not original.value:
        reason = (
            "the original wording is never right, so that no loss can be seen"
            if original.value == 0
            else "the original wording has no score"
        )
        return Power(None, None, hidden, reason)
    if loss.corrected_low is None or loss.corrected_high is None:
        return Power(None, None, hidden, loss.reason)
    quantile = student_t(0.5 + _level(questions) / 2, loss.n_items + 1)
    half = (loss.corrected_high - loss.corrected_low) / 2
    smallest = half * (1 + _POWER / quantile)
    more = math.ceil(n_runs * ((smallest / DETECTABLE) ** 2 - 1)) if smallest > DETECTABLE else 0
    return Power(smallest, more, hidden)


def _share(agent: _Agent) -> Evidence:
    """The phrasing share, cut to what a share can be."""
    (found,) = estimates([agent.measures["phrasing_share"]], generalize=agent.generalize)
    one = as_share(found)
    return Evidence(
        one.value, one.low, one.high, None, None, None, one.n_items, one.reason, generalizes=one.generalizes
    )


def _differing(tested: PhrasingTest) -> DifferingItems | None:
    if tested.p is None:
        return None
    return DifferingItems(tested.n_differ, *tested.differ, tested.n_items)


def _sensitive(agent: _Agent, evidence: pl.DataFrame) -> list[ItemEvidence]:
    """Items for which wording matters more likely than not, the most likely first."""
    likely = evidence.filter(pl.col("model") == agent.model, pl.col("probability") >= _LIKELY)
    tested = agent.tested.items.select("id", "p")
    rows = likely.join(tested, on="id").sort("probability", "id", descending=[True, False])
    return [ItemEvidence(*row) for row in rows.select("id", "probability", "p").iter_rows()]


def _outcomes(rows: pl.DataFrame) -> dict[str, int]:
    counts = dict(rows.group_by("outcome").len().iter_rows())
    return {name: counts[name] for name in OUTCOMES if name in counts}


def _unscored(rows: pl.DataFrame, accuracy: Estimate) -> UnscoredRuns:
    without = rows.filter(~has_score()).height
    return UnscoredRuns(
        count=without,
        n_runs=rows.height,
        reasons=unscored_reasons(rows),
        accuracy_low=accuracy.low_if_missing if without and accuracy.value is not None else None,
        accuracy_high=accuracy.high_if_missing if without and accuracy.value is not None else None,
    )
