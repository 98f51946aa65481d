"""A HAL agent's folder, function and Python → checked, fingerprinted and copied to where it works.

What is wrong with the folder, the function or the interpreter is reported before anything runs.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import stable_hash

_CACHES = frozenset({"__pycache__"})
_HISTORIES = frozenset({".git", ".hg", ".svn"})
"""Folders that an agent's copy has not: a dataset may be in them, in an earlier version."""
_LINKED = frozenset({".venv", "venv", "node_modules"})
"""Folders that are large and no code of the agent's."""
NOT_CODE = _CACHES | _HISTORIES | _LINKED
"""Folders that are no part of an agent's code."""
_SECONDS_TO_START = 30


@dataclass(frozen=True)
class HalAgent:
    folder: Path
    module: str
    function: str
    python: str


def find_agent(agent_dir: str | Path, agent_function: str, python: str | Path | None) -> HalAgent:
    """The agent, or an InputError that says what is missing."""
    if os.name != "posix":
        raise InputError(
            "HAL agents need Linux or macOS",
            hint="A Python callable runs everywhere: --agent module:function",
        )
    folder = require_folder(agent_dir)
    module, _, function = agent_function.rpartition(".")
    if not all(part.isidentifier() for part in [*module.split("."), function]):
        raise InputError(
            f"the agent's function '{agent_function}' is not of the form module.function",
            hint="For example: --agent-function main.run",
        )
    source = _source(folder, module, agent_dir)
    _require_function(source, function, interpreter_is_ours=python is None)
    return HalAgent(folder, module, function, find_python(python))


def find_python(given: str | Path | None) -> str:
    """An interpreter's path: ours, the one given, or the one of a virtual environment given by its folder."""
    if given is None:
        return sys.executable
    path = Path(given).expanduser()
    if path.is_dir():
        path = path / "bin" / "python"
    found = shutil.which(str(path))
    if found is None:
        raise InputError("the agent's interpreter is not there or cannot be run", file=given)
    # Not resolved: a virtual environment's interpreter is a link, and knows itself by where the link is.
    found = os.path.abspath(found)
    asked = [found, "-c", "import sys; sys.stdout.write('%d %d' % sys.version_info[:2])"]
    try:
        ran = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS_TO_START, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"the agent's interpreter does not start: {error}", file=given) from error
    version = tuple(int(part) for part in ran.stdout.split() if part.isdecimal())
    if ran.returncode != 0 or len(version) != 2:
        raise InputError("the agent's interpreter is not a Python", file=given)
    if version < (3, 7):
        raise InputError(
            f"the agent's interpreter is Python {version[0]}.{version[1]}, 3.7 is needed", file=given
        )
    return found


def agent_fingerprint(
    agent_dir: str | Path, agent_function: str = "main.run", agent_args: Mapping[str, Any] | None = None
) -> str:
    """A hash of the agent's Python files, function and arguments, for telling another agent's run apart."""
    folder = Path(agent_dir).expanduser().resolve()
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(_python_files(folder))
    }
    return stable_hash([files, agent_function, dict(agent_args or {})])


def _python_files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_CODE]
        yield from (Path(root, name) for name in files if name.endswith(".py"))


def _source(folder: Path, module: str, agent_dir: str | Path) -> Path:
    base = folder.joinpath(*module.split("."))
    for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if path.is_file():
            return path
    there = sorted(path.stem for path in folder.glob("*.py"))
    raise InputError(
        f"the agent's folder has no module '{module}'",
        file=agent_dir,
        hint=f"It has: {', '.join(there)}." if there else "It has no Python file.",
    )


def _require_function(source: Path, function: str, *, interpreter_is_ours: bool) -> None:
    try:
        tree = ast.parse(source.read_bytes(), filename=str(source))
    except (SyntaxError, ValueError) as error:
        if not interpreter_is_ours:
            return  # another Python may read what ours does not
        line = getattr(error, "lineno", None)
        raise InputError(f"is not Python: {getattr(error, 'msg', error)}", file=source, line=line) from error
    names = set(_names(tree.body))
    if function not in names and "*" not in names:
        raise UnknownNameError(f"function in {source}:", function, names)


def _names(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """What a module's statements bind, as far as can be seen without running them; `*` for all of another."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.split(".")[0]
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (
                node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
            )
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.stmt):
                    yield from _names([child])
                elif isinstance(child, ast.ExceptHandler):
                    yield from _names(child.body)


def require_folder(given: str | Path) -> Path:
    """The folder, absolute."""
    folder = Path(given).expanduser().resolve()
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"the agent's folder {what}", file=given)
    return folder


def copy_agent(source: Path, target: Path, withheld: Collection[Path] = ()) -> None:
    """Copies the agent's files; what is large and no code of the agent's is linked to.

    Args:
        source: The agent's folder.
        target: An empty folder.
        withheld: Files and folders, resolved, that the copy does not have and does not link to.
    """

    def left_out(folder: str, names: Iterable[str]) -> set[str]:
        return {
            name for name in names if name in _CACHES | _HISTORIES or _leads_to(Path(folder, name), withheld)
        }

    names = [entry.name for entry in source.iterdir()]
    for name in sorted(set(names) - left_out(str(source), names)):
        entry = source / name
        if name in _LINKED:
            (target / name).symlink_to(entry)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, target / name, symlinks=True, ignore=left_out)
        else:
            shutil.copy2(entry, target / name, follow_symlinks=True)


def _leads_to(path: Path, withheld: Collection[Path]) -> bool:
    if not withheld:
        return False
    real = path.resolve()
    return real in withheld or (path.is_symlink() and any(real in one.parents for one in withheld))
