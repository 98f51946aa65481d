"""`index.html`: the report's page and what it is told."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from otherwords.core.types import Estimate
from otherwords.report.data import AgentRow, ReportData, is_uninformative
from otherwords.report.onefile import Strings, one_file
from otherwords.report.text import visible
from otherwords.report.words import (
    BAND_MEANING,
    METRIC_NAMES,
    counts,
    interval,
    size_text,
    verdict,
)

TEXT_BUDGET = 3_000_000
"""Characters of wordings and answers that the page carries; the most sensitive items come first."""


def page_html(data: ReportData, text_budget: int = TEXT_BUDGET) -> str:
    return one_file("page", title=data.title, data=_content(data, text_budget))


def _content(data: ReportData, text_budget: int) -> dict[str, Any]:
    strings = Strings()
    wordings, left_out = _wordings(data, strings, text_budget)
    return {
        "title": visible(data.title),
        "level": data.level,
        "notes": [visible(note) for note in data.notes],
        "skipped": [[visible(skip.file), visible(skip.reason)] for skip in data.skipped],
        "bands": BAND_MEANING,
        "variants": {str(place): _variants(data, task) for place, task in enumerate(data.tasks)},
        "agents": [_agent(data, agent, strings) for agent in data.agents],
        "wordings": wordings,
        "wordings_left_out": left_out,
        "strings": strings.texts,
    }


def _variants(data: ReportData, task: str) -> list[list[str]]:
    kinds = data.wordings.filter(pl.col("task") == task).unique("variant", keep="first", maintain_order=True)
    names = {row["variant"]: (row["kind"], row["change"]) for row in kinds.to_dicts()}
    return [
        [visible(name), *(visible(text) for text in names.get(name, ("", "")))]
        for name in data.variants_of(task)
    ]


def _agent(data: ReportData, agent: AgentRow, strings: Strings) -> dict[str, Any]:
    said, count = verdict(data, agent), counts(data, agent)
    kinds = data.kinds.filter((pl.col("task") == agent.task) & (pl.col("model") == agent.model))
    kinds = kinds.sort("delta", descending=True, nulls_last=True)
    return {
        "name": visible(data.name(agent)),
        "model": visible(agent.model),
        "task": data.tasks.index(agent.task),
        "benchmark": visible(agent.task),
        "headline": visible(said.headline),
        "numbers": visible(said.numbers),
        "cautions": [visible(caution) for caution in said.cautions],
        "band": said.band,
        "floor": _number(data.floor(agent)),
        "size": size_text(data, agent),
        "repeats": agent.repeats,
        "counts": [count.total, count.differ, count.all_right, count.all_wrong],
        "statuses": {visible(status): n for status, n in agent.statuses.items()},
        "estimates": {
            name: _estimate(name, title, agent.estimates[name])
            for name, title in METRIC_NAMES.items()
            if name in agent.estimates
        },
        "kinds": [_kind(row) for row in kinds.to_dicts()],
        "items": _items(data, agent, strings),
    }


def _estimate(name: str, title: str, estimate: Estimate) -> dict[str, Any]:
    return {
        "title": title,
        "text": interval(name, estimate),
        "value": _number(estimate.value),
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "n": estimate.n_items,
        "missing": estimate.n_missing,
        "reason": visible(estimate.reason),
    }


def _kind(row: dict[str, Any]) -> dict[str, Any]:
    numbers = ("accuracy", "delta", "delta_low", "delta_high")
    return {
        "kind": visible(row["kind"]),
        "change": visible(row["change"]),
        "n": row["n_items"],
        **{name: _number(row[name]) for name in numbers},
    }


def _items(data: ReportData, agent: AgentRow, strings: Strings) -> list[list[Any]]:
    """id, n_variants, mean, variance, s_task, gap, band, uninformative, rows, missing, cells by variant."""
    variants = {name: place for place, name in enumerate(data.variants_of(agent.task))}
    mine = data.cells.filter((pl.col("task") == agent.task) & (pl.col("model") == agent.model))
    cells: dict[str, list[Any]] = {}
    for row in mine.iter_rows(named=True):
        line = cells.setdefault(row["id"], [None] * len(variants))
        texts = (strings.place(row["status"]), strings.place(row["answer"]), strings.place(row["log"]))
        line[variants[row["variant"]]] = [_number(row["score"]), row["n"], *texts]
    return [
        [
            strings.place(row["id"]),
            row["n_variants"],
            *(_number(row[name]) for name in ("mean_score", "variance", "s_task", "min_max_gap")),
            row["band"],
            1 if row["uninformative"] else 0,
            row["n_rows"],
            row["n_missing"],
            cells.get(row["id"], []),
        ]
        for row in data.items_of(agent).with_columns(uninformative=is_uninformative()).iter_rows(named=True)
    ]


def _wordings(data: ReportData, strings: Strings, budget: int) -> tuple[dict[str, Any], int]:
    """`task:id` → by variant: prompt, choices, target. Also, how many items found no room."""
    tasks = {task: place for place, task in enumerate(data.tasks)}
    columns = {task: {name: i for i, name in enumerate(data.variants_of(task))} for task in tasks}
    by_item: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in data.wordings.filter(pl.col("task").is_in(list(tasks))).iter_rows(named=True):
        by_item.setdefault((row["task"], row["id"]), []).append(row)
    ranked = data.items.sort("variance", descending=True, nulls_last=True, maintain_order=True)
    order = dict.fromkeys([*ranked.select("task", "id").iter_rows(), *by_item])
    found: dict[str, Any] = {}
    left_out = 0
    for task, item in order:
        rows = by_item.get((task, item))
        if rows is None:
            continue
        if strings.length > budget:
            left_out += 1
            continue
        line: list[Any] = [None] * len(columns[task])
        for row in rows:
            choices = [strings.place(choice) for choice in row["choices"] or []]
            target = strings.place(row["target"])
            line[columns[task][row["variant"]]] = [strings.place(row["prompt"]), choices, target]
        found[f"{tasks[task]}:{strings.place(item)}"] = line
    return found, left_out


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 4)
