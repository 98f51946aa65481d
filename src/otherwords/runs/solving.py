"""One solver for both kinds of item."""

from __future__ import annotations

from typing import Any

from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver

from otherwords.core.letters import letter_of


@solver
def ask(constrain_choices: bool = False) -> Solver:
    """Inspect's `multiple_choice` where the sample has choices, else the prompt as it stands.

    With `constrain_choices` the model can answer a multiple-choice question only in the wanted format; it
    needs a server that takes a GBNF `grammar`, as llama.cpp does.
    """
    choose = multiple_choice()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if len(state.choices) == 0:
            return await generate(state)
        return await choose(
            state, _constrained(generate, len(state.choices)) if constrain_choices else generate
        )

    return solve


def _constrained(generate: Generate, n_choices: int) -> Generate:
    letters = " | ".join(f'"{letter_of(index)}"' for index in range(n_choices))
    body = {"grammar": f'root ::= "ANSWER: " ({letters})'}

    async def constrained(state: TaskState, *arguments: Any, **settings: Any) -> TaskState:
        return await generate(state, *arguments, extra_body=body, **settings)

    return constrained
