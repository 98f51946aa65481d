"""Fields of an Inspect log → the score that counts, Inspect's accuracy by it, the log's settings, its texts.

Numbers are made of a scorer's values, and one score of a sample's epochs, as Inspect makes them when it
computes `accuracy`, so that ours of a log is the one that Inspect shows for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from otherwords.core.contract import SCORER_KEY
from otherwords.core.errors import InputError
from otherwords.core.table import (
    UNREDUCED,
    counted_and_others,
    is_reducer,
    reduce_scores,
    score_label,
    score_labels,
    score_parts,
    which_counts,
)
from otherwords.results.reader import LogProvenance
from otherwords.results.tool_values import ATTACHMENT, parse, score_number, with_attachments

Sample = Mapping[str, Any]
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ACCURACY = "accuracy"


class UnknownScorerError(InputError):
    """A log does not have the score that was asked for."""

    def __init__(self, wanted: str, known: Sequence[str]) -> None:
        self.wanted, self.known = wanted, list(known)
        super().__init__(f"has no score by '{wanted}' (it has: {', '.join(known) or 'none'})")


@dataclass(frozen=True)
class CountedScore:
    """The score of a log that counts, and what else there is."""

    name: str = ""
    """Of the scorer, as the samples have it; empty where no sample has a score."""
    key: str | None = None
    """Which part of a score that is a dictionary."""
    others: tuple[str, ...] = ()
    """What `--scorer` could choose in its place."""
    reducer: str | None = None
    """How the log makes one score of a sample's epochs; None: by their mean."""
    other_reducers: tuple[str, ...] = ()
    is_accuracy: bool = False
    """Whether Inspect computed `accuracy` of it. It then makes a number of any value."""

    @property
    def label(self) -> str | None:
        """As `--scorer` takes it: `name`, or `name.key`."""
        return score_label(self.name, self.key) if self.name else None

    def of(self, sample: Sample) -> dict[str, Any] | None:
        """The score in the sample, with the part that counts as its value."""
        scores = sample.get("scores")
        score = scores.get(self.name) if scores else None
        if self.key is None or score is None:
            return score
        value = score.get("value")
        return {**score, "value": value.get(self.key) if isinstance(value, dict) else value}

    def number(self, value: Any) -> float | None:
        """The value as a number; None where it is not scored (Inspect's NaN), or is not one number."""
        return inspect_number(value) if self.is_accuracy else _any_number(value)

    def notes(self) -> list[str]:
        """What the user is told of what was chosen."""
        told = []
        if self.others:
            told.append(which_counts(str(self.label), self.others))
        if self.other_reducers:
            several = ", ".join(f"'{name}'" for name in self.other_reducers)
            told.append(f"repeats are reduced by '{self.reducer}', the first; there is also {several}")
        if self.reducer is not None and not is_reducer(self.reducer):
            told.append(f"repeats are reduced by their mean, since the reducer '{self.reducer}' is not known")
        return told


def inspect_number(value: Any) -> float | None:
    """The number that Inspect's `value_to_float` makes of a value; None for its NaN, and for lists."""
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value]
        word = value.lower()
        if word in _WORDS:
            return _WORDS[word]
        try:
            number = float(word)
        except ValueError:
            return 0.0
        return number if math.isfinite(number) else 0.0
    if isinstance(value, bool | int | float):
        return None if math.isnan(value) else _float(value)
    return None


def _any_number(value: Any) -> float | None:
    """Of a score of which Inspect computes no accuracy, so that a word need not be a wrong answer."""
    return 0.0 if value == "N" else score_number(value)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def counted_score(
    spec: Mapping[str, Any], header: Mapping[str, Any], samples: Sequence[Sample], wanted: str | None
) -> CountedScore:
    """The score that counts: `wanted`, or what the run was told, or else the log's first.

    Raises:
        UnknownScorerError: The log has no such score.
    """
    computed = _computed(header)
    names = [(str(one.get("scorer")), str(one.get("name"))) for one in computed]
    parts = score_parts([_value_shapes(samples)], names)
    reducers = _reducers(spec)
    told = (spec.get("metadata") or {}).get(SCORER_KEY) if wanted is None else wanted
    found = counted_and_others(told, parts) if isinstance(told, str) else None
    if found is None and wanted is not None and parts:
        raise UnknownScorerError(wanted, score_labels(parts))
    (name, key), others = found or counted_and_others(None, parts) or (("", None), [])
    if wanted is None:
        # what the run chose is not known to everyone who reads its log
        others = [label for label in score_labels(parts) if label != score_label(name, key)]
    return CountedScore(
        name=name,
        key=key,
        others=tuple(others),
        reducer=reducers[0],
        other_reducers=tuple(one for one in reducers[1:] if one is not None),
        is_accuracy=_has_accuracy(name, key, spec, computed),
    )


def _value_shapes(samples: Iterable[Sample]) -> dict[str, Any]:
    """Of each scorer its first value, or the first that is a dictionary if there is one."""
    shapes: dict[str, Any] = {}
    for sample in samples:
        for name, score in (sample.get("scores") or {}).items():
            value = score.get("value") if score else None
            if name not in shapes or (isinstance(value, dict) and not isinstance(shapes[name], dict)):
                shapes[name] = value
    return shapes


def accuracy_of(
    counted: CountedScore, samples: Sequence[Sample], scores: pl.Series
) -> tuple[float | None, int]:
    """Inspect's accuracy of the samples, and how many of them (epochs reduced) have a score.

    The samples of one id are in the order of their epochs; `scores` has the number of each sample.
    """
    ids = pl.Series("sample", [str(sample["id"]) for sample in samples], pl.String)
    table = pl.DataFrame([ids, scores.rename("score")])
    if counted.reducer is None:
        reduced = table.group_by("sample", maintain_order=True).mean()["score"].to_list()
    elif counted.reducer == UNREDUCED:
        reduced = scores.to_list()
    else:
        given = [counted.of(sample) for sample in samples]
        spelled = [_word(score.get("value")) if score else None for score in given]
        reduced = [
            reduce_scores(numbers, counted.reducer, [spelled[place] for place in places])
            for places, numbers in table.with_row_index("place")
            .filter(pl.Series([score is not None for score in given], dtype=pl.Boolean))
            .group_by("sample", maintain_order=True)
            .agg("place", "score")
            .select("place", "score")
            .iter_rows()
        ]
    scored = [one for one in reduced if one is not None]
    return (math.fsum(scored) / len(scored) if scored else None), len(scored)


def logged_accuracy(counted: CountedScore, header: Mapping[str, Any]) -> float | None:
    """The accuracy that Inspect wrote into the log for the score that counts."""
    for score in _computed(header):
        if score.get("scorer") == counted.name and score.get("name") in (counted.key or counted.name,):
            value = ((score.get("metrics") or {}).get(_ACCURACY) or {}).get("value")
            if isinstance(value, int | float):
                return float(value)
    return None


def _word(value: Any) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)


def _computed(header: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Inspect's own results, one for each score (or part of one) and reducer."""
    results = header.get("results")
    scores = results.get("scores") if isinstance(results, dict) else None
    return [one for one in scores or () if isinstance(one, dict)]


def _reducers(spec: Mapping[str, Any]) -> tuple[str | None, ...]:
    config = spec.get("config")
    given = config.get("epochs_reducer") if isinstance(config, dict) else None
    if given == []:
        return (UNREDUCED,)
    names = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    plain = tuple(str(name).rsplit("/", 1)[-1] for name in names)
    return tuple(None if name == "mean" and len(plain) == 1 else name for name in plain) or (None,)


def _has_accuracy(
    name: str, key: str | None, spec: Mapping[str, Any], computed: Sequence[Mapping[str, Any]]
) -> bool:
    of_it = [one for one in computed if one.get("scorer") == name and one.get("name") == (key or name)]
    if of_it:
        return any(_ACCURACY in (one.get("metrics") or {}) for one in of_it)
    # The run did not end. What was to be computed is named with the scorers, or for all of them.
    planned = [one for one in spec.get("scorers") or () if isinstance(one, dict)]
    named = [one.get("metrics") for one in planned if str(one.get("name")).rsplit("/", 1)[-1] == name]
    return any(_names_accuracy(metrics) for metrics in (*named, spec.get("metrics")))


def _names_accuracy(metrics: Any) -> bool:
    if isinstance(metrics, dict):
        name = metrics.get("name")
        if isinstance(name, str):
            return name.rsplit("/", 1)[-1] == _ACCURACY
        return any(map(_names_accuracy, metrics.values()))
    return isinstance(metrics, list) and any(map(_names_accuracy, metrics))


# A value that can stand in a report: no sentence, no path of a machine.
_SHORT = re.compile(r"[\w.:+@-]{1,40}(?:/[\w.:+@-]{1,40}){0,2}")
_SETTINGS = ("temperature", "top_p", "top_k", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens")
_LIMITS = ("message_limit", "token_limit", "time_limit", "cost_limit")


def log_provenance(header: Mapping[str, Any]) -> LogProvenance:
    """From a log's header; what is not there, or is not what Inspect writes, is left out.

    Example:
        >>> from otherwords.results.inspect_fields import log_provenance
        >>> header = {"eval": {"model": "m", "model_generate_config": {"temperature": 0.5}}}
        >>> log_provenance(header).settings
        (('temperature', '0.5'),)
    """
    spec, plan = _mapping(header.get("eval")), _mapping(header.get("plan"))
    generate = {**_mapping(plan.get("config")), **_mapping(spec.get("model_generate_config"))}
    limits = _mapping(spec.get("config"))
    found = {name: generate.get(name) for name in _SETTINGS} | {name: limits.get(name) for name in _LIMITS}
    found |= _mapping(spec.get("model_args"))
    usage = [_mapping(one) for one in _mapping(_mapping(header.get("stats")).get("model_usage")).values()]
    costs = [one["total_cost"] for one in usage if _is_number(one.get("total_cost"))]
    tokens = [one["total_tokens"] for one in usage if _is_number(one.get("total_tokens"))]
    return LogProvenance(
        created=str(spec.get("created") or ""),
        status=str(header.get("status") or ""),
        model=str(spec.get("model") or ""),
        settings=(*((name, text) for name, one in found.items() if (text := _shown(one))), *_long(generate)),
        versions=tuple(
            (str(name), text) for name, one in _mapping(spec.get("packages")).items() if (text := _shown(one))
        ),
        tokens=int(sum(tokens)) if tokens else None,
        cost=float(sum(costs)) if costs else None,
    )


def _long(generate: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Settings that are texts of their own: that there are such, and how many."""
    message, stops = generate.get("system_message"), generate.get("stop_seqs")
    if isinstance(message, str) and message:
        yield "system_message", f"of {len(message):,} characters"
    if isinstance(stops, list) and stops:
        yield "stop_seqs", f"{len(stops)} given"
    if generate.get("cache"):
        yield "cache", "replies may be older than the run"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bool | int):
        return str(value)
    return value if isinstance(value, str) and _SHORT.fullmatch(value) else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


_CUT_INPUT = "...\n(content truncated)"
_CUT_TEXT_FROM = 1000
_OUTPUT = re.compile(rb'"output":\s*(\{\s*"model":)')
_LONG = frozenset({"messages", "events", "store", "attachments", "output"})
"""Fields of a sample that its summary lacks."""


def as_summary(sample: dict[str, Any]) -> dict[str, Any]:
    """A whole sample in the shape of its summary, with the model's last output."""
    attachments = sample.get("attachments") or {}
    error, limit = sample.get("error"), sample.get("limit")
    return {
        **{name: value for name, value in sample.items() if name not in _LONG},
        "input": with_attachments(sample.get("input"), attachments),
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
        "output": _output(sample.get("output"), attachments),
    }


def _output(output: Any, attachments: dict[str, str]) -> dict[str, Any]:
    """Why the model stopped, what it said, and whether its provider marks that as a refusal."""
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if choices else {}
    said = (first.get("message") or {}).get("content")
    refusal = False
    if isinstance(said, list):
        parts = [part for part in said if isinstance(part, dict)]
        refusal = any(part.get("refusal") is True for part in parts)
        texts = [with_attachments(part.get("text"), attachments) for part in parts]
        said = "\n".join(text for text in texts if isinstance(text, str))
    return {
        "stop_reason": first.get("stop_reason"),
        "completion": with_attachments(said, attachments),
        "refusal": refusal,
    }


def output_in(content: bytes) -> dict[str, Any]:
    """The model's last output in a sample's file, without reading all of the file where it need not be.

    Inspect writes the output before the scores and the events, as an object of its own.
    """
    before = content[: max(content.find(b'"scores"', content.find(b'"output"')), 0)]
    starts = list(_OUTPUT.finditer(before))
    if len(starts) == 1:
        written = before[starts[0].start(1) :].rstrip().removesuffix(b",")
        try:
            if ATTACHMENT.encode() not in written:
                return _output(orjson.loads(written), {})
        except orjson.JSONDecodeError:
            pass  # NaN among its numbers, or something else follows it
    sample = parse(content)
    return _output(sample.get("output"), sample.get("attachments") or {})


def was_cut(text: Any) -> bool:
    """Whether a summary may hold only the beginning of this string."""
    if not isinstance(text, str) or len(text) <= _CUT_TEXT_FROM:
        return False
    return text.endswith(("...", _CUT_INPUT))


def input_was_cut(value: Any) -> bool:
    if isinstance(value, list):
        return any(was_cut(_content_text(message.get("content"))) for message in value)
    return was_cut(value)


def prompt_text(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if len(value) == 1:
        return _content_text(value[0].get("content"))
    return "\n\n".join(f"{turn.get('role')}: {_content_text(turn.get('content'))}" for turn in value)


def _content_text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", f"({part.get('type')})")) for part in content)
    return str(content)
