"""A full disk and a folder that may not be written to: a clear error, exit code 2, and all as it was."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from otherwords.results import read_results

pytestmark = pytest.mark.fuzz

resource = pytest.importorskip("resource")  # not on Windows

Command = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

SALTED = ("--public", "--salt-file", "my.salt")
WRITING = {
    "vary": ("vary", "good.jsonl", "-o", "{}/v.jsonl"),
    "vet": ("vet", "v.jsonl", "-o", "{}/w.jsonl"),
    "review": ("review", "v.jsonl", "-o", "{}/page.html"),
    "audit as JSON": ("audit", "good.jsonl", "--json", "{}/a.json"),
    "audit as CSV": ("audit", "good.jsonl", "--csv", "{}/a.csv"),
    "aggregate": ("aggregate", "--logs", "rows.jsonl", "--out", "{}/table"),
    "aggregate publicly": ("aggregate", "--logs", "rows.jsonl", "--out", "{}/table", *SALTED),
    "report": ("report", "rows.jsonl", "-o", "{}/page"),
    "check": ("check", "rows.jsonl", "--min-accuracy", "0", "--junit", "{}/junit.xml"),
    "run": ("run", "good.jsonl", "--model", "mockllm/model", "--log-dir", "{}/logs"),
}


LITTLE = 120
"""Bytes: enough for an error, which the tests catch in a file, and for no output."""


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes; a write past it fails as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def prepared(command: Command) -> None:
    assert command("vary", "good.jsonl", "-o", "v.jsonl")[0] == 0
    Path("my.salt").write_text("a salt of thirty-two bytes, here")


@pytest.mark.parametrize("name", WRITING)
def test_no_room(name: str, refused: Refused, prepared: None) -> None:
    with room_for(LITTLE):
        said = refused(*(part.replace("{}", "out") for part in WRITING[name]))
    assert "File too large" in said or "cannot write" in said


@pytest.mark.parametrize("name", WRITING)
def test_what_was_there_stays(name: str, command: Command, refused: Refused, prepared: None) -> None:
    arguments = tuple(part.replace("{}", "out") for part in WRITING[name])
    if name != "run":
        assert command(*arguments)[0] == 0
        with room_for(LITTLE):
            refused(*arguments)


@pytest.fixture
def closed(tmp_path: Path) -> str:
    """A folder in which nobody may write. Permissions do not bind root; in the kernel's own, root may not."""
    if os.geteuid() == 0:
        return "/sys"
    (tmp_path / "closed").mkdir(mode=0o555)
    return "closed"


@pytest.mark.parametrize("name", WRITING)
def test_a_folder_that_may_not_be_written_to(
    name: str, refused: Refused, prepared: None, closed: str
) -> None:
    said = refused(*(part.replace("{}", closed) for part in WRITING[name]))
    assert said.startswith(f"Error: {closed}/")
    assert "cannot write: " in said


@pytest.mark.parametrize("name", WRITING)
def test_a_file_where_the_folder_should_be(name: str, refused: Refused, prepared: None) -> None:
    said = refused(*(part.replace("{}", "good.jsonl") for part in WRITING[name]))
    assert said.startswith("Error: good.jsonl/")


def test_a_device_is_not_replaced(refused: Refused, prepared: None) -> None:
    assert refused("vary", "good.jsonl", "-o", "/dev/null") == (
        "Error: /dev/null: cannot write: it is no regular file\n"
    )
    assert Path("/dev/null").is_char_device()


@pytest.fixture
def vanishing(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of two tables, the second of which is removed as soon as the first is opened."""
    Path("two").mkdir()
    for name in ("a", "b"):
        Path("two", f"{name}.jsonl").write_bytes(Path("rows.jsonl").read_bytes())
    opened = io.open

    def remove_other(file: Any, *arguments: Any, **more: Any) -> Any:
        if str(file).endswith("a.jsonl"):
            Path("two/b.jsonl").unlink(missing_ok=True)
        return opened(file, *arguments, **more)

    monkeypatch.setattr(io, "open", remove_other)
    monkeypatch.setattr("builtins.open", remove_other)


def test_a_file_that_vanishes_is_told(command: Command, vanishing: None) -> None:
    code, out, err = command("aggregate", "--logs", "two", "--out", "table", "--strict")
    assert (code, err) == (
        2,
        "Error: 1 of the files cannot be used\ntwo/b.jsonl: cannot be opened: No such file or directory\n",
    ), out
    assert not Path("table").exists()


def test_nobody_vouches_for_a_file_that_vanishes(command: Command, vanishing: None) -> None:
    code, out, _ = command("scan", "two", "--dataset", "good.jsonl")
    assert code == 1
    assert "two/b.jsonl: cannot vouch: no regular file\n" in out


MODEL = """
import sys
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

@modelapi(name="sayer")
class Sayer(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        output = ModelOutput.from_content(self.model_name, "Paris " * 2000)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

from otherwords.cli import main
main(sys.argv[1:])
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 96 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a small disk, and not everywhere")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_run_that_fills_the_disk_goes_on_when_there_is_room(
    small_disk: Path, tmp_path: Path, start_python: Callable[..., subprocess.Popen[str]]
) -> None:
    lines = [
        f'{{"id": "q{n}", "question": "What is the capital number {n}?", "answer": "Paris"}}'
        for n in range(20)
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(lines))
    (tmp_path / "model.py").write_text(MODEL)
    command = [str(tmp_path / "model.py"), "run", "set.jsonl", "--model", "sayer/x", "--repeats", "1"]
    command += ["-k", "1", "--families", "format", "--log-dir", "disk/logs"]

    def run() -> tuple[int, str]:
        process = start_python(*command, cwd=tmp_path)
        out, _ = process.communicate()
        return process.wait(), out

    code, out = run()
    assert code == 2, out
    assert "No space left on device" in out
    assert "Traceback" not in out
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    code, out = run()
    assert code == 0, out
    assert "40/40 samples finished, 0 failed" in " ".join(out.split())
    assert read_results(small_disk / "logs").outcomes.filter(status="scored").height == 40
