"""How much memory and time vary, expand (whole, and by shard), aggregate and report take as sets grow.

    python benchmarks/bench_scale.py              # 3,000, 10,000 and 30,000 items: some minutes
    python benchmarks/bench_scale.py 10000 30000 100000
    python benchmarks/bench_scale.py 10000 100000 --copies --only 20

Each item has up to five variants beside the original, and each wording one answer. Every step runs in a
process of its own, whose highest memory the kernel tells. What matters is the last column: how many times
more memory a step takes for how many times more items. Above 1 it would grow faster than the data.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from otherwords.core.types import items_hash

SIZES = (3_000, 10_000, 30_000)
VARIANTS = 5
SHARDS = 20
MOST_MEGABYTES = 1024
"""That a process may take which works on the shards of a set of any of these sizes."""
HIGHEST_GROWTH = 1.15
"""Of memory over that of items, beyond what a small set takes: the allocator is not exact."""
SUBJECTS = (
    "acid base metal salt crystal polymer enzyme protein virus cell tissue organ star planet comet".split()
)
PLACES = "the northern coast|the old library|a mountain village|the central laboratory|an island".split("|")


def item(number: int) -> dict[str, Any]:
    """A multiple choice question of some forty words; no two are the same."""
    subject, place = SUBJECTS[number % len(SUBJECTS)], PLACES[number % len(PLACES)]
    return {
        "id": f"item-{number:06}",
        "question": f"A researcher who works at {place} has measured sample {number} of a {subject} twice, "
        f"and the second value is larger than the first one by {number % 97} units. Which of the following "
        f"is the most likely reason that the {subject} does not show the same value in both measurements?",
        "choices": [
            f"{reason} in {place}" for reason in ("A warmer room", "A wet filter", "A loose cable", "Dust")
        ],
        "answer": number % 4,
    }


EXPAND = """
import sys
from otherwords.pipeline.inputs import open_source
from otherwords.variants.file import read_variants
source = open_source(sys.argv[1])
task = source.as_task(list(read_variants(sys.argv[2]).accepted))
assert len(task.dataset) >= len(source.items)
"""
EXPAND_BY_SHARD = """
import sys
from otherwords.pipeline.run_plan import open_for_run, plan_run, shard_named
named, variants, wanted, of = *sys.argv[1:4], int(sys.argv[4])
source = open_for_run(named, variants_file=variants)
items = 0
for number in range(1, of + 1) if wanted == "all" else [int(wanted)]:
    shard = shard_named("mockllm/model", f"{number}/{of}")
    plan = plan_run(source, "mockllm/model", variants_file=variants, log_dir="cut", shard=shard, write=False)
    assert len(plan.task.dataset) >= len(plan.items)
    items += len(plan.items)
assert wanted != "all" or items == len(source.items)
"""


SAME_TEXT = 60
"""Items so far apart differ in their numbers only."""


def write_copies(size: int, folder: Path) -> None:
    """A variants file as of `vary`, which makes those of the first items; the others differ in numbers."""
    from otherwords.pipeline.inputs import open_source
    from otherwords.variants.file import require_unchanged, variant_lines, write_lines

    few = folder / "few.jsonl"
    few.write_text("".join(json.dumps(item(number)) + "\n" for number in range(SAME_TEXT)))
    made = [
        sys.executable,
        "-m",
        "otherwords",
        "vary",
        "few.jsonl",
        "-o",
        "few-variants.jsonl",
        "-k",
        str(VARIANTS),
    ]
    measured(made, folder)
    header = require_unchanged(folder / "few-variants.jsonl")
    lines: dict[int, list[str]] = {}
    for _, line in variant_lines(folder / "few-variants.jsonl"):
        lines.setdefault(int(json.loads(line)["item_id"].rpartition("-")[2]), []).append(line.decode())

    def copies() -> Iterator[bytes]:
        for number in range(size):
            first = number % SAME_TEXT
            for line in lines[first]:
                line = line.replace(f"item-{first:06}", f"item-{number:06}")  # noqa: PLW2901
                line = line.replace(f"sample {first} ", f"sample {number} ")  # noqa: PLW2901
                yield line.replace(f"by {first % 97} unit", f"by {number % 97} unit").encode()

    items = open_source(folder / "set.jsonl").items
    write_lines(
        folder / "variants.jsonl", copies(), replace(header, items_hash=items_hash(items), n_items=size)
    )


def write_log(variants: Path, log: Path) -> None:
    """A log as Inspect writes it, with an answer to each wording, made without asking anyone."""
    with zipfile.ZipFile(log, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        ids = [line["id"] for line in wordings(variants)]
        spec = {
            "task": "scale",
            "task_id": log.stem,
            "model": "mock/model",
            "created": "2026-01-01T00:00:00+00:00",
            "dataset": {"sample_ids": ids},
            "config": {"epochs": 1},
        }
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": spec}))
        with archive.open("summaries.json", "w") as file:
            for place, line in enumerate(wordings(variants)):
                file.write(b"," if place else b"[")
                file.write(json.dumps(summary(line, place)).encode())
            file.write(b"]")


def wordings(variants: Path) -> Iterator[dict[str, Any]]:
    with variants.open("rb") as file:
        next(file)
        for text in file:
            line = json.loads(text)
            if line.get("accepted"):
                yield line


def summary(line: dict[str, Any], place: int) -> dict[str, Any]:
    letter = "ABCD"[place * 7 % 4]
    right = "ABCD"[line["target"]]
    return {
        "id": line["id"],
        "epoch": 1,
        "input": line["prompt"],
        "choices": line["choices"],
        "target": right,
        "metadata": {
            "item_id": line["item_id"],
            "variant": line["name"],
            "kind": line["kind"],
            "change": line["change"],
            "option_order": ",".join(map(str, line["option_order"])),
        },
        "scores": {"answers": {"value": float(letter == right), "answer": letter}},
        "model_usage": {"mock/model": {"input_tokens": 80, "output_tokens": 4, "total_tokens": 84}},
        "total_time": 0.1,
        "completed": True,
    }


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds, and megabytes at the most."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed:\n{said.decode()}")
    return time.monotonic() - began, used.ru_maxrss / 1024


def run(size: int, folder: Path, copies: bool, only: str) -> dict[str, tuple[float, float]]:
    with (folder / "set.jsonl").open("w") as file:
        file.writelines(json.dumps(item(number)) + "\n" for number in range(size))
    ours = [sys.executable, "-m", "otherwords"]
    asked = ["--variants", "variants.jsonl", "--model", "mockllm/model"]
    by_shard = [sys.executable, "-c", EXPAND_BY_SHARD, "set.jsonl", "shards"]
    steps = {
        "vary": [*ours, "vary", "set.jsonl", "-o", "variants.jsonl", "-k", str(VARIANTS)],
        "expand": [sys.executable, "-c", EXPAND, "set.jsonl", "variants.jsonl"],
        "cut in 20": [*ours, "shards", "-n", f"{SHARDS}", "set.jsonl", *asked],
        "expand 1 shard of 20": [*by_shard, "7", f"{SHARDS}"],
        "expand 20 shards": [*by_shard, "all", f"{SHARDS}"],
        "aggregate": [*ours, "aggregate", "--logs", "run.eval", "--out", "results"],
        "report": [*ours, "report", "results/outcomes.parquet", "-o", "report"],
        "report from the log": [*ours, "report", "run.eval", "-o", "report"],
    }
    found = {}
    if copies:
        write_copies(size, folder)
        del steps["vary"]
    for name, command in steps.items():
        if only not in name:
            continue
        if name == "aggregate":
            write_log(folder / "variants.jsonl", folder / "run.eval")
        found[name] = measured(command, folder)
        print(f"{size:>8,} items  {name:<20} {found[name][0]:7.1f} s {found[name][1]:8,.0f} MB", flush=True)
    return found


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, help="how many items")
    parser.add_argument("--copies", action="store_true", help="reword 60 items, and copy from them")
    parser.add_argument("--only", default="", help="the steps with this in their name")
    options = parser.parse_args()
    sizes = options.sizes
    found = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            found[size] = run(size, Path(folder), options.copies, options.only)
    failed = False
    print(f"\n{'':22}{''.join(f'{size:>12,}' for size in sizes)}   growth of memory / of items")
    for name in found[sizes[0]]:
        megabytes = [found[size][name][1] for size in sizes]
        growth = megabytes[-1] / megabytes[0] / (sizes[-1] / sizes[0])
        failed |= growth > HIGHEST_GROWTH
        print(f"{name:<22}{''.join(f'{mb:>9,.0f} MB' for mb in megabytes)}   {growth:.2f}")
    by_shard = max((one[name][1] for one in found.values() for name in one if "20" in name), default=0.0)
    print(f"by shard: {by_shard:,.0f} MB at the most (wanted: {MOST_MEGABYTES:,} or less)")
    if by_shard > MOST_MEGABYTES:
        sys.exit("a process that works on shards takes too much memory")
    if failed:
        sys.exit(f"a step takes more than {HIGHEST_GROWTH} times the memory that the data would explain")


if __name__ == "__main__":
    main()
