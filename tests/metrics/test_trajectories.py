from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from statistics import mean
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.core.tool_calls import read_tool_calls, tool_call_record
from otherwords.metrics import (
    delta_accuracy,
    fix,
    summarise,
    trajectory_changes,
    trajectory_effort,
    trajectory_summaries,
)
from otherwords.metrics.trajectories import EXCESS, NO_RERUN, RERUN, SHARES

DIVERGENCE = [EXCESS + name for name in SHARES]


def record(text: str) -> str:
    """`a b2 c!`: the tools a, b and c, the second with other arguments, the third with an error."""
    return " ".join(
        f"{call[0]}#{call[1:].rstrip('!') or '0':0>6}{'!' * call.endswith('!')}" for call in text.split()
    )


def table(*runs: tuple[str, str, int, str], scores: Sequence[float] = (), **columns: Any) -> pl.DataFrame:
    """Item, variant, repeat and path of each run."""
    rows = [(item, variant, repeat, record(path)) for item, variant, repeat, path in runs]
    frame = pl.DataFrame(rows, schema=["id", "variant", "repeat", "tool_calls"], orient="row")
    told = {
        name: pl.Series(value) if isinstance(value, list) else pl.lit(value)
        for name, value in columns.items()
    }
    return frame.with_columns(
        score=pl.Series(list(scores), dtype=pl.Float64) if scores else pl.lit(1.0), **told
    )


def item_of(orig: str, other: str, **more: Any) -> pl.DataFrame:
    return table(("q", "orig", 1, orig), ("q", "orig", 2, orig), ("q", "para1", 1, other), **more)


@pytest.mark.parametrize(
    ("orig", "other", "tool_set", "order", "arguments", "parts"),
    [
        ("a b c", "a b c", 0.0, 0.0, 0.0, 0.0),
        ("a b c", "a b2 c", 0.0, 0.0, 1 / 3, 1.0),
        ("a b c", "a c", 1 / 3, 1 / 3, 0.0, 1.0),
        ("a b", "b a", 0.0, 1.0, None, 1.0),
        ("a a b", "a b", 0.0, 1 / 3, 0.0, 1.0),
        ("a", "", 1.0, 1.0, None, 1.0),
        ("", "", 0.0, 0.0, None, 0.0),
    ],
)
def test_what_each_measure_is(
    orig: str, other: str, tool_set: float, order: float, arguments: float | None, parts: float
) -> None:
    found = trajectory_changes(item_of(orig, other))
    expected = {"tool_set": tool_set, "tool_order": order, "tool_argument": arguments, "path": parts}
    for name, value in expected.items():
        assert found[f"{name}_change"].value == (None if value is None else pytest.approx(value))
    assert found["excess_path_change"].value == pytest.approx(parts)


def test_same_and_other_outcomes_are_told_apart() -> None:
    rows = (
        item_of("a b", "a c"),
        item_of("a b", "a c", scores=[1, 1, 0]),
        item_of("a b", "a b", scores=[1, 1, 0]),
    )
    both = pl.concat([one.with_columns(id=pl.lit(str(place))) for place, one in enumerate(rows)])
    found = trajectory_changes(both)
    assert found["excess_same_outcome_other_path"].value == pytest.approx(1 / 3)
    assert found["excess_other_outcome_other_path"].value == pytest.approx(1 / 3)
    (summary,) = trajectory_summaries(both)
    assert [point.other_outcome.value for point in summary.curve] == [pytest.approx(0), pytest.approx(1 / 3)]


def test_errors_are_a_share_of_the_calls_of_each_run() -> None:
    found = trajectory_changes(item_of("a b", "a! b! c d"))
    assert found["tool_error_rate"].value == pytest.approx(1 / 2)
    assert found["rerun_tool_error_rate"].value == 0.0
    assert found["excess_tool_error_rate"].value == pytest.approx(1 / 2)


def test_what_runs_take() -> None:
    rows = item_of("a b", "a b c", tokens=[100, 200, 300], seconds=[1.0, 1.0, 0.5], cost=[None, 0.1, 0.1])
    found = trajectory_effort(rows)
    assert set(found) == {"extra_steps", "extra_tokens", "extra_seconds", "extra_cost"}
    assert found["extra_steps"].value == pytest.approx(0.5)
    assert found["extra_tokens"].value == pytest.approx(1.0)
    assert found["extra_seconds"].value == pytest.approx(-0.5)
    assert found["extra_cost"].value == pytest.approx(0.0)
    kinds = ["orig", "orig", "paraphrase"]
    (one_kind,) = trajectory_summaries(rows.with_columns(kind=pl.Series(kinds)))
    assert {one.kind for one in one_kind.effort} == {""}
    again = rows[2:].with_columns(variant=pl.lit("upper"), tokens=pl.lit(150, pl.Int64))
    two = pl.concat([rows, again]).with_columns(kind=pl.Series([*kinds, "format"]))
    (summary,) = trajectory_summaries(two)
    tokens = {one.kind: (one.original, one.reworded) for one in summary.effort if one.name == "tokens"}
    assert tokens == {"": (150.0, 225.0), "format": (150.0, 150.0), "paraphrase": (150.0, 300.0)}


def test_without_a_second_repeat_there_is_no_floor_and_it_says_so() -> None:
    once = table(("q", "orig", 1, "a b"), ("q", "para1", 1, "a c"), ("q", "para1", 2, "a c"))
    found = trajectory_changes(once)
    assert found["path_change"].value == 1.0
    assert found["excess_path_change"].value is None
    assert found["excess_path_change"].reason == NO_RERUN
    (summary,) = trajectory_summaries(once)
    assert summary.sentences[0] == (
        "Tool calls part from the original's in 100% of reworded runs; how many would without rewording is "
        "not known: rerun with --repeats 3."
    )
    assert summary.worst is None


def test_tables_without_tool_calls_have_no_trajectories(table_of: Callable[..., pl.DataFrame]) -> None:
    plain = table_of({"a": [1, 0], "b": [1, 1]})
    assert trajectory_changes(plain) == trajectory_effort(plain) == {}
    assert trajectory_summaries(plain) == ()
    assert not any("path" in name for name in summarise(plain)["all"])


def test_runs_without_a_score_or_a_record_are_counted_and_not_compared() -> None:
    known = item_of("a b", "a c")
    lost = table(("q", "para2", 1, "x"), scores=[0.0]).with_columns(score=pl.lit(None, pl.Float64))
    silent = table(("q", "para3", 1, "x")).with_columns(tool_calls=pl.lit(None, pl.String))
    found = trajectory_changes(pl.concat([known, lost, silent]))
    assert found["path_change"].value == 1.0
    assert found["tool_set_change"].value == trajectory_changes(known)["tool_set_change"].value
    (summary,) = trajectory_summaries(pl.concat([known, lost, silent]))
    assert (summary.n_runs, summary.n_unknown) == (3, 1)


def test_what_a_record_has_no_room_for_is_not_compared_and_counted() -> None:
    calls = [("search_flights", {"n": n}) for n in range(90)]
    orig, other = (tool_call_record(calls[:n]) for n in (90, 80))
    assert min(read_tool_calls(orig).cut, read_tool_calls(other).cut) > 0
    rows = item_of("a", "a").with_columns(tool_calls=pl.Series([orig, orig, other]))
    found = trajectory_changes(rows)
    assert found["path_change"].value == found["tool_order_change"].value == 0.0
    (summary,) = trajectory_summaries(rows)
    assert summary.n_cut == 3
    assert summary.sentences[-1].startswith("The records of 3 runs have no room for their last ")


# ---- agents whose truth is known, by the simulation's own tables


@pytest.fixture(scope="module")
def simulation(benchmark_script: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_script("sim_trajectories")


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
def test_a_blind_agent_reads_zero_in_every_measure(simulation: ModuleType, noise: float) -> None:
    blind = simulation.Agent("blind", 0.0, noise=noise)
    rows = simulation.table(np.random.default_rng(3), blind, 40)
    found = trajectory_changes(rows) | trajectory_effort(rows)
    names = [*DIVERGENCE, "extra_steps", "extra_tokens"]
    for name in names:
        one = found[name]
        assert one.low is not None, name
        assert one.high is not None, name
        assert one.low <= 0 <= one.high, (name, one)
    (summary,) = trajectory_summaries(rows)
    assert summary.worst is None
    assert summary.sentences[0].endswith(", is no more than noise explains.")
    assert not any("call" in sentence for sentence in fix(rows).suggestions)


def test_an_agent_that_heeds_wording_with_the_same_outcome_everywhere(simulation: ModuleType) -> None:
    rows = simulation.table(np.random.default_rng(4), simulation.Agent("sensitive", 1.0), 40)
    assert delta_accuracy(rows).value == 0.0
    found = trajectory_changes(rows)
    for name in ("path_change", "tool_argument_change", "tool_set_change", "same_outcome_other_path"):
        assert found[EXCESS + name].low > 0, name
    assert found["excess_other_outcome_other_path"].value == pytest.approx(0)
    (summary,) = trajectory_summaries(rows)
    assert (summary.worst.call, summary.worst.tool, summary.worst.how) == (2, "find", "arguments")
    held = next(one for one in summary.places if (one.call, one.tool) == (3, "book"))
    assert held.found
    assert held.instead == "hold"
    assert held.excess.low < 1 / 5 < held.excess.high
    (told,) = [one for one in fix(rows).suggestions if one.startswith("Rewording breaks its tool calls")]
    assert told.startswith(
        "Rewording breaks its tool calls most at call 2: find is called with other arguments, "
    )
    assert told.endswith("; 0% of these come to another outcome.")
    assert any("the outcome is the same by another path" in one for one in summary.sentences)
    to_json = summary.to_json()
    assert to_json["places"][0]["found"] is True
    assert {one["name"] for one in to_json["shares"]} == set(SHARES)


@pytest.mark.slow
def test_intervals_hold_planted_rates(simulation: ModuleType) -> None:
    """A few of the tables of benchmarks/sim_trajectories.py, which has 300 of each setting."""
    coverage, _, _ = simulation.simulate(simulation.AGENTS[0], 12, 40)
    assert min(coverage.values()) >= 0.9


def test_several_agents_are_told_apart(simulation: ModuleType) -> None:
    heeds, blind = (simulation.table(np.random.default_rng(5), simulation.AGENTS[n], 30) for n in (0, 4))
    rows = pl.concat([heeds.with_columns(model=pl.lit("heeds")), blind.with_columns(model=pl.lit("blind"))])
    found = {one.model: one for one in trajectory_summaries(rows)}
    assert found["heeds"].worst is not None
    assert found["blind"].worst is None
    alone = trajectory_summaries(heeds)[0]
    assert found["heeds"]["path_change"].excess.value == alone["path_change"].excess.value
    assert summarise(rows)["blind"]["path_change"].value == found["blind"]["path_change"].wordings.value


# ---- against plain loops

PATHS = st.lists(st.sampled_from(["a", "b", "c", "a2", "b2"]), max_size=4).map(" ".join)
ITEMS = st.lists(
    st.tuples(
        st.lists(PATHS, min_size=2, max_size=3),
        st.lists(st.lists(PATHS, min_size=1, max_size=2), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=4,
)


def plain(one: str, other: str) -> tuple[float, float]:
    tools = [{call[0] for call in path.split()} for path in (one, other)]
    union = tools[0] | tools[1]
    return float(one != other), 1 - len(tools[0] & tools[1]) / len(union) if union else 0.0


@settings(max_examples=40, deadline=None)
@given(ITEMS)
def test_excess_is_what_plain_loops_give(items: list[tuple[list[str], list[list[str]]]]) -> None:
    runs, expected = [], []
    for number, (originals, others) in enumerate(items):
        runs += [(f"q{number}", "orig", n, path) for n, path in enumerate(originals, 1)]
        for place, paths in enumerate(others, 1):
            runs += [(f"q{number}", f"para{place}", n, path) for n, path in enumerate(paths, 1)]
        floor = np.mean([plain(*pair) for pair in permutations(originals, 2)], axis=0)
        over = np.mean(
            [np.mean([plain(*pair) for pair in product(paths, originals)], axis=0) for paths in others],
            axis=0,
        )
        expected.append([over, floor, over - floor])
    found = trajectory_changes(table(*runs))
    for place, name in enumerate(("path_change", "tool_set_change")):
        for part, prefix in enumerate(("", RERUN, EXCESS)):
            value = mean(float(one[part][place]) for one in expected)
            assert found[prefix + name].value == pytest.approx(value, abs=1e-9)
