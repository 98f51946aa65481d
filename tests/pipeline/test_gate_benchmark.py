"""The gate measured on known rewrites: what each layer makes of them, by kind, with intervals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otherwords.checks import CHECKS
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Vetted
from otherwords.pipeline.gate_benchmark import (
    GateBenchmark,
    Layers,
    estimate_gate,
    measure_gate,
    read_pairs,
    summarise_gate,
)

Scripted = Callable[[str, Callable[[str], str]], str]

CATS = "Name 3 cats of your neighbour."
PAIRS = [
    {"original": CATS, "rewrite": "Please name 3 cats of your neighbour.", "kind": "good"},
    {"original": CATS, "rewrite": "Name 3 pets of your neighbour.", "kind": "good"},
    {"original": CATS, "rewrite": "Name 3 dogs of your neighbour.", "kind": "noun"},
    {"original": CATS, "rewrite": "Name 4 cats of your neighbour.", "kind": "number"},
    {"original": CATS, "rewrite": "Name 5 cats of your neighbour.", "kind": "number"},
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def put(*lines: object) -> Path:
    path = Path("pairs.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def counts(row: Layers) -> tuple[int, ...]:
    shares = (row.invariants_refused, row.flags_sent, row.unflagged, row.noticed)
    assert row.invariants_refused.count + row.flags_sent.count + row.unflagged.count == row.pairs
    assert row.noticed.count == row.invariants_refused.count + row.flags_sent.count
    assert row.accepted.count + row.refused.count + row.undecided.count == row.pairs
    return (row.pairs, *(share.count for share in shares))


def test_each_layer_is_counted_by_kind() -> None:
    measured = measure_gate(put(*PAIRS))
    assert {row.kind: counts(row) for row in (*measured.kinds, measured.all_bad)} == {
        "good": (2, 0, 1, 1, 1),
        "noun": (1, 0, 1, 0, 1),
        "number": (2, 2, 0, 0, 2),
        "all bad": (3, 2, 1, 0, 3),
    }
    good, noun, number = measured.kinds
    assert (good.accepted.count, good.refused.count, good.undecided.count) == (1, 0, 1)
    assert (noun.accepted.count, noun.undecided.count, number.refused.count) == (0, 1, 2)
    assert {row.judge_accepted for row in measured.kinds} == {None}
    assert (measured.pairs, measured.not_english, measured.checks) == (5, 0, {})
    assert measured.language_model.startswith("en_core_web_sm")


def test_the_rates_of_each_check_are_given() -> None:
    measured = measure_gate(put(*PAIRS))
    rates = {one.check: one for one in measured.rates}
    assert set(rates) == {name for name, _ in CHECKS}
    layers = [one.layer for one in measured.rates]
    assert layers == sorted(layers, key=["invariant", "flag"].index)
    numbers = rates["numbers"]
    assert (numbers.layer, numbers.good.count, numbers.bad.count, numbers.alone_on_good) == (
        "invariant",
        0,
        2,
        0,
    )
    assert (numbers.good.of, numbers.bad.of) == (2, 3)


def test_intervals_are_wilsons() -> None:
    """0 of 2 is 0 to .658, 2 of 3 is .208 to .939."""
    measured = measure_gate(put(*PAIRS))
    refused = measured.kinds[0].invariants_refused
    assert (refused.share, refused.low, refused.high) == pytest.approx((0, 0, 0.6576), abs=1e-4)
    bad = measured.all_bad.invariants_refused
    assert (bad.share, bad.low, bad.high) == pytest.approx((2 / 3, 0.2077, 0.9385), abs=1e-4)


def test_a_judge_is_asked_about_what_is_sent_to_it(scripted: Scripted) -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return json.dumps({"same": "dogs" not in prompt})

    model, path = scripted("judge", judge), put(*PAIRS)
    estimate = estimate_gate(path, judge=model)
    assert (estimate.pairs, estimate.calls, asked) == (2, 4, [])
    measured = measure_gate(path, judge=model)
    good, noun, number = measured.kinds
    assert len(asked) == 4
    assert measured.judged is not None
    assert measured.judged.calls == 4
    assert measured.checks["judge"]["model"] == model

    def of_sent(row: Layers) -> list[int]:
        shares = (row.judge_accepted, row.judge_refused, row.judge_undecided)
        return [share.count for share in shares if share is not None]

    assert (of_sent(good), of_sent(noun), of_sent(number)) == ([1, 0, 0], [0, 1, 0], [0, 0, 0])
    assert (counts(good), good.accepted.count) == ((2, 0, 1, 1, 1), 2)
    assert (counts(noun), noun.refused.count, noun.accepted.count) == ((1, 0, 1, 0, 1), 1, 0)
    assert number.judge_accepted is not None
    assert number.judge_accepted.share is None


def test_a_judge_that_contradicts_itself_leaves_it_undecided(scripted: Scripted) -> None:
    def judge(prompt: str) -> str:
        return json.dumps({"same": prompt.index(CATS) < 20})

    measured = measure_gate(put(*PAIRS), judge=scripted("fickle", judge))
    good = measured.kinds[0]
    assert (good.accepted.count, good.undecided.count, good.flags_sent.count) == (1, 1, 1)
    assert measured.all_bad.accepted.count == 0


def test_a_refusal_by_another_meaning_check_is_none_of_the_invariants() -> None:
    pairs = read_pairs(put(*PAIRS[:2]))
    vetted = [
        Vetted(pairs[0].variant, (CheckResult("entailment", "fail", "0.01"),)),
        Vetted(pairs[1].variant, (CheckResult("entailment", "flag", "0.3"),)),
    ]
    [good] = summarise_gate(pairs, vetted).kinds
    assert counts(good) == (2, 0, 1, 1, 1)
    assert (good.refused.count, good.undecided.count) == (1, 1)


def test_our_own_corpora_are_read_in_their_form() -> None:
    listed = {
        "prompt": CATS,
        "target": ["Tom"],
        "good": ["Please name 3 cats of your neighbour."],
        "bad": {"number": ["Name 4 cats of your neighbour."], "leak": ["Name 3 cats, such as Tom."]},
    }
    flat = {"original": "Which is a fish?", "rewrite": "Which of these is a fish?", "kind": "good"}
    pairs = read_pairs(put(listed, flat | {"choices": ["cod", "cow"], "target": 0}, flat | {"target": "cod"}))
    assert [(pair.kind, pair.item.id, pair.variant.prompt) for pair in pairs] == [
        ("good", "line 1", listed["good"][0]),
        ("number", "line 1", "Name 4 cats of your neighbour."),
        ("leak", "line 1", "Name 3 cats, such as Tom."),
        ("good", "line 2", "Which of these is a fish?"),
        ("good", "line 3", "Which of these is a fish?"),
    ]
    assert [(pair.item.choices, pair.item.target) for pair in pairs[2:]] == [
        ((), ("Tom",)),
        (("cod", "cow"), 0),
        ((), ("cod",)),
    ]


@pytest.mark.parametrize("corpus", ["tuned", "held_out", "fresh", "loose"])
def test_the_corpora_can_be_read(corpus: str) -> None:
    pairs = read_pairs(Path(__file__).parents[1] / "checks" / "corpus" / f"{corpus}.jsonl")
    assert len({pair.kind for pair in pairs}) > 5
    assert sum(pair.kind == "good" for pair in pairs) > 100


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\n", "pairs.jsonl: there are no rewrites in it"),
        ("{", "pairs.jsonl:1: not valid JSON at column 2"),
        ("\n[]", "pairs.jsonl:2: expected an object with original, rewrite and kind"),
        ("{}", "pairs.jsonl:1: original is missing"),
        ('{"original": "a", "kind": "good"}', "pairs.jsonl:1: rewrite is missing"),
        ('{"original": "a", "rewrite": "b"}', "pairs.jsonl:1: kind is missing"),
        ('{"original": "a", "rewrite": 3, "kind": "good"}', "pairs.jsonl:1: rewrite must be a text"),
        ('{"original": " ", "rewrite": "b", "kind": "x"}', "pairs.jsonl:1: original must be a text"),
        ('{"original": "a", "choices": "x"}', "pairs.jsonl:1: choices must be a list of texts"),
        (
            '{"original": "a", "choices": ["x"], "target": 1}',
            "pairs.jsonl:1: target 1 is none of the 1 choices",
        ),
        ('{"original": "a", "target": {}}', "pairs.jsonl:1: target must be a list of texts"),
        ('{"prompt": "a", "good": "b"}', "pairs.jsonl:1: good must be a list of texts"),
        (
            '{"prompt": "a", "bad": ["b"]}',
            "pairs.jsonl:1: bad must be an object with a list of texts for each kind",
        ),
        ('{"prompt": "a", "bad": {"unit": "b"}}', "pairs.jsonl:1: bad.unit must be a list of texts"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, problem: str) -> None:
    Path("pairs.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        measure_gate("pairs.jsonl")
    assert str(caught.value) == problem


def test_rewrites_in_other_languages_are_counted_and_sent_to_the_judge() -> None:
    french = {"original": "Qui a écrit Hamlet ?", "rewrite": "Quel est l'auteur de Hamlet ?", "kind": "good"}
    measured = measure_gate(put(french))
    assert (measured.not_english, measured.language_model) == (1, "")
    assert counts(measured.kinds[0]) == (1, 0, 1, 0, 1)
    assert measured.all_bad.noticed.share is None


@pytest.mark.slow
def test_the_figures_are_the_same_with_one_process_and_several() -> None:
    lines = PAIRS * 30
    measured: list[GateBenchmark] = [measure_gate(put(*lines), jobs=jobs) for jobs in (1, 2)]
    assert measured[0] == measured[1]


def test_progress_is_told() -> None:
    told: list[Any] = []
    measure_gate(put(*PAIRS), on_item=lambda done, of: told.append((done, of)))
    assert told == [(number, 5) for number in range(1, 6)]
