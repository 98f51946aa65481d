"""`otherwords shards`: a run's arguments → files by which Slurm or Kubernetes run each shard of it."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.console import cell, console
from otherwords.cli.options import COUNT, FILE
from otherwords.cli.run import named_source, run_command
from otherwords.cli.run_shards import cut_from_options, is_cut
from otherwords.core.errors import InputError
from otherwords.core.files import as_typed


@click.command(
    "shards",
    short_help="Cut a run into shards for Slurm or Kubernetes, with a script for each.",
    context_settings={"ignore_unknown_options": True},
)
@click.option("--shards", "-n", "count", type=COUNT, required=True, metavar="N", help="How many.")
@click.option(
    "--out", "-o", type=FILE, default=Path("shards"), show_default=True, help="The folder of the files."
)
@click.option(
    "--at-once", type=COUNT, default=10, show_default=True, help="Shards that run at the same time."
)
@click.option(
    "--image", default="otherwords:latest", show_default=True, help="The container of Kubernetes' pods."
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="DATASET_OR_TASK [OPTIONS OF RUN]")
@click.pass_context
def shards_command(
    ctx: click.Context, count: int, out: Path, at_once: int, image: str, arguments: tuple[str, ...]
) -> None:
    """Write what a cluster needs to run each shard by itself: `otherwords run … --shard I/N`.

    Behind its own options come the arguments of `otherwords run`. It writes slurm.sh (an array job) and
    kubernetes.yaml (an indexed job), and with --variants the wordings of each part as a file of its own, so
    that no shard reads those of others. A --budget and a --rate-limit are shared out evenly. Shards may run
    in any order and more than once: only what is missing is asked. When all have ended, the logs are read as
    those of one run.

    \b
    otherwords shards -n 40 questions.jsonl --variants variants.jsonl --model openai/gpt-4o-mini
    sbatch shards/slurm.sh
    otherwords aggregate --logs logs --out results
    """
    from otherwords.pipeline.shards import write_shards
    from otherwords.runs.settings import refuse_written_keys

    with run_command.make_context("run", list(arguments), parent=ctx.parent) as asked:
        options = dict(asked.params)
    if is_cut(options) or options["shard"] is not None or options["config"] is not None:
        raise InputError(
            "otherwords shards cuts the run itself: leave out --shard, --shards, --executor and --config"
        )
    for name in ("model_args", "agent_args"):
        refuse_written_keys(options[name], "a script")
    source, run = cut_from_options(named_source(options.pop("task"), options["benchmark"]), options, count)
    written = write_shards(
        run,
        source,
        out,
        arguments=arguments,
        at_once=at_once,
        image=image,
        variants_file=options["variants_file"],
    )
    console().print(
        f"{len(source.items):,} items in {run.shards[0].parts:,} parts: {count:,} shards, "
        f"{len(written):,} files in [bold]{cell(out)}[/]",
        soft_wrap=True,
    )
    console().print(
        f"Slurm: sbatch {cell(out / 'slurm.sh')}\n"
        f"Kubernetes: kubectl apply -f {cell(out / 'kubernetes.yaml')}\n"
        f"Then: otherwords aggregate --logs {cell(as_typed(options['log_dir']))} --out results",
        soft_wrap=True,
    )
