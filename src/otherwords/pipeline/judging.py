"""Which model decides on variants that carry a flag, and how it is asked while others are being written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from otherwords.checks import MeaningCheck, pairs_to_ask, with_results
from otherwords.checks.judge import NAME, JudgeCheck, JudgeCounts
from otherwords.core.contract import LLM
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant, Vetted

if TYPE_CHECKING:
    from anyio import Lock
    from inspect_ai.model import Model

    from otherwords.variants.llm import LlmFamily

NO_JUDGE = "none"
"""What is said in place of a model where none is to decide."""


def with_judge(
    checks: Sequence[MeaningCheck],
    judge: str | Model | None = None,
    *,
    families: Sequence[str] = (),
    llm: LlmFamily | None = None,
) -> list[MeaningCheck]:
    """`checks` with the judge as the last one, so that it sees what the others flag.

    Args:
        checks: Meaning checks, perhaps with a judge among them.
        judge: The model that decides, or `none`. Not given, it is the model that writes the family `llm`, if
            that is among the families; else nobody decides.
        families: The families that make the variants.
        llm: Which model writes the family `llm`.

    Raises:
        InputError: Two judges are named.
    """
    own = [check for check in checks if check.name == NAME]
    if len(own) > 1 or (own and judge is not None):
        raise InputError("the judge is named twice", hint="Give --judge or --check judge=MODEL, once.")
    others = [check for check in checks if check.name != NAME]
    if own:
        return [*others, *own]
    if judge is None and LLM in families:
        from otherwords.variants.llm import paraphraser

        judge = paraphraser(None if llm is None else llm.models[0])
    if judge is None or judge == NO_JUDGE:
        return others
    return [*others, JudgeCheck(judge, cache=llm is None or llm.cache)]


def check_settings(checks: Sequence[MeaningCheck]) -> dict[str, Any]:
    """What the header of a variants file keeps of the meaning checks, by their names."""
    return {check.name: dict(check.settings()) for check in checks}


def judge_counts(checks: Sequence[MeaningCheck]) -> JudgeCounts | None:
    """What the judge among the checks was asked; None where there is none."""
    return next((check.counts for check in checks if isinstance(check, JudgeCheck)), None)


class Deciding:
    """Asks the meaning checks about the variants of one item, beside those of others.

    A judge is waited for; a check that computes has the machine for itself.
    """

    def __init__(self, checks: Sequence[MeaningCheck]) -> None:
        self.checks = checks
        self._one_at_a_time: Lock | None = None

    async def __call__(self, item: Item, vetted: list[Vetted]) -> list[Vetted]:
        for check in self.checks:
            pairs = pairs_to_ask(check, [(item, vetted)])
            results = await self._results(check, pairs) if pairs else []
            said = {variant.id: result for (_, variant), result in zip(pairs, results, strict=True)}
            vetted = with_results(check, vetted, said)
        return vetted

    async def _results(self, check: MeaningCheck, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        from anyio import Lock, to_thread

        if isinstance(check, JudgeCheck):
            return await check.judge_async(pairs)
        if self._one_at_a_time is None:
            self._one_at_a_time = Lock()
        async with self._one_at_a_time:
            return await to_thread.run_sync(check.judge, pairs)
