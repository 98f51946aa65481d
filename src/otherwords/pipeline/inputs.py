"""`open_source`: a dataset, benchmark, task or promptfoo file → items with task; a file of models → facts."""

from __future__ import annotations

import datetime
import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from otherwords.core.contract import ITEM
from otherwords.core.errors import InputError
from otherwords.core.files import within_root
from otherwords.core.template import Cases, Template, own_field, require_fields, require_places, unfilled
from otherwords.core.types import Item, Variant
from otherwords.core.yaml_lines import Mapped, read_yaml
from otherwords.items import SUFFIXES, load_cases, load_items
from otherwords.items.record import QUESTION

if TYPE_CHECKING:
    from inspect_ai import Task

    from otherwords.runs.benchmarks import Benchmark
    from otherwords.runs.selectors import Selector

DATASETS = SUFFIXES
"""Ends of names of files that items are read from."""
CONFIGURATIONS = (".yaml", ".yml")
"""Ends of names of promptfoo configurations."""


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
    """Whether only some of its items are asked: the first so many, or those of one shard."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The task's files, packages and arguments, with hashes or versions; a dataset's file has none."""
    cases: Cases | None = None
    """What `items` were before they stood in the template; None where there is no template."""
    asserts: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What must hold for an answer to be right, by item, where a promptfoo configuration says it."""
    notes: tuple[str, ...] = ()
    """What a user is told of how it was read."""
    file: Path | None = None
    """What the items, and so the answers, were read from, where that is a file."""
    judge: Callable[..., Any] | None = None
    """Says whether an answer is right, in place of our scorer: an Inspect scorer, or a function of the answer
    and the target."""

    @property
    def places(self) -> tuple[str, ...]:
        """Where the task's own texts are varied."""
        return () if self.cases is None else self.cases.places

    def part(self, items: Sequence[Item]) -> Source:
        """With these of its items alone."""
        cases = None if self.cases is None else self.cases.of(items)
        return replace(self, items=list(items), cases=cases, is_part=True)

    def only(self, ids: Sequence[str]) -> Source:
        """With no other items than these. `*` stands for any text, and commas may stand between ids.

        Raises:
            InputError: No item has such an id, or only the first items are there.
        """
        if self.is_part:
            raise InputError("--sample-id and --max-items cannot be given together")
        known = [item.id for item in self.items]
        wanted: set[str] = set()
        for one in (part for text in ids for part in ([text] if text in known else text.split(","))):
            matching = {one} if one in known else {name for name in known if fnmatchcase(name, one)}
            if not matching:
                near = get_close_matches(one, known, n=3, cutoff=0.5)
                told = f"Did you mean: {', '.join(near)}?" if near else f"The first is '{known[0]}'."
                raise InputError(f"no item has the id '{one}'. {told}")
            wanted |= matching
        items = [item for item in self.items if item.id in wanted]
        cases = None if self.cases is None else self.cases.of(items)
        return replace(self, items=items, cases=cases, is_part=True)

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
        from otherwords.runs.item_task import asserts, judged_by

        judged: dict[str, Any] = {}
        scorer = asserts(dict(self.asserts)) if self.asserts else None
        if self.judge is not None:
            scorer, judged = judged_by(self.judge), {"judged_by": judge_id(self.judge)}
        return build_task(
            self.name,
            self.items,
            variants,
            solver=ask(constrain_choices=constrain_choices),
            scorer=scorer,
            metadata={"constrain_choices": constrain_choices}
            | ({"left_out_as_ambiguous": len(self.left_out)} if self.left_out else {})
            | judged,
        )


def judge_id(judge: Callable[..., Any]) -> str:
    """Changes with the source of a scorer, so that another one never resumes its run."""
    from otherwords.core.types import stable_hash
    from otherwords.runs.source_code import function_sources

    return stable_hash(function_sources(judge))


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
            return Source(
                source_name(named),
                known.items(),
                cases=known,
                is_part=max_items is not None,
                file=Path(named),
            )
        if task_args or prompt_field:
            raise InputError(
                "-T and --prompt-field are for Inspect tasks; a dataset's file has neither", file=named
            )
        if places:
            raise InputError(f"--vary {places[0]} needs a template, and a file of items has none", hint=_GIVE)
        items = load_items(named, max_items)
        return Source(source_name(named), items, is_part=max_items is not None, file=Path(named))
    if templates:
        raise InputError(
            f"--template is for files of cases, and '{named}' is an Inspect task, which has its own template",
            hint="Vary what the task has: --vary system, --vary template.",
        )
    from otherwords.items.samples import items_from_task
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
        file=Path(named),
    )


def source_name(file: str | Path) -> str:
    """What a dataset's file is called in logs and tables."""
    return Path(file).stem.replace(" ", "_") or "dataset"


def beside(named: str, folder: Path) -> str:
    """A file is looked for in this folder; other names are Inspect's, a module's or a benchmark's."""
    file = named.partition("@")[0].rpartition(":")[0] or named.partition("@")[0]
    return str(folder / named) if Path(file).suffix.lower() in (".py", *CONFIGURATIONS, *DATASETS) else named


def short_name(named: str) -> str:
    """`gsm8k` for inspect_evals/gsm8k, `capitals` for quiz.py@capitals, `questions` for questions.jsonl."""
    last = named.rpartition("@")[2] if "@" in named else Path(named).stem
    return last.replace(" ", "_")


def command_beside(command: str | None, folder: Path) -> str | None:
    """Files among its words are looked for in the suite's folder."""
    if command is None:
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return command  # refused with its reason when the agent is made
    return shlex.join(str(folder / word) if (folder / word).is_file() else word for word in words)


@dataclass(frozen=True)
class ModelFacts:
    """What a file of models says of one."""

    name: str
    family: str | None = None
    size: float | None = None
    """In billions of parameters."""
    date: datetime.date | None = None


_MONTH = re.compile(r"(\d{4})-(\d{2})")


def read_models(path: str | Path) -> list[ModelFacts]:
    """The file of models; each mistake is told with its line.

    Raises:
        InputError: The file cannot be read, or says something else than names, families, sizes and dates.
    """
    file = read_yaml(Path(path))
    file.only("models")
    found: dict[str, ModelFacts] = {}
    for entry in file.mappings("models"):
        entry.only("name", "family", "size", "date")
        name = entry.text("name")
        if name is None:
            raise entry.refusal(None, "a model without a name")
        if name in found:
            raise entry.refusal("name", f"model '{name}' is there twice")
        size = entry.number("size", above=0)
        if size is not None and not math.isfinite(size):
            raise entry.refusal("size", f"size must be a number of billions of parameters, got {size}")
        found[name] = ModelFacts(name, entry.text("family"), size, _date(entry))
    return list(found.values())


def _date(entry: Mapped) -> datetime.date | None:
    """A day, a month (its first day) or a year (its middle)."""
    given = entry.plain("date") if "date" in entry else None
    if given is None and "date" not in entry:
        return None
    if isinstance(given, datetime.datetime):
        return given.date()
    if isinstance(given, datetime.date):
        return given
    try:
        if isinstance(given, int) and not isinstance(given, bool):
            return datetime.date(given, 7, 1)
        if isinstance(given, str) and (month := _MONTH.fullmatch(given)):
            return datetime.date(int(month[1]), int(month[2]), 1)
    except ValueError:
        pass
    raise entry.refusal(
        "date", f"date must be a day, a month or a year (2025-03-14, 2025-03, 2025), got {given!r}"
    )
