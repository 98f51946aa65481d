from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.log import read_eval_log
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import SolverSpec

from otherwords.core.errors import InputError, RunError
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.results import read_results
from otherwords.runs import Progress, build_task, run_tasks
from otherwords.runs.settings import Limits, RunSettings

Scripted = Callable[[str, Callable[[str], str]], str]


def questions(count: int, wordings: int = 1, name: str = "capitals") -> Task:
    items = [Item(id=f"q{n}", prompt=f"question {n}?", target=("Paris",)) for n in range(count)]
    variants: list[Variant] = []
    for item in items:
        first = original(item)
        variants.append(first)
        for k in range(1, wordings):
            variants.append(
                replace(
                    first,
                    id=variant_id(item.id, f"para{k}"),
                    name=f"para{k}",
                    kind="paraphrase",
                    prompt=f"wording {k} of {item.prompt}",
                )
            )
    return build_task(name, items, variants)


@pytest.mark.slow
def test_a_run_counts_its_samples_calls_and_tokens(scripted: Scripted, tmp_path: Path) -> None:
    seen: list[Progress] = []
    summary = run_tasks(
        questions(3, wordings=2),
        scripted("parisian", lambda prompt: "Paris"),
        log_dir=tmp_path / "logs",
        repeats=2,
        on_progress=seen.append,
    )
    assert (summary.total, summary.finished, summary.errored, summary.reused) == (12, 12, 0, 0)
    assert (summary.calls, summary.tokens) == (12, 48)
    (log,) = summary.logs
    assert log.parent == tmp_path / "logs"
    assert read_eval_log(str(log)).status == "success"
    assert seen[0] == Progress(total=12)
    assert seen[-1] == Progress(total=12, finished=12, calls=12, tokens=48)
    assert [one.done for one in seen] == sorted(one.done for one in seen)


def test_run_again_it_calls_nobody(scripted: Scripted, tmp_path: Path) -> None:
    model = scripted("parisian", lambda prompt: "Paris")
    first = run_tasks(questions(4), model, log_dir=tmp_path, repeats=2)
    second = run_tasks(questions(4), model, log_dir=tmp_path, repeats=2)
    assert (second.calls, second.reused, second.finished) == (0, 8, 8)
    assert second.logs == first.logs


@pytest.mark.slow
def test_more_repeats_add_only_the_new_ones(scripted: Scripted, tmp_path: Path) -> None:
    model = scripted("parisian", lambda prompt: "Paris")
    run_tasks(questions(4), model, log_dir=tmp_path, repeats=1)
    summary = run_tasks(questions(4), model, log_dir=tmp_path, repeats=3)
    assert (summary.reused, summary.calls, summary.finished) == (4, 8, 12)


@pytest.mark.slow
def test_a_failing_sample_is_recorded_and_only_it_is_tried_again(scripted: Scripted, tmp_path: Path) -> None:
    def breaks(prompt: str) -> str:
        if prompt == "question 1?":
            raise RuntimeError("out of paper")
        return "Paris"

    seen: list[Progress] = []
    model = scripted("printer", breaks)
    summary = run_tasks(questions(4), model, log_dir=tmp_path, on_progress=seen.append)
    assert (summary.finished, summary.errored) == (3, 1)
    assert summary.first_error == "RuntimeError('out of paper')"
    assert seen[-1].errors == 1
    errors = {
        sample.id: sample.error.message
        for sample in read_eval_log(str(summary.logs[0])).samples or []
        if sample.error
    }
    assert errors == {"q1#orig": "RuntimeError('out of paper')"}

    scripted("printer", lambda prompt: "Paris")
    again = run_tasks(questions(4), model, log_dir=tmp_path)
    assert (again.reused, again.calls, again.finished, again.errored) == (3, 1, 4, 0)
    assert again.first_error is None


@pytest.mark.slow
def test_one_that_fails_everywhere_is_counted_beside_the_others(scripted: Scripted, tmp_path: Path) -> None:
    def breaks(prompt: str) -> str:
        raise RuntimeError("no paper at all")

    models = [scripted("empty", breaks), scripted("parisian", lambda prompt: "Paris")]
    summary = run_tasks(questions(3), models, log_dir=tmp_path, repeats=2, keep_going=True)
    assert (summary.total, summary.finished, summary.errored) == (12, 6, 6)
    assert summary.outcomes.failed_models == (models[0],)
    assert summary.first_error == "RuntimeError('no paper at all')"
    table = read_results(tmp_path).outcomes
    told = table.group_by("model", "status", "reason").len().sort("model").rows()
    assert told == [
        (models[0], "error", "RuntimeError('no paper at all')", 6),
        (models[1], "scored", None, 6),
    ]
    assert table.filter(status="error")["score"].null_count() == 6

    scripted("empty", lambda prompt: "Paris")
    again = run_tasks(questions(3), models, log_dir=tmp_path, repeats=2)
    assert (again.reused, again.calls, again.finished, again.errored) == (6, 6, 12, 0)


@pytest.mark.slow
def test_several_models_and_tasks_share_a_folder(scripted: Scripted, tmp_path: Path) -> None:
    models = [scripted("one", lambda prompt: "Paris"), scripted("two", lambda prompt: "Rome")]
    tasks = [questions(2, name="first"), questions(2, name="second")]
    assert run_tasks(tasks, models, log_dir=tmp_path).finished == 8
    third = run_tasks(tasks, scripted("three", lambda prompt: "Oslo"), log_dir=tmp_path)
    assert (third.finished, third.reused) == (4, 0)
    assert len(list(tmp_path.glob("*.eval"))) == 6


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("temperature", "the generation settings (temperature)"),
        ("limit", "the limits of a sample"),
        ("solver", "the solver's code or arguments"),
        ("model", "the model's arguments"),
        ("role", "the models of the task's roles"),
        ("code", "the task's code or arguments"),
    ],
)
def test_another_run_is_not_mixed_into_the_same_folder(
    change: str, what: str, scripted: Scripted, tmp_path: Path
) -> None:
    model = scripted("parisian", lambda prompt: "Paris")
    run_tasks(questions(2), model, log_dir=tmp_path)
    with pytest.raises(InputError) as caught:
        run_tasks(
            questions(2),
            model,
            log_dir=tmp_path,
            settings=RunSettings(
                config=GenerateConfig(temperature=0.5 if change == "temperature" else None),
                limits=Limits(messages=9 if change == "limit" else None),
                solver=SolverSpec("generate") if change == "solver" else None,
                model_args={"size": 3} if change == "model" else {},
                model_roles={"user": "scripted/other"} if change == "role" else {},
                task_sources={"quiz.py": "other"} if change == "code" else {},
            ),
        )
    assert str(caught.value) == (
        f"{tmp_path}: {what} changed since the run of task 'capitals' with model 'scripted/parisian' began"
        f"{': quiz.py' if change == 'code' else ''}\n"
        f"Undo the change to go on with that run, or begin another one: --log-dir {tmp_path}-2"
    )


def test_a_damaged_log_in_the_folder_is_named(scripted: Scripted, tmp_path: Path) -> None:
    model = scripted("parisian", lambda prompt: "Paris")
    (log,) = run_tasks(questions(2), model, log_dir=tmp_path).logs
    log.write_bytes(log.read_bytes()[:200])
    with pytest.raises(InputError) as caught:
        run_tasks(questions(2), model, log_dir=tmp_path)
    assert str(caught.value) == (
        f"{log}: cannot be read as an Inspect log, and the run would be resumed from it\n"
        "Move it away and run again."
    )


def test_generate_settings_reach_the_model(scripted: Scripted, tmp_path: Path) -> None:
    config = GenerateConfig(temperature=0.3, seed=5, max_tokens=17)
    summary = run_tasks(
        questions(1),
        scripted("parisian", lambda prompt: "Paris"),
        log_dir=tmp_path,
        settings=RunSettings(config),
    )
    used = read_eval_log(str(summary.logs[0])).eval.model_generate_config
    assert (used.temperature, used.seed, used.max_tokens) == (0.3, 5, 17)


def test_what_inspect_refuses_is_told_in_one_message(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        run_tasks(questions(1), "openai/gpt-4o", log_dir=tmp_path)
    assert "Traceback" not in str(caught.value)
    assert "openai" in str(caught.value).lower()


@pytest.mark.parametrize(
    ("tasks", "models", "repeats", "message"),
    [
        ([], ["scripted/x"], 1, "a run needs at least one task and one model"),
        ([questions(1)], [], 1, "a run needs at least one task and one model"),
        ([questions(1)], ["scripted/x"], 0, "repeats must be at least 1, got 0"),
    ],
)
def test_bad_arguments(
    tasks: list[Task], models: list[str], repeats: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        run_tasks(tasks, models, log_dir=tmp_path, repeats=repeats)
    assert str(caught.value) == message


SLOW_RUN = """
import asyncio, json, sys
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from otherwords.core.types import Item, original
from otherwords.runs import build_task, run_tasks

folder, count, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

@modelapi(name="slow")
class Slow(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        with open(folder + "/calls.jsonl", "a") as calls:
            calls.write(json.dumps(input[-1].text) + "\\n")
        await asyncio.sleep(0.02)
        output = ModelOutput.from_content(self.model_name, "Paris")
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output

items = [Item(id=f"q{n}", prompt=f"question {n}?", target=("Paris",)) for n in range(count)]
task = build_task("capitals", items, [original(item) for item in items])

def tell(progress):
    print(progress.done, flush=True)

try:
    summary = run_tasks(
        task, "slow/x", log_dir=folder + "/logs", repeats=repeats, max_connections=4, on_progress=tell
    )
    print(json.dumps({"finished": summary.finished, "reused": summary.reused, "calls": summary.calls}))
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(130)
"""


StartPython = Callable[..., "subprocess.Popen[str]"]


class SlowRun:
    """A run in a process of its own, whose model writes down every call."""

    def __init__(self, folder: Path, start_python: StartPython) -> None:
        self.folder, self.start_python = folder, start_python
        self.script = folder / "slow_run.py"
        self.script.write_text(SLOW_RUN, encoding="utf-8")

    def start(self, count: int, repeats: int, stop: signal.Signals | None = None, after: int = 0) -> str:
        """The last line it printed; with `stop`, it gets that signal once `after` samples are done."""
        arguments = (str(self.script), str(self.folder), str(count), str(repeats))
        process = self.start_python(*arguments, cwd=self.folder)
        last, stopped = "", False
        assert process.stdout is not None
        for line in process.stdout:
            last = line.strip()
            if stop is not None and not stopped and last.isdigit() and int(last) >= after:
                stopped = True
                time.sleep(0.05)
                process.send_signal(stop)
        process.wait()
        assert stopped == (stop is not None)
        return last

    @property
    def calls(self) -> Counter[str]:
        lines = (self.folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()
        return Counter(json.loads(line) for line in lines)

    def check_complete(self, count: int, repeats: int) -> None:
        (log,) = (self.folder / "logs").glob("*.eval")
        whole = read_eval_log(str(log))
        assert whole.status == "success"
        pairs = [(sample.id, sample.epoch) for sample in whole.samples or []]
        assert len(pairs) == len(set(pairs)) == count * repeats
        assert all(sample.scores for sample in whole.samples or [])


IN_FLIGHT = 4


@pytest.mark.slow
def test_killed_and_started_again_it_repeats_no_finished_sample(
    tmp_path: Path, start_python: StartPython
) -> None:
    run = SlowRun(tmp_path, start_python)
    kills = [7, 30, 41]
    for after in kills:
        run.start(30, 2, stop=signal.SIGKILL, after=after)
    done = json.loads(run.start(30, 2))
    assert done["finished"] == 60
    assert done["reused"] >= kills[-1]
    assert done["calls"] == 60 - done["reused"]
    assert run.calls.total() <= 60 + IN_FLIGHT * len(kills)
    run.check_complete(30, 2)


@pytest.mark.slow
def test_killed_while_adding_repeats_it_repeats_no_finished_sample(
    tmp_path: Path, start_python: StartPython
) -> None:
    run = SlowRun(tmp_path, start_python)
    run.start(20, 1)
    run.start(20, 2, stop=signal.SIGKILL, after=29)
    done = json.loads(run.start(20, 2))
    assert done["finished"] == 40
    assert done["reused"] >= 29
    assert run.calls.total() <= 40 + IN_FLIGHT
    run.check_complete(20, 2)


@pytest.mark.slow
def test_interrupted_it_leaves_logs_to_resume_from(tmp_path: Path, start_python: StartPython) -> None:
    run = SlowRun(tmp_path, start_python)
    assert run.start(30, 1, stop=signal.SIGINT, after=9) == "interrupted"
    done = json.loads(run.start(30, 1))
    assert done["finished"] == 30
    assert done["reused"] >= 9
    assert run.calls.total() <= 30 + IN_FLIGHT
    run.check_complete(30, 1)
