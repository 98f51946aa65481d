"""Python blocks of the docs print the text block that follows them."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
_EXAMPLE = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", ["audit.md", "variants.md"])
def test_examples_print_what_the_page_says(page: str) -> None:
    examples = _EXAMPLE.findall((DOCS / page).read_text(encoding="utf-8"))
    assert examples
    for code, expected in examples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, "exec"), {})
        assert out.getvalue() == expected
