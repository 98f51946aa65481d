"""Word lists and patterns of English, kept as YAML files in this folder and read on first use."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_lexicon(name: str) -> dict[str, Any]:
    """The content of `<name>.yaml` in this folder."""
    import yaml

    content: dict[str, Any] = yaml.safe_load((files(__name__) / f"{name}.yaml").read_text("utf-8"))
    return content
