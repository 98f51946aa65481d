"""Runs a HAL agent on one task: `worker.py REQUEST RESPONSE`, in the agent's folder.

It runs in the agent's own interpreter, which may be any Python from 3.7 on without a package of ours, so it
uses the standard library alone. The answer goes into a file because agents print.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import threading
import traceback
from typing import Any

SECONDS_TO_END = 10
"""What an agent has for flushing its traces once it has answered; threads that never end do not keep it."""


def main() -> None:
    request_file, response_file = sys.argv[1:]
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    folder = os.getcwd()
    sys.argv[:] = [request["module"]]
    sys.path[0] = folder  # instead of this script's folder, whose modules are none of the agent's
    response = json.dumps(respond(request, folder))
    with open(response_file + ".part", "w", encoding="utf-8") as file:
        file.write(response)
    os.replace(response_file + ".part", response_file)
    threading.Thread(target=end_soon, daemon=True).start()


def respond(request: dict[str, Any], folder: str) -> dict[str, Any]:
    """`answer`, or else `failure` and, where the agent raised, `traceback` and `kinds`."""
    module, name = request["module"], request["function"]
    try:
        function = find_function(module, name, folder)
    except Exception as error:  # noqa: BLE001 -- the agent's own error, handed on in the response
        return failure(f"could not be imported: {described(error, folder)}")
    if not callable(function):
        return failure(f"has no function '{name}' in its module '{module}'")
    try:
        result = function(request["input"], **request["kwargs"])
        if inspect.isawaitable(result):
            result = asyncio.run(awaited(result))
    except Exception as error:  # noqa: BLE001 -- as above
        return failure(f"raised {described(error, folder)}")
    return judged(result, request["task_id"])


def judged(result: Any, task_id: str) -> dict[str, Any]:
    if not isinstance(result, dict):
        return failure(f"returned {type(result).__name__}, not a dict of answers by task id")
    answers = {str(key): answer for key, answer in result.items()}  # as JSON would have it
    if task_id not in answers:
        others = ", ".join(f"'{key}'" for key in list(answers)[:5]) or "nothing"
        return failure(f"returned no answer for task '{task_id}' (it answered {others})")
    try:
        json.dumps(answers[task_id])
    except (TypeError, ValueError, RecursionError) as error:
        return failure(f"returned an answer that is not JSON: {error}")
    return {"answer": answers[task_id]}


def find_function(module_name: str, function_name: str, folder: str) -> Any:
    path = os.path.join(folder, module_name + ".py")
    if not os.path.isfile(path):
        return getattr(importlib.import_module(module_name), function_name, None)
    # By its path, since the standard library may have a module of the same name.
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return getattr(module, function_name, None)


async def awaited(result: Any) -> Any:
    return await result


def failure(reason: str) -> dict[str, Any]:
    error = sys.exc_info()[1]
    return {
        "failure": reason,
        "traceback": traceback.format_exc() if error is not None else None,
        "kinds": error_kinds(error) if error is not None else [],
    }


def error_kinds(error: BaseException) -> list[dict[str, Any]]:
    """The error and all that it came from, each by its class and those above, HTTP status and `errno`."""
    found, seen, waiting = [], set(), [error]
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        statuses = [getattr(one, name, None) for name in ("status_code", "status", "code")]
        statuses.append(getattr(getattr(one, "response", None), "status_code", None))
        found.append(
            {
                "names": [
                    f"{kind.__module__.split('.')[0]}.{kind.__name__}"
                    for kind in type(one).__mro__
                    if kind is not object
                ],
                "status": next((known for known in statuses if isinstance(known, int)), None),
                "errno": one.errno if isinstance(one, OSError) else None,
            }
        )
        waiting += [inner for inner in getattr(one, "exceptions", ()) if isinstance(inner, BaseException)]
        waiting += [inner for inner in (one.__cause__, one.__context__) if inner is not None]
    return found


def described(error: Exception, folder: str) -> str:
    """The error, and the last line of the agent's own code that it came through."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(folder + os.sep)]
    return f"{said} ({os.path.relpath(own[-1].filename, folder)}, line {own[-1].lineno})" if own else said


def end_soon() -> None:
    threading.Event().wait(SECONDS_TO_END)
    os._exit(0)


if __name__ == "__main__":
    main()
