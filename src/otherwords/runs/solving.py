"""One solver for both kinds of item."""

from __future__ import annotations

from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver


@solver
def ask() -> Solver:
    """Inspect's `multiple_choice` where the sample has choices, else the prompt as it stands."""
    choose = multiple_choice()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if len(state.choices) > 0:
            return await choose(state, generate)
        return await generate(state)

    return solve
