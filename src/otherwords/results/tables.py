"""Outcome tables as files: Parquet, CSV and JSON lines, by our column names or by a mapping to them."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from otherwords.core.errors import InputError
from otherwords.core.files import writing_whole
from otherwords.core.panics import quiet_panics
from otherwords.core.table import NEEDED, OUTCOME_COLUMNS, empty_outcomes
from otherwords.results.columns import checked_outcomes, typed, wordings_in
from otherwords.results.files import Peek, ResultFile
from otherwords.results.jsons import at_path, parse, parse_lines
from otherwords.results.types import Reader, ReadOptions, Results, SkippedFile, empty_wordings, skip

_TEXTS = [name for name, kind in OUTCOME_COLUMNS.items() if kind == pl.String]
# What a spreadsheet would run as a formula; and an apostrophe, so that ours can be told from the text's own.
_RISKY = r"^(['=+\-@\t\r])"
_GUARDED = r"^'(['=+\-@\t\r])"
_ROWS_AT_ONCE = 100_000
_SEPARATORS = (",", ";", "\t")
MOST_ROWS = 200_000_000
"""Of a Parquet file: a small one can claim any number."""
_READ = (*OUTCOME_COLUMNS, "prompt", "target")
"""What is taken from a table, if it is there."""


def write_csv(outcomes: pl.DataFrame, path: str | Path) -> Path:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    with writing_whole(path) as file:
        _to_csv(outcomes, file)
    return Path(path)


def write_parquet(outcomes: pl.DataFrame, path: str | Path) -> Path:
    with writing_whole(path) as file:
        _to_parquet(outcomes, file)
    return Path(path)


def write_both(outcomes: pl.DataFrame, csv_path: Path, parquet_path: Path) -> tuple[Path, Path]:
    """Both, or none."""
    with writing_whole(csv_path) as csv_file, writing_whole(parquet_path) as parquet_file:
        _to_csv(outcomes, csv_file)
        _to_parquet(outcomes, parquet_file)
    return csv_path, parquet_path


def _to_csv(outcomes: pl.DataFrame, file: IO[bytes]) -> None:
    texts = [name for name in _TEXTS if name in outcomes.columns]
    for rows in outcomes.iter_slices(_ROWS_AT_ONCE) if outcomes.height else [outcomes]:
        guarded = rows.with_columns(pl.col(name).str.replace(_RISKY, "'$1") for name in texts)
        file.write(guarded.write_csv(include_header=file.tell() == 0).encode("utf-8"))


def _to_parquet(outcomes: pl.DataFrame, file: IO[bytes]) -> None:
    buffer = BytesIO()
    outcomes.write_parquet(buffer)
    file.write(buffer.getbuffer())
    file.flush()
    os.fsync(file.fileno())


Part = tuple[pl.DataFrame, list[str]]
"""A table under our names, and what is wrong with the lines that are not in it."""


def read_parquet(file: ResultFile, names: Mapping[str, str]) -> Part:
    source = Path(file.address) if file.system is None else BytesIO(file.read())
    with quiet_panics():
        present = pl.read_parquet_schema(source)
        rows = pl.scan_parquet(source).select(pl.len()).collect().item()
    if rows > MOST_ROWS:
        raise InputError(f"is refused: it claims to hold {rows:,} rows", file=str(file))
    wanted = _present(names, list(present), file)
    if isinstance(source, BytesIO):
        source.seek(0)
    with quiet_panics():
        frame = pl.read_parquet(source, columns=list(dict.fromkeys(wanted.values())))
    return frame.select(pl.col(theirs).alias(ours) for ours, theirs in wanted.items()), []


def read_csv(file: ResultFile, names: Mapping[str, str]) -> Part:
    content = file.read()
    separator, header = _header(content, names)
    twice = next((name for name in names.values() if header.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"has the column '{twice}' twice", file=str(file))
    # All as text first, so that ids which look like numbers stay as they are.
    frame = pl.read_csv(content, separator=separator, infer_schema=False)
    whole = content.endswith((b"\n", b"\r", separator.encode()))
    if not whole and frame.height and frame[header[-1]][-1] is None:
        raise InputError("is cut short: its last row is not whole", file=str(file))
    wanted = _present(names, frame.columns, file)
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
    frame = frame.select(pl.col(theirs).alias(ours) for ours, theirs in wanted.items())
    return frame.with_columns(
        pl.col(name).str.replace(_GUARDED, "$1") for name in frame.columns if name in _TEXTS
    ), []


def read_json_records(file: ResultFile, names: Mapping[str, str]) -> Part:
    """One record a line, or a list of records. A name with dots looks into nested records."""
    content = file.read()
    if content.lstrip().startswith(b"["):
        listed = parse(content)
        values = list(enumerate(listed if isinstance(listed, list) else [], start=1))
        wrong: list[tuple[int, str]] = []
    else:
        values, wrong = parse_lines(content)
    records = [value for _, value in values if isinstance(value, dict)]
    problems = [f"line {line}: {problem}" for line, problem in wrong]
    problems += [f"line {line}: is no record" for line, value in values if not isinstance(value, dict)]
    columns = {ours: [at_path(record, theirs) for record in records] for ours, theirs in names.items()}
    for name, column in columns.items():
        if {list, dict} & set(map(type, column)):
            raise InputError(f"its '{names[name]}' is a list or a record, not one value", file=str(file))
    present = {name for name, column in columns.items() if any(value is not None for value in column)}
    wanted = _present(names, [names[name] for name in present], file)
    return pl.DataFrame({name: pl.Series(name, columns[name], strict=False) for name in wanted}), problems


def _names(options: ReadOptions) -> dict[str, str]:
    """For each of our columns, what the file calls it."""
    return {name: options.columns.get(name, name) for name in _READ}


def _present(names: Mapping[str, str], columns: Sequence[str], file: ResultFile) -> dict[str, str]:
    for ours, theirs in names.items():
        if theirs not in columns and (ours != theirs or ours in NEEDED):
            known = ", ".join(columns) or "none"
            raise InputError(f"has no column '{theirs}' for {ours} (it has: {known})", file=str(file))
    return {ours: theirs for ours, theirs in names.items() if theirs in columns}


def _header(content: bytes, names: Mapping[str, str]) -> tuple[str, list[str]]:
    """The separator and the names in the first line; the comma's when none has what is needed."""
    first = content.split(b"\n", 1)[0].decode("utf-8-sig", "replace").rstrip("\r")
    found = [(separator, next(csv.reader([first], delimiter=separator), [])) for separator in _SEPARATORS]
    needed = {names[name] for name in NEEDED}
    return next((one for one in found if needed <= set(one[1])), found[0])


def _is_parquet(peek: Peek, options: ReadOptions) -> bool:
    return peek.head.startswith(b"PAR1")


def _is_csv(peek: Peek, options: ReadOptions) -> bool:
    names = _names(options)
    try:
        return {names[name] for name in NEEDED} <= set(_header(peek.head, names)[1])
    except csv.Error:
        return False


def _is_json_records(peek: Peek, options: ReadOptions) -> bool:
    names = _names(options)
    return {names[name] for name in NEEDED} <= peek.keys


def _reader(
    matches: Callable[[Peek, ReadOptions], bool], read: Callable[[ResultFile, Mapping[str, str]], Part]
) -> Reader:
    def read_all(files: Sequence[ResultFile], options: ReadOptions) -> Results:
        outcomes, wordings = [empty_outcomes()], [empty_wordings()]
        skipped: list[SkippedFile] = []
        for file in files:
            try:
                part, problems = read(file, _names(options))
                frame = typed(part)
                outcomes.append(checked_outcomes(frame, str(file)))
                wordings.append(wordings_in(frame, outcomes[-1]))
                if not part.height:
                    skipped.append(SkippedFile(file.path, "has no rows", unreadable=False))
                if problems:
                    reason = f"{len(problems)} of its lines cannot be read; {problems[0]}"
                    skipped.append(SkippedFile(file.path, reason))
            except InputError as error:
                skipped.append(skip(file, error))
            except (PolarsError, PanicException, OSError, ValueError, OverflowError) as error:
                skipped.append(SkippedFile(file.path, f"is damaged or cut short: {_first_line(error)}"))
        return Results(pl.concat(outcomes), pl.concat(wordings), tuple(skipped))

    return Reader(matches, read_all)


def _first_line(error: BaseException) -> Any:
    return next(iter(str(error).splitlines()), type(error).__name__)


PARQUET = _reader(_is_parquet, read_parquet)
CSV = _reader(_is_csv, read_csv)
JSON_RECORDS = _reader(_is_json_records, read_json_records)
