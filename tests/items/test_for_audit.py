"""Files that an audit is there to look at."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.items import load_for_audit, load_items


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def make(*records: dict[str, Any]) -> Path:
        path = tmp_path / "set.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return make


@pytest.mark.parametrize(
    ("record", "target"),
    [
        ({"choices": ["a", "b"]}, ()),
        ({"choices": ["a", "b"], "answer": "B"}, 1),
        ({"choices": ["Paris", "Rome"], "target": "Oslo"}, ("Oslo",)),
        ({"choices": ["Paris", "Rome"], "answer": 5}, ("5",)),
        ({"choices": ["Paris", "Paris"], "answer": "Paris"}, 0),
        ({"choices": ["Paris", "Rome"], "answers": ["Rome"]}, 1),
        ({"choices": ["Paris", "Rome"], "answers": ["Paris", "Rome"]}, ()),
        ({"choices": ["only"], "answer": "A"}, 0),
        ({"choices": ["", "Rome"], "answer": "B"}, 1),
        ({"choices": [1, 2.5], "answer": "B"}, 1),
        ({"question": "Who?"}, ()),
    ],
)
def test_what_an_audit_finds_is_no_mistake_of_the_file(
    write: Any, record: dict[str, Any], target: Any
) -> None:
    [item] = load_for_audit(write(record))
    assert item.id == "line-1"
    assert item.target == target
    assert item.choices == tuple(map(str, record.get("choices", ())))


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"id": "x"},
         "has neither a question (question, stem, prompt, input, messages) nor choices (choices, options)"),
        ({"id": "x", "choices": []},
         "has neither a question (question, stem, prompt, input, messages) nor choices (choices, options)"),
        ({"id": "x", "choices": [["a"], "b"]}, "option 1 of 'choices' must be text or a number, got a list"),
        ({"id": "x", "choices": ["1", "0"], "answer": 0},
         "the answer '0' is ambiguous: as an index it is option A, as text it is option B\n"
         "Give the letter when options are numbers, and the index (from 0) when they are letters."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_still_refused(write: Any, record: dict[str, Any], said: str) -> None:
    path = write(record)
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}:1, item {chr(39)}x{chr(39)}: {said}')}$"):
        load_for_audit(path)


def test_a_good_file_reads_the_same(write: Any) -> None:
    path = write(
        {"id": "a", "question": "Which?", "choices": ["x", "y"], "answer": "y", "topic": "t"},
        {"id": "b", "question": "Who?", "answer": ["me", "I"]},
    )
    assert load_for_audit(path) == load_items(path)


def test_items_that_are_left_out_need_not_be_whole(write: Any) -> None:
    path = write(
        {"id": "bad", "choices": ["only"]},
        {"id": "good", "question": "Who?", "answer": "me"},
        {"id": "later", "question": "Who?", "answer": "me"},
    )
    assert [item.id for item in load_items(path, leave_out={"bad"})] == ["good", "later"]
    assert [item.id for item in load_items(path, 2, leave_out={"bad"})] == ["good"]
    with pytest.raises(InputError, match="item 'bad': has no question"):
        load_items(path, leave_out={"good"})
