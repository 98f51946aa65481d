"""A model whose answers are a Python function, for tests that need real Inspect logs and no real model."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from otherwords.cli import console
from otherwords.pipeline import process_pool

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

os.environ["SOURCE_DATE_EPOCH"] = "1790000000"  # two reports may be written in two minutes
os.environ["OTHERWORDS_CONFIG"] = ""  # what a user has set for themselves is no part of a test
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="otherwords-config-")  # nor are their salts

# What is imported while tests are collected stays to the end, and to look through it for cycles takes a
# twelfth of the time of the tests: the collector waits until it is there, leaves it out and comes seldom.
gc.disable()

# At each evaluation Inspect reads what every installed package holds: longer than a small evaluation takes.
metadata.packages_distributions = cache(metadata.packages_distributions)

# Under load, any test that rewords a few items would start workers; the tests of workers say when they start.
process_pool.SECONDS_ALONE = float("inf")

# Nor does it print lines of progress, which come when a command takes long.
console.LINE_EVERY_SECONDS = float("inf")

# Where the tests themselves run in the background, the shell has told them to ignore interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

POSIX_ONLY = (
    *("cli/test_cli.py", "cli/test_killed.py", "core/test_files.py", "core/test_runtime.py"),
    *("fuzz/test_corpus.py", "fuzz/test_disk.py", "metrics/test_decisions.py", "pins/test_resume.py"),
    *("publish/test_pseudonyms.py", "publish/test_scan.py", "runs/test_agents_hal.py"),
    *("runs/test_lease.py", "runs/test_progress.py", "runs/test_runner.py", "runs/test_tau2_hal.py"),
    *("test_paths.py", "test_readme.py"),
)
"""Files whose tests need signals, links, file modes or a shell as POSIX systems have them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.name != "posix":
        for item in items:
            if item.path.as_posix().endswith(tuple(f"tests/{file}" for file in POSIX_ONLY)):
                item.add_marker(pytest.mark.skip(reason="needs a POSIX system"))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


Answer = Callable[[str], str]
_SCRIPTS: dict[str, Answer] = {}
_OPTION = re.compile(r"^([A-Z])\) (.*)$", re.MULTILINE)


def _register_provider() -> None:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

    @modelapi(name="scripted")
    class Scripted(ModelAPI):
        async def generate(
            self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
        ) -> ModelOutput:
            said = _SCRIPTS[self.model_name](input[-1].text)
            output = ModelOutput.from_content(self.model_name, said)
            output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
            return output


@pytest.fixture(scope="session")
def _provider() -> None:
    _register_provider()


@pytest.fixture
def scripted(_provider: None) -> Callable[[str, Answer], str]:
    """`scripted("name", prompt -> response)` gives the model's name to run with."""

    def make(name: str, answer: Answer) -> str:
        _SCRIPTS[name] = answer
        return f"scripted/{name}"

    return make


StartPython = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="session")
def start_python() -> Iterator[StartPython]:
    """`start_python("-m", "otherwords", "vary", …, cwd=folder)`: a process for tests of kills and signals.

    On Linux it comes with its imports done. Errors go to where the output goes.
    """
    if sys.platform == "linux":
        sys.path.insert(0, str(Path(__file__).parent))
        from forked import ForkServer

        server = ForkServer()
        yield server.start
        server.close()
    else:

        def start(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
            program = [sys.executable, *arguments]
            pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            return subprocess.Popen(program, cwd=cwd, env=env, text=True, **pipe)

        yield start


@pytest.fixture(autouse=True)
def _consoles_of_each_test() -> Iterator[None]:
    """A console keeps the width that it was made with, and a test may set another."""
    yield
    made = sys.modules.get("otherwords.cli.console")
    if made is not None:
        made.console.cache_clear()
        made.error_console.cache_clear()


@pytest.fixture
def oracle(scripted: Callable[[str, Answer], str]) -> Callable[[set[str]], str]:
    """A model that picks the option whose text is right, wherever it stands."""

    def make(right: set[str]) -> str:
        def answer(prompt: str) -> str:
            return next(f"ANSWER: {letter}" for letter, text in _OPTION.findall(prompt) if text in right)

        return scripted("oracle", answer)

    return make


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment in which otherwords is what its wheel has, and nothing of this folder.

    Its dependencies are those of the environment of the tests. It is made once, whichever process needs it.
    """
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "installed"
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    try:
        place.mkdir()
    except FileExistsError:
        for _ in range(600):
            if (place / "ready").exists():
                return programs
            time.sleep(0.5)
        raise
    root = Path(__file__).parents[1]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(place), str(root)], check=True)
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    (wheel,) = place.glob("*.whl")
    subprocess.run(
        [*pip, "--python", str(programs / "python"), "install", "--no-deps", str(wheel)], check=True
    )
    (packages,) = place.rglob("site-packages")
    borrowed = [folder for folder in sys.path if Path(folder).name == "site-packages"]
    (packages / "dependencies.pth").write_text("\n".join(borrowed))
    asked = [str(programs / "python"), "-c", "import otherwords; print(otherwords.__file__)"]
    found = subprocess.run(asked, cwd=place, capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()).is_relative_to(packages)
    (place / "ready").touch()
    return programs
