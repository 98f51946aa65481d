"""Models and a number → shards (model, part, folder); a run that was cut otherwise before is refused.

The items are cut into parts of consecutive items, and each part with one model is a shard, which runs and
resumes by itself in a folder of its own. Cut from other items, or into another number of parts, items would
be in two folders and be paid for twice, so the folder of the whole run keeps a note of how it was cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from otherwords.core.errors import InputError
from otherwords.core.files import read_input, unused_folder, write_whole
from otherwords.core.types import Item, items_hash, stable_hash

CUT_FILE = ".otherwords-shards.json"
"""In the folder of a run that was cut: from which items, and into how many parts."""
_FORM = "Write it as --shard 3/40, for the third of forty."
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shard:
    """One model on one part of the items."""

    model: str
    part: int
    """From 1 on."""
    parts: int

    @property
    def name(self) -> str:
        """As the log has it, in which the model is named already: `3/20`."""
        return f"{self.part}/{self.parts}"

    def folder(self, log_dir: str | Path) -> Path:
        """Where its logs are kept."""
        model = re.sub(r"[^\w.-]+", "-", self.model).strip(".-") or "model"
        return Path(log_dir) / model / numbered("part", self.part, self.parts)

    def take(self, items: Sequence[T]) -> Sequence[T]:
        """Its part of the items. Parts differ by one item at most, and in order they are the whole."""
        return items[(self.part - 1) * len(items) // self.parts : self.part * len(items) // self.parts]


def numbered(word: str, number: int, of: int) -> str:
    """`part-03-of-20`, so that names are in the order of their numbers."""
    return f"{word}-{number:0{len(str(of))}}-of-{of}"


def parse_shard(text: str) -> tuple[int, int]:
    """`3/40` as its two numbers.

    Examples:
        >>> from otherwords.runs.shards import parse_shard
        >>> parse_shard("3/40")
        (3, 40)
    """
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    if found is None:
        raise InputError(f"cannot read the shard '{text}'", hint=_FORM)
    number, of = int(found[1]), int(found[2])
    if not 1 <= number <= of:
        raise InputError(f"there is no shard '{text}': they are numbered from 1 to {of}", hint=_FORM)
    return number, of


def cut(models: Sequence[str], shards: int) -> list[Shard]:
    """All shards of a run, one model after the other.

    Args:
        models: Who is asked.
        shards: How many there are to be: as many for each model.

    Raises:
        InputError: The models cannot have the same number of shards each.

    Examples:
        >>> from otherwords.runs.shards import cut
        >>> [(one.model, one.name) for one in cut(["a", "b"], 4)]
        [('a', '1/2'), ('a', '2/2'), ('b', '1/2'), ('b', '2/2')]
    """
    parts, left = divmod(shards, len(models))
    if left or not parts:
        near = max(parts, 1) * len(models)
        raise InputError(
            f"{shards} shards cannot be shared out evenly among {len(models)} models: each shard has one",
            hint=f"Ask for {near} or {near + len(models)}, or run one model at a time.",
        )
    return [Shard(model, part, parts) for model in models for part in range(1, parts + 1)]


def require_cut(log_dir: str | Path, items: Sequence[Item], parts: int, *, write: bool = False) -> None:
    """Refuse to cut a run in another way than it was cut when it began; with `write`, note how.

    Raises:
        InputError: There are fewer items than parts, or the folder holds a run that was cut otherwise.
    """
    if parts > len(items):
        raise InputError(
            f"{len(items)} items cannot be cut into {parts} parts", hint="Each needs one at least."
        )
    folder = Path(log_dir)
    in_order = stable_hash([items_hash(items), [item.id for item in items]])
    note: dict[str, Any] = {"parts": parts, "items": len(items), "items_hash": in_order}
    path = folder / CUT_FILE
    if path.exists():
        before = _read_note(path)
        hint = f"To begin another run: --log-dir {unused_folder(folder)}"
        if before["parts"] != parts:
            raise InputError(
                f"this run was cut into {before['parts']} parts for each model, and not into {parts}",
                file=folder,
                hint=f"Cut otherwise, what has finished would be asked again. {hint}",
            )
        if before["items_hash"] != note["items_hash"]:
            raise InputError(
                f"this run was cut from {before['items']} items, and these are {len(items)}, or others",
                file=folder,
                hint=f"A run that is cut cannot get more items. {hint}",
            )
    elif write:
        write_whole(path, json.dumps(note))


def parts_of(log_dir: str | Path) -> int | None:
    """Into how many parts the run in the folder was cut; None if there is none that was."""
    path = Path(log_dir) / CUT_FILE
    return int(_read_note(path)["parts"]) if path.exists() else None


def _read_note(path: Path) -> dict[str, Any]:
    try:
        note = json.loads(read_input(path))
        return {
            "parts": int(note["parts"]),
            "items": int(note["items"]),
            "items_hash": str(note["items_hash"]),
        }
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("is not what a run that was cut into shards wrote", file=path) from error
