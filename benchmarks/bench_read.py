"""Reading a log of 20,000 samples, side by side with Inspect's `samples_df`; both tables must be equal.

    python benchmarks/bench_read.py

A mock model answers 200 samples in a real run of ours, and each is copied a hundred times under new ids into
a log of the same layout. The log is kept in the system's temporary folder for the next time, and beside it
the same log without our marks of the outcome, as anyone's `inspect eval` leaves it: of such a log each
sample's own file is looked into for why the model stopped. What that costs is printed; no bar is set for it.
Both readers take the whole log into a table, the wording of every sample with it. They take turns, and
the median of each is compared. Ratios are printed and no seconds, since those say more about the machine.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.results import Results, read_results

SAMPLES = 20_000
ITEMS, WORDINGS, EPOCHS = 20, 5, 2
ROUNDS = 5
WANTED = 10.0
FOLDER = Path(tempfile.gettempdir()) / "otherwords-bench"
LOG, FOREIGN = (FOLDER / f"read-{SAMPLES}-{name}.eval" for name in ("outcomes", "foreign"))
MARK = "otherwords_outcome"


def wordings(item: Item) -> list[Variant]:
    """The original and four others: two rewordings, the options turned and turned further."""
    first = original(item)
    variants = [first]
    for number in range(1, WORDINGS):
        turned = number >= 3
        order = tuple((place + number) % 4 for place in range(4)) if turned else first.option_order
        variants.append(
            replace(
                first,
                id=variant_id(item.id, f"v{number}"),
                name=f"v{number}",
                kind="options" if turned else "paraphrase",
                change="order:shuffle" if turned else "frame",
                prompt=f"In other words, number {number}: {item.prompt}",
                choices=tuple(item.choices[place] for place in order),
                target=order.index(0),
                option_order=order,
            )
        )
    return variants


def run_small(folder: Path) -> str:
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    from otherwords.runs import build_task, run_tasks

    @modelapi(name="bench")
    class Bench(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            text = input[-1].text
            said = "no idea" if len(text) % 7 == 0 else f"ANSWER: {'ABCD'[len(text) % 4]}"
            output = ModelOutput.from_content(self.model_name, said)
            output.usage = ModelUsage(input_tokens=len(text), output_tokens=3, total_tokens=len(text) + 3)
            return output

    items = [
        Item(
            id=f"item-{number}",
            prompt=f"Which of these is the right answer to question {number}, of which the text goes on "
            + "for a while as questions of benchmarks do, " * (1 + number % 4)
            + "and then ends?",
            choices=tuple(f"option {place} of question {number}" for place in range(4)),
            target=0,
        )
        for number in range(ITEMS)
    ]
    variants = [variant for item in items for variant in wordings(item)]
    task = build_task("bench", items, variants, seed=1)
    run_tasks(task, "bench/mock", log_dir=folder, repeats=EPOCHS)
    (log,) = folder.glob("*.eval")
    return str(log)


def copied(sample: dict[str, Any], copy: int, marked: bool) -> dict[str, Any]:
    item = f"{sample['metadata']['item_id']}-{copy}"
    scores = sample["scores"] if marked else {name: unmarked(one) for name, one in sample["scores"].items()}
    return {
        **sample,
        "scores": scores,
        "id": variant_id(item, sample["metadata"]["variant"]),
        "uuid": f"{sample['uuid']}-{copy}",
        "metadata": {**sample["metadata"], "item_id": item},
    }


def unmarked(score: dict[str, Any]) -> dict[str, Any]:
    metadata = {name: value for name, value in (score.get("metadata") or {}).items() if name != MARK}
    return {**score, "metadata": metadata}


def make_log(path: Path, marked: bool) -> None:
    """Each sample of a small log under new ids, as a log of the same layout."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"unfinished-{path.name}")
    with tempfile.TemporaryDirectory() as folder:
        small = zipfile.ZipFile(run_small(Path(folder)))
        method = small.infolist()[0].compress_type
        header, summaries = (json.loads(small.read(f"{name}.json")) for name in ("header", "summaries"))
        samples = [json.loads(small.read(name)) for name in small.namelist() if name.startswith("samples/")]
        copies = range(SAMPLES // len(samples))
        many = [copied(summary, copy, marked) for copy in copies for summary in summaries]
        dataset = header["eval"]["dataset"]
        dataset["sample_ids"] = list(dict.fromkeys(summary["id"] for summary in many))
        dataset["samples"] = len(dataset["sample_ids"])
        with zipfile.ZipFile(unfinished, "w", method) as archive:
            for copy in copies:
                for sample in samples:
                    one = copied(sample, copy, marked)
                    archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
            archive.writestr("summaries.json", json.dumps(many, separators=(",", ":")))
            archive.writestr("_journal/start.json", small.read("_journal/start.json"))
            archive.writestr("header.json", json.dumps(header))
    unfinished.replace(path)


def ours() -> Results:
    return read_results(LOG)


def theirs() -> Any:
    from inspect_ai.analysis import samples_df

    return samples_df(str(LOG), quiet=True)


def compare(results: Results, frame: Any) -> int:
    """How many values were compared; any that differs ends the benchmark."""
    import pandas as pd

    prompts = {
        (row["id"], row["variant"]): (row["prompt"], row["target"], row["choices"])
        for row in results.wordings.iter_rows(named=True)
    }
    rows = {(row["id"], row["variant"], row["repeat"]): row for row in results.outcomes.iter_rows(named=True)}
    assert len(rows) == len(frame) == SAMPLES
    compared = 0
    for sample in frame.itertuples(index=False):
        key = (sample.metadata_item_id, sample.metadata_variant)
        row, (prompt, target, choices) = rows[(*key, sample.epoch)], prompts[key]
        unscored = pd.isna(sample.score_answers)
        order = [int(place) for place in sample.metadata_option_order.split(",")]
        pairs = [
            (row["kind"], sample.metadata_kind),
            (row["change"], sample.metadata_change),
            (row["seed"], sample.metadata_seed),
            (row["score"], None if unscored else {"C": 1.0, "I": 0.0}[sample.score_answers]),
            (row["target_index"], order["ABCD".index(sample.target)]),
            (row["tokens"], sample.total_tokens),
            (row["seconds"], sample.working_time),
            (row["status"], "unscored" if unscored else "scored"),
            (f"user:\n{prompt}\n", sample.input),
            (target, sample.target),
            (len(choices), 4),
        ]
        wrong = [pair for pair in pairs if pair[0] != pair[1]]
        assert not wrong, f"{key}: {wrong}"
        compared += len(pairs)
    return compared


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    for path in (LOG, FOREIGN):
        if not path.exists():
            print(f"making a log of {SAMPLES:,} samples, once …", flush=True)
            make_log(path, marked=path == LOG)
    print(f"{compare(ours(), theirs()):,} values are the same in both tables")
    turns = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    mine, inspects = (statistics.median(times) for times in zip(*turns, strict=True))
    ratio = inspects / mine
    print(f"reading {SAMPLES:,} samples: {ratio:.1f} times as fast as samples_df (wanted: {WANTED:g})")
    foreign = statistics.median(seconds(lambda: read_results(FOREIGN)) for _ in range(ROUNDS))
    print(f"a log that was not made by otherwords: {inspects / foreign:.1f} times as fast as samples_df")
    if ratio < WANTED:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
