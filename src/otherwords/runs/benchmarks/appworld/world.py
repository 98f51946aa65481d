"""A world of AppWorld in a process of its own, for one sample."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import IO, Any

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

__all__ = ["World", "WorldError"]

WORKER = Path(__file__).with_name("worker.py")
SECONDS_TO_ANSWER = 180
"""AppWorld gives code 100 seconds; opening a world and testing it take less."""
SECONDS_TO_END = 10
LAST_WORDS = 2000


class WorldError(RuntimeError):
    """AppWorld itself failed, not the agent's code."""


class World:
    """Open it, run code in it, have AppWorld test it, close it. One call at a time."""

    def __init__(self, process: Process, root: Path, experiment: str, errors: IO[bytes]) -> None:
        self._process, self._errors = process, errors
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
        process = await anyio.open_process(
            [python, "-u", str(WORKER)],
            stderr=errors,
            cwd=root,
            env={**os.environ, "APPWORLD_ROOT": str(root.resolve()), "PYTHONIOENCODING": "utf-8"},
        )
        world = cls(process, root, experiment, errors)
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
            if self._process.returncode is None:
                self._process.kill()
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
                self._process.kill()
                raise WorldError(f"AppWorld did not answer within {SECONDS_TO_ANSWER} s ({action})") from None
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                raise WorldError(f"AppWorld's process ended ({action}): {self._last_words()}") from None
        if "error" in answer:
            raise WorldError(f"AppWorld could not {action.replace('_', ' ')}: {answer['error']}")
        return answer["told"]

    async def _line(self) -> str:
        while "\n" not in self._read:
            self._read += await self._answers.receive()
        line, self._read = self._read.split("\n", 1)
        return line

    def _last_words(self) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip()
        return said[-LAST_WORDS:] or "it said nothing"
