"""Reads word lists and regular expressions of English, on first use, from the YAML files in this folder."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_lexicon(name: str) -> dict[str, Any]:
    """The content of `<name>.yaml` in this folder."""
    content: dict[str, Any] = parse_yaml((files(__name__) / f"{name}.yaml").read_text("utf-8"))
    return content


@cache
def word_set(name: str, key: str) -> frozenset[str]:
    """The words that `<name>.yaml` has under `key`, in a list or in one text."""
    words = read_lexicon(name)[key]
    return frozenset(words.split() if isinstance(words, str) else words)


@cache
def word_classes(name: str, key: str) -> dict[str, str]:
    """Each word that `<name>.yaml` has under `key`, with the class under which it stands there."""
    return {word: kind for kind, words in read_lexicon(name)[key].items() for word in words.split()}


def parse_yaml(text: str) -> Any:
    """The content of one of the package's own files, by libyaml where PyYAML has it: ten times as fast."""
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class Patterns:
    """The regular expressions of one section of `patterns.yaml`, each compiled when it is first used."""

    def __init__(self, section: str, **fragments: str) -> None:
        self._section, self._fragments = section, fragments

    def __getattr__(self, name: str) -> re.Pattern[str]:
        if name.startswith("_") or name not in (read := read_lexicon("patterns")[self._section]):
            raise AttributeError(name)
        groups = {key: f"(?:{'|'.join(any_of)})" for key, any_of in read.get("fragments", {}).items()}
        pattern = read[name] if isinstance(read[name], str) else "|".join(read[name])
        while (found := re.search(r"<([A-Z]+)>", pattern)) is not None:
            pattern = pattern.replace(found[0], {**groups, **self._fragments}[found[1]])
        setattr(self, name, re.compile(pattern))
        return re.compile(pattern)
