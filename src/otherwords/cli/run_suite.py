"""`otherwords run --config`: every agent of a suite file on every benchmark, planned, shown and asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from otherwords.cli.config import fallbacks, is_flag_given
from otherwords.cli.console import cell, console, new_table, print_error, progress_bar
from otherwords.cli.publish import prepare_public, publish
from otherwords.cli.run_plans import (
    LATER,
    ask_with_pilots,
    before_writing,
    print_next_command,
    run_and_print,
    write_for_hal,
    writing_to,
)
from otherwords.core.contract import NO
from otherwords.core.errors import InputError, RunError

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.pipeline.estimate import RunEstimate
    from otherwords.pipeline.pilot import Measured
    from otherwords.pipeline.run_plan import RunPlan
    from otherwords.pipeline.suite import Suite
    from otherwords.runs import Budget

    Planned: TypeAlias = tuple[RunPlan, RunEstimate, Measured | None]

_BESIDE_CONFIG = {
    *("config", "budget", "prices", "yes", "dry_run", "max_connections", "log_dir", "results_dir"),
    *("public", "salt_file", "model_names", "adopt", "wait", "keep_going"),
}


def run_suite(ctx: click.Context, task: str | None, options: dict[str, Any]) -> None:
    """Every agent on every benchmark of the suite; a budget holds for all of them together."""
    from dataclasses import replace

    from otherwords.pipeline.estimate import parse_prices
    from otherwords.pipeline.suite import read_suite
    from otherwords.runs import parse_budget

    _require_no_others(ctx, task, options)
    suite = read_suite(options["config"], fallbacks(ctx))
    flags = ("log_dir", "results_dir", "budget", "prices", "max_connections")
    suite = replace(suite, **{name: options[name] for name in flags if is_flag_given(ctx, name)})
    budget = parse_budget(suite.budget)
    models = [model for agent in suite.agents for model in (*agent.models, *agent.model_roles.values())]
    prices = parse_prices(suite.prices, models)
    with writing_to([suite.log_dir / one.name for one in suite.benchmarks], options):
        _plan_and_run_suite(suite, options, budget, prices)


def _plan_and_run_suite(
    suite: Suite, options: Mapping[str, Any], budget: Budget | None, prices: Mapping[str, ModelCost]
) -> None:
    from otherwords.core import cores
    from otherwords.pipeline.pilot import measured_before
    from otherwords.pipeline.run_plan import estimate_plan
    from otherwords.pipeline.suite import plan_suite

    with progress_bar("rewording", unit="items") as advance:
        plans = list(
            plan_suite(
                suite,
                on_writing=lambda one: before_writing(one, options, LATER),
                on_item=advance,
                jobs=cores(),
                adopt=options["adopt"],
                write=not options["dry_run"],
            )
        )
    planned: list[Planned] = []
    for plan in plans:
        taken = estimate_plan(plan, prices)
        planned.append((plan, taken, measured_before(plan, prices) if taken.calls else None))
    _print_suite(suite, planned)
    if options["dry_run"]:
        return
    public = prepare_public(options, suite.log_dir)
    labels = [agent.label for agent in suite.agents]
    names = [f"{labels[place % len(labels)]} on {plan.log_dir.name}" for place, plan in enumerate(plans)]
    asked = {**options, "max_connections": suite.max_connections}
    budget = ask_with_pilots(planned, asked, budget, prices, names)
    failed = without_score = answered = 0
    for place, plan in enumerate(plans):
        agent, benchmark = _titles(suite, plan, place)
        console().print(f"[bold]{place + 1}/{len(plans)}[/] {agent} on {benchmark}", soft_wrap=True)
        try:
            summary = run_and_print(
                plan,
                max_connections=suite.max_connections,
                budget=budget,
                prices=prices,
                keep_going=options["keep_going"],
            )
        except RunError as error:  # the others may still be asked
            print_error(str(error))
            failed += 1
            continue
        answered += len(summary.outcomes.failed_models) < len(plan.models)
        without_score += bool(summary.outcomes.failed_models or summary.missed)
        if suite.results_dir is not None:
            write_for_hal(
                summary.logs,
                suite.results_dir,
                benchmark=plan.log_dir.name,
                run_id=None,
                agent_args=suite.agents[place % len(suite.agents)].agent_args,
                public=public,
            )
        if public is not None:
            publish(public, summary.logs, options["salt_file"], plan.log_dir.name)
        if summary.stopped:
            break
        if budget is not None:
            budget = budget.less(calls=summary.calls, tokens=summary.tokens, usd=summary.usd)
    print_next_command([suite.log_dir], answered=answered > 0)
    if failed:
        raise RunError(f"{failed} of {len(plans)} runs failed; the others are in the logs")
    if without_score:
        raise SystemExit(NO)


def _require_no_others(ctx: click.Context, task: str | None, options: dict[str, Any]) -> None:
    given = {name for name in options if is_flag_given(ctx, name)} - _BESIDE_CONFIG
    refused = [one.opts[0] for one in ctx.command.params if one.name in given]
    refused += [f"'{task}'"] if task is not None else []
    if refused:
        raise InputError(
            f"{refused[0]} cannot be given with --config: the suite says what is run and how",
            hint="Write it into the suite's file.",
        )


def _print_suite(suite: Suite, planned: Sequence[Planned]) -> None:
    """What each run takes, and all of them: as their logs tell, where there are any, or else as a guess."""
    plans = [plan for plan, _, _ in planned]
    table = new_table(f"{len(suite.agents)} agents, {len(suite.benchmarks)} benchmarks")
    for heading in ("agent", "benchmark"):
        table.add_column(heading)
    for heading in ("items", "wordings", "repeats", "samples", "finished", "left"):
        table.add_column(heading, justify="right")
    for place, (plan, one, _) in enumerate(planned):
        numbers = (len(plan.items), len(plan.variants), plan.repeats, one.samples, one.finished, one.calls)
        table.add_row(*_titles(suite, plan, place), *(f"{number:,}" for number in numbers))
    out = console()
    out.print(table)
    left_out = {plan.log_dir.name: len(plan.source.left_out) for plan in plans if plan.source.left_out}
    for name, count in left_out.items():
        out.print(f"{cell(name)}: {count:,} items are left out, since their options are not clean")
    for note in dict.fromkeys(note for plan in plans for note in (*plan.source.notes, *plan.settings.notes)):
        out.print(cell(note), soft_wrap=True)
    calls = sum(taken.calls for _, taken, _ in planned)
    measured = [
        before for _, _, before in planned if before is not None and before.sees_models and before.is_priced
    ]
    guessed = [taken for _, taken, before in planned if taken.calls and before not in measured]
    costs = [one.usd for one in guessed]
    tokens = round(sum(one.left.mean.tokens for one in measured))
    tokens += sum(one.input_tokens + one.output_tokens for one in guessed)
    usd = None if None in costs else sum(cost for cost in costs if cost is not None)
    if usd is not None:
        usd += sum(one.left.mean.usd for one in measured)
    money = f"about ${usd:,.2f}" if usd is not None else "prices not known"
    runs = len(measured) + len(guessed)
    known = "all" if not guessed else f"{len(measured)} of {runs}"
    told = f"{known} runs measured on their logs" if measured else "a guess, at 4 characters a token"
    if measured and guessed:
        told += ", the others a guess"
    out.print(
        f"[bold]{calls:,} calls[/] if a sample takes one; about {tokens:,} tokens, {money} ({told})",
        soft_wrap=True,
    )


def _titles(suite: Suite, plan: RunPlan, place: int) -> tuple[str, str]:
    agent = suite.agents[place % len(suite.agents)]
    return cell(agent.label), cell(plan.log_dir.name)
