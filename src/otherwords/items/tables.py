"""Parquet and Arrow files, data frames, Hugging Face datasets → records with the plain values of JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError
from otherwords.core.files import quiet_panics, read_input

if TYPE_CHECKING:
    import polars as pl

PARQUET = (".parquet",)
ARROW = (".arrow", ".feather", ".ipc")
"""Arrow's file format, and its stream format, in which the `datasets` library keeps its files."""
MOST_ROWS = 50_000_000
"""A small file can claim any number."""
_FILE_MAGIC = b"ARROW1"
_TEXTS = (date, datetime, time, timedelta, Decimal)


def read_rows(path: Path, max_rows: int | None = None) -> Iterator[dict[str, Any]]:
    """Each row as a dictionary, without its nulls.

    Raises:
        InputError: The file is damaged, has more rows than fit, or a column that holds bytes.
    """
    frame = _read(path, max_rows)
    for name, kind in frame.schema.items():
        if _holds_bytes(kind):
            raise InputError(
                f"the column '{name}' holds {kind}, which no item can have",
                file=path,
                hint="Write the file without it.",
            )
    for row in frame.iter_rows(named=True):
        yield {name: plain_value(value) for name, value in row.items() if value is not None}


def _read(path: Path, max_rows: int | None) -> pl.DataFrame:
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    content = read_input(path)
    try:
        with quiet_panics():
            if path.suffix.lower() in PARQUET:
                rows = pl.scan_parquet(BytesIO(content)).select(pl.len()).collect().item()
                if rows > MOST_ROWS:
                    raise InputError(f"is refused: it claims to hold {rows:,} rows", file=path)
                return pl.read_parquet(BytesIO(content), n_rows=max_rows)
            read = pl.read_ipc if content.startswith(_FILE_MAGIC) else pl.read_ipc_stream
            return read(BytesIO(content), n_rows=max_rows)
    except InputError:
        raise
    except (PolarsError, PanicException, OSError, ValueError, OverflowError) as error:
        what = next(iter(str(error).splitlines()), type(error).__name__)
        kind = "Parquet" if path.suffix.lower() in PARQUET else "Arrow"
        raise InputError(f"is damaged, or no {kind} file: {what}", file=path) from error


def _holds_bytes(kind: Any) -> bool:
    import polars as pl

    if isinstance(kind, pl.List | pl.Array):
        return _holds_bytes(kind.inner)
    if isinstance(kind, pl.Struct):
        return any(_holds_bytes(field.dtype) for field in kind.fields)
    return bool(kind in (pl.Binary, pl.Object))


def plain_value(value: Any) -> Any:
    """Values that JSON has: times and decimals as text."""
    if isinstance(value, list):
        return [plain_value(part) for part in value]
    if isinstance(value, dict):
        return {name: plain_value(part) for name, part in value.items()}
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        return plain_value(value.tolist())
    return str(value) if isinstance(value, _TEXTS) else value


def is_missing(value: Any) -> bool:
    """Whether a data frame says by this value that there is none."""
    return (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or type(value).__name__ in ("NAType", "NaTType")
    )


def frame_records(data: Any) -> list[Any]:
    """The rows of a pandas or polars frame or of a Hugging Face dataset; of a list, what is in it."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas" and hasattr(data, "to_dict") and hasattr(data, "columns"):
        return list(data.to_dict("records"))
    if module == "polars" and hasattr(data, "iter_rows"):
        return list(data.iter_rows(named=True))
    if module == "polars" and hasattr(data, "collect"):
        return list(data.collect().iter_rows(named=True))
    if module == "datasets" and hasattr(data, "keys"):
        splits = ", ".join(map(str, data.keys()))
        raise InputError("a DatasetDict has several sets", hint=f"Give one of its splits: {splits}.")
    return list(data)
