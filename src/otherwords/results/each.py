"""Files that are read one by one: what goes wrong in one is told of it, and the others are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import empty_outcomes
from otherwords.results.columns import check_rows
from otherwords.results.files import ResultFile
from otherwords.results.repeats import number_repeats
from otherwords.results.types import (
    Results,
    SkippedFile,
    empty_wordings,
    outcomes_frame,
    skip,
    wordings_frame,
)

# What JSON of another shape than expected makes of code that expects it.
_OTHER_SHAPE = (LookupError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)


@dataclass
class Part:
    """What one file gives."""

    rows: Sequence[Mapping[str, Any]] = ()
    """Of the outcome table. Those of one task and model are one run."""
    prompts: Sequence[str | None] = ()
    """What was asked in each row; None where the file does not say."""
    targets: Sequence[str] = ()
    damage: str = ""
    """What of it could not be read."""
    notes: Sequence[str] = field(default_factory=list)
    """What there is to know of it, though nothing is wrong."""


def read_each(files: Sequence[ResultFile], tool: str, read: Callable[[ResultFile], Part]) -> Results:
    runs: list[pl.DataFrame] = []
    wordings, skipped = [empty_wordings()], []
    for file in files:
        try:
            part = read(file)
            of_file = outcomes_frame(part.rows)
            check_rows(of_file)
            runs += of_file.partition_by("task", "model", maintain_order=True)
            wordings.append(_wordings(part))
            if part.damage:
                skipped.append(SkippedFile(file.path, part.damage))
            skipped += [SkippedFile(file.path, note, unreadable=False) for note in part.notes]
        except InputError as error:
            skipped.append(skip(file, error))
        except OSError as error:
            skipped.append(SkippedFile(file.path, f"cannot be read: {error}"))
        except _OTHER_SHAPE as error:
            skipped.append(SkippedFile(file.path, f"is not a readable file of {tool}: {error}"))
    return Results(pl.concat([empty_outcomes(), *number_repeats(runs)]), pl.concat(wordings), tuple(skipped))


def lines_lost(wrong: Sequence[tuple[int, str]]) -> str:
    """Of lines that are no JSON."""
    return f"{len(wrong)} of its lines cannot be read; line {wrong[0][0]}: {wrong[0][1]}" if wrong else ""


def refuse_outside(value: float | None, item: str, what: str = "score") -> float | None:
    if value is not None and not 0.0 <= value <= 1.0:
        raise InputError(f"the {what} {value:g} is outside [0, 1]", item=item)
    return value


def _wordings(part: Part) -> pl.DataFrame:
    targets = part.targets or [""] * len(part.prompts)
    asked = [
        (row, prompt, target)
        for row, prompt, target in zip(part.rows, part.prompts, targets, strict=False)
        if prompt is not None
    ]
    columns: dict[str, list[Any]] = {
        name: [row[name] for row, _, _ in asked] for name in ("task", "id", "variant", "kind", "change")
    }
    columns |= {"prompt": [prompt for _, prompt, _ in asked], "target": [target for _, _, target in asked]}
    return wordings_frame({**columns, "choices": [[] for _ in asked]})
