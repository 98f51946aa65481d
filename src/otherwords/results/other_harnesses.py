"""Results of lm-evaluation-harness and of llm-consistency → outcome tables.

Records of lm-evaluation-harness (`samples_<task>_<date>.jsonl`, one a document and filter) do not say which
task or model they are of. The task stands in the file name; the model in `results_<date>.json` beside it, or
else it is the name of the folder, as the harness writes it.

llm-consistency (its JSON report, or the checkpoint of a run that has not ended) asks no original, so that
metrics against `orig` have nothing to compare with. Of answers it keeps how often each was given to a
question (`answer_distribution`), by the label of the original option, and not to which wording: they are
dealt out to the wordings so that right answers go where the score is 1. Consistency and agreement ask only
how often each was given, so they are exact; what one kind of change does to answers is not told.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otherwords.core.contract import (
    ERROR,
    FORMAT,
    LLM,
    OPTIONS,
    ORIG,
    PARAPHRASE,
    SCORED,
    UNREADABLE,
    UNSCORED,
)
from otherwords.core.errors import InputError
from otherwords.core.types import letter_of
from otherwords.results.reader import (
    HEAD,
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
from otherwords.results.tool_values import (
    LONGEST_REASON,
    at_path,
    free_answer,
    key_paths,
    no_answer,
    parse,
    parse_lines,
    score_number,
)

_NAME = re.compile(r"^samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)\.jsonl$")
_SAMPLE = frozenset({"doc_id", "doc", "filtered_resps"})

_SETTINGS = ("model", "model_args", "gen_kwargs")
_INVALID = "[invalid]"
"""What its filters give where they find no answer."""

Row = dict[str, Any]


def is_lm_eval(peek: Peek) -> bool:
    # A document may be longer than what is seen of the file; it stands after its number.
    cut = {"doc_id", "doc"} <= peek.keys and b"\n" not in peek.head
    return peek.keys >= _SAMPLE or cut or _is_summary(peek.keys)


def _is_summary(keys: frozenset[str]) -> bool:
    """`results_<date>.json`, which has no scores of single documents."""
    return "results" in keys and bool(keys & {"group_subtasks", "configs", "n-shot"})


def read_lm_eval(files: Sequence[ResultFile], options: ReadOptions) -> Results:
    return read_each(files, "lm-evaluation-harness", lambda file: _read_lm_eval(file, options))


def _read_lm_eval(file: ResultFile, options: ReadOptions) -> FileRows:
    content = file.read()
    if _is_summary(key_paths(content[:HEAD])):
        return FileRows()
    records, wrong = parse_lines(content)
    if not records:
        raise InputError(lines_lost(wrong) or "has no records")
    run = _Run(file, options)
    taken = [(line, record) for line, record in records if run.takes(record)]
    rows = [run.row(line, record) for line, record in taken]
    return FileRows(
        rows=rows,
        prompts=[_prompt(record) for _, record in taken],
        targets=[str(record.get("target", "")) for _, record in taken],
        damage=lines_lost(wrong),
        notes=run.left_out(),
        scorer=run.metric or None,
        other_scorers=() if options.scorer or "score" in options.columns else run.other_metrics(records),
        settings={"": run.settings},
    )


class _Run:
    """One file: its names, the filter and metric that are read, and what is left out."""

    def __init__(self, file: ResultFile, options: ReadOptions) -> None:
        named = _NAME.match(file.name)
        self.file, self.columns = file, options.columns
        self.task = named["task"] if named else file.name.rsplit(".", 1)[0]
        summary = _summary(file, named["date"] if named else "")
        self.model = _model(file, summary)
        self.settings = _settings(summary, self.task)
        # `exact_match,strict-match` is how the harness itself writes a metric and its filter.
        self.metric, _, self.filter = (options.scorer or "").partition(",")
        self.others: dict[str, int] = defaultdict(int)

    def takes(self, record: Mapping[str, Any]) -> bool:
        """Filters are several readings of one answer; only one of them counts."""
        name = str(record.get("filter", "none"))
        self.filter = self.filter or name
        if name != self.filter:
            self.others[name] += 1
        return name == self.filter

    def left_out(self) -> list[str]:
        return [
            f"{count} records of filter '{name}' are other readings of the answers of '{self.filter}'"
            for name, count in self.others.items()
        ]

    def other_metrics(self, records: Sequence[tuple[int, Mapping[str, Any]]]) -> list[str]:
        named = dict.fromkeys(str(name) for _, record in records for name in record.get("metrics") or ())
        return [name for name in named if name != self.metric]

    def row(self, line: int, record: dict[str, Any]) -> Row:
        item, variant, kind = self._identity(record)
        value = self._score(line, item, record)
        row: Row = {
            "task": self._own(record, "task", self.task),
            "model": self._own(record, "model", self.model),
            "id": item,
            "variant": variant,
            "kind": kind,
            "change": "",
            "repeat": self._own(record, "repeat", 1),
            "status": UNSCORED if value is None else SCORED,
            "score": value,
            "correct": None if value is None else value == 1.0,
            "reason": f"the {self.metric} is not one number" if value is None else None,
            "log": str(self.file),
        }
        row.update(_answer(record, value, self.metric))
        return row

    def _own(self, record: dict[str, Any], name: str, otherwise: Any) -> Any:
        return otherwise if name not in self.columns else at_path(record, self.columns[name])

    def _identity(self, record: dict[str, Any]) -> tuple[str, str, str]:
        doc = record["doc"] if isinstance(record.get("doc"), dict) else {}
        item, variant = doc.get("question_id"), doc.get("prompt_id")
        several = item is not None and variant is not None  # a task that asks in several wordings
        item = self._own(record, "id", item if several else record["doc_id"])
        variant = self._own(record, "variant", f"prompt{variant}" if several else ORIG)
        kind = self._own(record, "kind", ORIG if variant == ORIG else PARAPHRASE)
        if item is None or variant is None:
            raise InputError("has a record without what its id or variant was said to be")
        return str(item), str(variant), str(kind)

    def _score(self, line: int, item: str, record: dict[str, Any]) -> float | None:
        metrics = record.get("metrics") or []
        self.metric = self.metric or self.columns.get("score", "") or str(next(iter(metrics), ""))
        given = at_path(record, self.metric)
        if given is None and self.metric not in record:
            known = ", ".join(map(str, metrics)) or "none"
            raise InputError(f"has no metric '{self.metric}' (its metrics: {known})", line=line)
        return refuse_outside(score_number(given), item, self.metric)


def _summary(file: ResultFile, date: str) -> Mapping[str, Any]:
    """`results_<date>.json` beside the file, or nothing."""
    try:
        summary = parse(file.beside(f"results_{date}.json").read())
    except (OSError, ValueError, InputError):
        return {}  # not there, or not whole
    return summary if isinstance(summary, dict) else {}


def _model(file: ResultFile, summary: Mapping[str, Any]) -> str:
    config = summary.get("config")
    name = summary.get("model_name") or (config.get("model_args") if isinstance(config, dict) else None)
    if isinstance(name, str) and name:
        return name
    return file.folder.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1]  # the folder has the name too


def _settings(summary: Mapping[str, Any], task: str) -> dict[str, Any]:
    """What the harness says that the task was run with."""
    config = summary.get("config")
    settings = {name: config.get(name) for name in _SETTINGS} if isinstance(config, dict) else {}
    for name in ("versions", "n-shot"):
        by_task = summary.get(name)
        settings[name] = by_task.get(task) if isinstance(by_task, dict) else None
    return {name: value for name, value in settings.items() if value not in (None, {}, "")}


def _answer(record: Mapping[str, Any], value: float | None, metric: str) -> Row:
    """The option with the highest likelihood, which is what `acc` is of, or the text that was written."""
    said = record.get("filtered_resps")
    if not isinstance(said, list) or not said or value is None:
        return {}
    if all(isinstance(one, list) and len(one) == 2 for one in said) and len(said) > 1:
        if metric != "acc":
            return {}
        likelihoods = [float(one[0]) for one in said]
        place = likelihoods.index(max(likelihoods))
        target = str(record.get("target", ""))
        right = int(target) if target.isdecimal() and int(target) < len(said) else None
        return {"answer": letter_of(place), "pred_index": place, "target_index": right}
    text = said[0] if isinstance(said[0], str) else None
    if text == _INVALID and value != 1.0:
        return {"response": text, "outcome": UNREADABLE, "answer": no_answer(UNREADABLE, text)}
    return {"response": text, "answer": free_answer(text, value, record.get("target"))}


def _prompt(record: Mapping[str, Any]) -> str:
    arguments = record.get("arguments")
    if isinstance(arguments, dict):
        arguments = [list(one.values()) if isinstance(one, dict) else one for one in arguments.values()]
    first = arguments[0] if isinstance(arguments, list) and arguments else None
    return str(first[0]) if isinstance(first, list) and first else ""


LM_EVAL = Reader(matches=lambda peek, options: is_lm_eval(peek), read=read_lm_eval)


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
    return read_each(files, "llm-consistency", _read_consistency)


def _read_consistency(file: ResultFile) -> FileRows:
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
