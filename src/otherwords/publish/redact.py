"""An outcome table, or the data of a report → the same redacted for publication.

A column of a table is published because it is in `PUBLIC_COLUMNS`; every other column is dropped. A report
has no prompt, answer, log address or raw item id. Items have the names that `publish.pseudonyms` gives them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar

import polars as pl

from otherwords.core.contract import (
    AGENT_FAILED,
    FORMAT_FAILURE,
    NO_MODEL_CALL,
    OUTCOMES,
    PROVIDER_FAILED,
    SCORED,
    SWALLOWED_ERRORS,
    WORDING_NOT_SEEN,
)
from otherwords.core.secret_patterns import redacted
from otherwords.core.table import WORDING_COLUMNS, as_outcomes
from otherwords.core.types import Estimate
from otherwords.core.verdict import ChangeLoss, Evidence, Verdict
from otherwords.core.wording_names import levels_text, read_levels
from otherwords.publish.pseudonyms import WITHHELD, Pseudonyms

PUBLIC_COLUMNS = (
    "task",
    "model",
    "id",  # hashed
    "variant",
    "kind",
    "change",
    "paraphrase_id",
    "perturbation_kind",
    "template",
    "wording",
    "levels",
    "repeat",
    "status",
    "outcome",  # one of nine words
    "score",
    "correct",
    "answer",  # hashed: tells whether two answers are the same, and nothing else
    "confidence",
    "seed",
    "reason",  # one of ours, or the class of an error
    "scorer",  # its name
    "reducer",  # its name
)
"""Tokens, seconds and distances are not among them: they tell how long a prompt is, so that a guess could be
tested."""
OWN_REASONS = frozenset(
    {
        FORMAT_FAILURE,
        "the log has no score for it",
        "the table has no score for it",
        "the scorer gave no score",
        "the score is not one number",
        "interrupted before it finished",
        NO_MODEL_CALL,
        SWALLOWED_ERRORS,
        WORDING_NOT_SEEN,
    }
)
"""Reasons for a missing score that are sentences of this package and quote nothing."""
LIMITS = frozenset({"context", "time", "working", "message", "token", "turn", "cost", "operator", "custom"})
"""The names of Inspect's limits."""
_NEVER_RAN = re.compile(r"never ran: the run ended as '[a-z]{1,20}'")
# The class at the beginning of an error's text, behind the names of its modules: `openai.RateLimitError(…`.
_ERROR_CLASS = re.compile(r"[A-Za-z_.]{0,60}?([A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout|Exceeded))\b")
_ORDER = ["task", "model", "id"]


def public_outcomes(table: pl.DataFrame, names: Pseudonyms, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """`PUBLIC_COLUMNS` of an outcome table, sorted by hashed id so that the order does not tell the items.

    Every metric gives the same for it as for `table`. `keep` are further columns, left as they are.
    """
    outcomes = as_outcomes(table).with_columns(answer=_answers(as_outcomes(table), names))
    changed: dict[str, Callable[[str], str | None]] = {
        "model": redacted,
        "id": names.item,
        "variant": lambda text: names.word("variant", text),
        "kind": lambda text: names.word("kind", text),
        "change": lambda text: names.word("change", text),
        "paraphrase_id": lambda text: names.word("variant", text),
        "perturbation_kind": lambda text: names.word("change", text),
        "template": lambda text: names.word("variant", text),
        "wording": lambda text: names.word("variant", text),
        "levels": lambda text: _levels(text, names),
        "outcome": lambda text: text if text in OUTCOMES else None,
        "reason": public_reason,
        "scorer": lambda text: names.word("scorer", text),
        "reducer": lambda text: names.word("reducer", text),
    }
    for column, rename in changed.items():
        old = outcomes[column].unique().drop_nulls().to_list()
        new = {text: rename(text) for text in old}
        outcomes = outcomes.with_columns(
            pl.col(column).replace_strict(new, default=None, return_dtype=pl.String)
        )
    return outcomes.select(*PUBLIC_COLUMNS, *keep).sort(_ORDER, maintain_order=True)


def _levels(text: str, names: Pseudonyms) -> str:
    """The levels of a design, each by a name that may be told."""
    told = {
        names.word("kind", factor): names.word("variant", level)
        for factor, level in read_levels(text).items()
    }
    return levels_text(told)


def public_reason(reason: str) -> str:
    """A reason of ours, the name of a limit, or the class of an error; an error's text may quote anything."""
    if reason in OWN_REASONS or reason in LIMITS or _NEVER_RAN.fullmatch(reason):
        return reason
    blame = next((start for start in (AGENT_FAILED, PROVIDER_FAILED) if reason.startswith(start)), "")
    named = _ERROR_CLASS.match(reason.removeprefix(blame).removeprefix("raised "))
    return blame + (named.group(1) if named else WITHHELD)


def _answers(outcomes: pl.DataFrame, names: Pseudonyms) -> pl.Series:
    """Hashed, and told apart where the metrics would: by options where an item has any, else by text."""
    scored = pl.col("status") == SCORED
    has_options = (pl.col("pred_index").is_not_null() & scored).any().over("task", "model", "id")
    given = outcomes.select(
        "task",
        given=pl.when(has_options)
        .then(pl.coalesce(pl.format("option {}", "pred_index"), pl.format("text {}", "answer")))
        .otherwise(pl.format("text {}", "answer")),
    )
    known = given.unique().drop_nulls()
    hashed = pl.Series("hashed", [names.answer(*row) for row in known.iter_rows()], dtype=pl.String)
    joined = given.join(known.with_columns(hashed), on=["task", "given"], how="left", maintain_order="left")
    # What stands for no readable answer is the outcome, which is public.
    is_outcome = pl.col("answer").eq(pl.format("({})", "outcome")).fill_null(value=False)
    answers = outcomes.with_columns(joined["hashed"]).select(
        answer=pl.when(is_outcome).then("answer").otherwise("hashed")
    )
    return answers["answer"]


NOTE = (
    "Made to be public: prompts, options, answers, targets, log addresses and item ids are not in it. "
    "Items are named by a salted hash."
)
_PRIVATE = ("answer", "reason", "log", "tools", "parting", "parts_at", "arguments", "usual_arguments")
"""Columns of a report's runs."""
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
        .with_columns(pl.lit(None).cast(data.samples.schema[name]).alias(name) for name in _PRIVATE)
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
        trajectories=(),
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
