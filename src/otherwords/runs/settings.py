"""How a run asks (generation settings, limits, solver, roles), and the hash by which version 0.1 knew it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver, SolverSpec

from otherwords.core.hashing import stable_hash

__all__ = ["HARMLESS_CONFIG", "Limits", "RunSettings"]

HARMLESS_CONFIG = {"max_connections", "max_retries", "timeout", "attempt_timeout", "adaptive_connections"}
"""Settings that change how long a run takes and not what it asks."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sample."""

    messages: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    working_seconds: int | None = None


@dataclass(frozen=True)
class RunSettings:
    """How a run asks."""

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
    scorer: str | None = None
    """Which of several scores counts, `name` or `name.key`; it is written into the logs."""
    task_sources: Mapping[str, str] = field(default_factory=dict)
    """The task's files, packages and arguments, with hashes or versions."""
    agent_sources: Mapping[str, str] = field(default_factory=dict)
    """The files of the solver or agent, with hashes."""

    @property
    def hash(self) -> str:
        """As version 0.1 knew a run, without the task's code; its logs are continued by it."""
        generate = self.config.model_dump(mode="json", exclude_none=True, exclude=HARMLESS_CONFIG)
        bounds = [getattr(self.limits, name) for name in self.limits.__slots__]
        arguments = {name: repr(value) for name, value in self.model_args.items()}
        named = []
        if isinstance(self.solver, SolverSpec):  # its file by name alone, so that a folder may be moved
            named = [PurePath(self.solver.solver).name, repr(sorted(self.solver.args.items()))]
        roles = dict(self.model_roles)
        return stable_hash([generate, bounds, arguments, roles, named, self.solver_id])
