"""A suite file (YAML: agents, benchmarks and settings) → one run plan for each agent and benchmark.

    repeats: 2
    agents:
      - model: openai/gpt-4o-mini
      - name: mine
        agent_dir: agents/mine
    benchmarks:
      - task: questions.jsonl
      - benchmark: gaia
        max_items: 20

What stands at the top holds for every benchmark that does not say otherwise. Files and folders are looked
for beside the suite. All agents are asked the same frozen wordings of a benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core import parse_size
from otherwords.core.contract import (
    DEFAULT_PARAPHRASER,
    DEFAULT_STRENGTH,
    ITEM,
    LLM,
    PLACES,
    SPREAD,
    STRENGTHS,
    USER_TRAITS,
)
from otherwords.core.errors import InputError
from otherwords.core.template import read_templates
from otherwords.core.yaml_lines import Mapped, read_yaml
from otherwords.pipeline.agents import Agent, asked_models, read_generate_config, require_agent
from otherwords.pipeline.frozen import Writing
from otherwords.pipeline.inputs import Source, beside, command_beside, open_source, short_name
from otherwords.pipeline.rounds import Until, until_of
from otherwords.pipeline.run_plan import RunPlan, plan_run
from otherwords.pipeline.vary import OnItem, Wordings
from otherwords.pipeline.vet import frozen_design, variants_path
from otherwords.runs.inspect_options import INSPECT_OPTIONS, checked_value

if TYPE_CHECKING:
    from otherwords.runs import Limits

_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit")
_GENERATE = ("temperature", "top_p", "max_tokens", "seed", "system_message")
_SHARED = (
    *("repeats", "max_items", "families", "k", "seed", "num_variations", "strength", "paraphraser"),
    *("judge", "user_style", "user_trait", "exclude_ambiguous", "template", "vary", "design", "fraction"),
    *("until", "thresholds", "generalize"),
    *_LIMITS,
    "inspect",
    *(option.name for option in INSPECT_OPTIONS if not option.of_agent),
)
_FILES = ("approval", "batch", "cache")
"""Options of Inspect that may name a file."""


@dataclass(frozen=True)
class SuiteBenchmark:
    """One benchmark of a suite with its settings."""

    name: str
    """Of its folder of logs."""
    task: str
    task_args: Mapping[str, Any]
    prompt_field: str | None
    variants_file: Path | None
    wordings: Wordings
    repeats: int | None
    max_items: int | None
    limits: Limits
    user_style: str | None = None
    user_trait: str | None = None
    exclude_ambiguous: bool = False
    templates: tuple[Path, ...] = ()
    until: Until | None = None
    sample_ids: tuple[str, ...] = ()
    inspect: Mapping[str, Any] = field(default_factory=dict)
    """Options of Inspect that hold for every agent which does not say otherwise."""
    line: int | None = None
    """Of the file."""


@dataclass(frozen=True)
class Suite:
    """What a suite file says."""

    path: Path
    agents: tuple[Agent, ...]
    benchmarks: tuple[SuiteBenchmark, ...]
    log_dir: Path
    max_connections: int | None = None
    budget: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    results_dir: Path | None = None
    """Where HAL's files are written too."""
    agent_lines: tuple[int, ...] = ()
    """Of the file, one for each agent."""


def read_suite(path: str | Path, defaults: Mapping[str, Any] | None = None) -> Suite:
    """Read the file; every mistake is told with its line, before anything runs.

    `defaults` hold where the file says nothing, by the names that settings have in the file.
    """
    path, other = Path(path), defaults or {}
    top = read_yaml(path)
    top.only(
        *("agents", "benchmarks", "log_dir", "results_dir", "max_connections", "budget", "price"), *_SHARED
    )
    agents = tuple(_agent(one, path.parent, other) for one in top.mappings("agents"))
    benchmarks = tuple(_benchmark(one, top, path.parent, other) for one in top.mappings("benchmarks"))
    _require_distinct(top, "agents", [agent.label for agent in agents])
    _require_distinct(top, "benchmarks", [benchmark.name for benchmark in benchmarks])
    return Suite(
        path,
        agents,
        benchmarks,
        log_dir=_folder(top, "log_dir", other) or path.parent / "logs",
        max_connections=top.count("max_connections") or other.get("max_connections"),
        budget=tuple(top.texts("budget") or other.get("budget", ())),
        prices=tuple(top.texts("price") or other.get("price", ())),
        results_dir=_folder(top, "results_dir", other),
        agent_lines=tuple(one.line for one in top.mappings("agents")),
    )


def _folder(top: Mapped, key: str, defaults: Mapping[str, Any]) -> Path | None:
    """One that the file names is beside the file; a default is where it says."""
    given = top.text(key)
    return defaults.get(key) if given is None else top.path.parent / given


def plan_suite(
    suite: Suite,
    *,
    on_writing: Callable[[Writing], None] | None = None,
    on_item: OnItem | None = None,
    jobs: int = 1,
    adopt: bool = False,
    write: bool = True,
) -> Iterator[RunPlan]:
    """One plan for each benchmark and agent, in the order of the file.

    All that can be wrong with a benchmark or an agent is told before the first plan. `adopt` and `write` are
    those of `plan_run`.
    """
    sources = []
    for benchmark in suite.benchmarks:
        with _at(suite, benchmark.line):
            sources.append(_open(benchmark))
    for agent, line in zip(suite.agents, suite.agent_lines, strict=True):
        with _at(suite, line):
            require_agent(agent)
    for benchmark, source in zip(suite.benchmarks, sources, strict=True):
        for agent in suite.agents:
            held = {**benchmark.inspect, **agent.generate, **agent.inspect}
            shared = {name: held[name] for name in benchmark.inspect}
            with _at(suite, benchmark.line):
                plan = plan_run(
                    source,
                    replace(agent, inspect={**shared, **agent.inspect}),
                    sample_ids=benchmark.sample_ids,
                    variants_file=benchmark.variants_file,
                    wordings=benchmark.wordings,
                    repeats=benchmark.repeats,
                    limits=benchmark.limits,
                    until=benchmark.until,
                    max_items=benchmark.max_items,
                    user_style=benchmark.user_style,
                    user_trait=benchmark.user_trait,
                    log_dir=suite.log_dir / benchmark.name,
                    on_writing=on_writing,
                    on_item=on_item,
                    jobs=jobs,
                    adopt=adopt,
                    write=write,
                )
            yield plan


@contextmanager
def _at(suite: Suite, line: int | None) -> Iterator[None]:
    """Adds the line of the suite to a problem that was found elsewhere."""
    try:
        yield
    except InputError as error:
        problem = str(error) if error.hint is None else str(error).removesuffix(f"\n{error.hint}")
        raise InputError(problem, file=suite.path, line=line, hint=error.hint) from error


def _open(benchmark: SuiteBenchmark) -> Source:
    opened: dict[str, Any] = {
        "max_items": None if benchmark.until is not None else benchmark.max_items,
        "task_args": benchmark.task_args,
        "prompt_field": benchmark.prompt_field,
    }
    if not benchmark.exclude_ambiguous:
        templates, vary = read_templates(benchmark.templates), benchmark.wordings.vary
        if benchmark.variants_file is not None and not templates:
            templates, opened["prompt_field"], vary = frozen_design(
                benchmark.variants_file, benchmark.prompt_field
            )
        return open_source(benchmark.task, templates=templates, vary=vary, **opened)
    if benchmark.templates or benchmark.wordings.vary != (ITEM,):
        other = "template" if benchmark.templates else "vary"
        raise InputError(f"exclude_ambiguous and {other} cannot be given together")
    from otherwords.pipeline.audit import open_without_ambiguous

    return open_without_ambiguous(benchmark.task, **opened)[0]


def _agent(given: Mapped, folder: Path, defaults: Mapping[str, Any]) -> Agent:
    given.only(
        *("name", "model", "model_args", "model_roles", "solver", "solver_args", "agent"),
        *("agent_url", "agent_command", "agent_dir", "agent_function", "agent_args", "agent_env"),
        *("agent_memory", "python", "generate_config", "inspect", *_GENERATE),
        *(option.name for option in INSPECT_OPTIONS if option.of_agent),
    )
    agent_dir, called = given.text("agent_dir"), given.text("agent")
    is_function = called is not None and ":" in called
    if called is not None and not is_function and given.text("solver") is not None:
        raise given.refusal("solver", "solver and agent cannot be given together: an agent has one of them")
    is_external = is_function or any(given.text(name) for name in ("agent_dir", "agent_url", "agent_command"))
    own = [
        one.name for one in INSPECT_OPTIONS if one.of_agent and not (is_external and one.name == "timeout")
    ]
    inspect = _inspect(given, own, defaults)
    solver = given.text("solver") if called is None or is_function else called
    model, memory = given.text("model"), given.text("agent_memory")
    with given.with_location():
        size = None if memory is None else parse_size(memory)
    agent = Agent(
        models=() if model is None else (model,),
        name=given.text("name"),
        solver=None if solver is None else beside(solver, folder),
        solver_args=given.values("solver_args"),
        function=beside(called, folder) if called is not None and is_function else None,
        url=given.text("agent_url"),
        command=command_beside(given.text("agent_command"), folder),
        agent_dir=None if agent_dir is None else folder / agent_dir,
        agent_function=given.text("agent_function") or "main.run",
        agent_args=given.values("agent_args"),
        python=given.text("python"),
        seconds=(given.number("timeout", above=0) if is_external else None) or Agent.seconds,
        env=tuple(given.texts("agent_env")),
        memory=size,
        model_args=given.values("model_args"),
        model_roles=given.values("model_roles"),
        generate=_generate(given, inspect, defaults),
        inspect=inspect,
    )
    if not agent.models and not agent.is_external:
        raise given.refusal(
            None, "an agent needs a model, an agent_dir, an agent, an agent_url or an agent_command"
        )
    with given.with_location():
        asked_models(agent)
    return agent


def _inspect(given: Mapped, names: Iterable[str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The options of Inspect among the settings, and those under `inspect`."""
    found = {name: defaults[name] for name in names if defaults.get(name) is not None}
    found |= {name: _option(given, name) for name in names if name in given}
    more = given.mapping("inspect")
    if more is None:
        return found
    for name in more.nodes:
        if name in given:
            raise more.refusal(name, f"{name} is given twice")
        found[name] = _option(more, name)
    return found


def _option(given: Mapped, name: str) -> Any:
    value = given.plain(name)
    if name in _FILES and isinstance(value, str) and (given.path.parent / value).is_file():
        value = str(given.path.parent / value)
    with given.with_location(name):
        checked_value(name, value)
    return value


def _generate(given: Mapped, inspect: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        "temperature": given.number("temperature"),
        "top_p": given.number("top_p"),
        "max_tokens": given.count("max_tokens"),
        "seed": given.whole("seed"),
        "system_message": given.text("system_message"),
    }
    for name, value in values.items():
        if value is None and name not in inspect:
            values[name] = defaults.get("model_seed" if name == "seed" else name)
    file = given.text("generate_config")
    named = defaults.get("generate_config") if file is None else given.path.parent / file
    fields = {} if named is None else read_generate_config(named)
    fields = {name: value for name, value in fields.items() if name not in inspect}
    return fields | {name: value for name, value in values.items() if value is not None}


def _benchmark(given: Mapped, top: Mapped, folder: Path, defaults: Mapping[str, Any]) -> SuiteBenchmark:
    from otherwords.runs import Limits

    given.only("name", "task", "benchmark", "task_args", "prompt_field", "variants", "sample_id", *_SHARED)
    task, known = given.text("task"), given.text("benchmark")
    if (task is None) == (known is None):
        raise given.refusal(None, "a benchmark needs a task or a benchmark's name, and not both")
    named = beside(task, folder) if task is not None else str(known)
    variants = given.text("variants")

    def shared(name: str) -> Mapped:
        return given if name in given else top

    sample_ids = tuple(given.texts("sample_id") or defaults.get("sample_id", ()))
    first_items = shared("max_items").count("max_items") or defaults.get("max_items")
    if sample_ids and "max_items" not in given:
        first_items = None
    held = [option.name for option in INSPECT_OPTIONS if not option.of_agent]
    bounds = [shared(name).count(name) or defaults.get(name) for name in _LIMITS]
    return SuiteBenchmark(
        name=given.name("name") or short_name(named),
        task=named,
        task_args=given.values("task_args"),
        prompt_field=given.text("prompt_field"),
        variants_file=None if variants is None else variants_path(variants, folder),
        wordings=_wordings(shared, defaults),
        repeats=shared("repeats").count("repeats") or defaults.get("repeats"),
        max_items=first_items,
        limits=Limits(*bounds),
        user_style=shared("user_style").text("user_style", among=STRENGTHS) or defaults.get("user_style"),
        user_trait=shared("user_trait").text("user_trait", among=USER_TRAITS) or defaults.get("user_trait"),
        exclude_ambiguous=(
            shared("exclude_ambiguous").flag("exclude_ambiguous")
            if "exclude_ambiguous" in shared("exclude_ambiguous")
            else bool(defaults.get("exclude_ambiguous"))
        ),
        templates=tuple(folder / file for file in shared("template").texts("template"))
        or tuple(defaults.get("template", ())),
        until=until_of(shared, defaults),
        sample_ids=sample_ids,
        inspect={**defaults.get("inspect", {}), **_inspect(top, held, defaults), **_inspect(given, held, {})},
        line=given.line,
    )


def _wordings(shared: Callable[[str], Mapped], defaults: Mapping[str, Any]) -> Wordings:
    from otherwords.core.registry import FAMILIES
    from otherwords.variants.base import DEFAULT_FAMILIES
    from otherwords.variants.llm import LlmFamily

    written = shared("num_variations").count("num_variations")
    families = tuple(shared("families").texts("families", among=FAMILIES.names()))
    k = shared("k").count("k")
    if written is not None and (families or k is not None):
        raise shared("num_variations").refusal(
            "num_variations", "num_variations cannot be given with families or k"
        )
    if written is None and not families and k is None:
        written = defaults.get("num_variations")
    if written is not None:
        families, k = (LLM,), written
    families = families or tuple(defaults.get("families") or DEFAULT_FAMILIES)
    seed = shared("seed").whole("seed")
    strength = shared("strength").text("strength", among=(*STRENGTHS, SPREAD))
    strength = strength or defaults.get("strength", DEFAULT_STRENGTH)
    models = shared("paraphraser").texts("paraphraser") or defaults.get("paraphraser", DEFAULT_PARAPHRASER)
    fraction = shared("fraction").number("fraction", above=0)
    wordings = Wordings(
        families=families,
        k=defaults.get("k") if k is None else k,
        seed=defaults.get("seed", 0) if seed is None else seed,
        llm=LlmFamily(models, strength) if LLM in families else None,
        judge=shared("judge").text("judge") or defaults.get("judge"),
        vary=tuple(shared("vary").texts("vary", among=PLACES)) or defaults.get("vary", (ITEM,)),
    )
    with shared("design").with_location():
        return wordings.in_design(
            shared("design").text("design") or defaults.get("design", ""),
            defaults.get("fraction", 1.0) if fraction is None else fraction,
        )


def _require_distinct(top: Mapped, key: str, names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(
                f"two of the {key} are called '{name}'",
                file=top.path,
                line=top.mappings(key)[place].line,
                hint="Give one of them another name.",
            )
