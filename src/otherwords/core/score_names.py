"""The scores that a log's samples have → their names, `name` or `name.key`, and which of them counts.

A scorer gives one value, or a dictionary of several; each part of one is a score of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Parts = Mapping[str, Sequence[str]]
"""For each scorer the parts of its score; none where it gives one value."""
Chosen = tuple[str, str | None]
"""A scorer, and the part of its score."""


def score_parts(values: Sequence[Mapping[str, Any]], computed: Sequence[tuple[str, str]]) -> Parts:
    """The scorers and the parts of their scores, in the order in which Inspect lists them.

    Args:
        values: For each sample what each scorer gave it.
        computed: The scorer and the part (or the scorer again) of everything that Inspect has results of.

    Example:
        >>> from otherwords.core.score_names import score_parts
        >>> score_parts([{"match": "C", "grade": {"style": 1, "facts": 0}}], [("grade", "facts")])
        {'grade': ['facts', 'style'], 'match': []}
    """
    present = dict.fromkeys(name for sample in values for name in sample)
    listed = [scorer for scorer, _ in computed if scorer in present]
    return {
        name: _keys(
            (sample.get(name) for sample in values), [part for scorer, part in computed if scorer == name]
        )
        for name in dict.fromkeys([*listed, *present])
    }


def _keys(values: Iterable[Any], computed: Sequence[str]) -> list[str]:
    """Of a score that is a dictionary; what Inspect computes something of comes first."""
    # A sample without a score has NaN in place of its dictionary.
    first = next((value for value in values if isinstance(value, Mapping)), None)
    if first is None:
        return []
    return list(dict.fromkeys([*(key for key in computed if key in first), *map(str, first)]))


def score_label(name: str, key: str | None) -> str:
    """As `--scorer` takes it."""
    return name if key is None else f"{name}.{key}"


def score_labels(parts: Parts) -> list[str]:
    """Every score by its name.

    Example:
        >>> from otherwords.core.score_names import score_labels
        >>> score_labels({"grade": ["facts", "style"], "match": []})
        ['grade.facts', 'grade.style', 'match']
    """
    return [label for name, keys in parts.items() for label in [f"{name}.{key}" for key in keys] or [name]]


def find_score(wanted: str, parts: Parts) -> Chosen | None:
    """What `name`, `package/name` or `name.key` stands for; of several parts the first, if none is named.

    Example:
        >>> from otherwords.core.score_names import find_score
        >>> find_score("grade.style", {"grade": ["facts", "style"]})
        ('grade', 'style')
    """
    by_name = {name.rsplit("/", 1)[-1]: name for name in reversed(list(parts))} | {one: one for one in parts}
    if wanted in by_name:
        name = by_name[wanted]
        return name, next(iter(parts[name]), None)
    dots = [place for place, letter in enumerate(wanted) if letter == "."]
    for place in reversed(dots):  # both a scorer's name and a key may have dots
        found = by_name.get(wanted[:place])
        if found is not None and wanted[place + 1 :] in parts[found]:
            return found, wanted[place + 1 :]
    return None


def counted_and_others(wanted: str | None, parts: Parts) -> tuple[Chosen, list[str]] | None:
    """The score that counts, and what else could have been chosen: nothing, if one score was named.

    Args:
        wanted: As given by `--scorer`; None for the first.
        parts: What there is.

    Returns:
        None where there is no score, or none of the name.

    Example:
        >>> from otherwords.core.score_names import counted_and_others
        >>> counted_and_others(None, {"match": [], "grade": ["facts", "style"]})
        (('match', None), ['grade.facts', 'grade.style'])
        >>> counted_and_others("grade", {"match": [], "grade": ["facts", "style"]})
        (('grade', 'facts'), ['grade.style'])
    """
    chosen = find_score(next(iter(parts), "") if wanted is None else wanted, parts)
    if chosen is None:
        return None
    name, key = chosen
    open_to = parts if wanted is None else {name: parts[name]}
    if wanted is not None and key is not None and wanted.endswith(f".{key}"):
        open_to = {}
    return chosen, [label for label in score_labels(open_to) if label != score_label(name, key)]


def which_counts(counted: str, others: Sequence[str]) -> str:
    """What a user is told who did not choose among several scores.

    Example:
        >>> from otherwords.core.score_names import which_counts
        >>> which_counts("match", ["grade.style"])
        "'match' counts; there is also 'grade.style' (choose with --scorer)"
    """
    listed = ", ".join(f"'{name}'" for name in others)
    return f"'{counted}' counts; there is also {listed} (choose with --scorer)"
