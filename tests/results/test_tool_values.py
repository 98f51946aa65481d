from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.results.tool_values import at_path, key_paths, parse, parse_lines

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def without_infinities(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [without_infinities(one) for one in value]
    if isinstance(value, dict):
        return {name: without_infinities(one) for name, one in value.items()}
    return value


@pytest.mark.slow
@settings(deadline=None)
@given(VALUES)
def test_whatever_python_writes_is_read_with_null_for_what_is_not_finite(value: Any) -> None:
    assert parse(json.dumps(value).encode()) == without_infinities(value)


@settings(deadline=None)
@given(st.text())
def test_text_that_looks_like_an_unscored_value_stays_text(text: str) -> None:
    said = f'"value":NaN, "value": NaN, {text} -Infinity NaN'
    assert parse(json.dumps({"value": math.nan, "said": said, "more": math.inf}).encode()) == {
        "value": None,
        "said": said,
        "more": None,
    }


def test_half_a_character_is_shown_as_one_that_is_unknown() -> None:
    assert parse(rb'["\ud800", "\ud83d\ude00", "\\ud800", "\udc00x"]') == ["�", "\U0001f600", "\\ud800", "�x"]


def test_a_byte_order_mark_is_no_part_of_it() -> None:
    assert parse(b"\xef\xbb\xbf[1]") == [1]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1,", b"nul", b"\xff\xfe[\x00", b"[" * 100_000, b'{"a":' * 5000, b"1" * 10_000, b"1e999"],
)
def test_what_is_no_json_is_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(content)


def test_lines() -> None:
    values, wrong = parse_lines(b'{"a": 1}\n\n[NaN]\r\nnope\n{"b": 2')
    assert values == [(1, {"a": 1}), (3, [None])]
    assert [line for line, _ in wrong] == [4, 5]


@pytest.mark.slow
@settings(deadline=None)
@given(st.dictionaries(st.text(), st.dictionaries(st.text(), VALUES, max_size=3), max_size=4))
def test_names_are_found_two_deep(value: dict[str, dict[str, Any]]) -> None:
    found = key_paths(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    outer = {name for name in value if not set(name) & set('"\\') and name.isprintable() and name}
    assert outer <= found


@pytest.mark.parametrize(
    ("head", "names"),
    [
        (
            b'{"a": 1, "b": {"c": {"d": 1}}, "e": [{"f": 2}, {"g": 3}], "h',
            {"a", "b", "b.c", "e", "e.f", "e.g"},
        ),
        (b'[{"a": 1}, {"b": [{"c": {"d": 1}}]}]', {"a", "b", "b.c"}),
        (b'{"a": "\\"b\\": {", "c": 1}', {"a", "c"}),
        (b'{"first": 1}\n{"second": 2}\n', {"first"}),
        (b'id,variant\n"x": 1', set()),
        (b"", set()),
        (b"]}{", {""} - {""}),
    ],
)
def test_names_of_what_is_seen(head: bytes, names: set[str]) -> None:
    assert key_paths(head) == names


def test_a_path_looks_into_records() -> None:
    record = {"a.b": 1, "a": {"b": 2, "c": {"d": 3}}}
    assert [at_path(record, path) for path in ("a.b", "a.c.d", "a.c.x", "a.b.c")] == [1, 3, None, None]
