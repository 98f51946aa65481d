"""Everything is made before anything is written: a report is there as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

from otherwords.core.files import write_whole
from otherwords.report.data import ReportData
from otherwords.report.figures import FIGURES
from otherwords.report.markdown import report_markdown
from otherwords.report.tables import agent_level_csv, task_level_csv
from otherwords.report.theme import png
from otherwords.report.webpage import page_html


def write_report(data: ReportData, out: str | Path) -> list[Path]:
    """Writes the report's files into the folder `out` and gives their paths, the page first."""
    contents: dict[str, str | bytes] = {
        "index.html": page_html(data),
        "sensitivity_report.md": report_markdown(data),
        "task_level_sensitivity.csv": task_level_csv(data),
        "agent_level_sensitivity.csv": agent_level_csv(data),
    }
    contents |= {name: png(draw(data)) for name, draw in FIGURES.items()}
    return [write_whole(Path(out) / name, content) for name, content in contents.items()]
