"""What people who come to the project do first, from an installed wheel and in an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[1] / "docs"
_BLOCK = re.compile(r"<!-- (run|file: (?P<name>\S+)) -->\n```\w+\n(?P<text>.*?)```", re.DOTALL)
NOTEBOOK = """
import nbclient, nbformat, sys
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300).execute()
nbformat.write(notebook, "executed.ipynb")
"""


def environment(installed: Path) -> dict[str, str]:
    path = os.pathsep.join([str(installed), os.environ["PATH"]])
    names = {**os.environ, "PATH": path, "PYTHONUTF8": "1", "COLUMNS": "200", "NO_COLOR": "1"}
    return {name: text for name, text in names.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


def follow(page: str, folder: Path, installed: Path) -> str:
    """Writes the page's files and types its commands, block by block; gives back what they said."""
    said = ""
    for block in _BLOCK.finditer((DOCS / page).read_text("utf-8")):
        if block["name"]:
            file = folder / block["name"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], "utf-8")
            continue
        done = subprocess.run(
            ["bash", "-ec", block["text"]], cwd=folder, env=environment(installed),
            capture_output=True, text=True, check=False, timeout=400,
        )  # fmt: skip
        assert done.returncode == 0, f"{block['text']}\n{done.stdout}\n{done.stderr}"
        said += done.stdout
    return said


def test_a_notebook(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "python"), "-c", NOTEBOOK, str(DOCS / "tutorial.ipynb")]
    subprocess.run(command, cwd=tmp_path, env=environment(installed), check=True, timeout=400)
    cells = json.loads((tmp_path / "executed.ipynb").read_text("utf-8"))["cells"]
    shown = json.dumps([cell.get("outputs") for cell in cells])
    assert "Rewording costs assistant" in shown
    assert "Cannot tell whether wording matters for mended" in shown
    assert (tmp_path / "report" / "index.html").exists()


def test_a_project_with_pytest_and_a_gate_in_ci(installed: Path, tmp_path: Path) -> None:
    said = follow("ci.md", tmp_path, installed)
    assert "PASS         test_answers_hold" in said
    assert "0 calls in all" in said  # replayed
    assert "PASS: 1 of 1 thresholds are met" in said


def test_a_developer_of_an_agent(installed: Path, tmp_path: Path) -> None:
    said = follow("evaluate-agent.md", tmp_path, installed)
    assert "Rewording costs clerk" in said
    assert (tmp_path / "report" / "index.html").exists()


@pytest.mark.model
def test_a_researcher_with_a_bundle(installed: Path, tmp_path: Path) -> None:
    said = follow("study.md", tmp_path, installed)
    assert (tmp_path / "report" / "index.html").exists()
    assert list((tmp_path / "report").rglob("*.tex"))
    assert (tmp_path / "bundle.zip").exists()
    assert "@software" in said or "@misc" in said  # cite
    changed = tmp_path / "bundle.zip"
    changed.write_bytes(changed.read_bytes()[:-100])
    command = [str(installed / "otherwords"), "verify", str(changed)]
    done = subprocess.run(command, env=environment(installed), capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2), done.stdout
    assert "Traceback" not in done.stderr
