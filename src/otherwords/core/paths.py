"""Which files may be touched: where a root is given, only what is in it, whatever links and dots say."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from otherwords.core.errors import InputError

ROOT = "OTHERWORDS_ROOT"
"""The variable of the environment that gives the root; `otherwords --root` sets it."""
LARGEST = 2 * 1024**3
"""Bytes of a dataset, a variants file or a configuration."""


def within_root(path: str | Path, root: str | Path | None = None) -> Path:
    """`path`, refused if it leads out of `root`, or else of the root that the environment gives."""
    path = Path(path)
    given = root if root is not None else os.environ.get(ROOT)
    if not given:
        return path
    inside = Path(os.path.realpath(given))
    real = Path(os.path.realpath(path))
    if real != inside and inside not in real.parents:
        how = "a link leads" if real != Path(os.path.abspath(path)) else "is"
        raise InputError(f"{how} out of the root {given}", file=path)
    return path


def require_input(path: str | Path, root: str | Path | None = None, *, largest: int | None = None) -> Path:
    """`path`, if it is a regular file of a sane size that may be read."""
    path = within_root(path, root)
    most = LARGEST if largest is None else largest
    try:
        found = path.stat()
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read: {_said(error)}", file=path) from error
    if stat.S_ISDIR(found.st_mode):
        raise InputError("cannot read: Is a directory", file=path)
    if not stat.S_ISREG(found.st_mode):
        raise InputError("cannot read: it is no regular file", file=path)
    if found.st_size > most:
        raise InputError(f"is too large to be read ({found.st_size:,} bytes of {most:,})", file=path)
    return path


def read_input(path: str | Path, root: str | Path | None = None, *, largest: int | None = None) -> bytes:
    path = require_input(path, root, largest=largest)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read: {_said(error)}", file=path) from error


def _said(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
