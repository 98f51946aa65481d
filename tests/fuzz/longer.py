"""The generated cases again and again, with new seeds, for a while. Ends at the first failure.

python tests/fuzz/longer.py --seconds 600
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
CASES = 5_000
MORE = 4
"""Times the cases of `make test`, in one round."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    given = parser.parse_args()
    started, cases = time.monotonic(), 0
    while time.monotonic() - started < given.seconds:
        seed = secrets.randbelow(2**32)
        command = [sys.executable, "-m", "pytest", str(HERE / "test_generated.py"), "-q", "-x"]
        command += [f"--hypothesis-seed={seed}"]
        done = subprocess.run(
            command,
            env={**os.environ, "OTHERWORDS_FUZZ": str(MORE)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.stdout.write(
                f"{done.stdout}\n{done.stderr}\nFound with seed {seed}, after {cases:,} cases.\n"
            )
            return 1
        cases += CASES * MORE
        sys.stdout.write(f"{cases:,} cases in {time.monotonic() - started:.0f} s, nothing found\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
