"""`otherwords demo`: the local SmolLM2 on our own questions, from rewording to report; no key, no network."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.core.contract import INTERRUPTED

if TYPE_CHECKING:
    from otherwords.pipeline.run import RunPlan

REPEATS = 2
K = 4
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
def command(out: Path, fresh: bool) -> None:
    """Ask the embedded SmolLM2-135M 32 questions in several wordings, twice each, and report.

    Takes a few minutes on two cores. Interrupted, it goes on where it stopped.
    """
    from otherwords.cli.console import console, run_progress
    from otherwords.cli.report import print_summary
    from otherwords.pipeline.run import execute_plan
    from otherwords.pipeline.write_report import write_report

    screen = console()
    plan = _plan(out, fresh=fresh)
    screen.print(
        f"[bold]otherwords demo[/]: {len(plan.items)} questions, {len(plan.variants)} wordings "
        f"× {plan.repeats} repeats = {plan.calls} calls to {plan.models[0]}.\n{NOTE}\n"
    )
    try:
        with run_progress("asking") as on_progress:
            execute_plan(plan, on_progress=on_progress)
    except KeyboardInterrupt:
        screen.print("\nStopped. Run `otherwords demo` again to go on.")
        raise SystemExit(INTERRUPTED) from None
    with screen.status("computing and drawing"):
        data, written = write_report(out / "logs", out / "report", title="otherwords demo", notes=[NOTE])
    print_summary(data, written)
    screen.print(f"Open it in a browser. Everything: {out}", markup=False)


def _plan(out: Path, *, fresh: bool) -> RunPlan:
    """Refuses at once when the runtime or the weights are missing."""
    from otherwords.core import cores
    from otherwords.pipeline.frozen import Wordings
    from otherwords.pipeline.inputs import Agent
    from otherwords.pipeline.run import plan_run
    from otherwords.runs.gguf import require_embedded_model

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
            "system_message": "Answer in a few words.",
        },
    )
    with as_file(files("otherwords") / "data" / "demo.jsonl") as questions:
        return plan_run(
            questions,
            agent,
            wordings=Wordings(k=K),
            repeats=REPEATS,
            log_dir=out / "logs",
            constrain_choices=True,
            jobs=cores(),
        )
