"""Vetted variants → one HTML page to review them, with what the checks said; a data card, as Markdown."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from otherwords.report.escape import markdown, one_file, visible

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


@dataclass(frozen=True)
class Card:
    """What a data card says of a set of wordings; it holds no text of an item."""

    name: str
    header: Mapping[str, Any]
    """Of the variants file: families, seed, generators, settings, checks, hashes."""
    vetted: Sequence[Vetted]
    missing: Sequence[MissingVariant]
    distances: Mapping[str, Mapping[str, float | None]]
    """By family, `all` and `people`: `n`, `words`, `sibling`, `kept` and `frame_only`."""
    layers: Mapping[str, str]
    """Of each check."""
    languages: Mapping[str, int]
    """How many originals are in each."""
    licence: str = ""


def card_markdown(card: Card) -> str:
    """The card as Markdown: families, distances, checks, languages, models, licence, known limits."""
    header = card.header
    about = [
        ("items", f"{header['n_items']:,}"),
        (
            "wordings",
            f"{sum(one.accepted and not one.variant.is_original for one in card.vetted):,} accepted",
        ),
        ("hash of the items", header["items_hash"]),
        ("hash of the wordings", header["content_hash"]),
        ("seed", header["seed"]),
        ("languages", ", ".join(f"{name} {n:,}" for name, n in sorted(card.languages.items()))),
        ("English model of the checks", header["language_model"] or "none"),
        ("licence", card.licence or "not stated"),
    ]
    models = [*_flat(header["settings"]), *_flat(header["checks"])]
    sections = [
        f"# Data card: {markdown(card.name)}",
        _md_table(("", ""), about),
        "## Families",
        _md_table(
            ("family", "made by", "made", "accepted", "undecided", "rejected", "missing", "items"),
            _families(card),
        ),
        "## How far the wordings go",
        "Means over the accepted rewordings, beside the same figures of wordings that people wrote for 62 "
        "prompts. Word distance: the share of words that differ from the original.",
        _md_table(
            (
                "wordings",
                "n",
                "word distance",
                "from the nearest sibling",
                "content words kept",
                "original inside",
            ),
            [(name, *map(_figure, one.values())) for name, one in card.distances.items()],
        ),
        "## What was checked",
        _md_table(("check", "layer", "pass", "flag", "fail", "not applicable"), _checks(card)),
        _decided(card),
        "## Models and prompts",
        _md_table(("", ""), models) if models else "No model wrote or judged a wording.",
        "## Known limits",
        "\n".join(f"- {one}" for one in _limits(card)),
    ]
    return "\n\n".join(sections) + "\n"


_NUMBER = re.compile(r"[\d.,]+")


def _md_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [[str(text) if _NUMBER.fullmatch(str(text)) else markdown(text) for text in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(head), ["---"] * len(head), *lines])


def _figure(value: float | None) -> str:
    if value is None:
        return "—"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def _flat(settings: Mapping[str, Any], start: str = "") -> list[tuple[str, str]]:
    """Settings within settings, each by its whole name."""
    found: list[tuple[str, str]] = []
    for name, value in settings.items():
        found += (
            _flat(value, f"{start}{name}.")
            if isinstance(value, Mapping)
            else [(f"{start}{name}", str(value))]
        )
    return found


def _families(card: Card) -> list[tuple[object, ...]]:
    made_by = {str(one).partition("/")[0]: one for one in card.header["generators"]}
    kinds = dict.fromkeys([*card.header["families"], *(one.variant.kind for one in card.vetted)])
    rows: list[tuple[object, ...]] = []
    for kind in kinds:
        mine = [one for one in card.vetted if one.variant.kind == kind and not one.variant.is_original]
        slots = sum(one.kind == kind for one in card.missing)
        if not mine and not slots and kind not in card.header["families"]:
            continue
        status = Counter(one.status for one in mine)
        items = len({one.variant.item_id for one in mine if one.accepted})
        counted = (len(mine), status["accepted"], status["undecided"], status["rejected"], slots, items)
        rows.append((kind, made_by.get(kind, "—"), *(f"{n:,}" for n in counted)))
    return rows


def _checks(card: Card) -> list[tuple[object, ...]]:
    counts: dict[str, Counter[str]] = {}
    for one in card.vetted:
        if not one.variant.is_original:
            for check in one.checks:
                counts.setdefault(check.check, Counter())[check.status] += 1
    return [
        (
            name,
            card.layers.get(name, "—"),
            *(f"{found[status]:,}" for status in ("pass", "flag", "fail", "not_applicable")),
        )
        for name, found in sorted(counts.items(), key=lambda one: (card.layers.get(one[0], "~"), one[0]))
    ]


def _decided(card: Card) -> str:
    by = Counter(one.decided_by for one in card.vetted if one.accepted and not one.variant.is_original)
    told = ", ".join(f"{layer} {n:,}" for layer, n in by.most_common()) or "none"
    return f"Accepted wordings by the layer that spoke last: {told}."


def _limits(card: Card) -> list[str]:
    others = [one for one in card.vetted if not one.variant.is_original]
    accepted = [one for one in others if one.accepted]
    undecided = sum(one.status == "undecided" for one in others)
    foreign = sum(n for name, n in card.languages.items() if name != "en")
    with_any = {one.variant.item_id for one in accepted}
    bare = card.header["n_items"] - len(with_any)
    people = sum(one.decision is not None for one in accepted)
    found = [
        "Checks are rules: a wording that passes may still differ in meaning, and one that fails may not.",
        f"{people:,} of {len(accepted):,} accepted wordings were read by a person.",
    ]
    if not any(check.check in JUDGING for one in accepted for check in one.checks):
        found.append("No model judged whether meanings are the same.")
    if undecided:
        found.append(f"{undecided:,} wordings were flagged and nobody decided on them; they are not used.")
    if bare:
        found.append(f"{bare:,} items have no accepted wording beside the original.")
    if card.missing:
        found.append(f"{len(card.missing):,} wordings were asked for and could not be made.")
    if foreign:
        found.append(f"{foreign:,} originals are not known to be English, and most checks read English only.")
    return found
