"""What a run may spend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from otherwords.core.errors import InputError

_FORM = "Write it as calls=1000, tokens=2000000 or usd=5."


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one run may spend; what earlier runs of the same command spent does not count."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None

    def used_up(self, *, calls: int, tokens: int, usd: float) -> str | None:
        """Which part is spent, such as `calls=100`."""
        for name, most, spent in (
            ("calls", self.calls, calls),
            ("tokens", self.tokens, tokens),
            ("usd", self.usd, usd),
        ):
            if most is not None and spent >= most:
                return f"{name}={most:g}" if isinstance(most, float) else f"{name}={most}"
        return None

    def less(self, *, calls: int, tokens: int, usd: float) -> Budget:
        """What is left of it; a part that is overdrawn is 0."""
        return Budget(
            calls=None if self.calls is None else max(self.calls - calls, 0),
            tokens=None if self.tokens is None else max(self.tokens - tokens, 0),
            usd=None if self.usd is None else max(self.usd - usd, 0.0),
        )


def parse_budget(texts: Iterable[str]) -> Budget | None:
    """`["calls=1000", "usd=5"]`, or both in one text with a comma; None when there are none."""
    found: dict[str, float] = {}
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, equals, amount = (piece.strip() for piece in part.partition("="))
        if not equals or name not in ("calls", "tokens", "usd"):
            raise InputError(f"cannot read the budget '{part}'", hint=_FORM)
        if name in found:
            raise InputError(f"the budget names {name} twice")
        try:
            found[name] = float(amount) if name == "usd" else int(amount)
        except ValueError:
            raise InputError(f"cannot read the budget '{part}'", hint=_FORM) from None
        if not 0 < found[name] < float("inf"):
            raise InputError(f"a budget must be more than 0, got '{part}'")
    if not found:
        return None
    calls, tokens = found.get("calls"), found.get("tokens")
    return Budget(
        calls=None if calls is None else int(calls),
        tokens=None if tokens is None else int(tokens),
        usd=found.get("usd"),
    )
