"""Containment of an agent's process: what it has, what it may take, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from otherwords.core.errors import InputError
from otherwords.runs.agents import AgentError, ProviderError
from otherwords.runs.agents.agent_folder import copy_agent
from otherwords.runs.agents.process import Containment, Ended, require_answer, run_contained
from otherwords.runs.agents.worker import error_kinds

pytestmark = pytest.mark.slow

needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc")

DETACHES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for number in range(3):
            os.close(number)
        with open(sys.argv[1], "w") as file:
            file.write(str(os.getpid()))
        os.execve("/bin/sleep", ["sleep", "600"], {})
    os._exit(0)
while not (os.path.exists(sys.argv[1]) and os.path.getsize(sys.argv[1])):
    time.sleep(0.01)
print("Paris")
"""


def ran(code: str, folder: Path, *arguments: str, may: Containment | None = None, given: str = "") -> Ended:
    async def run() -> Ended:
        return await run_contained(
            [sys.executable, "-S", "-c", code, *arguments], folder, may or Containment(60), given, most=10**6
        )

    return anyio.run(run)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@needs_linux
def test_a_child_that_forks_twice_and_leaves_session_folder_and_environment_is_gone(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    ended = ran(DETACHES, tmp_path, str(noted))
    assert (ended.output, ended.exit_code, ended.timed_out) == (b"Paris\n", 0, False)
    assert ended.seconds < 30
    assert not is_alive(int(noted.read_text(encoding="utf-8")))


@needs_linux
def test_without_the_supervisor_the_same_child_lives_on(tmp_path: Path) -> None:
    """What shows that the test above can fail."""
    noted = tmp_path / "pid"
    subprocess.run([sys.executable, "-S", "-c", DETACHES, str(noted)], check=True, start_new_session=True)
    pid = int(noted.read_text(encoding="utf-8"))
    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)


@needs_linux
def test_a_family_that_keeps_forking_is_ended_too(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "for generation in range(40):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        os.setsid()\n"
        "    else:\n"
        "        open(os.path.join(sys.argv[1], str(pid)), 'w').close()\n"
        "        if generation: os._exit(0)\n"
        "        break\n"
        "else:\n"
        "    time.sleep(600)\n"
        "time.sleep(0.2)\n"
    )
    (tmp_path / "pids").mkdir()
    ran(code, tmp_path, str(tmp_path / "pids"))
    pids = [int(name) for name in os.listdir(tmp_path / "pids")]
    assert pids
    assert not [pid for pid in pids if is_alive(pid)]


def test_time_is_limited_and_what_was_said_before_is_kept(tmp_path: Path) -> None:
    started = time.monotonic()
    may = Containment(seconds=1.5)
    code = "import time; print('so far', flush=True); time.sleep(600)"
    ended = ran(code, tmp_path, may=may)
    assert (ended.timed_out, ended.output) == (True, b"so far\n")
    assert str(ended.failure(may)) == "agent: timed out after 1.5 s"
    assert time.monotonic() - started < 20


@needs_linux
def test_memory_is_limited_for_one_process_and_for_all_of_them_together(tmp_path: Path) -> None:
    may = Containment(60, memory=200_000_000)
    alone = ran("held = bytearray(400_000_000); print(len(held))", tmp_path, may=may)
    assert alone.exit_code == 1
    assert "MemoryError" in alone.stderr
    together = ran(
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        held = bytearray(b'x') * 90_000_000\n"
        "        time.sleep(600)\n"
        "time.sleep(600)\n",
        tmp_path,
        may=may,
    )
    assert together.over_memory
    assert together.seconds < 50
    assert str(together.failure(may)) == "agent: took more than the 200 MB of memory it may have"
    enough = ran("held = bytearray(b'x') * 90_000_000; print(len(held))", tmp_path, may=may)
    assert (enough.output, enough.over_memory) == (b"90000000\n", False)


def test_a_process_ends_as_its_command_did(tmp_path: Path) -> None:
    assert ran("raise SystemExit(3)", tmp_path).exit_code == 3
    assert ran("import os; os.kill(os.getpid(), 11)", tmp_path).exit_code == -11
    assert ran("import os; os.kill(os.getpid(), 9)", tmp_path).exit_code == -9
    read = ran("import sys; print(sys.stdin.read().upper(), end='')", tmp_path, given="größer\n")
    assert read.output.decode() == "GRÖSSER\n"
    assert ran("pass", tmp_path, given="x" * 1_000_000).exit_code == 0

    async def run() -> Ended:
        return await run_contained(["/no/such/program"], tmp_path, Containment(60))

    missing = anyio.run(run)
    assert (missing.exit_code, missing.stderr) == (127, "/no/such/program: No such file or directory\n")


def test_variables_are_given_by_an_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "OPENAI_API_KEY": "sk-abcdef1234567890abcdef",
        "MY_SERVICE": "https://me:pass1234@example.org",
        "HF_HOME": "/models",
        "HF_TOKEN": "hf_abcdefghijklmnopqrstuv",
        "HTTPS_PROXY": "http://me:pass1234@proxy:3128",
        "OTHERWORDS_SALT": "salt of what is published",
        "OTHERWORDS_ROOT": "/somewhere",
        "MY_SETTING": "on",
        "LC_ALL": "C.UTF-8",
        "OLDPWD": "/where/the/answers/are",
    }
    for name in list(os.environ):
        if name not in ("PATH", "HOME", "LANG"):
            monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    code = "import os; print('\\n'.join(sorted(f'{a}={b}' for a, b in os.environ.items())))"

    def seen(*env: str) -> dict[str, str]:
        lines = ran(code, tmp_path, may=Containment(60, env=env)).output.decode().splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines)}

    plain = seen()
    assert plain.keys() - {"PATH", "HOME", "LANG", "LC_CTYPE"} == {"HF_HOME", "LC_ALL", "PWD"}
    assert plain["PWD"] == str(tmp_path)
    named = seen("OPENAI_API_KEY", "MY_*")
    assert named.keys() - plain.keys() == {"OPENAI_API_KEY", "MY_SERVICE", "MY_SETTING"}
    assert Containment().withheld_keys() == [
        "HF_TOKEN",
        "HTTPS_PROXY",
        "MY_SERVICE",
        "OPENAI_API_KEY",
        "OTHERWORDS_SALT",
    ]
    assert Containment(env=("OPENAI_API_KEY", "MY_*")).withheld_keys() == [
        "HF_TOKEN",
        "HTTPS_PROXY",
        "OTHERWORDS_SALT",
    ]
    assert "OTHERWORDS_SALT" not in seen("*")


@pytest.mark.parametrize(
    ("may", "message"),
    [
        (Containment(0), "the agent's time limit must be more than 0 seconds, got 0"),
        (Containment(memory=0), "the agent's memory must be more than 0 bytes, got 0"),
        (
            Containment(env=("NO_SUCH_VARIABLE_HERE",)),
            "--agent-env NO_SUCH_VARIABLE_HERE: there is no such variable in the environment",
        ),
        (
            Containment(env=("KEY=sk-1",)),
            "--agent-env KEY=… has a value, which would stay in the shell's history\n"
            "Set the variable, and name it: --agent-env KEY",
        ),
        (
            Containment(env=("OTHERWORDS_SALT",)),
            "--agent-env OTHERWORDS_SALT: this variable is never given to an agent",
        ),
    ],
)
def test_what_cannot_be_had_is_said_before_the_run(may: Containment, message: str) -> None:
    with pytest.raises(InputError) as caught:
        may.require()
    assert str(caught.value) == message


def test_answers_are_not_in_the_working_copy(tmp_path: Path) -> None:
    agent, copy, data = tmp_path / "agent", tmp_path / "copy", tmp_path / "data"
    for folder in (agent / "logs", agent / "src" / "deep", agent / ".git", agent / ".venv", copy, data):
        folder.mkdir(parents=True)
    for file in ("main.py", "questions.jsonl", "logs/run.eval", "src/deep/util.py", ".git/objects", "notes"):
        (agent / file).write_text("x", encoding="utf-8")
    (data / "answers.jsonl").write_text("x", encoding="utf-8")
    (agent / "src" / "link.jsonl").symlink_to(data / "answers.jsonl")
    (agent / "src" / "data").symlink_to(data)
    (agent / "src" / "here").symlink_to(agent / "notes")
    answers = [agent / "questions.jsonl", agent / "logs", data / "answers.jsonl"]
    copy_agent(agent, copy, {path.resolve() for path in answers})
    there = {path.relative_to(copy).as_posix() for path in copy.rglob("*")}
    assert there == {"main.py", "notes", "src", "src/deep", "src/deep/util.py", "src/here", ".venv"}


def test_whose_fault_it_is_that_memory_ran_out() -> None:
    """An agent that is over a limit of ours has failed; on a machine that has no more, nobody can tell."""
    kinds = error_kinds(MemoryError())
    response = {"failure": "raised MemoryError", "kinds": kinds}
    ended = Ended(False, False, 0, b"", "", "", 0.1)
    with pytest.raises(AgentError):
        require_answer(ended, response, Containment(memory=10**9))
    with pytest.raises(ProviderError):
        require_answer(ended, response, Containment())
