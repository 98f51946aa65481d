"""Settings of runs → which files are of one run; other runs labelled, doubles dropped, repeats numbered.

Rows are repeats of each other only if task, solver, scorer, samples, model arguments, generation settings and
limits are the same. Runs of one model that differ in any of these become separate values of `model`, such as
`openai/x (temperature=1)` or `openai/x (scorer changed, 2026-11-02)`.

Repeats are what a run itself numbers (Inspect's epochs). Two logs of the same run conditions that hold the
same wording and epoch are one result, of which the fuller log's counts. For other tools, whose files hold one
run each, files of the same configuration are numbered as repeats.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import orjson
import polars as pl

from otherwords.core.contract import (
    ERROR,
    FINGERPRINT_KEY,
    HOW_IT_IS_SENT,
    MISSING,
    PUBLIC_KEY,
    SETTINGS_KEY,
)

_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit")
# A value that can stand in a label, and in a public table: no sentence, no path of a machine.
_SHORT = re.compile(r"[\w.:+@-]{1,40}(?:/[\w.:+@-]{1,40}){0,2}")
_MOST_TOGETHER = 3


@dataclass(frozen=True)
class RunIdentity:
    """What tells a run from others of the same task and model."""

    parts: Mapping[str, str] = field(default_factory=dict)
    """Part (`scorer`, `generate`, …) → what is the same in two runs only if that part is: a hash or JSON."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Part → settings by their names, for the labels."""
    created: str = ""
    has_fingerprint: bool = False
    """Whether `parts` are hashes of content that the run itself wrote down."""
    samples: Mapping[str, str] = field(default_factory=dict)
    """Sample → a hash of all that it is, where the run wrote it down."""

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Equal for parts of one run."""
        return tuple(sorted(self.parts.items()))


def inspect_identity(spec: Mapping[str, Any], header: Mapping[str, Any], created: str) -> RunIdentity:
    """From a log's header: its fingerprint, or else what the header says of how the run was made."""
    metadata = _mapping(spec.get("metadata"))
    plan = _mapping(header.get("plan"))
    settings = {
        "generate": {
            name: value
            for name, value in {
                **_mapping(plan.get("config")),
                **_mapping(spec.get("model_generate_config")),
            }.items()
            if name not in HOW_IT_IS_SENT and name != "cache"
        },
        "model_args": _mapping(spec.get("model_args")),
        "task": _mapping(spec.get("task_args")),
        "solver": {"solver": spec.get("solver"), **_mapping(spec.get("solver_args"))},
        "limits": {name: _mapping(spec.get("config")).get(name) for name in _LIMITS},
        "roles": {
            role: _mapping(model).get("model") for role, model in _mapping(spec.get("model_roles")).items()
        },
    }
    fingerprint = metadata.get(FINGERPRINT_KEY)
    if isinstance(fingerprint, Mapping):
        return RunIdentity(
            {str(part): str(one) for part, one in fingerprint.items()}, settings, created, True
        )
    parts = {part: _text(value) for part, value in settings.items()}
    parts["steps"] = _text([_step(step) for step in plan.get("steps") or ()])
    parts["scorer"] = _text([_scorer(one) for one in spec.get("scorers") or ()])
    parts["base_url"] = _text(spec.get("model_base_url"))
    if SETTINGS_KEY in metadata:
        parts["settings"] = str(metadata[SETTINGS_KEY])
    elif (
        PUBLIC_KEY not in metadata
    ):  # in our logs the version is a hash of the wordings, which rows tell apart
        parts["version"] = _text(spec.get("task_version"))
    return RunIdentity(parts, settings, created)


def settings_identity(settings: Mapping[str, Mapping[str, Any]], model: str) -> RunIdentity:
    """Of a file that says for each model (or, under an empty name, for all) what it was run with."""
    given = dict(settings.get(model) or settings.get("") or {})
    return RunIdentity({"settings": _text(given)}, {"settings": given})


def _step(step: Any) -> Any:
    step = _mapping(step)
    return [step.get("solver"), step.get("params")]


def _scorer(scorer: Any) -> Any:
    scorer = _mapping(scorer)
    return [scorer.get("name"), scorer.get("options")]


def labels_of(identities: Sequence[RunIdentity]) -> list[str]:
    """For each run of one task and model what is written behind the model's name; empty if all are one.

    Example:
        >>> from otherwords.results.run_identity import RunIdentity, labels_of
        >>> cold = RunIdentity({"generate": "0"}, {"generate": {"temperature": 0}})
        >>> warm = RunIdentity({"generate": "1"}, {"generate": {"temperature": 1}})
        >>> labels_of([cold, cold, warm])
        ['temperature=0', 'temperature=0', 'temperature=1']
    """
    identities = _told_by_samples(identities)
    first: dict[tuple[tuple[str, str], ...], RunIdentity] = {}
    for one in sorted(identities, key=lambda one: one.created):
        first.setdefault(one.key, one)
    if len(first) < 2:
        return [""] * len(identities)
    told = dict(zip(first, _shortest(list(first.values())), strict=True))
    return [told[one.key] for one in identities]


def _told_by_samples(identities: Sequence[RunIdentity]) -> list[RunIdentity]:
    """With a part more for runs of which a sample is not what it is in an earlier run of the same parts."""
    known: dict[tuple[tuple[str, str], ...], list[dict[str, str]]] = {}
    found = list(identities)
    for place, one in sorted(enumerate(identities), key=lambda pair: pair[1].created):
        groups = known.setdefault(one.key, [])
        number = next((n for n, group in enumerate(groups) if _agree(group, one.samples)), len(groups))
        if number == len(groups):
            groups.append({})
        groups[number].update(one.samples)
        if number:
            found[place] = replace(one, parts={**one.parts, "samples": str(number)})
    return found


def _agree(some: Mapping[str, str], others: Mapping[str, str]) -> bool:
    return all(some.get(name, content) == content for name, content in others.items())


def _shortest(different: Sequence[RunIdentity]) -> list[str]:
    """The fewest differences that tell all apart; settings before parts of which only a hash is known."""
    settings, parts = _features(different)
    features = settings + parts
    for usable in (settings, features):
        for count in range(1, min(len(usable), _MOST_TOGETHER) + 1):
            for chosen in combinations(usable, count):
                if len(set(zip(*chosen, strict=True))) == len(different):
                    return _joined(chosen)
    texts = _joined(features) if features else [""] * len(different)
    return [f"{text}, run {place}" if text else f"run {place}" for place, text in enumerate(texts, start=1)]


def _joined(features: Sequence[Sequence[str]]) -> list[str]:
    return [", ".join(filter(None, texts)) for texts in zip(*features, strict=True)]


def _features(different: Sequence[RunIdentity]) -> tuple[list[list[str]], list[list[str]]]:
    """Each setting that differs, and each part, as texts, one for each of `different`."""
    shown: list[list[str]] = []
    hidden: list[list[str]] = []
    dates = _dates([one.created for one in different])
    marked = [one.has_fingerprint for one in different]
    if len(set(marked)) > 1:
        hidden.append(["" if one else "no fingerprint" for one in marked])
    parts = dict.fromkeys(part for one in different for part in one.parts)
    for part in sorted(parts, key=lambda part: _FIRST.index(part) if part in _FIRST else len(_FIRST)):
        values = [one.parts.get(part) for one in different]
        if len(set(values)) == 1:
            continue
        settings = [one.settings.get(part) or {} for one in different]
        names = dict.fromkeys(name for one in settings for name in one)
        for name in names:
            texts = [_shown(name, one.get(name)) for one in settings]
            if len(set(texts)) > 1 and None not in texts:
                shown.append([str(text) for text in texts])
        oldest = {mark: values[marked.index(mark)] for mark in marked}
        since = dict(reversed(list(zip(values, dates, strict=True))))  # the first of each
        hidden.append(
            [
                "" if value == oldest[mark] else f"{_PLAIN_NAMES.get(part, part)} changed{since[value]}"
                for value, mark in zip(values, marked, strict=True)
            ]
        )
    return shown, hidden


_FIRST = ("agent", "scorer", "solver")
"""Parts that are named before the task's, which changes with them, as they are in its file."""
_PLAIN_NAMES = {
    "generate": "generation settings",
    "inspect": "options of Inspect",
    "model_args": "model arguments",
    "roles": "model roles",
    "steps": "solver",
    "version": "task version",
}


def _dates(created: Sequence[str]) -> list[str]:
    """Days, or times where days are the same."""
    for length in (10, 16, 19):
        found = [text[:length].replace("T", " ") for text in created]
        if len(set(found)) == len(found):
            break
    return [f", {text}" if text else "" for text in found]


def _shown(name: str, value: Any) -> str | None:
    """`temperature=1`; None for a value that is too long, or too private, for a label."""
    if value is None:
        return f"{name} not set"
    if isinstance(value, bool | int | float):
        return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
    return f"{name}={value}" if isinstance(value, str) and _SHORT.fullmatch(value) else None


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _text(value: Hashable | Mapping[str, Any] | Sequence[Any]) -> str:
    if isinstance(value, Mapping):
        value = {name: one for name, one in value.items() if one is not None}
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str).decode()


_CELL = ["id", "variant", "repeat"]


def told_apart(runs: Sequence[tuple[str, str, RunIdentity]], notes: list[str]) -> list[str]:
    """For each run (task, model, identity) the model's name, with a label where runs of it differ."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (task, model, _) in enumerate(runs):
        places[task, model].append(place)
    names = [model for _, model, _ in runs]
    for (task, model), same in places.items():
        labels = labels_of([runs[place][2] for place in same])
        for place, label in zip(same, labels, strict=True):
            names[place] = f"{model} ({label})" if label else model
        if any(labels):
            several = " and ".join(f"'{name}'" for name in dict.fromkeys(names[place] for place in same))
            notes.append(f"In {task}, runs of '{model}' differ and are reported apart: {several}.")
    return names


def named(table: pl.DataFrame, model: str) -> pl.DataFrame:
    """The table with `model` as the name of its model."""
    return table.with_columns(pl.lit(model, pl.String).alias("model")) if table.height else table


def united(
    tables: Sequence[pl.DataFrame], ranks: Sequence[tuple[int, str, str]], names: Sequence[str]
) -> tuple[list[pl.DataFrame], dict[int, str]]:
    """The tables with each wording and epoch of a model in one of them only, and what others lost.

    Args:
        tables: One for each run; those of the same task and model are parts of one run.
        ranks: Of two runs that hold the same, the one with the higher rank counts, unless it failed there.
        names: What the runs are called in the messages.

    Returns:
        The tables, and for the places of those that lost rows a message.
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, table in enumerate(tables):
        if table.height:
            places[table["task"][0], table["model"][0]].append(place)
    kept, messages = list(tables), dict[int, str]()
    for same in places.values():
        if len(same) > 1:
            _keep_one_of_each(
                kept, sorted(same, key=lambda place: ranks[place], reverse=True), names, messages
            )
    return kept, messages


def _keep_one_of_each(
    tables: list[pl.DataFrame], best_first: Sequence[int], names: Sequence[str], messages: dict[int, str]
) -> None:
    failed = pl.col("status").is_in([ERROR, MISSING])
    rows = pl.concat(
        [
            tables[place].select(*_CELL, failed=failed, rank=pl.lit(rank, pl.Int64)).with_row_index("row")
            for rank, place in enumerate(best_first)
        ]
    )
    winner = pl.col("rank").sort_by("failed", "rank").first().over(_CELL)
    rows = rows.with_columns(winner=winner)
    lost = rows.filter(pl.col("rank") != pl.col("winner"))
    for (rank,), of_run in lost.group_by("rank", maintain_order=True):
        place = best_first[int(str(rank))]
        had = tables[place].height - int(of_run["failed"].sum())
        gone = of_run.filter(~pl.col("failed"))
        tables[place] = tables[place].with_row_index("row").join(of_run, on="row", how="anti").drop("row")
        if gone.height:
            by = names[best_first[int(gone["winner"].mode().sort()[0])]]
            messages[place] = _lost(gone.height, had, by)


def _lost(gone: int, had: int, by: str) -> str:
    if gone < had:
        return f"{gone} of its {had} results are also in {by}, which counts"
    return (
        f"holds the same wordings and epochs as {by}, which counts: repeats come from epochs, not from files "
        "(for more, run again with a higher --repeats; for runs over time, name each log by itself)"
    )


def number_repeats(runs: Sequence[pl.DataFrame], notes: list[str]) -> list[pl.DataFrame]:
    """Separate runs of the same wordings as further repeats, for tools whose files hold one run each.

    `runs` are the tables of single runs, in order: where a run asks what an earlier one asked, its repeats go
    on from the highest of that task and model, and that is noted.
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        if run.height:
            places[run["task"][0], run["model"][0]].append(place)
    numbered = list(runs)
    for (task, model), same in places.items():
        again = _number(numbered, same) if len(same) > 1 else 0
        if again:
            notes.append(
                f"In {task}, {again + 1} files of '{model}' with the same settings count as repeats of "
                "each other."
            )
    return numbered


def _number(runs: list[pl.DataFrame], places: Sequence[int]) -> int:
    """How many of the runs ask again what an earlier one asked."""
    seen: set[tuple[str, str]] = set()
    highest = again = 0
    for place in places:
        run = runs[place]
        asked = set(run.select("id", "variant").iter_rows())
        if not asked.isdisjoint(seen):
            again += 1
            run = runs[place] = run.with_columns(pl.col("repeat") + highest)
        seen |= asked
        highest = max(highest, int(run["repeat"].max() or 0))  # type: ignore[arg-type]
    return again
