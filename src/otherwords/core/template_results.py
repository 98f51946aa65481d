"""Result types on templates and crossed factors: a ranking, differences, shares of variance, a summary."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from otherwords.core.types import Estimate

CHANCE = 0.05
"""The largest p, corrected for all that is asked at once, at which noise does not explain what is seen."""


@dataclass(frozen=True, slots=True)
class RankedTemplate:
    """What one template scores."""

    template: str
    accuracy: Estimate
    """Over all items and user wordings that it was asked."""
    loss: Estimate
    """Accuracy lost where users say the same in other words, against the items' own wording."""
    worst: Estimate
    """The accuracy that 5% of the users' wordings are below; see `accuracy_quantiles`."""


@dataclass(frozen=True, slots=True)
class TemplateDifference:
    """How much more `a` scores than `b`, on the items and user wordings that both were asked."""

    a: str
    b: str
    difference: Estimate
    p: float | None
    """That they are equal, by Holm over all pairs."""

    @property
    def real(self) -> bool:
        """Whether noise does not explain it."""
        return self.p is not None and self.p <= CHANCE


@dataclass(frozen=True, slots=True)
class TemplateRanking:
    """The result of `rank_templates`."""

    templates: tuple[RankedTemplate, ...]
    """Those with the highest accuracy first; only differences that are real are a ranking."""
    differences: tuple[TemplateDifference, ...]
    """Of all pairs; `a` is the one that is higher up in `templates`."""
    best: tuple[str, ...]
    """Templates that no other one really beats."""
    sentence: str

    @property
    def real(self) -> tuple[TemplateDifference, ...]:
        """Differences that noise does not explain."""
        return tuple(one for one in self.differences if one.real)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the variance of a score that one term explains."""

    term: str
    """A factor, factors joined by ` × `, `item`, `item × ` a factor or `several factors`, or `noise`."""
    estimate: Estimate
    """Unbiased, so that a small share may come out below zero, which means "about none"."""
    variance: float | None
    """The component itself."""
    p: float | None = None
    """That there is no such effect, by Holm over all terms; null for `item` and `noise`."""

    @property
    def found(self) -> bool:
        """Whether it is an effect that noise does not explain."""
        return self.p is not None and self.p <= CHANCE


@dataclass(frozen=True, slots=True)
class Attribution:
    """Where the variance of scores comes from. The shares sum to 1 where all are known."""

    shares: tuple[Share, ...]
    total: float | None
    """The variance of one run's score: any item, any level of each factor."""
    sentence: str
    notes: tuple[str, ...]

    def __getitem__(self, term: str) -> Share:
        """The share of a term."""
        return {share.term: share for share in self.shares}[term]


@dataclass(frozen=True, slots=True)
class TemplateSummary:
    """What one agent's runs of one benchmark say of templates, and of the factors that were crossed."""

    task: str
    model: str
    ranking: TemplateRanking | None
    """Null where there are fewer than two templates with a score."""
    spread: Estimate | None
    """The best template's accuracy minus the worst's; see `template_spread`."""
    quantiles: tuple[Estimate, ...]
    """Of accuracy over templates; see `accuracy_quantiles`."""
    attribution: Attribution | None
    """Null where no two factors were crossed, or none."""

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.model

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said of it first."""
        said = (self.ranking, self.attribution)
        return tuple(one.sentence for one in said if one is not None)

    def to_json(self) -> dict[str, Any]:
        """What `--json` has; the names are in docs/json.md."""
        found = {"benchmark": self.task, "model": self.model, "sentences": list(self.sentences)}
        ranking = self.ranking or TemplateRanking((), (), (), "")
        known = self.attribution or Attribution((), None, "", ())
        return {
            **found,
            "templates": [asdict(one) for one in ranking.templates],
            "differences": [{**asdict(one), "real": one.real} for one in ranking.differences],
            "best": list(ranking.best),
            "spread": None if self.spread is None else asdict(self.spread),
            "quantiles": [asdict(one) for one in self.quantiles],
            "shares": [{**asdict(one), "found": one.found} for one in known.shares],
            "notes": list(known.notes),
        }
