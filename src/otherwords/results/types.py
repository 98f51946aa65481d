"""What goes into a reader and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS, WORDING_COLUMNS, empty_outcomes
from otherwords.results.files import Peek, ResultFile


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file, or a part of one, that is not in the table, and why."""

    path: Path | str
    """Text when it is an address."""
    reason: str
    unreadable: bool = True
    """False when nothing is wrong with the file, as with the earlier attempts of a resumed run."""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def empty_wordings() -> pl.DataFrame:
    return pl.DataFrame(schema=WORDING_COLUMNS)


@dataclass(frozen=True, slots=True)
class Results:
    outcomes: pl.DataFrame = field(default_factory=empty_outcomes)
    """The one table, with the columns of `core.table.OUTCOME_COLUMNS`."""
    wordings: pl.DataFrame = field(default_factory=empty_wordings)
    """What was asked, one row a task, item and variant."""
    skipped: tuple[SkippedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    scorer: str | None = None
    """Which score to read where a file has several."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Our column → the file's name for it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of result file, known by its content."""

    matches: Callable[[Peek, ReadOptions], bool]
    read: Callable[[Sequence[ResultFile], ReadOptions], Results]
    """All files of this kind at once, since some replace others."""
    owns_folder: bool = False
    """Whether the run that wrote such a file keeps other files, without results, beside and below it."""


def skip(file: ResultFile, error: InputError) -> SkippedFile:
    item = f"item '{error.item}': " if error.item is not None else ""
    line = f"line {error.line}: " if error.line is not None else ""
    return SkippedFile(file.path, f"{line}{item}{error.problem}")


def outcomes_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in OUTCOME_COLUMNS},
        schema=OUTCOME_COLUMNS,
        strict=False,
    )


def wordings_frame(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    """From columns, of which `choices` has a list of texts for each row."""
    frame = pl.DataFrame({name: columns[name] for name in WORDING_COLUMNS if name != "choices"}, strict=False)
    return frame.with_columns(choices=_lists(columns["choices"])).select(
        pl.col(name).cast(kind) for name, kind in WORDING_COLUMNS.items()
    )


def _lists(rows: Sequence[Sequence[str]]) -> pl.Series:
    """One flat column, cut: polars takes lists row by row, which is slow for many."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    flat = pl.DataFrame(
        {"row": np.repeat(np.arange(len(rows)), lengths), "text": [text for row in rows for text in row]},
        schema={"row": pl.Int64, "text": pl.String},
    )
    lists = flat.group_by("row", maintain_order=True).agg("text")["text"]
    with_empty = pl.concat([pl.Series("text", [[]], dtype=pl.List(pl.String)), lists])
    return with_empty.gather(np.where(lengths > 0, np.cumsum(lengths > 0), 0))
