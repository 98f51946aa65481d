"""A check of meaning: a variant with three exclamation marks is refused."""

from __future__ import annotations

from otherwords import CheckResult, CheckTraits, Item, Variant
from otherwords.core.types import varied_text


class Calm:
    """Controls, which change the meaning on purpose, are not checked."""

    traits = CheckTraits(of_controls=False)

    def __call__(self, item: Item, variant: Variant) -> CheckResult:
        """`pass` or `fail`, with the reason."""
        calm = varied_text(variant.prompt).count("!") < 3
        return CheckResult("calm", "pass" if calm else "fail", "" if calm else "too loud")


CALM = Calm()
