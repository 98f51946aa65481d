from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelCost, ModelInfo, set_model_info

from otherwords.core.errors import InputError
from otherwords.pipeline.estimate import ASSUMED_ANSWER, estimate_run, known_price, parse_prices

Scripted = Callable[[str, Callable[[str], str]], str]


def cost(price_in: float, price_out: float) -> ModelCost:
    return ModelCost(input=price_in, output=price_out, input_cache_write=price_in, input_cache_read=price_in)


TASK = Task(
    dataset=[
        Sample(input="x" * 400),
        Sample(input=[ChatMessageSystem(content="s" * 100), ChatMessageUser(content="u" * 260)]),
        Sample(input="q" * 20, choices=["a" * 10, "b" * 10], target="A"),
    ]
)
"""400 + 360 + 40 characters: 200 tokens."""


def test_it_counts_samples_tokens_and_money() -> None:
    taken = estimate_run(
        TASK,
        ["p/one", "p/two"],
        repeats=2,
        max_tokens=10,
        prices={"p/one": cost(1, 10), "p/two": cost(2, 20)},
    )
    assert (taken.samples, taken.calls, taken.finished) == (12, 12, 0)
    assert (taken.input_tokens, taken.output_tokens) == (800, 120)
    assert not taken.answer_is_assumed
    assert taken.usd == pytest.approx((400 * 1 + 60 * 10 + 400 * 2 + 60 * 20) / 1e6)
    assert taken.unpriced == ()


def test_what_has_finished_is_not_counted_again() -> None:
    left = {"p/one": {"1": 2, "3": 1}}  # of the longest both repeats, of the shortest one
    taken = estimate_run(TASK, ["p/one"], repeats=2, left=left, prices={"p/one": cost(1, 10)})
    assert (taken.samples, taken.calls) == (6, 3)
    assert (taken.input_tokens, taken.output_tokens) == (210, 3 * ASSUMED_ANSWER)
    assert taken.answer_is_assumed
    everything = estimate_run(TASK, ["p/one"], repeats=2, left={}, prices={"p/one": cost(1, 10)})
    assert (everything.calls, everything.input_tokens, everything.usd) == (0, 0, 0.0)


def test_each_model_costs_what_it_has_left() -> None:
    prices = {"p/cheap": cost(1, 1), "p/dear": cost(100, 100)}
    left = {"p/cheap": {"1": 1, "2": 1, "3": 1}, "p/dear": {}}
    taken = estimate_run(TASK, list(prices), repeats=1, left=left, max_tokens=10, prices=prices)
    assert (taken.calls, taken.finished) == (3, 3)
    assert taken.usd == pytest.approx((200 + 30) / 1e6)


def test_a_system_message_is_sent_each_time() -> None:
    taken = estimate_run(TASK, ["p/one"], repeats=1, system_message="s" * 40)
    assert taken.input_tokens == 200 + 3 * 10


def test_without_a_price_there_is_no_sum() -> None:
    taken = estimate_run(TASK, ["p/one", "p/two"], repeats=1, prices={"p/one": cost(1, 1)})
    assert (taken.usd, taken.unpriced) == (None, ("p/two",))


def test_a_price_that_inspect_knows_is_used(scripted: Scripted) -> None:
    model = scripted("priced", lambda prompt: "")
    assert known_price(model) is None
    set_model_info(model, ModelInfo(cost=cost(3, 4)))
    assert known_price(model) == cost(3, 4)


def test_an_embedded_model_costs_nothing_and_an_agents_cost_is_not_known() -> None:
    assert known_price("gguf/smollm2") == cost(0, 0)
    assert known_price("agent/mine") is None


def test_a_model_is_not_loaded_to_learn_its_price() -> None:
    assert known_price("vllm/a-model-of-ones-own") is None
    assert known_price("hf/a-model-of-ones-own") is None


def test_prices_for_all_for_one_and_in_a_file(tmp_path: Path) -> None:
    models = ["p/one", "p/two"]
    assert parse_prices(["0.15,0.6"], models) == {"p/one": cost(0.15, 0.6), "p/two": cost(0.15, 0.6)}
    assert parse_prices(["1,2", "p/two=3,4"], models) == {"p/one": cost(1, 2), "p/two": cost(3, 4)}
    file = tmp_path / "prices.yaml"
    file.write_text("p/one: {input: 1, output: 2, input_cache_write: 1, input_cache_read: 1}\n")
    assert parse_prices([str(file)], models) == {"p/one": cost(1, 2)}


@pytest.mark.parametrize("text", ["1", "1,2,3", "a,b", "-1,2", "nan,1", "1,inf", "p/one=x"])
def test_a_price_that_cannot_be_read_is_told(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_prices([text], ["p/one"])
    assert str(caught.value) == (
        f"cannot read the price '{text}'\nWrite it as IN,OUT or MODEL=IN,OUT in dollars for a million "
        "tokens, or name a file of prices."
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "no such file"),
        ("p/one: {input: 1}", "is no file of prices: p/one.output: Field required"),
        ("p/one: {input: much, output: 1, input_cache_write: 1, input_cache_read: 1}", None),
    ],
)
def test_a_file_of_prices_that_is_none_is_told(text: str | None, problem: str | None, tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError) as caught:
        parse_prices([str(file)], [])
    assert str(caught.value).startswith(f"{file}: {problem or 'is no file of prices: p/one.input: '}")
