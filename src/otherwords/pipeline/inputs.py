"""A dataset, benchmark or Inspect task → items; a model, solver, agent or function → settings of a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from otherwords.core.contract import AGENT_SECONDS, ITEM
from otherwords.core.errors import InputError
from otherwords.core.files import within_root
from otherwords.core.template import Cases, Template, own_field, require_fields, require_places, unfilled
from otherwords.core.types import Item, Variant, stable_hash
from otherwords.items import SUFFIXES, load_cases, load_items
from otherwords.items.record import QUESTION

if TYPE_CHECKING:
    from inspect_ai import Task

    from otherwords.runs import Limits, RunSettings
    from otherwords.runs.benchmarks import Benchmark
    from otherwords.runs.selectors import Selector

DATASETS = SUFFIXES
"""Ends of names of files that items are read from."""
CONFIGURATIONS = (".yaml", ".yml")
"""Ends of names of promptfoo configurations."""
Function: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]
"""An agent as a Python function: prompt in, answer out."""


@dataclass(frozen=True)
class Source:
    """What is asked: items, and the Inspect task that they came from."""

    name: str
    items: list[Item]
    task: Task | None = None
    """None for a dataset of ours."""
    selector: Selector | None = None
    """Where in the task's samples the prompt is."""
    benchmark: Benchmark | None = None
    """What is known of it beforehand, if it is one of the catalogue's."""
    left_out: tuple[Item, ...] = ()
    """Items that an audit did not find clean, and that are not run."""
    is_part: bool = False
    """Whether no more than so many of the first items were asked for."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The task's files, packages and arguments, with hashes or versions; a dataset's file has none."""
    cases: Cases | None = None
    """What `items` were before they stood in the template; None where there is no template."""
    asserts: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What must hold for an answer to be right, by item, where a promptfoo configuration says it."""
    notes: tuple[str, ...] = ()
    """What a user is told of how it was read."""

    @property
    def places(self) -> tuple[str, ...]:
        """Where the task's own texts are varied."""
        return () if self.cases is None else self.cases.places

    def refused(self, variants: Sequence[Variant]) -> dict[str, str]:
        """Variants that cannot be asked through the task, by id, with the reason."""
        if self.task is None:
            return {}
        from otherwords.runs.wrap_task import refused_variants

        return refused_variants(self.task, variants, selector=self.selector, places=self.places)

    def as_task(self, variants: Sequence[Variant], *, constrain_choices: bool = False) -> Task:
        """The Inspect task that asks every one of `variants`."""
        if self.task is not None:
            from otherwords.runs.wrap_task import vary_task

            return vary_task(self.task, variants, selector=self.selector, places=self.places)
        from otherwords.runs import ask, build_task
        from otherwords.runs.item_task import asserts

        return build_task(
            self.name,
            self.items,
            variants,
            solver=ask(constrain_choices=constrain_choices),
            scorer=asserts(dict(self.asserts)) if self.asserts else None,
            metadata={"constrain_choices": constrain_choices}
            | ({"left_out_as_ambiguous": len(self.left_out)} if self.left_out else {}),
        )


def open_source(
    named: str | Path,
    *,
    max_items: int | None = None,
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
    templates: Sequence[Template] = (),
    vary: Sequence[str] = (ITEM,),
) -> Source:
    """Read the items of a dataset's file, a benchmark or an Inspect task.

    Args:
        named: A file, a benchmark's name, or anything Inspect can name (`pkg/task`, `file.py@task`).
        max_items: Use only the first items.
        task_args: Arguments of the Inspect task.
        prompt_field: Where the task's samples keep the prompt; by default the last user message. With
            templates, the field that holds a case's own text.
        templates: What the fields of a file's cases are put into; the first is the original.
        vary: What is to be reworded: `item`, and of a template or a task `system`, `template` and `tools`.

    Returns:
        The items, and the task that they came from, if any.

    Raises:
        InputError: There is no such file or task, or it has no items.

    Examples:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> from otherwords import open_source
        >>> file = Path(tempfile.mkdtemp()) / "questions.jsonl"
        >>> _ = file.write_text(json.dumps({"id": "q1", "question": "What is 2 + 2?", "answer": "4"}))
        >>> [item.id for item in open_source(file).items]
        ['q1']
    """
    places = tuple(place for place in require_places(vary) if place != ITEM)
    if Path(named).suffix.lower() in CONFIGURATIONS and not task_args:
        return _open_promptfoo(named, max_items, prompt_field, templates)
    if Path(named).suffix.lower() in DATASETS:
        if templates and not task_args:
            cases, own = load_cases(named, templates, max_items, prompt_field=prompt_field)
            known = Cases(tuple(templates), own, tuple(cases))
            return Source(source_name(named), known.items(), cases=known, is_part=max_items is not None)
        if task_args or prompt_field:
            raise InputError(
                "-T and --prompt-field are for Inspect tasks; a dataset's file has neither", file=named
            )
        if places:
            raise InputError(f"--vary {places[0]} needs a template, and a file of items has none", hint=_GIVE)
        return Source(source_name(named), load_items(named, max_items), is_part=max_items is not None)
    if templates:
        raise InputError(
            f"--template is for files of cases, and '{named}' is an Inspect task, which has its own template",
            hint="Vary what the task has: --vary system, --vary template.",
        )
    from otherwords.items.record import items_from_task
    from otherwords.runs.benchmarks import find_benchmark
    from otherwords.runs.benchmarks.load import load_benchmark
    from otherwords.runs.resolve import resolve_task
    from otherwords.runs.selectors import DEFAULT_SELECTOR, parse_selector
    from otherwords.runs.settings import refuse_keys
    from otherwords.runs.source_code import task_sources

    refuse_keys(task_args or {}, "-T")
    benchmark = find_benchmark(str(named))
    if benchmark is not None:
        task = load_benchmark(benchmark, task_args)
        prompt_field = prompt_field or benchmark.selector
    else:
        task = resolve_task(str(named), task_args)
    selector = DEFAULT_SELECTOR if prompt_field is None else parse_selector(prompt_field)
    items = items_from_task(task, selector, source=str(named), max_items=max_items)
    if not items:
        raise InputError(f"task '{named}' has no samples")
    name = task.name.rsplit("/", 1)[-1]
    sources = task_sources(benchmark.spec if benchmark is not None else str(named), task_args or {})
    source = Source(name, items, task, selector, benchmark, is_part=max_items is not None, sources=sources)
    return _with_places(source, places) if places else source


_GIVE = "Give it with --template FILE, or name an Inspect task that has one."


def _with_places(source: Source, places: tuple[str, ...]) -> Source:
    """The items as they stand in the task's own texts, so far as these are varied."""
    from otherwords.runs.shared_texts import shared_texts

    shared = shared_texts(cast("Task", source.task), places)
    fields = unfilled(shared.template, shared.own)
    cases = tuple(replace(item, metadata=fields) for item in source.items)
    items = [
        replace(item, prompt=shared.rendered(str(item.prompt), {}), metadata=item.metadata)
        for item in source.items
    ]
    return replace(
        source, items=items, cases=Cases((shared.template,), shared.own, cases, places, shared.descriptions)
    )


def _open_promptfoo(
    named: str | Path, max_items: int | None, prompt_field: str | None, templates: Sequence[Template]
) -> Source:
    from otherwords.results.promptfoo import read_promptfoo_config

    config = read_promptfoo_config(within_root(named))
    templates = tuple(templates) or config.templates
    for template in templates:
        require_fields(template, [name for fields in config.fields for name in fields])
    own = own_field(templates, QUESTION, prompt_field)
    known = Cases(templates, own, config.cases(own)[:max_items])
    left = ", ".join(f"{name} ({count})" for name, count in config.not_taken.items())
    return Source(
        source_name(Path(named).resolve().parent),
        known.items(),
        cases=known,
        asserts=config.asserts,
        notes=(f"Not taken over from {named}: {left}.",) if left else (),
        is_part=max_items is not None,
    )


def source_name(file: str | Path) -> str:
    """What a dataset's file is called in logs and tables."""
    return Path(file).stem.replace(" ", "_") or "dataset"


# ---- who is asked


@dataclass(frozen=True)
class Agent:
    """What is asked, and how. Exactly one of `solver`, `function` and `agent_dir` may be given, or none."""

    models: tuple[str, ...] = ()
    """Inspect's names of models; none for an agent that calls its own."""
    name: str | None = None
    """What it is called in tables; else the model's name."""
    solver: str | None = None
    """An Inspect solver or agent: `react`, `file.py@name`."""
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
    task_sources: Mapping[str, str] | None = None,
) -> RunSettings:
    """How Inspect is to run the agent. HAL's agents look for the prompt where HAL's `benchmark` has it."""
    from inspect_ai.model import GenerateConfig

    from otherwords.runs import Limits, RunSettings
    from otherwords.runs.settings import hidden, refuse_keys, resolve_solver
    from otherwords.runs.source_code import folder_sources, function_sources, source_files

    solver: Any = None
    solver_id, sources = "", dict[str, str]()
    if agent.agent_dir is not None:
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
    elif agent.solver is not None:
        refuse_keys(agent.solver_args, "-S")
        solver = resolve_solver(agent.solver, agent.solver_args)
        file = agent.solver.partition("@")[0]
        sources = source_files(file) if file.endswith(".py") else {}
        solver_id = stable_hash(sources) if sources else ""
    if agent.is_external:
        sources |= {"--agent-timeout": f"{agent.seconds:g}", "--prompt-field": prompt_field or ""}
    return RunSettings(
        config=GenerateConfig(**agent.generate),
        limits=limits or Limits(),
        model_args=agent.model_args,
        model_roles={role: str(model) for role, model in agent.model_roles.items()},
        solver=solver,
        solver_id=solver_id,
        calls_no_model=agent.is_external,
        agent_name=agent.label if agent.is_external else agent.name,
        task_sources=task_sources or {},
        agent_sources=sources,
    )


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
