from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def benchmark_script() -> Callable[[str], ModuleType]:
    """A script of `benchmarks/` by its name, as a module."""

    def load(name: str) -> ModuleType:
        if str(BENCHMARKS) not in sys.path:
            sys.path.append(str(BENCHMARKS))
        return import_module(name)

    return load


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
