"""promptfoo's `--output` as .json or .jsonl (a test is an item, a prompt is a wording) → outcome table.

A test is an item and a prompt is a wording of it; the first prompt is the original. promptfoo gives repeats
of a test numbers of their own, so that they are told by what the test says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from otherwords.core.contract import (
    ERROR,
    FILTERED,
    ORIG,
    PARAPHRASE,
    REFUSED,
    SCORED,
    TRUNCATED,
    UNSCORED,
    Outcome,
)
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
from otherwords.results.tool_values import (
    LONGEST_REASON,
    free_answer,
    no_answer,
    parse,
    parse_lines,
    score_number,
)

TASK = "promptfoo"
"""For files whose configuration has no description."""
_SCORE, _PASS = "score", "pass"
"""The names of a test's score, and of whether it passed, beside those of its named metrics."""
_ENDED: Mapping[str, Outcome] = {"length": TRUNCATED, "content_filter": FILTERED, "refusal": REFUSED}
"""promptfoo's `finishReason`, where it is not that the answer is whole."""
_COULD_NOT_RUN = 2
"""promptfoo's `failureReason` of a test that could not be run; 1 is an assertion that failed."""

Record = Mapping[str, Any]
Row = dict[str, Any]


def is_promptfoo(peek: Peek) -> bool:
    keys = peek.keys
    whole = "evalId" in keys and "results" in keys
    summary = {"version", "results", "timestamp"} <= keys and bool(keys & {"prompts", "stats", "table"})
    return whole or summary or {"promptIdx", "testIdx"} <= keys or {"results.promptIdx"} <= keys


def read_promptfoo(files: Sequence[ResultFile], options: ReadOptions) -> Results:
    return read_each(files, "promptfoo", lambda file: _read(file, options.scorer))


def _read(file: ResultFile, scorer: str | None) -> FileRows:
    task, records, damage, config = _open(file.read())
    if not records:
        raise InputError("has no results")
    rows, prompts = _rows(task, records, str(file), scorer)
    named = dict.fromkeys(str(name) for record in records for name in record.get("namedScores") or ())
    return FileRows(
        rows,
        prompts,
        damage=damage,
        scorer=scorer or _SCORE if named else scorer,
        other_scorers=[_PASS, *named] if named and scorer is None else (),
        settings=_settings(config),
    )


def _settings(config: Record) -> dict[str, Record]:
    """By provider, what the file says that it was run with."""
    providers = config.get("providers")
    listed = providers if isinstance(providers, list) else [providers]
    return {
        _provider(one): one["config"]
        for one in listed
        if isinstance(one, dict) and isinstance(one.get("config"), dict)
    }


def _open(content: bytes) -> tuple[str, list[Record], str, Record]:
    """Name, results, what is wrong with lines that could not be read, and the configuration."""
    try:
        value = parse(content)
    except ValueError:
        lines, wrong = parse_lines(content)
        records = [record for _, record in lines if "promptIdx" in record]
        if not records:
            raise
        return TASK, records, lines_lost(wrong), {}
    if "promptIdx" in value:  # one line
        return TASK, [value], "", {}
    config = value.get("config") or {}
    summary = value["results"]
    records = summary["results"] if isinstance(summary, dict) else summary
    return str(config.get("description") or TASK), records, "", config


def _rows(task: str, records: Sequence[Record], log: str, scorer: str | None) -> tuple[list[Row], list[str]]:
    ordered = sorted(records, key=lambda record: (record.get("testIdx", 0), record.get("promptIdx", 0)))
    items: dict[bytes, str] = {}
    variants: dict[str, str] = {}
    repeats: dict[tuple[str, str, str], int] = defaultdict(int)
    rows, prompts = [], []
    for record in ordered:
        item = items.setdefault(_test_key(record), _test_name(record, set(items.values())))
        label = _prompt_label(record)
        variant = variants.setdefault(label, f"prompt{len(variants) + 1}" if variants else ORIG)
        model = _provider(record.get("provider"))
        repeats[model, item, variant] += 1
        rows.append(
            {
                "task": task,
                "model": model,
                "id": item,
                "variant": variant,
                "kind": ORIG if variant == ORIG else PARAPHRASE,
                "change": "" if variant == ORIG else label,
                "repeat": repeats[model, item, variant],
                **_outcome(record, item, scorer),
                "log": log,
            }
        )
        prompt = record.get("prompt")
        prompts.append(str(prompt.get("raw", label)) if isinstance(prompt, dict) else label)
    return rows, prompts


def _test_key(record: Record) -> bytes:
    """What makes two tests the same: their variables and what is asserted of the answer."""
    test = record.get("testCase") or {}
    said = [record.get("vars") or test.get("vars"), test.get("assert"), test.get("description")]
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)


def _test_name(record: Record, taken: set[str]) -> str:
    number = record.get("testIdx", 0)
    name = str((record.get("testCase") or {}).get("description") or f"test{number}")
    return f"{name} ({number})" if name in taken else name


def _prompt_label(record: Record) -> str:
    """The prompt before the test's variables are put in."""
    prompt = record.get("prompt")
    if isinstance(prompt, dict):
        return str(prompt.get("label") or prompt.get("display") or prompt.get("raw") or record["promptIdx"])
    return str(prompt or record["promptIdx"])


def _provider(provider: Any) -> str:
    if isinstance(provider, dict):
        return str(provider.get("label") or provider.get("id") or "")
    return str(provider or "")


def _outcome(record: Record, item: str, scorer: str | None) -> Row:
    response = record.get("response") or {}
    usage = response.get("tokenUsage") or record.get("tokenUsage") or {}
    latency, total, said = record.get("latencyMs"), usage.get("total"), response.get("output")
    text = None if said is None else said if isinstance(said, str) else orjson.dumps(said).decode()
    extra: Row = {
        "response": text,
        "seconds": latency / 1000 if isinstance(latency, int | float) else None,
        "tokens": total if isinstance(total, int) and total < 2**63 else None,
    }
    if response.get("isRefusal") is True:
        extra["outcome"] = REFUSED
    elif response.get("finishReason") in _ENDED:
        extra["outcome"] = _ENDED[response["finishReason"]]
    if record.get("failureReason") == _COULD_NOT_RUN or (
        record.get("error") and record.get("gradingResult") is None
    ):
        reason = str(record.get("error") or "error")[:LONGEST_REASON]
        return {**extra, "status": ERROR, "reason": reason, "outcome": None}
    test, graded = record.get("testCase") or {}, record.get("gradingResult")
    if not test.get("assert") and not (graded or {}).get("componentResults"):
        return {**extra, "status": UNSCORED, "reason": "the test asserts nothing"}
    value = score_number(_score(record, scorer))
    if value is None:
        return {**extra, "status": UNSCORED, "reason": "the score is not one number"}
    refuse_outside(value, item)
    answer = free_answer(text, value, None)
    if value != 1.0 and extra.get("outcome") is not None:
        answer = no_answer(extra["outcome"], text) or answer
    return {**extra, "status": SCORED, "score": value, "correct": value == 1.0, "answer": answer}


def _score(record: Record, scorer: str | None) -> Any:
    """The score, `pass` for whether the test passed, or one of its named metrics."""
    if scorer in (None, _SCORE):
        return record.get("score")
    if scorer == _PASS:
        return record.get("success")
    named = record.get("namedScores") or {}
    if scorer not in named:
        raise InputError(f"has no score by '{scorer}' (it has: {', '.join([_PASS, *named])})")
    return named[scorer]


PROMPTFOO = Reader(matches=lambda peek, options: is_promptfoo(peek), read=read_promptfoo)
