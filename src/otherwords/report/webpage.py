"""Report data and figures → `index.html`, and beside it files of the texts that are too many for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherwords.core.texts import of_things
from otherwords.report.data import ReportData
from otherwords.report.escape import Html, join, one_file, tag
from otherwords.report.figures import Figure, draw_all
from otherwords.report.messages import templates_title
from otherwords.report.page_details import baseline_section, folded_sections, templates_section
from otherwords.report.page_items import packed, page_items
from otherwords.report.page_verdict import agents_section, changes_section, verdict_section
from otherwords.report.tables import frame_csv

TEXT_BUDGET = 3_000_000
"""Bytes of compressed wordings and answers that the page itself carries, the most telling items first."""
NAV = {
    "verdict": "Verdict",
    "agents": "Agents",
    "changes": "What breaks it",
    "templates": "Templates",
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
        "items_lead": _items_lead(data),
        "baseline": baseline_section(data),
        "folded": folded_sections(data, drawn),
        "footer": _footer(len(beside)),
    }
    page = one_file("page", title=data.title, data=packed(content), insert=insert, side_files=bool(beside))
    return {"index.html": page, **beside}


def _nav(data: ReportData) -> Html:
    absent = {name for name in ("baseline", "templates") if not getattr(data, name)}
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
