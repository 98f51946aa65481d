"""Everything is made before anything is written: a report is there as a whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

from otherwords.core.files import write_all
from otherwords.report.data import ReportData
from otherwords.report.figures import FIGURES, HISTORY, draw_all
from otherwords.report.markdown import report_markdown
from otherwords.report.pictures import Pictures
from otherwords.report.tables import agent_level_csv, task_level_csv
from otherwords.report.webpage import page_files

_EARLIER = re.compile("|".join([r"texts-\d+\.js", *(rf"{name}\.png" for name in (*FIGURES, *HISTORY))]))
"""Files of a report that not every report has."""


def write_report(data: ReportData, out: str | Path) -> list[Path]:
    """Writes the report's files into the folder `out` and gives their paths, the page first.

    What an earlier report left there and this one does not have is removed: it would not belong to it.
    """
    folder = Path(out)
    figures = draw_all(data)
    with Pictures([figure.svg for figure in figures]) as pictures:
        contents: dict[str, str | bytes] = {
            **page_files(data, figures),
            "sensitivity_report.md": report_markdown(data),
            "task_level_sensitivity.csv": task_level_csv(data),
            "agent_level_sensitivity.csv": agent_level_csv(data),
        }
        drawn = pictures.wait()
    contents |= {f"{figure.name}.png": image for figure, image in zip(figures, drawn, strict=True)}
    written = write_all({folder / name: content for name, content in contents.items()})
    for left in folder.iterdir():
        if left.name not in contents and _EARLIER.fullmatch(left.name):
            left.unlink()
    return written
