"""CPU time of `otherwords --help` beside `inspect --help`, interleaved. Must be at most a tenth."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROUNDS = 7
BIN = Path(sys.executable).parent


def cpu_seconds(program: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(BIN / program), "--help"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    times: dict[str, list[float]] = {"otherwords": [], "inspect": []}
    for program in times:
        cpu_seconds(program)  # once to warm the disk
    for _ in range(ROUNDS):
        for program, seen in times.items():
            seen.append(cpu_seconds(program))
    ours, theirs = (statistics.median(times[program]) for program in ("otherwords", "inspect"))
    print(f"otherwords --help / inspect --help, CPU time: {ours / theirs:.3f} (must be at most 0.1)")
    if ours > theirs / 10:
        sys.exit("too slow")


if __name__ == "__main__":
    main()
