from __future__ import annotations

from typing import Any

import pytest

from otherwords.results.inspect_fields import log_provenance
from otherwords.results.reader import LogProvenance

HEADER: dict[str, Any] = {
    "status": "success",
    "eval": {
        "created": "2026-11-16T16:56:52+00:00",
        "model": "openai/gpt-x",
        "model_generate_config": {"temperature": 0.5},
        "model_args": {"device": "cpu", "key_file": "/home/somebody/a path/with spaces"},
        "config": {"epochs": 2, "message_limit": 30},
        "packages": {"inspect_ai": "0.3.285"},
    },
    "plan": {"config": {"max_tokens": 256, "temperature": 1.0}},
    "stats": {
        "model_usage": {
            "openai/gpt-x": {"total_tokens": 4398, "total_cost": 0.25},
            "openai/grader": {"total_tokens": 2, "total_cost": 0.5},
        }
    },
}


def test_what_a_header_says() -> None:
    assert log_provenance(HEADER) == LogProvenance(
        created="2026-11-16T16:56:52+00:00",
        status="success",
        model="openai/gpt-x",
        settings=(
            ("temperature", "0.5"),
            ("max_tokens", "256"),
            ("message_limit", "30"),
            ("device", "cpu"),
        ),
        versions=(("inspect_ai", "0.3.285"),),
        tokens=4400,
        cost=0.75,
    )


def test_of_settings_that_are_texts_only_the_size_is_told() -> None:
    """They may be what nobody else should read."""
    set_ = {"temperature": 0.2, "system_message": "Answer in a few words.", "stop_seqs": ["\n"]}
    assert log_provenance({"eval": {"model_generate_config": set_}}).settings == (
        ("temperature", "0.2"),
        ("system_message", "of 22 characters"),
        ("stop_seqs", "1 given"),
    )


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"eval": None, "plan": [], "stats": "x"},
        {"eval": {"packages": [1], "model_args": 3, "config": None}, "stats": {"model_usage": {"m": None}}},
    ],
)
def test_what_is_not_there_is_left_out(header: dict[str, Any]) -> None:
    found = log_provenance(header)
    assert (found.settings, found.versions, found.tokens, found.cost) == ((), (), None, None)
