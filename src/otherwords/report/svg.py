"""Shapes and text → one SVG drawing in the colours and font of all figures; and a drawing → a PNG by resvg.

One drawing serves everywhere: the page shows it as it is (its style sheet takes the classes and changes the
colours in the dark), `png` makes an image of it. All text is data and is written as text.

resvg brings no font and silently leaves out text for which it finds none, so `has_font` asks first.
"""

from __future__ import annotations

import html
import math
import re
import struct
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

from otherwords.core import cores
from otherwords.core.errors import MissingDependencyError
from otherwords.report.escape import Html, visible

FONTS = (
    "Liberation Sans, Arial, Helvetica, Arimo, Nimbus Sans, FreeSans, Noto Sans, Open Sans, Roboto, Ubuntu, "
    "DejaVu Sans, sans-serif"
)
"""The first ones are as wide as `text_width` expects; one of the others is there on most machines."""
AGENT_COLOURS = 6
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

# Of Liberation Sans (and Arial, Helvetica), in hundredths of the font's size.
_WIDTHS = {
    19: "'",
    22: "ijl",
    26: "|",
    28: " !,./:;I[\\]ft·",
    33: "()-`r{}",
    35: '"',
    39: "*",
    47: "^",
    50: "Jckrsvxyz",
    56: "#$0123456789?L_abdeghnopqu–≥≤±",
    58: "+<=>~×−",
    61: "FTZ",
    67: "&ABEKPSVXY",
    72: "CDHNRUw",
    78: "GOQ",
    83: "Mm",
    89: "%",
    94: "W",
    102: "@…—→",
}
_WIDTH = {character: width for width, characters in _WIDTHS.items() for character in characters}
_BOLD = 1.07
_WIDE, _OTHER = 100, 62
_PARTS = re.compile(r"[^\s/·-]*[\s/·-]?")
"""Words with the blank or mark behind them: lines are broken there."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide `text` will be: for room, not for alignment."""
    total = sum(
        _WIDTH.get(one) or (_WIDE if unicodedata.east_asian_width(one) in "WF" else _OTHER) for one in text
    )
    return total * size / 100 * (_BOLD if bold else 1)


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """`text`, cut with an ellipsis where it would not fit."""
    if text_width(text, size, bold=bold) <= room:
        return text
    cut = text
    while cut and text_width(f"{cut}…", size, bold=bold) > room:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"


def wrapped(text: str, size: float, room: float, most: int = 3) -> list[str]:
    """`text` in as many lines as it takes, broken behind blanks and marks; more than `most` lines are cut."""
    lines = [""]
    for part in _PARTS.findall(text):
        rest = part
        if text_width(lines[-1] + rest.rstrip(), size) > room and lines[-1]:
            lines.append("")
        while text_width(rest.rstrip(), size) > room:
            kept = next(n for n in range(len(rest), 0, -1) if n == 1 or text_width(rest[:n], size) <= room)
            lines[-1], rest = rest[:kept], rest[kept:]
            lines.append("")
        lines[-1] += rest
    shown = [line.strip() for line in lines if line.strip()]
    if len(shown) > most:
        shown[most - 1 :] = [fitted(shown[most - 1] + shown[most], size, room)]
    return shown


@dataclass(frozen=True)
class Scale:
    """From values to places on the canvas; values outside are held at the ends."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.stop - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers within the scale."""
        step = round_step((self.high - self.low) / about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def round_step(rough: float) -> float:
    """The next number of the series 1, 2, 2.5, 5, 10, 20 and so on."""
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(one for one in (1, 2, 2.5, 5, 10) if one * power >= rough * (1 - 1e-9))


def tick_text(value: float, ticks: Sequence[float], *, percent: bool = False) -> str:
    """As many decimals as all the ticks need."""
    if percent:
        ticks, value = [100 * tick for tick in ticks], 100 * value
    decimals = next((d for d in range(4) if all(abs(tick - round(tick, d)) < 1e-9 for tick in ticks)), 4)
    return f"{value + 0.0:.{decimals}f}".replace("-", "−") + ("%" if percent else "")


def agent_colour(place: int) -> str:
    """The name in `COLOURS` of the agent at `place`."""
    return f"agent-{place % AGENT_COLOURS}"


AGENT_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),  # a circle
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.3), (1.25, 0.9), (-1.25, 0.9)),
    ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    ((0, 1.3), (1.25, -0.9), (-1.25, -0.9)),
    ((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6)),
)
"""Corners of each agent's shape around its middle, so that colour is not needed to tell agents apart."""


def agent_shape(place: int) -> Html:
    """The colour and shape of the agent at `place` as a small drawing beside its name."""
    canvas = Canvas()
    canvas.marker(6, 6, place, 4)
    return Html(f'<svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">{canvas.parts}</svg>')


class Canvas:
    """Collects shapes and text, and grows with them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.width = self.height = 0.0

    def reach(self, x: float, y: float) -> None:
        """The drawing is at least this large."""
        self.width, self.height = max(self.width, x), max(self.height, y)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        *,
        round_: float = 0,
        opacity: float = 1,
    ) -> None:
        if width <= 0 or height <= 0:
            return
        self.reach(x + width, y + height)
        corner = f' rx="{_n(round_)}"' if round_ else ""
        self._add(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner}'
            f"{_paint(fill)}{_opacity(opacity)}/>"
        )

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        stroke: str,
        *,
        width: float = 1,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        self.path(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}", stroke, width=width, dash=dash, opacity=opacity)
        self.reach(max(x1, x2), max(y1, y2))

    def path(
        self, d: str, stroke: str, *, width: float = 1, dash: str = "", opacity: float = 1, fill: str = ""
    ) -> None:
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._add(
            f'<path d="{d}"{_paint(fill, stroke)} stroke-width="{_n(width)}" stroke-linecap="round"'
            f"{dashes}{_opacity(opacity)}/>"
        )

    def dot(self, x: float, y: float, radius: float, fill: str, *, ring: str = "") -> None:
        around = ' stroke-width="2"' if ring else ""
        self._add(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"{_paint(fill, ring)}{around}/>')

    def marker(self, x: float, y: float, place: int, size: float = 6) -> None:
        """The agent at `place`: its colour and shape; the second six are hollow."""
        paint = agent_colour(place)
        fill = paint if place < AGENT_COLOURS else "paper"
        corners = AGENT_SHAPES[place % AGENT_COLOURS]
        if not corners:
            self.dot(x, y, size, fill, ring=paint)
        else:
            outline = "L".join(f"{_n(x + size * dx)} {_n(y + size * dy)}" for dx, dy in corners)
            self.path(f"M{outline}z", paint, fill=fill, width=1.5)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 11,
        fill: str = "quiet",
        anchor: str = "start",
        bold: bool = False,
        turn: float = 0,
    ) -> None:
        if not text:
            return
        shown = visible(text)
        side = {"start": 1.0, "middle": 0.5, "end": 0.0}[anchor]
        if not turn:
            self.reach(x + side * text_width(shown, size, bold=bold), y)
        anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
        turned = f' transform="rotate({_n(turn)} {_n(x)} {_n(y)})"' if turn else ""
        weight = ' font-weight="bold"' if bold else ""
        self._add(
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}"{weight}{anchored}{turned}'
            f"{_paint(fill)}>{html.escape(shown)}</text>"
        )

    @property
    def parts(self) -> str:
        """All elements, without the drawing around them."""
        return "".join(self._parts)

    def svg(self, said: str, margin: float = 18) -> str:
        """The drawing by itself; `said` is what a listener hears of it."""
        width, height = math.ceil(self.width + margin), math.ceil(self.height + margin)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONTS}" role="img" '
            f'aria-label="{html.escape(visible(said))}">'
            f'<rect width="{width}" height="{height}"{_paint("paper")}/>{self.parts}</svg>'
        )

    def _add(self, element: str) -> None:
        self._parts.append(element)


def _paint(fill: str = "", stroke: str = "") -> str:
    """Colours for a drawing by itself, and classes by which the page can choose its own."""
    parts = [f' fill="{COLOURS[fill] if fill else "none"}"']
    if stroke:
        parts.append(f' stroke="{COLOURS[stroke]}"')
    names = " ".join(f"{what}-{colour}" for what, colour in (("f", fill), ("s", stroke)) if colour)
    return f'{"".join(parts)} class="{names}"'


def _opacity(value: float) -> str:
    return "" if value == 1 else f' opacity="{_n(value)}"'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


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


_DRAW = """
import sys
sys.path[:] = sys.argv[2:]
import resvg_py
for svg in sys.stdin.buffer.read().decode().split("\\0"):
    image = resvg_py.svg_to_bytes(svg_string=svg, width=int(sys.argv[1]))
    sys.stdout.buffer.write(len(image).to_bytes(8, "big") + image)
"""


def pngs_beside(svgs: Mapping[str, str]) -> Callable[[], dict[str, bytes]]:
    """Begins to draw in other processes; what it gives draws the rest in this one, and has all images.

    While resvg draws, no other thread of its process runs.
    """
    here, *elsewhere = ([*svgs][start :: cores()] for start in range(cores()))
    threads = ThreadPoolExecutor(cores())
    begun = [(part, threads.submit(_by_process, [svgs[name] for name in part])) for part in elsewhere if part]
    threads.shutdown(wait=False)

    def finish() -> dict[str, bytes]:
        images = {name: png(svgs[name]) for name in here}
        for part, drawn in begun:
            images |= zip(part, drawn.result(), strict=True)
        return {name: images[name] for name in svgs}

    return finish


def _by_process(svgs: Sequence[str]) -> list[bytes]:
    command = [sys.executable, "-I", "-S", "-c", _DRAW, str(round(INCHES * DOTS)), *sys.path]
    try:
        drawn = subprocess.run(
            command, input="\0".join(svgs).encode(), capture_output=True, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return [png(svg) for svg in svgs]
    images = []
    while drawn:
        end = 8 + int.from_bytes(drawn[:8], "big")
        images.append(_with_dots(drawn[8:end]))
        drawn = drawn[end:]
    return images


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
