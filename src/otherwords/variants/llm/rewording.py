"""One item: ask, vet, ask again for what was rejected; what stays empty is missing, with the reasons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted, variant_id, varied_text
from otherwords.english.normalize import unmarked
from otherwords.variants.base import reworded
from otherwords.variants.llm.asking import Asker, Unanswered
from otherwords.variants.llm.prompt import PROMPT_VERSION, Earlier, Marked, make_request, mark_spans
from otherwords.variants.llm.reply import read_reply

if TYPE_CHECKING:
    from otherwords.variants.llm import LlmFamily

Vet: TypeAlias = Callable[[Item, Sequence[Variant]], "list[Vetted]"]
Decide: TypeAlias = Callable[[Item, "list[Vetted]"], Awaitable["list[Vetted]"]]
"""The same candidates with what models say of those that are to be decided on."""

_NOT_TOLD = {"leak": "it gives the answer away"}
"""What the model is told in place of a check's reason: to name the answer would invite it in again."""


@dataclass(frozen=True, slots=True)
class LlmResult:
    """What became of one item."""

    item: Item
    accepted: tuple[Vetted, ...] = ()
    rejected: tuple[Vetted, ...] = ()
    """Refused or undecided, with names such as `mild:try2.1`: the first reading of the second attempt."""
    missing: tuple[MissingVariant, ...] = ()
    attempts: int = 0

    @property
    def texts(self) -> list[str]:
        """The original, then the accepted rewordings."""
        prompts = (self.item.prompt, *(one.variant.prompt for one in self.accepted))
        return [varied_text(prompt) for prompt in prompts]


class Gate:
    """`vet` in a thread, one item at a time: checks may be slow, and need not be safe to run side by side.

    `decide` waits for models, and does so for many items at a time.
    """

    def __init__(self, vet: Vet | None, decide: Decide | None = None) -> None:
        from anyio import CapacityLimiter

        self._vet, self._decide, self._one_at_a_time = vet, decide, CapacityLimiter(1)

    async def __call__(self, item: Item, candidates: list[Variant]) -> list[Vetted]:
        from anyio import to_thread

        if self._vet is None or not candidates:
            return [Vetted(candidate, ()) for candidate in candidates]
        vetted = await to_thread.run_sync(self._vet, item, candidates, limiter=self._one_at_a_time)
        return vetted if self._decide is None else await self._decide(item, vetted)


class Rewording:
    """The rewordings of one item: a slot for each, with the strength and the model that are to fill it."""

    def __init__(
        self,
        item: Item,
        family: LlmFamily,
        askers: Sequence[Asker],
        gate: Gate,
        *,
        strengths: Sequence[str],
        seed: int,
        known: Sequence[Vetted] = (),
    ) -> None:
        self.item, self.family, self.askers, self.gate, self.seed = item, family, askers, gate, seed
        self.source = _Source(varied_text(item.prompt))
        self.attempts = 0
        self._counts = askers[0].counts
        self._accepted: list[Vetted] = list(known)
        self._rejected: list[Vetted] = []
        self._taken: list[str] = [varied_text(one.variant.prompt) for one in known]
        self._waiting: set[str] = set()
        self._earlier: list[Earlier] = []
        self._reasons: dict[str, None] = {}  # kept in order, each once
        self._open = _slots(strengths, len(askers), known)

    async def done(self) -> LlmResult:
        """What came of it in the end."""
        if self.source.marked.has_words:
            for hand, asker in enumerate(self.askers):
                await self._ask_until_full(hand, asker)
        else:
            self._reasons["source: no words outside of protected spans"] = None
        missing: list[MissingVariant] = []
        taken = {one.variant.name for one in self._accepted}
        for strength, _ in self._open:
            taken.add(name := _free_name(strength, taken))
            missing.append(MissingVariant(self.item.id, name, tuple(self._reasons), self.family.name))
        return LlmResult(
            self.item, tuple(self._accepted), tuple(self._rejected), tuple(missing), self.attempts
        )

    async def _ask_until_full(self, hand: int, asker: Asker) -> None:
        """The family's `max_attempts` bound the calls that reach the model.

        What the cache has does not count: it would be rejected each time again, and nothing new asked for.
        """
        problems: list[str] = []
        calls = 0
        while (wanted := self._wanted(hand)) and calls < self.family.max_attempts:
            self.attempts += 1
            request = make_request(
                self.source.marked, wanted, taken=self._taken, rejected=self._earlier, problems=problems
            )
            try:
                reply, stopped, cached = await asker.ask(request, self.attempts)
            except Unanswered as error:
                self._reasons[f"error: {error}"] = None
                return
            calls += not cached
            read = read_reply(reply, len(wanted))
            if read.problem:
                problem = "; ".join(part for part in (stopped, read.problem) if part)
                problems.append(problem)
                self._counts.bad_replies[problem] += 1
                self._reasons[f"reply: {problem}"] = None
            await self._sift(read.texts, hand, asker)

    def _wanted(self, hand: int) -> list[str]:
        """The strengths that are still to be had of one model."""
        return [strength for strength, whose in self._open if whose == hand]

    async def _sift(self, texts: Sequence[str], hand: int, asker: Asker) -> None:
        """What is obviously wrong goes no further; `vet` sees the rest."""
        read: list[tuple[str, Vetted]] = []
        wanted = self._wanted(hand)
        known = {unmarked(varied_text(self.item.prompt)): "the original"}
        known |= {unmarked(varied_text(one.variant.prompt)): one.variant.name for one in self._accepted}
        for place, text in enumerate(self._distinct(texts)):
            restored, problem = self.source.restore(text)
            strength = wanted[min(place, len(wanted) - 1)]
            candidate = self._candidate(restored, strength, place, asker)
            if any(0xD800 <= ord(character) <= 0xDFFF for character in restored):
                problem = "half of a character"
            failed = (CheckResult("marks", "fail", problem),) if problem else ()
            if not failed and (twin := known.get(unmarked(restored))):
                failed = (CheckResult("different", "fail", f"the same as {twin}"),)
            read.append((text, Vetted(candidate, failed)))
        verdicts = await self.gate(self.item, [one.variant for _, one in read if one.accepted])
        vetted = {one.variant.id: one for one in verdicts}
        for text, one in read:
            self._place(text, vetted[one.variant.id] if one.accepted else one, hand)

    def _distinct(self, texts: Sequence[str]) -> list[str]:
        """A weak model says the same twenty times; that is counted, and looked at once.

        So is what waits for a decision.
        """
        first: dict[str, str] = {}
        for text in texts:
            if unmarked(text) not in self._waiting:
                first.setdefault(unmarked(text), text)
        repeated = len(texts) - len(first)
        if repeated:
            self._counts.rejected["different"] += repeated
            self._reasons["different: the same as another of its replies"] = None
        return list(first.values())

    def _place(self, marked_text: str, one: Vetted, hand: int) -> None:
        if one.accepted and (slot := (one.variant.change, hand)) in self._open:
            self._open.remove(slot)
            name = _free_name(slot[0], {one.variant.name for one in self._accepted})
            renamed = replace(one.variant, id=variant_id(self.item.id, name), name=name)
            self._accepted.append(replace(one, variant=renamed))
            self._taken.append(marked_text)
        elif one.accepted:
            self._counts.unused += 1
        else:
            self._rejected.append(one)
            objections = one.failures or one.flags
            (self._counts.rejected if one.failures else self._counts.undecided)[objections[0].check] += 1
            if one.status == "undecided":
                self._waiting.add(unmarked(marked_text))
            self._reasons.update(dict.fromkeys(f"{found.check}: {found.reason}" for found in objections))
            told = "; ".join(_NOT_TOLD.get(found.check, found.reason) for found in objections)
            self._earlier.append(Earlier(marked_text, told))

    def _candidate(self, text: str, strength: str, place: int, asker: Asker) -> Variant:
        params = {
            "model": asker.name,
            "strength": strength,
            "prompt_version": PROMPT_VERSION,
            "attempts": self.attempts,
            "seed": self.seed,
        }
        name = f"{strength}:try{self.attempts}.{place + 1}"
        return reworded(self.item, text, name, self.family, strength, params)


def _slots(strengths: Sequence[str], hands: int, known: Sequence[Vetted]) -> list[tuple[str, int]]:
    """The strength of each rewording and whose it is: models take turns, and begin each round one later."""
    have = Counter(one.variant.change for one in known)
    slots: list[tuple[str, int]] = []
    for place, strength in enumerate(strengths):
        if have[strength]:
            have[strength] -= 1
            continue
        slots.append((strength, (place + place // 4) % hands))
    return slots[: max(0, len(strengths) - len(known))]


def _free_name(strength: str, taken: set[str]) -> str:
    """`mild3` after `mild1` and `mild2`; of names with gaps, the first free one."""
    return next(name for place in range(1, len(taken) + 2) if (name := f"{strength}{place}") not in taken)


class _Source:
    """A prompt's text as the model sees it; what comes back gets the prompt's edges and line ends again."""

    def __init__(self, text: str) -> None:
        core = text.strip()
        self._lead, self._trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        self._crlf = "\r\n" in core and re.search(r"(?<!\r)\n", core) is None
        self.marked: Marked = mark_spans(core.replace("\r\n", "\n") if self._crlf else core)

    def restore(self, reply: str) -> tuple[str, str]:
        """The text with its spans put back, and what could not be put back."""
        text, problem = self.marked.restore(reply.strip())
        if self._crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return f"{self._lead}{text}{self._trail}", problem
