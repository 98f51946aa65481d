"""Silences what polars prints to standard error when it reads a damaged Parquet file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Discards what the process writes to standard error within the block; errors are still raised.

    polars is written in Rust, which prints a panic to the terminal before Python raises it.
    """
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):  # there is no standard error
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
