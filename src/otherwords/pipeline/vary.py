"""Items → vetted variants, as a list or as a variants file: families make candidates, checks accept them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from otherwords.checks import CHECKS, MeaningCheck, apply_meaning_checks, vet
from otherwords.core.contract import FAIL, HUMAN, STRENGTHS
from otherwords.core.registry import FAMILIES, declared_traits
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted
from otherwords.pipeline.coverage import Coverage, Tally, left_alone, why_without
from otherwords.pipeline.decisions import (
    Deciding,
    check_settings,
    decided_by_people,
    judge_counts,
    with_judge,
)
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.process_pool import ordered_map
from otherwords.variants import (
    DEFAULT_FAMILIES,
    VariantsHeader,
    default_k,
    make_candidates,
    make_header,
    write_variants,
)
from otherwords.variants.base import candidates_of
from otherwords.variants.distance import CHECK as DISTANCE_CHECK
from otherwords.variants.distance import with_distances

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from otherwords.variants.llm import Counts, LlmFamily

TASK = "task"
"""The check that a wording can be asked through the Inspect task that it is for."""
OnItem = Callable[[int, int], None]
"""Called with how many items are done, and of how many."""


def vary(
    items: Sequence[Item],
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    min_distance: float = 0.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> list[Vetted]:
    """Make and vet variants of items.

    Args:
        items: What to reword, as `load_items` gives it.
        families: Names of the variant families that make candidates.
        k: Most candidates of an item, beside the original; two of each family by default.
        seed: Of everything that is drawn.
        llm: Which model writes the family `llm`, and how far it may go.
        checks: Meaning checks beside those that need no model.
        judge: The model that decides on variants that carry a flag, or `none`. By default the one that writes
            the family `llm`, where that is asked for. What nobody decides is not accepted.
        min_distance: Rewordings are rejected of which a smaller share of the words differs from the original.
        jobs: Processes that may share the work. The result is the same for any number. In a script, call this
            under `if __name__ == "__main__":` when it is above 1.
        on_item: Called after each item with how many are done, and of how many.

    Returns:
        Each item's original and candidates, accepted or not, with what each check said of them.

    Raises:
        InputError: A family is unknown, is named twice, or an argument is out of range.

    Example:
        >>> from otherwords import Item, vary
        >>> item = Item("q1", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1)
        >>> for one in vary([item], ["paraphrase", "options"], k=2):
        ...     print(one.variant.name, one.accepted, one.variant.prompt)
        orig True Which of the following is a mammal?
        para1 True I want to know which one of these is a mammal.
        pert:order_swap True Which of the following is a mammal?
    """
    checks = with_judge(checks, judge, families=families, llm=llm)
    return _make(
        items,
        families,
        k=k,
        seed=seed,
        llm=llm,
        checks=checks,
        min_distance=min_distance,
        jobs=jobs,
        on_item=on_item,
    ).vetted


@dataclass(frozen=True)
class _Made:
    vetted: list[Vetted]
    missing: list[MissingVariant] = field(default_factory=list)
    """Wordings that were asked of a model and could not be made."""
    asked: Counts | None = None
    """What was asked of that model."""


def _make(
    items: Sequence[Item],
    families: Sequence[str],
    *,
    k: int | None,
    seed: int,
    llm: LlmFamily | None,
    checks: Sequence[MeaningCheck],
    min_distance: float,
    jobs: int,
    on_item: OnItem | None,
    known: Mapping[str, Sequence[Vetted]] | None = None,
) -> _Made:
    by_model = written_by_model(families)
    if not by_model:
        with closing(
            _by_rule(
                items,
                families,
                k=k,
                seed=seed,
                checks=checks,
                min_distance=min_distance,
                jobs=jobs,
                on_item=on_item,
            )
        ) as groups:
            return _Made([one for group in groups for one in group])
    total = default_k(families) if k is None else k
    by_rule = [name for name in families if name not in by_model]
    share = share_of_model(families, k)
    rule_share = max(0, total - share * len(by_model))
    with closing(_by_rule(items, by_rule, k=rule_share, seed=seed, checks=checks, jobs=jobs)) as groups:
        vetted = {item.id: group for item, group in zip(items, groups, strict=True)}
    missing: list[MissingVariant] = []
    asked: Counts | None = None
    for name in by_model:
        family = llm if llm is not None and llm.name == name else FAMILIES.get(name)
        if not hasattr(family, "candidates_many_sync"):
            for done, item in enumerate(items, start=1):
                candidates = candidates_of(item, name, share, seed)[:share]
                group = _vet_beside(vetted, item, candidates)
                vetted[item.id] += next(apply_meaning_checks([(item, group)], checks))
                if on_item is not None:
                    on_item(done, len(items))
            continue
        batch = cast("LlmFamily", family).candidates_many_sync(
            items,
            k=share,
            seed=seed,
            vet=partial(_vet_beside, vetted),
            decide=Deciding(checks),
            on_item=on_item,
            known=known,
        )
        for item, result in zip(items, batch.results, strict=True):
            vetted[item.id] += [*result.accepted, *result.rejected]
        missing += batch.missing
        if asked is None:
            asked = batch.counts
        else:
            asked.add(batch.counts)
    measured = [with_distances(item, vetted[item.id], least=min_distance) for item in items]
    return _Made([one for group in measured for one in group], missing, asked)


def written_by_model(families: Sequence[str]) -> list[str]:
    """Those of the families whose variants a model writes."""
    return [name for name in families if declared_traits(FAMILIES.get(name)).needs_model]


def share_of_model(families: Sequence[str], k: int | None) -> int:
    """How many rewordings of an item a model is asked for: one of each strength, or its share of `k`."""
    bounded = [name for name in families if name != HUMAN]
    return len(STRENGTHS) if k is None else max(1, k // max(1, len(bounded)))


def usable_jobs(jobs: int) -> int:
    """One where a script has registered families or checks of its own: another process lacks them."""
    return 1 if FAMILIES.changed_here or CHECKS.changed_here else jobs


def _by_rule(
    items: Sequence[Item],
    families: Sequence[str],
    *,
    k: int | None,
    seed: int,
    checks: Sequence[MeaningCheck],
    jobs: int,
    min_distance: float = 0.0,
    on_item: OnItem | None = None,
) -> Generator[list[Vetted]]:
    """Each item's original and candidates, one item at a time, without those that a model writes."""
    work = partial(_make_and_vet, families=families, k=k, seed=seed, min_distance=min_distance)
    groups = zip(items, ordered_map(work, items, usable_jobs(jobs)), strict=True)
    for done, vetted in enumerate(apply_meaning_checks(groups, checks), start=1):
        yield vetted
        if on_item is not None:
            on_item(done, len(items))


def _make_and_vet(
    item: Item, *, families: Sequence[str], k: int | None, seed: int, min_distance: float
) -> list[Vetted]:
    vetted = vet(item, make_candidates(item, families, k=k, seed=seed))
    return with_distances(item, vetted, least=min_distance)


def _vet_beside(known: dict[str, list[Vetted]], item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
    """Vets `candidates` together with the accepted ones of other families, so that none is repeated."""
    before = [one.variant for one in known[item.id] if one.accepted and not one.variant.is_original]
    return vet(item, [*before, *candidates])[len(before) :]


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
    if source.task is None and not written_by_model(families):  # each item is written as it comes
        checks = with_judge(checks, judge)
        header = _header(source.items, families, k, seed, checks, min_distance)
        tally = Tally()
        with closing(
            _by_rule(
                source.items,
                families,
                k=k,
                seed=seed,
                checks=checks,
                min_distance=min_distance,
                jobs=jobs,
                on_item=on_item,
            )
        ) as groups:
            write_variants(out, tally.counting(one for group in groups for one in group), header=header)
        return tally.coverage(
            judged=judge_counts(checks),
            reasons=why_without(source.items, families),
            **left_alone(source.items, families),
        )
    made = make_frozen(
        source,
        families,
        k=k,
        seed=seed,
        llm=llm,
        checks=checks,
        judge=judge,
        min_distance=min_distance,
        jobs=jobs,
        on_item=on_item,
    )
    write_variants(out, made.vetted, header=made.header, missing=made.missing)
    return made.coverage


@dataclass(frozen=True)
class Frozen:
    """What `freeze` writes, before it is written."""

    header: VariantsHeader
    vetted: list[Vetted]
    missing: list[MissingVariant]
    coverage: Coverage


def make_frozen(
    source: Source,
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    min_distance: float = 0.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
    known: Mapping[str, Sequence[Vetted]] | None = None,
    decisions: Path | None = None,
) -> Frozen:
    """As `freeze`, without writing; what a model wrote of an item before, `known` by its id, is kept.

    `decisions` is a file of what people decided of these variants, as the page of `review` saves it.
    """
    checks = with_judge(checks, judge, families=families, llm=llm)
    header = _header(source.items, families, k, seed, checks, min_distance)
    made = _make(
        source.items,
        families,
        k=k,
        seed=seed,
        llm=llm,
        checks=checks,
        min_distance=min_distance,
        jobs=jobs,
        on_item=on_item,
        known=known,
    )
    if llm is not None and llm.name in families:
        header = replace(header, settings=llm.settings())
    decided = decided_by_people(made.vetted, source.items, decisions)
    tally = Tally()
    vetted = list(tally.counting(_only_askable(decided, source)))
    coverage = tally.coverage(
        made.missing,
        made.asked,
        judged=judge_counts(checks),
        reasons=why_without(source.items, families),
        **left_alone(source.items, families),
    )
    return Frozen(header, vetted, made.missing, coverage)


def _header(
    items: Sequence[Item],
    families: Sequence[str],
    k: int | None,
    seed: int,
    checks: Sequence[MeaningCheck],
    min_distance: float,
) -> VariantsHeader:
    header = make_header(items, families=families, k=default_k(families) if k is None else k, seed=seed)
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
