"""A variants file that a person has edited → the same file with new verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from otherwords.checks import MeaningCheck, vet_all
from otherwords.core.errors import InputError
from otherwords.core.hashing import items_hash
from otherwords.core.paths import require_input
from otherwords.core.types import Item, Variant
from otherwords.pipeline.varying import Coverage, Tally
from otherwords.variants import VariantsFile, read_variants, write_variants


def vet_again(
    path: str | Path, out: str | Path | None = None, *, checks: Sequence[MeaningCheck] = ()
) -> Coverage:
    """Run the checks anew and write the file back (or to `out`). The originals may not have been edited."""
    frozen = read_variants(require_input(path), verify=False)
    items = items_of(frozen)
    if items_hash(items) != frozen.header.items_hash:
        raise InputError(
            "an original was edited, added or removed; only its variants may be",
            file=path,
            hint="Change the dataset instead, and make the variants again with `otherwords vary`.",
        )
    variants: dict[str, list[Variant]] = {item.id: [] for item in items}
    for one in frozen.vetted:
        if one.variant.item_id not in variants:
            raise InputError("has no original in the file", file=path, item=one.variant.item_id)
        variants[one.variant.item_id].append(one.variant)
    groups = ((item, variants[item.id]) for item in items)
    tally = Tally()
    vetted = tally.counting(one for group in vet_all(groups, checks) for one in group)
    write_variants(out or path, vetted, header=frozen.header, missing=frozen.missing)
    return tally.coverage(frozen.missing)


def items_of(frozen: VariantsFile) -> Sequence[Item]:
    """The items themselves, as the file's originals have them."""
    return [
        Item(one.variant.item_id, one.variant.prompt, one.variant.choices, one.variant.target)
        for one in frozen.vetted
        if one.variant.is_original
    ]
