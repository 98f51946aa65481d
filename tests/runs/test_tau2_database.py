"""tau2's database is logged by what changed in it, and everything else is as tau2 has it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")

from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, ChatMessageAssistant, Model, ModelOutput, ModelUsage, get_model

from otherwords.core.contract import VOICES
from otherwords.core.types import Item, Variant, variant_id
from otherwords.items import items_from_task
from otherwords.pipeline.run import plan_run
from otherwords.results import read_results
from otherwords.runs import parse_selector, run_tasks, vary_task
from otherwords.runs.benchmarks import find_benchmark
from otherwords.runs.benchmarks.load import load_benchmark
from otherwords.runs.benchmarks.tau2_database import _database
from otherwords.runs.fingerprint import fingerprint
from otherwords.runs.settings import RunSettings

pytestmark = pytest.mark.slow

Calls = list[tuple[str, Mapping[str, Any]]]
SELECTOR = "message[0]/<scenario>"
WRONG: dict[str, dict[str, Calls]] = {
    "airline": {
        "cancels": [("cancel_reservation", {"reservation_id": "EHGLP3"})],
        "cancels another": [("cancel_reservation", {"reservation_id": "Q69X3R"})],
        "pays too much": [("send_certificate", {"user_id": "noah_muller_9847", "amount": 100})],
        "names nobody": [("cancel_reservation", {"reservation_id": "NOBODY"})],
        "talks only": [],
    },
    "retail": {
        "returns": [
            (
                "return_delivered_order_items",
                {
                    "order_id": "#W2378156",
                    "item_ids": ["4602305039"],
                    "payment_method_id": "credit_card_9513926",
                },
            )
        ],
        "moves house": [
            (
                "modify_user_address",
                {
                    "user_id": "yusuf_rossi_9620",
                    **{"address1": "1 Elm St", "address2": "", "city": "Austin", "state": "TX"},
                    **{"country": "USA", "zip": "78701"},
                },
            )
        ],
        "returns what is not there": [
            (
                "return_delivered_order_items",
                {"order_id": "#W0000000", "item_ids": [], "payment_method_id": "credit_card_9513926"},
            )
        ],
        "talks only": [],
    },
}
"""What an agent may do wrong, in any of the first three tasks."""


def loaded(domain: str, **task_args: Any) -> Task:
    known = find_benchmark(f"taubench_{domain}")
    assert known is not None
    return load_benchmark(known, task_args)


def acting(name: str, act: Any) -> Model:
    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        output = act(messages)
        if isinstance(output, str):
            output = ModelOutput.from_content(f"mockllm/{name}", output)
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def conversations(domain: str, task: Task) -> tuple[list[Variant], dict[str, tuple[Calls, str]]]:
    """Of three tasks some that end right, some wrong, and some half way; what the agent does, by wording."""
    variants, plans = [], {}
    for item in items_from_task(task, parse_selector(SELECTOR), max_items=3):
        sample = next(one for one in task.dataset if str(one.id) == item.id)
        criteria = (sample.metadata or {})["task"]["evaluation_criteria"]
        right: Calls = [(one["name"], one["arguments"]) for one in criteria["actions"]]
        done = "Done: " + ", ".join(criteria.get("communicate_info") or [])
        ways = {
            "right": (right, done),
            "right, and says nothing of it": (right, "Done."),
            "half way": (right[: len(right) // 2], done),
            **{name: (calls, done) for name, calls in WRONG[domain].items()},
        }
        for name, plan in ways.items():
            variants.append(wording(item, name))
            plans[f"conversation {item.id}: {name}."] = plan
    return variants, plans


def wording(item: Item, name: str) -> Variant:
    said = f"conversation {item.id}: {name}."
    return Variant(variant_id(item.id, name), item.id, name, "paraphrase", said, target=item.target)


def converse(
    task: Task, variants: list[Variant], plans: Mapping[str, tuple[Calls, str]], folder: Path
) -> EvalLog:
    """The customer says which conversation it is, and the agent does what is planned for it."""

    def user(messages: list[ChatMessage]) -> str:
        told = next(plan for plan in plans if plan in messages[0].text)
        return told if len(messages) == 2 else "###STOP###"

    def agent(messages: list[ChatMessage]) -> str | ModelOutput:
        calls, done = next(plan for told, plan in plans.items() if any(told in one.text for one in messages))
        made = sum(isinstance(one, ChatMessageAssistant) and bool(one.tool_calls) for one in messages)
        if made < len(calls):
            name, arguments = calls[made]
            return ModelOutput.for_tool_call("mockllm/agent", name, dict(arguments))
        return done

    varied = vary_task(task, variants, selector=SELECTOR)
    roles = {**(varied.model_roles or {}), "user": acting("user", user)}
    asked = task_with(copy.copy(varied), model_roles=roles)
    summary = run_tasks(asked, acting("agent", agent), log_dir=folder)
    assert (summary.finished, summary.errored) == (len(variants), 0)
    return read_eval_log(str(summary.logs[0]))


def scores(log: EvalLog) -> dict[str, Any]:
    return {
        str(sample.id): {name: (one.value, one.explanation) for name, one in (sample.scores or {}).items()}
        for sample in log.samples or []
    }


def database(sample: EvalSample) -> Any:
    (found,) = [
        value for key, value in sample.store.items() if key.endswith(":db") and "expected_db" not in key
    ]
    return found


@pytest.mark.usefixtures("small_databases")
@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_scores_are_tau2s_own_sample_by_sample(domain: str, tmp_path: Path) -> None:
    """24 conversations with the airline and 21 with the shop."""
    ours = loaded(domain)
    variants, plans = conversations(domain, ours)
    log = converse(ours, variants, plans, tmp_path / "ours")
    plain = converse(loaded(domain, full_log=True), variants, plans, tmp_path / "plain")
    assert scores(log) == scores(plain)
    assert len(variants) >= 20
    values = {value for one in scores(log).values() for value, _ in one.values()}
    assert len(values) == 2, "some are right and some are wrong"
    assert all(set(database(sample)) == {"changed", "digest"} for sample in log.samples or [])
    assert all("users" in database(sample) for sample in plain.samples or [])


def test_the_whole_database_too_and_what_changed_can_be_read(tmp_path: Path) -> None:
    task = loaded("airline")
    variants, plans = conversations("airline", task)
    chosen = [
        one for one in variants if one.name in ("right", "pays too much", "cancels") and one.item_id == "2"
    ]
    log = converse(task, chosen, plans, tmp_path)
    found = {sample.metadata["variant"]: sample for sample in log.samples or []}
    values = {name: {one.value for one in (sample.scores or {}).values()} for name, sample in found.items()}
    assert values == {"right": {"C"}, "pays too much": {"I"}, "cancels": {"I"}}
    paid = database(found["pays too much"])["changed"]
    assert list(paid) == ["users"]
    (customer,) = paid["users"].values()
    assert [one["amount"] for one in customer["payment_methods"].values() if one["source"] == "certificate"][
        -1
    ] == 100
    cancelled = database(found["cancels"])["changed"]["reservations"]["EHGLP3"]
    assert cancelled["status"] == "cancelled"
    assert sum(path.stat().st_size for path in tmp_path.glob("*.eval")) < 200_000


def test_a_database_that_changed_is_never_called_equal() -> None:
    """In any table, by a record that is set, added or gone, or changed in a loop; the hash is tau2's."""
    from inspect_evals.tau2.airline.AirlineAgentTools import AirlineAgentTools

    first = _database("airline")
    whole = type(first).__mro__[1].model_validate(json.loads(_full(first)))
    assert first.get_hash() == whole.get_hash() == _database("airline").get_hash()
    seen = {first.get_hash()}
    for table in ("users", "reservations", "flights"):
        changed = _database("airline")
        next(iter(getattr(changed, table).values())).__dict__.update(_touched(changed, table))
        seen.add(changed.get_hash())
        gone = _database("airline")
        records = getattr(gone, table)
        records.pop(next(iter(records)))
        seen.add(gone.get_hash())
        assert gone.changed()[table] == {next(iter(getattr(first, table))): None}
    assert len(seen) == 7
    assert AirlineAgentTools.model_fields["db"].annotation is type(first).__mro__[1]


def _full(database: Any) -> str:
    parent = type(database).__mro__[1]
    return str(parent.__pydantic_serializer__.to_json(database).decode())


def _touched(database: Any, table: str) -> dict[str, Any]:
    record = next(iter(getattr(database, table).values()))
    name = next(field for field, value in record if isinstance(value, str))
    return {name: getattr(record, name) + "x"}


@pytest.mark.usefixtures("small_databases")
def test_the_shipped_wordings_reach_the_customer_and_the_score_is_tau2s(tmp_path: Path) -> None:
    """Two scenarios in six wordings each; the agent cancels, which is wrong, when the customer is chatty."""
    plan = plan_run(
        "taubench_airline", "mockllm/agent", variants_file="shipped", max_items=2, repeats=1, log_dir=tmp_path
    )
    assert [one.kind for one in plan.variants] == ["orig", *VOICES] * 2
    chatty = {str(one.prompt) for one in plan.variants if one.kind == "chatty"}

    def user(messages: list[ChatMessage]) -> str:
        scenario = messages[0].text.split("<scenario>")[1].split("</scenario>")[0].strip()
        return scenario if len(messages) == 2 else "###STOP###"

    def agent(messages: list[ChatMessage]) -> str | ModelOutput:
        if messages[-1].role != "tool" and messages[-1].text in chatty:
            return ModelOutput.for_tool_call(
                "mockllm/agent", "cancel_reservation", {"reservation_id": "EHGLP3"}
            )
        return "I am afraid that it cannot be cancelled."

    roles = {**(plan.task.model_roles or {}), "user": acting("user", user)}
    asked = task_with(copy.copy(plan.task), model_roles=roles)
    summary = run_tasks(asked, acting("agent", agent), log_dir=tmp_path, settings=plan.settings)
    assert (summary.finished, summary.errored) == (12, 0)
    told = {str(one.id): str(one.prompt) for one in plan.variants}
    for sample in read_eval_log(str(summary.logs[0])).samples or []:
        assert any(told[str(sample.id)] == one.text for one in sample.messages)
    rows = read_results([tmp_path]).outcomes.select("kind", "score", "status").rows()
    assert sorted(set(rows)) == sorted(
        {(kind, 0.0 if kind == "chatty" else 1.0, "scored") for kind in ("orig", *VOICES)}
    )


@pytest.mark.usefixtures("small_databases")
def test_nothing_of_tau2_is_changed_for_others_in_the_process(tmp_path: Path) -> None:
    task = loaded("airline")
    variants, plans = conversations("airline", task)
    converse(task, variants[:1], plans, tmp_path / "ours")
    from inspect_evals.tau2.tau2 import tau2_airline

    log = converse(tau2_airline(shuffle=False), variants[:1], plans, tmp_path / "theirs")
    assert all("users" in database(sample) for sample in log.samples or [])


@pytest.mark.usefixtures("small_databases")
def test_a_run_that_logged_all_of_it_is_gone_on_with(tmp_path: Path) -> None:
    """The log's form is no part of a run's identity: nothing that has finished is asked again."""
    task = loaded("airline", full_log=True)
    variants, plans = conversations("airline", task)
    converse(task, variants[:2], plans, tmp_path)
    assert fingerprint(task, RunSettings()).parts == fingerprint(loaded("airline"), RunSettings()).parts
    log = converse(loaded("airline"), variants[:3], plans, tmp_path)
    assert len(log.samples or []) == 3
    forms = [set(database(sample)) == {"changed", "digest"} for sample in log.samples or []]
    assert sorted(forms) == [False, False, True]
