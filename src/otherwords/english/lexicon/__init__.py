"""Word lists and patterns of English, kept as YAML files in this folder and read on first use."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_lexicon(name: str) -> dict[str, Any]:
    """The content of `<name>.yaml` in this folder."""
    content: dict[str, Any] = parse_yaml((files(__name__) / f"{name}.yaml").read_text("utf-8"))
    return content


def parse_yaml(text: str) -> Any:
    """The content of one of the package's own files, by libyaml where PyYAML has it: ten times as fast."""
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
