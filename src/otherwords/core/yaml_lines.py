"""A YAML file → `Mapped`, asked for each value by its type; every mistake is reported with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.files import read_input

LARGEST = 1024**2
"""Bytes of a suite."""


def read_yaml(path: Path) -> Mapped:
    """The file's mapping. Tags that make Python objects are not read."""
    with _with_line(path):
        node = yaml.compose(_text(path), Loader=yaml.SafeLoader)
    if node is None:
        raise InputError("is empty", file=path)
    return _mapped(node, path, "the file")


def load_yaml(path: Path) -> Any:
    """What the file holds, as plain values."""
    with _with_line(path):
        return yaml.safe_load(_text(path))


def _text(path: Path) -> str:
    try:
        return read_input(path, largest=LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read: {error}", file=path) from error


@contextmanager
def _with_line(path: Path) -> Iterator[None]:
    try:
        yield
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"is not YAML: {error.problem}", file=path, line=line) from None
    except yaml.YAMLError as error:
        raise InputError(f"is not YAML: {next(iter(str(error).splitlines()), '')}", file=path) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path) from None
    except InputError:
        raise
    except ValueError as error:  # a number of thousands of digits, a date that is none
        raise InputError(f"is not YAML: {error}", file=path) from None


@dataclass(frozen=True)
class Mapped:
    """A mapping of the file, asked for each value by its kind; None where the key is absent."""

    path: Path
    line: int
    nodes: dict[str, yaml.Node]
    lines: dict[str, int]

    def __contains__(self, key: str) -> bool:
        return key in self.nodes

    def only(self, *known: str) -> None:
        for key, line in self.lines.items():
            if key not in known:
                problem = UnknownNameError("setting", key, known).problem
                raise InputError(problem, file=self.path, line=line)

    def refusal(self, key: str | None, problem: str) -> InputError:
        line = self.line if key is None else self.lines.get(key, self.line)
        return InputError(problem, file=self.path, line=line)

    @contextmanager
    def with_location(self, key: str | None = None) -> Iterator[None]:
        """Adds file and line, of this mapping or of a key in it, to a problem that was found elsewhere."""
        try:
            yield
        except InputError as error:
            raise self.refusal(key, error.problem) from error

    def text(self, key: str, among: Iterable[str] | None = None) -> str | None:
        value = self._value(key, str, "text")
        if value is not None and not str(value).strip():
            raise self.refusal(key, f"{key} is empty")
        return None if value is None else self._among(key, str(value), among)

    def name(self, key: str) -> str | None:
        """A text that can be a folder's name."""
        value = self.text(key)
        if value is not None and (value in (".", "..") or set(value) & set("/\\")):
            raise self.refusal(key, f"{key} '{value}' cannot be a folder's name")
        return value

    def texts(self, key: str, among: Iterable[str] | None = None) -> list[str]:
        """A list of texts, or one text."""
        node = self.nodes.get(key)
        if node is None:
            return []
        values = _plain(node, self.path)
        values = [values] if isinstance(values, str) else values
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self.refusal(key, f"{key} must be a text or a list of texts")
        return [self._among(key, value, among) for value in values]

    def flag(self, key: str) -> bool:
        node = self.nodes.get(key)
        value = False if node is None else _plain(node, self.path)
        if not isinstance(value, bool):
            raise self.refusal(key, f"{key} must be true or false, got {value!r}")
        return value

    def whole(self, key: str) -> int | None:
        value = self._value(key, int, "a whole number")
        return None if value is None else int(value)

    def count(self, key: str) -> int | None:
        value = self._value(key, int, "a whole number")
        if value is not None and value < 1:
            raise self.refusal(key, f"{key} must be 1 or more, got {value}")
        return None if value is None else int(value)

    def number(self, key: str, above: float | None = None) -> float | None:
        value = self._value(key, (int, float), "a number")
        if value is not None and above is not None and not value > above:
            raise self.refusal(key, f"{key} must be more than {above:g}, got {value:g}")
        return None if value is None else float(value)

    def values(self, key: str) -> dict[str, Any]:
        """A mapping of names to anything, handed on as it is."""
        node = self.nodes.get(key)
        if node is None:
            return {}
        return {name: _plain(inner, self.path) for name, inner in _mapped(node, self.path, key).nodes.items()}

    def mapping(self, key: str) -> Mapped | None:
        """A mapping within this one."""
        node = self.nodes.get(key)
        return None if node is None else _mapped(node, self.path, key)

    def plain(self, key: str) -> Any:
        """The value as it stands, whatever it is."""
        return _plain(self.nodes[key], self.path)

    def mappings(self, key: str) -> list[Mapped]:
        """A list of mappings, of which there must be one."""
        node = self.nodes.get(key)
        if node is None:
            raise InputError(f"has no {key}", file=self.path)
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise self.refusal(key, f"{key} must be a list with at least one entry")
        return [_mapped(inner, self.path, f"an entry of {key}") for inner in node.value]

    def _value(self, key: str, kind: type | tuple[type, ...], said: str) -> Any:
        node = self.nodes.get(key)
        value = None if node is None else _plain(node, self.path)
        if node is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            shown = "nothing" if value is None else repr(value)
            raise self.refusal(key, f"{key} must be {said}, got {shown}")
        return value

    def _among(self, key: str, value: str, known: Iterable[str] | None) -> str:
        if known is not None and value not in (names := list(known)):
            raise self.refusal(key, UnknownNameError(f"value of {key}", value, names).problem)
        return value


def _mapped(node: yaml.Node, path: Path, what: str) -> Mapped:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{what} must be a mapping of names to values", file=path, line=line)
    nodes: dict[str, yaml.Node] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        name, at = _plain(key, path), key.start_mark.line + 1
        if not isinstance(name, str):
            raise InputError(f"{name!r} is not a name", file=path, line=at)
        if name in nodes:
            raise InputError(f"{name} is given twice, first in line {lines[name]}", file=path, line=at)
        nodes[name], lines[name] = value, at
    return Mapped(path, line, nodes, lines)


def _plain(node: yaml.Node, path: Path) -> Any:
    try:
        return yaml.SafeLoader("").construct_document(node)
    except yaml.constructor.ConstructorError as error:
        line = (error.problem_mark or node.start_mark).line + 1
        raise InputError(f"cannot be read: {error.problem}", file=path, line=line) from None
