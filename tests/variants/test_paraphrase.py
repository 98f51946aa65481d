from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message
from otherwords.variants import FAMILIES, generate_paraphrases

GOLDEN = Path(__file__).with_name("golden_paraphrases.txt")


def golden_stems() -> list[str]:
    return [line for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line[:1].strip()]


def golden_lines() -> str:
    """What the rules make now. Running this file writes it down; read the diff line by line."""
    lines = []
    for stem in golden_stems():
        lines.append(stem)
        lines += [f"    {one.change}: {one.prompt}" for one in generate_paraphrases(stem, k=100)[1:]]
    return "\n".join(lines) + "\n"


def test_the_golden_paraphrases() -> None:
    assert golden_lines() == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("stem", [stem for stem in golden_stems() if stem.endswith("?")])
def test_every_question_gets_three(stem: str) -> None:
    if stem.startswith("Question:"):
        assert len(generate_paraphrases(stem, k=3)) == 2  # after the label only another question fits
    else:
        assert len(generate_paraphrases(stem, k=3)) == 4


def test_k_takes_the_first() -> None:
    stem = "Which of the following is the most likely cause?"
    whole = generate_paraphrases(stem, k=9)
    assert [len(generate_paraphrases(stem, k=k)) for k in (0, 1, 2)] == [1, 2, 3]
    assert generate_paraphrases(stem) == whole[:3]
    assert [one.change for one in whole[1:3]] == ["which-of-these", "probable"]
    assert whole[1].params == {"rules": ["which-of-these"]}
    assert (whole[1].kind, whole[1].generator) == ("paraphrase", "paraphrase/1")


@pytest.mark.parametrize(
    ("stem", "k", "message"),
    [
        ("", 2, "stem must not be empty"),
        (" \n", 2, "stem must not be empty"),
        (None, 2, "stem must be text, got NoneType"),
        ("Q?", -1, "k must be 0 or more, got -1"),
        ("Q?", True, "k must be a whole number, got bool"),
        ("Q?", 2.0, "k must be a whole number, got float"),
    ],
)
def test_bad_arguments_are_refused(stem: Any, k: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        generate_paraphrases(stem, k)
    assert str(caught.value) == message


def test_only_the_last_user_message_of_a_chat_is_reworded() -> None:
    chat = (
        Message("system", "What is the rule?"),
        Message("user", "Who wrote Hamlet?"),
        Message("assistant", "Which of the following?"),
        Message("user", "Who wrote Emma?"),
    )
    [made] = FAMILIES.get("paraphrase").candidates(Item("1", chat), k=1, seed=0)
    assert made.prompt == (*chat[:3], Message("user", "Tell me who wrote Emma."))


def test_a_chat_in_which_no_user_speaks_gets_nothing() -> None:
    item = Item("1", (Message("system", "Who wrote Emma?"),))
    for _, family in FAMILIES:
        assert family.candidates(item, k=5, seed=0) == []


def test_a_prompt_of_many_lines_keeps_its_lines_and_its_code() -> None:
    code = "```python\nx  = 1\n\nprint(x)\n```"
    stem = f"Read the code.\n\n{code}\n\n- a\n- b\n\nWhat is the value of `x`?\nAnswer briefly."
    [_, state, tell] = generate_paraphrases(stem, k=2)
    assert state.prompt == stem.replace("What is the value of `x`?", "State the value of `x`.")
    assert tell.prompt == stem.replace("What is the value of `x`?", "Tell me what the value of `x` is.")


@pytest.mark.parametrize(
    "stem",
    [
        "What is the man holding?",
        "What is the city famous for in Italy?",
        "Which element is Marie Curie known for?",
        "Who was the book written by?",
        "What is the capital of France, and who is its president?",
        "Why do birds not fall when they sleep?",
        "What can you do?",
        "What if the Earth stopped?",
    ],
)
def test_a_question_whose_word_order_cannot_be_turned_safely_is_only_framed(stem: str) -> None:
    made = generate_paraphrases(stem, k=50)[1:]
    assert {"tell-me", "state", "state-the", "want-to-know"}.isdisjoint(one.change for one in made)
    assert len(made) >= 3


if __name__ == "__main__":
    GOLDEN.write_text(golden_lines(), encoding="utf-8")
