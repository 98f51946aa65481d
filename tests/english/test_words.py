from __future__ import annotations

import pytest

from otherwords.english.normalize import in_plain_english, is_one_slip
from otherwords.english.parse import parse
from otherwords.english.words import (
    are_related_names,
    content_lemmas,
    edit_distance,
    is_base_verb,
    is_word,
    share_stem,
    synonym_groups,
)


def test_content_words_are_nouns_verbs_adjectives_and_adverbs() -> None:
    assert sorted(content_lemmas(parse("The old dogs quickly ate two bones."))) == [
        "bone",
        "dog",
        "eat",
        "old",
        "quickly",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("inform", "information", True),
        ("refund", "refund", True),
        ("refund", "refunded", True),
        ("universe", "university", False),
        ("care", "careless", False),
        ("cat", "cart", False),
    ],
)
def test_forms_of_one_root(one: str, other: str, same: bool) -> None:
    assert share_stem(one, other) is share_stem(other, one) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("mexico", "mexican", True),
        ("italy", "italian", True),
        ("java", "javascript", False),
        ("austria", "australia", False),
    ],
)
def test_names_with_endings(one: str, other: str, same: bool) -> None:
    assert are_related_names(one, other) is are_related_names(other, one) is same


@pytest.mark.parametrize(
    ("one", "other"),
    [("the film", "the movie"), ("set off at noon", "depart at noon"), ("a regular expression", "a regex")],
)
def test_synonyms_share_a_group_phrases_too(one: str, other: str) -> None:
    first, second = (set().union(*synonym_groups(list(parse(text)))) for text in (one, other))
    assert first & second


@pytest.mark.parametrize(
    ("one", "other"), [("revenue", "profit"), ("brother", "sister"), ("total", "average")]
)
def test_siblings_share_none(one: str, other: str) -> None:
    first, second = (set().union(*synonym_groups(list(parse(text)))) for text in (one, other))
    assert not first & second


def test_verbs_and_words_that_are_known() -> None:
    assert (
        is_base_verb("differentiate"),
        is_base_verb("wrote"),
        is_word("related"),
        is_word("derstand"),
    ) == (
        *(True, False),
        *(True, False),
    )


def test_what_is_typed_in_a_hurry_is_written_out() -> None:
    assert in_plain_english("whats the captial of france pls", "What is the capital of France?") == (
        "what is the capital of france please"
    )
    assert in_plain_english("is it nit so", "Is it not so?") == "is it nit so"
    assert in_plain_english("only then", "Chen, them or when?") == "only when"
    assert is_one_slip("capital", "captial")
    assert not is_one_slip("capital", "captail")


@pytest.mark.parametrize(("one", "other", "edits"), [("a b c", "a c", 1), ("", "a b", 2), ("a b", "b a", 2)])
def test_edits_are_counted_in_words(one: str, other: str, edits: int) -> None:
    assert edit_distance(one.split(), other.split()) == edits
