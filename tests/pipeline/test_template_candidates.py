"""Candidate wordings of a template, and the wordings that most items share."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.core.model_calls import CallCounts
from otherwords.core.template import Template, read_template
from otherwords.core.types import Item, Message, Variant, original, variant_id
from otherwords.pipeline.template_candidates import (
    Candidate,
    Candidates,
    freeze_candidates,
    frozen_candidates,
    in_template,
    shared_wordings,
    template_diff,
)

TEXT = Template("Answer: {question}")
CHAT = Template([Message("system", "Be brief: “always”."), Message("user", "Q: {question}\nA:")])
CHATTY = Template([Message("system", "Be very brief."), Message("user", "Q: {question}\nA:")], "t1")


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_messages_are_written_as_they_are_read(suffix: str, tmp_path: Path) -> None:
    text, diff = template_diff(CHAT, CHATTY, suffix)
    path = tmp_path / f"prompt{suffix}"
    path.write_text(text, encoding="utf-8")
    assert read_template(path).prompt == CHATTY.prompt
    changed = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 2
    assert "Be very brief." in changed[1]


def test_candidates_come_back_as_they_were_frozen(tmp_path: Path) -> None:
    each = Candidate("t1", CHATTY, "shorter"), Candidate("t2", Template("Say: {question}", "t2"), "by hand")
    made = Candidates(each, CallCounts(3, 1, 40, 20))
    assert frozen_candidates(tmp_path / "new", CHAT, {"k": 2}) is None
    freeze_candidates(tmp_path / "new", CHAT, {"k": 2}, made)
    assert frozen_candidates(tmp_path / "new", CHAT, {"k": 2}) == made
    with pytest.raises(InputError, match="holds a repair with other options"):
        frozen_candidates(tmp_path / "new", CHAT, {"k": 3})
    with pytest.raises(InputError, match="holds a repair of another template"):
        frozen_candidates(tmp_path / "new", TEXT, {"k": 2})


def test_what_users_say_stands_in_the_template() -> None:
    case = Item("q1", "What is it?", (), ("blue",), {"product": "box"})
    template = Template("{product}: {question}", "t1")
    said = Variant(variant_id("q1", "para1"), "q1", "para1", "paraphrase", "So what is it?", target=("blue",))
    cells = [
        in_template(name, template, case, "question", one)
        for name in ("orig", "t1")
        for one in (original(case), said)
    ]
    assert [(one.name, one.kind, one.template, one.wording) for one in cells] == [
        ("orig", "orig", "orig", "orig"),
        ("para1", "paraphrase", "orig", "para1"),
        ("t1", "template", "t1", "orig"),
        ("t1+para1", "template+paraphrase", "t1", "para1"),
    ]
    assert cells[3].prompt == "box: So what is it?"
    assert {one.target for one in cells} == {("blue",)}
    assert len({one.id for one in cells}) == 4


def _variant(item: str, name: str, kind: str, change: str, template: str = "") -> Variant:
    return Variant(variant_id(item, name), item, name, kind, name, change=change, template=template)


def test_a_wording_is_a_change_that_half_of_the_items_have() -> None:
    items = [f"q{n}" for n in range(4)]
    variants = [_variant(item, "orig", "orig", "") for item in items]
    variants += [_variant(item, "pert:case", "format", "case") for item in items]
    # two rules of paraphrase, each on a quarter of the items, and both on one
    variants += [_variant(item, "para1", "paraphrase", rule) for item, rule in (("q0", "a"), ("q1", "b"))]
    variants += [_variant("q1", "para2", "paraphrase", "c"), _variant("q2", "slip", "typing", "typing")]
    variants += [_variant(item, "no", "control", "negated") for item in items]
    found, rare = shared_wordings(variants, len(items))
    assert {name for name, _ in found} == {"layout: letter case", "paraphrase"}
    assert {item: one.name for (name, item), one in found.items() if name == "paraphrase"} == {
        "q0": "para1",
        "q1": "para1",
    }
    assert rare == ["typing slips"]


def test_where_there_are_several_templates_they_are_the_wordings() -> None:
    variants = [
        _variant(item, name, kind, "", name)
        for item in ("q0", "q1")
        for name, kind in (("orig", "orig"), ("b", "template"), ("c", "template"))
    ]
    found, rare = shared_wordings(variants, 2)
    assert sorted(found) == [("b", "q0"), ("b", "q1"), ("c", "q0"), ("c", "q1")]
    assert rare == []
