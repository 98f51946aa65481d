from __future__ import annotations

import pytest

from otherwords.english.lexicon import read_lexicon
from otherwords.english.tokens import (
    are_antonyms,
    boolean_words,
    jaccard,
    meta_options,
    singular,
    singular_tokens,
    token_text,
    tokens,
    without_negation,
    words_only,
)


def test_normalisation() -> None:
    assert words_only("Don’t_know!") == "dont know"
    assert set(singular_tokens("words bodies boxes glass")) == {"word", "body", "box", "glass"}
    assert jaccard(frozenset(), frozenset({"a"})) == jaccard(frozenset(), frozenset()) == 0.0
    assert jaccard(frozenset("ab"), frozenset("bc")) == pytest.approx(1 / 3)


def test_signs_are_tokens_and_hyphens_between_words_are_not() -> None:
    assert tokens("-5") == ("-", "5")
    assert tokens("well-known facts") == ("well", "known", "facts")
    assert tokens("1,000 m") == ("1000", "m")
    assert tokens("10²") == ("10^2",) or tokens("10²") == ("10", "^", "2")
    assert token_text("AA") != token_text("aa")
    assert token_text("Yes") == token_text("yes")


def test_negations_and_antonyms() -> None:
    assert without_negation("It does not rise") == (frozenset({"it", "rise"}), True)
    assert without_negation("It rises") == (frozenset({"it", "rise"}), False)
    assert are_antonyms(frozenset({"high", "low"}))
    assert not are_antonyms(frozenset({"high", "cold"}))
    assert boolean_words() == {"yes", "no", "true", "false", "maybe"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("All of the above", ["all_of_the_above"]),
        ("A & B", ["both_options"]),
        ("I don’t know.", ["dont_know"]),
        ("Above ground", []),
    ],
)
def test_options_about_options(text: str, names: list[str]) -> None:
    assert meta_options(text) == names


def test_word_lists_are_texts_and_not_what_yaml_makes_of_yes_and_no() -> None:
    pairs = read_lexicon("antonyms")["pairs"]
    assert len(pairs) == 50
    assert all(isinstance(word, str) for pair in pairs for word in pair)
    negations = read_lexicon("negations")
    words = [*negations["words"], *negations["contractions"], *negations["auxiliaries"]]
    assert all(isinstance(word, str) for word in [*words, *read_lexicon("answer_options")["boolean"]])
    assert len({frozenset(map(singular, pair)) for pair in pairs}) == len(pairs)


def test_word_lists_are_the_same_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("yaml.CSafeLoader", raising=False)
    for name in ("numbers", "negations", "units"):
        assert read_lexicon.__wrapped__(name) == read_lexicon(name)
