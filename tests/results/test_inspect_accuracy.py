"""Our accuracy of an Inspect log is Inspect's own of it, whatever is in the log."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalError, EvalLog, EvalSample, EvalSampleLimit, recompute_metrics, write_eval_log
from inspect_ai.model import ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate

from otherwords.core.errors import InputError
from otherwords.metrics import accuracy as our_accuracy
from otherwords.metrics import consistency_at_k, fragility_score, s_prompt
from otherwords.publish.logs import write_public_logs
from otherwords.publish.pseudonyms import Pseudonyms
from otherwords.results import inspect_accuracy, read_inspect_runs, read_results, readable_only
from otherwords.results.tool_values import stopped_outcome

pytestmark = pytest.mark.slow

ITEMS = {"q1": ("orig", "para1", "para2"), "q2": ("orig", "para1"), "q3": ("orig",), "q4": ("orig", "para1")}
EPOCHS = 3
REDUCERS = ["mean", "median", "mode", "max", "at_least_2", "pass_at_2", "pass_k_2", "majority"]


@modelapi(name="fixed")
class Fixed(ModelAPI):
    """Says the same to everything."""

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        return ModelOutput.from_content(self.model_name, "Paris")


@scorer(metrics=[accuracy()])
def first() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value="C", answer="Paris")

    return score


@scorer(metrics={"exact": [accuracy()], "near": [accuracy()]})
def parts() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"exact": "C", "near": 0.5}, answer="Paris")

    return score


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    samples = [
        Sample(
            id=f"{item}::{name}",
            input="What is the capital of France?",
            target="Paris",
            metadata={"item_id": item, "variant": name, "kind": "orig" if name == "orig" else "paraphrase"},
        )
        for item, names in ITEMS.items()
        for name in names
    ]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=[first(), parts()],
        epochs=Epochs(EPOCHS, "mean"),
        name="made",
    )
    folder = tmp_path_factory.mktemp("template")
    (log,) = inspect_eval(task, model="fixed/one", log_dir=str(folder), display="none")
    for sample in log.samples or []:
        sample.events, sample.messages = [], []
    return log


UNSCORED = float("nan")
VALUES = ["C", "I", "P", "N", True, False, 0.25, "0.75", "yes", "no", "odd", UNSCORED]
ONE_SPELLING = ["C", "I", "P", 0.25, UNSCORED]
PARTS = ["C", "I", 0.25, UNSCORED]
ENDINGS = ["", "", "", "message", "token", "error", "error and score", "no score", "unreadable", "swallowed"]


def remade(template: EvalLog, reducers: list[str], rng: random.Random) -> EvalLog:
    """The log with other scores, limits and errors, and with what Inspect computes of these."""
    log = template.model_copy(update={"eval": copy.deepcopy(template.eval)})
    log.eval.config.epochs_reducer = reducers
    values = ONE_SPELLING if {"mode", "majority"} & set(reducers) else VALUES
    log.samples = [_remade(sample, rng, values) for sample in template.samples or []]
    recompute_metrics(log)
    return log


def _remade(sample: EvalSample, rng: random.Random, values: list[Any]) -> EvalSample:
    ending = rng.choice(ENDINGS)
    score = Score(value=rng.choice(values), answer="Paris")
    if ending == "unreadable":
        score = Score(value="I", answer="", reason="invalid_response_format")
    value: Any = {"exact": rng.choice(PARTS), "near": rng.choice(PARTS)}
    if ending == "swallowed":
        value = UNSCORED
    made = sample.model_copy(update={"scores": {"first": score, "parts": Score(value=value, answer="Paris")}})
    if ending in ("message", "token"):
        made.limit = EvalSampleLimit(type=ending, limit=3)  # type: ignore[arg-type]
    if ending.startswith("error"):
        made.error = EvalError(message="RuntimeError('x')", traceback="", traceback_ansi="")
    if ending in ("error", "no score"):
        made.scores = None
    return made


def inspects(log: EvalLog, scorer_name: str, name: str, reducer: str) -> float:
    assert log.results is not None
    for score in log.results.scores:
        if (score.scorer, score.name) == (scorer_name, name) and score.reducer in (reducer, None):
            return float(score.metrics["accuracy"].value)
    raise LookupError(name)


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    seed=st.integers(0, 2**32),
    reducers=st.lists(st.sampled_from(REDUCERS), min_size=1, max_size=2, unique=True),
    suffix=st.sampled_from(["eval", "json"]),
    ended=st.booleans(),
)
def test_our_accuracy_is_inspects(
    seed: int,
    reducers: list[str],
    suffix: str,
    ended: bool,
    template: EvalLog,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = remade(template, reducers, random.Random(seed))
    path = tmp_path_factory.mktemp("made") / f"made.{suffix}"
    broken_off = {"status": "cancelled", "results": None}
    write_eval_log(log if ended else log.model_copy(update=broken_off), str(path))
    for chosen, key in (("first", "first"), ("parts.exact", "exact"), ("parts.near", "near")):
        theirs = inspects(log, chosen.partition(".")[0], key, reducers[0])
        results = read_results(path, scorer=chosen)
        (of_log,) = results.logs
        ours = our_accuracy(results.outcomes, resamples=0).value
        if math.isnan(theirs):  # no sample has a score
            assert of_log.accuracy is None
        else:
            assert of_log.accuracy == pytest.approx(theirs, abs=1e-12)
            assert of_log.logged == (theirs if ended else None)
        if reducers[0] != "majority":  # of which Inspect also counts scores of runs that ended with an error
            assert ours == (None if math.isnan(theirs) else pytest.approx(theirs, abs=1e-12))
        assert (of_log.scorer, of_log.samples) == (chosen, len(log.samples or []))


@pytest.mark.parametrize("seed", range(8))
def test_a_public_copy_has_the_same_accuracy_and_outcomes(
    seed: int, template: EvalLog, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    log = remade(template, [REDUCERS[seed]], rng)
    log.eval.metadata = {"otherwords_scorer": rng.choice(["first", "parts.near", "parts.exact"])}
    write_eval_log(log, str(tmp_path / "private.eval"))
    names = Pseudonyms(b"a salt of thirty-two bytes, here")
    write_public_logs(read_inspect_runs([tmp_path / "private.eval"]), tmp_path / "public", names)
    about = ("variant", "repeat", "status", "outcome", "score")
    for scorer_name in (None, "first", "parts.near", "parts.exact"):
        private, public = (
            read_results(tmp_path / "private.eval", scorer=scorer_name),
            read_results(tmp_path / "public", scorer=scorer_name and names.scorer(scorer_name)),
        )
        (of_private,), (of_public,) = private.logs, public.logs
        assert of_public.accuracy == pytest.approx(of_private.accuracy)
        assert of_public.scorer == names.scorer(str(of_private.scorer))
        for field in ("reducer", "samples", "scored", "logged"):
            assert getattr(of_public, field) == getattr(of_private, field)
        if scorer_name is None:
            rows = [sorted(one.outcomes.select(about).rows(), key=str) for one in (private, public)]
            assert rows[0] == rows[1]


def test_epochs_that_are_not_reduced_count_one_by_one(template: EvalLog, tmp_path: Path) -> None:
    log = remade(template, ["mean"], random.Random(3))
    log.eval.config.epochs_reducer = []
    recompute_metrics(log)
    write_eval_log(log, str(tmp_path / "made.eval"))
    results = read_results(tmp_path)
    theirs = log.results.scores[0].metrics["accuracy"].value if log.results else None
    assert results.logs[0].accuracy == pytest.approx(theirs)
    assert our_accuracy(results.outcomes).value == pytest.approx(theirs)
    assert set(results.outcomes["reducer"]) == {"none"}


def written(
    template: EvalLog, path: Path, score: Callable[[EvalSample], Score | None], **fields: Any
) -> EvalLog:
    """A log of one epoch in which `score` gives each sample's score, with Inspect's results."""
    log = template.model_copy(update={"eval": copy.deepcopy(template.eval)})
    log.eval.config.epochs, log.eval.config.epochs_reducer = 1, None
    log.samples = []
    for sample in template.samples or []:
        given = score(sample)
        if sample.epoch == 1:
            made = sample.model_copy(update={"scores": None if given is None else {"first": given}})
            if made.metadata["variant"] in fields.get("limited", ()):
                made.limit = EvalSampleLimit(type="message", limit=3)
            log.samples.append(made)
    log.eval.scorers = [one for one in log.eval.scorers or [] if one.name == "first"]
    recompute_metrics(log)
    write_eval_log(log, str(path))
    return log


def test_samples_that_hit_a_limit_and_were_scored_stay_scored(tmp_path: Path) -> None:
    """Seen: half of the rewordings stopped by a limit and scored I. Inspect .667, ours 1.0, flips 0."""
    samples = [
        Sample(
            id=f"q{number}::{name}",
            input="?",
            target="Paris",
            metadata={"item_id": f"q{number}", "variant": name, "kind": "orig" if name == "orig" else "p"},
        )
        for number in range(30)
        for name in ("orig", "para1", "para2")
    ]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=first(), name="limits")
    (log,) = inspect_eval(task, model="fixed/one", log_dir=str(tmp_path / "run"), display="none")
    for sample in log.samples or []:
        if sample.metadata["variant"] == "para2":
            sample.limit = EvalSampleLimit(type="message", limit=3)
            sample.scores = {"first": Score(value="I", answer="")}
    recompute_metrics(log)
    write_eval_log(log, str(tmp_path / "logs" / "limits.eval"))
    assert log.results
    theirs = log.results.scores[0].metrics["accuracy"].value
    table = read_results(tmp_path / "logs").outcomes
    assert our_accuracy(table).value == pytest.approx(theirs) == pytest.approx(2 / 3)
    assert s_prompt(table).value == pytest.approx(2 / 3)
    assert fragility_score(table).value == 0.5
    assert consistency_at_k(table).value == 0.0
    told = table.group_by("variant", "status", "outcome", "answer").len().sort("variant")
    assert told.rows() == [
        ("orig", "scored", "answered", "Paris", 30),
        ("para1", "scored", "answered", "Paris", 30),
        ("para2", "scored", "limit", "(limit)", 30),
    ]
    assert inspect_accuracy(tmp_path / "logs")["accuracy"][0] == pytest.approx(theirs)


def test_an_unreadable_answer_counts_as_the_scorer_counts_it(template: EvalLog, tmp_path: Path) -> None:
    def score(sample: EvalSample) -> Score:
        unreadable = sample.metadata["variant"] == "para1"
        if unreadable:
            return Score(value="N", answer="", reason="no_response")
        return Score(value="C", answer="Paris")

    log = written(template, tmp_path / "log.eval", score)
    table = read_results(tmp_path).outcomes
    assert log.results
    assert our_accuracy(table).value == log.results.scores[0].metrics["accuracy"].value == 5 / 8
    assert dict(table.group_by("outcome").len().iter_rows()) == {"answered": 5, "unreadable": 3}
    assert set(table.filter(outcome="unreadable")["answer"]) == {"(unreadable)"}
    assert fragility_score(table).value == pytest.approx((0.5 + 1 + 1) / 3)
    readable = readable_only(table)
    assert our_accuracy(readable).value == 1.0
    assert fragility_score(readable).value == 0.0
    assert dict(readable.group_by("status").len().iter_rows()) == {"scored": 5, "unscored": 3}


def test_scores_that_an_older_version_took_away_stay_away(template: EvalLog, tmp_path: Path) -> None:
    reasons = {"orig": None, "para1": "invalid_response_format", "para2": "no model call"}

    def score(sample: EvalSample) -> Score:
        reason = reasons[sample.metadata["variant"]]
        return Score(value="C", answer="Paris") if reason is None else Score.unscored(reason=reason)

    written(template, tmp_path / "log.eval", score)
    table = read_results(tmp_path).outcomes.unique("variant").sort("variant")
    assert table.select("variant", "status", "outcome", "reason").rows() == [
        ("orig", "scored", "answered", None),
        ("para1", "unscored", "unreadable", "format"),
        ("para2", "unscored", "provider_error", "no model call"),
    ]


def test_the_model_says_what_the_scorer_does_not(template: EvalLog, tmp_path: Path) -> None:
    """Seen: content-filtered and truncated free text was scored 0.0 without a word."""
    said = {
        "q1::orig": ("Paris", "stop"),
        "q1::para1": ("", "content_filter"),
        "q1::para2": ("The capital of", "max_tokens"),
        "q2::orig": ("I'm sorry, but I can't help with that.", "stop"),
        "q2::para1": ("Lyon", "stop"),
        "q3::orig": (" ", "stop"),
        "q4::orig": ("", "tool_calls"),
    }
    log = template.model_copy(update={"eval": copy.deepcopy(template.eval)})
    log.eval.config.epochs = 1
    log.samples = []
    for sample in template.samples or []:
        if sample.epoch == 1 and sample.id in said:
            text, stop_reason = said[str(sample.id)]
            made = sample.model_copy(update={"scores": {"first": Score(value="I", answer=text)}})
            made.output = ModelOutput.from_content("one", text, stop_reason=stop_reason)  # type: ignore[arg-type]
            log.samples.append(made)
    log.samples[0].scores = {"first": Score(value="C", answer="Paris")}
    for suffix in ("eval", "json"):
        write_eval_log(log, str(tmp_path / suffix / f"log.{suffix}"))
        table = read_results(tmp_path / suffix).outcomes.filter(pl.col("status") == "scored")
        assert table.select("id", "variant", "score", "outcome", "answer").rows() == [
            ("q1", "orig", 1.0, "answered", "Paris"),
            ("q1", "para1", 0.0, "filtered", "(filtered)"),
            ("q1", "para2", 0.0, "truncated", "the capital of"),
            ("q2", "orig", 0.0, "refused", "(refused)"),
            ("q2", "para1", 0.0, "answered", "lyon"),
            ("q3", "orig", 0.0, "unreadable", "(unreadable)"),
            ("q4", "orig", 0.0, "answered", ""),
        ]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("KeyError('flight')", "agent_error"),
        ("json.decoder.JSONDecodeError('Expecting value')", "agent_error"),
        ("agent: timed out after 600 s", "agent_error"),
        ("RateLimitError('429')", "provider_error"),
        ("RuntimeError('no wings')", "provider_error"),
        ("provider or machine: raised OSError: disk full", "provider_error"),
        ("CancelledError()", "missing"),
    ],
)
def test_an_error_has_no_score_and_tells_whose_it_is(error: str, outcome: str) -> None:
    assert stopped_outcome(error, None) == outcome
    is_told = error.startswith(("agent:", "Cancelled"))
    assert stopped_outcome(error, None, of_our_run=True) == (outcome if is_told else "provider_error")


def test_the_run_s_own_mark_of_the_outcome_counts(template: EvalLog, tmp_path: Path) -> None:
    def score(sample: EvalSample) -> Score:
        return Score(value=0, metadata={"otherwords_outcome": "agent_error"})

    written(template, tmp_path / "log.eval", score)
    table = read_results(tmp_path).outcomes
    assert table.select("status", "score", "outcome", "answer").unique().rows() == [
        ("scored", 0.0, "agent_error", "(agent_error)")
    ]


def test_which_of_several_scores_counts_is_said_and_can_be_chosen(template: EvalLog, tmp_path: Path) -> None:
    write_eval_log(template, str(tmp_path / "log.eval"))
    results = read_results(tmp_path)
    assert results.notes == (
        "In made, 'first' counts; there is also 'parts.exact', 'parts.near' (choose with --scorer).",
    )
    assert set(results.outcomes["scorer"]) == {"first"}
    near = read_results(tmp_path, scorer="parts.near")
    assert (set(near.outcomes["score"]), near.notes) == ({0.5}, ())
    with pytest.raises(InputError) as caught:
        read_results(tmp_path, scorer="elo")
    assert str(caught.value) == "no log has a score by 'elo'\nThere is: first, parts.exact, parts.near."


def test_a_log_that_says_another_accuracy_than_its_samples_is_told(template: EvalLog, tmp_path: Path) -> None:
    log = remade(template, ["mean"], random.Random(1))
    assert log.results
    log.results.scores[0].metrics["accuracy"].value = 0.999
    write_eval_log(log, str(tmp_path / "log.eval"))
    (note,) = [note for note in read_results(tmp_path).notes if "accuracy" in note]
    assert note.startswith(
        "In made of 'fixed/one', the log says that its accuracy is 0.999; its samples give 0."
    )
