"""The verbs that the rules know. Others are left alone."""

from __future__ import annotations


def lexicon(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR = """
become becomes became
begin begins began
break breaks broke
bring brings brought
build builds built
buy buys bought
catch catches caught
choose chooses chose
come comes came
cost costs cost
do does did
draw draws drew
drink drinks drank
drive drives drove
eat eats ate
fall falls fell
feel feels felt
fight fights fought
find finds found
fly flies flew
forget forgets forgot
get gets got
give gives gave
go goes went
grow grows grew
have has had
hear hears heard
hold holds held
keep keeps kept
know knows knew
lead leads led
leave leaves left
lend lends lent
lose loses lost
make makes made
mean means meant
meet meets met
pay pays paid
rise rises rose
run runs ran
say says said
see sees saw
sell sells sold
send sends sent
sing sings sang
sink sinks sank
sit sits sat
sleep sleeps slept
speak speaks spoke
spend spends spent
stand stands stood
swim swims swam
take takes took
teach teaches taught
tell tells told
think thinks thought
throw throws threw
understand understands understood
wear wears wore
win wins won
write writes wrote
"""
_REGULAR = """
accept achieve add affect agree allow answer appear apply arrive ask attend avoid bake believe belong borrow
burn call carry cause change charge check choose circumnavigate clean climb close collect compare complete
conquer consist contain contribute convert cook count cover create cross damage decide declare decrease
defeat define deliver depend describe design develop die differ direct discover divide double download earn
employ enable end enjoy enter establish evolve exist expand expect explain explode explore express fail feed
fill finish fix flow form found gain handle happen harvest help hire identify improve include increase
inherit invade invent invest involve join jump kill land last launch learn live load look marry match
measure melt move need occur offer open operate orbit order own pack paint pass pick plant play point
predict prefer prevent process produce propose protect prove provide publish pull purchase push reach react
receive recommend reduce refer reject release remain remember remove rent repeat replace report represent
require resign resolve respond rest return reveal revolve rotate rule save score search seem separate serve
share show sign solve sort spread start state stay stop store study succeed suffer suggest support surrender
survive switch taste test touch trade train transfer travel treat try turn use visit vote wait walk want
wash waste watch water weigh work absorb attract breathe collapse communicate compute conduct crash detect
digest disappear emit erupt execute expire function generate govern hibernate hunt influence interact invest
lay maintain migrate obtain orbit perform print pump qualify react regulate reproduce select shine shrink
smell swallow taste transmit transport vary vibrate entail imply contradict
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


_UNUSUAL_PAST = {
    **{base: base + base[-1] + "ed" for base in ("occur", "prefer", "refer", "stop")},
    "feed": "fed",
    "emit": "emitted",
    "transmit": "transmitted",
    "lay": "laid",
    "shine": "shone",
    "shrink": "shrank",
    "spread": "spread",
}
FORMS: dict[str, tuple[str, str]] = {
    **{base: (_third_person(base), _UNUSUAL_PAST.get(base, _past(base))) for base in _REGULAR.split()},
    **{
        base: (third, past)
        for base, third, past in (line.split() for line in _IRREGULAR.strip().splitlines())
    },
}
"""Base form → (with -s, past)."""

PARTICIPLES = lexicon("""
    begun born bought broken brought built caught chosen done drawn driven eaten fallen felt flown
    forgotten found given gone grown held hidden hit kept known laid led left lent lost made meant met
    paid put read run said seen sent set shown shot sold spent spoken spread stolen stood struck sung
    sunk sworn taken taught thought thrown told torn understood won worn written
""")

_TASK_VERBS = lexicon("""
    add adjust analyse analyze arrange assess build calculate categorise categorize choose cite classify
    collect combine compare compile compose compute configure construct convert correct create critique
    debug decide define delete derive describe determine develop devise diagnose differentiate discuss
    download draft edit enumerate evaluate examine explain extract factorise factorize fetch find fix
    formulate gather generate give identify illustrate implement improve infer insert install integrate
    interpret investigate justify locate merge modify normalise normalize obtain optimise optimize
    organise organize outline paraphrase parse perform predict prepare produce proofread propose prove
    provide reconstruct refactor remove rename replace rephrase reschedule resolve retrieve rewrite
    select send simplify solve specify submit suggest summarise summarize transform translate update
    upload validate verify visualise visualize write invite pay refund get buy purchase exchange
    withdraw deploy enable disable reset replicate reproduce recommend review investigate continue tell
    read search examine unscramble recall apply figure help assign create append
""")
_TASK_VERBS_OR_NOUNS = lexicon("""
    balance book call cancel change check complete convert count design draw email estimate expand file
    filter format forward graph group label list map mark measure migrate model name order pick plan
    plot print process rank report reserve round schedule set sketch sort state test transfer post share
    return start stop open close move copy clean fill run play query log trace audit document profile
    cut answer sum
""")
_CONSTRAINT_VERBS = lexicon("""
    answer avoid begin end ensure express follow include keep limit make mention omit output present
    quote reply report respond return round show sign start support treat use wrap
""")
TASKS = _TASK_VERBS
"""Imperatives that set a task, and are hardly ever nouns at the start of a sentence."""
TASKS_BEFORE_DETERMINERS = _TASK_VERBS_OR_NOUNS
"""Those that may be nouns, so that what follows them must show that they are not."""
CONSTRAINTS = _CONSTRAINT_VERBS
"""Imperatives that say how a task is to be done."""
