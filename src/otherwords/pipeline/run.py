"""`run`: a dataset or task and an agent → every wording asked, with repeats, as logs; `execute_plan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.contract import ITEM
from otherwords.core.template import Template
from otherwords.pipeline.agents import Agent, Function
from otherwords.pipeline.estimate import require_prices
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.rounds import OnLook, Until, execute_rounds
from otherwords.pipeline.run_plan import RunPlan, plan_run, shard_named
from otherwords.pipeline.vary import Wordings
from otherwords.variants.base import DEFAULT_FAMILIES

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelCost

    from otherwords.runs import Budget, Limits, OnProgress, RunSummary
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
    repeats: int | None = None,
    until: Until | None = None,
    max_items: int | None = None,
    sample_ids: Sequence[str] = (),
    log_dir: str | Path = "logs",
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    template: Template | Sequence[Template] = (),
    vary: Sequence[str] = (ITEM,),
    design: str = "",
    fraction: float = 1.0,
    user_style: str | None = None,
    user_trait: str | None = None,
    limits: Limits | None = None,
    max_connections: int | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
    adopt: bool = False,
    wait: bool = False,
    scorer: str | None = None,
    keep_going: bool = False,
    shard: str | None = None,
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
        repeats: How often each wording is asked; 3 if not given, or what the goal of `until` takes. With one,
            wording and run-to-run noise cannot be separated.
        until: When the run may stop before all items are asked: `Until("accuracy:0.05")`, or
            `Until("gate", {"min_s_prompt": 0.85})`.
        max_items: Use only the first items; with `until`, so many that are drawn.
        sample_ids: Use only the items with these ids; `*` stands for any text.
        log_dir: The folder of the logs.
        task_args: Arguments of an Inspect task.
        prompt_field: Where an Inspect task keeps its prompt, or the field of a case that holds its own text.
        template: What the fields of a file's cases are put into; several are crossed with the cases.
        vary: What is reworded: `item`, and of a template or a task `system`, `template` and `tools`.
        design: Kinds of change that are crossed, such as `wording×format×order`.
        fraction: How many of the design's cells each item has.
        user_style: How a task's simulated user talks.
        user_trait: What it is like: `impatient`, `confused`, `sceptical`, `verbose`.
        limits: Limits of each sample.
        max_connections: Requests at once.
        budget: Calls, tokens or dollars at which the run stops.
        prices: Prices of models, by name, where Inspect does not know them.
        on_progress: Called with the progress after each sample.
        adopt: Go on with a run that version 0.1 began, which cannot tell whether its code has changed.
        wait: Wait while another process writes to the log folder, instead of refusing.
        scorer: Which of a task's several scores counts, `name` or `name.key`.
        keep_going: Go on where five samples in a row end with the same error, instead of stopping.
        shard: Which shard of the run is run, such as `3/40`: one model on one part of the items, in a folder
            of its own within `log_dir`. By default the whole run.

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
    wanted = None if shard is None else shard_named(agent, shard)
    with hold_folder(log_dir if wanted is None else wanted.folder(log_dir), wait=wait):
        plan = plan_run(
            source,
            agent,
            variants_file=variants_file,
            wordings=wordings.in_design(design, fraction),
            repeats=repeats,
            until=until,
            limits=limits,
            max_items=max_items,
            sample_ids=sample_ids,
            log_dir=log_dir,
            task_args=task_args,
            prompt_field=prompt_field,
            templates=(template,) if isinstance(template, Template) else tuple(template),
            user_style=user_style,
            user_trait=user_trait,
            adopt=adopt,
            scorer=scorer,
            shard=wanted,
        )
        return execute_plan(
            plan,
            max_connections=max_connections,
            budget=budget,
            prices=prices,
            on_progress=on_progress,
            keep_going=keep_going,
        )


def execute_plan(
    plan: RunPlan,
    *,
    max_connections: int | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
    keep_going: bool = False,
    on_look: OnLook | None = None,
) -> RunSummary:
    """Ask every model every wording of the plan. Executed again, it asks only what is missing.

    A plan with rounds asks until its goal is reached; `on_look` is called after each.
    """
    from otherwords.runs import run_tasks

    require_prices(budget, plan.paid_models, prices)
    if plan.rounds is not None:
        return execute_rounds(
            plan,
            budget=budget,
            on_look=on_look,
            max_connections=max_connections,
            prices=prices,
            on_progress=on_progress,
            keep_going=keep_going,
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
        adopt=plan.adopt,
        keep_going=keep_going,
    )
