"""A plan and a goal → rounds of whole items in a drawn order, with a look after each, until it is reached.

A round is the run with more items than the one before: it has the same log folder, and what was asked stays
asked. The rule by which a run stops is kept in its logs, so that it goes on by it, and a report accounts for
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import polars as pl

from otherwords.core.contract import UNTIL_KEY
from otherwords.core.errors import InputError
from otherwords.core.registry import traits_of
from otherwords.core.texts import of_things
from otherwords.core.types import Variant, original, stable_hash, variant_id
from otherwords.core.verdict import PASSES
from otherwords.metrics.intervals import Generalize
from otherwords.metrics.sequential import FIXED, Design, Goal, Look, StoppingRule
from otherwords.pipeline.inputs import Source

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

    from otherwords.core.yaml_lines import Mapped
    from otherwords.pipeline.run_plan import RunPlan
    from otherwords.runs import Budget, RunSettings, RunSummary

Logs: TypeAlias = "Mapping[str, Mapping[Path, EvalLog]]"
"""Headers of the logs that a folder has of a run, by model and file."""
OnLook: TypeAlias = Callable[[Sequence[str], StoppingRule, Look], None]
"""Called with the models that a look is at, the rule, and what it says."""


@dataclass(frozen=True)
class Until:
    """When a run may stop before all items are asked.

    Example:
        >>> from otherwords import Until
        >>> Until("gate", {"min_s_prompt": 0.85}).read(["openai/gpt-4o-mini"]).design.wordings
        5
    """

    goal: str
    """`METRIC:WIDTH`, `A-B:WIDTH` with the names of two models, or `gate`."""
    thresholds: Mapping[str, float] | None = None
    """Of a gate: `min_` or `max_` and a metric, as `check_table` takes them."""
    generalize: Generalize | None = None
    """For whom the interval is to speak: other `items`, other `wordings`, or `both`."""

    def read(self, models: Sequence[str]) -> Goal:
        """The goal.

        Raises:
            InputError: There is no such goal, or thresholds are missing or for nothing.
        """
        goal = Goal.read(self.goal, models)
        if goal.width is not None and self.thresholds:
            name = next(iter(self.thresholds)).replace("_", "-")
            raise InputError(f"--{name} is a threshold of a gate", hint="Say --until gate with it.")
        if goal.models is not None and len(models) > 2:
            raise InputError(f"--until {goal} is for a run of two models, and there are {len(models)}")
        return goal


def until_of(shared: Callable[[str], Mapped], defaults: Mapping[str, Any]) -> Until | None:
    """When the runs of a suite's benchmark may stop; thresholds are named as those of `check`."""
    goal = shared("until").text("until") or defaults.get("until")
    limits = shared("thresholds").numbers("thresholds")
    if goal is None and limits is not None:
        raise shared("thresholds").refusal("thresholds", "thresholds are for until: gate")
    named = None if limits is None else {name.replace("-", "_"): one for name, one in limits.items()}
    whom: Any = shared("generalize").text("generalize", among=get_args(Generalize))
    return None if goal is None else Until(goal, named, whom or defaults.get("generalize"))


@dataclass(frozen=True)
class Rounds:
    """What is asked of each item, and for each model the rule by which it stops."""

    goal: Goal
    design: Design
    rules: Mapping[str, StoppingRule]
    asked: Mapping[str, int]
    """How many items each model was asked before."""

    def groups(self) -> list[tuple[str, ...]]:
        """Models that stop together: each for itself, or the two that are compared."""
        if self.goal.models is None:
            return [(model,) for model in self.rules]
        return [self.goal.models]

    def first(self, models: Sequence[str]) -> int:
        """The first look that has all items that were asked before."""
        before = max(self.asked[model] for model in models)
        return next(count for count in self.rules[models[0]].looks.items if count >= before)


def drawn(source: Source, most: int | None, seed: int, asked: set[str]) -> Source:
    """At most so many of the source's items, in an order that the seed tells; those asked before come first.

    The order of the others does not depend on how many are taken, so that a run with more goes on from here.
    """
    order = sorted(source.items, key=lambda item: (item.id not in asked, stable_hash([seed, item.id])))
    most = len(order) if most is None else max(most, len(asked & {item.id for item in order}))
    return replace(source, items=order[:most], is_part=True)


def in_design(variants: Sequence[Variant], design: Design, seed: int, *, draws: bool) -> list[Variant]:
    """What is asked of the items: with `draws`, so many of the rewordings that each has.

    Negative controls are no wordings, and all are asked. Originals that are asked once more come with their
    item.
    """
    chosen: list[Variant] = []
    by_item: dict[str, list[Variant]] = {}
    for variant in variants:
        by_item.setdefault(variant.item_id, []).append(variant)
    for item, own in by_item.items():
        wordings = [one for one in own if not one.is_original and not traits_of(one.kind).is_control]
        if draws:
            wordings.sort(key=lambda one: stable_hash([seed, item, one.name]))
            wordings = wordings[: design.wordings - 1]
        names = {one.name for one in wordings}
        for one in own:
            if one.is_original or traits_of(one.kind).is_control or one.name in names:
                chosen.append(one)
            if one.is_original:
                chosen += [_again(one, number) for number in range(1, design.again + 1)]
    return chosen


def _again(one: Variant, number: int) -> Variant:
    return replace(one, id=variant_id(one.item_id, one.name, number), params={**one.params, "again": number})


def design_for(goal: Goal, repeats: int | None) -> Design:
    """The goal's own, or with other repeats; where each wording is asked twice, so is the original."""
    design = goal.design
    if repeats is None:
        return design
    return replace(design, repeats=repeats, again=design.again if repeats == 1 else 0)


def asked_items(logs: Logs, scorer: str | None) -> dict[str, set[str]]:
    """The items that each model was asked."""
    return {model: set(_table(found, scorer)["id"].to_list()) for model, found in logs.items()}


def _table(logs: Mapping[Path, Any], scorer: str | None) -> pl.DataFrame:
    """The outcome table of one model's logs; a run that was killed at once has none yet."""
    from otherwords.core.table import empty_outcomes
    from otherwords.results import read_results

    try:
        return read_results(list(logs), scorer=scorer).outcomes if logs else empty_outcomes()
    except InputError:
        return empty_outcomes()


def rules_for(
    goal: Goal, most: int, until: Until, logs: Logs, asked: Mapping[str, set[str]]
) -> dict[str, StoppingRule]:
    """The rule of each model, with the maxima that its logs say it had before."""
    rules = {}
    for model, found in logs.items():
        earlier: tuple[tuple[int, int], ...] = ()
        kept = _kept(found)
        if kept is not None and (kept.goal.width is None) == (goal.width is None):
            earlier = kept.earlier
            if kept.most != most and asked[model]:
                earlier = (*earlier, (kept.most, len(asked[model])))
        rules[model] = StoppingRule(goal, most, until.thresholds or {}, earlier, until.generalize)
    if goal.models is not None:  # they are looked at together
        rules = dict.fromkeys(rules, max(rules.values(), key=lambda rule: rule.earlier))
    return rules


def _kept(logs: Mapping[Path, EvalLog]) -> StoppingRule | None:
    """The rule in the newest of the logs that has one."""
    for header in sorted(logs.values(), key=lambda one: one.eval.created, reverse=True):
        kept = (header.eval.metadata or {}).get(UNTIL_KEY)
        if isinstance(kept, Mapping):
            try:
                return StoppingRule.from_json(kept)
            except ValueError:
                return None
    return None


def plan_rounds(
    until: Until,
    source: Source,
    task_of: Callable[[Sequence[Variant]], Task],
    models: Sequence[str],
    settings: RunSettings,
    *,
    log_dir: Path,
    most: int | None,
    repeats: int | None,
    seed: int,
) -> tuple[Rounds, Source]:
    """The rounds of a run, and the items that it may ask, in their order.

    Raises:
        InputError: There is no such goal, or it cannot be reached with these items.
    """
    from otherwords.runs.earlier_runs import own_logs

    goal = until.read(models)
    design = design_for(goal, repeats)
    logs = own_logs(task_of([original(source.items[0])]), models, log_dir=log_dir, settings=settings)
    asked = asked_items(logs, settings.scorer)
    source = drawn(source, most, seed, set().union(*asked.values()))
    rules = rules_for(goal, len(source.items), until, logs, asked)
    for rule in rules.values():
        rule.require_reachable(design)
    return Rounds(goal, design, rules, {model: len(items) for model, items in asked.items()}), source


# ---- running


def round_task(plan: RunPlan, n_items: int, rule: StoppingRule) -> Task:
    """The plan's task with its first items alone, and the rule in its log."""
    import copy

    from inspect_ai import task_with
    from inspect_ai.dataset import MemoryDataset

    wanted = {item.id for item in plan.items[:n_items]}
    whole = plan.task.dataset
    samples = [
        sample for sample, variant in zip(whole, plan.variants, strict=True) if variant.item_id in wanted
    ]
    return task_with(
        copy.copy(plan.task),
        dataset=MemoryDataset(samples, name=whole.name, location=whole.location, shuffled=whole.shuffled),
        metadata={**(plan.task.metadata or {}), UNTIL_KEY: rule.to_json()},
    )


def execute_rounds(
    plan: RunPlan, *, budget: Budget | None, on_look: OnLook | None = None, **options: Any
) -> RunSummary:
    """Ask in rounds until every model has reached its goal, or all items were asked, or the budget is spent.

    `options` are those of `run_tasks`.
    """
    from otherwords.runs import run_tasks
    from otherwords.runs.summary import summary_of_rounds

    rounds = plan.rounds
    assert rounds is not None
    places = {models: rounds.first(models) for models in rounds.groups()}
    ended: dict[str, Task] = {}
    done: list[RunSummary] = []
    looks: dict[tuple[str, ...], Look] = {}
    while places:
        n_items = min(places.values())
        now = [models for models, count in places.items() if count == n_items]
        for rule, together in _by_rule(now, rounds.rules):
            task = round_task(plan, n_items, rule)
            ended |= dict.fromkeys(together, task)
            summary = run_tasks(
                task,
                together,
                log_dir=plan.log_dir,
                repeats=plan.repeats,
                settings=plan.settings,
                adopt=plan.adopt,
                budget=budget,
                **options,
            )
            done.append(summary)
            if summary.stopped is not None:
                break
            if budget is not None:
                budget = budget.less(calls=summary.calls, tokens=summary.tokens, usd=summary.usd)
        if done[-1].stopped is not None:
            break
        for models in now:
            rule = rounds.rules[models[0]]
            found = looks[models] = rule.look(_scores(plan, models, n_items), n_items)
            if on_look is not None:
                on_look(models, rule, found)
            if found.decided or n_items >= rule.most:
                del places[models]
            else:
                places[models] = rule.looks.items[rule.looks.place(n_items) + 1]
    summary = summary_of_rounds(
        ended, done, log_dir=plan.log_dir, repeats=plan.repeats, settings=plan.settings, adopt=plan.adopt
    )
    told = {models: look_sentence(plan, models, found) for models, found in looks.items()}
    missed = [models for models, found in looks.items() if models not in places and found.status != PASSES]
    return replace(
        summary,
        goals=tuple(told.values()),
        missed=tuple(model for models in missed for model in models) if rounds.goal.width is None else (),
    )


def _by_rule(
    groups: Sequence[Sequence[str]], rules: Mapping[str, StoppingRule]
) -> Iterator[tuple[StoppingRule, list[str]]]:
    """Models with the same rule are asked at the same time."""
    found: list[tuple[StoppingRule, list[str]]] = []
    for model in (model for models in groups for model in models):
        same = next((models for rule, models in found if rule == rules[model]), None)
        if same is None:
            found.append((rules[model], [model]))
        else:
            same.append(model)
    yield from found


def _scores(plan: RunPlan, models: Sequence[str], n_items: int) -> pl.DataFrame:
    """The outcome table of the first items, of these models by the names that they have in the plan."""
    from otherwords.runs.earlier_runs import own_logs

    wanted = [item.id for item in plan.items[:n_items]]
    logs = own_logs(plan.task, models, log_dir=plan.log_dir, settings=plan.settings)
    tables = [
        _table(logs[model], plan.settings.scorer)
        .filter(pl.col("id").is_in(wanted))
        .with_columns(model=pl.lit(model))
        for model in models
    ]
    return pl.concat(tables)


# ---- what is said


def plan_sentences(plan: RunPlan) -> list[str]:
    """How a run will go that may stop early, before it begins."""
    rounds = plan.rounds
    assert rounds is not None
    rule = next(iter(rounds.rules.values()))
    looks, design = rule.looks.items, rounds.design
    again = ", the original once more" if design.again else ""
    said = [
        f"Until {rule.goal}: items in a drawn order, {_design(plan)}{again}; a look after "
        f"{', '.join(f'{count:,}' for count in looks[:3])}{', …' if len(looks) > 4 else ''}"
        f"{f', {looks[-1]:,}' if len(looks) > 3 else ''} items. What follows is the most that it takes."
    ]
    if rule.error > StoppingRule(rule.goal, rule.most).error and rule.goal.width is None:
        said.append(
            "The maximum was raised after it had been reached: a model that misses the gate now passes in up "
            f"to {rule.error:.1%} of such runs."
        )
    return said


def _design(plan: RunPlan) -> str:
    most = max((sum(1 for _ in own) for own in _by_item(plan)), default=0)
    return f"at most {of_things(most, 'wording')} × {of_things(plan.repeats, 'repeat')}"


def _by_item(plan: RunPlan) -> list[list[Variant]]:
    found: dict[str, list[Variant]] = {}
    for variant in plan.variants:
        if "again" not in variant.params:
            found.setdefault(variant.item_id, []).append(variant)
    return list(found.values())


def look_sentence(plan: RunPlan, models: Sequence[str], found: Look) -> str:
    """What was decided of a model, with the estimates behind it, and what a fixed plan would have cost."""
    assert plan.rounds is not None
    rule = plan.rounds.rules[models[0]]
    name = rule.goal.name if rule.goal.models else plan.settings.agent_name or models[0]
    return f"{name}: {rule.told(found)}. {_costs(plan, found.n_items, len(models))}"


def _costs(plan: RunPlan, n_items: int, models: int) -> str:
    """Of these items, and what a fixed plan would have cost."""
    wanted = {item.id for item in plan.items[:n_items]}
    asked = sum(variant.item_id in wanted for variant in plan.variants) * plan.repeats * models
    same, usual = len(plan.variants) * plan.repeats * models, len(plan.items) * FIXED.calls * models
    return (
        f"It took {asked:,} samples; a fixed plan of all {len(plan.items):,} items takes {same:,}, and "
        f"{usual:,} on the usual grid of {FIXED.wordings} wordings × {FIXED.repeats} repeats."
    )
