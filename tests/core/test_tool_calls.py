from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.tool_calls import (
    LONGEST_NAME,
    LONGEST_RECORD,
    NORMALIZERS,
    Call,
    Parting,
    aligned,
    argument_hash,
    parting,
    parting_text,
    read_tool_calls,
    tool_call_record,
    usual_path,
)
from otherwords.core.tool_events import calls_in_actions, calls_in_messages, calls_in_sample

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
    assert calls_in_sample([tool, scorers, grading], asked) == [Call("find", {"n": 1})]
    assert calls_in_sample([scorers, grading], asked) == [Call("book", {})]
    assert calls_in_sample(None, None) == []


def test_what_a_simulated_user_calls_is_not_the_agents() -> None:
    asked = {"message": {"tool_calls": [{"id": "u1", "function": "restart_phone"}]}}
    events = [
        {"event": "model", "role": "user", "output": {"choices": [asked]}},
        {"event": "tool", "id": "u1", "function": "restart_phone", "arguments": {}},
        {"event": "tool", "id": "a1", "function": "get_line", "arguments": {}, "error": {"message": "no"}},
    ]
    assert calls_in_sample(events, None) == [Call("get_line", {}, failed=True)]


class LangChain:
    """As its messages are, without the package."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


MESSAGES = {
    "openai": [
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "function": {"name": "find", "arguments": '{"n": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "no such flight"},
    ],
    "langchain": [
        LangChain(type="ai", content="", tool_calls=[{"id": "1", "name": "find", "args": {"n": 1}}]),
        LangChain(type="tool", tool_call_id="1", content="no such flight", status="success"),
    ],
    "anthropic": [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "find", "input": {"n": 1}}],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "1",
                    "content": [{"type": "text", "text": "no such flight"}],
                }
            ],
        },
    ],
}


@pytest.mark.parametrize("library", MESSAGES)
def test_calls_are_read_from_messages_of_each_library(library: str) -> None:
    assert calls_in_messages(MESSAGES[library]) == [Call("find", {"n": 1}, False, "no such flight")]


@pytest.mark.parametrize("failed", [{"status": "error"}, {"is_error": True}, {"error": {"type": "timeout"}}])
def test_a_call_that_failed_is_marked(failed: dict[str, Any]) -> None:
    asked = {"role": "assistant", "tool_calls": [{"id": "1", "name": "find", "args": {}}]}
    (call,) = calls_in_messages([asked, {"role": "tool", "tool_call_id": "1", "content": "", **failed}])
    assert call.failed
    assert tool_call_record([call]).endswith("!")
    assert read_tool_calls(tool_call_record([call])).failed == (True,)


def test_what_is_no_message_or_action_has_no_calls() -> None:
    odd = [None, 7, "text", {}, {"tool_calls": [{}]}, {"tool_calls": [{"function": {"arguments": "{"}}]}]
    assert calls_in_messages(odd) == []
    assert calls_in_actions("all") == calls_in_actions([None, 7, {}, {"name": 3}]) == []
    broken = {"tool_calls": [{"function": {"name": "find", "arguments": "{day"}}]}
    assert calls_in_messages([broken]) == [Call("find", {"": "{day"})]


def test_hals_actions_are_calls_and_messages_to_the_customer_are_none() -> None:
    actions = [{"name": "find", "kwargs": {"n": 1}}, {"name": "respond", "kwargs": {"content": "Hello."}}]
    assert calls_in_actions(actions) == [Call("find", {"n": 1})]


def booked(order: str, *found: str, taken: int = 0) -> str:
    """A run in which a search gives orders, of which one is paid."""
    return tool_call_record(
        [
            Call("search", {}, result={"orders": [order, *found]}),
            Call("pay", {"order": [order, *found][taken]}),
        ]
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("8f14e45f-ceea-467f-a9e6-5b2c1d3f7a10", "0a3b12cd-1f2e-4c5d-8e9f-aabbccddeeff"),
        ("9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0"),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVS0"),
    ],
)
def test_ids_that_the_environment_made_are_compared_by_their_place(one: str, other: str) -> None:
    assert booked(one) == booked(other)
    assert booked(one, other) != booked(one, other, taken=1)  # the other of two is another one
    alone = [tool_call_record([Call("pay", {"order": order})]) for order in (one, other)]
    assert alone[0] != alone[1]  # no result of the environment had it


@pytest.mark.parametrize(("one", "other"), [("EHGLP3", "XEHM4B"), ("mia_li_3668", "raj_sanchez_7340")])
def test_ids_of_a_database_are_what_they_are(one: str, other: str) -> None:
    assert booked(one) != booked(other)


def test_a_users_function_normalises_more_and_one_that_fails_is_left_out() -> None:
    plain = argument_hash({"day": "4 May"}, "find")
    try:
        NORMALIZERS.add("find", lambda arguments: {"day": sorted(arguments["day"].split())})
        assert argument_hash({"day": "May 4"}, "find") == argument_hash({"day": "4 May"}, "find")
        assert argument_hash({"day": "May 4"}, "book") != argument_hash({"day": "4 May"}, "book")
        told = r"the normalizer of arguments 'find' is left out: it raised KeyError: 'day'"
        with pytest.warns(UserWarning, match=told):
            assert argument_hash({}, "find") == argument_hash({}, "book")
    finally:
        NORMALIZERS.remove("find")
    assert argument_hash({"day": "4 May"}, "find") == plain
    try:
        NORMALIZERS.add("*", lambda arguments: None)
        assert argument_hash({"day": "May 4"}, "find") == argument_hash({"day": "4 May"}, "book")
    finally:
        NORMALIZERS.remove("*")


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_an_alignment_has_all_calls_in_order_and_the_fewest_edits(one: list[str], other: list[str]) -> None:
    steps = aligned(one, other)
    assert [i for i, _ in steps if i is not None] == list(range(len(one)))
    assert [j for _, j in steps if j is not None] == list(range(len(other)))
    edits = sum(i is None or j is None or one[i] != other[j] for i, j in steps)
    row = list(range(len(other) + 1))  # Levenshtein's distance, row by row
    for i, left in enumerate(one):
        before, row = row, [i + 1]
        for j, right in enumerate(other):
            row.append(min(before[j] + (left != right), before[j + 1] + 1, row[j] + 1))
    assert edits == row[-1]


@given(st.text())
def test_any_text_can_be_read_as_a_record(text: str) -> None:
    assert len(read_tool_calls(text).names) == len(read_tool_calls(text).arguments)
