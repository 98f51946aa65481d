"""A variants file that a person has edited → the same file with new check results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from otherwords.checks import MeaningCheck, apply_meaning_checks, vet
from otherwords.core.errors import InputError
from otherwords.core.files import require_input
from otherwords.core.hashing import items_hash
from otherwords.core.types import Item, Variant, Vetted
from otherwords.pipeline.process_pool import ordered_map
from otherwords.pipeline.vary import Coverage, OnItem, Tally, usable_jobs
from otherwords.variants import VariantsFile, read_variants, write_variants

T = TypeVar("T")


def vet_file(
    path: str | Path,
    out: str | Path | None = None,
    *,
    checks: Sequence[MeaningCheck] = (),
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> Coverage:
    """Run the checks again on a variants file that was edited, and write the new results.

    Args:
        path: The variants file. Its originals may not have been edited.
        out: Where to write; over `path` by default.
        checks: Meaning checks beside those that need no model.
        jobs: Processes that may share the work; the file is the same for any number.
        on_item: Called after each item with how many are done, and of how many.

    Returns:
        How many variants were accepted and rejected, and which items have none.

    Raises:
        InputError: The file cannot be read, or an original was edited, added or removed.

    Example:
        >>> import pathlib, tempfile
        >>> from otherwords import vary, vet_file, write_variants, Item
        >>> from otherwords.variants import make_header
        >>> item = Item("q1", "Who wrote Hamlet?", (), ("Shakespeare",))
        >>> header = make_header([item], families=["format"], k=1, seed=0)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "variants.jsonl"
        >>> _ = write_variants(path, vary([item], ["format"], k=1), header=header)
        >>> vet_file(path).accepted_by_kind
        {'format': 1}
    """
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
    tally = Tally()
    pairs = [(item, variants[item.id]) for item in items]
    with closing(ordered_map(_vet, pairs, usable_jobs(jobs))) as vetted:
        groups = apply_meaning_checks(zip(items, vetted, strict=True), checks)
        shown = _with_progress(groups, len(items), on_item)
        counted = tally.counting(one for group in shown for one in group)
        write_variants(out or path, counted, header=frozen.header, missing=frozen.missing)
    return tally.coverage(frozen.missing)


def _vet(group: tuple[Item, Sequence[Variant]]) -> list[Vetted]:
    return vet(*group)


def _with_progress(groups: Iterable[T], total: int, on_item: OnItem | None) -> Iterator[T]:
    for done, group in enumerate(groups, start=1):
        yield group
        if on_item is not None:
            on_item(done, total)


def items_of(frozen: VariantsFile) -> Sequence[Item]:
    """The items themselves, as the file's originals have them."""
    return [
        Item(one.variant.item_id, one.variant.prompt, one.variant.choices, one.variant.target)
        for one in frozen.vetted
        if one.variant.is_original
    ]
