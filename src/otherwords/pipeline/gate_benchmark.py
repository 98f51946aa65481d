"""A file of known good and bad rewrites → how often each layer of checks accepts or refuses them, by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from otherwords.audit.dataset_checks import wilson_interval
from otherwords.checks import (
    CHECKS,
    MeaningCheck,
    apply_meaning_checks,
    checks_in_order,
    pairs_to_ask,
    vet,
)
from otherwords.checks.base import check_traits
from otherwords.checks.judge import NAME, JudgeCounts, estimated_tokens
from otherwords.core.contract import FAIL, FLAG_STATUS, INVARIANT, JUDGE, JUDGING, LLM
from otherwords.core.errors import InputError
from otherwords.core.files import read_input
from otherwords.core.types import Item, Variant, Vetted, original, variant_id, varied_text
from otherwords.english.language import is_english
from otherwords.pipeline.decisions import check_settings, judge_counts, with_judge
from otherwords.pipeline.process_pool import ordered_map
from otherwords.pipeline.vary import OnItem, usable_jobs
from otherwords.pipeline.vet import JudgeEstimate
from otherwords.variants.base import language_model

if TYPE_CHECKING:
    from inspect_ai.model import Model

GOOD = "good"
"""The kind of rewrites that ask the same; all other kinds are bad."""


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A rewrite of which it is known whether it asks the same."""

    kind: str
    item: Item
    variant: Variant


@dataclass(frozen=True, slots=True)
class Share:
    """A count of rewrites with its share and Wilson's 95% interval; no share where there are none."""

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Layers:
    """What the layers make of the rewrites of one kind."""

    kind: str
    pairs: int
    invariants_refused: Share
    """Of all: refused by an invariant."""
    flags_sent: Share
    """Of all: not refused, and sent to the judge for a flag."""
    unflagged: Share
    """Of all: neither refused nor flagged, and so accepted without a look."""
    noticed: Share
    """Of all: refused or sent to the judge."""
    judge_accepted: Share | None
    """Of those that were sent to the judge; these three are null where no judge was asked."""
    judge_refused: Share | None
    judge_undecided: Share | None
    accepted: Share
    """Of all: accepted in the end. What nobody decides is not."""
    refused: Share
    undecided: Share


@dataclass(frozen=True, slots=True)
class CheckRate:
    """How often one check objects, whatever the others say."""

    check: str
    layer: str
    good: Share
    bad: Share
    alone_on_good: int
    """Good rewrites to which no other check of its layer objects."""


@dataclass(frozen=True, slots=True)
class GateBenchmark:
    """What the gate makes of a file of known rewrites."""

    pairs: int
    not_english: int
    """Pairs whose original is not in English: checks of words say nothing of them."""
    language_model: str
    checks: dict[str, Any]
    """Settings of the meaning checks that were asked, such as the judge."""
    kinds: tuple[Layers, ...]
    """`good` first, then the bad kinds by name."""
    all_bad: Layers
    rates: tuple[CheckRate, ...]
    """Of each invariant, then of each flag."""
    judged: JudgeCounts | None = None


def measure_gate(
    path: str | Path,
    *,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> GateBenchmark:
    """Measure the gate on rewrites that are known to be good or bad.

    Args:
        path: JSON lines with `original`, `rewrite` and `kind`, and `choices` and `target` where there are
            some; or with `prompt`, a list `good`, and under `bad` a list for each kind. The kind `good` is
            good, all others are bad. Each rewrite is vetted by itself, as one that a model wrote.
        checks: Meaning checks beside those that need no model.
        judge: A model that decides on what carries a flag; nobody by default.
        jobs: Processes that may share the work.
        on_item: Called after each rewrite with how many are done, and of how many.

    Returns:
        For each kind what was refused, sent to the judge and accepted, and the rate of each check.

    Raises:
        InputError: A line cannot be read.

    Example:
        >>> import json, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.jsonl"
        >>> pair = {"original": "Add 2 to 3.", "rewrite": "Add 2 to 4.", "kind": "number"}
        >>> _ = path.write_text(json.dumps(pair))
        >>> measure_gate(path).all_bad.invariants_refused.count
        1
    """
    checks = with_judge(checks, judge)
    pairs = read_pairs(path)
    vetted = _vetted(pairs, checks, jobs, on_item)
    return summarise_gate(pairs, vetted, checks)


def estimate_gate(
    path: str | Path,
    *,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> JudgeEstimate:
    """What `measure_gate` would ask of the judge; nothing is asked."""
    checks = with_judge(checks, judge)
    if not checks or checks[-1].name != NAME:
        raise InputError("no judge is named", hint="For example: --judge openai/gpt-4o-mini")
    *others, asked = checks
    pairs = read_pairs(path)
    vetted = _vetted(pairs, others, jobs, on_item)
    wanted = pairs_to_ask(asked, [(pair.item, [one]) for pair, one in zip(pairs, vetted, strict=True)])
    return JudgeEstimate(len(wanted), 2 * len(wanted), estimated_tokens(wanted))


def summarise_gate(
    pairs: Sequence[KnownPair], vetted: Sequence[Vetted], checks: Sequence[MeaningCheck] = ()
) -> GateBenchmark:
    """The figures of pairs that were vetted, in the same order."""
    groups: dict[str, list[Vetted]] = {}
    for pair, one in zip(pairs, vetted, strict=True):
        groups.setdefault(pair.kind, []).append(one)
    good = groups.get(GOOD, [])
    bad = [one for kind, group in groups.items() if kind != GOOD for one in group]
    judged = any(check.name == NAME for check in checks)
    kinds = [GOOD] * bool(good) + sorted(kind for kind in groups if kind != GOOD)
    return GateBenchmark(
        pairs=len(pairs),
        not_english=sum(not is_english(varied_text(pair.item.prompt)) for pair in pairs),
        language_model=language_model(pair.item for pair in pairs),
        checks=check_settings(checks),
        kinds=tuple(_layers(kind, groups[kind], judged) for kind in kinds),
        all_bad=_layers("all bad", bad, judged),
        rates=tuple(_rates(good, bad)),
        judged=judge_counts(checks),
    )


def _vetted(
    pairs: Sequence[KnownPair], checks: Sequence[MeaningCheck], jobs: int, on_item: OnItem | None
) -> list[Vetted]:
    done: list[Vetted] = []
    with closing(ordered_map(_vet_alone, pairs, usable_jobs(jobs))) as groups:
        each = ((pair.item, group) for pair, group in zip(pairs, groups, strict=True))
        for [one] in apply_meaning_checks(each, checks):
            done.append(one)
            if on_item is not None:
                on_item(len(done), len(pairs))
    return done


def _vet_alone(pair: KnownPair) -> list[Vetted]:
    return vet(pair.item, [pair.variant])


def _share(group: Sequence[Vetted], test: Callable[[Vetted], bool]) -> Share:
    count, of = sum(map(test, group)), len(group)
    if not of:
        return Share(count, of, None, None, None)
    return Share(count, of, count / of, *wilson_interval(count, of))


def _layers(kind: str, group: Sequence[Vetted], judged: bool) -> Layers:
    sent = [one for one in group if _is_sent(one)]

    def of_sent(status: str) -> Share | None:
        return _share(sent, lambda one: one.status == status) if judged else None

    return Layers(
        kind=kind,
        pairs=len(group),
        invariants_refused=_share(group, _is_refused),
        flags_sent=_share(group, _is_sent),
        unflagged=_share(group, lambda one: not _is_refused(one) and not _is_sent(one)),
        noticed=_share(group, lambda one: _is_refused(one) or _is_sent(one)),
        judge_accepted=of_sent("accepted"),
        judge_refused=of_sent("rejected"),
        judge_undecided=of_sent("undecided"),
        accepted=_share(group, lambda one: one.status == "accepted"),
        refused=_share(group, lambda one: one.status == "rejected"),
        undecided=_share(group, lambda one: one.status == "undecided"),
    )


def _is_refused(one: Vetted) -> bool:
    return any(check.status == FAIL and check.check not in JUDGING for check in one.checks)


def _is_sent(one: Vetted) -> bool:
    return not _is_refused(one) and any(check.check != JUDGE for check in one.flags)


def _rates(good: Sequence[Vetted], bad: Sequence[Vetted]) -> Iterator[CheckRate]:
    layers = {name: check_traits(check).layer for name, check in CHECKS}
    for name, _ in checks_in_order():
        objection = FAIL if layers[name] == INVARIANT else FLAG_STATUS

        def objects(one: Vetted, name: str = name, objection: str = objection) -> bool:
            return any(check.check == name and check.status == objection for check in one.checks)

        def alone(one: Vetted, name: str = name, objection: str = objection) -> bool:
            return {check.check for check in one.checks if check.status == objection} == {name}

        yield CheckRate(
            name, layers[name], _share(good, objects), _share(bad, objects), sum(map(alone, good))
        )


def read_pairs(path: str | Path) -> list[KnownPair]:
    """Read known rewrites, in either form that `measure_gate` takes."""
    path = Path(path)
    found: list[KnownPair] = []
    for number, line in enumerate(read_input(path).removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if line.strip():
            found += _pairs_of(_Line(path, number, line))
    if not found:
        raise InputError("there are no rewrites in it", file=path)
    return found


class _Line:
    """The fields of one line; what is wrong with it is told with its place."""

    def __init__(self, path: Path, number: int, line: bytes) -> None:
        self.path, self.number = path, number
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise self.error(f"not valid JSON at column {error.colno}") from None
        if not isinstance(fields, dict):
            raise self.error("expected an object with original, rewrite and kind")
        self.fields: dict[str, Any] = fields

    def error(self, problem: str) -> InputError:
        return InputError(problem, file=self.path, line=self.number)

    def text(self, key: str) -> str:
        value = self.fields.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"{key} is missing" if key not in self.fields else f"{key} must be a text")
        return value

    def texts(self, value: object, key: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.error(f"{key} must be a list of texts")
        return tuple(value)

    def target(self, choices: Sequence[str]) -> int | tuple[str, ...]:
        value = self.fields.get("target", [])
        if isinstance(value, int) and not isinstance(value, bool):
            if not 0 <= value < len(choices):
                raise self.error(f"target {value} is none of the {len(choices)} choices")
            return value
        return (value,) if isinstance(value, str) else self.texts(value, "target")


def _pairs_of(line: _Line) -> Iterable[KnownPair]:
    listed = "prompt" in line.fields and "original" not in line.fields
    choices = line.texts(line.fields.get("choices", []), "choices")
    prompt = line.text("prompt" if listed else "original")
    item = Item(f"line {line.number}", prompt, choices, line.target(choices))
    if not listed:
        return [_pair(item, line.text("kind"), 1, line.text("rewrite"))]
    bad = line.fields.get("bad", {})
    if not isinstance(bad, dict):
        raise line.error("bad must be an object with a list of texts for each kind")
    lists = {GOOD: line.texts(line.fields.get("good", []), "good")}
    lists |= {kind: line.texts(texts, f"bad.{kind}") for kind, texts in bad.items()}
    return [
        _pair(item, kind, place, text) for kind, texts in lists.items() for place, text in enumerate(texts, 1)
    ]


def _pair(item: Item, kind: str, place: int, text: str) -> KnownPair:
    name = f"{kind}{place}"
    made = replace(original(item), id=variant_id(item.id, name), name=name, kind=LLM, prompt=text)
    return KnownPair(kind, item, made)
