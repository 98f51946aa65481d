from __future__ import annotations

import doctest
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_examples_of_the_guide_run():
    result = doctest.testfile(str(DOCS), module_relative=False, encoding="utf-8")
    assert result.attempted > 20
    assert result.failed == 0


def test_the_examples_on_templates_run():
    result = doctest.testfile(str(DOCS.with_name("templates.md")), module_relative=False, encoding="utf-8")
    assert result.attempted > 5
    assert result.failed == 0
