"""Refusing bad arguments with whole messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherwords.core.errors import InputError


def require_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, got {type(value).__name__}")
    if not value.strip():
        raise InputError(f"{name} must not be empty")
    return value


def require_count(name: str, value: Any) -> int:
    number = require_whole(name, value)
    if number < 0:
        raise InputError(f"{name} must be 0 or more, got {number}")
    return number


def require_whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be a whole number, got {type(value).__name__}")
    return value


def require_choices(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"choices must be a list of texts, got {type(value).__name__}")
    if len(value) < 2:
        raise InputError(f"choices must have at least 2 options, got {len(value)}")
    return tuple(require_text(f"choices[{place}]", choice) for place, choice in enumerate(value))
