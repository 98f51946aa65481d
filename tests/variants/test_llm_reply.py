from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.variants.llm.messages import NO_LIST, Marked, read_reply

RECORDED = [
    json.loads(line)
    for line in Path(__file__).with_name("recorded_replies.jsonl").read_text("utf-8").splitlines()
]
TWO = ("Who is it?", "Which person is it?")
PLAIN = json.dumps({"rewordings": TWO})


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"Here you are [as asked]:\n\n```\n{PLAIN}\n```\nI kept the marks [1].",
        f"<think>A list like [3, 4]?</think>{PLAIN}",
        json.dumps(TWO),
        json.dumps({"result": {"rewordings": TWO}}),
        json.dumps({"rewordings": [{"text": text} for text in TWO]}),
        json.dumps({"paraphrases": TWO}),
        '{"rewordings": ["Who is it?", "Which person is it?",]}',
        '{\'rewordings\': ["Who is it?", "Which person is it?"]}',
        json.dumps({"rewordings": [*TWO, "  "]}),
    ],
)
def test_the_list_is_found_wherever_it_stands(reply: str) -> None:
    assert read_reply(reply, 2) == ([*TWO], "")


def test_lines_survive_escaped_or_not() -> None:
    text = 'Fix:\n\n⟦1⟧\n- say "so"\n\tthen stop'
    assert read_reply(json.dumps([text]), 1) == ([text], "")
    assert read_reply('{"rewordings": ["Fix:\n\n⟦1⟧\n- say \\"so\\"\n\tthen stop"]}', 1) == ([text], "")


@pytest.mark.parametrize(
    ("reply", "texts", "problem"),
    [
        ("", (), "the reply is empty"),
        ("  \n", (), "the reply is empty"),
        ("Sure! Who might it be?", (), NO_LIST),
        ("I cannot help with that [policy 3].", (), NO_LIST),
        ('{"rewordings": []}', (), "the list is empty"),
        ('{"rewordings": ["", " "]}', (), "the list is empty"),
        ('{"rewordings": [1, 2]}', (), NO_LIST),
        ('{"rewordings": [{"a": "x", "b": "y"}]}', (), NO_LIST),
        ("I cannot help with that.", (), NO_LIST),
        ('{"rewordings": ["Who is it?"]}', ("Who is it?",), "only 1 of 2 rewordings"),
        ('{"rewordings": ["Who is it?", "Which per', ("Who is it?",), "cut off after 1 of 2"),
        ('{"rewordings": ["Who is', (), NO_LIST),
        ('{"mild": "Who is it?", "strong"', ("Who is it?",), "cut off after 1 of 2"),
        ("['Who is it?', 'Which per", ("Who is it?",), "cut off after 1 of 2"),
        ('{"rewordings": ["Who is it?" and more]}', ("Who is it?",), "cut off after 1 of 2"),
        ('{"rewordings": ["A?", "B?", "C', ("A?", "B?"), ""),
    ],
)
def test_what_is_wrong_with_a_reply_is_said(reply: str, texts: tuple[str, ...], problem: str) -> None:
    assert read_reply(reply, 2) == ([*texts], problem)


@given(
    st.lists(st.text("abé \n,.?⟦1⟧", min_size=1).filter(lambda text: text.strip()), min_size=1),
    st.text("ab \n.", max_size=9),
)
def test_every_list_of_texts_is_read_back(texts: list[str], around: str) -> None:
    reply = f"{around}{json.dumps({'rewordings': texts})}{around}"
    assert read_reply(reply, len(texts))[0] == [text.strip() for text in texts]


@given(st.text('[]{}"\\,:rewordings ', max_size=60))
def test_no_reply_breaks_the_reader(reply: str) -> None:
    assert all(text.strip() for text in read_reply(reply, 2)[0])


def test_a_reply_of_brackets_is_given_up() -> None:
    assert read_reply("[" * 5000, 2) == ([], NO_LIST)


@pytest.mark.parametrize("one", RECORDED, ids=[one["shape"] for one in RECORDED])
def test_what_models_reply_is_read(one: dict[str, Any]) -> None:
    """Replies in the shapes in which models give them, and the rewordings with their spans put back."""
    texts, said = read_reply(one["reply"], one["wanted"])
    restored = [Marked(one["source"]).restore(text) for text in texts]
    assert [text for text, _ in restored] == one["texts"]
    assert [problem for problem in (said, *(problem for _, problem in restored)) if problem] == one[
        "problems"
    ]


def test_enough_replies_are_recorded() -> None:
    assert len({one["shape"] for one in RECORDED}) == len(RECORDED) >= 100
