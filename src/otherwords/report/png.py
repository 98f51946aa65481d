"""An SVG drawing → a PNG image by resvg, and whether resvg finds a font.

resvg brings no font and silently leaves out text for which it finds none, so `has_font` asks first.
"""

from __future__ import annotations

from functools import lru_cache

from otherwords.core.errors import MissingDependencyError
from otherwords.report.svg import FONTS

PIXELS = 2
"""An image has so many for each unit of the drawing."""
_PROBE = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" font-family="{FONTS}">'
    '<text x="2" y="12" font-size="12">{}</text></svg>'
)


def png(svg: str) -> bytes:
    """The drawing `svg` as a PNG image; raises `MissingDependencyError` where its text could not be drawn."""
    import resvg_py

    if not has_font():
        raise MissingDependencyError(
            "no font was found to draw the text of a figure with", "apt-get install fonts-liberation"
        )
    return resvg_py.svg_to_bytes(svg_string=svg, zoom=PIXELS)


@lru_cache(maxsize=1)
def has_font() -> bool:
    """Whether a letter leaves a mark in an image: resvg does not say that it found no font."""
    import resvg_py

    marked, empty = (resvg_py.svg_to_bytes(svg_string=_PROBE.format(text)) for text in ("x", ""))
    return marked != empty
