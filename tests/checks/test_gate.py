from __future__ import annotations

from types import ModuleType

import pytest

HALVES = ("tuned", "held_out", "fresh_even", "fresh_odd")
LOWEST_OF_OTHERS = {
    "tuned": {"constraint": 0.9, "entity": 0.9, "answered": 0.9},
    "held_out": {"constraint": 0.9, "entity": 0.9, "answered": 0.9},
    "fresh_even": {"constraint": 0.65, "entity": 0.85, "answered": 0.9},
    "fresh_odd": {"constraint": 0.8, "entity": 0.65, "answered": 0.85},
}
"""What needs knowledge of the world is caught in part; these are the shares reached, not a goal."""


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_the_hard_checks_keep_their_bars(gate: ModuleType, half: str) -> None:
    rates = gate.measure(half)
    assert rates[gate.GOOD].share <= gate.HIGHEST_REJECTION, rates
    low = {kind: rate for kind, rate in rates.items() if kind != gate.GOOD and rate.share < gate.LOWEST_CATCH}
    assert not {kind: low[kind] for kind in gate.MECHANICAL if kind in low}
    lowest = LOWEST_OF_OTHERS[half]
    assert {kind: rates[kind].share for kind in gate.OTHERS if rates[kind].share < lowest[kind]} == {}


def test_the_corpus_is_large_enough_and_each_case_stands_once(gate: ModuleType) -> None:
    every = [case for half in HALVES for case in gate.cases(half)]
    for kind in (*gate.MECHANICAL, *gate.OTHERS):
        assert sum(case.kind == kind for case in every) >= 15, kind
    assert sum(case.kind == gate.GOOD for case in every) >= 150
    texts = [(case.item.prompt, case.variant.prompt) for case in every]
    assert len(set(texts)) == len(texts)
    prompts = [prompt for half in HALVES for prompt in {case.item.prompt for case in gate.cases(half)}]
    assert len(set(prompts)) == len(prompts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("number", "numbers"),
        ("unit", "units"),
        ("negation", "words"),
        ("refusal", "refusal"),
        ("leak", "leak"),
        ("lines", "lines"),
    ],
)
def test_most_are_caught_by_the_check_that_is_made_for_them(gate: ModuleType, kind: str, check: str) -> None:
    rate = gate.measure(
        "tuned", rejects=lambda vetted: check in [failure.check for failure in vetted.failures]
    )[kind]
    assert rate.share >= 0.75, rate
