"""What `evaluate` gives back: `Evaluation`, and `EvaluationComparison` of two; both show themselves."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.contract import AGENT_ERROR
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.texts import of_things, p_number, percent
from otherwords.core.types import Estimate
from otherwords.metrics import Comparison, changed_items, compare
from otherwords.report.comparison import Compared, changed_line, comparison_sentence, html_table
from otherwords.report.formats import METRIC_NAMES, interval

if TYPE_CHECKING:
    from otherwords.core.verdict import Verdict
    from otherwords.report import ReportData
    from otherwords.runs import RunSummary

_SHOWN = ("accuracy", "accuracy_orig", "delta_accuracy", "excess_flips", "s_prompt", "s_norm")
_ITEMS_SHOWN = 3


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What was asked, and what came of it."""

    summary: RunSummary
    """Counts of samples, calls and tokens, and the paths of the logs."""
    log_dir: Path
    """Given as `log_dir=` to the next call, it asks only what is missing."""
    data: ReportData
    """All that a report shows."""
    table: pl.DataFrame
    """One row for each model, item, wording and repeat."""
    scorer: str | None = None

    @property
    def models(self) -> list[str]:
        """The models or agents that were asked."""
        return [one.model for one in self.data.agents]

    def __getitem__(self, model: str) -> Evaluation:
        """The part of one of several models."""
        if model not in self.models:
            raise UnknownNameError("model", str(model), self.models)
        agents = tuple(one for one in self.data.agents if one.model == model)
        return replace(self, data=replace(self.data, agents=agents), table=self.table.filter(model=model))

    def _only(self) -> Any:
        if len(self.data.agents) != 1:
            raise InputError(
                f"{len(self.data.agents)} models were asked, and each has its own",
                hint=f"Say which: evaluation[{self.models[0]!r}]" if self.models else None,
            )
        return self.data.agents[0]

    @property
    def verdict(self) -> Verdict:
        """What wording does to the model: effect, sentence, what to do next."""
        verdict: Verdict = self._only().verdict
        return verdict

    @property
    def estimates(self) -> Mapping[str, Estimate]:
        """Every metric of the model, with its interval."""
        estimates: Mapping[str, Estimate] = self._only().estimates
        return estimates

    def report(self, path: str | Path = "report") -> Path:
        """Write the page, tables and figures to a folder; returns the page."""
        from otherwords.pipeline.write_report import write_report

        if not isinstance(path, str | Path):
            raise InputError(f"a report is written to a folder, and its path is {kind_of(path)}")
        return write_report(self.log_dir, path, scorer=self.scorer)[1][0]

    def show(self) -> None:
        """Show the verdict: as a table in a notebook, as text elsewhere."""
        notebook: Any = sys.modules.get("IPython")
        if notebook is not None and notebook.get_ipython() is not None:
            notebook.display.display(self)
        else:
            print(self)  # noqa: T201

    def compare(self, other: Evaluation) -> EvaluationComparison:
        """What changes from this evaluation to another: measures with intervals, and the items that broke."""
        if not isinstance(other, Evaluation):
            raise InputError(f"an Evaluation is compared with another one, not with {kind_of(other)}")
        for one in (self, other):
            if len(one.models) > 1:
                raise InputError(
                    f"{len(one.models)} models were asked, and one is compared with one",
                    hint=f"Say which: evaluation[{one.models[0]!r}].compare(…)",
                )
        found = compare(self.table, other.table)
        given = {name: getattr(found, name) for name in Comparison.__dataclass_fields__}
        return EvaluationComparison(**given, items=changed_items(self.table, other.table))

    def __repr__(self) -> str:
        told = "; ".join(f"{one.verdict.name}: {one.verdict.effect}" for one in self.data.agents)
        return f"<Evaluation of {told}; logs in {self.log_dir}>"

    def __str__(self) -> str:
        lines = []
        for one in self.data.agents:
            lines.append(one.verdict.sentence)
            lines += [f"  · {in_python(caution)}" for caution in one.verdict.cautions]
            lines += [f"  {in_python(action)}" for action in one.verdict.actions]
        return "\n".join([*lines, *self._trouble(), f"Logs: {self.log_dir}"])

    def _trouble(self) -> Iterator[str]:
        """What went wrong in the run, which the verdict counts and does not explain."""
        counts = self.summary.outcomes
        failed, unscored = counts.count(AGENT_ERROR), sum(counts.unscored.values())
        if failed:
            yield (
                f"{failed:,} of {of_things(counts.runs, 'run')} failed by the agent's own fault and count as "
                f"0, the first with {counts.first.get(AGENT_ERROR, 'an error that is in the logs')}"
            )
        if unscored:
            why = next((counts.first[one] for one in counts.unscored if one in counts.first), None)
            yield f"{unscored:,} of {of_things(counts.runs, 'run')} have no score" + (
                f", the first with {why}" if why else ""
            )
        if self.summary.stopped:
            yield (
                f"Stopped at the budget ({self.summary.stopped}). The same call with "
                f"log_dir={str(self.log_dir)!r} goes on."
            )

    def _repr_html_(self) -> str:
        said = ""
        for one in self.data.agents:
            said += f"<p><b>{escape(one.verdict.sentence)}</b></p>"
            said += _html_list(map(in_python, [*one.verdict.cautions, *one.verdict.actions]))
        rows = [
            (one.verdict.name, *(interval(name, one.estimates.get(name)) for name in _SHOWN))
            for one in self.data.agents
        ]
        table = html_table(("", *(METRIC_NAMES.get(name, name) for name in _SHOWN)), rows)
        return f"{said}{table}{_html_list(self._trouble())}<p>Logs: {escape(str(self.log_dir))}</p>"


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationComparison(Comparison):
    """What changes from one evaluation to another, on items and wordings that both have."""

    items: pl.DataFrame
    """Of each item its scores on both sides, and whether it broke, was fixed or neither."""

    @property
    def sentence(self) -> str:
        """What rewording costs the second against the first."""
        return comparison_sentence(*self._names(), self._measures(), self.n_items)

    def _names(self) -> tuple[str, str]:
        return (self.a, self.b) if self.a != self.b else (f"{self.a} (a)", f"{self.b} (b)")

    def _measures(self) -> list[Compared]:
        found = [Compared(one.metric, one.a, one.b, one.change, one.p) for one in self.differences]
        return sorted(found, key=lambda one: (*_SHOWN, one.metric).index(one.metric))

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                one.name,
                interval(one.metric, one.a),
                interval(one.metric, one.b),
                one.change_text,
                p_number(one.p),
            )
            for one in self._measures()
            if one.metric in _SHOWN and one.said
        ]

    def _changed(self) -> Iterator[str]:
        yield f"{changed_line(self.items)}."
        for change, title in (("broken", "Broke"), ("fixed", "Fixed")):
            some = self.items.filter(change=change)
            shown = [
                f"{one['id']} {percent(one['score_a'])} → {percent(one['score_b'])}"
                for one in some.head(_ITEMS_SHOWN).iter_rows(named=True)
            ]
            if shown:
                yield f"{title}: {', '.join(shown)}{', …' if some.height > len(shown) else ''}"
        yield from (f"Note: {note}" for note in self.notes)

    def __str__(self) -> str:
        shown = self._rows()
        rows = [("", *self._names(), "change", "p"), *shown] if shown else []
        wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) if rows else 0)]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, wide, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([self.sentence, *lines, *self._changed()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = html_table(("", *self._names(), "change", "p"), self._rows())
        return f"<p><b>{escape(self.sentence)}</b></p>{table}{_html_list(self._changed())}"


def _html_list(lines: Iterable[str]) -> str:
    told = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{told}</ul>" if told else ""


_AS_ARGUMENTS: tuple[tuple[str, str], ...] = (
    (r"otherwords run … --repeats (\d+) --log-dir (\S+)", r"evaluate(…, repeats=\1, log_dir='\2')"),
    (r"otherwords run … --log-dir (\S+)", r"evaluate(…, log_dir='\1')"),
    (r"--log-dir (\S+)", r"log_dir='\1'"),
    (r"--agent-url(?= http)", "the address"),
    (r"--agent-command\b", "the command"),
    (r"--agent (\w+:\w+)", "the function itself"),
    (r"--agent-env ([A-Z_]+)", r"Agent(…, env=('\1',))"),
    (r"-k (\d+|None)", r"k=\1"),
    (r"-k\b", "k="),
    (r"--(seed|repeats) (\d+)", r"\1=\2"),
    (r"--until (\S+:[\d.]+|gate)", r"until='\1'"),
    (r"--(model|judge) (\w+/\S+)", r"\1='\2'"),
    (r"--(keep-going|wait)", r"\1=True"),
    (r"--variants\b", "variants_file="),
    (r"--max-tokens", "max_tokens in Agent(…, generate={…})"),
    (r"--message-limit, --token-limit, --time-limit", "limits="),
    (r"--([a-z][a-z-]*)", r"\1="),
)
"""Options of the commands in a message, and the arguments of `evaluate` that they are."""


def in_python(text: str, log_dir: Path | None = None) -> str:
    """A message that speaks of commands, for one who called `evaluate`; whole commands stay as they are."""
    if re.search(r"otherwords (?!run …)[a-z]+ \S", text):
        return text
    text = re.sub(r"--families (\S+)(?= -k)", lambda found: f"families={found[1].split(',')}", text)
    for option, argument in _AS_ARGUMENTS:
        text = re.sub(option, argument, text)
    again = "Make the same call again" + (f" with log_dir={str(log_dir)!r}" if log_dir is not None else "")
    text = text.replace("Run the same command again", again).replace("keep-going", "keep_going")
    return re.sub(r"\b[a-z]+(?:-[a-z]+)+=", lambda name: name[0].replace("-", "_"), text)


def kind_of(thing: Any) -> str:
    """What a wrong argument is, in a sentence."""
    return f"an object of type {type(thing).__name__}" if thing is not None else "nothing"
