"""A variants file that a person has edited or decided on → the same file with new check results."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from otherwords.benchmarks import shipped_path, shipped_wordings
from otherwords.checks import MeaningCheck, apply_meaning_checks, pairs_to_ask, vet
from otherwords.checks.judge import NAME, estimated_tokens
from otherwords.core.contract import JUDGING, NOT_APPLICABLE, SHIPPED, VOICES
from otherwords.core.errors import InputError
from otherwords.core.files import require_input
from otherwords.core.types import CheckResult, Item, Variant, Vetted, items_hash, varied_text
from otherwords.pipeline.decisions import Coverage, Decisions, Tally, check_settings, judge_counts, with_judge
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.process_pool import ordered_map
from otherwords.pipeline.vary import OnItem, usable_jobs
from otherwords.variants import VariantsFile, VariantsHeader, read_variants, write_variants
from otherwords.variants.base import language_model
from otherwords.variants.distance import CHECK as DISTANCE_CHECK
from otherwords.variants.distance import with_distances

if TYPE_CHECKING:
    from inspect_ai.model import Model

T = TypeVar("T")
_NAMED = 5
"""Items that a note names."""


def read_shipped(source: Source) -> tuple[Source, VariantsFile, tuple[str, ...]]:
    """The hand-written wordings that come with otherwords for a benchmark, as a variants file.

    Returns:
        The source with the items that they were written for, those items' wordings, and what to say of them:
        which they are, and which items are left out.
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
    left = replace(source, items=items, is_part=source.is_part or bool(found.refused))
    return left, VariantsFile(shipped_path(), header, found.vetted), tuple(notes)


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
    scenarios = {one.variant.item_id: one.variant for one in vetted if one.variant.is_original}
    return {
        one.variant.id: validate(
            varied_text(scenarios[one.variant.item_id].prompt), varied_text(one.variant.prompt)
        )
        for one in vetted
        if one.accepted and not one.variant.is_original
    }


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
        >>> from otherwords.variants import make_header
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
    return with_distances(group[0], vet(*group), least=least)


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
