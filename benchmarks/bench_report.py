"""The whole report against a plain pandas + seaborn script that only draws three of its figures.

Both read the same table: 10,000 items × 5 wordings × 3 agents. `otherwords report` also computes intervals
of every measure, and writes the page, the Markdown, two CSV files and five more figures. It fails when
that takes longer than the script.

Both run with their modules compiled beforehand, as those of an installed package are.

python benchmarks/bench_report.py [PYTHON]      PYTHON has pandas and seaborn; this one, if none is named
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

ITEMS, AGENTS, ROUNDS = 10_000, 3, 5
VARIANTS = (
    ("orig", "orig", ""),
    ("para1", "paraphrase", "imperative"),
    ("para2", "paraphrase", "which_of_these"),
    ("pert:punct", "format", "punct"),
    ("pert:order_rev", "options", "order:reverse"),
)


def outcomes(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frames = []
    for agent in range(AGENTS):
        ability = rng.beta(1.6 - 0.3 * agent, 0.8 + 0.2 * agent, size=(ITEMS, 1))
        moved = (0.05, 0.35, 0.25)[agent] * rng.normal(size=(ITEMS, len(VARIANTS)))
        right = (rng.random((ITEMS, len(VARIANTS))) < np.clip(ability + moved, 0, 1)).ravel()
        item = np.repeat(np.arange(ITEMS), len(VARIANTS))
        target = item % 4
        chosen = np.where(right, target, (target + 1 + rng.integers(0, 3, len(item))) % 4)
        names = pl.DataFrame(VARIANTS, schema=["variant", "kind", "change"], orient="row")
        frames.append(
            pl.concat([names] * ITEMS).with_columns(
                task=pl.lit("bench"),
                model=pl.lit(f"mock/agent-{agent}"),
                id=pl.format("item-{}", pl.Series(item)),
                repeat=pl.lit(1),
                status=pl.lit("scored"),
                score=pl.Series(right.astype(float)),
                correct=pl.Series(right),
                answer=pl.Series(chosen).replace_strict({n: "ABCD"[n] for n in range(4)}),
                pred_index=pl.Series(chosen),
                target_index=pl.Series(target),
                log=pl.lit(f"logs/2026-01-15T10-00-0{agent}+00-00_bench.eval"),
            )
        )
    return pl.concat(frames)


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds by the clock, and of computing in this process's children."""
    unset = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    plain_python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    if subprocess.run(
        [plain_python, "-c", "import pandas, seaborn"], check=False, capture_output=True
    ).returncode:
        print(f"{plain_python} has no pandas and seaborn; install them: pip install pandas pyarrow seaborn")
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outcomes().write_parquet(folder / "outcomes.parquet")
        plain = Path(__file__).with_name("plain_seaborn_report.py")
        commands = {
            "otherwords report": [
                sys.executable,
                "-m",
                "otherwords",
                "report",
                "outcomes.parquet",
                "-o",
                "ours",
            ],
            "pandas + seaborn": [plain_python, str(plain), "outcomes.parquet", "plain"],
        }
        for command in commands.values():
            timed(command, folder)
        taken: dict[str, list[tuple[float, float]]] = {what: [] for what in commands}
        for _ in range(ROUNDS):
            for what, command in commands.items():
                taken[what].append(timed(command, folder))
        files = {path.name: path.stat().st_size for path in sorted((folder / "ours").iterdir())}
    size = f"{ITEMS:,} items × {len(VARIANTS)} wordings × {AGENTS} agents"
    print(f"{size}, median of {ROUNDS}, {os.cpu_count()} cores")
    for what, times in taken.items():
        wall, computing = (median(one[place] for one in times) for place in (0, 1))
        print(f"  {what:20} {wall:6.2f} s by the clock   {computing:6.2f} s of computing")
    print(f"  {len(files)} files, the page {files['index.html'] / 1e6:.1f} MB")
    ours, theirs = (median(one[0] for one in taken[what]) for what in commands)
    told = "no slower than the plain seaborn script" if ours <= theirs else "slower than the plain script"
    print(f"  {told}: {theirs / ours:.2f} times as fast, with everything in it")
    return 0 if ours <= theirs else 1


if __name__ == "__main__":
    sys.exit(main())
