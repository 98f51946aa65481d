"""Texts are found however they are dressed, and what tells nothing is not."""

from __future__ import annotations

import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.publish.patterns import LONGEST_RUN, TextPattern, TextPatterns

STEM = (
    "Which of the harbours on the coast did Captain O'Neill leave in 1847, after the second storm — and why?"
)
WORDS = STEM.replace("O'Neill", "O Neill").replace("— ", "").split()


def patterns(**texts: str) -> TextPatterns:
    made = TextPatterns()
    for place, (kind, text) in enumerate(texts.items(), start=1):
        made.add(kind, text, place)
    return made


@pytest.mark.parametrize(
    "dressed",
    [
        STEM,
        STEM.upper(),
        STEM.replace(" ", "\n\n  "),
        STEM.replace(" ", "_"),
        json.dumps({"input": STEM}),
        json.dumps(json.dumps({"input": STEM + "\n\n"})),
        json.dumps({"input": STEM}, ensure_ascii=True).replace(" ", "\\u0020"),
        f"<p>{html.escape(STEM)}</p>",
        "<p>" + STEM.replace(" ", "&nbsp;") + "</p>",
        "<b>" + STEM.replace(" ", "</b> <b>") + "</b>",
        STEM.replace("harbours", "har<i>bours</i>"),
        STEM.replace("harbours", "har\u00adbours\u200b"),
        "https://example.org/?q=" + quote(STEM),
        "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in STEM),
        ",".join(WORDS),
    ],
)
def test_a_stem_is_found_in_any_dress(dressed: str) -> None:
    assert patterns(stem=STEM).find(f"before {dressed} after") == {TextPattern("stem", 1)}


@given(st.integers(0, len(WORDS) - LONGEST_RUN), st.sampled_from([" ", "  ", "\n", ", ", "-", "\t"]))
@settings(max_examples=60)
def test_eight_words_in_a_row_are_enough(start: int, between: str) -> None:
    excerpt = between.join(WORDS[start : start + LONGEST_RUN])
    assert patterns(stem=STEM).find(f"it says: {excerpt}; et cetera") == {TextPattern("stem", 1)}
    less = between.join(WORDS[start : start + LONGEST_RUN - 1])
    assert patterns(stem=STEM).find(f"it says: {less}; et cetera") == set()


def test_a_short_text_is_found_whole() -> None:
    made = patterns(option="the old harbour", answer="Sumburgh Head lighthouse keeper")
    assert made.find("It was the old harbour that he left.") == {TextPattern("option", 1)}
    assert made.find("sumburgh head; lighthouse-keeper") == {TextPattern("answer", 2)}
    assert made.find("the harbour was old") == set()


def test_one_or_two_words_are_found_by_themselves_only() -> None:
    made = patterns(answer="Whitby", option="Old Grimsby")
    for alone in ("Whitby", '{"answer": "whitby"}', "a,WHITBY,c", "<td>Whitby</td>", "answer: Whitby."):
        assert made.find(alone) == {TextPattern("answer", 1)}, alone
    assert made.find("x | old grimsby | y") == {TextPattern("option", 2)}
    assert made.find("He sailed from Whitby to Old Grimsby and back") == set()


def test_long_words_are_telling_even_within_a_sentence() -> None:
    made = patterns(answer="Pneumonoultramicroscopic")
    assert made.find("He had pneumonoultramicroscopic dust") == {TextPattern("answer", 1)}


def test_what_would_be_found_by_chance_is_counted_and_not_looked_for() -> None:
    made = TextPatterns(["harbour"])
    for text in ("42", "yes", "A", "True", "1847", "Harbour", "???"):
        made.add("option", text, 1)
    assert (made.texts, made.too_short) == (7, 7)
    assert made.find('"42" "yes" "A" "True" "1847" "harbour" "???"') == set()


def test_signs_without_spaces_between_them() -> None:
    made = patterns(stem="二番目の嵐の前に灰色の鷺が離れた港はどこですか")
    assert made.find("… 灰色の鷺が離れた港 …") == {TextPattern("stem", 1)}
    assert made.find("灰色の猫が離れた町") == set()


def test_secrets_are_found_within_anything() -> None:
    made = TextPatterns()
    made.add("secret", "Blue-Heron/7", 3)
    for text in ("xxblue-heron/7xx", "BLUE-HERON/7", json.dumps("blue-heron/7"), "blue heron 7"):
        assert made.find(text) == {TextPattern("secret", 3)}, text
    assert made.find("blue heron 8") == set()


@pytest.mark.slow
def test_a_text_across_two_chunks_is_found() -> None:
    for start in (3_999_990, 4_000_000, 4_000_050, 7_999_950):
        assert patterns(stem=STEM).find("x " * (start // 2) + STEM) == {TextPattern("stem", 1)}


def test_the_same_text_twice_is_one() -> None:
    made = TextPatterns()
    made.add("stem", STEM, 1)
    made.add("variant", STEM + "!", 4)
    assert made.texts == 1
    assert made.find(STEM) == {TextPattern("stem", 1)}


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_text_is_found_in_itself_or_counted(text: str) -> None:
    made = patterns(stem=text)
    if not made.too_short:
        assert made.find(f"\n{text}\n") == {TextPattern("stem", 1)}
