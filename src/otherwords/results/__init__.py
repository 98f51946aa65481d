"""Result files of any known kind, read into the one outcome table."""

from __future__ import annotations

from otherwords.results.read import READERS, load_all_results, read_results
from otherwords.results.types import Reader, Results, SkippedFile

__all__ = ["READERS", "Reader", "Results", "SkippedFile", "load_all_results", "read_results"]
