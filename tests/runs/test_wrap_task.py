from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import CORRECT, Score, Scorer, Target, accuracy, choice, includes, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, multiple_choice, solver

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message, Variant, original, variant_id
from otherwords.items import items_from_task
from otherwords.results import read_results
from otherwords.runs import DEFAULT_SELECTOR, parse_selector, refused_variants, run_tasks, vary_task

Scripted = Callable[[str, Callable[[str], str]], str]
STALE = (
    "Make the variants again from the task as it is now. If it shuffles its options, give it a fixed seed."
)


def reworded(item: Item, prompt: Any, name: str = "para1") -> Variant:
    first = original(item)
    return replace(
        first,
        id=variant_id(item.id, name),
        name=name,
        kind="paraphrase",
        change="frame",
        prompt=prompt,
        generator="paraphrase/1",
    )


def reversed_options(item: Item) -> Variant:
    assert isinstance(item.target, int)
    order = tuple(reversed(range(len(item.choices))))
    return replace(
        original(item),
        id=variant_id(item.id, "pert:order_rev"),
        name="pert:order_rev",
        kind="options",
        change="order:reverse",
        choices=tuple(item.choices[place] for place in order),
        target=order.index(item.target),
        option_order=order,
    )


def items(task: Task, selector: str = "last_user") -> list[Item]:
    return items_from_task(task, parse_selector(selector))


def capitals() -> Task:
    return Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=1,
                    input="Capital of France?",
                    target="Paris",
                    metadata={"level": 2},
                    files={"a.txt": "text"},
                    setup="echo hi",
                    sandbox="local",
                ),
                Sample(
                    id="two", input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Hi?")]
                ),
            ],
            name="cities",
            location="cities.jsonl",
        ),
        scorer=includes(),
        name="capitals",
        version=3,
        metadata={"owner": "geography"},
        message_limit=9,
    )


def samples(task: Task) -> list[Sample]:
    return list(task.dataset)


def test_each_wording_is_a_sample_of_an_ordinary_task_and_the_source_is_untouched() -> None:
    task = capitals()
    before = [sample.model_copy(deep=True) for sample in task.dataset]
    first, second = items(task)
    varied = vary_task(task, [original(first), reworded(first, "Which city rules France?"), original(second)])
    assert [sample.id for sample in samples(varied)] == ["1#orig", "1#para1", "two#orig"]
    assert samples(varied)[1].input == "Which city rules France?"
    assert samples(task) == before
    assert (task.version, task.metadata, len(task.dataset)) == (3, {"owner": "geography"}, 2)
    assert (varied.name, varied.message_limit, varied.dataset.name) == ("capitals", 9, "cities")
    assert varied.dataset.location == "cities.jsonl"
    assert varied.metadata == {
        "owner": "geography",
        "otherwords_source_version": 3,
        "otherwords_source_samples": 2,
        "otherwords_items": 2,
        "otherwords_prompt_field": "last_user",
    }


def test_the_original_differs_only_in_its_id_and_what_we_add_to_the_metadata() -> None:
    task = capitals()
    varied = vary_task(task, [original(item) for item in items(task)])
    for source, sample in zip(samples(task), samples(varied), strict=True):
        left_out = {"id", "metadata"}
        assert sample.model_dump_json(exclude=left_out) == source.model_dump_json(exclude=left_out)
        added = {"item_id": str(source.id), "variant": "orig", "kind": "orig", "change": ""}
        assert sample.metadata == {**(source.metadata or {}), **added}


def test_files_setup_and_sandbox_come_through_and_are_copies() -> None:
    task = capitals()
    first = items(task)[0]
    varied = vary_task(task, [reworded(first, "Which city rules France?")])
    source, (sample,) = samples(task)[0], samples(varied)
    assert (sample.files, sample.setup, sample.sandbox) == (source.files, source.setup, source.sandbox)
    assert (sample.target, sample.choices) == ("Paris", None)
    assert sample.files is not source.files
    assert sample.metadata == {
        "level": 2,
        "item_id": "1",
        "variant": "para1",
        "kind": "paraphrase",
        "change": "frame",
        "paraphrase_id": "para1",
    }


def test_options_move_with_their_target() -> None:
    task = Task(
        dataset=[Sample(id="m", input="Which?", choices=["x", "y", "z"], target="A")],
        solver=multiple_choice(),
        scorer=choice(),
    )
    (item,) = items(task)
    (sample,) = samples(vary_task(task, [reversed_options(item)], seed=5))
    assert (sample.choices, sample.target) == (["z", "y", "x"], "C")
    assert sample.metadata == {
        "item_id": "m",
        "variant": "pert:order_rev",
        "kind": "options",
        "change": "order:reverse",
        "perturbation_kind": "order:reverse",
        "option_order": "2,1,0",
        "seed": 5,
    }


def test_a_wording_in_two_turns_stands_in_for_a_plain_text_only() -> None:
    task = capitals()
    first, second = items(task)
    turns = (Message("system", "Answer."), Message("user", "Capital of France?"))
    (sample,) = samples(vary_task(task, [reworded(first, turns)]))
    assert not isinstance(sample.input, str)
    assert [(turn.role, turn.text) for turn in sample.input] == [
        ("system", "Answer."),
        ("user", "Capital of France?"),
    ]
    with pytest.raises(InputError) as caught:
        vary_task(task, [reworded(second, turns)])
    assert str(caught.value) == "item 'two': variant 'para1' is a chat, which cannot stand in for 'last_user'"


def test_our_metadata_steps_aside_where_the_sample_has_one_of_its_names() -> None:
    task = Task(dataset=[Sample(id="a", input="Why?", metadata={"kind": "hard", "note": "x"})])
    (sample,) = samples(vary_task(task, [original(items(task)[0])]))
    assert sample.metadata == {
        "kind": "hard",
        "note": "x",
        "otherwords_item_id": "a",
        "otherwords_variant": "orig",
        "otherwords_kind": "orig",
        "otherwords_change": "",
    }


def test_the_version_tells_wordings_and_selectors_apart_and_is_the_same_in_every_process() -> None:
    task = capitals()
    first, second = items(task)
    one, other = reworded(first, "Which city rules France?"), reworded(first, "Which is France's capital?")
    versions = [
        vary_task(capitals(), list(chosen)).version for chosen in ([one], [other], [one, original(second)])
    ]
    assert len({task.version, *versions}) == 4
    assert vary_task(capitals(), [one, original(second)]).version == versions[2]
    assert vary_task(capitals(), [one], selector="input").version != versions[0]


def metadata_task(prompt: str = "Add them.") -> Task:
    @solver
    def ask_step() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.messages.append(ChatMessageUser(content=state.metadata["step"]["text"]))
            return await generate(state)

        return solve

    return Task(
        dataset=[Sample(id="s", input="17", target="yes", metadata={"step": {"text": prompt}})],
        solver=ask_step(),
        scorer=includes(),
        name="steps",
    )


def test_the_version_knows_a_wording_that_stands_in_the_metadata() -> None:
    (item,) = items(metadata_task(), "metadata.step.text")
    versions = {
        vary_task(metadata_task(), [reworded(item, wording)], selector="metadata.step.text").version
        for wording in ("Sum them.", "Total them.")
    }
    assert len(versions) == 2


def test_a_run_asks_the_wording_from_wherever_it_stands(scripted: Scripted, tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "yes"

    task = metadata_task()
    (item,) = items(task, "metadata.step.text")
    varied = vary_task(task, [original(item), reworded(item, "Sum them.")], selector="metadata.step.text")
    summary = run_tasks(varied, scripted("steps", answer), log_dir=tmp_path)
    assert (summary.finished, sorted(asked)) == (2, ["Add them.", "Sum them."])


def test_a_run_of_a_chat_gives_rows_that_know_item_and_variant(scripted: Scripted, tmp_path: Path) -> None:
    task = Task(
        dataset=[
            Sample(
                id=4,
                input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Capital of France?")],
                target="Paris",
            )
        ],
        scorer=includes(),
        name="chat",
    )
    (item,) = items(task)
    varied = vary_task(task, [original(item), reworded(item, "Which city rules France?")])
    model = scripted("fickle", lambda prompt: "Paris" if "Capital" in prompt else "Rome")
    run_tasks(varied, model, log_dir=tmp_path, repeats=2)
    rows = read_results(tmp_path).outcomes.select(
        "task", "id", "variant", "kind", "paraphrase_id", "repeat", "score"
    )
    assert rows.rows() == [
        ("chat", "4", "orig", "orig", "orig", 1, 1.0),
        ("chat", "4", "orig", "orig", "orig", 2, 1.0),
        ("chat", "4", "para1", "paraphrase", "para1", 1, 0.0),
        ("chat", "4", "para1", "paraphrase", "para1", 2, 0.0),
    ]
    again = run_tasks(varied, model, log_dir=tmp_path, repeats=2)
    assert (again.calls, again.reused) == (0, 4)


def test_a_run_of_moved_options_is_read_in_the_original_order(
    oracle: Callable[[set[str]], str], tmp_path: Path
) -> None:
    task = Task(
        dataset=[Sample(id="m", input="Which is red?", choices=["rose", "sky", "grass"], target="A")],
        solver=multiple_choice(),
        scorer=choice(),
        name="colours",
    )
    (item,) = items(task)
    varied = vary_task(task, [original(item), reversed_options(item)])
    run_tasks(varied, oracle({"rose"}), log_dir=tmp_path)
    rows = read_results(tmp_path).outcomes.select(
        "variant", "score", "pred_index", "target_index", "perturbation_kind"
    )
    assert rows.rows() == [("orig", 1.0, 0, 0, "orig"), ("pert:order_rev", 1.0, 0, 0, "order:reverse")]


def test_rows_of_samples_with_metadata_named_like_ours_know_item_and_variant(
    oracle: Callable[[set[str]], str], tmp_path: Path
) -> None:
    theirs = {"variant": "B-side", "kind": "record", "option_order": "none", "seed": "vinyl", "confidence": 7}
    task = Task(
        dataset=[
            Sample(id="m", input="Which is red?", choices=["rose", "sky"], target="A", metadata=theirs),
            Sample(id="n", input="Which is up?", choices=["rose", "sky"], target="B"),
        ],
        solver=multiple_choice(),
        scorer=choice(),
        name="colours",
    )
    variants = [wording(item) for item in items(task) for wording in (original, reversed_options)]
    run_tasks(vary_task(task, variants, seed=5), oracle({"rose"}), log_dir=tmp_path)
    columns = ("id", "variant", "kind", "score", "pred_index", "target_index", "confidence", "seed")
    rows = sorted(read_results(tmp_path).outcomes.select(columns).rows())
    assert rows == [
        ("m", "orig", "orig", 1.0, 0, 0, None, 5),
        ("m", "pert:order_rev", "options", 1.0, 0, 0, None, 5),
        ("n", "orig", "orig", 0.0, 0, 1, None, 5),
        ("n", "pert:order_rev", "options", 0.0, 0, 1, None, 5),
    ]
    (log,) = tmp_path.glob("*.eval")
    for sample in read_eval_log(str(log)).samples or []:
        if sample.metadata.get("otherwords_item_id") == "m":
            assert theirs.items() <= sample.metadata.items()


@scorer(metrics=[accuracy(), stderr()])
def known_ids() -> Scorer:
    """Right when the sample's id is one that the task was written with: benchmarks look things up by it."""

    async def score(state: TaskState, target: Target) -> Score:
        state.store.set("scored_as", state.sample_id)
        state.metadata["seen"] = True
        right = isinstance(state, TaskState) and state.sample_id in (1, "two")
        return Score(value=CORRECT if right else "I", answer=state.output.completion)

    return score


def logged(folder: Path) -> tuple[list[EvalSample], Any]:
    (file,) = folder.glob("*.eval")
    log = read_eval_log(str(file))
    assert log.samples is not None
    return log.samples, log


def test_scorers_see_the_ids_that_the_task_was_written_with(scripted: Scripted, tmp_path: Path) -> None:
    task = Task(
        dataset=[Sample(id=1, input="One?"), Sample(id="two", input="Two?")], scorer=known_ids(), name="ids"
    )
    first, second = items(task)
    varied = vary_task(task, [original(first), reworded(first, "1?"), original(second)])
    run_tasks(varied, scripted("any", lambda prompt: "well"), log_dir=tmp_path)
    found, log = logged(tmp_path)
    assert {sample.id: sample.store["scored_as"] for sample in found} == {
        "1#orig": 1,
        "1#para1": 1,
        "two#orig": "two",
    }
    assert all(sample.metadata["seen"] for sample in found)
    (scored,) = log.results.scores
    assert (scored.name, list(scored.metrics)) == ("known_ids", ["accuracy", "stderr"])
    assert scored.metrics["accuracy"].value == 1.0


def test_a_task_without_a_scorer_stays_without() -> None:
    task = Task(dataset=[Sample(id="a", input="Why?")], solver=generate())
    assert vary_task(task, [original(items(task)[0])]).scorer is None


def refusal(task: Task, variants: list[Variant], **settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        vary_task(task, variants, **settings)
    return str(caught.value)


def test_a_variant_that_changes_nothing_is_refused() -> None:
    task = capitals()
    first = items(task)[0]
    same = reworded(first, first.prompt)
    assert refusal(task, [same]) == "item '1': variant 'para1' changes nothing"


def test_variants_of_other_items_are_refused() -> None:
    stranger = original(Item(id="three", prompt="Hm?"))
    problem = "item 'three': variant 'orig' belongs to no sample of this task"
    assert refusal(capitals(), [stranger]) == problem


def test_variants_given_twice_are_refused() -> None:
    first = original(items(capitals())[0])
    assert refusal(capitals(), [first, first]) == "item '1': variant 'orig' is given twice"


def test_nothing_to_run_is_refused() -> None:
    assert refusal(capitals(), []) == "there is nothing to run in 'capitals': no item has an accepted variant"


def test_a_task_that_says_something_else_by_now_is_refused() -> None:
    then = original(Item(id="1", prompt="Capital of Spain?"))
    assert refusal(capitals(), [then]) == (
        f"item '1': the task now says something else than when the variants were made\n{STALE}"
    )


def options(target: str | list[str] = "A", shown: tuple[str, ...] = ("x", "y", "z")) -> Task:
    return Task(dataset=[Sample(id="m", input="Which?", choices=list(shown), target=target)], name="options")


def test_options_that_are_others_by_now_are_refused() -> None:
    (item,) = items(options())
    moved = reversed_options(item)
    stale = f"item 'm': variant 'pert:order_rev' was made from other options than the task now has\n{STALE}"
    assert refusal(options(shown=("y", "x", "z")), [moved]) == stale
    assert refusal(options(shown=("x", "y")), [moved]) == stale
    assert refusal(options("B"), [moved]) == (
        f"item 'm': variant 'pert:order_rev' has another right answer than the task now has\n{STALE}"
    )
    assert refusal(options(shown=("y", "x", "z")), [original(item)]) == (
        f"item 'm': the task now says something else than when the variants were made\n{STALE}"
    )


def test_options_whose_target_is_no_letter_are_not_moved() -> None:
    (item,) = items(options())
    moved = replace(reversed_options(item), target=())
    assert refusal(options("x, y"), [moved]) == (
        "item 'm': the target 'x, y' is no option's letter, so the options cannot be moved"
    )
    (sample,) = samples(vary_task(options(["A", "B"]), [moved]))
    assert sample.target == ["C", "B"]


def test_a_selector_that_finds_nothing_is_refused() -> None:
    assert refusal(capitals(), [original(items(capitals())[0])], selector='input after "Q:"') == (
        'item \'1\': the words "Q:" do not stand there\nThe prompt was looked for at: input after "Q:"'
    )


def test_two_samples_with_one_id_are_refused() -> None:
    task = Task(dataset=[Sample(id=1, input="a"), Sample(id="1", input="b")], name="twins")
    assert refusal(task, [original(Item(id="1", prompt="a"))]) == (
        "item '1': two samples of task 'twins' have this id"
    )


def test_refused_variants_are_told_before_they_are_frozen() -> None:
    task = capitals()
    first, second = items(task)
    turns = (Message("system", "Answer."), Message("user", "Hi?"))
    variants = [
        original(first),
        reworded(first, first.prompt),
        reworded(second, turns),
        reworded(second, "Oh?", "b"),
    ]
    assert refused_variants(task, variants, selector=DEFAULT_SELECTOR) == {
        "1#para1": "variant 'para1' changes nothing",
        "two#para1": "variant 'para1' is a chat, which cannot stand in for 'last_user'",
    }
