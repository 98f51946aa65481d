from __future__ import annotations

import pytest

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.registry import Family, FamilyTraits, Registry
from otherwords.core.types import Item, Variant, derive_seed, original
from otherwords.variants.base import DEFAULT_FAMILIES, default_k, make_candidates

ITEM = Item("m1", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1)


def test_families_take_turns_after_the_original() -> None:
    names = [one.name for one in make_candidates(ITEM, k=5)]
    assert names == ["orig", "para1", "pert:punct", "pert:order_swap", "para2", "pert:preamble"]
    assert make_candidates(ITEM, k=5)[0] == original(ITEM)


def test_the_default_reaches_every_family() -> None:
    kinds = [one.kind for one in make_candidates(ITEM)]
    assert len(kinds) == default_k(DEFAULT_FAMILIES) + 1
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


class Told:
    """Remembers its seed."""

    name, version, seed = "told", 1, -1
    traits = FamilyTraits()

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        self.seed = seed
        return []


class ToldNone(Told):
    traits = FamilyTraits(seeded=False)


@pytest.mark.parametrize(("family", "seed"), [(Told(), derive_seed(7, "m1", "told")), (ToldNone(), 0)])
def test_a_family_has_a_seed_of_its_own_unless_it_uses_none(
    monkeypatch: pytest.MonkeyPatch, family: Told, seed: int
) -> None:
    families: Registry[Family] = Registry("variant family")
    families.add("told", family)
    monkeypatch.setattr("otherwords.variants.base.FAMILIES", families)
    make_candidates(ITEM, ["told"], k=2, seed=7)
    assert family.seed == seed


@pytest.mark.parametrize("family", ["paraphrase", "format"])
def test_families_without_a_seed_make_the_same_for_every_seed(family: str) -> None:
    assert make_candidates(ITEM, [family], k=9, seed=1) == make_candidates(ITEM, [family], k=9, seed=2)
