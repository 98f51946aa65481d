"""Writes src/otherwords/data/taubench_wordings.jsonl from files of hand-written wordings.

    python benchmarks/make_taubench_wordings.py WORDINGS.jsonl ...

A line of such a file has `domain`, `id`, `voice` and `text`. Each text is frozen with a hash of the scenario
that it was written for, and with its distances from that scenario and from its siblings.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

from otherwords.benchmarks import FORMAT, content_hash, scenario_hash, shipped_path
from otherwords.core.contract import VOICES
from otherwords.core.types import Item, Variant, Vetted, original, variant_id
from otherwords.items import items_from_task
from otherwords.runs import parse_selector
from otherwords.runs.benchmarks import find_benchmark
from otherwords.runs.benchmarks.load import load_benchmark
from otherwords.variants.distance import with_distances

VERSION, DATE = "1.0", "2026-11-18"
NAMES = ("taubench_airline", "taubench_retail")


def scenarios(name: str) -> list[Item]:
    benchmark = find_benchmark(name)
    assert benchmark is not None
    return items_from_task(load_benchmark(benchmark), parse_selector(benchmark.selector))


def row(name: str, item: Item, texts: dict[str, str]) -> dict[str, object]:
    group = [Vetted(original(item), ())] + [
        Vetted(Variant(variant_id(item.id, voice), item.id, voice, voice, texts[voice]), ())
        for voice in VOICES
    ]
    wordings = {}
    for one in with_distances(item, group)[1:]:
        far = one.variant.distance
        assert far is not None
        text = str(one.variant.prompt)
        wordings[one.variant.name] = {
            "text": text,
            "words": far.words,
            "kept": far.kept,
            "sibling": far.sibling,
        }
    return {"benchmark": name, "item": item.id, "scenario": scenario_hash(item), "wordings": wordings}


def main(paths: list[Path]) -> None:
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            one = json.loads(line)
            key = (f"taubench_{one['domain']}", one["id"])
            texts.setdefault(key, {})[one["voice"]] = one["text"].strip()
    rows = [row(name, item, texts[name, item.id]) for name in NAMES for item in scenarios(name)]
    content = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "licence": "MIT",
        "date": DATE,
        "made_for": f"the scenarios of tau2-bench (MIT) in inspect_evals {version('inspect_evals')}",
        "voices": VOICES,
        "scenarios": len(rows),
        "wordings": len(rows) * len(VOICES),
        "content_hash": content_hash(content),
    }
    shipped_path().write_text(json.dumps(header) + "\n" + content, encoding="utf-8")
    print(f"{shipped_path()}: {header['wordings']} wordings of {header['scenarios']} scenarios")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
