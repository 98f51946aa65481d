"""AppWorld as an Inspect task: samples, a world in a process for each, tool, solver, scorer by its tests.

Each sample has a world of AppWorld in a process of its own, which runs `appworld_worker.py`.
"""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
import uuid
from pathlib import Path
from typing import IO, Any

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolError, tool

from otherwords.core.errors import InputError
from otherwords.runs.agents.process import Containment, supervised
from otherwords.runs.benchmarks.load import require_appworld_data, require_appworld_python

__all__ = ["act_in_appworld", "appworld", "appworld_tests"]

SPLITS = ("train", "dev", "test_normal", "test_challenge")
MOST_TURNS = 50

GUIDE = """You do chores on behalf of {supervisor_name} ({supervisor_email}, phone {supervisor_phone}) in \
their apps. It is now {datetime}.

You act only by calling the tool run_code. It runs Python in one lasting session and gives back what your \
code prints. The object `apis` is there already; every app is an attribute of it, and every call takes named \
arguments, as in apis.spotify.login(username=..., password=...).

Look things up before you use them:
- print(apis.api_docs.show_app_descriptions())
- print(apis.api_docs.show_api_descriptions(app_name='...'))
- print(apis.api_docs.show_api_doc(app_name='...', api_name='...'))

apis.supervisor knows the person's profile, addresses, cards and account passwords. Lists come in pages; \
read all of them. Nobody answers questions: decide for yourself, and change nothing that the task does not \
call for.

When the task is done, call apis.supervisor.complete_task(); when it asks for an answer, give it with \
apis.supervisor.complete_task(answer=...), as short as it can be. If it cannot be done, call \
apis.supervisor.complete_task(status='fail')."""

NOTHING_RAN = (
    "Nothing was run. Call run_code with your next step, or with apis.supervisor.complete_task() "
    "if you are done."
)

WORKER = Path(__file__).with_name("appworld_worker.py")
SECONDS_TO_ANSWER = 180
"""AppWorld gives code 100 seconds; opening a world and testing it take less."""
SECONDS_TO_END = 10
LONGEST_ERROR = 2000


class WorldError(RuntimeError):
    """AppWorld itself failed, not the agent's code."""


class World:
    """Open it, run code in it, have AppWorld test it, close it. One call at a time."""

    def __init__(
        self, process: Process, root: Path, experiment: str, errors: IO[bytes], lifeline: socket.socket
    ) -> None:
        self._process, self._errors, self._lifeline = process, errors, lifeline
        self._outputs = root / "experiments" / "outputs" / experiment
        assert process.stdout is not None
        self._answers = TextReceiveStream(process.stdout)
        self._read = ""
        self._one_at_a_time = anyio.Lock()

    @classmethod
    async def open(cls, python: str, root: Path, task_id: str, instruction: str) -> World:
        """`instruction` is what the task says in this sample's words."""
        experiment = f"otherwords-{uuid.uuid4().hex}"
        errors = tempfile.TemporaryFile()  # noqa: SIM115 -- it lives as long as the world
        lifeline, theirs = socket.socketpair()
        own = {"APPWORLD_ROOT": str(root.resolve()), "PYTHONIOENCODING": "utf-8"}
        with theirs:
            process = await anyio.open_process(
                supervised([python, "-u", str(WORKER)], theirs.fileno()),
                stderr=errors,
                cwd=root,
                env={**Containment(env=("APPWORLD_*",)).environment(root), **own},
                pass_fds=(theirs.fileno(),),
            )
        world = cls(process, root, experiment, errors, lifeline)
        try:
            await world._ask("open", task_id=task_id, instruction=instruction, experiment=experiment)
        except BaseException:
            await world.close()
            raise
        return world

    async def execute(self, code: str) -> str:
        return str(await self._ask("execute", code=code))

    async def is_completed(self) -> bool:
        """Whether the agent has said that the task is done."""
        return bool(await self._ask("is_completed"))

    async def evaluate(self) -> dict[str, Any]:
        """AppWorld's own tests of what the agent did: `success`, `passes`, `failures`, `difficulty`."""
        report: dict[str, Any] = await self._ask("evaluate")
        return report

    async def close(self) -> None:
        """End the process and remove what AppWorld wrote for it; the Inspect log has it all."""
        with anyio.CancelScope(shield=True):
            assert self._process.stdin is not None
            await self._process.stdin.aclose()
            with anyio.move_on_after(SECONDS_TO_END):
                await self._process.wait()
            self._lifeline.close()
            await self._process.wait()
            await self._process.aclose()
            self._errors.close()
            shutil.rmtree(self._outputs, ignore_errors=True)

    async def _ask(self, action: str, **details: Any) -> Any:
        assert self._process.stdin is not None
        line = json.dumps({"do": action, **details}) + "\n"
        async with self._one_at_a_time:
            try:
                with anyio.fail_after(SECONDS_TO_ANSWER):
                    await self._process.stdin.send(line.encode())
                    answer = json.loads(await self._line())
            except TimeoutError:
                self._lifeline.close()
                raise WorldError(f"AppWorld did not answer within {SECONDS_TO_ANSWER} s ({action})") from None
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                raise WorldError(f"AppWorld's process ended ({action}): {self._last_errors()}") from None
        if "error" in answer:
            raise WorldError(f"AppWorld could not {action.replace('_', ' ')}: {answer['error']}")
        return answer["result"]

    async def _line(self) -> str:
        while "\n" not in self._read:
            self._read += await self._answers.receive()
        line, self._read = self._read.split("\n", 1)
        return line

    def _last_errors(self) -> str:
        self._errors.seek(0)
        errors = self._errors.read().decode("utf-8", "replace").strip()
        return errors[-LONGEST_ERROR:] or "it said nothing"


_worlds: dict[str, World] = {}
"""Of the samples that are running, by the sample's uuid."""


@task
def appworld(
    split: str = "test_normal",
    root: str | None = None,
    python: str | None = None,
    max_turns: int = MOST_TURNS,
) -> Task:
    """AppWorld: chores in nine simulated apps, done by writing code.

    Args:
        split: `train`, `dev`, `test_normal` or `test_challenge`.
        root: The folder with AppWorld's data; otherwise APPWORLD_ROOT, or the working folder.
        python: The interpreter that has the package `appworld`; otherwise APPWORLD_PYTHON.
        max_turns: Turns that the default agent has.
    """
    if split not in SPLITS:
        raise InputError(f"AppWorld has no split '{split}'. Known: {', '.join(SPLITS)}.")
    interpreter = require_appworld_python(python)
    folder = require_appworld_data(listing(split), root)
    return Task(
        dataset=read_split(folder, split),
        setup=open_world(interpreter, folder),
        solver=act_in_appworld(max_turns),
        scorer=appworld_tests(),
        cleanup=_close_world,
        name=f"appworld_{split}",
    )


@solver
def open_world(python: str, root: Path) -> Solver:
    """Opens the sample's world and hands the agent, whichever it is, the guide and the tool."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _worlds[state.uuid] = await World.open(
            python, root, state.metadata["task_id"], instruction=state.user_prompt.text
        )
        state.messages.insert(0, ChatMessageSystem(content=GUIDE.format(**state.metadata)))
        state.tools = [*state.tools, run_code(state.uuid)]
        return state

    return solve


@tool
def run_code(sample: str) -> Tool:
    async def execute(code: str) -> str:
        """Run Python code in the session that holds `apis`, and read what it prints.

        Args:
            code: The code to run.
        """
        try:
            return await _worlds[sample].execute(code)
        except WorldError as error:
            raise ToolError(str(error)) from error

    return execute


@solver
def act_in_appworld(max_turns: int = MOST_TURNS) -> Solver:
    """Lets the model run code until the task is marked as done, or it has twice in a row run nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        idle = 0
        for _ in range(max_turns):
            state = await generate(state, tool_calls="single")
            if state.output.message.tool_calls:
                idle = 0
                if await _worlds[state.uuid].is_completed():
                    break
                continue
            idle += 1
            if idle == 2:
                break
            state.messages.append(ChatMessageUser(content=NOTHING_RAN))
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def appworld_tests() -> Scorer:
    """Right if every one of AppWorld's tests of the final state passes."""

    async def score(state: TaskState, target: Target) -> Score:
        world = _worlds[state.uuid]
        is_completed = await world.is_completed()
        report = await world.evaluate()
        failed = [str(failure["requirement"]) for failure in report["failures"]]
        return Score(
            value=CORRECT if report["success"] else INCORRECT,
            explanation="\n".join(
                [f"{len(report['passes'])} of {report['num_tests']} tests passed.", *failed]
            ),
            metadata={
                "tests": report["num_tests"],
                "tests_passed": len(report["passes"]),
                "difficulty": report["difficulty"],
                "said_done": is_completed,
            },
        )

    return score


async def _close_world(state: TaskState) -> None:
    world = _worlds.pop(state.uuid, None)
    if world is not None:
        await world.close()


def listing(split: str) -> str:
    return f"data/datasets/{split}.txt"


def read_split(root: Path, split: str) -> MemoryDataset:
    """One sample a task, its instruction as the input, in the order of the split's own list."""
    source = root / listing(split)
    samples = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
        task_id = line.split(":", 1)[0].strip()  # a tag may follow
        if task_id:
            samples.append(_sample(root, task_id, source, number))
    if not samples:
        raise InputError("lists no task", file=source)
    return MemoryDataset(samples, name=f"appworld_{split}", location=str(source))


def _sample(root: Path, task_id: str, source: Path, number: int) -> Sample:
    path = root / "data" / "tasks" / task_id / "specs.json"
    if not path.is_file():
        raise InputError(f"there is no {path.relative_to(root)}", file=source, line=number, item=task_id)
    try:
        specs: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        person = specs["supervisor"] if "supervisor" in specs else specs["main_user"]
        return Sample(
            id=task_id,
            input=specs["instruction"],
            target="AppWorld's own tests pass.",
            metadata={
                "task_id": task_id,
                "scenario": task_id.split("_", 1)[0],
                "datetime": specs["datetime"],
                "supervisor_name": f"{person['first_name']} {person['last_name']}",
                "supervisor_email": person["email"],
                "supervisor_phone": person["phone_number"],
            },
        )
    except json.JSONDecodeError as error:
        raise InputError(f"is not valid JSON: {error.msg}", file=path, line=error.lineno) from error
    except KeyError as error:
        raise InputError(f"has no field {error}", file=path, item=task_id) from error
