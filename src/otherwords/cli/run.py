from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from otherwords.cli.options import DATASET, key_values, variant_options

ASK_ABOVE_CALLS = 1000


@click.command("run", short_help="Ask a model every wording, through Inspect AI; resumes where it stopped.")
@DATASET
@click.option(
    "--model", "models", multiple=True, metavar="NAME", help="An Inspect model, or gguf/smollm2. Repeatable."
)
@click.option(
    "--variants",
    "variants_file",
    type=click.Path(path_type=Path),
    help="A file that `otherwords vary` wrote.",
)
@variant_options
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Runs of each wording. With 1, wording and luck cannot be told apart.",
)
@click.option("--log-dir", type=click.Path(path_type=Path), default=Path("logs"), show_default=True)
@click.option("--max-connections", type=click.IntRange(min=1), help="Requests at once.")
@click.option("--temperature", type=float, help="Of the model.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Of each answer.")
@click.option("--system-message", help="Put before every prompt.")
@click.option(
    "-M", "model_args", multiple=True, callback=key_values, metavar="NAME=VALUE", help="For the model."
)
@click.option(
    "--constrain-choices",
    is_flag=True,
    help="Force `ANSWER: letter` on multiple choice with a grammar (models that take one, such as gguf/…).",
)
@click.option("--yes", "-y", is_flag=True, help=f"Do not ask above {ASK_ABOVE_CALLS:,} calls.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and stop.")
def command(
    dataset: str,
    models: tuple[str, ...],
    variants_file: Path | None,
    families: tuple[str, ...] | None,
    k: int | None,
    seed: int,
    max_items: int | None,
    task_args: dict[str, Any],
    prompt_field: str | None,
    repeats: int,
    log_dir: Path,
    max_connections: int | None,
    temperature: float | None,
    max_tokens: int | None,
    system_message: str | None,
    model_args: dict[str, Any],
    constrain_choices: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Ask each --model every wording, --repeats times, and keep the answers as Inspect logs.

    DATASET_OR_TASK is a file (.jsonl, .json, .csv) or anything Inspect can name (pkg/task, file.py@task).

    Give it the variants that `otherwords vary` froze; without them it makes and freezes its own in the log
    folder. Interrupted or killed, run the same command again: only what is missing is asked.

    \b
    otherwords run questions.jsonl --variants variants.jsonl --model openai/gpt-4o-mini
    otherwords run questions.jsonl --model gguf/smollm2 --repeats 2 --max-tokens 24
    otherwords run inspect_evals/gsm8k -T fewshot=0 --max-items 50 --model openai/gpt-4o-mini
    """
    from otherwords.cli.console import console, is_interactive
    from otherwords.core.errors import InputError
    from otherwords.pipeline import plan_run, run
    from otherwords.variants import DEFAULT_FAMILIES

    plan = plan_run(
        dataset,
        models,
        variants_file=variants_file,
        families=families if families is not None else DEFAULT_FAMILIES,
        k=k,
        seed=seed,
        repeats=repeats,
        max_items=max_items,
        log_dir=log_dir,
        task_args=task_args,
        prompt_field=prompt_field,
    )
    out = console()
    out.print(
        f"{len(plan.items)} items, {len(plan.variants)} wordings ({plan.rewordings} of them reworded) "
        f"× {repeats} repeats × {len(plan.models)} models = [bold]{plan.calls:,} calls[/]"
    )
    if dry_run:
        return
    if plan.calls > ASK_ABOVE_CALLS and not yes:
        if not is_interactive():
            raise InputError(
                f"{plan.calls:,} calls are more than {ASK_ABOVE_CALLS:,}", hint="Add --yes to go on."
            )
        click.confirm("Go on?", abort=True)

    from inspect_ai.model import GenerateConfig

    from otherwords.cli.progress import run_progress

    config = GenerateConfig(temperature=temperature, max_tokens=max_tokens, system_message=system_message)
    try:
        with run_progress("asking") as on_progress:
            summary = run(
                plan,
                log_dir=log_dir,
                max_connections=max_connections,
                config=config,
                model_args=model_args,
                constrain_choices=constrain_choices,
                on_progress=on_progress,
            )
    except KeyboardInterrupt:
        out.print(f"\nStopped. What has finished is in {log_dir}; run the same command again to go on.")
        raise SystemExit(130) from None
    out.print(
        f"{summary.finished}/{summary.total} samples finished, {summary.errored} failed, "
        f"{summary.reused} from before; {summary.calls:,} calls, {summary.tokens:,} tokens "
        f"in {summary.seconds:.0f} s"
    )
    out.print(f"Logs: [bold]{log_dir}[/]\nNext: otherwords report {log_dir} -o report")
