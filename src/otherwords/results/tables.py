"""Outcome tables as files: Parquet and CSV, written and read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.table import NEEDED, OUTCOME_COLUMNS, as_outcomes, empty_outcomes
from otherwords.results.files import Peek, ResultFile
from otherwords.results.types import Reader, ReadOptions, Results, SkippedFile, skip

_TEXTS = [name for name, kind in OUTCOME_COLUMNS.items() if kind == pl.String]
_NUMBERS = [name for name, kind in OUTCOME_COLUMNS.items() if kind in (pl.Int64, pl.Float64)]
_TRUTHS = [name for name, kind in OUTCOME_COLUMNS.items() if kind == pl.Boolean]
# What a spreadsheet would run as a formula; and an apostrophe, so that ours can be told from the text's own.
_RISKY = r"^(['=+\-@\t\r])"
_GUARDED = r"^'(['=+\-@\t\r])"


def write_csv(outcomes: pl.DataFrame, path: str | Path) -> Path:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    guarded = outcomes.with_columns(pl.col(name).str.replace(_RISKY, "'$1") for name in _TEXTS)
    return write_whole(path, guarded.write_csv())


def write_parquet(outcomes: pl.DataFrame, path: str | Path) -> Path:
    buffer = BytesIO()
    outcomes.write_parquet(buffer)
    return write_whole(path, buffer.getvalue())


def read_csv(path: Path) -> pl.DataFrame:
    # All as text first, so that ids which look like numbers stay as they are.
    frame = pl.read_csv(path, infer_schema=False)
    have = frame.columns
    for name in _NUMBERS:
        if name in have:
            _refuse_non_numbers(frame, name, path)
    return frame.with_columns(
        *(pl.col(name).str.replace(_GUARDED, "$1") for name in _TEXTS if name in have),
        *(pl.col(name).cast(OUTCOME_COLUMNS[name]) for name in _NUMBERS if name in have),
        *(_truth(name) for name in _TRUTHS if name in have),
    )


def _truth(name: str) -> pl.Expr:
    words: dict[str, bool] = {"true": True, "1": True, "false": False, "0": False}
    return pl.col(name).str.to_lowercase().replace_strict(words, default=None, return_dtype=pl.Boolean)


def _refuse_non_numbers(frame: pl.DataFrame, name: str, path: Path) -> None:
    numbers = frame[name].cast(OUTCOME_COLUMNS[name], strict=False)
    wrong = (frame[name].is_not_null() & numbers.is_null()).arg_true()
    if len(wrong):
        raise InputError(
            f"row {wrong[0] + 1} has '{frame[name][wrong[0]]}' where column '{name}' wants a number",
            file=path,
        )


def _refuse_bad_scores(frame: pl.DataFrame, path: Path) -> None:
    bad = frame.filter(~pl.col("score").is_between(0.0, 1.0)).head(1)
    for row in bad.iter_rows(named=True):
        raise InputError(f"the score {row['score']:g} is outside [0, 1]", file=path, item=row["id"])


def _read_tables(
    read: Callable[[Path], pl.DataFrame], files: Sequence[ResultFile], options: ReadOptions
) -> Results:
    frames, skipped = [empty_outcomes()], []
    for file in files:
        try:
            frame = as_outcomes(read(Path(file.address)))
            _refuse_bad_scores(frame, Path(file.address))
            frames.append(frame)
        except InputError as error:
            skipped.append(skip(file, error))
        except (PolarsError, OSError) as error:
            skipped.append(SkippedFile(file.path, f"is damaged or cut short: {error}"))
    return Results(outcomes=pl.concat(frames), skipped=tuple(skipped))


def _is_parquet(peek: Peek, options: ReadOptions) -> bool:
    return peek.head.startswith(b"PAR1")


def _is_csv(peek: Peek, options: ReadOptions) -> bool:
    head = peek.head
    names = head.splitlines()[0].decode("utf-8-sig", "replace").split(",") if head else []
    return set(NEEDED) <= {name.strip().strip('"') for name in names}


def _reader(matches: Callable[[Peek, ReadOptions], bool], read: Callable[[Path], Any]) -> Reader:
    return Reader(matches=matches, read=lambda files, options: _read_tables(read, files, options))


PARQUET = _reader(_is_parquet, pl.read_parquet)
CSV = _reader(_is_csv, read_csv)
