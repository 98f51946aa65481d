"""All logs of a folder into one table on disk.

As a command: `python -m otherwords.results.aggregate --logs logs --out results`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from otherwords.core.errors import InputError, OtherwordsError
from otherwords.core.keys import redacted
from otherwords.core.pseudonyms import Pseudonyms, find_salt
from otherwords.results.public import public_outcomes
from otherwords.results.read import Paths, load_all_results, read_results
from otherwords.results.tables import write_both
from otherwords.results.types import SkippedFile

__all__ = ["AggregateSummary", "aggregate", "load_all_results", "parse_columns"]


@dataclass(frozen=True, slots=True)
class AggregateSummary:
    files: tuple[Path, ...]
    rows: int
    statuses: dict[str, int]
    """How many rows have each status: scored, unscored, error, limit, missing."""
    skipped: tuple[SkippedFile, ...]

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.statuses.items())
        lines = [f"{self.rows} rows: {counts}", *(f"wrote {path}" for path in self.files)]
        lines += [f"skipped {one}" for one in self.skipped]
        return "\n".join(lines)


def aggregate(
    logs: Paths,
    out: str | Path,
    *,
    strict: bool = False,
    scorer: str | None = None,
    columns: Mapping[str, str] | None = None,
    public: bool = False,
    salt_file: str | Path | None = None,
) -> AggregateSummary:
    """Write `outcomes.csv` and `outcomes.parquet` into the folder `out`.

    `public` tables have no text of the set and no raw id; their salt is kept in `salt_file`, in the
    environment, or beside the folder.
    """
    results = read_results(logs, strict=strict, scorer=scorer, columns=columns)
    outcomes, folder = results.outcomes, Path(out)
    if public:
        outcomes = public_outcomes(outcomes, Pseudonyms(find_salt(salt_file, folder)))
    counted = outcomes["status"].value_counts().sort(["count", "status"], descending=[True, False])
    return AggregateSummary(
        files=write_both(outcomes, folder / "outcomes.csv", folder / "outcomes.parquet"),
        rows=outcomes.height,
        statuses=dict(counted.iter_rows()),
        skipped=results.skipped,
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
        description="All logs of a folder into one table on disk.",
    )
    parser.add_argument(
        "--logs", required=True, nargs="+", help="result files, folders or addresses (s3://…)"
    )
    parser.add_argument("--out", required=True, help="folder to write outcomes.csv and outcomes.parquet to")
    parser.add_argument("--strict", action="store_true", help="refuse when a file cannot be read")
    parser.add_argument("--scorer", help="which score to read where a file has several")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="OURS=THEIRS",
        help="what a table calls our column, such as score=acc",
    )
    parser.add_argument("--public", action="store_true", help="without any text of the set or raw id")
    parser.add_argument("--salt-file", help="keeps the salt of --public; default: beside the folder")
    options = parser.parse_args(arguments)
    try:
        columns = parse_columns(options.column)
        summary = aggregate(
            options.logs,
            options.out,
            strict=options.strict,
            scorer=options.scorer,
            columns=columns,
            public=options.public,
            salt_file=options.salt_file,
        )
    except OtherwordsError as error:
        sys.stderr.write(f"{redacted(str(error))}\n")
        return error.exit_code
    sys.stdout.write(f"{summary}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
