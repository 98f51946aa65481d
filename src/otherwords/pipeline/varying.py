"""Items → candidates → checks → a variants file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from otherwords.checks import MeaningCheck, vet, vet_all
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted
from otherwords.pipeline.source import Source, open_source
from otherwords.variants import DEFAULT_FAMILIES, default_k, make_candidates, make_header, write_variants

if TYPE_CHECKING:
    from otherwords.variants.llm import Counts, LlmFamily

LLM = "llm"
TASK = "task"
"""The check that a wording can be asked through the Inspect task that it is for."""
CONTROL = "control"
OnItem = Callable[[int, int], None]
"""Called with how many items are done, and of how many."""


@dataclass(frozen=True)
class Varied:
    vetted: list[Vetted]
    """Every item's original and candidates, each with what the checks said of it."""
    missing: list[MissingVariant] = field(default_factory=list)
    """Wordings that were asked of a model and could not be made."""
    asked: Counts | None = None
    """What was asked of that model."""


def vary(
    items: Sequence[Item],
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    checks: Sequence[MeaningCheck] = (),
    on_item: OnItem | None = None,
) -> list[Vetted]:
    """Every item's original and candidates, each with what the checks said of it."""
    return make_variants(items, families, k=k, seed=seed, llm=llm, checks=checks, on_item=on_item).vetted


def make_variants(
    items: Sequence[Item],
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    checks: Sequence[MeaningCheck] = (),
    on_item: OnItem | None = None,
) -> Varied:
    """As `vary`, with what is missing. `llm` says which model writes the family `llm`, and how strongly.

    `checks` are meaning checks beside the ones that need no model.
    """
    if LLM not in families:
        groups = _by_rule(items, families, k=k, seed=seed, checks=checks, on_item=on_item)
        return Varied([one for group in groups for one in group])
    total = default_k(families) if k is None else k
    computed = [name for name in families if name != LLM]
    asked_for = total // len(families) if computed else total
    groups = _by_rule(items, computed, k=total - asked_for, seed=seed, checks=checks)
    vetted = {item.id: verdicts for item, verdicts in zip(items, groups, strict=True)}

    from otherwords.variants.llm import LlmFamily

    batch = (llm or LlmFamily()).candidates_many_sync(
        items, k=max(asked_for, 1), seed=seed, vet=partial(_vet_beside, vetted, checks), on_item=on_item
    )
    for item, result in zip(items, batch.results, strict=True):
        vetted[item.id] += [*result.accepted, *result.rejected]
    return Varied([one for part in vetted.values() for one in part], list(batch.missing), batch.counts)


def _by_rule(
    items: Sequence[Item],
    families: Sequence[str],
    *,
    k: int | None,
    seed: int,
    checks: Sequence[MeaningCheck],
    on_item: OnItem | None = None,
) -> Iterator[list[Vetted]]:
    """Each item's original and candidates, one item at a time, without those that a model writes."""
    made = ((item, make_candidates(item, families, k=k, seed=seed)) for item in items)
    for done, vetted in enumerate(vet_all(made, checks), start=1):
        yield vetted
        if on_item is not None:
            on_item(done, len(items))


def _vet_beside(
    known: dict[str, list[Vetted]],
    checks: Sequence[MeaningCheck],
    item: Item,
    candidates: Sequence[Variant],
) -> list[Vetted]:
    """Verdicts that also see what other families made of the item, so that nothing is said twice."""
    before = [one.variant for one in known[item.id] if one.accepted and not one.variant.is_original]
    return vet(item, [*before, *candidates], checks)[len(before) :]


def freeze(
    source: Source | str | Path,
    out: str | Path,
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int | None = None,
    seed: int = 0,
    max_items: int | None = None,
    llm: LlmFamily | None = None,
    checks: Sequence[MeaningCheck] = (),
    on_item: OnItem | None = None,
) -> Coverage:
    """Write the vetted variants of a dataset or an Inspect task to `out`, for every model to share."""
    if isinstance(source, str | Path):
        source = open_source(source, max_items=max_items)
    items = source.items
    header = make_header(items, families=families, k=default_k(families) if k is None else k, seed=seed)
    tally = Tally()
    if LLM not in families and source.task is None:  # nothing needs to see them all, so none is kept
        groups = _by_rule(items, families, k=k, seed=seed, checks=checks, on_item=on_item)
        write_variants(out, tally.counting(one for group in groups for one in group), header=header)
        return tally.coverage()
    varied = make_variants(items, families, k=k, seed=seed, llm=llm, checks=checks, on_item=on_item)
    if llm is not None and LLM in families:
        header = replace(header, settings={"model": str(llm.model or ""), "strength": llm.strength})
    vetted = tally.counting(_only_askable(varied.vetted, source))
    write_variants(out, vetted, header=header, missing=varied.missing)
    return tally.coverage(varied.missing, varied.asked)


def _only_askable(vetted: Sequence[Vetted], source: Source) -> list[Vetted]:
    """A wording that would not reach the model through the task changes nothing, and must not count."""
    refused = source.refused([one.variant for one in vetted if one.accepted])
    return [
        replace(one, checks=(*one.checks, CheckResult(TASK, "fail", refused[one.variant.id])))
        if one.variant.id in refused
        else one
        for one in vetted
    ]


@dataclass(frozen=True, slots=True)
class Coverage:
    items: int
    accepted_by_kind: dict[str, int]
    rejected_by_reason: dict[str, int]
    """Candidates by the first check that they failed."""
    missing: int
    """Slots that a model was asked to fill and did not."""
    items_without: tuple[str, ...]
    """Items that have no accepted variant beside the original and negative controls."""
    asked: Counts | None = None

    @property
    def accepted(self) -> int:
        return sum(self.accepted_by_kind.values())

    @property
    def rejected(self) -> int:
        return sum(self.rejected_by_reason.values())


class Tally:
    """Counts what goes by."""

    def __init__(self) -> None:
        self._accepted: Counter[str] = Counter()
        self._rejected: Counter[str] = Counter()
        self._variants_of: dict[str, int] = {}

    def counting(self, vetted: Iterable[Vetted]) -> Iterator[Vetted]:
        for one in vetted:
            self._add(one)
            yield one

    def _add(self, one: Vetted) -> None:
        self._variants_of.setdefault(one.variant.item_id, 0)
        if one.variant.is_original:
            return
        if one.accepted:
            self._accepted[one.variant.kind] += 1
            self._variants_of[one.variant.item_id] += one.variant.kind != CONTROL
        else:
            self._rejected[one.failures[0].check] += 1

    def coverage(self, missing: Sequence[MissingVariant] = (), asked: Counts | None = None) -> Coverage:
        return Coverage(
            items=len(self._variants_of),
            accepted_by_kind=dict(self._accepted),
            rejected_by_reason=dict(self._rejected),
            missing=len(missing),
            items_without=tuple(item for item, count in self._variants_of.items() if count == 0),
            asked=asked,
        )


def coverage(
    vetted: Iterable[Vetted], missing: Sequence[MissingVariant] = (), asked: Counts | None = None
) -> Coverage:
    tally = Tally()
    for _ in tally.counting(vetted):
        pass
    return tally.coverage(missing, asked)
