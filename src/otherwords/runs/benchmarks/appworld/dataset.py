"""The tasks of a split, read from AppWorld's data folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from otherwords.core.errors import InputError

__all__ = ["read_split"]


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
