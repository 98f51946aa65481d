"""Result files → `outcomes.csv` and `outcomes.parquet`, as a function and as a command of its own.

As a command: `python -m otherwords.results.aggregate --logs logs --out results`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from otherwords.core.contract import BAD_INPUT, CRASHED, OK
from otherwords.core.errors import InputError, OtherwordsError
from otherwords.core.secret_patterns import redacted
from otherwords.results.load import Paths, load_all_results, read_results
from otherwords.results.reader import SkippedFile
from otherwords.results.tables import write_both

__all__ = ["AggregateSummary", "aggregate", "load_all_results", "parse_columns"]


@dataclass(frozen=True, slots=True)
class AggregateSummary:
    """What `aggregate` wrote, and what it left out."""

    files: tuple[Path, ...]
    rows: int
    statuses: dict[str, int]
    """How many rows have each status: scored, unscored, error, limit, missing."""
    skipped: tuple[SkippedFile, ...]
    outcomes: dict[str, int] = field(default_factory=dict)
    """How many rows have each outcome: answered, unreadable, refused, …"""
    notes: tuple[str, ...] = ()
    """Which of several scores counts, and which runs are told apart."""

    def __str__(self) -> str:
        counts, outcomes = (
            ", ".join(f"{count} {name}" for name, count in counted.items())
            for counted in (self.statuses, self.outcomes)
        )
        lines = [f"{self.rows} rows: {counts}", f"outcomes: {outcomes}"]
        lines += [f"wrote {path}" for path in self.files]
        lines += [f"note: {note}" for note in self.notes]
        lines += [f"skipped {one}" for one in self.skipped]
        return "\n".join(lines)


def aggregate(
    logs: Paths,
    out: str | Path,
    *,
    strict: bool = False,
    scorer: str | None = None,
    columns: Mapping[str, str] | None = None,
    redact: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
    before_swap: Callable[[Path, Sequence[Path]], object] | None = None,
) -> AggregateSummary:
    """Write `outcomes.csv` and `outcomes.parquet` into the folder `out`; arguments are as for `read_results`.

    `redact` makes of the outcome table the one that is written. `before_swap` is called with the new folder
    and its files just before it takes its place.
    """
    results = read_results(logs, strict=strict, scorer=scorer, columns=columns)
    folder = Path(out)
    outcomes = results.outcomes if redact is None else redact(results.outcomes)

    def counted(column: str) -> dict[str, int]:
        counts = outcomes[column].value_counts().sort(["count", column], descending=[True, False])
        return dict(counts.iter_rows())

    return AggregateSummary(
        files=write_both(outcomes, folder, before_swap),
        rows=outcomes.height,
        statuses=counted("status"),
        skipped=results.skipped,
        outcomes=counted("outcome"),
        notes=results.notes,
    )


def parse_columns(given: Sequence[str]) -> dict[str, str]:
    """`["score=acc"]` as `{"score": "acc"}`."""
    pairs = [text.partition("=") for text in given]
    for (ours, sign, theirs), text in zip(pairs, given, strict=True):
        if not (ours and sign and theirs):
            raise InputError(f"--column wants OURS=THEIRS, such as score=acc, and got '{text}'")
    return {ours: theirs for ours, _, theirs in pairs}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m otherwords.results.aggregate",
        description="Write all results of a folder as one table: outcomes.csv and outcomes.parquet.",
        epilog="`otherwords aggregate` does the same, and with --public writes a table for publication.",
    )
    parser.add_argument(
        "--logs", required=True, nargs="+", help="result files, folders or addresses (s3://…)"
    )
    parser.add_argument("--out", required=True, help="folder to write outcomes.csv and outcomes.parquet to")
    parser.add_argument("--strict", action="store_true", help="refuse when a file cannot be read")
    parser.add_argument("--scorer", help="which score counts where a file has several: name or name.key")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="OURS=THEIRS",
        help="what a table calls our column, such as score=acc",
    )
    parser.add_argument("--public", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--salt-file", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.public or options.salt_file is not None:
        sys.stderr.write("A table for publication is written by `otherwords aggregate --public`.\n")
        return BAD_INPUT
    try:
        columns = parse_columns(options.column)
        summary = aggregate(
            options.logs,
            options.out,
            strict=options.strict,
            scorer=options.scorer,
            columns=columns,
        )
    except OtherwordsError as error:
        sys.stderr.write(f"{redacted(str(error))}\n")
        return error.exit_code
    except Exception as error:  # noqa: BLE001 -- exit code 1 would mean that a check said no
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        sys.stderr.write(redacted(f"unexpected {cause}; this is a bug in otherwords") + "\n")
        return CRASHED
    sys.stdout.write(f"{summary}\n")
    return OK


if __name__ == "__main__":
    sys.exit(main())
