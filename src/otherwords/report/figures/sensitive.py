"""`most_sensitive_tasks.png`: the items that wording moves most, with their score under every wording."""

from __future__ import annotations

from typing import Any

import polars as pl

from otherwords.report.data import AgentRow, ReportData, differs
from otherwords.report.figures.shared import MOST_PANELS, PANEL_WIDTH, chart_of, figure_title
from otherwords.report.text import short_labels
from otherwords.report.theme import ABSENT, INK, MIDDLE, QUIET, RIGHT, VARIES, WRONG
from otherwords.report.words import items_, repeats_text, wordings_text

MOST_ITEMS, MOST_VARIANTS = 10, 16


def sensitive(data: ReportData) -> Any:
    """Each agent's most sensitive items: their variance, and the score under every wording."""
    import altair as alt

    agents = data.agents[:MOST_PANELS]
    labels = short_labels([data.name(agent) for agent in agents], 60)
    rows = [_sensitive_row(data, agent, label) for agent, label in zip(agents, labels, strict=True)]
    return alt.vconcat(*rows).properties(title=figure_title(data, "Most sensitive items", agents, n=False))


def _sensitive_row(data: ReportData, agent: AgentRow, label: str) -> Any:
    import altair as alt

    everything = data.items_of(agent)
    moving = everything.filter(differs())
    shown = moving.head(MOST_ITEMS)
    subtitle = (
        f"{moving.height:,} of {items_(everything.height)} score differently between wordings, "
        f"{'all' if moving.height == shown.height else f'the first {shown.height}'} shown; "
        f"{wordings_text(data, agent)}, {repeats_text(agent)}"
    )
    if shown.is_empty():
        text = (
            f"No item differs between wordings ({items_(everything.height)}, {wordings_text(data, agent)})."
        )
        return (
            chart_of([{"text": text}])
            .mark_text(align="left", color=QUIET, fontSize=12)
            .encode(text="text:N", x=alt.value(0))
            .properties(width=PANEL_WIDTH, height=30, title=alt.Title(label, fontSize=13))
        )
    names = dict(zip(shown["id"], short_labels(shown["id"].to_list(), 34), strict=True))
    order = list(names.values())
    variants = data.variants_of(agent.task)[:MOST_VARIANTS]
    variant_names = dict(zip(variants, short_labels(variants, 20), strict=True))
    bars = [{"item": names[row["id"]], "variance": row["variance"]} for row in shown.to_dicts()]
    y = alt.Y("item:N", sort=order, axis=alt.Axis(title=None, ticks=False, domain=False, labelPadding=8))
    height = {"step": 22}
    base = chart_of(bars).encode(
        y=y,
        x=alt.X("variance:Q", scale=alt.Scale(domain=[0, 0.5]), axis=alt.Axis(title="Variance", tickCount=5)),
    )
    bar = base.mark_bar(color=VARIES, size=12)
    value = base.mark_text(align="left", dx=4, fontSize=10, color=QUIET).encode(
        text=alt.Text("variance:Q", format=".2f")
    )
    cells = data.cells.filter(
        (pl.col("task") == agent.task)
        & (pl.col("model") == agent.model)
        & pl.col("id").is_in(list(names))
        & pl.col("variant").is_in(variants)
    )
    squares = [
        {
            "item": names[row["id"]],
            "wording": variant_names[row["variant"]],
            "score": row["score"],
            "ink": "white" if row["score"] is not None and abs(row["score"] - 0.5) > 0.3 else INK,
        }
        for row in cells.to_dicts()
    ]
    axis = alt.Axis(
        title="Mean score under each wording", labelAngle=-35, ticks=False, domain=False, labelPadding=6
    )
    grid = chart_of(squares).encode(
        y=alt.Y("item:N", sort=order, axis=None),
        x=alt.X("wording:N", sort=list(variant_names.values()), axis=axis),
    )
    paint = alt.condition(
        "datum.score === null",
        alt.value(ABSENT),
        alt.Color("score:Q", scale=alt.Scale(domain=[0, 0.5, 1], range=[WRONG, MIDDLE, RIGHT]), legend=None),
    )
    heat = alt.layer(
        grid.mark_rect(cornerRadius=3, stroke="white", strokeWidth=2).encode(color=paint),
        grid.mark_text(fontSize=10).encode(
            text=alt.condition("datum.score === null", alt.value("–"), alt.Text("score:Q", format=".2~f")),
            color=alt.Color("ink:N", scale=None),
        ),
    ).resolve_scale(color="independent")
    return alt.hconcat(
        alt.layer(bar, value).properties(width=230, height=height),
        heat.properties(width={"step": 52}, height=height),
        spacing=14,
    ).properties(title=alt.Title(label, subtitle=subtitle, fontSize=13))
