from __future__ import annotations

import functools
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import resvg_py

from otherwords.core.errors import MissingDependencyError
from otherwords.report.svg import has_font, png, pngs_beside


def drawing(text: str, size: int = 40) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="20" font-family="Liberation Sans">'
        f'<rect width="{size}" height="20" fill="#ffffff"/>'
        f'<text x="2" y="15" font-size="12">{text}</text></svg>'
    )


@pytest.fixture
def no_fonts(monkeypatch: Any) -> Iterator[None]:
    """A machine on which resvg finds none."""
    without = functools.partial(resvg_py.svg_to_bytes, skip_system_fonts=True)
    monkeypatch.setattr(resvg_py, "svg_to_bytes", without)
    has_font.cache_clear()
    yield
    has_font.cache_clear()


def test_an_image_fills_a_page_with_300_dots_an_inch() -> None:
    image = png(drawing("a", 60))
    assert [int.from_bytes(image[at : at + 4], "big") for at in (16, 20)] == [1950, 650]
    at = image.index(b"pHYs")
    dots, down, metres = struct.unpack(">IIB", image[at + 4 : at + 13])
    assert round(dots * 0.0254) == round(down * 0.0254) == 300
    assert metres == 1
    assert zlib.crc32(image[at : at + 13]) == int.from_bytes(image[at + 13 : at + 17], "big")


def test_text_leaves_a_mark() -> None:
    assert has_font()
    assert png(drawing("a")) != png(drawing(""))


@pytest.mark.usefixtures("no_fonts")
def test_an_image_without_its_text_is_refused() -> None:
    assert not has_font()
    with pytest.raises(MissingDependencyError) as caught:
        png(drawing("a"))
    assert str(caught.value) == (
        "no font was found to draw the text of a figure with\n"
        "Install it with: apt-get install fonts-liberation"
    )


def test_other_processes_draw_the_same_and_where_there_is_none_this_one_does(monkeypatch: Any) -> None:
    svgs = {name: drawing(name) for name in ("ä", "b", "c")}
    wanted = {name: png(svg) for name, svg in svgs.items()}
    for cores, python in ((1, sys.executable), (2, sys.executable), (8, "/nowhere/python")):
        monkeypatch.setattr("otherwords.report.svg.cores", lambda cores=cores: cores)
        monkeypatch.setattr("sys.executable", python)
        drawn = pngs_beside(svgs)()
        assert drawn == wanted
        assert list(drawn) == list(svgs)
    assert pngs_beside({})() == {}
