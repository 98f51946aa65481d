"""Wordings that people wrote: the family `human`, and those that come with the demo, with decisions."""

from __future__ import annotations

from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from otherwords import Item, freeze, load_items, read_variants, vary
from otherwords.cli.demo import FAMILIES, K
from otherwords.core.errors import InputError
from otherwords.english.words import edit_distance
from otherwords.pipeline.decisions import read_decisions
from otherwords.pipeline.frozen import make_frozen
from otherwords.pipeline.inputs import open_source
from otherwords.pipeline.vary import Wordings

DATA = Path(str(files("otherwords") / "data"))
HAMLET = ["hamlet author?", "By whom is Hamlet?", "Who's the playwright that gave us Hamlet?"]


def distance(one: str, other: str) -> float:
    words, others = one.lower().split(), other.lower().split()
    return edit_distance(words, others) / max(len(words), len(others))


def test_the_wordings_of_the_dataset_come_first_and_k_does_not_bound_them() -> None:
    item = Item("h", "Who wrote Hamlet?", (), ("Shakespeare",), {"wordings": HAMLET})
    made = vary([item], ["human", "format"], k=1)
    assert [one.variant.name for one in made] == ["orig", "human1", "human2", "human3", "pert:punct"]
    assert [one.variant.prompt for one in made[1:4]] == HAMLET
    assert {one.variant.kind for one in made[1:4]} == {"human"}


@pytest.mark.parametrize("wordings", [3, ["Who?", ""], [["Who?"]], {"a": "Who?"}])
def test_wordings_that_are_no_texts_are_refused(wordings: object) -> None:
    with pytest.raises(InputError) as caught:
        vary([Item("h", "Who wrote Hamlet?", metadata={"wordings": wordings})], ["human"])
    assert str(caught.value) == "item 'h': 'wordings' must be a list of texts, none of them empty"


def test_they_are_read_from_a_file_and_an_item_without_any_gets_none(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        '{"id": "a", "question": "Who wrote Hamlet?", "answer": "x", "wordings": ["By whom is Hamlet?"]}\n'
        '{"id": "b", "question": "Who wrote Faust?", "answer": "y"}\n'
    )
    covered = freeze(file, tmp_path / "v.jsonl", ["human"])
    assert covered.accepted_by_kind == {"human": 1}
    assert covered.reasons_without == {"b": "human: the dataset has no 'wordings' of it"}
    assert read_variants(tmp_path / "v.jsonl").header.generators == ("human/1",)


def test_the_questions_of_the_demo_come_with_five_wordings_that_go_far() -> None:
    items = load_items(DATA / "demo.jsonl")
    assert len(items) == 32
    wordings = {item.id: item.metadata["wordings"] for item in items}
    assert {len(texts) for texts in wordings.values()} == {5}
    far = [distance(str(item.prompt), text) for item in items for text in wordings[item.id]]
    apart = [distance(*pair) for texts in wordings.values() for pair in combinations(texts, 2)]
    assert sum(far) / len(far) >= 0.75
    assert sum(apart) / len(apart) >= 0.85
    assert not any(
        str(item.prompt).rstrip("?").lower() in text.lower() for item in items for text in wordings[item.id]
    )


def test_the_demo_accepts_them_by_invariants_and_a_persons_word() -> None:
    decisions = DATA / "demo_decisions.jsonl"
    assert len(read_decisions(decisions)) == 160
    made = make_frozen(open_source(DATA / "demo.jsonl"), Wordings(FAMILIES, K, decisions=decisions))
    assert made.coverage.accepted_by_kind["human"] == 160
    assert made.coverage.accepted_by_kind["paraphrase"] >= 31
    human = [one for one in made.vetted if one.variant.kind == "human"]
    assert {one.decided_by for one in human} == {"person"}
    assert any(one.flags for one in human)  # which nobody else decides
    assert [one for one in human if one.failures] == []
