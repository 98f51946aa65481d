"""`length`: between half and twice as many words.

Eight words more or fewer are always allowed, since a frame such as "Here is a question to answer:" would
double a short question without changing it.
"""

from __future__ import annotations

from otherwords.checks.base import Scope, compares_form
from otherwords.checks.reading import Reading

NAME = "length"
SHORTEST, LONGEST = 0.5, 2.0
SLACK = 8


@compares_form(NAME, Scope.CHANGED)
def length(before: Reading, after: Reading) -> str | None:
    was, now = before.length, after.length
    if not now:
        return "the text is empty"
    if SHORTEST * was <= now <= LONGEST * was or abs(now - was) <= SLACK:
        return None
    return f"{now} words for the original's {was}"
