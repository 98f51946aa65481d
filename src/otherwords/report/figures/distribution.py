"""`task_sensitivity_distribution.png`: how the items' variances and gaps are spread."""

from __future__ import annotations

from typing import Any

import polars as pl

from otherwords.report.data import AgentRow, ReportData, differs, is_uninformative
from otherwords.report.figures.shared import MOST_PANELS, PANEL_WIDTH, chart_of, figure_title
from otherwords.report.text import short_labels
from otherwords.report.theme import RIGHT, VARIES, WRONG
from otherwords.report.words import items_, size_text

OUTCOMES = ("all wrong", "same under every wording", "differs between wordings", "all right")
OUTCOME_COLOURS = (WRONG, "#c9cdd6", VARIES, RIGHT)


def distribution(data: ReportData) -> Any:
    """How the items' variances and gaps are spread, agent by agent."""
    import altair as alt

    agents = data.agents[:MOST_PANELS]
    labels = short_labels([data.name(agent) for agent in agents], 60)
    rows = [
        alt.hconcat(
            _histogram(data, agent, "variance", "Variance of an item's scores over wordings", (0.0, 0.5)),
            _histogram(
                data, agent, "min_max_gap", "Gap between an item's best and worst wording", (0.0, 1.0)
            ),
        ).properties(title=alt.Title(label, subtitle=_caption(data, agent), fontSize=13))
        for agent, label in zip(agents, labels, strict=True)
    ]
    return alt.vconcat(*rows).properties(
        title=figure_title(data, "Items by sensitivity to wording", agents, n=False)
    )


def _caption(data: ReportData, agent: AgentRow) -> str:
    absent = data.items_of(agent)["variance"].null_count()
    missing = f"; {items_(absent)} without two scored wordings not drawn" if absent else ""
    return f"n: {size_text(data, agent)}{missing}"


def _histogram(data: ReportData, agent: AgentRow, column: str, label: str, span: tuple[float, float]) -> Any:
    import altair as alt

    low, high = span
    width = (high - low) / 10
    bins = (((pl.col(column) - low) / width).round(9).floor()).clip(0, 9).cast(pl.Int64)
    outcome = (
        pl.when(differs())
        .then(pl.lit(OUTCOMES[2]))
        .when(~is_uninformative())
        .then(pl.lit(OUTCOMES[1]))
        .when(pl.col("mean_score") >= 1)
        .then(pl.lit(OUTCOMES[3]))
        .otherwise(pl.lit(OUTCOMES[0]))
    )
    counted = (
        data.items_of(agent)
        .filter(pl.col(column).is_not_null())
        .group_by(bin=bins, outcome=outcome)
        .agg(items=pl.len())
        .sort("bin", "outcome")
    )
    rows = [
        {
            "from": low + width * row["bin"],
            "to": low + width * (row["bin"] + 1),
            "outcome": row["outcome"],
            "place": OUTCOMES.index(row["outcome"]),
            "items": row["items"],
        }
        for row in counted.to_dicts()
    ]
    tallest = max(counted.group_by("bin").agg(pl.col("items").sum())["items"].to_list(), default=1)
    step = -(-tallest // 4)
    ticks = list(range(0, tallest + step, step))
    y = alt.Y(
        "items:Q",
        stack="zero",
        scale=alt.Scale(domain=[0, ticks[-1]], nice=False),
        axis=alt.Axis(title="Items", values=ticks, format="d"),
    )
    legend = alt.Legend(title=None, orient="bottom", labelLimit=260)
    return (
        chart_of(rows)
        .mark_bar(binSpacing=2)
        .encode(
            x=alt.X(
                "from:Q", bin="binned", scale=alt.Scale(domain=span), axis=alt.Axis(title=label, tickCount=5)
            ),
            x2="to:Q",
            y=y,
            color=alt.Color(
                "outcome:N", scale=alt.Scale(domain=OUTCOMES, range=OUTCOME_COLOURS), legend=legend
            ),
            order="place:Q",
        )
        .properties(width=PANEL_WIDTH, height=130)
    )
