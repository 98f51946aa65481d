"""Forms of one word: "stopping" is "stop", "allergic" is "allergy"."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from otherwords.checks.quantities import NUMBERS_IN_WORDS

_IRREGULAR: Mapping[str, str] = {
    form: first
    for first, *forms in (
        forms.split()
        for forms in """
        become became|begin began begun|bite bitten|blow blew blown|break broke broken|bring brought
        build built
        buy bought|catch caught|choose chose chosen|come came|cost costs|deal dealt|die died dead death
        draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed
        feel felt|fight fought|find found|fly flew flown flight flights|forbid forbade forbidden
        forget forgot forgotten|freeze froze frozen|get got|give gave given|go goes went gone|grow grew grown
        hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known knows|lay laid|lead led
        leave left|lend lent|lie lay lain|lose lost loss losses|make made|mean meant|meet met|pay paid
        ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold
        send sent|shake shook shaken|shoot shot|show shown|sing sang sung|sink sank sunk|sit sat|sleep slept
        speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|swim swam swum
        take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
        understand understood|wake woke woken|wear wore worn|win won|write wrote written
        child children|man men|woman women|foot feet|tooth teeth|mouse mice|person people|life lives
        wife wives|half halves|leaf leaves|knife knives|shelf shelves|analysis analyses
        long longer longest length|high higher highest height|deep depth|wide width|strong strength
        """.replace("|", "\n")
        .strip()
        .splitlines()
    )
    for form in forms
}
_ENDINGS = ("ings", "ing", "ies", "ied", "es", "ed", "ly", "er", "s", "e", "y")
_SHORTEST, _LONGEST = 3, 5


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Equal for forms of one word; numbers in words are those in digits."""
    if word in NUMBERS_IN_WORDS:
        return NUMBERS_IN_WORDS[word]
    if not word[0].isalpha():
        return word
    bare = word.split("'", 1)[0]
    bare = _IRREGULAR.get(bare, bare)
    if bare.endswith(("ply", "bly", "gly")):
        bare = bare[:-1] + "e"  # "simply" is "simple"
    ending = next((one for one in _ENDINGS if bare.endswith(one) and len(bare) - len(one) >= _SHORTEST), "")
    root = bare[: len(bare) - len(ending)] if ending else bare
    if len(root) > _SHORTEST and root[-1] == root[-2]:
        root = root[:-1]
    return root[:_LONGEST]
