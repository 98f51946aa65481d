"""The validator of wordings of tau-bench: what it finds, and that the shipped wordings pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from otherwords.benchmarks import shipped_file
from otherwords.benchmarks.taubench import validate

SCENARIO = (
    "Instructions:\n\tDomain: airline\n\tReason for call:\n"
    "\t\tYou want to cancel reservation EHGLP3 from MCO to CLT.\n"
    "\tKnown info:\n\t\tYou are Emma Kim.\n\t\tYour user id is emma_kim_9957.\n"
    "\tTask instructions:\n"
    "\t\tIf the agent says that cancellation is not possible, ask for a voucher of $100.\n\n"
    "\t\tDo not mention the insurance.\n\t\tYou prefer the cheapest flight."
)
WORDING = (
    "Emma Kim, with the user id emma_kim_9957, would like reservation EHGLP3 from MCO to CLT cancelled. "
    "Should the agent state that it is not possible to cancel, request a voucher worth $100. "
    "The insurance is not to be "
    "mentioned. Your preference is the cheapest flight."
)


def test_a_wording_that_keeps_every_fact_has_no_problem() -> None:
    assert validate(SCENARIO, WORDING) == []
    assert validate(SCENARIO, SCENARIO) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("EHGLP3", "EHGPL3", "id lost: EHGLP3"),
        ("emma_kim_9957", "emma_kim_9975", "id added: emma_kim_9975"),
        ("$100", "$150", "number added: 150"),
        ("Emma Kim", "Kim Emma", "exchanged: emma and kim"),
        ("MCO to CLT", "CLT to MCO", "exchanged: clt and mco"),
        ("cheapest", "most expensive", "turned round: expensive"),
        ("from MCO to CLT", "from CLT to Orlando MCO", "exchanged: clt and mco"),
        ("Your preference is", "You have to take", "turned round: have to"),
        ("The insurance is not to be mentioned. ", "", "lost: 'Do not mention the insurance.'"),
        (
            "Should the agent state that it is not possible to cancel, request",
            "Request",
            "condition lost: 'If the agent says that cancellation is not possible, ask for a voucher'",
        ),
        (
            "Your preference",
            "Your suitcase holds valuable violins and antique paintings. Your preference",
            "added: 'Your suitcase holds valuable violins and antique paintings.'",
        ),
    ],
)
def test_a_fault_is_found_and_named(old: str, new: str, problem: str) -> None:
    assert old in WORDING
    assert problem in [one.rstrip() for one in validate(SCENARIO, WORDING.replace(old, new))]


SIBLINGS = (
    "You're Emma Kim, user id emma_kim_9957. You want reservation EHGLP3, MCO to CLT, cancelled. If the "
    "agent says cancelling isn't possible, ask for a $100 voucher. Don't mention the insurance. You'd go for "
    "the cheapest flight.",
    "Reservation EHGLP3 from MCO to CLT is to be cancelled. Your name is Emma Kim; your user id is "
    "emma_kim_9957. In case the agent tells you that a cancellation is impossible, you ask for a voucher of "
    "$100. You do not mention your insurance. The least expensive flight is the one that you prefer.",
    "Emma Kim, user id emma_kim_9957: cancel reservation EHGLP3, MCO to CLT. If agent says cancellation not "
    "possible: ask for voucher, $100. Insurance: do not mention. Cheapest flight preferred.",
)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Your preference", "You play the violin. Your preference", "new: violin"),
        ("The insurance is not to be mentioned. ", "", "lost: 'insurance'"),
        ("Your preference", "There are three wishes. Your preference", "number added: three"),
        ("voucher worth $100", "voucher worth at least $100", "bound added: 100"),
        (
            "Your preference",
            "The agent has a cheap reservation and prefers insurance. Your preference",
            "added: 'The agent has a cheap reservation and prefers insurance.'",
        ),
        (
            "the user id emma_kim_9957",
            "reservation emma_kim_9957",
            "wrong id: reservation, but name of a user",
        ),
    ],
)
def test_other_wordings_show_more(old: str, new: str, problem: str) -> None:
    assert validate(SCENARIO, WORDING, SIBLINGS) == []
    assert all(validate(SCENARIO, one, SIBLINGS) == [] for one in SIBLINGS)
    assert problem in validate(SCENARIO, WORDING.replace(old, new), SIBLINGS)


@pytest.fixture(scope="module")
def faults() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "taubench_faults.py"
    spec = importlib.util.spec_from_file_location("taubench_faults", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["taubench_faults"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_planted_faults_are_found_and_the_wordings_pass(faults: ModuleType) -> None:
    """A part of benchmarks/bench_taubench.py."""
    pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")
    from otherwords.pipeline.inputs import open_source

    scenarios = {item.id: str(item.prompt) for item in open_source("taubench_airline").items}
    written = {
        ("taubench_airline", item, voice): one["text"]
        for item, row in shipped_file().of_benchmark("taubench_airline").items()
        for voice, one in row["wordings"].items()
    }
    found = []
    for _, key, faulty in faults.planted(written, 10, seed=1):
        siblings = [text for other, text in written.items() if other[1] == key[1] and other != key]
        assert validate(scenarios[key[1]], written[key], siblings) == []
        found.append(bool(validate(scenarios[key[1]], faulty, siblings)))
    assert sum(found) >= 38
