from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.english.spans import find_spans, same_spans, span_texts

PIECES = st.sampled_from(
    "Tom has |3 km |3 |km |of May |12 |x |= 5 |(x |) |option |A |NASA |\"no |' |$5 |$ |`f` |e.g. |done. |"
    "The end. |How? |\n|- |1. |a/b |www.a.b |me@x.org |f.py |{n} |and |then |p.m. |2:3 |x² |don't ".split("|")
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.slow
@settings(max_examples=400)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_the_change_tells_whether_the_spans_are_the_same(first: str, one: str, other: str, last: str) -> None:
    before, after = first + one + last, first + other + last
    assert same_spans(before, after) == (span_texts(before) == span_texts(after))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He has 21 bricks.", ["21"]),
        ("Take 3 of them.", ["3"]),
        ("Come on 3 of May.", ["3 of May"]),
        ("Come on 3 May 2020.", ["3 May 2020"]),
        ("It goes at 19 km/h now.", ["19 km/h"]),
        ("It is 5 miles, or 6.", ["5 miles", "6"]),
        ("It is 5 milestones away.", ["5"]),
        ("She had 43. After that, 2.", ["43", "2"]),
        ("Add 3 + 4 first.", ["3 + 4"]),
        ("Add 3 x 4, or 5!= 6.", ["3", "4", "5!= 6"]),
        ("Open 3.py or mail 3@x.org.", ["3.py", "3@x.org"]),
        ("At 3 a.m. or 4 p.m. then", ["3 a.m.", "4 p.m."]),
        ("It costs $5 and $6 each.", ["$5", "$6"]),
        ("Let $5 + x$ be small.", ["$5 + x$"]),
        ("Spend 5$ or $$$ now.", ["5", "$$$"]),
    ],
)
def test_a_number_between_words_is_as_long_as_elsewhere(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end, _ in find_spans(text)] == expected
