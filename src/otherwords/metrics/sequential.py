"""`StoppingRule`: the goal of a run in rounds of items, and its table so far → whether the run may stop.

A gate is decided at each look with an error so small that all looks together keep the gate's 2.5%: see
`error_spending`. A width is reached when the usual 95% interval is narrow enough; how often such an interval
holds the truth is in benchmarks/sim_sequential.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import polars as pl

from otherwords.core.contract import ORIG
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.texts import about, of_things
from otherwords.core.types import Estimate
from otherwords.core.verdict import FAILS, PASSES, UNDECIDED, Decision, DecisionStatus
from otherwords.metrics.error_spending import Looks, plan_looks
from otherwords.metrics.gate import ERROR, check_table
from otherwords.metrics.intervals import Generalize, check_generalize
from otherwords.metrics.measures import estimates
from otherwords.metrics.metric_registry import measures_of
from otherwords.metrics.model_comparison import pair
from otherwords.metrics.score_arrays import ALL
from otherwords.metrics.template_ranking import SPREAD

GATE = "gate"
_SMALLEST_ERROR = 1e-6
"""A look with a smaller one cannot decide: no interval is known so far out."""


@dataclass(frozen=True, slots=True)
class Design:
    """What a round asks of each item."""

    wordings: int
    """With the original."""
    repeats: int
    again: int = 0
    """How often the original is asked beyond that."""

    @property
    def calls(self) -> int:
        """Of one item."""
        return self.wordings * self.repeats + self.again


@dataclass(frozen=True, slots=True)
class _Kind:
    metric: str
    design: Design


_KINDS = {
    "accuracy": _Kind("accuracy", Design(2, 1)),
    "loss": _Kind("delta_accuracy", Design(3, 1)),
    "flips": _Kind("fragility_score", Design(3, 1)),
    "excess-flips": _Kind("excess_flips", Design(3, 1, again=1)),
    "s_prompt": _Kind("s_prompt", Design(5, 1)),
    "phrasing": _Kind("phrasing", Design(5, 3)),
}
_COMPONENTS = {"phrasing": "variance_components"}
FIXED = Design(5, 3)
"""The grid that a goal is compared with."""


@dataclass(frozen=True, slots=True)
class Goal:
    """When a run may stop."""

    name: str
    """A goal of a width, `gate`, or two models as in `A-B`."""
    width: float | None = None
    """Half of the interval's length, at most; none for a gate."""
    models: tuple[str, str] | None = None

    @classmethod
    def read(cls, text: str, models: Sequence[str] = ()) -> Goal:
        """A goal as `run --until` takes it.

        Args:
            text: `gate`, `METRIC:WIDTH`, or `A-B:WIDTH` with the names of two of the models.
            models: Those of the run.

        Raises:
            InputError: There is no such goal, or the width is no number above 0.

        Example:
            >>> from otherwords.metrics.sequential import Goal
            >>> Goal.read("accuracy:0.05").width
            0.05
        """
        if text == GATE:
            return cls(GATE)
        name, colon, number = text.rpartition(":")
        goals = [*_KINDS, *(f"{a}-{b}" for a in models for b in models if a != b)]
        if not colon:
            known = ", ".join(f"{goal}:WIDTH" for goal in goals)
            raise InputError(
                f"'{text}' is no goal. Known: {GATE}, {known}.", hint="For example: --until accuracy:0.05"
            )
        try:
            width = float(number)
        except ValueError:
            width = math.nan
        if not 0 < width < 1:
            raise InputError(f"the width of a goal is a number between 0 and 1, got '{number}' in '{text}'")
        if name in _KINDS:
            return cls(name, width)
        two = [(a, b) for a in models for b in models if a != b and f"{a}-{b}" == name]
        if not two:
            raise UnknownNameError("goal", name, [GATE, *goals])
        return cls(name, width, two[0])

    @property
    def design(self) -> Design:
        """What is asked of each item, unless the user says."""
        if self.name in _KINDS:
            return _KINDS[self.name].design
        return _KINDS["s_prompt"].design if self.name == GATE else _KINDS["accuracy"].design

    def __str__(self) -> str:
        return self.name if self.width is None else f"{self.name}:{self.width:g}"


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a run says."""

    status: DecisionStatus
    """`pass` or `fail` of a gate; `pass` where a width is reached; else `cannot tell`."""
    n_items: int
    planned: int
    error: float
    """One-sided, of the intervals that hold for a run that stops here."""
    estimate: Estimate | None = None
    """Of a goal with a width."""
    decisions: tuple[Decision, ...] = ()
    """Of a gate."""

    @property
    def decided(self) -> bool:
        """Whether the run may stop."""
        return self.status != UNDECIDED

    @property
    def half_width(self) -> float | None:
        """Of the estimate's interval."""
        found = self.estimate
        return (
            None if found is None or found.low is None or found.high is None else (found.high - found.low) / 2
        )

    def sentence(self) -> str:
        """As the report of the run says it."""
        if self.decided and self.n_items < self.planned:
            return f"stopped after {self.n_items:,} of {self.planned:,} items: decided"
        if self.decided:
            return f"decided with all {self.planned:,} items"
        return f"not decided after {self.n_items:,} of {self.planned:,} items"


@dataclass(frozen=True)
class StoppingRule:
    """When a run may stop, and at how many items it is looked at."""

    goal: Goal
    most: int
    """Items that are asked if nothing is decided before."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Of a gate, as `check` takes them."""
    earlier: tuple[tuple[int, int], ...] = ()
    """Maxima that the run had before, each with how many items had been asked when another took its place."""
    generalize: Generalize | None = None
    """For whom the looks speak: other `items`, other `wordings`, or `both`; None as everywhere."""

    @cached_property
    def looks(self) -> Looks:
        """The plan; refused where there are fewer than two items."""
        return plan_looks(self.most, earlier=self.earlier)

    @property
    def error(self) -> float:
        """Of a gate over all looks, one-sided: a maximum that is raised once it was reached adds to it."""
        return ERROR * (1 + sum(until >= most for most, until in self.earlier))

    def to_json(self) -> dict[str, Any]:
        """As the run's logs keep it."""
        return {
            "goal": str(self.goal),
            "models": list(self.goal.models or ()),
            "most": self.most,
            "thresholds": dict(self.thresholds),
            "earlier": [list(one) for one in self.earlier],
            "generalize": self.generalize,
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> StoppingRule:
        """What `to_json` gave.

        Raises:
            ValueError: It is something else.
        """
        try:
            check_generalize(kept["generalize"])
            return cls(
                Goal.read(str(kept["goal"]), [str(one) for one in kept["models"]]),
                int(kept["most"]),
                {str(name): float(number) for name, number in kept["thresholds"].items()},
                tuple((int(most), int(until)) for most, until in kept["earlier"]),
                kept["generalize"],
            )
        except (KeyError, TypeError, AttributeError, InputError) as error:
            raise ValueError(f"is no rule by which a run stops: {error}") from error

    def require_reachable(self, design: Design) -> None:
        """Refuse a width that is not reached even if all answers are alike, and gates without thresholds."""
        if self.goal.width is None:
            if not self.thresholds:
                raise InputError("a gate needs a threshold", hint="For example: --min-s-prompt 0.85")
            _require_metrics(self.thresholds)
            return
        least = self._least_width(self.most, design)
        if least is None or least <= self.goal.width:
            return
        # without any variance the interval shrinks with the items, and not with their square root
        needed = math.ceil(self.most * least / self.goal.width)
        raise InputError(
            f"{self.goal} cannot be reached with {of_things(self.most, 'item')}: even if all answers were "
            f"alike, they would give ± {_upwards(least)}",
            hint=f"Ask for a width of {_upwards(least)} or more, or give about {about(needed)} items.",
        )

    def _least_width(self, n_items: int, design: Design) -> float | None:
        rows = [
            (model, f"q{item}", variant, repeat)
            for model in self.goal.models or ("",)
            for item in range(n_items)
            for variant, repeats in _cells(design)
            for repeat in range(1, repeats + 1)
        ]
        table = pl.DataFrame(rows, schema=["model", "id", "variant", "repeat"], orient="row")
        alike = table.with_columns(score=pl.lit(1.0), answer=pl.lit("a"))
        return Look(UNDECIDED, n_items, n_items, ERROR, _estimate(alike, self.goal, "items")).half_width

    def look(self, table: pl.DataFrame, n_items: int) -> Look:
        """Whether a run may stop.

        Args:
            table: The outcome table so far, of one task; of one model unless the goal names two.
            n_items: How many items it has. A gate is decided at the last look that was planned for no more.

        Returns:
            The look. A gate passes when all thresholds pass, and fails when one does.
        """
        place = self.looks.place(n_items)
        if self.goal.width is not None:
            estimate = _estimate(table, self.goal, self.generalize)
            found = Look(UNDECIDED, n_items, self.most, ERROR, estimate)
            is_planned = place >= 0 and self.looks.items[place] == n_items
            reached = found.half_width is not None and found.half_width <= self.goal.width
            return replace(found, status=PASSES) if is_planned and reached else found
        if place < 0:
            return Look(UNDECIDED, n_items, self.most, ERROR)
        if self.looks.errors[place] < _SMALLEST_ERROR:
            return Look(UNDECIDED, n_items, self.most, _SMALLEST_ERROR)
        error = self.looks.errors[place]
        models = table["model"].unique().to_list() if "model" in table.columns else [""]
        errors = dict.fromkeys([*models, ALL], error)
        gate = check_table(table, self.thresholds, generalize=self.generalize, errors=errors)
        statuses = {one.status for one in gate.decisions}
        status = FAILS if FAILS in statuses else PASSES if statuses == {PASSES} else UNDECIDED
        if self.looks.items[place] != n_items:  # between two looks nothing is decided
            status = UNDECIDED
        return Look(status, n_items, self.most, error, decisions=gate.decisions)

    def told(self, found: Look) -> str:
        """The look's sentence, with the estimates behind it."""
        said, estimate = found.sentence(), found.estimate
        if estimate is None:
            said += f": {found.status}" if found.decided else ""
            reasons = (f"{one.name.replace('_', '-')}: {one.why}" for one in found.decisions)
            return "; ".join([said, *reasons])
        if estimate.value is None or found.half_width is None:
            return f"{said}; {self.goal.name} cannot be told: {estimate.reason}"
        said += f"; {self.goal.name} {estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
        return "; ".join(part for part in (said, self.needed(found)) if part)

    def needed(self, found: Look) -> str:
        """What a width that was not reached would take, as far as the table tells; else empty."""
        half = found.half_width
        if self.goal.width is None or half is None or found.decided:
            return ""
        said = f"{found.n_items:,} items give ± {_upwards(half)}"
        if found.estimate is not None and found.estimate.generalizes == "both":
            return f"{said}, which is for other wordings too (--generalize items for other items alone)"
        items = math.ceil(found.n_items * (half / self.goal.width) ** 2)
        return f"{said}; ± {self.goal.width:g} takes about {about(items)} items"


def _require_metrics(thresholds: Mapping[str, float]) -> None:
    """Refuse thresholds of what is no metric, before anything is asked."""
    rows = [(f"q{item}", name, 1.0) for item in range(3) for name in (ORIG, "para1")]
    nothing = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
    check_table(nothing, {name: number for name, number in thresholds.items() if SPREAD not in name})


def _cells(design: Design) -> list[tuple[str, int]]:
    """The wordings of an item, with how often each is asked."""
    others = [(f"para{place}", design.repeats) for place in range(1, design.wordings)]
    return [(ORIG, design.repeats + design.again), *others]


def _upwards(width: float) -> str:
    """Three digits, never less than it is."""
    return f"{math.ceil(width * 1000) / 1000:g}"


def _estimate(table: pl.DataFrame, goal: Goal, generalize: Generalize | None) -> Estimate:
    if goal.models is None:
        metric = _KINDS[goal.name].metric
        found = measures_of(table, metrics=[_COMPONENTS.get(metric, metric)])
        measure = next(one for one in found if one.metric == metric)
    else:
        both = pair(table, table, model_a=goal.models[1], model_b=goal.models[0], metrics=("accuracy",))
        ((_, _, measure),) = both.measures
    return estimates([measure], generalize=generalize)[0]
