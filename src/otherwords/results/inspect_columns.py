"""The samples of an Inspect log as rows of the outcome table.

What repeats from sample to sample (an option order, an answer to it, a score) is worked out once, and no
row is a dict: a log of many thousand samples is read in little more than the time that its JSON takes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.core.types import ORIG, variant_id
from otherwords.results.answers import (
    FORMAT,
    LONGEST_REASON,
    chosen_options,
    free_answer,
    originals_of,
    score_number,
    why_no_number,
)
from otherwords.results.inspect_logs import InspectLog, Sample, was_cut

_FORMAT_REASONS = frozenset({"invalid_response_format", "no_response", FORMAT})
_OWN_FIELDS = frozenset(
    {
        "item_id",
        "variant",
        "kind",
        "change",
        "paraphrase_id",
        "perturbation_kind",
        "option_order",
        "pred_index",
        "target_index",
        "confidence",
        "seed",
    }
)
_OWN_PREFIX = "otherwords_"
"""Before these names where a sample's own metadata has one of them, which then means something else."""
_ROW = (
    "id",
    "variant",
    "kind",
    "change",
    "paraphrase_id",
    "perturbation_kind",
    "repeat",
    "status",
    "score",
    "correct",
    "answer",
    "response",
    "pred_index",
    "target_index",
    "confidence",
    "seed",
    "tokens",
    "seconds",
    "reason",
)
"""The columns that differ from sample to sample, in the order of a row."""
_INTERRUPTIONS = ("CancelledError(", "Cancelled(")
_INT64 = 2**63
_HUGE = 1e300
_PLAIN = (str, int, float, bool, type(None))
_NO_SCORE = ("unscored", None, "the log has no score for it")

Score = dict[str, Any] | None
Verdict = tuple[str, float | None, str | None]
Order = tuple[int, ...]
Row = tuple[Any, ...]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Remembered(dict[Key, Value]):
    """`work(key)`, done once for each key."""

    def __init__(self, work: Callable[[Any], Value]) -> None:
        super().__init__()
        self.work = work

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self.work(key)
        return value


def task_name(log: InspectLog) -> str:
    return str(log.eval.get("task") or "").rsplit("/", 1)[-1]


def model_name(log: InspectLog) -> str:
    """The name that a run gave its agent, or else the model's."""
    named = (log.eval.get("metadata") or {}).get("agent_name")
    return str(named or log.eval.get("model") or "")


def outcomes_of(log: InspectLog, scorer: str | None) -> pl.DataFrame:
    """One row for each of the log's samples, in their order. Cut samples are replaced by whole ones."""
    samples, to_row = log.samples, _row_maker(log, scorer)
    rows = [to_row(sample, False) for sample in samples]
    cut = [place for place, row in enumerate(rows) if row is None]
    if cut:
        for place, whole in zip(cut, log.whole_samples([samples[place] for place in cut]), strict=True):
            samples[place] = whole
            rows[place] = to_row(whole, True)
    columns = zip(*filter(None, rows), strict=True) if rows else [()] * len(_ROW)
    frame = pl.DataFrame(
        {name: _fitting(column, OUTCOME_COLUMNS[name]) for name, column in zip(_ROW, columns, strict=True)},
        schema={name: OUTCOME_COLUMNS[name] for name in _ROW},
    )
    if frame["repeat"].null_count():
        raise ValueError("an epoch is not a number")
    constant = {"task": task_name(log), "model": model_name(log), "log": str(log.file)}
    frame = frame.with_columns(pl.lit(text).alias(name) for name, text in constant.items())
    return frame.select(list(OUTCOME_COLUMNS))


def _row_maker(log: InspectLog, scorer: str | None) -> Callable[[Sample, bool], Row | None]:
    orders: _Remembered[tuple[str, int], Order | None] = _Remembered(_option_order)
    chosen: _Remembered[tuple[Any, Order], tuple[str, int | None]] = _Remembered(
        lambda key: chosen_options(*key)
    )
    targets: _Remembered[tuple[str, Order], int | None] = _Remembered(_target_index)
    verdicts: _Remembered[tuple[Any, Any, bool], Verdict] = _Remembered(_verdict)
    run_seed = (log.eval.get("model_generate_config") or {}).get("seed")

    def to_row(sample: Sample, whole: bool) -> Row | None:
        """None when the summary lost something that the row needs, unless this is the `whole` sample."""
        get, metadata = sample.get, sample.get("metadata") or {}
        field = metadata.get
        if _OWN_PREFIX + "item_id" in metadata:
            field = _without_prefix(metadata).get
        elif not _OWN_FIELDS.isdisjoint(sample):
            field = _with_top_level(sample).get
        scores, target, choices = get("scores"), get("target"), get("choices") or ()
        score = (
            None if not scores else _first_score(scores) if scorer is None else _named_score(scores, scorer)
        )
        said = score.get("answer") if score else None
        item, variant, given = field("item_id"), field("variant"), field("option_order")
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
            letterless = said == "" and bool(choices)
            status, value, reason = verdicts[_plain(score.get("value")), score.get("reason"), letterless]
        if value is not None and not 0.0 <= value <= 1.0:
            raise InputError(f"the score {value:g} is outside [0, 1]", item=item)
        answer, place = None, None
        if status == "scored":
            if not order:
                answer = free_answer(said, value, target)
            elif said is not None:
                answer, place = chosen[_plain(said), order]
        kind, seed, worked = field("kind"), field("seed"), get("working_time")
        return (
            item,
            variant,
            kind if kind is not None else ORIG if variant == ORIG else "",
            field("change", ""),
            field("paraphrase_id"),
            field("perturbation_kind"),
            sample["epoch"],
            status,
            value,
            None if value is None else value == 1.0,
            answer,
            said,
            field("pred_index") if place is None else place,
            targets[_letters(target), order] if order else field("target_index"),
            _confidence(field("confidence"), score),
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
    keys = list(outcomes.select("task", "id", "variant").iter_rows())
    new = [place for place, key in enumerate(keys) if not (key in seen or seen.add(key))]  # type: ignore[func-returns-value]
    samples = [log.samples[place] for place in new]
    cut = [place for place, sample in enumerate(samples) if _input_was_cut(sample.get("input"))]
    if cut:
        for place, whole in zip(cut, log.whole_samples([samples[place] for place in cut]), strict=True):
            samples[place] = whole
    about = outcomes[new].select("task", "id", "variant", "kind", "change")
    return {
        **about.to_dict(as_series=False),
        "prompt": [_prompt_text(sample.get("input")) for sample in samples],
        "choices": [[str(choice) for choice in sample.get("choices") or ()] for sample in samples],
        "target": [
            " | ".join(map(str, target)) if isinstance(target := sample.get("target"), list) else str(target)
            for sample in samples
        ],
    }


def _with_top_level(sample: Sample) -> Mapping[str, Any]:
    """Fields from the metadata, or from the top level where they are there."""
    top = {name: sample[name] for name in _OWN_FIELDS if sample.get(name) is not None}
    return {**(sample.get("metadata") or {}), **top}


def _without_prefix(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our fields alone: names without the prefix are the sample's own."""
    return {
        name.removeprefix(_OWN_PREFIX): value
        for name, value in metadata.items()
        if name.startswith(_OWN_PREFIX)
    }


def _was_renamed(sample: Sample, item: Any, variant: Any) -> bool:
    """Our ids join the item's id and the variant's name, so a cut or squeezed one no longer fits."""
    return item is not None and variant is not None and str(sample["id"]) != variant_id(item, variant)


def _first_score(scores: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return next(iter(scores.values()))


def _named_score(scores: dict[str, dict[str, Any]], scorer: str) -> dict[str, Any]:
    by_plain_name = {name.rsplit("/", 1)[-1]: score for name, score in scores.items()}
    found = scores.get(scorer, by_plain_name.get(scorer))
    if found is None:
        raise InputError(f"has no score by '{scorer}' (its scorers: {', '.join(scores)})")
    return found


def _verdict(about: tuple[Any, Any, bool]) -> Verdict:
    """Status, score and the reason why there is none."""
    value, reason, letterless = about
    if reason in _FORMAT_REASONS or letterless:
        return "unscored", None, FORMAT
    number = score_number(value)
    if number is None:
        return "unscored", None, str(reason or why_no_number(value))
    return "scored", number, None


def _stopped(sample: Sample) -> Verdict:
    error, limit = sample.get("error"), sample.get("limit")
    if error is None:
        return "limit", None, str(limit)
    if str(error).startswith(_INTERRUPTIONS):
        return "missing", None, "interrupted before it finished"
    return "error", None, str(error)[:LONGEST_REASON]


def _option_order(about: tuple[str, int]) -> Order | None:
    """`order[shown] = original`; empty when the sample has no choices, None when it does not fit them."""
    given, n_choices = about
    if not given:
        return tuple(range(n_choices))
    try:
        order = tuple(int(part) for part in given.split(","))
    except ValueError:
        return None
    return order if sorted(order) == list(range(n_choices)) else None


def _letters(target: Any) -> str:
    return target if isinstance(target, str) else " ".join(map(str, target or ()))


def _target_index(about: tuple[str, Order]) -> int | None:
    letters, order = about
    originals = originals_of([letters], order)
    return originals[0] if originals is not None and len(originals) == 1 else None


def _confidence(given: Any, score: Score) -> Any:
    if given is None and score and (metadata := score.get("metadata")):
        return metadata.get("confidence")
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
