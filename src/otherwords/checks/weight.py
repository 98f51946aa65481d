"""Whether two wordings differ in nothing but words that no check weighs, such as "tell me" or "what".

Most good rewordings differ so. It is quickly seen, and the checks that compare meanings need not look
further: every negation, number, unit, name and span is there, in the same order.
"""

from __future__ import annotations

from otherwords.checks.reading import Reading
from otherwords.core.spans import same_spans


def same_weight(before: Reading, after: Reading) -> bool:
    if before is after:
        return True
    if before.words != after.words and (before.heavy != after.heavy or before.said != after.said):
        return False
    return same_spans(before.text, after.text)
