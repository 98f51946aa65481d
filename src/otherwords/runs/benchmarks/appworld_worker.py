"""Run by AppWorld's interpreter: holds one world; JSON lines in (open, execute, evaluate), JSON lines out.

That interpreter has no package of ours, so this file uses AppWorld and the standard library alone. Only one
world fits in a process, because AppWorld freezes the process's clock. It ends when its input ends.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def main() -> None:
    # This file's folder has modules of ours, one of them called appworld.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    # AppWorld and its shell print; what they print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    world = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["do"] == "open":
                world = opened(asked)
                result: Any = None
            else:
                result = ACTIONS[asked["do"]](world, asked)
        except Exception as error:  # noqa: BLE001 -- sent to the caller
            answers.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        else:
            answers.write(json.dumps({"result": result}, default=str) + "\n")
    if world is not None:
        world.close()


def opened(asked: dict[str, Any]) -> Any:
    world = importlib.import_module("appworld").AppWorld(
        task_id=asked["task_id"], experiment_name=asked["experiment"]
    )
    if asked["instruction"] != world.task.instruction:
        reword(world, asked["instruction"])
    return world


def reword(world: Any, instruction: str) -> None:
    """Let an agent that looks its task up in AppWorld find the same words there as in its prompt.

    AppWorld's tests never compare this record, since every agent that finishes changes it.
    """
    task = world.models.supervisor.Task.all()[0]
    task.instruction = instruction
    task.save()


def execute(world: Any, asked: dict[str, Any]) -> Any:
    return world.execute(asked["code"])


def is_completed(world: Any, asked: dict[str, Any]) -> Any:
    return bool(world.task_completed())


def evaluate(world: Any, asked: dict[str, Any]) -> Any:
    return world.evaluate().to_dict()


ACTIONS = {"execute": execute, "is_completed": is_completed, "evaluate": evaluate}

if __name__ == "__main__":
    main()
