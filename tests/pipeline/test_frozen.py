"""The variants file of a log folder grows with its run, and what is in it stays as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from otherwords.core.contract import VARIANTS_FILE as FROZEN
from otherwords.core.errors import InputError
from otherwords.core.types import Item
from otherwords.pipeline.frozen import plan_wordings
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.vary import Wordings
from otherwords.variants.file import VariantsFile, read_variants
from otherwords.variants.llm import LlmFamily

Scripted = Callable[[str, Callable[[str], str]], str]

ITEMS = [
    Item("france", "What is the capital of France?", (), ("Paris",)),
    Item("play", "Who wrote the play Hamlet?", (), ("Shakespeare",)),
    Item("mammal", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1),
]
FEW = Wordings(("paraphrase", "format"), 2)


def source(count: int, **fields: bool) -> Source:
    return Source("questions", ITEMS[:count], **fields)  # type: ignore[arg-type]


def grow(folder: Path, count: int, wordings: Wordings = FEW, *, write: bool = True) -> VariantsFile:
    planned = plan_wordings(source(count, is_part=True), folder, wordings)
    if write:
        planned.write()
        assert planned.file.vetted == read_variants(folder / FROZEN).vetted
        assert planned.file.missing == read_variants(folder / FROZEN).missing
    return planned.file


def lines(folder: Path) -> list[bytes]:
    return (folder / FROZEN).read_bytes().splitlines()[1:]


def asked(frozen: VariantsFile) -> set[tuple[str, object, object]]:
    return {(variant.id, variant.prompt, variant.choices) for variant in frozen.accepted}


def test_more_items_are_added_and_it_is_as_if_made_at_once(tmp_path: Path) -> None:
    grow(tmp_path / "grown", 1)
    before = lines(tmp_path / "grown")
    grown = grow(tmp_path / "grown", 3)
    assert lines(tmp_path / "grown")[: len(before)] == before
    whole = grow(tmp_path / "whole", 3)
    assert (tmp_path / "grown" / FROZEN).read_bytes() == (tmp_path / "whole" / FROZEN).read_bytes()
    assert (grown.vetted, grown.header) == (whole.vetted, whole.header)
    assert read_variants(tmp_path / "grown" / FROZEN).vetted == grown.vetted


@pytest.mark.parametrize(
    "more",
    [
        Wordings(("paraphrase", "format"), 5),
        Wordings(("paraphrase", "format", "options"), 2),
        Wordings(("options", "paraphrase", "naturalistic", "format"), 9),
    ],
)
def test_more_wordings_are_added_to_those_that_are_there(more: Wordings, tmp_path: Path) -> None:
    before = asked(grow(tmp_path, 2))
    kept = lines(tmp_path)
    grown = grow(tmp_path, 3, more)
    assert lines(tmp_path)[: len(kept)] == kept
    assert before < asked(grown)
    assert asked(grow(tmp_path / "whole", 3, more)) <= asked(grown)
    assert len({variant.id for variant in grown.accepted}) == len(grown.accepted)
    assert (grown.header.families, grown.header.k) == (more.families, more.total)
    again = plan_wordings(source(3), tmp_path, more)
    assert (again.made, again.file.vetted) == (None, grown.vetted)


def test_fewer_items_change_nothing(tmp_path: Path) -> None:
    whole = grow(tmp_path, 3)
    content = (tmp_path / FROZEN).read_bytes()
    fewer = grow(tmp_path, 1)
    assert (fewer.vetted, (tmp_path / FROZEN).read_bytes()) == (whole.vetted, content)


def test_without_writing_the_folder_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    planned = grow(folder, 3, write=False)
    assert not folder.exists()
    grow(folder, 1)
    content = (folder / FROZEN).read_bytes()
    grown = grow(folder, 3, write=False)
    assert (folder / FROZEN).read_bytes() == content
    assert sorted(folder.iterdir()) == [folder / FROZEN]
    assert asked(grown) == asked(planned) == asked(grow(folder, 3))
    assert grown.path == planned.path == folder / FROZEN


@pytest.mark.parametrize(
    "other", [Wordings(("paraphrase",), 2), Wordings(("paraphrase", "format"), 1), replace(FEW, seed=1)]
)
def test_fewer_or_other_wordings_are_refused(other: Wordings, tmp_path: Path) -> None:
    grow(tmp_path, 1)
    with pytest.raises(InputError) as caught:
        grow(tmp_path, 1, other)
    assert str(caught.value) == (
        f"{tmp_path / FROZEN}: this run has --families paraphrase,format -k 2 --seed 0\n"
        f"Ask for the same, or for more families or wordings. To begin another run: --log-dir {tmp_path}-2"
    )


def test_more_wordings_are_not_added_to_a_part_of_the_items(tmp_path: Path) -> None:
    """Seen: the others then counted as if they had as many, and never got theirs."""
    grow(tmp_path, 3)
    content = (tmp_path / FROZEN).read_bytes()
    with pytest.raises(InputError) as caught:
        grow(tmp_path, 1, Wordings(("paraphrase", "format"), 5))
    assert str(caught.value) == (
        f"{tmp_path / FROZEN}: this run has 3 items with --families paraphrase,format -k 2, and more "
        "wordings are added to all of them at once\n"
        "Ask for at least as many items, or for the same wordings."
    )
    assert (tmp_path / FROZEN).read_bytes() == content


def test_what_a_model_wrote_is_not_asked_for_again(tmp_path: Path, scripted: Scripted) -> None:
    replies = [
        ["Which city is the capital of France?", "What is the capital of Italy?"],
        ["Can you tell me what the capital of France is?", "Name the capital of France."],
    ]
    asked: list[str] = []

    def write(prompt: str) -> str:
        asked.append(prompt)
        return json.dumps({"rewordings": replies[min(len(asked), len(replies)) - 1]})

    llm = LlmFamily(scripted("writer", write), max_attempts=1, cache=False)
    judge = scripted("judge", lambda prompt: json.dumps({"same": "Italy" not in prompt}))
    first = grow(tmp_path, 1, Wordings(("llm",), 2, llm=llm, judge=judge))
    assert [variant.name for variant in first.accepted] == ["orig", "mild1"]
    assert [slot.name for slot in first.missing] == ["medium1"]
    with pytest.raises(InputError, match=f"this run has --judge {judge}\nAsk for the same."):
        grow(tmp_path, 1, Wordings(("llm",), 3, llm=llm))
    grown = grow(tmp_path, 1, Wordings(("llm",), 3, llm=llm, judge=judge))
    assert [(variant.name, variant.prompt) for variant in grown.accepted[1:]] == [
        ("mild1", replies[0][0]),
        ("medium1", replies[1][0]),
        ("strong1", replies[1][1]),
    ]
    assert grown.missing == ()
    assert len(asked) == 2
    assert "in 2 different ways" in asked[1]
    assert replies[0][0] in asked[1]


def test_an_item_that_was_edited_is_named(tmp_path: Path) -> None:
    grow(tmp_path, 2)
    edited = replace(source(3), items=[ITEMS[0], replace(ITEMS[1], target=("Marlowe",)), ITEMS[2]])
    with pytest.raises(InputError) as caught:
        plan_wordings(edited, tmp_path, FEW)
    assert str(caught.value) == (
        f"{tmp_path / FROZEN}, item 'play': changed since this run began: its prompt, an option or its "
        "answer\n"
        f"Undo the change to go on with that run. To begin another run: --log-dir {tmp_path}-2"
    )


def test_items_that_are_gone_are_another_run(tmp_path: Path) -> None:
    grow(tmp_path, 3)
    with pytest.raises(InputError) as caught:
        plan_wordings(source(1), tmp_path, FEW)
    assert str(caught.value) == (
        f"{tmp_path / FROZEN}: has the wordings of another run: it was made for other items: the items lack "
        f"'mammal' and 1 more\nTo begin another run: --log-dir {tmp_path}-2"
    )


def test_what_was_added_is_vouched_for_like_the_rest(tmp_path: Path) -> None:
    grow(tmp_path, 1)
    grow(tmp_path, 3)
    file = tmp_path / FROZEN
    file.write_text(file.read_text().replace("Hamlet", "Macbeth"))
    with pytest.raises(InputError, match="was changed after it was written"):
        read_variants(file)
