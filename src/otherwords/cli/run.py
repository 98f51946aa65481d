"""`otherwords run`: a dataset or task and an agent → every wording asked, in one run, shards or a suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.benchmarks import known_benchmark
from otherwords.cli.config import drop_overruled
from otherwords.cli.console import print_coverage, progress_bar
from otherwords.cli.options import (
    COUNT,
    FILE,
    dashes,
    open_from_options,
    scorer_option,
)
from otherwords.cli.publish import prepare_public, public_options, publish, require_public
from otherwords.cli.run_options import (
    HalCommand,
    agent_from_options,
    asked_options,
    inspect_options,
    limit_options,
    plan_arguments,
    spending_options,
    until_from_options,
    until_options,
    wording_options,
)
from otherwords.cli.run_plans import (
    LATER,
    ask_with_pilots,
    before_writing,
    print_next_command,
    print_plan,
    run_and_print,
    write_for_hal,
    writing_to,
)
from otherwords.cli.run_shards import (
    is_cut,
    refuse_address,
    run_in_shards,
    run_one_shard,
    shard_of,
    shard_options,
)
from otherwords.cli.run_suite import run_suite
from otherwords.core.contract import NO
from otherwords.core.errors import InputError

if TYPE_CHECKING:
    from otherwords.pipeline.frozen import Writing
    from otherwords.pipeline.run_plan import RunPlan
    from otherwords.runs.shards import Shard


HAL_RESULTS = Path("results")
_ALTERNATIVES = (
    (("task",), ("benchmark",)),
    (("num_variations", "prompt_sensitivity"), ("families", "k")),
    (("solver",), ("agent",), ("agent_url",), ("agent_command",), ("agent_dir",)),
)
"""Options that cannot be given together."""


@click.command(
    "run",
    cls=HalCommand,
    short_help="Ask a model or an agent every wording; resumes where it stopped.",
    context_settings={"token_normalize_func": dashes},
)
@click.argument("task", required=False, metavar="DATASET_OR_TASK")
@asked_options
@click.option("--benchmark", metavar="NAME", help="A benchmark by its name, instead of a task.")
@wording_options
@click.option(
    "--repeats",
    type=COUNT,
    help="Runs of each wording. With 1, its effect cannot be told from run-to-run noise.  [default: 3; with "
    "--until what its goal takes]",
)
@until_options
@limit_options
@scorer_option
@click.option("--log-dir", type=FILE, default=Path("logs"), show_default=True)
@click.option(
    "--adopt",
    is_flag=True,
    help="Go on with a run that version 0.1 began, which cannot tell whether its code has changed.",
)
@click.option("--wait", is_flag=True, help="Wait while another run writes to --log-dir.")
@click.option(
    "--keep-going",
    is_flag=True,
    help="Go on where five samples in a row end with the same error, instead of stopping.",
)
@click.option("--max-connections", "--max-concurrent", type=COUNT, help="Requests at once.")
@spending_options
@shard_options
@click.option(
    "--results-dir",
    type=FILE,
    help="Write HAL's UPLOAD.json under this folder too.  [default with --prompt-sensitivity: results]",
)
@click.option("--run-id", help="Of that file.  [default: the benchmark's and the agent's name]")
@click.option(
    "--public",
    type=FILE,
    metavar="FOLDER",
    help="Copies of the logs that may be given away: scores, names of wordings, and hashes instead of ids. "
    "The logs in --log-dir stay as they are.",
)
@public_options
@click.option("--config", type=FILE, help="A suite of agents and benchmarks, instead of one task.")
@inspect_options
@click.pass_context
def run_command(ctx: click.Context, /, task: str | None, **options: Any) -> None:
    """Ask each --model every wording, --repeats times, and keep the answers as Inspect logs.

    DATASET_OR_TASK is a file (.jsonl, .json, .csv, .parquet, .arrow) or anything Inspect can name (pkg/task,
    file.py@task).

    Give it the variants that `otherwords vary` froze; without them it makes and freezes its own in the log
    folder. It says first what it will take. Interrupted, killed or at the end of its budget, run the same
    command again: only what is missing is asked. With more items, wordings or --repeats the run grows, and
    only what is new is asked. With other code, samples or settings it is refused.

    \b
    otherwords run questions.jsonl --variants variants.jsonl --model openai/gpt-4o-mini
    otherwords run questions.jsonl --model gguf/smollm2 --repeats 2 --max-tokens 24
    otherwords run inspect_evals/gsm8k -T fewshot=0 --max-items 50 --model openai/gpt-4o-mini --budget usd=2
    otherwords run questions.jsonl --agent my_agent.py:answer --agent-name mine
    otherwords run questions.jsonl --agent-url http://localhost:8000/ask
    otherwords run questions.jsonl --agent-command "node agent.js" --agent-env OPENAI_API_KEY
    otherwords run --benchmark gaia --agent-dir agents/my_agent --agent-function main.run --num-variations 3
    otherwords run questions.jsonl --model openai/gpt-4o-mini --until accuracy:0.05
    otherwords run questions.jsonl --model openai/gpt-4o-mini --until gate --min-s-prompt 0.85
    otherwords run questions.jsonl --model openai/gpt-4o-mini --public public-logs
    otherwords run questions.jsonl --model openai/gpt-4o-mini --shards 8 --executor ray
    otherwords run --config suite.yaml
    """
    require_public(
        public=options["public"] is not None,
        salt_file=options["salt_file"],
        model_names=options["model_names"],
    )
    if options["config"] is not None:
        run_suite(ctx, task, options)
        return
    drop_overruled(ctx, options, *_ALTERNATIVES)
    if options["keys_file"] is not None:
        from otherwords.runs.settings import load_keys

        load_keys(options["keys_file"])
    if is_cut(options):
        run_in_shards(named_source(task, options["benchmark"]), options)
        return
    shard = shard_of(options)
    if shard is not None:
        run_one_shard(shard, options, lambda here: _plan_and_run(task, here, shard))
        return
    refuse_address(options["log_dir"])
    with writing_to([options["log_dir"]], options):
        _plan_and_run(task, options)


def _plan_and_run(task: str | None, options: dict[str, Any], shard: Shard | None = None) -> None:
    from otherwords.core import cores
    from otherwords.pipeline.estimate import parse_prices
    from otherwords.pipeline.run_plan import estimate_plan, plan_run
    from otherwords.runs import parse_budget
    from otherwords.runs.executors import with_rate

    budget = with_rate(parse_budget(options["budget"]), options["rate_limit"])
    parse_prices(options["prices"], options["models"])  # refused before anything is written
    named = named_source(task, options["benchmark"])
    until = until_from_options(options)
    if until is not None:  # items are drawn from all of them
        options = {**options, "most_items": options["max_items"], "max_items": None}
    audited = options["exclude_ambiguous"] or options["audit_file"] is not None
    with progress_bar("rewording", unit="items") as advance:
        plan = plan_run(
            open_from_options(named, options) if audited else named,
            agent_from_options(options),
            **{**plan_arguments(options), "max_items": options.get("most_items", options["max_items"])},
            until=until,
            log_dir=options["log_dir"],
            on_writing=lambda writing: before_writing(writing, options, _then(writing, options)),
            on_item=advance,
            jobs=cores(),
            write=not options["dry_run"],
            shard=shard,
        )
    if plan.made is not None and plan.made.asked is not None:
        print_coverage(plan.made)
    prices = parse_prices(options["prices"], plan.paid_models)
    taken = estimate_plan(plan, prices)
    measured = print_plan(plan, taken, prices, options.get("kept_at"))
    if options["dry_run"]:
        return
    public = prepare_public(options, plan.log_dir)
    budget = ask_with_pilots([(plan, taken, measured)], options, budget, prices)
    summary = run_and_print(
        plan,
        max_connections=options["max_connections"],
        budget=budget,
        prices=prices,
        keep_going=options["keep_going"],
        kept_at=options.get("kept_at"),
    )
    if options["results_dir"] is not None or options["prompt_sensitivity"]:
        write_for_hal(
            summary.logs,
            options["results_dir"] or HAL_RESULTS,
            benchmark=options["benchmark"] or _name_for_hal(plan),
            run_id=options["run_id"],
            agent_args=options["agent_args"],
            public=public,
        )
    if shard is None:
        print_next_command([plan.log_dir], answered=len(summary.outcomes.failed_models) < len(plan.models))
    if public is not None:
        publish(public, summary.logs, options["salt_file"])
    if summary.outcomes.failed_models or summary.missed:
        raise SystemExit(NO)


def named_source(task: str | None, benchmark: str | None) -> str:
    """The dataset, task or benchmark that the arguments name."""
    if (task is None) == (benchmark is None):
        raise InputError(
            "a run needs a dataset or a task" if task is None else "give a task or --benchmark, not both",
            hint="For example: otherwords run questions.jsonl --model openai/gpt-4o-mini",
        )
    if benchmark is not None and not {"/", "."} & set(benchmark):
        known_benchmark(benchmark)
    return task or str(benchmark)


def _name_for_hal(plan: RunPlan) -> str | None:
    """HAL's own name of a benchmark that was given by Inspect's; its relatives keep theirs."""
    from otherwords.runs.benchmarks import find_benchmark

    known = plan.source.benchmark
    whole = None if known is None else find_benchmark(known.name)
    return whole.name if whole is not None and known is not None and whole.spec == known.spec else None


def _then(writing: Writing, options: Mapping[str, Any]) -> str:
    """What the run may take once a model has written the variants."""
    from otherwords.pipeline.run_plan import REPEATS

    if options["templates"] or options["design"] or len(options["vary"]) > 1:
        return LATER
    models, repeats = max(len(options["models"]), 1), options["repeats"] or REPEATS
    wordings = writing.items * (1 + writing.k)
    return (
        f"Then {writing.items:,} items, at most {wordings:,} wordings × {repeats} repeats "
        f"× {models} models = at most [bold]{wordings * repeats * models:,} calls[/]"
    )
