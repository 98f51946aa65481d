"""A room imports core, english and itself; only pipeline, cli and the package's own modules compose rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "otherwords"
ROOMS = (
    *("core", "english", "items", "variants", "checks", "runs", "results", "metrics"),
    *("report", "audit", "publish", "benchmarks"),
)
COMPOSERS = ("pipeline", "cli")
SHARED = ("core", "english")
WITHOUT_INSPECT = ("core", "english", "metrics", "report")
LONGEST = 400
DATA = "data"


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def module_name(path: Path) -> str:
    parts = ("otherwords", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(path: Path) -> str:
    """The folder below the package; empty for the package's own modules."""
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else ""


def _statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports at any depth, but for those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from _statements(other)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        else:
            yield from _statements(node)


def imports(path: Path, *, for_types: bool = True) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if for_types else _statements(tree)
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_a_room_imports_core_english_and_itself(path: Path) -> None:
    room = room_of(path)
    if not room or room in COMPOSERS:
        return
    allowed = {*SHARED, room, "__version__"} if room != "english" else {"english"}
    foreign = [
        module
        for module in imports(path)
        if module.startswith("otherwords.") and module.split(".")[1] not in allowed
    ]
    assert not foreign, f"{relative(path)} imports {foreign}"


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_inspect_is_imported_only_where_it_may_be(path: Path) -> None:
    inspect = [module for module in imports(path) if module.split(".")[0] == "inspect_ai"]
    private = [module for module in inspect if any(part.startswith("_") for part in module.split("."))]
    assert not private, f"{relative(path)} imports private modules: {private}"
    if room_of(path) in WITHOUT_INSPECT:
        assert not inspect, f"{relative(path)} imports {inspect}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions count: a circle that is hidden there is still one."""
    known = {module_name(path): path for path in modules()}
    graph = {}
    for name, path in known.items():
        targets = set()
        for target in imports(path, for_types=False):
            found = target if target in known else target.rpartition(".")[0]
            if found in known and found != name:
                targets.add(found)
        graph[name] = targets
    assert _circles(graph) == []


def _circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules of which each can be reached from each other."""
    reach: dict[str, set[str]] = {}
    for start, targets in graph.items():
        seen: set[str] = set()
        waiting = list(targets)
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += graph[name]
        reach[start] = seen
    groups = {
        tuple(sorted(other for other in reach[name] if name in reach[other]))
        for name in graph
        if name in reach[name]
    }
    return [list(group) for group in sorted(groups)]


def test_circles_are_found() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_every_room_exists_and_says_what_it_is() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - {DATA} == {*ROOMS, *COMPOSERS}
    for room in (*ROOMS, *COMPOSERS):
        docstring = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8")))
        assert docstring is not None, room
        assert len(docstring) > 20, room


@pytest.mark.parametrize("path", modules(), ids=relative)
def test_every_module_is_short_and_begins_with_a_sentence(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    docstring = ast.get_docstring(ast.parse(text)) or ""
    first = docstring.split("\n\n")[0]
    assert first.endswith((".", "…", "?")), f"{relative(path)}: {first!r}"
