"""Commands that are run in an empty folder and must not leave anything behind when they refuse."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from otherwords.cli import main

ITEMS = [
    {
        "id": "q1",
        "question": "Which of the following animals can fly?",
        "choices": ["Crow", "Cow"],
        "answer": "A",
    },
    {"id": "q2", "question": "What is the capital of France?", "answer": "Paris"},
]
ROWS = [
    {"id": item, "variant": variant, "score": score, "model": "m", "task": "t", "kind": kind}
    for item in ("q1", "q2")
    for variant, kind, score in (("orig", "orig", 1.0), ("para1", "paraphrase", 0.0))
]

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Gives code, output and errors, as the terminal would show them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    Path("good.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capfd.readouterr()
        return int(end.value.code or 0), out, err

    return run


def fingerprint(folder: Path) -> dict[str, object]:
    """All that is there: names, and what small files hold."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        entry = path.lstat()
        regular = stat.S_ISREG(entry.st_mode)
        small = regular and entry.st_size < 1_000_000
        found[str(path.relative_to(folder))] = (
            hashlib.sha256(path.read_bytes()).hexdigest() if small else (entry.st_mode, entry.st_size)
        )
    return found


@pytest.fixture
def refused(command: Command) -> Callable[..., str]:
    """Runs a command that must refuse: exit code 2, one clear sentence, no traceback, nothing left behind."""

    def run(*arguments: str) -> str:
        before = fingerprint(Path.cwd())
        code, out, err = command(*arguments)
        said = f"{' '.join(arguments)}\n{out}\n{err}"
        assert code == 2, said
        assert "Traceback" not in err, said
        assert "panicked" not in err, said
        sentence = err[err.index("Error: ") :]
        assert 10 < len(sentence) < 3000, said
        assert not err[: err.index("Error: ")].strip() or err.startswith("Usage: "), said
        assert fingerprint(Path.cwd()) == before, said
        return sentence

    return run


def as_root() -> bool:
    return os.geteuid() == 0
