"""HAL's `*_UPLOAD.json` files → outcome table: variations, fault runs, repeats; HAL's own metrics checked.

Scores are taken as they are; HAL's own sensitivity metrics are only compared with what the scores give. Files
that we wrote (`hal_upload`) have the scores of repeats beside their mean, and the runs without a score apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from otherwords.core.contract import (
    AGENT_ERROR,
    ERROR,
    FAULT,
    LLM,
    MISSING,
    ORIG,
    OUTCOMES,
    PROVIDER_ERROR,
    SCORED,
    STRENGTHS,
    UNSCORED,
    Outcome,
)
from otherwords.core.errors import InputError
from otherwords.core.tool_calls import tool_call_record
from otherwords.core.tool_events import calls_in_actions, calls_in_messages
from otherwords.english.language import names_service_failure
from otherwords.results.hal_upload import OUTCOME, UNSCORED_RUNS
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
from otherwords.results.tool_values import LONGEST_REASON, parse, score_number

_SCORE_NAMES = ("score", "reward", "accuracy")
"""Where a benchmark puts a task's score, in the order in which HAL looks."""
# HAL's reliability runs put what was done into the agent's name, one run a variation.
_VARIATION_RUN = re.compile(rf"_prompt_({'|'.join(STRENGTHS)})_var(\d+)$")
_FAULT_RUN = re.compile(r"_fault_(\d+)pct$")
_SETTINGS = (
    "model_name",
    "model",
    "provider",
    "temperature",
    "top_p",
    "max_tokens",
    "reasoning_effort",
    "seed",
)
"""Arguments of an agent that make two runs different ones."""
_CLOSE = 1e-9


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
    remarks = [difference] if difference else []
    return FileRows(rows, asked, remarks=remarks, settings={"": _settings(upload)})


def _settings(upload: Mapping[str, Any]) -> dict[str, Any]:
    """What the agent was run with. Other arguments may be what tells a wording or a fault."""
    given = (upload.get("config") or {}).get("agent_args")
    return {name: given[name] for name in _SETTINGS if name in given} if isinstance(given, dict) else {}


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
    for task_id, wording, found in _unscored(upload, run):
        known = rows.setdefault((task_id, wording), [])
        known.append(_row(run, task_id, wording, log) | found | {"repeat": len(known) + 1})
    raw = upload["raw_eval_results"]
    # HAL lists only what was evaluated: a variation that others have and this task lacks is missing.
    tasks = dict.fromkeys(
        [task_id for task_id, _ in rows]
        + [str(name) for name in raw if isinstance(raw, dict) and raw[name] == []]
    )
    if not tasks:
        raise InputError("has no result of any task")
    wordings = dict.fromkeys(wording for _, wording in rows) or run.variations.values() or [run.wording]
    lacking = {"repeat": 1, "status": MISSING, "reason": "the file has no result for it"}
    return [
        row
        for task_id in tasks
        for wording in wordings
        for row in rows.get((task_id, wording)) or [_row(run, task_id, wording, log) | lacking]
    ]


def _unscored(upload: Mapping[str, Any], run: Run) -> Iterator[tuple[str, Wording, dict[str, Any]]]:
    """The runs without a score, in files that we wrote."""
    for entry in upload.get(UNSCORED_RUNS) or []:
        wording = run.variations.get(str(entry["variation_id"])) or _wording(str(entry["variation_id"]))
        yield str(entry["task_id"]), wording, {name: entry[name] for name in ("status", "outcome", "reason")}


def _row(run: Run, task_id: str, wording: Wording, log: str) -> dict[str, Any]:
    return {"task": run.task, "model": run.model, "id": task_id, **wording._asdict(), "log": log}


def _each_result(upload: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Task, variation (None where the file has none) and whatever the benchmark gave as its result."""
    raw = upload["raw_eval_results"]
    results = upload.get("results") or {}
    won, lost = results.get("successful_tasks") or [], results.get("failed_tasks") or []
    if isinstance(raw, list) and raw:
        for entry in raw:
            yield str(entry["task_id"]), entry.get("variation_id"), entry
    elif (won or lost) and not set(raw) & {str(task) for task in (*won, *lost)}:
        # Some benchmarks leave only their own summary here; the two lists still say who solved what.
        yield from ((str(task), None, 1.0) for task in won)
        yield from ((str(task), None, 0.0) for task in lost)
    elif isinstance(raw, dict):
        failed = {str(task) for task in lost}
        for task_id, result in raw.items():
            for variation, one in _variations(result):
                counted = _is_error(one) and str(task_id) in failed
                yield str(task_id), variation, {"score": 0.0, OUTCOME: _whose(one)} if counted else one


def _is_error(result: Any) -> bool:
    """HAL's result of an agent that failed; where the task is among the failed ones, HAL counts it as 0."""
    return isinstance(result, str) and result.startswith("ERROR")


def _whose(error: str) -> Outcome:
    """HAL writes down what its agent raised, and that it took too long; some of it is a provider's error."""
    return PROVIDER_ERROR if names_service_failure(error) else AGENT_ERROR


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
    if not (isinstance(scores, list) and scores):
        return [result]
    outcomes = result.get(f"{OUTCOME}s")
    if not (isinstance(outcomes, list) and len(outcomes) == len(scores)):
        return scores
    return [{"score": one, OUTCOME: outcome} for one, outcome in zip(scores, outcomes, strict=True)]


def _outcome(result: Any, scorer: str | None, item: str) -> dict[str, Any]:
    if isinstance(result, str) and score_number(result) is None:
        if _is_error(result):
            return {"status": ERROR, "outcome": _whose(result), "reason": result[:LONGEST_REASON]}
        return {"status": UNSCORED, "reason": "no score, but text"}
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
        "outcome": about[OUTCOME] if about.get(OUTCOME) in OUTCOMES else None,
        "tool_calls": _called(about),
    }
    if value is None:
        return {**extra, "status": UNSCORED, "reason": f"no {' or '.join(names)} in its result"}
    refuse_outside(value, item)
    return {**extra, "status": SCORED, "score": value, "correct": value == 1.0}


def _called(about: Mapping[str, Any]) -> str | None:
    """What tau-bench lists as actions, or else what the messages of an agent ask for; None without both."""
    if isinstance(about.get("taken_actions"), list):
        return tool_call_record(calls_in_actions(about["taken_actions"]))
    messages = about.get("messages")
    return tool_call_record(calls_in_messages(messages)) if isinstance(messages, list) else None


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


HAL = Reader(matches=lambda peek, options: is_hal(peek), read=read_hal, owns_folder=True)
