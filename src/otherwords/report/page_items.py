"""Report data → what the page's script shows of items: columns of numbers, and compressed texts."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson
import polars as pl

from otherwords.core.contract import AMBIGUOUS, OUTCOMES, UNANSWERABLE
from otherwords.core.texts import outcome_name
from otherwords.core.wording_names import kind_name, wording_name
from otherwords.report.data import AgentRow, ReportData
from otherwords.report.escape import visible
from otherwords.report.page_verdict import by_severity

NONE = -1
"""In place of a number of a text: there is none."""
SCORE_UNIT = 10_000
"""A run's score is a whole number of these parts of one, and `NONE` without a score."""
NOT_INSPECT, OF_ITEMS, OF_WORDINGS = 0, 1, 2
"""Whether a file is an Inspect log, and whose ids its samples have."""
Array: TypeAlias = npt.NDArray[Any]
_RUN_TEXTS = ("answer", "reason", "tools", "parting", "arguments", "usual_arguments")
"""Columns of runs that are texts."""
_FLAGS = {AMBIGUOUS: 0, UNANSWERABLE: 1}
_OUTCOMES = {outcome: place for place, outcome in enumerate(OUTCOMES)}


@dataclass(frozen=True)
class PageItems:
    """The content of the page's data, and the texts that it refers to by number."""

    content: dict[str, Any]
    texts: Texts


def page_items(data: ReportData) -> PageItems:
    """Everything that the item list and the panel of one item show."""
    ranked = _ranked(data)
    texts = _texts(data, ranked)
    logs = data.samples["log"].unique(maintain_order=True).drop_nulls().to_list()
    sample_ids = {log.log: OF_WORDINGS if log.names_wordings else OF_ITEMS for log in data.logs}
    worst, _ = by_severity(data)[0]
    content = {
        "first": data.agents.index(worst),
        "public": data.public,
        "outcomes": [outcome_name(outcome) for outcome in OUTCOMES],
        "lognames": [visible(log) for log in logs],
        "samples": [sample_ids.get(log, NOT_INSPECT) for log in logs],
        "tasks": [_task(data, task, texts, ranked) for task in data.tasks],
        "agents": [_agent(data, agent, texts, ranked, logs) for agent in data.agents],
    }
    return PageItems(content, texts)


def _ranked(data: ReportData) -> pl.DataFrame:
    """The items of every benchmark in the order in which they are worth reading."""
    order = ["probability", "variance"]
    by_item = data.items.group_by("task", "id", maintain_order=True).agg(pl.col(order).max())
    by_item = by_item.sort(order, descending=True, nulls_last=True, maintain_order=True)
    seen = pl.concat([by_item.select("task", "id"), data.wordings.select("task", "id")])
    return seen.unique(maintain_order=True).with_row_index("rank")


def _texts(data: ReportData, ranked: pl.DataFrame) -> Texts:
    asked = data.wordings.join(ranked, on=["task", "id"], maintain_order="left")
    said = data.samples.select("task", "id", *_RUN_TEXTS).join(
        ranked, on=["task", "id"], maintain_order="left"
    )
    return collect(
        [
            asked.select(text=pl.col("prompt"), rank="rank"),
            asked.select("rank", text=pl.col("choices")).explode("text"),
            asked.select(text=pl.col("target"), rank="rank"),
            *(said.select(text=pl.col(name), rank="rank") for name in _RUN_TEXTS),
        ]
    )


def _task(data: ReportData, task: str, texts: Texts, ranked: pl.DataFrame) -> dict[str, Any]:
    """`ids` by item; the numbers of prompts, lists of options and targets by variant, then by item."""
    variants = data.variants_of(task)
    items = ranked.filter(pl.col("task") == task).with_row_index("row")
    asked = data.wordings.filter(pl.col("task") == task)
    placed = _placed(asked, items, variants).with_columns(
        pl.col("choices").fill_null([]).list.join("\x1f", ignore_nulls=True).alias("options")
    )
    lists = placed.unique("options", maintain_order=True).select("options", "choices").with_row_index("list")
    placed = texts.number(placed, "prompt", "target").join(
        lists.select("options", "list"), on="options", how="left", maintain_order="left"
    )
    shape = (len(variants), items.height)
    kinds, kind_of = _kinds(data, task, items, variants)
    numbered = texts.number(lists.select("list", "choices").explode("choices"), "choices")
    options: list[list[int]] = [[] for _ in range(lists.height)]
    for place, number in numbered.select("list", "choices").iter_rows():
        if number is not None:
            options[place].append(number)
    return {
        "name": visible(task),
        "variants": [visible(name) for name in variants],
        "kinds": kinds,
        "kind": kind_of,
        "ids": [visible(id_) for id_ in items["id"]],
        "prompt": _grid(placed, "prompt", shape),
        "options": _grid(placed, "list", shape),
        "target": _grid(placed, "target", shape),
        "lists": options,
    }


def _kinds(data: ReportData, task: str, items: pl.DataFrame, variants: list[str]) -> tuple[Any, Any]:
    """Each kind, by itself and with its change; and which of them each wording of each item is.

    Not all `para1` are alike.
    """
    frames = [
        frame.filter(pl.col("task") == task).select("id", "variant", "kind", "change")
        for frame in (data.wordings, data.cells)
    ]
    told = pl.concat(frames).drop_nulls("kind").with_columns(pl.col("change").fill_null(""))
    told = told.unique(["id", "variant"], keep="first", maintain_order=True)
    each = told.select("kind", "change").unique(maintain_order=True).with_row_index("number")
    placed = _placed(told.join(each, on=["kind", "change"], maintain_order="left"), items, variants)
    names = [
        [visible(kind_name(kind)), visible(wording_name(kind, change))]
        for kind, change in each.select("kind", "change").iter_rows()
    ]
    return names, _grid(placed, "number", (len(variants), items.height))


def _agent(
    data: ReportData, agent: AgentRow, texts: Texts, ranked: pl.DataFrame, logs: list[str]
) -> dict[str, Any]:
    """Columns with one entry an item, the most evident first; grids with one such column a variant."""
    items = data.items_of(agent).with_row_index("row")
    places = ranked.filter(pl.col("task") == agent.task).select("id").with_row_index("place")
    of_task = items.join(places, on="id", how="left", maintain_order="left")["place"]
    variants = data.variants_of(agent.task)
    cells = _placed(data.cells_of(agent), items, variants)
    scores = np.full((len(variants), items.height), np.nan)
    scores[cells["column"], cells["row"]] = cells["score"].round(4).fill_null(float("nan"))
    moved, missing = (items[name].fill_null(0) for name in ("moved", "n_missing"))
    return {
        "name": visible(data.name(agent)),
        "model": visible(agent.model),
        "task": data.tasks.index(agent.task),
        "repeats": max(agent.repeats, 1),
        "open": _opened(items),
        "items": {
            "item": of_task.to_numpy(),
            "probability": items["probability"].round(4).to_numpy(),
            "mean": items["mean_score"].round(4).to_numpy(),
            "rows": _column((items["n_rows"] + missing).fill_null(NONE).to_numpy()),  # all that were asked
            "missing": _column(missing.to_numpy()),
            "audit": _column(items["audit"].replace_strict(_FLAGS, default=NONE).cast(pl.Int64).to_numpy()),
            "moved": _column(moved.to_numpy()),
        },
        "scores": list(scores),
        "runs": _runs(data, agent, texts, items, logs),
    }


def _opened(items: pl.DataFrame) -> int:
    """The place of the item that shows best what the verdict says: the most lost under the worst change."""
    if items["worst_loss"].is_null().all():
        return 0
    best = items.sort("worst_loss", "probability", descending=True, nulls_last=True, maintain_order=True)
    return int(best["row"][0])


def _runs(
    data: ReportData, agent: AgentRow, texts: Texts, items: pl.DataFrame, logs: list[str]
) -> dict[str, Any]:
    """By variant, then by item and repeat: score, outcome, answer, reason, log, tools and where they part."""
    variants, repeats = data.variants_of(agent.task), max(agent.repeats, 1)
    log_places = {log: place for place, log in enumerate(logs)}
    runs = texts.number(data.samples_of(agent), *_RUN_TEXTS).with_columns(
        (pl.col("score") * SCORE_UNIT).round().cast(pl.Int64),
        pl.col("outcome").replace_strict(_OUTCOMES, default=0, return_dtype=pl.Int64),
        pl.col("log").replace_strict(log_places, default=NONE, return_dtype=pl.Int64),
        repeat=pl.col("repeat").rank("dense").cast(pl.Int64) - 1,
    )
    runs = _placed(runs, items, variants)
    runs = runs.with_columns(row=pl.col("row").cast(pl.Int64) * repeats + pl.col("repeat"))
    shape = (len(variants), items.height * repeats)
    return {name: _grid(runs, name, shape) for name in ("score", "outcome", "log", "parts_at", *_RUN_TEXTS)}


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


PACK = 4_000_000
"""Bytes of text in a pack, about, before they are compressed."""
LEVEL = 5
"""Of compression; 6 takes twice as long for a twentieth less."""


@dataclass(frozen=True)
class Pack:
    """Some of the texts, in order."""

    start: int
    """The number of the first."""
    packed: str


@dataclass(frozen=True)
class Texts:
    """Each text once, numbered."""

    numbers: pl.DataFrame
    """`text`, as it was given, and its `number`."""
    shown: pl.Series
    """By number, as it is seen."""

    def number(self, frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
        """`frame` with the numbers of texts in place of the texts; null stays null."""
        for column in columns:
            numbers = self.numbers.rename({"text": column, "number": "_number"})
            frame = frame.join(numbers, on=column, how="left", maintain_order="left")
            frame = frame.with_columns(pl.col("_number").alias(column)).drop("_number")
        return frame

    def packs(self) -> Iterator[Pack]:
        """All texts, in packs of about the same size."""
        if self.shown.is_empty():
            return
        pack_of = (self.shown.str.len_bytes().cast(pl.Int64).cum_sum() // PACK).to_list()
        start = 0
        for place in range(1, len(pack_of) + 1):
            if place == len(pack_of) or pack_of[place] != pack_of[start]:
                yield Pack(start, packed(self.shown[start:place].to_list()))
                start = place


def packed(content: Any) -> str:
    """JSON, compressed, in base64: no text in it can close the element that holds it."""
    raw = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    return base64.b64encode(gzip.compress(raw, LEVEL, mtime=0)).decode("ascii")


def collect(texts: Iterable[pl.DataFrame]) -> Texts:
    """From frames with the columns `text` and `rank`, those of the lowest rank first.

    Texts of one rank, such as the wordings of one item, are next to each other, where they compress best.
    """
    frames = [one.select(pl.col("text").cast(pl.String), pl.col("rank").cast(pl.Int64)) for one in texts]
    unique = (
        pl.concat([pl.DataFrame(schema={"text": pl.String, "rank": pl.Int64}), *frames])
        .drop_nulls("text")
        .group_by("text", maintain_order=True)
        .agg(pl.col("rank").min())
        .sort("rank", maintain_order=True)
    )
    shown = pl.Series([visible(text) for text in unique["text"]], dtype=pl.String)
    numbers = unique.select("text").with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    return Texts(numbers, shown)
