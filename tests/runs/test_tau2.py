"""tau2's four domains, for real: own tasks, tools, scorers, and databases (cut where it says so), offline."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")

from inspect_ai import Task, task_with
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model

from otherwords.checks import vet
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.items import items_from_task
from otherwords.pipeline.report_estimates import user_error_notes
from otherwords.results import read_results
from otherwords.runs import parse_selector, run_tasks, vary_task
from otherwords.runs.benchmarks import Benchmark, find_benchmark
from otherwords.runs.benchmarks.load import load_benchmark
from otherwords.runs.simulated_user import USER_STYLES, Turn, audit_user, with_simulated_user

pytestmark = pytest.mark.slow

Said = str | ModelOutput
Act = Callable[[list[ChatMessage]], Said]
_SCENARIO = re.compile(r"<scenario>\s*(.*?)\s*</scenario>", re.DOTALL)

AIRLINE_0 = (
    "You want to cancel reservation EHGLP3.",
    "What you wish for is to have reservation EHGLP3 cancelled.",
)
RETAIL_0 = (
    "You received your order #W2378156 and wish to exchange",
    "Your order #W2378156 has arrived, and you would like to exchange",
)


def acting(name: str, act: Act) -> Model:
    """A model whose every answer is what `act` makes of the messages before it."""

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        said = act(messages)
        output = said if isinstance(said, ModelOutput) else ModelOutput.from_content(f"mockllm/{name}", said)
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def with_user_model(task: Task, model: Model) -> Task:
    return task_with(copy.copy(task), model_roles={**(task.model_roles or {}), "user": model})


def scenario(messages: Sequence[ChatMessage]) -> str:
    found = _SCENARIO.search(messages[0].text)
    assert found is not None
    return found[1]


def reads_out_the_scenario(messages: list[ChatMessage]) -> Said:
    """A simulated user that says its scenario in so many words, and stops at the second answer."""
    return scenario(messages) if len(messages) == 2 else "###STOP###"


def benchmark(name: str) -> Benchmark:
    found = find_benchmark(name)
    assert found is not None
    return found


def first_item(name: str, task: Task) -> Item:
    return items_from_task(task, parse_selector(benchmark(name).selector), max_items=1)[0]


def reworded(item: Item, old: str, new: str, name: str = "para1") -> Variant:
    assert isinstance(item.prompt, str)
    assert item.prompt.count(old) == 1
    return replace(
        original(item),
        id=variant_id(item.id, name),
        name=name,
        kind="paraphrase",
        prompt=item.prompt.replace(old, new),
    )


def samples(log: EvalLog) -> dict[str, EvalSample]:
    return {sample.metadata["variant"]: sample for sample in log.samples or []}


def calls(sample: EvalSample, role: str | None) -> list[ModelEvent]:
    return [event for event in sample.events if isinstance(event, ModelEvent) and event.role == role]


def run(task: Task, agent: Model | str, folder: Path, **settings: Any) -> EvalLog:
    summary = run_tasks(task, agent, log_dir=folder, **settings)
    assert (summary.finished, summary.errored) == (summary.total, 0)
    return read_eval_log(str(summary.logs[0]), resolve_attachments=True)


@pytest.mark.parametrize(
    ("name", "items", "first"),
    [
        ("taubench_airline", 50, "0"),
        ("taubench_retail", 114, "0"),
        ("taubench_telecom", 114, "[mobile_data_issue]"),
        ("taubench_banking", 97, "task_001"),
    ],
)
def test_the_whole_of_it_is_there_in_its_own_order(name: str, items: int, first: str) -> None:
    task = load_benchmark(benchmark(name))
    again = load_benchmark(benchmark(name))
    ids = [sample.id for sample in task.dataset]
    assert len(ids) == benchmark(name).items == items
    assert ids == [sample.id for sample in again.dataset]
    assert str(ids[0]).startswith(first)
    prompts = [item.prompt for item in items_from_task(task, parse_selector(benchmark(name).selector))]
    assert all(str(prompt).startswith(("Instructions:", "Persona:")) for prompt in prompts)
    for prompt in map(str, prompts):
        assert audit_user(prompt, [Turn("user", prompt)]) == []
        made_up = [Turn("user", "It is about K7QX9Z, please.")]
        assert [one.detail for one in audit_user(prompt, made_up)] == ["K7QX9Z"]


@pytest.mark.usefixtures("small_databases")
def test_a_reworded_scenario_changes_what_the_customer_says_what_the_agent_does_and_the_score(
    tmp_path: Path,
) -> None:
    """The agent does right when it hears the first wording, and at the other cancels what it must not."""
    old, new = AIRLINE_0
    task = load_benchmark(benchmark("taubench_airline"), {"message_limit": 2})
    item = first_item("taubench_airline", task)

    def agent(messages: list[ChatMessage]) -> Said:
        if messages[-1].role == "tool" or old in messages[-1].text:
            return "I am afraid that I cannot cancel it."
        return ModelOutput.for_tool_call("mockllm/agent", "cancel_reservation", {"reservation_id": "EHGLP3"})

    log = run(
        with_user_model(
            vary_task(task, [original(item), reworded(item, old, new)], selector="message[0]/<scenario>"),
            acting("user", reads_out_the_scenario),
        ),
        acting("agent", agent),
        tmp_path,
    )
    found = samples(log)
    told = {name: scenario(calls(sample, "user")[0].input) for name, sample in found.items()}
    assert old in told["orig"]
    assert new not in told["orig"]
    assert new in told["para1"]
    assert old not in told["para1"]
    heard = {name: calls(sample, None)[0].input[-1].text for name, sample in found.items()}
    assert heard == told
    rows = {row["variant"]: row for row in read_results([tmp_path]).outcomes.iter_rows(named=True)}
    assert {name: row["score"] for name, row in rows.items()} == {"orig": 1.0, "para1": 0.0}
    assert {row["status"] for row in rows.values()} == {"scored"}


def test_the_shop_too(tmp_path: Path) -> None:
    old, new = RETAIL_0
    task = load_benchmark(benchmark("taubench_retail"), {"message_limit": 2})
    item = first_item("taubench_retail", task)
    log = run(
        with_user_model(
            vary_task(task, [reworded(item, old, new)], selector="message[0]/<scenario>"),
            acting("user", reads_out_the_scenario),
        ),
        acting("agent", lambda messages: "I have looked into it."),
        tmp_path,
    )
    sample = samples(log)["para1"]
    assert new in calls(sample, None)[0].input[-1].text
    (row,) = read_results([tmp_path]).outcomes.iter_rows(named=True)
    assert (row["status"], row["score"]) == ("scored", 0.0)  # it exchanged nothing


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "taubench_telecom",
            "You are currently abroad in France.",
            "At the moment you are abroad, in France.",
        ),
        (
            "taubench_banking",
            "You're looking for a credit card to use for your everyday purchases.",
            "What you are looking for is a credit card for your everyday purchases.",
        ),
    ],
)
def test_where_the_customer_has_tools_too(name: str, old: str, new: str, tmp_path: Path) -> None:
    task = load_benchmark(benchmark(name), {"message_limit": 2})
    item = first_item(name, task)
    log = run(
        with_user_model(
            vary_task(task, [original(item), reworded(item, old, new)], selector="message[0]/<scenario>"),
            acting("user", reads_out_the_scenario),
        ),
        acting("agent", lambda messages: "I have looked into it."),
        tmp_path,
    )
    for variant, wording in (("orig", old), ("para1", new)):
        sample = samples(log)[variant]
        assert calls(sample, "user")[0].tools
        assert wording in scenario(calls(sample, "user")[0].input)
        assert wording in calls(sample, None)[0].input[-1].text
    rows = read_results([tmp_path]).outcomes.select("status", "score").rows()
    assert rows == [("scored", 0.0)] * 2


@pytest.mark.parametrize(
    ("name", "old", "wrong", "check"),
    [
        ("taubench_airline", "EHGLP3", "EHGLP4", "spans"),
        ("taubench_airline", "emma_kim_9957", "emma_kim_9975", "numbers"),
        ("taubench_airline", "Emma Kim", "Anna Kim", "wording"),
        ("taubench_airline", "24 hours", "48 hours", "numbers"),
        ("taubench_airline", "don't want to cancel if", "want to cancel if", "negation"),
        ("taubench_retail", "#W2378156", "#W2378165", "spans"),
        ("taubench_retail", "Yusuf Rossi", "Yusuf Rosso", "wording"),
        ("taubench_retail", "19122", "19123", "numbers"),
    ],
)
def test_a_wording_that_changes_a_fact_of_the_scenario_is_not_accepted(
    name: str, old: str, wrong: str, check: str
) -> None:
    item = first_item(name, load_benchmark(benchmark(name)))
    (vetted,) = vet(item, [replace(reworded(item, old, wrong), kind="llm")])
    assert check in {one.check for one in (*vetted.failures, *vetted.flags)}
    assert not vetted.accepted


@pytest.mark.parametrize(
    ("name", "wordings"), [("taubench_airline", AIRLINE_0), ("taubench_retail", RETAIL_0)]
)
def test_a_wording_that_keeps_them_is_accepted(name: str, wordings: tuple[str, str]) -> None:
    item = first_item(name, load_benchmark(benchmark(name)))
    (vetted,) = vet(item, [reworded(item, *wordings)])
    assert vetted.failures == ()


def fails(messages: list[ChatMessage]) -> Said:
    raise RuntimeError("the model is not there")


@pytest.mark.usefixtures("small_databases")
@pytest.mark.parametrize(
    ("user", "agent", "reason", "outcome"),
    [
        (fails, fails, "swallowed errors", "provider_error"),
        (reads_out_the_scenario, fails, "swallowed errors", "provider_error"),
        (lambda messages: "###STOP###", lambda messages: "Hello.", "no model call", "missing"),
    ],
    ids=["every call fails", "the agent's calls fail", "the agent is never asked"],
)
def test_a_conversation_that_never_was_is_not_scored(
    tmp_path: Path, user: Act, agent: Act, reason: str, outcome: str
) -> None:
    """Nothing is to be changed in airline 0, so that tau2 itself calls each of these right."""
    task = load_benchmark(benchmark("taubench_airline"), {"message_limit": 2})
    item = first_item("taubench_airline", task)
    varied = vary_task(task, [original(item)], selector="message[0]/<scenario>")
    run(with_user_model(varied, acting("user", user)), acting("agent", agent), tmp_path)
    (row,) = read_results([tmp_path]).outcomes.iter_rows(named=True)
    assert (row["status"], row["score"], row["reason"]) == ("unscored", None, reason)
    assert row["outcome"] == outcome


@pytest.mark.usefixtures("small_databases")
def test_nor_is_one_that_broke_off_in_an_error(tmp_path: Path) -> None:
    def user(messages: list[ChatMessage]) -> Said:
        return "Hello?" if len(messages) == 2 else fails(messages)

    task = load_benchmark(benchmark("taubench_retail"), {"message_limit": 2})
    item = first_item("taubench_retail", task)
    varied = vary_task(task, [original(item)], selector="message[0]/<scenario>")
    agent = acting("agent", lambda messages: "How can I help?")
    run(with_user_model(varied, acting("user", user)), agent, tmp_path)
    (row,) = read_results([tmp_path]).outcomes.iter_rows(named=True)
    assert (row["status"], row["score"], row["reason"]) == ("unscored", None, "swallowed errors")


@pytest.mark.usefixtures("small_databases")
def test_the_style_reaches_the_customer_of_every_wording_alike(tmp_path: Path) -> None:
    old, new = AIRLINE_0
    task = with_simulated_user(load_benchmark(benchmark("taubench_airline")), "naturalistic")
    item = first_item("taubench_airline", task)
    log = run(
        with_user_model(
            vary_task(task, [original(item), reworded(item, old, new)], selector="message[0]/<scenario>"),
            acting("user", lambda messages: "###STOP###"),
        ),
        acting("agent", fails),
        tmp_path,
    )
    assert log.eval.metadata is not None
    assert log.eval.metadata["user_style"] == "naturalistic"
    for sample in samples(log).values():
        told = calls(sample, "user")[0].input[0].text
        assert told.index("</scenario>") < told.index(USER_STYLES["naturalistic"])
        assert sample.metadata["user_style"] == "naturalistic"


@pytest.mark.usefixtures("small_databases")
def test_errors_of_the_customer_are_told_by_wording_and_change_no_score(tmp_path: Path) -> None:
    old, new = AIRLINE_0
    task = load_benchmark(benchmark("taubench_airline"), {"message_limit": 3})
    item = first_item("taubench_airline", task)
    first = parse_selector("message[0]/<scenario>").get(task.dataset[0])

    def user(messages: list[ChatMessage]) -> Said:
        if len(messages) > 2:
            return "Yes, please do. ###STOP###" if new in scenario(messages) else "Thanks. ###STOP###"
        return "It is about K1NW8N." if new in scenario(messages) else "It is about EHGLP3."

    assert "EHGLP3" in first
    summary = run_tasks(
        with_user_model(
            vary_task(task, [original(item), reworded(item, old, new)], selector="message[0]/<scenario>"),
            acting("user", user),
        ),
        acting("agent", lambda messages: "Do you want me to cancel it?"),
        log_dir=tmp_path,
    )
    found = "unknown fact (turn 1: K1NW8N); ended on a question (turn 3)"
    table = read_results([tmp_path]).outcomes
    assert dict(table.select("variant", "user_errors").rows()) == {"orig": "", "para1": found}
    assert table["score"].to_list() == [1.0, 1.0]  # nothing was to be changed
    assert summary.outcomes.user_errors == {"orig": (0, 1), "para1": (1, 1)}
    assert summary.outcomes.first_user_error == f"{found} in sample 0#para1"
    assert user_error_notes(table) == [
        "In tau2_airline with mockllm/agent the simulated user itself erred in 1 of 2 conversations (orig 0 "
        "of 1, para1 1 of 1); reworded less original: 100 points. It said what it cannot know, or ended too "
        "early; such a conversation says little of the agent."
    ]


@pytest.mark.model
@pytest.mark.usefixtures("small_databases")
def test_the_embedded_model_plays_the_customer(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    import otherwords.runs.gguf  # noqa: F401  (makes `gguf/…` known to Inspect)

    old, new = RETAIL_0
    task = load_benchmark(benchmark("taubench_retail"), {"message_limit": 1})
    item = first_item("taubench_retail", task)
    log = run(
        with_user_model(
            vary_task(task, [reworded(item, old, new)], selector="message[0]/<scenario>"),
            get_model("gguf/smollm2", config=GenerateConfig(max_tokens=24)),
        ),
        acting("agent", lambda messages: "How can I help?"),
        tmp_path,
    )
    sample = samples(log)["para1"]
    (asked,) = calls(sample, "user")
    assert asked.model == "gguf/smollm2"
    assert new in scenario(asked.input)
    assert asked.output.completion.strip()
    assert calls(sample, None)[0].input[-1].text == asked.output.completion
