"""Types that all outputs use: `Verdict` on an agent, its evidence; a threshold's `Limit` and `Decision`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Literal, TypeAlias

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import Estimate
from otherwords.core.wording_names import wording_name

Effect: TypeAlias = Literal["none found", "small", "large", "cannot tell"]
"""What rewording does, as far as the runs show it."""
NONE_FOUND: Effect = "none found"
SMALL: Effect = "small"
LARGE: Effect = "large"
CANNOT_TELL: Effect = "cannot tell"
EFFECTS: tuple[Effect, ...] = (NONE_FOUND, SMALL, LARGE, CANNOT_TELL)
LARGE_FROM = 0.05
"""An effect is large where the nearer end of its corrected interval is at least so far from 0."""
DETECTABLE = 0.10
"""No effect is said to have been found only where a loss of this size would have been."""
MOST_UNSCORED = 0.05
"""The share of runs without a score above which nothing is called robust."""
DecisionStatus: TypeAlias = Literal["pass", "fail", "cannot tell"]
"""Whether a threshold is met."""
PASSES: DecisionStatus = "pass"
FAILS: DecisionStatus = "fail"
UNDECIDED: DecisionStatus = "cannot tell"
ALIASES = {
    "flip_rate": "fragility_score",
    "accuracy_drop": "delta_accuracy",
    "consistency": "consistency_at_k",
}
"""Other names of metrics, in thresholds."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number with its 95% interval, and with the interval that is corrected for all questions asked."""

    value: float | None
    """Null where it could not be computed; `reason` says why."""
    low: float | None
    high: float | None
    corrected_low: float | None
    """Ends of the interval at the level 1 − 0.05 / questions: all such intervals of a verdict hold the truth
    together with a chance of 95%."""
    corrected_high: float | None
    p: float | None
    """That the true value is 0, not corrected."""
    n_items: int
    reason: str = ""
    low_if_missing: float | None = None
    """The least that the value could be if every run had a score; null where all have one."""
    high_if_missing: float | None = None
    generalizes: str = ""
    """For whom the intervals speak: other `items`, other `wordings`, or `both`."""

    @property
    def from_zero(self) -> float:
        """How far the nearer end of the corrected interval is from 0; 0 where the interval holds it."""
        if self.corrected_low is None or self.corrected_high is None:
            return 0.0
        return max(self.corrected_low, -self.corrected_high, 0.0)

    @property
    def is_tested(self) -> bool:
        """Whether it has an interval, without which no effect can be found."""
        return self.corrected_low is not None

    @property
    def excludes_zero(self) -> bool:
        """Whether the corrected interval does not hold 0."""
        return self.from_zero > 0

    @property
    def is_loss(self) -> bool:
        """Whether the corrected interval lies above 0."""
        return self.corrected_low is not None and self.corrected_low > 0


@dataclass(frozen=True, slots=True)
class ChangeLoss:
    """The accuracy that one kind of rewording, or one change of a kind, loses against the original."""

    kind: str
    change: str
    """Empty: the whole kind."""
    loss: Evidence
    """Positive is a loss."""

    @property
    def name(self) -> str:
        """In words: `layout`, or `layout: all capitals`."""
        return wording_name(self.kind, self.change)


@dataclass(frozen=True, slots=True)
class DifferingItems:
    """Items whose score differs between wordings, and how many noise alone would give."""

    observed: int
    expected: float
    """If wording did nothing: runs are shuffled over the wordings of their item."""
    low: float
    """95% of such shuffles are between `low` and `high`."""
    high: float
    n_items: int
    """Items with two wordings of which one was run twice: the others cannot tell."""


@dataclass(frozen=True, slots=True)
class ItemEvidence:
    """One item, and how likely it is that wording matters for it."""

    id: str
    probability: float
    """That the chance of a right answer depends on the wording."""
    p: float
    """Of the permutation test within the item."""


@dataclass(frozen=True, slots=True)
class UnscoredReason:
    """One reason why runs have no score."""

    outcome: str
    """`unreadable`, `refused`, `filtered`, `limit`, `provider_error`, …"""
    reason: str
    """As the log has it, without what differs from run to run; empty where it says nothing more."""
    count: int
    example: str
    """One of the runs: item, wording and repeat."""
    advice: str
    """What to do about it."""


@dataclass(frozen=True, slots=True)
class UnscoredRuns:
    """Runs without a score, and what they could hide."""

    count: int
    n_runs: int
    """Runs that were asked for."""
    reasons: tuple[UnscoredReason, ...]
    """The most frequent first."""
    accuracy_low: float | None
    """Accuracy if all of them were wrong; null where every run has a score."""
    accuracy_high: float | None
    """Accuracy if all of them were right."""

    @property
    def share(self) -> float:
        return self.count / self.n_runs if self.n_runs else 0.0


@dataclass(frozen=True, slots=True)
class Power:
    """What the run could have found."""

    smallest_loss: float | None
    """The smallest true loss over all rewordings that is found with a chance of 80%; null where no loss could
    have been seen, and `reason` says why."""
    more_calls: int | None
    """About how many more calls would make that `DETECTABLE`; 0 where it is, null where it is not known."""
    hidden_loss: float = 0.0
    """How much more the loss could be if every run without a score had one; 0 where all have one."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WordingDistance:
    """How far the rewordings went from the original."""

    median: float
    """Of the word edit distance (Levenshtein's over lower-cased words, divided by the longer length)."""
    low: float
    """A tenth of the wordings are nearer than this."""
    high: float
    """A tenth are farther than this."""
    n_wordings: int
    """Wordings that were measured: all of them, or a sample of large tables."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What wording does to one agent on one benchmark; `otherwords.metrics.verdicts` computes it."""

    agent: str
    benchmark: str
    effect: Effect
    sentence: str
    """The headline: what was found, for whom, how sure, on how many items."""
    actions: tuple[str, ...]
    """What to do next, at most three lines, each `what: command`."""
    cautions: tuple[str, ...]
    """Sentences without which the headline would mislead."""
    n_items: int
    """Items that were asked, with a score or without."""
    n_wordings: int
    """The most wordings that one item was asked in, the original among them."""
    n_repeats: int
    """The most runs of one wording."""
    n_runs: int
    """Runs that were asked for."""
    questions: int
    """How many questions the intervals are corrected for."""
    accuracy: Estimate
    """Over all wordings."""
    accuracy_orig: Estimate
    """On the original wording."""
    loss: Evidence
    """Accuracy on the original minus that over all rewordings."""
    excess_flips: Evidence
    """The share of answers that differ from the original's, beyond what asking the same again gives."""
    phrasing_share: Evidence
    """The share of wording in the variance between runs of an item, between 0 and 1; its corrected ends are
    null, since no decision rests on it."""
    permutation_p: float | None
    """That scores do not depend on the wording, by shuffling runs within items; null without repeats."""
    differing: DifferingItems | None
    """Null without repeats."""
    changes: tuple[ChangeLoss, ...]
    """What each kind, and each change of a kind that has several, loses; by evidence, the surest first."""
    worst: ChangeLoss | None
    """The largest loss among those whose corrected interval lies above 0."""
    items: tuple[ItemEvidence, ...]
    """Items for which wording matters with a probability of at least one half, the most likely first, at most
    ten; none where no effect was found."""
    n_sensitive: int
    """How many items there are with such a probability; 0 where no effect was found."""
    unscored: UnscoredRuns
    outcomes: dict[str, int]
    """All runs by what happened, whatever their score: answered, refused, filtered, …"""
    power: Power
    distance: WordingDistance | None
    """Null where neither distances nor prompts are known."""
    generalizes: str
    """For whom the intervals speak: other `items`, other `wordings`, or `both`."""

    @property
    def name(self) -> str:
        """`agent · benchmark`."""
        return " · ".join(part for part in (self.agent, self.benchmark) if part) or "all"

    @property
    def robust(self) -> bool:
        """Whether it may be called robust.

        Never where an interval of a loss excludes 0, where accuracy is 0, or where more than 5% of the runs
        have no score.
        """
        shown = [self.loss, self.excess_flips, *(one.loss for one in self.changes)]
        return (
            self.effect == NONE_FOUND
            and not any(_excludes_zero(one) for one in shown)
            and bool(self.accuracy.value)
            and self.unscored.share <= MOST_UNSCORED
        )

    def to_json(self) -> dict[str, Any]:
        """As `--json` has it: see docs/json.md."""
        found = asdict(self)
        found["robust"] = self.robust
        found["unscored"]["share"] = self.unscored.share
        return found

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"- {caution}" for caution in self.cautions)])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in (*self.cautions, *self.actions))
        return f"<p><strong>{escape(self.sentence)}</strong></p><ul>{lines}</ul>"


def _excludes_zero(evidence: Evidence) -> bool:
    """Whether the 95% interval, not corrected, does not hold 0."""
    if evidence.low is None or evidence.high is None:
        return False
    return evidence.low > 0 or evidence.high < 0


@dataclass(frozen=True)
class Limit:
    """One threshold: a metric, a side and a number."""

    name: str
    metric: str
    at_least: bool
    number: float
    is_fall: bool = False
    """About a change since a baseline, where only a fall beyond doubt counts."""

    @classmethod
    def read(cls, name: str, number: float, known: Iterable[str]) -> Limit:
        side, _, asked = name.partition("_")
        if side not in ("min", "max") or not asked:
            raise InputError(f"a threshold is named min_ or max_ and a metric, got '{name}'")
        metric, names = ALIASES.get(asked, asked), list(known)
        if metric not in names:
            raise UnknownNameError(
                "metric", asked, [*names, *(one for one in ALIASES if ALIASES[one] in names)]
            )
        return cls(name, metric, side == "min", number)

    @property
    def text(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.number:g}"

    @property
    def in_doubt(self) -> DecisionStatus:
        """What is said where an interval holds the number."""
        return PASSES if self.is_fall else UNDECIDED

    def meets(self, value: float) -> bool:
        return value >= self.number if self.at_least else value <= self.number


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one threshold is met."""

    name: str
    """As it was asked: `min_s_prompt`."""
    metric: str
    group: str
    threshold: float
    value: float | None
    bound: float | None
    """The end of the interval that is nearer to failing; what was decided on, unless the value was."""
    status: DecisionStatus
    """`cannot tell` where the interval or the runs without a score leave it open."""
    why: str
    task: str = ""
    p: float | None = None
    """That the threshold is truly met, or that nothing truly fell; by Holm over all that the gate asks. A
    miss or a fall is said where it is at most 0.025. Null where a single table of estimates was checked."""
    generalizes: str = ""
    """For whom the interval speaks: other `items`, other `wordings`, or `both`."""
    low_if_missing: float | None = None
    """The value if every run without a score had the worst score; null where it cannot matter."""
    high_if_missing: float | None = None
    """The same with the best score."""
    more_calls: int | None = None
    """Where it cannot be told: about how many more calls would tell, if the value stays what it is; null
    where more calls would not."""

    @property
    def passed(self) -> bool:
        """Whether the threshold is met for sure."""
        return self.status == PASSES
