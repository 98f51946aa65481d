"""`otherwords rank`, `check --max-template-spread` and the report on tables of several templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest

Command = Callable[..., tuple[int, str, str]]


def table_of(
    chances: Mapping[str, float], wordings: tuple[str, ...] = ("orig",), n_items: int = 60, repeats: int = 2
) -> pl.DataFrame:
    """Runs of templates with these chances; in other wordings than the original, 0.3 lower."""
    rng = np.random.default_rng(7)
    easy = rng.normal(0, 0.1, n_items)
    rows = [
        (
            *("cases", "m", f"q{i}", name if wording == "orig" else f"{name}+{wording}"),
            *(name, wording, repeat, float(rng.random() < p + easy[i] - 0.3 * (wording != "orig"))),
        )
        for name, p in chances.items()
        for i in range(n_items)
        for wording in wordings
        for repeat in range(1, repeats + 1)
    ]
    columns = ["task", "model", "id", "variant", "template", "wording", "repeat", "score"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_table(*arguments: object, **options: object) -> Path:
        path = tmp_path / "outcomes.csv"
        table_of(*arguments, **options).write_csv(path)  # type: ignore[arg-type]
        return path

    return write_table


def test_equal_templates_are_said_to_be_equal(run_command: Command, write: Callable[..., Path]) -> None:
    code, out, _ = run_command("rank", write(dict.fromkeys("abcd", 0.7)))
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "No template is better than another; n = 60 items."
    assert lines[2].split() == ["template", "accuracy"]
    assert {line.split()[0] for line in lines[3:7]} == set("abcd")
    said = " ".join(out.split())
    assert "0 of 6 pairs differ by more than noise (paired by item, Holm over all pairs)." in said
    assert "no effect on all items alike found of template; n = 60 items." in said
    assert max(map(len, lines)) <= 80


def test_a_real_difference_the_loss_and_the_worst_wordings(
    run_command: Command, write: Callable[..., Path]
) -> None:
    path = write({"long": 0.9, "short": 0.5}, ("orig", "para1", "para2", "para3"))
    code, out, _ = run_command("rank", path, "--full")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("long is better than short by ")
    assert lines[2].split() == ["template", "accuracy", "lost", "worst", "5%"]
    assert "1 of 1 pair differ by more than noise" in out
    assert "Quantiles over templates are not known" in out
    assert "  long − short: " in out
    terms = [line.split("  ")[0] for line in lines[-8:]]
    assert terms[:3] == ["template", "wording", "template × wording"]
    code, out, _ = run_command("rank", path, "--json")
    found = json.loads(out)
    assert (found["format"], found["version"]) == ("otherwords-rank", 1)
    (agent,) = found["agents"]
    assert agent["best"] == ["long"]
    assert [one["template"] for one in agent["templates"]] == ["long", "short"]
    assert agent["templates"][0]["loss"]["low"] > 0
    (pair,) = agent["differences"]
    assert pair["real"]
    assert pair["difference"]["low"] > 0
    assert {one["term"]: one["found"] for one in agent["shares"]}["wording"]


def test_logs_without_templates(run_command: Command, write: Callable[..., Path], tmp_path: Path) -> None:
    path = write({"a": 0.5})
    code, _, err = run_command("rank", path)
    assert code == 2
    assert " ".join(err.split()) == (
        "Error: the logs do not have two templates to rank Ask through several: otherwords vary CASES "
        "--template a.txt --template b.txt -o variants.jsonl, then otherwords run CASES --variants "
        "variants.jsonl"
    )
    code, _, err = run_command("check", path, "--max-template-spread", 0.1)
    assert code == 2
    assert " ".join(err.split()) == (
        "Error: a ranking takes at least two templates with a score, and there is 1 Make several: otherwords "
        "vary CASES --template a.txt --template b.txt -o variants.jsonl"
    )


def test_the_spread_is_a_gate(run_command: Command, write: Callable[..., Path]) -> None:
    apart = write({"a": 0.9, "b": 0.3}, n_items=100)
    code, out, err = run_command("check", apart, "--max-template-spread", 0.1)
    assert code == 1
    assert out.startswith("FAIL")
    assert "max-template-spread: wanted at most 0.1, the high end is" in " ".join(out.split())
    alike = write({"a": 0.9, "b": 0.9}, n_items=100)
    assert run_command("check", alike, "--max-template-spread", 0.3)[0] == 0
    code, out, err = run_command("check", alike, "--max-template-spread", 0.01)
    assert code == 1
    assert "CANNOT TELL" in out
    assert err


def test_a_report_has_templates_in_every_form(
    run_command: Command, write: Callable[..., Path], tmp_path: Path
) -> None:
    path = write({"a": 0.9, "b": 0.4, "c": 0.9}, ("orig", "para1"), n_items=20)
    folder = tmp_path / "report"
    code, out, _ = run_command("report", path, "-o", folder)
    assert code == 0
    assert "is better than b by" in " ".join(out.split())
    assert "Of the variance of a score, " in " ".join(out.split())
    text = (folder / "sensitivity_report.md").read_text()
    assert "## Templates\n" in text
    assert "| Template | Accuracy | Lost when users reword | Worst 5% of wordings |" in text
    assert "![Where the variance of scores comes from](variance_shares.svg)" in text
    assert "template × wording" in (folder / "variance_shares.svg").read_text()
    page = (folder / "index.html").read_text()
    assert '<a href="#templates">Templates</a>' in page
    assert 'id="templates-title">Templates</h2>' in page
    code, out, _ = run_command("report", path, "--json")
    (found,) = json.loads(out)["templates"]
    assert found["best"] == ["a", "c"] or found["best"] == ["c", "a"]
    assert 0 < found["spread"]["low"] < found["spread"]["value"] < found["spread"]["high"]


def test_a_report_without_templates_has_no_such_part(
    run_command: Command, write: Callable[..., Path], tmp_path: Path
) -> None:
    path = tmp_path / "plain.csv"
    table_of({"a": 0.7}, ("orig", "para1"), 12).drop("template", "wording").with_columns(
        variant=pl.col("variant").str.replace("a+", "", literal=True)
    ).write_csv(path)
    folder = tmp_path / "report"
    assert run_command("report", path, "-o", folder)[0] == 0
    assert "Templates" not in (folder / "sensitivity_report.md").read_text()
    assert 'href="#templates"' not in (folder / "index.html").read_text()
    assert not (folder / "variance_shares.svg").exists()


@pytest.mark.slow
def test_the_demo_ranks_templates_on_the_embedded_model(run_command: Command, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    arguments = ("demo", "--templates", "--max-items", 4, "-o", tmp_path / "demo")
    code, out, err = run_command(*arguments)
    assert code == 0, err
    assert "4 questions, 24 wordings × 2 repeats = 48 calls" in " ".join(out.split())
    names = {"plain", "labelled", "instructed", "expert", "quiz", "chatty"}
    assert names <= {line.split()[0] for line in out.splitlines() if line.strip()}
    assert "n = 4 items." in out
    assert "Accuracy over templates: 5% of them below" in " ".join(out.split())
    assert "Of the variance of a score, " in " ".join(out.split())
    code, again, err = run_command(*arguments)
    assert code == 0, err
    assert "from before" in err or again.split("\n\n", 1)[1] == out.split("\n\n", 1)[1]


def test_the_spread_is_no_goal_at_which_a_run_can_stop(run_command: Command) -> None:
    options = ("--model", "mockllm/model", "--until", "gate", "--max-template-spread", "0.1")
    code, _, err = run_command("run", "questions.jsonl", *options)
    assert (code, err) == (
        2,
        "Error: --max-template-spread is no threshold at which a run can stop\n"
        "After a run, use otherwords check.\n",
    )
