"""Tables for hypothesis: a string of bytes, eight to a row, so that thousands are made in no time."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import strategies as st

KINDS = {
    "orig": "orig",
    "p1": "paraphrase",
    "p2": "paraphrase",
    "p3": "format",
    "p4": "",
    "control:c": "control",
    "fault:f": "fault",
}
VARIANTS = ["orig", *KINDS]
SCORES = [1.0, 0.0, 1.0, 0.0, 0.25, 0.5, None]
STATUSES = ["scored", "scored", "scored", "scored", None, "unscored", "error", "limit", "missing"]
SCHEMA = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "kind": pl.String,
    "change": pl.String,
    "repeat": pl.Int64,
    "status": pl.String,
    "score": pl.Float64,
    "correct": pl.Boolean,
    "answer": pl.String,
    "pred_index": pl.Int64,
    "reason": pl.String,
}
BYTES_A_ROW = 8


def pick(choices, byte):  # type: ignore[no-untyped-def]
    return choices[byte % len(choices)]


def rows_of(data: bytes) -> list[tuple[Any, ...]]:
    """The first byte settles what the table has at all: one model or two, one repeat or several, answers."""
    shape = data[0] if data else 0
    models, repeats = 1 + (shape & 1), 1 + (shape >> 1 & 3)
    rows = {}
    for start in range(1, len(data) - BYTES_A_ROW + 1, BYTES_A_ROW):
        a, b, c, d, e, f, g, h = data[start : start + BYTES_A_ROW]
        variant = pick(VARIANTS, b)
        key = (pick(["t1", "pkg/t2"], a >> 6), f"m{a % models}", f"q{(a >> 1) % 6}", variant, 1 + c % repeats)
        rows[key] = (
            *key[:4],
            KINDS[variant],
            f"change {b % 2}" if shape & 8 else None,
            key[4],
            pick(STATUSES, d),
            pick(SCORES, e),
            pick([None, True, False], f),
            None if shape & 16 else pick(["x", "y", "", None], g),
            None if shape & 32 else pick([0, 1, 2, None, None], h),
            pick(["format", "timeout", None], d >> 4),
        )
    return list(rows.values())


def table_of_bytes(data: bytes) -> pl.DataFrame:
    return pl.DataFrame(rows_of(data), schema=SCHEMA, orient="row")


def together(batch: list[bytes]) -> pl.DataFrame:
    """Many tables as one, each as a model of its own, since metrics are computed model by model."""
    rows = [
        (task, f"m{number}", *rest)
        for number, data in enumerate(batch)
        for task, _, *rest in rows_of(bytes([data[0] & ~1]) + data[1:])
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def bytes_for(n_rows: int) -> st.SearchStrategy[bytes]:
    size = 1 + n_rows * BYTES_A_ROW
    return st.binary(min_size=size, max_size=size)


BYTES = st.sampled_from([0, 1, 2, 5, 10, 20, 30, 40]).flatmap(bytes_for)
TABLES = BYTES.map(table_of_bytes)
IN_BATCH = 20
BATCHES = st.lists(BYTES, min_size=IN_BATCH, max_size=IN_BATCH).map(together)
