"""What of a benchmark's needs is not met on this machine, and what a person does about it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import getproxies

from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.runs.benchmarks.appworld.place import missing_appworld
from otherwords.runs.benchmarks.catalogue import Benchmark, Data

__all__ = ["Missing", "data_folder", "has_data", "missing_here", "require_data", "require_packages"]

OLDEST_PYTHON = (3, 11)
"""That inspect_evals runs on."""
_NEWER = "Install otherwords[benchmarks] in a newer Python."


@dataclass(frozen=True, slots=True)
class Missing:
    what: str
    remedy: str
    """What a person types or does."""


def missing_here(benchmark: Benchmark) -> list[Missing]:
    """What is to be done before the benchmark can run; data that comes by itself at first use is not."""
    found = _missing_packages(benchmark)
    if benchmark.data.home == "appworld":
        found += [Missing(what, remedy) for what, remedy in missing_appworld(benchmark.data.kept)]
    if benchmark.data.gated and not has_data(benchmark.data) and not _logged_in():
        found.append(Missing("a Hugging Face login that has accepted its terms", _sign(benchmark.data)))
    if benchmark.sandbox == "docker" and not docker_answers():
        found.append(Missing("a running Docker", "start Docker; see https://docs.docker.com/get-docker/"))
    return found


def require_packages(benchmark: Benchmark) -> None:
    if benchmark.packages and _python_too_old():
        raise InputError(_needs_python(benchmark), hint=_NEWER)
    for package in benchmark.packages:
        if find_spec(package.module) is None:
            raise MissingDependencyError(
                f"benchmark '{benchmark.name}' needs the Python package '{package.module}', "
                "which is not installed",
                package.command,
            )


def require_data(benchmark: Benchmark) -> None:
    """Refuse at once what could only fail later: some loaders try for minutes before they give up."""
    data = benchmark.data
    if not data.host or data.home == "appworld" or has_data(data):
        return
    if data.gated and not _logged_in():
        raise InputError(
            f"the data of benchmark '{benchmark.name}' ({data.source}) is gated, and no Hugging Face login "
            "is known here",
            hint=_sign(data),
        )
    host = _host(data)
    if not _reachable(host):
        raise InputError(
            f"the data of benchmark '{benchmark.name}' ({data.source}) is not on this machine, and {host} "
            "cannot be reached",
            hint=how_to_get(data),
        )


def how_to_get(data: Data) -> str:
    told = _sign(data) if data.gated else f"It is downloaded at the first use; about it: {data.url}"
    return f"{told}\nOnce downloaded it lies in {data_folder(data)}"


def data_folder(data: Data) -> Path:
    """Where the data lies on this machine once it is there."""
    if data.home == "inspect_evals":
        return _inspect_evals_cache() / data.kept
    hub = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    return Path(os.environ.get("HF_DATASETS_CACHE") or hub / "datasets")


def has_data(data: Data) -> bool:
    if data.home == "bundled":
        return True
    folder = data_folder(data)
    if data.home == "inspect_evals":
        return folder.is_dir() and any(folder.iterdir())
    wanted = _letters(data.kept)
    return folder.is_dir() and any(_letters(entry.name) == wanted for entry in folder.iterdir())


@cache
def docker_answers() -> bool:
    program = shutil.which("docker")
    if program is None:
        return False
    try:
        asked = subprocess.run([program, "info"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _missing_packages(benchmark: Benchmark) -> list[Missing]:
    if benchmark.packages and _python_too_old():
        return [Missing("Python 3.11 or later", _NEWER)]
    return [
        Missing(f"the package {package.module}", package.command)
        for package in benchmark.packages
        if find_spec(package.module) is None
    ]


def _python_too_old() -> bool:
    return sys.version_info < OLDEST_PYTHON


def _needs_python(benchmark: Benchmark) -> str:
    wanted, here = (".".join(map(str, version[:2])) for version in (OLDEST_PYTHON, sys.version_info))
    return f"benchmark '{benchmark.name}' needs Python {wanted} or later; this is {here}"


def _sign(data: Data) -> str:
    return f"Accept the terms at {data.url} in a browser, then type: hf auth login"


def _logged_in() -> bool:
    try:
        from huggingface_hub import get_token
    except ImportError:
        return False
    return get_token() is not None


def _inspect_evals_cache() -> Path:
    from platformdirs import user_cache_dir

    configured = os.environ.get("INSPECT_EVALS_CACHE_DIR")
    return Path(configured).expanduser() if configured else Path(user_cache_dir("inspect_evals"))


def _host(data: Data) -> str:
    mirror = urlparse(os.environ.get("HF_ENDPOINT", "")).hostname
    return mirror if mirror and data.host == "huggingface.co" else data.host


def _reachable(host: str) -> bool:
    if host.endswith("huggingface.co") and os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "TRUE"):
        return False
    if getproxies().get("https"):
        return True  # the proxy knows the names of machines, this one need not
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        return False
    return True


def _letters(name: str) -> str:
    """Names that differ only in case and separators, as those of a dataset and of its cache do."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
