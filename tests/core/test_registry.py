from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from otherwords.core import registry
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.registry import Registry


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
