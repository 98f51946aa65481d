from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from otherwords.core.errors import RunError
from otherwords.core.types import Variant, original, variant_id
from otherwords.items import items_from_task
from otherwords.results import read_results
from otherwords.runs import parse_selector, run_tasks, vary_task
from otherwords.runs.outcomes import ENOUGH, DeliveryTracker

Scripted = Callable[[str, Callable[[str], str]], str]
IN_VAIN = (
    "no wording reached the model: in other words it was shown just what the original shows it\n"
    "The prompt must be elsewhere. Say where with --prompt-field."
)


def varied(
    count: int, selector: str, solving: Solver, endings: tuple[str, ...] = (" Say.", " Tell.")
) -> Task:
    """`count` questions in three wordings each, with a question of the same kind in the metadata."""
    samples = [
        Sample(id=n, input=f"What is {n}?", target="Paris", metadata={"note": f"Which is {n}?"})
        for n in range(count)
    ]
    task = Task(dataset=samples, solver=solving, scorer=includes(), name="quiz")
    variants: list[Variant] = []
    for item in items_from_task(task, parse_selector(selector)):
        first = original(item)
        variants.append(first)
        for place, ending in enumerate(endings, start=1):
            name = f"para{place}"
            variants.append(
                replace(
                    first,
                    id=variant_id(item.id, name),
                    name=name,
                    kind="paraphrase",
                    prompt=f"{item.prompt}{ending}",
                )
            )
    return vary_task(task, variants, selector=selector)


@solver
def reading_notes() -> Solver:
    """Takes the prompt from the metadata, as SciCode's does."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages = [ChatMessageUser(content=state.metadata["note"])]
        return await generate(state)

    return solve


@solver
def stripping() -> Solver:
    """Asks without the white space around the prompt, after a first call that is always the same."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        warm = await get_model().generate("Are you there?")
        state.messages = [
            ChatMessageUser(content="Are you there?"),
            ChatMessageAssistant(content=warm.completion),
            ChatMessageUser(content=state.input_text.strip().upper()),
        ]
        return await generate(state)

    return solve


@pytest.mark.parametrize(
    ("selector", "solving"), [("metadata.note", generate()), ("last_user", reading_notes())]
)
def test_a_run_whose_words_never_reach_the_model_is_refused_at_once(
    selector: str, solving: Solver, scripted: Scripted, tmp_path: Path
) -> None:
    asked: list[str] = []
    model = scripted("asked", lambda prompt: asked.append(prompt) or "Paris")
    with pytest.raises(RunError) as caught:
        run_tasks(varied(30, selector, solving), model, log_dir=tmp_path, max_connections=1)
    assert str(caught.value) == IN_VAIN
    assert len(asked) < 30
    rows = read_results(tmp_path).outcomes.filter(status="scored")
    assert set(rows["variant"]) == {"orig"}


def test_a_few_wordings_are_refused_at_the_end(scripted: Scripted, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no wording reached the model"):
        run_tasks(
            varied(1, "metadata.note", generate()),
            scripted("parisian", lambda prompt: "Paris"),
            log_dir=tmp_path,
        )
    rows = sorted(read_results(tmp_path).outcomes.select("variant", "status", "reason").rows())
    assert rows == [
        ("orig", "scored", None),
        ("para1", "unscored", "wording not seen"),
        ("para2", "unscored", "wording not seen"),
    ]


def test_also_where_a_run_is_not_in_the_main_thread(scripted: Scripted, tmp_path: Path) -> None:
    model, problems = scripted("parisian", lambda prompt: "Paris"), []

    def work() -> None:
        try:
            run_tasks(varied(3, "metadata.note", generate()), model, log_dir=tmp_path)
        except RunError as error:
            problems.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert problems == [IN_VAIN]


@pytest.mark.parametrize(
    ("selector", "solving"), [("metadata.note", reading_notes()), ("last_user", generate())]
)
def test_words_that_reach_the_model_are_scored(
    selector: str, solving: Solver, scripted: Scripted, tmp_path: Path
) -> None:
    model = scripted("parisian", lambda prompt: "Paris")
    summary = run_tasks(varied(2, selector, solving), model, log_dir=tmp_path)
    assert summary.finished == 6
    assert set(read_results(tmp_path).outcomes["status"]) == {"scored"}


def test_one_wording_that_the_solver_undoes_is_not_counted(scripted: Scripted, tmp_path: Path) -> None:
    run_tasks(
        varied(2, "last_user", stripping(), endings=("  ", " Tell.")),
        scripted("parisian", lambda prompt: "Paris"),
        log_dir=tmp_path,
    )
    rows = (
        read_results(tmp_path).outcomes.group_by("variant", "status", "reason").len().sort("variant").rows()
    )
    assert rows == [
        ("orig", "scored", None, 2),
        ("para1", "unscored", "wording not seen", 2),
        ("para2", "scored", None, 2),
    ]


def test_wordings_wait_for_their_original() -> None:
    delivery = DeliveryTracker()
    for variant in ("para1", "para2", "para3", "orig"):
        delivery.begins(
            variant, "run", {"otherwords_item_id": "q", "otherwords_variant": variant, "variant": 1}
        )
        delivery.shows(variant, [ChatMessageUser(content="the same")], [])
        delivery.scoring_begins(variant)
        assert delivery.never_delivered(at_least=ENOUGH) is (variant == "orig")
        assert not delivery.is_undelivered(variant)
        delivery.ends(variant)
    assert delivery.never_delivered()


def test_samples_that_are_no_wordings_or_show_nothing_are_left_alone() -> None:
    delivery = DeliveryTracker()
    delivery.begins("plain", "run", {})
    delivery.begins("silent", "run", {"item_id": "q", "variant": "para1"})
    for sample in ("plain", "silent", "unknown"):
        delivery.scoring_begins(sample)
        assert not delivery.is_undelivered(sample)
        delivery.ends(sample)
    assert not delivery.never_delivered()
