"""Logs → public copies, HAL's files, outcome tables (`aggregate`); `scan_for`: what files would leak.

What is public holds scores, names of wordings and salted hashes: no prompt, answer or id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.files import read_input, require_input
from otherwords.core.folders import replacing_folder
from otherwords.core.table import as_outcomes
from otherwords.core.types import Item, Prompt
from otherwords.metrics import s_task
from otherwords.pipeline.inputs import open_source
from otherwords.publish import Salts, ScanResult, TextPatterns, scan
from otherwords.publish.folder import record_public, require_public_folder
from otherwords.publish.patterns import SHORTEST_SECRET
from otherwords.publish.pseudonyms import kept_salts, read_salt, salt_beside
from otherwords.publish.redact import public_outcomes
from otherwords.publish.vocabulary import PACKAGES, WITHHELD, own_texts
from otherwords.results import LogAccuracy, Results, read_inspect_runs, read_results, write_hal_upload
from otherwords.results.aggregate import AggregateSummary
from otherwords.results.aggregate import aggregate as write_outcomes
from otherwords.results.reader import LogProvenance, SkippedFile

if TYPE_CHECKING:
    from otherwords.pipeline.report_estimates import Labels, Run
    from otherwords.report import ReportData

_MADE_ID = re.compile(r"(?:line|item)-\d+|\d+")
"""Ids that readers make up, which are no secret."""


@dataclass(frozen=True)
class Publishing:
    """Where public copies go, if anywhere, and the salts of the pseudonyms that they have in place of ids."""

    folder: Path | None
    salts: Salts

    def record(self, staged: Path, written: Sequence[Path]) -> None:
        """Note in a new folder what was written into it, so that it may be replaced later."""
        if self.folder is not None:
            record_public(self.folder, written, staged)

    def logs(self, logs: Sequence[Path], part: str = "") -> list[Path]:
        """Public copies in `folder`, or in its `part`."""
        from otherwords.publish.logs import write_public_logs

        assert self.folder is not None
        runs = read_inspect_runs(logs)
        with replacing_folder(self.folder, lambda _: False) as staged:
            written = write_public_logs(runs, staged / part, self.salts)
            self.record(staged, written)
        return [self.folder / path.relative_to(staged) for path in written]

    def outcomes(self, table: pl.DataFrame) -> pl.DataFrame:
        """The table with hashes for ids and answers, and without what is not public."""
        return as_outcomes(public_outcomes(table, self.salts))

    def report(self, data: ReportData) -> ReportData:
        """Marked as public, and without the time of the day."""
        made = data.provenance
        made = None if made is None else replace(made, made=made.made.partition(" ")[0])
        return replace(data, public=True, provenance=made)

    def history(self, history: Sequence[Run]) -> tuple[Run, ...]:
        """Runs over time, by their numbers."""
        return tuple(
            replace(run, label=f"run {number}", outcomes=self.outcomes(run.outcomes))
            for number, run in enumerate(history, start=1)
        )

    def results(self, results: Results) -> Results:
        """The public outcomes, and of logs and skipped files only numbers."""
        tasks = results.outcomes["task"].unique(maintain_order=True).to_list()
        models = {
            task: self.salts.names(task or "").models(_models(results.outcomes, task)) for task in tasks
        }
        return Results(
            outcomes=self.outcomes(results.outcomes),
            skipped=tuple(
                SkippedFile(Path(f"file {number}"), WITHHELD)
                for number, _ in enumerate(results.skipped, start=1)
            ),
            logs=tuple(
                self._log(one, models.get(one.task, {}), number)
                for number, one in enumerate(results.logs, start=1)
            ),
        )

    def _log(self, log: LogAccuracy, models: Mapping[str, str], number: int) -> LogAccuracy:
        names = self.salts.names(log.task)
        return replace(
            log,
            log=f"log {number}",
            task=names.task(log.task),
            model=models.get(log.model) or names.model(log.model),
            scorer=None if log.scorer is None else names.scorer(log.scorer),
            reducer=None if log.reducer is None else names.reducer(log.reducer),
            made=LogProvenance(versions=tuple(one for one in log.made.versions if one[0] in PACKAGES)),
        )

    def labels(self, labels: Mapping[str, Labels]) -> dict[str, Labels]:
        """What an audit says of the items, by their public names."""
        return {
            self.salts.names(task).task(task): {
                self.salts.names(task).item(id_): one for id_, one in of_task.items()
            }
            for task, of_task in labels.items()
        }


def _models(outcomes: pl.DataFrame, task: str | None) -> list[str]:
    return outcomes.filter(pl.col("task").eq_missing(task))["model"].unique().drop_nulls().to_list()


def prepare_publishing(
    folder: str | Path | None,
    *,
    salt_file: str | Path | None = None,
    private: Sequence[str | Path] = (),
    model_names: bool = False,
) -> Publishing:
    """Refuses, before anything is paid for, a salt that is none and a folder that is not for the public."""
    salt_path = None if salt_file is None else Path(salt_file)
    if folder is None:
        return Publishing(None, Salts(Path("report"), salt_path, model_names))
    folder = Path(folder)
    for other in map(Path, private):
        ours, theirs = folder.resolve(), other.resolve()
        if ours == theirs or ours in theirs.parents or theirs in ours.parents:
            raise InputError(
                f"the public folder and the private one ({other}) must not be within each other", file=folder
            )
    salts = Salts(folder, salt_path, model_names)
    require_public_folder(folder)
    salts.require()
    return Publishing(folder, salts)


def write_hal_files(
    logs: Sequence[Path],
    results_dir: str | Path,
    *,
    benchmark: str | None = None,
    run_id: str | None = None,
    agent_args: Mapping[str, Any] | None = None,
    run_command: str = "",
    public: Publishing | None = None,
) -> list[Path]:
    """`<results_dir>/<benchmark>/<run_id>/<run_id>_UPLOAD.json` for each model.

    `benchmark` is the name in place of the task's. Without a `run_id` the task and the model make one, so
    that a resumed run replaces its own file. `run_command` is how the run was started. A `public` file has
    hashes instead of ids, and neither arguments nor command.
    """
    table = read_results([str(log) for log in logs]).outcomes
    if table.is_empty():
        raise InputError("there is no result to write for HAL yet")
    if public is not None:
        table, agent_args, run_command = public.outcomes(table), None, ""
    if benchmark is not None:
        table = table.with_columns(pl.lit(benchmark).alias("task"))
    written: list[Path] = []
    for (task, model), rows in table.group_by("task", "model", maintain_order=True):
        name = run_id or f"{task}_{model}"
        if run_id is not None and table["model"].n_unique() > 1:
            name = f"{run_id}_{model}"
        written += write_hal_upload(
            rows,
            results_dir,
            run_id=name,
            per_item=s_task(rows),
            agent_args=agent_args,
            run_command=run_command,
        )
    return written


def aggregate(
    logs: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    strict: bool = False,
    scorer: str | None = None,
    columns: Mapping[str, str] | None = None,
    public: bool = False,
    salt_file: str | Path | None = None,
    model_names: bool = False,
) -> AggregateSummary:
    r"""Reads results of any known kind and writes them as `outcomes.csv` and `outcomes.parquet`.

    Args:
        logs: A file or a folder, or several, as for `read_results`.
        out: The folder to write to.
        strict: Refuse everything if a file cannot be read; else such files are named in the summary.
        scorer: Which score to read where a file has several.
        columns: What a table calls our columns: `{"score": "acc"}`.
        public: Write a table redacted for publication: scores and names of wordings, with ids and answers as
            salted hashes.
        salt_file: Keeps the salt of a `public` table; without it, the salt is in the variable
            `OTHERWORDS_SALT`, or is the one that is kept for the dataset in the private configuration folder.
        model_names: A `public` table has whole names of models; else only the last part of them.

    Returns:
        The files written, how many rows have each status, and the files that were skipped.

    Raises:
        InputError: There is no result in `logs`, the salt is too short, or a file cannot be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords.pipeline.publish import aggregate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "mine.csv").write_text("id,variant,score\nq1,orig,1\nq1,formal,\n")
        ...     summary = aggregate(folder, Path(folder, "out"))
        >>> [path.name for path in summary.files], summary.statuses
        (['outcomes.csv', 'outcomes.parquet'], {'scored': 1, 'unscored': 1})
    """
    if not public:
        return write_outcomes(logs, out, strict=strict, scorer=scorer, columns=columns)
    publishing = prepare_publishing(out, salt_file=salt_file, model_names=model_names)
    return write_outcomes(
        logs,
        out,
        strict=strict,
        scorer=scorer,
        columns=columns,
        redact=lambda table: public_outcomes(table, publishing.salts),
        before_swap=publishing.record,
    )


def scan_for(
    paths: Sequence[str | Path],
    *,
    datasets: Sequence[str | Path] = (),
    variants: Sequence[str | Path] = (),
    secret_files: Sequence[str | Path] = (),
    task_args: Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    allow_words: Sequence[str] = (),
    on_file: Callable[[int, int], None] | None = None,
) -> tuple[ScanResult, TextPatterns]:
    """Look through `paths` for texts of `datasets` and `variants`, lines of `secret_files`, keys and salts.

    `allow` are patterns of files that need not be readable, `allow_words` texts known to be harmless.
    """
    patterns = TextPatterns(allow_words, own_texts=(*own_texts(), *allow_words))
    for salt in {*kept_salts(), *_old_salts(paths)}:
        patterns.add_salt(salt.decode("utf-8", "replace"))
    for file in secret_files:
        _add_secrets(patterns, Path(file))
    for named in datasets:
        for place, item in enumerate(open_source(named, task_args=task_args).items, start=1):
            _add_item(patterns, item, place)
    for file in variants:
        _add_variants(patterns, Path(file))
    return scan(paths, patterns, allow=allow, on_file=on_file), patterns


def _old_salts(paths: Sequence[str | Path]) -> list[bytes]:
    """Those that earlier versions made beside a public folder."""
    return [read_salt(path) for path in map(salt_beside, map(Path, paths)) if path.is_file()]


def _add_item(patterns: TextPatterns, item: Item, place: int) -> None:
    for text in _texts(item.prompt):
        patterns.add("stem", text, place)
    for choice in item.choices:
        patterns.add("option", choice, place)
    for answer in () if isinstance(item.target, int) else item.target:
        patterns.add("answer", answer, place)
    for text in _strings(item.metadata):
        patterns.add("metadata", text, place)
    if not _MADE_ID.fullmatch(item.id):
        patterns.add("id", item.id, place)


def _add_variants(patterns: TextPatterns, file: Path) -> None:
    from otherwords.variants.file import read_variants

    places: dict[str, int] = {}
    for one in read_variants(require_input(file), verify=False).vetted:
        variant = one.variant
        place = places.setdefault(variant.item_id, len(places) + 1)
        for text in (*_texts(variant.prompt), *variant.choices):
            patterns.add("variant", text, place)


def _add_secrets(patterns: TextPatterns, file: Path) -> None:
    try:
        lines = read_input(file).decode("utf-8-sig").splitlines()
    except UnicodeError:
        raise InputError("cannot read: it is not UTF-8 text", file=file) from None
    secrets = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    if not secrets:
        raise InputError("holds no secret: one is wanted on each line", file=file)
    for number, secret in secrets:
        if len(secret) < SHORTEST_SECRET:
            raise InputError(
                f"a secret of {len(secret)} characters would be found anywhere; it takes {SHORTEST_SECRET}",
                file=file,
                line=number,
            )
        patterns.add("secret", secret, number)


def _texts(prompt: Prompt) -> list[str]:
    return [prompt] if isinstance(prompt, str) else [message.content for message in prompt]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _strings(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _strings(part)]
    return []
