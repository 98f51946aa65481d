"""What a reader gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from otherwords.core.table import OUTCOME_COLUMNS, WORDING_COLUMNS, empty_outcomes


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file, or a part of one, that is not in the table, and why."""

    path: Path
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
class Reader:
    """One kind of result file, known by its content."""

    matches: Callable[[Path, bytes], bool]
    """Of a path and its first bytes."""
    read: Callable[[Sequence[Path], str | None], Results]
    """All files of this kind at once, since some replace others; and which scorer to read, if several."""


def outcomes_frame(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in OUTCOME_COLUMNS},
        schema=OUTCOME_COLUMNS,
        strict=False,
    )


def wordings_frame(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: [row[name] for row in rows] for name in WORDING_COLUMNS}, schema=WORDING_COLUMNS
    )
