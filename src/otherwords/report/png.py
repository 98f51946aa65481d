"""An SVG drawing → a PNG image by resvg, and whether resvg finds a font.

resvg brings no font and silently leaves out text for which it finds none, so `has_font` asks first.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache

from otherwords.core.errors import MissingDependencyError
from otherwords.report.svg import FONTS

INCHES, DOTS = 6.5, 300
"""How wide an image is on paper, the width of a page's text, and how many dots it has in an inch."""
_HEADER = 33
"""Bytes of a PNG's signature and its first chunk."""
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
    return _with_dots(resvg_py.svg_to_bytes(svg_string=svg, width=round(INCHES * DOTS)))


def _with_dots(image: bytes) -> bytes:
    """The image with its dots in an inch written into it, behind the header that every PNG begins with."""
    per_metre = round(DOTS / 0.0254)
    content = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    chunk = struct.pack(">I", len(content) - 4) + content + struct.pack(">I", zlib.crc32(content))
    return image[:_HEADER] + chunk + image[_HEADER:]


@lru_cache(maxsize=1)
def has_font() -> bool:
    """Whether a letter leaves a mark in an image: resvg does not say that it found no font."""
    import resvg_py

    marked, empty = (resvg_py.svg_to_bytes(svg_string=_PROBE.format(text)) for text in ("x", ""))
    return marked != empty
