"""An Inspect task with a model whose answers depend on the prompt and the repeat alone."""

import asyncio
import hashlib
import json
import os

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import Score, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate, solver


@modelapi(name="quizzed")
class Quizzed(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        drawn = hashlib.sha256(input[-1].text.encode()).digest()[0]
        output = ModelOutput.from_content(self.model_name, "Paris" if drawn % 3 else "Rome")
        output.usage = ModelUsage(input_tokens=len(input[-1].text), output_tokens=1, total_tokens=1 + drawn)
        return output


@solver
def asked():
    """Writes down each sample before it is asked."""
    ask = generate()

    async def solve(state: TaskState, generate):
        if os.environ.get("PINS_ASKED"):
            with open(os.environ["PINS_ASKED"], "a", encoding="utf-8") as file:
                file.write(json.dumps([str(state.sample_id), state.epoch]) + "\n")
        await asyncio.sleep(float(os.environ.get("PINS_PACE", "0")))
        return await ask(state, generate)

    return solve


@scorer(metrics=[accuracy()])
def half_or_whole():
    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        drawn = hashlib.sha256(f"{state.epoch} {state.input_text}".encode()).digest()[0]
        right = 1.0 if said == target.text else 0.5 if drawn % 2 else 0.0
        return Score(value=right, answer=said, metadata={"drawn": drawn})

    return score


@task
def capitals(country="country"):
    questions = [f"What is the capital of {country} {number}?" for number in range(1, 7)]
    samples = [Sample(id=f"c{place}", input=text, target="Paris") for place, text in enumerate(questions)]
    return Task(dataset=samples, solver=asked(), scorer=half_or_whole())
