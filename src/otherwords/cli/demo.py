from __future__ import annotations

from pathlib import Path

import click


@click.command("demo", short_help="Watch a real, tiny model wobble under rewording. No key, no network.")
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
    from otherwords.cli.console import console
    from otherwords.cli.progress import run_progress
    from otherwords.cli.tables import print_summary
    from otherwords.pipeline.demo import NOTE, prepare_demo, report_demo, run_demo

    screen = console()
    plan = prepare_demo(out, fresh=fresh)
    screen.print(
        f"[bold]otherwords demo[/]: {len(plan.items)} questions, {len(plan.variants)} wordings "
        f"× {plan.repeats} repeats = {plan.calls} calls to {plan.models[0]}.\n{NOTE}\n"
    )
    try:
        with run_progress("asking") as on_progress:
            run_demo(plan, on_progress=on_progress)
    except KeyboardInterrupt:
        screen.print("\nStopped. Run `otherwords demo` again to go on.")
        raise SystemExit(130) from None
    with screen.status("computing and drawing"):
        data, written = report_demo(out)
    print_summary(data)
    screen.print(f"\nReport: [bold]{written[0]}[/] (open it in a browser)\nEverything: {out}")
