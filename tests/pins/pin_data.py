"""Where the pinned data is, how values become plain JSON, and how two such values are compared."""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

V0_1 = Path(__file__).parent / "v0_1"
WORK = V0_1 / "work"
"""Datasets, a task, an agent and a suite, as a person would have them in a folder."""
MADE = V0_1 / "made"
"""Files that version 0.1 wrote."""
INPUTS = V0_1 / "inputs"
TABLES = V0_1 / "tables"
EXPECTED = V0_1 / "expected"
TOLERANCE = 1e-12
_UNSET = ("OTHERWORDS_ROOT", "OTHERWORDS_SALT", "FORCE_COLOR", "INSPECT_LOG_DIR", "INSPECT_EVAL_MODEL")
_MOST_SHOWN = 20


def load(name: str) -> Any:
    """`name.json` or `name.json.gz` among the expected data."""
    plain, packed = EXPECTED / f"{name}.json", EXPECTED / f"{name}.json.gz"
    if plain.exists():
        return json.loads(plain.read_text(encoding="utf-8"))
    return json.loads(gzip.decompress(packed.read_bytes()))


def save(name: str, value: Any, *, packed: bool = False) -> None:
    EXPECTED.mkdir(parents=True, exist_ok=True)
    if packed:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        write_packed(EXPECTED / f"{name}.json.gz", text)
    else:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        (EXPECTED / f"{name}.json").write_text(text, encoding="utf-8")


def write_packed(path: Path, text: str) -> None:
    """The same bytes each time: no name and no time in the header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_packed(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def plain(value: Any) -> Any:
    """As JSON has it; a frame as its column types and rows, a float that is not finite as text."""
    if isinstance(value, pl.DataFrame):
        return {"columns": column_types(value), "rows": [plain(list(row)) for row in value.rows()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def column_types(frame: pl.DataFrame) -> dict[str, str]:
    return {name: str(kind) for name, kind in frame.schema.items()}


def differences(expected: Any, found: Any, where: str = "") -> Iterator[str]:
    """What differs, each with its place; numbers may differ by 1e-12, absolutely or in proportion."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in expected.keys() | found.keys():
            here = f"{where}.{name}"
            if name not in found:
                yield f"{here}: is gone"
            elif name not in expected:
                yield f"{here}: is new"
            else:
                yield from differences(expected[name], found[name], here)
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{where}: {len(expected)} became {len(found)}"
        for place, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, f"{where}[{place}]")
    elif _is_number(expected) and _is_number(found):
        if not math.isclose(expected, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{where}: {expected!r} became {found!r}"
    elif type(expected) is not type(found) or expected != found:
        yield f"{where}: {expected!r} became {found!r}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def require_same(expected: Any, found: Any) -> None:
    changed = sorted(differences(expected, found))
    shown = "\n".join(changed[:_MOST_SHOWN])
    assert not changed, f"{len(changed)} differences from version 0.1:\n{shown}"


def apart(value: Any, keys: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """`value` without what stands under `keys`, and that, by its place."""
    taken: dict[str, Any] = {}

    def walk(one: Any, where: str) -> Any:
        if isinstance(one, list):
            return [walk(inner, f"{where}[{place}]") for place, inner in enumerate(one)]
        if not isinstance(one, dict):
            return one
        taken.update({f"{where}.{name}": one[name] for name in one if name in keys})
        return {name: walk(inner, f"{where}.{name}") for name, inner in one.items() if name not in keys}

    return walk(value, ""), taken


def replaced(value: Any, texts: Mapping[str, str]) -> Any:
    """`value` with each of `texts` in place of its key, in lists and sentences."""
    if isinstance(value, dict):
        return {name: replaced(one, texts) for name, one in value.items()}
    if isinstance(value, list):
        return [replaced(one, texts) for one in value]
    if isinstance(value, str):
        for old, new in texts.items():
            value = value.replace(old, new)
    return value


def key_paths(value: Any, where: str = "") -> dict[str, list[str]]:
    """Every path of keys in a JSON value, `[]` for a place in a list, with the types that stand there."""
    found: dict[str, set[str]] = {}

    def walk(one: Any, path: str) -> None:
        found.setdefault(path, set()).add("null" if one is None else type(one).__name__)
        if isinstance(one, dict):
            for name, inner in one.items():
                walk(inner, f"{path}.{name}")
        elif isinstance(one, list):
            for inner in one:
                walk(inner, f"{path}[]")

    walk(value, where)
    return {path: sorted(kinds) for path, kinds in sorted(found.items())}


def numbers_in(value: Any, where: str = "") -> dict[str, Any]:
    """Every number and truth value in a JSON value, by its place; texts are left out."""
    if isinstance(value, dict):
        parts = [numbers_in(one, f"{where}.{name}") for name, one in value.items()]
    elif isinstance(value, list):
        parts = [numbers_in(one, f"{where}[{place}]") for place, one in enumerate(value)]
    else:
        return {} if value is None or isinstance(value, str) else {where: value}
    return {path: number for part in parts for path, number in part.items()}


def lay_out(folder: Path) -> Path:
    """The work folder's files, the tables, and what 0.1 wrote, in `folder`."""
    for source in (WORK, MADE, TABLES):
        if source.exists():
            shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@contextmanager
def neutral_environment(folder: Path) -> Iterator[None]:
    """Works in `folder`, with caches of its own there and a terminal of a known width."""
    before, here = dict(os.environ), Path.cwd()
    private = folder / ".private"
    private.mkdir(exist_ok=True)
    for name in _UNSET:
        os.environ.pop(name, None)
    os.environ |= {
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "INSPECT_CACHE_DIR": str(private),
        "XDG_CACHE_HOME": str(private),
        "PINS_ASKED": str(private / "asked.jsonl"),
    }
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)
