"""Who is asked: models by themselves, a model behind an Inspect solver, or an agent that calls its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError

if TYPE_CHECKING:
    from otherwords.runs import Limits, RunSettings

AGENT_SECONDS = 600.0
"""How long an agent that is not Inspect's may take for one sample, as in HAL."""


@dataclass(frozen=True)
class Agent:
    models: tuple[str, ...] = ()
    """Inspect's names of models; none for an agent that calls its own."""
    name: str | None = None
    """What it is called in tables; else the model's name."""
    solver: str | None = None
    """An Inspect solver or agent: `react`, `file.py@name`."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    function: str | None = None
    """A Python callable `str -> str`: `module:function`, `file.py:function`."""
    agent_dir: str | Path | None = None
    """The folder of an agent written for HAL."""
    agent_function: str = "main.run"
    agent_args: Mapping[str, Any] = field(default_factory=dict)
    python: str | None = None
    seconds: float = AGENT_SECONDS
    model_args: Mapping[str, Any] = field(default_factory=dict)
    model_roles: Mapping[str, str] = field(default_factory=dict)
    """Models that the task asks for by a role, such as `user` or `grader`."""
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Fields of Inspect's GenerateConfig."""

    @property
    def is_external(self) -> bool:
        """Whether Inspect sees none of its model calls."""
        return self.function is not None or self.agent_dir is not None

    @property
    def label(self) -> str:
        """Its name, or what could serve as one."""
        if self.name:
            return self.name
        if self.agent_dir is not None:
            return Path(self.agent_dir).resolve().name
        return self.function or ", ".join(self.models)


def asked_models(agent: Agent) -> tuple[str, ...]:
    """The models as Inspect is told them."""
    given = [
        what
        for what, there in (
            ("--solver", agent.solver),
            ("--agent", agent.function),
            ("--agent-dir", agent.agent_dir),
        )
        if there is not None
    ]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} cannot be given together: a run has one agent")
    if agent.is_external:
        from otherwords.runs.agents import agent_model

        if len(agent.models) > 1:
            raise InputError(
                f"the agent '{agent.label}' calls its own models, so it takes at most one --model"
            )
        return agent.models or (agent_model(agent.label),)
    if not agent.models:
        raise InputError("a run needs a model", hint="For example: --model openai/gpt-4o-mini")
    return agent.models


def require_agent(agent: Agent) -> None:
    """Refuse an agent that cannot be asked: a model, a folder or a function that is not there."""
    from otherwords.runs.models import require_models

    require_models(asked_models(agent), agent.model_args)
    require_models(agent.model_roles.values())
    run_settings(agent)


def run_settings(
    agent: Agent,
    limits: Limits | None = None,
    *,
    benchmark: str | None = None,
    has_simulated_user: bool = False,
    prompt_field: str | None = None,
) -> RunSettings:
    """How Inspect is to run the agent. HAL's agents look for the prompt where HAL's `benchmark` has it."""
    from inspect_ai.model import GenerateConfig

    from otherwords.runs import Limits, RunSettings
    from otherwords.runs.hiding import hidden, refuse_keys
    from otherwords.runs.solvers import solver_named

    solver: Any = None
    solver_id = ""
    if agent.agent_dir is not None:
        from otherwords.runs.agents import HAL_PROMPT_FIELDS, agent_fingerprint, hal_agent

        solver = hal_agent(
            agent_dir=str(agent.agent_dir),
            agent_function=agent.agent_function,
            agent_args=hidden(dict(agent.agent_args)),
            agent_name=agent.name,
            python=agent.python,
            time_limit=agent.seconds,
            input_field=HAL_PROMPT_FIELDS.get(benchmark or ""),
            prompt_field=prompt_field,
            simulated_user=agent.model_roles.get("user", "") if has_simulated_user else None,
        )
        solver_id = agent_fingerprint(agent.agent_dir, agent.agent_function, agent.agent_args)
    elif agent.function is not None:
        from otherwords.runs.agents import callable_agent
        from otherwords.runs.fingerprint import callable_fingerprint

        solver = callable_agent(agent.function, time_limit=agent.seconds, prompt_field=prompt_field)
        solver_id = callable_fingerprint(agent.function)
    elif agent.solver is not None:
        from otherwords.runs.fingerprint import source_fingerprint

        refuse_keys(agent.solver_args, "-S")
        solver = solver_named(agent.solver, agent.solver_args)
        file = agent.solver.partition("@")[0]
        solver_id = source_fingerprint(file) if file.endswith(".py") else ""
    return RunSettings(
        config=GenerateConfig(**agent.generate),
        limits=limits or Limits(),
        model_args=agent.model_args,
        model_roles={role: str(model) for role, model in agent.model_roles.items()},
        solver=solver,
        solver_id=solver_id,
        calls_no_model=agent.is_external,
        agent_name=agent.label if agent.is_external else agent.name,
    )
