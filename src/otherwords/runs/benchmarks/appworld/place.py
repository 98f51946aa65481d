"""Where AppWorld is on this machine: the interpreter that has the package, and the folder with its data."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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
    python = _named_python(None)
    if python is None or not _has_appworld(python):
        found.append(("AppWorld, in an interpreter of its own", f"{INSTALL}; {SET_PYTHON}"))
    if not (_root(None) / listing).is_file():
        found.append(("AppWorld's data", DOWNLOAD))
    return found


def require_python(given: str | None = None) -> str:
    """The interpreter that AppWorld runs in: `given`, else APPWORLD_PYTHON, else this one if it has it."""
    named = given or os.environ.get("APPWORLD_PYTHON")
    python = _named_python(given)
    if python is None:
        raise InputError(f"no Python interpreter is at '{named}', where AppWorld was to run")
    if not _has_appworld(python):
        own = "AppWorld needs the package 'appworld' in an interpreter of its own, named by APPWORLD_PYTHON"
        raise MissingDependencyError(
            f"the Python interpreter '{named}' has no package 'appworld'" if named else own,
            f"{INSTALL}\nThen: {SET_PYTHON}",
        )
    return python


def require_root(listing: str, given: str | None = None) -> Path:
    """The folder that AppWorld's data is in: `given`, else APPWORLD_ROOT, else the working folder."""
    root = _root(given)
    if not (root / listing).is_file():
        raise InputError(
            "AppWorld's data is not there", file=root / listing, hint=f"Download it with: {DOWNLOAD}"
        )
    return root


def _named_python(given: str | None) -> str | None:
    named = given or os.environ.get("APPWORLD_PYTHON")
    return shutil.which(os.path.expanduser(named)) if named else sys.executable


def _has_appworld(python: str) -> bool:
    looks = "import importlib.util, sys; sys.exit(importlib.util.find_spec('appworld') is None)"
    return subprocess.run([python, "-c", looks], capture_output=True, check=False).returncode == 0


def _root(given: str | None) -> Path:
    return Path(given or os.environ.get("APPWORLD_ROOT") or Path.cwd()).expanduser()
