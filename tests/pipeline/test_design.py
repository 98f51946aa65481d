"""Designs: factors, their levels, the cells of each case, and variants that change several things at once."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords import Item, Template, freeze, read_variants, vary
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult
from otherwords.core.wording_names import levels_text, read_levels
from otherwords.pipeline.cells import merged_checks
from otherwords.pipeline.design import assignments, choose_cells, factors_of, parse_design

COUNTRIES = ("France", "Italy", "Spain", "Norway", "Poland", "Greece")
CITIES = ("Oslo", "Paris", "Rome", "Bern")
QUIZ = [
    Item(f"q{place}", f"Which of the following is the capital of {country}?", CITIES, 1)
    for place, country in enumerate(COUNTRIES)
]


@pytest.mark.parametrize(
    "text",
    ["wording×format×order", "wordingxformatxorder", "wording x format x order", "wording,format,order"],
)
def test_a_design_is_written_with_a_sign_or_a_letter(text: str) -> None:
    assert parse_design(text) == ("wording", "format", "order")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wording×formt", "unknown factor 'formt'. Did you mean: format?"),
        ("wording×wording", "--design names 'wording' twice"),
        ("wording×control", "'control' changes the answer on purpose and cannot be a factor of a design"),
    ],
)
def test_a_design_that_cannot_be_made(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_design(text)
    assert str(caught.value) == said


def test_order_is_that_of_the_options_where_there_are_any() -> None:
    assert [
        one.families for one in factors_of(("wording", "order"), ("paraphrase", "llm", "format"), QUIZ)
    ] == [
        ("paraphrase", "llm"),
        ("options",),
    ]
    assert factors_of(("order",), (), [Item("a", "Why?")])[0].families == ("position",)


def test_a_full_design_has_every_cell_and_each_is_what_its_levels_say() -> None:
    made = [one for one in vary(QUIZ[:1], design="wording×format×order") if one.accepted]
    cells = {tuple(one.variant.levels.values()): one.variant for one in made}
    assert len(cells) == 27
    assert Counter(level for cell in cells for level in cell)["orig"] == 27
    original = cells["orig", "orig", "orig"]
    assert (original.name, original.kind, original.prompt) == ("orig", "orig", QUIZ[0].prompt)
    both = cells["para1", "pert:punct", "pert:order_rev"]
    assert both.name == both.wording == "para1+pert:punct+pert:order_rev"
    assert both.kind == "paraphrase+format+options"
    reworded, reversed_ = cells["para1", "orig", "orig"], cells["orig", "orig", "pert:order_rev"]
    assert str(both.prompt) == str(reworded.prompt).rstrip(".")
    assert (both.choices, both.target, both.option_order) == (
        reversed_.choices,
        reversed_.target,
        reversed_.option_order,
    )
    assert both.choices[both.target] == "Paris"  # type: ignore[index]


def test_a_part_of_a_design_has_each_pair_of_levels_equally_often() -> None:
    made = vary(QUIZ, design="wordingxformatxorder", fraction=1 / 3, seed=3)
    levels = [dict(one.variant.levels) for one in made]
    assert len(levels) == 9 * len(QUIZ)
    pairs = Counter(pair for cell in levels for pair in combinations(cell.items(), 2))
    assert set(pairs.values()) == {len(QUIZ)}
    assert Counter(one.variant.name for one in made)["orig"] == len(QUIZ)
    again = vary(QUIZ, design="wording×format×order", fraction=1 / 3, seed=3)
    assert [one.variant for one in again] == [one.variant for one in made]
    other = vary(QUIZ, design="wording×format×order", fraction=1 / 3, seed=4)
    assert [one.variant.name for one in other] != [one.variant.name for one in made]


def test_a_design_of_the_template_is_the_same_for_all_items() -> None:
    template = Template("Answer the following question in one word. Do not explain it.\n\n{question}")
    made = vary(QUIZ[:2], design="wording×format", vary=["template"], template=template, k=1)
    cells = [(one.variant.name, one.variant.kind, dict(one.variant.levels)) for one in made]
    assert cells[:4] == cells[4:]
    assert [kind for _, kind, _ in cells[:4]] == [
        "orig",
        "template:format",
        "template:paraphrase",
        "template:paraphrase+template:format",
    ]
    assert cells[0][2] == {"wording": "orig", "format": "orig"}
    both = vary(QUIZ[:1], design="wording", vary=["item", "template"], template=template, k=1)
    assert [dict(one.variant.levels) for one in both] == [
        {"template.wording": "orig", "item.wording": "orig"},
        {"template.wording": "orig", "item.wording": "para1"},
        {"template.wording": "para1", "item.wording": "orig"},
        {"template.wording": "para1", "item.wording": "para1"},
    ]


def test_the_file_says_the_design_and_is_read_back(tmp_path: Path) -> None:
    questions = tmp_path / "q.jsonl"
    questions.write_text(json.dumps({"id": "q", "question": "What is the capital of France?", "answer": "x"}))
    freeze(questions, tmp_path / "v.jsonl", design="wording×format", fraction=0.5, k=2)
    read = read_variants(tmp_path / "v.jsonl")
    assert read.header.design == {
        "design": ["wording", "format"],
        "factors": read.header.design["factors"],
        "fraction": 0.5,
    }
    assert set(read.header.design["factors"]) == {"wording", "format"}
    assert len(read.accepted) == 5
    assert dict(read.accepted[0].levels) == {"wording": "orig", "format": "orig"}


def test_a_fraction_without_a_design_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        vary(QUIZ[:1], fraction=0.5)
    assert str(caught.value) == "--fraction is for --design"
    with pytest.raises(InputError) as caught:
        vary(QUIZ[:1], design="wording", fraction=2)
    assert str(caught.value) == "--fraction must be more than 0 and at most 1, got 2"


@settings(max_examples=40, deadline=None)
@given(
    levels=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    cases=st.integers(1, 12),
    fraction=st.floats(0.05, 1),
    seed=st.integers(0, 9),
)
def test_each_level_is_as_frequent_as_the_others(
    levels: list[int], cases: int, fraction: float, seed: int
) -> None:
    cells = assignments({f"f{place}": [f"l{one}" for one in range(k)] for place, k in enumerate(levels)})
    chosen = choose_cells([cells] * cases, fraction, seed)
    sizes = {len(one) for one in chosen}
    assert len(sizes) == 1
    (size,) = sizes
    assert (
        size == min(len(cells), max(1, -(-round(fraction * len(cells) * 1e9) // 10**9)))
        or abs(size - fraction * len(cells)) <= 1
    )
    for own in chosen:
        assert own[0] == cells[0]
        assert len({levels_text(cell) for cell in own}) == len(own)
        for place, k in enumerate(levels):
            counts = Counter(cell[f"f{place}"] for cell in own)
            if len(own) >= 2 * (k + 1):
                assert max(counts.values()) - min(counts.values()) <= max(2, len(own) // 4)


def test_levels_are_written_in_one_text() -> None:
    levels = {"wording": "para1", "format": "pert:punct"}
    assert levels_text(levels) == "wording=para1;format=pert:punct"
    assert read_levels(levels_text(levels)) == levels
    assert read_levels("") == {}


def test_of_two_results_the_graver_counts() -> None:
    said = merged_checks(
        [CheckResult("a", "pass"), CheckResult("b", "not_applicable")],
        [CheckResult("a", "flag", "look"), CheckResult("c", "pass")],
    )
    assert said == (
        CheckResult("a", "flag", "look"),
        CheckResult("b", "not_applicable"),
        CheckResult("c", "pass"),
    )
