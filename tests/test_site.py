"""The site is built strictly, without the network: every link and anchor leads somewhere."""

from __future__ import annotations

import copy
import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

import otherwords
from otherwords.cli import COMMANDS, app

ROOT = Path(__file__).parents[1]


def dead_links(site: Path) -> list[tuple[str, str]]:
    """Pages and what they link to, where there is no such file or no such place in it."""
    texts = {path: path.read_text("utf-8") for path in site.rglob("*.html") if path.name != "404.html"}
    places = {path: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for path, text in texts.items()}
    dead = []
    for page, text in texts.items():
        for link in set(re.findall(r'<(?:a|img|link|script)\b[^>]*?\b(?:href|src)="([^"]*)"', text)):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, place = unescape(unquote(link)).partition("#")
            place = place.split("&")[0]  # reports keep filters behind it
            target = (page.parent / file).resolve() if file else page
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (place and place not in places.get(target, {place})):
                dead.append((page.name, link))
    return sorted(dead)


def commands_of(page: str) -> list[str]:
    """Each `otherwords …` of a page, from blocks and from within the text."""
    page = re.sub(r"\\\n\s*", " ", page)
    blocks = re.findall(r"```(?:sh|bash)\n(.*?)```", page, re.DOTALL) + re.findall(
        r"^    \S.*$", page, re.MULTILINE
    )
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`(otherwords [^`]+)`", re.sub(r"```.*?```", "", page, flags=re.DOTALL))
    return [re.split(r"\s{3,}|\s# ", line)[0] for line in lines if re.match(r"otherwords [a-z]", line)]


def complaint(line: str) -> str | None:
    """What click says of the command's name, options and values; files need not be there."""
    given = [word.replace("\\|", "|") for word in shlex.split(line)[1:]]
    given = [word for word in given if "…" not in word and word not in ("|", "&&")]
    command = app.get_command(click.Context(app), given[0])
    if command is None:
        return f"no command {given[0]}"
    command = copy.copy(command)
    command.params = [copy.copy(one) for one in command.params]
    for parameter in command.params:
        parameter.required = False
        if isinstance(parameter.type, click.Path):
            parameter.type = click.Path()
    try:
        command.make_context(given[0], given[1:])
    except click.exceptions.Exit:  # --help
        return None
    except click.ClickException as error:
        said = error.format_message()
        only_named = given[-1].startswith("--") and said == f"Option {given[-1]!r} requires an argument."
        return None if only_named else said  # as a text names an option, `otherwords run --until`
    return None


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_command_of_the_pages_is_one_that_the_command_line_takes(page: Path) -> None:
    told = {command: complaint(command) for command in commands_of(page.read_text("utf-8"))}
    assert {command: said for command, said in told.items() if said} == {}


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
    assert "Sentinel" not in commands
    assert (
        "otherwords vary questions.jsonl -o variants.jsonl      reword, vet, freeze" in commands
    )  # as laid out
    api = (tmp_path / "api.html").read_text("utf-8")
    names = [name for name in otherwords.__all__ if not name.startswith("_")]
    assert [name for name in names if f'id="otherwords.{name}"' not in api] == []
    assert "Rewording costs assistant" in (tmp_path / "tutorial.html").read_text("utf-8")  # it was executed
    assert "Rewording costs brittle" in (tmp_path / "gallery" / "agents.html").read_text("utf-8")
    assert dead_links(tmp_path) == []
    pages = [path.read_text("utf-8") for path in tmp_path.rglob("*.html")]
    assert [page for page in pages if str(ROOT) in page] == []
    loaded = {
        url
        for page in pages
        for url in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page)
    }
    assert loaded == set()
