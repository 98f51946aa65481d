"""The first items of a run tell what the rest takes, before one is asked whether to go on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from otherwords.cli import console, main, run_plans
from otherwords.pipeline.pilot import Measured, pilot_of, weight_sentence
from otherwords.pipeline.run_plan import plan_run
from otherwords.runs.sample_costs import Cost, CostPerSample, SampleCosts

pytestmark = pytest.mark.slow

Scripted = Callable[[str, Callable[[str], str]], str]


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"q{n}", "question": f"Who is mayor of city {n}?", "answer": "me"} for n in range(40)]
    Path("questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return Path("questions.jsonl")


def test_the_question_is_asked_with_what_the_first_items_took(
    questions: Path,
    scripted: Scripted,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    model = scripted("counted", lambda prompt: calls.append(prompt) or "me")  # type: ignore[func-returns-value]
    monkeypatch.setattr(console, "ASK_ABOVE_CALLS", 100)
    for module in (console, run_plans):
        monkeypatch.setattr(module, "is_interactive", lambda: True)

    def run(*more: str) -> str:
        typed = ["run", str(questions), "--model", model, "--families", "format", "-k", "2"]
        with pytest.raises(SystemExit):
            main([*typed, "--repeats", "1", "--price", "1000,1000", *more])
        return capsys.readouterr().out

    assert "(a guess, at 4 characters a token; an answer of 256, assumed" in run("--dry-run")
    asked: list[str] = []

    def no(text: str, **_: object) -> None:
        asked.append(text)
        raise click.Abort

    monkeypatch.setattr(click, "confirm", no)
    out = run()
    assert (asked, len(calls)) == (["Go on?"], 15)
    # 4 tokens a sample at a tenth of a cent each
    assert re.search(
        r"Measured on the first 5 items \(15 samples\): 1\.0 calls, 4 tokens, \d\.\d s( \(.* to .*\))?, "
        r"\$0\.0040 a sample\.\nThe 105 samples that are left take about 105 calls, 420 tokens, "
        r"\$0\.42 \(\$0\.42 to \$0\.42\), \d+ (s|min) at this speed\.\n",
        out,
    ), out
    out = run("--dry-run")
    assert "15 of them have finished before; 105 are left" in out
    assert re.search(r"Measured on the 15 samples in logs: 4 tokens, .* a sample\.", out)
    assert "a guess" not in out
    run("--yes")
    assert len(calls) == 120


def test_a_suite_is_asked_about_once_with_what_the_first_items_of_each_run_took(
    questions: Path,
    scripted: Scripted,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    models = [scripted(name, lambda prompt: calls.append(prompt) or "me") for name in ("one", "two")]  # type: ignore[func-returns-value]
    Path("suite.yaml").write_text(
        f"repeats: 1\nfamilies: [format]\nk: 1\nmax_items: 30\nprice: '1000,1000'\nagents:\n"
        f"  - model: {models[0]}\n  - model: {models[1]}\nbenchmarks:\n  - task: {questions}\n"
    )
    monkeypatch.setattr(console, "ASK_ABOVE_CALLS", 80)
    for module in (console, run_plans):
        monkeypatch.setattr(module, "is_interactive", lambda: True)
    asked: list[str] = []

    def no(text: str, **_: object) -> None:
        asked.append(text)
        raise click.Abort

    monkeypatch.setattr(click, "confirm", no)

    def run(*more: str) -> str:
        with pytest.raises(SystemExit):
            main(["run", "--config", "suite.yaml", *more])
        return capsys.readouterr().out

    out = run()
    assert "120 calls if a sample takes one; about " in out
    assert " (a guess, at 4 characters a token)" in out
    # one question for both, each of which has fewer samples than a run needs for a pilot of its own
    assert (asked, len(calls)) == (["Go on?"], 20)
    for model in models:
        assert f"{model} on questions: Measured on the first 5 items (10 samples): 1.0 calls, 4 tokens" in out
        assert f"{model} on questions: The 50 samples that are left take about 50 calls, 200 tokens" in out
    out = run("--dry-run")
    assert (
        "100 calls if a sample takes one; about 400 tokens, about $0.40 (all runs measured on their logs)"
        in out
    )
    run("--yes")
    assert (asked, len(calls)) == (["Go on?"], 120)


def test_few_samples_need_no_pilot(questions: Path, scripted: Scripted) -> None:
    model = scripted("m", lambda _: "me")
    few = plan_run(questions, model, repeats=1, max_items=10, log_dir="few", write=False)
    assert pilot_of(few) is None


def test_what_tau2_takes_of_this_machine_is_told_before(scripted: Scripted, tmp_path: Path) -> None:
    plan = plan_run(
        "taubench_airline",
        scripted("m", lambda _: "me"),
        repeats=1,
        max_items=2,
        log_dir=tmp_path / "logs",
        write=False,
    )
    left = sum(plan.left["scripted/m"].values())
    assert weight_sentence(plan) == (
        f"A sample of taubench_airline takes about 1 s of CPU here and 12 kB (0.012 MB) of log, whatever the "
        f"model: {left} s of one core and {0.012 * left:,.1f} MB for the {left} that are left."
    )


def test_means_have_intervals() -> None:
    costs = SampleCosts()
    assert costs.per_sample() is None
    for place, calls in enumerate([1, 1, 1, 5]):
        costs.begins(str(place), "m")
        for _ in range(calls):
            costs.spends(str(place), Cost(calls=1, tokens=10))
        costs.ends(str(place), 2.0)
    found = costs.per_sample()
    assert found is not None
    assert (found.count, found.mean) == (4, Cost(2, 20, 0, 2.0))
    assert (found.low.calls, found.low.seconds, found.high.seconds) == (0.0, 2.0, 2.0)
    assert found.high.calls == pytest.approx(2 + 1.96 * (2 * 4 / 4) ** 0.5)
    assert Measured(found, 100, "a pilot", speed=50.0, is_priced=False).sentences() == [
        "Measured on a pilot: 2.0 calls (0.0 to 4.8), 20 tokens (0 to 48), 2.0 s a sample.",
        "The 100 samples that are left take about 200 calls (0 to 480), 2,000 tokens (0 to 4,800), 83 min "
        "at this speed.",
    ]
    alone = CostPerSample.of(1, Cost(3, 30, 0.5, 1.0), Cost(9, 900, 0.25, 1.0))
    assert Measured(alone, 10, "one sample", sees_models=False).sentences() == [
        "Measured on one sample: 1.0 s a sample."
    ]
