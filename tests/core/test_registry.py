from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from otherwords.core import registry
from otherwords.core.contract import CONTROL, FAULT, HUMAN, KINDS, LLM, ORIG, STYLES
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.registry import FAMILIES, FamilyTraits, Registry, is_wording, traits_of


def test_keeps_the_order_and_refuses_doubles() -> None:
    things: Registry[int] = Registry("thing")
    things.add("b", 1)
    things.register("a")(2)
    assert things.names() == ["b", "a"]
    assert list(things) == [("b", 1), ("a", 2)]
    with pytest.raises(InputError, match=r"^thing 'a' is registered twice$"):
        things.add("a", 3)


def test_an_unknown_name_is_told_with_near_ones() -> None:
    things: Registry[int] = Registry("thing")
    things.add("paraphrase", 1)
    with pytest.raises(InputError, match=r"^unknown thing 'paraphase'\. Did you mean: paraphrase\?$"):
        things.get("paraphase")


def test_third_parties_add_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def points(*, group: str) -> list[EntryPoint]:
        asked.append(group)
        return [EntryPoint("sep", "os:sep", group)]

    monkeypatch.setattr(registry, "entry_points", points)
    things: Registry[str] = Registry("thing", "otherwords.things")
    assert asked == []
    assert things.get("sep")
    assert things.names() == ["sep"]
    assert asked == ["otherwords.things"]


def entry_points(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    points = [EntryPoint(name, value, "otherwords.things") for name, value in values.items()]
    monkeypatch.setattr(registry, "entry_points", lambda *, group: points)


def test_our_own_come_first_in_their_order_then_others_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points(monkeypatch, z="os:sep", a="nowhere:x", big="otherwords.core:x", small="otherwords.core:y")
    things: Registry[str] = Registry("thing", "otherwords.things", own=("small", "big"))
    things.add("added", "1")
    assert things.names() == ["small", "big", "added", "a", "z"]
    assert len(things) == 5


def test_what_cannot_be_imported_is_named_once_and_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entry_points(monkeypatch, bad="nowhere:x", good="os:sep")
    things: Registry[str] = Registry("thing", "otherwords.things")
    told = "the thing 'bad' cannot be loaded (nowhere:x): ModuleNotFoundError: No module named 'nowhere'"
    assert things.find("good")
    assert caplog.messages == []
    assert things.get("good")
    assert [name for name, _ in things] == [name for name, _ in things] == ["good"]
    assert things.find("bad") is None
    assert caplog.messages == [f"Skipped: {told}"]
    with pytest.raises(InputError) as caught:
        things.get("bad")
    assert str(caught.value) == told
    with pytest.raises(InputError, match=r"^unknown thing 'bd'\. Did you mean: bad\?$"):
        things.get("bd")


def test_what_is_asked_for_and_cannot_be_imported_is_an_error_and_no_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entry_points(monkeypatch, bad="nowhere:x")
    things: Registry[str] = Registry("thing", "otherwords.things")
    with pytest.raises(InputError, match="cannot be loaded"):
        things.get("bad")
    assert caplog.messages == []


def test_only_what_is_asked_for_is_imported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "registry_leaves.py").write_text("import sys\nsys.exit('goodbye')\n")
    monkeypatch.syspath_prepend(tmp_path)
    entry_points(monkeypatch, good="os:sep", leaves="registry_leaves:x")
    things: Registry[str] = Registry("thing", "otherwords.things")
    assert things.get("good")
    assert caplog.messages == []
    told = "the thing 'leaves' cannot be loaded (registry_leaves:x): SystemExit: goodbye"
    with pytest.raises(InputError, match=r"^unknown thing 'leave'\. Did you mean: leaves\?$"):
        things.get("leave")
    assert caplog.messages == [f"Skipped: {told}"]
    with pytest.raises(InputError) as caught:
        things.get("leaves")
    assert str(caught.value) == told


def test_what_a_script_changes_is_known_to_this_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points(monkeypatch, installed="os:sep")
    things: Registry[str] = Registry("thing", "otherwords.things")
    things.add("ours", "1")
    things.seal_own()
    assert things.get("installed")
    assert things.changed_here == []
    things.add("mine", "2")
    assert things.changed_here == ["mine"]
    things.remove("mine")
    things.remove("installed")
    things.remove("unknown")
    assert things.changed_here == []
    things.remove("ours")
    assert things.changed_here == ["ours"]


def test_a_fault_of_our_own_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points(monkeypatch, ours="otherwords.no_such_module:x")
    things: Registry[str] = Registry("thing", "otherwords.things", own=("ours",))
    with pytest.raises(ModuleNotFoundError):
        things.find("ours")


def test_others_do_not_take_the_place_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("a", "os:sep", "otherwords.things"),
        EntryPoint("a", "otherwords.core.contract:ORIG", "otherwords.things"),
        EntryPoint("a", "os:linesep", "otherwords.things"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda *, group: points)
    things: Registry[str] = Registry("thing", "otherwords.things")
    assert things.get("a") == "orig"


def test_an_installation_older_than_the_source_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points(monkeypatch)
    things: Registry[str] = Registry("thing", "otherwords.things", own=("new",))
    for look_up in (things.get, things.find):
        with pytest.raises(MissingDependencyError) as caught:
            look_up("new")
        assert str(caught.value) == (
            "the thing 'new' is not registered: otherwords was installed before it was there\n"
            "Install it with: pip install -e . (in a clone), or pip install --force-reinstall otherwords"
        )


def names_where(trait: str) -> list[str]:
    return [kind for kind in KINDS if getattr(traits_of(kind), trait)]


def test_our_families_declare_what_others_must_know() -> None:
    assert FAMILIES.names() == list(KINDS)
    assert [family.name for _, family in FAMILIES] == list(KINDS)
    assert names_where("keeps_words") == ["format", "options", "position"]
    assert names_where("changes_form") == ["format", "naturalistic", "voice", "position"]
    assert names_where("is_control") == [CONTROL]
    assert names_where("is_informal") == ["naturalistic", "typing", "voice", "register"]
    assert names_where("moves_options") == ["options"]
    assert names_where("moves_text") == ["position"]
    assert names_where("needs_model") == [LLM]
    assert names_where("shared_by_items") == ["format", "options", "position"]
    assert names_where("seeded") == ["options", "naturalistic", *STYLES, "position", CONTROL, LLM]
    assert [kind for kind in KINDS if not traits_of(kind).keeps_meaning] == [CONTROL, HUMAN, LLM]
    assert {kind: traits_of(kind).metadata_key for kind in KINDS if traits_of(kind).metadata_key} == {
        "paraphrase": "paraphrase_id",
        "format": "perturbation_kind",
        "options": "perturbation_kind",
    }


@pytest.mark.parametrize("kind", [ORIG, FAULT, "", "never heard of"])
def test_a_kind_without_a_family_has_the_defaults(kind: str) -> None:
    assert traits_of(kind) == FamilyTraits()


def test_controls_and_faults_are_no_wordings() -> None:
    assert [kind for kind in (ORIG, FAULT, "other", *KINDS) if not is_wording(kind)] == [FAULT, CONTROL]


def test_traits_of_paraphrases_need_no_rules_of_paraphrasing() -> None:
    code = (
        "import sys; from otherwords.core.registry import traits_of; traits_of('paraphrase'); "
        "print([name for name in sys.modules if name.startswith('otherwords.variants.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ("['otherwords.variants.base', 'otherwords.variants.paraphrase']\n")
