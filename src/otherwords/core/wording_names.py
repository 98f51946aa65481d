"""Kinds and changes of wordings → names shown to people; the levels of a design ↔ one text in tables."""

from __future__ import annotations

import re
from collections.abc import Mapping

from otherwords.core.contract import (
    CONTROL,
    FAULT,
    OPTIONS,
    ORIG,
    PARAPHRASE,
    PLACES,
    SYSTEM,
    TEMPLATE,
    TOOLS,
)

_KINDS = {
    ORIG: "original",
    PARAPHRASE: "paraphrase",
    "format": "layout",
    OPTIONS: "order of options",
    "naturalistic": "casual typing",
    "typing": "typing slips",
    "voice": "dictated",
    "nonnative": "second-language English",
    "register": "tone",
    "verbosity": "length",
    "position": "place of the question",
    CONTROL: "control",
    "human": "written by people",
    "llm": "written by a model",
    "terse": "terse note",
    "non_native": "non-native, by hand",
    "out_of_order": "told out of order",
    FAULT: "tool fault",
}
_PLACES = {SYSTEM: "system message", TEMPLATE: "template", TOOLS: "descriptions of tools"}
_OTHER_TEMPLATE = "another template"
_CHANGES = {
    "punct": "punctuation",
    "space": "spaces",
    "preamble": "a sentence in front",
    "case": "letter case",
    "upper": "all capitals",
    "enumerator": "labels of options",
    "prose": "list as prose",
    "list": "prose as list",
    "markdown": "Markdown",
    "plain": "no Markdown",
    "json": "as JSON",
    "order:swap": "first and last swapped",
    "order:reverse": "reversed",
    "order:shuffle": "shuffled",
    "typo": "typos",
    "chat": "chat style",
    "terse": "shorter",
    "padded": "longer",
    "american": "American",
    "british": "British",
    "instruction-last": "question last",
    "instruction-first": "question first",
    "system": "in the system message",
    "negate": "negated",
    "number": "another number",
}


def known_changes() -> frozenset[str]:
    """The changes that our families make beside the rules of rewording."""
    return frozenset(_CHANGES)


_RULES = re.compile(r"[a-z][a-z0-9_+-]*")
"""Names of rules of a family."""


_JOINED = re.compile(r"[\w:=.-]+(?:\+[\w:=.-]+)+")
"""Kinds that were applied together; names of others may have a plus as well."""


def kind_name(kind: str) -> str:
    """A kind in words; one that we do not know as it calls itself.

    Examples:
        >>> kind_name("naturalistic"), kind_name("my_family"), kind_name("template:format+typing")
        ('casual typing', 'my_family', 'template (layout) and item (typing slips)')
        >>> kind_name("template+template:paraphrase+paraphrase")
        'another template (paraphrase) and item (paraphrase)'
    """
    if _JOINED.fullmatch(kind):
        return _joined_name(kind.split("+"))
    place, _, family = kind.partition(":")
    if family and place in PLACES:
        return f"{_PLACES.get(place, place)} ({kind_name(family)})"
    return _OTHER_TEMPLATE if kind == TEMPLATE else _KINDS.get(kind, kind)


def _joined_name(kinds: list[str]) -> str:
    """Kinds that were applied together; those of the item are told from those of its surroundings."""
    places = [kind for kind in kinds if kind.partition(":")[0] in PLACES]
    reworded = any(kind.startswith(f"{TEMPLATE}:") for kind in places)
    if TEMPLATE in places and reworded:
        places.remove(TEMPLATE)
    said = " and ".join(map(kind_name, places))
    if TEMPLATE in kinds and reworded:
        said = said.replace(_PLACES[TEMPLATE], _OTHER_TEMPLATE, 1)
    items = [
        f"item ({kind_name(kind)})" if places else kind_name(kind)
        for kind in kinds
        if kind not in (TEMPLATE, *places)
    ]
    return " and ".join(filter(None, [said, *items]))


def change_name(change: str) -> str:
    """A change in words; several rules that were applied together are listed. Others' texts stay as they are.

    Examples:
        >>> change_name("order:reverse"), change_name("verb+want-to-know")
        ('reversed', 'verb, want to know')
    """
    if change in _CHANGES or not _RULES.fullmatch(change):
        return _CHANGES.get(change, change)
    return ", ".join(_CHANGES.get(rule) or re.sub("[_-]", " ", rule) for rule in change.split("+"))


def wording_name(kind: str, change: str = "") -> str:
    """`layout: letter case`; the kind alone where its change says no more.

    Examples:
        >>> wording_name("format", "case"), wording_name("typing", "typing")
        ('layout: letter case', 'typing slips')
    """
    return kind_name(kind) if change in ("", kind) else f"{kind_name(kind)}: {change_name(change)}"


def levels_text(levels: Mapping[str, str]) -> str:
    """The levels of a design in one text, as tables have them: `wording=para1;format=orig`."""
    return ";".join(f"{factor}={level}" for factor, level in levels.items())


def read_levels(text: str) -> dict[str, str]:
    """The levels that `levels_text` wrote."""
    return dict(pair.split("=", 1) for pair in text.split(";") if "=" in pair)
