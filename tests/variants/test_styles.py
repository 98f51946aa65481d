from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message
from otherwords.english.spans import protected_texts
from otherwords.variants.naturalistic import NATURALISTIC, Naturalistic, chat_style, mistype
from otherwords.variants.spelling import strange_sequences

STEM = "Please explain which of these planets has rings, because people often forget them."
AGENT = (
    "You are given a list of flights in `flights.csv`. Find the cheapest flight from Berlin to Rome that "
    "leaves before 10:30 am, book it for two people, and do not use more than $400."
)


def made(text: str, k: int = 2, seed: int = 0, strength: float = 0.2) -> dict[str, str]:
    found = Naturalistic(strength).candidates(Item("1", text), k=k, seed=seed)
    return {one.name: str(one.prompt) for one in found}


def test_names_and_params() -> None:
    [typo, chat, second] = NATURALISTIC.candidates(Item("1", STEM), k=3, seed=5)
    assert (typo.id, typo.name, typo.kind, typo.change) == ("1#typo", "typo", "naturalistic", "typo")
    assert (chat.name, chat.change, second.name, second.change) == ("chat", "chat", "typo2", "typo")
    assert typo.params == {"strength": 0.2, "seed": 5}
    assert typo.generator == "naturalistic/1"
    assert typo.prompt != second.prompt
    assert [len(NATURALISTIC.candidates(Item("1", STEM), k=k, seed=5)) for k in (0, 1, 9)] == [0, 1, 9]


@pytest.mark.parametrize(
    ("text", "chat"),
    [
        ("What is the capital of France?", "whats the capital of France"),
        ("What's the capital of France?", "whats the capital of France"),
        ("What is wrong with this code?", "what is wrong with this code"),
        ("Where is the Eiffel Tower?", "wheres the Eiffel Tower"),
        (STEM, "pls explain which of these planets has rings, bc ppl often forget them"),
        (
            AGENT,
            "u are given a list of flights in `flights.csv`. find the cheapest flight from Berlin to Rome "
            "that leaves before 10:30 am, book it for two ppl, and do not use more than $400",
        ),
        ("A train leaves. A and B meet. May is a month.", "a train leaves. A and B meet. May is a month"),
        ("Tell me about the U.S.", "tell me about the U.S."),
        ('Who said "You should thank people"?', 'who said "You should thank people"'),
        ("Question: Who wrote Emma?\nAnswer:", "Question: who wrote Emma?\nAnswer:"),
        ("Your task: ask people. Do it now.", "Your task: ask ppl. do it now"),
        ("Which is true?\nI. You can.\nII. You may.", "which is true?\nI. You can.\nII. You may."),
        ("Sort these: You, Your, Please.", "sort these: You, Your, Please."),
        (
            "Summarize it.\n\nText: You are here.\nPlease wait.",
            "summarize it.\n\nText: You are here.\nPlease wait.",
        ),
        (
            "Fix it.\n\n<note>\nYou know.\n\nThanks.\n</note>",
            "fix it.\n\n<note>\nYou know.\n\nThanks.\n</note>",
        ),
        (
            "Fix it.\n\n> Please go.\n\n    You()\n\n| You | a |",
            "fix it.\n\n> Please go.\n\n    You()\n\n| You | a |",
        ),
    ],
)
def test_chat_style(text: str, chat: str) -> None:
    assert chat_style(text) == chat


@pytest.mark.parametrize(
    "text",
    [
        "How many letters are in strawberry?",
        "Spell necessary backwards.",
        "What is the plural of mouse?",
        "Which of these rhymes with orange?",
        "Correct the spelling of this note.",
        "Is racecar a palindrome?",
    ],
)
def test_questions_about_the_form_of_words_get_nothing(text: str) -> None:
    assert made(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "```\nprint the total number\n```",
        "See https://example.org/planets or /etc/planets and `planets`.",
        "Paris, London, Madrid?",
        "Which must never exactly twelve without none?",
        "WHAT NEXT?",
    ],
)
def test_where_no_word_may_be_mistyped_there_is_no_typo(text: str) -> None:
    assert "typo" not in made(text)


def test_the_golden_typos() -> None:
    assert [mistype(STEM, 0.2, Random(seed)) for seed in range(4)] == [
        "Please explain which of these planets has rings, becauze people often forgst them.",
        "Please explain which of these planets has rings, bwcause peoole often forget them.",
        "Please explain which of these plaanets has rings, because poeple often forget them.",
        "Please explain wihch of these planets has rings, bceause people often forget them.",
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\S+", text)


@pytest.mark.slow
@given(st.integers(), st.floats(0.01, 1))
def test_a_typo_touches_only_the_words_that_it_may(seed: int, strength: float) -> None:
    new = mistype(AGENT, strength, Random(seed))
    changed = [(old, now) for old, now in zip(words(AGENT), words(new), strict=True) if old != now]
    assert changed
    kept = {"before", "more", "than", "not", "two", "from", "cheapest", "Find", "Berlin", "Rome"}
    assert kept.isdisjoint(old.strip(".,") for old, _ in changed)
    assert protected_texts(new) == protected_texts(AGENT)
    for old, now in ((old.strip(".,"), now.strip(".,")) for old, now in changed):
        assert len(old) >= 4
        assert (old[0], old[-1]) == (now[0], now[-1])
        assert abs(len(old) - len(now)) <= 1
        assert strange_sequences(now)


@given(st.integers(0, 10**9))
def test_the_same_seed_gives_the_same(seed: int) -> None:
    assert made(AGENT, k=4, seed=seed) == made(AGENT, k=4, seed=seed)


def test_other_seeds_give_others() -> None:
    assert len({made(AGENT, seed=seed)["typo"] for seed in range(20)}) == 20
    assert len({made("What is the capital of France?", seed=seed)["typo"] for seed in range(20)}) > 5


def test_strength_is_the_share_of_words() -> None:
    def count(strength: float) -> int:
        new = made(AGENT, strength=strength)["typo"]
        return sum(old != now for old, now in zip(words(AGENT), words(new), strict=True))

    assert count(0.01) == 1
    assert count(0.01) < count(0.3) < count(0.6) < count(1)


def test_strength_nought_makes_no_typo() -> None:
    assert list(made(STEM, k=9, strength=0)) == ["chat"]


@pytest.mark.parametrize("strength", [-0.1, 1.5])
def test_a_strength_out_of_range_is_refused(strength: float) -> None:
    with pytest.raises(InputError) as caught:
        Naturalistic(strength)
    assert str(caught.value) == f"strength must be from 0 to 1, got {strength}"


def test_only_the_last_user_message_of_a_chat_changes() -> None:
    chat = (Message("system", "You are kind."), Message("user", "Please name the planets."))
    for one in NATURALISTIC.candidates(Item("1", chat), k=3, seed=0):
        assert one.prompt[0] == chat[0]
        assert one.prompt[1] != chat[1]


@pytest.mark.parametrize("word", ["form", "trail", "county", "latter", "though", "patents", "string", "best"])
def test_common_words_are_known(word: str) -> None:
    assert not strange_sequences(word)


@pytest.mark.parametrize("word", ["cpaital", "qxz", "plwnet", "knosn", "tihs"])
def test_what_is_no_word_is_known(word: str) -> None:
    assert strange_sequences(word)
