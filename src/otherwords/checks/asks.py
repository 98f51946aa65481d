"""`asks`: a question stays a question and an instruction an instruction; neither is answered.

One may become the other ("What is X?", "Tell me what X is.", "State X."), and a question may lose its mark.
"""

from __future__ import annotations

import re
from functools import lru_cache

from otherwords.checks.base import compares_form
from otherwords.checks.reading import Reading

NAME = "asks"
_VERBS = frozenset(
    """
    act add address adjust always analyse analyze answer apply arrange assess assign assist assume attach
    avoid book brainstorm bring build buy calculate call change check choose cite clarify classify close
    code combine come compare complete compose compute condense conduct confirm consider construct contact
    contrast convert copy correct count craft create debug decide deduce define delete deliver demonstrate
    deploy derive describe design detail detect determine develop devise differentiate discuss distinguish
    divide do download draft draw edit elaborate email ensure enter enumerate estimate evaluate examine
    execute expand explain express extract fill filter find finish fix follow format formulate generate give
    go group guess help highlight identify illustrate imagine implement indicate infer inform insert install
    integrate interpret investigate join judge justify keep label leave let link list load locate look make
    mark match measure mention merge modify move multiply name never note notify number offer open order
    organise organize outline output paraphrase pay perform phrase pick place plan point pose predict
    prepare present pretend print prioritise prioritize process produce proofread propose prove provide pull
    purchase push put quote rank rate read recall recommend record reduce refactor refer reflect remember
    remove rename reorder repair repeat rephrase replace reply report request research reserve reset resolve
    respond restart restate restrict retrieve return reverse review revise reword rewrite round run save say
    schedule search see select send set share shorten show simplify sketch solve sort specify split start
    state stop structure study submit subtract suggest sum summarise summarize supply suppose swap switch
    tackle take tally tell test think trace track transfer transform translate try turn type update upload
    use validate verify visit wait walk watch weigh work write
    """.split()
)
_QUESTION_WORDS = frozenset("what which who whose whom why how what's who's how's where's when's".split())
_AUXILIARIES = frozenset(
    "is are was were do does did can could would will should has have may isn't aren't don't doesn't".split()
)
_WHEN = frozenset(("when", "where"))
_BEFORE_QUESTIONS = frozenset("at in by for from of on to with under".split())
_LEADS = frozenset("first next now also so and kindly just please pls then but or".split())
_HOW = frozenset(
    "much many long far old often tall high fast do does did is are can would happens was were will".split()
)
_POINTERS = frozenset(
    "the a an this that these those all any each every my your his its their our me us how whether".split()
)
_NO_VERBS = frozenset(
    """the and but or so because when since while as if in on at by for from of to with both all then also
    here thus
    overall like after before during until unless though although such not that this these those it there
    than through
    under over between into about only even once where whereas most many some few half hence given plus he
    she they we
    you i its his her their our my a an no""".split()
)
_CLAUSES = re.compile(r"([.!?:;,\n()\"“”—–|]+[\s\"“”()]*)")
_STARTS = (".", "!", "?", ":", "\n\n", ".\n")
_TRIMMED = " \t-*•>#'‘_0123456789."
_REQUEST = re.compile(
    r"\b(?:tell me|let me know|(?:want|wants|like|love|need|wish|trying|curious|interested|try"
    r"|able)(?: you)? to \w+"
    r"|i['’]d like|i need|i want|we need|i wonder|wondering|please|pls|(?:your|the|my|our) (?:task|job"
    r"|goal|role|assignment"
    r"|question|request|aim|challenge|instructions?)\b|you (?:should|must|are to|need to|have to|will be"
    r"|are asked|are)\b"
    r"|asked to|(?:should|must|needs? to|ha(?:s|ve) to|(?:is|are) to) (?:not )?"
    r"(?:be|become|stay|remain|contain|include|have|return)\b"
    r"|(?:do not|don['’]t) \w+|figure out|help me|true or false|looking for)|_{3,}",
    re.IGNORECASE,
)
_ANSWER_OPENING = re.compile(
    r"(?:sure|certainly|of course|absolutely|yes|no|nope|yep|great question|good question|false|true"
    r"|correct|incorrect)[,.!:]"
    r"|here(?:['’]s| is| are) (?!\w+ (?:questions?|tasks?|problems?|prompts?)\b)(?:the|a|an|my|your|some"
    r"|one|three|two)\b[^.:?!]{0,40}\b(?:answers?|lists?|summary|solutions?|codes?"
    r"|functions?|poems?|haiku|limerick|story|translation|rewritten|reworded|rephrased|paraphrased?"
    r"|corrected|explanation|version"
    r"|script|class|query|plan|rewrite|rewording)\b"
    r"|(?:the )?(?:correct |right |final )?(?:answer|solution)(?: is|:)(?! to)"
    r"|to (?:solve|answer) (?:this|the)\b|let['’]s (?:solve|break|start|look|think)|first, (?:we|i|let)\b"
    r"|step 1:"
    r"|(?:re(?:written|worded|phrased)|paraphrased?)(?: (?:prompt|version|question|text|instruction)s?)?:",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"\W*you(?:['’]re| are| act| work| have| will)\b", re.IGNORECASE)
_YOU = frozenset(("you", "your", "you're"))
_LEADING_MARKS = " \t\n\"'“”‘’*_>#"
_MOSTLY = 0.5


@compares_form(NAME)
def asks(before: Reading, after: Reading) -> str | None:
    if before.words == after.words or not _asks(before.text):
        return None
    opening = _ANSWER_OPENING.match(after.text.lstrip(_LEADING_MARKS))
    if opening and opening.group().lower() not in before.text.lower():
        return f'answers instead of rewording: "{opening.group()}"'
    if not _asks(after.text) and not (_ADDRESSED.match(before.text) and _YOU & after.word_set):
        return "states something; the original asks"
    return "goes on after the question" if _goes_on(before, after) else None


@lru_cache(maxsize=8192)
def _asks(text: str) -> bool:
    if "?" in text:
        return True
    pieces = ["", *_CLAUSES.split(text)]
    for mark, clause in zip(pieces[::2], pieces[1::2], strict=True):
        said = clause.lstrip(_TRIMMED).lower().split(None, 5)
        while said and (said[0] in _LEADS or (said[0].endswith("ly") and said[0] != "reply")):
            said = said[1:]
        if said and _opens_request(said, not mark or any(start in mark for start in _STARTS)):
            return True
    return _REQUEST.search(text) is not None


def _opens_request(said: list[str], opens_sentence: bool) -> bool:
    first, second = said[0], said[1] if len(said) > 1 else ""
    if first in _VERBS or (first in ("how", "what", "who", "why") and second in _HOW):
        return True
    if not opens_sentence:
        return False
    if first in _BEFORE_QUESTIONS and second in _QUESTION_WORDS:
        return True
    if first in _WHEN:
        return second in _AUXILIARIES
    unknown_verb = second in _POINTERS and first not in _NO_VERBS and first[-1] not in "sdg"
    return first in _QUESTION_WORDS or first in _AUXILIARIES or unknown_verb


def _goes_on(before: Reading, after: Reading) -> bool:
    """The original ends with its question; the variant says something new after it."""
    if not before.text.rstrip().endswith("?"):
        return False
    tail = after.text.rpartition("?")[2]
    said = [word.strip(".,;:!()\"'").lower() for word in tail.split()]
    if len(said) < 2 or "?" not in after.text or _asks(tail.strip()):
        return False
    new = [word for word in said if word not in before.word_set]
    return len(new) >= _MOSTLY * len(said)
