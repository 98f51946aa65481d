"""A set cut into parts and put together again gives what the whole set gives."""

from __future__ import annotations

import json
from pathlib import Path

from otherwords.items import load_items
from otherwords.pipeline.templates import vary
from otherwords.pipeline.write_report import write_report
from otherwords.report.tables import report_json
from otherwords.results.reader import outcomes_frame
from otherwords.results.tables import write_parquet

QUESTIONS = [
    {
        "id": f"q{number}",
        "question": f"Which of the following numbers is most likely larger than {number}?",
        "choices": [str(number - 1), str(number + 1), str(number - 2)],
        "answer": "B",
    }
    for number in range(12)
]


def test_the_variants_of_the_parts_are_those_of_the_whole(tmp_path: Path) -> None:
    vetted = []
    for name, part in {"whole": QUESTIONS, "one": QUESTIONS[:5], "two": QUESTIONS[5:]}.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(question) + "\n" for question in part))
        vetted.append(vary(load_items(path), k=6, seed=3))
    assert vetted[0] == [*vetted[1], *vetted[2]]


def test_the_report_of_the_parts_is_that_of_the_whole(tmp_path: Path) -> None:
    rows = [
        {
            "task": "set",
            "model": model,
            "id": f"q{number}",
            "variant": variant,
            "kind": "orig" if variant == "orig" else "paraphrase",
            "repeat": 1,
            "status": "scored",
            "score": float((number * len(variant) + len(model)) % 3 > 0),
            "correct": (number * len(variant) + len(model)) % 3 > 0,
        }
        for number in range(12)
        for model in ("a", "bb")
        for variant in ("orig", "para1", "para22")
    ]
    whole = write_parquet(outcomes_frame(rows), tmp_path / "whole.parquet")
    parts = [
        write_parquet(outcomes_frame(some), tmp_path / f"{name}.parquet")
        for name, some in {"one": rows[:30], "two": rows[30:]}.items()
    ]
    one, two = (report_json(write_report(files, None)[0]) for files in (whole, parts))
    # what to type, and how it was made, name the files
    for old, new in (
        (" ".join(map(str, parts)), str(whole)),
        (",\n      ".join(f'"{part}"' for part in parts), f'"{whole}"'),
    ):
        two = two.replace(old, new)
    assert one == two
