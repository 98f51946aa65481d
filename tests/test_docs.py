"""Python blocks of the docs print the text block that follows them."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

import otherwords

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_EXAMPLE = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)

_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_INDENTED = re.compile(r"(?:^    .*\n|^\n)+", re.MULTILINE)
_FROM_A_ROOM = re.compile(r"^\s*(?:from|import) otherwords\.\w.*$", re.MULTILINE)
_FROM_OURS = re.compile(r"^\s*from otherwords import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def python_blocks() -> list[tuple[str, str]]:
    """Each page's name and code, fenced or indented."""
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    return [
        (page.name, block)
        for page in pages
        for text in [page.read_text(encoding="utf-8")]
        for block in [*_PYTHON.findall(text), *_INDENTED.findall(text)]
    ]


def test_pages_import_from_otherwords_itself_and_not_from_its_rooms() -> None:
    assert [(page, line) for page, code in python_blocks() for line in _FROM_A_ROOM.findall(code)] == []


def test_what_pages_import_from_otherwords_is_there() -> None:
    imported = {
        (page, name.strip())
        for page, code in python_blocks()
        for lines in _FROM_OURS.findall(code)
        for name in re.sub(r"#.*", "", "".join(lines)).split(",")
        if name.strip()
    }
    assert imported
    assert [one for one in sorted(imported) if not hasattr(otherwords, one[1])] == []


@pytest.mark.parametrize("page", ["audit.md", "python.md", "templates.md", "variants.md", "worrying.md"])
def test_examples_print_what_the_page_says(page: str) -> None:
    examples = _EXAMPLE.findall((DOCS / page).read_text(encoding="utf-8"))
    assert examples
    for code, expected in examples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, "exec"), {})
        assert out.getvalue() == expected


def test_every_check_is_on_the_page_in_its_layer() -> None:
    from otherwords.checks import checks_in_order
    from otherwords.checks.base import check_traits

    page = (DOCS / "variants.md").read_text(encoding="utf-8")
    invariants = page.partition("| invariant |")[2].partition("| flag |")[0]
    flags = page.partition("| flag |")[2].partition("###")[0]
    tables = {"invariant": invariants, "flag": flags}
    layers = {name: check_traits(check).layer for name, check in checks_in_order()}
    assert [name for name, layer in layers.items() if f"`{name}`" not in tables[layer]] == []
