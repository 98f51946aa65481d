"""Why an agent gave no answer."""

from __future__ import annotations

from otherwords.core.keys import redacted

EXTERNAL_AGENT = "external_agent"
"""Sample metadata: true where the answer came from an agent whose model calls Inspect does not see."""
LONGEST_REASON = 400


class AgentError(Exception):
    """Raised in the solver, so that Inspect records it as the sample's error and goes on with the others.

    Inspect takes `message` as it is; without it the log would say `AgentError('…')`.
    """

    def __init__(self, reason: str) -> None:
        self.message = f"agent: {shortened(redacted(reason))}"
        super().__init__(self.message)


def shortened(text: str) -> str:
    """On one line and not too long: reasons are shown in tables."""
    flat = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return flat if len(flat) <= LONGEST_REASON else flat[: LONGEST_REASON - 1] + "…"


def raised(error: BaseException) -> str:
    said = str(error)
    return f"raised {type(error).__name__}: {said}" if said else f"raised {type(error).__name__}"
