"""From nothing to a first gated result with four tools: what has to be written and typed, and what each says.

The job: twenty questions and a function that answers them. Two of them exist: a steady one, and a brittle
one that is right only where a question is worded as in the file. The gate is to let the first pass and to
stop the second. Nothing here uses the network.

    python benchmarks/first_gate.py --deepeval VENV --llm-consistency VENV --promptfoo FOLDER

Each tool is in an environment of its own (FOLDER is where `npm install promptfoo` ran); one that is not
given is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

COUNTRIES = {
    "France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Norway": "Oslo", "Greece": "Athens",
    "Poland": "Warsaw", "Japan": "Tokyo", "Peru": "Lima", "Austria": "Vienna", "Ireland": "Dublin",
    "Portugal": "Lisbon", "Hungary": "Budapest", "Cuba": "Havana", "Kenya": "Nairobi", "Egypt": "Cairo",
    "Iran": "Tehran", "Canada": "Ottawa", "Chile": "Santiago", "Nepal": "Kathmandu", "Qatar": "Doha",
}  # fmt: skip
APP = f"""
import os, re

CAPITALS = {COUNTRIES!r}

def answer(prompt):
    right = next(capital for country, capital in CAPITALS.items() if country in prompt)
    if os.environ["APP"] == "brittle" and not prompt.startswith("What is the capital of"):
        right = "?"
    has_options = any(capital in prompt for capital in CAPITALS.values())
    label = re.search(rf"\\b(\\w)\\W+{{re.escape(right)}}", prompt)
    return f"Answer: {{label[1] if label else 'none'}}" if has_options else right
"""


@dataclass(frozen=True)
class Tool:
    """What a person writes and types, beside the questions and the app."""

    name: str
    files: dict[str, str]
    commands: tuple[str, ...]
    wordings: int
    """Rewordings that had to be written by hand."""


OTHERWORDS_PYTEST = Tool(
    "otherwords (pytest)",
    {
        "test_gate.py": """
import pytest
from app import answer

@pytest.fixture
def ask():
    return answer

@pytest.mark.otherwords(cases="questions.jsonl", max_accuracy_drop=0.25, k=5)
def test_capitals(ask, case):
    assert case.right(ask(case.prompt))
"""
    },
    ("python -m pytest -q test_gate.py",),
    0,
)
OTHERWORDS_COMMANDS = Tool(
    "otherwords (commands)",
    {},
    (
        "otherwords run questions.jsonl --agent app.py:answer -k 5",
        "otherwords check logs --max-accuracy-drop 0.25",
    ),
    0,
)
DEEPEVAL = Tool(
    "deepeval",
    {
        "test_gate.py": """
import json
import pytest
from app import answer
from deepeval import assert_test
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase

QUESTIONS = [json.loads(line) for line in open("questions.jsonl")]
WORDINGS = [
    "What is the capital of {}?",
    "Which city is the capital of {}?",
    "Tell me the capital of {}.",
    "Can you name the capital of {}?",
]

@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("one", QUESTIONS, ids=lambda one: one["id"])
def test_capitals(one, wording):
    prompt = wording.format(one["id"])
    case = LLMTestCase(input=prompt, actual_output=answer(prompt), expected_output=one["answer"])
    assert_test(case, [ExactMatchMetric()])
"""
    },
    ("deepeval test run test_gate.py",),
    3,
)
PROMPTFOO = Tool(
    "promptfoo",
    {
        "provider.py": """
import json
from app import answer

def tests():
    return [{"vars": json.loads(line)} for line in open("questions.jsonl")]

def call_api(prompt, options, context):
    return {"output": answer(prompt)}
""",
        "promptfooconfig.yaml": """
prompts:
  - What is the capital of {{id}}?
  - Which city is the capital of {{id}}?
  - Tell me the capital of {{id}}.
  - Can you name the capital of {{id}}?
providers: [file://provider.py]
tests: file://provider.py:tests
defaultTest:
  assert:
    - type: equals
      value: "{{answer}}"
""",
    },
    ("promptfoo eval --no-cache",),
    3,
)
CONSISTENCY = Tool(
    "llm-consistency",
    {
        "gate.py": """
import asyncio, sys
from app import answer
from llm_consistency import BatchRunner, EvaluationConfig, ExactMatchScorer, MCDataset, PerturbationType, mca
from llm_consistency.providers._base import BaseLLMProvider, _RawResponse

class Mine(BaseLLMProvider):
    provider_name = "mine"
    async def _send_request(self, prompt, *, system=None, generation=None):
        return _RawResponse(answer(prompt), None, None, 0.0)

config = EvaluationConfig(
    model="mine", provider="mine", num_variants=5, scorer="exact_match",
    perturbation_types=tuple(map(PerturbationType, ["option_reorder", "format_change", "separator_change"])),
)
data = MCDataset.load("choices.json")
mine = Mine(model="mine", requests_per_minute=100000)
run = BatchRunner().run(data, config, mine, ExactMatchScorer(), seed=42)
found = mca(asyncio.run(run).results, 1.0)
print(f"MCA(1.00) {found:.2f}")
sys.exit(found < 1)
"""
    },
    ("python gate.py",),
    0,
)


def inputs() -> dict[str, str]:
    """The questions: open ones, and with options, as llm-consistency takes no others for its changes."""
    names = list(COUNTRIES.items())
    lines = [
        {"id": country, "question": f"What is the capital of {country}?", "answer": capital}
        for country, capital in names
    ]
    choices = []
    for place, (country, capital) in enumerate(names):
        others = [names[(place + step) % len(names)][1] for step in (1, 2)]
        options = [
            {"label": label, "text": text, "is_correct": text == capital}
            for label, text in zip("ABC", [capital, *others], strict=True)
        ]
        choices.append({"id": country, "stem": f"What is the capital of {country}?", "options": options})
    return {
        "app.py": APP,
        "questions.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
        "choices.json": json.dumps({"questions": choices}),
    }


def run(tool: Tool, folder: str | None, kind: str) -> tuple[int, str]:
    """The exit code of the last command, and what it printed."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in {**inputs(), **tool.files}.items():
            (Path(place) / name).write_text(text.lstrip("\n"))
        binaries = Path(sys.executable).parent
        if folder is not None:
            nodes = Path(folder).resolve() / "node_modules" / ".bin"
            binaries = nodes if nodes.is_dir() else Path(folder).resolve() / "bin"
        path = os.pathsep.join([str(binaries), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "APP": kind, "PYTHONPATH": place, "HOME": place}
        environment |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "PROMPTFOO_DISABLE_TELEMETRY": "1"}
        environment |= {"PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": f"{place}/.promptfoo"}
        for command in tool.commands:
            done = subprocess.run(
                ["bash", "-c", command], cwd=place, env=environment, capture_output=True, text=True,
                timeout=500, check=False,
            )  # fmt: skip
        said = (done.stdout + done.stderr).strip()
        return done.returncode, said


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("deepeval", "llm-consistency", "promptfoo"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--show", action="store_true", help="what each printed")
    given = vars(parser.parse_args())
    tools = [(OTHERWORDS_PYTEST, None), (OTHERWORDS_COMMANDS, None)]
    tools += [
        (tool, given[tool.name.replace("-", "_")])
        for tool in (DEEPEVAL, PROMPTFOO, CONSISTENCY)
        if given[tool.name.replace("-", "_")]
    ]
    print("| tool | files | lines | commands | wordings by hand | steady | brittle |")
    print("|---|---|---|---|---|---|---|")
    for tool, folder in tools:
        lines = sum(bool(line.strip()) for text in tool.files.values() for line in text.splitlines())
        (steady, said), (brittle, more) = (run(tool, folder, kind) for kind in ("steady", "brittle"))
        cells = [tool.name, len(tool.files), lines, len(tool.commands), tool.wordings]
        print("|", " | ".join(map(str, [*cells, f"exit {steady}", f"exit {brittle}"])), "|")
        if given["show"]:
            print(said[-3000:], "\n----\n", more[-3000:])


if __name__ == "__main__":
    main()
