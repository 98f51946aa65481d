"""Kinds and changes of wordings, as variants files and tables name them → the names shown to people."""

from __future__ import annotations

import re

from otherwords.core.contract import CONTROL, FAULT, OPTIONS, ORIG, PARAPHRASE

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
_RULES = re.compile(r"[a-z][a-z0-9_+-]*")
"""Names of rules of a family."""


def kind_name(kind: str) -> str:
    """A kind in words; one that we do not know as it calls itself.

    Examples:
        >>> kind_name("naturalistic"), kind_name("my_family")
        ('casual typing', 'my_family')
    """
    return _KINDS.get(kind, kind)


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
