"""Two runs compared → the leading sentence, items broken and fixed, an HTML page; computes no numbers."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from otherwords.core.contract import SAME_RUNS
from otherwords.core.texts import of_things, p_number, p_text, percent, point_number, points
from otherwords.core.types import Estimate
from otherwords.report.escape import one_file, one_line
from otherwords.report.formats import AS_PERCENT, AS_POINTS, METRIC_NAMES, interval

FOUND = 0.05
"""The largest p at which a difference is said to be one."""
_SHOWN = 200
CHANGE = "change"
CHANGE_NOTE = "Changes of percentages are in points."
P_NOTE = (
    "p: that nothing changed. Of twenty measures that did not change, one is below .05 by chance; the first "
    "sentence rests on what rewording costs alone."
)


@dataclass(frozen=True)
class Compared:
    """One measure on both sides."""

    metric: str
    a: Estimate
    b: Estimate
    change: Estimate
    p: float | None

    @property
    def name(self) -> str:
        return METRIC_NAMES.get(self.metric, self.metric.replace("_", " "))

    @property
    def said(self) -> bool:
        """An outcome that neither side has is not shown, nor what neither side could compute."""
        if self.metric.endswith("_rate"):
            return bool(self.a.value) or bool(self.b.value)
        return self.a.value is not None or self.b.value is not None

    @property
    def change_text(self) -> str:
        """In points where both sides are percentages: a difference of those is no percentage."""
        change = self.change
        if change.value is None or self.metric not in AS_PERCENT | AS_POINTS:
            return interval(self.metric, change)
        if change.low is None or change.high is None:
            return point_number(change.value)
        return f"{point_number(change.value)} ({point_number(change.low)} to {point_number(change.high)})"


def comparison_sentence(a: str, b: str, found: Sequence[Compared], n_items: int) -> str:
    """What rewording costs the second side against the first; accuracy where that is not known."""
    by_name = {one.metric: one for one in found}
    loss, accuracy = by_name.get("delta_accuracy"), by_name.get("accuracy")
    n = f"n = {of_things(n_items, 'item')}"
    if any(one.change.reason == SAME_RUNS for one in found):
        return f"Nothing to compare: {a} and {b} are the same runs; {n}."
    if loss is not None and loss.change.value is not None:
        return f"{_less(a, b, loss, 'loses', 'under rewording', down=True)}; {n}."
    if accuracy is not None and accuracy.change.value is not None:
        return f"{_less(a, b, accuracy, 'scores', '', down=False)}; {n}."
    return f"{b} and {a} cannot be compared: no item and wording has a score on both sides."


def _less(a: str, b: str, one: Compared, verb: str, where: str, *, down: bool) -> str:
    change, low, high = one.change.value or 0.0, one.change.low, one.change.high
    fewer = change < 0
    word = ("less" if fewer else "more") if down else ("lower" if fewer else "higher")
    ends = ""
    if low is not None and high is not None:
        near, far = (-high, -low) if fewer else (low, high)
        ends = f" ({point_number(near)} to {point_number(far)})"
    under = f" {where}" if where else ""
    if point_number(change) == "0":
        between = (
            f" ({point_number(low)} to {points(high)} more)" if low is not None and high is not None else ""
        )
        said = f"{b} {verb} as much{under} as {a}{between}, {p_text(one.p)}"
    else:
        said = f"{b} {verb} {points(abs(change))} {word}{under} than {a}{ends}, {p_text(one.p)}"
    if one.p is not None and one.p <= FOUND:
        return said
    return f"No difference found in what rewording costs: {said}" if down else f"No difference found: {said}"


def changed_line(items: pl.DataFrame) -> str:
    """How many items broke, were fixed, or stayed."""
    counts = dict(items.group_by("change").len().iter_rows())
    broken, fixed, same = (int(counts.get(name, 0)) for name in ("broken", "fixed", "unchanged"))
    return (
        f"{of_things(broken, 'item')} broke, {of_things(fixed, 'item')} were fixed, "
        f"{of_things(same, 'item')} without a known change"
    )


def comparison_page(
    a: str, b: str, found: Sequence[Compared], items: pl.DataFrame, n_items: int, notes: Sequence[str]
) -> str:
    """The whole page; every text of a file is escaped."""
    rows = [
        [one.name, interval(one.metric, one.a), interval(one.metric, one.b), one.change_text, p_number(one.p)]
        for one in found
        if one.said
    ]
    sections = [page_section("Measures", "", _table(["", a, b, CHANGE, "p"], rows))]
    for change, title in (("broken", "Items that broke"), ("fixed", "Items that were fixed")):
        some = items.filter(pl.col("change") == change)
        listed = [
            [row["id"], percent(row["score_a"]), percent(row["score_b"]), percent(row["probability"])]
            for row in some.head(_SHOWN).iter_rows(named=True)
        ]
        more = f" The first {_SHOWN} of {some.height:,}." if some.height > _SHOWN else ""
        lead = f"More likely than not scored otherwise, over all wordings that both have.{more}"
        table = _table(["item", a, b, "probability"], listed) if listed else '<p class="quiet">None.</p>'
        sections.append(page_section(title, lead if listed else "", table))
    footer = "".join(f"<p>{_safe(note)}</p>" for note in (CHANGE_NOTE, P_NOTE, *notes))
    return one_file(
        "comparison",
        title=f"{b} against {a}",
        data=None,
        insert={
            "eyebrow": "comparison of two runs",
            "sentence": _safe(comparison_sentence(a, b, found, n_items)),
            "about": _safe(f"{changed_line(items)}."),
            "body": "\n".join(sections),
            "footer": footer,
        },
    )


def page_section(title: str, lead: str, content: str) -> str:
    """A section of a page; `content` is HTML already."""
    said = f'<p class="lead">{_safe(lead)}</p>' if lead else ""
    return f"<section><h2>{_safe(title)}</h2>{said}{content}</section>"


def html_table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; each row opens with its heading."""
    first = "".join(f'<th scope="col">{_safe(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{_safe(name)}</th>{"".join(f"<td>{_safe(text)}</td>" for text in cells)}</tr>'
        for name, *cells in rows
    )
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    shown = html_table(head, rows)
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Table">{shown}</div>'


def _safe(text: str) -> str:
    return html.escape(one_line(text))
