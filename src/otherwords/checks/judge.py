"""`judge`: a model decides whether two wordings ask for the same thing, asked in both orders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from otherwords.checks.base import ON_PURPOSE, is_control, not_applicable, short
from otherwords.checks.reading import compared_texts
from otherwords.core.contract import FAIL, FLAG_STATUS, PASS
from otherwords.core.errors import InputError, first_cause
from otherwords.core.model_calls import CallCounts, JsonCalls, run_all, wait_for
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


@dataclass
class JudgeCounts(CallCounts):
    """What a judge was asked, what it cost, and what decided nothing."""

    unreadable: int = 0
    """Replies that could not be read."""
    contradictions: int = 0
    """Pairs that it called the same in one order and different in the other."""


class _Opinion(NamedTuple):
    same: bool | None
    said: str


class JudgeCheck:
    """Asks a model about each pair twice, with the original first and second."""

    name = NAME

    def __init__(
        self,
        model: str | Model = "",
        concurrency: int = DEFAULT_CONCURRENCY,
        cache: bool = True,
        everything: bool = False,
    ) -> None:
        """A judge of variants.

        Args:
            model: The model that is asked.
            concurrency: Questions under way at once.
            cache: Keep replies in Inspect's cache, so that vetting a file again costs nothing.
            everything: Ask about all variants that were not refused, and not only about those with a flag.
        """
        if not model:
            raise InputError("the check 'judge' needs a model", hint="For example: judge=openai/gpt-4o-mini")
        if isinstance(concurrency, bool) or concurrency != int(concurrency) or concurrency < 1:
            raise InputError(
                f"concurrency of the check 'judge' must be a whole number from 1, got {concurrency}"
            )
        self.model, self.concurrency, self.cache = model, int(concurrency), cache
        self.only_flagged = not everything
        self.counts = JudgeCounts()

    def settings(self) -> Mapping[str, Any]:
        return {"model": str(self.model), "prompt": PROMPT_VERSION}

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        return wait_for(self.judge_async(pairs), "judgements") if pairs else []

    async def judge_async(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        from inspect_ai.model import Model, get_model

        async def everyone(model: Model) -> list[CheckResult]:
            return await run_all([partial(self._result, model, *pair) for pair in pairs], self.concurrency)

        try:
            if isinstance(self.model, Model):
                return await everyone(self.model)
            # A client of its own: connections belong to the event loop that opened them.
            async with get_model(self.model, memoize=False) as model:
                return await everyone(model)
        except BaseException as error:
            raise first_cause(error, f"cannot ask the judge {self.model}") from error

    async def _result(self, model: Model, item: Item, variant: Variant) -> CheckResult:
        if is_control(variant):
            return not_applicable(NAME, ON_PURPOSE)
        before, after = compared_texts(item, variant)
        orders = ((before, after, "original first"), (after, before, "original second"))
        opinions = [(await self._ask(model, first, second), order) for first, second, order in orders]
        for opinion, order in opinions:
            if opinion.same is None:
                return CheckResult(NAME, FLAG_STATUS, f"no decision by the judge ({order}): {opinion.said}")
        different = [(opinion, order) for opinion, order in opinions if not opinion.same]
        if not different:
            return CheckResult(NAME, PASS, "the same in both orders, says the judge")
        why = next((f": {opinion.said}" for opinion, _ in different if opinion.said), "")
        if len(different) == len(opinions):
            return CheckResult(NAME, FAIL, f"not the same, says the judge{why}")
        self.counts.contradictions += 1
        return CheckResult(
            NAME, FLAG_STATUS, f"the judge contradicts itself ({different[0][1]}: different){why}"
        )

    async def _ask(self, model: Model, first: str, second: str) -> _Opinion:
        settings = {"temperature": 0, "max_tokens": MAX_TOKENS}
        output, _ = await self._calls.ask(model, _TOLD["rules"], _question(first, second), **settings)
        opinion = read_opinion(output.completion)
        self.counts.unreadable += opinion.same is None
        return opinion

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


def read_opinion(reply: str) -> _Opinion:
    """From JSON, alone or within other words; a reply with two different verdicts has none."""
    verdicts = {match.lower() for match in _VERDICT.findall(reply)}
    if len(verdicts) != 1:
        return _Opinion(None, short(reply, 60) or "(an empty reply)")
    try:
        read = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
        difference = read.get("difference", "") if isinstance(read, dict) else ""
    except ValueError:
        difference = ""
    return _Opinion(verdicts == {"true"}, short(difference, 120) if isinstance(difference, str) else "")
