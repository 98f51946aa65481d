"""What a judge or people decided of variants that carry flags → the variants that they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from otherwords.checks import MeaningCheck, pairs_to_ask, with_results
from otherwords.checks.judge import NAME, JudgeCheck, JudgeCounts
from otherwords.core.contract import INVARIANT, LLM
from otherwords.core.errors import InputError
from otherwords.core.files import read_input
from otherwords.core.types import CheckResult, Decision, Item, Variant, Vetted, wording_hash
from otherwords.variants.file_lines import read_decision

if TYPE_CHECKING:
    from anyio import Lock
    from inspect_ai.model import Model

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


def _read(path: Path, number: int, line: bytes) -> GivenDecision:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=number) from None
    if not isinstance(fields, dict):
        raise InputError("expected an object with a decision's fields", file=path, line=number)
    named = [fields.pop(key, None) for key in ("item", "name")]
    for key, value in zip(("item", "name"), named, strict=True):
        if not isinstance(value, str):
            problem = "Field required" if value is None else "must be a text"
            raise InputError(f"bad decision: {key}: {problem}", file=path, line=number)
    return GivenDecision(number, named[0], named[1], read_decision(fields, file=path, line=number))


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


class Deciding:
    """Asks the meaning checks about the variants of one item, beside those of others.

    A judge is waited for; a check that computes has the machine for itself.
    """

    def __init__(self, checks: Sequence[MeaningCheck]) -> None:
        self.checks = checks
        self._one_at_a_time: Lock | None = None

    async def __call__(self, item: Item, vetted: list[Vetted]) -> list[Vetted]:
        for check in self.checks:
            pairs = pairs_to_ask(check, [(item, vetted)])
            results = await self._results(check, pairs) if pairs else []
            said = {variant.id: result for (_, variant), result in zip(pairs, results, strict=True)}
            vetted = with_results(check, vetted, said)
        return vetted

    async def _results(self, check: MeaningCheck, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        from anyio import Lock, to_thread

        if isinstance(check, JudgeCheck):
            return await check.judge_async(pairs)
        if self._one_at_a_time is None:
            self._one_at_a_time = Lock()
        async with self._one_at_a_time:
            return await to_thread.run_sync(check.judge, pairs)
