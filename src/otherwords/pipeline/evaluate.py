"""`evaluate`: data and a model, agent or function of any form → `Evaluation`: verdict, table, report."""

from __future__ import annotations

import asyncio
import inspect
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from otherwords.core.errors import InputError, OtherwordsError, UnknownNameError
from otherwords.core.files import unused_folder
from otherwords.items import items_from_records
from otherwords.items.tables import frame_records
from otherwords.pipeline.agents import Agent
from otherwords.pipeline.evaluation import Evaluation, in_python, kind_of
from otherwords.pipeline.inputs import Source, open_source
from otherwords.pipeline.rounds import Until
from otherwords.pipeline.run import run
from otherwords.runs.sample_costs import Budget, parse_budget
from otherwords.variants.base import DEFAULT_FAMILIES

Judges: TypeAlias = Callable[[str, str], bool | float]
"""The answer and the target → whether it is right, or how far, from 0 to 1."""
_ONE_AT_A_TIME = threading.Lock()
"""Inspect runs one evaluation at a time in a process."""
_DATA = (
    "a path, the name of a benchmark or task, a list of dictionaries or texts, a pandas or polars data "
    "frame, a Hugging Face Dataset, an Inspect Task or Dataset, or a list of Samples"
)
_WORDS_OF_A_PATH = 3
_SUBJECTS = (
    "the name of a model, a list of such names, a function, an Inspect solver or agent, an address, a "
    "command, or an otherwords Agent"
)


def evaluate(
    data: Any,
    subject: Any,
    *,
    k: int | None = None,
    repeats: int | None = None,
    until: str | Until | None = None,
    scorer: str | Judges | Any | None = None,
    families: Sequence[str] = DEFAULT_FAMILIES,
    seed: int = 0,
    log_dir: str | Path | None = None,
    model: str | Sequence[str] = (),
    name: str | None = None,
    **options: Any,
) -> Evaluation:
    """Ask a model or agent every item in other words, and say what the wording does to it.

    Args:
        data: A path, the name of a benchmark or task, a list of dictionaries or texts, a pandas or polars
            data frame, a Hugging Face `Dataset`, an Inspect `Task` or `Dataset`. Columns: `question`
            (`prompt`, `input`, `messages`), `answer` (`target`, `expected`, `label`), `choices`, `id`.
        subject: The name of a model, several names, a function of the prompt (async or not), an Inspect
            solver or agent, an address (`https://…`), a command (`./agent.sh --quick`), or an `Agent`.
        k: Variants of an item at most, beside the original; by default two of each family.
        repeats: How often each wording is asked, by default 3 times, or as often as `until` needs. With one,
            wording and run-to-run noise cannot be separated.
        until: Stop as soon as it is known: `accuracy:0.05` for an interval of ± 0.05, or an `Until`.
        scorer: Which of a task's scores counts, by name; or a function of the answer and the target that says
            whether it is right; or an Inspect scorer.
        families: Kinds of variants to make.
        seed: Seed of everything that is drawn.
        log_dir: The folder of the logs. Given again, only what is missing is asked. By default a new one.
        model: The model, or several, that an Inspect solver or agent asks.
        name: What the data are called in logs and tables.
        options: As for `run`: `variants_file`, `max_items`, `budget`, `limits`, `on_progress`, …

    Returns:
        Verdict, table and estimates, and ways to write a report and to compare.

    Raises:
        InputError: The data or the subject are of a form that is not known, or cannot be used.
        RunError: Inspect could not run, or five samples in a row ended with the same error.

    Example:
        >>> import tempfile
        >>> from otherwords import evaluate
        >>> def ask(prompt: str) -> str:
        ...     return "Paris" if "France" in prompt else "Rome"
        >>> questions = [
        ...     {"question": "What is the capital of France?", "answer": "Paris"},
        ...     {"question": "What is the capital of Italy?", "answer": "Rome"},
        ... ]
        >>> found = evaluate(questions, ask, k=2, repeats=2, log_dir=tempfile.mkdtemp())
        >>> print(found.estimates["accuracy"].value, found.table.height)
        1.0 12
    """
    from otherwords.pipeline.write_report import build_report_data
    from otherwords.results import read_results
    from otherwords.runs.runner import beside_a_running_loop

    unknown = sorted(set(options) - set(_RUN_OPTIONS))
    if unknown:
        raise UnknownNameError("argument", unknown[0], [*_OWN_OPTIONS, *_RUN_OPTIONS])
    own = {"families": families, "repeats": repeats, "until": until, "log_dir": log_dir, "model": model}
    _require_types(**own, name=name, **options)
    families = (families,) if isinstance(families, str) else families
    if isinstance(options.get("budget"), str):
        options["budget"] = parse_budget([options["budget"]])
    most = None if until is not None else options.pop("max_items", None)  # else they are drawn from all
    source = as_source(data, name, max_items=most, scorer=scorer)
    goal = Until(until) if isinstance(until, str) else until
    agent = as_subject(subject, (model,) if isinstance(model, str) else tuple(model))
    counted = scorer if isinstance(scorer, str) else None
    asked: dict[str, Any] = {
        "k": k,
        "repeats": repeats,
        "families": families,
        "seed": seed,
        "scorer": counted,
        "until": goal,
    }
    call = partial(run, source, agent, **asked, **options)
    with _ONE_AT_A_TIME:
        folder = Path(log_dir) if log_dir is not None else _new_folder(source.name)
        try:
            summary = beside_a_running_loop(partial(call, log_dir=folder))
        except OtherwordsError as error:
            error.args = (in_python(str(error), folder),)
            raise
    results = read_results(folder, scorer=counted)
    report = build_report_data(results, source=str(folder))
    return Evaluation(summary, folder, report, results.outcomes, counted)


async def evaluate_async(data: Any, subject: Any, **options: Any) -> Evaluation:
    """As `evaluate`, for code that has an event loop; several wait for each other.

    Args:
        data: As for `evaluate`.
        subject: As for `evaluate`.
        options: As for `evaluate`.

    Returns:
        Verdict, table and estimates.

    Raises:
        InputError: As `evaluate`.
        RunError: As `evaluate`.

    Example:
        >>> import asyncio, tempfile
        >>> from otherwords import evaluate_async
        >>> async def ask(prompt: str) -> str:
        ...     return "Paris"
        >>> questions = [{"prompt": "What is the capital of France?", "expected": "Paris"}]
        >>> options = {"k": 1, "repeats": 1, "log_dir": tempfile.mkdtemp()}
        >>> print(asyncio.run(evaluate_async(questions, ask, **options)).estimates["accuracy"].value)
        1.0
    """
    return await asyncio.to_thread(partial(evaluate, data, subject, **options))


_OWN_OPTIONS = ("k", "repeats", "until", "scorer", "families", "seed", "log_dir", "model", "name")
_RUN_OPTIONS = (
    "variants_file",
    "max_items",
    "llm",
    "judge",
    "limits",
    "max_connections",
    "budget",
    "prices",
    "on_progress",
    "keep_going",
    "wait",
)


def _is_model(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "generate")


def _has_limits(value: Any) -> bool:
    from otherwords.runs import Limits

    return isinstance(value, Limits)


def _is_family(value: Any) -> bool:
    from otherwords.variants.llm import LlmFamily

    return isinstance(value, LlmFamily)


_TYPES: dict[str, tuple[Any, str]] = {
    "repeats": (int, "a whole number"),
    "max_connections": (int, "a whole number"),
    "until": ((str, Until), "a text such as 'accuracy:0.05', or an Until"),
    "families": ((str, Sequence), "the name of a family, or a list of such names"),
    "log_dir": ((str, Path), "a path"),
    "variants_file": ((str, Path), "the path of a file that otherwords vary wrote"),
    "model": ((str, Sequence), "the name of a model, or a list of such names"),
    "name": (str, "a text"),
    "budget": ((str, Budget), "a Budget, or a text such as 'usd=2'"),
    "prices": (Mapping, "a dictionary of prices by the names of models"),
    "limits": (_has_limits, "Limits, such as otherwords.Limits(seconds=60)"),
    "llm": (_is_family, "an LlmFamily, such as otherwords.LlmFamily(model)"),
    "judge": (_is_model, "the name of a model"),
    "on_progress": (callable, "a function"),
}


def _require_types(**given: Any) -> None:
    for name, (kind, said) in _TYPES.items():
        value = given.get(name)
        if value is None:
            continue
        fits = isinstance(value, kind) if isinstance(kind, type | tuple) else kind(value)
        if not fits or isinstance(value, bool):
            raise InputError(f"{name}= must be {said}, got {kind_of(value)}")


def _new_folder(name: str) -> Path:
    plain = re.sub(r"[^\w.-]+", "_", name) or "data"
    folder = Path("logs") / f"{plain}-{time.strftime('%Y-%m-%dT%H-%M-%S')}"
    return unused_folder(folder) if folder.exists() else folder


def as_subject(subject: Any, models: tuple[str, ...] = ()) -> Agent:
    """What is asked, of any form that `evaluate` takes; `models` are those of an Inspect solver or agent."""
    if isinstance(subject, Agent):
        return replace(subject, models=models or subject.models)
    if isinstance(subject, str):
        if subject.startswith(("http://", "https://")):
            return Agent(models, url=subject)
        is_command = subject.startswith(("./", "../", "/", "~")) or " " in subject.strip()
        return Agent(models, command=subject) if is_command else Agent((subject,))
    if isinstance(subject, list | tuple) and subject and all(isinstance(one, str) for one in subject):
        return Agent(tuple(subject))
    if callable(subject) or hasattr(subject, "invoke") or hasattr(subject, "run"):
        if not _is_inspects(subject):
            _require_callable_with(subject, "the function that is asked", "the prompt")
            return Agent(models, function=subject)
        if not _is_async(subject):
            name = getattr(subject, "__name__", "my_agent")
            raise InputError("this is what makes an Inspect solver or agent", hint=f"Call it: {name}()")
        if not models:
            raise InputError(
                "an Inspect solver or agent needs a model", hint="For example: model='openai/gpt-4o-mini'"
            )
        return Agent(models, solver=subject)
    raise InputError(f"cannot ask {kind_of(subject)}", hint=f"Give {_SUBJECTS}.")


def _require_callable_with(function: Any, what: str, *given: str) -> None:
    """Else every run would fail with the same error."""
    if not inspect.isroutine(function):
        return
    try:
        signature = inspect.signature(function)
    except ValueError:  # as some of C's have none
        return
    try:
        signature.bind(*given)
    except TypeError as error:
        raise InputError(f"{what} must take {' and '.join(given)}: {error}") from None


def _is_inspects(thing: Any, *kinds: str) -> bool:
    """Whether it is a solver or an agent of Inspect, or one of other kinds."""
    from inspect_ai.util import registry_info

    with suppress(Exception):
        return registry_info(thing).type in (kinds or ("solver", "agent"))
    return False


def _is_async(thing: Any) -> bool:
    return inspect.iscoroutinefunction(thing) or inspect.iscoroutinefunction(type(thing).__call__)


def _require_judge(judge: Any) -> None:
    if not callable(judge):
        raise InputError(
            f"scorer= cannot be {kind_of(judge)}", hint="Give a name, a function or an Inspect scorer."
        )
    if _is_inspects(judge, "scorer"):
        if not _is_async(judge):
            name = getattr(judge, "__name__", "match")
            raise InputError("scorer= is what makes an Inspect scorer", hint=f"Call it: scorer={name}()")
    elif _is_async(judge):
        raise InputError(
            "a scorer that is a function of the answer and the target is not async, and this one is",
            hint="Give a plain function, or an Inspect scorer.",
        )
    else:
        _require_callable_with(judge, "scorer=", "the answer", "the target")


def as_source(
    data: Any, name: str | None = None, *, max_items: int | None = None, scorer: Any = None
) -> Source:
    """The items of data of any form that `evaluate` takes, with their task, if they have one."""
    judge = None if scorer is None or isinstance(scorer, str) else scorer
    if isinstance(data, Source):
        source = data
    elif isinstance(data, str | Path):
        if _is_prose(str(data)):
            raise InputError(
                f"{str(data)[:80]!r} is no file, benchmark or task",
                hint="Questions go into a list: [{'question': 'Why?', 'answer': 'Because'}]",
            )
        source = open_source(data, max_items=max_items)
    else:
        source = _from_object(data, name, max_items, needs_answers=judge is None)
    if name is not None:
        source = replace(source, name=name)
    if judge is None:
        return source
    if source.task is not None:
        hint = "Give their name: scorer='name', or data alone."
        raise InputError(f"task '{source.name}' has scorers of its own", hint=hint)
    _require_judge(judge)
    return replace(source, judge=judge)


def _is_prose(text: str) -> bool:
    """Whether it is a question where a path or a name is wanted."""
    with suppress(OSError):  # longer than a path may be
        return len(text.split()) > _WORDS_OF_A_PATH and not Path(text).exists()
    return True


def _from_object(data: Any, name: str | None, max_items: int | None, *, needs_answers: bool) -> Source:
    module = type(data).__module__.partition(".")[0]
    if module == "inspect_ai":
        return _from_inspect(data, name, max_items)
    if module in ("pandas", "polars", "datasets") or isinstance(data, Iterable):
        if isinstance(data, Mapping | bytes) and module != "datasets":
            raise InputError(f"cannot read items from {kind_of(data)}", hint=f"Give {_DATA}.")
        records = frame_records(data)
        if records and all(type(one).__name__ == "Sample" for one in records):
            from inspect_ai.dataset import MemoryDataset

            return _from_inspect(MemoryDataset(records), name, max_items)
        if needs_answers and any(isinstance(one, str) for one in records):
            raise InputError(
                "texts have no answers, so that nothing can be right",
                hint="Give dictionaries with 'question' and 'answer', or scorer=, a function of the answer "
                "and the target.",
            )
        items = items_from_records(records, max_items, needs_answers=needs_answers)
        return Source(name or "data", items, is_part=max_items is not None)
    raise InputError(f"cannot read items from {kind_of(data)}", hint=f"Give {_DATA}.")


def _from_inspect(data: Any, name: str | None, max_items: int | None) -> Source:
    from inspect_ai import Task
    from inspect_ai.dataset import Dataset

    from otherwords.items.samples import items_from_task
    from otherwords.runs import DEFAULT_SELECTOR
    from otherwords.runs.source_code import function_sources

    if isinstance(data, Task):
        items = items_from_task(data, DEFAULT_SELECTOR, max_items=max_items)
        called = data.name.rsplit("/", 1)[-1]
        sources = function_sources(data.solver) if callable(data.solver) else {}
        return Source(called, items, data, DEFAULT_SELECTOR, is_part=max_items is not None, sources=sources)
    if isinstance(data, Dataset):
        task = Task(dataset=data, name=name or data.name or "data")
        items = items_from_task(task, DEFAULT_SELECTOR, max_items=max_items)
        return Source(name or data.name or "data", items, is_part=max_items is not None)
    raise InputError(f"cannot read items from {kind_of(data)}", hint=f"Give {_DATA}.")
