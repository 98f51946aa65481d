"""promptfoo's `--output` as .json or .jsonl → outcome table; its configuration → templates and cases.

A test is an item and a prompt is a wording of it; the first prompt is the original. promptfoo gives repeats
of a test numbers of their own, so that they are told by what the test says.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
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
from otherwords.core.files import read_input
from otherwords.core.template import Template
from otherwords.core.types import Item
from otherwords.core.yaml_lines import load_yaml
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


# ---- the configuration

_CONTAINS = ("contains", "contains-any", "contains-all", "icontains", "icontains-any", "icontains-all")
ASSERTS = frozenset(("equals", "starts-with", "regex", *_CONTAINS))
"""Assertions that `runs.item_task.asserts` checks, each also with `not-` in front."""
_VARIABLE = re.compile(r"\{\{-?\s*([^\W\d]\w*)\s*-?\}\}")
_KNOWN = ("prompts", "tests", "defaultTest", "description")


@dataclass(frozen=True)
class PromptfooConfig:
    """What a promptfoo configuration asks, as far as it can be asked here."""

    templates: tuple[Template, ...]
    fields: tuple[dict[str, Any], ...]
    """The variables of each test."""
    asserts: Mapping[str, list[dict[str, Any]]]
    """By the test's id."""
    not_taken: Mapping[str, int]
    """What was left out, and how often."""

    def cases(self, own: str) -> tuple[Item, ...]:
        """The tests as cases whose own text is the variable `own`."""
        cases = []
        for id_, fields in zip(self.asserts, self.fields, strict=True):
            if fields.get(own) is None:
                raise InputError(f"has no variable '{own}', which the prompt names", item=id_)
            right = [one for one in self.asserts[id_] if one["type"] in (*_CONTAINS, "equals", "starts-with")]
            answers = dict.fromkeys(text for one in right for text in one["values"])
            others = {name: value for name, value in fields.items() if name != own}
            cases.append(Item(id_, str(fields[own]), (), tuple(answers), others))
        return tuple(cases)


def read_promptfoo_config(path: str | Path) -> PromptfooConfig:
    """Reads prompts, variables and assertions of a `promptfooconfig.yaml`.

    What is not taken over is counted by name: prompts that are made by code, assertions that call a model or
    run code, providers and other settings, and tests without any assertion that can be checked.

    Raises:
        InputError: The file cannot be read, or has no prompt or no test that can be taken over.
    """
    path = Path(path)
    content = load_yaml(path)
    if not isinstance(content, dict) or "prompts" not in content or "tests" not in content:
        raise InputError("is no promptfoo configuration: it has no prompts or no tests", file=path)
    left: Counter[str] = Counter(name for name in content if name not in _KNOWN)
    given = content["prompts"] if isinstance(content["prompts"], list) else [content["prompts"]]
    prompts = [one for entry in given for one in _prompts(entry, path, left)]
    templates = []
    for number, (name, text) in enumerate(prompts, start=1):
        wanted = ORIG if len(prompts) == 1 else re.sub(r"[^\w.-]+", "-", name or f"prompt{number}")[:40]
        template = _template(text, wanted, path)
        templates += [] if template is None else [template]
        left["prompt with a filter or a block"] += template is None
    default = content["defaultTest"] if isinstance(content.get("defaultTest"), dict) else {}
    tests: list[dict[str, Any]] = []
    asserts: dict[str, list[dict[str, Any]]] = {}
    for number, test in enumerate(_tests(content["tests"], path), start=1):
        listed = [*(default.get("assert") or ()), *(test.get("assert") or ())]
        for fields in _expanded({**(default.get("vars") or {}), **(test.get("vars") or {})}):
            kept = [one for one in (_assertion(given, fields, left) for given in listed) if one is not None]
            left["test without an assertion that can be checked"] += not kept
            if kept:
                name = f"test{number}"
                asserts[name if name not in asserts else f"{name}-{len(tests) + 1}"] = kept
                tests.append(fields)
    taken = PromptfooConfig(tuple(templates), tuple(tests), asserts, +left)
    if not templates or not tests:
        lacks = "prompt that can be taken over" if not templates else "test that can be scored here"
        others = ", ".join(f"{name} ({count})" for name, count in taken.not_taken.items())
        raise InputError(f"has no {lacks}", file=path, hint=f"Not taken over: {others}.")
    return taken


def _prompts(entry: Any, path: Path, left: Counter[str]) -> Iterator[tuple[str, Any]]:
    """Names and texts, or lists of messages, of one entry of `prompts`."""
    name = ""
    if isinstance(entry, dict):
        name, entry = str(entry.get("label") or entry.get("id") or ""), entry.get("raw") or entry.get("id")
    if not isinstance(entry, str):
        left["prompt that is no text"] += 1
        return
    file = entry.removeprefix("file://")
    suffix = Path(file).suffix.lower()
    is_file = entry.startswith("file://") or ("\n" not in entry and (path.parent / file).is_file())
    if not is_file:
        yield name, _messages(entry)
    elif suffix in (".yaml", ".yml", ".json"):
        yield name or Path(file).stem, load_yaml(path.parent / file)
    elif suffix in (".txt", ".md"):
        text = read_input(path.parent / file).decode("utf-8-sig", "replace").replace("\r\n", "\n")
        parts = [part.strip("\n") for part in re.split(r"^---$", text, flags=re.MULTILINE) if part.strip()]
        for number, part in enumerate(parts, start=1):
            yield (name or Path(file).stem) + (f"-{number}" if len(parts) > 1 else ""), _messages(part)
    else:
        left["prompt that is made by code"] += 1


def _messages(text: str) -> Any:
    """Messages where the text is JSON of a chat, else the text."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value if isinstance(value, list) else text


def _template(given: Any, name: str, path: Path) -> Template | None:
    """The prompt with our placeholders; None where it has a filter or a block of Nunjucks."""
    texts = [given] if isinstance(given, str) else [str(one.get("content", "")) for one in given]
    changed = [_placeholders(text) for text in texts]
    if None in changed:
        return None
    if isinstance(given, str):
        return Template(changed[0] or "", name, path)
    messages = [{"role": one.get("role"), "content": text} for one, text in zip(given, changed, strict=True)]
    return Template(messages, name, path)  # type: ignore[arg-type]


def _placeholders(text: str) -> str | None:
    pieces = _VARIABLE.split(text)
    if any("{{" in piece or "{%" in piece for piece in pieces[::2]):
        return None
    plain = [piece.replace("{", "{{").replace("}", "}}") for piece in pieces[::2]]
    names = [f"{{{name}}}" for name in pieces[1::2]]
    return "".join(part for pair in zip(plain, [*names, ""], strict=True) for part in pair)


def _tests(given: Any, path: Path) -> list[dict[str, Any]]:
    if isinstance(given, str):
        file = path.parent / given.removeprefix("file://")
        if file.suffix.lower() not in (".yaml", ".yml", ".json"):
            raise InputError(f"tests in '{given}' are not read; give them as YAML or JSON", file=path)
        given = load_yaml(file)
    if not isinstance(given, list) or not all(isinstance(test, dict) for test in given):
        raise InputError("tests must be a list of tests with vars and assert", file=path)
    return given


def _expanded(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """As promptfoo has it: a variable that is a list stands for one test with each of its values."""
    values = [value if isinstance(value, list) else [value] for value in fields.values()]
    for combination in product(*values):
        yield dict(zip(fields, combination, strict=True))


def _assertion(given: Any, fields: Mapping[str, Any], left: Counter[str]) -> dict[str, Any] | None:
    """The type and the values of an assertion; None, counted, where it is not checked here."""
    kind = str(given.get("type", "")) if isinstance(given, dict) else str(given)
    values = given.get("value") if isinstance(given, dict) else None
    listed = values if isinstance(values, list) else [values]
    texts = [_filled(one, fields) for one in listed]
    usable = kind.removeprefix("not-") in ASSERTS and not {"transform", "threshold"} & set(given)
    try:
        re.compile(str(texts[0]) if kind.endswith("regex") else "")
    except re.error:
        usable = False
    if not usable or None in texts or (len(texts) != 1 and not kind.endswith(("-any", "-all"))):
        left[f"assertion '{kind}'"] += 1
        return None
    return {"type": kind, "values": texts}


def _filled(value: Any, fields: Mapping[str, Any]) -> str | None:
    """A value with its variables filled in; None where that cannot be done."""
    text = str(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or text.startswith("file://"):
        return None
    if any(name not in fields for name in _VARIABLE.findall(text)):
        return None
    return _VARIABLE.sub(lambda match: str(fields[match[1]]), text)
