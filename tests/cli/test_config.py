"""Where an option's value comes from: flag, suite file, environment, user's file, default."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from otherwords.cli import COMMANDS, app, main
from otherwords.cli.config import VARIABLE, option_names, user_file

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def otherwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in an empty folder, whose config.yaml is the user's file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "config.yaml")
    Path("config.yaml").write_text("{}\n")
    Path("questions.jsonl").write_text(
        json.dumps({"id": "q", "question": "What is the capital of France?", "answer": "Paris"}) + "\n"
    )

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), " ".join(out.split()), err

    return command


def test_a_flag_wins_over_the_environment_and_that_over_the_users_file(
    otherwords: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert otherwords("plan")[0] == 2
    Path("config.yaml").write_text("plan:\n  half-width: 0.2\n")
    code, out, _ = otherwords("plan")
    assert code == 0
    assert "0.2" in out.split("┏")[0]
    monkeypatch.setenv("OTHERWORDS_PLAN_HALF_WIDTH", "0.15")
    assert "0.15" in otherwords("plan")[1].split("┏")[0]
    assert "0.25" in otherwords("plan", "--half-width", "0.25")[1].split("┏")[0]


def repeats_of(out: str) -> int:
    row = re.search(r"│\s*\d+\s*│\s*\d+\s*│\s*(\d+)\s*│\s*\d+", out)  # items, wordings, repeats, samples
    assert row is not None
    return int(row[1])


def spoil(log_dir: str) -> str:
    """What a run in the folder says then, though a dry run writes nothing."""
    file = Path(log_dir, "questions", "spoilt.eval")
    file.parent.mkdir(parents=True)
    file.write_text("no log")
    return f"{file}: cannot be read as an Inspect log"


def test_the_order_holds_for_a_run_and_its_suite(otherwords: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ("run", "questions.jsonl", "--dry-run")
    Path("config.yaml").write_text("run:\n  model: mockllm/model\n  repeats: 5\n  families: [format]\n")
    assert "× 5 repeats × 1 models" in otherwords(*run, "--log-dir", "a")[1]
    monkeypatch.setenv("OTHERWORDS_RUN_REPEATS", "4")
    assert "× 4 repeats × 1 models" in otherwords(*run, "--log-dir", "a")[1]
    assert "× 2 repeats × 1 models" in otherwords(*run, "--log-dir", "a", "--repeats", "2")[1]

    body = "agents: [{model: mockllm/model}]\nbenchmarks: [{task: questions.jsonl}]\n"
    Path("suite.yaml").write_text("log_dir: mine\n" + body)
    suite = ("run", "--config", "suite.yaml", "--dry-run")
    assert repeats_of(otherwords(*suite)[1]) == 4
    assert not Path("mine").exists()
    said = spoil("mine")
    assert said in otherwords(*suite)[2]
    Path("suite.yaml").write_text("repeats: 3\n" + body)
    monkeypatch.setenv("OTHERWORDS_RUN_LOG_DIR", "theirs")
    assert repeats_of(otherwords(*suite)[1]) == 3
    said = spoil("theirs")
    assert said in otherwords(*suite)[2]
    assert repeats_of(otherwords(*suite, "--log-dir", "flags")[1]) == 3
    said = spoil("flags")
    assert said in otherwords(*suite, "--log-dir", "flags")[2]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("plna:\n  drop: 0.1\n", "1: unknown setting 'plna'. Did you mean: plan?"),
        ("plan:\n  power: 0.9\n  dorp: 0.1\n", "3: unknown setting 'dorp'. Did you mean: drop?"),
        ("plan:\n  drop: much\n", "2: drop: 'much' is not a valid float."),
        ("plan:\n  items: 1\n", "2: items: 1 is not in the range x>=2."),
        ("plan:\n  drop: true\n", "2: drop must be text, a number or a list of these, got True"),
        ("plan: 3\n", "1: plan must be a mapping of names to values"),
        ("plan: [\n", "2: is not YAML: expected the node content, but found '<stream end>'"),
    ],
)
def test_a_mistake_in_the_users_file_is_told_with_its_line(text: str, problem: str, otherwords: Run) -> None:
    Path("config.yaml").write_text(text)
    code, out, err = otherwords("plan")
    assert (code, out, err) == (2, "", f"Error: config.yaml:{problem}\n")


def test_a_flag_of_the_users_file_is_true_or_false(otherwords: Run) -> None:
    Path("config.yaml").write_text("run: {dry_run: 1}\n")
    assert otherwords("run", "questions.jsonl")[2] == (
        "Error: config.yaml:1: dry_run must be true or false, got 1\n"
    )


def test_a_flag_also_wins_over_what_cannot_be_given_beside_it(otherwords: Run) -> None:
    Path("config.yaml").write_text(
        "run: {model: mockllm/model, num_variations: 3, benchmark: gaia, dry_run: true}\n"
    )
    code, out, err = otherwords("run", "questions.jsonl", "--families", "format", "-k", "1")
    assert (code, err) == (0, "")
    assert "1 items, 2 wordings" in out


def test_pairs_are_a_mapping_in_the_file(otherwords: Run) -> None:
    Path("config.yaml").write_text("run:\n  budget: {usd: 2}\n  task_args: {x: [1]}\n")
    code, _, err = otherwords("run", "questions.jsonl", "--model", "mockllm/model")
    assert code == 2
    assert "-T and --prompt-field are for Inspect tasks" in err


def test_a_named_file_must_be_there_and_help_needs_none(
    otherwords: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "gone.yaml")
    assert otherwords("plan", "--drop", "0.1")[::2] == (2, "Error: gone.yaml: no such file\n")
    assert otherwords("plan", "--help")[0] == 0
    monkeypatch.setenv(VARIABLE, "")
    assert otherwords("plan", "--drop", "0.1")[0] == 0


def test_with_a_root_the_users_file_is_read_only_within_it(
    otherwords: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Path("inside").mkdir()
    code, _, err = otherwords("--root", "inside", "plan", "--drop", "0.1")
    assert (code, err) == (2, "Error: config.yaml: is out of the root inside\n")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "home/otherwords").mkdir(parents=True)
    (tmp_path / "home/otherwords/config.yaml").write_text("plan: {nothing: 1}\n")
    assert otherwords("--root", "inside", "plan", "--drop", "0.1")[0] == 0
    assert otherwords("plan", "--drop", "0.1")[0] == 2


def test_where_the_users_file_is_looked_for_on_each_system() -> None:
    assert user_file({VARIABLE: "x.yaml"}, "linux") == (Path("x.yaml"), True)
    assert user_file({VARIABLE: ""}, "linux") == (None, False)
    assert user_file({"XDG_CONFIG_HOME": "/cfg"}, "linux")[0] == Path("/cfg/otherwords/config.yaml")
    assert user_file({"APPDATA": "roaming"}, "win32")[0] == Path("roaming/otherwords/config.yaml")
    assert user_file({"APPDATA": "roaming"}, "darwin")[0] == Path.home() / ".config/otherwords/config.yaml"


def test_every_option_of_every_command_has_a_variable_of_its_own() -> None:
    context = click.Context(app)
    seen: set[str] = set()
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        for option in option_names(command).values():
            if name != "completion":
                assert isinstance(option.envvar, str)
                assert option.envvar.startswith(f"OTHERWORDS_{name.upper()}_")
                assert option.envvar not in seen
                seen.add(option.envvar)
    assert {"OTHERWORDS_RUN_MODEL", "OTHERWORDS_RUN_K", "OTHERWORDS_VARY_OUT"} <= seen
    assert "OTHERWORDS_RUN_CONFIG" not in seen
