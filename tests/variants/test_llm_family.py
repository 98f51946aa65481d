"""The family with an injected checker: what is kept, what is asked again, what stays missing."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from otherwords.core.errors import InputError, RunError, UnknownNameError
from otherwords.core.types import CheckResult, Item, Message, MissingVariant, Variant, Vetted
from otherwords.variants.base import generator
from otherwords.variants.llm import PROMPT_VERSION, LlmBatch, LlmFamily

WHO = Item("w", "Who wrote the play?")
_SOURCE = re.compile(r"<text-(\w+)>\n(.*?)\n</text-\1>", re.DOTALL)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path))


def listed(*texts: str) -> str:
    return json.dumps({"rewordings": texts}, ensure_ascii=False)


def source_of(prompt: str) -> str:
    found = _SOURCE.search(prompt)
    assert found is not None
    return found[2]


class Replies:
    """Gives its replies one after another, and keeps what it was asked."""

    def __init__(self, *replies: str | Exception) -> None:
        self.replies, self.asked = list(replies), []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply


def no_bad(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
    """Rejects what has `bad` in it."""
    return [
        Vetted(one, (CheckResult("nice", "fail" if "bad" in str(one.prompt) else "pass", "it is bad"),))
        for one in candidates
    ]


def made(replies: Callable[[str], str], scripted: Any, *items: Item, k: int = 2, **settings: Any) -> LlmBatch:
    vet = settings.pop("vet", no_bad)
    settings.setdefault("strength", "mild")
    family = LlmFamily(scripted("writer", replies), **settings)
    return family.candidates_many_sync(items or [WHO], k=k, vet=vet)


def test_accepted_rewordings_are_named_by_strength(scripted: Any) -> None:
    replies = Replies(listed("Who is the play's author?", "Who was it that wrote the play?"))
    batch = made(replies, scripted, strength="strong")
    first, second = (one.variant for one in batch.accepted)
    assert (first.name, first.id, first.kind, first.change) == ("strong1", "w#strong1", "llm", "strong")
    assert first.generator == generator(LlmFamily()) == "llm/2"
    assert first.params == {
        "model": "scripted/writer",
        "strength": "strong",
        "prompt_version": PROMPT_VERSION,
        "attempts": 1,
        "seed": 0,
    }
    assert (first.prompt, second.prompt) == ("Who is the play's author?", "Who was it that wrote the play?")
    assert second.id == "w#strong2"
    assert batch.results[0].texts == ["Who wrote the play?", first.prompt, second.prompt]
    assert batch.missing == ()
    assert (batch.counts.calls, len(batch.accepted)) == (1, 2)


FOUR = (
    "Who is the play's author?",
    "By whom was the play written?",
    "Whose work is the play?",
    "hey who wrote that play",
)


def test_by_default_the_rewordings_are_spread_over_the_strengths(scripted: Any) -> None:
    batch = LlmFamily(scripted("writer", Replies(listed(*FOUR)))).candidates_many_sync([WHO], k=4, vet=no_bad)
    assert [(one.variant.name, one.variant.change) for one in batch.accepted] == [
        ("mild1", "mild"),
        ("medium1", "medium"),
        ("strong1", "strong"),
        ("naturalistic1", "naturalistic"),
    ]
    assert [one.variant.prompt for one in batch.accepted] == list(FOUR)


def test_of_a_spread_the_strength_that_was_rejected_is_asked_for_again(scripted: Any) -> None:
    replies = Replies(listed(FOUR[0], "bad one", FOUR[2]), listed(FOUR[1]))
    batch = made(replies, scripted, k=3, strength="spread")
    assert [one.variant.name for one in batch.accepted] == ["mild1", "strong1", "medium1"]
    assert [one.variant.name for one in batch.rejected] == ["medium:try1.2"]
    assert "in 1 way. Rebuild the sentences" in replies.asked[1]


def test_of_a_spread_the_empty_places_are_named_by_strength(scripted: Any) -> None:
    batch = made(Replies(listed(FOUR[0], "bad", "bad two")), scripted, k=3, strength="spread", max_attempts=1)
    assert [one.name for one in batch.missing] == ["medium1", "strong1"]


def test_several_models_take_turns(scripted: Any) -> None:
    first, second = Replies(listed(FOUR[0], FOUR[2])), Replies(listed(FOUR[1], FOUR[3]))
    models = [scripted("one", first), scripted("two", second)]
    batch = LlmFamily(models).candidates_many_sync([WHO], k=4, vet=no_bad)
    assert {one.variant.name: one.variant.params["model"] for one in batch.accepted} == {
        "mild1": "scripted/one",
        "strong1": "scripted/one",
        "medium1": "scripted/two",
        "naturalistic1": "scripted/two",
    }
    assert "Stay near the text" in first.asked[0]
    assert "Stay near the text" not in second.asked[0]
    assert json.dumps(FOUR[0]) in second.asked[0]  # so that hands do not repeat each other
    assert LlmFamily(models).settings() == {
        "model": "scripted/one, scripted/two",
        "strength": "spread",
        "prompt_version": PROMPT_VERSION,
    }


def test_a_model_that_fails_leaves_the_places_of_the_others_alone(scripted: Any) -> None:
    models = [scripted("down", Replies(TimeoutError("slow"))), scripted("up", Replies(listed(FOUR[1])))]
    batch = LlmFamily(models).candidates_many_sync([WHO], k=2, vet=no_bad)
    assert [one.variant.name for one in batch.accepted] == ["medium1"]
    assert batch.missing == (MissingVariant("w", "mild1", ("error: TimeoutError: slow",), "llm"),)


def test_options_and_target_come_along(scripted: Any) -> None:
    item = Item("m", "Who wrote the play?", ("Goethe", "Schiller"), 1)
    (one,) = made(Replies(listed("Who is the author?")), scripted, item, k=1).accepted
    assert (one.variant.choices, one.variant.target, one.variant.option_order) == (item.choices, 1, (0, 1))


def test_in_a_chat_the_last_user_message_is_reworded(scripted: Any) -> None:
    chat = (Message("system", "Be brief."), Message("user", "Who wrote the play?"))
    replies = Replies(listed("Who is the author?"))
    (one,) = made(replies, scripted, Item("c", chat), k=1).accepted
    assert one.variant.prompt == (chat[0], Message("user", "Who is the author?"))
    assert source_of(replies.asked[0]) == "Who wrote the play?"


def test_what_was_rejected_is_asked_for_again_with_the_reason(scripted: Any) -> None:
    replies = Replies(listed("Who is the author?", "bad one"), listed("Who penned the play?"))
    batch = made(replies, scripted)
    assert [one.variant.prompt for one in batch.accepted] == ["Who is the author?", "Who penned the play?"]
    assert [one.variant.params["attempts"] for one in batch.accepted] == [1, 2]
    assert [one.variant.name for one in batch.rejected] == ["mild:try1.2"]
    assert "in 1 way." in replies.asked[1]
    assert '{"text": "bad one", "problem": "it is bad"}' in replies.asked[1]
    assert '"Who is the author?"' in replies.asked[1]


def test_after_the_last_attempt_the_places_stay_empty_with_the_reasons(scripted: Any) -> None:
    replies = Replies(listed("Who is the author?", "bad one"), "I would rather not.", listed("bad again"))
    batch = made(replies, scripted, k=3)
    reasons = (
        "reply: only 2 of 3 rewordings",
        "nice: it is bad",
        "reply: no list of rewordings in it",
        "reply: only 1 of 2 rewordings",
    )
    assert batch.missing == (
        MissingVariant("w", "mild2", reasons, "llm"),
        MissingVariant("w", "mild3", reasons, "llm"),
    )
    assert batch.results[0].texts == ["Who wrote the play?", "Who is the author?"]
    assert batch.results[0].attempts == len(replies.asked) == 3
    assert "could not be used as a whole: no list of rewordings in it." in replies.asked[2]
    assert [one.failures[0].check for one in batch.rejected] == ["nice", "nice"]


def test_the_number_of_attempts_is_bounded_as_asked(scripted: Any) -> None:
    replies = Replies("no")
    assert len(made(replies, scripted, max_attempts=1).missing) == 2
    assert len(replies.asked) == 1


def test_the_original_and_repetitions_are_never_taken(scripted: Any) -> None:
    replies = Replies(
        listed("who wrote  the play", "Who is the author?", "who is the AUTHOR?"),
        listed("Who is the author?!"),
        listed("Who penned the play?"),
    )
    batch = made(replies, scripted)
    assert [one.variant.prompt for one in batch.accepted] == ["Who is the author?", "Who penned the play?"]
    assert batch.rejected == ()
    repeated = "the same as the original or another rewording"
    assert json.dumps({"text": "who wrote  the play", "problem": repeated}) in replies.asked[1]


def test_good_ones_beyond_those_wanted_are_left_out(scripted: Any) -> None:
    batch = made(Replies(listed("bad", "Who is the author?", "Who penned it?")), scripted, k=1)
    assert [one.variant.name for one in batch.accepted] == ["mild1"]
    assert (batch.counts.calls, len(batch.rejected)) == (1, 1)


def test_a_cut_off_reply_is_used_as_far_as_it_goes(scripted: Any) -> None:
    replies = Replies('{"rewordings": ["Who is the author?", "Who pen', listed("Who penned the play?"))
    batch = made(replies, scripted)
    assert [one.variant.name for one in batch.accepted] == ["mild1", "mild2"]
    assert "could not be used as a whole: cut off after 1 of 2." in replies.asked[1]


LONG = "\n Fix the function:\n\n```py\ndef f(x):\n    return 1\n```\n\n- Keep 2 lines.\n- Use `f`.\n".replace(
    "\n", "\r\n"
)


def test_code_lists_line_ends_and_edges_come_through(scripted: Any) -> None:
    def reword(prompt: str) -> str:
        return listed(source_of(prompt).replace("Fix", "Repair").replace("Keep", "Retain"))

    (one,) = made(reword, scripted, Item("l", LONG), k=1).accepted
    assert one.variant.prompt == LONG.replace("Fix", "Repair").replace("Keep", "Retain")


def test_code_written_out_in_place_of_its_mark_is_rejected(scripted: Any) -> None:
    replies = Replies(
        listed("Repair the function:\n\n```py\ndef f(y):\n    return 2\n```\n\n⟦2⟧ Retain ⟦3⟧.\n⟦4⟧ Use ⟦5⟧.")
    )
    batch = made(replies, scripted, Item("l", LONG), k=1, max_attempts=1)
    assert batch.accepted == ()
    assert [one.failures[0].check for one in batch.rejected] == ["marks"]
    assert batch.missing[0].reasons == ("marks: lost: ⟦1⟧ (```py def f(x): return 1 ```)",)


def test_half_a_character_is_left_out(scripted: Any) -> None:
    batch = made(Replies('["Who is the author \\ud83d?"]'), scripted, k=1, max_attempts=1)
    assert [one.variant.prompt for one in batch.accepted] == ["Who is the author ?"]


@pytest.mark.parametrize(
    ("stop_reason", "told"),
    [
        ("stop", "no list of rewordings in it"),
        ("max_tokens", "stopped: max_tokens; no list of rewordings in it"),
    ],
)
def test_why_a_reply_ended_early_is_told(stop_reason: Any, told: str) -> None:
    from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi

    @modelapi(name="ending")
    class Ending(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            return ModelOutput.from_content("ending", '["half', stop_reason=stop_reason)

    family = LlmFamily(get_model("ending/x", memoize=False), max_attempts=1, cache=False)
    assert family.candidates_many_sync([WHO], k=1).missing[0].reasons == (f"reply: {told}",)


def test_an_empty_output_is_told() -> None:
    from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi

    @modelapi(name="silent")
    class Silent(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            return ModelOutput(model="silent", choices=[])

    family = LlmFamily(get_model("silent/x", memoize=False), max_attempts=1, cache=False)
    assert family.candidates_many_sync([WHO], k=1).missing[0].reasons == ("reply: the reply is empty",)


def test_the_answer_is_not_told_to_the_paraphraser(scripted: Any) -> None:
    def leaks(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
        return [Vetted(one, (CheckResult("leak", "fail", "says the answer: Goethe"),)) for one in candidates]

    replies = Replies(listed("Who, such as G., wrote the play?"))
    batch = made(replies, scripted, k=1, max_attempts=2, vet=leaks)
    assert "Goethe" not in replies.asked[1]
    assert '"problem": "it gives the answer away"' in replies.asked[1]
    assert batch.missing[0].reasons == ("leak: says the answer: Goethe",)


@pytest.mark.parametrize("prompt", ["```\nx = 1\n```", "3 + 4 =", (Message("system", "Be brief."),)])
def test_without_words_to_reword_nothing_is_asked(scripted: Any, prompt: Any) -> None:
    replies = Replies("never")
    batch = made(replies, scripted, Item("n", prompt), k=1)
    assert batch.missing == (
        MissingVariant("n", "mild1", ("source: no words outside of protected spans",), "llm"),
    )
    assert replies.asked == []


def test_an_error_on_one_item_leaves_the_others_alone(scripted: Any) -> None:
    def answer(prompt: str) -> str:
        if "play" in source_of(prompt):
            raise TimeoutError("too slow")
        return listed("Who is the composer of it?")

    batch = made(answer, scripted, WHO, Item("s", "Who composed the song?"), k=1)
    assert [one.variant.item_id for one in batch.accepted] == ["s"]
    assert batch.missing == (MissingVariant("w", "mild1", ("error: TimeoutError: too slow",), "llm"),)
    assert (batch.counts.errors, batch.counts.calls) == (1, 1)


@pytest.mark.slow
def test_a_model_that_is_down_stops_everything(scripted: Any) -> None:
    items = [Item(f"i{number}", f"Who wrote play number {'x' * number}?") for number in range(40)]
    replies = Replies(ConnectionError("refused"))
    with pytest.raises(RunError, match=r"^10 calls to scripted/writer failed in a row, the last one with: "):
        made(replies, scripted, *items, k=1, max_connections=3)
    assert len(replies.asked) < 20


def test_items_wait_side_by_side_for_whoever_decides(scripted: Any) -> None:
    """A judge answers slowly, and checks are made one item at a time."""
    waiting = 0

    async def decide(item: Item, vetted: list[Vetted]) -> list[Vetted]:
        nonlocal waiting
        waiting += 1
        with anyio.fail_after(20):
            while waiting < 3:
                await anyio.sleep(0.01)
        return vetted

    items = [Item(str(number), f"Who wrote play {number}?") for number in range(3)]
    family = LlmFamily(scripted("writer", lambda _: listed("Who is the author of play ⟦1⟧?")))
    batch = family.candidates_many_sync(items, k=1, vet=no_bad, decide=decide)
    assert len(batch.accepted) == waiting == 3


def test_a_checker_that_breaks_is_not_hidden(scripted: Any) -> None:
    def broken(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        made(Replies(listed("Who is the author?")), scripted, k=1, vet=broken)


def test_items_keep_their_order_and_progress_is_told(scripted: Any) -> None:
    items = [Item(f"i{number}", f"Who wrote the {'very ' * number}old play?") for number in range(12)]
    told: list[tuple[int, int]] = []
    family = LlmFamily(scripted("many", lambda prompt: listed("So, " + source_of(prompt))), max_connections=4)
    batch = family.candidates_many_sync(items, k=1, vet=no_bad, on_item=lambda *done: told.append(done))
    assert [result.item.id for result in batch.results] == [item.id for item in items]
    assert [one.variant.prompt for one in batch.accepted] == [f"So, {item.prompt}" for item in items]
    assert told == [(number, 12) for number in range(1, 13)]


def test_no_more_items_at_a_time_than_allowed() -> None:
    from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi

    now, most = 0, 0

    @modelapi(name="slow")
    class Slow(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.01)
            now -= 1
            return ModelOutput.from_content("slow", listed("So, " + source_of(input[-1].text)))

    items = [Item(f"i{number}", f"Who wrote the {'very ' * number}old play?") for number in range(12)]
    LlmFamily(get_model("slow/x"), max_connections=3, cache=False).candidates_many_sync(items, k=1)
    assert most == 3


def test_the_same_run_again_costs_no_call(scripted: Any) -> None:
    replies = Replies(listed("Who is the author?", "bad one"), listed("Who penned the play?"))
    first = made(replies, scripted)
    again = made(replies, scripted)
    assert (again.accepted, again.rejected) == (first.accepted, first.rejected)
    assert (again.counts.calls, again.counts.cached, again.counts.input_tokens) == (0, 2, 0)
    assert len(replies.asked) == 2


def test_what_was_rejected_is_not_served_from_the_cache_for_ever(scripted: Any) -> None:
    """Seen: the reply that the checks reject came from the cache on every run, and nothing else was asked."""
    replies = Replies(listed("a bad one"), listed("a bad two"), listed("Who is the author?"))
    first = made(replies, scripted, k=1, max_attempts=2)
    assert (first.counts.calls, len(first.accepted), len(first.missing)) == (2, 0, 1)
    again = made(replies, scripted, k=1, max_attempts=2)
    assert [one.variant.prompt for one in again.accepted] == ["Who is the author?"]
    assert (again.counts.calls, again.counts.cached) == (1, 2)
    third = made(replies, scripted, k=1, max_attempts=2)
    assert third.accepted == again.accepted
    assert (third.counts.calls, third.counts.cached) == (0, 3)


def test_without_a_checker_marks_and_repetitions_are_still_looked_at(scripted: Any) -> None:
    batch = made(Replies(listed("Who wrote the play?", "a bad one")), scripted, k=2, max_attempts=1, vet=None)
    assert [(one.variant.prompt, one.checks) for one in batch.accepted] == [("a bad one", ())]
    assert len(batch.missing) == 1


def test_in_a_running_loop_both_ways_work(scripted: Any) -> None:
    family = LlmFamily(scripted("loop", lambda _: listed("Who is the author?")), cache=False)

    async def both() -> tuple[LlmBatch, LlmBatch]:
        return family.candidates_many_sync([WHO], k=1), await family.candidates_many([WHO], k=1)

    blocked, awaited = asyncio.run(both())
    assert blocked.accepted == awaited.accepted


def test_a_checker_that_asks_for_rewordings_itself_is_told_why_not(scripted: Any) -> None:
    """From the thread of a check it works; from the loop that makes rewordings it would wait for itself."""
    inner = LlmFamily(scripted("inner", lambda _: listed("Who is the author?")), cache=False)
    threads: list[str] = []

    def asks(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
        threads.append(threading.current_thread().name)
        assert inner.candidates_many_sync([WHO], k=1).accepted
        return no_bad(item, candidates)

    assert made(Replies(listed("Who is it by?")), scripted, k=1, vet=asks).accepted
    assert threads != ["otherwords-models"]

    def on_item(done: int, total: int) -> None:
        inner.candidates_many_sync([WHO], k=1)

    with pytest.raises(RunError) as caught:
        inner.candidates_many_sync([WHO], k=1, on_item=on_item)
    assert str(caught.value) == (
        "rewordings cannot be waited for here: this code itself runs while some are made"
    )


def test_nothing_asked_for_nothing_called() -> None:
    assert LlmFamily("nobody/x").candidates_many_sync([WHO], k=0).results[0].texts == ["Who wrote the play?"]
    assert LlmFamily("nobody/x").candidates_many_sync([], k=3).results == ()


def test_bad_settings_are_refused() -> None:
    with pytest.raises(UnknownNameError) as unknown:
        LlmFamily(strength="wild")
    assert str(unknown.value) == "unknown strength 'wild'. Did you mean: mild?"
    with pytest.raises(InputError, match=r"^max_attempts must be 1 or more, got 0$"):
        LlmFamily(max_attempts=0)
    with pytest.raises(InputError, match=r"^max_connections must be a whole number, got float$"):
        LlmFamily(max_connections=1.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^k must be 0 or more, got -1$"):
        LlmFamily("nobody/x").candidates_many_sync([WHO], k=-1)
    with pytest.raises(
        InputError, match=r"^item 'w': the family 'llm' asks a model and cannot be used where "
    ):
        LlmFamily().candidates(WHO, k=1, seed=0)


@pytest.mark.slow
def test_the_family_imports_inspect_only_when_it_asks() -> None:
    code = (
        "import sys, otherwords.variants, otherwords.variants.llm\n"
        "otherwords.variants.llm.LlmFamily(model='openai/gpt-4o-mini')\n"
        "assert 'inspect_ai' not in sys.modules and 'anyio' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
