"""Vetted variants → what became of them: how many were accepted, refused and left undecided, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from otherwords.core.contract import PARAPHRASE, PERSON
from otherwords.core.registry import FAMILIES, declared_traits, traits_of
from otherwords.core.types import Distance, Item, MissingVariant, Vetted, varied_text
from otherwords.english.language import is_english
from otherwords.variants.base import why_none
from otherwords.variants.distance import DistanceSummary, rewords, summarise_distances
from otherwords.variants.rewording import count_refusals

if TYPE_CHECKING:
    from otherwords.checks.judge import JudgeCounts
    from otherwords.pipeline.decisions import AppliedDecisions
    from otherwords.variants.llm import Counts


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of the candidates of a dataset."""

    items: int
    accepted_by_kind: dict[str, int]
    rejected_by_reason: dict[str, int]
    """Candidates by the first check that they failed; `person` where a person rejected them."""
    missing: int
    """Slots that a model was asked to fill and did not."""
    items_without: tuple[str, ...]
    """Items that have no accepted variant beside the original and negative controls."""
    reasons_without: dict[str, str] = field(default_factory=dict)
    """Why, for each of these items."""
    asked: Counts | None = None
    empty_families: dict[str, str] = field(default_factory=dict)
    """Families that applied to some item and of which nothing was accepted, each with the commonest cause."""
    undecided_by_flag: dict[str, int] = field(default_factory=dict)
    """Candidates that carry a flag and that neither a judge nor a person decided, by the first flag."""
    judged: JudgeCounts | None = None
    """What the judge was asked and what it cost."""
    not_english: int = 0
    """Items in another language, or in one that could not be told: rules of English were not used there."""
    left_out: tuple[str, ...] = ()
    """The families that were asked for and have rules for English only, where some item is not in English."""
    decisions: AppliedDecisions | None = None
    """What became of the decisions of people."""
    distances: DistanceSummary | None = None
    """How far the accepted rewordings are from the originals; null where there is none."""
    refused_by_rules: dict[str, int] = field(default_factory=dict)
    """Items that the rules leave as they are, by the reason."""

    @property
    def accepted(self) -> int:
        return sum(self.accepted_by_kind.values())

    @property
    def rejected(self) -> int:
        return sum(self.rejected_by_reason.values())

    @property
    def undecided(self) -> int:
        return sum(self.undecided_by_flag.values())


class Tally:
    """Counts candidates by what became of them, as they pass."""

    def __init__(self) -> None:
        self._accepted: Counter[str] = Counter()
        self._rejected: Counter[str] = Counter()
        self._undecided: Counter[str] = Counter()
        self._causes: dict[str, Counter[str]] = {}
        self._variants_of: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self._distances: list[Distance] = []

    def counting(self, vetted: Iterable[Vetted]) -> Iterator[Vetted]:
        """The same, each counted."""
        for one in vetted:
            self._add(one)
            yield one

    def _add(self, one: Vetted) -> None:
        self._variants_of.setdefault(one.variant.item_id, 0)
        if one.variant.is_original:
            return
        if one.accepted:
            self._accepted[one.variant.kind] += 1
            self._variants_of[one.variant.item_id] += not traits_of(one.variant.kind).is_control
            if one.variant.distance is not None and rewords(one.variant.kind):
                self._distances.append(one.variant.distance)
            return
        if one.decided_by == PERSON and one.decision is not None:
            first: str = PERSON
            cause = f"{PERSON}: {one.decision.note or 'rejected'}"
        else:
            found = (one.failures or one.flags)[0]
            first, cause = found.check, f"{found.check}: {found.reason}"
        (self._undecided if one.status == "undecided" else self._rejected)[first] += 1
        self._causes.setdefault(one.variant.kind, Counter())[cause] += 1
        self._refused.setdefault(one.variant.item_id, f"{one.variant.name}: {cause}")

    def coverage(
        self,
        missing: Sequence[MissingVariant] = (),
        asked: Counts | None = None,
        *,
        judged: JudgeCounts | None = None,
        not_english: int = 0,
        left_out: Sequence[str] = (),
        decisions: AppliedDecisions | None = None,
        reasons: Callable[[str], str] | None = None,
        refused_by_rules: dict[str, int] | None = None,
    ) -> Coverage:
        """What was counted so far; `reasons` says why an item has no candidate at all."""
        without = tuple(item for item, count in self._variants_of.items() if count == 0)
        causes = {kind: Counter(found) for kind, found in self._causes.items()}
        for one in missing:
            causes.setdefault(one.kind, Counter()).update(one.reasons)
        return Coverage(
            items=len(self._variants_of),
            accepted_by_kind=dict(self._accepted),
            rejected_by_reason=dict(self._rejected),
            missing=len(missing),
            items_without=without,
            reasons_without={
                item: self._refused.get(item) or (reasons(item) if reasons else "no variant in the file")
                for item in without
            },
            asked=asked,
            empty_families={
                kind: found.most_common(1)[0][0]
                for kind, found in causes.items()
                if found and not self._accepted[kind]
            },
            undecided_by_flag=dict(self._undecided),
            judged=judged,
            not_english=not_english,
            left_out=tuple(left_out) if not_english else (),
            decisions=decisions,
            distances=summarise_distances(self._distances),
            refused_by_rules=refused_by_rules or {},
        )


def why_without(items: Sequence[Item], families: Sequence[str]) -> Callable[[str], str]:
    """Why the families made nothing of the item of an id."""
    by_id = {item.id: item for item in items}
    return lambda item: "; ".join(f"{name}: {why_none(by_id[item], name)}" for name in families)


class LeftAlone(TypedDict):
    """What rules of English did not reword."""

    not_english: int
    left_out: list[str]
    refused_by_rules: dict[str, int]


def left_alone(items: Sequence[Item], families: Sequence[str]) -> LeftAlone:
    """Items to which rules of English do not apply, and the families that have no others."""
    strange = sum(not is_english(varied_text(item.prompt)) for item in items)
    return {
        "not_english": strange,
        "left_out": [name for name in families if declared_traits(FAMILIES.get(name)).english_only],
        "refused_by_rules": count_refusals(items) if PARAPHRASE in families else {},
    }
