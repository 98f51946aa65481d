"""`otherwords vet`: a variants file, checked or decided again; `--benchmark`: error rates of the checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.options import (
    FILE,
    check_option,
    dry_run_option,
    jobs_option,
    json_option,
    judge_option,
)

if TYPE_CHECKING:
    from otherwords.pipeline.decisions import AppliedDecisions
    from otherwords.pipeline.gate_benchmark import GateBenchmark, Layers, Share
    from otherwords.pipeline.vet import JudgeEstimate

MOST_LISTED = 20


@click.command("vet", short_help="Check a variants file again, with a judge or with people's decisions.")
@click.argument("variants", type=FILE, required=False)
@click.option("-o", "--out", type=FILE, help="Write here instead of back to VARIANTS.")
@click.option(
    "--decisions",
    type=FILE,
    help="What people decided on the page of `otherwords review`. It counts more than flags and the judge, "
    "and never more than an invariant.",
)
@judge_option("nobody")
@check_option
@dry_run_option("Say what the judge would be asked, and stop.")
@click.option(
    "--benchmark",
    type=FILE,
    metavar="PAIRS",
    help="Instead: measure the gate on known rewrites, JSON lines with original, rewrite and kind "
    "(good, or what is wrong).",
)
@json_option
@jobs_option
def vet_command(
    variants: Path | None,
    out: Path | None,
    decisions: Path | None,
    judge: str | None,
    checks: tuple[str, ...],
    dry_run: bool,
    benchmark: Path | None,
    as_json: bool,
    jobs: int | None,
) -> None:
    """Check every line of VARIANTS again and write the new results.

    Edit a wording, add one with a name of its own, or delete a line; the originals must stay as they are. A
    file that was edited and not vetted is refused by `otherwords run`. Files of earlier versions are brought
    up to date.

    Invariants refuse a wording. Flags only ask for a look: the judge (--judge) or a person (--decisions)
    decides on what carries one, and what nobody decides is not accepted. What a judge or a person said of
    wordings that have not changed is kept.

    \b
    otherwords vet variants.jsonl
    otherwords vet variants.jsonl --judge openai/gpt-4o-mini --dry-run
    otherwords vet variants.jsonl --decisions decisions.jsonl
    otherwords vet --benchmark pairs.jsonl --json
    """
    from otherwords.checks import make_check
    from otherwords.core import cores

    _require_fitting(variants, benchmark, out=out, decisions=decisions, as_json=as_json)
    asked: dict[str, Any] = {
        "checks": [make_check(spec) for spec in checks],
        "judge": judge,
        "jobs": jobs or cores(),
    }
    if benchmark is not None:
        _measure(benchmark, asked, dry_run=dry_run, as_json=as_json)
    elif variants is not None:
        _vet(variants, out, asked | {"decisions": decisions}, dry_run=dry_run)


def _require_fitting(
    variants: Path | None, benchmark: Path | None, *, out: Path | None, decisions: Path | None, as_json: bool
) -> None:
    if (variants is None) == (benchmark is None):
        raise click.UsageError(
            "Missing argument 'VARIANTS'." if variants is None else "--benchmark is measured without VARIANTS"
        )
    if benchmark is not None and (out is not None or decisions is not None):
        raise click.UsageError(f"{'--out' if out is not None else '--decisions'} is for VARIANTS")
    if as_json and benchmark is None:
        raise click.UsageError("--json is for --benchmark")


def _vet(variants: Path, out: Path | None, asked: dict[str, Any], *, dry_run: bool) -> None:
    from otherwords.cli.console import console, print_coverage, progress_bar
    from otherwords.pipeline.vet import estimate_judging, vet_file

    with progress_bar("vetting", unit="items") as advance:
        if dry_run:
            estimate = estimate_judging(variants, on_item=advance, **asked)
        else:
            covered = vet_file(variants, out, on_item=advance, **asked)
    if dry_run:
        _print_estimate(estimate)
        return
    print_coverage(covered, out or variants)
    if covered.decisions is not None:
        _print_decisions(covered.decisions, asked["decisions"])
    console().print(f"Written: [bold]{out or variants}[/]", soft_wrap=True)


def _print_estimate(estimate: JudgeEstimate) -> None:
    from otherwords.cli.console import console

    console().print(
        f"The judge would be asked about {estimate.pairs:,} variants that carry a flag: {estimate.calls:,} "
        f"calls, about {estimate.input_tokens:,} tokens in. Nothing was asked, nothing was written.",
        soft_wrap=True,
    )


def _print_decisions(found: AppliedDecisions, given: Path | None) -> None:
    from otherwords.cli.console import console, print_warning

    if given is not None:
        console().print(f"{found.applied:,} decisions applied", soft_wrap=True)
    for names, why in (
        (found.unfitting, "not applied, since they were made of other wordings than the file has now"),
        (found.outdated, "dropped from the file, since the wordings were edited after they were made"),
        (found.refused, "without effect, since an invariant refuses the variant"),
    ):
        if names:
            more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
            print_warning(f"{len(names):,} decisions {why}: {', '.join(names[:MOST_LISTED])}{more}")


def _measure(benchmark: Path, asked: dict[str, Any], *, dry_run: bool, as_json: bool) -> None:
    from otherwords.cli.console import print_json, progress_bar
    from otherwords.pipeline.gate_benchmark import estimate_gate, measure_gate

    with progress_bar("vetting", unit="rewrites") as advance:
        if dry_run:
            estimate = estimate_gate(benchmark, on_item=advance, **asked)
        else:
            measured = measure_gate(benchmark, on_item=advance, **asked)
    if dry_run:
        _print_estimate(estimate)
    elif as_json:
        print_json(measured)
    else:
        _print_benchmark(measured)


def _print_benchmark(measured: GateBenchmark) -> None:
    from otherwords.cli.console import cell, console, judging, new_table

    out = console()
    rows = [*measured.kinds, measured.all_bad] if measured.all_bad.pairs else list(measured.kinds)
    table = new_table(f"{measured.pairs:,} known rewrites, {measured.language_model or 'no English model'}")
    for heading in ("kind", "rewrites", *(name for name, _ in _COLUMNS)):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for row in rows:
        table.add_row(
            cell(row.kind), f"{row.pairs:,}", *(_said(getattr(row, field)) for _, field in _COLUMNS)
        )
    out.print(table)
    if measured.judged is not None:
        out.print(_judge_table(rows, measured))
        out.print(judging(measured.judged), soft_wrap=True)
    rates = new_table("How often each check objects, whatever the others say")
    for heading in ("check", "layer", "good", "only it", "bad"):
        rates.add_column(heading, justify="left" if heading in ("check", "layer") else "right")
    for one in measured.rates:
        rates.add_row(cell(one.check), one.layer, _said(one.good), f"{one.alone_on_good:,}", _said(one.bad))
    out.print(rates)
    out.print("Shares with Wilson's 95% interval. Noticed is refused or sent to the judge.", soft_wrap=True)
    if measured.not_english:
        out.print(
            f"{measured.not_english:,} rewrites have an original that is not in English: checks of words do "
            "not apply to them.",
            soft_wrap=True,
        )


_COLUMNS = (
    ("refused by invariants", "invariants_refused"),
    ("sent to the judge", "flags_sent"),
    ("accepted unflagged", "unflagged"),
    ("noticed", "noticed"),
)
_JUDGED = (
    ("judge accepts", "judge_accepted"),
    ("judge refuses", "judge_refused"),
    ("judge undecided", "judge_undecided"),
    ("accepted in all", "accepted"),
    ("refused in all", "refused"),
    ("undecided in all", "undecided"),
)


def _judge_table(rows: list[Layers], measured: GateBenchmark) -> Any:
    from otherwords.cli.console import cell, new_table
    from otherwords.core.contract import JUDGE

    model = measured.checks[JUDGE].get("model", "")
    table = new_table(f"With the judge {cell(model)}: of those sent to it, and of all")
    for heading in ("kind", *(name for name, _ in _JUDGED)):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for row in rows:
        table.add_row(cell(row.kind), *(_said(getattr(row, field)) for _, field in _JUDGED))
    return table


def _said(share: Share | None) -> str:
    """`12 4.1% (2.4–7.0)`."""
    if share is None or share.share is None or share.low is None or share.high is None:
        return "–"
    return f"{share.count:,} {share.share:.1%} ({100 * share.low:.1f}–{100 * share.high:.1f})"
