"""The shipped wordings of tau-bench: how far they go, what their validator finds, what a run of them costs.

    python benchmarks/bench_taubench.py [distances] [faults] [cost]

Without arguments all three. `faults` plants 200 faults into wordings drawn at random and asks the validator,
once with a seed by which its rules were mended and once with another one, then faults of other kinds and some
that were written by hand; `cost` runs scripted conversations on the whole
database, once as otherwords logs it and once as tau2 does.
"""

from __future__ import annotations

import copy
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from otherwords.benchmarks import shipped_file
from otherwords.benchmarks.taubench import validate
from otherwords.core.contract import VOICES
from otherwords.pipeline.inputs import open_source
from taubench_faults import FURTHER, KINDS, Key, planted
from taubench_more_faults import MORE_KINDS

EACH, SEED, UNSEEN_SEED = 50, 22, 5002
EACH_OF_MORE, SEED_OF_MORE = 8, 301
BY_HAND = Path(__file__).with_name("taubench_faults_by_hand.jsonl")
SAMPLES = 6
NAMES = ("taubench_airline", "taubench_retail")


def texts() -> dict[Key, str]:
    """Every wording, by benchmark, item and voice."""
    return {
        (name, item, voice): one["text"]
        for (name, item), row in shipped_file().rows.items()
        for voice, one in row["wordings"].items()
    }


def scenarios() -> dict[tuple[str, str], str]:
    return {(name, item.id): str(item.prompt) for name in NAMES for item in open_source(name).items}


def distances() -> None:
    rows = list(shipped_file().rows.values())
    print(
        "| voice | wordings | word distance | nearest sibling | content words kept |\n|---|---|---|---|---|"
    )
    for voice in (*VOICES, "all"):
        mine = [one for row in rows for name, one in row["wordings"].items() if voice in (name, "all")]
        means = [sum(one[key] for one in mine) / len(mine) for key in ("words", "sibling", "kept")]
        print(f"| {voice} | {len(mine)} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")


def faults() -> None:
    known, written = scenarios(), texts()

    def problems(key: Key, text: str) -> list[str]:
        siblings = [written[(*key[:2], voice)] for voice in VOICES if voice != key[2]]
        return validate(known[key[:2]], text, siblings)

    clean = {key: problems(key, text) for key, text in written.items()}
    wrong = {key: found for key, found in clean.items() if found}
    print(f"\n{len(written) - len(wrong)} of {len(written)} wordings pass")
    for key, found in wrong.items():
        print(" ", key, found)
    print("\n| planted fault | seed | planted | found |\n|---|---|---|---|")
    for kinds, each, seed in (
        (KINDS, EACH, SEED),
        (KINDS, EACH, UNSEEN_SEED),
        (FURTHER, EACH, UNSEEN_SEED),
        (MORE_KINDS, EACH_OF_MORE, SEED_OF_MORE),
    ):
        found_of = dict.fromkeys(kinds, 0)
        for kind, key, faulty in planted(written, each, seed, kinds):
            found_of[kind] += bool(set(problems(key, faulty)) - set(clean[key]))
        for kind, count in found_of.items():
            print(f"| {kind.replace('_', ' ')} | {seed} | {each} | {count} |")
        total = sum(found_of.values())
        print(f"| all | {seed} | {each * len(kinds)} | {total} ({total / each / len(kinds):.1%}) |")
    written_faults = list(by_hand(written))
    count = sum(bool(set(problems(key, faulty)) - set(clean[key])) for key, faulty in written_faults)
    print(f"| written by hand | | {len(written_faults)} | {count} |")


def by_hand(written: dict[Key, str]) -> Iterator[tuple[Key, str]]:
    """The faults that were written as a careless writer would make them."""
    for line in BY_HAND.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = row["benchmark"], row["item"], row["voice"]
        faulty = written[key]
        for old, new in row["edits"]:
            if old not in faulty:
                raise ValueError(f"{key} does not have '{old}'.")
            faulty = faulty.replace(old, new, 1)
        yield key, faulty


def cost() -> None:
    print("\n| log | CPU a sample | log a sample |\n|---|---|---|")
    spent = {}
    for name, arguments in (("what changed (ours)", {}), ("tau2's own", {"full_log": True})):
        seconds, size = run(arguments)
        spent[name] = seconds, size
        print(f"| {name} | {seconds:.2f} s | {size / 1000:,.0f} kB |")
    (ours, small), (theirs, large) = spent.values()
    print(f"\nCPU {theirs / ours:.1f} times less, log {large / small:.0f} times smaller")


def run(task_args: dict[str, Any]) -> tuple[float, float]:
    """CPU seconds and bytes of log a sample; imports and the first reading of the database apart."""
    from inspect_ai import task_with
    from inspect_ai.model import ModelOutput

    from otherwords.core.types import original
    from otherwords.runs import run_tasks

    source = open_source("taubench_airline", max_items=SAMPLES, task_args=task_args)

    def agent(messages: list[Any], *_: Any) -> ModelOutput:
        if messages[-1].role == "tool":
            return ModelOutput.from_content("mockllm/agent", "It is done.")
        return ModelOutput.for_tool_call("mockllm/agent", "cancel_reservation", {"reservation_id": "EHGLP3"})

    def user(messages: list[Any], *_: Any) -> ModelOutput:
        return ModelOutput.from_content("mockllm/user", "Hello." if len(messages) == 2 else "###STOP###")

    def ask(items: int) -> tuple[float, float]:
        task = source.as_task([original(item) for item in source.items[:items]])
        roles = {**(task.model_roles or {}), "user": model("user", user)}
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            run_tasks(task_with(copy.copy(task), model_roles=roles), model("agent", agent), log_dir=folder)
            return time.process_time() - start, sum(log.stat().st_size for log in Path(folder).glob("*.eval"))

    first = ask(1)  # imports, and the database is read
    seconds, size = ask(SAMPLES)
    del first
    return seconds / SAMPLES, size / SAMPLES


def model(name: str, answer: Callable[..., Any]) -> Any:
    from inspect_ai.model import ModelUsage, get_model

    def counted(*given: Any) -> Any:
        output = answer(*given)
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=counted, memoize=False)


if __name__ == "__main__":
    for part in sys.argv[1:] or ("distances", "faults", "cost"):
        {"distances": distances, "faults": faults, "cost": cost}[part]()
