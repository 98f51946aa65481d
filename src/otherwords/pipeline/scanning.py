"""Datasets, variants and secrets → what to look for in files that are about to be given away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from otherwords.core.errors import InputError
from otherwords.core.paths import read_input, require_input
from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.core.types import Item, Prompt
from otherwords.pipeline.source import open_source
from otherwords.scan import Needles, Scanned, scan
from otherwords.scan.needles import SHORTEST_SECRET
from otherwords.scan.words import values

_MADE_ID = re.compile(r"(?:line|item)-\d+|\d+")


def scan_for(
    paths: Sequence[str | Path],
    *,
    datasets: Sequence[str | Path] = (),
    variants: Sequence[str | Path] = (),
    secret_files: Sequence[str | Path] = (),
    task_args: Mapping[str, Any] | None = None,
    on_file: Callable[[int, int], None] | None = None,
) -> tuple[Scanned, Needles]:
    """Look through `paths` for texts of `datasets` and `variants`, lines of `secret_files`, and keys."""
    needles = Needles(_own_words())
    for file in secret_files:
        _add_secrets(needles, Path(file))
    for named in datasets:
        for place, item in enumerate(open_source(named, task_args=task_args).items, start=1):
            _add_item(needles, item, place)
    for file in variants:
        _add_variants(needles, Path(file))
    return scan(paths, needles, on_file=on_file), needles


def _own_words() -> set[str]:
    """What stands by itself in every page and table of ours."""
    page = files("otherwords.report") / "page"
    pages = [file.read_text("utf-8") for file in page.iterdir() if file.is_file()]
    return values("\n".join([*pages, *OUTCOME_COLUMNS]))


def _add_item(needles: Needles, item: Item, place: int) -> None:
    for text in _texts(item.prompt):
        needles.add("stem", text, place)
    for choice in item.choices:
        needles.add("option", choice, place)
    for answer in () if isinstance(item.target, int) else item.target:
        needles.add("answer", answer, place)
    for text in _strings(item.metadata):
        needles.add("metadata", text, place)
    if not _MADE_ID.fullmatch(item.id):
        needles.add("id", item.id, place)


def _add_variants(needles: Needles, file: Path) -> None:
    from otherwords.variants import read_variants

    places: dict[str, int] = {}
    for one in read_variants(require_input(file), verify=False).vetted:
        variant = one.variant
        place = places.setdefault(variant.item_id, len(places) + 1)
        for text in (*_texts(variant.prompt), *variant.choices):
            needles.add("variant", text, place)


def _add_secrets(needles: Needles, file: Path) -> None:
    try:
        lines = read_input(file).decode("utf-8-sig").splitlines()
    except UnicodeError:
        raise InputError("cannot read: it is not UTF-8 text", file=file) from None
    secrets = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    if not secrets:
        raise InputError("holds no secret: one is wanted on each line", file=file)
    for number, secret in secrets:
        if len(secret) < SHORTEST_SECRET:
            raise InputError(
                f"a secret of {len(secret)} characters would be found anywhere; it takes {SHORTEST_SECRET}",
                file=file,
                line=number,
            )
        needles.add("secret", secret, number)


def _texts(prompt: Prompt) -> list[str]:
    return [prompt] if isinstance(prompt, str) else [message.content for message in prompt]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _strings(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _strings(part)]
    return []
