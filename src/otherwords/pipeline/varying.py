"""Items → candidates → checks → a variants file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
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
    total = default_k(families) if k is None else k
    computed = [name for name in families if name != LLM]
    asked_for = total // len(families) if computed else total
    by_rule = total - asked_for if LLM in families else total
    made = ((item, make_candidates(item, computed, k=by_rule, seed=seed)) for item in items)
    vetted: dict[str, list[Vetted]] = {}
    for item, verdicts in zip(items, vet_all(made, checks), strict=True):
        vetted[item.id] = verdicts
        if on_item is not None and LLM not in families:
            on_item(len(vetted), len(items))
    if LLM not in families:
        return Varied([one for part in vetted.values() for one in part])

    from otherwords.variants.llm import LlmFamily

    batch = (llm or LlmFamily()).candidates_many_sync(
        items, k=max(asked_for, 1), seed=seed, vet=partial(_vet_beside, vetted, checks), on_item=on_item
    )
    for item, result in zip(items, batch.results, strict=True):
        vetted[item.id] += [*result.accepted, *result.rejected]
    return Varied([one for part in vetted.values() for one in part], list(batch.missing), batch.counts)


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
    varied = make_variants(items, families, k=k, seed=seed, llm=llm, checks=checks, on_item=on_item)
    vetted = _only_askable(varied.vetted, source)
    header = make_header(items, families=families, k=default_k(families) if k is None else k, seed=seed)
    if llm is not None and LLM in families:
        header = replace(header, settings={"model": str(llm.model or ""), "strength": llm.strength})
    write_variants(out, vetted, header=header, missing=varied.missing)
    return coverage(vetted, varied.missing, varied.asked)


def _only_askable(vetted: Sequence[Vetted], source: Source) -> list[Vetted]:
    """A wording that would not reach the model through the task changes nothing, and must not count."""
    refused = source.refused([one.variant for one in vetted if one.accepted])
    return [
        replace(one, checks=(*one.checks, CheckResult(one.variant.id, TASK, "fail", refused[one.variant.id])))
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


def coverage(
    vetted: Sequence[Vetted], missing: Sequence[MissingVariant] = (), asked: Counts | None = None
) -> Coverage:
    accepted: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    variants_of: dict[str, int] = {}
    for one in vetted:
        variants_of.setdefault(one.variant.item_id, 0)
        if one.variant.is_original:
            continue
        if one.accepted:
            accepted[one.variant.kind] += 1
            variants_of[one.variant.item_id] += one.variant.kind != CONTROL
        else:
            rejected[one.failures[0].check] += 1
    return Coverage(
        items=len(variants_of),
        accepted_by_kind=dict(accepted),
        rejected_by_reason=dict(rejected),
        missing=len(missing),
        items_without=tuple(item for item, count in variants_of.items() if count == 0),
        asked=asked,
    )
