"""`otherwords demo`: asks a local model, then reports or ranks templates; `selftest`: tests the metrics."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import console, new_table, print_lines, run_progress, wrapped
from otherwords.cli.options import full_option
from otherwords.core.contract import INTERRUPTED

if TYPE_CHECKING:
    from otherwords.core.template import Template
    from otherwords.metrics import SelfTest
    from otherwords.pipeline.run_plan import RunPlan


REPEATS = 2
TEMPLATE_ITEMS = 24
TEMPLATES_FILE = "demo_templates.yaml"
FAMILIES = ("human", "paraphrase", "options", "format")
K = 2
"""Made by rules; beside them come the five wordings of each question that were written by hand."""
NOTE = (
    "SmolLM2-135M is a tiny model that fits in a Python wheel: it gets many of these wrong. "
    "The demo shows how wording moves it, not how good models are."
)


@click.command("demo", short_help="Ask a small local model reworded questions. No key, no network.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("otherwords-demo"),
    show_default=True,
    help="Folder for the variants, the logs and the report.",
)
@click.option(
    "--fresh", is_flag=True, help="Ask everything again, instead of resuming or reusing a demo there."
)
@click.option(
    "--templates",
    is_flag=True,
    help="Ask 24 of the questions through six templates, and rank these.",
)
@click.option(
    "--max-items",
    type=click.IntRange(min=4),
    metavar="N",
    help="With --templates, the first N only.",
)
def demo_command(out: Path, fresh: bool, templates: bool, max_items: int | None) -> None:
    """Ask the embedded SmolLM2-135M 32 questions in several wordings, twice each, and report.

    Five wordings of each question were written by hand, as different people would type them; others are made
    by rules. The report tells them apart.

    With --templates it asks 24 of them through six templates, twice each, and says which template is better,
    how accuracy would be over many such templates, and which part of the variance of scores comes from the
    template, the question, both together and run-to-run noise.

    Takes a few minutes on two cores. Interrupted, it goes on where it stopped.

    \b
    otherwords demo
    otherwords demo --templates --max-items 6
    """
    from otherwords.cli.compare import rank_lines
    from otherwords.cli.report import print_summary
    from otherwords.pipeline.run import execute_plan
    from otherwords.pipeline.write_report import write_report

    if max_items is not None and not templates:
        raise click.UsageError("--max-items is for --templates")
    screen = console()
    out = out / "templates" if templates else out
    plan = _plan(out, fresh=fresh, n=min(max_items or TEMPLATE_ITEMS, TEMPLATE_ITEMS) if templates else None)
    screen.print(
        f"[bold]otherwords demo[/]: {len(plan.items)} questions, {len(plan.variants)} wordings "
        f"× {plan.repeats} repeats = {plan.calls} calls to {plan.models[0]}.\n{NOTE}\n"
    )
    try:
        with run_progress("asking") as on_progress:
            execute_plan(plan, on_progress=on_progress)
    except KeyboardInterrupt:
        screen.print(f"\nStopped. Run `otherwords demo{' --templates' if templates else ''}` again to go on.")
        raise SystemExit(INTERRUPTED) from None
    with screen.status("computing and drawing"):
        data, written = write_report(out / "logs", out / "report", title="otherwords demo", notes=[NOTE])
    if templates:
        print_lines(rank_lines(data.templates, full=True), full=True, keep=wrapped(f"Report: {written[0]}"))
    else:
        print_summary(data, written)
    screen.print(f"Open it in a browser. Everything: {out}", markup=False)


def _plan(out: Path, *, fresh: bool, n: int | None = None) -> RunPlan:
    """Of `n` questions in templates, or of all without; refuses where runtime or weights are missing."""
    from otherwords.core import cores
    from otherwords.pipeline.agents import Agent
    from otherwords.pipeline.run_plan import plan_run
    from otherwords.pipeline.vary import Wordings
    from otherwords.runs.gguf_servers import require_embedded_model

    require_embedded_model()
    if fresh:
        for part in ("logs", "report"):
            shutil.rmtree(out / part, ignore_errors=True)
    agent = Agent(
        models=("gguf/smollm2",),
        generate={
            "temperature": 0.2,
            "max_tokens": 20,
            "stop_seqs": ["\n"],
            **({"system_message": "Answer in a few words."} if n is None else {}),
        },
    )
    data = files("otherwords") / "data"
    with as_file(data / "demo.jsonl") as questions, as_file(data / "demo_decisions.jsonl") as decisions:
        return plan_run(
            questions,
            agent,
            wordings=Wordings(FAMILIES, K, decisions=decisions) if n is None else Wordings((), 0),
            templates=() if n is None else _templates((data / TEMPLATES_FILE).read_text("utf-8")),
            max_items=n,
            repeats=REPEATS,
            log_dir=out / "logs",
            constrain_choices=True,
            jobs=cores(),
        )


def _templates(text: str) -> list[Template]:
    from otherwords.core.template import Template
    from otherwords.english.lexicon import parse_yaml

    return [Template(prompt, name) for name, prompt in parse_yaml(text).items()]


@click.command("selftest", short_help="Check the metrics on test models whose robustness is known.")
@click.option("--seed", default=0, show_default=True)
@full_option
def selftest_command(seed: int, full: bool) -> None:
    """Run the metrics on four test models whose robustness is known beforehand.

    oracle picks the right option under any order; always A picks the first one shown; random guesses;
    ignore-the-question does not read the question. Exit code 1 if any metric says something else than it
    must.

    \b
    otherwords selftest
    otherwords selftest --full
    """
    from otherwords.core.errors import GateFailed
    from otherwords.metrics import selftest

    found = selftest(seed)
    wrong = [one for one in found if not one.ok]
    screen = console()
    if wrong:
        said = f"[bold red]{len(wrong)} of {len(found)} values are not what they must be.[/]"
        screen.print(said)
    else:
        screen.print(f"[bold]All {len(found)} values are what they must be.[/]")
    models = dict.fromkeys(one.model for one in found)
    for model in models:
        mine = [one for one in found if one.model == model]
        right = sum(one.ok for one in mine)
        screen.print(f"  {model}: {right} of {len(mine)} values right")
    if wrong or full:
        _print_values(found if full else wrong)
    else:
        screen.print("Each value, what it must be and why: --full")
    if wrong:
        raise GateFailed(f"{len(wrong)} of {len(found)} values are not what they must be")


def _print_values(found: Sequence[SelfTest]) -> None:
    table = new_table()
    for name in ("test model", "metric", "must be", "is", "", "because"):
        table.add_column(name)
    for one in found:
        value = "—" if one.value is None else f"{one.value:.4g}"
        mark = "[green]ok[/]" if one.ok else "[bold red]WRONG[/]"
        table.add_row(one.model, one.metric, one.expected, value, mark, one.why)
    console().print(table)
