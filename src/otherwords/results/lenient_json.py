"""Bytes of JSON as evaluation tools write it (NaN, lone surrogates, a record a line) → values."""

from __future__ import annotations

import re
from typing import Any

import orjson

_BOM = b"\xef\xbb\xbf"
_STRING = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
_TOKEN = re.compile(_STRING + rb'|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
# A string, or a number that JSON does not have.
_NOT_FINITE = re.compile(_STRING + rb"|-?Infinity|NaN", re.DOTALL)
_MENDED = (b"NaN", b"Infinity", b"\\ud", b"\\uD")
_SURROGATE = re.compile(
    rb"\\\\|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_UNSCORED, _NULL = (b'"value":NaN', b'"value": NaN'), b'"value":null'
_DEEPEST_KEY = 2
_DEEPEST_OPEN = 6
"""Braces and brackets; between the names that are wanted there are few."""


def parse(content: bytes) -> Any:
    """The value, with null for a number that is not finite. Raises ValueError, whatever is wrong."""
    content = content.removeprefix(_BOM)
    # Inspect marks what was not scored with NaN. An unescaped quote cannot stand inside a JSON string, so
    # this replaces values and never text.
    for spelled in _UNSCORED:
        if spelled in content:
            content = content.replace(spelled, _NULL)
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        if not any(mark in content for mark in _MENDED):
            raise
        return orjson.loads(_SURROGATE.sub(_whole_surrogates, _NOT_FINITE.sub(_finite, content)))


def parse_lines(content: bytes) -> tuple[list[tuple[int, Any]], list[tuple[int, str]]]:
    """Line numbers with their values, and with what is wrong in the lines that have none."""
    values: list[tuple[int, Any]] = []
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append((number, parse(line)))
        except ValueError as error:
            wrong.append((number, str(error)))
    return values, wrong


def key_paths(head: bytes) -> frozenset[str]:
    """Names of the first JSON value, two deep, as far as the beginning of a file shows them.

    Arrays are looked through: `[{"a": 1}]` has the name `a`.
    """
    found: set[str] = set()
    opened: list[tuple[bool, str]] = []  # for each open brace (True) or bracket (False), the name before it
    name, text_before = "", ""
    for token in _TOKEN.finditer(head.removeprefix(_BOM)):
        text = token.group(0)
        if text in (b"{", b"["):
            in_array = bool(opened) and not opened[-1][0]
            opened.append((text == b"{", opened[-1][1] if in_array else name))
        elif text in (b"}", b"]"):
            del opened[-1:]
        elif text == b":" and opened and opened[-1][0]:
            name = text_before
            if len(opened) > _DEEPEST_OPEN:
                continue
            outer = [part for is_object, part in opened if is_object and part]
            if len(outer) < _DEEPEST_KEY:
                found.add(".".join([*outer, name]))
        elif text.startswith(b'"'):
            text_before = token.group(1).decode("utf-8", "replace")
        if not opened:
            break
    return frozenset(found)


def _finite(token: re.Match[bytes]) -> bytes:
    return token.group(0) if token.group(0).startswith(b'"') else b"null"


def _whole_surrogates(token: re.Match[bytes]) -> bytes:
    """A half of a pair stands for no character; what is shown for it is U+FFFD."""
    return b"\\ufffd" if token.group(2) else token.group(0)


def at_path(record: dict[str, Any], path: str) -> Any:
    """`record["a.b"]`, or else `record["a"]["b"]`; None where there is nothing."""
    if path in record:
        return record[path]
    value: Any = record
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
