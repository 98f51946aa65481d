"""Report data → the files of a report in one folder; all are made before the first is written."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from otherwords.core.files import write_all
from otherwords.report.data import ReportData
from otherwords.report.figures import all_figures, draw_all
from otherwords.report.markdown import report_markdown
from otherwords.report.svg import has_font, pngs_beside
from otherwords.report.tables import agent_level_csv, latex_tables, outcome_rates_csv, task_level_csv
from otherwords.report.webpage import page_files

PNG = frozenset({"sensitivity_comparison", "task_sensitivity_distribution", "most_sensitive_tasks"})
"""Figures that are written as PNG files where none are named: the ones that HAL's analysis writes."""
NO_FONT = (
    "This machine has no font to draw the figures' text with, so they are not beside the page as "
    "PNG files. Install one (for example: apt-get install fonts-liberation) and write the report again."
)
_EARLIER = re.compile(
    "|".join(
        [
            r"texts-\d+\.js",
            r"outcome_rates\.csv",
            r"tables\.tex",
            *(rf"{name}\.(png|svg)" for name in all_figures()),
        ]
    )
)
"""Files of a report that not every report has."""


def write_report(
    data: ReportData, out: str | Path, *, png: Collection[str] = PNG, latex: bool = False
) -> list[Path]:
    """Writes the files of a report into a folder.

    What an earlier report left there and this one does not have is removed: it would not belong to it.

    Args:
        data: what the report is about.
        out: the folder; it is made if it is not there.
        png: names of the figures that are written as PNG files too; all are written as SVG.
        latex: also `tables.tex`, the tables for a paper.

    Returns:
        The paths of the files, the page first. On a machine without any font the PNG files are left out;
        a warning and a note in the report say so.
    """
    folder = Path(out)
    drawable = bool(png) and has_font()
    if png and not drawable:
        warnings.warn(NO_FONT, stacklevel=2)
        data = replace(data, notes=(*data.notes, NO_FONT))
    figures = draw_all(data)
    images = pngs_beside({f"{one.name}.png": one.svg for one in figures if drawable and one.name in png})
    contents: dict[str, str | bytes] = {
        **page_files(data, figures),
        "sensitivity_report.md": report_markdown(data),
        "task_level_sensitivity.csv": task_level_csv(data),
        "agent_level_sensitivity.csv": agent_level_csv(data),
    }
    if not data.outcome_rates.is_empty():
        contents["outcome_rates.csv"] = outcome_rates_csv(data)
    contents |= {f"{figure.name}.svg": figure.svg for figure in figures}
    contents |= images()
    if latex:
        contents["tables.tex"] = latex_tables(data)
    written = write_all({folder / name: content for name, content in contents.items()})
    for left in folder.iterdir():
        if left.name not in contents and _EARLIER.fullmatch(left.name):
            left.unlink()
    return written
