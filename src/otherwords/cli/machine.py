"""Output for machines."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import click


def print_json(value: Any) -> None:
    """Dataclasses as objects; nothing else is written to standard output."""
    click.echo(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "to_dicts"):
        return _plain(value.to_dicts())
    return value
