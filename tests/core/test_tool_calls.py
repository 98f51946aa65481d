from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.tool_calls import (
    LONGEST_NAME,
    LONGEST_RECORD,
    Parting,
    argument_hash,
    calls_in_sample,
    parting,
    parting_text,
    read_tool_calls,
    tool_call_record,
    usual_path,
)

NAMES = st.sampled_from(
    ["get_user", "search_flights", "book", "a tool with blanks", "x" * 90, "", "päckchen"]
)
CALLS = st.lists(
    st.tuples(NAMES, st.dictionaries(st.text(max_size=4), st.integers(), max_size=3)), max_size=80
)


@given(CALLS)
def test_a_record_is_short_and_counts_what_it_has_no_room_for(
    calls: list[tuple[str, dict[str, int]]],
) -> None:
    record = tool_call_record(calls)
    path = read_tool_calls(record)
    assert len(record) <= LONGEST_RECORD
    assert len(path.names) + path.cut == len(calls)
    assert path.arguments == tuple(argument_hash(one) for _, one in calls[: len(path.names)])
    if path.cut:  # there is no room for one more
        assert LONGEST_RECORD - len(record) < LONGEST_NAME + len(" #abcdef") + len(" +80")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": "X"}, {"b": " x ", "a": "1.0"}),
        ({"n": "1,000"}, {"n": 1000}),
        ({"n": 0.50}, {"n": "0.5"}),
        ({"city": "New  York\n"}, {"city": "new york"}),
        ({"list": [{"b": 2, "a": 1}]}, {"list": [{"a": 1.0, "b": 2}]}),
    ],
)
def test_arguments_spelled_differently_are_the_same(one: Any, other: Any) -> None:
    assert argument_hash(one) == argument_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"id": "0012"}, {"id": "12"}),  # an id, not a number
        ({"n": 1}, {"n": True}),
        ({"list": [1, 2]}, {"list": [2, 1]}),
        ({"a": None}, {}),
        ({"day": "May 4"}, {"day": "May 5"}),
        ({"n": "1,00"}, {"n": 100}),
    ],
)
def test_arguments_that_mean_another_thing_are_not(one: Any, other: Any) -> None:
    assert argument_hash(one) != argument_hash(other)


def path(text: str) -> Any:
    """`a b2 c` is three calls, one of them with other arguments than the others have."""
    calls = [re.fullmatch(r"([a-z_]+)(\d?)", part) for part in text.split()]
    return read_tool_calls(tool_call_record([(one[1], {"n": one[2]}) for one in calls if one]))


@pytest.mark.parametrize(
    ("here", "said"),
    [
        ("find get book", None),
        ("find pay book", "parts from the original at call 2: pay instead of get"),
        ("find get2 pay", "parts from the original at call 2: get with other arguments"),
        ("find get", "parts from the original at call 3: ends, where the original goes on with book"),
        ("find get book pay", "parts from the original at call 4: goes on with pay, where the original ends"),
        ("", "calls no tool; the original begins with find"),
    ],
)
def test_where_a_path_parts_is_said_in_words(here: str, said: str | None) -> None:
    apart = parting(path(here), path("find get book"))
    assert (None if apart is None else parting_text(apart)) == said


def test_a_tool_where_the_original_calls_none() -> None:
    apart = parting(path("find"), path(""))
    assert apart == Parting(1, "goes on", "find", "")
    assert parting_text(apart) == "calls find; the original calls no tool"
    own = Parting(2, "tool", "a", "b")
    assert parting_text(own, is_original=True) == "parts from its usual path at call 2: a instead of b"


def test_what_was_cut_is_not_compared() -> None:
    whole = [("find", {"n": n}) for n in range(90)]
    longer, shorter, short = (read_tool_calls(tool_call_record(whole[:n])) for n in (90, 88, 80))
    assert (longer.cut, shorter.cut, short.cut) == (7, 5, 0)
    assert parting(longer, shorter) is None
    assert parting(shorter, longer) is None
    assert parting(longer, short) == Parting(81, "goes on", "find", "")


def test_the_usual_path_is_the_most_frequent_one() -> None:
    assert usual_path([]) is None
    assert usual_path([path("a b"), path("a c"), path("a c2"), path("a2 c2")]) == path("a c2")
    assert usual_path([path("a"), path("b")]) == path("a")


def test_calls_are_what_was_executed_before_scoring_or_else_what_was_asked_for() -> None:
    tool = {"event": "tool", "function": "find", "arguments": {"n": 1}}
    scorers = {"event": "span_begin", "name": "scorers", "parent_id": None}
    grading = {"event": "tool", "function": "grade", "arguments": {}}
    asked = [{"role": "assistant", "tool_calls": [{"function": "book", "arguments": {}}]}, {"role": "tool"}]
    assert calls_in_sample([tool, scorers, grading], asked) == [("find", {"n": 1})]
    assert calls_in_sample([scorers, grading], asked) == [("book", {})]
    assert calls_in_sample(None, None) == []


@given(st.text())
def test_any_text_can_be_read_as_a_record(text: str) -> None:
    assert len(read_tool_calls(text).names) == len(read_tool_calls(text).arguments)
