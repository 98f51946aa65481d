"""A run that was begun with version 0.1 is gone on with, if told to: what had finished is not asked again."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import doors
import pytest
from pin_data import lay_out, load, require_same
from pin_provider import all_asked, forget_asked
from pin_runs import INTERRUPTED, RESUMED, finished, logs_in, outcome_rows
from since_0_1 import old_rows

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", RESUMED)
def test_an_interrupted_run_goes_on(name: str, folder: Path) -> None:
    lay_out(folder)
    shutil.copytree(INTERRUPTED / name, name)
    before, expected = finished(name), load("resumed")[name]
    uuids = {sample.uuid for log in logs_in(name) for sample in log.samples or [] if sample.scores}
    assert 0 < len(before) < len(expected)

    forget_asked()
    ended = doors.command(*RESUMED[name], "--log-dir", name)
    assert (ended.code, all_asked()) == (2, [])
    assert ended.err.endswith(
        "was begun by version 0.1, which kept no trace of its code: whether that has changed since cannot be "
        f"told\nIf it has not, go on with --adopt; else begin another run: --log-dir {name}-2\n"
    )
    assert finished(name) == before

    ended = doors.command(*RESUMED[name], "--log-dir", name, "--adopt")
    assert ended.code == 0, ended.err
    assert f"{len(before)} from before" in " ".join(ended.out.split())
    require_same(expected, old_rows(outcome_rows(name)))

    asked = all_asked()
    assert len(asked) == len(expected) - len(before)
    if name in ("task", "killed"):  # these write down which sample it is, the others only the prompt
        assert not {tuple(one) for one in asked} & {tuple(one) for one in before}
    newest = [log for log in logs_in(name) if log.status == "success"]
    kept = {sample.uuid for log in newest for sample in log.samples or []}
    assert uuids <= kept

    forget_asked()
    ended = doors.command(*RESUMED[name], "--log-dir", name)
    assert (ended.code, all_asked()) == (0, [])
    assert Counter(str(log.status) for log in logs_in(name))["success"] == 1
