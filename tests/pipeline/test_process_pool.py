"""The same results from any number of processes, and an end at once when one is interrupted or dies."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from otherwords.checks import CHECKS
from otherwords.core import cores
from otherwords.core.errors import InputError, RunError, UnknownNameError
from otherwords.core.registry import FAMILIES, FamilyTraits
from otherwords.core.types import CheckResult, Item, Variant
from otherwords.pipeline import process_pool
from otherwords.pipeline.frozen import freeze
from otherwords.pipeline.process_pool import ordered_map
from otherwords.pipeline.templates import vary
from otherwords.pipeline.vary import usable_jobs
from otherwords.pipeline.vet import vet_file
from otherwords.variants.base import RULE_FAMILIES, reworded

pytestmark = pytest.mark.slow

WORK = """
import multiprocessing, os, time
from otherwords.core.errors import UnknownNameError

def in_worker():
    return multiprocessing.parent_process() is not None

def square(number):
    time.sleep(0.002 * (number % 3))
    return number * number, in_worker()

def loads(number):
    time.sleep(0.3 * (number == 0))
    return in_worker()

def dies(number):
    if number == 11 and in_worker():
        os._exit(7)
    return number

def refuses(number):
    if number == 11:
        raise UnknownNameError("number", "eleven", ["seven"])
    return number

def of_thing(thing):
    return in_worker()
"""


def questions(path: Path, count: int) -> Path:
    lines = [
        {
            "id": f"q{number}",
            "question": f"Tom has {number} apples and buys {number + 3} more. Which of the following "
            f"numbers is most likely larger than {number}?",
            "choices": [str(number - 1), str(number + 1), str(number - 2)],
            "answer": "B",
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes start after the first input."""
    monkeypatch.setattr(process_pool, "SECONDS_ALONE", 0.0)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "pool_work.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("pool_work", None)
    return importlib.import_module("pool_work")


@pytest.mark.usefixtures("at_once")
def test_results_come_in_order_from_other_processes(work: ModuleType) -> None:
    found = list(ordered_map(work.square, range(50), 3))
    assert [number for number, _ in found] == [number * number for number in range(50)]
    assert [elsewhere for _, elsewhere in found] == [False] + [True] * 49


def test_what_takes_little_time_stays_in_one_process(
    work: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "SECONDS_ALONE", 1.0)
    assert not any(elsewhere for _, elsewhere in ordered_map(work.square, range(20), 3))
    assert list(ordered_map(work.square, [], 3)) == []


def test_what_the_first_input_loads_starts_no_other_process(
    work: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "SECONDS_ALONE", 0.2)
    assert not any(ordered_map(work.loads, range(20), 3))


@pytest.mark.usefixtures("at_once")
def test_what_cannot_be_sent_is_done_here(work: ModuleType) -> None:
    things = [Item(str(number), "Why?", metadata={"lock": threading.Lock()}) for number in range(20)]
    assert list(ordered_map(work.of_thing, things, 2)) == [False] * 20


@pytest.mark.usefixtures("at_once")
def test_only_a_few_results_are_held(work: ModuleType) -> None:
    inputs = iter(range(10_000))
    results = ordered_map(work.square, inputs, 2)
    for _ in range(3):
        next(results)
    results.close()
    assert next(inputs) < 100


@pytest.mark.usefixtures("at_once")
def test_an_error_of_a_worker_is_raised_whole(work: ModuleType) -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown number 'eleven'\. Did you mean: seven\?$"):
        list(ordered_map(work.refuses, range(40), 2))


@pytest.mark.usefixtures("at_once")
def test_a_worker_that_dies_is_told_in_one_sentence(work: ModuleType) -> None:
    with pytest.raises(RunError) as caught:
        list(ordered_map(work.dies, range(40), 2))
    assert str(caught.value) == (
        "a worker process ended before its work was done, perhaps for want of memory; use one process "
        '(--jobs 1), and in a script call this under `if __name__ == "__main__":`'
    )


@pytest.mark.usefixtures("at_once")
def test_files_are_the_same_bytes_for_any_number_of_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "_CHUNK", 1)
    source = questions(tmp_path / "questions.jsonl", 10)
    made, checked, told = [], [], []
    for jobs, vet_jobs in ((1, 1), (3, 2)):
        seen: list[tuple[int, int]] = []
        out = tmp_path / f"variants{jobs}.jsonl"
        covered = freeze(
            source, out, RULE_FAMILIES, seed=3, jobs=jobs, on_item=lambda *now, seen=seen: seen.append(now)
        )
        again = vet_file(
            out,
            tmp_path / f"again{jobs}.jsonl",
            jobs=vet_jobs,
            on_item=lambda *now, seen=seen: seen.append(now),
        )
        assert again == covered
        made.append(out.read_bytes())
        checked.append((tmp_path / f"again{jobs}.jsonl").read_bytes())
        told.append(seen)
    assert len({*made, *checked}) == 1
    assert told[0] == told[1] == [(number, 10) for number in range(1, 11)] * 2


@pytest.mark.usefixtures("at_once")
def test_varied_items_are_the_same_for_any_number_of_jobs() -> None:
    items = [Item(str(number), f"Who wrote volume {number} of the set?", (), ("me",)) for number in range(20)]
    assert vary(items, jobs=1) == vary(items, jobs=2)


@pytest.mark.usefixtures("at_once")
def test_bad_input_is_refused_alike(tmp_path: Path) -> None:
    source = questions(tmp_path / "questions.jsonl", 20)
    for jobs in (1, 2):
        with pytest.raises(InputError, match=r"^a variant family is named twice: format, format$"):
            freeze(source, tmp_path / "out.jsonl", ["format", "format"], jobs=jobs)
    assert not (tmp_path / "out.jsonl").exists()


def test_there_is_a_core() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(("counted", "known"), [(8, 8), (None, 1)])
def test_where_the_system_tells_no_affinity_all_cores_count(
    counted: int | None, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS and Windows."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert cores() == known


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("system", "started"), [("nt", 61), ("posix", 100)])
def test_windows_can_wait_for_61_processes(
    system: str, started: int, work: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def in_processes(work: object, inputs: Iterator[int], jobs: int) -> Iterator[int]:
        asked.append(jobs)
        yield from inputs

    monkeypatch.setattr(process_pool, "_in_processes", in_processes)
    with monkeypatch.context() as windows:
        windows.setattr(os, "name", system)
        assert len(list(ordered_map(work.square, range(3), 100))) == 3
    assert asked == [started]


def test_where_interruptions_cannot_be_held_the_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    with process_pool._interruptions_held():
        done = True
    assert done


class Shout:
    """A family that a script registers."""

    name, version = "shout", 1
    traits = FamilyTraits(keeps_words=True, changes_form=True)

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        return [reworded(item, f"{item.prompt}!", name="shout", family=self, change="loud")][:k]


def refuse_whoever(item: Item, variant: Variant) -> CheckResult:
    return CheckResult("whoever", "fail" if "!" in str(variant.prompt) else "pass", "too loud")


@pytest.mark.usefixtures("at_once")
def test_what_a_script_registers_holds_for_any_number_of_jobs(tmp_path: Path) -> None:
    """A worker would know neither: the work stays in this process."""
    items = [Item(str(number), f"Who wrote volume {number}?", (), ("me",)) for number in range(30)]
    source = questions(tmp_path / "questions.jsonl", 30)
    CHECKS.add("whoever", refuse_whoever)
    try:
        plain = vary(items, ["format"], jobs=2)
        assert plain == vary(items, ["format"], jobs=1)
        assert all("whoever" in {check.check for check in one.checks} for one in plain)
        FAMILIES.add("shout", Shout())
        assert vary(items, ["shout"], jobs=2) == vary(items, ["shout"], jobs=1)
        freeze(source, tmp_path / "out.jsonl", ["format"], jobs=1)
        for jobs in (1, 2):
            vet_file(tmp_path / "out.jsonl", tmp_path / f"again{jobs}.jsonl", jobs=jobs)
    finally:
        CHECKS.remove("whoever")
        FAMILIES.remove("shout")
    again = [(tmp_path / f"again{jobs}.jsonl").read_text() for jobs in (1, 2)]
    assert again[0] == again[1]
    assert "whoever" in again[1].splitlines()[-1]
    assert usable_jobs(2) == 2


LONG_COMMAND = """
import sys
from otherwords.pipeline import process_pool
process_pool.SECONDS_ALONE = 0.0
from otherwords.cli import main
main(sys.argv[1:])
"""


def start(tmp_path: Path) -> subprocess.Popen[str]:
    """A long command whose workers have begun; it writes to `out.jsonl`."""
    source = questions(tmp_path / "questions.jsonl", 5000)
    arguments = ["vary", str(source), "-o", str(tmp_path / "out.jsonl"), "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_COMMAND, *arguments],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: any(one.stat().st_size > 60_000 for one in tmp_path.glob(".out.jsonl.*")), 120)
    assert process.poll() is None
    return process


def until(happened: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_an_interruption_ends_all_processes_at_once(tmp_path: Path) -> None:
    process = start(tmp_path)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out, errors) == (130, "", "Stopped.\n")
    until(lambda: is_gone(process.pid), 20)
    assert [one.name for one in tmp_path.iterdir()] == ["questions.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_workers_do_not_outlive_a_process_that_is_killed(tmp_path: Path) -> None:
    process = start(tmp_path)
    process.kill()
    process.communicate(timeout=20)
    until(lambda: is_gone(process.pid), 20)
