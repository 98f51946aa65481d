"""What `fix` finds where there is something, and that it finds nothing where there is only noise."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import fix
from otherwords.metrics.change_breakdowns import by_change
from otherwords.metrics.findings import shrink
from otherwords.metrics.known_models import known_model_table
from otherwords.metrics.significance import benjamini_hochberg

KINDS = ["orig", "a", "b", "c", "d", "e"]


def table_of_scores(scores: np.ndarray, kinds: list[str] = KINDS, first: int = 0) -> pl.DataFrame:
    """Scores [item, wording, repeat], one kind a wording."""
    item, wording, repeat = (axis.reshape(-1) for axis in np.indices(scores.shape))
    names = ["orig", *(f"v{place}" for place in range(1, scores.shape[1]))]
    return pl.DataFrame(
        {
            "id": pl.Series(item + first).cast(pl.String),
            "variant": pl.Series(names)[wording],
            "kind": pl.Series(kinds)[wording],
            "repeat": repeat + 1,
            "score": scores.reshape(-1),
        }
    )


def one_that_costs(rng: np.random.Generator, items: int, cost: float, first: int = 0) -> pl.DataFrame:
    p = np.full((items, 6, 1), 0.7)
    p[:, 1] -= cost
    return table_of_scores((rng.random((items, 6, 1)) < p).astype(float), first=first)


def fixable() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for t in range(30):
        for variant, kind, change, chance in (
            ("orig", "orig", "", 1.0),
            ("para1", "paraphrase", "polite", 0.97),
            ("pert:order_rev", "options", "order:reverse", 0.4),
            ("control:negate", "control", "negate", 0.95),
        ):
            p = 1.0 if t < 20 else 0.0 if t == 29 else chance
            p = chance if variant == "pert:order_rev" and t < 29 else p
            rows.append((f"q{t:02}", variant, kind, change, float(rng.random() < p), "scored", None))
    rows += [(f"q{t:02}", "para2", "paraphrase", "these", None, "unscored", "format") for t in range(30)]
    schema = ["id", "variant", "kind", "change", "score", "status", "reason"]
    return pl.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None)


def test_the_failing_wording_stands_beside_the_passing_one() -> None:
    found = fix(fixable())
    assert {one.failing for one in found.items} == {"pert:order_rev"}
    first = found.items[0]
    assert (first.passing, first.failing_kind, first.gap, first.q) == ("orig", "options", 1.0, None)
    assert first.evidence == "example of order of options"
    assert found.costs["delta"].to_list() == [*sorted(found.costs["delta"].drop_nulls(), reverse=True), None]
    # every run of one wording is unreadable: that is found as well
    effects = {(one.kind, one.change, one.what) for one in found.findings}
    assert effects == {
        ("options", "", "accuracy"),
        ("paraphrase", "", "unreadable"),
        ("paraphrase", "these", "unreadable"),
    }
    costs = next(one for one in found.findings if one.what == "accuracy")
    assert found.suggestions[-2:] == (
        "25% of the replies could not be read: ask for the answer's format more plainly, or read it more "
        "leniently.",
        "Only 0% of the answers change where the question's meaning does: stability here may be "
        "insensitivity to the question.",
    )
    low, high = 100 * costs.shrunk_low, 100 * costs.shrunk_high
    assert (
        f"Wordings of kind 'order of options' cost about {100 * costs.shrunk:.0f} points of accuracy "
        f"({low:.0f} to {high:.0f}; {100 * costs.effect:.0f} were seen, shrunk because the largest are "
        f"picked) on 30 items, q < .001; the order of the options sways the answer: "
        "ask in several orders, or for the option's text."
    ) in found.suggestions


def test_a_wording_that_makes_it_refuse_is_found() -> None:
    rows = [
        (f"q{n}", variant, kind, "answered" if kind == "orig" or n % 2 else "refused", 0.0)
        for n in range(40)
        for variant, kind in (("orig", "orig"), ("upper", "format"), ("para1", "paraphrase"))
        if not (kind == "paraphrase" and n % 2 == 0)
    ]
    table = pl.DataFrame(rows, schema=["id", "variant", "kind", "outcome", "score"], orient="row")
    (finding,) = fix(table).findings
    assert (finding.kind, finding.what, finding.effect) == ("format", "refused", 0.5)
    assert (
        fix(table)
        .suggestions[0]
        .startswith("Wordings of kind 'layout' make it refuse more often, by about 5")
    )


@pytest.mark.slow
def test_nothing_to_fix_is_said_with_how_sure_that_is() -> None:
    found = fix(known_model_table("random", seed=1))
    assert found.suggestions[0].startswith(
        "Nothing that noise would not do as well: 7 questions were asked, and no effect survives (q ≤ 0.05); "
        "over all rewordings the loss is −0.6 points ("
    )
    assert found.suggestions[1] == (
        "Run-to-run noise (the same prompt asked again) moves the outcome more than wording does: lower the "
        "temperature, or take the majority of several runs, before rewording anything."
    )
    assert (found.items, found.findings) == ((), ())
    assert fix(known_model_table("oracle")).items == ()
    empty = fix(fixable().clear())
    assert (empty.items, empty.suggestions, empty.costs.height) == ((), (), 0)


def test_models_are_named_when_there_are_several() -> None:
    both = pl.concat([known_model_table("always A"), known_model_table("oracle")])
    told = fix(both).suggestions
    assert {text.partition(":")[0] for text in told} == {"always A", "oracle"}


@pytest.mark.slow
def test_a_table_of_coins_lists_nothing() -> None:
    """200 items, each answer a coin with the item's own p: all but one in twenty tables list nothing."""
    rng, listed = np.random.default_rng(5), 0
    for _ in range(40):
        p = rng.beta(1, 1, (200, 1, 1))
        found = fix(table_of_scores((rng.random((200, 6, 2)) < p).astype(float)))
        listed += bool(found.items or found.findings)
        if not found.findings:
            assert found.suggestions[0].startswith("Nothing that noise would not do as well: 6 questions")
    assert listed <= 6


def test_models_and_kinds_are_one_family() -> None:
    """One kind of one model that stands alone does not stand among forty others of which none does."""
    rng = np.random.default_rng(3)
    while True:
        small = one_that_costs(rng, 60, 0.25)
        alone = {one.kind: one.q for one in fix(small).findings}
        if set(alone) == {"a"} and 0.02 < alone["a"] < 0.05:
            break
    equal = [small.with_columns(score=pl.lit(float(n % 2)), model=pl.lit(f"m{n}")) for n in range(8)]
    together = fix(pl.concat([small.with_columns(model=pl.lit("m")), *equal]))
    assert together.n_tests == 45
    assert together.findings == ()


@pytest.mark.slow
def test_what_is_picked_for_being_large_is_shrunk_to_about_its_size() -> None:
    """A true 10-point cost at 60 items was found in 23 of 250 runs and then read 24.4 points."""
    rng = np.random.default_rng(6)
    seen, shrunk = [], []
    for _ in range(250):
        costs = by_change(one_that_costs(rng, 60, 0.1))
        p = costs["p"].to_list()
        q = benjamini_hochberg(p)
        picked = [one is not None and one <= 0.05 for one in q]
        if picked[0] and costs["delta"][0] > 0:
            cut = 0.05 * sum(picked) / len(p)
            error = (costs["delta_high"][0] - costs["delta_low"][0]) / (2 * 1.96)
            seen.append(costs["delta"][0])
            shrunk.append(shrink(costs["delta"][0], p[0], cut, error=error).value)
    assert 8 <= len(seen) <= 45
    assert np.mean(seen) > 0.2
    assert np.mean(shrunk) == pytest.approx(0.1, abs=0.05)


@pytest.mark.slow
def test_the_best_of_ten_equal_templates_is_not_adopted_nor_the_worst_of_five_called_costly() -> None:
    """The best of ten equal templates at 50 items looks .796 for a true .7, the worst of five .168 below."""
    rng, listed = np.random.default_rng(11), 0
    best, worst = [], []
    for _ in range(40):
        scores = (rng.random((50, 11, 1)) < 0.7).astype(float)
        best.append(scores[:, 1:].mean(axis=(0, 2)).max())
        worst.append(scores[:, 1:6].mean(axis=(0, 2)).min())
        found = fix(table_of_scores(scores, ["orig", *(f"template{place}" for place in range(10))]))
        listed += bool(found.findings)
        for one in found.findings:
            assert abs(one.shrunk) < abs(one.effect)
    assert np.mean(best) > 0.77
    assert np.mean(worst) < 0.64
    assert listed <= 6


def test_other_logs_without_those_wordings_confirm_nothing_and_refute_nothing() -> None:
    scores = np.ones((20, 3, 1))
    scores[:, 1:] = 0.0
    table = table_of_scores(scores, ["orig", "format", "options"])
    other = table_of_scores(scores[:, :2], ["orig", "format"], first=20)
    told = {one.kind: one.confirmation for one in fix(table, confirm_table=other).findings}
    assert told["format"] is not None
    assert (told["format"].confirmed, told["format"].n_items) == (True, 20)
    assert told["options"] is not None
    assert (told["options"].effect, told["options"].confirmed, told["options"].n_items) == (None, False, 0)
    sentences = fix(table, confirm_table=other).suggestions
    assert any("not tested again, since the other runs have no such wordings" in one for one in sentences)
    with pytest.raises(InputError, match="what --confirm names has none of the wordings"):
        fix(table, confirm_table=other.with_columns(model=pl.lit("another")))


def test_the_largest_loss_is_said_first_whatever_the_model_and_gains_last() -> None:
    """`a` loses 10 of 100 items by layout, `b` 42 by casual typing; `c` gains 80 by layout."""
    kinds = ["orig", "format", "naturalistic"]
    small, large, gain = np.ones((100, 3, 1)), np.ones((100, 3, 1)), np.zeros((100, 3, 1))
    small[:10, 1] = 0.0
    large[:42, 2] = 0.0
    gain[:80, 1] = 1.0
    table = pl.concat(
        table_of_scores(scores, kinds).with_columns(model=pl.lit(model))
        for model, scores in (("a", small), ("b", large), ("c", gain))
    )
    told = fix(table, resamples=0).suggestions
    assert [one.split(", by")[0].split(" about")[0] for one in told[:3]] == [
        "b: Wordings of kind 'casual typing' cost",
        "a: Wordings of kind 'layout' cost",
        "c: Wordings of kind 'layout' score better than the original",
    ]


def test_no_interval_goes_beyond_what_a_loss_can_be() -> None:
    """Six items that all lose everything; a normal distribution around that reaches past 100 points."""
    scores = np.ones((6, 2, 1))
    scores[:, 1] = 0.0
    found = fix(table_of_scores(scores, ["orig", "format"]))
    (one,) = found.findings
    assert -1 <= one.shrunk_low <= one.shrunk <= one.shrunk_high == 1.0
    costs = found.costs.filter(pl.col("delta_high").is_not_null())
    assert costs["delta_high"].max() == 1.0
    assert " to 100; " in found.suggestions[0]


def test_shrinking_is_right_on_average_and_its_interval_holds_the_truth() -> None:
    normal, rng = NormalDist(), np.random.default_rng(7)
    for truth in (1.2, 2.0, 3.0, 5.0):
        drawn = truth + rng.standard_normal(40_000)
        drawn = drawn[np.abs(drawn) > 2.6][:300]
        cut = 2 * normal.cdf(-2.6)
        told = [shrink(float(one), 2 * normal.cdf(-abs(float(one))), cut) for one in drawn]
        assert np.mean([one.value for one in told]) == pytest.approx(truth, abs=0.45)
        assert np.mean([one.low <= truth <= one.high for one in told]) > 0.91
    assert shrink(-0.3, 1e-12, 0.01).value == pytest.approx(-0.3, rel=0.01)


def test_other_items_confirm_what_is_true_and_not_what_was_luck() -> None:
    rng = np.random.default_rng(8)
    true = fix(one_that_costs(rng, 150, 0.3), confirm_table=one_that_costs(rng, 150, 0.3, first=1000))
    (finding,) = true.findings
    assert finding.confirmation is not None
    assert (finding.confirmation.confirmed, finding.confirmation.on) == (True, "items")
    assert "; confirmed on items that did not pick it (" in true.suggestions[0]
    luck = fix(one_that_costs(rng, 150, 0.3), confirm_table=one_that_costs(rng, 150, 0.0, first=1000))
    assert luck.findings[0].confirmation is not None
    assert not luck.findings[0].confirmation.confirmed


def test_other_runs_of_the_same_items_confirm_and_the_same_runs_do_not() -> None:
    rng = np.random.default_rng(8)
    first, second = one_that_costs(rng, 100, 0.4), one_that_costs(rng, 100, 0.4)
    finding = fix(first, confirm_table=second).findings[0]
    assert finding.kind == "a"
    assert finding.confirmation is not None
    assert (finding.confirmation.on, finding.confirmation.confirmed) == ("repeats", True)
    copied = first.with_columns(log=pl.lit("copied.eval"))
    for same in (first, copied):
        with pytest.raises(InputError) as caught:
            fix(first.with_columns(log=pl.lit("first.eval")), confirm_table=same)
        assert str(caught.value) == (
            "what --confirm names says the same in every run as what the findings come from\nGive logs of "
            "other items, or of other runs of the same items; or split the items: --split."
        )


def test_a_split_finds_in_one_half_and_confirms_in_the_other() -> None:
    table = one_that_costs(np.random.default_rng(9), 200, 0.4)
    (finding,) = fix(table, split=True).findings
    assert finding.n_items == 100
    assert finding.confirmation is not None
    assert (finding.confirmation.n_items, finding.confirmation.confirmed) == (100, True)
    with pytest.raises(InputError, match=r"^to split takes at least 4 items, and there are 3$"):
        fix(table.filter(pl.col("id").is_in(["1", "2", "3"])), split=True)
    with pytest.raises(InputError, match=r"^confirm by other logs or by a split, not by both$"):
        fix(table, split=True, confirm_table=table)
