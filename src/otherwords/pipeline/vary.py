"""`make`: items → vetted variants, by families and checks, over processes; `PromptVariationGenerator`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, cast

from otherwords.checks import CHECKS, MeaningCheck, apply_meaning_checks, pairs_to_ask, vet, with_results
from otherwords.checks.judge import JudgeCheck
from otherwords.core.contract import DEFAULT_STRENGTH, HUMAN, ITEM, STRENGTHS
from otherwords.core.errors import InputError, RunError
from otherwords.core.model_calls import CallCounts, wait_for
from otherwords.core.registry import FAMILIES, declared_traits
from otherwords.core.secret_patterns import redacted
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted, varied_text
from otherwords.pipeline.cells import Assignment
from otherwords.pipeline.decisions import with_judge
from otherwords.pipeline.design import cross, factors_of, parse_design
from otherwords.pipeline.process_pool import ordered_map
from otherwords.variants.base import (
    DEFAULT_FAMILIES,
    PER_FAMILY,
    candidates_of,
    default_k,
    make_candidates,
    require_text,
    require_whole,
)
from otherwords.variants.distance import with_distances
from otherwords.variants.llm import LlmBatch, LlmFamily, Vet

if TYPE_CHECKING:
    from anyio import Lock
    from inspect_ai.model import Model

OnItem = Callable[[int, int], None]
"""Called with how many items are done, and of how many."""
_SHOWN = 60
"""Characters of a prompt in a warning."""


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
    vary: tuple[str, ...] = (ITEM,)
    """What is reworded, of `core.contract.PLACES`."""
    design: tuple[str, ...] = ()
    """The factors that are crossed, as `parse_design` reads them."""
    fraction: float = 1.0
    """How many of the design's cells each item is asked."""

    @property
    def total(self) -> int:
        if self.design:
            return PER_FAMILY if self.k is None else self.k
        return default_k(self.families) if self.k is None else self.k

    @property
    def is_plain(self) -> bool:
        """Whether only the item's own text is reworded, by one change at a time."""
        return not self.design and self.vary == (ITEM,)

    def in_design(self, design: str, fraction: float = 1.0) -> Wordings:
        """With the factors that `design` names, such as `wording×format`; as it is where it names none."""
        if not design:
            if fraction != 1:
                raise InputError("--fraction is for --design")
            return self
        return replace(self, design=parse_design(design), fraction=fraction)

    def with_judge(self, checks: Sequence[MeaningCheck] = ()) -> list[MeaningCheck]:
        """`checks` with the judge as the last one."""
        return with_judge(checks, self.judge, families=self.families, llm=self.llm)


@dataclass(frozen=True)
class Made:
    """Variants that were made and vetted."""

    vetted: list[Vetted]
    missing: list[MissingVariant] = field(default_factory=list)
    """Wordings that were asked of a model and could not be made."""
    asked: CallCounts | None = None
    """What was asked of that model."""


def make(
    items: Sequence[Item],
    wordings: Wordings,
    checks: Sequence[MeaningCheck],
    *,
    min_distance: float,
    jobs: int,
    on_item: OnItem | None,
    known: Mapping[str, Sequence[Vetted]] | None = None,
) -> Made:
    """As `otherwords.vary`; what a model wrote of an item before, `known` by its id, is kept."""
    families, seed, llm = wordings.families, wordings.seed, wordings.llm
    by_model = written_by_model(families)
    if not by_model:
        made = by_rule(items, wordings, checks, min_distance=min_distance, jobs=jobs, on_item=on_item)
        with closing(made) as groups:
            return Made([one for group in groups for one in group])
    share = share_of_model(families, wordings.k)
    others = tuple(name for name in families if name not in by_model)
    ruled = replace(wordings, families=others, k=max(0, wordings.total - share * len(by_model)))
    with closing(by_rule(items, ruled, checks, jobs=jobs)) as groups:
        vetted = {item.id: group for item, group in zip(items, groups, strict=True)}
    missing: list[MissingVariant] = []
    asked: CallCounts | None = None
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
    return Made([one for group in measured for one in group], missing, asked)


def make_groups(
    cases: Sequence[Item],
    wordings: Wordings,
    checks: Sequence[MeaningCheck],
    shared: Sequence[Assignment] = ({},),
    *,
    prefix: str = "",
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> tuple[list[list[Vetted]], Made, list[list[Assignment]] | None]:
    """The vetted wordings of each case; in a design, also the cells that were chosen for it."""
    made = Made([])

    def vetted_by(cases: Sequence[Item], families: Sequence[str], k: int | None) -> list[Vetted]:
        nonlocal made
        alone = replace(wordings, families=tuple(families), k=k)
        found = make(cases, alone, checks, min_distance=0.0, jobs=jobs, on_item=on_item)
        made = Made([], [*made.missing, *found.missing], found.asked or made.asked)
        return found.vetted

    if not wordings.design:
        by_case: dict[str, list[Vetted]] = {case.id: [] for case in cases}
        for one in vetted_by(cases, wordings.families, wordings.k):
            by_case[one.variant.item_id].append(one)
        return list(by_case.values()), made, None
    crossed = cross(
        cases,
        factors_of(wordings.design, wordings.families, cases),
        k=wordings.k,
        shared=shared,
        prefix=prefix,
        fraction=wordings.fraction,
        seed=wordings.seed,
        make=vetted_by,
        vet=vet,
        each=lambda work, given: ordered_map(work, given, usable_jobs(jobs)),
    )
    return crossed.groups, replace(made, missing=[*made.missing, *crossed.missing]), crossed.chosen


class Deciding:
    """Asks the meaning checks about the variants of one item, beside those of others.

    A judge is waited for; a check that computes has the machine for itself.
    """

    def __init__(self, checks: Sequence[MeaningCheck]) -> None:
        self.checks = checks
        self._one_at_a_time: Lock | None = None

    async def __call__(self, item: Item, vetted: list[Vetted]) -> list[Vetted]:
        for check in self.checks:
            pairs = pairs_to_ask(check, [(item, vetted)])
            results = await self._results(check, pairs) if pairs else []
            said = {variant.id: result for (_, variant), result in zip(pairs, results, strict=True)}
            vetted = with_results(check, vetted, said)
        return vetted

    async def _results(self, check: MeaningCheck, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        from anyio import Lock, to_thread

        if isinstance(check, JudgeCheck):
            return await check.judge_async(pairs)
        if self._one_at_a_time is None:
            self._one_at_a_time = Lock()
        async with self._one_at_a_time:
            return await to_thread.run_sync(check.judge, pairs)


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


def by_rule(
    items: Sequence[Item],
    wordings: Wordings,
    checks: Sequence[MeaningCheck],
    *,
    jobs: int,
    min_distance: float = 0.0,
    on_item: OnItem | None = None,
) -> Generator[list[Vetted]]:
    """Each item's original and candidates, one item at a time, without those that a model writes."""
    work = partial(
        _make_and_vet,
        families=wordings.families,
        k=wordings.k,
        seed=wordings.seed,
        min_distance=min_distance,
    )
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


class PromptVariationGenerator:
    """Asks a model for rewordings of a prompt and keeps those that the checks accept.

    What could not be made is absent from the list, never filled with the original: a warning tells how much
    that is and why, and `last` has the reasons one by one. With `strict` it is an error.

    Args:
        num_variations: Rewordings wanted of each prompt.
        strength: How far the model may go: mild, medium, strong or naturalistic; `spread` is one of each in
            turn.
        model: Any that Inspect knows, by name or as its `Model`, or several that take turns; by default the
            model role `paraphraser`, or else openai/gpt-4o-mini.
        max_attempts: How often the model is asked about a prompt before what is missing stays missing.
        max_connections: Prompts at a time.
        cache: Keep replies in Inspect's cache, so that asking again is free and gives the same; only what was
            rejected is asked for anew.
        seed: Of the calls, for models that take one.
        checks: What accepts or rejects the rewordings of an item; `vet` by default.
        judge: The model that decides on rewordings that carry a flag, or `none`; by default the same model.
        strict: Raise where a rewording could not be made, in place of the warning.

    Raises:
        InputError: An argument is out of range.
        RunError: The model cannot be asked at all, or, with `strict`, a rewording could not be made.

    Example:
        >>> from inspect_ai.model import ModelOutput, ModelUsage, get_model
        >>> from otherwords import PromptVariationGenerator
        >>> reply = ModelOutput.from_content("mockllm/model", '{"rewordings": ["Compute the total revenue"]}')
        >>> reply.usage = ModelUsage(input_tokens=9, output_tokens=9)
        >>> model = get_model("mockllm/model", custom_outputs=[reply])
        >>> generator = PromptVariationGenerator(1, model=model, cache=False)
        >>> generator.generate_variations("Calculate the total revenue")
        ['Calculate the total revenue', 'Compute the total revenue']
    """

    def __init__(
        self,
        num_variations: int = 3,
        strength: str = DEFAULT_STRENGTH,
        model: str | Model | Sequence[str | Model] | None = None,
        *,
        max_attempts: int = 3,
        max_connections: int = 10,
        cache: bool = True,
        seed: int = 0,
        checks: Vet = vet,
        judge: str | Model | None = None,
        strict: bool = False,
    ) -> None:
        self.num_variations = require_whole("num_variations", num_variations, least=0)
        self.seed, self.checks, self.judge, self.strict = seed, checks, judge, strict
        self.family = LlmFamily(model, strength, max_attempts, max_connections, cache)
        self.last = LlmBatch((), CallCounts())
        """What the last call made, rejected and could not make."""
        self.counts = CallCounts()
        """Of all calls together."""

    def generate_variations(self, prompt: str, *, strict: bool | None = None) -> list[str]:
        """Gives the prompt itself, then up to `num_variations` rewordings of it.

        Fewer are a warning; with `strict`, here or of the generator, a `RunError`.
        """
        return self.generate_many([prompt], strict=strict)[0]

    async def generate_variations_async(self, prompt: str, *, strict: bool | None = None) -> list[str]:
        """As `generate_variations`, where one can await."""
        return (await self.generate_many_async([prompt], strict=strict))[0]

    def generate_many(
        self, prompts: Sequence[str], on_item: OnItem | None = None, *, strict: bool | None = None
    ) -> list[list[str]]:
        """One list for each prompt. Works where an event loop is running, as in a notebook, too."""
        return wait_for(self.generate_many_async(prompts, on_item, strict=strict), "rewordings")

    async def generate_many_async(
        self, prompts: Sequence[str], on_item: OnItem | None = None, *, strict: bool | None = None
    ) -> list[list[str]]:
        """`max_connections` prompts at a time; `on_item` is told how many are done, and of how many."""
        items = [
            Item(id=f"prompt{number}", prompt=require_text("prompt", prompt))
            for number, prompt in enumerate(prompts, start=1)
        ]
        judges = with_judge((), self.judge, families=[self.family.name], llm=self.family)
        self.last = await self.family.candidates_many(
            items,
            k=self.num_variations,
            seed=self.seed,
            vet=self.checks,
            decide=Deciding(judges),
            on_item=on_item,
        )
        self.counts.add(self.last.counts)
        self._tell_missing(self.strict if strict is None else strict)
        return [result.texts for result in self.last.results]

    def _tell_missing(self, strict: bool) -> None:
        missing = self.last.missing
        if not missing:
            return
        wanted = self.num_variations * len(self.last.results)
        short = [result.item for result in self.last.results if result.missing]
        # By its prompt, too: Python shows a warning of the same text only once.
        prompt = shorten(varied_text(short[0].prompt), _SHOWN, placeholder="…")
        of = f"'{prompt}'" + (f" and {len(short) - 1} more" if len(short) > 1 else "")
        causes = Counter(reason for one in missing for reason in one.reasons)
        cause = f"; the most common cause: {causes.most_common(1)[0][0]}" if causes else ""
        message = redacted(f"{len(missing)} of {wanted} rewordings could not be made, of {of}{cause}")
        if strict:
            raise RunError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)
