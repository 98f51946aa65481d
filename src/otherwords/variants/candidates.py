"""Candidate wordings of a template, frozen and filled with cases; and the wordings that most items share."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from otherwords.core.contract import CANDIDATES_FILE, ORIG, TEMPLATE
from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.model_calls import CallCounts
from otherwords.core.registry import traits_of
from otherwords.core.template import Template, case_fields
from otherwords.core.types import CheckResult, Item, Params, Variant, variant_id, whole_text
from otherwords.core.wording_names import wording_name

FEWEST_ITEMS = 0.5
"""A change that a smaller share of the items has is no wording of all of them."""


class TemplateWording(NamedTuple):
    """One wording of a template that the checks accepted."""

    name: str
    template: Template
    change: str
    """What was done, such as a rule's name."""
    kind: str = ""
    """The family that made it."""
    checks: tuple[CheckResult, ...] = ()
    levels: Mapping[str, str] = Params()
    """In a design, the level of each factor."""


class RejectedWording(NamedTuple):
    """One wording of a template that is not used, and why."""

    text: str
    change: str
    kind: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class TemplateWordings:
    """What became of the wordings of one template."""

    accepted: tuple[TemplateWording, ...]
    rejected: tuple[RejectedWording, ...]
    spent: CallCounts = field(default_factory=CallCounts)
    """What models were asked: the one that writes, and the judge."""


@dataclass(frozen=True)
class Candidate:
    """A wording of the template that may be better, and how it was made."""

    name: str
    template: Template
    how: str


@dataclass(frozen=True)
class Candidates:
    """All wordings of a template that a repair tries."""

    each: tuple[Candidate, ...]
    spent: CallCounts
    """What models were asked to write them, and to judge them."""


def frozen_candidates(folder: Path, template: Template, made_with: Mapping[str, Any]) -> Candidates | None:
    """The candidates that an earlier run of the same repair wrote; None where there was none.

    Raises:
        InputError: The folder holds the repair of another template, or with other options.
    """
    file = folder / CANDIDATES_FILE
    if not file.exists():
        return None
    before = json.loads(file.read_text("utf-8"))
    if before["template"] != plain_prompt(template) or before["made_with"] != dict(made_with):
        what = "of another template" if before["template"] != plain_prompt(template) else "with other options"
        raise InputError(f"holds a repair {what}", file=file, hint="Give another folder: -o DIR")
    each = tuple(
        Candidate(one["name"], Template(one["prompt"], one["name"]), one["how"])
        for one in before["candidates"]
    )
    return Candidates(each, CallCounts(**before["spent"]))


def freeze_candidates(
    folder: Path, template: Template, made_with: Mapping[str, Any], candidates: Candidates
) -> None:
    """Writes them, so that an interrupted repair goes on with the same ones."""
    content = {
        "template": plain_prompt(template),
        "made_with": dict(made_with),
        "candidates": [
            {"name": one.name, "how": one.how, "prompt": plain_prompt(one.template)}
            for one in candidates.each
        ],
        "spent": asdict(candidates.spent),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / CANDIDATES_FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def in_template(name: str, template: Template, case: Item, own: str, said: Variant) -> Variant:
    """What a user says of a case, in a template; the current one is `orig`."""
    parts = [part for part in (name, said.name) if part != ORIG]
    kinds = [kind for kind in (ORIG if name == ORIG else TEMPLATE, said.kind) if kind != ORIG]
    named = "+".join(parts) or ORIG
    return replace(
        said,
        id=variant_id(case.id, named),
        name=named,
        kind="+".join(kinds) or ORIG,
        prompt=template.render({**case_fields(case, own), own: whole_text(said.prompt)}),
        template=name,
        wording=said.name,
        distance=None,
    )


def plain_prompt(template: Template) -> Any:
    """For JSON."""
    if isinstance(template.prompt, str):
        return template.prompt
    return [{"role": one.role, "content": one.content} for one in template.prompt]


def _text(template: Template, suffix: str) -> str:
    """As a file of that kind has it."""
    if isinstance(template.prompt, str):
        return f"{template.prompt}\n"
    if suffix == ".json":
        return json.dumps(plain_prompt(template), indent=2, ensure_ascii=False) + "\n"
    import yaml

    dumped: str = yaml.safe_dump(plain_prompt(template), allow_unicode=True, sort_keys=False, width=1000)
    return dumped


def template_diff(before: Template, after: Template, suffix: str) -> tuple[str, str]:
    """The second template as a file of that kind has it, and how it differs from the first."""
    old, new = (_text(one, suffix) for one in (before, after))
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), before.name, after.name)
    return new, "".join(lines)


def shared_wordings(
    variants: Sequence[Variant], n_items: int
) -> tuple[dict[tuple[str, str], Variant], list[str]]:
    """Rewordings that can be said of all items, by name and item; and the names of those that few items have.

    A wording is a template where there are several, else a change such as `format: spaces`. Changes that
    fewer than half of the items have are counted by their kind; of those of one item the first is asked.
    """
    several = len({one.template for one in variants}) > 1
    usable = [one for one in variants if not one.is_original and not traits_of(one.kind).is_control]
    if several:
        usable = [one for one in usable if one.wording in ("", ORIG)]
        named = {one.id: one.template for one in usable}
    else:
        named = {one.id: wording_name(one.kind, one.change) for one in usable}
    least = FEWEST_ITEMS * n_items
    found: dict[tuple[str, str], Variant] = {}
    rare: set[str] = set()
    for names in (named, {one.id: wording_name(one.kind, "") for one in usable if not several}):
        items = defaultdict[str, set[str]](set)
        taken = {one.id for one in found.values()}
        for one in usable:
            if one.id in names and one.id not in taken:
                items[names[one.id]].add(one.item_id)
        common = {name for name, having in items.items() if len(having) >= least}
        rare = set(items) - common
        for one in usable:
            if one.id not in taken and names.get(one.id) in common:
                found.setdefault((names[one.id], one.item_id), one)
    return found, sorted(rare)
