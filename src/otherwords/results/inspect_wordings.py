"""The samples of an Inspect log and their outcome rows → what was asked: prompt, options and target."""

from __future__ import annotations

from typing import Any

import polars as pl

from otherwords.core.contract import CHANGE, KIND, VARIANT
from otherwords.results.inspect_samples import InspectLog, was_cut


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
