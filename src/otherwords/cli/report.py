"""`otherwords report`: logs → tables, figures, a page; `review`: a variants file → a page or a data card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from otherwords.cli.console import (
    WIDTH,
    cell,
    console,
    excerpts,
    new_table,
    print_lines,
    print_salt_places,
    printable,
    speaks_for,
    working,
    wrapped,
)
from otherwords.cli.options import full_option, generalize_option, scorer_option
from otherwords.cli.publish import public_options, require_public
from otherwords.cli.verdict_output import trajectory_lines, verdict_lines
from otherwords.core.contract import ORIG
from otherwords.core.texts import evidence_lines, of_things, percent, template_lines

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize
    from otherwords.report import AgentRow, ReportData


_NOTES = 2


@click.command("report", short_help="Turn logs into tables, figures and one page.")
@click.argument("logs", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--results-dir",
    "--results_dir",
    "results_dir",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The same as LOGS.",
)
@click.option("--benchmark", metavar="NAME", help="Only this task.  [default: all]")
@click.option(
    "-o",
    "--out",
    "--output-dir",
    "--output_dir",
    "out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="A folder.",
)
@click.option("--title", default="Prompt robustness", show_default=True)
@click.option(
    "--public",
    is_flag=True,
    help="Without any prompt, answer or raw id, for sets that must not leak: items become salted hashes.",
)
@public_options
@click.option(
    "--audit",
    "audit_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Which items are ambiguous, as `otherwords audit --json` wrote it.  [default: what the options in "
    "the logs show]",
)
@scorer_option
@click.option(
    "--readable-only",
    is_flag=True,
    help="A second view, named as such: only answers that could be read count.",
)
@generalize_option
@click.option(
    "--ddof",
    type=click.IntRange(0, 1),
    default=1,
    show_default=True,
    help="Variances over wordings divide by n − this; 0 as in HAL's code.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="LOGS",
    help="An earlier run: the report names the items that broke since, and those that were fixed.",
)
@click.option(
    "--png",
    "every_png",
    is_flag=True,
    help="Every figure as a PNG file too, 300 dots an inch.  [default: three of them; all are SVG files]",
)
@click.option("--latex", is_flag=True, help="Write tables.tex too: the tables for a paper, with booktabs.")
@click.option("--badge", is_flag=True, help="Write badge.svg too: what wording does, in two words.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print every estimate as JSON and nothing else; the folder is written only if -o is given.",
)
@full_option
@click.option(
    "--strict", is_flag=True, help="Refuse a file that cannot be read, instead of naming and skipping it."
)
@click.pass_context
def report_command(
    ctx: click.Context,
    logs: tuple[Path, ...],
    results_dir: tuple[Path, ...],
    benchmark: str | None,
    out: Path,
    title: str,
    public: bool,
    salt_file: Path | None,
    model_names: bool,
    audit_file: Path | None,
    scorer: str | None,
    readable_only: bool,
    generalize: Generalize | None,
    ddof: int,
    baseline: Path | None,
    every_png: bool,
    latex: bool,
    badge: bool,
    as_json: bool,
    full: bool,
    strict: bool,
) -> None:
    """Write index.html, sensitivity_report.md, two CSVs and the figures from LOGS (files or folders).

    LOGS are Inspect logs, tables (outcomes.parquet or .csv) or other result files. When several of them hold
    the same wordings of an agent, they are runs over time: the latest is reported, with the trend of all.
    Runs that differ in settings, scorer or code are reported apart, under labels that say in what.
    Where the options of some items are ambiguous, robustness is shown with and without them.

    \b
    otherwords report logs -o report
    otherwords report results/outcomes.parquet --json
    otherwords report runs/january runs/february -o report
    otherwords report logs --baseline runs/october
    otherwords report logs --audit audit.json
    otherwords report logs --scorer grade.fluency --json
    otherwords report logs -o report --public
    """
    given = [*logs, *results_dir]
    if not given:
        raise click.UsageError("Missing argument 'LOGS...'.")
    require_public(public=public, salt_file=salt_file, model_names=model_names)

    from otherwords.pipeline.write_report import write_report

    settings: dict[str, Any] = {
        "title": title,
        "strict": strict,
        "benchmark": benchmark,
        "public": public,
        "salt_file": salt_file,
        "model_names": model_names,
        "audit_file": audit_file,
        "scorer": scorer,
        "readable_only": readable_only,
        "generalize": generalize,
        "ddof": ddof,
        "baseline": baseline,
        "latex": latex,
        "badge": badge,
    }
    if every_png:
        from otherwords.report.figures import all_figures

        settings["png"] = all_figures()
    wanted = not as_json or ctx.get_parameter_source("out") is not ParameterSource.DEFAULT
    with working("computing and drawing"):
        data, written = write_report(given, out if wanted else None, **settings)
    if as_json:
        from otherwords.report.tables import report_json

        click.echo(report_json(data))
        return
    print_summary(data, written, full=full)
    if public:
        print_salt_places(salt_file, out, [agent.task for agent in data.agents])


def print_summary(data: ReportData, written: Sequence[Path] = (), *, full: bool = False) -> None:
    """The verdicts in the terminal, in at most 40 lines of 80 columns unless `full`."""
    verdicts = [agent.verdict for agent in data.agents]
    lines = verdict_lines(verdicts, full=full)
    items = _items(data, full)
    lines += ["", *items] if items else []
    for one in data.templates:
        texts = [*one.sentences[:1], *template_lines(one)] if full else one.sentences
        lines += ["", *(line for text in texts for line in wrapped(text, "  ", ""))]
    lines += trajectory_lines(data.trajectories, full=full)
    if full:
        for agent in data.agents:
            lines += ["", *wrapped(data.name(agent), "  ", "")]
            for line in (*evidence_lines(agent.verdict), *agent.verdict.cautions, _hal(data, agent)):
                lines += wrapped(line, "    ", "  · ")
    said = speaks_for(
        ((agent.task, agent.verdict.generalizes) for agent in data.agents),
        (one.reason for agent in data.agents for one in agent.estimates.values()),
    )
    lines += [line for line in ("", *wrapped(said)) if said]
    keep = []
    notes = [*data.notes, *(f"skipped {one.file}: {one.reason}" for one in data.skipped)]
    for note in notes if full else notes[:_NOTES]:
        keep += wrapped(f"Note: {note}", "  ", "") if full else wrapped(f"Note: {note}", "  ", "")[:2]
    if not full and len(notes) > _NOTES:
        keep.append(f"{of_things(len(notes) - _NOTES, 'more note')}: --full")
    if not full and data.audited:
        from otherwords.report.messages import audit_sentences

        keep += wrapped(" ".join(audit_sentences(data)), "  ", "")[:3]
    if not full and (data.audited or data.history):
        keep.append("With and without ambiguous items, and runs over time: --full")
    if data.baseline:
        broken, fixed, same = (
            sum(counts)
            for counts in zip(
                *((len(row.broken), len(row.fixed), row.unchanged) for row in data.baseline), strict=True
            )
        )
        keep.append(
            f"Against the baseline: {broken:,} newly broken, {fixed:,} newly fixed, {same:,} unchanged"
        )
    keep += wrapped(f"Report: {written[0]}") if written else []
    print_lines(lines, full=full, keep=keep)
    if full and data.audited:
        _print_audited(data)
    if full and data.history:
        _print_history(data)


def _hal(data: ReportData, agent: AgentRow) -> str:
    from otherwords.report.formats import band_of, floor_text, interval

    found = agent.estimates
    s_prompt = found.get("s_prompt")
    ddof = " (ddof 0)" if data.ddof == 0 else ""
    return (
        f"HAL's measures: S_prompt{ddof} {interval('s_prompt', s_prompt)}, "
        f"lowest possible value {floor_text(data.floor(agent))}, "
        f"band {band_of(s_prompt.value if s_prompt else None) or 'none'}; "
        f"S_norm {interval('s_norm', found.get('s_norm'))}; "
        f"repeatability (C_out) {interval('c_out', found.get('c_out'))}"
    )


def _items(data: ReportData, full: bool) -> list[str]:
    """Items by evidence, with one line around the change of the wording that moved each most."""
    from otherwords.report import breaking_wording, most_sensitive

    lines: list[str] = []
    for agent in data.agents if full else data.agents[:1]:
        rows = most_sensitive(data, agent, 10 if full else 3)
        if not rows:
            continue
        total = of_things(agent.verdict.n_sensitive, "item")
        lines += wrapped(
            f"Items by evidence, {data.name(agent)} ({total} likely sensitive to wording):", "  ", ""
        )
        for row in rows:
            lines += wrapped(f"{row['id']} (wording matters: {percent(row['probability'])})", "    ", "  ")
            found = breaking_wording(data, agent, str(row["id"]))
            original = _original(data, agent, str(row["id"]))
            if found is None or found.prompt is None or original is None:
                continue
            scores = [f"    original {found.orig_score:.2f}: ", f"    {found.name} {found.score:.2f}: "]
            room = max(WIDTH - max(map(len, scores)), 20)
            texts = excerpts(original, found.prompt, room)
            lines += [f"{printable(score)}{text}"[:WIDTH] for score, text in zip(scores, texts, strict=True)]
    return lines


def _print_audited(data: ReportData) -> None:
    from otherwords.report.messages import audit_sentences, audit_table

    head, rows = audit_table(data)
    table = new_table("With and without ambiguous items")
    table.add_column("")
    for agent, which, *_ in rows:
        table.add_column(cell(f"{agent}\n{which}"), justify="right")
    for place, title in enumerate(head[2:], start=2):
        table.add_row("items" if title == "n" else title, *(cell(row[place]) for row in rows))
    console().print(table)
    for line in audit_sentences(data):
        console().print(f"  · {cell(line)}")


def _print_history(data: ReportData) -> None:
    from otherwords.report.formats import interval

    table = new_table("Runs over time")
    table.add_column("run")
    table.add_column("agent")
    for title in ("accuracy", "S_prompt", "lowest possible", "items"):
        table.add_column(title, justify="right")
    for point in data.history:
        table.add_row(
            cell(point.label),
            cell(point.model),
            *(interval(name, point.estimates.get(name)) for name in ("accuracy", "s_prompt")),
            "—" if point.floor is None else f"{point.floor:.2f}",
            f"{point.n_items:,}",
        )
    console().print(table)


def _original(data: ReportData, agent: AgentRow, item: str) -> str | None:
    for row in data.wordings.filter(task=agent.task, id=item, variant=ORIG).iter_rows(named=True):
        return None if row["prompt"] is None else str(row["prompt"])
    return None


@click.command("review", short_help="See every original beside its variants, as word diffs, on one page.")
@click.argument("variants", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="[default: VARIANTS with the ending .html or .md]"
)
@click.option("--card", is_flag=True, help="Write a data card in place of the page: counts, no texts.")
@click.option("--licence", default="", metavar="TEXT", help="With --card, the licence of the wordings.")
def review_command(variants: Path, out: Path | None, card: bool, licence: str) -> None:
    """Write one HTML page: each original of VARIANTS, its variants as word diffs, check results, filters.

    With --card, a data card of the set as Markdown: families, distances beside what people do, what was
    checked by which layer, languages, models and prompt versions, licence, known limits.

    \b
    otherwords review variants.jsonl
    otherwords review variants.jsonl --card --licence CC-BY-4.0
    """
    if licence and not card:
        raise click.UsageError("--licence is for --card")
    if card:
        console().print(f"Data card: [bold]{_write_card(variants, out, licence)}[/]", soft_wrap=True)
        return
    from otherwords.pipeline.write_report import review

    console().print(f"Review: [bold]{review(variants, out)}[/] (open it in a browser)", soft_wrap=True)


def _write_card(variants: Path, out: Path | None, licence: str) -> Path:
    from collections import Counter
    from dataclasses import asdict

    from otherwords.checks.base import check_traits
    from otherwords.checks.run_checks import checks_in_order
    from otherwords.core.contract import JUDGE, JUDGING
    from otherwords.core.errors import InputError
    from otherwords.core.files import write_whole
    from otherwords.core.registry import traits_of
    from otherwords.core.types import varied_text
    from otherwords.english.language import language
    from otherwords.report.review import Card, card_markdown
    from otherwords.variants.distance import PEOPLE, summarise_distances
    from otherwords.variants.file import read_variants

    page = variants.with_suffix(".md") if out is None else out
    if page.resolve() == variants.resolve():
        raise InputError("the card would replace the variants themselves", file=variants, hint="Give -o.")
    frozen = read_variants(variants)
    accepted = [one for one in frozen.accepted if one.distance is not None and traits_of(one.kind).rewords]
    kinds = {"all": accepted} | {
        kind: [one for one in accepted if one.kind == kind] for kind in sorted({one.kind for one in accepted})
    }
    found = {
        kind: asdict(one)
        for kind, group in kinds.items()
        if (one := summarise_distances([each.distance for each in group if each.distance is not None]))
    }
    order = ("n", "words", "sibling", "kept", "frame_only")
    people = {name: PEOPLE.get(name) for name in order}
    layers = {name: check_traits(check).layer for name, check in checks_in_order()}
    originals = [one.variant for one in frozen.vetted if one.variant.is_original]
    text = card_markdown(
        Card(
            variants.name,
            asdict(frozen.header),
            frozen.vetted,
            frozen.missing,
            {kind: {name: one[name] for name in order} for kind, one in found.items()} | {"people": people},
            {**layers, **dict.fromkeys(JUDGING, JUDGE)},
            Counter(language(varied_text(one.prompt)) for one in originals),
            licence,
        )
    )
    return write_whole(page, text)
