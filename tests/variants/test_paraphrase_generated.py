"""Prompts put together from awkward pieces, the same ones every time."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from otherwords.english.spans import mask, span_texts
from otherwords.variants.rewording import rewordings

# fmt: off
OPENINGS = (
    "What is", "Which of the following is", "How many", "Is", "Tell me whether", "Explain why", "Given", "If",
    "You want to", "I do not know", "It is", "Write", "Your task is to compute", "because", "Please list", "",
)
MIDDLES = (
    "the capital of France", "3.5 kg of KMnO4", "a person who is not here", "`x  = 1`", "{name}", "it",
    'the "odd  one"', "https://example.org/a?b=c", "-2,5 °C", "$1,000.50", "/etc/hosts", "NOT the file",
    "the 3rd of May 2021", "Zoë’s naïve café", "日本語", "an 🙂", "f(x) = 2x + 1", "a\u00a0b", "they",
    "me@x.org", "\U000f0001", "the following code:", "in order to win", "U.S. law", "e.g. this", "“it is”",
    "x\ty", "٣ apples",
)
ENDINGS = (
    "?", ".", "!", "", ":", "...", " because it is late.", ", and do not stop.", " if you cannot go?", ").",
    ", what is it?", " does he have in total?", " are left?", " is it?", " ;", " — really?", "?!",
)
BLOCKS = (
    "```python\nif x:  print('it is')\n\n# What is this?\n```", "~~~\ndo not\n~~~", "# It is a title", "\t",
    "1. Go to the page.\n2. Click on it.", "| it is | b |\n|---|---|\n| 1 | 2 |", "    indented  do not", "",
    "A. red\nB. blue", "Passage: It is late. Do not go.", "Q: What is it?\nA: It is a cat.", "\r",
    "Anna: Are you there?\nBob: I am not.", "```\nnever closed: it is", "- it is one\n- do not", "> It is.",
)
# fmt: on
GAPS = (" ", "\n", "\n\n", "  ", "\n \n", "\r\n")


def prompts(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        text = ""
        for _ in range(rng.randint(1, 5)):
            if rng.random() < 0.3:
                text += rng.choice(BLOCKS) + rng.choice(GAPS)
            else:
                text += f"{rng.choice(OPENINGS)} {rng.choice(MIDDLES)}{rng.choice(ENDINGS)}{rng.choice(GAPS)}"
        made.append(text)
    return made


def data_lines(text: str) -> list[str]:
    """Rows, quotations, options and indented code; a lone first line may be no such thing."""
    return [
        line for line in text.strip().split("\n")[1:] if line.startswith(("|", ">", "A. ", "B. ", "    "))
    ]


@pytest.mark.slow
def test_spans_lines_and_code_stay_and_nothing_is_a_no_op() -> None:
    changed = 0
    for text in prompts(600, seed=11):
        spans, seen = span_texts(text), {" ".join(text.casefold().split())}
        for one in islice(rewordings(text), 6):
            changed += 1
            plain = " ".join(one.text.casefold().split())
            assert span_texts(one.text) == spans
            assert one.text.count("\n") == text.count("\n")
            assert plain not in seen
            assert data_lines(one.text) == data_lines(text)
            seen.add(plain)
    assert changed > 300


def test_masked_text_is_put_back_whatever_is_edited() -> None:
    for text in prompts(2_000, seed=12):
        masked = mask(text)
        assert masked.unmask(masked.text) == text
