"""Seconds and memory of sizes that nobody means to have: 5,000 logs, a log of 2 GB, a text of 2 GB.

    python benchmarks/bench_faults.py             # small ones: a minute
    python benchmarks/bench_faults.py --logs 5000 --log-gigabytes 2 --items 100000 --vary-items 100000 \\
        --text-gigabytes 2

0 leaves a part out. Inputs are generated in a temporary folder (`--folder` says where) and removed.

Memory is the private memory of a command and its workers, the highest of what was seen twenty times a second;
pages of a file that is mapped, which the system can take back, are not in it. The last column is the longest
time in which a command printed nothing.
"""

from __future__ import annotations

import json
import random
import selectors
import subprocess
import sys
import tempfile
import time
import zipfile
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_read import copied, run_small
from bench_scale import item

GIGABYTE = 1024**3
MESSAGE = 1024**2
"""Characters of an answer in the large log."""
WORDINGS = ("orig", "para1", "format1")
MOST_FOR_TEXT = 1024
"""Megabytes that the scan of one text may take, however long it is."""
EVERY_SECONDS = 0.05
OURS = (sys.executable, "-m", "otherwords")


@dataclass
class Seen:
    seconds: float
    megabytes: float
    silent: float


def private_megabytes(pid: int) -> float:
    """Of a process and all it has started; 0 where it is no more, and on systems that do not say."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    kilobytes = [int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:")]
    return sum(kilobytes) / 1024 + sum(private_megabytes(int(one)) for one in started)


def watched(what: str, *arguments: str, folder: Path, code: int = 0) -> Seen:
    """Run a command of otherwords to its end, which must be `code`."""
    began = heard = time.monotonic()
    process = subprocess.Popen(
        [*OURS, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    seen, said, open_still = Seen(0.0, 0.0, 0.0), [], True
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while open_still:
            if selector.select(EVERY_SECONDS):
                piece = process.stdout.read1(65536)  # type: ignore[attr-defined]
                open_still = bool(piece)
                said.append(piece)
                seen.silent, heard = max(seen.silent, time.monotonic() - heard), time.monotonic()
            seen.megabytes = max(seen.megabytes, private_megabytes(process.pid))
    ended = process.wait()
    seen.seconds = time.monotonic() - began
    text = b"".join(said).decode()
    print(
        f"{what:<44} {seen.seconds:7.1f} s {seen.megabytes:8,.0f} MB   silent for {seen.silent:5.1f} s",
        flush=True,
    )
    if ended != code:
        sys.exit(f"{' '.join(arguments)} ended with {ended} and not {code}:\n{text[-3000:]}")
    return seen


@dataclass
class Small:
    """What a real run of a mock model left: ten samples of each of twenty items."""

    header: dict[str, Any]
    summaries: list[dict[str, Any]]
    samples: list[dict[str, Any]]
    start: bytes

    @classmethod
    def run(cls) -> Small:
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(run_small(Path(folder))) as log:
            header, summaries = (json.loads(log.read(f"{name}.json")) for name in ("header", "summaries"))
            samples = [json.loads(log.read(name)) for name in log.namelist() if name.startswith("samples/")]
            return cls(header, summaries, samples, log.read("_journal/start.json"))

    def write(
        self, path: Path, copies: range, item_id: str = "", padding: str = "", marked: bool = True
    ) -> None:
        """A log of the same layout, with the samples of one item or of all under new ids."""

        def of_item(sample: dict[str, Any]) -> bool:
            return not item_id or sample["metadata"]["item_id"] == item_id

        summaries = [copied(one, copy, marked) for copy in copies for one in self.summaries if of_item(one)]
        header = json.loads(json.dumps(self.header))
        header["eval"] |= {"eval_id": path.stem, "run_id": path.stem, "task_id": path.stem}
        ids = list(dict.fromkeys(one["id"] for one in summaries))
        header["eval"]["dataset"] |= {"sample_ids": ids, "samples": len(ids)}
        with zipfile.ZipFile(path, "w") as archive:  # stored, so that its size is that of what is in it
            for copy in copies:
                for sample in filter(of_item, self.samples):
                    one = copied(sample, copy, marked)
                    if padding:
                        last = one["messages"][-1]
                        one["messages"] = [*one["messages"][:-1], {**last, "content": padding}]
                    archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
            archive.writestr("summaries.json", json.dumps(summaries, separators=(",", ":")))
            archive.writestr("_journal/start.json", self.start)
            archive.writestr("header.json", json.dumps(header))


def require_rows(table: Path, rows: int) -> None:
    """A file that cannot be read is skipped, and the command ends well."""
    import polars as pl

    found = pl.read_parquet(table).height
    if found != rows:
        sys.exit(f"{table.name} has {found:,} rows, and {rows:,} samples are in the logs")


def many_logs(number: int, folder: Path) -> None:
    small = Small.run()
    (folder / "logs").mkdir()
    for copy in range(number):
        small.write(folder / "logs" / f"log-{copy:05}.eval", range(copy, copy + 1), "item-3")
    watched(f"aggregate, {number:,} logs of 10 samples", "aggregate", "--logs", "logs", folder=folder)
    require_rows(folder / "results" / "outcomes.parquet", 10 * number)
    watched(f"report, {number:,} logs of 10 samples", "report", "logs", folder=folder)


def large_log(gigabytes: float, folder: Path) -> None:
    small = Small.run()
    words = random.Random(1)
    padding = "".join(words.choice("abcdefgh    ") for _ in range(MESSAGE))
    copies = range(max(1, round(gigabytes * GIGABYTE / MESSAGE / len(small.samples))))
    for whose, marked in (("ours", True), ("anyone's", False)):
        log = folder / "large.eval"
        small.write(log, copies, padding=padding, marked=marked)
        size = log.stat().st_size / GIGABYTE
        what = f"a log of {whose}, {size:.2f} GB, {len(copies) * len(small.samples):,} samples"
        watched(f"aggregate, {what}", "aggregate", "--logs", "large.eval", folder=folder)
        require_rows(folder / "results" / "outcomes.parquet", len(copies) * len(small.samples))
        log.unlink()


def many_items(number: int, folder: Path) -> None:
    import polars as pl

    with (folder / "set.jsonl").open("w") as file:
        file.writelines(json.dumps(item(place)) + "\n" for place in range(number))
    ids = [item(place)["id"] for place in range(number) for _ in WORDINGS]
    names = [*WORDINGS] * number
    columns = {
        "task": ["set"] * len(ids),
        "model": ["m"] * len(ids),
        "id": ids,
        "variant": names,
        "kind": [name.rstrip("1").replace("para", "paraphrase") for name in names],
        "score": [place * 7 % 11 % 2 for place in range(len(ids))],
    }
    pl.DataFrame(columns).write_parquet(folder / "rows.parquet")
    (folder / "my.salt").write_text("a salt of thirty-two bytes, here")
    public = ("--public", "--salt-file", "my.salt")
    steps = {
        "audit": ("audit", "set.jsonl", "--json", "audit.json", "--csv", "audit.csv"),
        "aggregate": ("aggregate", "--logs", "rows.parquet", "--out", "results"),
        "aggregate --public": ("aggregate", "--logs", "rows.parquet", "--out", "public", *public),
        "report": ("report", "results/outcomes.parquet", "-o", "report"),
        "report --public": ("report", "results/outcomes.parquet", "-o", "page", *public),
        "scan --dataset, the public table": ("scan", "public", "--dataset", "set.jsonl"),
        "scan --dataset, the public report": ("scan", "page", "--dataset", "set.jsonl"),
    }
    for name, command in steps.items():
        watched(f"{number:,} items, {name}", *command, folder=folder)
    leak = ("scan", "set.jsonl", "--dataset", "set.jsonl")
    watched(f"{number:,} items, scan --dataset, the set itself", *leak, folder=folder, code=1)


def vary(number: int, folder: Path) -> None:
    with (folder / "set.jsonl").open("w") as file:
        file.writelines(json.dumps(item(place)) + "\n" for place in range(number))
    command = "vary set.jsonl -o variants.jsonl --families format -k 1"
    watched(f"{number:,} items, vary --families format -k 1", *command.split(), folder=folder)


def large_text(gigabytes: float, folder: Path) -> None:
    words = random.Random(2)
    lines = [
        " ".join("".join(words.choices("aeioubcdfghklmnprst", k=7)) for _ in range(12)) for _ in range(20_000)
    ]
    block = ("\n".join(lines) + "\n").encode()
    with (folder / "large.txt").open("wb") as file:
        for _ in range(max(1, round(gigabytes * GIGABYTE / len(block)))):
            file.write(block)
    few = [item(place) for place in range(100)]
    (folder / "set.jsonl").write_text("".join(json.dumps(one) + "\n" for one in few))
    seen = watched(
        f"scan, a text of {gigabytes:g} GB", "scan", "large.txt", "--dataset", "set.jsonl", folder=folder
    )
    with (folder / "large.txt").open("ab") as file:
        file.write(few[7]["question"].encode())
    scan = ("scan", "large.txt", "--dataset", "set.jsonl")
    watched("the same with a question at its end", *scan, folder=folder, code=1)
    if seen.megabytes > MOST_FOR_TEXT:
        sys.exit(f"a text took {seen.megabytes:,.0f} MB, and {MOST_FOR_TEXT:,} are allowed")


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--logs", type=int, default=200, help="in one folder")
    parser.add_argument("--log-gigabytes", type=float, default=0.2)
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--vary-items", type=int, default=200)
    parser.add_argument("--text-gigabytes", type=float, default=0.05)
    parser.add_argument("--folder", type=Path, help="where a temporary folder is made")
    given = parser.parse_args()
    parts = (
        (many_logs, given.logs),
        (large_log, given.log_gigabytes),
        (many_items, given.items),
        (vary, given.vary_items),
        (large_text, given.text_gigabytes),
    )
    for part, size in parts:
        if size:
            with tempfile.TemporaryDirectory(dir=given.folder) as folder:
                part(size, Path(folder))


if __name__ == "__main__":
    main()
