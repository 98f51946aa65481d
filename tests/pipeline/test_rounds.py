"""A run that may stop early: rounds of whole items, a look after each, going on, and what its report says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from otherwords import load_all_results, run, write_report
from otherwords.core.errors import InputError
from otherwords.core.types import Variant, original
from otherwords.items import load_items
from otherwords.metrics.sequential import Design
from otherwords.pipeline.inputs import open_source
from otherwords.pipeline.rounds import Until, drawn, in_design
from otherwords.pipeline.run_plan import plan_run
from otherwords.runs import Budget

pytestmark = pytest.mark.slow

Scripted = Callable[[str, Callable[[str], str]], str]
N_ITEMS = 60


def items(goal: str) -> Until:
    """With intervals for other items alone, which do not depend on which items share a wording."""
    return Until(goal, generalize="items")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {"id": f"q{n}", "question": f"Who is the mayor of city {n}?", "answer": f"Mayor {n}"}
        for n in range(N_ITEMS)
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


class Provider:
    """Counts its calls; `right` says of a city and how often it was asked whether the answer is right."""

    def __init__(self, scripted: Scripted, name: str, right: Callable[[int, int], bool]) -> None:
        self.asked: Counter[int] = Counter()
        self.prompts: list[str] = []
        self.right = right
        self.name = scripted(name, self.answer)

    @property
    def calls(self) -> int:
        return len(self.prompts)

    def answer(self, prompt: str) -> str:
        number = re.search(r"city (\d+)", prompt, re.IGNORECASE)
        assert number is not None
        city = int(number[1])
        self.asked[city] += 1
        self.prompts.append(prompt)
        return f"Mayor {city}" if self.right(city, self.asked[city]) else "nobody"


def test_it_stops_goes_on_and_is_not_paid_twice(questions: Path, tmp_path: Path, scripted: Scripted) -> None:
    model, logs = Provider(scripted, "even", lambda city, _: city % 3 > 0), tmp_path / "logs"
    done = run(questions, model.name, until=items("accuracy:0.19"), log_dir=logs)
    # one rewording of each item beside the original, once each
    assert (done.total, done.finished, done.calls, model.calls) == (40, 40, 40, 40)
    assert set(model.asked.values()) == {2}
    assert done.goals[0].startswith("scripted/even: stopped after 20 of 60 items: decided; accuracy 0.")
    assert done.goals[0].endswith(
        "It took 40 samples; a fixed plan of all 60 items takes 120, and 900 on the usual grid of 5 wordings "
        "× 3 repeats."
    )
    # the same again asks nothing
    again = run(questions, model.name, until=items("accuracy:0.19"), log_dir=logs)
    assert (again.calls, again.reused, model.calls, again.goals) == (0, 40, 40, done.goals)
    # a tighter target goes on from there
    more = run(questions, model.name, until=items("accuracy:0.16"), log_dir=logs)
    assert (more.total, more.calls, more.reused, model.calls) == (80, 40, 40, 80)
    assert "stopped after 40 of 60 items: decided" in more.goals[0]
    data, _ = write_report(logs, None)
    assert data.notes[0].startswith(
        "scripted/even on questions: stopped after 40 of 60 items: decided; accuracy 0."
    )
    assert data.agents[0].stopped == {
        "goal": "accuracy:0.16",
        "thresholds": {},
        "n_items": 40,
        "planned": 60,
        "status": "pass",
        "sentence": "stopped after 40 of 60 items: decided",
        "level": None,
    }


def test_a_larger_maximum_goes_on(questions: Path, tmp_path: Path, scripted: Scripted) -> None:
    model, logs = Provider(scripted, "even", lambda city, _: city % 2 > 0), tmp_path / "logs"
    until = items("accuracy:0.17")
    first = run(questions, model.name, until=until, max_items=20, log_dir=logs)
    assert "not decided after 20 of 20 items" in first.goals[0]
    assert re.search(r"20 items give ± 0\.\d+; ± 0\.17 takes about \d+ items", first.goals[0])
    before = set(model.asked)
    done = run(questions, model.name, until=until, log_dir=logs)
    assert before < set(model.asked)
    assert max(model.asked.values()) == 2
    assert "stopped after 40 of 60 items: decided" in done.goals[0]


def test_each_model_stops_for_itself_and_the_report_accounts_for_it(
    questions: Path, tmp_path: Path, scripted: Scripted
) -> None:
    sure = Provider(scripted, "sure", lambda *_: True)
    coin = Provider(scripted, "coin", lambda city, times: (city + times) % 2 > 0)
    logs = tmp_path / "logs"
    done = run(
        questions,
        [sure.name, coin.name],
        until=Until("gate", {"min_s_prompt": 0.93}),
        log_dir=logs,
        families=["format"],
        k=2,
    )
    assert [goal.partition(";")[0] for goal in done.goals] == [
        "scripted/sure: stopped after 40 of 60 items: decided: pass",
        "scripted/coin: stopped after 20 of 60 items: decided: fail",
    ]
    assert (sure.calls, coin.calls) == (120, 60)
    assert done.missed == ("scripted/coin",)
    data, (page, markdown, *_) = write_report(logs, tmp_path / "report")
    agents = {agent.model: agent for agent in data.agents}
    usual = pl.concat([load_all_results(logs)])
    from otherwords import s_prompt

    wide = agents["scripted/sure"].estimates["s_prompt"]
    plain = s_prompt(usual, model="scripted/sure")
    assert wide.value == plain.value == 1.0
    assert wide.low is not None
    assert plain.low is not None
    assert wide.low < plain.low
    note = "scripted/sure on questions: stopped after 40 of 60 items: decided: pass"
    for text in (page.read_text(), markdown.read_text(), "\n".join(data.notes)):
        assert note in text


def test_two_models_stop_together(questions: Path, tmp_path: Path, scripted: Scripted) -> None:
    a = Provider(scripted, "a", lambda *_: True)
    b = Provider(scripted, "b", lambda city, _: city % 4 > 0)
    until = Until(f"{a.name}-{b.name}:0.2")
    done = run(questions, [a.name, b.name], until=until, log_dir=tmp_path / "logs")
    assert len(done.goals) == 1
    assert done.goals[0].startswith(f"{a.name}-{b.name}: stopped after ")
    assert a.calls == b.calls
    data, _ = write_report(tmp_path / "logs", None)
    assert sum(note.startswith(f"{a.name}-{b.name} on questions: stopped") for note in data.notes) == 1


def test_excess_flips_ask_the_original_once_more(questions: Path, tmp_path: Path, scripted: Scripted) -> None:
    # answers differ from one time to the next, whatever the words
    model = Provider(scripted, "coin", lambda city, times: times % 2 > 0)
    done = run(
        questions, model.name, until=Until("excess-flips:0.9"), max_items=20, log_dir=tmp_path / "logs"
    )
    assert model.calls == done.total == 20 * 4
    table = load_all_results(tmp_path / "logs")
    repeats = table.group_by("id", "variant").agg(pl.col("repeat").sort())
    assert {tuple(row) for row in repeats.filter(pl.col("variant") == "orig")["repeat"].to_list()} == {(1, 2)}
    assert {tuple(row) for row in repeats.filter(pl.col("variant") != "orig")["repeat"].to_list()} == {(1,)}
    assert Counter(model.prompts).most_common(1)[0][1] == 2
    assert "excess-flips" in done.goals[0]


def test_a_budget_ends_a_round_and_the_next_command_goes_on(
    questions: Path, tmp_path: Path, scripted: Scripted
) -> None:
    model, logs = Provider(scripted, "even", lambda city, _: city % 3 > 0), tmp_path / "logs"
    stopped = run(questions, model.name, until=items("accuracy:0.16"), log_dir=logs, budget=Budget(calls=50))
    assert (stopped.stopped, model.calls) == ("calls=50", 50)
    assert "not decided after 20 of 60 items" in stopped.goals[0]
    assert stopped.missed == ()
    done = run(questions, model.name, until=items("accuracy:0.16"), log_dir=logs)
    assert "stopped after 40 of 60 items: decided" in done.goals[0]
    assert model.calls == 80


def test_items_are_drawn_and_the_order_does_not_depend_on_how_many(questions: Path) -> None:
    source = open_source(questions)
    some, most = drawn(source, 20, 0, set()), drawn(source, 40, 0, set())
    assert [item.id for item in some.items] == [item.id for item in most.items[:20]]
    assert [item.id for item in some.items] != [item.id for item in source.items[:20]]
    assert [item.id for item in drawn(source, 20, 1, set()).items] != [item.id for item in some.items]
    # what was asked before comes first, and is never left out
    first = drawn(source, 1, 0, {"q7", "q8"})
    assert {item.id for item in first.items} == {"q7", "q8"}


def test_rewordings_are_drawn_and_controls_stay(questions: Path) -> None:
    variants: list[Variant] = []
    for item in load_items(questions)[:30]:
        first = original(item)
        variants.append(first)
        for name, kind in (("a", "format"), ("b", "paraphrase"), ("c", "format"), ("flip", "control")):
            variants.append(Variant(f"{item.id}#{name}", item.id, name, kind, f"{item.prompt} {name}"))
    chosen = in_design(variants, Design(2, 1, again=1), 0, draws=True)
    by_item = {item: [one.name for one in chosen if one.item_id == item] for item in ("q1", "q2")}
    assert all(len(names) == 4 for names in by_item.values())
    assert all(names[:2] == ["orig", "orig"] and names[-1] == "flip" for names in by_item.values())
    assert {one.name for one in chosen} == {"orig", "a", "b", "c", "flip"}
    whole = in_design(variants, Design(2, 1), 0, draws=False)
    assert whole == variants


@pytest.mark.parametrize(
    ("until", "problem"),
    [
        (Until("accuracy:0.01"), "accuracy:0.01 cannot be reached with 60 items: even if all answers were "),
        (Until("speed:0.1"), "unknown goal 'speed'"),
        (Until("gate"), "a gate needs a threshold"),
        (Until("accuracy:0.1", {"min_accuracy": 0.5}), "--min-accuracy is a threshold of a gate"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    questions: Path, tmp_path: Path, scripted: Scripted, until: Until, problem: str
) -> None:
    model = Provider(scripted, "even", lambda *_: True)
    with pytest.raises(InputError) as refused:
        plan_run(questions, model.name, until=until, log_dir=tmp_path / "logs")
    assert str(refused.value).startswith(problem)
    assert not list((tmp_path / "logs").glob("*"))
