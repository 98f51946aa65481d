"""A page's texts, each once and referred to by number, in compressed packs: within the page, or beside it."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from otherwords.report.escape import visible

PACK = 4_000_000
"""Bytes of text in a pack, about, before they are compressed."""
LEVEL = 6


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
