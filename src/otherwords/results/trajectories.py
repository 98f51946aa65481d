"""Inspect logs → tool calls with arguments of samples whose runs wrote no record; arguments as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.files import DAMAGE, ZIP_MAGIC, read_member
from otherwords.core.table import KEY
from otherwords.core.tool_calls import Call, tool_call_record
from otherwords.core.tool_events import before_scoring, calls_in_sample
from otherwords.core.types import variant_id
from otherwords.results.tool_values import parse, with_attachments

SampleKey = tuple[str, str, int]
"""Item, variant and repeat."""
_TRIED = 3
"""Items of a log: where no run of them called a tool, it is of no agent that does."""
_OTHER_SHAPES = (KeyError, TypeError, AttributeError, ValueError, RecursionError)
_LONGEST_ARGUMENTS = 600
"""Characters of a call's arguments that are shown."""


class LoggedRun(NamedTuple):
    """What one sample's own file tells."""

    calls: list[Call]
    model_calls: int | None


def with_logged_calls(outcomes: pl.DataFrame) -> pl.DataFrame:
    """An outcome table with the tool calls that Inspect logs hold but their runs did not write down.

    Logs that are no longer where the table says, and those of agents that call no tool, are left alone.
    """
    found = []
    for rows in outcomes.filter(pl.col("log").is_not_null()).partition_by("log", maintain_order=True):
        log = rows["log"][0]
        if rows["tool_calls"].null_count() < rows.height or not _is_inspect_log(log):
            continue
        tried = rows["id"].is_in(rows["id"].unique(maintain_order=True).head(_TRIED).to_list())
        first = _read_rows(log, rows.filter(tried))
        if first["logged"].str.len_chars().sum():
            found += [first, _read_rows(log, rows.filter(~tried))]
    if not found:
        return outcomes
    joined = outcomes.join(
        pl.concat(found), on=list(KEY), how="left", maintain_order="left", nulls_equal=True
    )
    asked = pl.coalesce("model_calls", "logged_model_calls")
    called = pl.coalesce("tool_calls", "logged")
    return joined.with_columns(tool_calls=called, model_calls=asked).select(outcomes.columns)


def _read_rows(log: str, rows: pl.DataFrame) -> pl.DataFrame:
    read = logged_runs(log, rows.select("id", "variant", "repeat").rows())
    return rows.select(KEY).with_columns(
        pl.Series(
            "logged", [None if one is None else tool_call_record(one.calls) for one in read], pl.String
        ),
        pl.Series("logged_model_calls", [None if one is None else one.model_calls for one in read], pl.Int64),
    )


def _is_inspect_log(log: str) -> bool:
    return log.endswith((".eval", ".json")) and Path(log).is_file()


def logged_runs(log: str, samples: Sequence[SampleKey]) -> list[LoggedRun | None]:
    """What some samples of an Inspect log on this machine called, with arguments.

    Args:
        log: The log's address, as the outcome table has it.
        samples: Item, variant and repeat of each.

    Returns:
        For each its calls; None where the sample is not there, or cannot be read.
    """
    file = Path(log)
    try:
        with file.open("rb") as stream:
            if stream.read(len(ZIP_MAGIC)) == ZIP_MAGIC:
                with ZipFile(stream) as archive:
                    return [_run_of(partial(_zipped, archive), *one) for one in samples]
        every = {(str(one["id"]), one["epoch"]): one for one in parse(file.read_bytes()).get("samples") or ()}
        return [_run_of(lambda *key: every.get(key), *one) for one in samples]
    except (InputError, OSError, *DAMAGE, *_OTHER_SHAPES):
        return [None] * len(samples)


def _zipped(archive: ZipFile, sample_id: str, epoch: int) -> Any:
    name = f"samples/{sample_id}_epoch_{epoch}.json"
    content = read_member(archive, name) if name in archive.NameToInfo else b"null"
    return parse(content) if content == b"null" or b'"tool' in content else {}


def _run_of(find: Callable[[str, int], Any], item: str, variant: str, repeat: int) -> LoggedRun | None:
    """Of the sample that is named by its wording, as ours are, or else by its item."""
    names = (variant_id(item, variant), item)
    sample = next((one for name in names if (one := find(name, repeat)) is not None), None)
    if sample is None:
        return None
    events, attached = sample.get("events"), sample.get("attachments") or {}
    calls = calls_in_sample(events, sample.get("messages"))
    return LoggedRun(
        [Call(*(with_attachments(part, attached) for part in call)) for call in calls],
        sum(kind == "model" for kind, _ in before_scoring(events)) if events else None,
    )


def shown_arguments(call: Call) -> str:
    """The arguments of a call for a reader, one to a line; what is long is cut."""
    given = call.arguments
    lines = list(_lines(given)) if isinstance(given, Mapping) and given else [_value(given)]
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST_ARGUMENTS else text[: _LONGEST_ARGUMENTS - 1] + "…"


def _lines(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(arguments, key=str):
        yield f"{name}: {_value(arguments[name])}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
