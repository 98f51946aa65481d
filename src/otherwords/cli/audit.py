"""`otherwords audit`: items → clean, ambiguous or unanswerable, by rules or models; as files, exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from otherwords.cli.console import (
    ask_to_go_on,
    cell,
    console,
    new_table,
    progress_bar,
    run_progress,
    working,
)
from otherwords.cli.options import (
    COUNT,
    DATASET,
    dry_run_option,
    model_args_option,
    prompt_field_option,
    task_args_option,
    yes_option,
)
from otherwords.core.contract import AMBIGUOUS, AUDIT_GATES, CLEAN, UNANSWERABLE

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.audit import Audit, Critic
    from otherwords.core.types import Item
    from otherwords.pipeline.audit import AuditSource, ChoicesOnlyPlan
    from otherwords.pipeline.estimate import RunEstimate

F = TypeVar("F", bound=Callable[..., Any])

SHARE = click.FloatRange(0, 1, min_open=True)
DISTANCE = click.FloatRange(0, 1, max_open=True)
LONGEST_OPTION = 40
MOST_OPTIONS = 6
_MEANING: dict[str, str] = {
    CLEAN: "no reason was found",
    AMBIGUOUS: "more than one option may be right, or they cannot be told apart",
    UNANSWERABLE: "no option can be chosen and be right",
}


def _threshold(flag: str, kind: click.FloatRange, default: float, text: str) -> Callable[[F], F]:
    return click.option(flag, type=kind, default=default, show_default=True, metavar="X", help=text)


@click.command("audit", short_help="Find items that are ambiguous before any rewording.")
@DATASET
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write labels and counts here.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Write a row for each item here.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(AUDIT_GATES),
    help="End with exit code 1 when this is found, for CI; ambiguous means any item that is not clean. "
    "Repeatable.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODE",
    help="A reason that does not count, such as boolean_like or meta_option:other. Repeatable.",
)
@click.option(
    "--worst", type=click.IntRange(min=0), default=10, show_default=True, metavar="N", help="Items to show."
)
@click.option("--max-items", type=COUNT, metavar="N", help="Only the first N items.")
@_threshold(
    "--near-duplicate", SHARE, 0.9, "Share of words (Jaccard) from which two options are nearly the same."
)
@_threshold(
    "--crowding", DISTANCE, 0.01, "Distance of two numbers up to which they are crowded, of four or more."
)
@_threshold("--crowding-of-three", DISTANCE, 0.0015, "The same with exactly three numbers.")
@_threshold("--crowding-of-three-strict", DISTANCE, 0.002, "The same with --strict.")
@click.option("--strict", is_flag=True, help="Use --crowding-of-three-strict.")
@click.option(
    "--years-crowd", is_flag=True, help="Years, such as 1914 and 1915, may be crowded too.  [default: not]"
)
@click.option(
    "--boolean-tokens",
    type=COUNT,
    default=2,
    show_default=True,
    metavar="N",
    help="Words up to which an option is read as yes, no, true, false or maybe.",
)
@click.option(
    "--most-options",
    type=COUNT,
    default=100,
    show_default=True,
    metavar="N",
    help="Options beyond which an item's are not compared with one another.",
)
@_threshold(
    "--near-duplicate-items",
    SHARE,
    0.9,
    "Share of words (Jaccard) from which two items are nearly the same.",
)
@_threshold(
    "--significance",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.05,
    "Of the test whether the right answers stand at every letter equally often.",
)
@click.option("--critic", "critic_model", metavar="MODEL", help="Let this Inspect model look at the options.")
@click.option("--critic-sees-question", is_flag=True, help="Show it the question too.  [default: not]")
@click.option(
    "--choices-only",
    "choices_only_model",
    metavar="MODEL",
    help="Ask this Inspect model the options without the question, and compare it with chance.",
)
@click.option("--constrain-choices", is_flag=True, help="As in `otherwords run`, for --choices-only.")
@click.option("--max-tokens", type=COUNT, metavar="N", help="Of each answer to --choices-only.")
@model_args_option("An argument of its model.")
@click.option(
    "--log-dir",
    type=click.Path(path_type=Path),
    default=Path("audit-logs"),
    show_default=True,
    help="The logs of --choices-only; run again, it goes on from them.",
)
@click.option(
    "--max-connections", type=COUNT, default=8, show_default=True, metavar="N", help="Requests at once."
)
@click.option("--no-cache", is_flag=True, help="Ask the critic again even what it was asked before.")
@click.option("--price", "prices", multiple=True, metavar="IN,OUT", help="As in `otherwords run`.")
@yes_option
@dry_run_option("Say what the models would take, and ask none.")
@task_args_option
@prompt_field_option
def audit_command(dataset: str, **options: Any) -> None:
    """Label every multiple-choice item clean, ambiguous or unanswerable, with the reasons.

    DATASET_OR_TASK is a file (.jsonl, .json, .csv, .parquet, .arrow) or anything Inspect can name. Lines with
    only `choices` (and perhaps `id`) will do: the labels come from the options alone, the question is never
    read for them.

    Ambiguous options make a model look fragile that is not: where two answers are right, rewording moves it
    from one to the other. Leave such items out with `otherwords run --exclude-ambiguous`, or see what they
    change in the report, which shows robustness with and without them.

    Beside the labels: where the right answers stand and how long they are, items that are there twice, and
    with --choices-only whether the options alone give the answer away. No model is asked unless --critic or
    --choices-only names one.

    \b
    otherwords audit questions.jsonl
    otherwords audit questions.jsonl --json audit.json --csv audit.csv
    otherwords audit questions.jsonl --strict --ignore boolean_like --fail-on ambiguous
    otherwords audit inspect_evals/mmlu_0_shot --max-items 500 --choices-only openai/gpt-4o-mini
    otherwords report logs --audit audit.json
    """
    from dataclasses import replace

    from otherwords.audit import AuditSettings
    from otherwords.pipeline.audit import audit_dataset, read_for_audit

    names = (
        *("near_duplicate", "crowding", "crowding_of_three", "crowding_of_three_strict", "strict"),
        *("years_crowd", "boolean_tokens", "most_options", "near_duplicate_items", "significance", "ignore"),
    )
    settings = AuditSettings(**{name: options[name] for name in names})
    source = read_for_audit(
        dataset,
        max_items=options["max_items"],
        task_args=options["task_args"],
        prompt_field=options["prompt_field"],
    )
    asking = _Asking(source, options)
    if not asking.may_go_on():
        return
    with working("auditing"):
        found = audit_dataset(source.items, settings, name=source.name)
    audit = asking.criticised(found)
    audit = replace(audit, choices_only=asking.without_questions())
    print_audit(audit, source.items, worst=options["worst"])
    _write(audit, source.items, dataset, options)
    _gate(audit, options["fail_on"])


class _Asking:
    """What models are asked, after what it takes was said."""

    def __init__(self, source: AuditSource, options: dict[str, Any]) -> None:
        from otherwords.pipeline.audit import plan_choices_only
        from otherwords.pipeline.estimate import parse_prices

        self.source, self.options = source, options
        self.critic: Critic | None = None
        self.plan: ChoicesOnlyPlan | None = None
        model = options["critic_model"]
        if model is not None:
            from otherwords.audit import Critic
            from otherwords.runs.resolve import require_models

            require_models([model])
            self.critic = Critic(
                model,
                sees_question=options["critic_sees_question"],
                concurrency=options["max_connections"],
                cache=not options["no_cache"],
            )
        if options["choices_only_model"] is not None:
            self.plan = plan_choices_only(
                source.name,
                source.items,
                options["choices_only_model"],
                log_dir=options["log_dir"],
                max_tokens=options["max_tokens"],
                constrain_choices=options["constrain_choices"],
                model_args=options["model_args"],
            )
        models = [name for name in (model, options["choices_only_model"]) if name is not None]
        self.prices: dict[str, ModelCost] = parse_prices(options["prices"], models) if models else {}

    def may_go_on(self) -> bool:
        """Says what it takes, and asks about much. A dry run stops here, where there is anything to say."""
        from otherwords.pipeline.audit import estimate_choices_only, estimate_critic

        taken = []
        if self.critic is not None:
            taken.append(("the critic", estimate_critic(self.source.items, self.critic, self.prices)))
        if self.plan is not None:
            taken.append(("the options without questions", estimate_choices_only(self.plan, self.prices)))
        if not taken:
            return True
        calls, usd = tell_calls(taken)
        if self.options["dry_run"]:
            return False
        ask_to_go_on(calls, usd, yes=self.options["yes"])
        return True

    def criticised(self, audit: Audit) -> Audit:
        if self.critic is None:
            return audit
        from otherwords.pipeline.audit import with_critic

        with progress_bar("asking the critic", unit="items") as advance:
            return with_critic(audit, self.source.items, self.critic, on_item=advance)

    def without_questions(self) -> Any:
        if self.plan is None:
            return None
        from otherwords.pipeline.audit import run_choices_only

        with run_progress("asking without questions") as on_progress:
            found, _ = run_choices_only(
                self.plan,
                max_connections=self.options["max_connections"],
                prices=self.prices or None,
                on_progress=on_progress,
            )
        return found


def _write(audit: Audit, items: list[Item], dataset: str, options: dict[str, Any]) -> None:
    from otherwords.audit import audit_json
    from otherwords.core.files import write_all
    from otherwords.pipeline.audit import audit_csv

    files: dict[Path, str] = {}
    if options["json_file"] is not None:
        files[options["json_file"]] = audit_json(audit)
    if options["csv_file"] is not None:
        files[options["csv_file"]] = audit_csv(audit, items)
    for path in write_all(files):
        console().print(f"Written: [bold]{cell(path)}[/]", soft_wrap=True)
    if audit.flagged:
        _print_next_command(audit, dataset, options["json_file"])


def _print_next_command(audit: Audit, dataset: str, json_file: Path | None) -> None:
    """A run audits by the usual thresholds; other labels reach it through their file."""
    from otherwords.audit import AuditSettings

    usual = audit.settings == AuditSettings() and audit.critic is None
    given = "" if json_file is None and usual else f" --audit {json_file or 'FILE'}"
    first = "" if json_file is not None or usual else "write the labels with --json FILE, then "
    console().print(
        cell(f"Next: {first}otherwords run {dataset} --exclude-ambiguous{given} --model MODEL"),
        soft_wrap=True,
    )


def _gate(audit: Audit, names: tuple[str, ...]) -> None:
    from otherwords.audit import GATES
    from otherwords.core.errors import GateFailed

    failed = [said for name in names if (said := GATES[name](audit)) is not None]
    if failed:
        raise GateFailed("\n".join(failed))


def print_audit(audit: Audit, items: Sequence[Item], *, worst: int) -> None:
    """The labels with their reasons, what was found beside them, and the worst items."""
    from otherwords.audit import REASONS, findings

    screen = console()
    total = len(audit.decisions)
    table = new_table(cell(f"{audit.name}: {total:,} items with options"))
    table.add_column("")
    table.add_column("items", justify="right")
    table.add_column("", justify="right")
    table.add_column("", ratio=1)
    for label, count in audit.labels.items():
        table.add_row(f"[bold]{label}[/]", f"{count:,}", _share(count, total), _MEANING[label])
    if audit.without_options:
        table.add_row("not audited", f"{audit.without_options:,}", "", "they have no options")
    if audit.reasons:
        table.add_section()
    for code, count in audit.reasons.items():
        table.add_row(code, f"{count:,}", _share(count, total), REASONS[code])
    screen.print(table)
    for name, said in findings(audit):
        screen.print(f"[bold]{name[0].upper()}{name[1:]}[/]: {cell(said)}.")
    _print_worst(audit, items, worst)


def _print_worst(audit: Audit, items: Sequence[Item], count: int) -> None:
    rows = audit.worst(count)
    if not rows:
        return
    by_id = {item.id: item for item in items}
    shown = f"{len(rows):,} of {len(audit.flagged):,}" if len(audit.flagged) > len(rows) else f"{len(rows):,}"
    table = new_table(f"The worst items ({shown})", show_lines=True)
    table.add_column("item", overflow="fold")
    table.add_column("label")
    table.add_column("reasons", overflow="fold")
    table.add_column("options", ratio=1)
    for one in rows:
        table.add_row(cell(one.id), one.label, "\n".join(one.reasons), _options(by_id[one.id].choices))
    console().print(table)


def _options(choices: Sequence[str]) -> str:
    from otherwords.core.types import letter_of

    lines = []
    for place, choice in enumerate(choices[:MOST_OPTIONS]):
        text = " ".join(choice.split())
        if len(text) > LONGEST_OPTION:
            text = text[: LONGEST_OPTION - 1] + "…"
        lines.append(f"{letter_of(place)}) {text}".rstrip())
    if len(choices) > MOST_OPTIONS:
        lines.append(f"and {len(choices) - MOST_OPTIONS:,} more")
    return cell("\n".join(lines))


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.0f}%" if total else "—"


def tell_calls(taken: Sequence[tuple[str, RunEstimate]]) -> tuple[int, float | None]:
    """What the models will take; gives the calls and their price, where it is known."""
    out = console()
    calls, usd = 0, 0.0
    unpriced: list[str] = []
    for what, one in taken:
        before = f", {one.finished:,} have finished before" if one.finished else ""
        out.print(
            f"For {what}: [bold]{one.calls:,} calls[/]{before}; about {one.input_tokens:,} tokens in and "
            f"{one.output_tokens:,} out",
            soft_wrap=True,
        )
        calls += one.calls
        usd += one.usd or 0.0
        unpriced += one.unpriced
    if unpriced:
        names = cell(", ".join(dict.fromkeys(unpriced)))
        out.print(f"The price of {names} is not known, give it with --price", soft_wrap=True)
        return calls, None
    out.print(f"About ${usd:,.2f}")
    return calls, usd
