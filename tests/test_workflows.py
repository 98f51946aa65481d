"""The workflows, the templates, the Makefile and the citation say what they should, and name what exists."""

from __future__ import annotations

import re
import sys
from email.message import Message
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

import otherwords

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
SYSTEMS = {"ubuntu-latest": "Linux", "macos-latest": "macOS", "windows-latest": "Windows"}
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
MARKERS = {"slow", "browser", "model", "fuzz"}
FLOOR = 93


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(text("pyproject.toml"))
    return found


def workflow(name: str) -> dict[str, Any]:
    found: dict[Any, Any] = yaml.safe_load((GITHUB / "workflows" / name).read_text(encoding="utf-8"))
    # YAML 1.1 reads the key `on` as true.
    return {"on" if key is True else str(key): value for key, value in found.items()}


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job.get("steps", [])]


def make_targets() -> dict[str, str]:
    """Each target of the Makefile with its recipe."""
    return {
        found["name"]: found["recipe"]
        for found in re.finditer(
            r"^(?P<name>[a-z][\w-]*):(?!=).*\n(?P<recipe>(?:\t.*\n)*)", text("Makefile"), re.MULTILINE
        )
    }


def runs_on(step: dict[str, Any], system: str) -> bool:
    """Whether a step runs on a system, for the two conditions that the workflows use."""
    condition = step.get("if")
    if condition is None:
        return True
    found = re.fullmatch(r"runner\.os (==|!=) '(\w+)'", condition)
    assert found is not None, condition
    return (found[2] == system) == (found[1] == "==")


def test_the_workflows_are_these() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "publish.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_job_is_bounded_and_may_read_only(path: Path) -> None:
    found = workflow(path.name)
    assert found["permissions"] == {"contents": "read"}
    for name, job in found["jobs"].items():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file(), job["uses"]
            continue
        assert job["timeout-minutes"] <= 60, name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            assert re.fullmatch(r"[\w-]+/[\w-]+@[\w./-]+", step.get("uses", "a/b@v1")), step


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_secret_is_needed(path: Path) -> None:
    assert "secrets." not in path.read_text(encoding="utf-8")
    assert not re.search(
        r"^\s*(password|token|api-token)\s*:", path.read_text(encoding="utf-8"), re.MULTILINE
    )


def test_changes_are_tested_on_three_systems_and_four_pythons() -> None:
    found = workflow("ci.yml")
    assert {"push", "pull_request"} <= set(found["on"])
    tests = found["jobs"]["tests"]
    assert tests["strategy"]["matrix"] == {"os": list(SYSTEMS), "python": PYTHONS}
    assert tests["strategy"]["fail-fast"] is False
    assert tests["runs-on"] == "${{ matrix.os }}"
    (setup,) = [step for step in tests["steps"] if step.get("uses", "").startswith("actions/setup-python@")]
    assert setup["with"]["python-version"] == "${{ matrix.python }}"
    assert project()["project"]["requires-python"] == f">={PYTHONS[0]}"


@pytest.mark.parametrize("system", SYSTEMS.values())
def test_every_system_runs_the_tests_once(system: str) -> None:
    job = workflow("ci.yml")["jobs"]["tests"]
    commands = [step["run"] for step in job["steps"] if "run" in step and runs_on(step, system)]
    assert sum("make test" in command or "-m pytest" in command for command in commands) == 1
    if system == "Linux":
        assert commands == ["make test"]
    else:
        assert not any(re.search(r"\bmake\b", command) for command in commands)


def test_systems_without_make_install_what_make_installs() -> None:
    job = workflow("ci.yml")["jobs"]["tests"]
    installed = "\n".join(step["run"] for step in job["steps"] if runs_on(step, "Windows") and "run" in step)
    made = re.findall(r"^\t\$\(PIP\) (.*)$", text("Makefile"), re.MULTILINE)
    without_dependencies = [line for line in made if "--no-deps" in line]
    assert without_dependencies
    for line in without_dependencies:
        assert line in installed, f"the workflow does not install: {line}"
    assert '--editable ".[local,dev]"' in installed
    assert "--editable '.[local,dev]'" in made
    for line in installed.splitlines():
        if " pip install " in line:
            assert "--constraint constraints.txt" in line, line


@pytest.mark.parametrize(
    "name",
    [*(f".github/workflows/{path.name}" for path in WORKFLOWS), ".ci/run", "CONTRIBUTING.md", "README.md"],
)
def test_every_make_target_that_is_named_exists(name: str) -> None:
    named = re.findall(r"(?:^|run: |`)make (?:[A-Z]+=\S+ )*([a-z]+)", text(name), re.MULTILINE)
    if name != ".github/workflows/publish.yml":
        assert named
    assert set(named) <= set(make_targets()), set(named) - set(make_targets())


def test_the_workflow_lints_measures_and_shows_the_demo() -> None:
    jobs = workflow("ci.yml")["jobs"]
    for job, command in (("lint", "make lint"), ("coverage", "make coverage"), ("demo", "make demo")):
        assert command in [step.get("run") for step in jobs[job]["steps"]]


def test_a_tag_publishes_by_trust_and_not_by_token() -> None:
    found = workflow("publish.yml")
    assert found["on"] == {"push": {"tags": ["v*"]}}
    publish = found["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert publish["steps"][-1]["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert "with" not in publish["steps"][-1]
    assert all("permissions" not in job for name, job in found["jobs"].items() if name != "publish")
    assert (found["jobs"]["build"]["needs"], publish["needs"]) == ("ci", "build")
    assert "workflow_call" in workflow("ci.yml")["on"]


def test_publishing_looks_at_the_tag_first() -> None:
    (check,) = [step for step in steps("publish.yml") if step.get("shell") == "python"]
    compile(check["run"], "publish.yml", "exec")
    assert "GITHUB_REF_NAME" in check["run"]
    assert "CHANGELOG.md" in check["run"]


def test_coverage_has_a_floor_that_make_test_does_not_pay_for() -> None:
    targets = make_targets()
    assert project()["tool"]["coverage"]["report"]["fail_under"] >= FLOOR
    assert "--cov" in targets["coverage"]
    assert "--cov" not in targets["test"]
    assert "--cov" not in project()["tool"]["pytest"]["ini_options"]["addopts"]


def test_make_quick_leaves_out_the_markers_and_make_test_nothing() -> None:
    registered = {line.split(":", 1)[0] for line in project()["tool"]["pytest"]["ini_options"]["markers"]}
    assert registered == MARKERS
    targets = make_targets()
    (left_out,) = re.findall(r'-m "(not [^"]+)"', targets["quick"])
    assert set(left_out.split(" and ")) == {f"not {marker}" for marker in MARKERS}
    assert " -m " not in targets["test"].replace("python -m pytest", "")


def test_make_help_names_every_target() -> None:
    targets = make_targets()
    internal = {"help", "browser", "constraints", "clean"}
    assert set(re.findall(r'"make ([a-z]+) ', targets["help"])) == set(targets) - internal


def test_the_citation_is_of_this_version() -> None:
    found = yaml.safe_load(text("CITATION.cff"))
    described = project()["project"]
    assert found["cff-version"] == "1.2.0"
    assert found["message"]
    assert found["authors"] == [{"name": "the otherwords authors"}]
    assert (found["title"], found["license"]) == (described["name"], described["license"])
    assert found["keywords"] == described["keywords"]
    assert str(found["version"]) == described["version"]


def test_the_package_says_the_version_that_is_published() -> None:
    assert otherwords.__version__ == project()["project"]["version"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_have_what_a_form_needs(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    ids = [part["id"] for part in form["body"]]
    assert len(set(ids)) == len(ids)
    for part in form["body"]:
        assert part["type"] in ("textarea", "input", "dropdown", "checkboxes")
        assert part["attributes"]["label"]
        if part["type"] in ("dropdown", "checkboxes"):
            assert part["attributes"]["options"]
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_there_are_templates_and_a_way_to_report_a_weakness() -> None:
    assert [path.stem for path in FORMS] == ["bug", "idea", "wording"]
    assert "CHANGELOG.md" in text(".github/PULL_REQUEST_TEMPLATE.md")
    assert "private vulnerability reporting" in text("SECURITY.md")


def test_pre_commit_runs_the_linters_of_make_lint() -> None:
    hooks = [
        hook for repo in yaml.safe_load(text(".pre-commit-config.yaml"))["repos"] for hook in repo["hooks"]
    ]
    tools = {Path(hook["entry"].split()[0]).name for hook in hooks}
    assert tools == set(re.findall(r"\$\(BIN\)/(ruff|mypy)", make_targets()["lint"]))


def test_every_pinned_package_has_its_hashes() -> None:
    blocks = re.split(r"\n(?=\S)", text("requirements-hashed.txt").strip())
    assert [block.split(" \\\n")[0] for block in blocks] == text("constraints.txt").splitlines()
    hashes = re.compile(r"    --hash=sha256:[0-9a-f]{64}")
    for block in blocks:
        _, *lines = block.split(" \\\n")
        assert lines, block
        assert all(map(hashes.fullmatch, lines)), block


@pytest.fixture
def supply_chain(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return import_module("supply_chain")


def test_the_bill_of_materials_names_what_is_needed(supply_chain: Any) -> None:
    bill = supply_chain.bill_of_materials()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["name"] == "otherwords"
    named = {one["name"] for one in bill["components"]}
    needed = {
        re.split(r"[<>=;\[ ]", one)[0].replace("_", "-") for one in project()["project"]["dependencies"]
    }
    absent = {"zipfile-zstd"} if sys.version_info >= (3, 14) else set()
    assert needed - absent <= named
    assert {one["ref"] for one in bill["dependencies"]} >= {one["bom-ref"] for one in bill["components"]}


AS_THE_LICENCES = sys.version_info[:2] == (3, 11) and sys.platform == "linux"
"""The page of licences is of this Python and system; others need other packages and versions."""


@pytest.mark.skipif(not AS_THE_LICENCES, reason="the page of licences is of Python 3.11 on Linux")
def test_the_licences_are_those_of_the_pinned_versions(supply_chain: Any) -> None:
    """A package of another version may say another licence, and need others: such a one tells nothing."""
    pinned = supply_chain.pinned_here()
    rows = re.findall(r"^\| (\S+) \| (\d\S*) \| (.+) \|$", text("docs/licences.md"), re.MULTILINE)
    assert len(rows) > 100
    again = "run `make licences` in an environment of the pinned versions"
    assert {name: pinned.get(name) for name, _, _ in rows} == {name: one for name, one, _ in rows}, again
    here = {name for name, version in pinned.items() if supply_chain.version_of(name) == version}
    said = {name: licence for name, _, licence in rows if name in here}
    assert {name: supply_chain.licence_of(name) for name in said} == said, again
    if set(supply_chain.needed(supply_chain.EXTRAS)) <= here:
        assert supply_chain.licence_page() == text("docs/licences.md"), again


def test_a_licence_has_one_name_however_a_package_says_it(
    supply_chain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`setuptools` has said it by a classifier, and by an expression."""
    said = (
        [("License-Expression", "MIT")],
        [("Classifier", "License :: OSI Approved :: MIT License"), ("License", "MIT")],
        [("License", "MIT License")],
        [("License", f"Copyright 2024, somebody\n\n{supply_chain._TEXT_OF_MIT}")],
    )
    for fields in said:
        found = Message()
        for name, value in fields:
            found[name] = value
        monkeypatch.setattr(supply_chain.metadata, "metadata", lambda name, found=found: found)
        assert supply_chain.licence_of("any") == "MIT"
