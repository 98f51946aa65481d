"""A benchmark → its Inspect task with one score; or what is missing: packages, data, login, Docker."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import getproxies

from inspect_ai import Task
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from otherwords.core.errors import InputError, MissingDependencyError, UnknownNameError
from otherwords.runs.agents.tau_bench import only_where_the_agent_spoke
from otherwords.runs.benchmarks import Benchmark, Data
from otherwords.runs.benchmarks.tau2_database import FULL_LOG, with_small_log
from otherwords.runs.resolve import resolve_task

__all__ = [
    "Missing",
    "data_folder",
    "has_data",
    "load_benchmark",
    "missing_here",
    "one_number",
    "require_appworld_data",
    "require_appworld_python",
    "require_data",
    "require_packages",
]

EVERY_PART = "*"
"""The mean of all parts, such as the share of a problem's steps that were solved."""


def load_benchmark(benchmark: Benchmark, task_args: Mapping[str, Any] | None = None) -> Task:
    """The benchmark's task, its samples always in the same order unless `task_args` ask for another."""
    given = dict(task_args or {})
    require_packages(benchmark)
    full_log = str(given.pop(FULL_LOG, "")).lower() == "true" if benchmark.has_simulated_user else True
    if benchmark.data.argument not in given:
        require_data(benchmark)
    try:
        task = resolve_task(benchmark.spec, {**benchmark.task_args, **given})
    except UnknownNameError:
        raise
    except InputError as error:
        if benchmark.data.home in ("bundled", "appworld"):
            raise
        raise InputError(
            f"benchmark '{benchmark.name}' could not be loaded: {error.problem}",
            hint=how_to_get(benchmark.data),
        ) from error
    if task.dataset.shuffled and "shuffle" not in given:
        task.dataset.sort(key=lambda sample: str(sample.id))
    if benchmark.has_simulated_user and task.scorer is not None:
        task.scorer = only_where_the_agent_spoke(task.scorer)
    if not full_log:
        with_small_log(task, benchmark.name.removeprefix("taubench_"))
    if benchmark.score_part and task.scorer is not None:
        task.scorer = [one_number(scored, benchmark.score_part) for scored in task.scorer]
    return task


@scorer(metrics=[mean(), stderr()])
def one_number(scored: Scorer, part: str) -> Scorer:
    """The number that `scored` calls `part`; all that it gave is in the metadata as `parts`."""

    async def score(state: TaskState, target: Target) -> Score | None:
        given = await scored(state, target)
        if given is None or not isinstance(given.value, dict):
            return given
        parts = {str(name): value for name, value in given.value.items()}
        if part != EVERY_PART and part not in parts:
            raise InputError(
                f"the scorer gave no '{part}' (it gave: {', '.join(parts) or 'nothing'})",
                item=str(state.sample_id),
            )
        numbers = [float(value or 0) for value in (parts.values() if part == EVERY_PART else [parts[part]])]
        return given.model_copy(
            update={
                "value": sum(numbers) / len(numbers) if numbers else float("nan"),
                "metadata": {**(given.metadata or {}), "parts": parts},
            }
        )

    return score


OLDEST_PYTHON = (3, 11)
"""That inspect_evals runs on."""
_NEWER = "Install otherwords[benchmarks] in a newer Python."
APPWORLD_INSTALL = (
    "python3.11 -m venv appworld-env && appworld-env/bin/pip install appworld && "
    "appworld-env/bin/appworld install"
)
"""In an environment of its own, since it wants pydantic 1 where Inspect wants pydantic 2."""
APPWORLD_SET_PYTHON = "export APPWORLD_PYTHON=$PWD/appworld-env/bin/python"
APPWORLD_DOWNLOAD = "appworld-env/bin/appworld download data && export APPWORLD_ROOT=$PWD"


@dataclass(frozen=True, slots=True)
class Missing:
    what: str
    remedy: str
    """What a person types or does."""


def missing_here(benchmark: Benchmark) -> list[Missing]:
    """What is to be done before the benchmark can run; data that comes by itself at first use is not."""
    found = _missing_packages(benchmark)
    if benchmark.data.home == "appworld":
        found += _missing_appworld(benchmark.data.kept)
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
    how = _sign(data) if data.gated else f"It is downloaded at the first use; about it: {data.url}"
    return f"{how}\nOnce downloaded it lies in {data_folder(data)}"


def data_folder(data: Data) -> Path:
    """Where the data is on this machine once it was downloaded."""
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


def _missing_appworld(listing: str) -> list[Missing]:
    found = []
    python = _appworld_python(None)
    if python is None or not _has_appworld(python):
        found.append(
            Missing("AppWorld, in an interpreter of its own", f"{APPWORLD_INSTALL}; {APPWORLD_SET_PYTHON}")
        )
    if not (_appworld_root(None) / listing).is_file():
        found.append(Missing("AppWorld's data", APPWORLD_DOWNLOAD))
    return found


def require_appworld_python(given: str | None = None) -> str:
    """The interpreter that AppWorld runs in: `given`, else APPWORLD_PYTHON, else this one if it has it."""
    named = given or os.environ.get("APPWORLD_PYTHON")
    python = _appworld_python(given)
    if python is None:
        raise InputError(f"no Python interpreter is at '{named}', where AppWorld was to run")
    if not _has_appworld(python):
        own = "AppWorld needs the package 'appworld' in an interpreter of its own, named by APPWORLD_PYTHON"
        raise MissingDependencyError(
            f"the Python interpreter '{named}' has no package 'appworld'" if named else own,
            f"{APPWORLD_INSTALL}\nThen: {APPWORLD_SET_PYTHON}",
        )
    return python


def require_appworld_data(listing: str, given: str | None = None) -> Path:
    """The folder that AppWorld's data is in: `given`, else APPWORLD_ROOT, else the working folder."""
    root = _appworld_root(given)
    if not (root / listing).is_file():
        raise InputError(
            "AppWorld's data is not there", file=root / listing, hint=f"Download it with: {APPWORLD_DOWNLOAD}"
        )
    return root


def _appworld_python(given: str | None) -> str | None:
    named = given or os.environ.get("APPWORLD_PYTHON")
    return shutil.which(os.path.expanduser(named)) if named else sys.executable


def _has_appworld(python: str) -> bool:
    looks = "import importlib.util, sys; sys.exit(importlib.util.find_spec('appworld') is None)"
    return subprocess.run([python, "-c", looks], capture_output=True, check=False).returncode == 0


def _appworld_root(given: str | None) -> Path:
    return Path(given or os.environ.get("APPWORLD_ROOT") or Path.cwd()).expanduser()
