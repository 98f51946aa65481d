from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from otherwords.report.escape import csv_cell, markdown, one_line, short_labels, visible

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\u202eevil", "⟨U+202E⟩evil"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("lone \ud800", "lone ⟨U+D800⟩"),
        ("line\r\nbreak\tand tab\n", "line\nbreak\tand tab\n"),
        ("Zürich 東京 <b>", "Zürich 東京 <b>"),
        (None, ""),
    ],
)
def test_control_characters_are_shown_instead_of_obeyed(text: str | None, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_what_is_shown_can_be_written_and_has_no_control_characters(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not [char for char in shown if ord(char) < 32 and char not in "\n\t"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\n-2", "＝1"])
def test_a_cell_that_starts_like_a_formula_becomes_text(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["gpt-4o", "a=b", "1-2", "", None, "'quoted"])
def test_other_cells_stay_as_they_are(text: str | None) -> None:
    assert csv_cell(text) == text


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_markdown_renders_as_the_very_text_and_nothing_else(text: str) -> None:
    tokens = RENDERER.parse(f"x {markdown(text)}")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert (
        html.unescape("".join(child.content for child in children)).split()
        == html.unescape(f"x {one_line(text)}").split()
    )


@pytest.mark.parametrize(
    "text", ["- item", "1. item", "+ item", "# title", "> quote", "=== rule", "--- rule"]
)
def test_a_line_that_starts_like_a_block_stays_a_paragraph(text: str) -> None:
    tokens = RENDERER.parse(markdown(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize(
    "text", ["https://evil.example", "www.evil.example", "me@evil.example", "mailto:me@x.y"]
)
def test_bare_addresses_are_broken_up_so_that_no_viewer_links_them(text: str) -> None:
    assert "\\" in markdown(text)


def test_a_long_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("one  two\nthree", 8) == "one two…"
    assert one_line("one  two", 8) == "one two"


@given(st.lists(st.text(max_size=60), max_size=12))
def test_axis_labels_never_clash(names: list[str]) -> None:
    labels = short_labels(names, 20)
    assert len(set(labels)) == len(names)
    assert all(len(label) <= 20 + len(" (12)") for label in labels)


def test_a_long_label_keeps_its_two_ends() -> None:
    assert short_labels(["organisation/very-long-model-name-instruct"], 20) == ["organisation/…struct"]
