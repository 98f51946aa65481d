from __future__ import annotations

from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message
from otherwords.variants import FAMILIES, generate_paraphrases
from otherwords.variants.paraphrase import PARAPHRASE


def test_k_takes_the_first() -> None:
    stem = "Which of the following is the most likely cause?"
    whole = generate_paraphrases(stem, k=9)
    assert [len(generate_paraphrases(stem, k=k)) for k in (0, 1, 2)] == [1, 2, 3]
    assert generate_paraphrases(stem) == whole[:3]
    assert [one.change for one in whole[1:3]] == ["which-of-these", "probable"]
    assert whole[1].params == {"rules": ["which-of-these"]}
    assert (whole[1].kind, whole[1].generator) == ("paraphrase", "paraphrase/3")


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
    assert made.prompt == (*chat[:3], Message("user", "By whom was Emma written?"))


def test_a_chat_in_which_no_user_speaks_gets_nothing() -> None:
    item = Item("1", (Message("system", "Who wrote Emma?"),))
    assert PARAPHRASE.candidates(item, k=5, seed=0) == []


def test_a_prompt_of_many_lines_keeps_its_lines_and_its_code() -> None:
    code = "```python\nx  = 1\n\nprint(x)\n```"
    stem = f"Read the code.\n\n{code}\n\n- a\n- b\n\nWhat is the value of `x`?\nAnswer briefly."
    [_, find, tell] = generate_paraphrases(stem, k=2)
    assert find.prompt == stem.replace("What is the value of `x`?", "Find the value of `x`.")
    assert tell.prompt == stem.replace("What is the value of `x`?", "Tell me what the value of `x` is.")


@pytest.mark.parametrize(
    "stem",
    [
        "What is the city famous for in Italy?",
        "Who was the book written by?",
        "Why do birds not fall when they sleep?",
        "What if the Earth stopped?",
        "Why don't penguins fly?",
        "What is the most recent outbreak declared by the agency?",
        "What is the name of the highest grossing film?",
        "How does the school report on progress appear?",
        "Is the price under $3.70 a gallon?",
    ],
)
def test_a_question_whose_word_order_cannot_be_turned_safely_is_only_framed(stem: str) -> None:
    made = generate_paraphrases(stem, k=50)[1:]
    assert {"tell-me", "state", "want-to-know", "determine"}.isdisjoint(one.change for one in made)
    assert len(made) >= 3


def made_by(rule: str, stem: str) -> list[Any]:
    """The first, if there is one; the others change only some of its places."""
    return [one.prompt for one in generate_paraphrases(stem, k=99)[1:] if one.change == rule][:1]


@pytest.mark.parametrize(
    ("rule", "stem", "new"),
    [
        ("tell-me", "What is the man holding?", "Tell me what the man is holding."),
        (
            "tell-me",
            "Which element is Marie Curie known for?",
            "Tell me which element Marie Curie is known for.",
        ),
        ("tell-me", "Does the train stop here?", "Tell me whether the train stops here."),
        ("tell-me", "What is A's age, and who is B?", "Tell me what A's age is, and who B is."),
        ("tell-me", "If x is 2, what is its square?", "If x is 2, tell me what its square is."),
        ("tell-me", "what is the time in Rome", "tell me what the time in Rome is"),
        ("suppose", "If x is 2, what is its square?", "Suppose x is 2. What is its square?"),
        ("because-first", "The ice melts because it is warm.", "Because it is warm, the ice melts."),
        ("clause-last", "If the agent asks, say yes.", "Say yes if the agent asks."),
        ("clause-first", "Stop the car if the light is red.", "If the light is red, stop the car."),
        ("passive", "The moon causes a bulge.", "A bulge is caused by the moon."),
        ("by-whom", "Who painted the ceiling?", "By whom was the ceiling painted?"),
        ("bare-task", "Your task is to sort it.", "Sort it."),
        ("bare-request", "Could you explain it again?", "Explain it again."),
        ("contract-be", "He is here because it is late now.", "He's here because it's late now."),
        ("expand-not", "I can't and don't want it.", "I cannot and do not want it."),
        ("in-order-to", "He left in order to eat.", "He left to eat."),
        ("this-thing", "Read the following text: x", "Read this text: x"),
    ],
)
def test_rules(rule: str, stem: str, new: str) -> None:
    assert made_by(rule, stem) == [new]


@pytest.mark.parametrize(
    ("rule", "stem"),
    [
        ("because-first", "She did not go because she was tired."),
        ("because-first", "The ice melts because it is warm. It is wet."),
        ("clause-last", "When Tom arrives, he eats."),
        ("contract-be", "The tree is taller than it is wide."),
        ("contract-be", "I know where it is."),
        ("contract-be", 'He said "it is late".'),
        ("expand-be", "It's taken three days."),
        ("expand-not", "Why don't we go?"),
        ("contract-not", "It is not only late."),
        ("have-to", "Read all you need to know."),
        ("whether", "Let me know if you need help."),
        ("state", "Question: Who wrote Emma?"),
        ("task-is", "You lost your card. You want a new one. Call the bank. Ask for a refund."),
        ("each-every", "Every ten minutes a bus leaves."),
    ],
)
def test_what_the_rules_leave_alone(rule: str, stem: str) -> None:
    assert made_by(rule, stem) == []


@pytest.mark.parametrize(
    "stem",
    [
        "Translate this sentence into German: I do not know if it is late.",
        "Correct the grammar.\n\nText: He do not know because it is late.",
        "Anna: Is it late?\nBob: It is not late, and I am here.\n\nName the speakers.",
        "Count the vowels in this text.\n\nIt is late. I do not know why.",
        "Sum the column.\n\n| it is | do not |\n|---|---|\n| 1 | 2 |",
    ],
)
def test_words_that_are_data_stay(stem: str) -> None:
    made = [str(one.prompt) for one in generate_paraphrases(stem, k=99)[1:]]
    assert made
    for text in made:
        assert ("it is" in stem) == ("it is" in text)
        assert ("do not" in stem) == ("do not" in text)
