"""Cases of a marked test → their accepted wordings; a model to ask; scores → PASS, FAIL or CANNOT TELL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.texts import about
from otherwords.core.types import Item, Variant, letter_of, whole_text
from otherwords.core.verdict import FAILS, UNDECIDED, Decision
from otherwords.items import items_from_records, load_items
from otherwords.metrics import check_table, summarise
from otherwords.metrics.gate import BEYOND_NOISE
from otherwords.pipeline.templates import vary
from otherwords.variants.base import DEFAULT_FAMILIES
from otherwords.variants.file import read_variants

PASS, FAIL, CANNOT_TELL = "PASS", "FAIL", "CANNOT TELL"
_LISTS = (
    ("cases", (str, Path, Iterable), "a file, or a list of dictionaries or texts"),
    ("families", (str, list, tuple), "the name of a family, or a list of such names"),
    ("variants", (str, Path), "a file that otherwords vary wrote"),
)
_EXAMPLES = 3
_LONGEST = 160


@dataclass(frozen=True)
class Case:
    """One wording of a case."""

    id: str
    prompt: str
    """What to ask: the wording, with its options by letters if it has any."""
    target: tuple[str, ...]
    """Accepted answers; of multiple choice the letter of the right option."""
    choices: tuple[str, ...]
    variant: str
    """`orig`, or the name of the rewording."""
    metadata: Mapping[str, Any]
    """Other fields of the case."""

    def right(self, answer: str) -> bool:
        """Whether the answer has an accepted one in it in whole words, or the right letter."""
        from otherwords.runs.agents import as_letter
        from otherwords.runs.item_task import contains_answer

        if not self.target:
            raise InputError(f"case '{self.id}' has no answer, so that case.right cannot tell")
        if self.choices:
            return f"ANSWER: {self.target[0]}" in as_letter(answer, self.choices)
        return contains_answer(answer, self.target)


@dataclass(frozen=True)
class Found:
    """What a marked test came to."""

    status: str
    text: str
    summary: dict[str, Any]


def wordings_of(given: Mapping[str, Any], find: Callable[[str | Path], Path]) -> Iterator[Case]:
    """The accepted wordings of every case that the arguments of a mark name; `find` finds a file."""
    cases = given.get("cases")
    if cases is None:
        raise InputError("the mark otherwords needs cases=, a file or a list of dictionaries")
    if isinstance(cases, str | Path):
        items = load_items(find(cases))
    else:
        items = items_from_records(list(cases), needs_answers=False)
    if "variants" in given:
        known = {one.id for one in items}
        file = read_variants(find(given["variants"]))
        variants = [one for one in file.accepted if one.item_id in known]
    else:
        made = vary(items, _families(given.get("families")), k=given.get("k"), seed=given.get("seed", 0))
        variants = [one.variant for one in made if one.accepted]
    if all(one.is_original for one in variants):
        raise InputError(
            "there is no accepted rewording of any case", hint="Choose other families= or a larger k=."
        )
    by_id = {one.id: one for one in items}
    for variant in variants:
        yield _case(by_id[variant.item_id], variant)


def asking_model(name: str) -> Callable[[str], Any]:
    """A function that asks the Inspect model of this name; it is opened now, and refused if it cannot be."""
    from inspect_ai.model import get_model

    from otherwords.runs.resolve import require_models, suppress_output

    require_models([name])
    with suppress_output():
        model = get_model(name)

    async def ask(prompt: str) -> str:
        return (await model.generate(prompt)).completion

    return ask


def _case(item: Item, variant: Variant) -> Case:
    text = whole_text(variant.prompt)
    target = (letter_of(variant.target),) if isinstance(variant.target, int) else tuple(variant.target)
    if variant.choices:
        options = "\n".join(f"{letter_of(place)}) {option}" for place, option in enumerate(variant.choices))
        text = f"{text}\n\n{options}\n\nAnswer with the letter of the right option."
    return Case(item.id, text, target, variant.choices, variant.name, item.metadata)


def decided(
    test: str,
    rows: list[dict[str, Any]],
    thresholds: Mapping[str, float],
    calls: int,
    planned: int,
    told: list[tuple[Case, str]],
    errors: list[str],
    spent: bool,
) -> Found:
    lines = []
    if spent:
        lines.append(f"the budget of calls was used up after {len(rows)} of {planned} runs")
    if errors:
        lines.append(f"{len(errors)} of {len(rows)} runs have no score: {errors[0]}")
    status = CANNOT_TELL
    decisions: list[Decision] = []
    if rows:
        status, decisions = decide_rows(rows, thresholds)
    lines += [f"{status_of(one)} {one.name.replace('_', '-')}: {one.why}" for one in decisions]
    by_case: dict[str, str] = {}
    for case, said in told:
        if case.variant != "orig":
            first = next(iter(said.splitlines()), "")
            by_case.setdefault(
                case.id, f"  {case.id}, {case.variant}: {short(case.prompt)}\n    {short(first)}"
            )
    if by_case and status != PASS:
        lines += ["Rewordings that failed, for example:", *list(by_case.values())[:_EXAMPLES]]
    summary = {"test": test, "status": status, "calls": calls, "runs": len(rows), "planned": planned}
    summary["decisions"] = [f"{one.name}: {one.why}" for one in decisions]
    more = [one.more_calls for one in decisions if status_of(one) == CANNOT_TELL and one.more_calls]
    head = f"otherwords: {status}"
    if status == CANNOT_TELL and more:
        head += f", needs about {about(max(more))} more calls"
    return Found(status, "\n".join([head, *lines]), summary)


def status_of(decision: Decision) -> str:
    """PASS, FAIL or CANNOT TELL."""
    return decision.status.upper()


def _families(given: Any) -> Sequence[str]:
    if given is None:
        return DEFAULT_FAMILIES
    return (given,) if isinstance(given, str) else tuple(given)


def require_arguments(given: Mapping[str, Any], thresholds: Mapping[str, float]) -> None:
    """Refuse arguments of a mark that cannot be used, before anything is paid for."""
    for name, value in thresholds.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{name} must be a number, got {value!r}")
    repeats = given.get("repeats", 2)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise InputError(f"repeats must be a whole number of at least 1, got {repeats!r}")
    for name, kinds, wanted in _LISTS:
        if name in given and not isinstance(given[name], kinds):
            raise InputError(f"{name} must be {wanted}, got an object of type {type(given[name]).__name__}")
    runs = [{"id": "q", "variant": name, "repeat": 1, "score": 1.0} for name in ("orig", "para1")]
    check_table(pl.DataFrame(runs), thresholds)


def decide_rows(rows: list[dict[str, Any]], thresholds: Mapping[str, float]) -> tuple[str, list[Decision]]:
    """The test's status, and the decision on each threshold.

    A miss that run-to-run noise alone may explain, since a wording that is asked again differs as much, is
    CANNOT TELL.
    """
    table = pl.DataFrame(rows, infer_schema_length=None)
    decisions: list[Decision] = []
    for one in check_table(table, thresholds).decisions:
        if one.status == FAILS and one.metric in BEYOND_NOISE and one.value is not None:
            metric, nothing, name = BEYOND_NOISE[one.metric]
            (beyond,) = (found[metric] for found in summarise(table, metrics=[metric]).values())
            if beyond.low is not None and beyond.high is not None and beyond.low <= nothing <= beyond.high:
                why = f"{one.why}; run-to-run noise alone may explain it: {name} {beyond.value:.3f}"
                one = replace(one, status=UNDECIDED, why=why)  # noqa: PLW2901
        decisions.append(one)
    statuses = {status_of(one) for one in decisions}
    return next(status for status in (FAIL, CANNOT_TELL, PASS) if status in statuses), decisions


def short(text: str) -> str:
    """One line of it."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
