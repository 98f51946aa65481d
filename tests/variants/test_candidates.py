from __future__ import annotations

import pytest

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import Item, original
from otherwords.variants import DEFAULT_K, make_candidates

ITEM = Item("m1", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1)


def test_families_take_turns_after_the_original() -> None:
    names = [one.name for one in make_candidates(ITEM, k=5)]
    assert names == ["orig", "para1", "pert:punct", "pert:order_swap", "para2", "pert:preamble"]
    assert make_candidates(ITEM, k=5)[0] == original(ITEM)


def test_the_default_reaches_every_family() -> None:
    kinds = [one.kind for one in make_candidates(ITEM)]
    assert len(kinds) == DEFAULT_K + 1
    assert set(kinds) == {"orig", "paraphrase", "format", "options"}


def test_only_the_families_asked_for() -> None:
    assert {one.kind for one in make_candidates(ITEM, ["options"], k=9)} == {"orig", "options"}
    assert make_candidates(ITEM, k=0) == [original(ITEM)]


def test_short_answers_have_no_options_to_move() -> None:
    kinds = {one.kind for one in make_candidates(Item("s", "Who wrote Hamlet?", (), ("Shakespeare",)), k=9)}
    assert kinds == {"orig", "paraphrase", "format"}


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean: paraphrase\?"):
        make_candidates(ITEM, ["paraphrases"], k=2)
    with pytest.raises(InputError, match="a variant family is named twice: format, format"):
        make_candidates(ITEM, ["format", "format"], k=2)
    with pytest.raises(InputError, match="k must be 0 or more, got -1"):
        make_candidates(ITEM, k=-1)
