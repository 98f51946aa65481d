"""Inspect logs and their outcome rows → new logs for `run --public`: scores and hashed ids, no text.

No field of a private log is copied unless it is named here: inputs, messages, outputs, events, stores,
attachments, arguments, error texts and paths are not.
"""

from __future__ import annotations

import math
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
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
    UNSCORED,
    UNTIL_KEY,
    VARIANT,
    WORDING_KEYS,
)
from otherwords.core.errors import InputError
from otherwords.core.types import variant_id
from otherwords.publish.pseudonyms import NamesOf, Pseudonyms
from otherwords.publish.redact import LIMITS, public_outcomes
from otherwords.publish.vocabulary import METRICS, PACKAGES, WITHHELD

_CONFIG = ("epochs", "message_limit", "token_limit", "time_limit", "working_limit")
_GENERATE = ("temperature", "top_p", "top_k", "max_tokens", "num_choices", "reasoning_tokens")
_USAGE = ("input_tokens", "output_tokens", "total_tokens", "reasoning_tokens", "total_cost")
FEWEST_SUMMED = 20
_METADATA = (*(key for key in WORDING_KEYS if key != DISTANCE), CONFIDENCE)
_STATUSES = frozenset(get_args(EvalStatus))
FINGERPRINT_PARTS = ("task", "solver", "scorer", "model_args", "generate", "limits", "agent", "roles")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,40}")
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


def write_public_logs(runs: Sequence[Run], folder: str | Path, salts: NamesOf) -> list[Path]:
    """A public log in `folder` for each run; it replaces the one of an earlier part of the run."""
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, log in public_logs(runs, salts):
            (folder / name).unlink(missing_ok=True)  # it may be a link to the one in use
            write_eval_log(log, str(folder / name))
            _forget_times(folder / name)
            written.append(folder / name)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=folder) from error
    return written


def public_logs(runs: Sequence[Run], salts: NamesOf) -> Iterator[tuple[str, EvalLog]]:
    """File names and logs, one for each run."""
    ids: dict[tuple[str, str, str], str] = {}
    models: dict[str, set[str]] = {}
    for log, table in runs:
        names = salts.names(log.task)
        models.setdefault(log.task, set()).update([*table["model"].drop_nulls(), *_models_of(log)])
        for sample, item, variant in zip(log.samples, table["id"], table[VARIANT], strict=True):
            public = variant_id(names.item(item), names.variant(variant))
            ids.setdefault(log.wording_key(sample["id"]), public)
    for log, table in runs:
        names = salts.names(log.task)
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
        name = _UNSAFE.sub("-", f"{names.task(log.task)}_{names.digest('run', log.task_id)}")
        told = names.models(sorted(models[log.task]))
        yield f"{name}.eval", _log(log, samples, sorted(set(public_ids.values())), names, told)


_START_OF_1980 = b"\0\0\x21\0"


def _forget_times(path: Path) -> None:
    """An archive has the local time of each of its members: with the day in UTC, the time zone."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        at = archive.start_dir
        for member in archive.infolist():
            content[member.header_offset + 10 : member.header_offset + 14] = _START_OF_1980
            content[at + 12 : at + 16] = _START_OF_1980
            at += 46 + sum(struct.unpack("<HHH", content[at + 28 : at + 34]))
    path.write_bytes(content)


def _models_of(log: PrivateLog) -> list[str]:
    usage = (log.header.get("stats") or {}).get("model_usage") or {}
    agent = (log.eval.get("metadata") or {}).get(AGENT_NAME_KEY)
    return [str(one) for one in (log.eval.get("model"), agent, *usage) if one]


def _log(
    log: PrivateLog,
    samples: list[EvalSample],
    ids: list[str],
    names: Pseudonyms,
    models: Mapping[str, str],
) -> EvalLog:
    status: Any = log.status if log.status in _STATUSES else "error"
    error = log.header.get("error")
    return EvalLog(
        status=status,
        eval=_spec(log, ids, names, models),
        results=_results(log, names),
        stats=_stats(log.header.get("stats") or {}, models, len(samples)),
        error=_error("the run failed") if error else None,
        samples=samples,
    )


def _spec(log: PrivateLog, ids: list[str], names: Pseudonyms, models: Mapping[str, str]) -> EvalSpec:
    given = log.eval
    metadata: dict[str, Any] = {PUBLIC_KEY: True}
    told = given.get("metadata") or {}
    if told.get(AGENT_NAME_KEY):
        metadata[AGENT_NAME_KEY] = models[str(told[AGENT_NAME_KEY])]
    if told.get(SCORER_KEY):
        metadata[SCORER_KEY] = names.scorer(str(told[SCORER_KEY]))
    if isinstance(told.get(UNTIL_KEY), Mapping):
        metadata[UNTIL_KEY] = _until(told[UNTIL_KEY], models)
    if isinstance(told.get(FINGERPRINT_KEY), Mapping):
        # Hashes of code and prompts without a salt: whoever has these could tell.
        metadata[FINGERPRINT_KEY] = {
            part: names.digest("fingerprint", part, str(told[FINGERPRINT_KEY][part]))
            for part in FINGERPRINT_PARTS
            if part in told[FINGERPRINT_KEY]
        }
    return EvalSpec(
        created=coarse_time(log.created),
        eval_id=names.digest("eval", str(given.get("eval_id"))),
        run_id=names.digest("run", str(given.get("run_id"))),
        task_id=names.digest("task", log.task_id),
        task=names.task(log.task),
        # The private one is a hash of what is asked, without a salt.
        task_version=names.digest("version", str(given.get("task_version"))),
        dataset=EvalDataset(samples=len(ids), sample_ids=ids, shuffled=True),
        model=models.get(str(given.get("model")), ""),
        model_generate_config=GenerateConfig(**_numbers(given.get("model_generate_config"), _GENERATE)),
        config=EvalConfig(
            **_numbers(given.get("config"), _CONFIG), epochs_reducer=_reducers(given.get("config"), names)
        ),
        packages={
            name: str(version)
            for name, version in (given.get("packages") or {}).items()
            if name in PACKAGES and _VERSION.fullmatch(str(version))
        },
        metadata=metadata,
    )


def _until(told: Mapping[str, Any], models: Mapping[str, str]) -> dict[str, Any]:
    """When the run was to stop: names of models and metrics, and numbers."""
    limits = told.get("thresholds")
    goal = str(told.get("goal"))
    asked = [str(model) for model in told.get("models") or ()]
    for model in asked:
        goal = goal.replace(model, models.get(model, "other"))
    return {
        "goal": goal,
        "models": [models.get(model, "other") for model in asked],
        **_numbers(told, ("most",)),
        "thresholds": _numbers(limits, list(limits) if isinstance(limits, Mapping) else []),
        "earlier": [[int(count) for count in one] for one in told.get("earlier") or ()],
        "generalize": told.get("generalize")
        if told.get("generalize") in ("items", "wordings", "both")
        else None,
    }


def _results(log: PrivateLog, names: Pseudonyms) -> EvalResults | None:
    given = log.header.get("results")
    if not given:
        return None
    return EvalResults(
        **_numbers(given, ("total_samples", "completed_samples")),
        scores=[
            EvalScore(
                name=names.scorer(str(score["name"])),
                scorer=names.scorer(str(score["scorer"])),
                metrics=_metrics(score),
            )
            for score in given.get("scores") or []
        ],
    )


def _metrics(score: Mapping[str, Any]) -> dict[str, EvalMetric]:
    """Those over all samples: the name of a group of samples may come from the dataset."""
    return {
        name: EvalMetric(name=name, value=one["value"])
        for name, one in (score.get("metrics") or {}).items()
        if name in METRICS and not one.get("group") and isinstance(one.get("value"), int | float)
    }


def _stats(given: Mapping[str, Any], models: Mapping[str, str], samples: int) -> EvalStats:
    """Tokens and cost of the whole run, with two digits: exact sums would tell how long the prompts are.

    None of a few samples, whose sum would tell as much.
    """
    if samples < FEWEST_SUMMED:
        return EvalStats(started_at="", completed_at="")
    usage = {
        models[str(model)]: ModelUsage(**{name: coarse(one) for name, one in _numbers(used, _USAGE).items()})
        for model, used in (given.get("model_usage") or {}).items()
    }
    return EvalStats(started_at="", completed_at="", model_usage=usage)


def coarse(number: float) -> Any:
    """With two digits, so that a sum tells nothing of its parts.

    Examples:
        >>> coarse(123456), coarse(0.01234)
        (120000, 0.012)
    """
    if not number or not math.isfinite(number):
        return 0
    digits = 1 - math.floor(math.log10(abs(number)))
    return type(number)(round(number, digits))


def coarse_time(text: str) -> str:
    """The day of a time, in UTC: neither a time zone nor how long a run took.

    Examples:
        >>> coarse_time("2026-11-15T01:30:00+02:00")
        '2026-11-14T00:00:00+00:00'
    """
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = datetime.fromtimestamp(0, timezone.utc)  # Inspect's logs must have one
    return f"{moment.astimezone(timezone.utc).date().isoformat()}T00:00:00+00:00"


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
        scores=_scores(log.score_numbers(sample), row, names),
        **stopped,
    )


def _scores(numbers: Mapping[str, Any], row: Mapping[str, Any], names: Pseudonyms) -> dict[str, Score] | None:
    """The one that tables read has its answer and outcome; of others only their number is told."""
    counted = str(row["scorer"] or "")
    scores: dict[str, Score] = {}
    for private, number in numbers.items():
        name = names.scorer(private)
        counts = name == counted or counted.startswith(f"{name}.") or len(numbers) == 1
        about = {OUTCOME_KEY: row["outcome"]} if counts else None
        answer = row["answer"] if counts else None
        if isinstance(number, Mapping):
            value = {names.scorer(key): math.nan if part is None else part for key, part in number.items()}
            scores[name] = Score(value=value, answer=answer, metadata=about)
        elif number is not None and (row["score"] is not None or not counts):
            scores[name] = Score(value=row["score"] if counts else number, answer=answer, metadata=about)
        else:
            reason = row["reason"] if counts and row["status"] == UNSCORED else WITHHELD
            scores[name] = Score.unscored(reason=reason, metadata=about)
    return scores or None


def _reducers(config: Any, names: Pseudonyms) -> list[str] | None:
    given = config.get("epochs_reducer") if isinstance(config, Mapping) else None
    return [names.reducer(str(name)) for name in given] if isinstance(given, list) else None


def _error(message: str) -> EvalError:
    return EvalError(message=message, traceback="", traceback_ansi="")


def _numbers(given: Any, wanted: Sequence[str]) -> dict[str, Any]:
    given = given if isinstance(given, Mapping) else {}
    return {name: given[name] for name in wanted if isinstance(given.get(name), int | float)}
