"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from otherwords.pipeline import Source

F = TypeVar("F", bound=Callable[..., Any])

DATASET = click.argument("dataset", metavar="DATASET_OR_TASK")

salt_option = click.option(
    "--salt-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keeps the salt of what is public; made if it is not there.  [default: the variable "
    "OTHERWORDS_SALT, else FOLDER.salt beside the public folder]",
)


def variant_options(command: F) -> F:
    for option in (
        click.option(
            "--audit",
            "audit_file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Labels for --exclude-ambiguous that `otherwords audit --json` wrote.  [default: audit now, "
            "with the usual thresholds]",
        ),
        click.option(
            "--exclude-ambiguous",
            is_flag=True,
            help="Leave out items whose options are ambiguous or unanswerable: see `otherwords audit`.",
        ),
        click.option(
            "--prompt-field",
            metavar="PLACE",
            help="Where an Inspect task keeps its prompt: input, message[0]/<tag>, …  [default: last_user]",
        ),
        click.option(
            "-T",
            "task_args",
            multiple=True,
            callback=key_values,
            metavar="NAME=VALUE",
            help="An argument of the Inspect task.",
        ),
        click.option("--seed", default=0, show_default=True, help="Of everything that is drawn."),
        click.option(
            "-k",
            "k",
            type=click.IntRange(min=1),
            help="Variants an item gets at most, beside the original.  [default: 2 of each family]",
        ),
        click.option(
            "--families",
            callback=_names,
            metavar="NAME,NAME",
            help="Kinds of change: paraphrase, format, options, naturalistic, position, control, llm.  "
            "[default: paraphrase,format,options]",
        ),
        click.option(
            "--max-items",
            "--max-tasks",
            "max_items",
            type=click.IntRange(min=1),
            metavar="N",
            help="Use only the first N items.",
        ),
    ):
        command = option(command)
    return command


def open_asked_for(named: str, options: Mapping[str, Any]) -> Source:
    """The dataset or task, without its ambiguous items where that is wanted; says what was left out."""
    where = {name: options[name] for name in ("max_items", "task_args", "prompt_field")}
    if not options["exclude_ambiguous"]:
        from otherwords.pipeline import open_source

        if options["audit_file"] is not None:
            raise click.UsageError("--audit is for --exclude-ambiguous")
        return open_source(named, **where)
    from otherwords.cli.console import console
    from otherwords.pipeline.auditing import open_without_ambiguous

    source, left_out = open_without_ambiguous(named, audit_file=options["audit_file"], **where)
    if left_out.count:
        labels = ", ".join(f"{count:,} {label}" for label, count in left_out.labels.items())
        reasons = ", ".join(f"{code} {count:,}" for code, count in left_out.reasons.items())
        said = f"Left out: {labels} ({reasons}). {left_out.kept:,} items stay."
    else:
        said = f"Left out: none. No item is ambiguous or unanswerable, and all {left_out.kept:,} stay."
    console().print(said, soft_wrap=True)
    return source


def _names(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return tuple(name.strip() for name in value.split(",") if name.strip())


def key_values(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """`name=value` pairs; a value that reads as JSON is taken as such."""
    import json

    pairs: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"'{text}' is not of the form name=value")
        try:
            pairs[name] = json.loads(value)
        except ValueError:
            pairs[name] = value
    return pairs
