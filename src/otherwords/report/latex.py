r"""Report data → LaTeX tables for a paper, with booktabs: agents, what each change costs, HAL's measures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from otherwords.core.texts import count_text, percent, point_number, share_text
from otherwords.core.verdict import Evidence
from otherwords.report.data import ReportData
from otherwords.report.escape import one_line
from otherwords.report.formats import floor_text, interval

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "—": "---",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{one: f"\\{one}" for one in "&%$#_{}"},
}
_TO_ESCAPE = re.compile("|".join(re.escape(one) for one in _SPECIAL))
HEAD = "% Needs \\usepackage{booktabs} and, for the quotation marks in names, \\usepackage[T1]{fontenc}.\n"


def latex_tables(data: ReportData) -> str:
    """The text of `tables.tex`."""
    return HEAD + "\n".join([_agents(data), _changes(data), _hal(data)])


def latex_text(text: object) -> str:
    """One line of plain text inside LaTeX: no command, no comment, no formula."""
    return _TO_ESCAPE.sub(lambda found: _SPECIAL[found[0]], one_line(text))


def _agents(data: ReportData) -> str:
    head = (
        "Agent",
        "Benchmark",
        "Accuracy",
        "Lost",
        "Excess flips",
        "Phrasing share",
        "No score",
        "$n$",
        "Effect",
    )
    rows = []
    for agent in data.agents:
        one = agent.verdict
        rows.append(
            [
                latex_text(agent.model),
                latex_text(agent.task),
                latex_text(percent(one.accuracy.value))
                + _between(one.accuracy.low, one.accuracy.high, percent),
                _points(one.loss),
                _points(one.excess_flips),
                latex_text(share_text(one)),
                latex_text(percent(one.unscored.share)),
                count_text(one.n_items),
                latex_text(one.effect),
            ]
        )
    caption = (
        "Effect of rewording. Lost: accuracy on the original minus accuracy over all rewordings, in "
        "percentage points; excess flips: answers that differ from the original's beyond those that differ "
        f"when it is asked again, in points. In brackets: {100 * data.level:g}% intervals. $n$: items."
    )
    return _table(head, rows, caption.replace("%", r"\%"), "tab:agents", left=2)


def _changes(data: ReportData) -> str:
    head = ("Agent", "Benchmark", "Change", "Points lost", "$p$", "$n$")
    rows = []
    for agent in data.agents:
        for one in agent.verdict.changes:
            loss = one.loss
            p = "---" if loss.p is None else "$<$ .001" if loss.p < 0.001 else f"{loss.p:.3f}".lstrip("0")
            size = _number(loss.value) + _between(loss.corrected_low, loss.corrected_high, point_number)
            cells = (agent.model, agent.task, one.name)
            rows.append([*map(latex_text, cells), size, p, count_text(loss.n_items)])
    caption = (
        "What each kind of change costs against the original wording of the same items; a negative number "
        "is a gain. Intervals are corrected for the number of questions asked; $p$ is not. $n$: items."
    )
    return _table(head, rows, caption, "tab:changes", left=3)


def _hal(data: ReportData) -> str:
    head = (
        "Agent",
        "Benchmark",
        r"$S_\mathrm{prompt}$",
        "Lowest",
        "Mean variance",
        "Mean gap",
        r"$C_\mathrm{out}$",
    )
    rows = [
        [
            latex_text(agent.model),
            latex_text(agent.task),
            latex_text(interval("s_prompt", agent.estimates.get("s_prompt"))),
            latex_text(floor_text(data.floor(agent))),
            *(
                latex_text(interval(name, agent.estimates.get(name)))
                for name in ("mean_variance", "min_max_gap", "c_out")
            ),
        ]
        for agent in data.agents
    ]
    caption = (
        "HAL's measures. Lowest: the lowest $S_\\mathrm{prompt}$ that this many wordings allow. In brackets: "
        f"{100 * data.level:g}\\% intervals."
    )
    return _table(head, rows, caption, "tab:hal", left=2)


def _points(evidence: Evidence) -> str:
    return _number(evidence.value) + _between(evidence.low, evidence.high, point_number)


def _number(value: float | None) -> str:
    return "---" if value is None else latex_text(point_number(value))


def _between(low: float | None, high: float | None, text: object) -> str:
    assert callable(text)
    return "" if low is None or high is None else f" ({latex_text(text(low))} to {latex_text(text(high))})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, label: str, *, left: int) -> str:
    columns = "l" * left + "r" * (len(head) - left)
    lines = [f"    {' & '.join(row)} \\\\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{caption}}}",
            f"  \\label{{{label}}}",
            f"  \\begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {' & '.join(head)} \\\\",
            r"    \midrule",
            *lines,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )
