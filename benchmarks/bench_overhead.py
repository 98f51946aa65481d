"""A run through otherwords, side by side with plain Inspect on the same expanded dataset.

    python benchmarks/bench_overhead.py [ITEMS]

2,000 samples (500 items in 4 wordings), a model that answers at once, the same logs with the same settings,
both by turns, five times each in a process of its own. Ratios are printed and no seconds, since those say
more about the machine; where other work shares the machine, the processor's time is the one to trust.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ITEMS, WORDINGS, ROUNDS, WANTED = 500, 4, 5, 1.05

ONE_RUN = """
import sys, time
from dataclasses import replace
from inspect_ai import eval_set
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from otherwords.core.types import Item, original, variant_id
from otherwords.runs import build_task, run_tasks

side, folder, items, wordings = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


@modelapi(name="instant")
class Instant(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        output = ModelOutput.from_content(self.model_name, "Paris")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


prompts = [f"What is the capital of country {n}?" for n in range(items)]
asked = [Item(id=f"q{n}", prompt=prompt, target=("Paris",)) for n, prompt in enumerate(prompts)]
variants = []
for item in asked:
    first = original(item)
    variants.append(first)
    for k in range(1, wordings):
        name, wording = f"para{k}", f"{item.prompt} ({k})"
        variants.append(
            replace(first, id=variant_id(item.id, name), name=name, kind="paraphrase", prompt=wording)
        )
task = build_task("capitals", asked, variants)
started, worked = time.perf_counter(), time.process_time()
if side == "ours":
    finished = run_tasks(task, "instant/x", log_dir=folder, on_progress=lambda progress: None).finished
else:
    _, (log,) = eval_set(task, log_dir=folder, model="instant/x", display="none", log_realtime=True)
    finished = log.results.completed_samples
assert finished == items * wordings, finished
print(time.perf_counter() - started, time.process_time() - worked)
"""


def seconds(side: str, items: int) -> tuple[float, float]:
    """By the clock, and of the processor."""
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-c", ONE_RUN, side, folder, str(items), str(WORDINGS)]
        done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=Path(folder))
    if done.returncode:
        sys.exit(f"{side} ended with {done.returncode}: {done.stderr}")
    clock, processor = map(float, done.stdout.split()[-2:])
    return clock, processor


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    ratios: list[tuple[float, ...]] = []
    for number in range(ROUNDS):
        order = ("plain", "ours") if number % 2 else ("ours", "plain")
        taken = {side: seconds(side, items) for side in order}
        ratios.append(tuple(ours / plain for ours, plain in zip(taken["ours"], taken["plain"], strict=True)))
        print(
            f"round {number + 1}: {ratios[-1][0]:.3f} by the clock, {ratios[-1][1]:.3f} of the processor",
            flush=True,
        )
    clock, processor = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(
        f"{items * WORDINGS:,} samples: median {clock:.3f} times plain Inspect by the clock, {processor:.3f} "
        f"of the processor (wanted: {WANTED} or less)"
    )


if __name__ == "__main__":
    main()
