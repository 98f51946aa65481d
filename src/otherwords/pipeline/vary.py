"""Items → vetted variants, as a list or as a variants file: families make candidates, checks accept them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from otherwords.checks import CHECKS, MeaningCheck, apply_meaning_checks, vet
from otherwords.core.contract import FAIL
from otherwords.core.families import FAMILIES, declared_traits, traits_of
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.process_pool import ordered_map
from otherwords.variants import DEFAULT_FAMILIES, default_k, make_candidates, make_header, write_variants
from otherwords.variants.candidates import candidates_of

if TYPE_CHECKING:
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
        para1 True Which of these is a mammal?
        pert:order_swap True Which of the following is a mammal?
    """
    return _make(items, families, k=k, seed=seed, llm=llm, checks=checks, jobs=jobs, on_item=on_item).vetted


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
    jobs: int,
    on_item: OnItem | None,
) -> _Made:
    by_model = written_by_model(families)
    if not by_model:
        with closing(
            _by_rule(items, families, k=k, seed=seed, checks=checks, jobs=jobs, on_item=on_item)
        ) as groups:
            return _Made([one for group in groups for one in group])
    total = default_k(families) if k is None else k
    by_rule = [name for name in families if name not in by_model]
    share = total // len(families) if by_rule else total // len(by_model)
    rule_share = total - share * len(by_model)
    with closing(_by_rule(items, by_rule, k=rule_share, seed=seed, checks=checks, jobs=jobs)) as groups:
        vetted = {item.id: group for item, group in zip(items, groups, strict=True)}
    missing: list[MissingVariant] = []
    asked: Counts | None = None
    for name in by_model:
        family = llm if llm is not None and llm.name == name else FAMILIES.get(name)
        if not hasattr(family, "candidates_many_sync"):
            for done, item in enumerate(items, start=1):
                candidates = candidates_of(item, name, max(share, 1), seed)[: max(share, 1)]
                vetted[item.id] += _vet_beside(vetted, checks, item, candidates)
                if on_item is not None:
                    on_item(done, len(items))
            continue
        batch = cast("LlmFamily", family).candidates_many_sync(
            items, k=max(share, 1), seed=seed, vet=partial(_vet_beside, vetted, checks), on_item=on_item
        )
        for item, result in zip(items, batch.results, strict=True):
            vetted[item.id] += [*result.accepted, *result.rejected]
        missing += batch.missing
        if asked is None:
            asked = batch.counts
        else:
            asked.add(batch.counts)
    return _Made([one for group in vetted.values() for one in group], missing, asked)


def written_by_model(families: Sequence[str]) -> list[str]:
    """Those of the families whose variants a model writes."""
    return [name for name in families if declared_traits(FAMILIES.get(name)).needs_model]


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
    on_item: OnItem | None = None,
) -> Generator[list[Vetted]]:
    """Each item's original and candidates, one item at a time, without those that a model writes."""
    work = partial(_make_and_vet, families=families, k=k, seed=seed)
    groups = zip(items, ordered_map(work, items, usable_jobs(jobs)), strict=True)
    for done, vetted in enumerate(apply_meaning_checks(groups, checks), start=1):
        yield vetted
        if on_item is not None:
            on_item(done, len(items))


def _make_and_vet(item: Item, *, families: Sequence[str], k: int | None, seed: int) -> list[Vetted]:
    return vet(item, make_candidates(item, families, k=k, seed=seed))


def _vet_beside(
    known: dict[str, list[Vetted]],
    checks: Sequence[MeaningCheck],
    item: Item,
    candidates: Sequence[Variant],
) -> list[Vetted]:
    """Vets `candidates` together with the accepted ones of other families, so that none is repeated."""
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
    items = source.items
    header = make_header(items, families=families, k=default_k(families) if k is None else k, seed=seed)
    FAMILIES.import_others()  # one that cannot be imported is named, though it was not asked for
    tally = Tally()
    if source.task is None and not written_by_model(families):  # each item is written as it comes
        with closing(
            _by_rule(items, families, k=k, seed=seed, checks=checks, jobs=jobs, on_item=on_item)
        ) as groups:
            write_variants(out, tally.counting(one for group in groups for one in group), header=header)
        return tally.coverage()
    made = _make(items, families, k=k, seed=seed, llm=llm, checks=checks, jobs=jobs, on_item=on_item)
    if llm is not None and llm.name in families:
        header = replace(header, settings={"model": str(llm.model or ""), "strength": llm.strength})
    vetted = tally.counting(_only_askable(made.vetted, source))
    write_variants(out, vetted, header=header, missing=made.missing)
    return tally.coverage(made.missing, made.asked)


def _only_askable(vetted: Sequence[Vetted], source: Source) -> list[Vetted]:
    """A wording that would not reach the model through the task changes nothing, and must not count."""
    refused = source.refused([one.variant for one in vetted if one.accepted])
    return [
        replace(one, checks=(*one.checks, CheckResult(TASK, FAIL, refused[one.variant.id])))
        if one.variant.id in refused
        else one
        for one in vetted
    ]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of the candidates of a dataset."""

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
    """Counts accepted and rejected candidates as they pass."""

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
            self._variants_of[one.variant.item_id] += not traits_of(one.variant.kind).is_control
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
