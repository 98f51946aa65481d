"""What a verdict may say, rule by rule; the statistical ones in small (see benchmarks/sim_verdict.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

from otherwords.core.texts import agent_cells, evidence_lines, share_text
from otherwords.core.verdict import CANNOT_TELL, LARGE, NONE_FOUND, SMALL, Verdict
from otherwords.metrics import changed_items, item_evidence, verdicts
from otherwords.metrics.unscored_runs import unscored_reasons
from otherwords.metrics.verdict import with_sentences
from otherwords.metrics.wording_breakdowns import wording_distance

KINDS = ("paraphrase", "naturalistic", "llm", *(f"kind{place}" for place in range(4, 11)))


def table(
    chance: Any, *, items: int = 50, kinds: int = 5, repeats: int = 3, seed: int = 0, **columns: Any
) -> pl.DataFrame:
    """Scores from `chance[item, wording]`, the original first; one wording of each kind."""
    rng = np.random.default_rng(seed)
    chances = np.broadcast_to(np.asarray(chance, dtype=float), (items, kinds + 1))
    scores = rng.random((items, kinds + 1, repeats)) < chances[:, :, None]
    rows = [
        {
            "task": "airline",
            "model": "agent",
            "id": f"q{item}",
            "variant": "orig" if wording == 0 else f"v{wording}",
            "kind": "orig" if wording == 0 else KINDS[wording - 1],
            "repeat": repeat + 1,
            "score": float(scores[item, wording, repeat]),
        }
        for item in range(items)
        for wording in range(kinds + 1)
        for repeat in range(repeats)
    ]
    return pl.DataFrame(rows).with_columns(pl.lit(value).alias(name) for name, value in columns.items())


def one(frame: pl.DataFrame, **options: Any) -> Verdict:
    (found,) = verdicts(frame, permutations=1000, **options)
    return found


def losing(points: float, kinds: int = 10) -> np.ndarray[Any, Any]:
    """All right but for the first kind, which loses so much."""
    chance = np.ones(kinds + 1) * 0.95
    chance[1] -= points
    return chance


def test_a_loss_under_one_kind_is_the_headline_among_nine_harmless_ones() -> None:
    found = one(table(losing(0.31), kinds=10))
    assert found.effect == LARGE
    assert found.worst is not None
    assert found.worst.kind == "paraphrase"
    low, high = found.worst.loss.corrected_low, found.worst.loss.corrected_high
    assert low is not None
    assert high is not None
    value = found.worst.loss.value or 0.0
    assert found.sentence == (
        f"Rewording costs agent {100 * value:.0f} points ({100 * low:.0f} to {100 * high:.0f}) on airline "
        "under 'paraphrase' wordings; n = 50 items."
    )
    assert low >= 0.05
    assert not found.robust
    assert [line.partition(": ")[2].split()[1] for line in found.actions] == ["fix", "fix", "check"]
    # the corrected interval is wider than that of one question
    assert low < (found.worst.loss.low or 0.0)
    assert found.questions == 10 + 1 + 1 + 1


def test_a_change_is_found_within_a_kind_that_hides_it() -> None:
    """Five changes of one kind, of which one loses: the kind as a whole loses a fifth of it."""
    frame = table(losing(0.6, 5), kinds=5, items=80).with_columns(
        change=pl.when(pl.col("variant") == "orig").then(pl.lit("")).otherwise("variant"),
        kind=pl.when(pl.col("variant") == "orig").then(pl.lit("orig")).otherwise(pl.lit("paraphrase")),
    )
    found = one(frame)
    assert found.worst is not None
    assert (found.worst.kind, found.worst.change) == ("paraphrase", "v1")
    assert "under the change 'paraphrase: v1'" in found.sentence


@pytest.mark.parametrize(("points", "effect"), [(0.0, NONE_FOUND), (0.05, SMALL), (0.2, LARGE)])
def test_small_excludes_0_and_large_begins_at_5_points(points: float, effect: str) -> None:
    chance = np.full(6, 0.97)
    chance[1:] -= points
    found = one(table(chance, items=200))
    assert found.effect == effect
    parts = (found.loss, found.excess_flips, *(change.loss for change in found.changes))
    nearest = max(part.from_zero for part in parts)
    assert (nearest >= 0.05, nearest > 0) == (effect == LARGE, effect != NONE_FOUND)


def test_where_nothing_was_found_the_smallest_detectable_loss_decides() -> None:
    many, few = one(table(0.9, items=200)), one(table(0.6, items=20))
    assert many.effect == NONE_FOUND
    assert many.power.smallest_loss is not None
    assert many.power.smallest_loss <= 0.10
    assert many.power.more_calls == 0
    assert many.robust
    assert re.fullmatch(
        r"No effect of wording found for agent on airline: a loss of \d+ points or more over all rewordings "
        r"would have been; n = 200 items\.",
        many.sentence,
    )
    assert few.effect == CANNOT_TELL
    assert few.power.smallest_loss is not None
    assert few.power.smallest_loss > 0.10
    assert (few.power.more_calls or 0) > 0
    assert re.search(r": only a loss of \d+ points or more would have been found; about ", few.sentence)
    assert "more calls would find one of 10 points; n = 20 items." in few.sentence
    assert any("otherwords plan --drop 0.1" in line for line in few.actions)


def test_an_agent_that_is_always_wrong_is_not_called_robust() -> None:
    found = one(table(0.0, items=200))
    assert (found.effect, found.robust) == (CANNOT_TELL, False)
    assert found.sentence == (
        "Cannot tell whether wording matters for agent on airline: it is wrong in every run; n = 200 items."
    )


def test_one_item_is_no_pilot_and_has_no_phrasing_share() -> None:
    rows = [("q", f"v{place}" if place else "orig", repeat, 1.0) for place in range(3) for repeat in (1, 2)]
    (told,) = verdicts(pl.DataFrame(rows, schema=["id", "variant", "repeat", "score"], orient="row"))
    assert (told.effect, told.actions) == (
        "cannot tell",
        ("Plan a run that can tell: otherwords plan --drop 0.1",),
    )
    assert agent_cells(told)[3] == "—"
    assert share_text(told).startswith("not known: ")


def test_an_agent_that_crashes_on_its_rewordings_is_not_right_in_100_percent() -> None:
    frame = table(1.0, kinds=7, items=60)
    gone = (pl.col("variant") != "orig") & (pl.col("variant") != "v1")
    frame = frame.with_columns(
        score=pl.when(~gone).then("score"),
        status=pl.when(gone).then(pl.lit("error")).otherwise(pl.lit("scored")),
        reason=pl.when(gone).then(pl.format("Timeout after 30.{} s at 0x7f{}", "repeat", "repeat")),
    )
    found = one(frame)
    assert (found.effect, found.robust) == (CANNOT_TELL, False)
    assert found.sentence == (
        "Cannot tell whether wording matters for agent on airline: runs without a score could hide a loss of "
        "86 points; 75% of runs have no score; n = 60 items."
    )
    assert (found.unscored.count, found.unscored.n_runs, found.n_runs) == (1080, 1440, 1440)
    (reason,) = found.unscored.reasons
    assert (reason.outcome, reason.reason, reason.count) == ("provider_error", "Timeout after … s at …", 1080)
    assert reason.example == "q0, v2, run 1"
    assert (found.unscored.accuracy_low, found.unscored.accuracy_high) == (pytest.approx(0.25), 1.0)
    assert found.cautions[0] == (
        "1,080 of 1,440 runs have no score (1,080 ended by an error of the provider). Accuracy is 25% if all "
        "of them were wrong, 100% if all were right; the loss by rewording is from 0 to 86 points."
    )
    assert found.actions[0] == "Ask again what has no score: otherwords run … --log-dir logs"


def test_more_than_5_percent_without_a_score_is_never_robust() -> None:
    frame = table(0.95, items=300)
    assert one(frame).robust
    number = pl.int_range(pl.len())
    for every, robust in ((25, True), (15, False)):
        found = one(frame.with_columns(score=pl.when(number % every != 0).then("score")))
        assert found.robust is robust, every
        assert ("of runs have no score" in found.sentence) is not robust


def test_an_interval_of_a_loss_that_excludes_0_by_itself_is_not_called_robust() -> None:
    found = one(table(0.9, items=200))
    assert found.robust
    (change, *others) = found.changes
    alone = replace(change, loss=replace(change.loss, low=0.001, high=0.05, corrected_low=-0.01))
    assert not replace(found, changes=(alone, *others)).robust


def test_what_excludes_0_by_itself_is_called_a_loss_or_a_gain() -> None:
    found = one(table(0.9, items=200))
    (change, *others) = found.changes
    for value, low, high, said in (
        (0.03, 0.001, 0.06, "The loss under 'paraphrase' wordings is 3 points (0.1 to 6) by itself"),
        (-0.03, -0.06, -0.001, "The gain under 'paraphrase' wordings is 3 points (0.1 to 6) by itself"),
    ):
        loss = replace(change.loss, value=value, low=low, high=high)
        told = with_sentences(
            replace(found, changes=(replace(change, kind="paraphrase", loss=loss), *others))
        )
        assert [line for line in told.cautions if line.startswith(said)], told.cautions


def test_flips_without_a_loss_are_an_effect() -> None:
    """On each item other wordings are right: no average loss, and no answer that stays."""
    rng = np.random.default_rng(5)
    chance = rng.choice([0.02, 0.98], (80, 6))
    found = one(table(chance, items=80))
    assert found.effect == LARGE
    assert found.worst is None
    assert found.sentence.startswith("Rewording changes answers of agent on airline: ")
    assert found.permutation_p is not None
    assert found.permutation_p < 0.01
    assert found.differing is not None
    assert found.differing.observed == 80 > found.differing.expected
    assert found.n_sensitive > 60
    assert len(found.items) == 10
    assert all(item.probability > 0.9 for item in found.items)


def test_a_gain_is_said_as_one() -> None:
    chance = np.full(6, 0.9)
    chance[0] = 0.3
    found = one(table(chance, items=100))
    assert found.effect == LARGE
    assert found.sentence.startswith("Rewording gains agent ")
    assert not found.robust


def test_a_share_is_between_0_and_100_and_a_negative_one_is_no_effect() -> None:
    seen = set()
    for seed in range(12):
        found = one(table(0.5, items=30, seed=seed))
        share = found.phrasing_share
        assert share.value is not None
        assert 0 <= (share.low or 0) <= share.value <= (share.high or 1) <= 1
        seen.add(share.value > 0)
        assert (share_text(found) == "no effect of wording found") == (share.value == 0)
        assert "−" not in agent_cells(found)[3]
    assert seen == {True, False}


def test_one_repeat_says_what_it_cannot() -> None:
    found = one(table(0.9, items=300, repeats=1))
    assert (found.permutation_p, found.differing, found.excess_flips.value) == (None, None, None)
    assert found.sentence.startswith("No loss by rewording found for agent on airline: ")
    assert found.cautions == (
        "Each wording was run once, so that single answers that change cannot be told from run-to-run noise "
        "(the same prompt asked again); rerun with --repeats 3.",
    )
    assert found.actions[0] == "Tell wording from noise: otherwords run … --repeats 3 --log-dir logs"
    of_table = one(table(0.9, items=300, repeats=1), source="runs/table.parquet")
    assert of_table.actions[0] == "Tell wording from noise: otherwords run … --repeats 3"


def test_commands_name_the_logs_and_quote_what_a_shell_would_read() -> None:
    frame = table(losing(0.31), kinds=10, task="a benchmark; rm")
    found = one(frame, source="'my logs' more")
    assert found.actions[0].endswith("otherwords fix 'my logs' more --benchmark 'a benchmark; rm'")


def test_a_verdict_of_one_item_or_of_nothing_scored() -> None:
    (single,) = verdicts(table(0.5, items=1))
    assert single.effect == CANNOT_TELL
    nothing = one(table(0.5, items=3).with_columns(score=pl.lit(None, pl.Float64)))
    assert nothing.sentence == (
        "Cannot tell whether wording matters for agent on airline: no run has a score; n = 3 items."
    )
    assert (nothing.accuracy.value, nothing.unscored.accuracy_low) == (None, None)


def test_n_is_what_was_asked() -> None:
    frame = table(0.8, items=40).with_columns(score=pl.when(pl.col("id") != "q1").then("score"))
    found = one(frame)
    assert (found.n_items, found.n_wordings, found.n_repeats, found.n_runs) == (40, 6, 3, 720)
    assert found.sentence.endswith("n = 40 items.")


def test_one_verdict_for_each_agent_and_benchmark_and_controls_are_no_part() -> None:
    first = table(0.9, items=20)
    control = first.filter(pl.col("variant") == "v5").with_columns(
        kind=pl.lit("control"), variant=pl.lit("control:negate"), score=pl.lit(None, pl.Float64)
    )
    other = table(0.5, items=20, model="other")
    both = pl.concat([first, other, control, other.with_columns(task=pl.lit("gaia"))])
    found = verdicts(both, permutations=200)
    assert [(v.benchmark, v.agent) for v in found] == [
        ("airline", "agent"),
        ("airline", "other"),
        ("gaia", "other"),
    ]
    assert replace(found[0].loss, reason="") == one(first).loss
    assert (found[0].unscored.count, found[0].n_runs) == (0, 360)
    assert [v.benchmark for v in verdicts(both, "gaia", permutations=200)] == ["gaia"]


def test_a_verdict_is_json_and_says_itself() -> None:
    found = one(table(losing(0.31), kinds=10))
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert told["effect"] == "large"
    assert told["worst"]["kind"] == "paraphrase"
    assert told["robust"] is False
    assert told["unscored"]["share"] == 0.0
    assert str(found).startswith(found.sentence)
    assert found.sentence.replace("'", "&#x27;") in found._repr_html_()
    assert any(line.startswith("flips beyond noise: ") for line in evidence_lines(found))


def test_items_are_ranked_by_evidence_and_not_by_raw_variance() -> None:
    """`sure` differs in one of six wordings, always; `coin` at random in all, with more variance."""
    sure = [[1.0] * 8] * 5 + [[0.0] * 8]
    coin = [[1, 0, 0, 1, 1, 0, 0, 0], [1, 1, 1, 0, 1, 1, 1, 0]] * 3
    steady = [[1.0] * 8] * 6
    rows = [
        (item, "orig" if place == 0 else f"v{place}", repeat + 1, float(score))
        for item, cells in (("coin", coin), ("sure", sure), *((f"s{n}", steady) for n in range(10)))
        for place, runs in enumerate(cells)
        for repeat, score in enumerate(runs)
    ]
    frame = pl.DataFrame(rows, schema=["id", "variant", "repeat", "score"], orient="row")
    found = dict(item_evidence(frame).select("id", "probability").iter_rows())
    assert found["sure"] > 0.99
    assert found["coin"] < 0.5
    assert max(found[f"s{n}"] for n in range(10)) < found["coin"]
    once = frame.filter(pl.col("repeat") == 1)
    assert item_evidence(once)["probability"].null_count() == 12


def test_items_that_a_second_run_breaks_and_fixes() -> None:
    before = table(0.9, items=30, seed=1)
    broken = (pl.col("id") == "q3").or_(pl.col("id") == "q4")
    after = table(0.9, items=30, seed=2).with_columns(
        score=pl.when(broken).then(0.0).otherwise("score"), model=pl.lit("renamed")
    )
    found = changed_items(before, after)
    assert set(found.filter(change="broken")["id"]) == {"q3", "q4"}
    assert found.filter(change="fixed").is_empty()
    assert set(changed_items(after, before).filter(change="fixed")["id"]) == {"q3", "q4"}
    assert changed_items(before, after.filter(pl.col("id") == "none")).is_empty()


def test_reasons_that_differ_in_numbers_only_are_one() -> None:
    frame = table(0.5, items=2, kinds=1, repeats=1).with_columns(
        score=pl.lit(None, pl.Float64),
        status=pl.Series(["limit", "error", "error", "unscored"]),
        reason=pl.Series(["time", "HTTP 503 (id 8f3aaa99bc)", "HTTP 429 (id 77)\ntrace", "format"]),
    )
    from otherwords.core.table import as_outcomes

    found = [(r.outcome, r.reason, r.count, r.example) for r in unscored_reasons(as_outcomes(frame))]
    assert found == [
        ("provider_error", "HTTP … (id …)", 2, "q0, v1, run 1"),
        ("limit", "time", 1, "q0, orig, run 1"),
        ("unreadable", "", 1, "q1, v1, run 1"),
    ]


def test_how_far_the_wordings_went() -> None:
    wordings = pl.DataFrame(
        {
            "task": "airline",
            "id": ["q0", "q0", "q0"],
            "variant": ["orig", "v1", "c1"],
            "kind": ["orig", "paraphrase", "control"],
            "prompt": ["Book a flight to Rome", "Reserve a flight to Rome", "Do not book a flight"],
        }
    )
    found = one(table(0.9, items=2), wordings=wordings)
    assert found.distance is not None
    assert (found.distance.median, found.distance.n_wordings) == (0.2, 1)
    assert one(table(0.9, items=2)).distance is None
    given = wordings.with_columns(distance=pl.Series([None, 0.7, 0.9]))
    from_column = wording_distance(pl.DataFrame(), given.head(2), "airline")
    assert from_column is not None
    assert from_column.median == pytest.approx(0.7)


@pytest.fixture(scope="module")
def simulation(benchmark_script: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_script("sim_verdict")


@pytest.mark.slow
def test_noise_is_not_blamed_on_wording(simulation: ModuleType) -> None:
    """A table of coins was headlined "the score differs on 198 of 200 items", with a list of them."""
    tables = 60
    said = simulation.many(simulation.NULLS[0], tables, 1, with_gate=True)
    found = sum(v.effect in (SMALL, LARGE) for v in said)
    assert found / tables <= 0.065 + 3 * (0.065 * 0.935 / tables) ** 0.5
    assert not any(v.listed for v in said)
    assert not any(v.robust and v.excluded for v in said)
    assert sum(v.fails for v in said) <= 0.06 * tables


@pytest.mark.slow
def test_31_points_under_one_of_ten_kinds_are_found(simulation: ModuleType) -> None:
    said = simulation.many(simulation.PLANTED, 20, 1)
    assert all(v.worst == simulation.KINDS[0] for v in said)
    assert not any(v.robust for v in said)
