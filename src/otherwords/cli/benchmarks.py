"""`otherwords benchmarks`: lists them and what each needs here; `--validate`: facts that wordings lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import cell, console, new_table
from otherwords.cli.options import FILE
from otherwords.core.contract import NO, SHIPPED
from otherwords.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

    from otherwords.runs.benchmarks import Benchmark


@click.command("benchmarks", short_help="The benchmarks known by name, and what each still needs here.")
@click.argument("name", required=False)
@click.option(
    "--validate",
    type=FILE,
    is_flag=False,
    flag_value=SHIPPED,
    help="Check that wordings keep every fact of its scenarios: a variants file's, or the shipped ones.",
)
def benchmarks_command(name: str | None, validate: Path | None) -> None:
    """List the benchmarks that `vary` and `run` know by name, or say all about NAME.

    \b
    otherwords benchmarks
    otherwords benchmarks taubench_airline
    otherwords run taubench_airline --model openai/gpt-4o-mini --max-items 20
    otherwords benchmarks taubench_airline --validate variants.jsonl
    """
    from otherwords.runs.benchmarks import BENCHMARKS

    if validate is not None:
        _print_lost_facts(None if name is None else known_benchmark(name).name, validate)
        return
    if name is None:
        console().print(_benchmark_table(BENCHMARKS))
        console().print("More about one: otherwords benchmarks NAME")
        return
    _print_benchmark(known_benchmark(name))


def _print_lost_facts(benchmark: str | None, file: Path) -> None:
    """Which wordings of a benchmark's scenarios lost, changed or added a fact; ends with `NO` if any did."""
    from otherwords.pipeline.vet import validate_scenarios

    if benchmark is None:
        raise InputError("--validate needs the name of a benchmark", hint="For example: taubench_airline")
    found = validate_scenarios(benchmark, file)
    wrong = {wording: problems for wording, problems in found.items() if problems}
    for wording, problems in wrong.items():
        console().print(f"[bold]{cell(wording)}[/]: {cell('; '.join(problems))}", soft_wrap=True)
    console().print(f"{len(wrong):,} of {len(found):,} wordings have a problem.")
    if wrong:
        raise SystemExit(NO)


def _benchmark_table(benchmarks: tuple[Benchmark, ...]) -> Table:
    table = new_table(f"{len(benchmarks)} benchmarks")
    table.add_column("name", no_wrap=True)
    table.add_column("items", justify="right")
    table.add_column("what it asks", ratio=2)
    table.add_column("here", ratio=2)
    for one in benchmarks:
        table.add_row(f"[bold]{one.name}[/]", str(one.items), one.title, _benchmark_state(one))
    return table


def _benchmark_state(one: Benchmark) -> str:
    from otherwords.runs.benchmarks.load import has_data, missing_here

    missing = missing_here(one)
    if missing:
        return f"[yellow]needs {cell(', '.join(need.what for need in missing))}[/]"
    here = one.data.home == "appworld" or has_data(one.data)
    return "[green]ready[/]" if here else "[green]ready[/]; the data comes at first use"


def _print_benchmark(one: Benchmark) -> None:
    from rich.padding import Padding
    from rich.table import Table

    from otherwords.runs.benchmarks.load import missing_here

    out = console()
    out.print(f"[bold]{one.name}[/]: {one.title}, {one.items} items")
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    for label, value in _benchmark_facts(one):
        facts.add_row(label, cell(value))
    out.print(Padding(facts, (1, 0, 1, 2)))
    for note in one.notes:
        out.print(f"· {cell(note)}")
    missing = missing_here(one)
    for need in missing:
        out.print(f"[yellow]Needs {cell(need.what)}[/]\n  {cell(need.remedy)}", soft_wrap=True)
    if not missing:
        out.print("[green]Nothing is missing here.[/]")
    out.print(f"\nRun it: otherwords run {one.name} --model openai/gpt-4o-mini --max-items 20")


def _benchmark_facts(one: Benchmark) -> list[tuple[str, str]]:
    from otherwords.benchmarks import shipped_summary

    arguments = " ".join(f"-T {name}={str(value).lower()}" for name, value in one.task_args.items())
    facts = [
        ("Inspect task", f"{one.spec} {arguments}".strip()),
        ("also called", ", ".join([*one.aliases, *one.relatives])),
        ("the prompt is", one.selector),
        ("data", f"{one.data.source}, {one.data.url}"),
        ("terms", one.data.terms),
        ("packages", ", ".join(package.module for package in one.packages)),
        ("sandbox", one.sandbox or "none"),
        ("wordings", shipped_summary(one.name)),
    ]
    return [(label, value) for label, value in facts if value]


def known_benchmark(name: str) -> Benchmark:
    """The benchmark of that name; raises an UnknownNameError where there is none."""
    from otherwords.runs.benchmarks import BENCHMARKS, find_benchmark

    found = find_benchmark(name)
    if found is None:
        raise UnknownNameError("benchmark", name, [one.name for one in BENCHMARKS])
    return found
