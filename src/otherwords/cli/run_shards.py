"""`otherwords run` with `--shard`, `--shards` or Ray: checks these options, runs one shard or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.console import ask_to_go_on, cell, console, run_progress
from otherwords.cli.options import COUNT, FILE, open_from_options, together
from otherwords.cli.run_options import agent_from_options, plan_arguments
from otherwords.cli.run_plans import (
    expected_of,
    is_worth_a_pilot,
    print_estimate,
    print_measured,
    print_next_command,
    print_summary,
    writing_to,
)
from otherwords.core.contract import INTERRUPTED, NO
from otherwords.core.errors import InputError
from otherwords.core.files import as_address, as_typed
from otherwords.core.texts import of_things

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.pipeline.estimate import RunEstimate
    from otherwords.pipeline.inputs import Source
    from otherwords.pipeline.pilot import Measured
    from otherwords.pipeline.run_plan import RunPlan
    from otherwords.pipeline.shards import ShardedRun
    from otherwords.runs import Budget
    from otherwords.runs.shards import Shard

LOCAL, RAY = "local", "ray"
_NEEDS_WHOLE = ("public", "results_dir", "prompt_sensitivity", "until")
_WITHOUT_UNTIL = (
    ", or ask a fixed number of items with --max-items in place of --until; `otherwords plan` says how many "
    "a goal takes"
)

shard_options = together(
    click.option(
        "--shard",
        metavar="I/N",
        help="Run shard I of N alone: one model on one part of the items, in a folder of its own.",
    ),
    click.option(
        "--shards",
        type=COUNT,
        metavar="N",
        help="Cut the run into N shards of items × model.  [default: 1; with --executor ray, one for "
        "each 500 items]",
    ),
    click.option(
        "--executor",
        type=click.Choice((LOCAL, RAY)),
        default=LOCAL,
        show_default=True,
        help="Who runs the shards: this process, one after the other, or Ray, many at once.",
    ),
    click.option(
        "--ray-address",
        metavar="HOST:PORT",
        help="The Ray cluster.  [default: the variable RAY_ADDRESS, else one that is started here]",
    ),
    click.option(
        "--workers", type=COUNT, metavar="N", help="Shards at once with Ray.  [default: its processors]"
    ),
    click.option(
        "--rate-limit",
        type=click.FloatRange(min=0, min_open=True),
        metavar="N",
        help="Calls a minute at the most, over all shards.",
    ),
    click.option(
        "--keys-file",
        type=FILE,
        metavar="FILE",
        help="Keys for providers, NAME=value on each line, in a file that only its owner can read; every "
        "worker reads it itself.",
    ),
    title="Shards",
)


def is_cut(options: Mapping[str, Any]) -> bool:
    """Whether all shards of a run are asked for; refuses options that do not go together."""
    if options["executor"] != RAY and (options["ray_address"] or options["workers"]):
        raise click.UsageError("--ray-address and --workers are for --executor ray")
    whole = options["shards"] is not None or options["executor"] == RAY
    if whole and options["shard"] is not None:
        raise click.UsageError(
            "--shard runs one shard here, and cannot be given with --shards or --executor ray"
        )
    if whole or options["shard"] is not None:
        given = "--shard" if not whole else "--executor ray" if options["executor"] == RAY else "--shards"
        for name in _NEEDS_WHOLE:
            if options.get(name):
                other = _WITHOUT_UNTIL if name == "until" else ""
                raise click.UsageError(
                    f"--{name.replace('_', '-')} is for runs that are not cut into shards: leave {given} "
                    f"out{other}"
                )
    return whole


def shard_of(options: Mapping[str, Any]) -> Shard | None:
    """What --shard names."""
    if options["shard"] is None:
        return None
    from otherwords.pipeline.run_plan import shard_named

    return shard_named(agent_from_options(options), options["shard"])


def refuse_address(log_dir: Path) -> None:
    """A run that is not cut writes to a folder on this machine."""
    if as_address(log_dir) is not None:
        raise InputError(
            "logs at an address are for runs in shards",
            file=as_address(log_dir),
            hint="Add --shards 1, or more.",
        )


def run_one_shard(
    shard: Shard, options: dict[str, Any], plan_and_run: Callable[[dict[str, Any]], None]
) -> None:
    """With the folder of its logs at hand, and no other process that writes to it."""
    from otherwords.runs.remote_folder import at_hand

    write, kept_at = not options["dry_run"], as_typed(options["log_dir"])
    console().print(f"Part {shard.name} of {cell(shard.model)}", soft_wrap=True)
    with at_hand(options["log_dir"], shard, wait=options["wait"], write=write) as log_dir:
        here = {**options, "log_dir": log_dir, "kept_at": kept_at}
        with writing_to([shard.folder(log_dir)], here):
            plan_and_run(here)
    if write:
        print_next_command([kept_at])


def cut_from_options(named: str, options: Mapping[str, Any], shards: int | None) -> tuple[Source, ShardedRun]:
    """The source that is named, and the run of it in so many shards."""
    from otherwords.pipeline.run_plan import open_for_run
    from otherwords.pipeline.shards import cut_run

    arguments = plan_arguments(options)
    if options["exclude_ambiguous"] or options["audit_file"] is not None:
        if options["executor"] == RAY:
            raise click.UsageError("--exclude-ambiguous cannot be given with --executor ray")
        source = open_from_options(named, options)
    else:
        names = ("variants_file", "wordings", "max_items", "task_args", "prompt_field", "templates")
        source = open_for_run(named, **{name: arguments[name] for name in names})
    if arguments.pop("sample_ids"):
        source = source.only(options["sample_ids"])
    run = cut_run(
        source,
        agent_from_options(options),
        shards,
        log_dir=options["log_dir"],
        items=len(source.items),
        keys_file=options["keys_file"],
        plan=arguments,
        execute={"max_connections": options["max_connections"], "keep_going": options["keep_going"]},
    )
    return source, run


def run_in_shards(named: str, options: Mapping[str, Any]) -> None:
    """All shards of a run; says first what they take, as far as the first of them and earlier logs tell."""
    from otherwords.pipeline.estimate import parse_prices
    from otherwords.pipeline.pilot import measured_in_shards, weight_sentence
    from otherwords.pipeline.shards import run_shards
    from otherwords.runs import parse_budget

    budget = parse_budget(options["budget"])
    source, run = cut_from_options(named, options, options["shards"])
    first = run.plan_shard(run.shards[0])
    prices = parse_prices(options["prices"], [*{one.model: 0 for one in run.shards}, *first.paid_models[1:]])
    one, taken = _estimate(run, first, len(source.items), prices)
    parts, count = run.shards[0].parts, len(run.shards)
    console().print(
        f"{of_things(len(source.items), 'item')} in {of_things(parts, 'part')} × "
        f"{of_things(count // parts, 'model')} = {of_things(count, 'shard')} of about "
        f"{of_things(len(first.items), 'item')} and {of_things(one.samples, 'call')}: "
        f"about [bold]{of_things(taken.samples, 'call')}[/]",
        soft_wrap=True,
    )
    ended, measured = measured_in_shards(run.shards, run.log_dir, first, taken.samples, prices)
    taken = replace(taken, finished=min(ended, taken.samples))
    if ended:
        console().print(f"{ended:,} of them have finished before; about {taken.calls:,} are left")
    weight = weight_sentence(first, taken.calls) if taken.calls else ""
    if weight:
        console().print(cell(weight), soft_wrap=True)
    if taken.calls:
        print_estimate(first, taken, measured)
    if options["dry_run"]:
        return
    if options["executor"] == RAY:
        run = replace(run, source=named, plan={**run.plan, "sample_ids": options["sample_ids"]})
    how = {
        "executor": options["executor"],
        "ray_address": options["ray_address"],
        "workers": options["workers"],
        "calls_a_minute": options["rate_limit"],
        "prices": prices or None,
    }
    where = as_typed(options["log_dir"])
    with _stopped_by_hand(where):
        budget = _ask_with_pilot(run, first, taken, measured, options, budget, how)
        with run_progress("asking") as on_progress:
            summary = run_shards(run, budget=budget, expected=taken.samples, on_progress=on_progress, **how)
    print_summary(summary, where)
    models = {shard.model for shard in run.shards}
    print_next_command([where], answered=len(summary.outcomes.failed_models) < len(models))
    if summary.outcomes.failed_models:
        raise SystemExit(NO)


def _estimate(
    run: ShardedRun, first: RunPlan, items: int, prices: Mapping[str, ModelCost]
) -> tuple[RunEstimate, RunEstimate]:
    """What the first shard takes, and what all of them take, if nothing has finished before."""
    from otherwords.pipeline.run_plan import estimate_plan

    all_of = {str(sample.id): first.repeats for sample in first.task.dataset}
    one = estimate_plan(replace(first, left={first.models[0]: all_of}), prices)
    many = items * (len(run.shards) // run.shards[0].parts) / len(first.items)
    return one, replace(
        one,
        samples=round(one.samples * many),
        input_tokens=round(one.input_tokens * many),
        output_tokens=round(one.output_tokens * many),
        usd=None if one.usd is None else one.usd * many,
    )


def _ask_with_pilot(
    run: ShardedRun,
    first: RunPlan,
    taken: RunEstimate,
    measured: Measured | None,
    options: Mapping[str, Any],
    budget: Budget | None,
    how: Mapping[str, Any],
) -> Budget | None:
    """Ask before a run that takes much, when its first items show how much; gives the budget left.

    They are those of each model's first shard, run as the others will be. A run that has begun was measured.
    """
    from otherwords.pipeline.pilot import measured_by, pilot_of
    from otherwords.pipeline.shards import run_pilots

    calls, usd = expected_of(taken, measured)
    pilot = None
    if not options["yes"] and not taken.finished and is_worth_a_pilot([first], calls, usd):
        pilot = pilot_of(first, taken.calls)
    if pilot is not None:
        with run_progress("asking the first items") as on_progress:
            done = run_pilots(run, taken.calls, budget=budget, expected=0, on_progress=on_progress, **how)
        calls, is_priced = 0, taken.usd is not None
        usd = 0.0 if is_priced else None
        for shard, summary in done:
            if budget is not None:
                budget = budget.less(calls=summary.calls, tokens=summary.tokens, usd=summary.usd)
            left = taken.calls // len(done)
            found = measured_by(pilot, first, summary, is_priced=is_priced, left=left)
            if found is not None:
                found = found if how["executor"] == LOCAL else replace(found, speed=None)
                print_measured(found, shard.model if len(done) > 1 else "")
            calls += left if found is None else round(found.left.mean.calls)
            usd = None if usd is None else usd + (0.0 if found is None else found.left.mean.usd)
        if any(summary.stopped for _, summary in done):
            return budget
    ask_to_go_on(calls, usd, yes=options["yes"])
    return budget


@contextmanager
def _stopped_by_hand(where: object) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        console().print(
            f"\nStopped. What has finished is in {cell(where)}; run the same command again to go on."
        )
        raise SystemExit(INTERRUPTED) from None
