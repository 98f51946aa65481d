"""A log folder → its logs, mended where a run was killed; samples counted by outcome; what went wrong."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sqlite3
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    RecoveryNotAvailable,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    recover_eval_log,
    recoverable_eval_logs,
)
from inspect_ai.scorer import Score

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_NAME_KEY,
    ANSWERED,
    INTERRUPTIONS,
    NOT_RUN,
    ORIG,
    OUTCOME_KEY,
    OWN_PREFIX,
    PROVIDER_ERROR,
    USER_ERRORS_KEY,
    VARIANT,
)
from otherwords.core.errors import InputError, OtherwordsWarning
from otherwords.core.files import DAMAGE, read_member
from otherwords.core.table import Chosen, counted_and_others, score_label, score_parts, which_counts
from otherwords.runs.outcomes import ERROR_KEY, NOTE_KEY

DAMAGED_BUFFER = (
    "{log}: Inspect's buffer of this killed run is damaged ({error}): "
    "what had finished and is not in the log yet is asked again"
)
_BEFORE_DRIVE = re.compile(r"^/(?=[A-Za-z]:)")
_FAILURES = (AGENT_ERROR, PROVIDER_ERROR, NOT_RUN)
_SUMMARIES = "summaries.json"
_NO_SCORE = "the scorer gave no score"


def recover_crashed(folder: Path) -> None:
    """Put what a killed run left in Inspect's buffer into its log, in place and all or nothing."""
    if not folder.is_dir():
        return
    # In a folder of its own, as Inspect recovers nothing beside a finished log of fewer repeats.
    recovery_folder = folder / ".recovering"
    shutil.rmtree(recovery_folder, ignore_errors=True)
    refuse_damaged(folder)
    for log, mended in mended_copies(folder, recovery_folder).items():
        os.replace(mended, log)
    shutil.rmtree(recovery_folder, ignore_errors=True)


def mended_copies(folder: Path, out: Path) -> dict[Path, Path]:
    """Each log that a killed run left, with a copy in `out` that has what is still in Inspect's buffer."""
    mended = {}
    for log in _crashed(folder) if folder.is_dir() else ():
        out.mkdir(exist_ok=True)
        try:
            # The buffer stays until Inspect sweeps it: were it removed here, a kill now would lose it.
            recover_eval_log(str(log), output=str(out / log.name), cleanup=False)
        except RecoveryNotAvailable:
            continue  # nothing was in the buffer that is not in the log
        except (sqlite3.DatabaseError, ValueError) as error:
            warnings.warn(DAMAGED_BUFFER.format(log=log, error=error), OtherwordsWarning, stacklevel=2)
            continue
        mended[log] = out / log.name
    return mended


def _crashed(folder: Path) -> list[Path]:
    try:
        return [local_path(one.log.name) for one in recoverable_eval_logs(str(folder))]
    except sqlite3.DatabaseError:  # the buffer of one of them; the others can be recovered
        logs = [(info, read_eval_log(info, header_only=True)) for info in list_eval_logs(str(folder))]
        return [local_path(info.name) for info, log in logs if log.status == "started"]


def sample_errors(log: EvalLog) -> list[str]:
    """What happened to each of the samples that failed."""
    return [str(one.error) for one in read_eval_log_sample_summaries(log.location) if one.error is not None]


def refuse_damaged(folder: Path) -> None:
    for info in list_eval_logs(str(folder)):
        try:
            _require_sane(local_path(info.name))
            read_eval_log(info, header_only=True)
        except (ValueError, KeyError, OSError, RecursionError, *DAMAGE) as error:
            raise InputError(
                "cannot be read as an Inspect log, and the run would be resumed from it",
                file=local_path(info.name),
                hint="Move it away and run again.",
            ) from error


def _require_sane(log: Path) -> None:
    """Inspect unpacks a log's header whatever its size; a bomb is refused first."""
    if zipfile.is_zipfile(log):
        with zipfile.ZipFile(log) as archive:
            for name in ("header.json", "_journal/start.json"):
                if name in archive.NameToInfo:
                    read_member(archive, name)


def plain_name(task: str) -> str:
    return task.rsplit("/", 1)[-1]


def local_path(location: str) -> Path:
    """Inspect's `file:///logs/a.eval` as a path; on Windows `file:///C:/logs/a.eval` as `C:/logs/a.eval`."""
    path = location.removeprefix("file://")
    return Path(_BEFORE_DRIVE.sub("", path) if sys.platform == "win32" else path)


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """What became of the samples of a run, those of earlier runs of the same command among them."""

    runs: int = 0
    by_wording: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each outcome, how many samples of each wording had it."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """How many samples have no score, by the outcome and, where there is one, the reason."""
    first: Mapping[str, str] = field(default_factory=dict)
    """What happened to the first sample of each outcome that failed."""
    no_model: int = 0
    """Samples with a score in which no model was asked through Inspect."""
    failed_models: tuple[str, ...] = ()
    """Models and agents of which every sample failed."""
    notes: tuple[str, ...] = ()
    """Which of several scores counts, where the run was not told."""
    user_errors: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """For each wording in how many conversations the simulated user erred, and of how many that is known."""
    first_user_error: str = ""
    """What the first of them is, with its sample."""

    def count(self, outcome: str) -> int:
        return sum(self.by_wording.get(outcome, {}).values())


def count_outcomes(logs: Iterable[Path], scorer: str | None = None) -> OutcomeCounts:
    """Reads the summaries of the samples; of several scores the one named counts, or else the first."""
    by_wording: dict[str, Counter[str]] = {}
    unscored: Counter[str] = Counter()
    first: dict[str, str] = {}
    runs = no_model = 0
    worked: dict[str, bool] = {}
    notes: dict[str, None] = {}
    erred: dict[str, tuple[int, int]] = {}
    first_erred = ""
    for log in logs:
        header = read_eval_log(str(log), header_only=True)
        model = str((header.eval.metadata or {}).get(AGENT_NAME_KEY) or header.eval.model)
        samples = [one for one in _summaries(log) if not _was_interrupted(one)]
        (name, key), others = _counted(header, samples, scorer)
        if others:
            task = plain_name(header.eval.task)
            notes[f"In {task}, {which_counts(score_label(name, key), others)}."] = None
        for sample in samples:
            score = (sample.scores or {}).get(name)
            outcome, why = outcome_of(sample, score)
            runs += 1
            by_wording.setdefault(outcome, Counter())[_wording(sample.metadata)] += 1
            worked[model] = worked.get(model, False) or outcome not in _FAILURES
            if outcome in _FAILURES:
                first.setdefault(outcome, why or outcome)
            if sample.error is not None or score is None or not _is_value(score.value, key):
                unscored[outcome if outcome != ANSWERED else why or _NO_SCORE] += 1
            elif (score.metadata or {}).get(NOTE_KEY):
                no_model += 1
            errors = None if score is None else (score.metadata or {}).get(USER_ERRORS_KEY)
            if errors is not None:
                wording = _wording(sample.metadata)
                before = erred.get(wording, (0, 0))
                erred[wording] = (before[0] + bool(errors), before[1] + 1)
                first_erred = first_erred or (f"{errors} in sample {sample.id}" if errors else "")
    failed = tuple(model for model, fine in worked.items() if not fine)
    return OutcomeCounts(
        runs, by_wording, unscored, first, no_model, failed, tuple(notes), erred, first_erred
    )


def _summaries(log: Path) -> list[EvalSampleSummary]:
    """Those of a finished log as they are written; Inspect's reader shortens every text of them once more.

    That took a hundredth of a run's time.
    """
    if zipfile.is_zipfile(log):
        with zipfile.ZipFile(log) as archive:
            if _SUMMARIES in archive.NameToInfo:
                return [_summary(one) for one in json.loads(read_member(archive, _SUMMARIES))]
    return read_eval_log_sample_summaries(str(log))


def _summary(written: Mapping[str, Any]) -> EvalSampleSummary:
    scores = {name: Score.model_validate(score) for name, score in (written.get("scores") or {}).items()}
    return EvalSampleSummary.model_construct(**{**written, "scores": scores or None})


def _was_interrupted(sample: EvalSampleSummary) -> bool:
    """It was under way when the run was stopped, and has neither failed nor finished."""
    return str(sample.error or "").startswith(INTERRUPTIONS)


def _counted(
    header: EvalLog, samples: Sequence[EvalSampleSummary], scorer: str | None
) -> tuple[Chosen, list[str]]:
    """Which score counts, as readers of the log will have it."""
    values = [{name: score.value for name, score in (sample.scores or {}).items()} for sample in samples]
    computed = [(one.scorer, one.name) for one in (header.results.scores if header.results else ())]
    parts = score_parts(values, computed)
    return counted_and_others(scorer, parts) or counted_and_others(None, parts) or (("", None), [])


def outcome_of(sample: EvalSampleSummary, score: Score | None) -> tuple[str, str | None]:
    """The outcome that the run wrote down, and what happened where something went wrong."""
    if sample.error is not None:
        return PROVIDER_ERROR, str(sample.error)
    if score is None:
        return ANSWERED, None
    known = score.metadata or {}
    outcome = str(known.get(OUTCOME_KEY, ANSWERED))
    if outcome == AGENT_ERROR:
        return outcome, score.explanation
    return outcome, str(known.get(ERROR_KEY) or score.reason or "") or None


_NUMBERS = re.compile(
    r"(?P<kept>(?:code|status|http)\W{0,3}\d{3}\b)|\b(?:0x)?(?=[0-9a-f-]*\d)[0-9a-f]{6,}(?:-[0-9a-f]{2,})*\b|"
    r"\b(?:req|request|chatcmpl|msg|run|id)[_-]\w+|[-_][a-z0-9_]{8}(?=/)|\d+(?:\.\d+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What was wrong with a sample."""

    text: str
    is_agents: bool = False
    """The agent's own code failed; else its provider or the machine."""
    names: tuple[str, ...] = ()
    """Of the sample and its item, which errors may quote."""

    @property
    def pattern(self) -> str:
        """The text without what differs from sample to sample: ids, times and other numbers."""
        text = self.text
        for name in sorted(self.names, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "#", text) if name else text
        return " ".join(_NUMBERS.sub(lambda found: found["kept"] or "#", text).split())


def problem_of(
    sample_id: str | int, metadata: Mapping[str, Any], scores: Mapping[str, Score] | None, error: str | None
) -> Problem | None:
    """The failure of an agent or a provider that ended a sample, or that a score of it tells of."""
    if error is not None:
        return Problem(error, names=_names(sample_id, metadata))
    for score in (scores or {}).values():
        known = score.metadata or {}
        if known.get(OUTCOME_KEY) == AGENT_ERROR:
            return Problem(str(score.explanation), True, _names(sample_id, metadata))
        if known.get(OUTCOME_KEY) == PROVIDER_ERROR and ERROR_KEY in known:
            return Problem(str(known[ERROR_KEY]), names=_names(sample_id, metadata))
    return None


def _names(sample_id: str | int, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    item = metadata.get(OWN_PREFIX + "item_id", metadata.get("item_id"))
    return tuple(str(name) for name in (sample_id, item) if name is not None)


def _is_value(value: Any, key: str | None) -> bool:
    if isinstance(value, Mapping):
        value = value.get(key)
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _wording(metadata: Mapping[str, Any]) -> str:
    return str(metadata.get(OWN_PREFIX + VARIANT) or metadata.get(VARIANT) or ORIG)
