"""Types of all readers (file, options, results) and what they share: rows checked, typed; errors per file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

import numpy as np
import polars as pl

from otherwords.core.contract import OUTCOMES, SCORED, STATUSES
from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS, WORDING_COLUMNS, empty_outcomes, which_counts
from otherwords.results.run_identity import RunIdentity, named, number_repeats, settings_identity, told_apart
from otherwords.results.tool_values import key_paths

LARGEST = 2 * 1024**3
"""Bytes that are taken into memory from one file."""
HEAD = 64 * 1024
"""Bytes by which the kind of a file is told."""
_INT64 = 2**63
_HUGE = 1e300
# What JSON of another shape than expected makes of code that expects it.
_OTHER_SHAPE = (LookupError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)


@dataclass(frozen=True)
class ResultFile:
    """One file that may hold results, on this machine or at an address that fsspec knows."""

    address: str
    """As it was given, or joined with the folder that was given."""
    system: Any = field(default=None, repr=False, compare=False)
    """The fsspec file system that has it; None on this machine."""
    inside: str = field(default="", repr=False, compare=False)
    """Its path in that system."""

    def __str__(self) -> str:
        return self.address

    @property
    def path(self) -> Path | str:
        return Path(self.address) if self.system is None else self.address

    @property
    def name(self) -> str:
        return PurePosixPath(self.address).name if self.system is not None else Path(self.address).name

    @property
    def folder(self) -> str:
        """All of the address before the name."""
        return self.address[: len(self.address) - len(self.name)]

    def beside(self, name: str) -> ResultFile:
        """Another file of the same folder."""
        inside = self.inside[: len(self.inside) - len(self.name)] + name
        return ResultFile(self.folder + name, self.system, inside)

    def open(self) -> BinaryIO:
        if self.system is None:
            return Path(self.address).open("rb")
        try:
            return cast(BinaryIO, self.system.open(self.inside, "rb"))
        except Exception as error:  # each protocol has its own, for refused credentials and the like
            raise OSError(f"{type(error).__name__}: {error}") from error

    @cached_property
    def size(self) -> int:
        return int(
            Path(self.address).stat().st_size if self.system is None else self.system.size(self.inside) or 0
        )

    def read(self) -> bytes:
        if self.size > LARGEST:
            raise InputError(
                f"is too large to be read at once ({self.size:,} bytes of {LARGEST:,})", file=self.address
            )
        with self.open() as file:
            return file.read(LARGEST + 1)


@dataclass(frozen=True)
class Peek:
    """What can be told of a file before it is read."""

    file: ResultFile
    head: bytes
    """Its beginning."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names in the JSON at its beginning, two deep: `config`, `config.agent_name`."""
        return key_paths(self.head)


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


@dataclass(frozen=True)
class LogProvenance:
    """How one log was made."""

    created: str = ""
    """When the run began, as the log has it."""
    status: str = ""
    model: str = ""
    """The model that was asked, whatever its agent is called."""
    settings: tuple[tuple[str, str], ...] = ()
    """Generation settings, limits and arguments of the task, those that are set."""
    versions: tuple[tuple[str, str], ...] = ()
    """Packages and their versions."""
    tokens: int | None = None
    """Of all models of the run, in and out; None where the log does not say."""
    cost: float | None = None
    """In US dollars; None where the log does not say."""
    until: Mapping[str, Any] | None = None
    """When the run was to stop, as `metrics.sequential.StoppingRule.to_json` gives it; None for all items."""


@dataclass(frozen=True, slots=True)
class LogAccuracy:
    """Inspect's accuracy of one log, over all of its samples: negative controls and runs under faults too."""

    log: str
    task: str
    model: str
    scorer: str | None
    """Which score it is of: `name`, or `name.key`."""
    reducer: str | None
    """What made one score of a sample's epochs; None: their mean."""
    samples: int
    """Samples and epochs in the log."""
    scored: int
    """Samples with a score, their epochs reduced."""
    accuracy: float | None
    """Computed here, from the samples; None where no sample has a score."""
    logged: float | None
    """What Inspect wrote into the log when the run ended; None where it wrote none."""
    made: LogProvenance = field(default_factory=LogProvenance)
    """When, with what and at what cost."""
    names_wordings: bool = False
    """Whether the ids of its samples are those of wordings (`q1#orig`); else they are those of items."""


def empty_wordings() -> pl.DataFrame:
    return pl.DataFrame(schema=WORDING_COLUMNS)


@dataclass(frozen=True, slots=True)
class Results:
    """All that was read: two tables, and what is not in them.

    Example:
        >>> from otherwords.results import Results
        >>> Results().outcomes.height
        0
    """

    outcomes: pl.DataFrame = field(default_factory=empty_outcomes)
    """The one table, with the columns of `core.table.OUTCOME_COLUMNS`."""
    wordings: pl.DataFrame = field(default_factory=empty_wordings)
    """What was asked, one row a task, item and variant."""
    skipped: tuple[SkippedFile, ...] = ()
    notes: tuple[str, ...] = ()
    """What the reader of a table should know of it: which of several scores counts, runs told apart."""
    logs: tuple[LogAccuracy, ...] = ()
    """Each Inspect log that is in the table, with its accuracy over all of its samples."""
    runs: tuple[tuple[str, str, RunIdentity], ...] = field(default=(), repr=False)
    """Task and model of each run, and what it was made with."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the caller asked for, handed to every reader."""

    scorer: str | None = None
    """Which score to read where a file has several."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Our column → the file's name for it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of result file, known by its content."""

    matches: Callable[[Peek, ReadOptions], bool]
    read: Callable[[Sequence[ResultFile], ReadOptions], Results]
    """Takes all files of this kind at once, since some replace others."""
    owns_folder: bool = False
    """Whether the run that wrote such a file keeps other files, without results, beside and below it."""


@dataclass
class FileRows:
    """What one file gives."""

    rows: Sequence[Mapping[str, Any]] = ()
    """Of the outcome table. Those of one task and model are one run."""
    prompts: Sequence[str | None] = ()
    """What was asked in each row; None where the file does not say."""
    targets: Sequence[str] = ()
    damage: str = ""
    """What could not be read in it; empty if nothing."""
    notes: Sequence[str] = field(default_factory=list)
    """What of it is not in the table; no errors."""
    remarks: Sequence[str] = ()
    """What else is told to the user of a file that is in the table."""
    scorer: str | None = None
    """Which score was read, where the file has a name for it."""
    other_scorers: Sequence[str] = ()
    """What could have been read in its place, where none was asked for."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """For each model (empty: for all) what it was run with. Files that differ in it are different runs."""


def read_each(files: Sequence[ResultFile], tool: str, read: Callable[[ResultFile], FileRows]) -> Results:
    """Read files one by one: an error in one is told of that file, and the others are read.

    Files of one task and model that were run with the same settings are repeats of each other.
    """
    runs: list[tuple[pl.DataFrame, RunIdentity]] = []
    wordings, skipped, used = [empty_wordings()], list[SkippedFile](), list[ResultFile]()
    notes: list[str] = []
    for file in files:
        try:
            same = next((other for other in used if _is_copy(file, other)), None)
            if same is not None:
                skipped.append(SkippedFile(file.path, f"is a copy of {same}, which counts", unreadable=False))
                continue
            given = read(file)
            of_file = outcomes_frame(given.rows).with_columns(scorer=pl.lit(given.scorer, pl.String))
            check_rows(of_file)
            if given.scorer is not None and given.other_scorers:
                said = which_counts(given.scorer, given.other_scorers)
                notes += [f"In {task}, {said}." for task in of_file["task"].unique(maintain_order=True)]
            runs += [
                (run, settings_identity(given.settings, str(run["model"][0])))
                for run in of_file.partition_by("task", "model", maintain_order=True)
            ]
            wordings.append(_wordings(given))
            used.append(file)
            if given.damage:
                skipped.append(SkippedFile(file.path, given.damage))
            skipped += [SkippedFile(file.path, note, unreadable=False) for note in given.notes]
            notes += [f"{file.path}: {remark}" for remark in given.remarks]
        except InputError as error:
            skipped.append(skip(file, error))
        except OSError as error:
            skipped.append(SkippedFile(file.path, f"cannot be read: {error}"))
        except _OTHER_SHAPE as error:
            skipped.append(SkippedFile(file.path, f"is not a readable file of {tool}: {error}"))
    notes = list(dict.fromkeys(notes))
    known = [(str(run["task"][0]), str(run["model"][0]), about) for run, about in runs]
    models = told_apart(known, notes)
    tables = [named(run, model) for (run, _), model in zip(runs, models, strict=True)]
    outcomes = pl.concat([empty_outcomes(), *number_repeats(tables, notes)])
    return Results(outcomes, pl.concat(wordings), tuple(skipped), tuple(notes), runs=tuple(known))


def _is_copy(file: ResultFile, other: ResultFile) -> bool:
    return file.size == other.size and file.size > 0 and file.read() == other.read()


def skip(file: ResultFile, error: InputError) -> SkippedFile:
    """The file as skipped because of `error`."""
    item = f"item '{error.item}': " if error.item is not None else ""
    line = f"line {error.line}: " if error.line is not None else ""
    return SkippedFile(file.path, f"{line}{item}{error.problem}")


def lines_lost(wrong: Sequence[tuple[int, str]]) -> str:
    """The message about lines that are no JSON; empty if there are none."""
    return f"{len(wrong)} of its lines cannot be read; line {wrong[0][0]}: {wrong[0][1]}" if wrong else ""


def refuse_outside(value: float | None, item: str, what: str = "score") -> float | None:
    """`value`, refused with its item if it is outside [0, 1]."""
    if value is not None and not 0.0 <= value <= 1.0:
        raise InputError(f"the {what} {value:g} is outside [0, 1]", item=item)
    return value


def check_rows(table: pl.DataFrame) -> None:
    """Refuse rows without a name, and scores and statuses that contradict each other."""
    for name in ("id", "variant", "repeat", "status"):
        missing = table[name].is_null().arg_true()
        if len(missing):
            raise InputError(f"row {missing[0] + 1} has no {name}")
    scored = pl.col("status") == SCORED
    wrong = {
        "the score {score:g} is outside [0, 1]": ~pl.col("score").is_between(0.0, 1.0),
        "the status '{status}' is none of " + ", ".join(STATUSES): ~pl.col("status").is_in(STATUSES),
        "its status is scored and it has no score": scored & pl.col("score").is_null(),
        "its status is {status} and it has a score": ~scored & pl.col("score").is_not_null(),
        "the outcome '{outcome}' is none of " + ", ".join(OUTCOMES): ~pl.col("outcome").is_in(OUTCOMES),
    }
    for problem, expression in wrong.items():
        for row in table.filter(expression).head(1).iter_rows(named=True):
            raise InputError(problem.format_map(row), item=row["id"])


def outcomes_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in OUTCOME_COLUMNS},
        schema=OUTCOME_COLUMNS,
        strict=False,
    )


def typed_column(name: str, values: Sequence[Any], kind: Any) -> pl.Series:
    """Of the column's type: text is made of anything, and what is no number is null."""
    if values.count(None) == len(values):  # as most columns of most logs
        return pl.repeat(None, len(values), dtype=kind, eager=True).alias(name)
    try:
        if kind not in (pl.Float64, pl.Int64):
            return pl.Series(name, values, kind)
        plain = float if kind == pl.Float64 else int
        if set(map(type, values)) <= {plain, type(None)}:  # polars takes a bool for a number
            column = pl.Series(name, values, kind)
            if kind == pl.Int64 or (column.abs() < _HUGE).all():
                return column
    except (TypeError, OverflowError):
        pass
    if kind == pl.String:
        fitting: Iterable[Any] = (None if value is None else str(value) for value in values)
    elif kind == pl.Float64:
        numbers = (value if type(value) in (int, float) else math.inf for value in values)
        fitting = (float(value) if abs(value) < _HUGE else None for value in numbers)
    else:
        fitting = (value if type(value) is int and -_INT64 <= value < _INT64 else None for value in values)
    return pl.Series(name, list(fitting), kind)


def wordings_frame(columns: Mapping[str, Sequence[Any] | pl.Series]) -> pl.DataFrame:
    """From columns, of which `choices` has a list of texts for each row."""
    frame = pl.DataFrame({name: columns[name] for name in WORDING_COLUMNS if name != "choices"}, strict=False)
    return frame.with_columns(choices=_lists(columns["choices"])).select(
        pl.col(name).cast(kind) for name, kind in WORDING_COLUMNS.items()
    )


def _lists(rows: Sequence[Sequence[str]] | pl.Series) -> pl.Series:
    """One flat column, cut: polars takes lists row by row, which is slow for many."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    flat = pl.DataFrame(
        {"row": np.repeat(np.arange(len(rows)), lengths), "text": [text for row in rows for text in row]},
        schema={"row": pl.Int64, "text": pl.String},
    )
    lists = flat.group_by("row", maintain_order=True).agg("text")["text"]
    with_empty = pl.concat([pl.Series("text", [[]], dtype=pl.List(pl.String)), lists])
    return with_empty.gather(np.where(lengths > 0, np.cumsum(lengths > 0), 0))


def _wordings(given: FileRows) -> pl.DataFrame:
    targets = given.targets or [""] * len(given.prompts)
    asked = [
        (row, prompt, target)
        for row, prompt, target in zip(given.rows, given.prompts, targets, strict=False)
        if prompt is not None
    ]
    columns: dict[str, list[Any]] = {
        name: [row[name] for row, _, _ in asked] for name in ("task", "id", "variant", "kind", "change")
    }
    columns |= {"prompt": [prompt for _, prompt, _ in asked], "target": [target for _, _, target in asked]}
    return wordings_frame({**columns, "choices": [[] for _ in asked]})
