"""One page for the person who reads a variants file: originals, variants, and what the checks said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.types import CheckResult, MissingVariant, Prompt, Vetted
from otherwords.report.onefile import Strings, one_file
from otherwords.report.text import visible

FIRST_LINE = 2
"""Of the candidates in a variants file; the line before is the header."""


def review_html(
    vetted: Sequence[Vetted],
    *,
    title: str,
    source: str,
    missing: Sequence[MissingVariant] = (),
    lines: Sequence[int] | None = None,
) -> str:
    """`source` is the file's name; `lines` are the candidates' lines in it, unless they follow its header."""
    if lines is None:
        lines = range(FIRST_LINE, FIRST_LINE + len(vetted))
    if len(lines) != len(vetted):
        raise InputError(f"{len(vetted)} candidates with {len(lines)} line numbers")
    content = _Content()
    for one, line in zip(vetted, lines, strict=True):
        content.add(one, line)
    for slot in missing:
        content.add_missing(slot)
    return one_file("review", title=title, data=content.as_data(title, source))


def write_review(
    path: str | Path,
    vetted: Sequence[Vetted],
    *,
    title: str,
    source: str,
    missing: Sequence[MissingVariant] = (),
    lines: Sequence[int] | None = None,
) -> Path:
    page = review_html(vetted, title=title, source=source, missing=missing, lines=lines)
    return write_whole(path, page)


class _Content:
    """What the page is told: short rows of numbers, each text once. review.js reads them in this order."""

    def __init__(self) -> None:
        self.strings = Strings()
        self.kinds: dict[str, int] = {}
        self.checks: dict[str, int] = {}
        self.verdicts: dict[tuple[tuple[Any, ...], ...], int] = {}
        self.items: dict[str, dict[str, Any]] = {}

    def add(self, one: Vetted, line: int) -> None:
        variant, place = one.variant, self.strings.place
        item = self._item(variant.item_id)
        params = json.dumps(variant.params, ensure_ascii=False, default=str) if variant.params else ""
        row = [
            line,
            place(variant.id),
            place(variant.name),
            _number_of(visible(variant.kind), self.kinds),
            place(variant.change),
            self._prompt(variant.prompt),
            [place(choice) for choice in variant.choices],
            variant.target if isinstance(variant.target, int) else [place(text) for text in variant.target],
            list(variant.option_order),
            self._verdicts(one.checks),
            place(" ".join(filter(None, (variant.generator, params)))),
        ]
        if variant.is_original and item["original"] is None:
            item["original"] = row
        else:
            item["rows"].append(row)

    def add_missing(self, slot: MissingVariant) -> None:
        self._item(slot.item_id)["missing"].append(
            [
                self.strings.place(slot.name),
                _number_of(visible(slot.kind), self.kinds),
                [self.strings.place(reason) for reason in slot.reasons],
            ]
        )

    def as_data(self, title: str, source: str) -> dict[str, Any]:
        return {
            "title": visible(title),
            "source": visible(source),
            "kinds": list(self.kinds),
            "checks": list(self.checks),
            "verdicts": list(self.verdicts),
            "items": list(self.items.values()),
            "strings": self.strings.texts,
        }

    def _item(self, item_id: str) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "id": self.strings.place(item_id),
            "original": None,
            "rows": [],
            "missing": [],
        }
        return self.items.setdefault(item_id, empty)

    def _prompt(self, prompt: Prompt) -> Any:
        if isinstance(prompt, str):
            return self.strings.place(prompt)
        return [[visible(message.role), self.strings.place(message.content)] for message in prompt]

    def _verdicts(self, checks: Sequence[CheckResult]) -> int:
        """Most candidates share theirs."""
        said = tuple(
            (_number_of(visible(one.check), self.checks), one.verdict, self.strings.place(one.reason))
            for one in checks
        )
        return _number_of(said, self.verdicts)


def _number_of(key: Any, known: dict[Any, int]) -> int:
    return known.setdefault(key, len(known))
