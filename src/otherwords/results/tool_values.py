"""Other tools' JSON, parsed; the scores, errors and answers in it → numbers, outcomes, canonical answers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    ANSWERED,
    FILTERED,
    FORMAT_FAILURE,
    INTERRUPTIONS,
    INVALID_FORMAT,
    LIMITED,
    NO_MODEL_CALL,
    NO_RESPONSE,
    NOT_RUN,
    PROVIDER_ERROR,
    REFUSED,
    SWALLOWED_ERRORS,
    TRUNCATED,
    UNREADABLE,
    WORDING_NOT_SEEN,
    Outcome,
)
from otherwords.core.types import index_of, letter_of
from otherwords.english.language import is_refusal, names_code_failure

NOT_ACCEPTED = "(no accepted answer)"
"""Stands for every wrong answer that is a sentence: its words differ each time, which is no flip."""
LONGEST_COMPARED = 5
"""Words of a wrong answer that is compared as it is."""
LONGEST_REASON = 500

NOT_ONE_NUMBER = "the score is not one number"

_LETTER_SCORES = {"C": 1.0, "I": 0.0, "P": 0.5}
_WORD_SCORES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "false": 0.0, "no": 0.0, "incorrect": 0.0}
_FORMAT_REASONS = frozenset({INVALID_FORMAT, NO_RESPONSE, FORMAT_FAILURE})
_OUTSIDE_REASONS = frozenset({NO_MODEL_CALL, SWALLOWED_ERRORS, "grader_failed", "scoring_failed"})
"""Why there is no score, where it was not the model that failed."""
_STOPPED = {"content_filter": FILTERED, "max_tokens": TRUNCATED, "model_length": TRUNCATED}
"""Inspect's reasons why a model stopped before its answer was whole."""
_NO_READABLE_ANSWER = frozenset({UNREADABLE, REFUSED, FILTERED, AGENT_ERROR, PROVIDER_ERROR, NOT_RUN})
# A number with its sign, points and commas is one word.
_WORD = re.compile(r"[-+]?\d+(?:[.,]\d+)*|\w+")


def score_number(value: Any) -> float | None:
    """A score as a number, or None when it is not one. It may lie outside [0, 1]."""
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
    if not isinstance(value, bool | int | float) or math.isnan(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def why_unscored(value: Any, reason: Any) -> str:
    """The reason of a row whose score is no number, from the scorer's value and its reason."""
    if reason in _FORMAT_REASONS:
        return FORMAT_FAILURE
    if reason:
        return str(reason)
    return "the scorer gave no score" if value is None or isinstance(value, float) else NOT_ONE_NUMBER


def was_interrupted(error: Any) -> bool:
    """Whether an error is that of a run that was broken off."""
    return str(error).startswith(INTERRUPTIONS)


def stopped_outcome(error: Any, limit: Any, of_our_run: bool = False) -> Outcome | None:
    """The outcome of a sample that an error or a limit ended; None if it came to its own end.

    Logs of others do not tell whose error it is: one that code makes by itself is taken for the agent's. In
    a run of ours no failure of the agent's own code is an error.
    """
    if error is not None:
        if was_interrupted(error):
            return NOT_RUN
        own = str(error).startswith(AGENT_FAILED) or (not of_our_run and names_code_failure(str(error)))
        return AGENT_ERROR if own else PROVIDER_ERROR
    return None if limit is None else LIMITED


def scored_outcome(value: Any, reason: Any, no_letter: bool) -> Outcome:
    """What the scorer says of an answer: by its reason, an empty choice among options, or `N`, no answer."""
    if value is None and reason in _OUTSIDE_REASONS:
        return PROVIDER_ERROR
    if reason == WORDING_NOT_SEEN:
        return NOT_RUN
    if reason == "refusal":
        return REFUSED
    return UNREADABLE if reason in _FORMAT_REASONS or no_letter or value == "N" else ANSWERED


def with_output(found: Outcome, output: Mapping[str, Any], has_answered: bool) -> Outcome:
    """`found`, or what the model's output tells: it was filtered, cut, empty, or refuses to answer.

    `has_answered` is true of a right answer and of one from which an option was read: it is no refusal.
    """
    if found not in (ANSWERED, UNREADABLE, REFUSED):
        return found
    stop_reason, completion = output["stop_reason"], output["completion"]
    stopped = _STOPPED.get(stop_reason) if isinstance(stop_reason, str) else None
    if stopped is not None:
        return stopped
    if has_answered or not isinstance(completion, str):
        return found
    if not completion.strip() and stop_reason == "stop":  # and calls no tool, which would be another reason
        return UNREADABLE
    return REFUSED if output["refusal"] or is_refusal(completion) else found


def no_answer(outcome: Outcome, said: Any) -> str | None:
    """What stands for the answer of a row that has no readable one, such as `(unreadable)`; else None.

    It is an answer like others, so that going from a readable answer to none is a flip.
    """
    lacking = outcome in _NO_READABLE_ANSWER or (outcome != ANSWERED and said in (None, ""))
    return f"({outcome})" if lacking else None


def free_answer(answer: str | None, value: float | None, target: Any) -> str | None:
    """Free text made comparable over wordings: all right answers are one answer."""
    if value == 1.0:
        first = target[0] if isinstance(target, list) and target else target
        return str(first) if first else answer
    if answer is None:
        return None if value is None else NOT_ACCEPTED
    words = _WORD.findall(str(answer).casefold())
    return " ".join(words) if len(words) <= LONGEST_COMPARED else NOT_ACCEPTED


def option_order(given: str, n_choices: int) -> tuple[int, ...] | None:
    """`order[shown] = original` of "2,0,1"; as they stand if nothing is given, None if it does not fit."""
    if not given:
        return tuple(range(n_choices))
    try:
        order = tuple(int(part) for part in given.split(","))
    except ValueError:
        return None
    return order if sorted(order) == list(range(n_choices)) else None


def chosen_options(answer: Any, order: Sequence[int]) -> tuple[str, int | None]:
    """The answer in terms of the original options, and its place among them if it is one option.

    `order[shown] = original`. An answer that names no options stays as it is.
    """
    originals = _original_places(answer, order)
    if originals is None:
        return str(answer), None
    return ", ".join(map(letter_of, sorted(originals))), originals[0] if len(originals) == 1 else None


def target_place(letters: str, order: Sequence[int]) -> int | None:
    """The place of the right option in the original order, if exactly one is right."""
    originals = _original_places(letters, order)
    return originals[0] if originals is not None and len(originals) == 1 else None


def _original_places(letters: Any, order: Sequence[int]) -> list[int] | None:
    """Places in the original order of all letters named, or None if any is no option's letter."""
    shown = [index_of(part) for part in str(letters).replace(",", " ").split()]
    if not shown or any(place is None or place >= len(order) for place in shown):
        return None
    return [order[place] for place in shown if place is not None]


_BOM = b"\xef\xbb\xbf"
_STRING = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
_TOKEN = re.compile(_STRING + rb'|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
# A string, or a number that JSON does not have.
_NOT_FINITE = re.compile(_STRING + rb"|-?Infinity|NaN", re.DOTALL)
_MENDED = (b"NaN", b"Infinity", b"\\ud", b"\\uD")
_SURROGATE = re.compile(
    rb"\\\\|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_UNSCORED, _NULL = (b'"value":NaN', b'"value": NaN'), b'"value":null'
_DEEPEST_KEY = 2
_DEEPEST_OPEN = 6
"""Braces and brackets; between the names that are wanted there are few."""


def parse(content: bytes) -> Any:
    """The value, with null for a number that is not finite. Raises ValueError, whatever is wrong."""
    content = content.removeprefix(_BOM)
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        if not any(mark in content for mark in _MENDED):
            raise
    # Inspect marks what was not scored with NaN. An unescaped quote cannot stand inside a JSON string, so
    # this replaces values and never text.
    for spelled in _UNSCORED:
        content = content.replace(spelled, _NULL)
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return orjson.loads(_SURROGATE.sub(_whole_surrogates, _NOT_FINITE.sub(_finite, content)))


def parse_lines(content: bytes) -> tuple[list[tuple[int, Any]], list[tuple[int, str]]]:
    """Line numbers with their values, and with what is wrong in the lines that have none."""
    values: list[tuple[int, Any]] = []
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append((number, parse(line)))
        except ValueError as error:
            wrong.append((number, str(error)))
    return values, wrong


def key_paths(head: bytes) -> frozenset[str]:
    """Names of the first JSON value, two deep, as far as the beginning of a file shows them.

    Arrays are looked through: `[{"a": 1}]` has the name `a`.
    """
    found: set[str] = set()
    opened: list[tuple[bool, str]] = []  # for each open brace (True) or bracket (False), the name before it
    name, text_before = "", ""
    for token in _TOKEN.finditer(head.removeprefix(_BOM)):
        text = token.group(0)
        if text in (b"{", b"["):
            in_array = bool(opened) and not opened[-1][0]
            opened.append((text == b"{", opened[-1][1] if in_array else name))
        elif text in (b"}", b"]"):
            del opened[-1:]
        elif text == b":" and opened and opened[-1][0]:
            name = text_before
            if len(opened) > _DEEPEST_OPEN:
                continue
            outer = [part for is_object, part in opened if is_object and part]
            if len(outer) < _DEEPEST_KEY:
                found.add(".".join([*outer, name]))
        elif text.startswith(b'"'):
            text_before = token.group(1).decode("utf-8", "replace")
        if not opened:
            break
    return frozenset(found)


def _finite(token: re.Match[bytes]) -> bytes:
    return token.group(0) if token.group(0).startswith(b'"') else b"null"


def _whole_surrogates(token: re.Match[bytes]) -> bytes:
    """A half of a pair stands for no character; what is shown for it is U+FFFD."""
    return b"\\ufffd" if token.group(2) else token.group(0)


def at_path(record: dict[str, Any], path: str) -> Any:
    """`record["a.b"]`, or else `record["a"]["b"]`; None where there is nothing."""
    if path in record:
        return record[path]
    value: Any = record
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


ATTACHMENT = "attachment://"
"""How a log refers to a long text that it keeps once for each sample."""


def with_attachments(value: Any, attachments: dict[str, str]) -> Any:
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        return attachments.get(value.removeprefix(ATTACHMENT), value)
    if isinstance(value, list):
        return [with_attachments(part, attachments) for part in value]
    if isinstance(value, dict):
        return {name: with_attachments(part, attachments) for name, part in value.items()}
    return value
