from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.hashing import derive_seed, stable_hash


def test_hashes_do_not_depend_on_process_or_key_order() -> None:
    assert stable_hash({"b": 1, "a": "é"}) == stable_hash({"a": "é", "b": 1}) == "aa58fba8483623be"
    assert stable_hash(["\ud800"])  # half a character, as damaged data has it


def test_each_part_has_a_seed_of_its_own() -> None:
    seeds = {derive_seed(0, item, family) for item in "abc" for family in ("typo", "options")}
    assert len(seeds) == 6
    assert derive_seed(0, "a") == derive_seed(0, "a") != derive_seed(1, "a")


@given(st.integers(), st.lists(st.text(st.characters())))
def test_a_seed_is_the_hash_of_its_parts(seed: int, parts: list[str]) -> None:
    assert derive_seed(seed, *parts) == int(stable_hash([seed, *parts], 15), 16)
