"""Source code → a hash of it, so that a run is not resumed with code that has changed since."""

from __future__ import annotations

import ast
import hashlib
import sysconfig
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from otherwords.core.hashing import stable_hash

__all__ = ["callable_fingerprint", "source_fingerprint"]

_INSTALLED = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")})


def callable_fingerprint(name: str) -> str:
    """Of `module:function` or `file.py:function`."""
    where, _, attribute = name.rpartition(":")
    if where.endswith(".py"):  # by its own name alone, so that a folder may be moved
        return stable_hash([Path(where).name, attribute, source_fingerprint(where)])
    spec = find_spec(where)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return stable_hash([where, attribute])  # a module without source, such as one written in C
    file = Path(spec.origin).resolve()
    depth = where.count(".") + (file.name == "__init__.py")
    return stable_hash([where, attribute, source_fingerprint(file, root=file.parents[depth])])


def source_fingerprint(path: str | Path, *, root: Path | None = None) -> str:
    """Of a Python file and all that it imports from below `root`, which is its own folder if not given.

    Of what is installed, the file alone: its package's version is not the run's to watch.
    """
    file = Path(path).resolve()
    folder = file.parent if root is None else root
    digests: dict[str, str] = {}
    waiting, seen = [file], {file}
    while waiting:
        file = waiting.pop()
        source = file.read_bytes()
        digests[file.relative_to(folder).as_posix()] = hashlib.sha256(source).hexdigest()
        if any(place in file.parents for place in _INSTALLED):
            continue
        found = {one for name in _imported(source) for one in _files(folder, file.parent, name)} - seen
        waiting += found
        seen |= found
    return stable_hash(digests)


def _imported(source: bytes) -> Iterator[str]:
    """`a.b` for `import a.b` and `from a import b`; what is relative begins with a dot."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return  # the run itself will say so
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = "." * node.level + (f"{node.module}." if node.module else "")
            yield from (above + alias.name for alias in node.names)


def _files(folder: Path, beside: Path, name: str) -> Iterator[Path]:
    """The files below `folder` that an import of `name` runs; a name that is elsewhere has none."""
    dots = len(name) - len(name.lstrip("."))
    base = beside if dots else folder
    for _ in range(dots - 1):
        base = base.parent
    if base != folder and folder not in base.parents:
        return
    for part in name.lstrip(".").split("."):
        base = base / part
        for file in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if file.is_file():
                yield file.resolve() if folder in file.resolve().parents else file
