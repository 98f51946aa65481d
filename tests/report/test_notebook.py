from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

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


def test_a_report_shows_its_verdicts_a_table_and_a_figure(build: Any) -> None:
    data = build(2, 20)
    seen = Seen(data._repr_html_())
    assert {"table", "svg"} <= seen.tags
    assert not {"script", "style", "link"} & seen.tags
    said = " ".join(" ".join(seen.words).split())
    assert all(agent.verdict.sentence in said for agent in data.agents)
    assert {"Accuracy", "Lost by rewording", "mock/wobbly-7b"} <= set(seen.words)
    figure = FIGURES["flip_rates"](data)
    assert figure._repr_svg_() == figure.svg


def test_nothing_in_a_text_becomes_an_element(build: Any, attack: str) -> None:
    clean, dirty = (Seen(build(1, 3, **kind)._repr_html_()) for kind in ({}, {"evil": attack}))
    assert dirty.tags == clean.tags
    assert dirty.attributes == clean.attributes
    assert one_line(attack)[:20] in " ".join(dirty.words)


CELLS = (
    "from otherwords import write_report\n"
    "from otherwords.report.figures import FIGURES\n"
    "data, _ = write_report('outcomes.csv', None)\n"
    "data",
    "data.agents[0].verdict",
    "FIGURES['change_costs'](data)",
)


@pytest.mark.slow
def test_a_notebook_that_is_run_shows_them(tmp_path: Path) -> None:
    nbformat, nbclient = (pytest.importorskip(name) for name in ("nbformat", "nbclient"))
    pytest.importorskip("ipykernel")
    rows = [
        {"model": "m", "id": f"q{item}", "variant": name, "kind": kind, "score": score, "repeat": repeat}
        for item in range(30)
        for name, kind, score in (("orig", "orig", 1), ("para1", "paraphrase", 0), ("fmt", "format", 1))
        for repeat in (1, 2)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "outcomes.csv")
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    report, verdict, figure = (cell["outputs"][-1]["data"] for cell in notebook["cells"])
    said = "Rewording costs m 100 points"
    assert said in report["text/html"]
    assert "<svg" in report["text/html"]
    assert said in verdict["text/html"]
    assert figure["image/svg+xml"].startswith("<svg")
