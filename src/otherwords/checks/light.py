"""Words that say little of what a text is about."""

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
"""Words that no check weighs, such as "tell me" or "what"."""

FAINT = frozenset(
    """a an the this that these those it its he she they them their his her we you your my our i me who whom
    whose which
    what when where why how is are was were be been being am do does did done have has had having will would
    shall should can
    could may might must and or but so if then than as of in on at by for from to with into onto over under
    about between
    through during not no nor only just also too very more most less least much many some any all each every
    both either
    there here now please make sure following below above given one two such like own same other another up
    out off down
    tell give get know want need find write answer question response reply using use used per
    time number amount kind type name way thing things long take takes taken follow follows
    times count counts appear appears occur occurs
    goal task job role problem kindly dear hello hi thanks thank carefully
    help understand explain describe provide list state identify determine show say know like look
    let per within without before after until unless except because since while though although
    whether instance example against across along among around toward towards upon""".split()
)
"""Words too common to tell one sentence from another; many of them are weighed."""
