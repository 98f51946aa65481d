"""llm-consistency's JSON report, or the checkpoint of a run that has not ended → outcome table.

It asks no original, so that metrics against `orig` have nothing to compare with. It keeps no answers either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otherwords.core.contract import ERROR, FORMAT, LLM, OPTIONS, PARAPHRASE, SCORED, UNSCORED
from otherwords.core.errors import InputError
from otherwords.results.answers import LONGEST_REASON, score_number
from otherwords.results.lenient_json import parse, parse_lines
from otherwords.results.reader import (
    FileRows,
    Peek,
    Reader,
    ReadOptions,
    ResultFile,
    Results,
    lines_lost,
    read_each,
    refuse_outside,
)

TASK = "llm-consistency"
"""Its files do not name the dataset."""
_KINDS = {
    "option_reorder": OPTIONS,
    "format_change": FORMAT,
    "separator_change": FORMAT,
    "paraphrase": LLM,
    "instruction_rephrase": PARAPHRASE,
}
_FAILED = "error:"
_SCORED_RIGHT_FROM = 2
"""Version of the checkpoint's format."""

Record = Mapping[str, Any]


def is_llm_consistency(peek: Peek) -> bool:
    report = "config.perturbation_types" in peek.keys or "results.scored_responses" in peek.keys
    return report or {"type", "config_hash", "config_snapshot"} <= peek.keys


def read_llm_consistency(files: Sequence[ResultFile], options: ReadOptions) -> Results:
    return read_each(files, "llm-consistency", _read)


def _read(file: ResultFile) -> FileRows:
    config, questions, damage = _open(file.read())
    rows = [row for question in questions for row in _rows(question, config, str(file))]
    if not rows:
        raise InputError("has no scores of single variants")
    return FileRows(rows, damage=damage)


def _open(content: bytes) -> tuple[Record, list[Record], str]:
    """Configuration, questions, and what is wrong with lines that could not be read."""
    try:
        report = parse(content)
        if "results" in report:
            return report["config"], report["results"], ""
    except ValueError:
        pass  # a checkpoint has one value a line
    lines, wrong = parse_lines(content)
    header = next((value for _, value in lines if value.get("type") == "header"), None)
    if header is None:
        raise InputError("is neither a report nor a checkpoint")
    if header.get("version", 0) < _SCORED_RIGHT_FROM:
        raise InputError("is of a release that scored reordered options against the wrong labels")
    # Of a question that was asked again, the last record counts.
    last = {value["qcr"]["question_id"]: value["qcr"] for _, value in lines if value.get("type") == "qcr"}
    return header["config_snapshot"], list(last.values()), lines_lost(wrong)


def _rows(question: Record, config: Record, log: str) -> Iterator[dict[str, Any]]:
    item = str(question["question_id"])
    numbers: dict[str, int] = defaultdict(int)
    for response in question.get("scored_responses") or []:
        change = str(response.get("perturbation_type") or "variant").lower()
        numbers[change] += 1
        yield {
            "task": TASK,
            "model": str(config["model"]),
            "id": item,
            "variant": f"{change}{numbers[change]}",
            "kind": _KINDS.get(change, ""),
            "change": change,
            "repeat": 1,
            **_outcome(response, item),
            "log": log,
        }


def _outcome(response: Record, item: str) -> dict[str, Any]:
    method = str(response.get("scoring_method") or "")
    if method.startswith(_FAILED):  # written with the score 0, which it is not
        return {"status": ERROR, "reason": method.removeprefix(_FAILED).strip()[:LONGEST_REASON]}
    value = score_number(response.get("score"))
    if value is None:
        return {"status": UNSCORED, "reason": "the score is not one number"}
    refuse_outside(value, item)
    return {"status": SCORED, "score": value, "correct": value == 1.0}


LLM_CONSISTENCY = Reader(matches=lambda peek, options: is_llm_consistency(peek), read=read_llm_consistency)
