"""A model, solver, function, address, command or HAL folder → `Agent`, checked → settings of a run."""

from __future__ import annotations

import textwrap
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from otherwords.core.contract import AGENT_SECONDS
from otherwords.core.errors import InputError
from otherwords.core.files import within_root
from otherwords.core.types import stable_hash
from otherwords.pipeline.inputs import Source

if TYPE_CHECKING:
    from otherwords.runs import Limits, RunSettings

_LONGEST_LABEL = 60


class Invoked(Protocol):
    """An agent as an object, as in LangChain and LangGraph."""

    def invoke(self, given: Any, /) -> Any: ...


class Ran(Protocol):
    """An agent as an object that is asked by `run`, plain or async."""

    def run(self, prompt: str, /) -> Any: ...


Function: TypeAlias = Callable[[str], Any] | Callable[[str], Awaitable[Any]] | Invoked | Ran
"""An agent in Python, prompt in and answer out: a function, or an object with `invoke` or `run`."""


@dataclass(frozen=True)
class Agent:
    """What is asked, and how.

    At most one of `solver`, `function`, `url`, `command` and `agent_dir` may be given; but a command may have
    an `agent_dir` to work in.
    """

    models: tuple[str, ...] = ()
    """Inspect's names of models; none for an agent that calls its own."""
    name: str | None = None
    """What it is called in tables; else the model's name."""
    solver: str | Callable[..., Any] | None = None
    """An Inspect solver or agent, or its name: `react`, `file.py@name`."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    function: str | Function | None = None
    """A Python callable `str -> str`, an object with `invoke` or `run`, or the name of one: `module:name`,
    `file.py:name`."""
    url: str | None = None
    """An address that answers JSON, or OpenAI's chat API."""
    command: str | None = None
    """A program and its arguments, which reads the prompt on standard input and prints the answer."""
    agent_dir: str | Path | None = None
    """The folder of an agent written for HAL, or of the command."""
    agent_function: str = "main.run"
    agent_args: Mapping[str, Any] = field(default_factory=dict)
    """Of the HAL agent's function; or further fields of what an address is sent."""
    python: str | None = None
    seconds: float = AGENT_SECONDS
    env: tuple[str, ...] = ()
    """Variables of the environment that an agent in a process of its own has beside the usual ones; for an
    address the one whose value is sent as a bearer token."""
    memory: int | None = None
    """Bytes that an agent's processes may have together."""
    withheld: tuple[Path, ...] = ()
    """Files and folders that the copy of its folder does not have: the dataset, the variants, the logs."""
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
        return any(one is not None for one in (self.function, self.url, self.command, self.agent_dir))

    @property
    def label(self) -> str:
        """Its name, or what could serve as one."""
        if self.name:
            return self.name
        if self.agent_dir is not None:
            return Path(self.agent_dir).resolve().name
        if self.url is not None:
            return self.url.partition("://")[2].rstrip("/") or self.url
        if self.command is not None:
            return textwrap.shorten(self.command, _LONGEST_LABEL, placeholder=" …")
        if self.function is not None and not isinstance(self.function, str):
            return getattr(self.function, "__name__", type(self.function).__name__)
        return self.function or ", ".join(self.models)


def as_agent(given: str | Function | Sequence[str] | Agent) -> Agent:
    """An agent from a model's name, several models' names, or a Python function."""
    if isinstance(given, Agent):
        return given
    if isinstance(given, str):
        return Agent((given,))
    if callable(given) or not isinstance(given, Sequence):
        return Agent(function=given)
    return Agent(tuple(given))


def asked_models(agent: Agent) -> tuple[str, ...]:
    """The models as Inspect is told them."""
    given = [
        what
        for what, there in (
            ("--solver", agent.solver),
            ("--agent", agent.function),
            ("--agent-url", agent.url),
            ("--agent-command", agent.command),
            ("--agent-dir", agent.agent_dir if agent.command is None else None),
        )
        if there is not None
    ]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} cannot be given together: a run has one agent")
    _require_taken(agent)
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


def _require_taken(agent: Agent) -> None:
    """Refuse settings that the agent would not have."""
    has_process = agent.command is not None or agent.agent_dir is not None
    if agent.memory is not None and not has_process:
        raise InputError(
            "--agent-memory is for agents in a process of their own (--agent-command, --agent-dir)"
        )
    if agent.env and not has_process and agent.url is None:
        raise InputError(
            "--agent-env is for agents in a process of their own (--agent-command, --agent-dir) or behind an "
            "address (--agent-url); a Python function has the variables of the run itself"
        )
    if agent.url is not None and len(agent.env) > 1:
        raise InputError("--agent-url takes one --agent-env: the variable that is sent as a bearer token")
    if agent.command is not None and agent.agent_args:
        raise InputError("-A is not for --agent-command: write the arguments into the command")


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
    if agent.url is not None or agent.command is not None:
        solver, sources = _outside(agent, prompt_field)
        solver_id = stable_hash(sources)
    elif agent.agent_dir is not None:
        from otherwords.runs.agents.agent_folder import NOT_CODE, agent_fingerprint
        from otherwords.runs.agents.hal import HAL_PROMPT_FIELDS, hal_agent

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
            **_contained(agent),
        )
        solver_id = agent_fingerprint(agent.agent_dir, agent.agent_function, agent.agent_args)
        sources = folder_sources(agent.agent_dir, leave_out=NOT_CODE)
    elif agent.function is not None:
        from otherwords.runs.agents.function import callable_agent

        solver = callable_agent(agent.function, time_limit=agent.seconds, prompt_field=prompt_field)
        solver_id = _function_id(agent.function)
        file = agent.function.rpartition(":")[0] if isinstance(agent.function, str) else ""
        if file.endswith(".py"):
            sources = source_files(file)
        elif not isinstance(agent.function, str):
            asked = agent.function
            sources = function_sources(asked if callable(asked) else type(asked))
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
        notes=_withheld_keys(agent),
    )


def _outside(agent: Agent, prompt_field: str | None) -> tuple[Any, dict[str, str]]:
    """The solver that asks an address or a command, and what they are known by."""
    from otherwords.runs.agents.agent_folder import NOT_CODE
    from otherwords.runs.agents.external import command_agent, command_files, url_agent
    from otherwords.runs.settings import hidden
    from otherwords.runs.source_code import file_digest, folder_sources, source_files

    shared: dict[str, Any] = {
        "time_limit": agent.seconds,
        "prompt_field": prompt_field,
        "agent_name": agent.label,
    }
    if agent.url is not None:
        arguments = {f"-A {name}": stable_hash(repr(value)) for name, value in agent.agent_args.items()}
        key = next(iter(agent.env), None)
        solver = url_agent(agent.url, hidden(dict(agent.agent_args)), key, **shared)
        return solver, {"--agent-url": agent.url, **arguments}
    command = str(agent.command)
    folder = None if agent.agent_dir is None else str(agent.agent_dir)
    solver = command_agent(command, folder, **_contained(agent), **shared)
    sources = {"--agent-command": command}
    for file in command_files(command, folder):
        sources |= source_files(file) if file.suffix == ".py" else {file.name: file_digest(file)}
    return solver, sources | (folder_sources(folder, leave_out=NOT_CODE) if folder else {})


def _contained(agent: Agent) -> dict[str, Any]:
    return {"env": agent.env, "memory": agent.memory, "withheld_files": [str(one) for one in agent.withheld]}


def _withheld_keys(agent: Agent) -> tuple[str, ...]:
    if agent.command is None and agent.agent_dir is None:
        return ()
    from otherwords.runs.agents.process import Containment

    names = Containment(env=agent.env).withheld_keys()
    if not names:
        return ()
    return (
        f"Withheld from the agent, as they look like keys: {', '.join(names)}. Give it those that it needs "
        "with --agent-env NAME.",
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
        source = inspect.getsource(function)  # type: ignore[arg-type]
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

    if agent.agent_dir is None or agent.command is not None:
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
