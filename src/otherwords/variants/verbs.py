"""The verbs whose forms the rules know: base form → (with -s, past). Others are left alone."""

from __future__ import annotations


def lexicon(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR = """
become becomes became
begin begins began
break breaks broke
build builds built
come comes came
cost costs cost
do does did
eat eats ate
fall falls fell
fight fights fought
find finds found
get gets got
give gives gave
go goes went
grow grows grew
have has had
hold holds held
keep keeps kept
lead leads led
leave leaves left
lose loses lost
make makes made
mean means meant
meet meets met
pay pays paid
say says said
sell sells sold
sink sinks sank
speak speaks spoke
spend spends spent
stand stands stood
take takes took
think thinks thought
win wins won
write writes wrote
"""
_REGULAR = """
add arrive believe belong call cause change circumnavigate consist contain conquer create cross die differ
discover earn employ end establish explode explore finish form found gain happen help invade invent join last
launch live marry move need occur open order orbit own paint play produce propose publish reach receive remain
require rotate rule save score serve sign start stay surrender use visit want weigh work
"""


def _third_person(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + "ed"


_DOUBLED = {"occur": "occurred"}
FORMS: dict[str, tuple[str, str]] = {
    **{base: (_third_person(base), _DOUBLED.get(base, _past(base))) for base in _REGULAR.split()},
    **{
        base: (third, past)
        for base, third, past in (line.split() for line in _IRREGULAR.strip().splitlines())
    },
}

PARTICIPLES = lexicon("""
    begun born bought broken brought built caught chosen done drawn driven eaten fallen felt flown forgotten
    found given gone grown held hidden hit kept known laid led left lent lost made meant met paid put read run
    said seen sent set shown shot sold spent spoken spread stolen stood struck sung sunk sworn taken taught
    thought thrown told torn understood won worn written
""")
