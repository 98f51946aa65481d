"""The Inspect task: a world for each sample, a tool to act in it, AppWorld's own tests as the score."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolError, tool

from otherwords.core.errors import InputError
from otherwords.runs.benchmarks.appworld.dataset import listing, read_split
from otherwords.runs.benchmarks.appworld.place import require_python, require_root
from otherwords.runs.benchmarks.appworld.world import World, WorldError

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
    interpreter = require_python(python)
    folder = require_root(listing(split), root)
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
