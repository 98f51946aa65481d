from __future__ import annotations

import pytest

from otherwords.checks.reading import compared_texts
from otherwords.core.types import Item, Message, Variant
from otherwords.english.lexicon import read_lexicon, word_set
from otherwords.english.normalize import (
    are_antonyms,
    jaccard,
    meta_options,
    singular,
    singular_tokens,
    token_text,
    tokens,
    unmarked,
    without_negation,
    without_surface_form,
    words_only,
)


def test_the_last_mark_makes_no_other_wording() -> None:
    assert unmarked("Who is it ?!") == unmarked("who  is it.") == "who is it"
    assert unmarked("3.5 km") == "3.5 km"


def test_case_and_white_space_do_not_count() -> None:
    assert unmarked("  How\tMANY\n are  left? ") == "how many are left"
    assert unmarked("STRASSE") == unmarked("straße")


def variant(prompt: object, kind: str, change: str) -> Variant:
    return Variant("1#v", "1", "v", kind, prompt, change=change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ("json", 'Who said "no"?', '{"question": "Who said \\"no\\"?"}'),
        ("enumerator", "Which?\nA. red\nB. blue", "Which?\n(A) red\n(B) blue"),
        ("list", "Sort these: 5; 2; 9", "Sort these: 5; 2; 9"),
        ("punct", "Tom has 3. How many are left?", "Tom has 3. How many are left."),
        ("case", "Tom has 3 red ones. How many are left?", "Tom has 3 red ones. how many are left?"),
        ("case", "A train leaves early. Does it stop?", "a train leaves early. does it stop?"),
    ],
)
def test_what_is_left_is_the_same(change: str, before: str, after: str) -> None:
    left = compared_texts(Item("1", before), variant(after, "format", change))
    assert left[0] == left[1]


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ("punct", "Is it at 5 p.m.", "Is it at 5 p.m?"),
        ("punct", "Who is left?", "Who is there?"),
        ("case", "May 5 was cold. Why is that?", "may 5 was cold. Why is that?"),
        ("case", "NASA was late. Why is that?", "nASA was late. Why is that?"),
        ("case", "Who is Ann Lee? Say it.", "Who is ann Lee? Say it."),
        ("case", "Who is it? Say it.", "who is it? Say it, please."),
        ("case", "", "a"),
    ],
)
def test_what_no_format_may_change_is_left_to_be_compared(change: str, before: str, after: str) -> None:
    was, now = compared_texts(Item("1", before), variant(after, "format", change))
    assert was != now


def test_a_list_is_read_on_one_line() -> None:
    text = "Sort these:\n- pear\n- fig\n\nBe brief."
    assert without_surface_form(text, "", "list")[0] == "Sort these: pear fig\n\nBe brief."


@pytest.mark.parametrize("text", ["{", '{"a": 1}', '{"a": "b", "c": "d"}', '["a"]', "plain", "[" * 100_000])
def test_what_is_not_one_text_in_json_is_left(text: str) -> None:
    assert without_surface_form(text, text, "json") == (text, text)


def test_only_the_named_change_is_taken_off() -> None:
    listed = "Which?\nA. red\nB. blue"
    for kind, change in (("paraphrase", "enumerator"), ("naturalistic", "json")):
        assert compared_texts(Item("1", listed), variant("other", kind, change)) == (listed, "other")


def test_the_order_of_paragraphs_and_turns_does_not_count() -> None:
    item = Item("1", (Message("system", "Be brief."), Message("user", "Read it.\n\n> one\n> two")))
    moved = (Message("system", "Be brief.\n\nRead it."), Message("user", "> one\n> two"))
    before, after = compared_texts(item, variant(moved, "position", "system"))
    assert before == after
    spaced = (Message("system", "Read it."), Message("user", "\n\n> one\n> two \n\n\nBe brief.\n "))
    assert compared_texts(item, variant(spaced, "position", "system")) == (before, before)
    other = (Message("system", "Be brief."), Message("user", "Read it.\n\n> two\n> one"))
    before, after = compared_texts(item, variant(other, "position", "system"))
    assert before != after


def test_fenced_code_may_move() -> None:
    code = "```\nz = 1\n\na = 2\n```"
    before, after = compared_texts(
        Item("1", f"Read it.\n\n{code}"), variant(f"{code}\n\nRead it.", "position", "")
    )
    assert before == after


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
    assert word_set("answer_options", "boolean") == {"yes", "no", "true", "false", "maybe"}


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
