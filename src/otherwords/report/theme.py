"""How every figure looks. The font is the one that the renderer carries with it, so it works offline."""

from __future__ import annotations

FONTS = "Liberation Sans, Arial, Helvetica, sans-serif"
AGENTS = 6
"""So many agents have a colour and a shape of their own, told apart without seeing red and green."""
COLOURS = {
    "paper": "#ffffff",
    "ink": "#1f2430",
    "quiet": "#5a6273",
    "line": "#e3e6ec",
    "edge": "#8d93a1",
    "absent": "#bcc2cd",
    "wrong": "#c8510a",
    "partly": "#f3dcc8",
    "middle": "#efe8d8",
    "mostly": "#b9d5ec",
    "right": "#0f6cb0",
    "on-wrong": "#ffffff",
    "on-right": "#ffffff",
    "band-high": "#e2eef8",
    "band-medium": "#f6f3ea",
    "band-low": "#fbe9df",
    "agent-0": "#0f6cb0",
    "agent-1": "#c8510a",
    "agent-2": "#0b8a6a",
    "agent-3": "#a8518c",
    "agent-4": "#8a6d00",
    "agent-5": "#3c8fc4",
}
"""By what they mean. The page's style sheet has the same names, for light and dark."""
PIXELS = 2
"""A picture has so many for each unit of the drawing."""


def colour(place: int) -> str:
    return f"agent-{place % AGENTS}"


def png(svg: str) -> bytes:
    import vl_convert

    image: bytes = vl_convert.svg_to_png(svg, scale=PIXELS)
    return image
