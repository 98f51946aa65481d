"""A scripted paraphraser and a scripted judge: what is accepted in each case, kept and counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from otherwords.checks import make_check
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Vetted
from otherwords.pipeline.decisions import with_judge
from otherwords.pipeline.frozen import freeze
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.templates import vary
from otherwords.pipeline.vet import estimate_judging, vet_file
from otherwords.variants.file import read_variants
from otherwords.variants.llm import LlmFamily

Scripted = Callable[[str, Callable[[str], str]], str]

ITEM = Item("cats", "Name 3 cats of your neighbour.", (), ())
GOOD, BAD, PLAIN, REFUSED = (
    "Name 3 pets of your neighbour.",
    "Name 3 dogs of your neighbour.",
    "Please name 3 cats of your neighbour.",
    "Name 4 cats of your neighbour.",
)
"""The first two carry a flag, the third does not, the last is refused by an invariant."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))


def listed(*texts: str) -> str:
    """As the model writes them: the number is shown to it as a mark."""
    return json.dumps({"rewordings": [text.replace("3", "⟦1⟧") for text in texts]})


def said(same: bool) -> str:
    return json.dumps({"difference": "" if same else "dogs", "same": same})


def original_first(prompt: str) -> bool:
    return prompt.index(str(ITEM.prompt)) < 20


def right(prompt: str) -> str:
    return said(BAD not in prompt)


def wrong(prompt: str) -> str:
    return said(BAD in prompt)


def contradicting(prompt: str) -> str:
    return said(original_first(prompt))


def silent(_: str) -> str:
    return ""


def unreadable(_: str) -> str:
    return "They look alike to me."


def statuses(vetted: list[Vetted]) -> dict[str, tuple[str, str]]:
    return {str(one.variant.prompt): (one.status, one.decided_by) for one in vetted[1:]}


def written(
    scripted: Scripted, judge: Callable[[str], str] | None, texts: tuple[str, ...], k: int = 1
) -> list[Vetted]:
    llm = LlmFamily(scripted("writer", lambda _: listed(*texts)), max_attempts=1, cache=False)
    named = "none" if judge is None else scripted("judge", judge)
    return vary([ITEM], ["llm"], k=k, llm=llm, judge=named)


@pytest.mark.parametrize(
    ("judge", "of_good", "of_bad"),
    [
        (right, ("accepted", "judge"), ("rejected", "judge")),
        (wrong, ("rejected", "judge"), ("accepted", "judge")),
        (contradicting, ("undecided", "flag"), ("undecided", "flag")),
        (silent, ("undecided", "flag"), ("undecided", "flag")),
        (unreadable, ("undecided", "flag"), ("undecided", "flag")),
        (None, ("undecided", "flag"), ("undecided", "flag")),
    ],
    ids=["right", "wrong", "contradicting", "silent", "unreadable", "none"],
)
def test_what_is_accepted_by_what_the_judge_says(
    scripted: Scripted,
    judge: Callable[[str], str] | None,
    of_good: tuple[str, str],
    of_bad: tuple[str, str],
) -> None:
    found = statuses(written(scripted, judge, (GOOD, BAD, PLAIN, REFUSED), k=4))
    assert found == {
        GOOD: of_good,
        BAD: of_bad,
        PLAIN: ("accepted", "invariant"),
        REFUSED: ("rejected", "invariant"),
    }


def test_by_default_the_writer_judges_its_own_wordings(scripted: Scripted) -> None:
    asked: list[str] = []

    def both(prompt: str) -> str:
        asked.append(prompt)
        return right(prompt) if "Do the two mean the same?" in prompt else listed(GOOD, BAD)

    llm = LlmFamily(scripted("both", both), max_attempts=1, cache=False)
    found = statuses(vary([ITEM], ["llm"], k=2, llm=llm))
    assert found == {GOOD: ("accepted", "judge"), BAD: ("rejected", "judge")}
    assert len(asked) == 1 + 2 * 2
    assert vary([ITEM], ["paraphrase"], k=1)  # rules need no judge, and no model is asked


def test_the_undecided_fill_no_slot_and_are_kept_in_the_file(scripted: Scripted, tmp_path: Path) -> None:
    asked: list[str] = []

    def write(prompt: str) -> str:
        asked.append(prompt)
        return listed(GOOD if len(asked) == 1 else PLAIN)

    llm = LlmFamily(scripted("writer", write), max_attempts=3, cache=False)
    covered = freeze(Source("x", [ITEM]), tmp_path / "v.jsonl", ["llm"], k=1, llm=llm, judge="none")
    read = read_variants(tmp_path / "v.jsonl")
    assert [(one.variant.name, one.variant.prompt, one.status) for one in read.vetted[1:]] == [
        ("mild1", PLAIN, "accepted"),
        ("mild:try1.1", GOOD, "undecided"),
    ]
    assert [one.name for one in read.accepted] == ["orig", "mild1"]
    assert len(asked) == 2
    assert "Name ⟦1⟧ pets" in asked[1]
    assert (covered.accepted, covered.undecided, covered.rejected, covered.missing) == (1, 1, 0, 0)
    assert covered.judged is None
    assert read.header.checks == {}


def test_a_wording_that_waits_is_not_taken_twice(scripted: Scripted) -> None:
    llm = LlmFamily(scripted("stubborn", lambda _: listed(GOOD)), max_attempts=3, cache=False)
    found = vary([ITEM], ["llm"], k=1, llm=llm, judge="none")
    assert [(one.variant.name, one.status) for one in found[1:]] == [("mild:try1.1", "undecided")]


def test_calls_are_counted_and_the_file_names_the_judge(scripted: Scripted, tmp_path: Path) -> None:
    llm = LlmFamily(scripted("writer", lambda _: listed(GOOD, BAD, PLAIN)), max_attempts=1, cache=False)
    judge = scripted("judge", right)
    covered = freeze(Source("x", [ITEM]), tmp_path / "v.jsonl", ["llm"], k=3, llm=llm, judge=judge)
    assert covered.judged is not None
    assert (covered.judged.calls, covered.judged.input_tokens, covered.judged.output_tokens) == (4, 12, 4)
    assert covered.accepted_by_kind == {"llm": 2}
    assert covered.rejected_by_reason == {"judge": 1}
    assert read_variants(tmp_path / "v.jsonl").header.checks == {
        "judge": {"model": judge, "prompt": "judge/2"}
    }


def flagged_file(scripted: Scripted, path: Path) -> Path:
    """Two flagged variants, one without a flag and one refused, on which nobody has decided."""
    texts = (GOOD, BAD, PLAIN, REFUSED)
    llm = LlmFamily(scripted("writer", lambda _: listed(*texts)), max_attempts=1, cache=False)
    freeze(Source("x", [ITEM]), path, ["llm"], k=4, llm=llm, judge="none")
    return path


def test_a_judge_can_be_asked_later(scripted: Scripted, tmp_path: Path) -> None:
    path = flagged_file(scripted, tmp_path / "v.jsonl")
    content = path.read_bytes()
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return right(prompt)

    model = scripted("later", judge)
    estimate = estimate_judging(path, judge=model)
    assert (estimate.pairs, estimate.calls, asked, path.read_bytes()) == (2, 4, [], content)
    assert 300 < estimate.input_tokens < 3000
    covered = vet_file(path, checks=[make_check(f"judge={model},cache=false")])
    assert (covered.accepted, covered.rejected, covered.undecided) == (2, 2, 0)
    assert len(asked) == 4
    assert estimate_judging(path, judge=model).pairs == 2, "what a judge decided may be asked again"


def test_vetting_again_keeps_what_was_said_of_the_same_words(scripted: Scripted, tmp_path: Path) -> None:
    path = flagged_file(scripted, tmp_path / "v.jsonl")
    vet_file(path, judge=scripted("later", right))
    judged = {one.variant.name: (one.status, one.decided_by) for one in read_variants(path).vetted}
    covered = vet_file(path)
    assert (covered.accepted, covered.rejected, covered.undecided, covered.judged) == (2, 2, 0, None)
    again = read_variants(path)
    assert {one.variant.name: (one.status, one.decided_by) for one in again.vetted} == judged
    assert again.header.checks["judge"]["model"] == "scripted/later"
    path.write_text(path.read_text(encoding="utf-8").replace("pets", "birds"), encoding="utf-8")
    covered = vet_file(path)
    assert (covered.accepted, covered.rejected, covered.undecided) == (1, 2, 1)


def test_two_judges_are_one_too_many() -> None:
    judge = make_check("judge=mockllm/model")
    with pytest.raises(InputError) as caught:
        with_judge([judge], "mockllm/other")
    assert str(caught.value) == "the judge is named twice\nGive --judge or --check judge=MODEL, once."
    assert with_judge([judge], None, families=["llm"]) == [judge]
    embedding = make_check("embedding")
    assert with_judge([judge, embedding]) == [embedding, judge]


def test_without_a_judge_nothing_is_estimated(scripted: Scripted, tmp_path: Path) -> None:
    path = flagged_file(scripted, tmp_path / "v.jsonl")
    with pytest.raises(InputError, match=r"^no judge is named\nFor example: --judge openai/gpt-4o-mini$"):
        estimate_judging(path)
