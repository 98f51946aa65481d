"""`otherwords study` (compares runs from logs), `bundle`, `verify` (of a bundle), `cite` with its texts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import print_json, print_lines, text_table, working, wrapped
from otherwords.cli.options import full_option, generalize_option, json_option, scorer_option
from otherwords.cli.publish import public_options, require_public
from otherwords.core.texts import of_things

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize
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


@click.command("bundle", short_help="Put a run into one file from which its estimates can be computed again.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The zip file.",
)
@click.option(
    "--variants",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The wordings that were asked.  [default: the variants files beside the logs]  Repeatable.",
)
@click.option(
    "--public",
    is_flag=True,
    help="For sets that must not leak: scores and names of wordings only, without the variants.",
)
@public_options
@generalize_option
@scorer_option
def bundle_command(
    runs: tuple[Path, ...],
    out: Path,
    variants: tuple[Path, ...],
    public: bool,
    salt_file: Path | None,
    model_names: bool,
    generalize: Generalize | None,
    scorer: str | None,
) -> None:
    """Write variants, settings, table, estimates, report, versions and hashes of all of them into one file.

    It is private, with prompts and answers, unless made with --public. The same runs give the same bytes if
    SOURCE_DATE_EPOCH says the date. `otherwords verify` checks it.

    \b
    otherwords bundle logs -o bundle.zip
    otherwords bundle logs -o public.zip --public
    """
    require_public(public=public, salt_file=salt_file, model_names=model_names)

    from otherwords.pipeline.bundle import write_bundle

    with working("bundling"):
        made = write_bundle(
            list(runs),
            out,
            variants=variants,
            public=public,
            salt_file=salt_file,
            model_names=model_names,
            scorer=scorer,
            generalize=generalize,
        )
    for note in made.notes:
        click.echo(f"Note: {note}")
    kind = "public" if public else "private: it holds prompts and answers"
    click.echo(f"Bundle: {made.path} ({of_things(len(made.files), 'file')}; {kind})")
    click.echo(f"SHA-256: {made.sha256}")


@click.command("verify", short_help="Check the hashes of a bundle and compute its estimates again.")
@click.argument("bundle", type=click.Path(path_type=Path))
@json_option
def verify_command(bundle: Path, as_json: bool) -> None:
    """Exit code 1 if a file of BUNDLE is missing or changed, or an estimate does not follow from its table.

    The estimates are computed again from the table; the variants are compared with the hashes of what was
    asked. Who changes a file can change its hash in the manifest too: compare the SHA-256 of the whole with
    the one in the paper.

    \b
    otherwords verify bundle.zip
    """
    from otherwords.pipeline.bundle import verify_bundle

    with working("verifying"):
        found = verify_bundle(bundle)
    if as_json:
        print_json({"format": "otherwords-verify", "version": 1, **asdict(found)})
        return
    wordings = (
        "no variants in it" if found.wordings is None else f"{found.wordings:,} wordings are the variants'"
    )
    click.echo(
        f"{bundle} holds: {of_things(found.files, 'file')} unchanged, {found.estimates:,} estimates the same "
        f"when computed again, {wordings}."
    )
    for name, there, here in found.versions:
        click.echo(f"Versions: {name} {there} in the bundle, {here} here")
    if not found.versions:
        click.echo("Versions: all are those that are installed")
    click.echo(f"SHA-256: {found.sha256}")


@click.command("cite", short_help="How to cite otherwords, and what a run used.")
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path), metavar="[RUN...]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["bibtex", "cff", "text"]),
    default="bibtex",
    show_default=True,
    help="BibTeX for LaTeX, a CITATION.cff for a repository, or plain sentences.",
)
def cite_command(runs: tuple[Path, ...], form: str) -> None:
    """Print how to cite otherwords and, of RUN, the known benchmarks and the wordings that ship with it.

    \b
    otherwords cite
    otherwords cite logs --format text
    """
    entries = [_software(), *(_used(runs) if runs else [])]
    if form == "cff":
        click.echo(_cff(entries), nl=False)
    elif form == "bibtex":
        click.echo("\n".join(map(_bibtex, entries)), nl=False)
    else:
        click.echo("\n".join(map(_plain, entries)))


AUTHORS = "the otherwords authors"
_ABSTRACT = (
    "Does your LLM or agent still work when you say it in other words? otherwords rewords prompts without "
    "changing their meaning, vets every rewording, runs a model on all of them through Inspect AI, and "
    "reports how much the wording matters."
)
_KEYWORDS = ["llm", "evaluation", "robustness", "paraphrase", "inspect-ai", "prompt-sensitivity"]
_THEIR_WAY = "its page says how its authors want to be cited"


def _software() -> dict[str, str]:
    from otherwords import __version__

    return {
        "type": "software",
        "key": "otherwords",
        "title": "otherwords",
        "author": AUTHORS,
        "version": __version__,
        "license": "MIT",
    }


def _used(runs: tuple[Path, ...]) -> list[dict[str, str]]:
    """The known benchmarks of the runs, and the shipped wordings if some of them were asked."""
    from otherwords.benchmarks import shipped_file
    from otherwords.core.contract import VOICES
    from otherwords.results import read_results
    from otherwords.runs.benchmarks import find_benchmark

    outcomes = read_results(list(runs)).outcomes
    entries: dict[str, dict[str, str]] = {}
    for task in outcomes["task"].unique(maintain_order=True).drop_nulls():
        known = find_benchmark(task) or find_benchmark(task.rpartition("/")[2])
        if known is None:
            click.echo(f"Nothing is known of the benchmark '{task}'.", err=True)
            continue
        entries[known.name] = {
            "type": "data",
            "key": known.name,
            "title": f"{known.name}: {known.title} ({known.data.source})",
            "url": known.data.url,
            "license": known.data.terms,
            "note": _THEIR_WAY,
        }
    if not set(VOICES).isdisjoint(outcomes["kind"].drop_nulls().unique()):
        header = shipped_file().header
        entries["taubench_wordings"] = {
            "type": "data",
            "key": "taubench_wordings",
            "title": f"{header['wordings']:,} wordings of {header['made_for']}",
            "author": AUTHORS,
            "version": str(header["version"]),
            "year": str(header["date"])[:4],
            "license": str(header["licence"]),
            "note": "comes with otherwords",
        }
    return list(entries.values())


def _bibtex(entry: dict[str, str]) -> str:
    from otherwords.report.tables import latex_text

    kind = "software" if entry["type"] == "software" else "misc"
    said = {name: latex_text(text) for name, text in entry.items() if text and name not in ("type", "key")}
    if "author" in said:
        said["author"] = f"{{{said['author']}}}"
    if "url" in said:
        said["url"] = entry["url"]
    lines = [f"  {name} = {{{text}}}," for name, text in said.items()]
    return "\n".join([f"@{kind}{{{entry['key']},", *lines, "}", ""])


def _plain(entry: dict[str, str]) -> str:
    who = f"{entry['author'][0].upper()}{entry['author'][1:]}. " if "author" in entry else ""
    year = f" ({entry['year']})" if "year" in entry else ""
    number = f", version {entry['version']}" if "version" in entry else ""
    rest = [entry[name] for name in ("license", "url", "note") if entry.get(name)]
    return f"{who}{entry['title']}{number}{year}. {'; '.join(rest)}."


def _cff(entries: list[dict[str, str]]) -> str:
    """As CITATION.cff; what a run used are its references."""
    import yaml

    software, *others = entries
    content: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "If you use otherwords in your work, please cite it.",
        "type": "software",
        "title": software["title"],
        "abstract": _ABSTRACT,
        "authors": [{"name": AUTHORS}],
        "version": software["version"],
        "license": software["license"],
        "keywords": _KEYWORDS,
    }
    if others:
        kept = ("type", "title", "version", "year", "url")
        content["references"] = [
            {
                **{name: one[name] for name in kept if one.get(name)},
                "authors": [{"name": one.get("author") or f"the authors of {one['key']}"}],
                **({"notes": one["note"]} if one.get("note") else {}),
            }
            for one in others
        ]
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110))
