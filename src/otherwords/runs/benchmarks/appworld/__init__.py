"""AppWorld as an Inspect task: the agent writes code, AppWorld runs it and tests what came of it."""
