"""Code → hashes by content, each under the name by which a person knows it.

A file counts by its text together with all that it imports from its folder, a function by its text and by
what it holds, and what is installed by the version of its package.
"""

from __future__ import annotations

import ast
import dataclasses
import dis
import functools
import hashlib
import inspect
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from otherwords.core.types import stable_hash

__all__ = [
    "Code",
    "callable_fingerprint",
    "file_digest",
    "folder_sources",
    "function_sources",
    "package_version",
    "source_files",
    "source_fingerprint",
    "task_sources",
]

_STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib")).resolve()
_INSTALLED = {"site-packages", "dist-packages"}
_OURS = __name__.partition(".")[0]
_OF_AN_AGENT = frozenset(".py .txt .md .prompt .j2 .jinja .jinja2 .yaml .yml .toml".split())
"""How files of an agent's folder end that are its code, its prompts or its settings."""


# ---- files


def task_sources(spec: str, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The files of a task, or the version of its package, and its arguments (`-T n`)."""
    file = spec.partition("@")[0]
    package, is_package, _ = spec.partition("/")
    if file.endswith(".py"):
        found = source_files(file)
    else:
        found = {package: package_version(package)} if is_package else {}
    return {**found, **{f"-T {name}": stable_hash(repr(value)) for name, value in arguments.items()}}


def folder_sources(folder: str | Path, leave_out: Collection[str]) -> dict[str, str]:
    """An agent's code, prompts and settings: the files below its folder, but for folders in `leave_out`."""
    base = Path(folder).expanduser().resolve()
    found: dict[str, str] = {}
    for root, folders, files in os.walk(base):
        folders[:] = sorted(name for name in folders if name not in leave_out)
        for path in (Path(root, name) for name in sorted(files)):
            if path.suffix in _OF_AN_AGENT and path.is_file():
                found[path.relative_to(base).as_posix()] = file_digest(path)
    return found


def function_sources(function: Callable[..., Any]) -> dict[str, str]:
    """A function that is given as such, by its text and that of the functions which it calls."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return {f"{name}()": stable_hash(Code(is_running=True).plain(function))}


def callable_fingerprint(name: str) -> str:
    """A hash of the source behind `module:function` or `file.py:function`."""
    where, _, attribute = name.rpartition(":")
    if where.endswith(".py"):  # by its own name alone, so that a folder may be moved
        return stable_hash([Path(where).name, attribute, source_fingerprint(where)])
    spec = find_spec(where)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return stable_hash([where, attribute])  # a module without source, such as one written in C
    file = Path(spec.origin).resolve()
    return stable_hash([where, attribute, source_fingerprint(file, root=_root(where, file))])


def source_fingerprint(path: str | Path, *, root: Path | None = None) -> str:
    """A hash of what `source_files` finds."""
    return stable_hash(source_files(path, root=root))


def source_files(path: str | Path, *, root: Path | None = None) -> dict[str, str]:
    """A Python file and all that it imports from below `root`, by default its own folder, with their hashes.

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
        if _is_installed(file):
            continue
        found = {other for name in _imported(source) for other in _imported_files(folder, file.parent, name)}
        pending += found - seen
        seen |= found
    return digests


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


def _imported_files(folder: Path, beside: Path, name: str) -> Iterator[Path]:
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


def file_digest(path: Path) -> str:
    return _digest(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=4096)
def _digest(path: Path, _changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# ---- functions and values


class Code:
    """Turns functions and values into what can be hashed, and keeps the files and packages that it meets."""

    def __init__(self, *, is_running: bool = False) -> None:
        self._is_running = is_running
        """For an agent, whose lists and counters change as it runs: of what its functions hold only texts,
        numbers and functions count."""
        self._files: dict[Path, Path] = {}
        self._packages: dict[str, str] = {}
        self._seen: dict[int, Any] = {}
        """Things by their id, kept so that no other thing gets the same one."""
        self._open: set[int] = set()
        """The containers that are being walked through; one that holds itself is not entered again."""

    def files(self) -> dict[str, str]:
        """The files that are not installed, with what they import from their folders."""
        found: dict[str, str] = {}
        for file, root in sorted(self._files.items()):
            found |= source_files(file, root=root)
        return found

    def packages(self) -> dict[str, str]:
        """The packages of what is installed, with their versions."""
        return dict(self._packages)

    def plain(self, value: Any) -> Any:
        """The same for equal values in every process; what has no content of its own counts by its type."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, bytes):
            return hashlib.sha256(value).hexdigest()
        if isinstance(value, BaseModel | Mapping | Set | Sequence):
            if id(value) in self._open:
                return "again"
            self._open.add(id(value))
            try:
                return self._container(value)
            finally:
                self._open.discard(id(value))
        if id(value) in self._seen:
            return "again"
        self._seen[id(value)] = value
        return self._thing(value)

    def _container(self, value: Any) -> Any:
        if isinstance(value, BaseModel):  # messages have a new id each time that they are made
            fields = {name: getattr(value, name) for name in type(value).model_fields if name != "id"}
            return {name: self.plain(inner) for name, inner in fields.items() if inner is not None}
        if isinstance(value, Mapping):
            return {str(name): self.plain(inner) for name, inner in value.items()}
        if isinstance(value, Set):
            return sorted((self.plain(inner) for inner in value), key=stable_hash)
        return [self.plain(inner) for inner in value]

    def _thing(self, value: Any) -> Any:
        if isinstance(value, types.FunctionType):
            return self._function(inspect.unwrap(value))
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if isinstance(value, Path):
            return value.as_posix()
        kind, parts = (value, []) if isinstance(value, type) else (type(value), [])
        if isinstance(value, functools.partial):
            parts = [value.func, value.args, value.keywords]
        elif isinstance(value, types.MethodType):
            parts = [value.__func__, value.__self__]
        elif (
            value is not kind
            and not self._is_running
            and (callable(value) or dataclasses.is_dataclass(value))
        ):
            fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
            parts = [getattr(value, "__dict__", {field.name: getattr(value, field.name) for field in fields})]
        return [self._text(kind), self.plain(parts)]

    def _function(self, function: Any) -> Any:
        held = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                held[name] = cell.cell_contents
            except ValueError:  # not filled yet
                held[name] = None
        text = self._text(function)
        defaults = {str(place): one for place, one in enumerate(function.__defaults__ or ())}
        defaults |= function.__kwdefaults__ or {}
        if self._is_running:
            if not text[0].startswith(_INSTALLED_MARK):
                held |= _used_globals(function)
            changing = _assigned(function.__code__)
            held = {name: one for name, one in held.items() if _is_fixed(one) and name not in changing}
            defaults = {name: one for name, one in defaults.items() if _is_fixed(one)}
        return [text, self.plain(dict(sorted(held.items()))), self.plain(defaults)]

    def _module(self, module: types.ModuleType) -> Any:
        """One of the user's own that a function calls, with what it imports."""
        file = getattr(module, "__file__", None)
        if file is None or not file.endswith(".py") or _is_installed(Path(file)):
            return module.__name__
        path = Path(file).resolve()
        return source_fingerprint(path, root=_root(module.__name__, path))

    def _text(self, thing: Any) -> list[str]:
        """The source of the outermost function or class that `thing` is in, or its package and name."""
        name, module = str(thing.__qualname__), str(thing.__module__)
        package = _package(module, thing)
        if package is not None:
            if package not in sys.stdlib_module_names:
                self._packages[package] = package_version(package)
            return [f"{_INSTALLED_MARK}{package} {package_version(package)}", module, name]
        outer = vars(sys.modules[module]).get(name.partition(".")[0]) if module in sys.modules else None
        for one in (outer, thing):
            try:
                found = inspect.unwrap(one)  # type: ignore[arg-type]
                source, file = inspect.getsource(found), inspect.getsourcefile(found)
            except (OSError, TypeError, ValueError):
                continue  # typed into a console
            if file is not None and Path(file).is_file():
                self._files[Path(file).resolve()] = _root(module, Path(file).resolve())
            return [name, source]
        return [module, name]


_INSTALLED_MARK = "installed: "


def _has_content(value: Any) -> bool:
    return callable(value) or dataclasses.is_dataclass(value)


def _is_fixed(value: Any) -> bool:
    return isinstance(value, bool | int | float | str | types.FunctionType | types.ModuleType | type)


def _used_globals(function: Any) -> dict[str, Any]:
    """The globals that a function, or a function within it, names."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def _assigned(code: types.CodeType) -> set[str]:
    """The names of others' variables to which the function itself gives values, such as counters."""
    return {
        str(step.argval)
        for one in _codes(code)
        for step in dis.get_instructions(one)
        if step.opname in ("STORE_GLOBAL", "STORE_DEREF")
    }


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _package(module: str, thing: Any) -> str | None:
    """The package of what is installed; None for code whose text is ours to see."""
    top = module.partition(".")[0]
    if top == _OURS or top in sys.stdlib_module_names or top == "builtins":
        return top
    try:
        file = Path(inspect.getfile(inspect.unwrap(thing)))
    except (OSError, TypeError, ValueError):
        return None
    return top if _is_installed(file) else None


@functools.lru_cache(maxsize=256)
def package_version(top: str) -> str:
    """Of the package that has the module; the standard library has Python's, without what only mends it."""
    if top in sys.stdlib_module_names:
        return f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        return version(top)
    except PackageNotFoundError:
        names = packages_distributions().get(top, [])
        return version(names[0]) if names else ""


def _is_installed(file: Path) -> bool:
    return bool(_INSTALLED & set(file.parts)) or _STANDARD_LIBRARY in file.resolve().parents


def _root(module: str, file: Path) -> Path:
    """The folder from which the file's module, and so what it imports from beside it, is named."""
    depth = module.count(".") + (file.name == "__init__.py")
    return file.parents[min(depth, len(file.parents) - 1)]
