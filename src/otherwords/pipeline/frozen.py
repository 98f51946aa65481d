"""`freeze`: a dataset or task → its variants file; the one in a run's log folder, which grows with the run.

All models of a run are asked the wordings in that file. When a run grows, wordings are added to it, and those
that are there stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.checks import MeaningCheck
from otherwords.core.contract import FAIL, ITEM, JUDGE, LLM, VARIANTS_FILE
from otherwords.core.errors import InputError
from otherwords.core.files import collector_paused, unused_folder
from otherwords.core.registry import FAMILIES
from otherwords.core.types import CheckResult, Item, MissingVariant, Vetted, items_hash, variant_id
from otherwords.pipeline.decisions import (
    NO_JUDGE,
    Coverage,
    Tally,
    check_settings,
    decided_by_people,
    judge_counts,
    left_alone,
    why_without,
    with_judge,
)
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.templates import make_cells, make_design
from otherwords.pipeline.vary import OnItem, Wordings, by_rule, make, share_of_model, written_by_model
from otherwords.pipeline.vet import items_of, read_frozen, require_same_design
from otherwords.variants.base import DEFAULT_FAMILIES
from otherwords.variants.distance import CHECK as DISTANCE_CHECK
from otherwords.variants.file import VariantsFile, VariantsHeader, add_variants, make_header, write_variants

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from otherwords.variants.llm import LlmFamily

TASK = "task"
"""The check that a wording can be asked through the Inspect task that it is for."""


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
    judge: str | Model | None = None,
    min_distance: float = 0.0,
    vary: Sequence[str] = (ITEM,),
    design: str = "",
    fraction: float = 1.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> Coverage:
    """Write the vetted variants of a dataset or an Inspect task to a variants file.

    Args:
        source: A file of items, the name of an Inspect task, or an opened source.
        out: Where the file is written; all models are asked the variants in it.
        families: Names of the variant families that make candidates.
        k: Most candidates of an item, beside the original; two of each family by default.
        seed: Of everything that is drawn.
        max_items: Use only the first items.
        llm: Which model writes the family `llm`, and how far it may go.
        checks: Meaning checks beside those that need no model.
        judge: The model that decides on variants that carry a flag, or `none`. By default the one that writes
            the family `llm`, where that is asked for. What nobody decides is not accepted.
        min_distance: Rewordings are rejected of which a smaller share of the words differs from the original.
        vary: What is reworded: `item`, and of a template or a task `system`, `template` and `tools`.
        design: Kinds of change that are crossed, such as `wording×format×order`.
        fraction: How many of the design's cells each item has; a balanced part of them below 1.
        jobs: Processes that may share the work; the file is the same for any number.
        on_item: Called after each item with how many are done, and of how many.

    Returns:
        How many variants were accepted and rejected, and which items have none.

    Raises:
        InputError: The source cannot be read, or a family is unknown or named twice.

    Example:
        >>> import json, pathlib, tempfile
        >>> from otherwords import freeze
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> question = {"id": "q1", "question": "Who wrote Hamlet?", "answer": "Shakespeare"}
        >>> _ = (folder / "questions.jsonl").write_text(json.dumps(question))
        >>> freeze(folder / "questions.jsonl", folder / "variants.jsonl", ["format"], k=1).accepted_by_kind
        {'format': 1}
    """
    if isinstance(source, str | Path):
        source = open_source(source, max_items=max_items)
    wordings = Wordings(tuple(families), k, seed, llm, judge, None, tuple(vary))
    wordings = wordings.in_design(design, fraction)
    if source.task is not None or source.cases is not None or design or written_by_model(families):
        made = make_frozen(source, wordings, checks, min_distance=min_distance, jobs=jobs, on_item=on_item)
        write_variants(out, made.vetted, header=made.header, missing=made.missing)
        return made.coverage
    checks = with_judge(checks, judge)
    header, tally = _header(source.items, wordings, checks, min_distance), Tally()
    made_by_rule = by_rule(
        source.items, wordings, checks, min_distance=min_distance, jobs=jobs, on_item=on_item
    )
    with closing(made_by_rule) as groups:  # each item is written as it comes
        write_variants(out, tally.counting(one for group in groups for one in group), header=header)
    return tally.coverage(
        judged=judge_counts(checks),
        reasons=why_without(source.items, families),
        **left_alone(source.items, families),
    )


@dataclass(frozen=True)
class Frozen:
    """What `freeze` writes, before it is written."""

    header: VariantsHeader
    vetted: list[Vetted]
    missing: list[MissingVariant]
    coverage: Coverage


def make_frozen(
    source: Source,
    wordings: Wordings,
    checks: Sequence[MeaningCheck] = (),
    *,
    min_distance: float = 0.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
    known: Mapping[str, Sequence[Vetted]] | None = None,
) -> Frozen:
    """As `freeze`, without writing; what a model wrote of an item before, `known` by its id, is kept."""
    checks = wordings.with_judge(checks)
    header = _header(source.items, wordings, checks, min_distance)
    options: dict[str, Any] = {"min_distance": min_distance, "jobs": jobs, "on_item": on_item}
    design: dict[str, Any] = {}
    if source.cases is not None:
        made, design = make_cells(source.cases.of(source.items), wordings, checks, **options)
    elif wordings.design:
        made, design = make_design(source.items, wordings, checks, **options)
    else:
        made = make(source.items, wordings, checks, known=known, **options)
    header = replace(header, design=design)
    texts = source.items if source.cases is None else source.cases.of(source.items).cases
    if wordings.llm is not None and wordings.llm.name in wordings.families:
        header = replace(header, settings=wordings.llm.settings())
    decided = decided_by_people(made.vetted, source.items, wordings.decisions)
    tally = Tally()
    vetted = list(tally.counting(_only_askable(decided, source)))
    coverage = tally.coverage(
        made.missing,
        made.asked,
        judged=judge_counts(checks),
        reasons=why_without(texts, wordings.families),
        **left_alone(texts, wordings.families),
    )
    return Frozen(header, vetted, made.missing, coverage)


def _header(
    items: Sequence[Item], wordings: Wordings, checks: Sequence[MeaningCheck], min_distance: float
) -> VariantsHeader:
    header = make_header(items, families=wordings.families, k=wordings.total, seed=wordings.seed)
    FAMILIES.import_others()  # one that cannot be imported is named, though it was not asked for
    settings = check_settings(checks) | ({DISTANCE_CHECK: {"least": min_distance}} if min_distance else {})
    return replace(header, checks=settings)


def _only_askable(vetted: Sequence[Vetted], source: Source) -> list[Vetted]:
    """A wording that would not reach the model through the task changes nothing, and must not count."""
    refused = source.refused([one.variant for one in vetted if one.accepted])
    return [
        replace(one, checks=(*one.checks, CheckResult(TASK, FAIL, refused[one.variant.id])))
        if one.variant.id in refused
        else one
        for one in vetted
    ]


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
    path = folder / VARIANTS_FILE
    before = read_frozen(path) if path.exists() else None
    items = source.items
    if before is not None:
        items = _lacking(before, source, wordings)
        if not items:
            return PlannedWordings(before)
    if on_writing is not None:
        for name in written_by_model(wordings.families):
            share = share_of_model(wordings.families, wordings.k)
            texts = sum(len(items) if place == ITEM else 1 for place in wordings.vary)
            on_writing(Writing(_writer(wordings, name), texts, share, _judge(wordings)))
    with collector_paused():
        made = make_frozen(
            replace(source, items=items),
            wordings,
            jobs=jobs,
            on_item=on_item,
            known=None if before is None else _written_before(before),
        )
    if before is not None:
        return _grown(before, made)
    new = tuple(made.vetted)
    return PlannedWordings(VariantsFile(path, made.header, new, tuple(made.missing)), made.coverage, new)


def _writer(wordings: Wordings, family: str) -> str:
    if family != LLM:
        return f"the variant family '{family}'"
    named = "" if wordings.llm is None else str(wordings.llm.settings()["model"])
    return named or "the model role 'paraphraser'"


def _judge(wordings: Wordings) -> str:
    """The name of the model that decides; empty where none does."""
    return str(check_settings(wordings.with_judge()).get(JUDGE, {}).get("model", ""))


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
    require_same_design(before, source.cases, wordings, _begin_another(before.path))
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
        design=now.design or before.header.design,
    )
    return PlannedWordings(replace(whole, header=header), made.coverage, new)


def _written_before(before: VariantsFile) -> dict[str, list[Vetted]]:
    """What a model wrote of each item, and the checks accepted."""
    found: dict[str, list[Vetted]] = {}
    for one in before.vetted:
        if one.accepted and one.variant.kind == LLM:
            found.setdefault(one.variant.item_id, []).append(one)
    return found
