"""Writes everything below `v0_1/` that the tests compare with. Run it with version 0.1 only:

    git worktree add ../otherwords-0.1 v0.1
    PYTHONPATH=../otherwords-0.1/src python tests/pins/make_expected.py ../otherwords-0.1

Never run it with later code to make a test pass: what it wrote is what 0.1 did.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import doors
import pin_cases as cases
import pin_commands
import pin_runs as runs
import polars as pl
from pin_data import (
    MADE,
    TABLES,
    V0_1,
    WORK,
    lay_out,
    neutral_environment,
    plain,
    save,
    write_packed,
)

MORE_OPTIONS = [
    ("Which of these cities is the capital of Norway?", ["Oslo", "Bergen", "Stavanger", "Tromsø"], 0),
    (
        "Which statement about water is true?",
        ["It boils at 90 °C.", "It freezes at 0 °C.", "It is a metal."],
        1,
    ),
    ("Which of the following is not a prime number?", ["2", "3", "9", "11", "13"], 2),
    ("Is the Earth flat?", ["Yes", "No"], 1),
    ("Which are even numbers?", ["2", "4", "Both A and B", "None of the above"], 2),
    ("Pick the largest of these numbers.", ["3.5", "35", "350", "0.35"], 2),
    ("Read the passage. Anna had 5 apples and gave 2 to Ben.\n\nHow many are left?", ["2", "3", "5", "7"], 1),
    ("What does the code `len('abc')` return?", ["2", "3", "4", "an error"], 1),
    ("Which author wrote the novel Emma?", ["Jane Austen", "Emily Brontë", "George Eliot"], 0),
    ("Choose all that apply, then the best one: which is a dairy product?", ["milk", "bread", "rice"], 0),
]
PASSAGES = [
    (
        "Context: The museum opens at 9 and closes at 17. On Mondays it is closed.\n\n"
        "Question: When does the museum close?",
        "17",
    ),
    (
        "Answer in one word.\n\nThe ship left Lisbon in May and reached Goa in November.\n\n"
        "Which port did the ship leave from?",
        "Lisbon",
    ),
    ("You must not use a calculator. What is 12 times 12? Give only the number.", "144"),
    ("Name every month that has exactly 30 days, in order, separated by commas.", "April"),
]


CORPORA = ("tuned", "held_out", "fresh")
"""Of rewrites, of which the items with options are taken."""


def copy_inputs(old: Path) -> None:
    lines = []
    golden = (old / "tests/variants/golden/prompts.jsonl").read_text(encoding="utf-8")
    for number, line in enumerate(golden.splitlines()):
        prompt = json.loads(line)["prompt"]
        lines.append({"id": f"g{number:03}", "question": prompt, "answer": "none of these"})
    for corpus in CORPORA:
        text = (old / f"tests/checks/corpus/{corpus}.jsonl").read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            row = json.loads(line)
            if "choices" in row:
                item = {"question": row["prompt"], "choices": row["choices"], "answer": row["target"]}
                lines.append({"id": f"{corpus}{number}", **item})
    for number, (question, choices, answer) in enumerate(MORE_OPTIONS):
        lines.append(
            {"id": f"m{number}", "question": question, "choices": choices, "answer": "ABCDE"[answer]}
        )
    for number, (question, answer) in enumerate(PASSAGES):
        lines.append({"id": f"p{number}", "question": question, "answer": answer})
    written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_packed(cases.GOLDEN, written)


WORDINGS = (
    # variant, kind, change, how much harder it is
    ("orig", "orig", "", 0.0),
    ("para1", "paraphrase", "these", 0.05),
    ("para2", "paraphrase", "polite", 0.1),
    ("pert:punct", "format", "punct", 0.0),
    ("pert:case", "format", "case", 0.35),
    ("nat1", "naturalistic", "typo", 0.3),
)


def binary_rows() -> Iterator[dict[str, Any]]:
    """Right or wrong: three models, three repeats, negative controls and faults."""
    rng = random.Random(1)
    more = (("control:negate", "control", "negate", 0.5), ("fault:slow", "fault", "slow", 0.2))
    for model, skill in (("large", 0.95), ("middle", 0.8), ("small", 0.6)):
        for number in range(14):
            ease = rng.uniform(-0.2, 0.3)
            for variant, kind, change, cost in (*WORDINGS, *more):
                for repeat in (1, 2, 3):
                    right = rng.random() < skill + ease - cost
                    failed = rng.random() < 0.02
                    yield {
                        "task": "quiz",
                        "model": model,
                        "id": f"q{number:02}",
                        "variant": variant,
                        "kind": kind,
                        "change": change or None,
                        "repeat": repeat,
                        "status": "error" if failed else "scored",
                        "score": None if failed else float(right),
                        "correct": None if failed else right,
                        "answer": None if failed else "yes" if right else rng.choice(["no", "maybe"]),
                        "confidence": round(rng.random(), 3),
                        "tokens": rng.randint(20, 200),
                        "reason": "RuntimeError: no line" if failed else None,
                    }


def continuous_rows() -> Iterator[dict[str, Any]]:
    """Partial credit: two models, uneven repeats, rows that are absent and rows without a score."""
    rng = random.Random(2)
    for model in ("agent-a", "agent-b"):
        for number in range(11):
            level = rng.random()
            for variant, kind, change, cost in WORDINGS:
                for repeat in range(1, 3 + (number % 2)):
                    if rng.random() < 0.12:
                        continue
                    status = rng.choice(["scored"] * 9 + ["limit", "missing"])
                    score = min(1.0, max(0.0, level - cost + rng.uniform(-0.15, 0.15)))
                    yield {
                        "task": "pkg/essays",
                        "model": model,
                        "id": f"e{number}",
                        "variant": variant,
                        "kind": kind,
                        "change": change or None,
                        "repeat": repeat,
                        "status": status,
                        "score": round(score, 6) if status == "scored" else None,
                        "reason": "token" if status == "limit" else None,
                    }


def choice_rows() -> Iterator[dict[str, Any]]:
    """Options in several orders: two tasks, two models, one repeat, answers that could not be read."""
    rng = random.Random(3)
    orders = (
        ("pert:order_rev", "options", "order:reverse", 0.2),
        ("pert:order_swap", "options", "order:swap", 0.1),
    )
    controls = (("control:negate", "control", "negate", 0.4),)
    for task, n_items in (("science", 16), ("pkg/history", 7)):
        for model, skill in (("large", 0.85), ("small", 0.55)):
            for number in range(n_items):
                target = number % 4
                for variant, kind, change, cost in (*WORDINGS[:3], *orders, *controls):
                    unread = rng.random() < 0.08
                    right = rng.random() < skill - cost
                    picked = target if right else (target + rng.randint(1, 3)) % 4
                    yield {
                        "task": task,
                        "model": model,
                        "id": f"{task[:1]}{number:02}",
                        "variant": variant,
                        "kind": kind,
                        "change": change or None,
                        "repeat": 1,
                        "status": "unscored" if unread else "scored",
                        "score": None if unread else float(right),
                        "correct": None if unread else right,
                        "pred_index": None if unread else picked,
                        "target_index": target,
                        "answer": None if unread else str(picked),
                        "reason": "format" if unread else None,
                    }


def write_tables() -> None:
    TABLES.mkdir(parents=True, exist_ok=True)
    for name, rows in (
        ("binary", binary_rows()),
        ("continuous", continuous_rows()),
        ("choice", choice_rows()),
    ):
        pl.DataFrame(list(rows), schema=cases.SCHEMA).write_csv(TABLES / f"{name}.csv")


def write_made() -> None:
    """Files that 0.1 writes: wordings, logs, a table and audits; and runs that were interrupted."""
    shutil.rmtree(MADE, ignore_errors=True)
    shutil.rmtree(runs.INTERRUPTED, ignore_errors=True)
    MADE.mkdir(parents=True)
    runs.INTERRUPTED.mkdir()
    with neutral_folder() as folder:
        shutil.copytree(WORK, folder, dirs_exist_ok=True)
        ok("vary", "questions.jsonl", "-o", "variants.jsonl", *runs.WORDINGS)
        shutil.copy("variants.jsonl", MADE)
        ok("audit", "mcq.jsonl", "--json", "audit.json", "--csv", "audit.csv")
        ok("audit", "questions.jsonl", "--json", "audit-questions.json")
        for name in ("audit.json", "audit.csv", "audit-questions.json"):
            shutil.copy(name, MADE)
        for name, arguments in runs.WHOLE_RUNS.items():
            ok(*arguments, "--log-dir", name)
            shutil.copytree(name, MADE / name)
        ok("aggregate", "--logs", "logs-questions", "--out", ".")
        shutil.copy("outcomes.csv", MADE)
        shutil.copy("outcomes.parquet", MADE)
        tables = {}
        for name, arguments in runs.RESUMED.items():
            ok(*arguments, "--log-dir", f"whole-{name}")
            tables[name] = runs.outcome_rows(f"whole-{name}")
            if name == "killed":
                kill_amid(arguments, name)
            else:
                ok(*arguments, "--log-dir", name, *runs.BUDGETS[name])
            shutil.copytree(name, runs.INTERRUPTED / name)
        save("resumed", tables)
    for log in sorted(V0_1.rglob("*.eval")):
        without_places(log)


def without_places(log: Path) -> None:
    """A sample that was cut off has a traceback; where Python and its packages are is nobody's business."""
    places = {
        sysconfig.get_path("purelib"): "site-packages",
        sysconfig.get_path("stdlib"): "lib",
        str(Path(doors.otherwords.__file__).parents[1]): "src",
    }
    with zipfile.ZipFile(log) as archive:
        members = [(info, archive.read(info)) for info in archive.infolist()]
    cleaned = []
    for info, content in members:
        text = content
        for place, name in places.items():
            text = text.replace(place.encode(), name.encode())
        cleaned.append((info, text))
    if cleaned == members:
        return
    with zipfile.ZipFile(log, "w") as archive:
        for info, content in cleaned:
            archive.writestr(info, content, compress_type=info.compress_type)


def write_reads() -> None:
    """What 0.1 reads from the files that it wrote."""
    with neutral_folder() as folder:
        lay_out(folder)
        found: dict[str, Any] = {name: runs.outcome_rows(MADE / name) for name in runs.WHOLE_RUNS}
        for name in runs.RESUMED:
            found[f"interrupted {name}"] = runs.outcome_rows(runs.INTERRUPTED / name)
        found["wordings"] = plain(doors.read_results(MADE / "logs-questions").wordings)
        audited = ("--exclude-ambiguous", "--audit", "audit.json")
        ended = doors.command("vary", "mcq.jsonl", "-o", "out.jsonl", *audited)
        found["left out"] = ended.out.splitlines()[0]
        ended = doors.command("report", "logs", "--json", "--audit", "audit.json")
        found["audit of others"] = [ended.code, ended.err]
        ok("vary", "quiz.py@capitals", "-o", "unused.jsonl")
        ok("run", "--config", "suite.yaml", "--log-dir", "suite-logs")
        parts = [path for path in sorted(Path("suite-logs").iterdir()) if path.is_dir()]
        found["suite"] = {path.name: runs.outcome_rows(path) for path in parts}
        save("reads", found, packed=True)


def kill_amid(arguments: tuple[str, ...], log_dir: str) -> None:
    """SIGKILL when some samples are in the log's file, and the others still wait."""
    asked = Path(os.environ["PINS_ASKED"])
    asked.unlink(missing_ok=True)
    process = subprocess.Popen(
        doors.module_command(*arguments, "--log-dir", log_dir, "--max-connections", "1"),
        env={**os.environ, "PINS_PACE": "0.1"},
        stdout=subprocess.DEVNULL,
    )
    while process.poll() is None and not runs.finished(log_dir):
        time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def ok(*arguments: str) -> None:
    ended = doors.command(*arguments)
    assert ended.code == 0, (arguments, ended)


class neutral_folder:
    """A folder with a name that says nothing of the machine."""

    def __enter__(self) -> Path:
        self.folder = Path(tempfile.mkdtemp(prefix="pins-"))
        self.inner = neutral_environment(self.folder)
        self.inner.__enter__()
        return self.folder

    def __exit__(self, *error: object) -> None:
        self.inner.__exit__(None, None, None)
        shutil.rmtree(self.folder)


def write_variants() -> None:
    with neutral_folder():
        _, lines = cases.made_variants(cases.WHOLE)
        write_packed(cases.WHOLE_FILE, "".join(lines))


def write_estimates() -> None:
    for name in cases.TABLE_NAMES:
        parts = cases.estimate_parts(name)
        save(f"estimates_{name}", {part: cases.computed(one) for part, one in parts.items()}, packed=True)
    save("estimates_other", {name: cases.computed(one) for name, one in cases.other_parts().items()})


def write_outputs() -> None:
    found = {}
    for name, part in cases.OUTPUT_PARTS.items():
        with neutral_folder() as folder:
            lay_out(folder)
            found[name] = part()
    save("outputs", found, packed=True)


def write_commands() -> None:
    save("command_options", doors.command_options())
    found = {}
    for name in pin_commands.COMMANDS:
        with neutral_folder() as folder:
            pin_commands.prepare(lay_out(folder))
            found[name] = pin_commands.ended(name)
    save("commands", found)


def write_metadata() -> None:
    with neutral_folder() as folder:
        lay_out(folder)
        save("metadata", {name: runs.metadata_pin(name) for name in runs.FRESH_RUNS})


PARTS = {
    "tables": write_tables,
    "made": write_made,
    "reads": write_reads,
    "variants": write_variants,
    "estimates": write_estimates,
    "outputs": write_outputs,
    "commands": write_commands,
    "metadata": write_metadata,
}
"""In the order in which they need one another."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Only with version 0.1.")
    parser.add_argument("old", type=Path, help="the folder of version 0.1")
    parser.add_argument("--only", nargs="*", choices=["inputs", *PARTS], help="these parts")
    options = parser.parse_args()
    assert doors.version == "0.1.0", f"this is version {doors.version}"
    wanted = options.only or ["inputs", *PARTS]
    if "inputs" in wanted:
        copy_inputs(options.old)
    for name, write in PARTS.items():
        if name in wanted:
            write()
    for folder in sorted(V0_1.rglob("__pycache__")):
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
