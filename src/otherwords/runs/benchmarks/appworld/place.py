"""Where AppWorld is on this machine: the interpreter that has the package, and the folder with its data."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from otherwords.core.errors import InputError, MissingDependencyError

__all__ = ["missing_appworld", "require_python", "require_root"]

INSTALL = (
    "python3.11 -m venv appworld-env && appworld-env/bin/pip install appworld && "
    "appworld-env/bin/appworld install"
)
"""In an environment of its own, since it wants pydantic 1 where Inspect wants pydantic 2."""
SET_PYTHON = "export APPWORLD_PYTHON=$PWD/appworld-env/bin/python"
DOWNLOAD = "appworld-env/bin/appworld download data && export APPWORLD_ROOT=$PWD"


def missing_appworld(listing: str) -> list[tuple[str, str]]:
    """What is not there and what to type, for the table of benchmarks."""
    found = []
    if _python(None) is None:
        found.append(("AppWorld, in an interpreter of its own", f"{INSTALL}; {SET_PYTHON}"))
    if not (_root(None) / listing).is_file():
        found.append(("AppWorld's data", DOWNLOAD))
    return found


def require_python(given: str | None = None) -> str:
    """The interpreter that AppWorld runs in: `given`, else APPWORLD_PYTHON, else this one if it has it."""
    named = given or os.environ.get("APPWORLD_PYTHON")
    found = _python(given)
    if found is None and named:
        raise InputError(f"no Python interpreter is at '{named}', where AppWorld was to run")
    if found is None:
        raise MissingDependencyError(
            "AppWorld needs the package 'appworld' in an interpreter of its own, named by APPWORLD_PYTHON",
            f"{INSTALL}\nThen: {SET_PYTHON}",
        )
    return found


def require_root(listing: str, given: str | None = None) -> Path:
    """The folder that AppWorld's data is in: `given`, else APPWORLD_ROOT, else the working folder."""
    root = _root(given)
    if not (root / listing).is_file():
        raise InputError(
            "AppWorld's data is not there",
            file=root / listing,
            hint=f"Download it with: {DOWNLOAD}",
        )
    return root


def _python(given: str | None) -> str | None:
    named = given or os.environ.get("APPWORLD_PYTHON")
    if named:
        return shutil.which(os.path.expanduser(named))
    return sys.executable if find_spec("appworld") is not None else None


def _root(given: str | None) -> Path:
    return Path(given or os.environ.get("APPWORLD_ROOT") or Path.cwd()).expanduser()
