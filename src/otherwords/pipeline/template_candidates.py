"""Candidate wordings of a template, frozen and filled with cases; and the wordings that most items share."""

from __future__ import annotations

import difflib
import json
from collections import Counter
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
    """What became of the wordings of one template, and what models were asked for them."""

    accepted: tuple[TemplateWording, ...]
    rejected: tuple[RejectedWording, ...]
    spent: CallCounts = field(default_factory=CallCounts)


class Candidate(NamedTuple):
    """A wording of the template that may be better, and how it was made."""

    name: str
    template: Template
    how: str


class Candidates(NamedTuple):
    """All wordings of a template that a repair tries, and what models were asked to write and judge them."""

    each: tuple[Candidate, ...]
    spent: CallCounts


def frozen_candidates(folder: Path, template: Template, made_with: Mapping[str, Any]) -> Candidates | None:
    """What an earlier run of the same repair, and of no other one, wrote; None where there was none."""
    file = folder / CANDIDATES_FILE
    if not file.exists():
        return None
    before = json.loads(file.read_text("utf-8"))
    other = "" if before["made_with"] == dict(made_with) else "with other options"
    other = other if before["template"] == template.plain else "of another template"
    if other:
        raise InputError(f"holds a repair {other}", file=file, hint="Give another folder: -o DIR")
    each = [(one["name"], Template(one["prompt"], one["name"]), one["how"]) for one in before["candidates"]]
    return Candidates(tuple(Candidate(*one) for one in each), CallCounts(**before["spent"]))


def freeze_candidates(
    folder: Path, template: Template, made_with: Mapping[str, Any], candidates: Candidates
) -> None:
    """Writes them, so that an interrupted repair goes on with the same ones."""
    each = [{"name": one.name, "how": one.how, "prompt": one.template.plain} for one in candidates.each]
    told = {"template": template.plain, "made_with": dict(made_with)}
    content = {**told, "candidates": each, "spent": asdict(candidates.spent)}
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / CANDIDATES_FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def in_template(name: str, template: Template, case: Item, own: str, said: Variant) -> Variant:
    """What a user says of a case, in a template; the current one is `orig`."""
    named = "+".join(part for part in (name, said.name) if part != ORIG) or ORIG
    kinds = [kind for kind in (ORIG if name == ORIG else TEMPLATE, said.kind) if kind != ORIG]
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


def template_diff(before: Template, after: Template, suffix: str) -> tuple[str, str]:
    """The second template as a file of that kind has it, and how it differs from the first."""
    import yaml

    texts = []
    for prompt in (before.plain, after.plain):
        if isinstance(prompt, str):
            texts.append(f"{prompt}\n")
        elif suffix == ".json":
            texts.append(json.dumps(prompt, indent=2, ensure_ascii=False) + "\n")
        else:
            texts.append(yaml.safe_dump(prompt, allow_unicode=True, sort_keys=False, width=1000))
    old, new = (text.splitlines(keepends=True) for text in texts)
    return texts[1], "".join(difflib.unified_diff(old, new, before.name, after.name))


def shared_wordings(
    variants: Sequence[Variant], n_items: int
) -> tuple[dict[tuple[str, str], Variant], list[str]]:
    """Rewordings that can be said of all items, by name and item; and the names of those that few items have.

    A wording is a template where there are several, else a change such as `format: spaces`. Changes that
    fewer than half of the items have are counted by their kind; of those of one item the first is asked.
    """
    usable = [one for one in variants if not one.is_original and not traits_of(one.kind).is_control]
    if len({one.template for one in variants}) > 1:
        usable = [one for one in usable if one.wording in ("", ORIG)]
        namings = [{one.id: one.template for one in usable}]
    else:
        namings = [{one.id: wording_name(one.kind, one.change) for one in usable}]
        namings.append({one.id: wording_name(one.kind, "") for one in usable})
    found: dict[tuple[str, str], Variant] = {}
    rare: set[str] = set()
    for names in namings:
        taken = {one.id for one in found.values()}
        first: dict[tuple[str, str], Variant] = {}
        for one in usable:
            if one.id not in taken:
                first.setdefault((names[one.id], one.item_id), one)
        having = Counter(name for name, _ in first)
        rare = {name for name, number in having.items() if number < FEWEST_ITEMS * n_items}
        for place, one in first.items():
            if place[0] not in rare:
                found.setdefault(place, one)
    return found, sorted(rare)
