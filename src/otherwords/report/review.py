"""Vetted variants → one HTML page to review them: originals, variants, and what the checks said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from otherwords.core.contract import JUDGING
from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.registry import traits_of
from otherwords.core.types import (
    CheckResult,
    MissingVariant,
    Prompt,
    Variant,
    Vetted,
    plain_params,
    wording_hash,
)
from otherwords.report.escape import one_file, visible

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
    """Makes the review page of a variants file.

    Args:
        vetted: the candidates with what each check said.
        title: the page's heading.
        source: the name of the variants file.
        missing: slots for which no variant could be made.
        lines: the candidates' lines in the file; without them, they follow its header.

    Returns:
        One HTML file as text; it loads nothing from elsewhere.

    Raises:
        InputError: there are not as many line numbers as candidates.
    """
    if lines is None:
        lines = range(FIRST_LINE, FIRST_LINE + len(vetted))
    if len(lines) != len(vetted):
        raise InputError(f"{len(vetted)} candidates with {len(lines)} line numbers")
    originals = {one.variant.item_id: one.variant for one in reversed(vetted) if one.variant.is_original}
    content = _Content(originals)
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
    """Writes the page of `review_html` to `path` and gives the path."""
    page = review_html(vetted, title=title, source=source, missing=missing, lines=lines)
    return write_whole(path, page)


class _Strings:
    """Each text once; the page's rows refer to it by number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.length = 0
        self._places: dict[str, int] = {}

    def place(self, text: str | None) -> int | None:
        if text is None:
            return None
        shown = visible(text)
        found = self._places.get(shown)
        if found is None:
            found = self._places[shown] = len(self.texts)
            self.texts.append(shown)
            self.length += len(shown)
        return found


class _Content:
    """What the page is told: short rows of numbers, each text once. review.js reads them in this order."""

    def __init__(self, originals: Mapping[str, Variant]) -> None:
        self.originals = originals
        self.strings = _Strings()
        self.kinds: dict[str, int] = {}
        self.checks: dict[str, int] = {}
        self.check_results: dict[tuple[tuple[Any, ...], ...], int] = {}
        self.items: dict[str, dict[str, Any]] = {}

    def add(self, one: Vetted, line: int) -> None:
        variant, place = one.variant, self.strings.place
        item = self._item(variant.item_id)
        params = plain_params(variant.params)
        params_json = json.dumps(params, ensure_ascii=False, default=str) if params else ""
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
            self._check_results(one.checks),
            place(" ".join(filter(None, (variant.generator, params_json)))),
            one.status,
            one.decided_by,
            self._decision_key(variant),
            self._decision(one),
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
            "controls": [number for kind, number in self.kinds.items() if traits_of(kind).is_control],
            "judging": list(JUDGING),
            "checks": list(self.checks),
            "check_results": list(self.check_results),
            "items": list(self.items.values()),
            "strings": self.strings.texts,
        }

    def _item(self, item_id: str) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "id": self.strings.place(item_id),
            "exact": _exact(item_id),
            "original": None,
            "rows": [],
            "missing": [],
        }
        return self.items.setdefault(item_id, empty)

    def _decision_key(self, variant: Variant) -> list[str | None] | None:
        """What a decision on the variant is known by: the hash of what is shown, and its name."""
        before = self.originals.get(variant.item_id)
        if before is None or variant.is_original:
            return None
        return [wording_hash(before, variant), _exact(variant.name)]

    def _decision(self, one: Vetted) -> list[Any] | None:
        if one.decision is None:
            return None
        said = (one.decision.person, one.decision.date, one.decision.note)
        return [one.decision.accepted, *map(self.strings.place, said)]

    def _prompt(self, prompt: Prompt) -> Any:
        if isinstance(prompt, str):
            return self.strings.place(prompt)
        return [[visible(message.role), self.strings.place(message.content)] for message in prompt]

    def _check_results(self, checks: Sequence[CheckResult]) -> int:
        """Most candidates share theirs."""
        said = tuple(
            (_number_of(visible(one.check), self.checks), one.status, self.strings.place(one.reason))
            for one in checks
        )
        return _number_of(said, self.check_results)


def _number_of(key: Any, known: dict[Any, int]) -> int:
    return known.setdefault(key, len(known))


def _exact(text: str) -> str | None:
    """`text` as JSON in ASCII, which a decision must repeat, where the page shows it otherwise."""
    return None if visible(text) == text else json.dumps(text)
