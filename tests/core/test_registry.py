from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from otherwords.core import registry
from otherwords.core.errors import InputError
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
