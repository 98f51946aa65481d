"""How long vetting takes beside the bare parses of the same texts, on one core, and how much memory."""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

from otherwords.checks import vet
from otherwords.core.types import Item, original, variant_id
from otherwords.english import parse as parsing

PAIRS = Path(__file__).parents[1] / "tests" / "checks" / "corpus" / "loose.jsonl"
MOST = 3.0
MOST_MEMORY = 500
"""Megabytes."""


def main() -> int:
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    parsing.parse("Load the model first.")
    vet(Item("w", "Is it warm?"), [])
    start = time.process_time()
    for row in rows:
        list(parsing.load_model().pipe([row["original"], row["rewrite"]]))
    bare = time.process_time() - start
    start = time.process_time()
    for number, row in enumerate(rows):
        item = Item(f"i{number}", row["original"])
        variant = replace(
            original(item), id=variant_id(item.id, "v"), name="v", kind="llm", prompt=row["rewrite"]
        )
        vet(item, [variant])
    vetting = time.process_time() - start
    scale = 1_000_000 if sys.platform == "darwin" else 1_000
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
    print(
        f"{len(rows)} pairs: parsing {bare:.1f} s of CPU, vetting {vetting:.1f} s,"
        f" {vetting / bare:.2f} times as long; at most {memory:.0f} MB of memory"
    )
    return 0 if vetting <= MOST * bare and memory <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
