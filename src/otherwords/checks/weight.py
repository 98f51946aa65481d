"""Whether two wordings differ in nothing but words that no check weighs, such as "tell me" or "what".

Most good rewordings differ so. It is quickly seen, and the checks that compare meanings need not look
further: every negation, number, unit, name and span is there, in the same order.
"""

from __future__ import annotations

from otherwords.checks.reading import Compared
from otherwords.core.spans import same_spans


def same_weight(compared: Compared) -> bool:
    was, now = compared.was, compared.now
    if was.words != now.words and (was.heavy != now.heavy or was.said != now.said):
        return False
    return same_spans(compared.before.text, compared.after_text)
