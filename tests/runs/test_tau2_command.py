"""tau2 from the command line, from variants to HAL's file and the report, offline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")

from inspect_ai.event import ModelEvent
from inspect_ai.log import list_eval_logs, read_eval_log

from otherwords.cli import main
from otherwords.runs.simulated_user import USER_TRAITS
from otherwords.variants.file import read_variants

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_databases")]

Scripted = Callable[[str, Callable[[str], str]], str]


def typed(*arguments: object) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0


def test_from_variants_to_the_upload_and_the_report(
    tmp_path: Path, scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    variants, logs = tmp_path / "variants.jsonl", tmp_path / "logs"
    typed("vary", "taubench_airline", "--families", "format", "-k", 1, "--max-items", 2, "-o", variants)
    wordings = {one.id: one for one in read_variants(variants).accepted}
    assert len(wordings) == 4

    agent = scripted("agent", lambda said: "How can I help?")
    user = scripted("user", lambda said: "###STOP###" if "help" in said else "Hello, it is about K7QX9Z.")
    typed(
        *("run", "inspect_evals/tau2_airline", "--variants", variants, "--max_tasks", 2, "--repeats", 1),
        *("--model", agent, "--model-role", f"user={user}", "--agent-name", "greeter"),
        *("--log-dir", logs, "--results-dir", tmp_path / "results", "--run-id", "first", "--yes"),
        *("--user-trait", "impatient"),
    )
    told = " ".join("".join(capsys.readouterr()).split())
    erred = "the simulated user itself erred in 4 of 4 conversations (orig 2 of 2, "
    assert erred in told
    assert "the first with unknown fact (turn 1: K7QX9Z) in sample 0#" in told
    (info,) = list_eval_logs(str(logs))
    samples = read_eval_log(info, resolve_attachments=True).samples or []
    assert {str(sample.id) for sample in samples} == set(wordings)
    for sample in samples:
        calls = [event for event in sample.events if isinstance(event, ModelEvent)]
        assert [(call.role, call.model) for call in calls] == [("user", user), (None, agent), ("user", user)]
        told = calls[0].input[0].text
        assert f"<scenario>\n{wordings[str(sample.id)].prompt}\n</scenario>" in told
        assert USER_TRAITS["impatient"] in told
        assert "<scenario>" not in calls[1].input[0].text

    uploaded = tmp_path / "results" / "taubench_airline" / "first" / "first_UPLOAD.json"
    upload = json.loads(uploaded.read_text(encoding="utf-8"))
    scores = {task: [row["score"] for row in rows] for task, rows in upload["raw_eval_results"].items()}
    assert scores == {"0": [1.0, 1.0], "1": [1.0, 1.0]}  # both tasks ask the agent to change nothing
    assert upload["prompt_sensitivity_metrics"]["num_tasks"] == 2

    typed("report", logs, "-o", tmp_path / "report")
    (page,) = (tmp_path / "report").rglob("*.html")
    assert erred in page.read_text(encoding="utf-8")
