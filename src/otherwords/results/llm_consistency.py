"""llm-consistency's JSON report, or the checkpoint of a run that has not ended → outcome table.

It asks no original, so that metrics against `orig` have nothing to compare with. Of answers it keeps how
often each was given to a question (`answer_distribution`), by the option's original label, and not to which
wording: they are dealt out to the wordings so that right answers go where the score is 1. Consistency and
agreement ask only how often each was given, so they are exact; what one kind of change does to answers is
not told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otherwords.core.contract import ERROR, FORMAT, LLM, OPTIONS, PARAPHRASE, SCORED, UNSCORED
from otherwords.core.errors import InputError
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
from otherwords.results.tool_values import LONGEST_REASON, parse, parse_lines, score_number

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
_ERROR_ANSWER = "<error:"
"""How it names the answer of a variant that failed."""
_NO_SETTING = frozenset(
    {
        "model",
        "perturbation_types",
        "num_variants",
        "mca_threshold",
        "max_budget_usd",
        "concurrency",
        "max_concurrency",
    }
)
"""Parts of its configuration that change what is asked, or how fast, and not how it is answered."""
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
    rows: list[dict[str, Any]] = []
    unlike = unknown = 0
    for question in questions:
        of_question = list(_rows(question, config, str(file)))
        dealt = _deal_answers(of_question, question.get("answer_distribution"))
        unlike, unknown = unlike + (dealt is None), unknown + (dealt is False)
        rows += of_question
    if not rows:
        raise InputError("has no scores of single variants")
    notes = [f"the answers of {unlike} questions do not fit their scores and are not used"] if unlike else []
    if unknown:
        notes.append(
            f"of {unknown} questions it tells how often each answer was given and not to which wording, so "
            "that consistency is exact and the answer shown beside a wording may be another's"
        )
    settings = {name: value for name, value in config.items() if name not in _NO_SETTING}
    return FileRows(rows, damage=damage, notes=notes, settings={"": settings})


def _deal_answers(rows: Sequence[dict[str, Any]], distribution: Any) -> bool | None:
    """Give each scored row one of the question's answers; whether each is sure. None if they do not fit."""
    if not isinstance(distribution, dict) or not distribution:
        return True
    counts = {
        str(answer): count
        for answer, count in distribution.items()
        if not str(answer).startswith(_ERROR_ANSWER)
    }
    scored = [row for row in rows if row["status"] == SCORED]
    if not all(type(count) is int and count >= 0 for count in counts.values()):
        return None
    if sum(counts.values()) != len(scored):
        return None
    right = [row for row in scored if row["correct"]]
    chosen = _adding_up_to(len(right), list(counts.items()))
    if chosen is None:
        return None
    wrong = [row for row in scored if not row["correct"]]
    others = [answer for answer in counts if answer not in chosen]
    for of_part, answers in ((right, chosen), (wrong, others)):
        dealt = [answer for answer in answers for _ in range(counts[answer])]
        for row, answer in zip(of_part, dealt, strict=True):
            row["answer"] = answer.casefold() if len(answer) > 1 else answer
    return len(chosen) <= 1 and len(others) <= 1 and len(set(counts.values())) == len(counts)


def _adding_up_to(total: int, counts: Sequence[tuple[str, int]]) -> list[str] | None:
    """The fewest answers whose counts add up to `total`: those that were scored as right."""
    found: dict[int, list[str]] = {0: []}
    for answer, count in counts:
        for reached, answers in list(found.items()):
            longer = [*answers, answer]
            if reached + count <= total and len(found.get(reached + count, [*longer, ""])) > len(longer):
                found[reached + count] = longer
    return found.get(total)


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
