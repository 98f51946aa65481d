"""A package of another author adds a family and a check by entry points; every command then knows them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"
AGENT = """
def answer(prompt):
    return "ANSWER: A" if "!" in prompt else "ANSWER: B"
"""
CLI = """
import json, sys
from otherwords.cli import main

for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as end:
        if end.code:
            raise
"""


def package(folder: Path, name: str, entry_points: str, **modules: str) -> None:
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)


def otherwords(folder: Path, *commands: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
    """The commands one after the other, in one process: to start one takes longer than most of them."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "site"), "COLUMNS": "200", "NO_COLOR": "1"}
    program = [sys.executable, "-c", CLI, json.dumps([command.split() for command in commands])]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == fails, done.stderr
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    questions = [
        {
            "id": f"q{number}",
            "question": f"Which of the following is more than {number}?",
            "choices": ["0", "99"],
            "answer": "B",
        }
        for number in range(24)
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))
    (tmp_path / "agent.py").write_text(AGENT)
    return tmp_path


def test_the_example_package_is_installed_and_known_everywhere(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "site")]
    copied = shutil.copytree(EXAMPLE, folder / "plugin")
    subprocess.run([*pip, str(copied)], check=True, timeout=300)
    done = otherwords(
        folder,
        "vary --help",
        "vary questions.jsonl --families shout,control -k 2",
        "run questions.jsonl --variants variants.jsonl --agent agent.py:answer --yes --log-dir logs",
        "report logs -o report",
        "fix logs",
        "report logs --json",
    )
    told = " ".join(done.stdout.split())
    assert "llm (rewordings that a model writes), shout." in told
    assert "[default: paraphrase,format,options]" in told

    lines = [json.loads(line) for line in (folder / "variants.jsonl").read_text().splitlines()]
    assert lines[0]["generators"] == ["shout/7", "control/1"]
    said = {
        line["kind"]: tuple(check.values())
        for line in lines[1:]
        for check in line["checks"]
        if check["check"] == "calm"
    }
    assert said == {
        "orig": ("calm", "not_applicable", "the original"),
        "shout": ("calm", "pass", ""),
        "control": ("calm", "not_applicable", "a control changes the meaning on purpose"),
    }
    assert all(line["accepted"] for line in lines[1:] if line["kind"] == "shout")

    assert "shout" in (folder / "report" / "index.html").read_text()
    assert "Wordings of kind 'shout' cost about 100 points of accuracy" in told
    assert "ask it to calm down" in told
    (agent,) = json.loads(done.stdout[done.stdout.index("{\n") :])["agents"]
    assert (agent["estimates"]["worst_wording"]["value"], agent["estimates"]["worst_wording"]["n_items"]) == (
        0,
        24,
    )


def test_a_broken_package_is_named_and_skipped(folder: Path) -> None:
    package(
        folder / "site",
        "broken",
        "[otherwords.variants]\nfarewell = bad_family:FAMILY\n[otherwords.checks]\nodd = bad_check:ODD\n",
        bad_family="import no_such_package\n",
        bad_check="raise RuntimeError('two\\nlines')\n",
    )
    done = otherwords(folder, "vary questions.jsonl --families format -k 1")
    # On a slow machine lines of progress stand between them.
    assert [line for line in done.stderr.splitlines() if line.startswith("Skipped")] == [
        "Skipped: the variant family 'farewell' of the package broken cannot be loaded (bad_family:FAMILY): "
        "ModuleNotFoundError: No module named 'no_such_package'",
        "Skipped: the check 'odd' of the package broken cannot be loaded (bad_check:ODD): "
        "RuntimeError: two lines",
    ]
    lines = [json.loads(line) for line in (folder / "variants.jsonl").read_text().splitlines()]
    assert "odd" not in {check["check"] for line in lines[1:] for check in line["checks"]}

    done = otherwords(folder, "vary questions.jsonl --families farewell", fails=True)
    assert done.returncode == 2
    assert done.stderr == (
        "Error: the variant family 'farewell' of the package broken cannot be loaded (bad_family:FAMILY): "
        "ModuleNotFoundError: No module named 'no_such_package'\n"
    )
    done = otherwords(folder, "vary questions.jsonl --families farewel", fails=True)
    assert done.stderr.splitlines()[-1] == "Error: unknown variant family 'farewel'. Did you mean: farewell?"


def test_a_source_newer_than_its_installation_says_what_to_do(folder: Path) -> None:
    hidden = "import sys, importlib.metadata as m; found = m.entry_points\n"
    hidden += "m.entry_points = lambda **k: () if k.get('group') == 'otherwords.variants' else found(**k)\n"
    code = f"{hidden}from otherwords.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "vary", "questions.jsonl"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert " ".join(done.stderr.split()) == (
        "Error: the variant family 'paraphrase' is not registered: otherwords was installed before it was "
        "there Install it with: pip install -e . (in a clone), or pip install --force-reinstall otherwords"
    )
