"""A model, solver, agent or function → `Agent` → the settings by which Inspect runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from otherwords.core.contract import AGENT_SECONDS
from otherwords.core.errors import InputError
from otherwords.core.files import within_root
from otherwords.core.types import stable_hash
from otherwords.pipeline.inputs import Source

if TYPE_CHECKING:
    from otherwords.runs import Limits, RunSettings

Function: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]
"""An agent as a Python function: prompt in, answer out."""


@dataclass(frozen=True)
class Agent:
    """What is asked, and how. Exactly one of `solver`, `function` and `agent_dir` may be given, or none."""

    models: tuple[str, ...] = ()
    """Inspect's names of models; none for an agent that calls its own."""
    name: str | None = None
    """What it is called in tables; else the model's name."""
    solver: str | Callable[..., Any] | None = None
    """An Inspect solver or agent, or its name: `react`, `file.py@name`."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    function: str | Function | None = None
    """A Python callable `str -> str`, or its name: `module:function`, `file.py:function`."""
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
    inspect: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of Inspect's eval(), or more of such fields, by name: `sandbox`, `max_samples`, `top_k`."""

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
        if self.function is not None and not isinstance(self.function, str):
            return getattr(self.function, "__name__", type(self.function).__name__)
        return self.function or ", ".join(self.models)


def as_agent(given: str | Function | Sequence[str] | Agent) -> Agent:
    """An agent from a model's name, several models' names, or a Python function."""
    if isinstance(given, Agent):
        return given
    if isinstance(given, str):
        return Agent((given,))
    return Agent(function=given) if callable(given) else Agent(tuple(given))


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


def require_own_solver(agent: Agent, source: Source) -> None:
    """Refuse to vary texts of a solver that is replaced."""
    if source.places and (agent.solver is not None or agent.is_external):
        raise InputError(
            f"--vary {source.places[0]} changes the task's own solver, and '{agent.solver or agent.label}' "
            "would replace it",
            hint="Vary the item alone, or let the task's own solver answer with a --model.",
        )


def require_agent(agent: Agent) -> None:
    """Refuse an agent that cannot be asked: a model, a folder or a function that is not there."""
    from otherwords.runs.resolve import require_models

    settings = run_settings(agent)
    require_models(asked_models(agent), settings.model_args)
    require_models(agent.model_roles.values())


def run_settings(
    agent: Agent,
    limits: Limits | None = None,
    *,
    benchmark: str | None = None,
    has_simulated_user: bool = False,
    prompt_field: str | None = None,
    task_sources: Mapping[str, str] | None = None,
) -> RunSettings:
    """How Inspect is to run the agent. HAL's agents look for the prompt where HAL's `benchmark` has it."""
    from otherwords.runs import Limits, RunSettings
    from otherwords.runs.inspect_options import inspect_arguments
    from otherwords.runs.settings import hidden, inspects_solver, refuse_keys, resolve_solver
    from otherwords.runs.source_code import folder_sources, function_sources, source_files

    solver: Any = None
    solver_id, sources = "", dict[str, str]()
    if agent.agent_dir is not None:
        from otherwords.runs.agents.hal import HAL_PROMPT_FIELDS, hal_agent
        from otherwords.runs.agents.process import NOT_CODE, agent_fingerprint

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
        sources = folder_sources(agent.agent_dir, leave_out=NOT_CODE)
    elif agent.function is not None:
        from otherwords.runs.agents import callable_agent

        solver = callable_agent(agent.function, time_limit=agent.seconds, prompt_field=prompt_field)
        solver_id = _function_id(agent.function)
        file = agent.function.rpartition(":")[0] if isinstance(agent.function, str) else ""
        if file.endswith(".py"):
            sources = source_files(file)
        elif callable(agent.function):
            sources = function_sources(agent.function)
    elif callable(agent.solver):
        solver = inspects_solver(agent.solver)
        sources = function_sources(agent.solver)
        solver_id = stable_hash(sources)
    elif agent.solver is not None:
        refuse_keys(agent.solver_args, "-S")
        solver = resolve_solver(agent.solver, agent.solver_args)
        file = agent.solver.partition("@")[0]
        sources = source_files(file) if file.endswith(".py") else {}
        solver_id = stable_hash(sources) if sources else ""
    if agent.is_external:
        sources |= {"--agent-timeout": f"{agent.seconds:g}", "--prompt-field": prompt_field or ""}
    given = inspect_arguments(agent.generate, agent.inspect)
    return RunSettings(
        config=given.config,
        limits=limits or Limits(),
        model_args=_with_address(agent.model_args, given.base_url),
        eval_args=given.arguments,
        model_roles={role: str(model) for role, model in agent.model_roles.items()},
        solver=solver,
        solver_id=solver_id,
        calls_no_model=agent.is_external,
        agent_name=agent.label if agent.is_external else agent.name,
        task_sources=task_sources or {},
        agent_sources=sources,
    )


def read_generate_config(file: str | Path) -> dict[str, Any]:
    """Fields of Inspect's GenerateConfig from a YAML or JSON file; mistakes are told with their line."""
    from inspect_ai.model import GenerateConfig

    from otherwords.core.yaml_lines import read_yaml
    from otherwords.runs.inspect_options import checked_value

    top = read_yaml(within_root(file))
    top.only(*GenerateConfig.model_fields)
    found = {}
    for name in top.nodes:
        with top.with_location(name):
            found[name] = checked_value(name, top.plain(name))
    return found


def _with_address(model_args: Mapping[str, Any], address: str | None) -> dict[str, Any]:
    if address is None:
        return dict(model_args)
    if model_args.get("base_url", address) != address:
        raise InputError("--model-base-url and -M base_url name two addresses: give one of them")
    return {**model_args, "base_url": address}


def _function_id(function: str | Function) -> str:
    """Changes with the function's source; version 0.1 knew runs by it."""
    from otherwords.runs.source_code import callable_fingerprint

    if isinstance(function, str):
        return callable_fingerprint(function)
    import inspect

    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # typed into a console, or an object with a __call__
        source = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function))}"
    return stable_hash(source)


def settings_for(agent: Agent, source: Source, limits: Limits | None = None) -> RunSettings:
    """How the agent is asked what the source has; refuses models that are not there."""
    from otherwords.runs.resolve import require_models

    _require_within_reach(agent, source)
    require_own_solver(agent, source)
    settings = run_settings(
        agent,
        limits,
        benchmark=source.benchmark.name if source.benchmark else None,
        has_simulated_user=source.benchmark is not None and source.benchmark.has_simulated_user,
        prompt_field=_asked_of_agents(source),
        task_sources=source.sources,
    )
    require_models(asked_models(agent), settings.model_args)
    require_models(agent.model_roles.values())
    return settings


def _require_within_reach(agent: Agent, source: Source) -> None:
    """With a simulated user an answer in text is none, and all that a function gives is text."""
    known = source.benchmark
    if not agent.is_external or known is None or not known.has_simulated_user:
        return
    from otherwords.runs.agents.hal import HAL_PROMPT_FIELDS

    if agent.agent_dir is None:
        raise InputError(
            f"in benchmark '{known.name}' an agent has tools and talks with a simulated user, and "
            f"'{agent.label}' would see neither: it is asked once and answers once",
            hint="Let the benchmark's own agent, or an Inspect one (--solver), answer with a --model; or one "
            "written for HAL (--agent-dir), which tells what it did.",
        )
    if known.name not in HAL_PROMPT_FIELDS:
        raise InputError(
            f"benchmark '{known.name}' is not among HAL's, and what '{agent.label}' does in it cannot be "
            "judged: its customer has tools, too",
            hint="HAL's are taubench_airline and taubench_retail. An Inspect agent (--solver) can answer.",
        )


def _asked_of_agents(source: Source) -> str | None:
    """An agent that is not Inspect's is asked the very text that varies, where a selector singles it out."""
    from otherwords.runs import DEFAULT_SELECTOR

    return None if source.selector in (None, DEFAULT_SELECTOR) else str(source.selector)
