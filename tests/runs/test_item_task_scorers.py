from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.english.normalize import answer_words
from otherwords.runs.item_task import contains_answer, score_short_answer


@pytest.mark.parametrize(
    ("response", "accepted"),
    [
        ("Paris.", ["Paris"]),
        ("It is the city of PARIS, in France.", ["paris"]),
        ("The answer is seven", ["7"]),
        ("There are 7 of them", ["seven"]),
        ("about 1,000 metres", ["1000"]),
        ("3.14 or so", ["3.14"]),
        ("it is −5 degrees", ["-5"]),
        ("Saint-Exupéry", ["saint exupéry"]),
        ("the Beatles", ["Beatles"]),
        ("It's Conan O’Brien", ["Conan O'Brien"]),
        ("H2O", ["water", "h2o"]),
        ("+", ["+"]),
        ("A", ["a"]),
    ],
)
def test_an_accepted_answer_is_found_in_the_response(response: str, accepted: list[str]) -> None:
    assert contains_answer(response, accepted)


@pytest.mark.parametrize(
    ("response", "accepted"),
    [
        ("Parisian", ["Paris"]),
        ("100", ["10"]),
        ("5", ["-5"]),
        ("3.145", ["3.14"]),
        ("1000", ["1"]),
        ("seventeen", ["seven"]),
        ("York New", ["New York"]),
        ("", ["Paris"]),
        ("anything", [""]),
        ("a banana", ["+"]),
    ],
)
def test_what_only_looks_like_it_is_not(response: str, accepted: list[str]) -> None:
    assert not contains_answer(response, accepted)


def test_a_right_answer_is_recorded_as_the_first_accepted_one() -> None:
    score = score_short_answer("I think it is the sea.", ["ocean", "sea"])
    assert (score.value, score.answer) == ("C", "ocean")


def test_a_wrong_answer_is_recorded_as_it_was_said() -> None:
    score = score_short_answer("\n The Rhine!\nIt is long. ", ["Danube"])
    assert (score.value, score.answer) == ("I", "The Rhine!\nIt is long.")
    assert len(score_short_answer("word " * 200, ["Danube"]).answer or "") == 300


@pytest.mark.parametrize("response", ["", "  \n", "...", "?!"])
def test_a_response_without_words_is_wrong_and_has_the_reason(response: str) -> None:
    score = score_short_answer(response, ["Paris"])
    expected = ("I", "invalid_response_format") if response.strip() else ("N", "no_response")
    assert (score.value, score.reason, score.answer) == (*expected, "")


@pytest.mark.slow
@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = answer_words(text)
    assert answer_words(" ".join(once)) == once


@given(st.lists(st.sampled_from(["red", "12", "the", "Blue", "seven"]), min_size=1))
def test_the_answer_itself_is_always_right(words: list[str]) -> None:
    answer = " ".join(words)
    assert contains_answer(answer, [answer])
