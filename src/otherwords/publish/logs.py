"""Inspect logs and their outcome rows → new logs for `run --public`: scores and hashed ids, no text.

No field of a private log is copied unless it is named here: inputs, messages, outputs, events, stores,
attachments, arguments, error texts and paths are not.
"""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, get_args

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

from otherwords.core.contract import (
    AGENT_NAME_KEY,
    CONFIDENCE,
    CONTENT_KEY,
    DESIGN_COLUMNS,
    DISTANCE,
    ERROR,
    FINGERPRINT_KEY,
    ITEM_ID,
    MISSING,
    OUTCOME_KEY,
    OWN_PREFIX,
    PUBLIC_KEY,
    SCORER_KEY,
    SEED,
    UNSCORED,
    UNTIL_KEY,
    VARIANT,
    WORDING_KEYS,
)
from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import redacted
from otherwords.core.types import variant_id
from otherwords.publish.pseudonyms import WITHHELD, Pseudonyms, is_plain
from otherwords.publish.redact import LIMITS, public_outcomes

_UNFINISHED = ".publishing"
"""The folder in which logs are written before they take their places."""
_CONFIG = ("epochs", "message_limit", "token_limit", "time_limit", "working_limit")
_GENERATE = ("temperature", "top_p", "top_k", "max_tokens", "seed", "num_choices", "reasoning_tokens")
_USAGE = ("input_tokens", "output_tokens", "total_tokens", "reasoning_tokens", "total_cost")
_METADATA = (*(key for key in WORDING_KEYS if key != DISTANCE), CONFIDENCE, SEED)
_STATUSES = frozenset(get_args(EvalStatus))
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_INTERRUPTED = "CancelledError()"
"""The error by which Inspect and our reader know a sample that was interrupted."""


class PrivateLog(Protocol):
    """One run's log as `otherwords.results` reads it, with all that must not be published."""

    @property
    def status(self) -> str: ...
    @property
    def eval(self) -> Mapping[str, Any]: ...
    @property
    def header(self) -> Mapping[str, Any]: ...
    @property
    def samples(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def task(self) -> str: ...
    @property
    def task_id(self) -> str: ...
    @property
    def created(self) -> str: ...
    @property
    def planned(self) -> Sequence[Any]: ...
    def wording_key(self, sample_id: Any) -> tuple[str, str, str]: ...
    def score_numbers(self, sample: Any) -> Mapping[str, Any]: ...


Run = tuple[PrivateLog, pl.DataFrame]
"""A private log, and its samples as rows of the outcome table."""


def write_public_logs(runs: Sequence[Run], folder: str | Path, names: Pseudonyms) -> list[Path]:
    """A public log in `folder` for each run; it replaces the one of an earlier part of the run."""
    folder = Path(folder)
    unfinished = folder / _UNFINISHED
    written = []
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
        for name, log in public_logs(runs, names):
            write_eval_log(log, str(unfinished / name))
            os.replace(unfinished / name, folder / name)
            written.append(folder / name)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=folder) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return written


def public_logs(runs: Sequence[Run], names: Pseudonyms) -> Iterator[tuple[str, EvalLog]]:
    """File names and logs, one for each run."""
    ids: dict[tuple[str, str, str], str] = {}
    for log, table in runs:
        for sample, item, variant in zip(log.samples, table["id"], table[VARIANT], strict=True):
            public = variant_id(names.item(item), names.word(VARIANT, variant))
            ids.setdefault(log.wording_key(sample["id"]), public)
    for log, table in runs:
        public_ids = {
            str(sample_id): ids.get(log.wording_key(sample_id))
            or f"sample-{names.digest('id', str(sample_id))}"
            for sample_id in [*log.planned, *(sample["id"] for sample in log.samples)]
        }
        places = pl.Series("log", [str(place) for place in range(len(log.samples))], dtype=pl.String)
        rows = public_outcomes(table.with_columns(places), names, keep=("log",))
        samples = [
            _sample(log, log.samples[int(row["log"])], row, public_ids, names)
            for row in rows.iter_rows(named=True)
        ]
        samples.sort(key=lambda sample: (str(sample.id), sample.epoch))
        name = _UNSAFE.sub("-", f"{log.task}_{names.digest('run', log.task_id)}")
        yield f"{name}.eval", _log(log, samples, sorted(set(public_ids.values())), names)


def _log(log: PrivateLog, samples: list[EvalSample], ids: list[str], names: Pseudonyms) -> EvalLog:
    status: Any = log.status if log.status in _STATUSES else "error"
    error = log.header.get("error")
    return EvalLog(
        status=status,
        eval=_spec(log, ids, names),
        results=_results(log),
        stats=_stats(log.header.get("stats") or {}),
        error=_error("the run failed") if error else None,
        samples=samples,
    )


def _spec(log: PrivateLog, ids: list[str], names: Pseudonyms) -> EvalSpec:
    given = log.eval
    metadata: dict[str, Any] = {PUBLIC_KEY: True}
    told = given.get("metadata") or {}
    if told.get(AGENT_NAME_KEY):
        metadata[AGENT_NAME_KEY] = redacted(str(told[AGENT_NAME_KEY]))
    if told.get(SCORER_KEY):
        metadata[SCORER_KEY] = ".".join(_short(part) for part in str(told[SCORER_KEY]).split(".", 1))
    if isinstance(told.get(UNTIL_KEY), Mapping):
        metadata[UNTIL_KEY] = _until(told[UNTIL_KEY])
    if isinstance(told.get(FINGERPRINT_KEY), Mapping):
        # Hashes of code and prompts without a salt: whoever has these could tell.
        metadata[FINGERPRINT_KEY] = {
            str(part): names.digest("fingerprint", str(part), str(digest))
            for part, digest in told[FINGERPRINT_KEY].items()
        }
    return EvalSpec(
        created=log.created,
        eval_id=names.digest("eval", str(given.get("eval_id"))),
        run_id=names.digest("run", str(given.get("run_id"))),
        task_id=names.digest("task", log.task_id),
        task=log.task,
        # The private one is a hash of what is asked, without a salt.
        task_version=names.digest("version", str(given.get("task_version"))),
        dataset=EvalDataset(samples=len(ids), sample_ids=ids, shuffled=True),
        model=redacted(str(given.get("model") or "")),
        model_generate_config=GenerateConfig(**_numbers(given.get("model_generate_config"), _GENERATE)),
        config=EvalConfig(
            **_numbers(given.get("config"), _CONFIG), epochs_reducer=_reducers(given.get("config"))
        ),
        packages={name: str(version) for name, version in (given.get("packages") or {}).items()},
        metadata=metadata,
    )


def _until(told: Mapping[str, Any]) -> dict[str, Any]:
    """When the run was to stop: names of models and metrics, and numbers."""
    limits = told.get("thresholds")
    return {
        "goal": redacted(str(told.get("goal"))),
        "models": [redacted(str(model)) for model in told.get("models") or ()],
        **_numbers(told, ("most",)),
        "thresholds": _numbers(limits, list(limits) if isinstance(limits, Mapping) else []),
        "earlier": [[int(count) for count in one] for one in told.get("earlier") or ()],
        "generalize": told["generalize"] if is_plain(str(told.get("generalize"))) else None,
    }


def _results(log: PrivateLog) -> EvalResults | None:
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
    """Those over all samples: the name of a group of samples may come from the dataset."""
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


def _sample(
    log: PrivateLog,
    sample: Mapping[str, Any],
    row: Mapping[str, Any],
    public_ids: Mapping[str, str],
    names: Pseudonyms,
) -> EvalSample:
    reason, status, limit = row["reason"] or "", row["status"], sample.get("limit")
    about = {ITEM_ID: row["id"], **{name: row[name] for name in _METADATA if row[name] is not None}}
    about |= {OWN_PREFIX + name: row[name] for name in DESIGN_COLUMNS if row[name] is not None}
    content = (sample.get("metadata") or {}).get(CONTENT_KEY)
    if content is not None:  # with the salt, as it is a hash of what is asked
        about[CONTENT_KEY] = names.digest("content", str(content))
    stopped: dict[str, Any] = {}
    if status == ERROR:
        stopped["error"] = _error(reason)
    elif status == MISSING:
        stopped["error"] = _error(_INTERRUPTED)
    elif limit is not None:
        kind: Any = limit if limit in LIMITS else "custom"
        stopped["limit"] = EvalSampleLimit(type=kind, limit=0)
    return EvalSample(
        id=public_ids[str(sample["id"])],
        epoch=row["repeat"],
        input=WITHHELD,
        target="",
        metadata=about,
        scores=_scores(log.score_numbers(sample), row),
        **stopped,
    )


def _scores(numbers: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Score] | None:
    """The one that tables read has its answer and outcome; of others only their number is told."""
    counted = str(row["scorer"] or "")
    scores: dict[str, Score] = {}
    for name, number in numbers.items():
        counts = _short(name) == counted or counted.startswith(f"{_short(name)}.") or len(numbers) == 1
        about = {OUTCOME_KEY: row["outcome"]} if counts else None
        if isinstance(number, Mapping):
            value = {_short(key): math.nan if part is None else part for key, part in number.items()}
            scores[_short(name)] = Score(
                value=value, answer=row["answer"] if counts else None, metadata=about
            )
        elif number is not None and (row["score"] is not None or not counts):
            scores[_short(name)] = Score(
                value=row["score"] if counts else number,
                answer=row["answer"] if counts else None,
                metadata=about,
            )
        else:
            reason = row["reason"] if counts and row["status"] == UNSCORED else WITHHELD
            scores[_short(name)] = Score.unscored(reason=reason, metadata=about)
    return scores or None


def _reducers(config: Any) -> list[str] | None:
    given = config.get("epochs_reducer") if isinstance(config, Mapping) else None
    return [_short(name) for name in given] if isinstance(given, list) else None


def _error(message: str) -> EvalError:
    return EvalError(message=message, traceback="", traceback_ansi="")


def _numbers(given: Any, wanted: Sequence[str]) -> dict[str, Any]:
    given = given if isinstance(given, Mapping) else {}
    return {name: given[name] for name in wanted if isinstance(given.get(name), int | float)}


def _short(name: Any) -> str:
    text = str(name).rsplit("/", 1)[-1]
    return text if is_plain(text) else "score"
