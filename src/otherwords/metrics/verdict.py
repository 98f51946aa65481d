"""`verdicts`: outcome table → one `Verdict` for each agent and benchmark, with its sentences and advice.

A verdict asks several questions: what is lost over all rewordings, by each kind and by each change of a kind
that has several, whether answers flip beyond noise, and whether scores depend on the wording at all. Its
intervals are at the level 1 − 0.05 / questions (Bonferroni), so that with no effect of wording one is said to
be found in at most 5% of verdicts. The effect is large where the nearer end of such an interval is at least 5
points from 0, and small where it excludes 0, or where the permutation test alone says that wording matters.
With neither, none was found if a loss of 10 points would have been (with a chance of 80%), and no more than
that can be hidden by runs without a score; else it cannot be told. benchmarks/sim_verdict.py has how often.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from otherwords.core.contract import ANSWERED, NOT_RUN, OUTCOMES, PROVIDER_ERROR
from otherwords.core.registry import is_wording
from otherwords.core.table import by_task
from otherwords.core.texts import (
    about,
    of_things,
    outcome_counts,
    p_text,
    percent,
    points,
    points_between,
    unscored_sentence,
)
from otherwords.core.verdict import (
    CANNOT_TELL,
    DETECTABLE,
    LARGE,
    LARGE_FROM,
    MOST_UNSCORED,
    NONE_FOUND,
    SMALL,
    ChangeLoss,
    Effect,
    Evidence,
    Power,
    Verdict,
    WordingDistance,
)
from otherwords.metrics.change_breakdowns import losses
from otherwords.metrics.evidence import (
    asked_losses,
    differing_items,
    is_one_kind,
    item_evidence,
    loss_evidence,
    power_to_find,
    sensitive_items,
    share_evidence,
)
from otherwords.metrics.intervals import FEW_ITEMS, LEVEL, Generalize, check_generalize
from otherwords.metrics.measures import Measure, estimates
from otherwords.metrics.metric_registry import measures_of
from otherwords.metrics.outcome_rows import select_outcomes
from otherwords.metrics.score_arrays import Grid, read_grid
from otherwords.metrics.unscored_runs import unscored_runs
from otherwords.metrics.wording_breakdowns import wording_distance
from otherwords.metrics.wording_tests import PERMUTATIONS, PhrasingTest, phrasing_test

__all__ = ["Verdict", "verdicts"]

_METRICS = ("accuracy", "accuracy_orig", "delta_accuracy", "excess_flips", "variance_components")
_SHOWN_ITEMS = 10


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
    level: float


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
    levels: Mapping[str, float] | None = None,
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
        levels: Of the intervals of models whose run was stopped at a look, in place of 0.95.

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
    outcomes = select_outcomes(table, task).with_columns(pl.col("task", "model").fill_null(""))
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
            has_repeats = rows["repeat"].n_unique() > 1
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
                level=(levels or {}).get(str(model), LEVEL),
            )
            distance = wording_distance(rows, wordings, str(name))
            found.append(with_sentences(_verdict(agent, evidence, distance), source=source))
    return found


def _is_wording(rows: pl.DataFrame) -> pl.Expr:
    """Rows that ask the same problem under the same conditions: no controls, no faults."""
    kinds = [kind for kind in rows["kind"].unique() if kind is None or is_wording(kind)]
    return pl.col("kind").is_in(kinds, nulls_equal=True)


def _verdict(agent: _Agent, evidence: pl.DataFrame, distance: WordingDistance | None) -> Verdict:
    asked = asked_losses(agent.losses)
    flips, loss = agent.measures["excess_flips"], agent.measures["delta_accuracy"]
    others = [one for one in (flips, *([] if is_one_kind(asked, loss) else [loss])) if one.statistic]
    questions = max(len(asked) + len(others) + (agent.tested.p is not None), 1)
    evidence_of = partial(loss_evidence, questions=questions, generalize=agent.generalize, level=agent.level)
    told, flipped = evidence_of(loss), evidence_of(flips)
    changes = sorted(
        (ChangeLoss(names["kind"], names["change"], evidence_of(one)) for names, one in asked),
        key=lambda one: (1.0 if one.loss.p is None else one.loss.p, one.kind, one.change),
    )
    both = [agent.measures["accuracy"], agent.measures["accuracy_orig"]]
    accuracy, accuracy_orig = estimates(both, generalize=agent.generalize, level=agent.level)
    power = power_to_find(told, accuracy_orig, questions, agent.rows.height, agent.level)
    by_test = agent.tested.p is not None and agent.tested.p <= (1 - agent.level) / questions
    effect = _effect([told, flipped, *(one.loss for one in changes)], by_test, power)
    sensitive = sensitive_items(agent.model, agent.tested, evidence) if effect in (SMALL, LARGE) else []
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
        phrasing_share=share_evidence(agent.measures["phrasing_share"], agent.generalize, agent.level),
        permutation_p=agent.tested.p,
        differing=differing_items(agent.tested),
        changes=tuple(changes),
        worst=max(
            (one for one in changes if one.loss.is_loss), key=lambda one: one.loss.value or 0.0, default=None
        ),
        items=tuple(sensitive[:_SHOWN_ITEMS]),
        n_sensitive=len(sensitive),
        unscored=unscored_runs(agent.rows, accuracy),
        outcomes=_outcomes(agent.rows),
        power=power,
        distance=distance,
        generalizes=told.generalizes or accuracy.generalizes,
    )


def _effect(evidence: Sequence[Evidence], by_test: bool, power: Power) -> Effect:
    farthest = max(one.from_zero for one in evidence)
    if farthest >= LARGE_FROM:
        return LARGE
    if farthest > 0 or by_test:
        return SMALL
    if power.smallest_loss is None or power.smallest_loss > DETECTABLE or power.hidden_loss > DETECTABLE:
        return CANNOT_TELL
    return NONE_FOUND


def _outcomes(rows: pl.DataFrame) -> dict[str, int]:
    counts = dict(rows.group_by("outcome").len().iter_rows())
    return {name: counts[name] for name in OUTCOMES if name in counts}


NOISE = "run-to-run noise (the same prompt asked again)"
ONE_REPEAT = (
    f"Each wording was run once, so that single answers that change cannot be told from {NOISE}; rerun with "
    "--repeats 3."
)
_MOSTLY_WRONG = 0.1
_MOST_ACTIONS = 3
_TABLES = (".parquet", ".csv", ".jsonl")
"""Endings of files that Inspect View does not show."""


def with_sentences(verdict: Verdict, *, source: str = "logs") -> Verdict:
    """The verdict with its texts.

    Args:
        verdict: Its numbers.
        source: What the commands name, as it is typed in a shell: the logs, a table.

    Returns:
        The same with `sentence`, `cautions` and `actions`.
    """
    headline = f"{_headline(verdict)}{_unscored_too(verdict)}; n = {of_things(verdict.n_items, 'item')}."
    return replace(
        verdict,
        sentence=headline,
        cautions=tuple(_cautions(verdict)),
        actions=tuple(_actions(verdict, source))[:_MOST_ACTIONS],
    )


def _headline(verdict: Verdict) -> str:
    agent, place = verdict.agent or "the model", f" on {verdict.benchmark}" if verdict.benchmark else ""
    if verdict.effect in (SMALL, LARGE):
        return _effect_found(verdict, agent, place)
    smallest = verdict.power.smallest_loss
    if verdict.effect != CANNOT_TELL:
        found = "No effect of wording found" if verdict.n_repeats > 1 else "No loss by rewording found"
        seen = f"a loss of {points(smallest)} or more over all rewordings would have been"
        return f"{found} for {agent}{place}: {seen}"
    open_question = f"Cannot tell whether wording matters for {agent}{place}"
    if smallest is None:
        reason = verdict.power.reason.removeprefix("no interval: ")
        never = "no run has a score" if verdict.accuracy.value is None else reason
        return f"{open_question}: {never if verdict.accuracy.value != 0 else 'it is wrong in every run'}"
    if smallest > (verdict.accuracy_orig.value or 0.0):
        return f"{open_question}: with so few runs not even the loss of all would have been found"
    if smallest <= DETECTABLE:
        hidden = points(verdict.power.hidden_loss)
        return f"{open_question}: runs without a score could hide a loss of {hidden}"
    more = about(verdict.power.more_calls or 0)
    return (
        f"{open_question}: only a loss of {points(smallest)} or more would have been found; about {more} "
        f"more calls would find one of {points(DETECTABLE)}"
    )


def _effect_found(verdict: Verdict, agent: str, place: str) -> str:
    gains = [one for one in verdict.changes if one.loss.excludes_zero and not one.loss.is_loss]
    if verdict.worst is not None:
        return f"Rewording costs {agent} {_size(verdict.worst.loss)}{place} {_under(verdict.worst)}"
    if verdict.loss.is_loss:
        return f"Rewording costs {agent} {_size(verdict.loss)}{place} over all wordings"
    if verdict.loss.excludes_zero:
        return f"Rewording gains {agent} {_size(verdict.loss)}{place} over all wordings"
    if gains:
        most = min(gains, key=lambda one: one.loss.value or 0.0)
        return f"Rewording gains {agent} {_size(most.loss)}{place} {_under(most)}"
    if verdict.excess_flips.is_loss:
        flips = verdict.excess_flips
        return (
            f"Rewording changes answers of {agent}{place}: {_size(flips)} more of them differ from the "
            "original's than noise explains, with no average loss found"
        )
    p = p_text(verdict.permutation_p)
    return f"Scores of {agent}{place} depend on the wording ({p}); how much that costs, this run cannot tell"


def _size(evidence: Evidence) -> str:
    """The size with its corrected interval, a gain without its sign."""
    ends = (evidence.value, evidence.corrected_low, evidence.corrected_high)
    if evidence.excludes_zero and not evidence.is_loss:
        value, low, high = (None if end is None else -end for end in ends)
        return points_between(value, high, low)
    return points_between(*ends)


def _under(change: ChangeLoss) -> str:
    return f"under '{change.name}' wordings" if not change.change else f"under the change '{change.name}'"


def _unscored_too(verdict: Verdict) -> str:
    if verdict.unscored.share <= MOST_UNSCORED or verdict.accuracy.value is None:
        return ""
    return f"; {percent(verdict.unscored.share)} of runs have no score"


def _cautions(verdict: Verdict) -> Iterator[str]:
    if verdict.unscored.count:
        yield unscored_sentence(verdict)
    others = {name: count for name, count in verdict.outcomes.items() if name != ANSWERED}
    for one in verdict.unscored.reasons:
        if one.outcome in others:
            others[one.outcome] -= one.count
    ended = {name: count for name, count in others.items() if count > 0}
    if ended:
        yield f"Scored all the same, although without a plain answer: {outcome_counts(ended)}."
    if verdict.n_repeats <= 1:
        yield ONE_REPEAT
    accuracy = verdict.accuracy.value
    if accuracy is not None and 0 < accuracy <= _MOSTLY_WRONG:
        yield "It is nearly always wrong: what wording costs means little until it can do the task."
    if 1 < verdict.n_items < FEW_ITEMS:
        yield f"With {of_things(verdict.n_items, 'item')} every interval is rough."
    if verdict.effect not in (SMALL, LARGE):
        yield from _by_chance(verdict)


def _by_chance(verdict: Verdict) -> Iterator[str]:
    """Intervals that exclude 0 by themselves, where none does corrected for all that was asked."""
    parts = [("over all rewordings", verdict.loss), *((_under(one), one.loss) for one in verdict.changes)]
    alone = [
        (where, one.value, one.low, one.high)
        for where, one in parts
        if one.value is not None and one.low is not None and one.high is not None
        if one.low > 0 or one.high < 0
    ]
    if alone:
        where, value, low, high = alone[0]
        what, ends = ("loss", (value, low, high)) if low > 0 else ("gain", (-value, -high, -low))
        asked, size = of_things(verdict.questions, "question"), points_between(*ends)
        yield f"The {what} {where} is {size} by itself; of {asked} one may look like that by chance."


def _actions(verdict: Verdict, source: str) -> Iterator[str]:
    """Each as `what: command`."""
    unscored, only = verdict.unscored, _only(verdict)
    folder = "" if source.endswith(_TABLES) else f" --log-dir {source}"
    if unscored.share > MOST_UNSCORED:
        first = unscored.reasons[0]
        if first.outcome in (PROVIDER_ERROR, NOT_RUN):
            yield f"Ask again what has no score: otherwords run …{folder}"
        else:
            logged = not source.endswith(_TABLES)
            command = f"inspect view --log-dir {source}" if logged else f"otherwords report {source} --full"
            yield f"See why runs have no score: {command}"
    if verdict.effect in (SMALL, LARGE):
        yield f"See the wordings that break it, with advice: otherwords fix {source}{only}"
        yield f"Confirm it on held-out items: otherwords fix {source}{only} --split"
        yield f"Keep it from getting worse, in CI: otherwords check {source} --max-accuracy-drop 0.05"
        return
    if verdict.n_repeats <= 1:
        yield f"Tell wording from noise: otherwords run … --repeats 3{folder}"
    if verdict.effect == CANNOT_TELL and verdict.accuracy.value:
        model = f" --model {shlex.quote(verdict.agent)}" if verdict.agent else ""
        pilot = (
            f" --pilot {source}{only}{model}" if verdict.n_items > 1 else ""
        )  # of one item it tells nothing
        yield f"Plan a run that can tell: otherwords plan --drop 0.1{pilot}"
    if verdict.effect == CANNOT_TELL:
        return
    yield f"Keep it so, in CI: otherwords check {source} --max-excess-flips 0.1 --max-accuracy-drop 0.05"


def _only(verdict: Verdict) -> str:
    return f" --benchmark {shlex.quote(verdict.benchmark)}" if verdict.benchmark else ""
