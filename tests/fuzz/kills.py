"""Kills every command that writes at random moments: what is there is all old or all new, and whole.

python tests/fuzz/kills.py --kills 40
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli")]

from test_killed import COMMANDS, kill_often  # noqa: E402

from forked import ForkServer  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=40)
    given = parser.parse_args()
    seed = secrets.randbelow(2**32)
    moments, server, done = random.Random(seed), ForkServer(), 0
    shares = list(islice(cycle(COMMANDS), given.kills))
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                killed = kill_often(name, shares.count(name), Path(folder), server.start, moments)
            except AssertionError:
                sys.stdout.write(f"Found in '{name}' with seed {seed}.\n")
                raise
        done += killed
        sys.stdout.write(
            f"{name}: started {shares.count(name)} times to be killed, {killed} before its end\n"
        )
        sys.stdout.flush()
    server.close()
    sys.stdout.write(f"{len(shares)} moments, {done} of them before the end: nothing corrupt or mixed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
