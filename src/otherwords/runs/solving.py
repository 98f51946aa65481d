"""One solver for both kinds of item."""

from __future__ import annotations

from typing import Any

from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver

from otherwords.core.letters import letter_of


@solver
def ask(constrain_choices: bool = False) -> Solver:
    """Inspect's `multiple_choice` where the sample has choices, else the prompt as it stands.

    `constrain_choices` sends a grammar that admits only `ANSWER: ` and an option's letter, for models
    that take grammars and would not keep to the format by themselves.
    """
    choose = multiple_choice()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if len(state.choices) == 0:
            return await generate(state)
        if not constrain_choices:
            return await choose(state, generate)
        return await choose(state, _constrained(generate, choice_grammar(len(state.choices))))

    return solve


def choice_grammar(options: int) -> str:
    letters = " | ".join(f'"{letter_of(index)}"' for index in range(options))
    return f'root ::= "ANSWER: " ({letters})'


def _constrained(generate: Generate, grammar: str) -> Generate:
    async def constrained(state: TaskState, *arguments: Any, **settings: Any) -> TaskState:
        return await generate(state, *arguments, extra_body={"grammar": grammar}, **settings)

    return constrained
