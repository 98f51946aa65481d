"""The families that say a prompt as other people do: golden examples, strengths, what they never touch."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.checks import vet
from otherwords.core.contract import STYLES
from otherwords.core.errors import InputError
from otherwords.core.registry import FAMILIES
from otherwords.core.types import Item, Message, varied_text
from otherwords.english.quantities import in_words, mentions
from otherwords.english.spans import span_texts
from otherwords.english.words import is_word
from otherwords.variants.base import make_candidates, why_none

KINDS = ("naturalistic", *STYLES)
GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).with_name("golden") / "styles.jsonl").read_text("utf-8").splitlines()
]
AGENT = (
    "You are given a list of flights in `flights.csv`. Find the cheapest flight from Berlin to Rome that "
    'leaves before 10:30 am and is called "the colour of autumn", book it for two people on the website '
    "https://example.org/the/lorry, and do not use more than $400 for the lorry."
)


def item_of(one: dict[str, Any]) -> Item:
    choices = tuple(one.get("choices", ()))
    return Item(f"{one['family']}{one['seed']}", one["prompt"], choices, 0 if choices else ())


def made(kind: str, text: str, k: int = 2, seed: int = 0) -> dict[str, str]:
    return {
        one.name: str(one.prompt) for one in FAMILIES.get(kind).candidates(Item("1", text), k=k, seed=seed)
    }


@pytest.mark.parametrize(
    "one", GOLDEN, ids=[f"{one['family']}-{one['strength']}-{one['seed']}" for one in GOLDEN]
)
def test_golden(one: dict[str, Any]) -> None:
    """Read by a person: each says the same as its prompt. A change of the rules is a change of this file."""
    item = item_of(one)
    found = FAMILIES.get(f"{one['family']}={one['strength']}").candidates(item, k=2, seed=one["seed"])
    assert {variant.name: variant.prompt for variant in found} == one["made"]
    assert [vetted.variant.name for vetted in vet(item, found) if not vetted.accepted] == []


def test_every_family_has_golden_examples() -> None:
    for kind in KINDS:
        assert sum(bool(one["made"]) for one in GOLDEN if one["family"] == kind) >= 8, kind


def test_names_changes_and_params() -> None:
    text = "What is the capital of France?"
    one, other, second = FAMILIES.get("register").candidates(Item("1", text), k=3, seed=1)
    assert [(v.id, v.name, v.change, v.generator) for v in (one, other, second)] == [
        ("1#casual", "casual", "casual", "register/1"),
        ("1#formal", "formal", "formal", "register/1"),
        ("1#casual2", "casual2", "casual", "register/1"),
    ]
    assert one.params == {"strength": 0.5, "changes": ("casual frame", "contraction")}
    assert FAMILIES.get("register=1").candidates(Item("1", text), k=1, seed=1)[0].params["strength"] == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strength", [0.1, 1])
@pytest.mark.parametrize("seed", range(4))
def test_spans_names_and_quotations_stay(kind: str, strength: float, seed: int) -> None:
    for text in made(f"{kind}={strength}", AGENT, k=3, seed=seed).values():
        assert span_texts(text) == span_texts(AGENT)
        assert {"Berlin", "Rome"} <= set(text.split())
        assert '"the colour of autumn"' in text


@pytest.mark.parametrize("kind", KINDS)
def test_data_given_along_stays(kind: str) -> None:
    data = "Text: Colour is the thing because people do not want to go.\n\n```\nThe colour of the lorry\n```"
    text = f"Please explain the colour of the lorry because people do not want it.\n\n{data}"
    found = made(f"{kind}=1", text, k=4)
    assert found or kind == "voice"
    for new in found.values():
        assert new.endswith(data)
        assert new.count("\n") == text.count("\n")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "How many letters are in the colour of the lorry?",
        "Spell necessary backwards because people want to.",
        "What is the plural of the lorry?",
        "Correct the spelling of the colour in this note.",
    ],
)
def test_prompts_about_the_form_of_words_get_nothing(kind: str, text: str) -> None:
    assert made(kind, text) == {}
    assert why_none(Item("1", text), kind) == "it is about spelling or the form of words"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["Quelle est la couleur de la voiture ?", "```\nx = 1\n```", "", "法国的首都是哪里？"]
)
def test_what_is_not_english_prose_gets_nothing(kind: str, text: str) -> None:
    item = Item("1", text)
    assert len(make_candidates(item, [kind], k=3)) == 1
    assert why_none(item, kind) == "the prompt is not in English"


@pytest.mark.parametrize("kind", KINDS)
def test_a_very_long_prompt_is_left_alone(kind: str) -> None:
    item = Item("1", "Please explain the colour of the lorry because people want it. " * 1_600)
    assert len(varied_text(item.prompt)) > 100_000
    assert FAMILIES.get(kind).candidates(item, k=2, seed=0) == []
    assert why_none(item, kind) == "it is longer than 20,000 characters"


def test_words_of_the_answer_neither_go_nor_come() -> None:
    item = Item("1", "Is the vehicle that carries the colour of the lorry a truck?", ("lorry", "truck"), 1)
    for kind in KINDS:
        for one in FAMILIES.get(f"{kind}=1").candidates(item, k=4, seed=3):
            assert len(re.findall(r"\blorry\b", str(one.prompt))) == 1
            assert len(re.findall(r"\btruck\b", str(one.prompt))) == 1


def test_strength_is_how_much_is_changed() -> None:
    def distance(kind: str, strength: float) -> int:
        text = made(f"{kind}={strength}", AGENT, k=1)
        return sum(
            old != new for old, new in zip(AGENT.split(), next(iter(text.values())).split(), strict=False)
        )

    assert 1 <= distance("typing", 0.01) < distance("typing", 0.5) < distance("typing", 1)
    assert made("typing=0", AGENT) == {}
    colours = "Why does the colour of the lorry change in autumn?"
    assert made("dialect=0.2", colours) == {"american": "Why does the color of the lorry change in autumn?"}
    assert made("dialect=1", colours) == {"american": "Why does the color of the truck change in fall?"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("typing=1.5", "the strength of typing must be from 0 to 1, got 1.5"),
        ("typing=much", "the strength of typing must be a number, got much"),
        ("format=0.5", "the variant family 'format' has no strength"),
    ],
)
def test_bad_strengths_are_refused(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_candidates(Item("1", "Who wrote it?"), [name], k=1)
    assert str(caught.value).splitlines()[0] == message


@pytest.mark.slow
@given(st.sampled_from(KINDS), st.integers(0, 2**40), st.floats(0.01, 1))
def test_the_same_seed_gives_the_same_and_nothing_twice(kind: str, seed: int, strength: float) -> None:
    first = made(f"{kind}={strength}", AGENT, k=4, seed=seed)
    assert made(f"{kind}={strength}", AGENT, k=4, seed=seed) == first
    assert len({AGENT.casefold(), *(text.casefold() for text in first.values())}) == len(first) + 1


@pytest.mark.parametrize("seed", range(12))
def test_a_slip_leaves_no_other_word_and_keeps_both_ends(seed: int) -> None:
    new = made("naturalistic=1", AGENT, k=1, seed=seed)["typo"]
    changed = [(a, b) for a, b in zip(AGENT.split(), new.split(), strict=True) if a != b]
    assert changed
    kept = {"before", "more", "than", "not", "two", "from", "cheapest", "Find"}
    for old, now in ((old.strip(".,"), now.strip(".,")) for old, now in changed):
        assert old not in kept
        assert (old[0], old[-1]) == (now[0], now[-1])
        assert abs(len(old) - len(now)) <= 1
        assert not is_word(now)


def test_units_are_never_mistyped() -> None:
    text = "How many gigabytes are used in a month, a week, an hour or a minute?"
    for seed in range(8):
        said = made("naturalistic=1", text, k=1, seed=seed).get("typo", text)
        assert {"gigabytes", "month,", "week,", "hour", "minute?"} <= set(said.split())


@pytest.mark.parametrize(
    "text",
    [
        "Compare these: milk, bread, eggs.",
        "Is it milk, bread, eggs, or tea?",
        "Add 20, 5 and 3.",
        "Include tables for books, members and loans.",
        "Fix `x` please.",
        "Go to /etc/hosts.",
        "Two\nlines.",
        "Pick (a) or (b).",
    ],
)
def test_what_nobody_says_aloud_is_not_dictated(text: str) -> None:
    assert made("voice", text) == {}
    assert (
        why_none(Item("1", text), "voice")
        == "it has code, addresses, formulas or lists, which nobody says aloud"
    )


@given(st.integers(0, 9_999))
def test_numbers_in_words_are_the_same_numbers(value: int) -> None:
    found = [one.value for one in mentions(f"There are {in_words(value)} stickers.")]
    assert found == [value]


def test_numbers_that_are_said_otherwise_stay_in_digits() -> None:
    text = "In 1999 the shop sold 12 bikes, 2.5 kg of tea and 1,250 books. How many things is that?"
    said = made("voice", text)["voice"]
    assert re.search(r"\b1999\b.* twelve bikes.* 2\.5 kg .* one thousand two hundred fifty books", said)


def test_only_the_last_user_message_of_a_chat_changes() -> None:
    chat = (Message("system", "You are kind."), Message("user", "Please name the colour of the planets."))
    for kind in KINDS:
        found = FAMILIES.get(kind).candidates(Item("1", chat), k=2, seed=0)
        assert found
        for one in found:
            assert one.prompt[0] == chat[0]
            assert one.prompt[1] != chat[1]
