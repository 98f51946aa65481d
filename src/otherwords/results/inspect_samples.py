"""`InspectLog`, an opened log as plain dicts, and its samples → rows of the outcome table.

What repeats from sample to sample (an option order, an answer to it, a score) is worked out once, and no
row is a dict: a log of many thousand samples is read in little more than the time that its JSON takes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import polars as pl

from otherwords.core.contract import (
    AGAIN_KEY,
    AGENT_NAME_KEY,
    ANSWERED,
    CHANGE,
    CONFIDENCE,
    CONTENT_KEY,
    DESIGN_COLUMNS,
    DISTANCE,
    ERROR,
    FINGERPRINT_KEY,
    ITEM_ID,
    KIND,
    LIMIT,
    MISSING,
    MODEL_CALLS_KEY,
    OPTION_ORDER,
    ORIG,
    OUTCOME_KEY,
    OUTCOMES,
    OWN_PREFIX,
    PARAPHRASE_ID,
    PERTURBATION_KIND,
    PRED_INDEX,
    SAMPLE_KEYS,
    SCORED,
    SEED,
    TARGET_INDEX,
    TOOL_CALLS_KEY,
    UNSCORED,
    USER_ERRORS_KEY,
    VARIANT,
    Outcome,
    Status,
)
from otherwords.core.errors import InputError
from otherwords.core.table import LOG_COLUMNS, OUTCOME_COLUMNS, SAMPLE_COLUMNS
from otherwords.core.types import variant_id
from otherwords.results.inspect_fields import CountedScore, counted_score, inspect_number, was_cut
from otherwords.results.reader import ResultFile, refuse_outside, typed_column
from otherwords.results.run_identity import RunIdentity, inspect_identity
from otherwords.results.tool_values import (
    LONGEST_REASON,
    NOT_ACCEPTED,
    chosen_options,
    free_answer,
    no_answer,
    option_order,
    scored_outcome,
    stopped_outcome,
    target_place,
    was_interrupted,
    why_unscored,
    with_output,
)

_OWN_FIELDS = frozenset(SAMPLE_KEYS)
_PREFIXED_ITEM = OWN_PREFIX + ITEM_ID
_TEMPLATE, _WORDING, _LEVELS = (OWN_PREFIX + name for name in DESIGN_COLUMNS)
_NOTHING: Mapping[str, Any] = {}
_NUMBER = (int, float)
_PLAIN = (str, int, float, bool, type(None))
_OUTCOMES: Mapping[Any, Outcome] = {name: name for name in OUTCOMES}

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
    whole_samples: Callable[[list[Sample]], Iterable[Sample]] = field(repr=False)
    """The same summaries with nothing cut."""
    outputs: Callable[[list[Sample]], Iterable[dict[str, Any]]] = field(repr=False)
    """For each of the summaries what `sample_files.output_in` tells of the model's last output."""
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
    def identity(self) -> RunIdentity:
        """What must be the same in two logs for them to be parts of one run."""
        contents = {
            str(sample["id"]): str(content)
            for sample in self.samples
            if (content := sample.get(CONTENT_KEY)) is not None
        }
        return replace(inspect_identity(self.eval, self.header, self.created), samples=contents)

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

    def counted_score(self, wanted: str | None = None) -> CountedScore:
        """Which of its scores counts: `wanted`, or else the one that the run named, or the first."""
        return counted_score(self.eval, self.header, self.samples, wanted)

    def score_numbers(self, sample: Sample) -> dict[str, Any]:
        """What each scorer gave, as a number, or a dictionary of them; None where it is not one."""
        return {
            name: {key: inspect_number(part) for key, part in value.items()}
            if isinstance(value := (score or {}).get("value"), dict)
            else inspect_number(value)
            for name, score in (sample.get("scores") or {}).items()
        }

    def forget_all_but_ids(self) -> None:
        """What is left tells which samples there are, which of them failed, and what they are by a hash."""
        self.samples = [
            {
                "id": sample["id"],
                "epoch": sample["epoch"],
                "error": sample.get("error"),
                CONTENT_KEY: metadata.get(CONTENT_KEY) if isinstance(metadata, dict) else None,
            }
            for sample in self.samples
            for metadata in [sample.get("metadata")]
        ]


class _Cached(dict[Key, Value]):
    """`work(key)`, done once for each key."""

    def __init__(self, work: Callable[[Any], Value]) -> None:
        super().__init__()
        self.work = work

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self.work(key)
        return value


def outcomes_of(log: InspectLog, counted: CountedScore) -> pl.DataFrame:
    """One row for each of the log's samples, in their order. Cut samples are replaced by whole ones."""
    samples, to_row = log.samples, _RowMaker(log, counted).row
    rows = [to_row(sample) for sample in samples]
    lacking = [place for place, row in enumerate(rows) if row is None]
    unmarked = [one for place in lacking if _lacks_outcome(one := samples[place], counted.of(one))]
    for sample, output in zip(unmarked, log.outputs(unmarked) if unmarked else (), strict=True):
        sample["output"] = output
    for place in lacking:
        rows[place] = to_row(samples[place])
    cut = [place for place in lacking if rows[place] is None]
    if cut:
        for place, whole in zip(cut, log.whole_samples([samples[place] for place in cut]), strict=True):
            samples[place] = whole
            rows[place] = to_row(whole, whole=True)
    for sample in samples:
        sample.pop("output", None)  # it may be long, and nothing else asks for it
    columns = zip(*filter(None, rows), strict=True) if rows else [()] * len(SAMPLE_COLUMNS)
    frame = pl.DataFrame(
        [
            typed_column(name, values, OUTCOME_COLUMNS[name])
            for name, values in zip(SAMPLE_COLUMNS, columns, strict=True)
        ]
    )
    if frame["repeat"].null_count():
        raise ValueError("an epoch is not a number")
    of_log = (log.task, log.model, counted.label, counted.reducer, str(log.file))
    constant = [pl.lit(text, pl.String).alias(name) for name, text in zip(LOG_COLUMNS, of_log, strict=True)]
    frame = frame.with_columns(*constant)
    if frame["tool_calls"].null_count() < frame.height:  # then a sample that lacks it has called nothing
        scored = pl.Series([bool(counted.of(sample)) for sample in samples], dtype=pl.Boolean)
        frame = frame.with_columns(tool_calls=pl.when(scored).then(pl.col("tool_calls").fill_null("")))
    return frame.select(list(OUTCOME_COLUMNS))


def _lacks_outcome(sample: Sample, score: Score) -> bool:
    """Whether only the model's output tells what happened: the run that scored it did not write it down."""
    if score is None or OUTCOME_KEY in (score.get("metadata") or ()):
        return False
    return sample.get("error") is None and sample.get("limit") is None and "output" not in sample


class _RowMaker:
    """Makes rows of samples; what comes again and again is worked out once."""

    def __init__(self, log: InspectLog, counted: CountedScore) -> None:
        self.score_in = counted.of
        self.of_our_run = FINGERPRINT_KEY in (log.eval.get("metadata") or {})
        self.epochs = (log.eval.get("config") or {}).get("epochs") or 1
        self.run_seed = (log.eval.get("model_generate_config") or {}).get(SEED)
        self.orders: _Cached[tuple[str, int], Order | None] = _Cached(lambda key: option_order(*key))
        self.chosen: _Cached[tuple[Any, Order], tuple[str, int | None]] = _Cached(
            lambda key: chosen_options(*key)
        )
        self.targets: _Cached[tuple[str, Order], int | None] = _Cached(lambda key: target_place(*key))
        self.numbers: _Cached[Any, float | None] = _Cached(counted.number)
        self.found: _Cached[tuple[Any, Any, bool], Outcome] = _Cached(lambda key: scored_outcome(*key))

    def row(self, sample: Sample, whole: bool = False) -> Row | None:
        """None where the summary lacks the model's output or the end of a text; never of a `whole` sample."""
        get, score = sample.get, self.score_in(sample)
        about = (score.get("metadata") if score else None) or _NOTHING
        if OUTCOME_KEY not in about and _lacks_outcome(sample, score):
            return None
        metadata = get("metadata") or _NOTHING
        field, design = metadata.get, metadata.get
        if _PREFIXED_ITEM in metadata:
            field = _without_prefix(metadata).get
        elif not _OWN_FIELDS.isdisjoint(sample):
            field = _with_top_level(sample).get
        target, choices = get("target"), get("choices") or ()
        said = score.get("answer") if score else None
        item, variant, given = field(ITEM_ID), field(VARIANT), field(OPTION_ORDER)
        again = metadata.get(AGAIN_KEY)
        if not whole and (was_cut(said) or was_cut(given) or _was_renamed(sample, item, variant, again)):
            return None
        item = str(get("id") if item is None else item)
        variant = ORIG if variant is None else str(variant)
        known = given if isinstance(given, str) else ",".join(map(str, given or ()))
        order = self.orders[known, len(choices)]
        if order is None:
            problem = f"the option order '{given}' does not fit its {len(choices)} choices"
            raise InputError(problem, item=item)
        raw = None if score is None else _plain(score.get("value"))
        value = None if raw is None else self.numbers[raw]
        refuse_outside(value, item)
        status, reason = (SCORED, None) if value is not None else _unscored(sample, score, raw)
        outcome = _OUTCOMES.get(about.get(OUTCOME_KEY)) or self._outcome(sample, score, raw, value)
        answer, place = (
            self._answer(outcome, said, value, target, order) if status == SCORED else (None, None)
        )
        kind, seed, worked, confidence = field(KIND), field(SEED), get("working_time"), field(CONFIDENCE)
        tokens, cost = _spent(get("model_usage"))
        return (
            item,
            variant,
            kind if kind is not None else ORIG if variant == ORIG else "",
            field(CHANGE, ""),
            field(PARAPHRASE_ID),
            field(PERTURBATION_KIND),
            field(DISTANCE),
            design(_TEMPLATE),
            design(_WORDING),
            design(_LEVELS),
            sample["epoch"] if again is None else sample["epoch"] + again * self.epochs,
            status,
            outcome,
            value,
            None if value is None else value == 1.0,
            answer,
            said,
            field(PRED_INDEX) if place is None else place,
            self.targets[_letters(target), order] if order else field(TARGET_INDEX),
            about.get(CONFIDENCE) if confidence is None else confidence,
            self.run_seed if seed is None else seed,
            tokens,
            get("total_time") if worked is None else worked,
            cost,
            get("message_count"),
            about.get(MODEL_CALLS_KEY),
            about.get(TOOL_CALLS_KEY),
            about.get(USER_ERRORS_KEY),
            reason,
        )

    def _outcome(self, sample: Sample, score: Score, raw: Any, value: float | None) -> Outcome:
        """What error, limit, scorer and the model's output tell, where the run did not write it down."""
        told = stopped_outcome(sample.get("error"), sample.get("limit"), self.of_our_run)
        if told is not None or score is None:
            return told or ANSWERED
        said, choices = score.get("answer"), sample.get("choices")
        found = self.found[raw, score.get("reason"), said == "" and bool(choices)]
        output = sample.get("output")
        if not output:
            return found
        has_answered = value == 1.0 or bool(choices and said)
        return with_output(found, output, has_answered)

    def _answer(
        self, outcome: Outcome, said: Any, value: float | None, target: Any, order: Order
    ) -> tuple[str | None, int | None]:
        """The canonical answer of a scored sample, and its option's place in the original order."""
        lacking = no_answer(outcome, said) if outcome != ANSWERED and value != 1.0 else None
        if lacking is not None:
            return lacking, None
        if not order:
            return free_answer(said, value, target), None
        if said is not None:
            return self.chosen[_plain(said), order]
        if value == 1.0:  # the scorer keeps no answers, and this was the right one
            return self.chosen[_letters(target), order]
        return NOT_ACCEPTED, None


def _unscored(sample: Sample, score: Score, raw: Any) -> tuple[Status, str]:
    """Status and reason of a sample without a score."""
    error, limit = sample.get("error"), sample.get("limit")
    if error is not None:
        if was_interrupted(error):
            return MISSING, "interrupted before it finished"
        return ERROR, str(error)[:LONGEST_REASON]
    if limit is not None:
        return LIMIT, str(limit)
    if score is None:
        return UNSCORED, "the log has no score for it"
    return UNSCORED, why_unscored(raw, score.get("reason"))


def _with_top_level(sample: Sample) -> Mapping[str, Any]:
    """Fields from the metadata, or from the top level where they are there."""
    top = {name: sample[name] for name in _OWN_FIELDS if sample.get(name) is not None}
    return {**(sample.get("metadata") or {}), **top}


def _without_prefix(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our fields alone: names without the prefix are the sample's own."""
    ours = ((name, value) for name, value in metadata.items() if name.startswith(OWN_PREFIX))
    return {name.removeprefix(OWN_PREFIX): value for name, value in ours}


def _was_renamed(sample: Sample, item: Any, variant: Any, again: Any) -> bool:
    """Our ids join the item's id and the variant's name, so a cut or squeezed one no longer fits."""
    is_ours = item is not None and variant is not None
    return is_ours and str(sample["id"]) != variant_id(item, variant, again or 0)


def _letters(target: Any) -> str:
    return target if isinstance(target, str) else " ".join(map(str, target or ()))


def _spent(usage: dict[str, dict[str, Any]] | None) -> tuple[int | None, float | None]:
    """Tokens, and money; None where one of the models has no price, as the others' would be too little."""
    if not usage:
        return None, None
    tokens: int = 0
    cost: float | None = 0
    for one in usage.values():
        tokens += one.get("total_tokens") or 0
        more = one.get("total_cost")
        cost = cost + more if cost is not None and isinstance(more, _NUMBER) else None
    return tokens, cost


def _plain(value: Any) -> Any:
    """What is no plain value cannot be looked up, and is not one number either."""
    return value if isinstance(value, _PLAIN) else repr(value)
