"""The JSON of one sample of an Inspect log → its summary with nothing cut, and the model's last output."""

from __future__ import annotations

import re
from typing import Any

import orjson

from otherwords.results.lenient_json import parse

_ATTACHMENT = "attachment://"
_OUTPUT = re.compile(rb'"output":\s*(\{\s*"model":)')
_LONG = frozenset({"messages", "events", "store", "attachments", "output"})
"""Fields of a sample that its summary lacks."""

Sample = dict[str, Any]


def as_summary(sample: Sample) -> Sample:
    """A whole sample in the shape of its summary, with the model's last output."""
    attachments = sample.get("attachments") or {}
    error, limit = sample.get("error"), sample.get("limit")
    return {
        **{name: value for name, value in sample.items() if name not in _LONG},
        "input": _with_attachments(sample.get("input"), attachments),
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
        "output": _output(sample.get("output"), attachments),
    }


def _output(output: Any, attachments: dict[str, str]) -> dict[str, Any]:
    """Why the model stopped, what it said, and whether its provider marks that as a refusal."""
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if choices else {}
    said = (first.get("message") or {}).get("content")
    refusal = False
    if isinstance(said, list):
        parts = [part for part in said if isinstance(part, dict)]
        refusal = any(part.get("refusal") is True for part in parts)
        texts = [_with_attachments(part.get("text"), attachments) for part in parts]
        said = "\n".join(text for text in texts if isinstance(text, str))
    return {
        "stop_reason": first.get("stop_reason"),
        "completion": _with_attachments(said, attachments),
        "refusal": refusal,
    }


def _with_attachments(value: Any, attachments: dict[str, str]) -> Any:
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [_with_attachments(part, attachments) for part in value]
    if isinstance(value, dict):
        return {name: _with_attachments(part, attachments) for name, part in value.items()}
    return value


def output_in(content: bytes) -> dict[str, Any]:
    """The model's last output in a sample's file, without reading all of the file where it need not be.

    Inspect writes the output before the scores and the events, as an object of its own.
    """
    before = content[: max(content.find(b'"scores"', content.find(b'"output"')), 0)]
    starts = list(_OUTPUT.finditer(before))
    if len(starts) == 1:
        written = before[starts[0].start(1) :].rstrip().removesuffix(b",")
        try:
            if _ATTACHMENT.encode() not in written:
                return _output(orjson.loads(written), {})
        except orjson.JSONDecodeError:
            pass  # NaN among its numbers, or something else follows it
    sample = parse(content)
    return _output(sample.get("output"), sample.get("attachments") or {})
