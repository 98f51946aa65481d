from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.types import Item, Message, Prompt
from otherwords.variants.position import POSITION

CODE = "```python\nx  = 1\n\nprint(x)\n```"


def moved(prompt: Prompt, **fields: object) -> dict[str, Prompt]:
    made = POSITION.candidates(Item("1", prompt, **fields), k=9, seed=0)  # type: ignore[arg-type]
    assert all((one.kind, one.change) == ("position", one.name) for one in made)
    return {one.name: one.prompt for one in made}


def turns(system: str, user: str) -> tuple[Message, ...]:
    return (Message("system", system), Message("user", user))


@pytest.mark.parametrize(
    ("asked", "data"),
    [
        ("What does this code print?", CODE),
        ("Summarize the text in one sentence.", "Text: The harbour was quiet.\nThe boats stayed."),
        ("Sort these words by length.", "- pear\n- fig\n- apple"),
        ("Which city in the table is largest?", "| city | people |\n|---|---|\n| Rome | 3 |"),
        ("Please translate the note into French.", "> The cat sleeps.\n> It is late."),
        ("Summarize the note.", "<note>\nIt rained.\n\nWe stayed in.\n</note>"),
        ("Fix the bug and explain what was wrong.\nBe brief.", f"{CODE}\n\n    x: undefined"),
        ("Is this review positive?", 'Review: I liked it.\n\n"""\nAnd so did\n\nmy cat.\n"""'),
    ],
)
def test_an_instruction_before_its_data(asked: str, data: str) -> None:
    assert moved(f"{asked}\n\n{data}") == {
        "instruction-last": f"{data}\n\n{asked}",
        "system": turns(asked, data),
    }


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        (CODE, "What does this code print?"),
        ("The old mill stood by the river.\n\nIn spring it flooded.", "Question: When did the mill flood?"),
        ("Context: The mill flooded in spring.", "When did the mill flood?"),
    ],
)
def test_an_instruction_after_its_data(data: str, asked: str) -> None:
    assert moved(f"{data}\n\n{asked}") == {
        "instruction-first": f"{asked}\n\n{data}",
        "system": turns(asked, data),
    }


def test_white_space_stays_where_it_was() -> None:
    text = f"\nWhat does this code print?\n \n\n{CODE}\n\n"
    assert moved(text)["instruction-last"] == f"\n{CODE}\n \n\nWhat does this code print?\n\n"


def test_what_points_on_still_points_on_from_the_system_turn() -> None:
    asked = "Translate the following sentence into French:"
    assert moved(f"{asked}\n\n> The cat sleeps.") == {"system": turns(asked, "> The cat sleeps.")}


def test_what_points_back_stays() -> None:
    assert moved(f"{CODE}\n\nWhat does the code above print?") == {}


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "It rained all day.\n\nThe boats stayed in.\n\nWhy did they stay?",
        "Write a function that adds two numbers.\n\n- Use Python.\n- Import nothing.",
        f"Answer in this format.\n\n{CODE}",
        f"What does this print?\n\n{CODE}\n\nThink about it first.",
        "Context: It rained.\n\nQuestion: Was it dry?\n\nAnswer:",
        "Question: Is it wet?\n\nAnswer: yes\n\nQuestion: Is it dry?",
        "Use of the land has changed.\n\n- fields\n- woods",
        CODE,
        "",
    ],
)
def test_what_is_not_clearly_apart_stays(text: str) -> None:
    assert moved(text) == {}


def test_options_are_shown_below_the_user_turn_so_the_question_stays_there() -> None:
    text = "Context: The mill flooded in spring.\n\nWhen did the mill flood?"
    assert list(moved(text, choices=("spring", "autumn"), target=0)) == ["instruction-first"]


def test_chats() -> None:
    asked, told = Message("user", f"What does this code print?\n\n{CODE}"), Message("system", "Be brief.")
    last = Message("user", f"{CODE}\n\nWhat does this code print?")
    assert moved((told, asked)) == {
        "instruction-last": (told, last),
        "system": turns("Be brief.\n\nWhat does this code print?", CODE),
    }
    earlier = (Message("user", "Hello."), Message("assistant", "Hello!"))
    assert moved((*earlier, asked)) == {"instruction-last": (*earlier, last)}


BLOCKS = st.sampled_from(
    [
        "What does it say?",
        "Summarize the text.",
        "Question: Who came?",
        "It rained all day. Nobody came.",
        "Text: It rained.\nAnd rained.",
        CODE,
        "- one\n- two",
        "| a | b |",
        "> quoted\n> lines",
        "<t>\na\n\nb\n</t>",
        "Answer:",
    ]
)


@given(
    st.lists(BLOCKS, max_size=5),
    st.sampled_from(["\n\n", "\n \n", "\n\n\n"]),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_nothing_but_the_order_changes(blocks: list[str], gap: str, edge: str) -> None:
    text = edge + gap.join(blocks) + edge
    for name, prompt in moved(text).items():
        said = [prompt] if isinstance(prompt, str) else [turn.content for turn in prompt]
        assert prompt != text
        lines = Counter(line for part in said for line in part.split("\n") if line.strip())
        assert lines == Counter(line for line in text.split("\n") if line.strip())
        assert all(any(block in part for part in said) for block in blocks)
        assert name == "system" or len(str(prompt)) == len(text)
