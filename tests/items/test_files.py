from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message
from otherwords.items import items_hash, load_items, load_mcq_dataset, record

MC = {"question": "Which is a mammal?", "choices": ["cod", "cow", "crow"], "answer": "B"}


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def jsonl(*records: Any, name: str = "q.jsonl") -> Path:
    path = Path(name)
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        load_items(path, **options)
    return str(caught.value)


def test_a_multiple_choice_item_and_a_short_answer_one() -> None:
    items = load_items(
        jsonl(
            {"id": 7, **MC, "metadata": {"topic": "biology"}, "level": 2},
            {"stem": "Capital of France?", "target": ["Paris", "Paris, France"]},
        )
    )
    assert items == [
        Item(
            "7",
            "Which is a mammal?",
            ("cod", "cow", "crow"),
            1,
            {"topic": "biology", "level": 2},
            "q.jsonl:1",
        ),
        Item("line-2", "Capital of France?", (), ("Paris", "Paris, France"), {}, "q.jsonl:2"),
    ]


@pytest.mark.parametrize("answer", ["B", "b", 1, "1", "cow", " cow "])
def test_an_answer_may_be_a_letter_an_index_or_the_text(answer: str | int) -> None:
    assert load_items(jsonl({**MC, "answer": answer}))[0].target == 1


@pytest.mark.parametrize(
    ("choices", "answer", "target"),
    [
        (["A", "B", "C"], "B", 1),
        (["2", "3", "4", "5"], "3", 1),
        (["10", "20"], 20, 1),
        (["x", "x", "y"], "B", 1),
        (["x", "x", "y"], "y", 2),
        ([1.5, 2], "2", 1),
    ],
)
def test_readings_that_agree_or_that_json_settles(choices: list[Any], answer: Any, target: int) -> None:
    assert load_items(jsonl({**MC, "choices": choices, "answer": answer}))[0].target == target


WAY_OUT = "\nGive the letter when options are numbers, and the index (from 0) when they are letters."


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {**MC, "choices": ["B", "A"], "answer": "A"},
            "the answer 'A' is ambiguous: as a letter it is option A, as text it is option B" + WAY_OUT,
        ),
        (
            {**MC, "choices": ["2", "1", "0"], "answer": 2},
            "the answer '2' is ambiguous: as an index it is option C, as text it is option A" + WAY_OUT,
        ),
        (
            {**MC, "choices": ["x", "x", "y"], "answer": "x"},
            "the answer 'x' is the text of options A and B" + WAY_OUT,
        ),
        (
            {**MC, "answer": "D"},
            "the answer 'D' is no letter, index or text of the 3 options\nOptions: A. cod; B. cow; C. crow",
        ),
        (
            {**MC, "answer": -1},
            "the answer '-1' is no letter, index or text of the 3 options\nOptions: A. cod; B. cow; C. crow",
        ),
        (
            {**MC, "answer": True},
            "'answer' must be a letter, an index or an option's text, got true or false",
        ),
        ({**MC, "answer": None}, "has no answer (looked for: answer, target, answers, expected, label)"),
        ({**MC, "choices": ["one"]}, "'choices' has only one option"),
        ({**MC, "choices": "cod, cow"}, "'choices' must be a list, got text"),
        ({**MC, "choices": ["cod", ""]}, "option 2 of 'choices' is empty"),
        ({**MC, "choices": ["cod", None]}, "option 2 of 'choices' must be text or a number, got nothing"),
        ({**MC, "options": ["a", "b"]}, "has both 'choices' and 'options', which mean the same; keep one"),
        ({"answer": "x"}, "has no question (looked for: question, stem, prompt, input, messages)"),
        (
            {"messages": '[{"role": "user", "content": "Why?"}]', "answer": "x"},
            "'messages' is text, and a list of messages is wanted\nRead it with json.loads first.",
        ),
        (
            {"Question": "Why?", "answer": "x"},
            "has no question (looked for: question, stem, prompt, input, messages)\n"
            "It has 'Question'. Did you mean 'question'?",
        ),
        ({"question": " ", "answer": "x"}, "'question' is empty"),
        ({"question": 3, "answer": "x"}, "'question' must be text or a list of messages, got a whole number"),
        ({"question": "Q?", "answer": []}, "'answer' is an empty list"),
        ({"question": "Q?", "answer": {}}, "'answer' must be text or a number, got an object"),
        (
            {"question": "Q?", "answer": "x", "metadata": 1},
            "'metadata' must be an object, got a whole number",
        ),
        (
            {"question": "Q?", "answer": "x", "metadata": {"a": 1}, "a": 2},
            "'a' is given both beside and inside 'metadata'",
        ),
        ({"question": "Q?", "answer": "x", "id": 1.5}, "'id' must be text or a whole number, got a number"),
        ({"question": "Q?", "answer": "x", "id": ""}, "'id' is empty"),
        ({"input": [], "answer": "x"}, "'input' has no user message"),
        (
            {"input": [{"role": "bot", "content": "x"}, {"role": "user", "content": "x"}], "answer": "x"},
            "message 1 of 'input' has the role 'bot'; known: system, user, assistant",
        ),
        (
            {"input": [{"role": "user", "content": 1}], "answer": "x"},
            "message 1 of 'input' must have text as content, got a whole number",
        ),
    ],
)
def test_a_bad_record_is_refused_with_file_line_and_item(record: dict[str, Any], message: str) -> None:
    assert refusal(jsonl({"question": "Q?", "answer": "x"}, record)) == f"q.jsonl:2, item 'line-2': {message}"


def test_the_item_is_named_by_its_id_where_it_has_one() -> None:
    assert refusal(jsonl({"id": "fr-1", "question": "Q?"})) == (
        "q.jsonl:1, item 'fr-1': has no answer (looked for: answer, target, answers, expected, label)"
    )


def test_ids_are_unique_as_text() -> None:
    short = {"question": "Q?", "answer": "x"}
    assert refusal(jsonl({"id": 1, **short}, {"id": "1", **short})) == (
        "q.jsonl:2, item '1': this id is already used (line 1)"
    )


def test_chat_messages_are_read() -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of France?"}]
    assert load_items(jsonl({"input": chat, "target": "Paris"}))[0].prompt == (
        Message("system", "Be brief."),
        Message("user", "Capital of France?"),
    )


def test_bom_crlf_and_blank_lines_are_fine_and_lines_are_counted_right() -> None:
    line = json.dumps({"question": "Qu'est-ce que c'est que ça ?", "answer": "x"}, ensure_ascii=False)
    Path("q.jsonl").write_bytes(b"\xef\xbb\xbf" + f"{line}\r\n\r\n{line}\r\n".encode())
    assert [item.id for item in load_items("q.jsonl")] == ["line-1", "line-3"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.jsonl", b"", "q.jsonl: no items: the file is empty"),
        ("q.json", b"[]", "q.json: no items: the file is empty"),
        ("q.csv", b"question,answer\n", "q.csv: no items: the file is empty"),
        ("q.jsonl", b"[1]", "q.jsonl:1: expected an object with the item's fields"),
        ("q.json", b"[[]]", "q.json, item '#1': expected an object with the item's fields"),
        ("q.json", b"3", "q.json: expected a list of items"),
        ("q.json", b'{"rows": []}', "q.json: the object has none of the lists items, questions, data"),
        ("q.json", b'[\n{"question": }]', "q.json:2: not valid JSON at column 14"),
        ("q.jsonl", b'{"a":1}\n\xff', "q.jsonl:2: not UTF-8 text (byte 0xff)\nSave the file as UTF-8."),
        ("q.csv", b"a,b,a\n1,2,3", "q.csv:1: the column 'a' appears twice in the header"),
        ("q.csv", b"question,answer\nQ?\n", "q.csv:2: 1 cell, but the header has 2"),
        ("q.csv", b'question,answer\n"Q?,x\n', "q.csv:2: not valid CSV: unexpected end of data"),
        (
            "q.csv",
            b"question,choices,answer\nQ?,cod;cow,A\n",
            "q.csv:2: the cell 'choices' must hold a JSON list, got: cod;cow",
        ),
        (
            "q.csv",
            b"question,A,B,C,answer\nQ?,x,,y,A\n",
            "q.csv:2: the option 'B' is empty, but a later one is not",
        ),
        (
            "q.txt",
            b"",
            "q.txt: unknown file type '.txt'\n"
            "Known: .arrow, .csv, .feather, .ipc, .json, .jsonl, .ndjson, .parquet.",
        ),
    ],
)
def test_a_bad_file_is_refused(name: str, content: bytes, message: str) -> None:
    Path(name).write_bytes(content)
    assert refusal(Path(name)) == message


def test_digits_in_csv_that_read_two_ways_are_refused() -> None:
    Path("q.csv").write_text("question,A,B,C,answer\nQ?,1,2,3,2\n")
    assert refusal(Path("q.csv")) == (
        "q.csv:2, item 'line-2': the answer '2' is ambiguous: "
        "as an index it is option C, as text it is option B" + WAY_OUT
    )
    Path("q.csv").write_text("question,A,B,answer\nQ?,2,1,1\n")
    assert load_items("q.csv")[0].target == 1  # both readings say the same


def test_a_broken_json_line_is_told_with_its_column() -> None:
    Path("q.jsonl").write_text('{"question": "Q?", "answer": "x"}\n{"question": }\n')
    assert refusal(Path("q.jsonl")) == "q.jsonl:2: not valid JSON at column 14"


def test_missing_files_and_folders() -> None:
    Path("d.jsonl").mkdir()
    assert refusal(Path("none.jsonl")) == "none.jsonl: no such file"
    assert refusal(Path("d.jsonl")) == "d.jsonl: cannot read: Is a directory"


def test_max_items() -> None:
    short = {"question": "Q?", "answer": "x"}
    path = jsonl(short, short, {"broken": True})
    assert len(load_items(path, max_items=2)) == 2
    assert refusal(path, max_items=0) == "max_items must be at least 1, got 0"
    assert refusal(path, max_items=True) == "max_items must be a whole number, got bool"


def test_json_list_and_object() -> None:
    Path("a.json").write_text(json.dumps([MC]))
    Path("b.json").write_text(json.dumps({"questions": [MC]}))
    [a], [b] = load_items("a.json"), load_items("b.json")
    assert (a.id, a.source, a.target) == ("item-1", "a.json", 1)
    assert b.choices == a.choices


@pytest.mark.parametrize(
    "content",
    [
        'question,choices,answer,level\nWhich?,"[""cod"", ""cow""]",B,1\n',
        "question,A,B,C,answer,level\nWhich?,cod,cow,,B,1\n",
        "question,choice_0,choice_1,answer,level\r\nWhich?,cod,cow,cow,1\r\n",
    ],
)
def test_csv_choices_in_one_column_or_in_several(content: str) -> None:
    Path("q.csv").write_bytes(content.encode())
    [item] = load_items("q.csv")
    assert (item.choices, item.target, item.metadata, item.id) == (
        ("cod", "cow"),
        1,
        {"level": "1"},
        "line-2",
    )


def test_csv_short_answers_with_lines_inside_a_cell() -> None:
    Path("q.csv").write_text('question,answers\n"Two\nlines?","[""x"", ""y""]"\nNext?,"[""z""]"\n')
    first, second = load_items("q.csv")
    assert (first.prompt, first.target, first.source) == ("Two\nlines?", ("x", "y"), "q.csv:2")
    assert second.source == "q.csv:4"


def test_multiple_choice_is_held_to_its_options() -> None:
    whole = {"id": "a", "question": "Q?", "choices": ["x", "y"], "answer": "A"}
    Path("q.jsonl").write_text(json.dumps(whole) + "\n")
    assert load_mcq_dataset("q.jsonl") == load_items("q.jsonl")
    Path("q.jsonl").write_text(json.dumps(whole) + "\n" + '{"id": "b", "question": "R?", "answer": "z"}\n')
    with pytest.raises(InputError) as caught:
        load_mcq_dataset("q.jsonl")
    assert str(caught.value) == (
        "q.jsonl, item 'b': has no options, and multiple choice was asked for\n"
        "Give it choices, or read the file with load_items."
    )
    with pytest.raises(InputError, match="out of the root"):
        load_mcq_dataset("../q.jsonl", root=".")


def test_items_hash_is_over_what_is_asked() -> None:
    one, two = Item("1", "Q?", ("a", "b"), 0), Item("2", "R?", (), ("x",))
    assert items_hash([one, two]) == items_hash([two, Item("1", "Q?", ("a", "b"), 0, {"n": 1}, "f:1")])
    assert items_hash([one]) != items_hash([Item("1", "Q?", ("a", "b"), 1)])
    assert items_hash([one]) != items_hash([Item("1", (Message("user", "Q?"),), ("a", "b"), 0)])


@given(
    question=st.text(min_size=1).filter(str.strip),
    choices=st.lists(st.text(min_size=2).filter(str.strip), min_size=2, max_size=6, unique=True),
    data=st.data(),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, question: str, choices: list[str], data: st.DataObject
) -> None:
    target = data.draw(st.integers(0, len(choices) - 1))
    path = tmp_path_factory.mktemp("items") / "q.jsonl"
    letter = "ABCDEF"[target]
    path.write_text(
        json.dumps({"question": question, "choices": choices, "answer": letter}), encoding="utf-8"
    )
    [item] = load_items(path)
    assert (item.prompt, item.choices, item.target) == (question, tuple(choices), target)


@pytest.mark.parametrize("field", ["question", "choices", "answer", "note", "metadata"])
def test_an_item_that_is_too_long_is_refused_at_once(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "LONGEST_ITEM", 1_000)
    said = {"id": "q2", "question": "Who?", "answer": "x"}
    text = "x" * 2_000
    long: dict[str, Any] = {"choices": {"choices": ["x", text]}, "metadata": {"metadata": {"a": [text]}}}
    path = jsonl(MC, {**said, **long.get(field, {field: text})})
    told = refusal(path)
    assert told.startswith("q.jsonl:2, item 'q2': is too long: 2,0")
    assert told.endswith(" characters of text, and an item may have 1,000")
