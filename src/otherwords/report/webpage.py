"""Report data and figures → the text of `index.html`, and of `texts-N.js` for texts too many for it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.contract import AMBIGUOUS, UNANSWERABLE
from otherwords.core.types import Estimate
from otherwords.core.verdict_text import evidence_lines
from otherwords.report.csv_tables import frame_csv
from otherwords.report.data import AgentRow, ReportData
from otherwords.report.escape import visible
from otherwords.report.figures import Figure, draw_all
from otherwords.report.formats import (
    BANDS,
    METRIC_NAMES,
    SENSITIVITY,
    SENSITIVITY_MEANING,
    band_of,
    interval,
)
from otherwords.report.html_bundle import one_file
from otherwords.report.messages import counts, headlines, size_text
from otherwords.report.text_table import Texts, collect

TEXT_BUDGET = 3_000_000
"""Bytes of wordings and answers that the page itself carries; the most sensitive items come first."""
DRAWN_BY_THE_PAGE = frozenset({"change_costs"})
"""Figures that the page draws itself, for the agent that was chosen."""
NONE = -1
"""In place of a number of a text: there is none."""
Array: TypeAlias = npt.NDArray[Any]


def page_files(
    data: ReportData, figures: Sequence[Figure] | None = None, text_budget: int = TEXT_BUDGET
) -> dict[str, str]:
    """The page, and beside it `texts-1.js` and so on when its texts are more than `text_budget`."""
    drawn = [one for one in figures or draw_all(data) if one.name not in DRAWN_BY_THE_PAGE]
    texts, ranked = _texts(data, text_budget)
    beside = texts.beside()
    content = {
        **_about(data),
        "tasks": [_task(data, task, texts, ranked) for task in data.tasks],
        "agents": [_agent(data, agent, texts, ranked) for agent in data.agents],
        "figures": {one.name: frame_csv(one.table) for one in drawn},
        "strings": texts.in_page(),
        "beside": [start for start, _ in beside],
    }
    inserted = {"figures": "\n".join(_figure(one) for one in drawn)}
    page = one_file("page", title=data.title, data=content, insert=inserted, side_files=bool(beside))
    return {
        "index.html": page,
        **{f"texts-{place}.js": script for place, (_, script) in enumerate(beside, start=1)},
    }


def _figure(figure: Figure) -> str:
    title = html.escape(visible(figure.title))
    buttons = "".join(
        f'<button type="button" data-save="{kind}">{kind.upper()}</button>' for kind in ("png", "svg", "csv")
    )
    return (
        f'<figure id="figure-{figure.name}" data-figure="{figure.name}">'
        f'<h3 class="unseen">{title}</h3>'
        f'<div class="scroll drawing" tabindex="0" role="region" aria-label="{title}">{figure.svg}</div>'
        f'<figcaption class="save" data-what="{title}">{buttons}</figcaption></figure>'
    )


def _about(data: ReportData) -> dict[str, Any]:
    return {
        "title": visible(data.title),
        "level": data.level,
        "public": data.public,
        "notes": [visible(note) for note in data.notes],
        "ranking": [visible(line) for line in headlines(data)],
        "skipped": [[visible(skip.file), visible(skip.reason)] for skip in data.skipped],
        "levels": [[SENSITIVITY[band], meaning, band] for band, meaning in SENSITIVITY_MEANING.items()],
        "audit": _audit(data),
    }


def _audit(data: ReportData) -> dict[str, Any] | None:
    """Robustness with and without ambiguous items, as a table; None when no item is known to be one."""
    if not data.audited:
        return None
    from otherwords.report.audited import audit_sentences, audit_table

    head, rows = audit_table(data)
    return {
        "said": [visible(line) for line in audit_sentences(data)],
        "head": list(head),
        "rows": [[visible(cell) for cell in row] for row in rows],
    }


def _texts(data: ReportData, budget: int) -> tuple[Texts, pl.DataFrame]:
    """All texts, and the items of every benchmark in the order in which they are worth reading."""
    by_item = data.items.group_by("task", "id", maintain_order=True).agg(pl.col("variance").max())
    by_item = by_item.sort("variance", descending=True, nulls_last=True, maintain_order=True)
    seen = pl.concat([by_item.select("task", "id"), data.wordings.select("task", "id")])
    ranked = seen.unique(maintain_order=True).with_row_index("rank")
    names = [ranked["id"], data.cells["status"].unique(maintain_order=True)]
    names.append(data.cells["log"].unique(maintain_order=True))
    asked = data.wordings.join(ranked, on=["task", "id"], maintain_order="left")
    said = data.cells.select("task", "id", "answer").join(ranked, on=["task", "id"], maintain_order="left")
    texts = [
        asked.select(text=pl.col("prompt"), rank="rank"),
        asked.select("rank", text=pl.col("choices")).explode("text"),
        asked.select(text=pl.col("target"), rank="rank"),
        said.select(text=pl.col("answer"), rank="rank"),
    ]
    return collect(names, texts, budget), ranked


def _task(data: ReportData, task: str, texts: Texts, ranked: pl.DataFrame) -> dict[str, Any]:
    """`items`: the numbers of their ids. `asked`: prompt, options and target by variant, then by item."""
    variants = data.variants_of(task)
    items = ranked.filter(pl.col("task") == task).with_row_index("row")
    asked = data.wordings.filter(pl.col("task") == task)
    kind_of = data.kinds_of_variants(task)
    placed = _placed(asked, items, variants).with_columns(
        pl.col("choices").fill_null([]).list.join("\x1f", ignore_nulls=True).alias("options")
    )
    lists = placed.unique("options", maintain_order=True).select("options", "choices").with_row_index("list")
    placed = texts.number(placed, "prompt", "target").join(
        lists.select("options", "list"), on="options", how="left", maintain_order="left"
    )
    shape = (len(variants), items.height)
    numbered = texts.number(lists.select("list", "choices").explode("choices"), "choices")
    options: list[list[int]] = [[] for _ in range(lists.height)]
    for place, number in numbered.select("list", "choices").iter_rows():
        if number is not None:
            options[place].append(number)
    return {
        "name": visible(task),
        "variants": [
            [visible(name), *(visible(text) for text in kind_of.get(name, ("", "")))] for name in variants
        ],
        "items": texts.number(items.select("id"), "id")["id"].to_numpy(),
        "prompt": _grid(placed, "prompt", shape),
        "options": _grid(placed, "list", shape),
        "target": _grid(placed, "target", shape),
        "lists": options,
    }


def _agent(data: ReportData, agent: AgentRow, texts: Texts, ranked: pl.DataFrame) -> dict[str, Any]:
    said, count = agent.verdict, counts(data, agent)
    s_prompt = agent.estimates.get("s_prompt")
    return {
        "name": visible(data.name(agent)),
        "model": visible(agent.model),
        "task": data.tasks.index(agent.task),
        "benchmark": visible(agent.task),
        "headline": visible(said.sentence),
        "numbers": visible("; ".join(evidence_lines(said))),
        "cautions": [visible(caution) for caution in said.cautions],
        "band": band_of(s_prompt.value if s_prompt else None),
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
        "kinds": [_kind(row) for row in data.kinds_of(agent).to_dicts()],
        **_items(data, agent, texts, ranked),
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
    numbers = ("accuracy", "delta", "delta_low", "delta_high", "q")
    return {
        "kind": visible(row["kind"]),
        "change": visible(row["change"]),
        "n": row["n_items"],
        **{name: _number(row[name]) for name in numbers},
    }


def _items(data: ReportData, agent: AgentRow, texts: Texts, ranked: pl.DataFrame) -> dict[str, Any]:
    """Columns with one entry an item, most sensitive first; `cells` with one such column a variant."""
    items = data.items_of(agent).with_row_index("row")
    places = ranked.filter(pl.col("task") == agent.task).select("id").with_row_index("place")
    of_task = items.join(places, on="id", how="left", maintain_order="left")["place"]
    variants = data.variants_of(agent.task)
    cells = _placed(texts.number(data.cells_of(agent), "status", "answer", "log"), items, variants)
    shape = (len(variants), items.height)
    scores = np.full(shape, np.nan)
    scores[cells["column"], cells["row"]] = cells["score"].round(4).fill_null(float("nan"))
    return {
        "items": {
            "item": of_task.to_numpy(),
            "wordings": _column(items["n_variants"].to_numpy()),
            **{
                name: items[column].cast(pl.Float64).round(4).to_numpy()
                for name, column in (
                    ("mean", "mean_score"),
                    ("variance", "variance"),
                    ("s_task", "s_task"),
                    ("gap", "min_max_gap"),
                )
            },
            "band": _column(items["band"].replace_strict(_BANDS, default=NONE).cast(pl.Int64).to_numpy()),
            "rows": _column(items["n_rows"].fill_null(NONE).to_numpy()),
            "missing": _column(items["n_missing"].fill_null(NONE).to_numpy()),
            "audit": _column(items["audit"].replace_strict(_FLAGS, default=NONE).cast(pl.Int64).to_numpy()),
        },
        "cells": {
            "score": list(scores),
            "n": _grid(cells, "n", shape),
            "status": _grid(cells, "status", shape),
            "answer": _grid(cells, "answer", shape),
            "log": _grid(cells, "log", shape),
        },
    }


_FLAGS = {AMBIGUOUS: 0, UNANSWERABLE: 1}
_BANDS = {band: place for place, band in enumerate(BANDS)}


def _placed(frame: pl.DataFrame, items: pl.DataFrame, variants: list[str]) -> pl.DataFrame:
    """`frame` with the `row` of its item and the `column` of its variant."""
    columns = pl.DataFrame(
        {"variant": variants, "column": range(len(variants))},
        schema={"variant": pl.String, "column": pl.Int64},
    )
    return frame.join(items.select("id", "row"), on="id", maintain_order="left").join(
        columns, on="variant", maintain_order="left"
    )


def _grid(frame: pl.DataFrame, column: str, shape: tuple[int, int]) -> Any:
    grid = np.full(shape, NONE, np.int64)
    grid[frame["column"], frame["row"]] = frame[column].fill_null(NONE)
    return _column(grid) if grid.size and (grid == grid.flat[0]).all() else [_column(one) for one in grid]


def _column(values: Array) -> Any:
    """An array, or its one value where all are the same."""
    if len(values) and (values == values.flat[0]).all():
        return {"all": int(values.flat[0])}
    return np.ascontiguousarray(values)


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 4)
