"""Outcome tables as CSV, Parquet, JSON lines: read and written; `readable_only`: scores of answered runs.

Columns of any type are made those of the outcome table; a value that does not fit is refused with its row.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from otherwords.core.contract import ANSWERED, ORIG, UNSCORED
from otherwords.core.errors import InputError
from otherwords.core.files import quiet_panics, writing_whole
from otherwords.core.folders import replacing_folder
from otherwords.core.table import NEEDED, OUTCOME_COLUMNS, as_outcomes, empty_outcomes
from otherwords.results.reader import (
    Peek,
    Reader,
    ReadOptions,
    ResultFile,
    Results,
    SkippedFile,
    check_rows,
    empty_wordings,
    skip,
    wordings_frame,
)
from otherwords.results.tool_values import at_path, parse, parse_lines

_TEXTS = [name for name, kind in OUTCOME_COLUMNS.items() if kind == pl.String]
# What a spreadsheet would run as a formula; and an apostrophe, so that ours can be told from the text's own.
_RISKY = r"^(['=+\-@\t\r])"
_GUARDED = r"^'(['=+\-@\t\r])"
_ROWS_AT_ONCE = 100_000
_SEPARATORS = (",", ";", "\t")
MOST_ROWS = 200_000_000
"""Of a Parquet file: a small one can claim any number."""
_TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_SCORE_WORDS = {"true": "1", "yes": "1", "correct": "1", "c": "1", "p": "0.5"} | dict.fromkeys(
    ("false", "no", "incorrect", "i"), "0"
)
_BLANKS = ["", "nan", "na", "n/a", "none", "null"]
"""What tools write into a column of numbers where there is none."""
_WANTS = {pl.Int64: "a whole number", pl.Float64: "a number", pl.Boolean: "true or false", pl.String: "text"}
_READ = (*OUTCOME_COLUMNS, "prompt", "target")
"""What is taken from a table, if it is there."""


def write_csv(outcomes: pl.DataFrame, path: str | Path) -> Path:
    """Write the table; text that a spreadsheet would take for a formula gets an apostrophe in front."""
    with writing_whole(path) as file:
        _to_csv(outcomes, file)
    return Path(path)


def write_parquet(outcomes: pl.DataFrame, path: str | Path) -> Path:
    with writing_whole(path) as file:
        _to_parquet(outcomes, file)
    return Path(path)


BOTH = ("outcomes.csv", "outcomes.parquet")


def write_both(
    outcomes: pl.DataFrame,
    folder: Path,
    before_swap: Callable[[Path, Sequence[Path]], object] | None = None,
) -> tuple[Path, ...]:
    """Write both files, or none: they take the places of earlier ones together."""
    with replacing_folder(folder, BOTH.__contains__) as staged:
        with (staged / BOTH[0]).open("wb") as file:
            _to_csv(outcomes, file)
        with (staged / BOTH[1]).open("wb") as file:
            _to_parquet(outcomes, file)
        if before_swap is not None:
            before_swap(staged, [staged / name for name in BOTH])
    return tuple(folder / name for name in BOTH)


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


Columns = tuple[pl.DataFrame, list[str]]
"""A table under our names, and what is wrong with the lines that are not in it."""


def read_parquet(file: ResultFile, names: Mapping[str, str]) -> Columns:
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


def read_csv(file: ResultFile, names: Mapping[str, str]) -> Columns:
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


def read_json_records(file: ResultFile, names: Mapping[str, str]) -> Columns:
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
    matches: Callable[[Peek, ReadOptions], bool], read: Callable[[ResultFile, Mapping[str, str]], Columns]
) -> Reader:
    def read_all(files: Sequence[ResultFile], options: ReadOptions) -> Results:
        outcomes, wordings = [empty_outcomes()], [empty_wordings()]
        skipped: list[SkippedFile] = []
        for file in files:
            try:
                columns, problems = read(file, _names(options))
                frame = _typed_columns(columns)
                outcomes.append(_checked_outcomes(frame, str(file)))
                wordings.append(_wordings_in(frame, outcomes[-1]))
                if not columns.height:
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


def _typed_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Every column with the type that the outcome table has for it."""
    return frame.with_columns(_typed(frame[name]) for name in frame.columns)


def _typed(given: pl.Series) -> pl.Series:
    kind = OUTCOME_COLUMNS.get(given.name, pl.String)
    made: pl.Series = given
    if given.dtype == kind and kind != pl.Float64:
        return given
    if given.dtype.is_nested() or given.dtype in (pl.Object, pl.Binary):
        raise InputError(f"column '{given.name}' holds {given.dtype}, not {_WANTS[kind]}")
    if kind == pl.String or given.dtype == pl.Null:
        made = given.cast(kind)
        return made
    if given.dtype == pl.String:
        given = given.set(given.str.strip_chars().str.to_lowercase().is_in(_BLANKS), None)
        made = _from_text(given, kind)
    else:
        given = given.cast(pl.Float64).fill_nan(None) if given.dtype.is_float() else given
        made = given.cast(kind, strict=False)
    bad = given.is_not_null() & (made.is_null() | ~_finite(made) | (_differs(given, made)))
    if bad.any():
        place = bad.arg_true()[0]
        raise InputError(
            f"row {place + 1} has '{given[place]}' where column '{given.name}' wants {_WANTS[kind]}"
        )
    return made


def _from_text(given: pl.Series, kind: Any) -> pl.Series:
    made: pl.Series = given.str.strip_chars().str.to_lowercase()
    if kind == pl.Boolean:
        made = made.replace_strict(_TRUTHS, default=None, return_dtype=pl.Boolean)
    elif kind == pl.Float64:
        words = made.replace(_SCORE_WORDS) if given.name == "score" else made
        made = words.cast(pl.Float64, strict=False)
    else:  # `3` and, as pandas writes a column with gaps, `3.0`
        made = made.str.replace(r"\.0+$", "").cast(pl.Int64, strict=False)
    return made


def _finite(made: pl.Series) -> pl.Series:
    finite: pl.Series = made.is_finite() if made.dtype.is_float() else made.is_not_null()
    return finite.fill_null(False)


def _differs(given: pl.Series, made: pl.Series) -> pl.Series:
    """Whether something was lost in making a whole number or a truth of a number."""
    lost: pl.Series = pl.repeat(False, len(given), eager=True)
    if given.dtype.is_numeric() and not made.dtype.is_float():
        lost = (given.cast(pl.Float64) != made.cast(pl.Float64)).fill_null(False)
    return lost


def _checked_outcomes(frame: pl.DataFrame, log: str) -> pl.DataFrame:
    """Every column of the outcome table, with what a table of one's own need not say filled in."""
    had = set(frame.columns)
    table = as_outcomes(frame)
    score, orig = pl.col("score"), pl.col("variant") == ORIG
    table = table.with_columns(
        pl.col("task", "model").fill_null(""),
        pl.col("kind").fill_null(pl.when(orig).then(pl.lit(ORIG)).otherwise(pl.lit(""))),
        pl.col("log").fill_null(log),
    )
    if "correct" not in had:
        table = table.with_columns(correct=pl.when(score.is_not_null()).then(score == 1.0))
    if "status" not in had:
        unexplained = score.is_null() & pl.col("reason").is_null()
        table = table.with_columns(
            reason=pl.when(unexplained)
            .then(pl.lit("the table has no score for it"))
            .otherwise(pl.col("reason"))
        )
    check_rows(table)
    return table


def _wordings_in(frame: pl.DataFrame, outcomes: pl.DataFrame) -> pl.DataFrame:
    """What was asked, if the table has a column `prompt`."""
    if "prompt" not in frame.columns:
        return empty_wordings()
    about = outcomes.select("task", "id", "variant", "kind", pl.col("change").fill_null(""))
    asked = frame.select(
        "prompt", pl.col("target") if "target" in frame.columns else pl.lit("").alias("target")
    )
    asked = pl.concat([about, asked], how="horizontal").filter(pl.col("prompt").is_not_null())
    columns = asked.unique(["task", "id", "variant"], keep="first", maintain_order=True)
    return wordings_frame({**columns.to_dict(as_series=False), "choices": [[]] * columns.height})


PARQUET = _reader(_is_parquet, read_parquet)
CSV = _reader(_is_csv, read_csv)
JSON_RECORDS = _reader(_is_json_records, read_json_records)


def readable_only(table: pl.DataFrame) -> pl.DataFrame:
    """The outcome table as it is among readable answers only: the scores of all other runs are taken away.

    A second view beside the table itself, in which an unreadable answer counts as its scorer counts it. The
    runs stay as rows without a score, so that metrics count them as missing.

    Args:
        table: An outcome table.

    Returns:
        The table, scored only where the outcome is `answered`.

    Raises:
        InputError: The table lacks a column that every outcome table has.

    Example:
        >>> import polars as pl
        >>> from otherwords import accuracy, readable_only
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "b"], "variant": "orig", "score": [1, 0], "outcome": ["answered", "unreadable"]}
        ... )
        >>> accuracy(table).value, accuracy(readable_only(table)).value
        (0.5, 1.0)
    """
    outcomes = as_outcomes(table)
    taken = pl.col("outcome").ne(ANSWERED) & pl.col("score").is_not_null()
    null = pl.when(~taken)
    return outcomes.with_columns(
        pl.when(taken).then(pl.lit(UNSCORED)).otherwise("status").alias("status"),
        pl.when(taken)
        .then(pl.format("{}: readable answers only", "outcome"))
        .otherwise("reason")
        .alias("reason"),
        *(null.then(name).alias(name) for name in ("score", "correct", "answer", "pred_index")),
    )
