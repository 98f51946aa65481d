"""`plan_run`: a dataset or task, variants, an agent, a shard → `RunPlan`: what is asked and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.contract import SHIPPED
from otherwords.core.errors import InputError
from otherwords.core.files import within_root
from otherwords.core.template import Template
from otherwords.core.types import Item, Variant, original
from otherwords.pipeline.agents import Agent, Function, as_agent, asked_models, settings_for
from otherwords.pipeline.decisions import Coverage
from otherwords.pipeline.estimate import RunEstimate, estimate_run
from otherwords.pipeline.frozen import PlannedWordings, Writing, plan_wordings
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.rounds import Rounds, Until, in_design, plan_rounds
from otherwords.pipeline.vary import OnItem, Wordings, written_by_model
from otherwords.pipeline.vet import frozen_design, read_given
from otherwords.runs.shards import Shard, cut, numbered, parse_shard, require_cut
from otherwords.variants.file import VariantsFile

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import ModelCost

    from otherwords.runs import Limits, RunSettings

REPEATS = 3
"""How often each wording is asked, where nothing else is said."""


@dataclass(frozen=True)
class RunPlan:
    """What a run will ask, and where its logs are kept."""

    source: Source
    variants: list[Variant]
    variants_file: Path
    task: Task
    """Asks every one of `variants`."""
    models: tuple[str, ...]
    settings: RunSettings
    repeats: int
    log_dir: Path
    left: Mapping[str, Mapping[str, int]]
    """For each model, how often each sample is still to be asked."""
    made: Coverage | None = None
    """What was made for this run now, in place of or beside what had been frozen before."""
    adopt: bool = False
    """Whether a run that version 0.1 began is continued."""
    rounds: Rounds | None = None
    """Of a run that may stop early."""

    @property
    def items(self) -> list[Item]:
        return self.source.items

    @property
    def calls(self) -> int:
        """If each sample takes one."""
        return len(self.variants) * self.repeats * len(self.models)

    @property
    def paid_models(self) -> list[str]:
        """The models that are asked, and those that the task asks by a role."""
        return list(dict.fromkeys([*self.models, *self.settings.model_roles.values()]))

    @property
    def rewordings(self) -> int:
        return sum(not variant.is_original for variant in self.variants)


def open_for_run(
    named: str | Path | Source,
    *,
    variants_file: str | Path | None = None,
    wordings: Wordings | None = None,
    max_items: int | None = None,
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    templates: Sequence[Template] = (),
) -> Source:
    """What a run asks; the templates are those of the variants file, where it was made with any."""
    if isinstance(named, Source):
        return named
    vary = (wordings or Wordings()).vary
    if variants_file is not None and not templates:
        if Path(variants_file).is_dir():  # each part has a file, and all have the same design
            variants_file = min(Path(variants_file).glob("variants-*.jsonl"), default=Path(variants_file))
        templates, prompt_field, vary = frozen_design(Path(variants_file), prompt_field)
    return open_source(
        named,
        max_items=max_items,
        task_args=task_args,
        prompt_field=prompt_field,
        templates=templates,
        vary=vary,
    )


def shard_named(agent: str | Function | Sequence[str] | Agent, named: str) -> Shard:
    """The shard of a run of the agent that `3/40` stands for."""
    number, of = parse_shard(named)
    return cut(asked_models(as_agent(agent)), of)[number - 1]


def part_of_variants(given: str | Path, shard: Shard) -> Path:
    """The shard's own file in a folder that `otherwords shards` wrote; or the file that is given."""
    path = Path(given)
    if str(path) == SHIPPED:
        return path
    return path / f"{numbered('variants', shard.part, shard.parts)}.jsonl" if path.is_dir() else path


def plan_run(
    named: str | Path | Source,
    agent: str | Function | Sequence[str] | Agent,
    *,
    variants_file: str | Path | None = None,
    wordings: Wordings | None = None,
    repeats: int | None = None,
    limits: Limits | None = None,
    max_items: int | None = None,
    sample_ids: Sequence[str] = (),
    log_dir: str | Path = "logs",
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    templates: Sequence[Template] = (),
    user_style: str | None = None,
    user_trait: str | None = None,
    constrain_choices: bool = False,
    on_writing: Callable[[Writing], None] | None = None,
    on_item: OnItem | None = None,
    jobs: int = 1,
    adopt: bool = False,
    write: bool = True,
    scorer: str | None = None,
    until: Until | None = None,
    shard: Shard | None = None,
) -> RunPlan:
    """What a run would ask. Without a variants file one is made and frozen in the log folder, or added to.

    A run that would be refused, since the folder holds another one, is refused here, with nothing written.
    `on_writing` is called before a model is asked to write variants; it may raise. `jobs` are the processes
    that may share the making of variants. Without `write` nothing is written. `sample_ids` are items' ids.
    With `until`, `max_items` are drawn, and a source that was opened before has all of its items.
    With a `shard`, the plan is for its items and its model alone, in its own folder within `log_dir`.
    """
    from otherwords.runs import samples_left
    from otherwords.runs.earlier_runs import require_same_run
    from otherwords.runs.lease import hold_folder
    from otherwords.runs.resolve import require_scorer

    agent = as_agent(agent)
    models = asked_models(agent)
    within_root(log_dir)
    if shard is not None and variants_file is not None:
        variants_file = part_of_variants(variants_file, shard)
    source = open_for_run(
        named,
        variants_file=variants_file,
        wordings=wordings,
        max_items=None if until is not None else max_items,
        task_args=task_args,
        prompt_field=prompt_field,
        templates=templates,
    )
    if sample_ids:
        source = source.only(sample_ids)
    source, given, whole = _given(source, variants_file, shard, log_dir, wordings or Wordings())
    cut_in = log_dir
    frozen = None if given is None else given.path
    answers = [Path(one) for one in (source.file, frozen, log_dir) if one is not None]
    settings = settings_for(replace(agent, withheld=(*agent.withheld, *answers)), source, limits)
    if shard is not None:
        models, log_dir = (shard.model,), shard.folder(log_dir)
        settings = replace(settings, shard=shard.name)

    def task_of(variants: Sequence[Variant]) -> Task:
        task = source.as_task(variants, constrain_choices=constrain_choices)
        return task if user_style is user_trait is None else _with_user(task, user_style, user_trait)

    rounds, seed = None, (wordings or Wordings()).seed
    if until is not None:
        rounds, source = plan_rounds(
            until,
            source,
            task_of,
            models,
            replace(settings, scorer=scorer),
            log_dir=Path(log_dir),
            most=max_items,
            repeats=repeats,
            seed=seed,
        )
        repeats = rounds.design.repeats
    repeats = REPEATS if repeats is None else repeats
    originals = task_of([original(item) for item in source.items])
    if scorer is not None:
        require_scorer(originals, scorer)
        settings = replace(settings, scorer=scorer)
    with hold_folder(log_dir) if write else nullcontext():
        if given is not None:
            wanted = PlannedWordings(given)
        else:
            # Before a model is paid for wordings of a run that is then refused.
            require_same_run(originals, models, log_dir=log_dir, settings=settings)
            wanted = plan_wordings(
                source,
                Path(log_dir),
                wordings or Wordings(),
                on_writing=on_writing,
                on_item=on_item,
                jobs=jobs,
            )
        variants = _asked(source, wanted)
        if shard is None and all(variant.is_original for variant in variants):
            raise _nothing_reworded(wanted)
        if rounds is not None:
            draws = wordings is None or (wordings.k is None and wordings.is_plain and len(templates) < 2)
            variants = in_design(variants, rounds.design, seed, draws=draws)
        task = task_of(variants)
        left = samples_left(
            task, models, log_dir=log_dir, repeats=repeats, settings=settings, adopt=adopt, write=write
        )
        if write:
            wanted.write()
            if shard is not None:
                require_cut(cut_in, whole, shard.parts, write=True)
    return RunPlan(
        source=source,
        variants=variants,
        variants_file=wanted.file.path,
        task=task,
        models=models,
        settings=settings,
        repeats=repeats,
        log_dir=Path(log_dir),
        left=left,
        made=wanted.made,
        adopt=adopt,
        rounds=rounds,
    )


def _with_user(task: Task, style: str | None, trait: str | None) -> Task:
    from otherwords.runs.simulated_user import with_simulated_user

    return with_simulated_user(task, style, trait)


def _given(
    source: Source,
    variants_file: str | Path | None,
    shard: Shard | None,
    log_dir: str | Path,
    wordings: Wordings,
) -> tuple[Source, VariantsFile | None, list[Item]]:
    """The items, or those of the shard, with the wordings that were given; and all items, before the cut."""
    given: VariantsFile | None = None
    if str(variants_file) == SHIPPED:  # these may leave out some of the items, before the others are cut
        source, given = read_given(Path(SHIPPED), source)
    whole = source.items
    if shard is not None:
        source = _part_of(source, shard, log_dir, None if variants_file else wordings)
    if variants_file is not None and given is None:
        source, given = read_given(Path(variants_file), source)
    return source, given, whole


def _part_of(source: Source, shard: Shard, log_dir: str | Path, wordings: Wordings | None) -> Source:
    """The items of the shard; refuses `wordings` that cannot be made of some items as of all."""
    if wordings is not None and (
        source.cases is not None or wordings.design or written_by_model(wordings.families)
    ):
        what = "written by a model" if written_by_model(wordings.families) else "of a template or a design"
        raise InputError(
            f"wordings {what} are made before a run is cut into shards, so that all shards share them",
            hint="Make them with otherwords vary, and give the file with --variants.",
        )
    require_cut(log_dir, source.items, shard.parts)
    return source.part(shard.take(source.items))


def _asked(source: Source, wanted: PlannedWordings) -> list[Variant]:
    """The accepted wordings of the items; those that were added later stand with their item."""
    place = {item.id: number for number, item in enumerate(source.items)}
    asked = [variant for variant in wanted.file.accepted if variant.item_id in place]
    return sorted(asked, key=lambda variant: place[variant.item_id])


def estimate_plan(plan: RunPlan, prices: Mapping[str, ModelCost] | None = None) -> RunEstimate:
    """What the plan takes, less what earlier runs of it have finished."""
    config = plan.settings.config
    return estimate_run(
        plan.task,
        plan.models,
        repeats=plan.repeats,
        left=plan.left,
        max_tokens=config.max_tokens,
        system_message=config.system_message,
        prices=prices,
    )


def _nothing_reworded(wanted: PlannedWordings) -> InputError:
    empty = {} if wanted.made is None else wanted.made.empty_families
    causes = "; ".join(f"{name}: {why}" for name, why in empty.items())
    said = "there is no accepted rewording of any item, so that only the original would be asked"
    return InputError(
        f"{said} ({causes})" if causes else said,
        file=wanted.file.path if wanted.file.path.exists() else None,
        hint="Choose other --families or a larger -k, or make and review them first with otherwords vary.",
    )
