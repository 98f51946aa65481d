"""Killed at random moments and started again, commands end as if nothing was."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.publish.folder import MANIFEST, require_public_folder
from otherwords.results import read_results
from otherwords.runs.logs import recover_crashed

pytestmark = pytest.mark.slow

StartPython = Callable[..., "subprocess.Popen[str]"]
KILLS = 10
AT_ONCE = 4
REPEATS = 3
TASK = '''
import asyncio, hashlib, json, os
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver


@modelapi(name="seeded")
class Seeded(ModelAPI):
    """Its answer is a function of the prompt and the seed."""

    async def generate(self, input, tools, tool_choice, config):
        await asyncio.sleep(float(os.environ["PACE"]))
        drawn = hashlib.sha256(f"{config.seed} {input[-1].text}".encode()).digest()[0]
        output = ModelOutput.from_content(self.model_name, "Paris" if drawn % 3 else "Rome")
        output.usage = ModelUsage(input_tokens=len(input[-1].text), output_tokens=1, total_tokens=1 + drawn)
        return output


@solver
def paid():
    """Writes down each sample whose call is about to be paid for."""
    ask = generate()

    async def solve(state, generate):
        with open(os.environ["PAID"], "a") as file:
            file.write(json.dumps([str(state.sample_id), state.epoch]) + "\\n")
        return await ask(state, generate)

    return solve


@task
def capitals():
    questions = [f"What is the capital of country {n}?" for n in range(1, 21)]
    samples = [Sample(id=asked, input=asked, target="Paris") for asked in questions]
    return Task(dataset=samples, solver=paid(), scorer=includes())
'''


def start_afresh(*arguments: str, **settings: Any) -> subprocess.Popen[str]:
    """A process that imports all by itself, and whose sets are in an order of its own."""
    return subprocess.Popen([sys.executable, *arguments], text=True, **settings)


class Run:
    def __init__(self, folder: Path, pace: float, start_python: StartPython) -> None:
        folder.mkdir()
        self.folder, self.pace, self.start_python = folder, pace, start_python
        self.logs, self.file = folder / "logs", folder / "paid.jsonl"
        (folder / "quiz.py").write_text(TASK, encoding="utf-8")
        self.file.touch()

    def start(self, *more: str) -> subprocess.Popen[str]:
        command = "run quiz.py@capitals --model seeded/x --model-seed 7 --families paraphrase,format -k 2"
        command += f" --repeats {REPEATS} --max-connections {AT_ONCE}"
        environment = {**os.environ, "PAID": str(self.file), "PACE": str(self.pace)}
        program = ("-m", "otherwords", *command.split(), *more)
        return self.start_python(*program, cwd=self.folder, env=environment)

    def ended(self, *more: str) -> tuple[int, str]:
        process = self.start(*more)
        out, _ = process.communicate()
        return process.returncode, out

    def wait_for(self, process: subprocess.Popen[str], more_paid: int) -> None:
        """Until the run has paid for so many more samples."""
        before = len(self.paid())
        while process.poll() is None and len(self.paid()) < before + more_paid:
            time.sleep(0.005)

    def paid(self) -> list[tuple[str, int]]:
        lines = self.file.read_text().splitlines()
        return [(sample, epoch) for sample, epoch in map(json.loads, lines)]

    def finished(self) -> set[tuple[str, int]]:
        recover_crashed(self.logs)
        logs = [read_eval_log(info) for info in list_eval_logs(str(self.logs))]
        return {
            (str(sample.id), sample.epoch)
            for log in logs
            for sample in log.samples or []
            if sample.scores and not sample.error
        }


def kill_after(run: Run, more_paid: int, then: float) -> None:
    """SIGKILL, once the run has paid for so many more samples, and a moment later."""
    process = run.start()
    run.wait_for(process, more_paid)
    time.sleep(then)
    assert killed(process), process.communicate()[0]


def killed(process: subprocess.Popen[str]) -> bool:
    """Whether there was still something to kill."""
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def refused_after_an_edit(run: Run) -> None:
    paid = run.paid()
    quiz = run.folder / "quiz.py"
    quiz.write_text(TASK.replace("includes()", "includes(ignore_case=False)"), encoding="utf-8")
    assert run.ended() == (
        2,
        "Error: logs: the scorer's code or arguments changed since the run of task 'capitals' with model "
        "'seeded/x' began: quiz.py\n"
        "Undo the change to go on with that run, or begin another one: --log-dir logs-2\n",
    )
    quiz.write_text(TASK, encoding="utf-8")
    assert run.paid() == paid


def refused_while_another_runs(run: Run) -> None:
    """The other one is interrupted by Ctrl-C in the end."""
    first = run.start()
    run.wait_for(first, 2)
    first.send_signal(signal.SIGSTOP)  # so that it can be seen who pays
    paid = run.paid()
    code, out = run.ended()
    assert (code, run.paid()) == (2, paid)
    assert f"Error: logs: another run is writing to this folder: process {first.pid} on " in out
    assert out.endswith("Wait for it with --wait, or begin another run: --log-dir logs-2\n")
    first.send_signal(signal.SIGCONT)
    first.send_signal(signal.SIGINT)
    assert first.wait() == 130


def finished_while_another_waits(run: Run) -> str:
    """What the first of two that run at once says; the other has nothing left to do."""
    first = run.start()
    run.wait_for(first, 1)
    other = run.start("--wait")
    out, _ = first.communicate()
    assert first.returncode == 0, out
    waited, _ = other.communicate()
    assert other.returncode == 0, waited
    waited = " ".join(waited.split())
    assert f"Waiting for another run in this folder: process {first.pid} on " in waited
    assert "180/180 samples finished, 0 failed, 180 from before; 0 calls" in waited
    return out


def test_killed_ten_times_the_table_is_the_same_and_nothing_is_paid_for_twice(
    tmp_path: Path, start_python: StartPython
) -> None:
    """Begun as a pilot, edited in between, interrupted, and run by two at once."""
    whole = Run(tmp_path / "whole", 0, start_afresh)
    assert whole.start().wait() == 0
    samples = len(whole.paid())
    assert samples == 20 * 3 * REPEATS

    moments = random.Random(11)
    run = Run(tmp_path / "killed", 0.02, start_python)
    code, out = run.ended("--max-items", "3", "--dry-run")
    assert (code, sorted(path.name for path in run.folder.iterdir())) == (0, ["paid.jsonl", "quiz.py"]), out
    code, out = run.ended("--max-items", "3", "--repeats", "1")
    assert (code, len(run.paid())) == (0, 3 * 3), out
    finished = set(run.paid())
    for number in range(KILLS):
        if number == 2:
            refused_after_an_edit(run)
        if number == 4:
            refused_while_another_runs(run)
            finished = run.finished()
        paid_before = len(run.paid())
        if number % 4 == 3:  # while it still plans or recovers
            kill_after(run, more_paid=0, then=moments.uniform(0, 0.5))
        else:
            kill_after(run, more_paid=moments.randint(1, 14), then=moments.uniform(0, 0.15))
        assert not finished & set(run.paid()[paid_before:])
        now = run.finished()
        assert finished <= now
        finished = now
    assert 0 < len(finished) < samples
    paid_before = len(run.paid())
    out = finished_while_another_waits(run)
    assert not finished & set(run.paid()[paid_before:])
    assert f"{samples}/{samples} samples finished, 0 failed, {len(finished)} from before" in " ".join(
        out.split()
    )

    twice = sum(count - 1 for count in Counter(run.paid()).values())
    assert twice <= AT_ONCE * (KILLS + 1)
    about_the_run = {"log", "seconds"}
    columns = [name for name in OUTCOME_COLUMNS if name not in about_the_run]
    tables = [read_results(str(one.logs)).outcomes.select(columns) for one in (whole, run)]
    assert tables[0].height == samples
    assert tables[0].equals(tables[1])


SALTED = "--public --salt-file my.salt"
COMMANDS = {
    "vary": "vary set.jsonl -o out/variants.jsonl",
    "audit": "audit choices.jsonl --json out/audit.json",
    "aggregate": "aggregate --logs rows.jsonl --out out",
    "aggregate publicly": f"aggregate --logs rows.jsonl --out out {SALTED}",
    "report": "report rows.jsonl -o out",
    "report publicly": f"report rows.jsonl -o out {SALTED}",
    "run publicly": "run quiz.py@capitals --model seeded/x --repeats 1 -k 1 --families format --public out "
    "--salt-file my.salt",
}
_LEFT = re.compile(r"\..+\.\d+-\w+(-\w+)?")
"""Names of what a killed process was about to write."""


def prepare(folder: Path, which: int) -> None:
    """The inputs of all commands, in one of two versions."""
    questions = [
        {
            "id": f"q{n}",
            "question": f"Which of the following numbers is larger than {n + which}?",
            "answer": str(n + 1),
        }
        for n in range(30)
    ]
    (folder / "set.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions), "utf-8")
    choices = [
        {
            "id": f"q{n}",
            "question": f"Which is even, after {n}?",
            "choices": [f"{n + place}" for place in range(4)],
        }
        | {"answer": "ABCD"[(n + which) % 4]}
        for n in range(2000)
    ]
    (folder / "choices.jsonl").write_text("".join(json.dumps(one) + "\n" for one in choices), "utf-8")
    rows = [
        {"task": "t", "model": "m", "id": f"q{n}", "variant": variant, "kind": kind, "score": score}
        for n in range(400)
        for place, (variant, kind) in enumerate((("orig", "orig"), ("para1", "paraphrase")), start=1)
        for score in [(n + which) * place % 2]
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "my.salt").write_text("a salt of thirty-two bytes, here")
    (folder / "quiz.py").write_text(TASK, encoding="utf-8")


def written(folder: Path) -> dict[str, Any]:
    """What is there, but for what a killed process was about to write."""
    return {
        name.as_posix(): content(folder / name)
        for name in sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        if not any(map(_LEFT.fullmatch, name.parts))
    }


def content(path: Path) -> Any:
    """Of an Inspect log, which is never twice the same to the byte, the scores; none of its list of files."""
    if path.suffix == ".eval":
        samples = read_eval_log(str(path)).samples or []
        return [
            (sample.id, {name: score.value for name, score in sample.scores.items()}) for sample in samples
        ]
    return None if path.name == MANIFEST else path.read_bytes()


def differing(one: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Files that are not the same in both, with what is in them from where they differ."""
    found = {}
    for name in sorted(one.keys() | other.keys()):
        texts = [str(which.get(name, "not there")) for which in (one, other)]
        if texts[0] != texts[1]:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
            start = max(0, same - 100)
            found[name] = (texts[0][start:][:300], texts[1][start:][:300])
    return found


def kill_often(name: str, kills: int, folder: Path, start_python: StartPython, moments: random.Random) -> int:
    """Whenever it is killed, what was there or what it writes is there; never some of both."""
    command = ("-m", "otherwords", *COMMANDS[name].split())
    always = {"PACE": "0", "PAID": str(folder / "paid.jsonl"), "SOURCE_DATE_EPOCH": "1700000000"}
    settings = {"cwd": folder, "env": {**os.environ, **always}}
    out, done, seconds, whole = folder / "out", 0, 0.0, []
    logs, first_logs = folder / "logs", folder / "first-logs"
    for which in (1, 0):  # a run asks the same both times; its public log has another name
        shutil.rmtree(out, ignore_errors=True)
        if logs.exists():
            logs.rename(first_logs)
        prepare(folder, which)
        began = time.monotonic()
        process = start_python(*command, **settings)
        told, _ = process.communicate()
        assert process.returncode == 0, told
        seconds = time.monotonic() - began
        if not (out / MANIFEST).exists():
            (out / "notes.txt").write_text("of the user")
        whole.append(written(out))
    prepare(folder, 1)
    if first_logs.exists():
        shutil.rmtree(logs)
        first_logs.rename(logs)
        whole[0] = whole[0] | whole[1]  # the logs of earlier runs stay in a public folder
    for number in range(kills):
        process = start_python(*command, **settings)
        if number % 2:  # while it writes: as soon as there is something that is not yet in its place
            while process.poll() is None and not any(
                _LEFT.fullmatch(path.name) for path in folder.rglob(".*")
            ):
                time.sleep(0.0005)
            time.sleep(moments.uniform(0, 0.01))
        else:
            time.sleep(moments.uniform(0.2, 1.0) * seconds)
        done += killed(process)
        now = written(out)
        assert now in whole, [differing(now, one) for one in whole]
        if out.is_dir() and (out / MANIFEST).exists():
            require_public_folder(out)
    process = start_python(*command, **settings)
    told, _ = process.communicate()
    assert process.returncode == 0, told
    now = written(out)
    assert now == whole[0], differing(now, whole[0])
    assert not [path for path in folder.rglob(".*") if _LEFT.fullmatch(path.name)]
    return done


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment_old_and_new_do_not_mix(
    name: str, tmp_path: Path, start_python: StartPython
) -> None:
    """Forty times, over all commands: `python tests/fuzz/kills.py`."""
    kill_often(name, 2, tmp_path, start_python, random.Random(name))
