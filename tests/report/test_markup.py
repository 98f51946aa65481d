from __future__ import annotations

from otherwords.report.escape import Html, join, table, tag


def test_texts_are_texts_and_elements_are_elements() -> None:
    assert tag("p", "a < b", Html("<b>c</b>"), None) == "<p>a &lt; b<b>c</b></p>"
    assert join(["<i>", tag("i", "x")]) == "&lt;i&gt;<i>x</i>"


def test_attributes_are_escaped_and_named() -> None:
    made = tag("a", "x", class_="k", data_x='"><script>', hidden=True, open=False, title=None, tabindex=0)
    assert made == '<a class="k" data-x="&quot;&gt;&lt;script&gt;" hidden tabindex="0">x</a>'
    assert tag("br") == "<br>"


def test_control_characters_are_shown() -> None:
    assert tag("p", "a\x1bb\u202e") == "<p>a\u241bb⟨U+202E⟩</p>"


def test_a_table_names_its_columns_in_every_cell() -> None:
    made = table(("Agent", "n"), [("m", "1")], label="Agents", stack=True)
    assert 'data-label="n"' in made
    assert 'aria-label="Agents"' in made
    assert "tabindex" not in made
    assert 'tabindex="0"' in table(("Agent", "n"), [("m", "1")], label="Agents")
