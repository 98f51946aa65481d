"""What Inspect tells of a run while it runs.

Inspect announces every hook that a process has, so this is imported by what runs and by nothing else.
"""

from __future__ import annotations

from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelUsageData,
    SampleEnd,
    SampleScoring,
    SampleStart,
    hooks,
)

from otherwords.runs.progress import active, current_sample


@hooks(name="otherwords_progress", description="Counts samples, calls, tokens and money of a run.")
class ProgressHooks(Hooks):
    def enabled(self) -> bool:
        return bool(active)

    async def on_sample_start(self, data: SampleStart) -> None:
        current_sample.set(data.sample_id)
        active[-1].reach.begins(data.sample_id, data.eval_id, data.summary.metadata)
        await active[-1].sample_begins(data.sample_id)

    async def on_sample_scoring(self, data: SampleScoring) -> None:
        active[-1].scoring_begins(data.sample_id)

    async def on_sample_end(self, data: SampleEnd) -> None:
        active[-1].judged((data.sample.scores or {}).values())
        await active[-1].sample_ends(data.sample_id, failed=data.sample.error is not None)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        active[-1].reach.shows(current_sample.get(), data.input, data.tools)
        await active[-1].call_begins(current_sample.get())

    async def on_model_usage(self, data: ModelUsageData) -> None:
        active[-1].call_ends(data.model_name, data.usage)
