"""Words that no check weighs, such as "tell me" or "what"."""

from __future__ import annotations

from otherwords.checks.quantities import NUMBER_WORDS, UNIT_OF

LIGHT = (
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
