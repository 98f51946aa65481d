"""A page's texts, each once and referred to by number; what does not fit goes into files beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from otherwords.report.escape import visible
from otherwords.report.html_bundle import safe_json

CHUNK = 2_000_000
"""Bytes of a file beside the page, about."""


@dataclass(frozen=True)
class Texts:
    """Each text once, numbered, the first ones in the page and the others in files beside it."""

    numbers: pl.DataFrame
    """`text`, as it was given, and its `number`."""
    shown: pl.Series
    """By number, as it is seen."""
    inline: int
    """So many are in the page itself, the first ones."""

    def number(self, frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
        """`frame` with the numbers of texts in place of the texts; null stays null."""
        for column in columns:
            numbers = self.numbers.rename({"text": column, "number": "_number"})
            frame = frame.join(numbers, on=column, how="left", maintain_order="left")
            frame = frame.with_columns(pl.col("_number").alias(column)).drop("_number")
        return frame

    def in_page(self) -> list[str]:
        return self.shown[: self.inline].to_list()

    def beside(self) -> list[tuple[int, str]]:
        """For each file beside the page: the number of its first text, and what is in it."""
        rest = self.shown[self.inline :]
        if rest.is_empty():
            return []
        file_of = (rest.str.len_bytes().cast(pl.Int64).cum_sum() // CHUNK).to_list()
        found: list[tuple[int, str]] = []
        start = 0
        for place in range(1, len(file_of) + 1):
            if place == len(file_of) or file_of[place] != file_of[start]:
                texts = safe_json(rest[start:place].to_list())
                found.append((self.inline + start, f"otherwordsTexts({len(found)},{texts});\n"))
                start = place
        return found


def collect(names: Iterable[pl.Series], texts: Iterable[pl.DataFrame], budget: int) -> Texts:
    """`names` are always in the page. `texts` have a `rank`: the lowest come first, until `budget` bytes."""
    frames = [one.cast(pl.String).alias("text").to_frame().with_columns(rank=pl.lit(-1)) for one in names]
    frames = [one.with_columns(pl.col("rank").cast(pl.Int64)) for one in frames]
    frames += [one.select(pl.col("text").cast(pl.String), pl.col("rank").cast(pl.Int64)) for one in texts]
    unique = (
        pl.concat([pl.DataFrame(schema={"text": pl.String, "rank": pl.Int64}), *frames])
        .drop_nulls("text")
        .group_by("text", maintain_order=True)
        .agg(pl.col("rank").min())
        .sort("rank", maintain_order=True)
    )
    shown = pl.Series(
        [text if text.isascii() and text.isprintable() else visible(text) for text in unique["text"]],
        dtype=pl.String,
    )
    # In JSON a line break or a quotation mark takes two bytes, and what could end the element takes six.
    size = shown.str.len_bytes() + 3
    if size.sum() > budget / 6:
        size += shown.str.count_matches(r'["\\\n\t]') + 5 * shown.str.count_matches("[<>&]")
    fits = (unique["rank"] < 0) | (size.cast(pl.Int64).cum_sum() <= budget)
    numbers = unique.select("text").with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    return Texts(numbers, shown, int(fits.sum()))
