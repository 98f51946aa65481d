from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.analysis import samples_df
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate

from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.results import load_all_results, read_results
from otherwords.results.tool_values import free_answer
from otherwords.runs import build_task, run_tasks

Scripted = Callable[[str, Callable[[str], str]], str]
ITEMS = [
    Item(id="birds", prompt="Which flies?", choices=("Crow", "Cow", "Cat", "Cub"), target=0),
    Item(id="fish", prompt="Which swims?", choices=("Ant", "Ape", "Cod", "Hen"), target=2),
    Item(id="capital", prompt="What is the capital of France?", target=("Paris",)),
]


def reordered(item: Item, name: str, order: tuple[int, ...]) -> Variant:
    assert isinstance(item.target, int)
    return replace(
        original(item),
        id=variant_id(item.id, name),
        name=name,
        kind="options",
        change=name.replace("pert:order_rev", "order:reverse"),
        choices=tuple(item.choices[place] for place in order),
        target=order.index(item.target),
        option_order=order,
    )


def wordings() -> list[Variant]:
    variants = [original(item) for item in ITEMS]
    variants += [reordered(item, "pert:order_rev", (3, 2, 1, 0)) for item in ITEMS[:2]]
    variants += [reordered(item, "pert:turned", (1, 2, 3, 0)) for item in ITEMS[:2]]
    return variants


def zoo(variants: list[Variant] | None = None) -> Task:
    return build_task("zoo", ITEMS, variants or wordings(), seed=11)


def run(model: str, folder: Path, log_format: str = "eval", task: Task | None = None, **more: Any) -> EvalLog:
    (log,) = inspect_eval(
        task or zoo(), model=model, log_dir=str(folder), log_format=log_format, display="none", **more
    )
    return log


def by_variant(table: pl.DataFrame, item: str, column: str) -> dict[str, Any]:
    rows = table.filter(pl.col("id") == item)
    return dict(rows.select("variant", column).iter_rows())


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_right_answerer_keeps_its_answer_under_every_order(
    log_format: str, oracle: Callable[[set[str]], str], scripted: Scripted, tmp_path: Path
) -> None:
    run(oracle({"Crow", "Cod"}), tmp_path, log_format, zoo([v for v in wordings() if v.item_id != "capital"]))
    table = load_all_results(tmp_path)
    assert dict(table.schema) == OUTCOME_COLUMNS
    assert by_variant(table, "fish", "pred_index") == {"orig": 2, "pert:order_rev": 2, "pert:turned": 2}
    assert by_variant(table, "fish", "answer") == {"orig": "C", "pert:order_rev": "C", "pert:turned": "C"}
    assert by_variant(table, "fish", "target_index") == {"orig": 2, "pert:order_rev": 2, "pert:turned": 2}
    assert by_variant(table, "birds", "target_index") == {"orig": 0, "pert:order_rev": 0, "pert:turned": 0}
    assert by_variant(table, "birds", "pred_index") == {"orig": 0, "pert:order_rev": 0, "pert:turned": 0}
    assert set(table["score"]) == {1.0}


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_always_the_first_letter_is_a_different_option_in_every_order(
    log_format: str, scripted: Scripted, tmp_path: Path
) -> None:
    run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, log_format)
    table = load_all_results(tmp_path)
    assert by_variant(table, "birds", "pred_index") == {"orig": 0, "pert:order_rev": 3, "pert:turned": 1}
    assert by_variant(table, "birds", "answer") == {"orig": "A", "pert:order_rev": "D", "pert:turned": "B"}
    assert by_variant(table, "birds", "correct") == {
        "orig": True,
        "pert:order_rev": False,
        "pert:turned": False,
    }
    assert by_variant(table, "capital", "answer") == {"orig": "answer a"}
    assert by_variant(table, "capital", "pred_index") == {"orig": None}


@pytest.mark.slow
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_the_table_agrees_with_inspects_own(log_format: str, scripted: Scripted, tmp_path: Path) -> None:
    model = scripted("mixed", lambda prompt: "Paris" if "capital" in prompt else "ANSWER: B")
    run(model, tmp_path, log_format, epochs=2)
    table = load_all_results(tmp_path).sort("id", "variant", "repeat")
    theirs = samples_df(str(tmp_path), quiet=True)
    assert table.height == len(theirs) == 14
    ours = {(row["id"], row["variant"], row["repeat"]): row for row in table.iter_rows(named=True)}
    for _, sample in theirs.iterrows():
        row = ours[(sample["metadata_item_id"], sample["metadata_variant"], sample["epoch"])]
        assert row["score"] == {"C": 1.0, "I": 0.0}[sample["score_answers"]]
        assert row["tokens"] == sample["total_tokens"] == 4
        assert row["seconds"] == pytest.approx(sample["working_time"])
    assert set(table["task"]) == {"zoo"}
    assert set(table["model"]) == {"scripted/mixed"}
    assert set(table["seed"]) == {11}
    assert set(table["repeat"]) == {1, 2}


@pytest.mark.slow
def test_rows_stand_in_the_order_of_the_plan_however_they_finished(
    scripted: Scripted, tmp_path: Path
) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, epochs=2)
    expected = [(item.item_id, item.name, epoch) for item in wordings() for epoch in (1, 2)]
    assert load_all_results(tmp_path).select("id", "variant", "repeat").rows() == expected
    whole = read_eval_log(log.location)
    whole.samples = (whole.samples or [])[::-1]
    write_eval_log(whole, log.location)
    assert load_all_results(tmp_path).select("id", "variant", "repeat").rows() == expected


def test_a_failed_format_is_what_the_scorer_says_and_told_apart(scripted: Scripted, tmp_path: Path) -> None:
    says = {"flies": "I like crows.", "swims": "", "capital": " "}
    model = scripted("rambler", lambda prompt: next(text for word, text in says.items() if word in prompt))
    log = run(model, tmp_path)
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 0.0
    table = load_all_results(tmp_path)
    assert table.select("status", "score", "outcome", "answer", "reason").unique().rows() == [
        ("scored", 0.0, "unreadable", "(unreadable)", None)
    ]
    assert table["pred_index"].null_count() == table.height
    assert table["target_index"].null_count() == 1


def test_inspects_own_choice_scorer_gives_the_same_verdicts(scripted: Scripted, tmp_path: Path) -> None:
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    samples = [
        Sample(id="a", input="good", choices=["x", "y"], target="A"),
        Sample(id="b", input="bad", choices=["x", "y"], target="A"),
        Sample(id="c", input="silent", choices=["x", "y"], target="A"),
    ]
    task = Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice(), name="plain")
    says = {"good": "ANSWER: B", "bad": "Perhaps x", "silent": ""}
    model = scripted("plain", lambda prompt: next(text for word, text in says.items() if word in prompt))
    run(model, tmp_path, task=task)
    rows = load_all_results(tmp_path).select(
        "id", "variant", "kind", "status", "score", "pred_index", "outcome"
    )
    assert rows.rows() == [
        ("a", "orig", "orig", "scored", 0.0, 1, "answered"),
        ("b", "orig", "orig", "scored", 0.0, None, "unreadable"),
        ("c", "orig", "orig", "scored", 0.0, None, "unreadable"),
    ]


@scorer(metrics=[accuracy()])
def says_itself() -> Scorer:
    """The score is what the sample's metadata says it should be."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.metadata["value"], answer=state.output.completion)

    return score


def valued(values: dict[str, Any]) -> Task:
    samples = [Sample(id=name, input=name, metadata={"value": value}) for name, value in values.items()]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=says_itself(), name="valued")


@pytest.mark.slow
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_scores_of_every_form(log_format: str, scripted: Scripted, tmp_path: Path) -> None:
    values = {
        "right": "C",
        "wrong": "I",
        "half": "P",
        "none": "N",
        "true": True,
        "false": False,
        "zero": 0,
        "share": 0.25,
        "text": "0.75",
        "nan": float("nan"),
    }
    task = valued(values)
    run(scripted("echo", lambda prompt: prompt), tmp_path, log_format, task)
    table = load_all_results(tmp_path)
    assert dict(table.select("id", "score").iter_rows()) == {
        "right": 1.0,
        "wrong": 0.0,
        "half": 0.5,
        "none": 0.0,
        "true": 1.0,
        "false": 0.0,
        "zero": 0.0,
        "share": 0.25,
        "text": 0.75,
        "nan": None,
    }
    reasons = dict(table.filter(pl.col("status") == "unscored").select("id", "reason").iter_rows())
    assert reasons == {"nan": "the scorer gave no score"}
    assert table.filter(outcome="unreadable")["id"].to_list() == ["none"]


def test_a_score_outside_the_range_is_refused_by_item(scripted: Scripted, tmp_path: Path) -> None:
    log = run(scripted("echo", lambda prompt: prompt), tmp_path, task=valued({"fine": 1, "huge": 7}))
    path = Path(log.location)
    with pytest.raises(InputError) as caught:
        read_results(tmp_path, strict=True)
    assert str(caught.value) == (
        f"1 of the files cannot be used\n{path}: item 'huge': the score 7 is outside [0, 1]"
    )


@pytest.mark.slow
def test_errors_have_no_score_and_limits_the_scorers(scripted: Scripted, tmp_path: Path) -> None:
    def breaks(prompt: str) -> str:
        if "flies" in prompt:
            raise RuntimeError("no wings")
        return "Paris"

    folder = tmp_path / "errors"
    run_tasks(zoo([original(item) for item in ITEMS]), scripted("wingless", breaks), log_dir=folder)
    table = load_all_results(folder)
    assert table.select("id", "status", "outcome").rows() == [
        ("birds", "error", "provider_error"),
        ("fish", "scored", "unreadable"),
        ("capital", "scored", "answered"),
    ]
    assert by_variant(table, "birds", "reason") == {"orig": "RuntimeError('no wings')"}

    limited = tmp_path / "limits"
    run(scripted("paris", lambda prompt: "Paris"), limited, task=zoo([original(ITEMS[2])]), token_limit=2)
    row = load_all_results(limited).row(0, named=True)
    assert (row["status"], row["outcome"], row["score"]) == ("scored", "limit", 0.0), "as Inspect scored it"


def test_the_scorer_can_be_chosen(scripted: Scripted, tmp_path: Path) -> None:
    from inspect_ai.scorer import exact

    task = Task(
        dataset=MemoryDataset([Sample(id="s", input="say oak", target="oak", metadata={"value": 0.25})]),
        solver=generate(),
        scorer=[says_itself(), exact()],
        name="two",
    )
    run(scripted("oak", lambda prompt: "oak"), tmp_path, task=task)
    assert read_results(tmp_path).outcomes["score"].to_list() == [0.25]
    assert read_results(tmp_path, scorer="exact").outcomes["score"].to_list() == [1.0]
    with pytest.raises(InputError) as caught:
        read_results(tmp_path, scorer="elo")
    assert str(caught.value) == "no log has a score by 'elo'\nThere is: says_itself, exact."


def test_fields_are_found_at_the_top_level_too(scripted: Scripted, tmp_path: Path) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, "json")
    path = Path(log.location)
    content = json.loads(path.read_text(encoding="utf-8"))
    for sample in content["samples"]:
        metadata = sample["metadata"]
        sample["variant"] = metadata.pop("variant")
        sample["confidence"] = 0.0
        sample["seed"] = 0
    path.write_text(json.dumps(content), encoding="utf-8")
    table = load_all_results(tmp_path)
    assert set(table["variant"]) == {"orig", "pert:order_rev", "pert:turned"}
    assert set(table["seed"]) == {0}
    assert set(table["confidence"]) == {0.0}


def test_long_prompts_ids_and_answers_come_through_whole(scripted: Scripted, tmp_path: Path) -> None:
    long_id = "item  with   spaces " + "x" * 1500
    item = Item(id=long_id, prompt="word " * 2000, target=("y" * 1400,))
    task = build_task("long", [item], [original(item)])
    for log_format in ("eval", "json"):
        folder = tmp_path / log_format
        run(scripted("long", lambda prompt: "y" * 1400), folder, log_format, task)
        results = read_results(folder)
        row = results.outcomes.row(0, named=True)
        assert row["id"] == long_id
        assert row["answer"] == "y" * 1400
        assert results.wordings.row(0, named=True)["prompt"] == item.prompt


@pytest.mark.slow
def test_the_wordings_are_kept_apart_from_the_outcomes(scripted: Scripted, tmp_path: Path) -> None:
    run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, epochs=2)
    asked = read_results(tmp_path).wordings
    assert asked.height == len(wordings())
    row = asked.row(
        by_predicate=(pl.col("id") == "birds") & (pl.col("variant") == "pert:order_rev"), named=True
    )
    assert row == {
        "task": "zoo",
        "id": "birds",
        "variant": "pert:order_rev",
        "kind": "options",
        "change": "order:reverse",
        "prompt": "Which flies?",
        "choices": ["Cub", "Cat", "Cow", "Crow"],
        "target": "D",
    }


@pytest.mark.slow
def test_another_log_of_the_same_wordings_and_epochs_is_no_repeat(scripted: Scripted, tmp_path: Path) -> None:
    model = scripted("first", lambda prompt: "ANSWER: A")
    twice = run(model, tmp_path, epochs=2)
    once = run(model, tmp_path)
    results = read_results(tmp_path)
    of_one = results.outcomes.filter((pl.col("id") == "fish") & (pl.col("variant") == "orig"))
    assert sorted(of_one["repeat"]) == [1, 2]
    ((path, reason),) = [(one.path, one.reason) for one in results.skipped]
    assert path == Path(once.location)
    assert reason.startswith(
        f"holds the same wordings and epochs as {Path(twice.location).name}, which counts"
    )


def test_of_a_run_and_its_resumption_only_the_fuller_log_counts(scripted: Scripted, tmp_path: Path) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path)
    whole = read_eval_log(log.location)
    whole.samples = (whole.samples or [])[:2]
    whole.status = "started"
    earlier = tmp_path / "2020-01-01_earlier.eval"
    write_eval_log(whole, str(earlier))
    results = read_results(tmp_path, strict=True)
    assert results.outcomes.height == len(wordings())
    assert [(one.path, one.reason) for one in results.skipped] == [
        (earlier, f"is an earlier attempt of {Path(log.location).name}")
    ]


@pytest.mark.slow
def test_samples_that_never_ran_are_missing_rows(scripted: Scripted, tmp_path: Path) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, epochs=2)
    whole = read_eval_log(log.location)
    kept = [s for s in whole.samples or [] if (s.epoch == 1 and s.id != "fish#orig") or s.id == "birds#orig"]
    whole.samples, whole.status = kept, "started"
    write_eval_log(whole, log.location)
    results = read_results(tmp_path)
    statuses = dict(results.outcomes["status"].value_counts().iter_rows())
    assert statuses == {"scored": 7, "missing": 5}
    missing = results.outcomes.filter(pl.col("status") == "missing")
    assert set(missing["reason"]) == {"never ran: the run ended as 'started'"}
    assert missing["score"].null_count() == 5
    # Of this wording nothing is known but its sample id, which is not taken apart.
    assert [str(one) for one in results.skipped] == [
        f"{log.location}: 2 planned samples never ran (log ended as 'started')"
    ]


def test_a_log_of_a_killed_run_is_read_from_its_journal(scripted: Scripted, tmp_path: Path) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path)
    path = Path(log.location)
    killed = tmp_path / "killed.eval"
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(killed, "w") as left:
        for name in whole.namelist():
            if name.startswith(("_journal/", "samples/")):
                left.writestr(name, whole.read(name))
    expected = load_all_results(path).drop("log")
    path.unlink()
    assert load_all_results(tmp_path).drop("log").equals(expected)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_cut_log_is_named_and_skipped(
    share: float, log_format: str, scripted: Scripted, tmp_path: Path
) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, log_format)
    cut = tmp_path / f"cut.{log_format}"
    content = Path(log.location).read_bytes()
    cut.write_bytes(content[: int(len(content) * share)])
    results = read_results(tmp_path)
    assert results.outcomes.height == len(wordings())
    assert [one.path for one in results.skipped] == [cut]
    with pytest.raises(InputError) as caught:
        read_results(tmp_path, strict=True)
    assert str(caught.value).startswith(f"1 of the files cannot be used\n{cut}: is ")


def test_an_option_order_that_does_not_fit_is_refused_by_item(scripted: Scripted, tmp_path: Path) -> None:
    sample = Sample(
        id="s", input="?", choices=["x", "y"], target="A", metadata={"item_id": "q", "option_order": "0,2"}
    )
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    task = Task(dataset=MemoryDataset([sample]), solver=multiple_choice(), scorer=choice(), name="odd")
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path, task=task)
    with pytest.raises(InputError) as caught:
        read_results(tmp_path)
    assert str(caught.value) == (
        f"no results found in {tmp_path}\n"
        f"{log.location}: item 'q': the option order '0,2' does not fit its 2 choices"
    )


@pytest.mark.slow
def test_inspect_itself_reads_and_dumps_our_logs(scripted: Scripted, tmp_path: Path) -> None:
    import subprocess
    import sys

    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path)
    again = read_eval_log(log.location)
    assert (again.status, len(again.samples or [])) == ("success", len(wordings()))
    inspect = shutil.which("inspect", path=str(Path(sys.executable).parent))
    assert inspect is not None
    dumped = subprocess.run(
        [inspect, "log", "dump", log.location], capture_output=True, text=True, check=True
    )
    assert json.loads(dumped.stdout)["eval"]["task"] == "zoo"


@pytest.mark.parametrize(
    ("answer", "value", "target", "canonical"),
    [
        ("Paris, of course", 1.0, ["Paris", "paris"], "Paris"),
        ("Paris", 1.0, "Paris", "Paris"),
        ("London!", 0.0, ["Paris"], "london"),
        ("-3.5 m", 0.0, ["3.5 m"], "-3.5 m"),
        ("I think that it may be London", 0.0, ["Paris"], "(no accepted answer)"),
        ("yes", 1.0, "", "yes"),
        (None, 0.0, ["Paris"], "(no accepted answer)"),
    ],
)
def test_free_text_is_made_comparable(answer: str, value: float, target: object, canonical: str) -> None:
    assert free_answer(answer, value, target) == canonical


@pytest.mark.slow
def test_a_number_of_epochs_that_would_make_billions_of_rows_is_refused(
    scripted: Scripted, tmp_path: Path
) -> None:
    log = run(scripted("first", lambda prompt: "ANSWER: A"), tmp_path)
    whole = read_eval_log(log.location)
    for epochs, planned in ((10_000_000_000, "69,999,999,993"), (600_000, "4,199,993")):
        whole.eval.config.epochs = epochs
        write_eval_log(whole, log.location)
        with pytest.raises(InputError) as caught:
            read_results(tmp_path)
        assert f"says that {planned} more samples were planned than it has" in str(caught.value)
