"""A dataset or Inspect task, its variants and an agent → Inspect logs of every wording, asked repeatedly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.contract import LLM
from otherwords.core.errors import InputError
from otherwords.core.files import require_input, within_root
from otherwords.core.gc_pause import collector_paused
from otherwords.core.hashing import items_hash
from otherwords.core.types import Item, Variant
from otherwords.pipeline.estimate import RunEstimate, estimate_run, known_price
from otherwords.pipeline.inputs import (
    Agent,
    Function,
    Source,
    as_agent,
    asked_models,
    open_source,
    run_settings,
)
from otherwords.pipeline.vary import Coverage, OnItem, freeze, written_by_model
from otherwords.pipeline.vet import items_of
from otherwords.variants import DEFAULT_FAMILIES, VariantsFile, default_k, read_variants

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import ModelCost

    from otherwords.runs import Budget, Limits, OnProgress, RunSettings, RunSummary
    from otherwords.variants.llm import LlmFamily

FROZEN = "variants.jsonl"
"""Where a run that was given no variants file keeps its own, beside its logs."""


def run(
    source: str | Path | Source,
    agent: str | Function | Sequence[str] | Agent,
    *,
    variants_file: str | Path | None = None,
    families: Sequence[str] = DEFAULT_FAMILIES,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    repeats: int = 3,
    max_items: int | None = None,
    log_dir: str | Path = "logs",
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    user_style: str | None = None,
    limits: Limits | None = None,
    max_connections: int | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
) -> RunSummary:
    """Ask a model or an agent every wording of every item, and keep the answers as Inspect logs.

    Without a variants file the variants are made and vetted first, and frozen in the log folder. Called again
    with the same arguments, it asks only what is missing.

    Args:
        source: A dataset's file, a benchmark's name, or anything Inspect can name.
        agent: A model's name, several names, a Python function `str -> str`, or an `Agent`.
        variants_file: Variants that `vary` or `otherwords vary` wrote, in place of making them.
        families: Kinds of variants to make.
        k: Variants of an item at most, beside the original; by default two of each family.
        seed: Seed of everything that is drawn.
        llm: The model that writes variants of the family `llm`.
        repeats: How often each wording is asked. With one, wording and run-to-run noise cannot be separated.
        max_items: Use only the first items.
        log_dir: The folder of the logs.
        task_args: Arguments of an Inspect task.
        prompt_field: Where an Inspect task keeps its prompt.
        user_style: How a task's simulated user talks.
        limits: Limits of each sample.
        max_connections: Requests at once.
        budget: Calls, tokens or dollars at which the run stops.
        prices: Prices of models, by name, where Inspect does not know them.
        on_progress: Called with the progress after each sample.

    Returns:
        Counts of samples, calls and tokens, and the paths of the logs.

    Raises:
        InputError: The source, the agent or the variants cannot be used.
        RunError: Inspect could not run.

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
    plan = plan_run(
        source,
        agent,
        variants_file=variants_file,
        wordings=Wordings(tuple(families), k, seed, llm),
        repeats=repeats,
        limits=limits,
        max_items=max_items,
        log_dir=log_dir,
        task_args=task_args,
        prompt_field=prompt_field,
        user_style=user_style,
    )
    return execute_plan(
        plan, max_connections=max_connections, budget=budget, prices=prices, on_progress=on_progress
    )


@dataclass(frozen=True)
class Wordings:
    """How a run's variants are made where they are not given in a file."""

    families: tuple[str, ...] = DEFAULT_FAMILIES
    k: int | None = None
    seed: int = 0
    llm: LlmFamily | None = None
    """The model that writes the family `llm`."""

    @property
    def total(self) -> int:
        return default_k(self.families) if self.k is None else self.k


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
    made: Coverage | None = None
    """What was made for this run, where nothing had been frozen before."""

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


@dataclass(frozen=True)
class Writing:
    """What a model is about to be asked for, before any run."""

    model: str
    items: int
    k: int


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
    user_style: str | None = None,
    constrain_choices: bool = False,
    on_writing: Callable[[Writing], None] | None = None,
    on_item: OnItem | None = None,
    jobs: int = 1,
) -> RunPlan:
    """What a run would ask. Without a variants file one is made and frozen in the log folder.

    `user_style` is how a simulated user talks. `on_writing` is called before a model is asked to write
    variants; it may raise. `jobs` are the processes that may share the making of variants.
    """
    from otherwords.runs.resolve import require_models

    agent = as_agent(agent)
    models = asked_models(agent)
    within_root(log_dir)
    source = (
        named
        if isinstance(named, Source)
        else open_source(named, max_items=max_items, task_args=task_args, prompt_field=prompt_field)
    )
    _require_within_reach(agent, source)
    require_models(models, agent.model_args)
    require_models(agent.model_roles.values())
    settings = run_settings(
        agent,
        limits,
        benchmark=source.benchmark.name if source.benchmark else None,
        has_simulated_user=source.benchmark is not None and source.benchmark.has_simulated_user,
        prompt_field=_asked_of_agents(source),
    )
    path, made = Path(log_dir) / FROZEN, None
    if variants_file is not None:
        path = Path(variants_file)
    else:
        made = _freeze(source, path, wordings or Wordings(), on_writing, on_item, jobs)
    with collector_paused():
        frozen = read_variants(require_input(path))
    if variants_file is not None:
        _require_made_for(frozen, source)
    else:
        _require_same_run(frozen, source, wordings or Wordings())
    asked = {item.id for item in source.items}
    variants = [variant for variant in frozen.accepted if variant.item_id in asked]
    task = source.as_task(variants, constrain_choices=constrain_choices)
    if user_style is not None:
        from otherwords.runs.user_style import with_user_style

        task = with_user_style(task, user_style)
    return RunPlan(
        source=source,
        variants=variants,
        variants_file=path,
        task=task,
        models=models,
        settings=settings,
        repeats=repeats,
        log_dir=Path(log_dir),
        made=made,
    )


def estimate_plan(plan: RunPlan, prices: Mapping[str, ModelCost] | None = None) -> RunEstimate:
    """What the plan takes, less what earlier runs of it have finished."""
    from otherwords.runs import count_finished

    config = plan.settings.config
    return estimate_run(
        plan.task,
        plan.models,
        repeats=plan.repeats,
        finished=count_finished(
            plan.task, plan.models, log_dir=plan.log_dir, repeats=plan.repeats, settings=plan.settings
        ),
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
) -> RunSummary:
    """Ask every model every wording of the plan. Executed again, it asks only what is missing."""
    from otherwords.runs import run_tasks

    if budget is not None and budget.usd is not None:
        known = prices or {}
        unpriced = [model for model in plan.paid_models if model not in known and not known_price(model)]
        if unpriced:
            raise InputError(
                f"a budget in money needs the price of {unpriced[0]}",
                hint="Give it in dollars for a million tokens: --price IN,OUT",
            )
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
    )


def _freeze(
    source: Source,
    path: Path,
    wordings: Wordings,
    on_writing: Callable[[Writing], None] | None,
    on_item: OnItem | None,
    jobs: int,
) -> Coverage | None:
    if path.exists():
        return None
    if on_writing is not None:
        for name in written_by_model(wordings.families):
            share = max(wordings.total // len(wordings.families), 1)
            on_writing(Writing(_writer(wordings, name), len(source.items), share))
    families, k, seed, llm = wordings.families, wordings.k, wordings.seed, wordings.llm
    return freeze(source, path, families, k=k, seed=seed, llm=llm, on_item=on_item, jobs=jobs)


def _writer(wordings: Wordings, family: str) -> str:
    if family != LLM:
        return f"the variant family '{family}'"
    return str((wordings.llm and wordings.llm.model) or "the model role 'paraphraser'")


def _require_within_reach(agent: Agent, source: Source) -> None:
    """With a simulated user an answer in text is none, and all that a function gives is text."""
    known = source.benchmark
    if not agent.is_external or known is None or not known.has_simulated_user:
        return
    from otherwords.runs.agents import HAL_PROMPT_FIELDS

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


def _require_same_run(frozen: VariantsFile, source: Source, wordings: Wordings) -> None:
    """A run is resumed with the wordings that it began with."""
    path, header = frozen.path, frozen.header
    try:
        frozen.require_match(source.items)
    except InputError as error:
        raise InputError(
            f"has the wordings of another run: it {error.problem}", file=path, hint="Use another --log-dir."
        ) from error
    before = (header.families, header.k, header.seed)
    if before != (wordings.families, wordings.total, wordings.seed):
        raise InputError(
            f"this run began with --families {','.join(header.families)} -k {header.k} --seed {header.seed}",
            file=path,
            hint="Use the same, or another --log-dir.",
        )
    if wordings.llm is None or wordings.llm.name not in wordings.families:
        return
    now = {"model": str(wordings.llm.model or ""), "strength": wordings.llm.strength}
    if header.settings and header.settings != now:
        raise InputError(
            f"this run began with --paraphraser {header.settings.get('model')} "
            f"--strength {header.settings.get('strength')}",
            file=path,
            hint="Use the same, or another --log-dir.",
        )
