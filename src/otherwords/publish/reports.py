"""Report data → the same report redacted for publication: no prompt, answer, log address or raw item id.

Items have the names that `publish.pseudonyms` gives them, as in public logs and tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar

import polars as pl

from otherwords.core.table import WORDING_COLUMNS
from otherwords.core.types import Estimate
from otherwords.core.verdict import ChangeLoss, Evidence, Verdict
from otherwords.publish.pseudonyms import WITHHELD, Pseudonyms

NOTE = (
    "Made to be public: prompts, options, answers, targets, log addresses and item ids are not in it. "
    "Items are named by a salted hash."
)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+( UTC)?")


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


class _WithEstimates(_Dataclass, Protocol):
    @property
    def estimates(self) -> Mapping[str, Estimate]: ...


class _Agent(_WithEstimates, Protocol):
    @property
    def verdict(self) -> Verdict: ...
    @property
    def flips(self) -> Mapping[str, Estimate]: ...


class _RunPoint(_WithEstimates, Protocol):
    @property
    def label(self) -> str: ...


class _Baseline(_Dataclass, Protocol):
    @property
    def broken(self) -> Sequence[str]: ...
    @property
    def fixed(self) -> Sequence[str]: ...
    @property
    def change(self) -> Estimate: ...


class _Provenance(_Dataclass, Protocol):
    @property
    def families(self) -> Sequence[tuple[str, int]]: ...


class _Report(_Dataclass, Protocol):
    """What is needed of `report.ReportData`; its other fields stay as they are."""

    @property
    def agents(self) -> Sequence[_Agent]: ...
    @property
    def items(self) -> pl.DataFrame: ...
    @property
    def kinds(self) -> pl.DataFrame: ...
    @property
    def cells(self) -> pl.DataFrame: ...
    @property
    def samples(self) -> pl.DataFrame: ...
    @property
    def wordings(self) -> pl.DataFrame: ...
    @property
    def baseline(self) -> Sequence[_Baseline]: ...
    @property
    def provenance(self) -> _Provenance | None: ...
    @property
    def skipped(self) -> Sequence[_Dataclass]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def history(self) -> Sequence[_RunPoint]: ...
    @property
    def audited(self) -> Sequence[_WithEstimates]: ...
    @property
    def runs(self) -> Sequence[str]: ...
    @property
    def logs(self) -> Sequence[_Dataclass]: ...
    @property
    def outcome_rates(self) -> pl.DataFrame: ...


Report = TypeVar("Report", bound=_Report)


def public_report(data: Report, salt: bytes) -> Report:
    """`data` as it may be shown to anyone. Model and benchmark names, the title and the notes stay."""
    names = Pseudonyms(salt)
    ids = _named(_all(data, "id"), names.item)
    words = {what: _words(data, what, names) for what in ("variant", "kind", "change")}
    changed = {"id": ids, **words}
    cells = _renamed(data.cells, changed).with_columns(
        answer=pl.lit(None, pl.String), log=pl.lit(None, pl.String)
    )
    wordings = _renamed(data.wordings, changed).with_columns(
        prompt=pl.lit(None, pl.String),
        choices=pl.lit(None, WORDING_COLUMNS["choices"]),
        target=pl.lit(None, pl.String),
    )
    runs = {
        label: label if _TIME.fullmatch(label) else f"run {place}"
        for place, label in enumerate(data.runs, start=1)
    }
    return replace(
        data,
        agents=tuple(_agent(agent, words, ids) for agent in data.agents),
        items=_renamed(data.items, changed).sort("task", "model", "id"),
        kinds=_renamed(data.kinds, changed),
        cells=cells.sort("task", "model", "id", maintain_order=True),
        samples=_renamed(data.samples, changed)
        .with_columns(pl.lit(None, pl.String).alias(name) for name in ("answer", "reason", "log"))
        .sort("task", "model", "id", maintain_order=True),
        wordings=wordings.sort("task", "id", maintain_order=True),
        skipped=tuple(
            replace(one, file=f"file {number}", reason=WITHHELD)
            for number, one in enumerate(data.skipped, start=1)
        ),
        notes=(NOTE, *data.notes),
        history=tuple(_point(point, runs, ids) for point in data.history),
        logs=tuple(replace(one, log=f"log {number}") for number, one in enumerate(data.logs, start=1)),
        outcome_rates=_renamed(data.outcome_rates, changed),
        audited=tuple(replace(one, estimates=_about_no_item(one.estimates, ids)) for one in data.audited),
        baseline=tuple(_against(one, ids) for one in data.baseline),
        baseline_name="",
        provenance=None if data.provenance is None else _made(data.provenance, words["kind"]),
        public=True,
    )


def _all(data: _Report, column: str) -> list[str]:
    frames = (data.items, data.kinds, data.cells, data.samples, data.wordings, data.outcome_rates)
    found = [frame[column] for frame in frames if column in frame.columns]
    return pl.concat(found).unique().drop_nulls().to_list() if found else []


def _named(texts: list[str], name: Callable[[str], str]) -> dict[str, str]:
    return {text: name(text) if text else text for text in texts}


def _renamed(frame: pl.DataFrame, names: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    return frame.with_columns(
        pl.col(column).replace_strict(dict(names[column]), default=None, return_dtype=pl.String)
        for column in names
        if column in frame.columns
    )


def _words(data: _Report, what: str, names: Pseudonyms) -> dict[str, str]:
    return _named(_all(data, what), lambda text: names.word(what, text))


def _agent(agent: _Agent, words: Mapping[str, Mapping[str, str]], ids: Mapping[str, str]) -> _Agent:
    flips = {words["kind"].get(kind, WITHHELD): one for kind, one in agent.flips.items()}
    return replace(
        agent,
        estimates=_about_no_item(agent.estimates, ids),
        flips=_about_no_item(flips, ids),
        verdict=_verdict(agent.verdict, words, ids),
    )


def _verdict(verdict: Verdict, words: Mapping[str, Mapping[str, str]], ids: Mapping[str, str]) -> Verdict:
    """Without raw ids, without what a log says of a failure; kinds and changes by their public names."""

    def evidence(one: Evidence) -> Evidence:
        return replace(one, reason=_hidden(one.reason, ids))

    def renamed(one: ChangeLoss) -> ChangeLoss:
        kind = words["kind"].get(one.kind, WITHHELD)
        change = words["change"].get(one.change, WITHHELD) if one.change else ""
        return replace(one, kind=kind, change=change, loss=evidence(one.loss))

    def told(sentence: str) -> str:
        for one in verdict.changes:
            sentence = sentence.replace(f"'{one.name}'", f"'{renamed(one).name}'")
        return sentence

    estimates = _about_no_item({"all": verdict.accuracy, "orig": verdict.accuracy_orig}, ids)
    reasons = tuple(replace(one, reason="", example=WITHHELD) for one in verdict.unscored.reasons)
    return replace(
        verdict,
        sentence=told(verdict.sentence),
        cautions=tuple(map(told, verdict.cautions)),
        accuracy=estimates["all"],
        accuracy_orig=estimates["orig"],
        loss=evidence(verdict.loss),
        excess_flips=evidence(verdict.excess_flips),
        phrasing_share=evidence(verdict.phrasing_share),
        changes=tuple(map(renamed, verdict.changes)),
        worst=None if verdict.worst is None else renamed(verdict.worst),
        items=tuple(replace(one, id=ids.get(one.id, WITHHELD)) for one in verdict.items),
        unscored=replace(verdict.unscored, reasons=reasons),
        power=replace(verdict.power, reason=_hidden(verdict.power.reason, ids)),
    )


def _against(row: _Baseline, ids: Mapping[str, str]) -> _Baseline:
    named = {
        what: tuple(sorted(ids.get(one, WITHHELD) for one in found))
        for what, found in (("broken", row.broken), ("fixed", row.fixed))
    }
    return replace(row, change=_about_no_item({"": row.change}, ids)[""], **named)


def _made(made: _Provenance, kinds: Mapping[str, str]) -> _Provenance:
    families = tuple((kinds.get(kind, WITHHELD), count) for kind, count in made.families)
    return replace(made, families=families, files=())


def _point(point: _RunPoint, runs: Mapping[str, str], ids: Mapping[str, str]) -> _RunPoint:
    return replace(point, label=runs[point.label], estimates=_about_no_item(point.estimates, ids))


def _about_no_item(estimates: Mapping[str, Estimate], ids: Mapping[str, str]) -> dict[str, Estimate]:
    """A reason is a sentence of a metric, and might name an item."""
    return {name: replace(one, group="", reason=_hidden(one.reason, ids)) for name, one in estimates.items()}


def _hidden(text: str, ids: Mapping[str, str]) -> str:
    """The text, unless it has the id of an item in it."""
    return WITHHELD if any(id_ in text for id_ in ids) else text
