"""A room imports core and itself; only pipeline, cli, runs/tasks.py and audit/dataset.py compose."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "otherwords"
ROOMS = ("core", "items", "variants", "checks", "runs", "results", "metrics", "report", "audit", "scan")
COMPOSERS = (
    "pipeline",
    "cli",
    "runs/tasks.py",
    "audit/dataset.py",
    "_registry.py",
    "__init__.py",
    "__main__.py",
)
WITHOUT_INSPECT = ("core", "items", "metrics", "report", "scan")
MAY_READ_INSPECT = ("items/inspect_task.py",)


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_room_imports_core_and_itself(path: Path) -> None:
    name = name_of(path)
    if name.startswith(COMPOSERS):
        return
    room = name.split("/", 1)[0]
    foreign = [
        module
        for module in imports(path)
        if module.startswith("otherwords.") and module.split(".")[1] not in ("core", room, "__version__")
    ]
    assert not foreign, f"{name} imports {foreign}"


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_inspect_is_imported_only_where_it_may_be(path: Path) -> None:
    name = name_of(path)
    inspect = [module for module in imports(path) if module.split(".")[0] == "inspect_ai"]
    private = [module for module in inspect if any(part.startswith("_") for part in module.split("."))]
    assert not private, f"{name} imports private modules: {private}"
    if name.startswith(WITHOUT_INSPECT) and name not in MAY_READ_INSPECT:
        assert not inspect, f"{name} imports {inspect}"


def test_every_room_exists_and_says_what_it_is() -> None:
    for room in ROOMS:
        text = (SOURCE / room / "__init__.py").read_text(encoding="utf-8")
        docstring = ast.get_docstring(ast.parse(text))
        assert docstring is not None, room
        assert len(docstring) > 20, room
