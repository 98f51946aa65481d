"""Inspect's log files, `.eval` and `.json`, opened without Inspect: its summaries hold all that is needed.

An `.eval` log is a zip. `summaries.json` is there when the run ended; a run that was killed left its
summaries in a journal. Summaries cut long strings; the sample's own file has them whole.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from otherwords.core.errors import InputError

if sys.version_info < (3, 14):  # Inspect compresses with zstd, which zipfile reads by itself from 3.14 on
    import zipfile_zstd  # type: ignore[import-untyped]  # noqa: F401

ZIP_MAGIC = b"PK\x03\x04"
_CUT_INPUT = "...\n(content truncated)"
_CUT_TEXT_FROM = 1000
_ATTACHMENT = "attachment://"


@dataclass
class InspectLog:
    path: Path
    status: str
    eval: dict[str, Any]
    """Inspect's `EvalSpec`: task, model, dataset, configuration."""
    samples: list[dict[str, Any]]
    """One summary for each sample and epoch, in the shape of Inspect's `EvalSampleSummary`."""
    whole_sample: Callable[[dict[str, Any]], dict[str, Any]] = field(repr=False)
    """The same summary with nothing cut."""

    @property
    def task_id(self) -> str:
        """The same for a run and for every later run that resumed it."""
        return str(self.eval.get("task_id") or self.path)

    @property
    def created(self) -> str:
        return str(self.eval.get("created") or "")

    @property
    def finished(self) -> int:
        return sum(1 for sample in self.samples if sample.get("error") is None)


def is_inspect_log(path: Path, head: bytes) -> bool:
    if head.startswith(ZIP_MAGIC):
        return path.suffix == ".eval" or _holds_inspect_log(path)
    start = head.lstrip()
    return start.startswith(b"{") and b'"eval"' in head and b'"task_id"' in head


def read_inspect_log(path: Path) -> InspectLog:
    """Raises InputError, with the file's name, for anything that is not a whole Inspect log."""
    try:
        with path.open("rb") as file:
            zipped = file.read(len(ZIP_MAGIC)) == ZIP_MAGIC
        return _read_zip(path) if zipped else _read_json(path)
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(f"is damaged or cut short: {error}", file=path) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not a readable Inspect log: {error}", file=path) from error


def parse(content: bytes) -> Any:
    """JSON, with Python's NaN (Inspect's mark for 'not scored') read as null where a value is."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    # An unescaped quote cannot stand inside a JSON string, so this replaces values and never text.
    bare = content.replace(b'"value":NaN', b'"value":null').replace(b'"value": NaN', b'"value": null')
    try:
        return orjson.loads(bare)
    except orjson.JSONDecodeError:
        return json.loads(content)


def was_cut(text: Any) -> bool:
    """Whether a summary may hold only the beginning of this string."""
    if not isinstance(text, str):
        return False
    return text.endswith(_CUT_INPUT) or (len(text) > _CUT_TEXT_FROM and text.endswith("..."))


def _holds_inspect_log(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "_journal/start.json" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _read_zip(path: Path) -> InspectLog:
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if "header.json" in names:
            header = parse(archive.read("header.json"))
        elif "_journal/start.json" in names:
            header = parse(archive.read("_journal/start.json"))
        else:
            raise InputError("is a zip file but not an Inspect log", file=path)
        if "summaries.json" in names:
            summaries = parse(archive.read("summaries.json"))
        else:
            parts = (name for name in names if name.startswith("_journal/summaries/"))
            ordered = sorted(parts, key=lambda name: int(Path(name).stem))
            summaries = [summary for name in ordered for summary in parse(archive.read(name))]

    def whole_sample(summary: dict[str, Any]) -> dict[str, Any]:
        name = f"samples/{summary['id']}_epoch_{summary['epoch']}.json"
        with zipfile.ZipFile(path) as archive:
            return _as_summary(parse(archive.read(name))) if name in names else summary

    return InspectLog(path, _status(header), header["eval"], _last_of_each(summaries), whole_sample)


def _read_json(path: Path) -> InspectLog:
    log = parse(path.read_bytes())
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        raise InputError("is JSON but not an Inspect log", file=path)
    samples = [_as_summary(sample) for sample in log.get("samples") or []]
    return InspectLog(path, _status(log), log["eval"], _last_of_each(samples), lambda summary: summary)


def _status(header: dict[str, Any]) -> str:
    return str(header.get("status") or "started")


def _last_of_each(summaries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({(str(summary["id"]), summary["epoch"]): summary for summary in summaries}.values())


def _as_summary(sample: dict[str, Any]) -> dict[str, Any]:
    """A whole sample in the shape of its summary, attachments put back in the input."""
    attachments = sample.get("attachments") or {}
    error, limit = sample.get("error"), sample.get("limit")
    return {
        **{name: value for name, value in sample.items() if name not in ("messages", "events", "store")},
        "input": _with_attachments(sample.get("input"), attachments),
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
    }


def _with_attachments(value: Any, attachments: dict[str, str]) -> Any:
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [_with_attachments(part, attachments) for part in value]
    if isinstance(value, dict):
        return {name: _with_attachments(part, attachments) for name, part in value.items()}
    return value
