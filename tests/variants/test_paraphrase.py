from __future__ import annotations

from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.core.registry import FAMILIES
from otherwords.core.types import Item, Message
from otherwords.english.words import word_distance
from otherwords.variants.distance import is_frame_only
from otherwords.variants.paraphrase import PARAPHRASE, generate_paraphrases
from otherwords.variants.prompt_sentences import refusal
from otherwords.variants.rewording import rewordings


def prompts(stem: str, k: int = 4) -> list[Any]:
    return [one.prompt for one in generate_paraphrases(stem, k)[1:]]


def test_k_takes_the_first() -> None:
    stem = "Which of the following is the most likely cause?"
    whole = generate_paraphrases(stem, k=9)
    assert [len(generate_paraphrases(stem, k=k)) for k in (0, 1, 2)] == [1, 2, 3]
    assert generate_paraphrases(stem) == whole[:3]
    assert (whole[1].kind, whole[1].generator) == ("paraphrase", "paraphrase/4")


def test_the_change_names_the_rules_and_the_strength_the_farthest_of_them() -> None:
    one = next(rewordings("Who wrote Hamlet?"))
    assert one.text == "I am trying to find out the name of the author of Hamlet."
    [made] = generate_paraphrases("Who wrote Hamlet?", 1)[1:]
    assert made.change == "agent-noun+find-out-name"
    assert made.params == {"rules": ["agent-noun", "find-out-name"], "strength": "medium"}
    mild = {one.strength for one in rewordings("Do not use any libraries.")}
    assert mild == {"mild"}


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
    assert made.prompt[:3] == chat[:3]
    assert made.prompt[3] in [Message("user", text) for text in prompts("Who wrote Emma?", 1)]


def test_a_chat_in_which_no_user_speaks_gets_nothing() -> None:
    item = Item("1", (Message("system", "Who wrote Emma?"),))
    assert PARAPHRASE.candidates(item, k=5, seed=0) == []


def test_a_prompt_of_many_lines_keeps_its_lines_and_its_code() -> None:
    code = "```python\nx  = 1\n\nprint(x)\n```"
    before, after = f"Read the code.\n\n{code}\n\n- a\n- b\n\n", "\nUse one line."
    made = prompts(f"{before}What is the capital of Peru?{after}", 3)
    assert len(made) == 3
    assert all(text.startswith(before) and text.endswith(after) for text in made)
    assert f"{before}Could you please tell me what the capital of Peru is?{after}" in made


@pytest.mark.parametrize(
    "stem",
    [
        "Why are all quickly verifiable problems also quickly solvable?",
        "The longest winning streak consisted of how many matches?",
        "What does this Python code print?",
    ],
)
def test_a_question_whose_word_order_is_not_sure_keeps_it(stem: str) -> None:
    rules = {rule for one in rewordings(stem) for rule in one.rules}
    assert rules.isdisjoint({"tell-me", "want-to-know", "do-you-know", "ask-for"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("word " * 25_000, "it is longer than 20,000 characters"),
        ("Q: What is 1 + 1?\nA: 2\nQ: What is 2 + 2?\nA:", "it has examples with their answers"),
        ("Which are prime? Select all that apply.", "it asks to select several options"),
        ("Which of these are true? Choose two.", "it asks to select several options"),
    ],
)
def test_what_the_rules_leave_alone_has_a_reason(text: str, reason: str) -> None:
    assert refusal(text) == reason
    assert list(rewordings(text)) == []


@pytest.mark.parametrize(
    "stem",
    [
        "All of the following are prime numbers EXCEPT:",
        "If asked for your name, do not tell it to anybody",
        "def f(x):\n    return x + 1",
        "| shop | opens |\n|---|---|\n| Baker | 6:00 |",
        "Quelle est la capitale de la France ?",
        "法国的首都是哪里？",
    ],
)
def test_no_english_frame_on_stems_code_tables_and_other_languages(stem: str) -> None:
    rules = {rule for one in generate_paraphrases(stem, 50)[1:] for rule in one.params["rules"]}
    assert rules <= {"contraction"}


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ("Translate this paragraph into German.", "I can't come. What is the time?"),
        ("Answer the following question.", "How many seconds are there in a week?"),
        ("Read the passage below and answer the question.", "Question: Why do otters hold hands?"),
    ],
)
def test_what_a_prompt_gives_to_work_on_stays(told: str, given: str) -> None:
    made = prompts(f"{told}\n\n{given}")
    assert made
    assert all(text.endswith(f"\n\n{given}") for text in made)


def test_nothing_is_put_before_a_question_that_refers_back() -> None:
    tank = "A tank holds 240 litres and leaks 1.5 litres per hour. "
    asked = "If it starts full, after how many hours is it three quarters full?"
    assert not any("question" in text for text in prompts(tank + asked, 9))
    assert any("question" in text for text in prompts(asked.replace("it starts", "a tank starts"), 9))


def test_a_question_that_the_prompt_speaks_of_stays_a_question() -> None:
    made = prompts("Think before you answer the question. What is the capital of Peru?", 9)
    assert made
    assert all("apital of Peru?" in text for text in made)


@pytest.mark.parametrize(
    "stem", ["Can you get a sunburn through a window?", "Would you recommend insurance?"]
)
def test_a_question_of_yes_or_no_is_no_request(stem: str) -> None:
    rules = {rule for one in rewordings(stem) for rule in one.rules}
    assert rules.isdisjoint({"polite", "could-you", "want-you-to", "need-you-to", "answer-this"})


def test_quoted_text_code_and_file_names_stay() -> None:
    stem = 'Find all files that contain "do not panic" in main.c and run `what is it`.'
    made = prompts(stem)
    assert len(made) == 4
    assert all('"do not panic" in main.c' in text and "`what is it`" in text for text in made)


@pytest.mark.parametrize(
    "stem",
    [
        "What is the tallest mountain in Alaska?",
        "Who wrote Hamlet?",
        "How many moons does Jupiter have?",
        "Summarize the following article in no more than 100 words.",
        "Which country hosts the most matches?",
    ],
)
def test_at_most_one_of_the_first_three_only_frames_the_original(stem: str) -> None:
    first = prompts(stem, 3)
    assert len(first) == 3
    assert sum(is_frame_only(stem, text) for text in first) <= 1
    assert min(word_distance(stem, text) for text in first) > 0.25


def test_the_same_for_the_same_text() -> None:
    stem = "Which company developed the first commercial web browser?"
    assert list(rewordings(stem)) == list(rewordings(stem))
