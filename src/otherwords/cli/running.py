"""What `otherwords run` says before, while and after it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from otherwords.cli.console import console, is_interactive, print_warning, printable, tell_salt
from otherwords.cli.progress import run_progress
from otherwords.cli.run_options import ASK_ABOVE_CALLS, ASK_ABOVE_USD
from otherwords.core.errors import InputError

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.pipeline import RunEstimate, RunPlan, Writing
    from otherwords.pipeline.publishing import Publishing
    from otherwords.runs import Budget, RunSummary


def tell_plan(plan: RunPlan, taken: RunEstimate) -> None:
    out = console()
    what = "runs of the agent" if plan.settings.calls_no_model else "calls"
    out.print(
        f"{len(plan.items)} items, {len(plan.variants)} wordings ({plan.rewordings} of them reworded) "
        f"× {plan.repeats} repeats × {len(plan.models)} models = [bold]{plan.calls:,} {what}[/]"
    )
    if taken.finished:
        out.print(f"{taken.finished:,} of them have finished before; {taken.calls:,} are left")
    if plan.settings.calls_no_model:
        out.print("What the agent spends on its own models is not seen here.")
        return
    if plan.source.task is not None:
        out.print("If a sample takes one call; tools and agents take more.")
    out.print(escape(_spending(taken)), soft_wrap=True)


def _spending(taken: RunEstimate) -> str:
    said = "assumed; --max-tokens bounds it" if taken.answer_is_assumed else "the most it may have"
    tokens = (
        f"About {taken.input_tokens:,} tokens in and {taken.output_tokens:,} out "
        f"(4 characters a token; an answer of {taken.answer_tokens:,}, {said})"
    )
    if taken.usd is not None:
        return f"{tokens}: about {_dollars(taken.usd)}"
    return f"{tokens}; the price of {', '.join(taken.unpriced)} is not known, give it with --price"


def tell_writing(writing: Writing) -> None:
    console().print(
        f"First {escape(printable(writing.model))} writes up to {writing.k} rewordings of each of "
        f"{writing.items:,} items: {writing.items:,} calls or a few more."
    )


def ask_to_go_on(calls: int, usd: float | None, *, yes: bool) -> None:
    much = [
        *([f"{calls:,} calls are more than {ASK_ABOVE_CALLS:,}"] if calls > ASK_ABOVE_CALLS else []),
        *([f"${usd:,.2f} is more than ${ASK_ABOVE_USD:,.0f}"] if usd and usd > ASK_ABOVE_USD else []),
    ]
    if not much or yes:
        return
    if not is_interactive():
        raise InputError(", and ".join(much), hint="Add --yes to go on.")
    click.confirm("Go on?", abort=True)


def run_and_tell(
    plan: RunPlan,
    *,
    max_connections: int | None,
    budget: Budget | None,
    prices: Mapping[str, ModelCost],
    what: str = "asking",
) -> RunSummary:
    """Ends with 130 when interrupted; a spent budget is no error."""
    from otherwords.pipeline import run

    out = console()
    try:
        with run_progress(what) as on_progress:
            summary = run(
                plan,
                max_connections=max_connections,
                budget=budget,
                prices=prices or None,
                on_progress=on_progress,
            )
    except KeyboardInterrupt:
        out.print(f"\nStopped. What has finished is in {plan.log_dir}; run the same command again to go on.")
        raise SystemExit(130) from None
    out.print(_told(summary), soft_wrap=True)
    if summary.first_error is not None:
        failed = "all failed" if failed_everywhere(summary) else f"{summary.errored:,} failed"
        print_warning(
            f"of {summary.total:,} samples {failed}, the first with {summary.first_error}\n"
            "They are in the logs, without a score. The same command tries them again."
        )
    if summary.self_scored:
        print_warning(
            f"{summary.self_scored:,} of {summary.total:,} scores are the agent's own word: its answers have "
            "a reward, and no taken_actions that could be taken again and judged"
        )
    if summary.first_unjudged is not None:
        print_warning(
            f"{summary.unjudged:,} of {summary.total:,} samples have no score, as the agent's answers cannot "
            f"be judged, the first because {summary.first_unjudged}"
        )
    if summary.stopped:
        out.print(
            f"Stopped at the budget ({summary.stopped}). What has finished is in {plan.log_dir}; "
            "run the same command again to go on.",
            soft_wrap=True,
        )
    return summary


def failed_everywhere(summary: RunSummary) -> bool:
    """Whether there is not one score; each failure is a result in the logs all the same."""
    return summary.errored == summary.total


def _told(summary: RunSummary) -> str:
    spent = f"{summary.calls:,} calls, {summary.tokens:,} tokens"
    if summary.usd:
        spent += f", {_dollars(summary.usd)}"
    return (
        f"{summary.finished}/{summary.total} samples finished, {summary.errored} failed, "
        f"{summary.reused} from before; {spent} in {summary.seconds:.0f} s"
    )


def _dollars(usd: float) -> str:
    """In cents, or in hundredths of a cent where there is less than one."""
    return f"${usd:,.2f}" if usd >= 0.01 or usd == 0 else f"${max(usd, 0.0001):.4f}"


def write_for_hal(
    logs: Sequence[Path],
    results_dir: Path,
    *,
    benchmark: str | None,
    run_id: str | None,
    agent_args: Mapping[str, Any],
    public: Publishing | None = None,
) -> None:
    from otherwords.pipeline.hal_files import write_hal_files

    for path in write_hal_files(
        logs, results_dir, benchmark=benchmark, run_id=run_id, agent_args=agent_args, public=public
    ):
        console().print(f"For HAL: [bold]{escape(str(path))}[/]", soft_wrap=True)


def prepare_public(options: Mapping[str, Any], log_dir: Path) -> Publishing | None:
    if options["public"] is None:
        return None
    from otherwords.pipeline.publishing import prepare_publishing

    return prepare_publishing(options["public"], salt_file=options["salt_file"], private=[log_dir])


def publish(public: Publishing, logs: Sequence[Path], salt_file: Path | None, part: str = "") -> None:
    written = public.logs(logs, part)
    console().print(
        f"Public: [bold]{escape(str(public.folder / part))}[/] ({len(written)} logs)", soft_wrap=True
    )
    tell_salt(salt_file, public.folder)


def tell_next(log_dirs: Sequence[object]) -> None:
    folders = " ".join(map(str, log_dirs))
    console().print(f"Logs: [bold]{folders}[/]\nNext: otherwords report {folders} -o report", soft_wrap=True)
