from __future__ import annotations

from dataclasses import replace

import pytest

from otherwords.checks import CHECKS, vet
from otherwords.core.types import Item, Message, Variant, original, variant_id

SHORT = Item("s", "Name 2 birds that can NOT fly.", (), ("emu", "kiwi"))
CHOICE = Item("c", "Which is a mammal?", ("cod", "cow", "crow"), 1)


def said(item: Item, prompt: str, kind: str = "paraphrase") -> Variant:
    return replace(original(item), id=variant_id(item.id, "para1"), name="para1", kind=kind, prompt=prompt)


def verdict(check: str, item: Item, variant: Variant) -> tuple[str, str]:
    result = CHECKS.get(check)(item, variant)
    assert result.check == check
    return result.status, result.reason


@pytest.mark.parametrize(
    ("prompt", "kind", "expected"),
    [
        ("Which is a mammal?", "paraphrase", ("fail", "the same as the original, byte for byte")),
        (
            "which  is a mammal.",
            "paraphrase",
            ("fail", "the same as the original but for spaces, case or its last mark"),
        ),
        ("Which is a mammal.", "format", ("pass", "")),
        ("Which one is a mammal?", "paraphrase", ("pass", "")),
    ],
)
def test_different(prompt: str, kind: str, expected: tuple[str, str]) -> None:
    assert verdict("different", CHOICE, said(CHOICE, prompt, kind)) == expected


def compared(check: str, before: str, after: str) -> tuple[str, str]:
    item = Item("w", before, (), ())
    return verdict(check, item, said(item, after))


PASS = ("pass", "")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Which birds can NOT fly?", "What birds can NOT fly?", PASS),
        ("Which birds can NOT fly?", "Which birds can not fly?", ("fail", "lost: NOT")),
        ('Who said "to be"?', "Who said “to be”?", PASS),
        ('Who said "to be"?', 'Who said "not to be"?', ("fail", 'lost: "to be"; added: "not to be"')),
        ("Simplify 3x + 4.", "Write 3x+4 in a simpler form.", PASS),
        ("Simplify 3x + 4.", "Simplify 3x - 4.", ("fail", "lost: 3x+4; added: 3x-4")),
        ("Write to a@b.com.", "Send a mail to a@b.org.", ("fail", "lost: a@b.com; added: a@b.org")),
        ("Use 10-15 words.", "Use between 10 and 15 words.", PASS),
        ("Fill in {name}.", "Complete {name} and {name}.", ("fail", "added: {name}")),
        ("Meet on May 5, 2024.", "The meeting is on May 5 2024.", PASS),
    ],
)
def test_spans(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("spans", before, after) == expected


def test_a_long_span_is_named_in_short() -> None:
    assert compared("spans", f'Who said "{"very " * 20}good"?', "Who said so?") == (
        "fail",
        'lost: "very very very very very very very ver…',
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Buy 3 pens.", "Buy three pens.", PASS),
        ("Buy three pens.", "Buy four pens.", ("fail", "lost: 3; added: 4")),
        ("It cost 1,000 euros.", "It cost 1000 euros.", PASS),
        ("It cost 1.50.", "It cost 15.0.", ("fail", "lost: 1.5; added: 15")),
        ("It was -5 degrees.", "It was 5 degrees.", ("fail", "lost: -5; added: 5")),
        ("It has twenty-five or 25 parts.", "It has 25 or 25 parts.", PASS),
        ("Add one hundred and five.", "Add 105.", PASS),
        ("Name one of them.", "Name any of them.", PASS),
        ("Name one of them.", "Name two of them.", ("fail", "added: 2")),
        ("Who was second?", "Who was third?", ("fail", "lost: second; added: third")),
        ("Who was the 2nd?", "Who was the second?", PASS),
        ("Take it twice a day.", "Take it two times a day.", PASS),
        ("Take it twice a day.", "Take it three times a day.", ("fail", "lost: 2 times; added: 3 times")),
        ("A half is left.", "A third is left.", ("fail", "lost: 1/2; added: 1/3")),
        ("Two pens, and the two are blue.", "Two pens, and they are blue.", PASS),
        ("Add the two numbers.", "Add both numbers.", PASS),
        ("Ann, Bob and Cy: who won?", "Which of the three won: Ann, Bob or Cy?", PASS),
        ("Buy three dozen.", "Buy 36.", PASS),
        ("Press 1.", "Press one.", PASS),
    ],
)
def test_numbers(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("numbers", before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("It is 5 km away.", "It is 5 kilometres away.", PASS),
        ("It is 5 km away.", "It is 5 miles away.", ("fail", "lost: kilometer; added: mile")),
        ("Pay 15 dollars an hour.", "Pay $15 per hour.", PASS),
        ("Pay 15 dollars.", "Pay 15 euros.", ("fail", "lost: dollar; added: euro")),
        ("Leave at 9 a.m.", "Leave at 9 am.", PASS),
        ("Leave at 9 a.m.", "Leave at 9 p.m.", ("fail", "lost: a.m.; added: p.m.")),
        ("How many miles is it?", "How many kilometers is it?", ("fail", "lost: mile; added: kilometer")),
        (
            "It makes 9 cars per day, all week.",
            "It makes 9 cars per hour, all week.",
            ("fail", "lost: day; added: hour"),
        ),
        ("She is 60 years old.", "She is aged 60.", PASS),
        ("It takes 30 minutes.", "It takes 30.", ("fail", "lost: minute")),
        ("It is 25 degrees Celsius.", "It is 25 °C.", PASS),
        ("Walk 12 cm, then 5 m.", "Walk 12 m, then 5 m.", ("fail", "lost: centimeter; added: meter")),
        ("It draws 2 amperes.", "It draws 2 A.", PASS),
        ("In what year was it?", "When was it?", PASS),
    ],
)
def test_units(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("units", before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Which is not red?", "Which isn't red?", PASS),
        ("It cannot fly.", "It can't fly.", PASS),
        ("It cannot fly.", "It is unable to fly.", PASS),
        ("Do not use loops.", "Avoid loops.", PASS),
        ("Is it not true?", "Is it false?", PASS),
        ("Every cat is the most likely one.", "Each cat is the most probable one.", PASS),
        ("Which is not red?", "Which is red?", ("fail", "lost: not")),
        ("Which is red?", "Which is never red?", ("fail", "added: not")),
        ("Take at least three.", "Take no fewer than three.", PASS),
        ("Take at most three.", "Do not take more than three.", PASS),
        ("Take at least three.", "Take at most three.", ("fail", '"at least" became "at most"')),
        ("Take at least three.", "Take three.", ("fail", "lost: at least")),
        ("Members may vote.", "Members must vote.", ("fail", '"may" became "must"')),
        ("You must vote to win.", "Vote to win.", PASS),
        ("All cats sleep.", "Some cats sleep.", ("fail", '"all" became "some"')),
        ("Use only words.", "Use words.", ("fail", "lost: only")),
        ("Name the largest.", "Name the smallest.", ("fail", '"largest" became "smallest"')),
        ("Name the largest city.", "Which city is the biggest?", PASS),
        ("Name the largest city.", "Name the city.", ("fail", "lost: largest")),
        ("Name the cheapest one.", "Name the least expensive one.", PASS),
        ("Name the hottest place.", "Name the wettest place.", ("fail", '"hottest" became "wettest"')),
        ("The bill is unpaid.", "The bill is paid.", ("fail", '"unpaid" became "paid"')),
        ("The bill is unpaid.", "The bill is not paid.", PASS),
        ("The door is not open.", "The door is closed.", PASS),
        (
            "Go from the top to the end.",
            "Go from the end to the top.",
            ("fail", "top and end changed places"),
        ),
        ("Salt and pepper, please.", "Pepper and salt, please.", PASS),
        ("Take tea or milk.", "Take tea and milk.", ("fail", '"or" and "and" were exchanged')),
        ("It always rains.", "It sometimes rains.", ("fail", '"always" became "sometimes"')),
        ("Test the interest.", "Examine the forest.", PASS),
        ("Write about 5 lines.", "Write exactly 5 lines.", ("fail", '"about" became "exactly"')),
        ("Ask before you go.", "Ask after you go.", ("fail", '"before" became "after"')),
    ],
)
def test_words(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("words", before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Go unless it rains.", "Go.", ("fail", "lost: unless")),
        ("Go unless it rains.", "Go if it does not rain.", PASS),
        ("All but Ann came, except Bob.", "All but Ann came.", ("fail", "lost: except")),
        ("Ask me before you pay.", "Ask me and pay.", ("fail", "lost: before")),
        ("Ask me before you pay.", "Prior to paying, ask me.", PASS),
        ("If it fails, stop. Then call me.", "Stop. Then call me now.", ("fail", "lost: if")),
        ("If 3 pens cost $2, what do 6 cost?", "3 pens cost $2. What do 6 cost?", PASS),
        ("List cats, dogs and owls.", "List cats and owls.", ("fail", "lost: dogs")),
        (
            "Draw red, green and blue lines on paper.",
            "On paper, please draw red and blue lines here.",
            ("fail", "lost from an enumeration: green"),
        ),
        (
            "Describe the water cycle. Mention evaporation twice.",
            "Describe the water cycle now.",
            ("fail", 'lost: "Mention evaporation twice"'),
        ),
        (
            "Find a cheap hotel in Rome with free breakfast and parking.",
            "Look for a cheap hotel in Rome.",
            ("fail", "lost: free … breakfast … parking"),
        ),
        ("Please name the king.", "Name the king.", PASS),
        ("What is the name of the king?", "Who is the king?", PASS),
    ],
)
def test_constraints(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("constraints", before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Where is Rome?", "In what place is Rome?", PASS),
        ("Where is Rome?", "Where is Paris?", ("fail", "lost: Rome; added: Paris")),
        ("What is the capital of France?", "What is France's capital?", PASS),
        ("What is the capital of France?", "What is the French capital?", PASS),
        ("What is the food of Italy?", "What is Italian food?", PASS),
        ("Who is from Austria?", "Who is from Australia?", ("fail", "lost: Austria; added: Australia")),
        ("Maria has 3 pens.", "Marta has 3 pens.", ("fail", "lost: Maria; added: Marta")),
        ("Workers leave at noon.", "Employees leave at noon.", PASS),
        ("Call Mr. Okafor.", "Give Mr. Okafor a call.", PASS),
        ("Call Mr. Okafor.", "Call Mr. Olsen.", ("fail", "lost: Okafor; added: Olsen")),
        ("Tom is older than Ann.", "Ann is older than Tom.", ("fail", "names changed places")),
        ("Ask Tom and Ann.", "Ask Ann and Tom.", PASS),
        (
            "Write it in TypeScript.",
            "Write it in JavaScript.",
            ("fail", "lost: Typescript; added: Javascript"),
        ),
        ("Did it rain?", "Will it have rained?", PASS),
    ],
)
def test_names(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("names", before, after) == expected


STATES = ("fail", "states something; the original asks")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("What is X?", "Tell me what X is.", PASS),
        ("What is X?", "State what X is.", PASS),
        ("What is X?", "What is X.", PASS),
        ("What is X?", "X is a letter.", STATES),
        ("How much do 3 pens cost?", "if I buy 3 pens, how much do they cost", PASS),
        ("Write a poem.", "Roses are red.", STATES),
        ("Write a poem.", "Your task is to write a poem.", PASS),
        ("Write a poem.", "Zap a poem.", PASS),
        ("Fix the bug.", "The bug should be fixed.", PASS),
        ("You are a tutor. Give hints.", "As a tutor, you provide hints.", PASS),
        ("Why is it so?", "Sure, here is why it is so.", ("fail", 'answers instead of rewording: "Sure,"')),
        (
            "Write a poem about it?",
            "Here is a poem about it. Do you like it?",
            ("fail", 'answers instead of rewording: "Here is a poem"'),
        ),
        ("What is X?", "Here is a question to answer: What is X?", PASS),
        (
            "What is X?",
            "Rewritten prompt: What is X?",
            ("fail", 'answers instead of rewording: "Rewritten prompt:"'),
        ),
        ("What is X?", "What is X? It is the last letter but two.", ("fail", "goes on after the question")),
        ("What is X?", "What is X? Tell me.", PASS),
        ("The sky is blue.", "Blue is the sky.", PASS),
    ],
)
def test_asks(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("asks", before, after) == expected


ANSWERS = """
    Sure, | Certainly! | Of course, | Absolutely. | Yes, | No, | Nope. | Yep! | Great question!
    | Good question. | False. | True. | Correct. | Incorrect: | Here's the answer | Here are two solutions
    | The answer is | The correct answer: | Correct answer is | Right answer: | Final answer:
    | Answer: | Solution: | To solve this | To answer the | Let's break | First, we | Step 1: | Reworded:
    | Rephrased question: | Paraphrase: | REWRITTEN:
"""


@pytest.mark.parametrize("opening", [opening.strip() for opening in ANSWERS.split("|")])
def test_however_an_answer_opens_it_is_no_rewording(opening: str) -> None:
    found = ("fail", f'answers instead of rewording: "{opening}"')
    assert compared("asks", "What is X?", f"*{opening} what is X?") == found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Why?", "Why is that?", PASS),
        ("Why?", "I'm sorry, but I can't say why.", "I'm sorry, but I can't say why."),
        ("Why?", "As an AI, I do not know why.", "As an AI, I do not know why."),
        ("Why?", "**Unfortunately, I am unable to.**", "Unfortunately, I am unable to.**"),
        ("Why?", "Why? I cannot answer that.", "I cannot answer that."),
        ("I'm sorry, but I can't log in. Why?", "I'm sorry, but I can't log in. How come?", PASS),
        ("My mail is locked.", "What can I do if I can't access my mail?", PASS),
    ],
)
def test_refusal(before: str, after: str, expected: tuple[str, str] | str) -> None:
    if isinstance(expected, str):
        expected = ("fail", f'declines instead of rewording: "{expected}"')
    assert compared("refusal", before, after) == expected


BLOCK = "Explain this:\n\n```\nx = 1\n```"
BARE = "Explain:\n\ndef f(x):\n    return x"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (BLOCK, BLOCK.replace("Explain", "Describe"), PASS),
        (BLOCK, BLOCK.replace("x = 1", "x = 2"), ("fail", "lost: ``` x = 1 ```; added: ``` x = 2 ```")),
        (BARE, BARE.replace("Explain", "Describe"), PASS),
        (BARE, BARE.replace("return x", "return y"), ("fail", "lost: return x")),
        ("Use `ls`.", "Try `ls`.", PASS),
        ("Use `ls`.", "Use ls.", ("fail", "lost: `ls`")),
        ("Use `a`, not `b`.", "Use `b`, not `a`.", ("fail", "pieces of code changed places")),
        ("Call load_data now.", "Call loadData now.", ("fail", "lost: load_data")),
        ("It runs in O(n log n).", "It runs in O(n^2).", ("fail", "lost: O(n log n); added: O(n^2)")),
        ("Push it to feature/login.", "To feature/login it goes.", PASS),
        ("Name the item(s).", "Name it and/or them.", PASS),
        ("Data:\nOak;95\nElm;70", "Data:\nOak;95\nAsh;70", ("fail", "lost: Elm;70")),
    ],
)
def test_code(before: str, after: str, expected: tuple[str, str]) -> None:
    assert compared("code", before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1, 9, ("pass", "")),
        (1, 10, ("fail", "10 words for the original's 1")),
        (40, 20, ("pass", "")),
        (40, 19, ("fail", "19 words for the original's 40")),
        (40, 80, ("pass", "")),
        (40, 81, ("fail", "81 words for the original's 40")),
        (3, 0, ("fail", "the text is empty")),
    ],
)
def test_length(before: int, after: int, expected: tuple[str, str]) -> None:
    item = Item("l", "word " * before, (), ("x",))
    assert verdict("length", item, said(item, "word " * after)) == expected


LINES = "Read:\n- a\n- b\n\n```\nx\n```"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (LINES.replace("Read", "Look"), ("pass", "")),
        (f"First this.\n\n{LINES}", ("pass", "")),
        (f"{LINES}\nAnswer.", ("pass", "")),
        ("Read: - a - b ``` x ```", ("fail", "1 line for the original's 7")),
        (f"1\n2\n3\n{LINES}", ("fail", "3 lines added")),
        ("Read:\na\n- b\n\n```\nx\n```", ("fail", "lists, tables, code or blank lines moved")),
    ],
)
def test_lines(after: str, expected: tuple[str, str]) -> None:
    item = Item("n", LINES, (), ("x",))
    assert verdict("lines", item, said(item, after)) == expected


MOVED = replace(
    original(CHOICE), name="pert:order_rev", choices=("crow", "cow", "cod"), option_order=(2, 1, 0)
)
WRONG_TARGET = ("fail", "the target is another option than the original's")


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (MOVED, ("pass", "")),
        (replace(MOVED, target=0), WRONG_TARGET),
        (replace(MOVED, target=3), WRONG_TARGET),
        (replace(MOVED, target=("cow",)), WRONG_TARGET),
        (
            replace(MOVED, option_order=(0, 1, 2)),
            ("fail", "the options are not the original's in the order given"),
        ),
        (replace(MOVED, option_order=(0, 0, 1)), ("fail", "the option order 0,0,1 is no order of 3 options")),
        (replace(MOVED, option_order=()), ("fail", "the option order (none) is no order of 3 options")),
        (
            replace(MOVED, choices=("hen", "cow", "cod")),
            ("fail", "the options are not the original's in the order given"),
        ),
    ],
)
def test_options(variant: Variant, expected: tuple[str, str]) -> None:
    assert verdict("options", CHOICE, variant) == expected


def test_options_of_items_without_them_or_without_a_known_target() -> None:
    assert verdict("options", SHORT, said(SHORT, "x")) == ("not_applicable", "no options")
    changed = replace(said(SHORT, "x"), target=("hen",))
    assert verdict("options", SHORT, changed) == ("fail", "the accepted answers changed")
    unknown = replace(CHOICE, target=())
    assert verdict("options", unknown, original(unknown)) == ("pass", "")
    assert verdict("options", unknown, replace(MOVED, target=())) == (
        "fail",
        "the options moved, but the target cannot move with them",
    )


AUSTEN = Item("a", "Who wrote it?", ("Jane Austen", "Emily Brontë"), 0)


@pytest.mark.parametrize(
    ("item", "prompt", "expected"),
    [
        (SHORT, "Name 2 birds, such as the Emu, that can NOT fly.", ("fail", "says the answer: emu")),
        (SHORT, "Name 2 birds, lemurs aside, that can NOT fly.", PASS),
        (CHOICE, "Which is a mammal, the cow?", ("fail", "says the answer: cow")),
        (CHOICE, "Which is a mammal, the cod?", PASS),
        (CHOICE, "Which is a mammal? The answer is B.", ("fail", "says which option is right: B")),
        (CHOICE, "Which is a mammal? The answer is C.", PASS),
        (AUSTEN, "Did Austen write it?", ("fail", "says a part of the answer: Austen")),
        (Item("n", "How many?", (), ("1,000",)), "Is it 1000?", ("fail", "says the answer: 1,000")),
        (Item("n", "How many?", (), ("3",)), "Are there three?", ("fail", "says the answer: 3")),
        (Item("y", "Has he money?", (), ("no",)), "Has he no money?", PASS),
        (Item("y", "Is it so?", (), ("yes",)), "Yes or no: is it so?", PASS),
        (Item("y", "Is it so?", (), ("no",)), "Is it so? No.", ("fail", "says the answer: no")),
        (Item("e", "Is the emu a bird?", (), ("emu",)), "Tell me whether the emu is a bird.", PASS),
        (
            Item("e", "Which letter?", (), ("A",)),
            "A letter?",
            ("not_applicable", "no answer that could be recognised"),
        ),
        (Item("e", "Which?", (), ()), "What?", ("not_applicable", "no answer that could be recognised")),
    ],
)
def test_leak(item: Item, prompt: str, expected: tuple[str, str]) -> None:
    assert verdict("leak", item, said(item, prompt)) == expected


def test_checks_look_at_the_message_that_was_reworded() -> None:
    item = Item("m", (Message("system", "Say 7."), Message("user", "Add 3.")), (), ("ten",))
    variant = replace(said(item, ""), prompt=(Message("system", "Say 7."), Message("user", "Add 4.")))
    assert verdict("numbers", item, variant) == ("fail", "lost: 3; added: 4")


@pytest.mark.parametrize("answer", ["²", "½", "٣", "1,5", "$", "%", "3.", ".5", "1.2.3"])
def test_an_answer_of_any_signs_is_compared(answer: str) -> None:
    item = Item("q", "What is it?", (), (answer,))
    variant = replace(
        original(item), id="q#p", name="p", kind="paraphrase", prompt=f"Tell me: is it {answer}"
    )
    assert {one.check for one in vet(item, [variant])[0].checks} >= {"leak", "numbers"}
