"""Whether what changed leaves the form of a text as it was: its lines, its code, its length and who speaks.

Like `weight`, it spares the checks of form the work on a variant that they would let pass.
"""

from __future__ import annotations

from otherwords.checks import code, length, lines, refusal
from otherwords.checks.reading import Compared

OF_CODE = frozenset((code.NAME, lines.NAME))
"""The checks that pass where there is one line and nothing that may be code."""
SETTLED = OF_CODE | {length.NAME, refusal.NAME}
"""Those that pass where the form is the same."""


def same_form(compared: Compared) -> bool:
    was, now = compared.was, compared.now
    return (
        not may_have_code(compared)
        and abs(now.length - was.length) <= length.SLACK
        and now.length > 0
        and not refusal.may_decline(now)
    )


def may_have_code(compared: Compared) -> bool:
    return not compared.one_line or compared.was.may_have_code or compared.now.may_have_code
