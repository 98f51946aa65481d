from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from otherwords.report.escape import one_line
from otherwords.report.figures import FIGURES


class Seen(HTMLParser):
    """Elements, attributes and text of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_a_notebook_shows_a_table_and_a_figure(build: Any) -> None:
    data = build(2, 20)
    seen = Seen(data._repr_html_())
    assert {"table", "svg"} <= seen.tags
    assert {"Accuracy", "S_prompt", "Lowest possible S_prompt", "mock/wobbly-7b", "0.70"} <= set(seen.words)
    figure = FIGURES["flip_rates"](data)
    assert figure._repr_svg_() == figure.svg


def test_nothing_in_a_text_becomes_an_element(build: Any, attack: str) -> None:
    clean, dirty = (Seen(build(1, 3, **kind)._repr_html_()) for kind in ({}, {"evil": attack}))
    assert dirty.tags == clean.tags
    assert dirty.attributes == clean.attributes
    assert one_line(attack)[:20] in " ".join(dirty.words)
