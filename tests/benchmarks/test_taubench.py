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
        ("cheapest", "most expensive", "turned round: cheapest"),
        ("The insurance is not to be mentioned. ", "", "lost: 'Do not mention the insurance.'"),
        (
            "Should the agent state that it is not possible to cancel, request",
            "Request",
            "condition lost: 'If the agent says that cancellation is not possible,'",
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
    """A part of benchmarks/bench_taubench.py: ids and numbers are always found, other faults mostly."""
    pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")
    from otherwords.pipeline.inputs import open_source

    scenarios = {item.id: str(item.prompt) for item in open_source("taubench_airline").items}
    written = {
        ("taubench_airline", item, voice): one["text"]
        for item, row in shipped_file().of_benchmark("taubench_airline").items()
        for voice, one in row["wordings"].items()
    }
    found: dict[str, list[bool]] = {}
    for kind, key, faulty in faults.planted(written, 45, seed=1):
        assert validate(scenarios[key[1]], written[key]) == []
        found.setdefault(kind, []).append(bool(validate(scenarios[key[1]], faulty)))
    assert all(found["swapped_id"])
    assert sum(map(sum, found.values())) >= 27
