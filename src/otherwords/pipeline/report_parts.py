"""Results → parts of a report: provenance, samples, cells, early stops, and the change from a baseline."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import polars as pl

from otherwords.core.contract import MISSING, ORIG, VARIANTS_FILE, VARIANTS_FORMAT
from otherwords.core.table import by_task
from otherwords.core.tool_calls import parting, parting_text, read_tool_calls, usual_path
from otherwords.core.types import Estimate
from otherwords.metrics import changed_items, compare
from otherwords.metrics.evidence import BROKEN, FIXED, UNCHANGED
from otherwords.metrics.gate import ERROR
from otherwords.metrics.sequential import Look, StoppingRule
from otherwords.report import AgentRow, BaselineRow, LogRow, ModelRun, Provenance
from otherwords.results import LogAccuracy, LoggedRun, Results, logged_runs, shown_arguments

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize


_SHOWN = 16
"""Characters of a hash that tell sets apart."""


def provenance_of(
    outcomes: pl.DataFrame, wordings: pl.DataFrame, logs: Sequence[LogAccuracy], agents: Sequence[AgentRow]
) -> Provenance:
    """What is known of how these results came about."""
    kinds = wordings.filter(pl.col("variant") != ORIG, pl.col("kind").is_not_null())
    if wordings.is_empty():
        kinds = outcomes.filter(pl.col("variant") != ORIG).unique(["task", "id", "variant"])
    families = kinds.group_by("kind").len().sort("len", "kind", descending=[True, False])
    originals = wordings.filter(pl.col("variant") == ORIG)
    return Provenance(
        made=now().strftime("%Y-%m-%d %H:%M UTC"),
        versions=_versions(logs),
        runs=tuple(_run(agent, [log for log in logs if _is_of(log, agent)]) for agent in agents),
        calls=outcomes.filter(pl.col("status") != MISSING).height,
        tokens=_tokens(outcomes, logs),
        cost=_sum([log.made.cost for log in logs]),
        seeds=tuple(outcomes["seed"].drop_nulls().unique().sort()),
        wording_seeds=tuple(sorted(set(_wording_seeds(outcomes["log"].drop_nulls().unique())))),
        families=tuple((str(kind), int(count)) for kind, count in families.iter_rows() if kind),
        items_hash=_hash(originals, ["task", "id", "prompt", "choices", "target"]),
        variants_hash=_hash(wordings, ["task", "id", "variant", "prompt", "choices"]),
        generalizes=tuple(dict.fromkeys(one for agent in agents if (one := agent.verdict.generalizes))),
        files=tuple(outcomes["log"].drop_nulls().unique(maintain_order=True)),
    )


def log_row(log: LogAccuracy) -> LogRow:
    return LogRow(
        log=log.log,
        model=log.model,
        task=log.task,
        scorer=log.scorer,
        reducer=log.reducer,
        samples=log.samples,
        scored=log.scored,
        accuracy=log.accuracy,
        inspect_accuracy=log.logged,
        names_wordings=log.names_wordings,
    )


@dataclass(frozen=True)
class Stopped:
    """What is known of a run that was to stop at a goal."""

    rule: StoppingRule
    found: Look
    """What its last look says, computed anew."""

    @property
    def level(self) -> float | None:
        """Of the intervals that hold at whichever look a gate was decided; None for the usual one."""
        return None if self.rule.goal.width is not None else 1 - 2 * self.found.error

    def note(self, names: Sequence[str], task: str) -> str:
        """As a report and a gate say it."""
        of = self.rule.goal.name if self.rule.goal.models else " and ".join(names)
        said = f"{of} on {task}: {self.rule.told(self.found)}."
        if self.level is None or self.found.error >= ERROR:
            return said
        whole = 1 - 2 * self.rule.error
        return (
            f"{said} Its {whole:.0%} intervals are so wide that they hold at whichever look it stopped; "
            "those of single kinds of change are not."
        )

    def to_json(self) -> dict[str, Any]:
        """As `report --json` has it for an agent."""
        return {
            "goal": str(self.rule.goal),
            "thresholds": dict(self.rule.thresholds),
            "n_items": self.found.n_items,
            "planned": self.found.planned,
            "status": self.found.status,
            "sentence": self.found.sentence(),
            "level": self.level,
        }


def stopped_runs(results: Results, outcomes: pl.DataFrame) -> dict[tuple[str, str], Stopped]:
    """By task and model, the runs among `outcomes` that were to stop at a goal."""
    found: dict[tuple[str, str], Stopped] = {}
    for log in results.logs:
        if log.made.until is None:
            continue
        try:
            rule = StoppingRule.from_json(log.made.until)
        except ValueError:
            continue  # of a later version, or not of ours
        labels = {log.model: log.made.model}
        if rule.goal.models:  # by the names that the goal has for them
            same = [one for one in results.logs if one.task == log.task and one.made.until == log.made.until]
            labels = {one.model: one.made.model for one in same}
        rows = outcomes.filter(pl.col("task") == log.task, pl.col("model").is_in(list(labels)))
        rows = rows.with_columns(pl.col("model").replace(labels))
        if set(rule.goal.models or (log.made.model,)) <= set(rows["model"].unique()):
            look = rule.look(rows, rows["id"].n_unique())
            found[log.task, log.model] = Stopped(rule, look)
    return found


def stop_notes(stopped: Mapping[tuple[str, str], Stopped]) -> list[str]:
    """What is said of them; of two models that stopped together once."""
    return list(dict.fromkeys(one.note([model], task) for (task, model), one in stopped.items()))


def _is_of(log: LogAccuracy, agent: AgentRow) -> bool:
    return (log.task, log.model) == agent.key


def _run(agent: AgentRow, logs: Sequence[LogAccuracy]) -> ModelRun:
    settings = list(
        dict.fromkeys(", ".join(f"{name} {one}" for name, one in log.made.settings) for log in logs)
    )
    began = sorted(log.made.created for log in logs if log.made.created)
    return ModelRun(
        agent=agent.model,
        benchmark=agent.task,
        model=", ".join(dict.fromkeys(log.made.model for log in logs if log.made.model)),
        settings=" or ".join(one or "the provider's default settings" for one in settings),
        began=began[0][:16].replace("T", " ") if began else "",
    )


def now() -> datetime:
    """Or the moment that SOURCE_DATE_EPOCH names: the same results then give the same bytes."""
    named = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(named) if named.isdecimal() else time.time(), timezone.utc)


def _versions(logs: Sequence[LogAccuracy]) -> tuple[tuple[str, str], ...]:
    """Ours and Python's now, and what the logs say of theirs."""
    now = [("otherwords", _installed("otherwords")), ("Python", platform.python_version())]
    theirs = dict.fromkeys(pair for log in logs for pair in log.made.versions)
    return tuple(dict.fromkeys([*now, *theirs]))


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _tokens(outcomes: pl.DataFrame, logs: Sequence[LogAccuracy]) -> int | None:
    """Of whole logs, or else of the rows that tell."""
    whole = _sum([log.made.tokens for log in logs])
    if whole is not None:
        return int(whole)
    told = outcomes["tokens"].drop_nulls()
    return None if told.is_empty() else int(told.sum())


def _wording_seeds(logs: Iterable[str]) -> Iterator[int]:
    """From the variants file that a run keeps beside its logs; nothing where there is none to read."""
    for folder in {Path(log).parent for log in logs}:
        try:
            with (folder / VARIANTS_FILE).open("rb") as file:
                header = orjson.loads(file.readline())
        except (OSError, ValueError):
            continue
        if isinstance(header, dict) and header.get("format") == VARIANTS_FORMAT:
            seed = header.get("seed")
            yield from [seed] if isinstance(seed, int) else []


def _sum(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) if known else None


def _hash(wordings: pl.DataFrame, columns: list[str]) -> str:
    """Of the texts, whatever the order in which they were read; empty where no prompt is known."""
    if wordings.is_empty() or wordings["prompt"].null_count() == wordings.height:
        return ""
    texts = wordings.select(
        pl.concat_str(
            [
                (pl.col(name).list.join("\x1e") if name == "choices" else pl.col(name)).fill_null("\x00")
                for name in columns
            ],
            separator="\x1f",
        )
    ).to_series()
    return hashlib.sha256("\x1d".join(texts.sort()).encode()).hexdigest()[:_SHOWN]


_KEY = ["task", "model", "id", "variant"]


def samples_of(outcomes: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Every run: its score, what happened, what was answered, why it has no score, which tools it called."""
    why = pl.when(pl.col("score").is_null()).then(pl.col("reason"))
    samples = outcomes.select(
        *_KEY, "repeat", "score", "outcome", _said().alias("answer"), why.alias("reason"), "log", "tool_calls"
    )
    called = samples.filter(pl.col("tool_calls").is_not_null())
    if called.is_empty():
        return samples.drop("tool_calls")
    parted = _partings(called)
    samples = samples.join(parted, on=[*_KEY, "repeat"], how="left", maintain_order="left")
    shown = _parting_arguments(samples.filter(pl.col("parts_at").is_not_null()), items)
    return samples.join(shown, on=[*_KEY, "repeat"], how="left", maintain_order="left")


def _partings(called: pl.DataFrame) -> pl.DataFrame:
    """For each run its tools, where it parts from what the original usually does, and which run does that."""
    rows: list[tuple[Any, ...]] = []
    for _, of_item in called.group_by(_KEY[:3], maintain_order=True):
        paths = [read_tool_calls(record) for record in of_item["tool_calls"]]
        keys = of_item.select(*_KEY, "repeat", "log").rows()
        originals = [(path, key) for path, key in zip(paths, keys, strict=True) if key[3] == ORIG]
        usual = usual_path([path for path, _ in originals])
        usual_run = next((key[4:] for path, key in originals if path is usual), (None, None))
        for path, key in zip(paths, keys, strict=True):
            apart = None if usual is None else parting(path, usual)
            told = "" if apart is None else parting_text(apart, is_original=key[3] == ORIG)
            tools = " ".join([*path.names, *([f"+{path.cut}"] if path.cut else [])])
            rows.append((*key[:5], tools, None if usual is None else told, apart and apart.call, *usual_run))
    keys_of = dict(called.select(*_KEY, "repeat").schema)
    told_of = {"tools": pl.String(), "parting": pl.String(), "parts_at": pl.Int64()}
    usual_of = {"usual_repeat": pl.Int64(), "usual_log": pl.String()}
    return pl.DataFrame(rows, schema=keys_of | told_of | usual_of, orient="row")


_ITEMS_READ = 20
"""Items of an agent, the most evident first, of which the arguments where paths part are looked up."""


def _parting_arguments(parted: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Of the items worth reading first: the arguments of the call where a run parts, and the original's."""
    item, key = _KEY[:3], [*_KEY, "repeat"]
    order = {"descending": True, "nulls_last": True, "maintain_order": True}
    ranked = items.sort("probability", "variance", **order).select(item)
    first = (
        ranked.join(parted, on=item, how="semi", maintain_order="left").group_by(item[:2]).head(_ITEMS_READ)
    )
    parted = parted.join(first, on=item, how="semi", maintain_order="left").drop_nulls(["log", "usual_log"])
    wanted: dict[str, set[tuple[str, str, int]]] = {}
    for row in parted.iter_rows(named=True):
        wanted.setdefault(row["log"], set()).add((row["id"], row["variant"], row["repeat"]))
        wanted.setdefault(row["usual_log"], set()).add((row["id"], ORIG, row["usual_repeat"]))
    runs: dict[tuple[str, str, str, int], LoggedRun | None] = {}
    for log, keys in wanted.items():
        asked = sorted(keys)
        runs |= {(log, *one): run for one, run in zip(asked, logged_runs(log, asked), strict=True)}
    rows: list[tuple[Any, ...]] = []
    for row in parted.iter_rows(named=True):
        here = runs[row["log"], row["id"], row["variant"], row["repeat"]]
        there = runs[row["usual_log"], row["id"], ORIG, row["usual_repeat"]]
        if here is not None and there is not None:
            place = row["parts_at"] - 1
            shown = (
                shown_arguments(run.calls[place]) if place < len(run.calls) else "" for run in (here, there)
            )
            rows.append((*(row[name] for name in key), *shown))
    schema = dict(parted.select(key).schema) | {"arguments": pl.String(), "usual_arguments": pl.String()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _said() -> pl.Expr:
    """An option by its own name; else what was said, as the scorer recorded it."""
    return pl.when(pl.col("pred_index").is_null()).then(pl.coalesce("response", "answer")).otherwise("answer")


def cells_of(outcomes: pl.DataFrame) -> pl.DataFrame:
    """One row a model, item and wording: its mean score, its answers and what happened to its repeats."""
    key = _KEY
    rows = outcomes.select(*key, "score", "status", "log", "kind", "change", answer=_said())
    if outcomes["repeat"].n_unique() <= 1:
        return rows.with_columns(n=pl.col("score").is_not_null().cast(pl.Int64))
    counts = (
        rows.group_by([*key, "status"], maintain_order=True)
        .len()
        .group_by(key, maintain_order=True)
        .agg(
            pl.when(pl.len() == 1)
            .then(pl.col("status").first())
            .otherwise(pl.format("{} {}", "status", "len").str.join(", "))
            .alias("status")
        )
    )
    cells = rows.group_by(key, maintain_order=True).agg(
        pl.col("score").mean(),
        pl.col("score").count().alias("n"),
        pl.col("answer").drop_nulls().unique(maintain_order=True).str.join(" | "),
        pl.col("log", "kind", "change").first(),
    )
    return cells.join(counts, on=key, how="left", maintain_order="left")


@dataclass(frozen=True)
class AgainstBaseline:
    """One agent's row of the report, and how each of its items moved."""

    row: BaselineRow
    moved: pl.DataFrame
    """`task`, `model`, `id`, `moved`."""


def against_baseline(
    outcomes: pl.DataFrame, baseline: pl.DataFrame, *, generalize: Generalize | None = None
) -> Iterator[AgainstBaseline]:
    """Each agent that the baseline has too, by its name, or alone on its benchmark on both sides."""
    for task, now in by_task(outcomes):
        before = baseline.filter(pl.col("task") == task)
        names = before["model"].unique().to_list()
        for (model,), mine in now.group_by("model", maintain_order=True):
            alone = len(names) == 1 and now["model"].n_unique() == 1
            wanted = model if model in names else names[0] if alone else None
            if wanted is not None:
                theirs = before.filter(pl.col("model") == wanted)
                yield _against(str(task), str(model), theirs, mine, generalize)


def _against(
    task: str, model: str, before: pl.DataFrame, now: pl.DataFrame, generalize: Generalize | None
) -> AgainstBaseline:
    items = changed_items(before, now)
    found = compare(before, now, metrics=["accuracy"], generalize=generalize).differences
    change = found[0].change if found else Estimate("accuracy", model, None, None, None, 0, 0, 0)
    was_right, is_right = pl.col("score_a") > 0.5, pl.col("score_b") > 0.5
    row = BaselineRow(
        model=model,
        task=task,
        broken=tuple(items.filter(pl.col("change") == BROKEN)["id"]),
        fixed=tuple(items.filter(pl.col("change") == FIXED)["id"]),
        unchanged=items.filter(pl.col("change") == UNCHANGED).height,
        went_wrong=items.filter(was_right & ~is_right).height,
        went_right=items.filter(~was_right & is_right).height,
        change=change,
        p=found[0].p if found else None,
    )
    moved = pl.col("change").replace_strict({BROKEN: -1, FIXED: 1, UNCHANGED: 0}, return_dtype=pl.Int64)
    named = items.select("id", moved=moved).with_columns(task=pl.lit(task), model=pl.lit(model))
    return AgainstBaseline(row, named)
