"""Options that several commands share, their help in sections, and the values or datasets that they name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from otherwords.cli.console import ASK_ABOVE_CALLS, ASK_ABOVE_USD, console
from otherwords.core.contract import (
    ANSWERED,
    DEFAULT_STRENGTH,
    ITEM,
    OUTCOMES,
    SPREAD,
    STRENGTHS,
    UNREADABLE,
)

if TYPE_CHECKING:
    from otherwords.pipeline.inputs import Source

F = TypeVar("F", bound=Callable[..., Any])
_TITLE = "title_in_help"

COUNT = click.IntRange(min=1)
SECONDS = click.FloatRange(min=0, min_open=True)
STRENGTH = click.Choice(STRENGTHS)
DATASET = click.argument("dataset", metavar="DATASET_OR_TASK")
FILE = click.Path(path_type=Path)


def dashes(name: str) -> str:
    """`--agent_dir` is `--agent-dir`."""
    return name.replace("_", "-")


def key_values(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """`name=value` pairs; a value that reads as JSON is taken as such."""
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


def read_names(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Names with commas between."""
    if value is None:
        return None
    return tuple(name.strip() for name in value.split(",") if name.strip())


def _places(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    from otherwords.core.template import require_places

    return require_places([name.strip() for value in values for name in value.split(",")] or [ITEM])


class FamiliesOption(click.Option):
    """Its help lists every variant family that is installed, with what it says of itself."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from otherwords.core.registry import FAMILIES, declared_traits

        summaries = {name: declared_traits(family).summary for name, family in FAMILIES}
        listed = [f"{name} ({summary})" if summary else name for name, summary in summaries.items()]
        self.help = (
            f"Kinds of change: {', '.join(listed)}. Those of a style take a strength from 0 to 1, as in "
            "typing=0.8.  [default: paraphrase,format,options]"
        )
        return super().get_help_record(ctx)


class CheckOption(click.Option):
    """Its help names every meaning check that is installed."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from otherwords.core.registry import Registry

        others: Registry[object] = Registry("meaning check", "otherwords.meaning_checks")
        names = ", ".join(["embedding", "entailment", "judge=MODEL", *others.names()])
        self.help = f"A meaning check beside the usual ones: {names}. Repeatable."
        return super().get_help_record(ctx)


def together(*options: Callable[[F], F], title: str | None = None) -> Callable[[F], F]:
    """Several options as one decorator, in this order; a `SectionedCommand` lists them under the title."""

    def decorate(command: F) -> F:
        before = len(getattr(command, "__click_params__", ()))
        for option in reversed(options):
            command = option(command)
        for parameter in getattr(command, "__click_params__", ())[before:]:
            if title is not None:
                setattr(parameter, _TITLE, title)
        return command

    return decorate


class SectionedCommand(click.Command):
    """Its help lists the options of each title in a section of its own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(parameter, _TITLE, "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def pairs_option(flag: str, name: str, text: str, metavar: str = "NAME=VALUE") -> Callable[[F], F]:
    return click.option(flag, name, multiple=True, callback=key_values, metavar=metavar, help=text)


def model_args_option(text: str) -> Callable[[F], F]:
    return pairs_option("-M", "model_args", text)


def dry_run_option(text: str) -> Callable[[F], F]:
    return click.option("--dry-run", is_flag=True, help=text)


task_args_option = pairs_option("-T", "task_args", "An argument of the Inspect task.")
prompt_field_option = click.option(
    "--prompt-field",
    metavar="PLACE",
    help="Where an Inspect task keeps its prompt: input, message[0]/<tag>, …  [default: last_user]. With "
    "--template, the field of a case that holds its own text.",
)
yes_option = click.option(
    "--yes",
    "-y",
    is_flag=True,
    help=f"Do not ask above {ASK_ABOVE_CALLS:,} calls or ${ASK_ABOVE_USD:,.0f}.",
)
generalize_option = click.option(
    "--generalize",
    type=click.Choice(["items", "wordings", "both"]),
    help="For whom the intervals are to speak: other items, other wordings of these items, or both.  "
    "[default: both where items share their wordings (formats, positions), else items]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="For machines: JSON on standard output.")
full_option = click.option("--full", is_flag=True, help="Print everything, instead of at most 40 lines.")
scorer_option = click.option(
    "--scorer",
    metavar="NAME[.KEY]",
    help="Which score counts where a log has several; .KEY for one of a dictionary.  [default: the first]",
)


def judge_option(default: str) -> Callable[[F], F]:
    return click.option(
        "--judge",
        metavar="MODEL",
        help="The model that decides on wordings that carry a flag, in two calls each; none for nobody.  "
        f"[default: {default}]",
    )


strength_option = click.option(
    "--strength",
    type=click.Choice((*STRENGTHS, SPREAD)),
    default=DEFAULT_STRENGTH,
    show_default=True,
    help="How far that model may go; spread is one wording of each strength in turn.",
)
check_option = click.option("--check", "checks", cls=CheckOption, multiple=True, metavar="NAME[=MODEL]")
jobs_option = click.option(
    "--jobs",
    type=COUNT,
    metavar="N",
    help="Processes that share the work once it takes long; the result is the same for any number.  "
    "[default: the cores]",
)

variant_options = together(
    click.option(
        "--max-items",
        "--max-tasks",
        "max_items",
        type=COUNT,
        metavar="N",
        help="Use only the first N items.",
    ),
    click.option("--families", cls=FamiliesOption, callback=read_names, metavar="NAME,NAME"),
    click.option(
        "-k",
        "k",
        type=COUNT,
        help="Variants an item gets at most, beside the original.  [default: 2 of each family]",
    ),
    click.option("--seed", default=0, show_default=True, help="Of everything that is drawn."),
    click.option(
        "--template",
        "templates",
        type=FILE,
        multiple=True,
        help="A prompt with {placeholders} for the fields of each case: text (.txt, .md) or messages (.yaml, "
        ".json). Several are crossed with the cases; the first is the original.",
    ),
    click.option(
        "--vary",
        callback=_places,
        multiple=True,
        metavar="PLACE,PLACE",
        help="What is reworded: item (its own text), system (the system message), template (the instruction "
        "around the item), tools (their descriptions). Several are crossed.  [default: item]",
    ),
    click.option(
        "--design",
        default="",
        metavar="KIND×KIND",
        help="Cross kinds of change, as in wording×format×order (or with x). -k is then how many levels each "
        "has beside the original.",
    ),
    click.option(
        "--fraction",
        type=click.FloatRange(0, 1, min_open=True),
        default=1.0,
        show_default=True,
        help="How many of the cells of --design each item has: a balanced part.",
    ),
    task_args_option,
    prompt_field_option,
    click.option(
        "--exclude-ambiguous",
        is_flag=True,
        help="Leave out items whose options are ambiguous or unanswerable: see `otherwords audit`.",
    ),
    click.option(
        "--audit",
        "audit_file",
        type=FILE,
        metavar="FILE",
        help="Labels for --exclude-ambiguous that `otherwords audit --json` wrote.  [default: audit now, "
        "with the usual thresholds]",
    ),
)


def open_from_options(named: str, options: Mapping[str, Any]) -> Source:
    """The dataset or task, without its ambiguous items where that is wanted; says what was left out."""
    where = {name: options[name] for name in ("max_items", "task_args", "prompt_field")}
    if options["exclude_ambiguous"] and (options["templates"] or options["vary"] != (ITEM,)):
        other = "--template" if options["templates"] else "--vary"
        raise click.UsageError(f"--exclude-ambiguous and {other} cannot be given together")
    if options["templates"]:
        from otherwords.core.template import read_templates

        where["templates"] = read_templates(options["templates"])
    if not options["exclude_ambiguous"]:
        from otherwords.pipeline.inputs import open_source

        if options["audit_file"] is not None:
            raise click.UsageError("--audit is for --exclude-ambiguous")
        source = open_source(named, vary=options["vary"], **where)
        for note in source.notes:
            console().print(note, soft_wrap=True, markup=False)
        return source
    from otherwords.pipeline.audit import open_without_ambiguous

    source, left_out = open_without_ambiguous(named, audit_file=options["audit_file"], **where)
    if left_out.count:
        labels = ", ".join(f"{count:,} {label}" for label, count in left_out.labels.items())
        reasons = ", ".join(f"{code} {count:,}" for code, count in left_out.reasons.items())
        said = f"Left out: {labels} ({reasons}). {left_out.kept:,} items stay."
    else:
        said = f"Left out: none. No item is ambiguous or unanswerable, and all {left_out.kept:,} stay."
    console().print(said, soft_wrap=True)
    return source


# ---- thresholds of `check`, and of a gate that a run may stop at


_THRESHOLDS = {
    "min_accuracy": "Accuracy over all wordings.",
    "min_s_prompt": "S_prompt.",
    "min_s_norm": "S_norm.",
    "min_consistency": "Share of items answered alike under every wording.",
    "max_flip_rate": "Share of answers that differ from the original wording's.",
    "max_accuracy_drop": "Accuracy lost by rewording.",
    "max_excess_flips": "Answers that differ from the original's, beyond run-to-run noise.",
    "max_phrasing_share": "Phrasing share of the variance between runs of an item.",
    "max_template_spread": "Accuracy of the best template minus the worst, without what noise adds.",
}


def _rates(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """`refused=0.02` as the threshold of a rate."""
    from otherwords.core.errors import InputError

    rates: dict[str, float] = {}
    for text in values:
        outcome, _, number = text.partition("=")
        known = [one for one in OUTCOMES if one != ANSWERED]
        if outcome not in known:
            raise InputError(
                f"--max-rate: there is no outcome '{outcome}'", hint=f"Outcomes: {', '.join(known)}."
            )
        try:
            rates[f"max_{outcome}_rate"] = float(number)
        except ValueError:
            raise InputError(
                f"--max-rate {text}: the rate is not a number", hint=f"For example: --max-rate {outcome}=0.02"
            ) from None
    return rates


def _threshold(name: str, text: str) -> Callable[[F], F]:
    return click.option(f"--{name.replace('_', '-')}", type=float, metavar="X", help=text)


threshold_options = together(
    *(_threshold(name, text) for name, text in _THRESHOLDS.items()),
    click.option(
        "--max-rate",
        "rates",
        multiple=True,
        callback=_rates,
        metavar="OUTCOME=X",
        help=f"Share of runs with that outcome: {', '.join(OUTCOMES[1:])}. Repeatable.",
    ),
    click.option(
        "--max-format-failure-rate",
        "unreadable",
        type=float,
        metavar="X",
        help="As --max-rate unreadable=X.",
    ),
)


def thresholds_from(options: Mapping[str, Any]) -> dict[str, float]:
    """Those of `threshold_options` that are given."""
    given: dict[str, float] = {name: options[name] for name in _THRESHOLDS if options[name] is not None}
    given |= options["rates"]
    if options["unreadable"] is not None:
        if f"max_{UNREADABLE}_rate" in given:
            raise click.UsageError("--max-format-failure-rate is the same as --max-rate unreadable=…")
        given[f"max_{UNREADABLE}_rate"] = options["unreadable"]
    return given
