from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import includes

from otherwords.core.errors import InputError
from otherwords.core.types import Item, original, variant_id
from otherwords.results import load_all_results
from otherwords.runs import build_task, run_tasks
from otherwords.runs.agents import agent_model
from otherwords.runs.agents.agent_folder import agent_fingerprint
from otherwords.runs.agents.hal import hal_agent
from otherwords.runs.agents.process import WORKER

AGENTS = Path(__file__).parent / "agents_fixtures"
MISBEHAVING = str(AGENTS / "misbehaving")


def answered(sample: Sample, folder: Path, **agent: Any) -> EvalSample:
    """The sample as one agent left it in the log."""
    agent.setdefault("agent_dir", MISBEHAVING)
    task = Task(dataset=MemoryDataset([sample]), solver=hal_agent(**agent), scorer=includes())
    (log,) = inspect_eval(
        task,
        model=agent_model("tested"),
        log_dir=str(folder / "logs"),
        display="none",
        fail_on_error=False,
    )
    assert log.samples is not None
    return log.samples[0]


def behaving(how: str, folder: Path, **agent: Any) -> EvalSample:
    return answered(Sample(input=how, target="Paris", id="q1"), folder, **agent)


def error_of(sample: EvalSample) -> str:
    assert sample.error is not None
    return sample.error.message


def told(sample: EvalSample) -> Any:
    """What the solver noted in the transcript, with long texts put back in their places."""
    (info,) = (event.data for event in sample.events if event.event == "info" and event.source == "hal_agent")
    assert isinstance(info, dict)
    return {
        name: sample.attachments.get(value.removeprefix("attachment://"), value)
        if isinstance(value, str)
        else value
        for name, value in info.items()
    }


@pytest.mark.slow
def test_a_good_agent_from_wordings_to_the_table(tmp_path: Path) -> None:
    items = [
        Item(id="fr", prompt="What is the capital of France?", target=("Paris",)),
        Item(id="no", prompt="What is the capital of Norway?", target=("Oslo",)),
        Item(id="mc", prompt="Which city is in France?", choices=("Oslo", "Paris", "Rome"), target=1),
    ]
    variants = [original(item) for item in items]
    variants.append(
        replace(
            variants[0],
            id=variant_id("fr", "para1"),
            name="para1",
            kind="paraphrase",
            prompt="Name the capital city of the land that is called Gaul.",
        )
    )
    agent = hal_agent(str(AGENTS / "capitals"), agent_args={"unknown": "no idea"})
    task = build_task("capitals", items, variants, solver=agent)
    name = "My Agent (gpt-4o, o3)"
    summary = run_tasks(task, agent_model(name), log_dir=tmp_path / "logs", repeats=2)
    assert (summary.total, summary.finished, summary.errored, summary.calls) == (8, 8, 0, 0)

    table = load_all_results(tmp_path / "logs").sort("id", "variant", "repeat")
    assert set(table["model"]) == {f"agent/{name}"}
    assert table.select("id", "variant", "repeat", "status", "score", "answer").rows() == [
        ("fr", "orig", 1, "scored", 1.0, "Paris"),
        ("fr", "orig", 2, "scored", 1.0, "Paris"),
        ("fr", "para1", 1, "scored", 0.0, "no idea"),
        ("fr", "para1", 2, "scored", 0.0, "no idea"),
        ("mc", "orig", 1, "scored", 1.0, "B"),
        ("mc", "orig", 2, "scored", 1.0, "B"),
        ("no", "orig", 1, "scored", 1.0, "Oslo"),
        ("no", "orig", 2, "scored", 1.0, "Oslo"),
    ]

    log = read_eval_log(str(summary.logs[0]))
    recorded = log.plan.steps[0]
    assert recorded.solver.endswith("hal_agent")
    assert recorded.params["agent_args"] == {"unknown": "no idea"}
    samples = {sample.id: sample for sample in log.samples or []}
    assert samples["fr#orig"].metadata["external_agent"] is True
    assert samples["fr#orig"].messages[-1].text == "Paris"
    assert told(samples["fr#orig"])["stdout"] == "looking for What is the capital of France?\n"
    again = run_tasks(task, agent_model(name), log_dir=tmp_path / "logs", repeats=2)
    assert (again.reused, again.finished) == (8, 8)


REASONS = {
    "raises": "agent: raised ValueError: no such country (main.py, line {raises})",
    "returns_list": "agent: returned list, not a dict of answers by task id",
    "returns_nothing": "agent: returned NoneType, not a dict of answers by task id",
    "misses": "agent: returned no answer for task 'misses' (it answered 'another', '7')",
    "misses_all": "agent: returned no answer for task 'misses_all' (it answered nothing)",
    "returns_set": "agent: returned an answer that is not JSON: Object of type set is not JSON serializable",
    "returns_loop": "agent: returned an answer that is not JSON: Circular reference detected",
    "exits": "agent: exited with code 3 without an answer",
    "exits_politely": "agent: exited with code 4 without an answer",
    "crashes": "agent: was killed by SIGSEGV without an answer",
    "swallows": "provider or machine: answered with its own error: 429 Too many requests",
    "refused": "provider or machine: raised ConnectionRefusedError: nobody is there "
    "(main.py, line {refused})",
    "out_of_memory": "provider or machine: the agent was killed by SIGKILL without an answer, as where "
    "memory runs out",
    "answers_null": "agent: returned null for task 'answers_null'",
    "no_such_behaviour": "agent: raised KeyError: 'no_such_behaviour' (main.py, line {run})",
}


def line_in_fixture(text: str) -> int:
    lines = Path(MISBEHAVING, "main.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


@pytest.mark.slow
def test_every_failure_is_recorded_with_its_reason_and_the_others_go_on(tmp_path: Path) -> None:
    items = [Item(id=how, prompt=how, target=("Paris",)) for how in [*REASONS, "prints"]]
    task = build_task("failures", items, [original(item) for item in items], solver=hal_agent(MISBEHAVING))
    summary = run_tasks(task, agent_model("clumsy"), log_dir=tmp_path)
    outside = sum(reason.startswith("provider or machine: ") for reason in REASONS.values())
    assert (summary.finished, summary.errored) == (len(REASONS) + 1 - outside, outside)
    lines = {
        "raises": line_in_fixture("raise ValueError"),
        "run": line_in_fixture("globals()"),
        "refused": line_in_fixture("raise ConnectionRefused"),
    }
    samples = {sample.id: sample for sample in read_eval_log(str(summary.logs[0])).samples or []}
    for how, reason in REASONS.items():
        sample = samples[f"{how}#orig"]
        if reason.startswith("provider or machine: "):
            assert (error_of(sample), sample.scores) == (reason.format(**lines), {})
            continue
        score = (sample.scores or {})["answers"]
        assert (score.value, score.explanation) == (0, reason.format(**lines))
        assert score.metadata == {"otherwords_outcome": "agent_error"}
    rows = load_all_results(tmp_path).rows_by_key("id", named=True, unique=True)
    assert (rows["raises"]["score"], rows["raises"]["outcome"]) == (0.0, "agent_error")
    assert (rows["prints"]["status"], rows["prints"]["score"]) == ("scored", 1.0)

    assert samples["raises#orig"].metadata["external_agent"] is True
    assert 'raise ValueError("no such country")' in told(samples["raises#orig"])["traceback"]
    printed = told(samples["prints#orig"])
    assert printed["stdout"] == '{"answer": "printed"}\n\ufffd\ufffd bytes\n'
    assert printed["stderr"] == "and a warning\n"


@pytest.mark.slow
def test_agents_that_hang_are_ended_and_what_they_said_is_kept(tmp_path: Path) -> None:
    items = [Item(id=how, prompt=how, target=("Paris",)) for how in ("hangs", "hangs_deaf", "prints")]
    agent = hal_agent(MISBEHAVING, time_limit=6)
    task = build_task("hanging", items, [original(item) for item in items], solver=agent)
    summary = run_tasks(task, agent_model("slow"), log_dir=tmp_path)
    rows = load_all_results(tmp_path).select("id", "status", "score", "outcome").sort("id").rows()
    assert rows == [
        ("hangs", "scored", 0.0, "agent_error"),
        ("hangs_deaf", "scored", 0.0, "agent_error"),
        ("prints", "scored", 1.0, "answered"),
    ]
    samples = {sample.id: sample for sample in read_eval_log(str(summary.logs[0])).samples or []}
    assert (samples["hangs#orig"].scores or {})["answers"].explanation == "agent: timed out after 6 s"
    assert told(samples["hangs#orig"])["stdout"] == "before the wait\n"
    assert told(samples["hangs#orig"])["timed_out"] is True


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def died(pid: int) -> bool:
    """Within a while: a killed process takes a moment to be gone."""
    for _ in range(200):
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc")


@needs_linux
def test_children_do_not_outlive_their_agent_even_in_a_session_of_their_own(tmp_path: Path) -> None:
    sample = behaving("leaves_children", tmp_path, agent_args={"folder": str(tmp_path)})
    assert sample.output.completion == "Paris"
    pids = [int((tmp_path / f"pid{number}").read_text(encoding="utf-8")) for number in range(3)]
    assert all(died(pid) for pid in pids)


@pytest.mark.slow
@needs_linux
def test_an_agent_ends_when_the_run_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from inspect_ai import Task, eval\n"
        "from inspect_ai.dataset import MemoryDataset, Sample\n"
        "from otherwords.runs.agents import agent_model\n"
        "from otherwords.runs.agents.hal import hal_agent\n"
        "agent = hal_agent(sys.argv[1], agent_args={'folder': sys.argv[2]})\n"
        "task = Task(dataset=MemoryDataset([Sample(input='notes_pid_and_hangs')]), solver=agent)\n"
        "eval(task, model=agent_model('x'), log_dir=sys.argv[2], display='none')\n",
        encoding="utf-8",
    )
    run = subprocess.Popen([sys.executable, str(script), MISBEHAVING, str(tmp_path)])
    noted = tmp_path / "pid"
    while not (noted.exists() and noted.read_text(encoding="utf-8")):
        assert run.poll() is None
        time.sleep(0.05)
    pid = int(noted.read_text(encoding="utf-8"))
    assert is_alive(pid)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert died(pid)


@pytest.mark.slow
def test_a_sample_limit_ends_the_agent_too(tmp_path: Path) -> None:
    task = Task(
        dataset=MemoryDataset([Sample(input="notes_pid_and_hangs", target="Paris")]),
        solver=hal_agent(MISBEHAVING, agent_args={"folder": str(tmp_path)}),
        scorer=includes(),
        time_limit=4,
    )
    (log,) = inspect_eval(task, model=agent_model("x"), log_dir=str(tmp_path / "logs"), display="none")
    assert log.samples is not None
    assert log.samples[0].limit is not None
    assert died(int((tmp_path / "pid").read_text(encoding="utf-8")))


@pytest.mark.slow
def test_a_flood_of_output_is_cut_in_the_middle(tmp_path: Path) -> None:
    sample = behaving("floods", tmp_path, agent_args={"megabytes": 300})
    assert sample.output.completion == "Paris"
    kept = told(sample)["stdout"]
    left_out = 300_000_000 + len("the end\n") - 2 * 16_384
    assert kept == "x" * 16_384 + f"\n[{left_out} bytes left out]\n" + "x" * (16_384 - 8) + "the end\n"


@pytest.mark.slow
def test_an_answer_counts_although_a_thread_of_the_agent_never_ends(tmp_path: Path) -> None:
    sample = behaving("leaves_a_thread", tmp_path, time_limit=60)
    assert sample.output.completion == "Paris"
    assert told(sample)["seconds"] < 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Paris", "Paris"),
        (" Paris\n", " Paris\n"),
        (42, "42"),
        (True, "True"),
        (["a", "ü"], '["a", "ü"]'),
        ({"reward": 1}, '{"reward": 1}'),
        ({"answer": "Paris", "metrics": {}}, "Paris"),
        ({"response": ["x"]}, '["x"]'),
        ("", ""),
    ],
)
def test_answers_of_every_kind_become_text(answer: Any, text: str, tmp_path: Path) -> None:
    sample = behaving("gives", tmp_path, agent_args={"answer": answer})
    assert sample.error is None
    assert sample.output.completion == text


def test_what_an_agent_counts_of_itself_is_kept(tmp_path: Path) -> None:
    sample = behaving("counts_itself", tmp_path)
    assert sample.output.completion == "Paris"
    assert told(sample)["metrics"] == {"step_count": 3}


def test_a_task_given_back_with_a_response_is_opened(tmp_path: Path) -> None:
    assert behaving("adds_a_response", tmp_path).output.completion == "Paris"


@pytest.mark.slow
def test_half_a_character_does_not_break_the_log(tmp_path: Path) -> None:
    assert behaving("half_a_character", tmp_path).output.completion == "Paris ?"


def shown_task(sample: Sample, folder: Path, **agent: Any) -> Any:
    done = answered(sample, folder, agent_args={"how": "shows_task"}, **agent)
    assert done.error is None
    return json.loads(done.output.completion)


@pytest.mark.slow
def test_the_task_holds_the_prompt_and_nothing_that_gives_the_answer_away(tmp_path: Path) -> None:
    metadata = {
        "item_id": "django__1",
        "variant": "para1",
        "kind": "paraphrase",
        "change": "",
        "problem_statement": "the original wording",
        "repo": "django/django",
        "level": 1,
        "patch": "diff",
        "test_patch": "diff",
        "FAIL_TO_PASS": "[]",
        "Annotator Metadata": {"Steps": "1. …"},
        "contest_link": "http://example.org",
        "program": "print('the very solution of it')",
        "sub_steps": [{"text": "first", "test_cases": ["assert"], "groundTruth": 1}],
    }
    sample = Sample(
        input="the other wording",
        target="print('the very solution of it')",
        id="django__1#para1",
        metadata=metadata,
    )
    ids = {"id": "django__1", "task_id": "django__1", "instance_id": "django__1"}
    prompts = dict.fromkeys(
        ["prompt", "question", "input", "problem_statement", "description"], "the other wording"
    )
    public = {"repo": "django/django", "level": 1, "contest_link": "http://example.org"}
    expected = {**ids, **prompts, **public, "sub_steps": [{"text": "first"}]}
    assert shown_task(sample, tmp_path, input_field="description") == expected

    chosen = shown_task(
        sample, tmp_path, metadata_fields=["patch", "absent"], input_field=["Question", "task"]
    )
    prompts = dict.fromkeys(["prompt", "question", "input", "Question", "task"], "the other wording")
    assert chosen == {**ids, **prompts, "patch": "diff"}


def test_what_was_withheld_is_told_in_the_log(tmp_path: Path) -> None:
    sample = Sample(input="prints", target="Paris", id=3, metadata={"level": 1, "gold": "Paris"})
    info = told(answered(sample, tmp_path))
    assert info["withheld"] == ["gold"]
    assert info["given"] == ["id", "input", "instance_id", "level", "prompt", "question", "task_id"]


@pytest.mark.slow
def test_metadata_of_the_sample_that_are_named_like_ours_stay_the_samples(tmp_path: Path) -> None:
    metadata = {"seed": 7, "kind": "theirs", "otherwords_item_id": "a", "otherwords_variant": "orig"}
    shown = shown_task(Sample(input="x", id="a#orig", metadata=metadata), tmp_path)
    assert (shown["seed"], shown["kind"], shown["id"]) == (7, "theirs", "a")
    assert not any(name.startswith("otherwords_") for name in shown)
    plain = shown_task(Sample(input="x", id="a#b", metadata={"seed": 7}), tmp_path)
    assert (plain["seed"], plain["id"]) == (7, "a#b")


@pytest.mark.slow
def test_a_chat_is_handed_over_whole_or_by_a_selector(tmp_path: Path) -> None:
    chat: list[Any] = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content="Preamble. Question: Where is Oslo?"),
    ]
    whole = shown_task(Sample(input=chat), tmp_path)
    assert whole["prompt"] == "Be brief.\n\nPreamble. Question: Where is Oslo?"
    part = shown_task(Sample(input=chat), tmp_path, prompt_field='last_user after "Question:"')
    assert part["prompt"] == "Where is Oslo?"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "choice"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("b.", "B"),
        ("rome", "C"),
        ("I think\nANSWER: A", "A"),
        ("E", ""),
        ("It is B", ""),
    ],
)
def test_options_may_be_answered_by_letter_by_words_or_as_asked(
    said: str, choice: str, tmp_path: Path
) -> None:
    item = Item(id="mc", prompt="Which is in France?", choices=("Oslo", "Paris", "Rome"), target=1)
    agent = hal_agent(MISBEHAVING, agent_args={"how": "gives", "answer": said})
    run_tasks(build_task("mc", [item], [original(item)], solver=agent), agent_model("x"), log_dir=tmp_path)
    (row,) = load_all_results(tmp_path).rows(named=True)
    assert row["answer"] == (choice or "(unreadable)")
    assert (row["status"], row["outcome"]) == ("scored", "answered" if choice else "unreadable")


def test_options_are_in_the_prompt_and_in_the_task(tmp_path: Path) -> None:
    shown = answered(
        Sample(input="Which is in France?", choices=["Oslo", "Paris"], target="B"),
        tmp_path,
        agent_args={"how": "shows_task"},
    )
    task = json.loads(shown.output.completion)
    assert task["choices"] == ["Oslo", "Paris"]
    assert "Which is in France?\n\nA) Oslo\nB) Paris" in task["prompt"]


@pytest.mark.slow
def test_an_agent_works_in_a_copy_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(MISBEHAVING, folder)
    (folder / ".venv").mkdir()
    (folder / "data").mkdir()
    (folder / "data" / "x.txt").write_text("x", encoding="utf-8")
    sample = behaving("says_where", tmp_path, agent_dir=str(folder))
    where, python, first = json.loads(sample.output.completion)
    assert where != str(folder)
    assert first == where
    assert python == sys.executable
    assert not (folder / "written").exists()
    assert not Path(where).exists()

    in_place = behaving("says_where", tmp_path, agent_dir=str(folder), copy_folder=False)
    assert json.loads(in_place.output.completion)[0] == str(folder)
    assert (folder / "written").read_text(encoding="utf-8") == "q1"


@pytest.fixture(scope="module")
def other_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interpreter") / "env"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder


@pytest.mark.parametrize("form", ["folder", "file"])
def test_an_agent_may_have_its_own_interpreter(form: str, other_python: Path, tmp_path: Path) -> None:
    executable = other_python / "bin" / "python"
    given = other_python if form == "folder" else executable
    sample = behaving("says_where", tmp_path, python=str(given))
    assert json.loads(sample.output.completion)[1] == str(executable)


@pytest.mark.slow
def test_functions_in_packages_and_async_functions_run(tmp_path: Path) -> None:
    sample = Sample(input="What is the capital of France?", target="Paris")
    nested = answered(sample, tmp_path, agent_dir=str(AGENTS / "nested"), agent_function="inner.deep.answer")
    assert nested.output.completion == "WHAT IS THE CAPITAL OF FRANCE?"
    later = answered(sample, tmp_path, agent_dir=str(AGENTS / "capitals"), agent_function="main.run_later")
    assert later.output.completion == "Paris"


def test_an_agent_whose_module_is_named_like_one_of_python(tmp_path: Path) -> None:
    (tmp_path / "signal.py").write_text("def run(input):\n    return {k: 'Paris' for k in input}\n")
    sample = answered(Sample(input="x"), tmp_path, agent_dir=str(tmp_path), agent_function="signal.run")
    assert sample.output.completion == "Paris"


def test_an_agent_that_cannot_be_imported_says_so_on_the_sample(tmp_path: Path) -> None:
    sample = behaving("x", tmp_path, agent_function="broken_import.run")
    assert error_of(sample) == (
        "agent: could not be imported: ModuleNotFoundError: No module named 'a_package_that_nobody_has' "
        "(broken_import.py, line 1)"
    )


def test_a_name_that_is_no_function_is_found_out_when_it_runs(tmp_path: Path) -> None:
    sample = behaving("x", tmp_path, agent_function="main.not_a_function")
    assert error_of(sample) == "agent: has no function 'not_a_function' in its module 'main'"


def test_a_long_reason_is_cut(tmp_path: Path) -> None:
    sample = behaving("gives", tmp_path, agent_args={"answer": "ERROR: " + "very " * 1000})
    assert len(error_of(sample)) < 450
    assert error_of(sample).endswith("very …")


def test_what_is_wrong_with_the_agent_is_said_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("def run(input:\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("try:\n    from x import go\nexcept ImportError:\n    start = 1\n")
    (tmp_path / "starred.py").write_text("from x import *\n", encoding="utf-8")
    (tmp_path / "not_python").write_text("#!/bin/sh\necho no\n", encoding="utf-8")
    (tmp_path / "not_python").chmod(0o755)
    empty = tmp_path / "empty"
    empty.mkdir()
    other = tmp_path / "other.py"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"agent_dir": "no/such"}, "no/such: the agent's folder does not exist"),
        ({"agent_dir": str(other)}, f"{other}: the agent's folder is not a folder"),
        (
            {"agent_dir": str(empty)},
            f"{empty}: the agent's folder has no module 'main'\nIt has no Python file.",
        ),
        (
            {"agent_function": "agent.run"},
            f"{tmp_path}: the agent's folder has no module 'agent'\nIt has: main, other, starred.",
        ),
        (
            {"agent_function": "run"},
            "the agent's function 'run' is not of the form module.function\n"
            "For example: --agent-function main.run",
        ),
        ({}, f"{tmp_path / 'main.py'}:1: is not Python: '(' was never closed"),
        (
            {"agent_function": "other.starts"},
            f"unknown function in {other}: 'starts'. Did you mean: start?",
        ),
        (
            {"agent_function": "starred.run", "python": "no-python"},
            "no-python: the agent's interpreter is not there or cannot be run",
        ),
        (
            {"agent_function": "starred.run", "python": str(tmp_path / "not_python")},
            f"{tmp_path / 'not_python'}: the agent's interpreter is not a Python",
        ),
        (
            {"agent_function": "starred.run", "time_limit": 0},
            "the agent's time limit must be more than 0 seconds, got 0",
        ),
        (
            {"agent_function": "starred.run", "agent_args": {"x": {1}}},
            "the agent's argument 'x' cannot be handed over: Object of type set is not JSON serializable",
        ),
    ]
    for given, message in cases:
        with pytest.raises(InputError) as caught:
            hal_agent(**{"agent_dir": str(tmp_path), **given})
        assert str(caught.value) == message
    hal_agent(str(tmp_path), "other.go")
    hal_agent(str(tmp_path), "starred.anything")


def test_on_windows_an_agent_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as windows:
        windows.setattr("os.name", "nt")
        with pytest.raises(InputError) as caught:
            hal_agent(str(AGENTS / "capitals"))
    assert str(caught.value) == (
        "HAL agents need Linux or macOS\nA Python callable runs everywhere: --agent module:function"
    )


def test_the_fingerprint_follows_the_code_the_function_and_the_arguments(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("x = 1\n", encoding="utf-8")
    first = agent_fingerprint(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "main.py").write_text("", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    assert agent_fingerprint(tmp_path) == first
    others = {
        agent_fingerprint(tmp_path, "main.other"),
        agent_fingerprint(tmp_path, agent_args={"a": 1}),
    }
    (tmp_path / "main.py").write_text("x = 2\n", encoding="utf-8")
    others.add(agent_fingerprint(tmp_path))
    assert len(others | {first}) == 4


def test_an_agent_is_no_model_to_ask(tmp_path: Path) -> None:
    task = Task(dataset=MemoryDataset([Sample(input="x")]))
    (log,) = inspect_eval(
        task, model=agent_model(" My  Agent "), log_dir=str(tmp_path), display="none", fail_on_error=False
    )
    assert log.eval.model == "agent/My Agent"
    assert log.samples is not None
    assert error_of(log.samples[0]) == (
        "provider or machine: 'My Agent' is an agent and no model. What asks a model here, such as a "
        "scorer, needs one of its own, given by its role"
    )
    with pytest.raises(InputError, match="the agent needs a name"):
        agent_model("  ")


@pytest.mark.slow
def test_no_more_agents_run_at_a_time_than_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "main.py").write_text(
        "import os, time\n"
        "def run(input, folder):\n"
        "    (task,) = input\n"
        "    open(os.path.join(folder, task), 'w').close()\n"
        "    seen = len(os.listdir(folder))\n"
        "    time.sleep(0.3)\n"
        "    os.remove(os.path.join(folder, task))\n"
        "    return {task: str(seen)}\n",
        encoding="utf-8",
    )
    marks = tmp_path / "marks"
    marks.mkdir()
    task = Task(
        dataset=MemoryDataset([Sample(input="x", id=f"s{n}") for n in range(5)]),
        solver=hal_agent(str(folder), agent_args={"folder": str(marks)}, max_processes=1),
    )
    (log,) = inspect_eval(task, model=agent_model("x"), log_dir=str(tmp_path / "logs"), display="none")
    assert {sample.output.completion for sample in log.samples or []} == {"1"}


@pytest.mark.slow
def test_temporary_folders_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    behaving("prints", tmp_path)
    behaving("exits", tmp_path)
    assert not [name for name in os.listdir(place) if name.startswith("otherwords")]


def test_the_worker_is_python_3_7_and_imports_only_the_standard_library() -> None:
    tree = ast.parse(WORKER.read_text(encoding="utf-8"), feature_version=(3, 7))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert {"json", "os"} <= imported <= sys.stdlib_module_names
