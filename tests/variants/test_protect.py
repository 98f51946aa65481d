from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.english.spans import find_spans, mask


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("It weighs -2.5 kg and costs $1,000.50 (about 30%).", ["-2.5 kg", "$1,000.50", "30%"]),
        ("Run `x = 1`, see https://a.b/c?d=e.", ["`x = 1`", "https://a.b/c?d=e"]),
        ("Mail me@x.org about /etc/passwd or src/main.py.", ["me@x.org", "/etc/passwd", "src/main.py"]),
        ("Balance KMnO4 and NaCl.", ["KMnO4", "NaCl"]),
        ("Solve 3x²−4x = 0 for f(x) = 2x + 1.", ["3x²−4x = 0", "f(x) = 2x + 1"]),
        ('He said "I have a dream" to the dogs\' owner.', ['"I have a dream"']),
        ("Write 'don't go' twice.", ["'don't go'"]),
        ("On 3 March 2021 at 10:30 am, or 2021-03-04.", ["3 March 2021", "10:30 am", "2021-03-04"]),
        ("Do NOT use {name} or <b>.", ["NOT", "{name}", "<b>"]),
        ("A. one\nB. two", ["A.", "B."]),
        ("Is option B or (c) right in the U.S.?", ["option B", "(c)", "U.S."]),
        ("Read:\n```py\nx = 1\n\ny = 2\n```\nWhat now?", ["```py\nx = 1\n\ny = 2\n```"]),
        ("An open fence\n```\nx", ["```\nx"]),
        ("Drive 50 km/h, a ratio of 3:2, at $x + y$.", ["50 km/h", "3:2", "$x + y$"]),
        ("Either and/or a well-known x-ray: it is May.", []),
        ("What is the capital of France?", []),
    ],
)
def test_what_is_protected(text: str, spans: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_spans(text)] == spans


@given(st.text() | st.text(alphabet="`\"'a1 .\n$({[<\x86\x9fé\U000f0000"))
def test_masking_can_always_be_undone(text: str) -> None:
    masked = mask(text)
    assert masked.unmask(masked.text) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spans", "last"),
    [(25, "number"), (65_534, "number"), (70_000, "rest")],
)
def test_however_many_spans_there_are_each_has_a_mask(spans: int, last: str) -> None:
    text = "is 7 and " * spans + "so on"
    masked = mask(text)
    assert masked.text.startswith("is \U000f0000 and ")
    assert (len(masked.spans), masked.spans[-1].kind) == (min(spans, 65_534), last)
    assert masked.unmask(masked.text) == text


def test_a_change_of_the_masked_text_cannot_reach_a_span() -> None:
    masked = mask('say "a" or `a` or a')
    assert masked.unmask(masked.text.replace("a", "b")) == 'sby "a" or `a` or b'
