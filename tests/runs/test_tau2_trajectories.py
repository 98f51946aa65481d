"""tau2's airline with a scripted agent of known forks → the report finds them at the planted steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")

from inspect_ai.model import ChatMessage, ModelOutput
from test_tau2 import Said, acting, benchmark, reads_out_the_scenario, with_user_model

from otherwords.core.types import Variant, original, variant_id
from otherwords.items import items_from_task
from otherwords.pipeline.write_report import build_report_data
from otherwords.results import read_results
from otherwords.runs import parse_selector, run_tasks, vary_task
from otherwords.runs.benchmarks.load import load_benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_databases")]

ITEMS, REWORDINGS, REPEATS = 3, 5, 2
MARK = "In other words, number {}: "
FLIGHT = {"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}


def wordings() -> tuple[object, list[Variant]]:
    task = load_benchmark(benchmark("taubench_airline"), {"message_limit": 2})
    items = items_from_task(task, parse_selector(benchmark("taubench_airline").selector), max_items=ITEMS)
    variants = []
    for item in items:
        first = original(item)
        variants.append(first)
        for number in range(1, REWORDINGS + 1):
            name, prompt = f"para{number}", MARK.format(number) + str(item.prompt)
            id_ = variant_id(item.id, name)
            variants.append(replace(first, id=id_, name=name, kind="paraphrase", prompt=prompt))
    return task, variants


class Forking:
    """Searches another day under wordings 1 and 2, asks for a status in place of a sum under wording 3.

    Every tenth conversation has one call more, whatever its wording.
    """

    def __init__(self) -> None:
        self.ended = 0

    def __call__(self, messages: list[ChatMessage]) -> Said:
        heard = " ".join(message.text for message in messages if message.role == "user")
        number = next((n for n in range(1, REWORDINGS + 1) if MARK.format(n) in heard), 0)
        step = sum(message.role == "tool" for message in messages)
        calls = [
            ("list_all_airports", {}),
            ("search_direct_flight", FLIGHT | ({"date": "2024-05-21"} if number in (1, 2) else {})),
            ("get_flight_status", {"flight_number": "HAT001", "date": "2024-05-20"})
            if number == 3
            else ("calculate", {"expression": "2 + 2"}),
        ]
        if step == len(calls):
            self.ended += 1
            if self.ended % 10 == 0:
                calls.append(("calculate", {"expression": "1 + 1"}))
        if step < len(calls):
            return ModelOutput.for_tool_call("mockllm/agent", *calls[step])
        return "I am afraid that I cannot do that."


def test_the_report_finds_the_forks_at_the_planted_steps(tmp_path: Path) -> None:
    task, variants = wordings()
    varied = vary_task(task, variants, selector="message[0]/<scenario>")  # type: ignore[arg-type]
    user = acting("user", reads_out_the_scenario)
    run_tasks(with_user_model(varied, user), acting("agent", Forking()), log_dir=tmp_path, repeats=REPEATS)
    results = read_results(tmp_path)
    table = results.outcomes
    assert table.height == ITEMS * (1 + REWORDINGS) * REPEATS
    assert table["tool_calls"].null_count() == 0
    assert table["model_calls"].min() == 6  # of the agent four, and two of the simulated customer
    data = build_report_data(results)
    (found,) = data.trajectories
    by_call = {point.call: point for point in found.curve}
    planted = {1: 0.0, 2: 2 / 5, 3: 3 / 5}
    for call, rate in planted.items():
        excess = by_call[call].excess
        assert excess.value == pytest.approx(rate)
        assert excess.low is not None
        assert excess.high is not None
        assert excess.low <= rate <= excess.high
        assert by_call[call].rerun_together == 1.0
    places = {(one.call, one.tool): one for one in found.places}
    search, calculate = places[2, "search_direct_flight"], places[3, "calculate"]
    assert (search.how, search.excess.value) == ("arguments", pytest.approx(2 / 5))
    assert (calculate.how, calculate.instead) == ("tool", "get_flight_status")
    assert calculate.excess.value == pytest.approx(1 / 5)
    noise = table["tool_calls"].str.split(" ").list.len().eq(4).sum()
    assert noise == table.height // 10
    (agreement,) = [one.share for one in found.tools if one.tool == "search_direct_flight"]
    assert agreement.excess.value == pytest.approx(2 / 5)
    # accuracy says nothing of it: the agent changes nothing under any wording
    assert data.agents[0].estimates["delta_accuracy"].value == 0.0
    parted = data.samples.filter(variant="para1", id=str(variants[0].item_id))
    assert parted["parting"].unique().to_list() == [
        "parts from the original at call 2: search_direct_flight with other arguments"
    ]
    assert parted["arguments"][0] == "date: 2024-05-21\ndestination: SEA\norigin: JFK"
    assert parted["usual_arguments"][0] == "date: 2024-05-20\ndestination: SEA\norigin: JFK"
