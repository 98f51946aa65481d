"""How a run asks: what must be equal for two runs to be parts of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver, SolverSpec

from otherwords.core.hashing import stable_hash

SETTINGS = "otherwords_settings"
"""Metadata of a log: a hash of what must be equal for two runs to be parts of one."""
AGENT_NAME = "agent_name"
"""Metadata of a log: what the agent is called in tables, in place of its model's name."""
_HARMLESS_CONFIG = {"max_connections", "max_retries", "timeout", "attempt_timeout", "adaptive_connections"}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sample."""

    messages: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    working_seconds: int | None = None


@dataclass(frozen=True)
class RunSettings:
    """What must be equal for two runs to be parts of one."""

    config: GenerateConfig = field(default_factory=GenerateConfig)
    limits: Limits = field(default_factory=Limits)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    model_roles: Mapping[str, str] = field(default_factory=dict)
    """Models that tasks ask for by a role, such as `user` or `grader`."""
    solver: Solver | SolverSpec | None = None
    """In place of the tasks' own."""
    solver_id: str = ""
    """Tells one solver from another that Inspect gives the same name and arguments."""
    calls_no_model: bool = False
    """The solver's calls are not Inspect's, and so each sample counts as one."""
    agent_name: str | None = None
    """What solver and model together are called in tables; runs of two agents may share a folder."""

    @property
    def hash(self) -> str:
        generate = self.config.model_dump(mode="json", exclude_none=True, exclude=_HARMLESS_CONFIG)
        bounds = [getattr(self.limits, name) for name in self.limits.__slots__]
        arguments = {name: repr(value) for name, value in self.model_args.items()}
        named = []
        if isinstance(self.solver, SolverSpec):  # its file by name alone, so that a folder may be moved
            named = [self.solver.solver.rsplit("/", 1)[-1], repr(sorted(self.solver.args.items()))]
        roles = dict(self.model_roles)
        return stable_hash([generate, bounds, arguments, roles, named, self.solver_id])
