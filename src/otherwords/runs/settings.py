"""A run's settings (config, limits, solver) → one hash; Python source with its imports → a fingerprint."""

from __future__ import annotations

import ast
import hashlib
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver, SolverSpec

from otherwords.core.hashing import stable_hash

__all__ = ["Limits", "RunSettings", "callable_fingerprint", "source_fingerprint"]

# Settings that change how long a run takes and not what it asks.
_HARMLESS_CONFIG = {"max_connections", "max_retries", "timeout", "attempt_timeout", "adaptive_connections"}
_INSTALLED = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sample."""

    messages: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    working_seconds: int | None = None


@dataclass(frozen=True)
class RunSettings:
    """How a run asks; `hash` is written into its logs, and a run with another hash never resumes it."""

    config: GenerateConfig = field(default_factory=GenerateConfig)
    limits: Limits = field(default_factory=Limits)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    model_roles: Mapping[str, str] = field(default_factory=dict)
    """Models that tasks ask for by a role, such as `user` or `grader`."""
    solver: Solver | SolverSpec | None = None
    """In place of the tasks' own."""
    solver_id: str = ""
    """Tells one solver from another that Inspect gives the same name and arguments."""
    calls_no_model: bool = False
    """The solver's calls are not Inspect's, and so each sample counts as one."""
    agent_name: str | None = None
    """What solver and model together are called in tables; runs of two agents may share a folder."""

    @property
    def hash(self) -> str:
        generate = self.config.model_dump(mode="json", exclude_none=True, exclude=_HARMLESS_CONFIG)
        bounds = [getattr(self.limits, name) for name in self.limits.__slots__]
        arguments = {name: repr(value) for name, value in self.model_args.items()}
        named = []
        if isinstance(self.solver, SolverSpec):  # its file by name alone, so that a folder may be moved
            named = [PurePath(self.solver.solver).name, repr(sorted(self.solver.args.items()))]
        roles = dict(self.model_roles)
        return stable_hash([generate, bounds, arguments, roles, named, self.solver_id])


def callable_fingerprint(name: str) -> str:
    """A hash of the source behind `module:function` or `file.py:function`."""
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
    """A hash of a Python file and of all that it imports from below `root`, by default its own folder.

    Of an installed module only the file itself is hashed, not what it imports.
    """
    file = Path(path).resolve()
    folder = file.parent if root is None else root
    digests: dict[str, str] = {}
    pending, seen = [file], {file}
    while pending:
        file = pending.pop()
        source = file.read_bytes()
        digests[file.relative_to(folder).as_posix()] = hashlib.sha256(source).hexdigest()
        if any(place in file.parents for place in _INSTALLED):
            continue
        found = {other for name in _imported(source) for other in _files(folder, file.parent, name)} - seen
        pending += found
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
