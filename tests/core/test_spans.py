from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.core.spans import same_spans, span_texts

PIECES = st.sampled_from(
    "Tom has |3 km |3 |km |of May |12 |x |= 5 |(x |) |option |A |NASA |\"no |' |$5 |$ |`f` |e.g. |done. |"
    "The end. |How? |\n|- |1. |a/b |www.a.b |me@x.org |f.py |{n} |and |then |p.m. |2:3 |x² |don't ".split("|")
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@settings(max_examples=400)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_the_change_tells_whether_the_spans_are_the_same(first: str, one: str, other: str, last: str) -> None:
    before, after = first + one + last, first + other + last
    assert same_spans(before, after) == (span_texts(before) == span_texts(after))
