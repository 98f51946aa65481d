from __future__ import annotations

from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from otherwords.core.types import Item, original
from otherwords.runs import ask, build_task

ITEMS = [
    Item(id="mc", prompt="Which flies?", choices=("Cow", "Crow", "Cat"), target=1),
    Item(id="short", prompt="Name a bird.", target=("crow",)),
]
SEEN: dict[str, tuple[str, dict[str, Any] | None]] = {}


@modelapi(name="looking")
class Looking(ModelAPI):
    async def generate(
        self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        kind = "mc" if "flies" in input[-1].text else "short"
        SEEN[kind] = (input[-1].text, config.extra_body)
        output = ModelOutput.from_content("looking", "ANSWER: B" if kind == "mc" else "A crow")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


def run(tmp_path: Any, constrain_choices: bool) -> dict[str | int, Any]:
    task = build_task(
        "mixed",
        ITEMS,
        [original(item) for item in ITEMS],
        solver=ask(constrain_choices=constrain_choices),
    )
    (log,) = inspect_eval(task, model="looking/x", log_dir=str(tmp_path), display="none")
    return {sample.id: (sample.scores or {})["answers"].value for sample in log.samples or []}


def test_multiple_choice_and_short_answers_run_in_one_task(tmp_path: Any) -> None:
    assert run(tmp_path, constrain_choices=False) == {"mc#orig": "C", "short#orig": "C"}
    assert "A) Cow\nB) Crow\nC) Cat" in SEEN["mc"][0]
    assert SEEN["mc"][1] is None
    assert SEEN["short"] == ("Name a bird.", None)


def test_constrained_choices_get_a_grammar_and_short_answers_do_not(tmp_path: Any) -> None:
    assert run(tmp_path, constrain_choices=True) == {"mc#orig": "C", "short#orig": "C"}
    assert SEEN["mc"][1] == {"grammar": 'root ::= "ANSWER: " ("A" | "B" | "C")'}
    assert SEEN["short"][1] is None
