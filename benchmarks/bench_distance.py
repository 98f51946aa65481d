"""How far the paraphrases by rules go, beside version 0.1 and beside people; and what making them costs.

    python benchmarks/bench_distance.py [PROMPTS.jsonl ...]

Without files: 180 FreshQA questions that inspect_evals ships (odd ids that do not end in 1, but for `READ`).
The rules were written without them, and mended once after their rewordings had been read. A file has one JSON
object a line with `question` or `prompt`.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from importlib.resources import files
from pathlib import Path

from otherwords import Item, vary
from otherwords.core.types import Distance
from otherwords.english import parse
from otherwords.variants.distance import PEOPLE, summarise_distances

K = 4
BEFORE = {
    "0.1, unseen prompts": (0.27, 0.28, 0.97, 0.60),
    "0.1, FreshQA": (0.33, 0.30, 0.96, 0.47),
    "0.1, scenarios of tau2": (0.06, 0.07, 0.98, 0.20),
}
"""Word distance, between siblings, content words kept, original whole inside; measured in November 2026."""

READ = frozenset(
    (
        "25 29 33 37 39 43 45 47 57 59 63 67 77 79 87 93 97 117 123 137 143 145 155 187 197 207 235 239 "
        "255 269 273 279 325 345 347 353 355 357 359 363 367 369 373 375 403 405 409 417 437 487 525 527 "
        "529 537 543 557 575 579 589 595"
    ).split()
)
"""Ids of questions by whose rewordings the rules were mended first."""


def freshqa() -> list[str]:
    """The questions without which the rules were written."""
    path = files("inspect_evals") / "abstention_bench/data/freshqa/FreshQA_v12182024.csv"
    rows = list(csv.reader(path.read_text("utf-8").splitlines()))[3:]
    texts = {row[0]: row[2].strip() for row in rows if row and row[0].isdigit()}
    return [text for number, text in texts.items() if number[-1] in "3579" and number not in READ]


def prompts_of(path: Path) -> list[str]:
    """The prompts of a file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    found = [row.get("question", row.get("prompt")) for row in rows]
    return [text for text in found if isinstance(text, str)]


def measure(name: str, prompts: list[str]) -> None:
    """One row of the table, and what it cost."""
    items = [Item(str(number), text) for number, text in enumerate(prompts)]
    parse.load_model()
    start = time.process_time()
    vetted = vary(items, ["paraphrase"], k=K)
    spent = time.process_time() - start
    made: dict[str, list[Distance]] = {item.id: [] for item in items}
    rejected = 0
    for one in vetted:
        if one.accepted and one.variant.distance is not None:
            made[one.variant.item_id].append(one.variant.distance)
        rejected += not one.accepted
    texts = [str(one.variant.prompt) for one in vetted]
    parse._parsed.clear()
    start = time.process_time()
    for text in texts:
        parse.parse(text)
    bare = time.process_time() - start
    told = summarise_distances([far for group in made.values() for far in group])
    if told is None:
        print(f"{name}: nothing was accepted")
        return
    row(name, told.words, told.sibling or 0.0, told.kept or 0.0, told.frame_only)
    three = sum(len(group) >= 3 for group in made.values()) / len(items)
    real = sum(any(not far.frame_only for far in group) for group in made.values()) / len(items)
    print(
        f"  {len(items)} prompts, {told.n} accepted, {rejected} rejected; three or more on {three:.0%}, one "
        f"that is no frame on {real:.0%}; {spent:.1f} s, {spent / bare:.1f} × the bare parses"
    )


def row(name: str, *values: float) -> None:
    """Printed as a row of a Markdown table."""
    words, sibling, kept, whole = values
    print(f"| {name} | {words:.2f} | {sibling:.2f} | {kept:.2f} | {whole:.0%} |")


if __name__ == "__main__":
    print(
        "| | word distance | nearest sibling | content words kept | original whole inside |\n"
        "|---|---|---|---|---|"
    )
    for label, figures in BEFORE.items():
        row(label, *figures)
    row("people, same prompts", *(PEOPLE[key] for key in ("words", "sibling", "kept", "frame_only")))
    given = [Path(name) for name in sys.argv[1:]]
    for file in given:
        measure(f"now, {file.name}", prompts_of(file))
    if not given:
        measure("now, FreshQA", freshqa())
