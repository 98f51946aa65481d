"""One sample of an Inspect log as one row of the outcome table."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from otherwords.core.errors import InputError
from otherwords.core.letters import index_of, letter_of
from otherwords.core.types import ORIG, variant_id
from otherwords.results.inspect_logs import InspectLog, was_cut

FORMAT = "format"
NOT_ACCEPTED = "(no accepted answer)"
"""Stands for every wrong answer that is a sentence: its words differ each time, which is no flip."""
LONGEST_COMPARED = 5
"""Words of a wrong answer that is compared as it is."""
LONGEST_REASON = 500
_FORMAT_REASONS = frozenset({"invalid_response_format", "no_response", FORMAT})
_LETTER_SCORES = {"C": 1.0, "I": 0.0, "P": 0.5}
_WORD_SCORES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "false": 0.0, "no": 0.0, "incorrect": 0.0}
_OWN_FIELDS = (
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
)
_WORD = re.compile(r"[-+]?\d+(?:[.,]\d+)*|\w+")
_INTERRUPTIONS = ("CancelledError(", "Cancelled(")

Row = dict[str, Any]


def task_name(log: InspectLog) -> str:
    return str(log.eval.get("task") or "").rsplit("/", 1)[-1]


def outcome_row(log: InspectLog, sample: Mapping[str, Any], scorer: str | None) -> Row:
    sample = _uncut(log, sample, scorer)
    fields = _fields(sample)
    score = _pick_score(log, sample, scorer)
    row = _identity(log, sample, fields)
    choices = sample.get("choices") or []
    order = _option_order(log, fields.get("option_order"), len(choices), row["id"])
    status, value, reason = _verdict(log, sample, score, row["id"])
    answer, pred_index = _canonical_answer(score, order)
    if status != "scored":
        answer, pred_index = None, None
    elif not order:
        answer = _free_answer(answer, value, sample.get("target"))
    confidence = fields.get("confidence")
    if confidence is None and score is not None:
        confidence = (score.get("metadata") or {}).get("confidence")
    row.update(
        repeat=sample["epoch"],
        status=status,
        score=value,
        correct=None if value is None else value == 1.0,
        answer=answer,
        response=None if score is None else score.get("answer"),
        pred_index=fields.get("pred_index") if pred_index is None else pred_index,
        target_index=_target_index(sample, order) if order else fields.get("target_index"),
        confidence=confidence,
        tokens=_tokens(sample),
        seconds=_first(sample.get("working_time"), sample.get("total_time")),
        reason=reason,
    )
    return row


def _identity(log: InspectLog, sample: Mapping[str, Any], fields: Mapping[str, Any]) -> Row:
    """What a row says about the question, before anything was answered."""
    variant = str(_first(fields.get("variant"), ORIG))
    config = log.eval.get("model_generate_config") or {}
    return {
        "task": task_name(log),
        "model": str(log.eval.get("model") or ""),
        "id": str(_first(fields.get("item_id"), sample["id"])),
        "variant": variant,
        "kind": str(_first(fields.get("kind"), ORIG if variant == ORIG else "")),
        "change": _first(fields.get("change"), ""),
        "paraphrase_id": fields.get("paraphrase_id"),
        "perturbation_kind": fields.get("perturbation_kind"),
        "seed": _first(fields.get("seed"), config.get("seed")),
        "log": str(log.path),
    }


def missing_row(log: InspectLog, known: Row, epoch: int) -> Row:
    about = {name: known[name] for name in _ABOUT_WORDING}
    model = str(log.eval.get("model") or "")
    return {
        **about,
        "model": model,
        "repeat": epoch,
        "status": "missing",
        "reason": f"never ran: the run ended as '{log.status}'",
        "log": str(log.path),
    }


_ABOUT_WORDING = (
    "task",
    "id",
    "variant",
    "kind",
    "change",
    "paraphrase_id",
    "perturbation_kind",
    "seed",
    "target_index",
)


def wording_row(log: InspectLog, sample: Mapping[str, Any], row: Row) -> Row:
    if _input_was_cut(sample.get("input")):
        sample = log.whole_sample(dict(sample))
    target = sample.get("target")
    return {
        **{name: row[name] for name in ("task", "id", "variant", "kind", "change")},
        "prompt": _prompt_text(sample.get("input")),
        "choices": sample.get("choices") or [],
        "target": " | ".join(map(str, target)) if isinstance(target, list) else str(target),
    }


def _fields(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields from the metadata, or from the top level where they are there."""
    metadata: dict[str, Any] = sample.get("metadata") or {}
    top = {name: sample[name] for name in _OWN_FIELDS if sample.get(name) is not None}
    return {**metadata, **top} if top else metadata


def _first(*values: Any) -> Any:
    """The first that is there; 0 and the empty string are there."""
    return next((value for value in values if value is not None), None)


def _uncut(log: InspectLog, sample: Mapping[str, Any], scorer: str | None) -> Mapping[str, Any]:
    metadata = sample.get("metadata") or {}
    item, variant = metadata.get("item_id"), metadata.get("variant")
    # Our ids join the item's id and the variant's name, so a cut or squeezed one no longer fits.
    renamed = item is not None and variant is not None and str(sample["id"]) != variant_id(item, variant)
    score = _pick_score(log, sample, scorer) or {}
    if renamed or was_cut(score.get("answer")) or was_cut(metadata.get("option_order")):
        return log.whole_sample(dict(sample))
    return sample


def _pick_score(log: InspectLog, sample: Mapping[str, Any], scorer: str | None) -> dict[str, Any] | None:
    scores: dict[str, dict[str, Any]] = sample.get("scores") or {}
    if not scores:
        return None
    if scorer is None:
        return next(iter(scores.values()))
    by_plain_name = {name.rsplit("/", 1)[-1]: score for name, score in scores.items()}
    found = scores.get(scorer, by_plain_name.get(scorer))
    if found is None:
        raise InputError(f"has no score by '{scorer}' (its scorers: {', '.join(scores)})", file=log.path)
    return found


def _verdict(
    log: InspectLog, sample: Mapping[str, Any], score: dict[str, Any] | None, item: str
) -> tuple[str, float | None, str | None]:
    """Status, score and the reason why there is none."""
    stopped = _why_stopped(sample)
    if stopped is not None:
        return stopped[0], None, stopped[1]
    if score is None:
        return "unscored", None, "the log has no score for it"
    reason = score.get("reason")
    letterless = bool(sample.get("choices")) and score.get("answer") == ""
    if reason in _FORMAT_REASONS or letterless:
        return "unscored", None, FORMAT
    value = _number(score.get("value"))
    if value is None:
        return "unscored", None, str(reason or _why_no_number(score.get("value")))
    if not 0.0 <= value <= 1.0:
        raise InputError(f"the score {value:g} is outside [0, 1]", file=log.path, item=item)
    return "scored", value, None


def _why_stopped(sample: Mapping[str, Any]) -> tuple[str, str] | None:
    error, limit = sample.get("error"), sample.get("limit")
    if error is not None and str(error).startswith(_INTERRUPTIONS):
        return "missing", "interrupted before it finished"
    if error is not None:
        return "error", str(error)[:LONGEST_REASON]
    return None if limit is None else ("limit", str(limit))


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        if text in _LETTER_SCORES:
            return _LETTER_SCORES[text]
        if text.lower() in _WORD_SCORES:
            return _WORD_SCORES[text.lower()]
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, bool | int | float) and not math.isnan(value):
        return float(value)
    return None


def _why_no_number(value: Any) -> str:
    if value is None or isinstance(value, float):
        return "the scorer gave no score"
    if value == "N":
        return "no answer"
    return "the score is not one number"


def _option_order(log: InspectLog, given: Any, n_choices: int, item: str) -> list[int]:
    """`order[shown] = original`; empty when the sample has no choices."""
    if given is None or given == "":
        return list(range(n_choices))
    parts = given.split(",") if isinstance(given, str) else list(given)
    try:
        order = [int(part) for part in parts]
    except (TypeError, ValueError):
        order = []
    if sorted(order) != list(range(n_choices)):
        raise InputError(
            f"the option order '{given}' does not fit its {n_choices} choices",
            file=log.path,
            item=item,
        )
    return order


def _canonical_answer(score: dict[str, Any] | None, order: list[int]) -> tuple[str | None, int | None]:
    """The answer in terms of the original options, and its place among them if it is one option."""
    answer = None if score is None else score.get("answer")
    if answer is None or not order:
        return answer, None
    originals = _originals([answer], order)
    if originals is None:
        return str(answer), None
    return ", ".join(map(letter_of, sorted(originals))), originals[0] if len(originals) == 1 else None


def _free_answer(answer: str | None, value: float | None, target: Any) -> str | None:
    """Free text made comparable over wordings: all right answers are one answer."""
    if value == 1.0:
        first = target[0] if isinstance(target, list) and target else target
        return str(first) if first else answer
    if answer is None:
        return None
    words = _WORD.findall(str(answer).casefold())
    return " ".join(words) if len(words) <= LONGEST_COMPARED else NOT_ACCEPTED


def _target_index(sample: Mapping[str, Any], order: list[int]) -> int | None:
    target = sample.get("target")
    originals = _originals(target if isinstance(target, list) else [target], order)
    return originals[0] if originals is not None and len(originals) == 1 else None


def _originals(letters: list[Any], order: list[int]) -> list[int] | None:
    """Places in the original order of all letters named, or None if any is no option's letter."""
    shown = [index_of(part) for text in letters for part in str(text).replace(",", " ").split()]
    if not shown or any(place is None or place >= len(order) for place in shown):
        return None
    return [order[place] for place in shown if place is not None]


def _tokens(sample: Mapping[str, Any]) -> int | None:
    usage = sample.get("model_usage") or {}
    return sum(int(one.get("total_tokens") or 0) for one in usage.values()) if usage else None


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
