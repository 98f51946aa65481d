from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from otherwords.core.types import (
    CheckResult,
    Estimate,
    Item,
    Message,
    Params,
    Variant,
    Vetted,
    derive_seed,
    original,
    plain_params,
    stable_hash,
)

MIXED = {"strength": 0.2, "rules": ["b", "a"], "at": {"z": [1, [2]], "a": None}, "seed": 5}


def variant(**changed: Any) -> Variant:
    given: dict[str, Any] = {"id": "q1#a", "item_id": "q1", "name": "a", "kind": "format", "prompt": "Why?"}
    return Variant(**(given | changed))


def test_params_are_sorted_pairs_behind_a_mapping() -> None:
    params = variant(params=MIXED).params
    assert isinstance(params, Params)
    assert [name for name, _ in params.pairs] == ["at", "rules", "seed", "strength"]
    assert params["rules"] == ("b", "a")
    assert (params.get("seed"), params.get("none", 7), "at" in params, len(params)) == (5, 7, True, 4)
    assert list(params) == list(MIXED)
    assert repr(variant(params={"a": [1]}).params) == "Params({'a': (1,)})"
    with pytest.raises(KeyError, match="none"):
        params["none"]


def test_params_equal_any_mapping_of_the_same_content_in_any_order() -> None:
    params = Params.of(MIXED)
    turned = Params.of(dict(reversed(MIXED.items())))
    assert params == MIXED
    assert params == turned
    assert hash(params) == hash(turned)
    assert params != {**MIXED, "seed": 6}
    assert params != 1


def test_params_are_written_as_they_were_given() -> None:
    plain = plain_params(Params.of(MIXED))
    assert plain == MIXED
    assert list(plain) == list(MIXED)
    assert type(plain["at"]) is dict


def test_a_variant_is_frozen_and_hashable() -> None:
    one, other = variant(params=MIXED), variant(params=dict(MIXED))
    vetted = Vetted(one, (CheckResult("length", "pass"),))
    assert one == other
    assert len({one, other, variant()}) == 2
    assert len({vetted, Vetted(other, (CheckResult("length", "pass"),))}) == 1
    for thing, name in ((one, "name"), (one, "params"), (vetted, "checks"), (one.params, "pairs")):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, None)
    with pytest.raises(TypeError):
        one.params["seed"] = 6  # type: ignore[index]


def test_a_variant_is_copied_pickled_and_read_back() -> None:
    one = variant(prompt=(Message("user", "Why?"),), params=MIXED)
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.deepcopy(one) == one
    assert replace(one, name="b").params == MIXED
    fields = {"id": "q1#a", "item_id": "q1", "name": "a", "kind": "format", "prompt": "Why?", "params": MIXED}
    assert TypeAdapter(Variant).validate_python(fields) == variant(params=MIXED)


def test_an_item_is_hashable_whatever_its_metadata() -> None:
    one = Item("q1", "Why?", ("a", "b"), 0, metadata={"tags": ["x"]})
    assert hash(one) == hash(Item("q1", "Why?", ("a", "b"), 0))
    assert one != Item("q1", "Why?", ("a", "b"), 0)
    assert original(one) == original(Item("q1", "Why?", ("a", "b"), 0))


def test_accepted_means_that_no_check_fails() -> None:
    passed, skipped = CheckResult("a", "pass"), CheckResult("b", "not_applicable", "no options")
    failed = CheckResult("c", "fail", "longer")
    assert Vetted(variant(), (passed, skipped)).accepted
    assert Vetted(variant(), ()).accepted
    assert not Vetted(variant(), (passed, failed)).accepted
    assert Vetted(variant(), (passed, failed)).failures == (failed,)


def estimate(**changed: Any) -> Estimate:
    given: dict[str, Any] = {
        "metric": "s_prompt",
        "group": "all",
        "value": 0.9312,
        "low": 0.891,
        "high": 0.958,
        "n_items": 32,
        "n_rows": 128,
        "n_missing": 0,
        "method": "cluster bootstrap",
    }
    return Estimate(**(given | changed))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "S_prompt 0.93 (0.89 to 0.96), 32 items"),
        ({"n_items": 1}, "S_prompt 0.93 (0.89 to 0.96), 1 item"),
        ({"n_items": 12345}, "S_prompt 0.93 (0.89 to 0.96), 12,345 items"),
        ({"low": None}, "S_prompt 0.93, 32 items"),
        (
            {"value": None, "reason": "no item has two wordings"},
            "S_prompt not available: no item has two wordings",
        ),
        ({"value": None}, "S_prompt not available"),
        ({"metric": "s_norm"}, "S_norm 0.93 (0.89 to 0.96), 32 items"),
        ({"metric": "c_out"}, "C_out 0.93 (0.89 to 0.96), 32 items"),
        ({"metric": "r_prompt"}, "R_prompt 0.93 (0.89 to 0.96), 32 items"),
        ({"metric": "r_fault"}, "R_fault 0.93 (0.89 to 0.96), 32 items"),
        ({"metric": "pdr", "value": -0.5, "low": -1.25}, "PDR -0.50 (-1.25 to 0.96), 32 items"),
        ({"metric": "flip_rate"}, "flip_rate 0.93 (0.89 to 0.96), 32 items"),
    ],
)
def test_an_estimate_prints_as_a_sentence(changed: dict[str, Any], text: str) -> None:
    assert str(estimate(**changed)) == text
    assert f"{estimate(**changed)}" == text


def test_an_estimate_formats_like_a_number() -> None:
    assert f"{estimate():.3f}" == "0.931"
    assert format(estimate(), ">8.1%") == "   93.1%"
    assert float(estimate()) == 0.9312
    assert float(estimate(value=1)) == 1.0


def test_an_estimate_without_a_value_is_no_number() -> None:
    absent = estimate(value=None, reason="too few items")
    assert f"{absent:.2f}" == "not available"
    with pytest.raises(ValueError, match=r"^S_prompt not available: too few items$"):
        float(absent)


def test_an_estimate_in_a_notebook_is_escaped() -> None:
    shown = estimate(metric="<b>", method='a "b"', value=None, reason="x & y")._repr_html_()
    assert shown == '<span title="a &quot;b&quot;">&lt;b&gt; not available: x &amp; y</span>'


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
