"""The benchmarks that are known by name: where their prompt is, what they need, how they are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names
from otherwords.runs.benchmarks.catalogue import BENCHMARKS, Benchmark, find_benchmark
from otherwords.runs.benchmarks.load import Missing, missing_here

if TYPE_CHECKING:
    from otherwords.runs.benchmarks.load import load_benchmark

__all__ = ["BENCHMARKS", "Benchmark", "Missing", "find_benchmark", "load_benchmark", "missing_here"]

__getattr__, __dir__ = lazy_names(__name__, {"load_benchmark": "otherwords.runs.benchmarks.load"})
