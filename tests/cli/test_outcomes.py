"""What counts as a score, as a person sees it: outcomes, failures and several scores in every command."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from otherwords.cli import main
from otherwords.results import read_results

pytestmark = pytest.mark.slow

Otherwords = Callable[..., tuple[int, str, str]]

QUESTIONS = [
    {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
    {"id": "play", "question": "Who wrote the play Hamlet?", "answer": "Shakespeare"},
]
QUIZ = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import Score, accuracy, includes, mean, scorer
from inspect_ai.solver import generate, solver

SAID = {
    "punct": ("", "content_filter"),
    "preamble": ("The capital of that country is", "max_tokens"),
    "case": ("I'm sorry, but I can't help with that.", "stop"),
}


def wording(prompt):
    if prompt.startswith("what"):
        return "case"
    if not prompt.startswith("What"):
        return "preamble"
    return "orig" if prompt.endswith("?") else "punct"


@modelapi(name="quizzed")
class Quizzed(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        if self.model_name == "down":
            raise RuntimeError("the service is down")
        said, stop_reason = SAID.get(wording(input[-1].text), ("It is Paris.", "stop"))
        return ModelOutput.from_content(self.model_name, said, stop_reason=stop_reason)


@scorer(metrics={"exact": [accuracy()], "brevity": [mean()]})
def grade():
    async def score(state, target):
        said = state.output.completion
        return Score(value={"exact": "C" if target.text in said else "I", "brevity": 0.25}, answer=said)

    return score


@solver
def own_service():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("mine", "Paris")
        return state

    return solve


@solver
def careless():
    async def solve(state, generate):
        try:
            state = await generate(state)
        except RuntimeError:
            state.output = ModelOutput.from_content("mine", "Paris")
        return state

    return solve


@solver
def talkative():
    async def solve(state, generate):
        while wording(state.input_text) != "orig":
            state.messages.append(ChatMessageUser(content="and?"))
            state = await generate(state)
        return await generate(state)

    return solve


@task
def capitals(several: bool = False):
    places = ("France", "the French Republic", "the land of the Franks")
    samples = [Sample(input=f"What is the capital of {one}?", target="Paris", id=one) for one in places]
    return Task(dataset=samples, solver=generate(), scorer=[includes(), grade()] if several else includes())
"""
RUN = ("run", "quiz.py@capitals", "--repeats", "1", "--families", "format", "-k", "3", "--yes")


@pytest.fixture
def otherwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Otherwords:
    """Runs a command in a folder that has quiz.py and questions.jsonl; gives code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))
    Path("quiz.py").write_text(QUIZ)

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), " ".join(out.split()), err

    return command


def test_filtered_truncated_and_refused_free_text_is_told_in_every_output(otherwords: Otherwords) -> None:
    """Seen: content-filtered and truncated free text was scored 0.0 without a word."""
    code, out, _ = otherwords(*RUN, "--model", "quizzed/one", "--public", "public")
    assert code == 0
    assert "Outcomes: 3 answered, " in out
    expected = {
        "orig": "answered",
        "pert:punct": "filtered",
        "pert:preamble": "truncated",
        "pert:case": "refused",
    }
    for logs in ("logs", "public"):
        table = read_results(logs).outcomes
        assert dict(table.select("variant", "outcome").unique().iter_rows()) == expected
        assert set(table.filter(pl.col("variant") != "orig")["score"]) == {0.0}
        (log,) = [read_eval_log(info) for info in list_eval_logs(logs)]
        told = [next(iter((one.scores or {}).values())).metadata or {} for one in log.samples or []]
        assert {one["otherwords_outcome"] for one in told} == set(expected.values())
    code, out, _ = otherwords("aggregate", "--logs", "logs", "--out", "table")
    assert "outcomes: 3 answered, 3 filtered, 3 refused, 3 truncated" in out
    outcomes = {row["outcome"] for row in csv.DictReader(Path("table/outcomes.csv").read_text().splitlines())}
    assert outcomes == set(expected.values())
    code, out, _ = otherwords("report", "logs", "-o", "report")
    assert (
        "although without a plain answer: 3 refused by the model, 3 stopped by the provider's content filter,"
        " 3 cut off at the limit of tokens." in out
    )
    (row,) = csv.DictReader(Path("report/agent_level_sensitivity.csv").read_text().splitlines())
    assert [row[f"outcome_{name}"] for name in ("answered", "refused", "filtered", "truncated")] == ["3"] * 4
    assert (row["refused_rate"], float(row["refused_rate_low"]) < 0.25) == ("0.25", True)
    rates = list(csv.DictReader(Path("report/outcome_rates.csv").read_text().splitlines()))
    by_change = {(one["change"], one["outcome"]): float(one["rate"]) for one in rates if one["change"]}
    assert by_change[("case", "refused")] == 1.0
    agent = json.loads(otherwords("report", "logs", "--json")[1])["agents"][0]
    assert agent["rows_by_outcome"] == {"answered": 3, "filtered": 3, "truncated": 3, "refused": 3}
    assert {one["outcome"] for one in agent["outcome_rates"]} == {"filtered", "truncated", "refused"}
    code, out, _ = otherwords("check", "logs", "--max-rate", "refused=0.02")
    assert code == 1
    assert "max-refused-rate" in out
    code, out, _ = otherwords("report", "logs", "--json", "--readable-only")
    assert "Readable answers only: " in json.loads(out)["notes"][0]
    assert json.loads(out)["agents"][0]["estimates"]["accuracy"]["value"] == 1.0


def test_the_gate_sees_rewordings_that_a_limit_stopped(otherwords: Otherwords) -> None:
    """Seen: stopped by message_limit and scored I, they were left out, and the gate passed."""
    run = (*RUN, "--model", "quizzed/one", "--solver", "quiz.py@talkative", "--message-limit", "6")
    code, out, _ = otherwords(*run)
    assert code == 0
    assert "Outcomes: 3 answered, 9 stopped at a limit of the run" in out
    (log,) = [read_eval_log(info) for info in list_eval_logs("logs")]
    assert log.results is not None
    theirs = log.results.scores[0].metrics["accuracy"].value
    agent = json.loads(otherwords("report", "logs", "--json")[1])["agents"][0]
    assert agent["estimates"]["accuracy"]["value"] == pytest.approx(theirs) == pytest.approx(0.25)
    assert agent["estimates"]["fragility_score"]["value"] == 1.0
    code, out, _ = otherwords("check", "logs", "--min-accuracy", "0.5", "--on", "value")
    assert code == 1
    assert "All 12 runs have a score" in out


def test_a_solver_with_its_own_service_is_scored_and_the_run_says_so(otherwords: Otherwords) -> None:
    """Seen: 630 of 630 finished, all without a score, and no word at the end of `run`."""
    code, out, err = otherwords(*RUN, "--model", "quizzed/one", "--solver", "quiz.py@own_service")
    assert code == 0
    assert "12/12 samples finished, 0 failed" in out
    assert err == (
        "Warning: in all 12 samples no model was asked through Inspect; they are scored, since their solver "
        "may ask a service of its own\n"
    )
    assert set(read_results("logs").outcomes["score"]) == {1.0}


def test_a_solver_that_hides_errors_of_its_model_is_not_scored_and_the_run_says_so(
    otherwords: Otherwords,
) -> None:
    run = (*RUN, "--model", "quizzed/down", "--solver", "quiz.py@careless", "--keep-going")
    code, out, err = otherwords(*run)
    assert code == 1
    assert "Outcomes: 0 answered, 12 ended by an error of the provider" in out
    assert "Logs: logs Nothing was answered: there is nothing to report yet." in out
    assert "Next: otherwords report" not in out
    first, *rest = err.splitlines()
    assert first.startswith("Warning: all 12 samples have no score: 12 provider or machine errors (orig 3, ")
    assert first.endswith(", the first with RuntimeError('the service is down')")
    assert rest[-1] == "Warning: every sample failed of quizzed/down"
    assert set(read_results("logs").outcomes["reason"]) == {"swallowed errors"}


def test_which_of_several_scores_counts_is_said_and_chosen_in_every_command(otherwords: Otherwords) -> None:
    several = (*RUN, "-T", "several=true", "--model", "quizzed/one")
    said = "'includes' counts; there is also 'grade.exact', 'grade.brevity' (choose with --scorer)."
    code, out, _ = otherwords(*several)
    assert (code, f"Note: In capitals, {said}" in out) == (0, True)
    commands = {
        "report": ("report", "logs", "-o", "report"),
        "check": ("check", "logs", "--min-accuracy", "0.2", "--on", "value"),
        "compare": ("compare", "logs", "logs"),
        "aggregate": ("aggregate", "--logs", "logs", "--out", "table"),
    }
    for name, command in commands.items():
        code, out, _ = otherwords(*command)
        assert (code, said in out) == (0, True), name
        code, out, _ = otherwords(*command, "--scorer", "grade.brevity")
        assert (code, "choose with" in out) == (0, False), name
        code, _, err = otherwords(*command, "--scorer", "elo")
        there = "There is: includes, grade.exact, grade.brevity."
        assert (code, err) == (2, f"Error: no log has a score by 'elo'\n{there}\n"), name
    table = pl.read_parquet("table/outcomes.parquet")
    assert table.select("scorer", "score").unique().rows() == [("grade.brevity", 0.25)]
    code, out, _ = otherwords("check", "logs", "--min-accuracy", "0.3", "--on", "value", "--scorer", "grade")
    assert "'grade.exact' counts; there is also 'grade.brevity'" in out

    code, out, _ = otherwords(*several, "--scorer", "grade.brevity", "--log-dir", "chosen")
    assert (code, "choose with" in out) == (0, False)
    assert set(read_results("chosen").outcomes["score"]) == {0.25}, "what the run was told is in its logs"
    code, _, err = otherwords(*several, "--scorer", "grade.wit", "--log-dir", "other")
    assert (code, err) == (
        2,
        "Error: the task 'capitals' has no score 'grade.wit'\n"
        "It has: includes, grade.exact, grade.brevity.\n",
    )
    assert not Path("other").exists()


def test_an_agent_that_fails_everywhere_has_the_score_0_and_its_upload_is_read(
    otherwords: Otherwords,
) -> None:
    Path("mine.py").write_text("def answer(prompt):\n    raise RuntimeError('no key')\n")
    run = ("run", "questions.jsonl", "--agent", "mine.py:answer", "--repeats", "1", "-k", "1")
    code, out, err = otherwords(*run, "--agent-name", "mine", "--results-dir", "results")
    assert code == 1
    assert "4/4 samples finished, 0 failed, 0 from before; 4 calls" in out
    first, *rest = err.splitlines()
    assert first.startswith("Warning: all 4 samples failed by the agent's own fault and count as 0 (orig 2, ")
    assert first.endswith("the first with agent: raised RuntimeError: no key")
    assert rest == [
        "They are finished: the same command does not try them again.",
        "Warning: every sample failed of mine",
    ]
    rows = read_results("logs").outcomes.select("model", "status", "score", "outcome").unique().rows()
    assert rows == [("mine", "scored", 0.0, "agent_error")]
    (upload,) = Path("results").rglob("*_UPLOAD.json")
    content = json.loads(upload.read_text())
    assert content["results"] == {
        "accuracy": 0.0,
        "successful_tasks": [],
        "failed_tasks": ["france", "play"],
        "unscored_tasks": [],
        "agent_errors": 4,
        "provider_errors": 0,
    }
    assert content["config"]["run_command"] == (
        "otherwords run questions.jsonl --agent mine.py:answer --repeats 1 -k 1 --agent-name mine "
        "--results-dir results"
    )
    for where in ("logs", "results"):
        code, out, _ = otherwords("report", where, "--json")
        agent = json.loads(out)["agents"][0]
        assert (code, agent["estimates"]["accuracy"]["value"]) == (0, 0.0)
        assert agent["rows_by_outcome"] == {"agent_error": 4}
    code, _, _ = otherwords("check", "logs", "--min-s-prompt", "0.1", "--max-rate", "agent_error=0.5")
    assert code == 1


PROVIDER_DOWN = """
def answer(prompt):
    raise ConnectionResetError("reset by peer")
"""


def test_a_provider_that_fails_everywhere_leaves_no_score_and_its_upload_is_read(
    otherwords: Otherwords,
) -> None:
    Path("mine.py").write_text(PROVIDER_DOWN)
    run = ("run", "questions.jsonl", "--agent", "mine.py:answer", "--repeats", "1", "-k", "1")
    code, out, err = otherwords(*run, "--agent-name", "mine", "--results-dir", "results")
    assert code == 1
    assert "0/4 samples finished, 4 failed, 0 from before; 4 calls" in out
    assert "Warning: all 4 samples have no score: 4 provider or machine errors (orig 2, " in err
    assert "What to do: run the same command again: only what is missing is asked." in err
    (upload,) = Path("results").rglob("*_UPLOAD.json")
    content = json.loads(upload.read_text())
    assert content["results"] == {
        "accuracy": None,
        "successful_tasks": [],
        "failed_tasks": [],
        "unscored_tasks": ["france", "play"],
        "agent_errors": 0,
        "provider_errors": 4,
    }
    assert [one["outcome"] for one in content["unscored_runs"]] == ["provider_error"] * 4
    for where in ("logs", "results"):
        code, out, _ = otherwords("report", where, "--json")
        agent = json.loads(out)["agents"][0]
        assert (code, agent["estimates"]["accuracy"]["value"]) == (0, None)
        assert agent["rows_by_outcome"] == {"provider_error": 4}
