"""HAL's `*_UPLOAD.json` files → outcome table (variations, fault runs), and back for `run --results-dir`.

Scores are taken as they are; HAL's own sensitivity metrics are only compared with what the scores give. HAL
has one score for each task and variation. Where there are repeats it is written as their mean, with the
single scores beside it, so that reading the file back loses none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date as Date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import polars as pl

from otherwords.core.contract import ERROR, FAULT, LLM, MISSING, ORIG, SCORED, STRENGTHS, UNSCORED
from otherwords.core.errors import InputError
from otherwords.core.families import is_wording
from otherwords.core.files import write_all
from otherwords.core.secret_patterns import redacted, without_keys
from otherwords.core.table import as_outcomes
from otherwords.results.answers import LONGEST_REASON, score_number
from otherwords.results.lenient_json import parse
from otherwords.results.reader import (
    FileRows,
    Peek,
    Reader,
    ReadOptions,
    ResultFile,
    Results,
    read_each,
    refuse_outside,
)

_SCORE_NAMES = ("score", "reward", "accuracy")
"""Where a benchmark puts a task's score, in the order in which HAL looks."""
# HAL's reliability runs put what was done into the agent's name, one run a variation.
_VARIATION_RUN = re.compile(rf"_prompt_({'|'.join(STRENGTHS)})_var(\d+)$")
_FAULT_RUN = re.compile(r"_fault_(\d+)pct$")
_CLOSE = 1e-9
_UNSAFE = re.compile(r"[^\w.-]+")
_PER_ITEM = ("task", "model", "id", "variance", "mean_score", "min_max_gap")


class Wording(NamedTuple):
    variant: str = ORIG
    kind: str = ORIG
    change: str = ""


class Run(NamedTuple):
    """What `config` says of a whole file."""

    model: str
    task: str
    wording: Wording = Wording()
    """Of results that are of no variation."""
    variations: Mapping[str, Wording] = {}
    """By `variation_id`, in files that we wrote."""


def is_hal(peek: Peek) -> bool:
    return "raw_eval_results" in peek.keys or {"config.agent_name", "config.benchmark_name"} <= peek.keys


def read_hal(files: Sequence[ResultFile], options: ReadOptions) -> Results:
    return read_each(files, "HAL", lambda file: _read(file, options.scorer))


def _read(file: ResultFile, scorer: str | None) -> FileRows:
    upload = _opened(file)
    rows = _rows(upload, str(file), scorer)
    prompts = upload.get("task_prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    # HAL keeps the original prompts only.
    asked = [prompts.get(row["id"]) if row["variant"] == ORIG else None for row in rows]
    difference = _difference(upload.get("prompt_sensitivity_metrics"), rows)
    return FileRows(rows, asked, notes=[difference] if difference else [])


def _opened(file: ResultFile) -> dict[str, Any]:
    upload = parse(file.read())
    if not isinstance(upload, dict) or not isinstance(upload.get("raw_eval_results"), dict | list):
        raise InputError("has no raw_eval_results", file=str(file))
    return upload


def _run(config: Mapping[str, Any]) -> Run:
    agent, task = config.get("agent_name"), config.get("benchmark_name")
    if not agent or not task:
        raise InputError("its config names no agent_name or no benchmark_name")
    agent, task = str(agent), str(task)
    variation, fault = _VARIATION_RUN.search(agent), _FAULT_RUN.search(agent)
    if variation:
        strength, number = variation.groups()
        wording = Wording() if number == "0" else Wording(f"{strength}_var{number}", LLM, strength)
        return Run(agent[: variation.start()], task, wording)
    if str((config.get("agent_args") or {}).get("enable_fault_injection")).lower() == "true":
        name = agent[: fault.start()] if fault else agent
        return Run(name, task, Wording(FAULT, FAULT, f"{fault.group(1)}%" if fault else ""))
    named = {
        str(number): Wording(str(about["variant"]), str(about["kind"]), str(about["change"]))
        for number, about in (config.get("variations") or {}).items()
    }
    return Run(agent, task, variations=named)


def _rows(upload: Mapping[str, Any], log: str, scorer: str | None) -> list[dict[str, Any]]:
    run = _run(upload.get("config") or {})
    rows: dict[tuple[str, Wording], list[dict[str, Any]]] = {}
    for task_id, number, result in _each_result(upload):
        wording = run.wording if number is None else run.variations.get(str(number)) or _wording(str(number))
        if (task_id, wording) in rows:
            raise InputError(f"variation '{wording.variant}' has two results", item=task_id)
        rows[task_id, wording] = [
            _row(run, task_id, wording, log) | _outcome(one, scorer, task_id) | {"repeat": repeat}
            for repeat, one in enumerate(_repeats(result), start=1)
        ]
    if not rows:
        raise InputError("has no result of any task")
    wordings = dict.fromkeys(wording for _, wording in rows)
    raw = upload["raw_eval_results"]
    # HAL lists only what was evaluated: a variation that others have and this task lacks is missing.
    tasks = dict.fromkeys(
        [task_id for task_id, _ in rows]
        + [str(name) for name in raw if isinstance(raw, dict) and raw[name] == []]
    )
    lacking = {"repeat": 1, "status": MISSING, "reason": "the file has no result for it"}
    return [
        row
        for task_id in tasks
        for wording in wordings
        for row in rows.get((task_id, wording)) or [_row(run, task_id, wording, log) | lacking]
    ]


def _row(run: Run, task_id: str, wording: Wording, log: str) -> dict[str, Any]:
    return {"task": run.task, "model": run.model, "id": task_id, **wording._asdict(), "log": log}


def _each_result(upload: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Task, variation (None where the file has none) and whatever the benchmark gave as its result."""
    raw = upload["raw_eval_results"]
    results = upload.get("results") or {}
    won, lost = results.get("successful_tasks") or [], results.get("failed_tasks") or []
    if isinstance(raw, list):
        for entry in raw:
            yield str(entry["task_id"]), entry.get("variation_id"), entry
    elif (won or lost) and not set(raw) & {str(task) for task in (*won, *lost)}:
        # Some benchmarks leave only their own summary here; the two lists still say who solved what.
        yield from ((str(task), None, 1.0) for task in won)
        yield from ((str(task), None, 0.0) for task in lost)
    else:
        for task_id, result in raw.items():
            yield from ((str(task_id), variation, one) for variation, one in _variations(result))


def _variations(result: Any) -> list[tuple[Any, Any]]:
    if isinstance(result, list):
        return [
            (one.get("variation_id", place) if isinstance(one, dict) else place, one)
            for place, one in enumerate(result)
        ]
    if isinstance(result, dict) and result and all(name.isdecimal() or name == ORIG for name in result):
        return list(result.items())
    return [(None, result)]


def _wording(number: str) -> Wording:
    if number in ("0", ORIG):
        return Wording()
    return Wording(f"var{number}" if number.isdecimal() else number, LLM)


def _repeats(result: Any) -> list[Any]:
    """Our own files keep the score of each repeat beside their mean."""
    scores = result.get("scores") if isinstance(result, dict) else None
    return scores if isinstance(scores, list) and scores else [result]


def _outcome(result: Any, scorer: str | None, item: str) -> dict[str, Any]:
    if isinstance(result, str) and score_number(result) is None:
        failed = result.startswith("ERROR")
        status, reason = (ERROR, result[:LONGEST_REASON]) if failed else (UNSCORED, "no score, but text")
        return {"status": status, "reason": reason}
    names = _SCORE_NAMES if scorer is None else (scorer,)
    given = (
        next((result[name] for name in names if name in result), None) if isinstance(result, dict) else result
    )
    value = score_number(given)
    about = result if isinstance(result, dict) else {}
    said = about.get("answer")
    extra = {
        "response": None if said is None else str(said),
        "confidence": _between(about.get("confidence")),
    }
    if value is None:
        return {**extra, "status": UNSCORED, "reason": f"no {' or '.join(names)} in its result"}
    refuse_outside(value, item)
    return {**extra, "status": SCORED, "score": value, "correct": value == 1.0}


def _between(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0.0 <= value <= 1.0 else None


def _difference(theirs: Any, rows: Sequence[Mapping[str, Any]]) -> str:
    """How HAL's own mean variance stands to the scores, where it is not theirs with ddof=1."""
    given = theirs.get("mean_variance") if isinstance(theirs, dict) else None
    if not isinstance(given, int | float) or not theirs.get("num_tasks"):
        return ""
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["status"] == SCORED:
            scores[row["id"]][row["variant"]].append(row["score"])
    several = [[np.mean(one) for one in task.values()] for task in scores.values() if len(task) > 1]
    if not several:
        return f"its mean_variance {given:g} cannot be checked: no task has two scores"
    sample, population = (float(np.mean([np.var(one, ddof=ddof) for one in several])) for ddof in (1, 0))
    if abs(given - sample) <= _CLOSE:
        return ""
    if abs(given - population) <= _CLOSE:
        return f"its mean_variance {given:g} divides by n; with n - 1, as here, it is {sample:g}"
    return f"its mean_variance {given:g} is not that of its scores ({sample:g}), which are used"


def write_hal_upload(
    table: Any,
    out_dir: str | Path,
    *,
    run_id: str,
    per_item: pl.DataFrame,
    agent_args: Mapping[str, Any] | None = None,
    run_command: str = "",
    date: str | None = None,
) -> list[Path]:
    """Writes outcomes as HAL's files `<out_dir>/<benchmark>/<run_id>/<run_id>_UPLOAD.json`.

    There is one file for each task and model; all of them are written, or none. With several models the run
    id of each gets the model's name. A variation without any score is not listed, as HAL does not list it.

    Args:
        table: An outcome table (polars or pandas).
        out_dir: The folder to write to.
        run_id: HAL's name of the run.
        per_item: The numbers of each item, as `otherwords.s_task` gives them.
        agent_args: What the agent was started with; keys and tokens are taken out.
        run_command: How the run was started; keys and tokens are taken out.
        date: The day of the run as `YYYY-MM-DD`; today if not given.

    Returns:
        The files written.

    Raises:
        InputError: There are no outcomes, `per_item` lacks a column or an item, two models would be written
            to the same file, or a file cannot be written.

    Example:
        >>> import tempfile
        >>> import polars as pl
        >>> from otherwords.metrics import s_task
        >>> from otherwords.results import read_results, write_hal_upload
        >>> table = pl.DataFrame(
        ...     {"task": "air", "model": "agent", "id": "0", "variant": ["orig", "para1"], "score": [1, 0]}
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     (path,) = write_hal_upload(table, folder, run_id="run1", per_item=s_task(table))
        ...     again = read_results(path).outcomes
        >>> path.name, again["score"].to_list()
        ('run1_UPLOAD.json', [1.0, 0.0])
    """
    outcomes = as_outcomes(table)
    absent = [name for name in _PER_ITEM if name not in per_item.columns]
    if absent:
        raise InputError(f"per_item lacks the columns {', '.join(absent)}")
    several = outcomes["model"].n_unique() > 1
    files: dict[Path, bytes] = {}
    for (task, model), rows in outcomes.group_by("task", "model", maintain_order=True):
        named = _safe(f"{run_id}_{model}" if several else run_id)
        path = Path(out_dir) / _safe(str(task)) / named / f"{named}_UPLOAD.json"
        if path in files:
            raise InputError(f"two models would both be written to {path}")
        config = {
            "agent_name": model,
            "benchmark_name": task,
            "date": date or Date.today().isoformat(),
            "run_id": named,
            "agent_args": without_keys(dict(agent_args or {})),
            "run_command": redacted(run_command),
            "prompt_sensitivity": True,
        }
        numbers = per_item.filter(pl.col("task") == task, pl.col("model") == model)
        files[path] = orjson.dumps(_to_upload(config, rows, numbers), option=orjson.OPT_INDENT_2)
    if not files:
        raise InputError("there are no outcomes to write")
    return write_all(files)


def _to_upload(config: dict[str, Any], rows: pl.DataFrame, numbers: pl.DataFrame) -> dict[str, Any]:
    # Controls and faults are no other wording of the task, and so no variation.
    others = [kind for kind in rows["kind"].unique().drop_nulls() if not is_wording(kind)]
    left_out = rows.filter(pl.col("kind").is_in(others)).height
    rows = rows.filter(~pl.col("kind").is_in(others))
    about = rows.unique("variant", keep="first", maintain_order=True)
    about = about.sort(pl.col("variant") != ORIG, maintain_order=True)
    first = 0 if ORIG in about["variant"] else 1
    ids = {name: number for number, name in enumerate(about["variant"], start=first)}
    config |= {
        "variations": {
            str(ids[row["variant"]]): {name: row[name] or "" for name in ("variant", "kind", "change")}
            for row in about.iter_rows(named=True)
        }
    }
    if left_out:
        config["rows_left_out"] = left_out
    raw: dict[str, list[dict[str, Any]]] = {item: [] for item in rows["id"].unique(maintain_order=True)}
    scored = rows.filter(pl.col("score").is_not_null()).sort("repeat", maintain_order=True)
    grouped = scored.group_by("id", "variant", maintain_order=True).agg("score", mean=pl.col("score").mean())
    for item, variant, scores, mean in grouped.iter_rows():
        repeats = {"scores": scores} if len(scores) > 1 else {}
        raw[item].append({"variation_id": ids[variant], "score": mean, **repeats})
    for results in raw.values():
        results.sort(key=lambda result: int(result["variation_id"]))
    return {
        "config": config,
        "results": _summary(raw, numbers),
        "raw_eval_results": raw,
        "prompt_sensitivity_metrics": _sensitivity(raw, numbers),
    }


def _summary(raw: Mapping[str, list[dict[str, Any]]], numbers: pl.DataFrame) -> dict[str, Any]:
    """As HAL counts: a task is successful if anything in it was."""
    means = {item: mean for item, mean in numbers.select("id", "mean_score").iter_rows() if item in raw}
    known = {item: mean for item, mean in means.items() if mean is not None}
    return {
        "accuracy": sum(known.values()) / len(known) if known else None,
        "successful_tasks": [item for item, mean in known.items() if mean > 0],
        "failed_tasks": [item for item, mean in known.items() if mean == 0],
    }


def _sensitivity(raw: Mapping[str, list[dict[str, Any]]], numbers: pl.DataFrame) -> dict[str, Any]:
    """Of the tasks with two variations or more. The values are null, not 0, when there is none."""
    several = [item for item, results in raw.items() if len(results) > 1]
    measured = numbers.filter(pl.col("id").is_in(several)).drop_nulls("variance")
    lacking = set(several) - set(measured["id"])
    if lacking:
        raise InputError("per_item has no variance for it", item=sorted(lacking)[0])
    variance, gap = measured["variance"], measured["min_max_gap"]
    of_task = {
        name: dict(measured.select("id", column).iter_rows())
        for name, column in (
            ("task_variances", "variance"),
            ("task_means", "mean_score"),
            ("task_min_max_gaps", "min_max_gap"),
        )
    }
    return {
        "mean_variance": variance.mean(),
        "std_variance": variance.std(ddof=0),  # over tasks, as HAL has it
        "mean_min_max_gap": gap.mean(),
        "max_min_max_gap": gap.max(),
        **of_task,
        "num_tasks": measured.height,
    }


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip("._") or "unnamed"


HAL = Reader(matches=lambda peek, options: is_hal(peek), read=read_hal, owns_folder=True)
