"""The GitHub Action's steps, run here one after the other with a made-up event; the examples for CI."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from otherwords.pipeline.suite import read_suite

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")

GH = """#!/bin/bash
echo "$@" >> "$GH_LOG"
case "$1 $2" in
  "run list") [ -d "$GH_BASELINE" ] && echo 17 ;;
  "run download") mkdir -p "${@: -1}"; cp -r "$GH_BASELINE"/. "${@: -1}" ;;
  "api repos/"*) cat "$GH_COMMENTS" 2>/dev/null ;;
esac
exit 0
"""
AGENT = """
def answer(prompt: str) -> str:
    return "Paris" if "France" in prompt else "Rome"
"""
SUITE = """
log_dir: logs
repeats: 1
k: 1
families: [paraphrase]
agents:
  - name: mine
    agent: agent.py:answer
benchmarks:
  - task: questions.jsonl
"""


class Runner:
    """What GitHub does with a composite action, as far as this one needs it."""

    def __init__(
        self, folder: Path, event: str, inputs: dict[str, str], installed: Path, **more: str
    ) -> None:
        self.folder, self.event, self.inputs = folder, event, inputs
        self.outputs: dict[str, str] = {}
        binaries = folder.parent / "bin"
        binaries.mkdir(exist_ok=True)
        (binaries / "gh").write_text(GH)
        (binaries / "gh").chmod(0o755)
        path = os.pathsep.join([str(binaries), str(installed), os.environ["PATH"]])
        self.log = folder.parent / "gh.log"
        self.environment = {**os.environ, "PATH": path, "GH_LOG": str(self.log), "GH_BASELINE": "", **more}
        self.environment["GITHUB_STEP_SUMMARY"] = str(folder.parent / "summary.md")

    def value(self, name: str) -> str:
        place, _, rest = name.partition(".")
        if place == "inputs":
            return self.inputs.get(rest, str(ACTION["inputs"][rest].get("default", "")))
        if place == "steps":
            return self.outputs.get(rest, "")
        return {
            "github.event_name": self.event,
            "github.event.repository.default_branch": "main",
            "github.event.pull_request.number": "5",
            "github.workflow": "otherwords",
            "github.repository": "me/mine",
            "github.token": "t",
        }[name]

    def wanted(self, condition: str) -> bool:
        def holds(part: str) -> bool:
            if part == "always()":
                return True
            name, is_equal, other = re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", part).groups()  # type: ignore[union-attr]
            return (self.value(name) == other) == (is_equal == "==")

        return all(holds(part) for part in condition.split(" && "))

    def run(self) -> int:
        """Runs the steps that are scripts; the exit code of the last."""
        code = 0
        for step in STEPS:
            if "run" not in step or step["name"] == "install" or not self.wanted(step.get("if", "always()")):
                continue
            output = self.folder.parent / f"{step['name']}.out"
            output.write_text("")
            given = {
                name: _EXPRESSION.sub(lambda one: self.value(one[1]), text)
                for name, text in step.get("env", {}).items()
            }
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env={**self.environment, **given, "GITHUB_OUTPUT": str(output)},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                self.outputs[f"{step['id']}.outputs.{name}"] = value
            code = done.returncode
            assert step["name"] == "result" or code == 0, f"{step['name']}\n{done.stdout}\n{done.stderr}"
        return code


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    questions = [
        {"id": country, "question": f"What is the capital of {country}?", "answer": capital}
        for country, capital in (("France", "Paris"), ("Italy", "Rome"))
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    (folder / "agent.py").write_text(AGENT)
    (folder / "suite.yaml").write_text(SUITE)
    return folder


@pytest.mark.slow
def test_the_steps_run_compare_comment_and_end_with_the_checks_code(
    repository: Path, tmp_path: Path, installed: Path
) -> None:
    inputs = {"suite": "suite.yaml", "thresholds": "--min-accuracy 0", "budget": "calls=50"}
    first = Runner(repository, "push", inputs, installed)
    assert first.run() == 0
    assert not first.log.exists()  # neither a baseline nor a comment
    assert (repository / "otherwords-report" / "index.html").exists()
    assert (tmp_path / "summary.md").read_text().startswith("#")

    baseline = tmp_path / "baseline"
    (repository / "logs").rename(baseline)
    (tmp_path / "comments").write_text("42\n")
    (repository / "agent.py").write_text("def answer(prompt):\n    return 'Oslo'\n")
    inputs["thresholds"] = "--min-accuracy 0.5"
    second = Runner(
        repository,
        "pull_request",
        inputs,
        installed,
        GH_BASELINE=str(baseline),
        GH_COMMENTS=str(tmp_path / "comments"),
    )
    assert second.run() == 1
    said = second.log.read_text()
    assert "run download 17 --repo me/mine --name otherwords-logs --dir otherwords-baseline" in said
    assert "api --method PATCH repos/me/mine/issues/comments/42 --field body=@otherwords-body.md" in said
    body = (repository / "otherwords-body.md").read_text().splitlines()
    assert body[0] == "<!-- otherwords -->"
    assert len(body) <= 60
    assert any("max-fall-of-accuracy" in line or "fell" in line for line in body)


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml", "suite.yaml"])
def test_the_examples_name_what_exists(name: str) -> None:
    content = yaml.safe_load((ROOT / "examples" / "ci" / name).read_text("utf-8"))
    if name == "github.yml":
        (step,) = [one for one in content["jobs"]["gate"]["steps"] if "otherwords" in one["uses"]]
        assert set(step["with"]) <= set(ACTION["inputs"])
        required = {key for key, one in ACTION["inputs"].items() if one.get("required")}
        assert required <= set(step["with"])
    elif name == "gitlab.yml":
        script = "\n".join(content["otherwords"]["script"])
        assert re.findall(r"otherwords (run|report|check)", script) == ["run", "report", "check"]
    else:
        suite = read_suite(ROOT / "examples" / "ci" / name)
        assert [agent.models for agent in suite.agents] == [("openai/gpt-4o-mini",)]


def test_the_page_shows_the_examples_as_they_are() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    for name in ("github.yml", "suite.yaml"):
        assert f"```yaml\n{(ROOT / 'examples' / 'ci' / name).read_text('utf-8')}```" in page


@pytest.mark.parametrize(
    ("notes", "written"),
    [
        ("[]", "POST https://git.example/api/v4/projects/7/merge_requests/5/notes"),
        (
            '[{"id": 1, "body": "Fine"}, {"id": 42, "body": "<!-- otherwords -->\\nbefore"}]',
            "PUT https://git.example/api/v4/projects/7/merge_requests/5/notes/42",
        ),
    ],
)
def test_gitlab_has_one_comment_that_is_updated(notes: str, written: str, tmp_path: Path) -> None:
    job = yaml.safe_load((ROOT / "examples" / "ci" / "gitlab.yml").read_text("utf-8"))["otherwords"]
    curl = tmp_path / "curl"
    curl.write_text(
        '#!/bin/bash\nwhile [ $# -gt 1 ]; do [ "$1" = --request ] && how=$2; shift; done\n'
        f'if [ -n "$how" ]; then echo "$how $1" >> written; else echo \'{notes}\'; fi\n'
    )
    curl.chmod(0o755)
    (tmp_path / "comment.md").write_text("### PASS\n")
    given = {
        "CI_API_V4_URL": "https://git.example/api/v4", "CI_PROJECT_ID": "7", "CI_MERGE_REQUEST_IID": "5",
        "PATH": os.pathsep.join([str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]]),
    }  # fmt: skip
    for token in ("", "secret"):
        environment = {**os.environ, **given, "OTHERWORDS_TOKEN": token}
        subprocess.run(["bash", "-ec", *job["after_script"]], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "written").read_text().splitlines() == [written]
    assert (tmp_path / "body.md").read_text() == "<!-- otherwords -->\n### PASS\n"
