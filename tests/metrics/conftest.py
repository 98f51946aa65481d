from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest


@pytest.fixture(scope="session")
def table_of() -> Callable[..., pl.DataFrame]:
    """`table_of({"q1": [1, 0]})`: the scores of `orig`, `para1`, … of each item, one repeat each."""

    def build(items: dict[str, list[float | None]], **columns: object) -> pl.DataFrame:
        rows = [
            {"id": item, "variant": "orig" if place == 0 else f"para{place}", "score": score}
            for item, scores in items.items()
            for place, score in enumerate(scores)
        ]
        frame = pl.DataFrame(rows, schema={"id": pl.String, "variant": pl.String, "score": pl.Float64})
        return frame.with_columns(pl.lit(value).alias(name) for name, value in columns.items())

    return build
