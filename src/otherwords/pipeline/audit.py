"""`audit_dataset`: labels by rules or a critic; asks options without questions; drops ambiguous items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.audit import Audit, AuditSettings, ChoicesOnly, Critic, Decision, audit_items, read_audit
from otherwords.audit.dataset_checks import find_duplicates, length_of_answers, position_of_answers, share
from otherwords.core.contract import CLEAN, SCORED
from otherwords.core.errors import InputError
from otherwords.core.types import Item, original
from otherwords.items import load_for_audit, load_items
from otherwords.pipeline.inputs import DATASETS, Source, open_source, source_name

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import ModelCost

    from otherwords.pipeline.estimate import RunEstimate
    from otherwords.runs import OnProgress, RunSettings, RunSummary

WITHOUT_QUESTION = "The question is not shown. Which of the options is most likely to be its right answer?"
ASSUMED_REPLY = 60
"""Tokens of a critic's reply, for the estimate."""


def audit_dataset(
    dataset: str | Path | Iterable[Item | Mapping[str, Any]],
    settings: AuditSettings | None = None,
    *,
    name: str = "",
) -> Audit:
    """Label every multiple-choice item clean, ambiguous or unanswerable, with the reasons.

    Labels come from the options alone: the question is only read to find duplicates.

    Args:
        dataset: A dataset's file, anything Inspect can name (`pkg/task`, `file.py@task`), or items; records
            such as `{"id": "q1", "choices": ["Yes", "No"]}` will do.
        settings: Thresholds of the rules; the usual ones by default.
        name: What the audit is called; by default the file's or task's name.

    Returns:
        The labels, and how the right answers are spread, how long they are, and which items are duplicates.

    Raises:
        InputError: The dataset cannot be read, or a record has neither a question nor choices.

    Examples:
        >>> from otherwords import audit_dataset
        >>> audit = audit_dataset([
        ...     {"id": "q1", "choices": ["Paris", "London", "All of the above"]},
        ...     {"id": "q2", "choices": ["Iron", "Copper", "Zinc"]},
        ... ])
        >>> audit.labels
        {'clean': 1, 'ambiguous': 1, 'unanswerable': 0}
        >>> audit.decisions[0].reasons
        ('meta_option:all_of_the_above',)
    """
    settings = settings or AuditSettings()
    if isinstance(dataset, str | Path):
        found = read_for_audit(dataset)
        name, items = name or found.name, found.items
    else:
        items = [_as_item(one, place) for place, one in enumerate(dataset, start=1)]
    return Audit(
        name=name,
        decisions=tuple(audit_items(items, settings)),
        without_options=sum(not item.choices for item in items),
        settings=settings,
        position=position_of_answers(items),
        length=length_of_answers(items),
        duplicates=find_duplicates(items, settings),
    )


run_ambiguity_audit = audit_dataset
"""The name under which others know it."""


def _as_item(given: Item | Mapping[str, Any], place: int) -> Item:
    if isinstance(given, Item):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"expected items or records with choices, got {type(given).__name__}")
    from otherwords.items.record import read_for_audit as read_record

    return read_record(dict(given), file=None, line=None, place=place)


@dataclass(frozen=True)
class AuditSource:
    """A dataset's or task's name and items."""

    name: str
    items: list[Item]


def read_for_audit(
    named: str | Path,
    *,
    max_items: int | None = None,
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
) -> AuditSource:
    """As `open_source` reads it, with the options of every item, even where several of them are right."""
    if Path(named).suffix.lower() in DATASETS:
        if task_args or prompt_field:
            open_source(named, task_args=task_args, prompt_field=prompt_field)  # refuses, and says why
        return AuditSource(source_name(named), load_for_audit(named, max_items))
    source = open_source(named, max_items=max_items, task_args=task_args, prompt_field=prompt_field)
    return AuditSource(source.name, _with_options(source))


def _with_options(source: Source) -> list[Item]:
    """A task's items lose their options where not exactly one is right; here they are only looked at."""
    if source.task is None:
        return source.items
    options = {
        str(place if sample.id is None else sample.id): tuple(sample.choices or ())
        for place, sample in enumerate(source.task.dataset, start=1)
    }
    return [
        item if item.choices or not options[item.id] else replace(item, choices=options[item.id], target=())
        for item in source.items
    ]


# ---- leaving out


@dataclass(frozen=True)
class LeftOut:
    """What was left out of a run or of a variants file, and why."""

    kept: int
    labels: dict[str, int]
    reasons: dict[str, int]

    @property
    def count(self) -> int:
        return sum(self.labels.values())


def open_without_ambiguous(
    named: str | Path,
    *,
    audit_file: str | Path | None = None,
    max_items: int | None = None,
    task_args: Mapping[str, Any] | None = None,
    prompt_field: str | None = None,
) -> tuple[Source, LeftOut]:
    """As `open_source`, without the items that were audited and are not clean. Those without options stay.

    The labels are those of `audit_file`, or else what the rules say with their usual thresholds.
    """
    audited = read_for_audit(named, max_items=max_items, task_args=task_args, prompt_field=prompt_field)
    decisions = _labels(audited, audit_file)
    flagged = {id_: one for id_, one in decisions.items() if one.label != CLEAN}
    if Path(named).suffix.lower() in DATASETS:
        items = load_items(named, max_items, leave_out=flagged)
        source = Source(audited.name, items, is_part=max_items is not None)
    else:
        source = open_source(named, max_items=max_items, task_args=task_args, prompt_field=prompt_field)
    kept = [item for item in source.items if item.id not in flagged]
    if not kept:
        raise InputError(
            f"nothing is left of '{source.name}': none of its {len(audited.items):,} items is clean",
            hint="See why with `otherwords audit DATASET`. With --ignore CODE a reason does not count; "
            "give the labels that it writes with --audit FILE.",
        )
    left_out = tuple(item for item in audited.items if item.id in flagged)
    gone = [flagged[item.id] for item in left_out]
    told = LeftOut(
        kept=len(kept),
        labels=dict(Counter(one.label for one in gone)),
        reasons=dict(Counter(code for one in gone for code in one.reasons).most_common()),
    )
    return replace(source, items=kept, left_out=left_out), told


def _labels(audited: AuditSource, audit_file: str | Path | None) -> Mapping[str, Decision]:
    if audit_file is None:
        return {one.id: one for one in audit_items(audited.items)}
    labels = read_audit(audit_file)
    if not labels.decisions.keys() & {item.id for item in audited.items}:
        raise InputError(
            f"was made for other items: none of them is in '{audited.name}'",
            file=labels.path,
            hint="Audit the dataset that is run: `otherwords audit DATASET --json FILE`.",
        )
    return labels.decisions


# ---- a model reads the options


def with_critic(
    audit: Audit,
    items: Sequence[Item],
    critic: Critic,
    *,
    on_item: Callable[[int, int], None] | None = None,
) -> Audit:
    from otherwords.audit.critic import criticise
    from otherwords.core.model_calls import wait_for

    return wait_for(criticise(audit, items, critic, on_item=on_item), "judgements")


def estimate_critic(items: Sequence[Item], critic: Critic, prices: Mapping[str, ModelCost]) -> RunEstimate:
    """If nothing is in the cache."""
    from otherwords.audit.critic import characters
    from otherwords.pipeline.estimate import CHARACTERS_A_TOKEN, RunEstimate, known_price

    asked = [item for item in items if item.choices]
    tokens = sum(characters(item, critic.sees_question) for item in asked) // CHARACTERS_A_TOKEN
    said = ASSUMED_REPLY * len(asked)
    model = str(critic.model)
    cost = prices.get(model) or known_price(model)
    return RunEstimate(
        samples=len(asked),
        finished=0,
        input_tokens=tokens,
        output_tokens=said,
        answer_tokens=ASSUMED_REPLY,
        answer_is_assumed=True,
        usd=None if cost is None else (tokens * cost.input + said * cost.output) / 1_000_000,
        unpriced=() if cost is not None else (model,),
    )


# ---- the options without the question


@dataclass(frozen=True)
class ChoicesOnlyPlan:
    task: Task
    items: list[Item]
    model: str
    settings: RunSettings
    log_dir: Path


def plan_choices_only(
    name: str,
    items: Sequence[Item],
    model: str,
    *,
    log_dir: str | Path,
    max_tokens: int | None = None,
    constrain_choices: bool = False,
    model_args: Mapping[str, Any] | None = None,
) -> ChoicesOnlyPlan:
    """One sample for each item with a known right answer: its options, and nothing of its question."""
    from inspect_ai.model import GenerateConfig

    from otherwords.runs import RunSettings, ask, build_task
    from otherwords.runs.resolve import require_models

    require_models([model], model_args)
    asked = [
        replace(item, prompt=WITHOUT_QUESTION, metadata={})
        for item in items
        if isinstance(item.target, int) and 0 <= item.target < len(item.choices) > 1
    ]
    if not asked:
        raise InputError(
            f"no item of '{name}' has options and a known right answer, so a run without the questions would "
            "show nothing"
        )
    task = build_task(
        f"{name}-choices-only",
        asked,
        [original(item) for item in asked],
        solver=ask(constrain_choices=constrain_choices),
        metadata={"choices_only": True, "constrain_choices": constrain_choices},
    )
    config = GenerateConfig() if max_tokens is None else GenerateConfig(max_tokens=max_tokens)
    settings = RunSettings(config=config, model_args=dict(model_args or {}))
    return ChoicesOnlyPlan(task, asked, model, settings, Path(log_dir))


def estimate_choices_only(plan: ChoicesOnlyPlan, prices: Mapping[str, ModelCost]) -> RunEstimate:
    from otherwords.pipeline.estimate import estimate_run
    from otherwords.runs import samples_left

    left = samples_left(plan.task, [plan.model], log_dir=plan.log_dir, settings=plan.settings)
    return estimate_run(
        plan.task,
        [plan.model],
        repeats=1,
        left=left,
        max_tokens=plan.settings.config.max_tokens,
        prices=prices,
    )


def run_choices_only(
    plan: ChoicesOnlyPlan,
    *,
    max_connections: int | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[ChoicesOnly, RunSummary]:
    """Run again, it asks only what is missing."""
    from otherwords.results import load_all_results, readable_only
    from otherwords.runs import run_tasks

    summary = run_tasks(
        plan.task,
        [plan.model],
        log_dir=plan.log_dir,
        settings=plan.settings,
        max_connections=max_connections,
        prices=prices,
        on_progress=on_progress,
    )
    # An unreadable answer says nothing of the options; counted as wrong it would hide what they give away.
    scored = readable_only(load_all_results(list(summary.logs))).filter(status=SCORED)
    options = {item.id: len(item.choices) for item in plan.items}
    chances = [1 / options[id_] for id_ in scored["id"]]
    right = int((scored["score"] == 1.0).sum())
    found = ChoicesOnly(
        model=plan.model,
        asked=len(plan.items),
        unscored=len(plan.items) - scored.height,
        right=share(right, scored.height, sum(chances) / len(chances)) if chances else None,
        calls=summary.calls,
        tokens=summary.tokens,
    )
    return found, summary


# ---- files


def audit_csv(audit: Audit, items: Sequence[Item]) -> str:
    """One row an item that was audited; no text of the dataset but the ids."""
    import polars as pl

    from otherwords.core.types import letter_of
    from otherwords.report.tables import frame_csv

    first = {id_: group.ids[0] for group in audit.duplicates.groups for id_ in group.ids[1:]}
    nearly = {id_ for group in audit.duplicates.groups if group.kind == "near_duplicate" for id_ in group.ids}
    by_id = {item.id: item for item in items}
    rows = [
        {
            "id": one.id,
            "label": one.label,
            "reasons": " ".join(one.reasons) or None,
            "n_options": len(by_id[one.id].choices),
            "answer": letter_of(target) if isinstance(target := by_id[one.id].target, int) else None,
            "duplicate_of": first.get(one.id),
            "nearly": one.id in nearly if one.id in first else None,
        }
        for one in audit.decisions
    ]
    schema = {
        "id": pl.String,
        "label": pl.String,
        "reasons": pl.String,
        "n_options": pl.Int64,
        "answer": pl.String,
        "duplicate_of": pl.String,
        "nearly": pl.Boolean,
    }
    return frame_csv(pl.DataFrame(rows, schema=schema))
