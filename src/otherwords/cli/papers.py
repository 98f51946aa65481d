"""For papers: `cite`, `bundle` and `verify` a bundle, `study` many runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import print_json, print_lines, text_table, working, wrapped
from otherwords.cli.options import full_option, json_option, scorer_option

if TYPE_CHECKING:
    from otherwords.report.study import StudyTable

FORMAT, VERSION = "otherwords-study", 1


@click.command("study", short_help="Many agents on many benchmarks: does robustness transfer?")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUNS...")
@click.option(
    "--models",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A YAML file with family, size (billions of parameters) and date of the models.",
)
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure of robustness.  [default: s_corrected; s_prompt where a wording was asked once]",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("study"),
    show_default=True,
    help="The folder of the page, study.csv, study.tex and the figures.",
)
@scorer_option
@full_option
@json_option
def study_command(
    runs: tuple[Path, ...],
    models: Path | None,
    measure: str | None,
    out: Path,
    scorer: str | None,
    full: bool,
    as_json: bool,
) -> None:
    """Does robustness transfer from benchmark to benchmark? RUNS are logs or tables of several agents.

    Correlations over agents have the noise of each estimate taken out; what too few agents or benchmarks
    cannot tell is said to be so. With --models: how robustness goes with size, date and family. And how far
    rankings of the agents hold over wordings.

    \b
    otherwords study logs/gpqa logs/mmlu -o study
    otherwords study runs/* --models models.yaml --measure excess_flips
    """
    from otherwords.pipeline.study import study, study_tables, write_study

    with working("comparing"):
        found = study(list(runs), models=models, measure=measure, scorer=scorer)
        written = write_study(found, out)
    if as_json:
        print_json(
            {
                "format": FORMAT,
                "version": VERSION,
                "sentence": found.sentence,
                "measure": found.measure,
                "agents": found.agents,
                "transfers": found.transfers,
                "transfers_of_accuracy": found.accuracy,
                "trends": found.trends,
                "rankings": found.rankings,
                "notes": found.notes,
            }
        )
        return
    lines = [*wrapped(found.sentence, "  ", ""), found.about]
    for table in study_tables(found):
        lines += _lines(table, full=full)
    keep = [
        line for note in found.notes[: None if full else 3] for line in wrapped(f"Note: {note}", "  ", "")
    ]
    print_lines(lines, full=full, keep=[*keep, *wrapped(f"Study: {written[0]}")])


def _lines(table: StudyTable, *, full: bool) -> list[str]:
    """A table without the columns that explain, in a terminal."""
    rows = table.rows if full else table.rows[:8]
    if not rows:
        return []
    kept = {"transfer": (0, 1, 2, 6, 7), "robustness": (0, 1, 2)}.get(table.name, range(len(table.head)))
    shown = [[row[place] for place in kept] for row in (table.head, *rows)]
    left = len(table.rows) - len(rows)
    more = [f"  and {left:,} more: --full"] if left else []
    return ["", table.title, *(f"  {line}" for line in text_table(shown)), *more]
