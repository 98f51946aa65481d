"""Samples of an Inspect log → their summaries with nothing cut, and the prompt, options and target asked."""

from __future__ import annotations

import re
from typing import Any

import orjson
import polars as pl

from otherwords.core.contract import CHANGE, KIND, VARIANT
from otherwords.results.inspect_samples import InspectLog, was_cut
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
