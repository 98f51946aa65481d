"""Result files of any known kind, read into the one outcome table."""

from __future__ import annotations

from otherwords.results.files import Peek, ResultFile
from otherwords.results.hal_out import write_hal_upload
from otherwords.results.read import READERS, load_all_results, read_results
from otherwords.results.types import Reader, ReadOptions, Results, SkippedFile

__all__ = [
    "READERS",
    "Peek",
    "ReadOptions",
    "Reader",
    "ResultFile",
    "Results",
    "SkippedFile",
    "load_all_results",
    "read_results",
    "write_hal_upload",
]
