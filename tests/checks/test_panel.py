"""What settles a check without asking it agrees with the check."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest

from otherwords.checks import CHECKS, vet
from otherwords.checks.reading import Reading, compare
from otherwords.checks.weight import is_slight
from otherwords.core.types import Item, Variant, original, variant_id

CASES = 800


def _edited(text: str, vocabulary: list[str], rng: random.Random) -> str:
    """A few words of it replaced, added, dropped, exchanged, or with another case or mark."""
    words = text.split(" ")
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        one, other = rng.randrange(len(words)), rng.randrange(len(words))
        edit = rng.randrange(6)
        if edit == 0:
            words[one] = rng.choice(vocabulary)
        elif edit == 1:
            words.insert(one, rng.choice(vocabulary))
        elif edit == 2 and len(words) > 1:
            del words[one]
        elif edit == 3:
            words[one], words[other] = words[other], words[one]
        elif edit == 4:
            words[one] = words[one].swapcase() if rng.random() < 0.2 else words[one].lower()
        else:
            words[one] = words[one].rstrip(".?!,") + rng.choice((".", "?", "!", ",", ""))
    return " ".join(words)


def _pairs(gate: ModuleType, seed: int) -> Iterator[tuple[Item, Variant]]:
    texts = [text for half in gate.HALVES for case in gate.cases(half) for text in case_texts(case)]
    vocabulary = [word for text in texts for word in text.split()]
    rng = random.Random(seed)
    for _ in range(CASES):
        text = rng.choice(texts)
        item = Item("i", text, ("red apple", "Paris 5", "no", "Jane Austen"), rng.randrange(4))
        new = _edited(text, vocabulary, rng)
        yield item, replace(original(item), id=variant_id("i", "v"), name="v", kind="llm", prompt=new)


def case_texts(case: tuple[str, Item, Variant]) -> list[str]:
    return [prompt for one in case[1:] if isinstance(prompt := one.prompt, str)]  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_verdict_is_what_the_check_says_when_it_is_asked(gate: ModuleType, seed: int) -> None:
    """Where a word of weight changed; the others are not weighed at all."""
    for item, variant in _pairs(gate, seed):
        compared = compare(item, variant)
        if compared.was.heavy == compared.now.heavy:
            continue
        [one] = vet(item, [variant])
        for found in one.checks:
            asked = CHECKS.get(found.check)(item, variant)
            assert found == asked, (item.prompt, variant.prompt)


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("When does the train arrive?", "Tell me when the train arrives.", True),
        ("She buys a box of books.", "She purchases a box of books.", True),
        ("Make sure that it has no headings.", "Ensure that it has no headings.", True),
        ("Which is the most likely cause?", "Which is the most probable cause?", True),
        ("She buys a box of books.", "She sells a box of pens.", False),
        ("It has 5 mg per tablet.", "It has 5 mg per spoon.", False),
        ("The light is red.", "The light is green.", False),
        ("He is paid.", "He is unpaid.", False),
        ("Write at most two lines.", "Write at least two lines.", False),
        ("All of them left.", "Some of them left.", False),
        ("Is it before noon?", "Is it after noon?", False),
        ("Give the height in metres.", "Give the height in feet.", False),
        ("He lives in Rome.", "He lives in Paris.", False),
        ("Suppose no heat escapes.", "No heat escapes.", False),
        ("The book is on the table.", "The table is on the book.", False),
        ("He does not eat meat.", "He does not eat fish.", False),
        ("Write it as a haiku.", "Haiku it as a write.", False),
    ],
)
def test_only_changes_that_no_check_weighs_are_slight(was: str, now: str, expected: bool) -> None:
    assert is_slight(Reading(was), Reading(now)) is expected
