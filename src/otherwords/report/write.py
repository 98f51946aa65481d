"""`write_report`: report data → `index.html` with files of long texts, a badge, all files in one folder.

All files are made before the first is written.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from otherwords.core.errors import OtherwordsWarning
from otherwords.core.folders import replacing_folder
from otherwords.core.texts import of_things
from otherwords.core.verdict import CANNOT_TELL, LARGE, NONE_FOUND, SMALL, Effect
from otherwords.report.data import ReportData
from otherwords.report.escape import Html, join, one_file, tag
from otherwords.report.figures import Figure, all_figures, draw_all
from otherwords.report.markdown import report_markdown
from otherwords.report.messages import templates_title
from otherwords.report.page_details import baseline_section, folded_sections, templates_section
from otherwords.report.page_items import packed, page_items
from otherwords.report.page_verdict import agents_section, changes_section, verdict_section
from otherwords.report.svg import FONTS, has_font, pngs_beside, text_width
from otherwords.report.tables import (
    agent_level_csv,
    frame_csv,
    latex_tables,
    outcome_rates_csv,
    task_level_csv,
)
from otherwords.report.trajectories import trajectories_section

TEXT_BUDGET = 3_000_000
"""Bytes of compressed wordings and answers that the page itself carries, the most telling items first."""
NAV = {
    "verdict": "Verdict",
    "agents": "Agents",
    "changes": "What breaks it",
    "templates": "Templates",
    "trajectories": "Tool calls",
    "items": "Items",
    "baseline": "Baseline",
    "figures": "Figures",
    "measures": "All measures",
    "made": "How this was made",
}


def page_files(
    data: ReportData, figures: Sequence[Figure] | None = None, text_budget: int = TEXT_BUDGET
) -> dict[str, str]:
    """The page, and beside it `texts-1.js` and so on when its texts are more than `text_budget`."""
    drawn = list(figures or draw_all(data))
    items = page_items(data)
    packs: list[dict[str, Any]] = []
    beside: dict[str, str] = {}
    left = text_budget
    for pack in items.texts.packs():
        left -= len(pack.packed)
        if left >= 0:
            packs.append({"start": pack.start, "packed": pack.packed})
            continue
        file = f"texts-{len(beside) + 1}.js"
        beside[file] = f'otherwordsTexts({len(packs)},"{pack.packed}");\n'
        packs.append({"start": pack.start, "file": file})
    content = {
        **items.content,
        "packs": packs,
        "figures": {one.name: frame_csv(one.table) for one in drawn},
    }
    insert = {
        "nav": _nav(data),
        "eyebrow": _eyebrow(data),
        "notes": _notes(data),
        "verdict": verdict_section(data),
        "agents": agents_section(data),
        "changes": changes_section(data),
        "templates": templates_section(data),
        "trajectories": trajectories_section(data),
        "items_lead": _items_lead(data),
        "baseline": baseline_section(data),
        "folded": folded_sections(data, drawn),
        "footer": _footer(len(beside)),
    }
    page = one_file("page", title=data.title, data=packed(content), insert=insert, side_files=bool(beside))
    return {"index.html": page, **beside}


def _nav(data: ReportData) -> Html:
    absent = {name for name in ("baseline", "templates", "trajectories") if not getattr(data, name)}
    titles = {**NAV, "templates": templates_title(data)}
    return join(tag("a", title, href=f"#{name}") for name, title in titles.items() if name not in absent)


def _eyebrow(data: ReportData) -> Html:
    made = f" · {data.provenance.made}" if data.provenance is not None else ""
    return join([f"otherwords · robustness report{made}"])


def _notes(data: ReportData) -> Html:
    if not data.notes:
        return Html("")
    return tag("ul", *(tag("li", note) for note in data.notes), id="notes", class_="notes")


def _items_lead(data: ReportData) -> Html:
    known = any(agent.repeats > 1 for agent in data.agents)
    order = (
        "Ordered by the probability that wording matters for the item, not by raw differences, many of "
        "which are run-to-run noise."
        if known
        else "Each wording was run once, so that a difference between wordings may be run-to-run noise; "
        "items are ordered by how far their scores differ."
    )
    return join([f"{order} Keys: j and k for next and previous, / to search."])


def _footer(beside: int) -> Html:
    alone = (
        f"Some texts are in {of_things(beside, 'file')} beside it, texts-1.js and on; keep them together."
        if beside
        else "It is complete by itself."
    )
    return join(
        [
            "Beside this page: sensitivity_report.md, CSV tables, and the figures as files. ",
            f"{alone} It asks nothing of the network.",
        ]
    )


PNG = frozenset({"sensitivity_comparison", "task_sensitivity_distribution", "most_sensitive_tasks"})
"""Figures that are written as PNG files where none are named: the ones that HAL's analysis writes."""
NO_FONT = (
    "This machine has no font to draw the figures' text with, so they are not beside the page as "
    "PNG files. Install one (for example: apt-get install fonts-liberation) and write the report again."
)
_OURS = re.compile(
    "|".join(
        [
            r"index\.html",
            r"sensitivity_report\.md",
            r"(task|agent)_level_sensitivity\.csv",
            r"texts-\d+\.js",
            r"outcome_rates\.csv",
            r"tables\.tex",
            r"badge\.svg",
            *(rf"{name}\.(png|svg)" for name in all_figures()),
        ]
    )
)
"""Files of a report."""


_BADGE_COLOURS: dict[Effect, str] = {
    NONE_FOUND: "#2e7d32",
    SMALL: "#9a6700",
    LARGE: "#b3261e",
    CANNOT_TELL: "#5a6273",
}


def badge_svg(effects: Sequence[Effect]) -> str:
    """What wording does to the agent that suffers most, in a badge.

    `cannot tell` of one agent is more than `none found` of the others: it may hide anything.

    Examples:
        >>> "effect of wording: large" in badge_svg(["none found", "large"])
        True
    """
    order = (LARGE, SMALL, CANNOT_TELL, NONE_FOUND)
    effect = next((one for one in order if one in effects), CANNOT_TELL)
    left, said = "effect of wording", str(effect)
    first, second = (round(text_width(text, 11)) + 14 for text in (left, said))
    middle = first + second / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{first + second}" height="20" role="img" '
        f'aria-label="{left}: {said}"><title>{left}: {said}</title>'
        f'<rect width="{first + second}" height="20" rx="3" fill="{_BADGE_COLOURS[effect]}"/>'
        f'<path d="M3 0h{first - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#3b4252"/>'
        f'<g fill="#fff" text-anchor="middle" font-size="11" font-family="{FONTS}">'
        f'<text x="{first / 2:g}" y="14">{left}</text><text x="{middle:g}" y="14">{said}</text></g></svg>\n'
    )


def write_report(
    data: ReportData,
    out: str | Path,
    *,
    png: Collection[str] = PNG,
    latex: bool = False,
    badge: bool = False,
    before_swap: Callable[[Path, Sequence[Path]], object] | None = None,
) -> list[Path]:
    """Writes the files of a report into a folder, which takes the place of an earlier one as a whole.

    What an earlier report left there and this one does not have is removed: it would not belong to it. All
    other files in the folder stay.

    Args:
        data: what the report is about.
        out: the folder; it is made if it is not there.
        png: names of the figures that are written as PNG files too; all are written as SVG.
        latex: also `tables.tex`, the tables for a paper.
        badge: also `badge.svg`, which says in two words what wording does, for a README.
        before_swap: called with the new folder and its files just before it takes its place.

    Returns:
        The paths of the files, the page first. On a machine without any font the PNG files are left out;
        a warning and a note in the report say so.
    """
    folder = Path(out)
    drawable = bool(png) and has_font()
    if png and not drawable:
        warnings.warn(NO_FONT, OtherwordsWarning, stacklevel=2)
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
    if badge:
        contents["badge.svg"] = badge_svg([agent.verdict.effect for agent in data.agents])
    with replacing_folder(folder, is_report_file) as staged:
        for name, content in contents.items():
            (staged / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        if before_swap is not None:
            before_swap(staged, [staged / name for name in contents])
    return [folder / name for name in contents]


def is_report_file(name: str) -> bool:
    """Whether a report may have a file of this name."""
    return _OURS.fullmatch(name) is not None
