"""How every figure looks. The font is the one that the renderer carries with it, so it works offline."""

from __future__ import annotations

from typing import Any

FONT = "Liberation Sans"
INK, QUIET, LINE = "#1f2430", "#5d6575", "#e3e6ec"
AGENT_COLOURS = ("#0f6cb0", "#c8510a", "#0b8a6a", "#a8518c", "#8a6d00", "#3c8fc4")
WRONG, MIDDLE, RIGHT, ABSENT = "#c8510a", "#f3efe6", "#0f6cb0", "#d5d8de"
VARIES = "#8d93a1"
BAND_COLOURS = {"high": "#e2eef8", "medium": "#f6f3ea", "low": "#fbe9df"}

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": 18,
    "view": {"stroke": None},
    "axis": {
        "labelColor": QUIET,
        "titleColor": QUIET,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelLimit": 260,
    },
    "axisX": {"labelFlush": False},
    "axisY": {"labelColor": INK},
    "title": {
        "anchor": "start",
        "frame": "group",
        "fontSize": 14,
        "fontWeight": "bold",
        "color": INK,
        "subtitleColor": QUIET,
        "subtitleFontSize": 11,
        "subtitlePadding": 4,
        "offset": 12,
    },
    "legend": {"labelColor": INK, "titleColor": QUIET, "titleFontWeight": "normal", "labelFontSize": 11},
    "concat": {"spacing": 36},
}


def colour(place: int) -> str:
    return AGENT_COLOURS[place % len(AGENT_COLOURS)]


def png(chart: Any) -> bytes:
    import altair as alt
    import vl_convert

    version = alt.SCHEMA_VERSION.removeprefix("v").rsplit(".", 1)[0]
    image: bytes = vl_convert.vegalite_to_png(
        chart.configure(**CONFIG).to_dict(), vl_version=version, scale=2
    )
    return image
