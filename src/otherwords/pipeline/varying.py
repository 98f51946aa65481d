"""Items → candidates → checks → a variants file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from otherwords.checks import vet
from otherwords.core.types import Item, Vetted
from otherwords.items import load_items
from otherwords.variants import DEFAULT_FAMILIES, DEFAULT_K, make_candidates, make_header, write_variants


def vary(
    items: Sequence[Item],
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int = DEFAULT_K,
    seed: int = 0,
    on_item: Callable[[int], None] | None = None,
) -> list[Vetted]:
    """Every item's original and candidates, each with what the checks said of it."""
    vetted: list[Vetted] = []
    for number, item in enumerate(items, start=1):
        vetted.extend(vet(item, make_candidates(item, families, k=k, seed=seed)))
        if on_item is not None:
            on_item(number)
    return vetted


def freeze(
    dataset: str | Path,
    out: str | Path,
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int = DEFAULT_K,
    seed: int = 0,
    max_items: int | None = None,
    on_item: Callable[[int, int], None] | None = None,
) -> Coverage:
    """Write the vetted variants of a dataset to `out`, for every model to share."""
    items = load_items(dataset, max_items)
    count = len(items)
    vetted = vary(items, families, k=k, seed=seed, on_item=on_item and (lambda done: on_item(done, count)))
    write_variants(out, vetted, header=make_header(items, families=families, k=k, seed=seed))
    return coverage(vetted)


@dataclass(frozen=True, slots=True)
class Coverage:
    items: int
    accepted_by_kind: dict[str, int]
    rejected_by_reason: dict[str, int]
    """Candidates by the first check that they failed."""
    items_without: tuple[str, ...]
    """Items that have no accepted variant beside the original."""

    @property
    def accepted(self) -> int:
        return sum(self.accepted_by_kind.values())

    @property
    def rejected(self) -> int:
        return sum(self.rejected_by_reason.values())


def coverage(vetted: Sequence[Vetted]) -> Coverage:
    accepted: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    variants_of: dict[str, int] = {}
    for one in vetted:
        variants_of.setdefault(one.variant.item_id, 0)
        if one.variant.is_original:
            continue
        if one.accepted:
            accepted[one.variant.kind] += 1
            variants_of[one.variant.item_id] += 1
        else:
            rejected[one.failures[0].check] += 1
    return Coverage(
        items=len(variants_of),
        accepted_by_kind=dict(accepted),
        rejected_by_reason=dict(rejected),
        items_without=tuple(item for item, count in variants_of.items() if count == 0),
    )
