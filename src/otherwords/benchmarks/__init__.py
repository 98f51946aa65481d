"""Reads the shipped file of hand-written wordings, checks its hash → the wordings of a benchmark's items.

The file's first line says what it is; each other line has the wordings of one prompt, one for each voice, and
a hash of that prompt. A prompt that has changed since has no wordings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from otherwords.core.contract import VOICES
from otherwords.core.errors import InputError
from otherwords.core.types import (
    Decision,
    Distance,
    Item,
    Variant,
    Vetted,
    original,
    stable_hash,
    variant_id,
    with_varied_text,
    wording_hash,
)

FILE = "taubench_wordings.jsonl"
FORMAT = "otherwords-wordings"
_PERSON, _NOTE = "the authors of otherwords", "written by hand, and read against its scenario"


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """All wordings that ship with otherwords."""

    header: Mapping[str, Any]
    """`version`, `licence`, `date`, `made_for`, `voices`, `scenarios`, `wordings` and `content_hash`."""
    rows: Mapping[tuple[str, str], Mapping[str, Any]]
    """By benchmark and item: `scenario`, the hash of the prompt, and `wordings`, by voice."""

    def of_benchmark(self, name: str) -> dict[str, Mapping[str, Any]]:
        """The rows of one benchmark, by item."""
        return {item: row for (benchmark, item), row in self.rows.items() if benchmark == name}

    @property
    def generator(self) -> str:
        """What the variants are said to be made by."""
        return f"{Path(FILE).stem}/{self.header['version']}"


@dataclass(frozen=True, slots=True)
class ShippedWordings:
    """What is shipped for some items of a benchmark."""

    vetted: tuple[Vetted, ...]
    """The original and the wordings of each item whose prompt is the one they were made for."""
    refused: Mapping[str, str]
    """Why an item has none, by its id."""
    generator: str


@cache
def shipped_file() -> ShippedFile:
    """The file in the package, once its content has been compared with the hash in its header.

    Raises:
        InputError: The file was changed after it was published.
    """
    path = shipped_path()
    first, _, rest = path.read_text("utf-8").partition("\n")
    header = json.loads(first)
    if content_hash(rest) != header["content_hash"]:
        raise InputError(
            "was changed after it was published", file=path, hint="Install otherwords again to have it back."
        )
    rows = [json.loads(line) for line in rest.splitlines()]
    return ShippedFile(header, {(row["benchmark"], row["item"]): row for row in rows})


def shipped_summary(benchmark: str) -> str:
    """What is shipped for a benchmark, in one sentence; empty where nothing is."""
    file = shipped_file()
    count = sum(len(row["wordings"]) for row in file.of_benchmark(benchmark).values())
    if not count:
        return ""
    voices = ", ".join(file.header["voices"])
    return f"{count:,} written by hand ({voices}) come with otherwords: --variants shipped"


def shipped_path() -> Path:
    """Where the file is."""
    return Path(str(files("otherwords") / "data" / FILE))


def content_hash(text: str) -> str:
    """Of all lines but the first."""
    return sha256(text.encode()).hexdigest()


def scenario_hash(item: Item | Variant) -> str:
    """Of the prompt that wordings were made for."""
    return stable_hash(item.prompt if isinstance(item.prompt, str) else [str(turn) for turn in item.prompt])


def shipped_wordings(benchmark: str | None, items: Sequence[Item]) -> ShippedWordings:
    """The wordings that ship with otherwords for these items.

    Args:
        benchmark: Its name, such as `taubench_airline`.
        items: Its items, as they are here.

    Returns:
        The wordings in five voices of each item whose prompt is, letter for letter, the one that they were
        made for; and why each other item has none.

    Raises:
        InputError: There are none for the benchmark, or none for any of the items.
    """
    file = shipped_file()
    known = {} if benchmark is None else file.of_benchmark(benchmark)
    if not known:
        names = sorted({name for name, _ in file.rows})
        what = "this task" if benchmark is None else f"benchmark '{benchmark}'"
        raise InputError(
            f"no wordings ship with otherwords for {what}",
            hint=f"There are some for {' and '.join(names)}. Make others with otherwords vary.",
        )
    refused = {item.id: why for item in items if (why := _refusal(known.get(item.id), item))}
    if len(refused) == len(items):
        first = items[0].id
        raise InputError(f"the shipped wordings are for none of these items: {refused[first]}", item=first)
    vetted = tuple(
        one for item in items if item.id not in refused for one in _wordings(file, known[item.id], item)
    )
    return ShippedWordings(vetted, refused, file.generator)


def shipped_texts(benchmark: str, originals: Mapping[str, Variant]) -> dict[str, tuple[str, ...]]:
    """The shipped wordings of those scenarios that are the ones they were written for, by item."""
    rows = shipped_file().of_benchmark(benchmark)
    return {
        item: tuple(one["text"] for one in rows[item]["wordings"].values())
        for item, variant in originals.items()
        if item in rows and rows[item]["scenario"] == scenario_hash(variant)
    }


def _refusal(row: Mapping[str, Any] | None, item: Item) -> str:
    if row is None:
        return "no wording of it is shipped"
    return "" if row["scenario"] == scenario_hash(item) else "its prompt is not the one they were written for"


def _wordings(file: ShippedFile, row: Mapping[str, Any], item: Item) -> list[Vetted]:
    made = [Vetted(original(item), ())]
    for voice in VOICES:
        one = row["wordings"][voice]
        variant = Variant(
            id=variant_id(item.id, voice),
            item_id=item.id,
            name=voice,
            kind=voice,
            prompt=with_varied_text(item.prompt, one["text"]),
            choices=item.choices,
            target=item.target,
            option_order=tuple(range(len(item.choices))),
            change=voice,
            generator=file.generator,
            distance=Distance(one["words"], one["kept"], False, one["sibling"]),
        )
        decision = Decision(True, _PERSON, file.header["date"], wording_hash(item, variant), _NOTE)
        made.append(Vetted(variant, (), decision))
    return made
