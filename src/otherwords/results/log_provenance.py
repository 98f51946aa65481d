"""An Inspect log's header → what a report says of how the log was made: date, versions, settings, tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# A value that can stand in a report: no sentence, no path of a machine.
_SHORT = re.compile(r"[\w.:+@-]{1,40}(?:/[\w.:+@-]{1,40}){0,2}")
_SETTINGS = ("temperature", "top_p", "top_k", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens")
_LIMITS = ("message_limit", "token_limit", "time_limit", "cost_limit")


@dataclass(frozen=True)
class LogProvenance:
    """How one log was made."""

    created: str = ""
    """When the run began, as the log has it."""
    status: str = ""
    model: str = ""
    """The model that was asked, whatever its agent is called."""
    settings: tuple[tuple[str, str], ...] = ()
    """Generation settings, limits and arguments of the task, those that are set."""
    versions: tuple[tuple[str, str], ...] = ()
    """Packages and their versions."""
    tokens: int | None = None
    """Of all models of the run, in and out; None where the log does not say."""
    cost: float | None = None
    """In US dollars; None where the log does not say."""


def log_provenance(header: Mapping[str, Any]) -> LogProvenance:
    """From a log's header; what is not there, or is not what Inspect writes, is left out.

    Example:
        >>> from otherwords.results.log_provenance import log_provenance
        >>> header = {"eval": {"model": "m", "model_generate_config": {"temperature": 0.5}}}
        >>> log_provenance(header).settings
        (('temperature', '0.5'),)
    """
    spec, plan = _mapping(header.get("eval")), _mapping(header.get("plan"))
    generate = {**_mapping(plan.get("config")), **_mapping(spec.get("model_generate_config"))}
    limits = _mapping(spec.get("config"))
    found = {name: generate.get(name) for name in _SETTINGS} | {name: limits.get(name) for name in _LIMITS}
    found |= _mapping(spec.get("model_args"))
    usage = [_mapping(one) for one in _mapping(_mapping(header.get("stats")).get("model_usage")).values()]
    costs = [one["total_cost"] for one in usage if _is_number(one.get("total_cost"))]
    tokens = [one["total_tokens"] for one in usage if _is_number(one.get("total_tokens"))]
    return LogProvenance(
        created=str(spec.get("created") or ""),
        status=str(header.get("status") or ""),
        model=str(spec.get("model") or ""),
        settings=tuple((name, text) for name, one in found.items() if (text := _shown(one))),
        versions=tuple(
            (str(name), text) for name, one in _mapping(spec.get("packages")).items() if (text := _shown(one))
        ),
        tokens=int(sum(tokens)) if tokens else None,
        cost=float(sum(costs)) if costs else None,
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bool | int):
        return str(value)
    return value if isinstance(value, str) and _SHORT.fullmatch(value) else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
