"""The report's page with 10,000 items × 5 wordings × 3 repeats: its size, and how fast Chromium shows it.

It fails when the page is larger than 4 MB, or when the median of 20 filters or of 20 searches, up to the
frame in which the new list is drawn, takes longer than 200 ms.

python benchmarks/bench_page.py [CHROMIUM]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.table import WORDING_COLUMNS, as_outcomes
from otherwords.pipeline.write_report import build_report_data
from otherwords.report.write import page_files
from otherwords.results import Results

ITEMS, REPEATS, ROUNDS = 10_000, 3, 20
MOST_BYTES, MOST_MS = 4_000_000, 200
WAYS = {
    "orig": ("orig", "", "{}"),
    "para1": ("paraphrase", "imperative", "Please answer this. {}"),
    "para2": ("paraphrase", "want-to-know", "I want to know the following. {}"),
    "pert:preamble": ("format", "preamble", "Read the text below carefully and respond.\n\n{}"),
    "casual": ("naturalistic", "casual", "hey, quick one: {} thx"),
}
WORDS = (
    "account airport amount answer archive battery bridge budget candle capital carbon ceiling charter "
    "circuit climate compass contract copper council current degree density deposit distance district "
    "engine estate exhibit factor failure feature festival finding formula garden glacier granite harbour "
    "heating history horizon import income insect island journal kernel ladder latitude library license "
    "lumber machine margin market medium mineral mirror monitor mountain network number object offer orbit "
    "oxygen package pattern payment percent piston planet policy portion powder premium process project "
    "protein quarter quota radius railway record region reserve resort result return river sample satellite "
    "sector segment sensor signal silver socket source station storage stream summer supply surface survey "
    "system target tariff temple tenant terrain theory ticket tissue token tonnage traffic transfer treaty "
    "tunnel turbine unit update valley vapour vessel village volume voyage warranty weather window winter"
).split()
_ACT = """async ([id, value]) => {
  const box = document.getElementById(id);
  const begin = performance.now();
  if (box.type === "checkbox") box.checked = !box.checked; else box.value = value;
  box.dispatchEvent(new Event(box.type === "search" ? "input" : "change"));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [performance.now() - begin, document.getElementById("found").textContent];
}"""


def results(seed: int = 0) -> Results:
    rng = np.random.default_rng(seed)
    prompts = [" ".join(rng.choice(WORDS, 45)) for _ in range(ITEMS)]
    ids = [f"item-{number:05d}" for number in range(ITEMS)]
    wordings = pl.DataFrame(
        [
            {
                "task": "bench",
                "id": id_,
                "variant": name,
                "kind": kind,
                "change": change,
                "prompt": wording.format(prompt.capitalize() + "?"),
                "choices": [],
                "target": prompt.split()[0],
            }
            for id_, prompt in zip(ids, prompts, strict=True)
            for name, (kind, change, wording) in WAYS.items()
        ],
        schema=WORDING_COLUMNS,
    )
    shape = (ITEMS, len(WAYS), REPEATS)
    chance = np.clip(rng.beta(1.6, 0.8, (ITEMS, 1, 1)) + 0.2 * rng.normal(size=(*shape[:2], 1)), 0, 1)
    right = (rng.random(shape) < chance).ravel()
    said = rng.choice(WORDS, (right.size, 6))
    places = np.repeat(np.arange(ITEMS), right.size // ITEMS)
    names = np.tile(np.repeat(list(WAYS), REPEATS), ITEMS)
    outcomes = pl.DataFrame(
        {
            "task": "bench",
            "model": "mock/agent",
            "id": [ids[place] for place in places],
            "variant": names,
            "kind": [WAYS[name][0] for name in names],
            "change": [WAYS[name][1] for name in names],
            "repeat": np.tile(np.arange(1, REPEATS + 1), ITEMS * len(WAYS)),
            "score": right.astype(float),
            "answer": [
                prompts[place].split()[0] if good else " ".join(words)
                for place, good, words in zip(places, right, said, strict=True)
            ],
            "log": "logs/2026-01-15T10-00-00+00-00_bench.eval",
        }
    )
    return Results(outcomes=as_outcomes(outcomes), wordings=wordings)


def timed(page: Any, id_: str, values: list[str]) -> tuple[float, str]:
    """The median of all changes of one control, in milliseconds, and what the page said at last."""
    taken = [page.evaluate(_ACT, [id_, value]) for value in values]
    return median(ms for ms, _ in taken), taken[-1][1]


def main() -> int:
    from playwright.sync_api import sync_playwright

    chromium = sys.argv[1] if len(sys.argv) > 1 else shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no chromium on this machine; name one: python benchmarks/bench_page.py CHROMIUM")
        return 2
    table = results()
    start = time.perf_counter()
    data = build_report_data(table, title="Bench")
    computed = time.perf_counter()
    files = page_files(data)
    drawn = time.perf_counter()
    size = len(files["index.html"].encode())
    runs = table.outcomes.height
    print(f"{ITEMS:,} items × {len(WAYS)} wordings × {REPEATS} repeats = {runs:,} runs, median of {ROUNDS}")
    print(f"  computed in {computed - start:.1f} s, page made in {drawn - computed:.1f} s")
    print(f"  page {size / 1e6:.2f} MB, {len(files) - 1} files beside it (bar: {MOST_BYTES / 1e6:.0f} MB)")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for name, content in files.items():
            (Path(folder) / name).write_text(content, "utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        begin = time.perf_counter()
        page.goto((Path(folder) / "index.html").as_uri())
        page.wait_for_selector("body[data-ready]")
        print(f"  ready {1000 * (time.perf_counter() - begin):.0f} ms after it was opened")
        page.wait_for_timeout(3000)  # it reads its texts for the search when it has nothing else to do
        first, _ = timed(page, "find", ["zzz"])
        print(f"  first search {first:.0f} ms")
        for what, id_, values in (
            ("search", "find", [f"{WORDS[n]} {WORDS[n + 7]}"[: 4 + n] for n in range(ROUNDS - 1)] + [""]),
            ("kind of change", "kind", ["format", ""] * (ROUNDS // 2)),
            ("different only", "different", [""] * ROUNDS),
            ("order", "sort", ["score", "id", "", "score"] * (ROUNDS // 4)),
        ):
            taken, found = timed(page, id_, values)
            worst = max(worst, taken)
            print(f"  {what:16} {taken:5.0f} ms   ({found.split(';')[0]})")
        browser.close()
    return 0 if worst <= MOST_MS and size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
