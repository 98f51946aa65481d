"""Inspect's options on `otherwords run`: what reaches Inspect, what makes another run, what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from otherwords.core.contract import HOW_IT_IS_SENT
from otherwords.runs.inspect_options import INSPECT_OPTIONS, changing_answers

pytestmark = pytest.mark.slow

Scripted = Callable[[str, Callable[[str], str]], str]
Command = Callable[..., tuple[int, str, str]]

QUESTIONS = [
    {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
    {"id": "play", "question": "Who wrote the play Hamlet?", "answer": "Shakespeare"},
    {"id": "spain", "question": "What is the capital of Spain?", "answer": "Madrid"},
]


class Asked:
    """A model that counts how often it is asked."""

    calls = 0

    def __call__(self, prompt: str) -> str:
        self.calls += 1
        return "Paris"


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_command: Command,
    scripted: Scripted,
    asked: Asked,
) -> Command:
    """`otherwords run questions.jsonl` with a scripted model, two wordings of an item and one repeat."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))
    usual = ("run", "questions.jsonl", "--model", scripted("asked", asked))

    def command(*arguments: object) -> tuple[int, str, str]:
        code, out, err = run_command(*usual, "--families", "format", "-k", "1", "--repeats", "1", *arguments)
        return code, " ".join(out.split()), err

    return command


def only_log(folder: str = "logs") -> EvalLog:
    (info,) = list_eval_logs(folder)
    return read_eval_log(info)


ALL = (
    *("--reasoning-effort", "low", "--reasoning-tokens", 512, "--top-k", 5, "--stop-seqs", "END,\n\n"),
    *("--logprobs", "--batch", "--max-retries", 2, "--timeout", 30, "--approval", "auto"),
    *("--sandbox", "local", "--max-samples", 2, "--max-sandboxes", 1, "--tags", "night,small"),
    *("--metadata", "ticket=7", "--inspect", "turn_limit=9", "--inspect", "frequency_penalty=0.5"),
)


def test_every_option_reaches_inspect_and_the_harmless_ones_may_change(run: Command, asked: Asked) -> None:
    code, out, err = run(*ALL)
    assert (code, err) == (0, "")
    assert "6/6 samples finished" in out
    log = only_log()
    assert log.eval.model_generate_config.model_dump(exclude_none=True) == {
        "reasoning_effort": "low",
        "reasoning_tokens": 512,
        "top_k": 5,
        "stop_seqs": ["END", "\n\n"],
        "logprobs": True,
        "batch": True,
        "max_retries": 2,
        "timeout": 30,
        "frequency_penalty": 0.5,
    }
    assert log.eval.sandbox is not None
    assert log.eval.sandbox.type == "local"
    assert (log.eval.config.max_samples, log.eval.config.max_sandboxes) == (2, 1)
    assert log.eval.config.turn_limit == 9
    assert log.eval.config.approval is not None
    assert [one.name for one in log.eval.config.approval.approvers] == ["auto"]
    assert set(log.eval.tags or []) == {"night", "small"}
    assert (log.eval.metadata or {})["ticket"] == 7

    harmless = ("--max-retries", 5, "--timeout", 60, "--max-samples", 1, "--tags", "day", "--batch", 20)
    changed = [*ALL]
    for flag, value in zip(harmless[::2], harmless[1::2], strict=True):
        place = changed.index(flag)
        changed[place : place + (1 if flag == "--batch" else 2)] = [flag, value]
    code, out, err = run(*changed, "--repeats", 2)
    assert (code, err) == (0, "")
    assert "12/12 samples finished, 0 failed, 6 from before; 6 calls" in out
    assert asked.calls == 12


def test_what_changes_answers_makes_another_run(run: Command) -> None:
    assert run("--sample-id", "france")[0] == 0
    same = "changed since the run of task 'questions' with model 'scripted/asked' began"
    for arguments, problem in (
        (("--top-k", 3), f"the generation settings (top_k) {same}"),
        (("--logprobs",), f"the generation settings (logprobs) {same}"),
        (("--cache",), f"the generation settings (cache) {same}"),
        (("--sandbox", "local"), f"Inspect's options {same}: --inspect sandbox"),
        (("--approval", "auto"), f"Inspect's options {same}: --inspect approval"),
        (("--inspect", "retry_on_error=2"), f"Inspect's options {same}: --inspect retry_on_error"),
        (("--model-base-url", "http://localhost:1/v1"), f"the model's arguments {same}"),
    ):
        code, _, err = run("--sample-id", "france", *arguments)
        assert code == 2
        assert err == (
            f"Error: logs: {problem}\n"
            "Undo the change to go on with that run, or begin another one: --log-dir logs-2\n"
        )


def test_a_cached_reply_is_scored_and_is_no_call(run: Command, asked: Asked) -> None:
    code, out, _ = run("--cache", "--repeats", 2, "--sample-id", "france", "--log-dir", "first")
    assert (code, asked.calls) == (0, 4)
    assert "4 calls, 16 tokens" in out
    code, out, _ = run("--cache", "--repeats", 2, "--sample-id", "france", "--log-dir", "second")
    assert (code, asked.calls) == (0, 4)
    assert "4/4 samples finished, 0 failed, 0 from before; 0 calls, 0 tokens" in out
    assert "no model was asked" not in out
    samples = [sample for folder in ("first", "second") for sample in only_log(folder).samples or []]
    scores = [str(score.value) for sample in samples for score in (sample.scores or {}).values()]
    assert scores == ["C"] * 8


def test_only_the_items_that_are_named_are_run(run: Command) -> None:
    code, out, _ = run("--sample-id", "france", "--dry-run")
    assert code == 0
    assert out.startswith("1 items, 2 wordings")
    assert run("--sample-id", "*a*,play", "--dry-run")[1].startswith("3 items")
    assert run("--sample-id", "france", "--sample-id", "spain", "--dry-run")[1].startswith("2 items")
    code, _, err = run("--sample-id", "frence", "--dry-run")
    assert (code, err) == (2, "Error: no item has the id 'frence'. Did you mean: france?\n")
    code, _, err = run("--sample-id", "france", "--max-items", 1, "--dry-run")
    assert (code, err) == (2, "Error: --sample-id and --max-items cannot be given together\n")


def test_items_of_a_task_and_cases_of_a_template_are_named_too(run_command: Command, run: Command) -> None:
    Path("quiz.py").write_text(
        "from inspect_ai import Task, task\n"
        "from inspect_ai.dataset import Sample\n"
        "from inspect_ai.scorer import includes\n\n\n"
        "@task\n"
        "def capitals():\n"
        "    names = ('Italy', 'Spain')\n"
        "    asked = [Sample(id=n, input=f'What is the capital of {n}?', target='x') for n in names]\n"
        "    return Task(dataset=asked, scorer=includes())\n"
    )
    usual = ("--model", "scripted/asked", "--families", "format", "-k", "1", "--repeats", "1")
    code, out, err = run_command("run", "quiz.py@capitals", *usual, "--sample-id", "Spain")
    assert (code, err) == (0, "")
    assert out.startswith("1 items, 2 wordings")
    (sample, _) = only_log().samples or []
    assert "spain" in str(sample.input).lower()
    Path("prompt.txt").write_text("Answer in one word.\n{question}\n")
    code, out, err = run("--template", "prompt.txt", "--sample-id", "play", "--log-dir", "cases")
    assert (code, err) == (0, "")
    assert out.startswith("1 items, 2 wordings")
    assert all("Hamlet" in str(one.input) for one in only_log("cases").samples or [])


def test_a_run_of_one_item_grows_to_all_of_them(run: Command, asked: Asked) -> None:
    assert run("--sample-id", "spain")[0] == 0
    assert asked.calls == 2
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "6/6 samples finished, 0 failed, 2 from before; 4 calls" in out
    assert asked.calls == 6


def test_a_file_of_generation_settings_is_overruled_by_flags(run: Command) -> None:
    Path("generate.yaml").write_text("temperature: 0.2\ntop_k: 9\nstop_seqs: [END]\nextra_body: {a: 1}\n")
    arguments = (
        *("--generate-config", "generate.yaml", "--temperature", 0.7),
        *("--top-k", 4, "--inspect", "top_k=5", "--inspect", "temperature=1"),
    )
    assert run(*arguments, "--sample-id", "france")[0] == 0
    assert only_log().eval.model_generate_config.model_dump(exclude_none=True) == {
        "temperature": 0.7,
        "top_k": 4,
        "stop_seqs": ["END"],
        "extra_body": {"a": 1},
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("temperatur: 1\n", "generate.yaml:1: unknown setting 'temperatur'. Did you mean: temperature?"),
        ("seed: 1\ntop_k: none\n", "generate.yaml:2: top_k should be a valid integer, got 'none'"),
        ("- 1\n", "generate.yaml:1: the file must be a mapping"),
        ("cache: {per_epoch: false}\n", "generate.yaml:1: a cache without per_epoch cannot be used: every "),
    ],
)
def test_a_mistake_in_that_file_is_told_with_its_line(run: Command, text: str, problem: str) -> None:
    Path("generate.yaml").write_text(text)
    code, _, err = run("--generate-config", "generate.yaml", "--dry-run")
    assert code == 2
    assert err.startswith(f"Error: {problem}")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--inspect", "epochs=3"), "Inspect's option 'epochs' is set by otherwords: use --repeats"),
        (("--inspect", "limit=3"), "Inspect's option 'limit' is set by otherwords: use --max-items"),
        (("--inspect", "log_dir=x"), "Inspect's option 'log_dir' is set by otherwords: use --log-dir"),
        (
            ("--inspect", "score=false"),
            "Inspect's option 'score' is set by otherwords: every answer is scored; "
            "`inspect score` scores finished logs anew",
        ),
        (
            ("--inspect", "max_sample=3"),
            "unknown option of Inspect 'max_sample'. Did you mean: max_samples, ",
        ),
        (("--inspect", "sandbox"), "Invalid value for '--inspect': 'sandbox' is not of the form name=value"),
        (("--top-k", 0), "Invalid value for '--top-k': 0 is not in the range x>=1."),
        (("--timeout", "soon"), "Invalid value for '--timeout': 'soon' is not a valid integer range."),
        (("--stop-seqs", "[1"), "Invalid value for '--stop-seqs': '[1' is not a JSON list"),
        (("--cache", "questions.jsonl"), "questions.jsonl:2: is not YAML: "),
        (("--generate-config", "none.yaml"), "none.yaml: no such file"),
    ],
)
def test_bad_values_are_refused_before_anything_is_written(
    run: Command, arguments: tuple[object, ...], problem: str
) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert f"Error: {problem}" in err
    assert not Path("logs").exists() or not list(Path("logs").glob("*.eval"))


def test_what_inspect_refuses_when_it_runs_is_told_in_one_sentence(run: Command) -> None:
    code, _, err = run("--inspect", "log_level=loud")
    assert code == 2
    assert err.startswith("Error: Invalid log level 'loud'. Log level must be one of debug, ")
    assert "Traceback" not in err


def test_options_come_from_the_environment_and_the_users_file(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "config.yaml"
    settings.write_text("run:\n  cache: true\n  tags: [a, b]\n  inspect: {turn_limit: 5}\n  logprobs: true\n")
    monkeypatch.setenv("OTHERWORDS_CONFIG", str(settings))
    monkeypatch.setenv("OTHERWORDS_RUN_TOP_K", "7")
    assert run("--sample-id", "france")[0] == 0
    log = only_log()
    generate = log.eval.model_generate_config
    assert (generate.cache, generate.logprobs, generate.top_k) == (True, True, 7)
    assert (set(log.eval.tags or []), log.eval.config.turn_limit) == ({"a", "b"}, 5)


def test_help_has_the_options_in_groups(run_command: Command) -> None:
    code, out, _ = run_command("run", "--help")
    assert code == 0
    titles = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert {"Options:", "Model or agent:", "Wordings:", "Cost:", "Inspect options:"} <= set(titles)
    options = out.partition("Inspect options:")[2]
    for flag in (
        "--generate-config FILE",
        "--cache [TIME|FILE]",
        "--sample-id ID,ID",
        "--inspect NAME=VALUE",
    ):
        assert f"\n  {flag} " in options


def test_the_docs_say_which_options_are_part_of_a_run() -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    table = page.partition("## Options of Inspect")[2].partition("## A suite")[0]
    rows = re.findall(r"^\| `--([\w-]+).*\| (yes|no) \|$", table, re.MULTILINE)
    told = {name.replace("-", "_"): part == "yes" for name, part in rows}
    harmless = {*HOW_IT_IS_SENT, "sample_id"}
    names = [option.name for option in INSPECT_OPTIONS]
    expected = {name: name not in harmless and name in changing_answers({name: 1}) for name in names}
    assert told == {**expected, "sample_id": False}
