"""`otherwords run`: asks a model or an agent every wording; `benchmarks`: the benchmarks known by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.config import drop_overruled
from otherwords.cli.console import ask_to_go_on, cell, console, new_table, print_coverage, progress_bar
from otherwords.cli.options import (
    COUNT,
    FILE,
    asked_options,
    dashes,
    limit_options,
    open_from_options,
    scorer_option,
    spending_options,
    wording_options,
)
from otherwords.cli.publish import prepare_public, public_options, publish, require_public
from otherwords.cli.run_plans import (
    LATER,
    before_writing,
    print_next_command,
    print_plan,
    run_and_print,
    run_suite,
    write_for_hal,
    writing_to,
)
from otherwords.core.contract import LLM, NO
from otherwords.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

    from otherwords.pipeline.frozen import Writing
    from otherwords.pipeline.inputs import Agent
    from otherwords.pipeline.run import RunPlan
    from otherwords.pipeline.vary import Wordings
    from otherwords.runs.benchmarks import Benchmark


HAL_VARIATIONS = 3
HAL_RESULTS = Path("results")
_ALTERNATIVES = (
    (("task",), ("benchmark",)),
    (("num_variations", "prompt_sensitivity"), ("families", "k")),
    (("solver",), ("agent",), ("agent_dir",)),
)
"""Options that cannot be given together."""


@click.command(
    "run",
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
    default=3,
    show_default=True,
    help="Runs of each wording. With 1, its effect cannot be told from run-to-run noise.",
)
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
    otherwords run --benchmark gaia --agent-dir agents/my_agent --agent-function main.run --num-variations 3
    otherwords run questions.jsonl --model openai/gpt-4o-mini --public public-logs
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
    with writing_to([options["log_dir"]], options):
        _plan_and_run(task, options)


def _plan_and_run(task: str | None, options: dict[str, Any]) -> None:
    from otherwords.core import cores
    from otherwords.core.template import read_templates
    from otherwords.pipeline.estimate import parse_prices
    from otherwords.pipeline.run import estimate_plan, plan_run
    from otherwords.runs import Limits, parse_budget

    budget = parse_budget(options["budget"])
    parse_prices(options["prices"], options["models"])  # refused before anything is written
    named = _named(task, options["benchmark"])
    audited = options["exclude_ambiguous"] or options["audit_file"] is not None
    with progress_bar("rewording", unit="items") as advance:
        plan = plan_run(
            open_from_options(named, options) if audited else named,
            agent_from_options(options),
            variants_file=options["variants_file"],
            wordings=_wordings(options),
            repeats=options["repeats"],
            limits=Limits(
                options["message_limit"],
                options["token_limit"],
                options["time_limit"],
                options["working_limit"],
            ),
            max_items=options["max_items"],
            log_dir=options["log_dir"],
            task_args=options["task_args"],
            prompt_field=options["prompt_field"],
            templates=read_templates(options["templates"]),
            user_style=options["user_style"],
            constrain_choices=options["constrain_choices"],
            on_writing=lambda writing: before_writing(writing, options, _then(writing, options)),
            on_item=advance,
            jobs=cores(),
            adopt=options["adopt"],
            write=not options["dry_run"],
            scorer=options["scorer"],
        )
    if plan.made is not None and plan.made.asked is not None:
        print_coverage(plan.made)
    prices = parse_prices(options["prices"], plan.paid_models)
    taken = estimate_plan(plan, prices)
    print_plan(plan, taken)
    if options["dry_run"]:
        return
    public = prepare_public(options, plan.log_dir)
    ask_to_go_on(taken.calls, taken.usd, yes=options["yes"])
    summary = run_and_print(
        plan,
        max_connections=options["max_connections"],
        budget=budget,
        prices=prices,
        keep_going=options["keep_going"],
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
    print_next_command([plan.log_dir])
    if public is not None:
        publish(public, summary.logs, options["salt_file"])
    if summary.outcomes.failed_models:
        raise SystemExit(NO)


def _named(task: str | None, benchmark: str | None) -> str:
    if (task is None) == (benchmark is None):
        raise InputError(
            "a run needs a dataset or a task" if task is None else "give a task or --benchmark, not both",
            hint="For example: otherwords run questions.jsonl --model openai/gpt-4o-mini",
        )
    if benchmark is not None and not {"/", "."} & set(benchmark):
        _known_benchmark(benchmark)
    return task or str(benchmark)


def _known_benchmark(name: str) -> Benchmark:
    from otherwords.runs.benchmarks import BENCHMARKS, find_benchmark

    found = find_benchmark(name)
    if found is None:
        raise UnknownNameError("benchmark", name, [one.name for one in BENCHMARKS])
    return found


def _name_for_hal(plan: RunPlan) -> str | None:
    """HAL's own name of a benchmark that was given by Inspect's; its relatives keep theirs."""
    from otherwords.runs.benchmarks import find_benchmark

    known = plan.source.benchmark
    whole = None if known is None else find_benchmark(known.name)
    return whole.name if whole is not None and known is not None and whole.spec == known.spec else None


def agent_from_options(options: Mapping[str, Any]) -> Agent:
    """The model or agent that `asked_options` name."""
    from otherwords.pipeline.inputs import Agent

    named = options["agent"]
    is_function = named is not None and ":" in named
    if named is not None and not is_function and options["solver"] is not None:
        raise InputError("--solver and --agent cannot be given together: a run has one agent")
    generate = {
        "temperature": options["temperature"],
        "top_p": options["top_p"],
        "max_tokens": options["max_tokens"],
        "seed": options["model_seed"],
        "system_message": options["system_message"],
    }
    return Agent(
        models=options["models"],
        name=options["agent_name"],
        solver=options["solver"] if named is None or is_function else named,
        solver_args=options["solver_args"],
        function=named if is_function else None,
        agent_dir=options["agent_dir"],
        agent_function=options["agent_function"],
        agent_args=options["agent_args"],
        python=options["agent_python"],
        seconds=options["agent_timeout"],
        model_args=options["model_args"],
        model_roles=options["model_roles"],
        generate={name: value for name, value in generate.items() if value is not None},
    )


def _wordings(options: dict[str, Any]) -> Wordings:
    from otherwords.pipeline.vary import Wordings
    from otherwords.variants import DEFAULT_FAMILIES
    from otherwords.variants.llm import LlmFamily

    families, k = options["families"], options["k"]
    written = options["num_variations"] or (HAL_VARIATIONS if options["prompt_sensitivity"] else None)
    if written is not None:
        if families is not None or k is not None:
            raise InputError(
                "--num-variations cannot be given with --families or -k",
                hint=f"It stands for --families llm -k {written}.",
            )
        families, k = (LLM,), written
    families = DEFAULT_FAMILIES if families is None else families
    llm = LlmFamily(options["paraphraser"], options["strength"]) if LLM in families else None
    wordings = Wordings(families, k, options["seed"], llm, options["judge"], vary=options["vary"])
    return wordings.in_design(options["design"], options["fraction"])


def _then(writing: Writing, options: Mapping[str, Any]) -> str:
    """What the run may take once a model has written the variants."""
    if options["templates"] or options["design"] or len(options["vary"]) > 1:
        return LATER
    models = max(len(options["models"]), 1)
    wordings = writing.items * (1 + writing.k)
    return (
        f"Then {writing.items:,} items, at most {wordings:,} wordings × {options['repeats']} repeats "
        f"× {models} models = at most [bold]{wordings * options['repeats'] * models:,} calls[/]"
    )


@click.command("benchmarks", short_help="The benchmarks known by name, and what each still needs here.")
@click.argument("name", required=False)
def benchmarks_command(name: str | None) -> None:
    """List the benchmarks that `vary` and `run` know by name, or say all about NAME.

    \b
    otherwords benchmarks
    otherwords benchmarks taubench_airline
    otherwords run taubench_airline --model openai/gpt-4o-mini --max-items 20
    """
    from otherwords.runs.benchmarks import BENCHMARKS

    if name is None:
        console().print(_benchmark_table(BENCHMARKS))
        console().print("More about one: otherwords benchmarks NAME")
        return
    _print_benchmark(_known_benchmark(name))


def _benchmark_table(benchmarks: tuple[Benchmark, ...]) -> Table:
    table = new_table(f"{len(benchmarks)} benchmarks")
    table.add_column("name", no_wrap=True)
    table.add_column("items", justify="right")
    table.add_column("what it asks", ratio=2)
    table.add_column("here", ratio=2)
    for one in benchmarks:
        table.add_row(f"[bold]{one.name}[/]", str(one.items), one.title, _benchmark_state(one))
    return table


def _benchmark_state(one: Benchmark) -> str:
    from otherwords.runs.benchmarks.load import has_data, missing_here

    missing = missing_here(one)
    if missing:
        return f"[yellow]needs {cell(', '.join(need.what for need in missing))}[/]"
    here = one.data.home == "appworld" or has_data(one.data)
    return "[green]ready[/]" if here else "[green]ready[/]; the data comes at first use"


def _print_benchmark(one: Benchmark) -> None:
    from rich.padding import Padding
    from rich.table import Table

    from otherwords.runs.benchmarks.load import missing_here

    out = console()
    out.print(f"[bold]{one.name}[/]: {one.title}, {one.items} items")
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    for label, value in _benchmark_facts(one):
        facts.add_row(label, cell(value))
    out.print(Padding(facts, (1, 0, 1, 2)))
    for note in one.notes:
        out.print(f"· {cell(note)}")
    missing = missing_here(one)
    for need in missing:
        out.print(f"[yellow]Needs {cell(need.what)}[/]\n  {cell(need.remedy)}", soft_wrap=True)
    if not missing:
        out.print("[green]Nothing is missing here.[/]")
    out.print(f"\nRun it: otherwords run {one.name} --model openai/gpt-4o-mini --max-items 20")


def _benchmark_facts(one: Benchmark) -> list[tuple[str, str]]:
    arguments = " ".join(f"-T {name}={str(value).lower()}" for name, value in one.task_args.items())
    facts = [
        ("Inspect task", f"{one.spec} {arguments}".strip()),
        ("also called", ", ".join([*one.aliases, *one.relatives])),
        ("the prompt is", one.selector),
        ("data", f"{one.data.source}, {one.data.url}"),
        ("terms", one.data.terms),
        ("packages", ", ".join(package.module for package in one.packages)),
        ("sandbox", one.sandbox or "none"),
    ]
    return [(label, value) for label, value in facts if value]
