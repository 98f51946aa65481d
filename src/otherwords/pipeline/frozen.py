"""A source and how its wordings are made → the variants file of a log folder, made once and grown later.

All models of a run are asked the wordings in that file. When a run grows, wordings are added to it, and those
that are there stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from otherwords.core.contract import JUDGE, LLM
from otherwords.core.errors import InputError
from otherwords.core.files import collector_paused, require_input, unused_folder
from otherwords.core.types import Item, Vetted, items_hash, variant_id
from otherwords.pipeline.coverage import Coverage
from otherwords.pipeline.decisions import NO_JUDGE, check_settings, with_judge
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.vary import Frozen, OnItem, make_frozen, share_of_model, written_by_model
from otherwords.pipeline.vet import items_of
from otherwords.variants import (
    DEFAULT_FAMILIES,
    VariantsFile,
    add_variants,
    default_k,
    make_header,
    read_variants,
    write_variants,
)

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from otherwords.variants.llm import LlmFamily

__all__ = ["FROZEN", "PlannedWordings", "Wordings", "Writing", "plan_wordings", "read_given"]

FROZEN = "variants.jsonl"
"""Where a run that was given no variants file keeps its own, beside its logs."""


@dataclass(frozen=True)
class Wordings:
    """How a run's variants are made where they are not given in a file."""

    families: tuple[str, ...] = DEFAULT_FAMILIES
    k: int | None = None
    seed: int = 0
    llm: LlmFamily | None = None
    """The model that writes the family `llm`."""
    judge: str | Model | None = None
    """The model that decides on variants that carry a flag, or `none`; by default the one that writes."""
    decisions: Path | None = None
    """A file of what people decided of these very wordings."""

    @property
    def total(self) -> int:
        return default_k(self.families) if self.k is None else self.k


@dataclass(frozen=True)
class Writing:
    """What a model is about to be asked for, before any run."""

    model: str
    items: int
    k: int
    judge: str = ""
    """The model that decides on those that carry a flag; empty where none does."""


@dataclass(frozen=True)
class PlannedWordings:
    """The variants file that a run needs in its log folder."""

    file: VariantsFile
    """As it will be once it is written."""
    made: Coverage | None = None
    """What was made for it now, if anything."""
    new: tuple[Vetted, ...] = ()
    """What the file in the folder lacks."""

    def write(self) -> None:
        """Make the file, or add to it; one that has all stays as it is."""
        if self.made is not None:
            put = add_variants if self.file.path.exists() else write_variants
            put(self.file.path, self.new, header=self.file.header, missing=self.file.missing)


def plan_wordings(
    source: Source,
    folder: Path,
    wordings: Wordings,
    *,
    on_writing: Callable[[Writing], None] | None = None,
    on_item: OnItem | None = None,
    jobs: int = 1,
) -> PlannedWordings:
    """What the variants file of the folder is to be; nothing is written yet.

    Raises:
        InputError: The file has other wordings than these, or was made for other items.
    """
    path = folder / FROZEN
    before = _read(path) if path.exists() else None
    items = source.items
    if before is not None:
        items = _lacking(before, source, wordings)
        if not items:
            return PlannedWordings(before)
    if on_writing is not None:
        for name in written_by_model(wordings.families):
            share = share_of_model(wordings.families, wordings.k)
            on_writing(Writing(_writer(wordings, name), len(items), share, _judge(wordings)))
    with collector_paused():
        made = make_frozen(
            replace(source, items=items),
            wordings.families,
            k=wordings.k,
            seed=wordings.seed,
            llm=wordings.llm,
            judge=wordings.judge,
            on_item=on_item,
            jobs=jobs,
            known=None if before is None else _written_before(before),
            decisions=wordings.decisions,
        )
    if before is not None:
        return _grown(before, made)
    new = tuple(made.vetted)
    return PlannedWordings(VariantsFile(path, made.header, new, tuple(made.missing)), made.coverage, new)


def read_given(path: Path, source: Source) -> VariantsFile:
    """A variants file that the user named, if it was made for these items, or also for others."""
    frozen = _read(path)
    _require_made_for(frozen, source)
    return frozen


def _read(path: Path) -> VariantsFile:
    with collector_paused():
        return read_variants(require_input(path))


def _writer(wordings: Wordings, family: str) -> str:
    if family != LLM:
        return f"the variant family '{family}'"
    named = "" if wordings.llm is None else str(wordings.llm.settings()["model"])
    return named or "the model role 'paraphraser'"


def _judge(wordings: Wordings) -> str:
    """The name of the model that decides; empty where none does."""
    checks = with_judge((), wordings.judge, families=wordings.families, llm=wordings.llm)
    return str(check_settings(checks).get(JUDGE, {}).get("model", ""))


def _lacking(before: VariantsFile, source: Source, wordings: Wordings) -> list[Item]:
    """The items for which wordings are still to be made."""
    known = {item.id: item for item in items_of(before)}
    asked = {item.id for item in [*source.items, *source.left_out]}
    gone = sorted(known.keys() - asked)
    if gone and not source.is_part:
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        raise InputError(
            f"has the wordings of another run: it was made for other items: the items lack '{gone[0]}'{more}",
            file=before.path,
            hint=_begin_another(before.path),
        )
    for item in source.items:
        if item.id in known and items_hash([item]) != items_hash([known[item.id]]):
            raise InputError(
                "changed since this run began: its prompt, an option or its answer",
                file=before.path,
                item=item.id,
                hint=f"Undo the change to go on with that run. {_begin_another(before.path)}",
            )
    _require_as_many(before, wordings)
    header = before.header
    if (set(header.families), header.k) != (set(wordings.families), wordings.total):
        if gone:  # the header would say of them, too, that they have as many
            raise InputError(
                f"this run has {len(known)} items with --families {','.join(header.families)} -k {header.k}, "
                "and more wordings are added to all of them at once",
                file=before.path,
                hint="Ask for at least as many items, or for the same wordings.",
            )
        return source.items
    return [item for item in source.items if item.id not in known]


def _begin_another(file: Path) -> str:
    return f"To begin another run: --log-dir {unused_folder(file.parent)}"


def _require_as_many(before: VariantsFile, wordings: Wordings) -> None:
    """The families of the run, at least as many wordings, and the same seed and writer."""
    path, header = before.path, before.header
    fewer = set(header.families) - set(wordings.families) or wordings.total < header.k
    if fewer or header.seed != wordings.seed:
        raise InputError(
            f"this run has --families {','.join(header.families)} -k {header.k} --seed {header.seed}",
            file=path,
            hint=f"Ask for the same, or for more families or wordings. {_begin_another(path)}",
        )
    if wordings.llm is None or wordings.llm.name not in wordings.families:
        return
    had, now = header.settings, wordings.llm.settings()
    if had and any(had.get(name) != now[name] for name in ("model", "strength")):
        raise InputError(
            f"this run has --paraphraser {had.get('model')} --strength {had.get('strength')}",
            file=path,
            hint=f"Ask for the same. {_begin_another(path)}",
        )
    judge = header.checks.get(JUDGE, {}).get("model")
    if judge is not None and judge != (_judge(wordings) or NO_JUDGE):
        raise InputError(
            f"this run has --judge {judge}",
            file=path,
            hint=f"Ask for the same. {_begin_another(path)}",
        )


def _grown(before: VariantsFile, made: Frozen) -> PlannedWordings:
    """`before`, and of `made` what it lacks: a wording that it has, by name or by text, stays as it is."""
    old = [one.variant for one in before.vetted]
    names = {variant.id for variant in old}
    texts = {(variant.item_id, variant.prompt, variant.choices) for variant in old}
    new = tuple(
        one
        for one in made.vetted
        if one.variant.id not in names
        and (one.variant.item_id, one.variant.prompt, one.variant.choices) not in texts
    )
    filled = {one.variant.id for one in new}
    slots = {variant_id(slot.item_id, slot.name): slot for slot in (*before.missing, *made.missing)}
    missing = tuple(slot for name, slot in slots.items() if name not in filled)
    whole = replace(before, vetted=(*before.vetted, *new), missing=missing, lines=())
    now = made.header
    header = make_header(items_of(whole), families=now.families, k=now.k, seed=now.seed)
    models = dict.fromkeys(filter(None, (before.header.language_model, header.language_model)))
    header = replace(
        header,
        settings=now.settings or before.header.settings,
        checks=now.checks or before.header.checks,
        language_model=", ".join(models),
    )
    return PlannedWordings(replace(whole, header=header), made.coverage, new)


def _written_before(before: VariantsFile) -> dict[str, list[Vetted]]:
    """What a model wrote of each item, and the checks accepted."""
    found: dict[str, list[Vetted]] = {}
    for one in before.vetted:
        if one.accepted and one.variant.kind == LLM:
            found.setdefault(one.variant.item_id, []).append(one)
    return found


def _require_made_for(frozen: VariantsFile, source: Source) -> None:
    """The file may also have been made for the items that are left out, or for more than are asked for."""
    if source.is_part:
        asked = {item.id for item in [*source.items, *source.left_out]}
        made_for = [item for item in items_of(frozen) if item.id in asked]
        if items_hash(made_for) in (items_hash(source.items), items_hash([*source.items, *source.left_out])):
            return
    if {one.variant.item_id for one in frozen.vetted} & {item.id for item in source.left_out}:
        frozen.require_match([*source.items, *source.left_out])
    else:
        frozen.require_match(source.items)
