"""Exports of the readers (Inspect, HAL, lm-eval, promptfoo, tables → one outcome table) and its writers."""

from __future__ import annotations

from otherwords.results.hal_upload import write_hal_upload
from otherwords.results.inspect_logs import read_inspect_runs
from otherwords.results.load import READERS, inspect_accuracy, load_all_results, read_measured, read_results
from otherwords.results.reader import (
    LogAccuracy,
    Peek,
    Reader,
    ReadOptions,
    ResultFile,
    Results,
    SkippedFile,
)
from otherwords.results.tables import readable_only, write_csv, write_parquet
from otherwords.results.trajectories import LoggedRun, logged_runs, shown_arguments, with_logged_calls

__all__ = [
    "READERS",
    "LogAccuracy",
    "LoggedRun",
    "Peek",
    "ReadOptions",
    "Reader",
    "ResultFile",
    "Results",
    "SkippedFile",
    "inspect_accuracy",
    "load_all_results",
    "logged_runs",
    "read_inspect_runs",
    "read_measured",
    "read_results",
    "readable_only",
    "shown_arguments",
    "with_logged_calls",
    "write_csv",
    "write_hal_upload",
    "write_parquet",
]
