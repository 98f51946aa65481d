"""People's decisions on variants, read and applied; the judge added to checks; candidates counted by fate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from otherwords.checks import MeaningCheck
from otherwords.checks.judge import NAME, JudgeCheck, JudgeCounts
from otherwords.core.contract import INVARIANT, LLM, PARAPHRASE, PERSON
from otherwords.core.errors import InputError
from otherwords.core.files import read_input
from otherwords.core.registry import FAMILIES, declared_traits, traits_of
from otherwords.core.types import (
    Decision,
    Distance,
    Item,
    MissingVariant,
    Variant,
    Vetted,
    varied_text,
    wording_hash,
)
from otherwords.english.language import is_english
from otherwords.variants.base import why_none
from otherwords.variants.distance import DistanceSummary, summarise_distances
from otherwords.variants.file import PersonsDecision, validated
from otherwords.variants.prompt_sentences import refusal

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from otherwords.core.model_calls import CallCounts
    from otherwords.variants.llm import LlmFamily


@dataclass(frozen=True, slots=True)
class GivenDecision:
    """One line of a file of decisions."""

    line: int
    item: str
    name: str
    """Of the variant, such as `mild1`."""
    decision: Decision


@dataclass(slots=True)
class AppliedDecisions:
    """What became of decisions; variants are named by item and name, such as `q1 mild1`."""

    applied: int = 0
    """Decisions of the file that was given now count."""
    refused: list[str] = field(default_factory=list)
    """Accepted by a person and refused by an invariant, which no decision overrules."""
    unfitting: list[str] = field(default_factory=list)
    """Not applied: the person decided on other wordings than these."""
    outdated: list[str] = field(default_factory=list)
    """Dropped: the variants file had a decision on them, and they were edited since."""


def read_decisions(path: str | Path) -> list[GivenDecision]:
    """Read a file of decisions: JSON lines with item, name, accepted, person, date, wording_hash and note.

    Raises:
        InputError: A line cannot be read, or two lines decide differently on one variant.
    """
    path = Path(path)
    given: dict[tuple[str, str], GivenDecision] = {}
    for number, line in _lines(path):
        one = _read(path, number, line)
        before = given.get((one.item, one.name))
        if before is not None and before.decision.accepted != one.decision.accepted:
            raise InputError(
                f"decides otherwise on '{one.name}' than line {before.line}",
                file=path,
                line=number,
                item=one.item,
            )
        given[one.item, one.name] = one
    if not given:
        raise InputError("there is no decision in it", file=path)
    return list(given.values())


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    content = read_input(path).removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            yield number, line


@dataclass(frozen=True, slots=True)
class _Of:
    """What a line of a file of decisions is about."""

    item: str
    name: str


def _read(path: Path, number: int, line: bytes) -> GivenDecision:
    of = validated(_Of, line, "decision", path, number)
    return GivenDecision(number, of.item, of.name, validated(PersonsDecision, line, "decision", path, number))


class Decisions:
    """The decisions that a variants file has, and those that are given now, which count more."""

    def __init__(self, given: Sequence[GivenDecision], kept: Mapping[str, Decision]) -> None:
        """`kept` are those of the file, by the variant's id."""
        self._given = {(one.item, one.name): one.decision for one in given}
        self._kept = kept
        self.found = AppliedDecisions()

    @classmethod
    def of_file(
        cls, path: str | Path | None, variants: Mapping[str, Sequence[Variant]], kept: Mapping[str, Decision]
    ) -> Decisions:
        """Those of the file at `path`, which may decide on these variants only, each item's by its id."""
        given = [] if path is None else read_decisions(path)
        for one in given:
            if one.item not in variants:
                raise InputError(
                    f"there is no item '{one.item}' in the variants file", file=path, line=one.line
                )
            named = [variant for variant in variants[one.item] if variant.name == one.name]
            if not named:
                raise InputError(
                    f"there is no variant '{one.name}' of item '{one.item}' in the variants file",
                    file=path,
                    line=one.line,
                )
            if named[0].is_original:
                raise InputError(
                    f"decides on the original of item '{one.item}', which is always accepted",
                    file=path,
                    line=one.line,
                )
        return cls(given, kept)

    @property
    def told(self) -> AppliedDecisions | None:
        """What became of them; None where there were none."""
        return self.found if self._given or self._kept else None

    def apply(self, item: Item, vetted: Sequence[Vetted]) -> list[Vetted]:
        """The variants of an item, each with the decision that was made of these very wordings."""
        return [self._decided(item, one) for one in vetted]

    def _decided(self, item: Item, one: Vetted) -> Vetted:
        variant, label = one.variant, f"{item.id} {one.variant.name}"
        shown = wording_hash(item, variant)
        new, old = self._given.get((item.id, variant.name)), self._kept.get(variant.id)
        if new is not None and new.wording_hash != shown:
            self.found.unfitting.append(label)
            new = None
        if old is not None and old.wording_hash != shown:
            if new is None:
                self.found.outdated.append(label)
            old = None
        self.found.applied += new is not None
        decided = replace(one, decision=new or old)
        if decided.decision is not None and decided.decision.accepted and decided.decided_by == INVARIANT:
            self.found.refused.append(label)
        return decided


def decided_by_people(vetted: list[Vetted], items: Sequence[Item], path: Path | None) -> list[Vetted]:
    """Freshly vetted variants with what the file at `path` says that people decided of them."""
    if path is None:
        return vetted
    groups: dict[str, list[Vetted]] = {item.id: [] for item in items}
    for one in vetted:
        groups[one.variant.item_id].append(one)
    named = {item: [one.variant for one in group] for item, group in groups.items()}
    decisions = Decisions.of_file(path, named, {})
    return [one for item in items for one in decisions.apply(item, groups[item.id])]


NO_JUDGE = "none"
"""What is said in place of a model where none is to decide."""


def with_judge(
    checks: Sequence[MeaningCheck],
    judge: str | Model | None = None,
    *,
    families: Sequence[str] = (),
    llm: LlmFamily | None = None,
) -> list[MeaningCheck]:
    """`checks` with the judge as the last one, so that it sees what the others flag.

    Args:
        checks: Meaning checks, perhaps with a judge among them.
        judge: The model that decides, or `none`. Not given, it is the model that writes the family `llm`, if
            that is among the families; else nobody decides.
        families: The families that make the variants.
        llm: Which model writes the family `llm`.

    Raises:
        InputError: Two judges are named.
    """
    own = [check for check in checks if check.name == NAME]
    if len(own) > 1 or (own and judge is not None):
        raise InputError("the judge is named twice", hint="Give --judge or --check judge=MODEL, once.")
    others = [check for check in checks if check.name != NAME]
    if own:
        return [*others, *own]
    if judge is None and LLM in families:
        from otherwords.variants.llm import paraphraser

        judge = paraphraser(None if llm is None else llm.models[0])
    if judge is None or judge == NO_JUDGE:
        return others
    return [*others, JudgeCheck(judge, cache=llm is None or llm.cache)]


def check_settings(checks: Sequence[MeaningCheck]) -> dict[str, Any]:
    """What the header of a variants file keeps of the meaning checks, by their names."""
    return {check.name: dict(check.settings()) for check in checks}


def judge_counts(checks: Sequence[MeaningCheck]) -> JudgeCounts | None:
    """What the judge among the checks was asked; None where there is none."""
    return next((check.counts for check in checks if isinstance(check, JudgeCheck)), None)


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
    asked: CallCounts | None = None
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
            if one.variant.distance is not None and traits_of(one.variant.kind).rewords:
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
        asked: CallCounts | None = None,
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
    english = [text for item in items if is_english(text := varied_text(item.prompt))]
    refused = [why for text in english if PARAPHRASE in families and (why := refusal(text))]
    return {
        "not_english": len(items) - len(english),
        "left_out": [name for name in families if declared_traits(FAMILIES.get(name)).english_only],
        "refused_by_rules": dict(Counter(refused)),
    }
