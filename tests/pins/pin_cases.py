"""What is pinned, computed with the code under test.

`make_expected.py` keeps what version 0.1 computes, and the tests compare with that.
"""

from __future__ import annotations

import csv
import hashlib
import inspect
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import doors
import polars as pl
from pin_data import INPUTS, TABLES, V0_1, column_types, key_paths, numbers_in, plain, read_packed

# --- variants files

GOLDEN = INPUTS / "golden.jsonl.gz"
"""The golden prompts, and items with options."""
WHOLE = "all-k6-seed0"
"""The variants file of which every line is kept."""
OF_CHECKS = ("checks", "accepted", "status", "decided_by", "decision", "distance")
"""What a line says of the checks, which are other ones since 0.1, and of the distance, which is new."""
FAMILIES = ("paraphrase", "format", "options", "naturalistic", "position", "control")
RUNS = {WHOLE: ["-k", "6", "--seed", "0"]}
"""The options that make it, of these families."""
WHOLE_FILE = V0_1 / "variants-lines.jsonl.gz"


def made_variants(name: str, families: Iterable[str] = FAMILIES) -> tuple[dict[str, Any], list[str]]:
    """The header and the other lines of the variants file of that name, made in this folder."""
    Path("golden.jsonl").write_text(read_packed(GOLDEN), encoding="utf-8")
    ended = doors.command(
        "vary", "golden.jsonl", "-o", "out.jsonl", "--families", ",".join(families), *RUNS[name]
    )
    assert ended.code == 0, ended.err
    header, *lines = Path("out.jsonl").read_bytes().decode().splitlines(keepends=True)
    return json.loads(header), lines


def wording_of(line: str) -> dict[str, Any]:
    """A line without what the checks said of it."""
    return {key: value for key, value in json.loads(line).items() if key not in OF_CHECKS}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# --- estimates

TABLE_NAMES = ("binary", "continuous", "choice")
SCHEMA = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "kind": pl.String,
    "change": pl.String,
    "repeat": pl.Int64,
    "status": pl.String,
    "score": pl.Float64,
    "correct": pl.Boolean,
    "answer": pl.String,
    "pred_index": pl.Int64,
    "target_index": pl.Int64,
    "confidence": pl.Float64,
    "tokens": pl.Int64,
    "reason": pl.String,
}
THRESHOLDS = {
    "min_accuracy": 0.5,
    "min_s_prompt": 0.85,
    "min_s_norm": 0.5,
    "min_consistency": 0.3,
    "max_flip_rate": 0.4,
    "max_accuracy_drop": 0.1,
    "max_format_failure_rate": 0.02,
    "min_r_prompt": 0.8,
    "max_noise": 0.2,
}


def table(name: str) -> pl.DataFrame:
    return pl.read_csv(TABLES / f"{name}.csv", schema=SCHEMA)


def estimate_parts(name: str) -> dict[str, Callable[[], Any]]:
    """Everything that is computed from one of the tables, by part."""
    rows = table(name)
    tasks = rows["task"].unique(maintain_order=True).to_list()
    models = rows["model"].unique(maintain_order=True).to_list()
    first = rows.filter(pl.col("task") == tasks[0])
    parts: dict[str, Callable[[], Any]] = {}
    for metric in metric_names():
        parts[f"metric {metric}"] = lambda metric=metric: _metric(metric, rows, tasks, models)  # type: ignore[misc]
    parts |= {
        "summarise by kind": lambda: {
            task: doors.summarise(rows, task, by_kind=True) for task in [None, *tasks]
        },
        "summarise seed 5": lambda: doors.summarise(first, resamples=300, seed=5),
        "by_item": lambda: doors.by_item(rows),
        "by_change": lambda: doors.by_change(rows),
        "compare models": lambda: [
            doors.compare(rows, rows, tasks[0], model_a=models[0], model_b=other) for other in models[1:]
        ],
        "compare with fewer": lambda: doors.compare(
            first.filter(pl.col("model") == models[0]),
            first.filter((pl.col("model") == models[0]) & (pl.col("id") != first["id"][0])).with_columns(
                score=1 - pl.col("score")
            ),
        ),
        "check": lambda: {
            f"{group} {on}": doors.check_thresholds(estimates, THRESHOLDS, on=on)
            for group, estimates in doors.summarise(rows, tasks[0]).items()
            for on in ("bound", "value")
        },
        "plan from pilot": lambda: _plans(doors.pilot_components(rows, tasks[0], model=models[0])),
        "fix": lambda: doors.fix(rows),
        "phrasing_test": lambda: {
            str(model): doors.phrasing_test(rows, tasks[0], model=model) for model in models
        },
        "rank_stability": lambda: doors.rank_stability(rows, tasks[0]),
        "enough_variants": lambda: {
            str(model): doors.enough_variants(rows, tasks[0], model=model) for model in [None, *models]
        },
        "correlations": lambda: {
            method: doors.correlations(rows, tasks[0], method=method) for method in ("pearson", "spearman")
        },
    }
    return parts


def _metric(name: str, rows: pl.DataFrame, tasks: list[str], models: list[str]) -> dict[str, Any]:
    function = doors.metric(name)
    found = {"all": function(rows)}
    for task in tasks:
        found |= {f"{task} / {model}": function(rows, task, model=model) for model in models}
    accepted = inspect.signature(function).parameters
    if "ddof" in accepted:
        found["ddof 0"] = function(rows, tasks[0], model=models[0], ddof=0)
    if "k" in accepted:
        found["k 2"] = function(rows, tasks[0], model=models[0], k=2)
    return found


def metric_names() -> list[str]:
    """As 0.1 has them; `s_task` and `mcnemar_orig_vs_variants` are among them."""
    return [
        *("accuracy", "accuracy_orig", "agreement", "c_out", "consistency_at_k", "delta_accuracy"),
        *("excess_flips", "format_failure_rate", "fragility_score", "mcnemar_orig_vs_variants"),
        *("mean_variance", "std_variance", "min_max_gap", "r_fault", "r_prompt", "pdr", "responsiveness"),
        *("robust_at_k", "best_at_k", "s_corrected", "s_norm", "s_prompt", "s_task", "variance_components"),
    ]


def _plans(components: Any) -> dict[str, Any]:
    return {
        "components": components,
        "half-width": doors.plan(half_width=0.05, components=components),
        "drop": doors.plan(drop=0.05, power=0.9, components=components),
        "both": doors.plan(half_width=0.04, drop=0.08, level=0.9, components=components, items=3000),
        "not enough": doors.plan(half_width=0.01, components=components, items=20),
    }


def other_parts() -> dict[str, Callable[[], Any]]:
    """What is computed from no table."""
    return {
        "plan": lambda: _plans(doors.prior_components(0.8)),
        "plan of one wording": lambda: doors.plan(half_width=0.1, variants=(1, 2), repeats=(1,)),
        "selftest": lambda: doors.selftest(0),
        "benjamini_hochberg": lambda: list(doors.benjamini_hochberg([0.01, None, 0.04, 0.03, 0.5])),
    }


def computed(part: Callable[[], Any]) -> Any:
    """As plain JSON. A refusal is a result as well."""
    try:
        return plain(part())
    except doors.InputError as error:
        return {"refused": str(error)}


# --- what commands write

OUTPUT_PARTS: dict[str, Callable[[], Any]] = {}


def _output(function: Callable[[], Any]) -> Callable[[], Any]:
    OUTPUT_PARTS[function.__name__.strip("_").replace("_", " ")] = function
    return function


def _run(*arguments: str) -> str:
    ended = doors.command(*arguments)
    assert ended.code == 0, (arguments, ended.err, ended.out)
    return ended.out


def _csv(path: str) -> dict[str, Any]:
    """The header as it is written, and the types that polars reads from the columns."""
    text = Path(path).read_text(encoding="utf-8")
    header = next(csv.reader(io.StringIO(text)))
    return {"header": header, "types": column_types(pl.read_csv(path, infer_schema_length=None))}


def _parquet(path: str) -> list[list[str]]:
    """Names and types in their order."""
    return [list(column) for column in column_types(pl.read_parquet(path)).items()]


def _json(text: str) -> dict[str, Any]:
    value = json.loads(text)
    return {"paths": key_paths(value), "numbers": numbers_in(value)}


@_output
def _aggregate() -> Any:
    found = {}
    for logs in ("logs", "logs-questions", "choice.csv"):
        _run("aggregate", "--logs", logs, "--out", f"results-{logs}")
        found[logs] = {
            "files": sorted(path.name for path in Path(f"results-{logs}").iterdir()),
            "csv": _csv(f"results-{logs}/outcomes.csv"),
            "parquet": _parquet(f"results-{logs}/outcomes.parquet"),
            "rows": pl.read_parquet(f"results-{logs}/outcomes.parquet").height,
        }
    return found


@_output
def _aggregate_public() -> Any:
    Path("salt").write_text("a salt that is long enough for anybody\n", encoding="utf-8")
    _run("aggregate", "--logs", "logs-questions", "--out", "public", "--public", "--salt-file", "salt")
    return {
        "csv": _csv("public/outcomes.csv"),
        "parquet": _parquet("public/outcomes.parquet"),
        "ids": sorted(pl.read_parquet("public/outcomes.parquet")["id"].unique()),
    }


@_output
def _report() -> Any:
    _run("report", "logs", "logs-questions", "-o", "report")
    return {
        "files": sorted(path.name for path in Path("report").iterdir()),
        "task level": _csv("report/task_level_sensitivity.csv"),
        "agent level": _csv("report/agent_level_sensitivity.csv"),
    }


@_output
def _report_json() -> Any:
    return {
        name: _json(_run("report", name, "--json"))
        for name in ("binary.csv", "continuous.csv", "choice.csv", "logs", "logs-questions")
    }


@_output
def _report_json_with_audit() -> Any:
    return _json(_run("report", "logs-questions", "--json", "--audit", "audit-questions.json"))


@_output
def _check_junit() -> Any:
    options = ("--min-accuracy", "0.9", "--max-flip-rate", "1", "--on", "value", "--junit", "gate.xml")
    ended = doors.command("check", "binary.csv", *options, "--github")
    tree = ElementTree.parse("gate.xml").getroot()
    elements = [[one.tag, dict(one.attrib), one.text] for one in tree.iter()]
    github = [line for line in ended.out.splitlines() if line.startswith("::")]
    return {"code": ended.code, "elements": elements, "github": github}


@_output
def _fix_json() -> Any:
    return {name: _json(_run("fix", name, "--json")) for name in ("binary.csv", "choice.csv", "logs")}


@_output
def _compare_json() -> Any:
    models = ("--model-a", "large", "--model-b", "small")
    return {
        "models": _json(_run("compare", "binary.csv", "binary.csv", *models, "--json")),
        "logs": _json(_run("compare", "logs", "logs", "--json")),
    }


@_output
def _audit() -> Any:
    _run("audit", "mcq.jsonl", "--json", "out/audit.json", "--csv", "out/audit.csv", "--strict")
    value = json.loads(Path("out/audit.json").read_text(encoding="utf-8"))
    return {
        "json": {"paths": key_paths(value), "numbers": numbers_in(value)},
        "decisions": value["decisions"],
        "reasons": value["reasons"],
        "csv": _csv("out/audit.csv"),
        "csv rows": list(csv.reader(io.StringIO(Path("out/audit.csv").read_text(encoding="utf-8")))),
    }


@_output
def _scan() -> Any:
    """It writes no file; what it says is all that there is."""
    found = {}
    for name, options in (
        ("clean", ["public-note.txt", "--dataset", "questions.jsonl"]),
        ("found", ["questions.jsonl", "--dataset", "questions.jsonl", "--variants", "variants.jsonl"]),
        ("secrets", ["note.txt", "--secret-file", "secrets.txt"]),
    ):
        Path("public-note.txt").write_text("Nothing of it is here.\n", encoding="utf-8")
        Path("note.txt").write_text("It is the swordfish that opens the door.\n", encoding="utf-8")
        Path("secrets.txt").write_text("swordfish that opens the door\n", encoding="utf-8")
        ended = doors.command("scan", *options)
        found[name] = {"code": ended.code, "out": ended.out.splitlines(), "err": ended.err.splitlines()}
    return found


@_output
def _variants_line() -> Any:
    lines = [json.loads(line) for line in Path("variants.jsonl").read_text(encoding="utf-8").splitlines()]
    _run("vet", "variants.jsonl", "-o", "vetted.jsonl")
    again = [json.loads(line) for line in Path("vetted.jsonl").read_text(encoding="utf-8").splitlines()]
    return {
        "made": {"header": key_paths(lines[0]), "lines": sorted(key_paths(lines[1:]))},
        "vetted": {"header": key_paths(again[0]), "lines": sorted(key_paths(again[1:]))},
        "same": lines[1:] == again[1:],
    }


@_output
def _hal_upload() -> Any:
    options = ("--repeats", "1", "-k", "2", "--agent-name", "mine", "--log-dir", "hal-logs")
    _run("run", "questions.jsonl", "--agent", "mine.py:answer", *options, "--results-dir", "hal")
    (upload,) = Path("hal").rglob("*_UPLOAD.json")
    return {"place": upload.parent.name, "paths": key_paths(json.loads(upload.read_text(encoding="utf-8")))}
