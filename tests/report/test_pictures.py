from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from otherwords.report.pictures import Pictures, _is_covered
from otherwords.report.theme import png


def drawing(text: str, size: int = 40) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="20" font-family="Liberation Sans">'
        f'<rect width="{size}" height="20" fill="#ffffff"/>'
        f'<text x="2" y="15" font-size="12">{text}</text></svg>'
    )


def test_pictures_come_in_the_order_of_the_drawings() -> None:
    with Pictures([drawing("a", size) for size in (40, 60, 50)]) as pictures:
        found = pictures.wait()
    assert [int.from_bytes(image[16:20], "big") for image in found] == [80, 120, 100]


def test_without_a_second_process_the_pictures_are_made_here(monkeypatch: Any) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError("no processes here")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with Pictures([drawing("a")]) as pictures:
        assert pictures.wait() == [png(drawing("a"))]


def test_a_process_that_fails_is_made_up_for(monkeypatch: Any) -> None:
    monkeypatch.setattr("otherwords.report.pictures._WORKER", "raise SystemExit(3)")
    with Pictures([drawing("a")]) as pictures:
        assert pictures.wait() == [png(drawing("a"))]


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def interrupted() -> None:
        with Pictures([drawing("a")] * 50):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "covered"), [("a é Ω Ж × − …", True), ("漢", False), ("␛", False)])
def test_other_letters_take_the_machines_fonts(text: str, covered: bool) -> None:
    assert _is_covered(drawing(text)) is covered
