from __future__ import annotations

from dataclasses import replace

import pytest

from otherwords.checks import CHECKS
from otherwords.core.types import Item, Message, Variant, original, variant_id

SHORT = Item("s", "Name 2 birds that can NOT fly.", (), ("emu", "kiwi"))
CHOICE = Item("c", "Which is a mammal?", ("cod", "cow", "crow"), 1)


def said(item: Item, prompt: str, kind: str = "paraphrase") -> Variant:
    return replace(original(item), id=variant_id(item.id, "para1"), name="para1", kind=kind, prompt=prompt)


def verdict(check: str, item: Item, variant: Variant) -> tuple[str, str]:
    result = CHECKS.get(check)(item, variant)
    assert (result.check, result.variant_id) == (check, variant.id)
    return result.verdict, result.reason


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


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("List 2 birds that can NOT fly.", ("pass", "")),
        ("List 3 birds that can NOT fly.", ("fail", "lost: 2; added: 3")),
        ("List 2 birds that can not fly.", ("fail", "lost: NOT")),
        ("List 2 birds that can NOT fly, 2 at least.", ("fail", "added: 2")),
    ],
)
def test_spans(prompt: str, expected: tuple[str, str]) -> None:
    assert verdict("spans", SHORT, said(SHORT, prompt)) == expected


def test_a_long_span_is_named_in_short() -> None:
    item = Item("q", f'Who said "{"very " * 20}good"?', (), ("x",))
    assert verdict("spans", item, said(item, "Who said so?")) == (
        "fail",
        'lost: "very very very very very very very ver…',
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Which is not red?", "Which isn't red?", ("pass", "")),
        ("It cannot fly.", "It can't fly.", ("pass", "")),
        ("Every cat is the most likely one.", "Each cat is the most probable one.", ("pass", "")),
        ("Which is not red?", "Which is red?", ("fail", "lost: not")),
        ("Take at least three.", "Take at most three.", ("fail", "lost: least; added: most")),
        ("You must only add.", "You may add.", ("fail", "lost: must, only; added: may")),
        ("Name the largest.", "Name the smallest.", ("fail", "lost: largest; added: smallest")),
        ("Test the interest.", "Examine the forest.", ("pass", "")),
    ],
)
def test_words(before: str, after: str, expected: tuple[str, str]) -> None:
    item = Item("w", before, (), ("x",))
    assert verdict("words", item, said(item, after)) == expected


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
        ("Read: - a - b ``` x ```", ("fail", "1 lines for the original's 7")),
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


@pytest.mark.parametrize(
    ("item", "prompt", "expected"),
    [
        (SHORT, "Name 2 birds, such as the Emu, that can NOT fly.", ("fail", "says the answer: emu")),
        (SHORT, "Name 2 birds, lemurs aside, that can NOT fly.", ("pass", "")),
        (CHOICE, "Which is a mammal, the cow?", ("fail", "says the answer: cow")),
        (CHOICE, "Which is a mammal, the cod?", ("pass", "")),
        (Item("e", "Is the emu a bird?", (), ("emu",)), "Tell me whether the emu is a bird.", ("pass", "")),
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
    assert verdict("spans", item, variant) == ("fail", "lost: 3; added: 4")
