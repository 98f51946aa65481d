"""`InspectLog`, an opened log as plain dicts, and for each sample its outcome row and its wording.

What repeats from sample to sample (an option order, an answer to it, a score) is worked out once, and no
row is a dict: a log of many thousand samples is read in little more than the time that its JSON takes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import polars as pl

from otherwords.core.contract import (
    AGENT_NAME_KEY,
    CHANGE,
    CONFIDENCE,
    ERROR,
    ITEM_ID,
    KIND,
    LIMIT,
    MISSING,
    OPTION_ORDER,
    ORIG,
    OWN_PREFIX,
    PARAPHRASE_ID,
    PERTURBATION_KIND,
    PRED_INDEX,
    SAMPLE_KEYS,
    SCORED,
    SEED,
    TARGET_INDEX,
    UNSCORED,
    VARIANT,
)
from otherwords.core.errors import InputError
from otherwords.core.table import LOG_COLUMNS, OUTCOME_COLUMNS, SAMPLE_COLUMNS
from otherwords.core.types import variant_id
from otherwords.results.answers import (
    LONGEST_REASON,
    ScoreStatus,
    chosen_options,
    free_answer,
    option_order,
    score_number,
    score_status,
    target_place,
)
from otherwords.results.reader import ResultFile, refuse_outside

_OWN_FIELDS = frozenset(SAMPLE_KEYS)
_INTERRUPTIONS = ("CancelledError(", "Cancelled(")
_CUT_INPUT = "...\n(content truncated)"
_CUT_TEXT_FROM = 1000
_INT64 = 2**63
_HUGE = 1e300
_PLAIN = (str, int, float, bool, type(None))
_NO_SCORE: ScoreStatus = (UNSCORED, None, "the log has no score for it")

Sample = dict[str, Any]
Score = dict[str, Any] | None
Order = tuple[int, ...]
Row = tuple[Any, ...]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass
class InspectLog:
    """What is in one log file."""

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

    @property
    def task(self) -> str:
        return str(self.eval.get("task") or "").rsplit("/", 1)[-1]

    @property
    def model(self) -> str:
        """The name that a run gave its agent, or else the model's."""
        named = (self.eval.get("metadata") or {}).get(AGENT_NAME_KEY)
        return str(named or self.eval.get("model") or "")

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

    @property
    def planned(self) -> list[Any]:
        """The ids of all samples that the run was to have."""
        return (self.eval.get("dataset") or {}).get("sample_ids") or []

    def wording_key(self, sample_id: Any) -> tuple[str, str, str]:
        """The same for the same wording in every log of one task over one set of wordings."""
        return self.task, str(self.eval.get("task_version")), str(sample_id)

    def score_numbers(self, sample: Sample) -> dict[str, float | None]:
        """The score that each scorer gave as a number; None where it is not one."""
        return {
            name: score_number((score or {}).get("value"))
            for name, score in (sample.get("scores") or {}).items()
        }

    def forget_all_but_ids(self) -> None:
        """What is left tells which samples there are and which of them failed."""
        kept = ("id", "epoch", "error")
        self.samples = [
            {name: sample[name] for name in kept if name in sample}
            for sample in self.samples
            if isinstance(sample, dict)
        ]


class _Cached(dict[Key, Value]):
    """`work(key)`, done once for each key."""

    def __init__(self, work: Callable[[Any], Value]) -> None:
        super().__init__()
        self.work = work

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self.work(key)
        return value


def outcomes_of(log: InspectLog, scorer: str | None) -> pl.DataFrame:
    """One row for each of the log's samples, in their order. Cut samples are replaced by whole ones."""
    samples, to_row = log.samples, _row_maker(log, scorer)
    rows = [to_row(sample, False) for sample in samples]
    cut = [place for place, row in enumerate(rows) if row is None]
    if cut:
        for place, whole in zip(cut, log.whole_samples([samples[place] for place in cut]), strict=True):
            samples[place] = whole
            rows[place] = to_row(whole, True)
    columns = zip(*filter(None, rows), strict=True) if rows else [()] * len(SAMPLE_COLUMNS)
    frame = pl.DataFrame(
        {
            name: _fitting(column, OUTCOME_COLUMNS[name])
            for name, column in zip(SAMPLE_COLUMNS, columns, strict=True)
        },
        schema={name: OUTCOME_COLUMNS[name] for name in SAMPLE_COLUMNS},
    )
    if frame["repeat"].null_count():
        raise ValueError("an epoch is not a number")
    constant = dict(zip(LOG_COLUMNS, (log.task, log.model, str(log.file)), strict=True))
    frame = frame.with_columns(pl.lit(text).alias(name) for name, text in constant.items())
    return frame.select(list(OUTCOME_COLUMNS))


def _row_maker(log: InspectLog, scorer: str | None) -> Callable[[Sample, bool], Row | None]:
    orders: _Cached[tuple[str, int], Order | None] = _Cached(lambda key: option_order(*key))
    chosen: _Cached[tuple[Any, Order], tuple[str, int | None]] = _Cached(lambda key: chosen_options(*key))
    targets: _Cached[tuple[str, Order], int | None] = _Cached(lambda key: target_place(*key))
    statuses: _Cached[tuple[Any, Any, bool], ScoreStatus] = _Cached(lambda key: score_status(*key))
    run_seed = (log.eval.get("model_generate_config") or {}).get(SEED)

    def to_row(sample: Sample, whole: bool) -> Row | None:
        """None when the summary lost something that the row needs, unless this is the `whole` sample."""
        get, metadata = sample.get, sample.get("metadata") or {}
        field = metadata.get
        if OWN_PREFIX + ITEM_ID in metadata:
            field = _without_prefix(metadata).get
        elif not _OWN_FIELDS.isdisjoint(sample):
            field = _with_top_level(sample).get
        target, choices = get("target"), get("choices") or ()
        score = _score(get("scores"), scorer)
        said = score.get("answer") if score else None
        item, variant, given = field(ITEM_ID), field(VARIANT), field(OPTION_ORDER)
        if not whole and (was_cut(said) or was_cut(given) or _was_renamed(sample, item, variant)):
            return None
        item = str(get("id") if item is None else item)
        variant = ORIG if variant is None else str(variant)
        order = orders[given if isinstance(given, str) else ",".join(map(str, given or ())), len(choices)]
        if order is None:
            problem = f"the option order '{given}' does not fit its {len(choices)} choices"
            raise InputError(problem, item=item)
        if get("error") is not None or get("limit") is not None:
            status, value, reason = _stopped(sample)
        elif score is None:
            status, value, reason = _NO_SCORE
        else:
            no_letter = said == "" and bool(choices)
            status, value, reason = statuses[_plain(score.get("value")), score.get("reason"), no_letter]
        refuse_outside(value, item)
        answer, place = None, None
        if status == SCORED:
            if not order:
                answer = free_answer(said, value, target)
            elif said is not None:
                answer, place = chosen[_plain(said), order]
        kind, seed, worked = field(KIND), field(SEED), get("working_time")
        return (
            item,
            variant,
            kind if kind is not None else ORIG if variant == ORIG else "",
            field(CHANGE, ""),
            field(PARAPHRASE_ID),
            field(PERTURBATION_KIND),
            sample["epoch"],
            status,
            value,
            None if value is None else value == 1.0,
            answer,
            said,
            field(PRED_INDEX) if place is None else place,
            targets[_letters(target), order] if order else field(TARGET_INDEX),
            _confidence(field(CONFIDENCE), score),
            run_seed if seed is None else seed,
            _tokens(get("model_usage")),
            get("total_time") if worked is None else worked,
            reason,
        )

    return to_row


def wordings_of(
    log: InspectLog, outcomes: pl.DataFrame, seen: set[tuple[str, str, str]]
) -> dict[str, list[Any]]:
    """What was asked, of the samples whose wording is not yet in `seen`; as columns."""
    new = []
    for place, key in enumerate(outcomes.select("task", "id", VARIANT).iter_rows()):
        if key not in seen:
            seen.add(key)
            new.append(place)
    samples = [log.samples[place] for place in new]
    cut = [place for place, sample in enumerate(samples) if _input_was_cut(sample.get("input"))]
    if cut:
        for place, whole in zip(cut, log.whole_samples([samples[place] for place in cut]), strict=True):
            samples[place] = whole
    about = outcomes[new].select("task", "id", VARIANT, KIND, CHANGE)
    return {
        **about.to_dict(as_series=False),
        "prompt": [_prompt_text(sample.get("input")) for sample in samples],
        "choices": [[str(choice) for choice in sample.get("choices") or ()] for sample in samples],
        "target": [
            " | ".join(map(str, target)) if isinstance(target := sample.get("target"), list) else str(target)
            for sample in samples
        ],
    }


def was_cut(text: Any) -> bool:
    """Whether a summary may hold only the beginning of this string."""
    if not isinstance(text, str) or len(text) <= _CUT_TEXT_FROM:
        return False
    return text.endswith(("...", _CUT_INPUT))


def _with_top_level(sample: Sample) -> Mapping[str, Any]:
    """Fields from the metadata, or from the top level where they are there."""
    top = {name: sample[name] for name in _OWN_FIELDS if sample.get(name) is not None}
    return {**(sample.get("metadata") or {}), **top}


def _without_prefix(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our fields alone: names without the prefix are the sample's own."""
    return {
        name.removeprefix(OWN_PREFIX): value
        for name, value in metadata.items()
        if name.startswith(OWN_PREFIX)
    }


def _was_renamed(sample: Sample, item: Any, variant: Any) -> bool:
    """Our ids join the item's id and the variant's name, so a cut or squeezed one no longer fits."""
    return item is not None and variant is not None and str(sample["id"]) != variant_id(item, variant)


def _score(scores: dict[str, dict[str, Any]] | None, scorer: str | None) -> Score:
    """The score by `scorer`, or else the first."""
    if not scores:
        return None
    if scorer is None:
        return next(iter(scores.values()))
    by_plain_name = {name.rsplit("/", 1)[-1]: score for name, score in scores.items()}
    found = scores.get(scorer, by_plain_name.get(scorer))
    if found is None:
        raise InputError(f"has no score by '{scorer}' (its scorers: {', '.join(scores)})")
    return found


def _stopped(sample: Sample) -> ScoreStatus:
    error, limit = sample.get("error"), sample.get("limit")
    if error is None:
        return LIMIT, None, str(limit)
    if str(error).startswith(_INTERRUPTIONS):
        return MISSING, None, "interrupted before it finished"
    return ERROR, None, str(error)[:LONGEST_REASON]


def _letters(target: Any) -> str:
    return target if isinstance(target, str) else " ".join(map(str, target or ()))


def _confidence(given: Any, score: Score) -> Any:
    if given is None and score and (metadata := score.get("metadata")):
        return metadata.get(CONFIDENCE)
    return given


def _tokens(usage: dict[str, dict[str, Any]] | None) -> int | None:
    return sum([one.get("total_tokens") or 0 for one in usage.values()]) if usage else None


def _plain(value: Any) -> Any:
    """What is no plain value cannot be looked up, and is not one number either."""
    return value if isinstance(value, _PLAIN) else repr(value)


def _fitting(values: Sequence[Any], kind: Any) -> Sequence[Any]:
    """Values of the column's type; text is made of anything, and what is no number is null."""
    types = set(map(type, values)) - {type(None)}
    if kind == pl.String and types - {str}:
        return [None if value is None else str(value) for value in values]
    if kind == pl.Float64:
        return [
            float(value) if type(value) in (int, float) and abs(value) < _HUGE else None for value in values
        ]
    if kind == pl.Int64:
        return [value if type(value) is int and -_INT64 <= value < _INT64 else None for value in values]
    return values


def _input_was_cut(value: Any) -> bool:
    if isinstance(value, list):
        return any(was_cut(_content_text(message.get("content"))) for message in value)
    return was_cut(value)


def _prompt_text(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if len(value) == 1:
        return _content_text(value[0].get("content"))
    return "\n\n".join(f"{turn.get('role')}: {_content_text(turn.get('content'))}" for turn in value)


def _content_text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", f"({part.get('type')})")) for part in content)
    return str(content)
