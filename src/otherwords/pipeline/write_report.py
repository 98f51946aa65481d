"""`write_report`: logs → all estimates (`ReportData`) → a folder; `review`: a variants file → a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.files import as_typed, require_input
from otherwords.core.table import by_task
from otherwords.core.types import Estimate
from otherwords.metrics import by_change, by_outcome, item_evidence, s_task, summarise, verdicts
from otherwords.metrics.metric_registry import METRICS as REGISTERED
from otherwords.metrics.score_arrays import Grid, read_grid
from otherwords.metrics.template_ranking import template_summaries
from otherwords.metrics.trajectory_breakdowns import trajectory_summaries
from otherwords.pipeline.publish import prepare_publishing
from otherwords.pipeline.report_estimates import (
    Run,
    estimates_of,
    history_of,
    only_benchmark,
    read_runs,
    report_labels,
    stratified,
    user_error_notes,
)
from otherwords.pipeline.report_parts import (
    against_baseline,
    cells_of,
    log_row,
    provenance_of,
    samples_of,
    stop_notes,
    stopped_runs,
)
from otherwords.publish.redact import NOTE
from otherwords.report import AgentRow, ReportData, SkippedFile, write_review
from otherwords.report import write_report as write_report_files
from otherwords.report.formats import HIGH, MEDIUM
from otherwords.report.write import PNG
from otherwords.results import Results, read_results, with_logged_calls
from otherwords.results import readable_only as only_readable

if TYPE_CHECKING:
    from otherwords.audit import AuditLabels
    from otherwords.core.verdict import Verdict
    from otherwords.metrics.intervals import Generalize
    from otherwords.pipeline.report_estimates import Labels

TITLE = "Prompt robustness"
READABLE_ONLY = (
    "Readable answers only: runs that were refused, filtered, cut off, stopped or could not be read have no "
    "score here, although the logs may score them."
)
HAL_DDOF = "Variances over wordings divide by n (ddof 0), as in HAL's code; by default they divide by n − 1."
METRICS = (
    "accuracy",
    "accuracy_orig",
    "s_prompt",
    "s_norm",
    "mean_variance",
    "std_variance",
    "min_max_gap",
    "consistency_at_k",
    "agreement",
    "c_out",
    "fragility_score",
    "excess_flips",
    "delta_accuracy",
    "format_failure_rate",
    "outcome_rates",
    "variance_components",
    "s_corrected",
    "responsiveness",
    "r_fault",
)
"""What a report shows; each may give several estimates."""


def write_report(
    logs: str | Path | Sequence[str | Path],
    out: str | Path | None = "report",
    *,
    title: str = TITLE,
    notes: Sequence[str] = (),
    strict: bool = False,
    benchmark: str | None = None,
    public: bool = False,
    salt_file: str | Path | None = None,
    model_names: bool = False,
    audit_file: str | Path | None = None,
    scorer: str | None = None,
    readable_only: bool = False,
    generalize: Generalize | None = None,
    ddof: int = 1,
    baseline: str | Path | None = None,
    png: Collection[str] = PNG,
    latex: bool = False,
    badge: bool = False,
) -> tuple[ReportData, list[Path]]:
    r"""Read logs, compute all metrics, and write a page, Markdown, CSV tables and figures to a folder.

    Runs of the same wordings over time are shown as a trend.

    Args:
        logs: Inspect logs, result files or folders of them.
        out: The report's folder; None computes without writing.
        title: The page's title.
        notes: Sentences to show on top.
        strict: Refuse a file that cannot be read, in place of naming and skipping it.
        benchmark: Only this task, by its name or the last part of it.
        public: Leave out prompts and answers, and show items as salted hashes.
        salt_file: Where the salt of a public report is kept; by default in the private configuration folder.
        model_names: A public report has whole names of models; else only the last part of them.
        audit_file: Labels that `otherwords audit --json` wrote; by default the options in the logs decide
            which items are ambiguous.
        scorer: Which score counts where a log has several: `name`, or `name.key`.
        readable_only: A second view: only answers that could be read count, and the report says so.
        generalize: For whom the intervals speak: other `items`, other `wordings`, or `both`; None is `both`
            where items share their wordings, else `items`.
        ddof: 1, or 0 for variances over wordings that divide by their number, as in HAL's code.
        baseline: Logs of an earlier run: the report names the items that broke, and those that were fixed.
        png: Names of the figures that are written as PNG files too, 300 dots an inch; all are written as SVG.
        latex: Write `tables.tex` too, the report's tables for a paper.
        badge: Write `badge.svg` too: in two words what wording does, for a README.

    Returns:
        Everything that the report shows, and the paths of the files, the page first.

    Raises:
        InputError: There is nothing to report, or a file cannot be read.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords import write_report
        >>> table = Path(tempfile.mkdtemp()) / "outcomes.csv"
        >>> rows = ["q1,orig,1", "q1,reworded,0", "q2,orig,1", "q2,reworded,1"]
        >>> _ = table.write_text("\n".join(["model,id,variant,score", *(f"m,{row}" for row in rows)]))
        >>> data, written = write_report(table, None)
        >>> print(f"{data.agents[0].estimates['accuracy'].value:.2f}")
        0.75
    """
    audit = None
    if audit_file is not None:
        from otherwords.audit import read_audit

        audit = read_audit(audit_file)
    runs = read_runs(logs, strict=strict, scorer=scorer)
    results, history, told = runs.results, runs.history, [*notes, *([runs.note] if runs.note else [])]
    if readable_only:
        results = replace(results, outcomes=only_readable(results.outcomes))
        history = tuple(replace(run, outcomes=only_readable(run.outcomes)) for run in history)
        title, told = f"{title}: readable answers only", [READABLE_ONLY, *told]
    before = None if baseline is None else read_results(baseline, strict=strict, scorer=scorer).outcomes
    labels, publishing = None, None
    if public:  # everything is computed from the public table: nothing else can be in the report
        publishing = prepare_publishing(out, salt_file=salt_file, model_names=model_names)
        labels = publishing.labels(report_labels(results.outcomes, results.wordings, audit))
        results, history = publishing.results(results), publishing.history(history)
        before = None if before is None else publishing.outcomes(before)
        told = [NOTE, *([READABLE_ONLY] if readable_only else [])]
        benchmark, audit = benchmark and benchmark.rpartition("/")[2], None
    data = build_report_data(
        results,
        title=title,
        notes=told,
        benchmark=benchmark,
        history=history,
        audit=audit,
        labels=labels,
        generalize=generalize,
        ddof=ddof,
        source="LOGS" if public else _source(logs),
        baseline=before,
        baseline_name="" if baseline is None or public else str(baseline),
    )
    data = data if publishing is None else publishing.report(data)
    note = None if publishing is None else publishing.record
    if out is None:
        return data, []
    return data, write_report_files(data, out, png=png, latex=latex, badge=badge, before_swap=note)


def _source(logs: str | Path | Sequence[str | Path]) -> str:
    """What a command names to read the same again."""
    return join(map(as_typed, [logs] if isinstance(logs, str | Path) else logs))


def build_report_data(
    results: Results,
    *,
    title: str = TITLE,
    notes: Sequence[str] = (),
    benchmark: str | None = None,
    history: Sequence[Run] = (),
    audit: AuditLabels | None = None,
    labels: Mapping[str, Labels] | None = None,
    generalize: Generalize | None = None,
    ddof: int = 1,
    source: str = "logs",
    baseline: pl.DataFrame | None = None,
    baseline_name: str = "",
) -> ReportData:
    r"""Compute everything that a report shows, without writing it.

    Args:
        results: What `read_results` gives.
        title: The page's title.
        notes: Sentences to show on top.
        benchmark: Only this task, by its name or the last part of it.
        history: Runs over time, for the trend.
        audit: Labels of items; by default the options in the logs decide which are ambiguous.
        labels: The same by task and item, where they are known already.
        generalize: For whom the intervals speak; see `write_report`.
        ddof: 1, or 0 for variances over wordings that divide by their number.
        source: What the commands that a verdict names are to read.
        baseline: Outcome table of an earlier run, to compare with.
        baseline_name: What it is called.

    Returns:
        The estimates, items, cells and wordings of every agent.

    Raises:
        UnknownNameError: There is no such benchmark.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords import build_report_data, read_results
        >>> table = Path(tempfile.mkdtemp()) / "outcomes.csv"
        >>> _ = table.write_text("model,id,variant,score\nm,q1,orig,1\nm,q1,reworded,0")
        >>> [agent.model for agent in build_report_data(read_results(table)).agents]
        ['m']
    """
    outcomes, wordings = with_logged_calls(results.outcomes), results.wordings
    points = list(history_of(history, generalize=generalize, ddof=ddof))
    if benchmark is not None:
        outcomes = only_benchmark(outcomes, benchmark)
        tasks = set(outcomes["task"])
        wordings = wordings.filter(pl.col("task").is_in(list(tasks)))
        points = [point for point in points if point.task in tasks]
    agents: list[AgentRow] = []
    items: list[pl.DataFrame] = []
    kinds: list[pl.DataFrame] = []
    rates: list[pl.DataFrame] = []
    stopped = stopped_runs(results, outcomes)
    labels = report_labels(outcomes, wordings, audit) if labels is None else labels
    audited = stratified(outcomes, labels, generalize, ddof)
    for task, of_task in by_task(outcomes):
        grid = read_grid(of_task)
        levels = {model: one.level for (of, model), one in stopped.items() if of == task and one.level}
        told = verdicts(
            of_task, wordings=wordings, source=source, generalize=generalize, grid=grid, levels=levels
        )
        metrics = (*METRICS, *REGISTERED.import_others())
        summary = estimates_of(grid, metrics, generalize=generalize, ddof=ddof, levels=levels)
        rows = _agents(str(task), of_task, grid, told, generalize, summary)
        ended = {model: one.to_json() for (of, model), one in stopped.items() if of == task}
        agents += [replace(row, stopped=ended.get(row.model)) for row in rows]
        items.append(_items(grid, labels.get(str(task), {}), ddof))
        kinds.append(by_change(grid, generalize=generalize))
        rates.append(by_outcome(grid, generalize=generalize))
    against = list([] if baseline is None else against_baseline(outcomes, baseline, generalize=generalize))
    every = pl.concat(items) if items else pl.DataFrame()
    if against:
        moved = pl.concat([one.moved for one in against])
        every = every.join(moved, on=["task", "model", "id"], how="left", maintain_order="left")
    logs = [one for one in results.logs if benchmark is None or one.task in set(outcomes["task"])]
    return ReportData(
        title=title,
        agents=tuple(agents),
        items=every,
        kinds=pl.concat(kinds) if kinds else pl.DataFrame(),
        cells=cells_of(outcomes),
        wordings=wordings,
        samples=samples_of(outcomes, every),
        skipped=tuple(SkippedFile(str(one.path), one.reason) for one in results.skipped),
        notes=(
            *stop_notes(stopped),
            *notes,
            *results.notes,
            *user_error_notes(outcomes),
            *([HAL_DDOF] if ddof == 0 else []),
        ),
        history=tuple(points),
        logs=tuple(log_row(one) for one in logs),
        baseline=tuple(one.row for one in against),
        baseline_name=baseline_name,
        provenance=provenance_of(outcomes, wordings, logs, agents),
        outcome_rates=pl.concat(rates) if rates else pl.DataFrame(),
        templates=template_summaries(outcomes),
        trajectories=trajectory_summaries(outcomes, generalize=generalize),
        ddof=ddof,
        audited=tuple(audited) if audit is not None or any(row.flagged for row in audited) else (),
    )


def _agents(
    task: str,
    outcomes: pl.DataFrame,
    grid: Grid,
    told: Sequence[Verdict],
    generalize: Generalize | None,
    summary: Mapping[str, Mapping[str, Estimate]],
) -> Iterator[AgentRow]:
    """The agents of one task."""
    verdict_of = {one.agent: one for one in told}
    by_kind = summarise(grid, metrics=["fragility_score"], by_kind=True, generalize=generalize)
    counted = outcomes.select("model", "status", "repeat", "outcome", "score")
    for (model,), part in counted.group_by("model", maintain_order=True):
        name = str(model)
        yield AgentRow(
            model=name,
            task=task,
            estimates=_named(summary[name]),
            statuses=_counts(part, "status"),
            repeats=int(part["repeat"].n_unique()),
            verdict=verdict_of[name],
            flips=_flips(by_kind, grid.label_of(name)),
            outcomes=_counts(part, "outcome"),
            unscored=_counts(part.filter(pl.col("score").is_null()), "outcome"),
        )


def _counts(rows: pl.DataFrame, column: str) -> dict[str, int]:
    return dict(rows.group_by(column, maintain_order=True).len().iter_rows())


def _named(estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """The largest gap under the name that HAL's files have for it."""
    return {"max_min_max_gap" if name == "min_max_gap_max" else name: one for name, one in estimates.items()}


def _flips(by_kind: Mapping[str, Mapping[str, Estimate]], label: str) -> dict[str, Estimate]:
    start = f"{label} / "
    return {
        group.removeprefix(start): found["fragility_score"]
        for group, found in by_kind.items()
        if group.startswith(start)
    }


def _items(grid: Grid, labels: Labels, ddof: int) -> pl.DataFrame:
    s = pl.col("s_task")
    band = (
        pl.when(s >= HIGH).then(pl.lit("high")).when(s >= MEDIUM).then(pl.lit("medium")).when(s < MEDIUM)
    ).then(pl.lit("low"))
    by_id = {id_: one.label for id_, one in labels.items()}
    label = pl.col("id").replace_strict(by_id, default=None, return_dtype=pl.String)
    rows = s_task(grid, ddof=ddof).join(
        item_evidence(grid), on=["task", "model", "id"], how="left", maintain_order="left"
    )
    return rows.with_columns(band=band, audit=label if by_id else pl.lit(None, pl.String))


def review(path: str | Path, out: str | Path | None = None) -> Path:
    """Write one HTML page with every original of a variants file beside its variants, as word diffs.

    Args:
        path: A file that `vary` or `otherwords vary` wrote.
        out: The page; by default the file's name with the ending `.html`.

    Returns:
        The page's path.

    Raises:
        InputError: The file is no variants file, or the page would replace it.

    Examples:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> from otherwords import freeze, review
        >>> folder = Path(tempfile.mkdtemp())
        >>> question = {"id": "q1", "question": "What is the capital of France?", "answer": "Paris"}
        >>> _ = (folder / "questions.jsonl").write_text(json.dumps(question))
        >>> _ = freeze(folder / "questions.jsonl", folder / "variants.jsonl")
        >>> review(folder / "variants.jsonl").name
        'variants.html'
    """
    from otherwords.variants.file import read_variants

    frozen = read_variants(require_input(path), verify=False)
    page = Path(path).with_suffix(".html") if out is None else Path(out)
    if page.resolve() == Path(path).resolve():
        raise InputError("the page would replace the variants themselves", file=path, hint="Give -o.")
    return write_review(
        page,
        frozen.vetted,
        title="Variants to review",
        source=str(path),
        missing=frozen.missing,
        lines=frozen.lines,
    )
