"""Inspect's log files, `.eval` and `.json`, opened without Inspect: its summaries hold all that is needed.

An `.eval` log is a zip. `summaries.json` is there when the run ended; a run that was killed left its
summaries in a journal. Summaries cut long strings; the sample's own file has them whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from zipfile import ZipFile

from otherwords.core.errors import InputError
from otherwords.results.archives import ZIP_MAGIC, opened_zip, read_member
from otherwords.results.files import Peek, ResultFile
from otherwords.results.jsons import parse

_CUT_INPUT = "...\n(content truncated)"
_CUT_TEXT_FROM = 1000
_ATTACHMENT = "attachment://"

Sample = dict[str, Any]


@dataclass
class InspectLog:
    file: ResultFile
    status: str
    eval: dict[str, Any]
    """Inspect's `EvalSpec`: task, model, dataset, configuration."""
    samples: list[Sample]
    """One summary for each sample and epoch, in the shape of Inspect's `EvalSampleSummary`."""
    whole_samples: Callable[[list[Sample]], list[Sample]] = field(repr=False)
    """The same summaries with nothing cut."""
    header: dict[str, Any] = field(default_factory=dict, repr=False)
    """All of the log but its samples."""

    def forget_all_but_ids(self) -> None:
        """What is left tells which samples there are and which of them failed."""
        kept = ("id", "epoch", "error")
        self.samples = [
            {name: sample[name] for name in kept if name in sample}
            for sample in self.samples
            if isinstance(sample, dict)
        ]

    @property
    def task_id(self) -> str:
        """The same for a run and for every later run that resumed it."""
        return str(self.eval.get("task_id") or self.file)

    @property
    def created(self) -> str:
        return str(self.eval.get("created") or "")

    @property
    def finished(self) -> int:
        return sum(1 for sample in self.samples if sample.get("error") is None)


def is_inspect_log(peek: Peek) -> bool:
    if peek.head.startswith(ZIP_MAGIC):
        return peek.file.name.endswith(".eval") or _holds_inspect_log(peek.file)
    return "eval" in peek.keys and bool(peek.keys & {"eval.task_id", "eval.run_id", "eval.task"})


def read_inspect_log(file: ResultFile) -> InspectLog:
    """Raises InputError, with the file's name, for anything that is not a whole Inspect log."""
    try:
        with file.open() as start:
            zipped = start.read(len(ZIP_MAGIC)) == ZIP_MAGIC
        return _read_zip(file) if zipped else _read_json(file)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"is damaged or cut short: {error}", file=str(file)) from error
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise InputError(f"is not a readable Inspect log: {error}", file=str(file)) from error


def was_cut(text: Any) -> bool:
    """Whether a summary may hold only the beginning of this string."""
    if not isinstance(text, str) or len(text) <= _CUT_TEXT_FROM:
        return False
    return text.endswith(("...", _CUT_INPUT))


def _holds_inspect_log(file: ResultFile) -> bool:
    try:
        with opened_zip(file) as archive:
            return "_journal/start.json" in archive.namelist()
    except (OSError, InputError):
        return False


def _read_zip(file: ResultFile) -> InspectLog:
    with opened_zip(file, only=("header.json", "summaries.json")) as archive:
        names = archive.NameToInfo
        if "header.json" in names:
            header = parse(read_member(archive, "header.json"))
        elif "_journal/start.json" in names:
            header = parse(read_member(archive, "_journal/start.json"))
        else:
            raise InputError("is a zip file but not an Inspect log", file=str(file))
        if "summaries.json" in names:
            summaries = parse(read_member(archive, "summaries.json"))
        else:
            summaries = _journal(archive)

    def whole_samples(cut: list[Sample]) -> list[Sample]:
        with opened_zip(file) as archive:
            return [_whole_sample(archive, summary) for summary in cut]

    return InspectLog(file, _status(header), header["eval"], _last_of_each(summaries), whole_samples, header)


def _journal(archive: ZipFile) -> list[Sample]:
    parts = (name for name in archive.namelist() if name.startswith("_journal/summaries/"))
    ordered = sorted(parts, key=lambda name: int(PurePosixPath(name).stem))
    return [summary for name in ordered for summary in parse(read_member(archive, name))]


def _whole_sample(archive: ZipFile, summary: Sample) -> Sample:
    name = f"samples/{summary['id']}_epoch_{summary['epoch']}.json"
    if name not in archive.NameToInfo:
        return summary
    return _as_summary(parse(read_member(archive, name)))


def _read_json(file: ResultFile) -> InspectLog:
    log = parse(file.read())
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        raise InputError("is JSON but not an Inspect log", file=str(file))
    samples = [_as_summary(sample) for sample in log.get("samples") or []]
    header = {name: value for name, value in log.items() if name != "samples"}
    return InspectLog(file, _status(log), log["eval"], _last_of_each(samples), lambda cut: cut, header)


def _status(header: dict[str, Any]) -> str:
    return str(header.get("status") or "started")


def _last_of_each(summaries: list[Sample]) -> list[Sample]:
    return list({(str(summary["id"]), summary["epoch"]): summary for summary in summaries}.values())


def _as_summary(sample: Sample) -> Sample:
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
