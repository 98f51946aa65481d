"""Whether two wordings differ in nothing but words that no check weighs, such as "tell me" or "what".

Most good rewordings differ so. It is quickly seen, and the checks that compare meanings need not look
further: every negation, number, unit, name and span is there, in the same order.
"""

from __future__ import annotations

from otherwords.checks.quantities import NUMBER_WORDS, UNIT_OF
from otherwords.checks.reading import Reading
from otherwords.core.spans import span_texts

_LIGHT = (
    frozenset(
        """
        a an the this these it its there here is are was were be been am do does did has have had having
        what which who whom whose when where why how whether that
        i me my you your we us to of and
        tell give state name find determine identify explain describe compute calculate choose select pick
        write compose implement create make produce provide work out want know wish please task job answer
        question questions request suppose assume ensure sure following reason summary explanation
        description list
        what's who's where's it's i'm you're we're they're he's she's there's that's
        """.split()
    )
    - UNIT_OF.keys()
    - NUMBER_WORDS
)


def same_weight(before: Reading, after: Reading) -> bool:
    if before is after:
        return True
    heavy = [word for word in before.words if word not in _LIGHT]
    if heavy != [word for word in after.words if word not in _LIGHT] or before.said != after.said:
        return False
    return span_texts(before.text) == span_texts(after.text)
