from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("pairs", Path(__file__).parent / "pairs.py")
assert _SPEC is not None
assert _SPEC.loader is not None
pairs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(pairs)

REFUSED = [
    ("When did the war end?", "Where did the war end?", "asked", "asks for a place instead of a time"),
    (
        "In what year was it built?",
        "In which city was it built?",
        "asked",
        "asks for a place instead of a time",
    ),
    (
        "How long is the flight from New York to Florida?",
        "How long does it take to fly from Florida to New York?",
        "route",
        "reversed: from new york to florida",
    ),
    (
        "Move 20 euros from savings to checking.",
        "Move 20 euros from checking to savings.",
        "route",
        "reversed: from saving to check",
    ),
    (
        "Tom is older than Ann. Who is younger?",
        "Ann is older than Tom. Who is younger?",
        "comparison",
        "exchanged around 'older than'",
    ),
    (
        "Sara has 3 apples and 5 pears. How many more pears has she?",
        "Sara has 5 apples and 3 pears. How many more pears has she?",
        "counted",
        "exchanged: 3 and 5 (apple, pear)",
    ),
    (
        "What is the name of Anna's brother's friend?",
        "What is the name of Anna's friend's brother?",
        "possessor",
        "exchanged: brother's friend became friend's brother",
    ),
    ("Add 3 and 40.", "Add 3 and 41.", "numbers", "lost: 40; added: 41"),
    ("It was −8 °C. How cold was it?", "It was 8 °C. How cold was it?", "numbers", "lost: -8; added: 8"),
    (
        "The area is 40 cm². How long is the side?",
        "The area is 40 m². How long is the side?",
        "units",
        "lost: 40 centimeter^2; added: 40 meter^2",
    ),
    (
        "It accelerates at 5 m/s². How fast is it?",
        "It moves at 5 m/s. How fast is it?",
        "units",
        "lost: 5 meter second^-2; added: 5 meter second^-1",
    ),
    ("Write at most 50 words.", "Write at least 50 words.", "bounds", "turned round: the limit 50"),
    ("Which of these is a metal?", "Which of these is not a metal?", "negation", "added: not"),
    ("Do not use recursion here.", "Use recursion here.", "negation", "lost: not"),
    (
        "Which is the largest city?",
        "Which is the smallest city?",
        "opposites",
        "lost: largest; added: smallest",
    ),
    (
        "Open /etc/hosts and print it.",
        "Open /etc/passwd and print it.",
        "spans",
        "lost: /etc/hosts; added: /etc/passwd",
    ),
    ("Run `make test` now.", "Run `make tests` now.", "code", "lost: `make test`; added: `make tests`"),
    (
        "What is the capital of Peru?",
        "Lima is the capital of Peru.",
        "answered",
        "states something; the original asks",
    ),
    (
        "Who wrote Emma?",
        "By whom was Emma written? (paraphrased)",
        "answered",
        'speaks of the rewording: "paraphrased"',
    ),
    (
        "Write a poem about rain.",
        "I'm sorry, but I can't help with that request.",
        "refusal",
        "declines instead of rewording: \"I'm sorry, but I can't help with that request.\"",
    ),
]


@pytest.mark.parametrize(("before", "after", "check", "reason"), REFUSED)
def test_an_invariant_refuses_with_its_reason(before: str, after: str, check: str, reason: str) -> None:
    found = {one.check: one.reason for one in pairs.vetted(before, after).failures}
    assert found.get(check) == reason, found


NOTICED = [
    ("Give two names and two ages.", "Give three names and two ages.", "amounts"),
    ("Who did France defeat in 1806?", "Who defeated France in 1806?", "exchanged"),
    (
        "What was the company's revenue in 2020?",
        "How much profit did the company make in 2020?",
        "wording",
    ),
    ("How old was Mozart when he wrote it?", "How long did it take Mozart to write it?", "wording"),
    ("Buy these:\n- milk\n- bread\nPay in cash.", "Buy these:\n- milk\nPay in cash.", "sentence"),
    ("Do this:\n1. mix it\n2. bake it", "Do this:\n1. bake it\n2. mix it", "wording"),
    ("What is the total of 3, 5 and 9?", "What is the average of 3, 5 and 9?", "wording"),
    ("How old is the universe?", "How old is the university?", "wording"),
    ("Is a whale a fish? Explain your answer.", "Is a whale a fish?", "sentence"),
    ("Which train leaves before noon?", "Which train arrives before noon?", "wording"),
    ("List customers with more than three orders.", "List customers with at least three orders.", "wording"),
    ("Write at most 50 words on Rome.", "Write fewer than 50 words on Rome.", "limit"),
    ("Name the capital of Australia.", "Name the capital of Austria.", "wording"),
    ("Print only the label.", "Print the label.", "wording"),
    ("Invite everyone except Omar to dinner.", "Invite everyone and Omar to dinner.", "wording"),
    ("What is the area in square metres?", "What is the area?", "wording"),
    ("Does it follow that some are retired?", "How many of them are retired?", "wording"),
    ("In Hamlet, who kills him, and why?", "Where is he killed in Hamlet, and why?", "wording"),
    (
        "Omar pays with a $20 note. How much change does he get?",
        "Omar pays with a $20 note. How many teas does he get for his change?",
        "wording",
    ),
]


@pytest.mark.parametrize(("before", "after", "check"), NOTICED)
def test_a_flag_asks_for_a_look(before: str, after: str, check: str) -> None:
    one = pairs.vetted(before, after)
    assert check in [found.check for found in one.flags], one.checks
    assert one.status != "accepted"


ACCEPTED = [
    ("How will artificial intelligence change medicine?", "How will AI change medicine?"),
    ("Fix the spelling mistakes in this text.", "Fix incorrect spellings in this text."),
    ("When did the First World War begin?", "When did World War I start?"),
    ("The train leaves 90 minutes later.", "The train leaves an hour and a half later."),
    ("Find the logs that are older than 14 days.", "Find the logs that are older than two weeks."),
    ("Book a table for six at 7:30 pm.", "Reserve a table for six at half past seven in the evening."),
    ("Which emperors ruled before Nero?", "Which emperors ruled earlier than Nero?"),
    (
        "A car covers 150 km in two hours. How fast is it?",
        "A car covers 150 kilometres in 2 hours. How fast is it?",
    ),
    ("Write no more than 50 words.", "Write at most 50 words."),
    ("Is it more than 3 metres high?", "Is it over 3 metres high?"),
    ("Write a haiku about rain.", "I'd love a haiku about rain."),
    ("Send a short reminder to Ann.", "Ann should get a short reminder."),
    (
        "A pump moves 90 litres per minute.\nHow long does it take?",
        "A pump moves 90 L a minute.\nHow long does it take?",
    ),
    ("Which movie won in 1998?", "Which film won in 1998?"),
    ("It takes 2.5 hours. When is it done?", "It takes two and a half hours. When is it done?"),
    ("It leaks 90 litres per hour. When is it empty?", "It leaks 90 litres/hour. When is it empty?"),
    ("Turn this into plain English: go.", "Rephrase this in plain English: go."),
]


@pytest.mark.parametrize(("before", "after"), ACCEPTED)
def test_a_good_rewording_is_accepted(before: str, after: str) -> None:
    one = pairs.vetted(before, after)
    assert (one.status, pairs.objections(before, after)) == ("accepted", {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Explain photosynthesis. Avoid equations.", "Explain photosynthesis without equations."),
        ("Which of these is incorrect?", "Which of these is not correct?"),
    ],
)
def test_a_denial_in_other_words_is_for_the_judge(before: str, after: str) -> None:
    assert pairs.vetted(before, after).status == "undecided"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "How do I tell that an avocado is ripe without cutting it?",
            "How can I see that an uncut avocado is ripe?",
        ),
        ("Is it legal to drive barefoot?", "Is it legal to drive without shoes?"),
    ],
)
def test_without_may_be_said_otherwise(before: str, after: str) -> None:
    for one, other in ((before, after), (after, before)):
        assert "negation" not in {found.check for found in pairs.vetted(one, other).failures}


@pytest.mark.parametrize(
    ("target", "after", "reason"),
    [
        (("Jane Austen",), "Which novel of Austen's was the last?", "says a part of the answer: Austen"),
        (("Atacama",), "Is the Atacama the driest desert?", "says the answer: Atacama"),
        (("12",), "Is it twelve that it makes?", "says the answer: 12"),
        (("1,2",), "Is it 1,2 that it makes?", "says the answer: 1,2"),
    ],
)
def test_a_leak_of_the_answer_is_refused(target: tuple[str, ...], after: str, reason: str) -> None:
    found = {one.check: one.reason for one in pairs.vetted("Which one is it?", after, target=target).failures}
    assert found["leak"] == reason


def test_rules_that_keep_the_meaning_raise_no_flags() -> None:
    one = pairs.vetted("What was the revenue?", "What was the profit?", kind="paraphrase")
    assert (one.flags, one.status) == ((), "accepted")
    assert {found.reason for found in one.checks if found.check == "wording"} == {
        "made by a rule that keeps the meaning"
    }


def test_words_are_compared_in_english_only() -> None:
    one = pairs.vetted("Quelle est la capitale de la France ?", "Où se trouve la capitale de la France ?")
    assert (one.status, [found.check for found in one.flags]) == ("undecided", ["unread"])
    assert {found.reason for found in one.checks if found.check == "asked"} == {
        "the prompt is not in English"
    }


@pytest.mark.parametrize(
    "text",
    ["", "🙂🙂🙂", "| a | b |\n|---|---|\n| 1 | 2 |", "ما هي عاصمة فرنسا؟", "x" * 100_000],
    ids=["empty", "emoji", "table", "right-to-left", "one long word"],
)
def test_odd_texts_are_decided(text: str) -> None:
    assert pairs.vetted(text, text + " please").status in ("accepted", "rejected", "undecided")


@pytest.mark.slow
def test_a_text_of_100_000_characters_is_decided_without_parsing_it() -> None:
    text = "The quick brown fox jumps over the lazy dog near 12 rivers. " * 1_700
    one = pairs.vetted(text, text.replace("fox", "cat"))
    assert "more text changed than is compared word by word" in {found.reason for found in one.checks}
    assert one.status in ("accepted", "rejected", "undecided")
