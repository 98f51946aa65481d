"""A dataset or task, its variants and an agent → `RunPlan` → Inspect logs of every wording, with repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.contract import ITEM
from otherwords.core.errors import InputError
from otherwords.core.files import within_root
from otherwords.core.template import Template
from otherwords.core.types import Item, Variant, original
from otherwords.pipeline.decisions import Coverage
from otherwords.pipeline.estimate import RunEstimate, estimate_run, require_prices
from otherwords.pipeline.frozen import PlannedWordings, Writing, plan_wordings
from otherwords.pipeline.inputs import (
    Agent,
    Function,
    Source,
    as_agent,
    asked_models,
    open_source,
    require_own_solver,
    run_settings,
)
from otherwords.pipeline.vary import OnItem, Wordings
from otherwords.pipeline.vet import frozen_design, read_given
from otherwords.variants import DEFAULT_FAMILIES

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import Model, ModelCost

    from otherwords.runs import Budget, Limits, OnProgress, RunSettings, RunSummary
    from otherwords.variants.llm import LlmFamily


def run(
    source: str | Path | Source,
    agent: str | Function | Sequence[str] | Agent,
    *,
    variants_file: str | Path | None = None,
    families: Sequence[str] = DEFAULT_FAMILIES,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    judge: str | Model | None = None,
    repeats: int = 3,
    max_items: int | None = None,
    log_dir: str | Path = "logs",
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    template: Template | Sequence[Template] = (),
    vary: Sequence[str] = (ITEM,),
    design: str = "",
    fraction: float = 1.0,
    user_style: str | None = None,
    limits: Limits | None = None,
    max_connections: int | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
    adopt: bool = False,
    wait: bool = False,
    scorer: str | None = None,
    keep_going: bool = False,
) -> RunSummary:
    """Ask a model or an agent every wording of every item, and keep the answers as Inspect logs.

    Without a variants file the variants are made and vetted first, and frozen in the log folder. Called again
    it asks only what is missing; with more items, variants or repeats, only what is new.

    Args:
        source: A dataset's file, a benchmark's name, or anything Inspect can name.
        agent: A model's name, several names, a Python function `str -> str`, or an `Agent`.
        variants_file: Variants that `vary` or `otherwords vary` wrote, in place of making them; or `shipped`,
            for the hand-written ones that come with otherwords for the benchmark.
        families: Kinds of variants to make.
        k: Variants of an item at most, beside the original; by default two of each family.
        seed: Seed of everything that is drawn.
        llm: The model that writes variants of the family `llm`.
        judge: The model that decides on variants that carry a flag, or `none`; by default the writing one.
        repeats: How often each wording is asked. With one, wording and run-to-run noise cannot be separated.
        max_items: Use only the first items.
        log_dir: The folder of the logs.
        task_args: Arguments of an Inspect task.
        prompt_field: Where an Inspect task keeps its prompt, or the field of a case that holds its own text.
        template: What the fields of a file's cases are put into; several are crossed with the cases.
        vary: What is reworded: `item`, and of a template or a task `system`, `template` and `tools`.
        design: Kinds of change that are crossed, such as `wording×format×order`.
        fraction: How many of the design's cells each item has.
        user_style: How a task's simulated user talks.
        limits: Limits of each sample.
        max_connections: Requests at once.
        budget: Calls, tokens or dollars at which the run stops.
        prices: Prices of models, by name, where Inspect does not know them.
        on_progress: Called with the progress after each sample.
        adopt: Go on with a run that version 0.1 began, which cannot tell whether its code has changed.
        wait: Wait while another process writes to the log folder, instead of refusing.
        scorer: Which of a task's several scores counts, `name` or `name.key`.
        keep_going: Go on where five samples in a row end with the same error, instead of stopping.

    Returns:
        Counts of samples, calls and tokens, and the paths of the logs.

    Raises:
        InputError: The source, the agent or the variants cannot be used, or there is no accepted rewording.
        RunError: Inspect could not run, or five samples in a row ended with the same error.

    Examples:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> from otherwords import run
        >>> folder = Path(tempfile.mkdtemp())
        >>> question = {"id": "q1", "question": "What is the capital of France?", "answer": "Paris"}
        >>> _ = (folder / "questions.jsonl").write_text(json.dumps(question))
        >>> def agent(prompt: str) -> str:
        ...     return "Paris"
        >>> done = run(folder / "questions.jsonl", agent, k=2, repeats=1, log_dir=folder / "logs")
        >>> done.finished == done.total == 3
        True
    """
    from otherwords.runs.lease import hold_folder

    wordings = Wordings(tuple(families), k, seed, llm, judge, vary=tuple(vary))
    with hold_folder(log_dir, wait=wait):
        plan = plan_run(
            source,
            agent,
            variants_file=variants_file,
            wordings=wordings.in_design(design, fraction),
            repeats=repeats,
            limits=limits,
            max_items=max_items,
            log_dir=log_dir,
            task_args=task_args,
            prompt_field=prompt_field,
            templates=(template,) if isinstance(template, Template) else tuple(template),
            user_style=user_style,
            adopt=adopt,
            scorer=scorer,
        )
        return execute_plan(
            plan,
            max_connections=max_connections,
            budget=budget,
            prices=prices,
            on_progress=on_progress,
            keep_going=keep_going,
        )


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


def plan_run(
    named: str | Path | Source,
    agent: str | Function | Sequence[str] | Agent,
    *,
    variants_file: str | Path | None = None,
    wordings: Wordings | None = None,
    repeats: int = 3,
    limits: Limits | None = None,
    max_items: int | None = None,
    log_dir: str | Path = "logs",
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    templates: Sequence[Template] = (),
    user_style: str | None = None,
    constrain_choices: bool = False,
    on_writing: Callable[[Writing], None] | None = None,
    on_item: OnItem | None = None,
    jobs: int = 1,
    adopt: bool = False,
    write: bool = True,
    scorer: str | None = None,
) -> RunPlan:
    """What a run would ask. Without a variants file one is made and frozen in the log folder, or added to.

    A run that would be refused, since the folder holds another one, is refused here, with nothing written.
    `on_writing` is called before a model is asked to write variants; it may raise. `jobs` are the processes
    that may share the making of variants. Without `write` nothing is written.
    """
    from otherwords.runs import samples_left
    from otherwords.runs.earlier_runs import require_same_run
    from otherwords.runs.lease import hold_folder
    from otherwords.runs.resolve import require_scorer
    from otherwords.runs.wrap_task import with_user_style

    agent = as_agent(agent)
    models = asked_models(agent)
    within_root(log_dir)
    if isinstance(named, Source):
        source = named
    else:
        vary = (wordings or Wordings()).vary
        if variants_file is not None and not templates:
            templates, prompt_field, vary = frozen_design(Path(variants_file), prompt_field)
        source = open_source(
            named,
            max_items=max_items,
            task_args=task_args,
            prompt_field=prompt_field,
            templates=templates,
            vary=vary,
        )
    settings = settings_for(agent, source, limits)
    source, given = (source, None) if variants_file is None else read_given(Path(variants_file), source)

    def task_of(variants: Sequence[Variant]) -> Task:
        task = source.as_task(variants, constrain_choices=constrain_choices)
        return task if user_style is None else with_user_style(task, user_style)

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
        if all(variant.is_original for variant in variants):
            raise _nothing_reworded(wanted)
        task = task_of(variants)
        left = samples_left(
            task, models, log_dir=log_dir, repeats=repeats, settings=settings, adopt=adopt, write=write
        )
        if write:
            wanted.write()
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
    )


def settings_for(agent: Agent, source: Source, limits: Limits | None = None) -> RunSettings:
    """How the agent is asked what the source has; refuses models that are not there."""
    from otherwords.runs.resolve import require_models

    _require_within_reach(agent, source)
    require_own_solver(agent, source)
    require_models(asked_models(agent), agent.model_args)
    require_models(agent.model_roles.values())
    return run_settings(
        agent,
        limits,
        benchmark=source.benchmark.name if source.benchmark else None,
        has_simulated_user=source.benchmark is not None and source.benchmark.has_simulated_user,
        prompt_field=_asked_of_agents(source),
        task_sources=source.sources,
    )


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


def execute_plan(
    plan: RunPlan,
    *,
    max_connections: int | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
    keep_going: bool = False,
) -> RunSummary:
    """Ask every model every wording of the plan. Executed again, it asks only what is missing."""
    from otherwords.runs import run_tasks

    require_prices(budget, plan.paid_models, prices)
    return run_tasks(
        plan.task,
        plan.models,
        log_dir=plan.log_dir,
        repeats=plan.repeats,
        settings=plan.settings,
        max_connections=max_connections,
        budget=budget,
        prices=prices,
        on_progress=on_progress,
        adopt=plan.adopt,
        keep_going=keep_going,
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


def _require_within_reach(agent: Agent, source: Source) -> None:
    """With a simulated user an answer in text is none, and all that a function gives is text."""
    known = source.benchmark
    if not agent.is_external or known is None or not known.has_simulated_user:
        return
    from otherwords.runs.agents.hal import HAL_PROMPT_FIELDS

    if agent.agent_dir is None:
        raise InputError(
            f"in benchmark '{known.name}' an agent has tools and talks with a simulated user, and "
            f"'{agent.label}' would see neither: it is asked once and answers once",
            hint="Let the benchmark's own agent, or an Inspect one (--solver), answer with a --model; or one "
            "written for HAL (--agent-dir), which tells what it did.",
        )
    if known.name not in HAL_PROMPT_FIELDS:
        raise InputError(
            f"benchmark '{known.name}' is not among HAL's, and what '{agent.label}' does in it cannot be "
            "judged: its customer has tools, too",
            hint="HAL's are taubench_airline and taubench_retail. An Inspect agent (--solver) can answer.",
        )


def _asked_of_agents(source: Source) -> str | None:
    """An agent that is not Inspect's is asked the very text that varies, where a selector singles it out."""
    from otherwords.runs import DEFAULT_SELECTOR

    return None if source.selector in (None, DEFAULT_SELECTOR) else str(source.selector)
