"""`judge`: a model decides whether two wordings ask for the same thing, asked in both orders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from otherwords.checks.base import CheckTraits, short
from otherwords.checks.reading import compared_texts
from otherwords.core.contract import FAIL, FLAG_STATUS, PASS
from otherwords.core.errors import InputError, first_cause
from otherwords.core.model_calls import CallCounts, JsonCalls, opened, run_all, wait_for
from otherwords.core.types import CheckResult, Item, Variant
from otherwords.english.lexicon import read_lexicon

if TYPE_CHECKING:
    from inspect_ai.model import Model

NAME = "judge"
_TOLD = read_lexicon("prompts")["judge"]
PROMPT_VERSION: str = _TOLD["version"]
DEFAULT_CONCURRENCY = 8
CHARACTERS_A_TOKEN = 4
MAX_TOKENS = 512
_FIELDS = {"difference": {"type": "string"}, "same": {"type": "boolean"}}
_VERDICT = re.compile(r'"same"\s*:\s*(true|false)', re.IGNORECASE)
_DIFFERENCE = re.compile(r'"difference"\s*:\s*("(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")')


@dataclass
class JudgeCounts(CallCounts):
    """What a judge was asked, what it cost, and what decided nothing."""

    unreadable: int = 0
    """Replies that could not be read."""
    contradictions: int = 0
    """Pairs that it called the same in one order and different in the other."""


class JudgeCheck:
    """Asks a model about each pair twice, with the original first and second."""

    name = NAME
    traits = CheckTraits(of_controls=False)

    def __init__(
        self,
        model: str | Model = "",
        concurrency: int = DEFAULT_CONCURRENCY,
        cache: bool = True,
        everything: bool = False,
    ) -> None:
        """`everything`: it is asked about all that was not refused, not only about what carries a flag."""
        if not model:
            raise InputError("the check 'judge' needs a model", hint="For example: judge=openai/gpt-4o-mini")
        if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
            problem = "concurrency of the check 'judge' must be a whole number from 1"
            raise InputError(f"{problem}, got {concurrency}")
        self.model, self.concurrency, self.cache = model, concurrency, cache
        self.only_flagged = not everything
        self.counts = JudgeCounts()

    def settings(self) -> Mapping[str, Any]:
        return {"model": str(self.model), "prompt": PROMPT_VERSION}

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        return wait_for(self.judge_async(pairs), "judgements") if pairs else []

    async def judge_async(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        import inspect_ai.model

        try:
            async with opened(inspect_ai, self.model) as model:
                work = [partial(self._result, model, *pair) for pair in pairs]
                return await run_all(work, self.concurrency)
        except BaseException as error:
            raise first_cause(error, f"cannot ask the judge {self.model}") from error

    async def _result(self, model: Model, item: Item, variant: Variant) -> CheckResult:
        before, after = compared_texts(item, variant)
        opinions = {
            "original first": await self._ask(model, before, after),
            "original second": await self._ask(model, after, before),
        }
        for order, (same, said) in opinions.items():
            if same is None:
                return CheckResult(NAME, FLAG_STATUS, f"no decision by the judge ({order}): {said}")
        different = {order: said for order, (same, said) in opinions.items() if not same}
        if not different:
            return CheckResult(NAME, PASS, "the same in both orders, says the judge")
        why = next((f": {said}" for said in different.values() if said), "")
        if len(different) == len(opinions):
            return CheckResult(NAME, FAIL, f"not the same, says the judge{why}")
        self.counts.contradictions += 1
        order = next(iter(different))
        return CheckResult(NAME, FLAG_STATUS, f"the judge contradicts itself ({order}: different){why}")

    async def _ask(self, model: Model, first: str, second: str) -> tuple[bool | None, str]:
        settings = {"temperature": 0, "max_tokens": MAX_TOKENS}
        output, _ = await self._calls.ask(model, _TOLD["rules"], _question(first, second), **settings)
        same, said = read_opinion(output.completion)
        self.counts.unreadable += same is None
        return same, said

    @cached_property
    def _calls(self) -> JsonCalls:
        import inspect_ai.hooks
        import inspect_ai.util

        return JsonCalls(inspect_ai, "opinion", _FIELDS, cache=self.cache, counts=self.counts)


def estimated_tokens(pairs: Sequence[tuple[Item, Variant]]) -> int:
    """About how many tokens the questions about `pairs` take, both orders together."""
    texts = [len(one) + len(other) for one, other in (compared_texts(*pair) for pair in pairs)]
    return 2 * sum((length + len(_TOLD["rules"])) // CHARACTERS_A_TOKEN for length in texts)


def _question(first: str, second: str) -> str:
    """The tags are chosen so that neither text can close them."""
    tag = "wording"
    while f"<{tag}" in first + second or f"</{tag}" in first + second:
        tag += "-"
    return f"<{tag} 1>\n{first}\n</{tag} 1>\n\n<{tag} 2>\n{second}\n</{tag} 2>\n\nDo the two mean the same?"


def read_opinion(reply: str) -> tuple[bool | None, str]:
    """The verdict and the difference, from JSON within other words; None for none and for two verdicts."""
    verdicts = {match.lower() for match in _VERDICT.findall(reply)}
    if len(verdicts) != 1:
        return None, short(reply, 60) or "(an empty reply)"
    difference = _DIFFERENCE.search(reply)
    return verdicts == {"true"}, short(json.loads(difference[1], strict=False), 120) if difference else ""
