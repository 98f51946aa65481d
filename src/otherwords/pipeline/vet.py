"""Variants files: given or shipped ones are matched to items; `vet_file` checks an edited one again."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from otherwords.benchmarks import shipped_path, shipped_texts, shipped_wordings
from otherwords.checks import MeaningCheck, apply_meaning_checks, pairs_to_ask, vet
from otherwords.checks.judge import NAME, estimated_tokens
from otherwords.core.contract import ITEM, JUDGING, NOT_APPLICABLE, PASS, SHIPPED, TEMPLATE, VOICES
from otherwords.core.errors import InputError
from otherwords.core.files import collector_paused, require_input
from otherwords.core.template import Cases, Template
from otherwords.core.types import CheckResult, Item, Variant, Vetted, items_hash, varied_text, whole_text
from otherwords.pipeline.cells import GIVEN, PLACEHOLDERS
from otherwords.pipeline.decisions import Coverage, Decisions, Tally, check_settings, judge_counts, with_judge
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.process_pool import ordered_map
from otherwords.pipeline.vary import OnItem, Wordings, usable_jobs
from otherwords.variants.base import language_model
from otherwords.variants.distance import CHECK as DISTANCE_CHECK
from otherwords.variants.distance import with_distances
from otherwords.variants.file import (
    MAKE_AGAIN,
    VariantsFile,
    VariantsHeader,
    read_header,
    read_variants,
    write_variants,
)

if TYPE_CHECKING:
    from inspect_ai.model import Model

T = TypeVar("T")
_NAMED = 5
"""Items that a note names."""


def read_shipped(source: Source) -> tuple[Source, VariantsFile]:
    """The hand-written wordings that come with otherwords for a benchmark, as a variants file.

    Returns:
        The source with the items that they were written for, and notes that say which wordings they are and
        which items are left out; and the wordings.
    """
    found = shipped_wordings(None if source.benchmark is None else source.benchmark.name, source.items)
    items = [item for item in source.items if item.id not in found.refused]
    header = VariantsHeader(
        items_hash(items), len(items), VOICES, len(VOICES), 0, generators=(found.generator,)
    )
    notes = [f"The wordings are {found.generator}, written by hand: {', '.join(VOICES)}."]
    if found.refused:
        named = [f"{item} ({why})" for item, why in list(found.refused.items())[:_NAMED]]
        more = f" and {len(found.refused) - _NAMED:,} more" if len(found.refused) > _NAMED else ""
        notes.append(
            f"{len(found.refused):,} of {len(source.items):,} items are left out: {'; '.join(named)}{more}"
        )
    is_part = source.is_part or bool(found.refused)
    left = replace(source, items=items, is_part=is_part, notes=(*source.notes, *notes))
    return left, VariantsFile(shipped_path(), header, found.vetted)


def validate_scenarios(benchmark: str, file: Path) -> dict[str, list[str]]:
    """What is wrong with each accepted wording of a benchmark's scenarios, by its id.

    Args:
        benchmark: A benchmark of tau2, by name.
        file: A variants file; or `shipped`.

    Raises:
        InputError: The benchmark has no scenarios, or the file cannot be read.
    """
    from otherwords.benchmarks.taubench import validate

    if not benchmark.startswith("taubench_"):
        raise InputError(f"only wordings of tau2's scenarios can be validated, not of '{benchmark}'")
    if str(file) == SHIPPED:
        vetted = read_shipped(open_source(benchmark))[1].vetted
    else:
        vetted = read_variants(require_input(file)).vetted
    texts: dict[str, dict[str, str]] = {}
    for one in vetted:
        if one.accepted:
            texts.setdefault(one.variant.item_id, {})[one.variant.id] = varied_text(one.variant.prompt)
    scenarios = {one.variant.item_id: one.variant for one in vetted if one.variant.is_original}
    known = shipped_texts(benchmark, scenarios)
    return {
        wording: validate(scenario, text, _siblings(wording, of_item, known.get(item, ()), scenario))
        for item, of_item in texts.items()
        for scenario in [varied_text(scenarios[item].prompt)]
        for wording, text in of_item.items()
        if wording != scenarios[item].id
    }


def _siblings(wording: str, of_item: Mapping[str, str], shipped: Sequence[str], scenario: str) -> list[str]:
    """The other wordings of the file, and those that ship with otherwords, each once."""
    own = of_item[wording]
    others = [text for name, text in of_item.items() if name != wording]
    return [text for text in dict.fromkeys([*others, *shipped]) if text not in (own, scenario)]


def vet_file(
    path: str | Path,
    out: str | Path | None = None,
    *,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    decisions: str | Path | None = None,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> Coverage:
    """Run the checks again on a variants file that was edited or decided on, and write the new results.

    What models said of wordings that have not changed since is kept, and so is what people decided of them.

    Args:
        path: The variants file. Its originals may not have been edited.
        out: Where to write; over `path` by default.
        checks: Meaning checks beside those that need no model.
        judge: The model that decides on variants that carry a flag; nobody by default.
        decisions: A file of decisions that the page of `review` saved. They count more than flags and the
            judge, and never more than an invariant.
        jobs: Processes that may share the work; the file is the same for any number.
        on_item: Called after each item with how many are done, and of how many.

    Returns:
        How many variants were accepted, rejected and left undecided, and which items have none.

    Raises:
        InputError: The file cannot be read, an original was edited, added or removed, or a decision cannot be
            read or is about a variant that the file does not have.

    Example:
        >>> import pathlib, tempfile
        >>> from otherwords import vary, vet_file, write_variants, Item
        >>> from otherwords.variants.file import make_header
        >>> item = Item("q1", "Who wrote Hamlet?", (), ("Shakespeare",))
        >>> header = make_header([item], families=["format"], k=1, seed=0)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "variants.jsonl"
        >>> _ = write_variants(path, vary([item], ["format"], k=1), header=header)
        >>> vet_file(path).accepted_by_kind
        {'format': 1}
    """
    checks = with_judge(checks, judge)
    again = _Again(path, checks, decisions)
    tally = Tally()
    with closing(again.groups(jobs)) as groups:
        judged = apply_meaning_checks(groups, checks)
        shown = _with_progress(judged, len(again.items), on_item)
        counted = tally.counting(one for group in shown for one in group)
        write_variants(out or path, counted, header=again.header, missing=again.frozen.missing)
    return tally.coverage(again.frozen.missing, judged=judge_counts(checks), decisions=again.decisions.told)


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What a judge would be asked."""

    pairs: int
    """Variants that carry a flag and that nobody has decided."""
    calls: int
    """Two for each: the original first, and second."""
    input_tokens: int
    """About so many: four characters a token."""


def estimate_judging(
    path: str | Path,
    *,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    decisions: str | Path | None = None,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> JudgeEstimate:
    """What `vet_file` would ask of the judge; nothing is asked and nothing is written."""
    checks = with_judge(checks, judge)
    if not checks or checks[-1].name != NAME:
        raise InputError("no judge is named", hint="For example: --judge openai/gpt-4o-mini")
    *others, asked = checks
    again = _Again(path, checks, decisions)
    pairs: list[tuple[Item, Variant]] = []
    with closing(again.groups(jobs)) as groups:
        vetted = _with_progress(apply_meaning_checks(groups, others), len(again.items), on_item)
        for item, group in zip(again.items, vetted, strict=True):
            pairs += pairs_to_ask(asked, [(item, group)])
    return JudgeEstimate(len(pairs), 2 * len(pairs), estimated_tokens(pairs))


class _Again:
    """A variants file that is vetted again: what is in it, and what of that still holds."""

    def __init__(
        self, path: str | Path, checks: Sequence[MeaningCheck], decisions: str | Path | None
    ) -> None:
        self.frozen = read_variants(require_input(path), verify=False)
        self.items = items_of(self.frozen)
        if items_hash(self.items) != self.frozen.header.items_hash:
            raise InputError(
                "an original was edited, added or removed; only its variants may be",
                file=path,
                hint="Change the dataset instead, and make the variants again with `otherwords vary`.",
            )
        self.variants: dict[str, list[Variant]] = {item.id: [] for item in self.items}
        for one in self.frozen.vetted:
            if one.variant.item_id not in self.variants:
                raise InputError("has no original in the file", file=path, item=one.variant.item_id)
            self.variants[one.variant.item_id].append(one.variant)
        kept = {one.variant.id: one.decision for one in self.frozen.vetted if one.decision is not None}
        self.decisions = Decisions.of_file(decisions, self.variants, kept)
        asked = {check.name for check in checks}
        self._judgements = {
            one.variant.id: [result for result in one.checks if _still_holds(result, asked)]
            for one in self.frozen.vetted
            if one.variant.id in self.frozen.judged
        }
        self.header = replace(
            self.frozen.header,
            checks={**self.frozen.header.checks, **check_settings(checks)},
            language_model=language_model(self.items),
        )

    def groups(self, jobs: int) -> Generator[tuple[Item, list[Vetted]]]:
        """Each item with its variants, as they are before models are asked about them."""
        pairs = [(item, self.variants[item.id]) for item in self.items]
        least = self.header.checks.get(DISTANCE_CHECK, {}).get("least", 0.0)
        with closing(ordered_map(partial(_vet, least=least), pairs, usable_jobs(jobs))) as vetted:
            for item, group in zip(self.items, vetted, strict=True):
                yield item, self.decisions.apply(item, [self._with_judgements(one) for one in group])

    def _with_judgements(self, one: Vetted) -> Vetted:
        kept = self._judgements.get(one.variant.id, ())
        return replace(one, checks=(*one.checks, *kept)) if kept and not one.failures else one


def _still_holds(result: CheckResult, asked: set[str]) -> bool:
    """What a model said of this very wording, if it is not asked again now."""
    return result.check in JUDGING and result.check not in asked and result.status != NOT_APPLICABLE


def _vet(group: tuple[Item, Sequence[Variant]], *, least: float) -> list[Vetted]:
    item, variants = group
    in_templates = any(variant.template for variant in variants)
    vetted = _vet_cells(item, variants) if in_templates else vet(item, variants)
    return with_distances(item, vetted, least=least)


def _vet_cells(item: Item, variants: Sequence[Variant]) -> list[Vetted]:
    """The cells of an item, with all of their messages; each is compared with its template as it was given.

    Another template that the user gave need not say the same as the first, and is not compared with it.
    """
    given = {one.template: one for one in variants if one.kind == TEMPLATE}
    checked: dict[str, Vetted] = {}
    for name in ("", *given):
        base = given.get(name, item)
        flat = Item(item.id, whole_text(base.prompt), item.choices, item.target)
        own = [one for one in variants if one.kind != TEMPLATE and _base_of(one, given) == name]
        for one, result in zip(own, vet(flat, [_flat(one) for one in own]), strict=True):
            checked[one.id] = replace(result, variant=one)
    return [
        Vetted(one, (CheckResult(PLACEHOLDERS, PASS, GIVEN),)) if one.kind == TEMPLATE else checked[one.id]
        for one in variants
    ]


def _base_of(variant: Variant, given: Collection[str]) -> str:
    """The given template that the variant has, or has a wording of; empty for the first one."""
    return next((name for name in given if f"{variant.template}+".startswith(f"{name}+")), "")


def _flat(variant: Variant) -> Variant:
    kinds = [kind for kind in variant.kind.split("+") if kind != TEMPLATE]
    return replace(variant, prompt=whole_text(variant.prompt), kind="+".join(kinds))


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


def read_given(path: Path, source: Source) -> tuple[Source, VariantsFile]:
    """A variants file that the user named, if it was made for these items, or also for others.

    Returns:
        The items that it has wordings of, and the file. Only the wordings that ship with otherwords may
        leave out some of the items.
    """
    if str(path) == SHIPPED:
        return read_shipped(source)
    frozen = read_frozen(path, [*source.items, *source.left_out] if source.is_part else None)
    _require_made_for(frozen, source)
    return source, frozen


def variants_path(named: str, folder: Path) -> Path:
    """A variants file that is named in a file of that folder; `shipped` names the ones that ship."""
    return Path(named) if named == SHIPPED else folder / named


def frozen_design(
    path: Path, prompt_field: str | None
) -> tuple[tuple[Template, ...], str | None, tuple[str, ...]]:
    """The templates that a variants file was made with, the field of the cases' own text, and what varies."""
    design = {} if str(path) == SHIPPED else read_header(path).design
    varied = tuple(design.get("vary", (ITEM,)))
    if design.get("of_task") or not design.get("given"):
        return (), prompt_field, varied
    given = tuple(Template(design["templates"][name], name) for name in design["given"])
    return given, prompt_field or design["prompt_field"], varied


def read_frozen(path: Path, items: Sequence[Item] | None = None) -> VariantsFile:
    """The file, or what it has of these items, with no pauses of the garbage collector while it is read."""
    with collector_paused():
        return read_variants(require_input(path), items={item.id for item in items or ()})


def _require_made_for(frozen: VariantsFile, source: Source) -> None:
    """The file may also have been made for the items that are left out, or for more than are asked for."""
    if source.is_part:
        asked = {item.id for item in [*source.items, *source.left_out]}
        made_for = [item for item in items_of(frozen) if item.id in asked]
        if items_hash(made_for) in (items_hash(source.items), items_hash([*source.items, *source.left_out])):
            return
    if {one.variant.item_id for one in frozen.vetted} & {item.id for item in source.left_out}:
        require_match(frozen, [*source.items, *source.left_out])
    else:
        require_match(frozen, source.items)


def require_match(frozen: VariantsFile, items: Sequence[Item]) -> None:
    """Refuses when the file was made for other items, or for other wordings of them."""
    ours, theirs = {one.variant.item_id for one in frozen.vetted}, {item.id for item in items}
    strange = sorted(ours - theirs) or sorted(theirs - ours)
    if strange:
        lack = "the items lack" if ours - theirs else "the file lacks"
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        problem = f"was made for other items: {lack} '{strange[0]}'{more}"
    elif items_hash(items) != frozen.header.items_hash:
        problem = "was made for an earlier wording of these items: a prompt, an option or an answer changed"
    else:
        return
    raise InputError(problem, file=frozen.path, hint=MAKE_AGAIN)


def require_same_design(
    before: VariantsFile, source: Cases | None, wordings: Wordings, begin_another: str
) -> None:
    """Refuses to add to a run with other templates, or that varies something else."""
    had = before.header.design
    templates = {} if source is None else {one.name: one.plain for one in source.templates}
    given = {name: had.get("templates", {})[name] for name in had.get("given", ())}
    if given != templates:
        raise InputError("this run has other templates", file=before.path, hint=begin_another)
    if list(had.get("vary", [ITEM])) != list(wordings.vary):
        varied = ",".join(had.get("vary", [ITEM]))
        raise InputError(f"this run has --vary {varied}", file=before.path, hint=begin_another)
    if (had.get("design", []), had.get("fraction", 1)) != (list(wordings.design), wordings.fraction):
        crossed = "×".join(had.get("design", [])) or "no --design"
        part = f" --fraction {had['fraction']:g}" if had.get("fraction", 1) != 1 else ""
        had_this = f"--design {crossed}{part}" if had.get("design") else crossed
        raise InputError(f"this run has {had_this}", file=before.path, hint=begin_another)
