"""Repair and the worst wording: what is asked, what is concluded, and that a search can be resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.metrics.template_search import Ask, Cell, RepairSearch, WorstSearch

ITEMS = tuple(f"q{n}" for n in range(60))
Fresh = Literal["items", "repeats"]
Scores = dict[Cell, Sequence[float | None]]


def chances(better: dict[str, float], base: float = 0.6) -> Callable[[Cell], float]:
    return lambda cell: better.get(cell.wording, base)


def drive(
    search: RepairSearch | WorstSearch, chance: Callable[[Cell], float], seed: int = 0
) -> tuple[Scores, list[Ask]]:
    """The score of a run depends on the cell alone, so that the order of asking does not matter."""
    told: Scores = {}
    asked: list[Ask] = []
    while asks := search.asks(told):
        asked += asks
        for ask in asks:
            for cell in ask.cells:
                assert cell not in told
                rng = np.random.default_rng([seed, *"/".join(cell).encode()])
                told[cell] = [float(rng.random() < chance(cell)) for _ in range(ask.repeats)]
    return told, asked


def test_a_better_template_is_found_on_items_that_did_not_pick_it() -> None:
    search = RepairSearch("old", tuple("abcdefgh"), ITEMS, repeats=2)
    told, asked = drive(search, chances({"c": 0.95}))
    found = search.result(told)
    assert found.adopted == "c"
    best = found.gains[0]
    assert best.template == "c"
    assert best.confirmed is not None
    assert (best.confirmed.low or 0) > 0
    assert best.p is not None
    assert best.p <= 0.05
    assert best.screened is not None
    assert found.sentence.startswith("c is better than old: +")
    assert f"on {best.confirmed.n_items} unseen items (+" in found.sentence
    screened = {item for ask in asked if ask.stage == "screen" for item in ask.items}
    confirmed = {item for ask in asked if ask.stage == "confirm" for item in ask.items}
    assert not screened & confirmed
    assert screened | confirmed == set(ITEMS)
    assert found.calls == sum(len(ask.items) * ask.repeats for ask in asked)
    # halving: a whole grid has 9 templates × 60 items × 2
    assert found.calls < 0.6 * 1080
    assert {one.template for one in found.gains} == set("abcdefgh")
    assert sum(one.confirmed is not None for one in found.gains) <= 2


def test_equal_templates_are_not_adopted() -> None:
    adopted = []
    for seed in range(40):
        search = RepairSearch("old", tuple("abcdefghij"), ITEMS[:40], repeats=1, seed=seed)
        found = search.result(drive(search, chances({}), seed)[0])
        adopted.append(found.adopted is not None)
        if found.adopted is None:
            assert found.sentence.startswith("No wording is better: ")
    # 40 simulations of 5%: more than 7 in one of a thousand
    assert sum(adopted) <= 7


def test_what_looks_worse_is_not_confirmed() -> None:
    search = RepairSearch("old", ("a", "b", "c"), ITEMS, repeats=1)
    told, asked = drive(search, chances({"old": 1.0}))
    assert {ask.stage for ask in asked} == {"screen"}
    found = search.result(told)
    assert found.sentence == "No wording is better: none of 3 looked better when they were screened."
    assert [one.confirmed for one in found.gains] == [None] * 3


def test_few_candidates_are_confirmed_on_all_items() -> None:
    search = RepairSearch("old", ("a",), ITEMS, repeats=1)
    told, asked = drive(search, chances({"a": 1.0}))
    assert [(ask.stage, len(ask.items)) for ask in asked] == [("confirm", 60), ("confirm", 60)]
    assert search.result(told).gains[0].screened is None
    assert search.result(told).adopted == "a"


@settings(max_examples=10, deadline=None)
@given(cut=st.integers(0, 400), seed=st.integers(0, 3), worst=st.booleans())
def test_an_interrupted_search_goes_on_to_the_same_end(cut: int, seed: int, worst: bool) -> None:
    search: RepairSearch | WorstSearch = RepairSearch("old", tuple("abcdef"), ITEMS[:30], repeats=1)
    if worst:
        search = WorstSearch("old", tuple("abcdef"), ITEMS[:30], 200)
    whole, _ = drive(search, chances({"b": 0.9, "c": 0.3}), seed)
    resumed: Scores = dict(list(whole.items())[:cut])
    while asks := search.asks(resumed):
        # one after the other, a part of what could be asked at once
        resumed |= {cell: whole[cell] for cell in asks[0].cells[:7]}
    assert resumed == whole
    assert search.result(resumed) == search.result(whole)


@settings(max_examples=25, deadline=None)
@given(
    n_wordings=st.integers(1, 40),
    budget=st.integers(1, 800),
    repeats=st.integers(1, 3),
    fresh=st.sampled_from(["items", "repeats"]),
)
def test_a_budget_is_kept(n_wordings: int, budget: int, repeats: int, fresh: Fresh) -> None:
    wordings = tuple(f"w{n}" for n in range(n_wordings))
    least = 2 * repeats * max(n_wordings, 4)
    if budget < least:
        with pytest.raises(InputError) as caught:
            WorstSearch("orig", wordings, ITEMS, budget, repeats, fresh)
        assert str(caught.value).startswith(
            f"a budget of {budget:,} calls is too small for {n_wordings} wordings\nGive at least {least}."
        )
        return
    search = WorstSearch("orig", wordings, ITEMS, budget, repeats, fresh)
    told: Scores = {}
    while asks := search.asks(told):
        told |= {cell: [1.0] * ask.repeats for ask in asks for cell in ask.cells}
    assert search.result(told).calls <= budget


def test_the_worst_wording_is_asked_afresh() -> None:
    search = WorstSearch("orig", tuple("abcdefgh"), tuple(f"q{n}" for n in range(200)), 600)
    told, asked = drive(search, chances({"d": 0.2}, base=0.8))
    found = search.result(told)
    assert found.wording == "d"
    assert found.loss.value == pytest.approx(0.6, abs=0.15)
    assert found.accuracy.value == pytest.approx(0.2, abs=0.12)
    assert found.selected is not None
    assert found.sentence.startswith("d, the worst that was found of 8, costs ")
    assert found.sentence.endswith(f"its accuracy was {found.selected:.2f} where it was picked.")
    screened = {item for ask in asked if ask.stage == "screen" for item in ask.items}
    assert not screened & {item for ask in asked if ask.stage == "confirm" for item in ask.items}
    alone = WorstSearch("orig", ("a",), ITEMS, 1000)
    assert {(ask.stage, len(ask.items)) for ask in alone.asks({})} == {("confirm", 60)}
    assert alone.result(drive(alone, chances({}))[0]).selected is None
    equal = WorstSearch("orig", tuple("abcdefgh"), tuple(f"q{n}" for n in range(200)), 600)
    nothing = equal.result(drive(equal, chances({}))[0])
    assert nothing.sentence.startswith("No wording was found that costs accuracy: ")


def test_picked_scores_mislead_and_fresh_ones_do_not() -> None:
    picked, fresh = [], []
    for seed in range(25):
        search = WorstSearch("orig", tuple("abcdefgh"), ITEMS, 160, seed=seed)
        found = search.result(drive(search, chances({}), seed)[0])
        picked.append(found.selected or 0.0)
        fresh.append(found.accuracy.value or 0.0)
    assert np.mean(picked) < 0.52
    assert np.mean(fresh) == pytest.approx(0.6, abs=0.05)


def test_runs_without_a_score_are_counted_and_decide_nothing() -> None:
    search = RepairSearch("old", tuple("abcd"), ITEMS, repeats=2)
    told: Scores = {}
    while asks := search.asks(told):
        for ask in asks:
            for cell in ask.cells:
                # `a` is never scored, `b` is right, and every third item lacks its second run
                lacking = int(cell.item[1:]) % 3 == 0
                score = 1.0 if cell.wording == "b" else 0.0
                told[cell] = [None, None] if cell.wording == "a" else [score, None if lacking else score]
    found = search.result(told)
    assert found.adopted == "b"
    assert found.gains[0].confirmed is not None
    assert found.gains[0].confirmed.n_missing > 0
    assert next(one for one in found.gains if one.template == "a").screened is None
    nothing = RepairSearch("old", ("a",), ITEMS, repeats=1)
    unscored = {cell: (None,) for ask in nothing.asks({}) for cell in ask.cells}
    assert nothing.result(unscored).sentence == (
        "No wording is better: the best of 1, a, came to no score that confirms it."
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RepairSearch("a", ("b", "a"), ITEMS), "the wording 'a' is there twice"),
        (lambda: RepairSearch("a", ("b",), (*ITEMS, "q1")), "the item 'q1' is there twice"),
        (lambda: RepairSearch("a", (), ITEMS), "there is no other wording to hold against 'a'"),
        (lambda: RepairSearch("a", ("b",), ITEMS[:3]), "a search takes 4 items and 1 repeat, got 3 and 3"),
        (
            lambda: RepairSearch("a", ("b",), ITEMS, finalists=0),
            "finalists must be at least 1, and screened a share between 0 and 1",
        ),
        (
            lambda: RepairSearch("a", ("b",), ITEMS).result({}),
            "the repair is not finished: there are items left to ask",
        ),
        (
            lambda: WorstSearch("a", ("b", "c"), ITEMS, 100).result({}),
            "the search is not finished: there are items left to ask",
        ),
    ],
)
def test_bad_searches(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)
