"""Result files of any known kind into the one table. The kind is told by content, not by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.registry import Registry
from otherwords.core.table import KEY, empty_outcomes
from otherwords.results.inspect_reader import INSPECT
from otherwords.results.tables import CSV, PARQUET
from otherwords.results.types import Reader, Results, SkippedFile, empty_wordings

READERS: Registry[Reader] = Registry("result reader", group="otherwords.results")
READERS.add("inspect", INSPECT)
READERS.add("parquet", PARQUET)
READERS.add("csv", CSV)

_HEAD = 4096
_INSPECT_LISTS = frozenset({"logs.json", "eval-set.json"})
"""Inspect keeps these beside its logs; they hold no results."""
_VARIANTS_MARK = b'"format":"otherwords-variants"'
"""In the first line of a variants file, which a run may keep beside its logs too."""

Paths = str | Path | Sequence[str | Path]


def read_results(paths: Paths, *, strict: bool = False, scorer: str | None = None) -> Results:
    """Read files and folders. What cannot be read is named in `skipped`, or refused if `strict`."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    by_reader: dict[str, list[Path]] = defaultdict(list)
    skipped: list[SkippedFile] = []
    for path in _files(given):
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError as error:
            skipped.append(SkippedFile(path, f"cannot be opened: {error.strerror or error}"))
            continue
        name = next((name for name, reader in READERS if reader.matches(path, head)), None)
        if name is not None:
            by_reader[name].append(path)
        elif _VARIANTS_MARK not in head:
            skipped.append(SkippedFile(path, "is not a result file of a known kind"))
    parts = [reader.read(by_reader[name], scorer) for name, reader in READERS if name in by_reader]
    skipped += [one for part in parts for one in part.skipped]
    unreadable = [one for one in skipped if one.unreadable]
    if strict and unreadable:
        raise InputError(
            f"{len(unreadable)} of the files cannot be used", hint="\n".join(map(str, unreadable))
        )
    outcomes = pl.concat([empty_outcomes(), *(part.outcomes for part in parts)])
    if outcomes.is_empty():
        raise InputError(
            f"no results found in {', '.join(map(str, given)) or 'nothing'}",
            hint="\n".join(map(str, skipped)) or None,
        )
    wordings = pl.concat([empty_wordings(), *(part.wordings for part in parts)])
    return Results(
        outcomes=_without_doubles(outcomes, skipped),
        wordings=wordings.unique(["task", "id", "variant"], keep="first", maintain_order=True),
        skipped=tuple(skipped),
    )


def load_all_results(logs: Paths) -> pl.DataFrame:
    """The outcome table of all logs in a folder."""
    return read_results(logs).outcomes


def _files(given: Sequence[str | Path]) -> list[Path]:
    found: dict[Path, None] = {}
    for entry in map(Path, given):
        if entry.is_dir():
            found.update((path, None) for path in sorted(entry.rglob("*")) if _may_hold_results(path, entry))
        elif entry.is_file():
            found[entry] = None
        else:
            raise InputError("there is no such file or folder", file=entry)
    return list(found)


def _may_hold_results(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.is_file() and not hidden and path.name not in _INSPECT_LISTS


def _without_doubles(outcomes: pl.DataFrame, skipped: list[SkippedFile]) -> pl.DataFrame:
    """Rows that are the same in every column count once; rows that contradict each other are refused."""
    single = outcomes.unique(keep="first", maintain_order=True)
    if single.height < outcomes.height:
        kept = dict(single.group_by("log").len().iter_rows())
        for log, rows in outcomes.group_by("log", maintain_order=True).len().iter_rows():
            if rows > kept[log]:
                reason = f"{rows - kept[log]} rows were read twice, kept once"
                skipped.append(SkippedFile(Path(log or ""), reason, unreadable=False))
    clash = single.filter(single.select(KEY).is_duplicated())
    if not clash.is_empty():
        row = clash.row(0, named=True)
        same = clash.filter(pl.all_horizontal(pl.col(name).eq_missing(row[name]) for name in KEY))
        where = " and ".join(dict.fromkeys(str(log) for log in same["log"]))
        raise InputError(
            f"variant '{row['variant']}', repeat {row['repeat']} of task '{row['task']}' with model "
            f"'{row['model']}' has two different results, in {where}",
            item=row["id"],
        )
    return single
