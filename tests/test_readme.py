"""The README's five minutes, word by word, in an empty folder, on the embedded model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from otherwords import read_results

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"<!-- (run|file: (?P<name>\S+)) -->\n```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)


@pytest.mark.model
def test_every_step_of_the_readme_works(tmp_path: Path) -> None:
    ran = 0
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "INSPECT_DISPLAY": "plain", "PYTHONUTF8": "1"}
    for block in _BLOCK.finditer(README.read_text(encoding="utf-8")):
        text = block["text"]
        if block["name"]:
            (tmp_path / block["name"]).write_text(text, encoding="utf-8")
            continue
        command = [sys.executable, "-c", text] if block["language"] == "python" else ["bash", "-ec", text]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=400
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran == 5
    assert (tmp_path / "report" / "index.html").stat().st_size > 10_000
    table = read_results(tmp_path / "logs-inspect").outcomes
    assert set(table["task"]) == {"paraphrase_consistency", "perturbation_stability"}
    assert set(table["status"]) <= {"scored", "unscored"}


def test_every_link_of_the_docs_leads_somewhere() -> None:
    root = README.parent
    for page in [README, root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]:
        prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)", prose):
            if "://" not in target:
                made = page.parent / target  # reports of the gallery are made from their tables
                made = made.with_suffix(".parquet") if target.startswith("gallery/") else made
                assert made.exists(), f"{page.name}: {target}"
