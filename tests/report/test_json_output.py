from __future__ import annotations

import json
from typing import Any

from otherwords.report.tables import report_json


def test_every_estimate_is_there_with_its_interval(build: Any, in_runs: Any) -> None:
    data = in_runs(build(2, 20), 3)
    found = json.loads(report_json(data))
    assert (found["format"], found["version"], found["level"]) == ("otherwords-report", 2, 0.95)
    assert [agent["model"] for agent in found["agents"]] == ["mock/steady-70b", "mock/wobbly-7b"]
    for agent, row in zip(found["agents"], data.agents, strict=True):
        assert set(agent["estimates"]) == set(row.estimates)
        steady = agent["estimates"]["s_prompt"]
        assert steady["value"] == row.estimates["s_prompt"].value
        assert (steady["low"], steady["high"]) == (
            row.estimates["s_prompt"].low,
            row.estimates["s_prompt"].high,
        )
        assert agent["s_prompt_floor"] == data.floor(row)
        assert sum(agent["items_by_band"].values()) == agent["items"]["total"] == 20
    assert len(found["history"]) == 6
    assert found["skipped"] == [{"file": "logs/broken.eval", "reason": "not a zip file"}]


def test_it_is_ascii_so_that_a_terminal_obeys_nothing(build: Any, attack: str) -> None:
    text = report_json(build(1, 3, evil=attack))
    assert text.isascii()
    assert not [letter for letter in text if not letter.isprintable() and letter != "\n"]
    assert json.loads(text)["title"] == f"{attack}Capitals, in other words"
