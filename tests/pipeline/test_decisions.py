"""What people decided, applied to a variants file: over flags and the judge, never over an invariant."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant, Vetted, original, variant_id, wording_hash
from otherwords.pipeline.vet import vet_file
from otherwords.variants.file import make_header, read_variants, write_variants

ITEM = Item("cats", "Name 3 cats of your neighbour.", (), ())
TEXTS = {
    "flagged": "Name 3 dogs of your neighbour.",
    "judged": "Name 3 horses of your neighbour.",
    "plain": "Please name 3 cats of your neighbour.",
    "refused": "Name 4 cats of your neighbour.",
}
VARIANTS = {
    name: Variant(variant_id("cats", name), "cats", name, "llm", text) for name, text in TEXTS.items()
}
JUDGE = CheckResult("judge", "pass", "the same in both orders, says the judge")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `v.jsonl`, in which a judge accepted one variant that carries a flag."""
    monkeypatch.chdir(tmp_path)
    header = make_header([ITEM], families=["llm"], k=4, seed=0)
    vetted = [Vetted(original(ITEM), ()), *(Vetted(variant, ()) for variant in VARIANTS.values())]
    flag = CheckResult("nouns", "flag", "lost: cats")
    vetted[2] = replace(vetted[2], checks=(flag, JUDGE))
    write_variants("v.jsonl", vetted, header=replace(header, checks={"judge": {"model": "m/m"}}))
    return tmp_path


def decision(name: str, accepts: Any, **changes: Any) -> dict[str, Any]:
    return {
        "item": "cats",
        "name": name,
        "accepted": accepts,
        "person": "Ada",
        "date": "2026-11-02",
        "wording_hash": wording_hash(ITEM, VARIANTS[name]) if name in VARIANTS else "",
        **changes,
    }


def given(*decisions: dict[str, Any]) -> Path:
    path = Path("d.jsonl")
    path.write_text("".join(json.dumps(one) + "\n" for one in decisions), encoding="utf-8")
    return path


def statuses() -> dict[str, tuple[str, str]]:
    vetted = read_variants("v.jsonl").vetted[1:]
    return {one.variant.name: (one.status, one.decided_by) for one in vetted}


def test_without_decisions(here: Path) -> None:
    covered = vet_file("v.jsonl")
    assert statuses() == {
        "flagged": ("undecided", "flag"),
        "judged": ("accepted", "judge"),
        "plain": ("accepted", "invariant"),
        "refused": ("rejected", "invariant"),
    }
    assert (covered.accepted, covered.undecided, covered.rejected) == (2, 1, 1)


def test_a_person_overrules_flags_and_the_judge_and_never_an_invariant(here: Path) -> None:
    decisions = [decision(name, name in ("flagged", "refused"), note="n") for name in VARIANTS]
    covered = vet_file("v.jsonl", decisions=given(*decisions))
    assert statuses() == {
        "flagged": ("accepted", "person"),
        "judged": ("rejected", "person"),
        "plain": ("rejected", "person"),
        "refused": ("rejected", "invariant"),
    }
    assert covered.decisions is not None
    assert (covered.decisions.applied, covered.decisions.refused) == (4, ["cats refused"])
    assert covered.decisions.unfitting == covered.decisions.outdated == []
    assert covered.rejected_by_reason["person"] == 2
    assert covered.undecided == 0
    kept = read_variants("v.jsonl").vetted[1].decision
    assert kept is not None
    assert (kept.person, kept.date, kept.note) == ("Ada", "2026-11-02", "n")


def test_a_decision_stays_and_a_later_one_replaces_it(here: Path) -> None:
    vet_file("v.jsonl", decisions=given(decision("flagged", True)))
    content = Path("v.jsonl").read_bytes()
    vet_file("v.jsonl")
    assert Path("v.jsonl").read_bytes() == content
    covered = vet_file("v.jsonl", decisions=given(decision("flagged", False, person="Grace")))
    assert statuses()["flagged"] == ("rejected", "person")
    assert covered.decisions is not None
    assert (covered.decisions.applied, covered.decisions.outdated) == (1, [])


def test_a_decision_on_other_wordings_is_named_and_not_applied(here: Path) -> None:
    other = replace(VARIANTS["flagged"], prompt="Name 3 geese of your neighbour.")
    unfitting = decision("flagged", True, wording_hash=wording_hash(ITEM, other))
    covered = vet_file("v.jsonl", decisions=given(unfitting, decision("plain", False)))
    assert statuses()["flagged"] == ("undecided", "flag")
    assert statuses()["plain"] == ("rejected", "person")
    assert covered.decisions is not None
    assert (covered.decisions.applied, covered.decisions.unfitting) == (1, ["cats flagged"])


def test_a_variant_that_was_edited_loses_its_decision(here: Path) -> None:
    vet_file("v.jsonl", decisions=given(decision("flagged", True)))
    path = Path("v.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace("3 dogs", "3 geese"), encoding="utf-8")
    covered = vet_file("v.jsonl")
    assert statuses()["flagged"] == ("undecided", "flag")
    assert covered.decisions is not None
    assert covered.decisions.outdated == ["cats flagged"]


def test_what_a_person_decided_is_not_asked_of_a_judge(here: Path, scripted: Any) -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return '{"difference": "", "same": false}'

    decisions = given(decision("flagged", True), decision("judged", True))
    covered = vet_file("v.jsonl", judge=scripted("judge", judge), decisions=decisions)
    assert (asked, covered.accepted) == ([], 3)
    assert read_variants("v.jsonl").vetted[1].checks[-1] == (
        "judge",
        "not_applicable",
        "decided by a person",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "d.jsonl: there is no decision in it"),
        ("\n{", "d.jsonl:2: bad decision: Invalid JSON: EOF while parsing an object at column 1"),
        ("[]", "d.jsonl:1: bad decision: Input should be an object"),
        ('{"name": "x"}', "d.jsonl:1: bad decision: item: Field required"),
        ('{"item": "cats", "name": 3}', "d.jsonl:1: bad decision: name: Input should be a valid string"),
        ('{"item": "cats", "name": "x"}', "d.jsonl:1: bad decision: accepted: Field required"),
        (
            json.dumps(decision("plain", "perhaps")),
            "d.jsonl:1: bad decision: accepted: Input should be a valid boolean",
        ),
        (
            json.dumps(decision("plain", True, date="2026-13-02")),
            "d.jsonl:1: bad decision: time data '2026-13-02' does not match format '%Y-%m-%d'",
        ),
        (
            json.dumps(decision("plain", True, person="")),
            "d.jsonl:1: bad decision: it is not said who decided",
        ),
        (
            json.dumps(decision("plain", True)) + "\n" + json.dumps(decision("plain", False)),
            "d.jsonl:2, item 'cats': decides otherwise on 'plain' than line 1",
        ),
        (
            json.dumps(decision("plain", True, item="dogs")),
            "d.jsonl:1: there is no item 'dogs' in the variants file",
        ),
        (
            json.dumps(decision("mild9", True)),
            "d.jsonl:1: there is no variant 'mild9' of item 'cats' in the variants file",
        ),
        (
            json.dumps(decision("orig", False)),
            "d.jsonl:1: decides on the original of item 'cats', which is always accepted",
        ),
    ],
)
def test_what_cannot_be_a_decision(here: Path, text: str, problem: str) -> None:
    Path("d.jsonl").write_text(text, encoding="utf-8")
    content = Path("v.jsonl").read_bytes()
    with pytest.raises(InputError) as caught:
        vet_file("v.jsonl", decisions="d.jsonl")
    assert str(caught.value) == problem
    assert Path("v.jsonl").read_bytes() == content


def test_a_file_of_version_0_1_is_brought_up_to_date(here: Path) -> None:
    v0_1 = Path(__file__).parents[1] / "pins" / "v0_1" / "made" / "variants.jsonl"
    before = read_variants(v0_1)
    vet_file(v0_1, "new.jsonl")
    after = read_variants("new.jsonl")
    measured = [replace(one.variant, distance=None) for one in after.vetted]
    assert measured == [one.variant for one in before.vetted]
    assert after.header.items_hash == before.header.items_hash
    assert after.header.language_model.startswith("en_core_web_sm")
    lines = [json.loads(line) for line in Path("new.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[0]["version"] == 2
    assert all({"status", "decided_by"} <= set(line) for line in lines[1:])


def test_decisions_are_the_same_with_one_process_and_several(here: Path) -> None:
    decisions = given(decision("flagged", True), decision("judged", False))
    vet_file("v.jsonl", "one.jsonl", decisions=decisions)
    vet_file("v.jsonl", "two.jsonl", decisions=decisions, jobs=2)
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
