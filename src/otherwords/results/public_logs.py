"""Inspect logs that may leave the house: real logs, made anew from what may be told and nothing else.

No field of a private log is copied unless it is named here: inputs, messages, outputs, events, stores,
attachments, arguments, error texts and places on this machine are not.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import polars as pl
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalSampleLimit,
    EvalScore,
    EvalSpec,
    EvalStats,
    EvalStatus,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelUsage
from inspect_ai.scorer import Score

from otherwords.core.errors import InputError
from otherwords.core.keys import redacted
from otherwords.core.pseudonyms import WITHHELD, Pseudonyms, is_plain
from otherwords.core.types import variant_id
from otherwords.results.answers import score_number
from otherwords.results.files import ResultFile
from otherwords.results.inspect_columns import outcomes_of, task_name
from otherwords.results.inspect_logs import InspectLog, read_inspect_log
from otherwords.results.inspect_reader import fullest_of_each_run, planned, wording_key
from otherwords.results.public import LIMITS, public_outcomes

__all__ = ["public_logs", "write_public_logs"]

MARK = "otherwords_public"
"""Metadata of a public log."""
_WORKSHOP = ".publishing"
_CONFIG = ("epochs", "message_limit", "token_limit", "time_limit", "working_limit")
_GENERATE = ("temperature", "top_p", "top_k", "max_tokens", "seed", "num_choices", "reasoning_tokens")
_USAGE = ("input_tokens", "output_tokens", "total_tokens", "reasoning_tokens", "total_cost")
_METADATA = ("variant", "kind", "change", "paraphrase_id", "perturbation_kind", "confidence", "seed")
_STATUSES = frozenset(get_args(EvalStatus))
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_INTERRUPTED = "CancelledError()"
"""By this, Inspect and our reader know a sample that was broken off."""


def write_public_logs(logs: Sequence[str | Path], folder: str | Path, names: Pseudonyms) -> list[Path]:
    """A public log in `folder` for each run of `logs`; it replaces the one of an earlier part of the run."""
    folder = Path(folder)
    workshop = folder / _WORKSHOP
    written = []
    try:
        workshop.mkdir(parents=True, exist_ok=True)
        for name, log in public_logs(logs, names):
            write_eval_log(log, str(workshop / name))
            os.replace(workshop / name, folder / name)
            written.append(folder / name)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=folder) from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return written


def public_logs(logs: Sequence[str | Path], names: Pseudonyms) -> Iterator[tuple[str, EvalLog]]:
    """File names and logs, one for each run."""
    private = fullest_of_each_run([read_inspect_log(ResultFile(str(log))) for log in logs], [])
    tables = [outcomes_of(log, None) for log in private]
    ids: dict[tuple[str, str, str], str] = {}
    for log, table in zip(private, tables, strict=True):
        for sample, item, variant in zip(log.samples, table["id"], table["variant"], strict=True):
            public = variant_id(names.item(item), names.word("variant", variant))
            ids.setdefault(wording_key(log, sample["id"]), public)
    for log, table in zip(private, tables, strict=True):
        public_ids = {
            str(sample_id): ids.get(wording_key(log, sample_id))
            or f"sample-{names.digest('id', str(sample_id))}"
            for sample_id in [*planned(log), *(sample["id"] for sample in log.samples)]
        }
        places = pl.Series("log", [str(place) for place in range(len(log.samples))], dtype=pl.String)
        rows = public_outcomes(table.with_columns(places), names, keep=("log",))
        samples = [
            _sample(log.samples[int(row["log"])], row, public_ids) for row in rows.iter_rows(named=True)
        ]
        samples.sort(key=lambda sample: (str(sample.id), sample.epoch))
        name = _UNSAFE.sub("-", f"{task_name(log)}_{names.digest('run', log.task_id)}")
        yield f"{name}.eval", _log(log, samples, sorted(set(public_ids.values())), names)


def _log(log: InspectLog, samples: list[EvalSample], ids: list[str], names: Pseudonyms) -> EvalLog:
    error = log.header.get("error")
    return EvalLog(
        status=log.status if log.status in _STATUSES else "error",
        eval=_spec(log, ids, names),
        results=_results(log),
        stats=_stats(log.header.get("stats") or {}),
        error=_error("the run failed") if error else None,
        samples=samples,
    )


def _spec(log: InspectLog, ids: list[str], names: Pseudonyms) -> EvalSpec:
    given = log.eval
    metadata: dict[str, Any] = {MARK: True}
    agent = (given.get("metadata") or {}).get("agent_name")
    if agent:
        metadata["agent_name"] = redacted(str(agent))
    return EvalSpec(
        created=log.created,
        eval_id=names.digest("eval", str(given.get("eval_id"))),
        run_id=names.digest("run", str(given.get("run_id"))),
        task_id=names.digest("task", log.task_id),
        task=task_name(log),
        # The private one is a hash of what is asked, without a salt.
        task_version=names.digest("version", str(given.get("task_version"))),
        dataset=EvalDataset(samples=len(ids), sample_ids=ids, shuffled=True),
        model=redacted(str(given.get("model") or "")),
        model_generate_config=GenerateConfig(**_numbers(given.get("model_generate_config"), _GENERATE)),
        config=EvalConfig(**_numbers(given.get("config"), _CONFIG)),
        packages={name: str(version) for name, version in (given.get("packages") or {}).items()},
        metadata=metadata,
    )


def _results(log: InspectLog) -> EvalResults | None:
    given = log.header.get("results")
    if not given:
        return None
    return EvalResults(
        **_numbers(given, ("total_samples", "completed_samples")),
        scores=[
            EvalScore(name=_short(score["name"]), scorer=_short(score["scorer"]), metrics=_metrics(score))
            for score in given.get("scores") or []
        ],
    )


def _metrics(score: Mapping[str, Any]) -> dict[str, EvalMetric]:
    """Those over all samples: the name of a group of samples may come from the set."""
    return {
        name: EvalMetric(name=name, value=one["value"])
        for name, one in (score.get("metrics") or {}).items()
        if is_plain(name) and not one.get("group") and isinstance(one.get("value"), int | float)
    }


def _stats(given: Mapping[str, Any]) -> EvalStats:
    usage = {
        redacted(str(model)): ModelUsage(**_numbers(used, _USAGE))
        for model, used in (given.get("model_usage") or {}).items()
    }
    return EvalStats(
        started_at=given.get("started_at") or "",
        completed_at=given.get("completed_at") or "",
        model_usage=usage,
    )


def _sample(sample: Mapping[str, Any], row: Mapping[str, Any], public_ids: Mapping[str, str]) -> EvalSample:
    reason, status = row["reason"] or "", row["status"]
    stopped: dict[str, Any] = {}
    if status == "error":
        stopped["error"] = _error(reason)
    elif status == "missing":
        stopped["error"] = _error(_INTERRUPTED)
    elif status == "limit":
        kind: Any = reason if reason in LIMITS else "custom"
        stopped["limit"] = EvalSampleLimit(type=kind, limit=0)
    return EvalSample(
        id=public_ids[str(sample["id"])],
        epoch=row["repeat"],
        input=WITHHELD,
        target="",
        metadata={"item_id": row["id"], **{name: row[name] for name in _METADATA if row[name] is not None}},
        scores=_scores(sample.get("scores") or {}, row),
        **stopped,
    )


def _scores(given: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Score] | None:
    """The first is the one that tables read; of others only their number is told."""
    scores: dict[str, Score] = {}
    for place, (name, score) in enumerate(given.items()):
        number = row["score"] if place == 0 else score_number((score or {}).get("value"))
        if number is not None:
            scores[_short(name)] = Score(value=number, answer=row["answer"] if place == 0 else None)
        else:
            reason = row["reason"] if place == 0 and row["status"] == "unscored" else WITHHELD
            scores[_short(name)] = Score.unscored(reason=reason)
    return scores or None


def _error(message: str) -> EvalError:
    return EvalError(message=message, traceback="", traceback_ansi="")


def _numbers(given: Any, wanted: Sequence[str]) -> dict[str, Any]:
    given = given if isinstance(given, Mapping) else {}
    return {name: given[name] for name in wanted if isinstance(given.get(name), int | float)}


def _short(name: Any) -> str:
    text = str(name).rsplit("/", 1)[-1]
    return text if is_plain(text) else "score"
