"""The site is built strictly, without the network: every link and anchor leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import otherwords
from otherwords.cli import COMMANDS

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_is_built_strictly_with_every_command_and_public_name(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    commands = (tmp_path / "commands.html").read_text("utf-8")
    assert [name for name in COMMANDS if f'<h3 id="otherwords-{name}"' not in commands] == []
    api = (tmp_path / "api.html").read_text("utf-8")
    names = [name for name in otherwords.__all__ if not name.startswith("_")]
    assert [name for name in names if f'id="otherwords.{name}"' not in api] == []
    pages = [path.read_text("utf-8") for path in tmp_path.glob("*.html")]
    loaded = {
        url
        for page in pages
        for url in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page)
    }
    assert loaded == set()
