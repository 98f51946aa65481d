"""Run plans, carried out for `run`: cost, pilot and question before; progress; summary, HAL's files after."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.console import (
    ask_to_go_on,
    asks_about,
    cell,
    console,
    dollars,
    is_interactive,
    print_warning,
    run_progress,
)
from otherwords.core.contract import AGENT_ERROR, ANSWERED, INTERRUPTED, NOT_RUN, OK, PROVIDER_ERROR
from otherwords.core.texts import outcome_counts, user_error_counts

if TYPE_CHECKING:
    from pathlib import Path

    from inspect_ai.model import ModelCost

    from otherwords.pipeline.estimate import RunEstimate
    from otherwords.pipeline.frozen import Writing
    from otherwords.pipeline.pilot import Measured
    from otherwords.pipeline.publish import Publishing
    from otherwords.pipeline.run_plan import RunPlan
    from otherwords.runs import Budget, RunSummary
    from otherwords.runs.logs import OutcomeCounts


LATER = "What follows can be said when they are written."
_WORDINGS_SHOWN = 8
_NAMES: dict[str, str] = {
    PROVIDER_ERROR: "provider or machine errors",
    NOT_RUN: "wordings that were not seen or not run",
}


@contextmanager
def writing_to(folders: Sequence[Path], options: Mapping[str, Any]) -> Iterator[None]:
    """No other process writes to these log folders meanwhile; a dry run writes nothing itself."""
    from otherwords.runs.lease import hold_folder

    def say(who: str) -> None:
        console().print(f"Waiting for another run in this folder: {cell(who)}", soft_wrap=True)

    if options["dry_run"]:
        with _without_bytecode():
            yield
        return
    with ExitStack() as stack:
        for folder in sorted(folders):  # so that two suites never wait for each other
            stack.enter_context(hold_folder(folder, wait=options["wait"], on_wait=say))
        yield


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """Python writes what it compiles beside a task's file or an agent's."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def print_plan(
    plan: RunPlan,
    taken: RunEstimate,
    prices: Mapping[str, ModelCost] | None = None,
    kept_at: object = None,
) -> Measured | None:
    """How many calls and tokens the plan takes, and at what price: as its logs tell, or else as a guess."""
    from otherwords.pipeline.pilot import measured_before, weight_sentence

    out = console()
    if plan.rounds is not None:
        from otherwords.pipeline.rounds import plan_sentences

        for line in plan_sentences(plan):
            out.print(cell(line), soft_wrap=True)
    for note in (*plan.source.notes, *plan.settings.notes):
        out.print(cell(note), soft_wrap=True)
    what = "runs of the agent" if plan.settings.calls_no_model else "calls"
    out.print(
        f"{len(plan.items)} items, {len(plan.variants)} wordings ({plan.rewordings} of them reworded) "
        f"× {plan.repeats} repeats × {len(plan.models)} models = [bold]{plan.calls:,} {what}[/]"
    )
    if taken.finished:
        out.print(f"{taken.finished:,} of them have finished before; {taken.calls:,} are left")
    weight = weight_sentence(plan)
    if weight:
        out.print(cell(weight), soft_wrap=True)
    measured = measured_before(plan, prices, kept_at=kept_at) if taken.calls else None
    print_estimate(plan, taken, measured)
    return measured


def print_estimate(plan: RunPlan, taken: RunEstimate, measured: Measured | None) -> None:
    """How many tokens it takes, and at what price; what an earlier run measured, where there is one."""
    out = console()
    if plan.settings.calls_no_model:
        out.print("What the agent spends on its own models is not seen here.")
    if measured is not None:
        print_measured(measured)
    if measured is not None or plan.settings.calls_no_model:
        return
    if plan.source.task is not None:
        out.print("If a sample takes one call; tools and agents take more.")
    out.print(cell(_spending(taken)), soft_wrap=True)


def _spending(taken: RunEstimate) -> str:
    said = "assumed; --max-tokens bounds it" if taken.answer_is_assumed else "the most it may have"
    tokens = (
        f"About {taken.input_tokens:,} tokens in and {taken.output_tokens:,} out "
        f"(a guess, at 4 characters a token; an answer of {taken.answer_tokens:,}, {said})"
    )
    if taken.usd is not None:
        return f"{tokens}: about {dollars(taken.usd)}"
    return f"{tokens}; the price of {', '.join(taken.unpriced)} is not known, give it with --price"


def before_writing(writing: Writing, options: Mapping[str, Any], then: str) -> None:
    """Say what a model is asked to write before the run; a dry run ends here, as it asks nobody."""
    out = console()
    out.print(
        f"First {cell(writing.model)} writes up to {writing.k} rewordings of each of "
        f"{writing.items:,} items: {writing.items:,} calls or a few more."
        + (f" {cell(writing.judge)} judges those with a flag, by two calls each." if writing.judge else "")
    )
    if options["dry_run"]:
        out.print(then)
        raise SystemExit(OK)
    ask_to_go_on(writing.items, None, yes=options["yes"])


def run_and_print(
    plan: RunPlan,
    *,
    max_connections: int | None,
    budget: Budget | None,
    prices: Mapping[str, ModelCost],
    keep_going: bool = False,
    kept_at: object = None,
) -> RunSummary:
    """Ends with 130 when interrupted; a spent budget is no error. `kept_at` is where its logs will be."""
    summary = _execute(
        plan,
        "asking",
        kept_at,
        max_connections=max_connections,
        budget=budget,
        prices=prices or None,
        keep_going=keep_going,
    )
    print_summary(summary, kept_at or plan.log_dir)
    return summary


def _execute(plan: RunPlan, doing: str, kept_at: object = None, **options: Any) -> RunSummary:
    from otherwords.pipeline.run import execute_plan

    try:
        with run_progress(doing) as on_progress:
            return execute_plan(plan, on_progress=on_progress, **options)
    except KeyboardInterrupt:
        where = kept_at or plan.log_dir
        console().print(f"\nStopped. What has finished is in {where}; run the same command again to go on.")
        raise SystemExit(INTERRUPTED) from None


def ask_with_pilots(
    planned: Sequence[tuple[RunPlan, RunEstimate, Measured | None]],
    options: Mapping[str, Any],
    budget: Budget | None,
    prices: Mapping[str, ModelCost],
    names: Sequence[str] = (),
) -> Budget | None:
    """Ask once before runs that take much, when the first items of each show how much; gives the budget left.

    Where nobody can be asked, what looks like too much is refused before anything is spent. What the logs of
    an earlier run have shown, which stands beside its plan, needs no pilot. Where there are several runs,
    `names` are theirs, and one whose pilot fails is counted as it was estimated: it is told when it is run.
    """
    from otherwords.core.errors import RunError
    from otherwords.pipeline.pilot import measured_by, pilot_of, samples_left

    yes, plans = options["yes"], [plan for plan, _, _ in planned]
    expected = [expected_of(taken, before) for _, taken, before in planned]
    pilots: dict[int, RunPlan] = {}
    if not yes and is_worth_a_pilot(plans, *_total(expected)):
        left = sum(map(samples_left, plans))
        found = ((place, pilot_of(plan, left)) for place, plan in enumerate(plans))
        pilots = {place: pilot for place, pilot in found if pilot is not None}
    for place, pilot in pilots.items():
        try:
            summary = _execute(
                pilot,
                f"asking the first items of {cell(names[place])}" if names else "asking the first items",
                max_connections=options["max_connections"],
                budget=budget,
                prices=prices or None,
                keep_going=options["keep_going"],
            )
        except RunError:
            if not names:
                raise
            continue
        if budget is not None:
            budget = budget.less(calls=summary.calls, tokens=summary.tokens, usd=summary.usd)
        is_priced = planned[place][1].usd is not None
        measured = measured_by(pilot, plans[place], summary, is_priced=is_priced)
        if measured is not None:
            print_measured(measured, *names[place : place + 1])
            left_cost = measured.left.mean
            expected[place] = (round(left_cost.calls), left_cost.usd if is_priced else None)
        if summary.stopped is not None:
            return budget
    ask_to_go_on(*_total(expected), yes=yes)
    return budget


def is_worth_a_pilot(plans: Sequence[RunPlan], calls: int, usd: float | None) -> bool:
    """Whether a run takes much, or may: not where nobody can be asked whether that is too much."""
    may_be_much = any(plan.source.task is not None or plan.settings.solver is not None for plan in plans)
    return is_interactive() if asks_about(calls, usd) else may_be_much


def expected_of(taken: RunEstimate, before: Measured | None) -> tuple[int, float | None]:
    """Calls and money that are left, as far as they are known."""
    is_known = before is not None and before.is_priced and before.sees_models
    return taken.calls, before.left.mean.usd if before is not None and is_known else taken.usd


def _total(expected: Sequence[tuple[int, float | None]]) -> tuple[int, float | None]:
    """Calls and money; the money that is known, if any is."""
    known = [usd for _, usd in expected if usd is not None]
    return sum(calls for calls, _ in expected), sum(known) if known else None


def print_measured(measured: Measured, name: str = "") -> None:
    """What was measured, and what follows from it; `name` is of what."""
    for line in measured.sentences():
        console().print(cell(f"{name}: {line}" if name else line), soft_wrap=True)


def print_summary(summary: RunSummary, log_dir: object) -> None:
    """What a run did, and what went wrong in it."""
    out = console()
    for line in summary.goals:
        out.print(f"[bold]{cell(line)}[/]", soft_wrap=True)
    money = f", {dollars(summary.usd)}" if summary.usd else ""
    out.print(
        f"{summary.finished:,}/{summary.total:,} samples finished, {summary.errored:,} failed, "
        f"{summary.reused:,} from before; {summary.calls:,} calls, {summary.tokens:,} tokens{money} "
        f"in {summary.seconds:.0f} s",
        soft_wrap=True,
    )
    counts = summary.outcomes
    others = {outcome: counts.count(outcome) for outcome in counts.by_wording if outcome != ANSWERED}
    if others:
        out.print(f"Outcomes: {counts.count(ANSWERED):,} answered, {outcome_counts(others)}", soft_wrap=True)
    for note in counts.notes:
        out.print(f"[yellow]Note:[/] {cell(note)}", soft_wrap=True)
    if counts.count(AGENT_ERROR):
        print_warning(
            f"{_of(counts.count(AGENT_ERROR), counts)} failed by the agent's own fault and count as 0 "
            f"({_by_wording(counts.by_wording[AGENT_ERROR])}), the first with {counts.first[AGENT_ERROR]}\n"
            "They are finished: the same command does not try them again."
        )
    if counts.unscored:
        print_warning(_without_score(counts))
    if counts.no_model:
        print_warning(
            f"in {_of(counts.no_model, counts)} no model was asked through Inspect; they are scored, since "
            "their solver may ask a service of its own"
        )
    if counts.failed_models:
        print_warning(f"every sample failed of {', '.join(counts.failed_models)}")
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
    erred = sum(errors for errors, _ in counts.user_errors.values())
    if erred:
        print_warning(
            f"the simulated user itself erred in {user_error_counts(counts.user_errors)}, the first with "
            f"{counts.first_user_error}\nSuch a conversation says little of the agent."
        )
    if summary.stopped:
        out.print(
            f"Stopped at the budget ({summary.stopped}). What has finished is in {cell(log_dir)}; "
            "run the same command again to go on.",
            soft_wrap=True,
        )


def _without_score(counts: OutcomeCounts) -> str:
    """Why: reason × count × one example, and what to do."""
    from otherwords.metrics.unscored_runs import ADVICE

    causes = []
    for why, count in counts.unscored.items():
        places = f" ({_by_wording(counts.by_wording[why])})" if why in counts.by_wording else ""
        first = f", the first with {counts.first[why]}" if why in counts.first else ""
        causes.append(f"{count:,} {_NAMES.get(why, why.replace('_', ' '))}{places}{first}")
    told = f"{_of(sum(counts.unscored.values()), counts)} have no score: {'; '.join(causes)}"
    advice = dict.fromkeys(ADVICE[why] for why in counts.unscored if why in ADVICE)
    return "\n".join([told, *(f"What to do: {text}." for text in advice)])


def _of(count: int, counts: OutcomeCounts) -> str:
    return f"all {counts.runs:,} samples" if count == counts.runs else f"{count:,} of {counts.runs:,} samples"


def _by_wording(found: Mapping[str, int]) -> str:
    """The wordings with the most first."""
    ordered = sorted(found.items(), key=lambda one: -one[1])
    shown = ", ".join(f"{name} {count:,}" for name, count in ordered[:_WORDINGS_SHOWN])
    rest = sum(count for _, count in ordered[_WORDINGS_SHOWN:])
    return f"{shown}, others {rest:,}" if rest else shown


def write_for_hal(
    logs: Sequence[Path],
    results_dir: Path,
    *,
    benchmark: str | None,
    run_id: str | None,
    agent_args: Mapping[str, Any],
    public: Publishing | None = None,
) -> None:
    from otherwords.pipeline.publish import write_hal_files

    for path in write_hal_files(
        logs,
        results_dir,
        benchmark=benchmark,
        run_id=run_id,
        agent_args=agent_args,
        run_command=shlex.join(["otherwords", *(click.get_current_context().find_root().obj or ())]),
        public=public,
    ):
        console().print(f"For HAL: [bold]{cell(path)}[/]", soft_wrap=True)


def print_next_command(log_dirs: Sequence[object], *, answered: bool = True) -> None:
    """Where the logs are, and the command that reads them; where nothing was answered, there is none."""
    folders = " ".join(map(str, log_dirs))
    if not answered:
        console().print(
            f"Logs: [bold]{folders}[/]\nNothing was answered: there is nothing to report yet.", soft_wrap=True
        )
        return
    console().print(f"Logs: [bold]{folders}[/]\nNext: otherwords report {folders} -o report", soft_wrap=True)
