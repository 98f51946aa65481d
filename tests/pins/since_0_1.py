"""What was changed on purpose since version 0.1. The pins hold everything else.

A name in one of these lists stands for a column, a key or a file, wherever it occurs; `a.b` for b within a.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

OUTCOMES = "unreadable refused filtered truncated limit agent_error provider_error missing".split()
TRAJECTORIES = ("cost", "messages", "model_calls", "tool_calls")
TABLE_COLUMNS = (
    *("outcome", "scorer", "reducer", "distance", "template", "wording", "levels"),
    *TRAJECTORIES,
    "user_errors",
)
"""New in the outcome table: what happened in a run, by whom its score is, how repeats are reduced, how far a
wording is from the original, which wording of a template and which levels of a design it has, how an agent
came to its answer, and what errors a simulated user made."""
RATES = tuple(f"{outcome}_rate" for outcome in OUTCOMES)
AGENT_COLUMNS = (
    "ddof",
    *(f"{rate}{end}" for rate in RATES for end in ("", "_low", "_high")),
    *(f"outcome_{outcome}" for outcome in ("answered", *OUTCOMES)),
    *(
        f"{metric}_{end}_if_missing"
        for metric in ("accuracy", "accuracy_orig", "delta_accuracy")
        for end in ("low", "high")
    ),
)
"""New in the report's table of agents."""
ITEM_COLUMNS = ("probability_wording_matters",)
"""New in the report's table of items: they are ranked by it."""
_DRAWN = (
    *("change_costs", "consistency", "flip_rates", "items_by_band", "most_sensitive_tasks"),
    *("sensitivity_comparison", "task_sensitivity_distribution"),
)
REPORT_FILES = ("outcome_rates.csv", *(f"{name}.svg" for name in _DRAWN))
FIGURES = tuple(f"{name}.png" for name in (*_DRAWN, "consistency_quadrants"))
"""Every figure is an SVG file; PNG files are HAL's three, all of them with --png. None has one dot alone."""
REPORT_KEYS = (
    *("ddof", "logs", "rows_by_outcome", "rows_without_score", "outcome_rates", *RATES),
    *(
        "generalizes",
        "low_if_missing",
        "high_if_missing",
        "changes.n_missing",
        "provenance",
        "baseline",
        "templates",
        "stopped",
        "trajectories",
    ),
)
"""New in the report's JSON."""
REPORT_RENEWED = ("verdict", "version", "findings")
"""The verdict is an object with all that it rests on, and the findings are its sentences."""
UPLOAD_KEYS = ("agent_errors", "provider_errors", "unscored_tasks", "unscored_runs")
"""New in HAL's files: runs that failed, by whose fault, and runs and tasks without a score."""
INTERVALS = ("low", "high", "accuracy_low", "accuracy_high", "delta_low", "delta_high", "q")
"""Of which the numbers are other ones: intervals hold with few items, and tests follow them."""
ACCURACY = ("accuracy.value",)
"""Another number where scores are missing: every wording counts the same, as Inspect has it."""
DECISION_KEYS = (
    *("format", "version", "notes", "generalizes", "low_if_missing", "high_if_missing"),
    *("sentence", "items"),
)
"""New in the JSON of `compare`: the sentence that comes first, and the items that broke or were fixed."""
FIX_KEYS = (
    *("findings", "n_tests", "format", "version", "notes", "generalizes", "by_distance", "trajectories"),
    *("delta_low_if_missing", "delta_high_if_missing"),
)
FIX_RENEWED = ("items", "suggestions", "p", *INTERVALS)
"""What `fix` lists: only what survives all the questions, with other tests."""
COMPARE_RENEWED = ("a", "b", "p", "change.n_missing", *INTERVALS)
"""Sides are called by their files; a change counts all runs without a score that could have changed it."""
LOG_METADATA = ("otherwords_outcome", "otherwords_content", "otherwords_fingerprint", "otherwords_sources")
"""New in logs: what happened in a sample, and what makes a run the same as an earlier one."""
DISTANCE = "distance"
"""New in the logs of variants whose distance was measured, which 0.1 did not."""
VARIANTS = (
    ".checks",
    "language_model",
    "[].status",
    "[].decided_by",
    "[].distance",
    *(f"[].distance.{part}" for part in "words kept frame_only sibling".split()),
)
"""New in variants files: meaning checks and the English model, what became of a variant and who decided, and
how far it is from the original."""
REWORDED_ANEW = ("paraphrase", "naturalistic", "format")
"""Families that make other wordings: on a parse, with other slips, without odd question marks."""
DRAWN_ANEW = ("#pert:order_shuffle", "#control:number")
"""Variants for which another order or another number is drawn from the same seed."""
OPTIONS: dict[str, dict[str, Any]] = {"vet": {"variants": {"required": False}}}
"""`otherwords vet --benchmark` needs no variants file."""
COMMANDS: dict[str, dict[str, Any]] = {
    # Variants files have a second format; the first is still read.
    "vet: later version": {
        "err": [
            "Error: bad/later.jsonl:1: a variants file of format version 99; this otherwords reads versions "
            "1 to 2",
            "Make it again with `otherwords vary`.",
        ]
    },
    # Of a line that is no variant, the item that it belongs to is looked for first.
    "vet: bad line": {"err": ["Error: bad/bad-line.jsonl:3: bad variant: item_id: Field required"]},
    # What too few items, or runs without a score, leave open is told apart from a miss, with the same code.
    "check: not measured": {
        "err": ["Error: CANNOT TELL: 2 of 2 thresholds are left open (needs about 1,400 more calls)"]
    },
    # There are more goals.
    "plan: no goal": {
        "err": [
            "Error: a plan needs a goal",
            "Give --half-width, --drop, --difference or --threshold.",
        ]
    },
    # There is a further column of a similar name.
    "aggregate: unknown column": {
        "err": ["Error: unknown column 'scor'. Did you mean: score, scorer, seconds?"]
    },
    # A score that no log has is said once, and not of each log.
    "aggregate: unknown scorer": {
        "err": ["Error: no log has a score by 'nobody'", "There is: half_or_whole."]
    },
    # A run is known by its code, which logs of 0.1 do not tell.
    "run: finished before": {
        "code": 2,
        "err": [
            "Error: logs: the run of task 'capitals' with model 'quizzed/x' was begun by version 0.1, which "
            "kept no trace of its code: whether that has changed since cannot be told",
            "If it has not, go on with --adopt; else begin another run: --log-dir logs-2",
        ],
    },
    # Refusals say what to type. A run may grow, by items as by wordings.
    "run: other number of wordings": {
        "err": [
            "Error: logs/variants.jsonl: this run has --families paraphrase,format -k 2 --seed 0",
            "Ask for the same, or for more families or wordings. To begin another run: --log-dir logs-2",
        ]
    },
    "run: other wordings": {
        "err": [
            "Error: logs/variants.jsonl: this run has --families paraphrase,format -k 2 --seed 0",
            "Ask for the same, or for more families or wordings. To begin another run: --log-dir logs-2",
        ]
    },
    "run: other settings": {
        "err": [
            "Error: logs: the folder holds a run of task 'capitals' with model 'quizzed/x' that used other "
            "wordings, settings or arguments",
            "Begin another one: --log-dir logs-2",
        ]
    },
    # The same error five times in a row stops a run; an agent's own failure counts as 0.
    "run: agent fails": {
        "code": 2,
        "err": [
            "Error: stopped, as 5 samples of bad/agent.py:fails in a row ended with the same error: agent: "
            "raised RuntimeError: no key",
            "What has finished is in new-logs. The failed ones are scored 0, as failures of the agent; where "
            "it was not its fault, use another folder.",
            "Run the same command again when the cause is mended, or with --keep-going to go on in spite of "
            "it.",
        ],
    },
}
"""How commands end otherwise than in 0.1: what is new of their code and their error text, and why."""
# There are more families, and a strength that is one of each in turn.
_FAMILIES = "control, dialect, format, human, llm, naturalistic, nonnative, options, paraphrase, position"
_STRENGTHS = ["mild", "medium", "strong", "naturalistic", "spread"]
COMMANDS |= {
    # A column of messages is a question, too.
    "vary: no question": {
        "err": [
            "Error: bad/no-question.jsonl:2, item 'b': has no question (looked for: question, stem, prompt, "
            "input, messages)"
        ]
    },
    # There are more commands.
    "unknown command": {"err": ["Error: unknown command 'reprot'. Did you mean: report, repair?"]},
    "unknown command, no near one": {
        "err": [
            "Error: unknown command 'xyzzy'. Known: aggregate, audit, benchmarks, bundle, check, cite, "
            "compare, completion, demo, fix, plan, rank, repair, report, review, run, salt, scan, "
            "selftest, shards, study, vary, verify, vet, worst."
        ]
    },
    "vary: unknown family, no near one": {
        "err": [
            f"Error: unknown variant family 'xyzzy'. Known: {_FAMILIES}, register, typing, verbosity, voice."
        ]
    },
    "vary: unknown strength": {
        "err": [
            "Usage: otherwords vary [OPTIONS] DATASET_OR_TASK",
            "Try 'otherwords vary --help' for help.",
            "",
            "Error: Invalid value for '--strength': 'wild' is not one of 'mild', 'medium', 'strong', "
            "'naturalistic', 'spread'.",
        ]
    },
}
OPTIONS |= {
    "vary": {"--strength": {"choices": _STRENGTHS}},
    "run": {"--strength": {"choices": _STRENGTHS}, "--paraphraser": {"many": True}},
}
_SETTINGS = "otherwords_settings"
"""What 0.1 knew a run by."""


def without(value: Any, names: Collection[str]) -> Any:
    """`value` without keys, entries and (name, type) pairs of these names, and without paths through them."""
    if isinstance(value, dict):
        return {key: without(one, names) for key, one in value.items() if not _parts(key) & set(names)}
    if isinstance(value, list):
        return [without(one, names) for one in value if _name_of(one) not in names]
    return value


def names_in(value: Any) -> set[str]:
    """Every name that `without` could take out."""
    return set(_names(value))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _parts(key)
            yield from _names(one)
    elif isinstance(value, list):
        for one in value:
            name = _name_of(one)
            if name is not None:
                yield name
            yield from _names(one)


def _parts(path: str) -> set[str]:
    """`.agents[0].logs` goes through `agents`, `logs` and `agents.logs`."""
    names = [name for name in re.split(r"\[\d*\]|\.", path) if name]
    return {path, *names, *(".".join(pair) for pair in pairwise(names))}


def _name_of(one: Any) -> str | None:
    if isinstance(one, str):
        return one
    is_pair = isinstance(one, list) and len(one) == 2 and isinstance(one[0], str)
    return str(one[0]) if is_pair else None


def old_rows(rows: list[dict[str, Any]]) -> Any:
    """Rows of a run as 0.1 had them: it took the scores of answers away that could not be read."""
    taken = dict.fromkeys(("score", "correct", "answer", "pred_index")) | {
        "status": "unscored",
        "reason": "format",
    }
    return without([row | taken if row["outcome"] == "unreadable" else row for row in rows], TABLE_COLUMNS)


def old_junit(found: Any) -> Any:
    """What JUnit XML had: without counts of runs, reasons of what passes, and kinds of failures.

    Names had no benchmark in them, so that two cases could have the same.
    """
    kept = [one for one in found["elements"] if one[0] not in ("properties", "property", "system-out")]
    elements = [[tag, _old_case(without(facts, ("type",))), text] for tag, facts, text in kept]
    github = [re.sub(r" · quiz%3A (.*?)::FAIL: ", r"%3A \1::", line) for line in found["github"]]
    return found | {"elements": elements, "github": github}


def _old_case(facts: dict[str, str]) -> dict[str, str]:
    if "classname" not in facts:
        return facts
    name, _, place = facts["name"].partition(": ")
    assert place.endswith(" · quiz")
    return facts | {"classname": facts["classname"].removeprefix("quiz / "), "name": name}


def old_comparison(found: Any) -> Any:
    """What `compare` wrote: 16 metrics, without the rate of each outcome."""
    new = re.compile(r"\.differences\[(1[6-9]|2\d)\]")
    return {
        name: part | {"numbers": {key: one for key, one in part["numbers"].items() if not new.match(key)}}
        for name, part in found.items()
    }


def old_metadata(log: Any) -> Any:
    """What a log holds, without new parts, new paraphrases, and scores of answers that could not be read.

    0.1 took those away; they are what the scorer says.
    """
    old = without(log, (*LOG_METADATA, DISTANCE, _SETTINGS))
    anew = [
        name
        for name, one in old["samples"].items()
        if one["metadata"].get("kind") in REWORDED_ANEW or name.endswith(DRAWN_ANEW)
    ]
    for name in anew:
        del old["samples"][name]
    if anew:
        old["task"].pop("version", None)  # a hash of all wordings
    for sample in old["samples"].values():
        for score in sample["scores"].values():
            score["metadata"] = score["metadata"] or None
            if score["value"] == "nan" or score["answer"] == "":
                score["value"] = "(unreadable)"
    return old


def without_new_slips(log: Any) -> Any:
    """What a log holds, without the samples of mistyped prompts, which have other slips, and their hash."""
    old = dict(log, task={name: value for name, value in log["task"].items() if name != "version"})
    old["samples"] = {
        name: one for name, one in log["samples"].items() if one["metadata"].get("kind") != "naturalistic"
    }
    return old
