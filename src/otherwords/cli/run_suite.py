"""`otherwords run --config suite.yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.markup import escape

from otherwords.cli.console import console, print_error, printable
from otherwords.cli.progress import progress_bar
from otherwords.cli.running import (
    ask_to_go_on,
    failed_everywhere,
    prepare_public,
    publish,
    run_and_tell,
    tell_next,
    tell_writing,
    write_for_hal,
)
from otherwords.core.errors import InputError, RunError

if TYPE_CHECKING:
    from pathlib import Path

    from otherwords.pipeline import RunEstimate, RunPlan, Writing
    from otherwords.pipeline.suite import Suite
    from otherwords.runs import RunSummary

_BESIDE_CONFIG = {
    *("config", "budget", "prices", "yes", "dry_run", "max_connections", "log_dir", "results_dir"),
    *("public", "salt_file"),
}


def run_suite(ctx: click.Context, task: str | None, options: dict[str, Any]) -> None:
    """Every agent on every benchmark of the suite; a budget holds for all of them together."""
    from dataclasses import replace

    from otherwords.pipeline import estimate_plan, parse_prices
    from otherwords.pipeline.suite import plan_suite, read_suite
    from otherwords.runs import parse_budget

    _require_no_others(ctx, task, options)
    suite = read_suite(options["config"])
    if ctx.get_parameter_source("log_dir") is not ParameterSource.DEFAULT:
        suite = replace(suite, log_dir=options["log_dir"])
    results_dir = options["results_dir"] or suite.results_dir
    budget = parse_budget(options["budget"] or suite.budget)
    models = [model for agent in suite.agents for model in (*agent.models, *agent.model_roles.values())]
    prices = parse_prices(options["prices"] or suite.prices, models)

    with progress_bar("rewording", unit="items") as advance:
        plans = list(plan_suite(suite, on_writing=lambda one: _before_writing(one, options), on_item=advance))
    taken = [estimate_plan(plan, prices) for plan in plans]
    calls, usd = _tell_suite(suite, plans, taken)
    if options["dry_run"]:
        return
    public = prepare_public(options, suite.log_dir)
    ask_to_go_on(calls, usd, yes=options["yes"])
    failed = without_score = 0
    for place, plan in enumerate(plans):
        agent, benchmark = _titles(suite, plan, place)
        console().print(f"[bold]{place + 1}/{len(plans)}[/] {agent} on {benchmark}", soft_wrap=True)
        try:
            summary = run_and_tell(
                plan,
                max_connections=options["max_connections"] or suite.max_connections,
                budget=budget,
                prices=prices,
            )
        except RunError as error:  # the others may still be asked
            print_error(str(error))
            failed += 1
            continue
        without_score += failed_everywhere(summary)
        if results_dir is not None:
            _write_for_hal(suite, plan, place, summary, results_dir)
        if public is not None:
            publish(public, summary.logs, options["salt_file"], plan.log_dir.name)
        if summary.stopped:
            break
        if budget is not None:
            budget = budget.less(calls=summary.calls, tokens=summary.tokens, usd=summary.usd)
    tell_next([suite.log_dir])
    if failed:
        raise RunError(f"{failed} of {len(plans)} runs failed; the others are in the logs")
    if without_score:
        raise SystemExit(1)


def _write_for_hal(suite: Suite, plan: RunPlan, place: int, summary: RunSummary, results_dir: Path) -> None:
    agent = suite.agents[place % len(suite.agents)]
    write_for_hal(
        summary.logs, results_dir, benchmark=plan.log_dir.name, run_id=None, agent_args=agent.agent_args
    )


def _require_no_others(ctx: click.Context, task: str | None, options: dict[str, Any]) -> None:
    given = [name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    others = [parameter.opts[0] for parameter in ctx.command.params if parameter.name in given]
    allowed = {parameter.opts[0] for parameter in ctx.command.params if parameter.name in _BESIDE_CONFIG}
    refused = [name for name in others if name not in allowed] + ([f"'{task}'"] if task is not None else [])
    if refused:
        raise InputError(
            f"{refused[0]} cannot be given with --config: the suite says what is run and how",
            hint="Write it into the suite's file.",
        )


def _before_writing(writing: Writing, options: dict[str, Any]) -> None:
    tell_writing(writing)
    if options["dry_run"]:
        console().print("What follows can be said when they are written.")
        raise SystemExit(0)
    ask_to_go_on(writing.items, None, yes=options["yes"])


def _tell_suite(suite: Suite, plans: list[RunPlan], taken: list[RunEstimate]) -> tuple[int, float | None]:
    from rich.table import Table

    table = Table(
        title=f"{len(suite.agents)} agents, {len(suite.benchmarks)} benchmarks", title_justify="left"
    )
    for heading in ("agent", "benchmark"):
        table.add_column(heading)
    for heading in ("items", "wordings", "repeats", "samples", "finished", "left"):
        table.add_column(heading, justify="right")
    for place, (plan, one) in enumerate(zip(plans, taken, strict=True)):
        numbers = (len(plan.items), len(plan.variants), plan.repeats, one.samples, one.finished, one.calls)
        table.add_row(*_titles(suite, plan, place), *(f"{number:,}" for number in numbers))
    out = console()
    out.print(table)
    left_out = {plan.log_dir.name: len(plan.source.left_out) for plan in plans if plan.source.left_out}
    for name, count in left_out.items():
        out.print(
            f"{escape(printable(name))}: {count:,} items are left out, since their options are not clean"
        )
    calls = sum(one.calls for one in taken)
    costs = [one.usd for one in taken]
    usd = None if None in costs else sum(cost for cost in costs if cost is not None)
    tokens = sum(one.input_tokens + one.output_tokens for one in taken)
    money = f"about ${usd:,.2f}" if usd is not None else "prices not known"
    out.print(f"[bold]{calls:,} calls[/] if a sample takes one; about {tokens:,} tokens, {money}")
    return calls, usd


def _titles(suite: Suite, plan: RunPlan, place: int) -> tuple[str, str]:
    agent = suite.agents[place % len(suite.agents)]
    return escape(printable(agent.label)), escape(printable(plan.log_dir.name))
