"""The family `llm`: rewordings that models write, on any model that Inspect reaches.

One item: ask, vet, ask again for what was rejected; what stays empty is missing, with the reasons. What is
wrong with one call stays with its item (`Unanswered`); what is wrong with the model itself (no key, refused
access, ten failed calls in a row) stops everything. Inspect is not imported before rewordings are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from otherwords.core.contract import DEFAULT_PARAPHRASER, DEFAULT_STRENGTH
from otherwords.core.errors import InputError, MissingDependencyError, first_cause, said_by
from otherwords.core.model_calls import CallCounts, JsonCalls, opened, run_all, wait_for
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted, variant_id, varied_text
from otherwords.english.normalize import unmarked
from otherwords.variants.base import declared, require_whole, reworded
from otherwords.variants.llm import messages
from otherwords.variants.llm.messages import PROMPT_VERSION

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput

__all__ = ["PROMPT_VERSION", "LlmBatch", "LlmFamily", "Vet", "paraphraser"]

Vet: TypeAlias = Callable[[Item, Sequence[Variant]], "list[Vetted]"]
Decide: TypeAlias = Callable[[Item, "list[Vetted]"], Awaitable["list[Vetted]"]]
"""The same candidates with what models say of those that are to be decided on."""
Check: TypeAlias = Callable[[Item, "list[Variant]"], Awaitable["list[Vetted]"]]

MOST_FAILURES = 10
"""Failed calls in a row after which the model is held to be down."""
_RETRIES = 5
_SEEDS = 2**31
_REFUSED = (401, 403, 404)
_FIELDS = {messages.KEY: {"type": "array", "items": {"type": "string"}}}
_ENDED = ("stop", "unknown", "tool_calls")
_NOT_TOLD = {"leak": "it gives the answer away"}
"""What the model is told in place of a check's reason: to name the answer would invite it in again."""
_REPEATED = "the same as the original or another rewording"


class Unanswered(Exception):
    """This call failed; another may not."""


class Asker:
    """Asks one model; each attempt has a seed of its own, and so its own place in the cache."""

    def __init__(self, model: Model, *, seed: int, cache: bool, counts: CallCounts) -> None:
        import inspect_ai.hooks
        import inspect_ai.util

        self.model, self.seed = model, seed
        self._calls = JsonCalls(inspect_ai, messages.KEY, _FIELDS, cache=cache, counts=counts)
        self._failures_in_a_row = 0

    async def ask(self, request: str, attempt: int = 1) -> tuple[ModelOutput, bool]:
        """What the model answered, and whether the cache had it."""
        from inspect_ai.util import LimitExceededError

        own = self.model.config
        retries = _RETRIES if own.max_retries is None and own.timeout is None else None
        config = {"seed": (self.seed + attempt - 1) % _SEEDS, "max_retries": retries}
        try:
            answer = await self._calls.ask(self.model, messages.RULES, request, **config)
        except LimitExceededError:
            raise
        except Exception as error:
            self._failures_in_a_row += 1
            told = (error, getattr(error, "response", None))
            codes = [getattr(one, name, None) for one in told for name in ("status_code", "code")]
            refused = any(code in _REFUSED for code in codes)
            setup = InputError | MissingDependencyError | ImportError | NotImplementedError
            # The last one is Inspect's, which does not export it.
            if refused or isinstance(error, setup) or type(error).__name__ == "PrerequisiteError":
                raise first_cause(error, f"cannot ask {self.model} for rewordings") from error
            if self._failures_in_a_row >= MOST_FAILURES:
                problem = f"{MOST_FAILURES} calls to {self.model} failed in a row, the last one with"
                raise first_cause(error, problem) from error
            raise Unanswered(said_by(error)) from error
        self._failures_in_a_row = 0
        return answer


def paraphraser(model: str | Model | None) -> str | Model:
    """`model`, or else the model role `paraphraser`, or else the default model."""
    from inspect_ai.model import model_roles

    role = model if model is not None else model_roles().get("paraphraser")
    return (role[0] if isinstance(role, list) else role) or DEFAULT_PARAPHRASER


@asynccontextmanager
async def asking(
    model: str | Model | None, *, seed: int, cache: bool, counts: CallCounts
) -> AsyncIterator[Asker]:
    """With `model`, or the paraphraser where none is named; a client that is opened here is closed again."""
    import inspect_ai.model

    model = paraphraser(model)
    try:
        client = opened(inspect_ai, model)
    except Exception as error:
        raise first_cause(error, f"cannot ask {model} for rewordings") from error
    async with client as own:
        yield Asker(own, seed=seed, cache=cache, counts=counts)


class Rewording:
    """The rewordings of one item: a slot for each, with the strength and the model that are to fill it."""

    def __init__(
        self, item: Item, family: LlmFamily, check: Check, strengths: Sequence[str], known: Sequence[Vetted]
    ) -> None:
        self.item, self._family, self._check = item, family, check
        self.accepted = list(known)
        self.rejected: list[Vetted] = []
        """Refused or undecided, with names such as `mild:try2.1`: the first reading of the second attempt."""
        self.missing: list[MissingVariant] = []
        self.attempts = 0
        self._source = varied_text(item.prompt)
        self._marked = messages.Marked(self._source.strip().replace("\r\n", "\n"))
        self._taken = self.texts[1:]
        self._seen = {unmarked(text) for text in self.texts}
        self._problems: dict[str, str] = {}  # of rewordings, by their marked texts
        self._reasons: list[str] = []
        self._open: list[tuple[str, int]] = []
        have = Counter(one.variant.change for one in known)
        for place, strength in enumerate(strengths):
            have[strength] -= 1
            if have[strength] < 0:  # models take turns, and begin each round one later
                self._open.append((strength, (place + place // 4) % len(family.models)))
        del self._open[max(0, len(strengths) - len(known)) :]

    @property
    def texts(self) -> list[str]:
        """The original, then the accepted rewordings."""
        prompts = (self.item.prompt, *(one.variant.prompt for one in self.accepted))
        return [varied_text(prompt) for prompt in prompts]

    async def ask(self, askers: Sequence[Asker]) -> Rewording:
        """Itself, when nothing more is to be had of the models."""
        if self._marked.has_words:
            for hand, asker in enumerate(askers):
                await self._ask_until_full(hand, asker)
        else:
            self._reasons.append("source: no words outside of protected spans")
        for strength, _ in self._open:
            name, reasons = self._free_name(strength), tuple(dict.fromkeys(self._reasons))
            self.missing.append(MissingVariant(self.item.id, name, reasons, self._family.name))
        return self

    async def _ask_until_full(self, hand: int, asker: Asker) -> None:
        """What the cache has counts as no attempt: it would be rejected again, and nothing new asked for."""
        problems: list[str] = []
        calls = 0
        while calls < self._family.max_attempts:
            wanted = [strength for strength, whose in self._open if whose == hand]
            if not wanted:
                return
            self.attempts += 1
            request = messages.make_request(
                self._marked, wanted, taken=self._taken, rejected=self._problems, problems=problems
            )
            try:
                output, cached = await asker.ask(request, self.attempts)
            except Unanswered as error:
                self._reasons.append(f"error: {error}")
                return
            calls += not cached
            texts, problem = messages.read_reply(output.completion, len(wanted))
            if problem:
                ended = output.empty or output.stop_reason in _ENDED
                stopped = output.error or ("" if ended else f"stopped: {output.stop_reason}")
                problems.append("; ".join(filter(None, (stopped, problem))))
                self._reasons.append(f"reply: {problems[-1]}")
            await self._sift(texts, wanted, hand, asker)

    async def _sift(self, texts: Sequence[str], wanted: Sequence[str], hand: int, asker: Asker) -> None:
        """Repetitions and lost spans go no further; the rest is checked, and what is good takes a slot."""
        found: dict[str, Vetted] = {}
        for place, text in enumerate(texts):
            restored, problem = self._restored(text)
            if unmarked(restored) in self._seen:
                if text not in self._problems:
                    self._problems[text] = _REPEATED
                    self._reasons.append(f"different: {_REPEATED}")
                continue
            self._seen.add(unmarked(restored))
            strength = wanted[min(place, len(wanted) - 1)]
            params: dict[str, Any] = {"model": str(asker.model), "strength": strength}
            params |= {"prompt_version": PROMPT_VERSION, "attempts": self.attempts, "seed": asker.seed}
            name = f"{strength}:try{self.attempts}.{place + 1}"
            candidate = reworded(self.item, restored, name, self._family, strength, params)
            found[text] = Vetted(candidate, (CheckResult("marks", "fail", problem),) if problem else ())
        whole = [one.variant for one in found.values() if one.accepted]
        checked = {one.variant.id: one for one in await self._check(self.item, whole)}
        for text, read in found.items():
            one = checked.get(read.variant.id, read)
            strength = one.variant.change
            if not one.accepted:
                self.rejected.append(one)
                objections = one.failures or one.flags
                self._reasons += [f"{said.check}: {said.reason}" for said in objections]
                told = [_NOT_TOLD.get(said.check, said.reason) for said in objections]
                self._problems[text] = "; ".join(told)
            elif (strength, hand) in self._open:
                self._open.remove((strength, hand))
                name = self._free_name(strength)
                named = replace(one.variant, id=variant_id(self.item.id, name), name=name)
                self.accepted.append(replace(one, variant=named))
                self._taken.append(text)

    def _restored(self, reply: str) -> tuple[str, str]:
        """The text with its spans, edges and line ends as the prompt has them, and what is wrong with it."""
        text, problem = self._marked.restore(reply)
        if "\r\n" in self._source:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        before, _, after = self._source.partition(self._source.strip())
        return f"{before}{text}{after}", problem

    def _free_name(self, strength: str) -> str:
        """`mild3` after `mild1` and `mild2`; of names with gaps, the first free one."""
        taken = {one.variant.name for one in self.accepted} | {one.name for one in self.missing}
        return next(name for place in count(1) if (name := f"{strength}{place}") not in taken)


@dataclass(frozen=True, slots=True)
class LlmBatch:
    results: tuple[Rewording, ...]
    """One for each item, in the order given."""
    counts: CallCounts

    @property
    def accepted(self) -> tuple[Vetted, ...]:
        return tuple(one for result in self.results for one in result.accepted)

    @property
    def rejected(self) -> tuple[Vetted, ...]:
        return tuple(one for result in self.results for one in result.rejected)

    @property
    def missing(self) -> tuple[MissingVariant, ...]:
        return tuple(one for result in self.results for one in result.missing)


@dataclass(frozen=True)
class LlmFamily:
    """Rewordings named by their strength: `mild1`, `mild2`, …

    Unlike other families it needs a model, takes many items at a time, and can fail: use `candidates_many`.
    """

    model: str | Model | Sequence[str | Model] | None = None
    """Any model that Inspect knows; None is the model role `paraphraser`, or else openai/gpt-4o-mini. Several
    share the rewordings of each item, in turn."""
    strength: str = DEFAULT_STRENGTH
    """mild, medium, strong or naturalistic; `spread`, the default, is one of each in turn."""
    max_attempts: int = 3
    """How often the model is asked about an item before what is missing stays missing."""
    max_connections: int = 10
    """Items at a time."""
    cache: bool = True

    name = "llm"
    version, traits = declared("llm")

    def __post_init__(self) -> None:
        messages.strengths_of(self.strength, 0)
        for name in ("max_attempts", "max_connections"):
            require_whole(name, getattr(self, name), least=1)

    @property
    def models(self) -> tuple[str | Model | None, ...]:
        """Each of the models; None where it is the default one."""
        if isinstance(self.model, Sequence) and not isinstance(self.model, str):
            return tuple(self.model) or (None,)
        return (self.model,)

    def settings(self) -> dict[str, Any]:
        """What the header of a variants file keeps of it."""
        named = ", ".join(str(model or "") for model in self.models)
        return {"model": named, "strength": self.strength, "prompt_version": PROMPT_VERSION}

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        raise InputError(
            "the family 'llm' asks a model and cannot be used where families only compute",
            item=item.id,
            hint="Use LlmFamily(model=…).candidates_many, or PromptVariationGenerator for single prompts.",
        )

    def candidates_many_sync(self, items: Sequence[Item], *, k: int, **more: Any) -> LlmBatch:
        """For callers that cannot await; works where an event loop is running, as in a notebook."""
        return wait_for(self.candidates_many(items, k=k, **more), "rewordings")

    async def candidates_many(
        self,
        items: Sequence[Item],
        *,
        k: int,
        seed: int = 0,
        vet: Vet | None = None,
        decide: Decide | None = None,
        on_item: Callable[[int, int], None] | None = None,
        known: Mapping[str, Sequence[Vetted]] | None = None,
    ) -> LlmBatch:
        """Up to `k` rewordings of each item that `vet` accepts, those that are `known` by its id among them.

        `decide` is asked about what `vet` has not refused, for many items at a time, as a judge answers
        slowly. A model that cannot be asked at all raises; what fails for one item leaves its places empty.
        `on_item` is called with how many items are done, and of how many.
        """
        from anyio import CapacityLimiter, to_thread

        k, seed = require_whole("k", k, least=0), require_whole("seed", seed)
        known, counts, one_at_a_time = known or {}, CallCounts(), CapacityLimiter(1)

        async def check(item: Item, candidates: list[Variant]) -> list[Vetted]:
            """Checks may be slow: they run in a thread, for one item at a time."""
            if vet is None or not candidates:
                return [Vetted(candidate, ()) for candidate in candidates]
            vetted = await to_thread.run_sync(vet, item, candidates, limiter=one_at_a_time)
            return vetted if decide is None else await decide(item, vetted)

        strengths = messages.strengths_of(self.strength, k)
        wordings = [Rewording(item, self, check, strengths, known.get(item.id, ())) for item in items]
        async with AsyncExitStack() as stack:
            askers = [
                await stack.enter_async_context(asking(model, seed=seed, cache=self.cache, counts=counts))
                for model in (self.models if k and items else ())
            ]
            work = [partial(one.ask, askers) for one in wordings]
            return LlmBatch(tuple(await run_all(work, self.max_connections, on_item)), counts)


LLM = LlmFamily()
