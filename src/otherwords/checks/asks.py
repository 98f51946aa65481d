"""`asks`: a question stays a question and an instruction an instruction; neither is answered.

One may become the other ("What is X?", "Tell me what X is.", "State X."), and a question may lose its mark.
"""

from __future__ import annotations

import re
from functools import lru_cache

from otherwords.checks.base import judges, result
from otherwords.checks.reading import Compared, Reading
from otherwords.checks.verbs import VERBS
from otherwords.core.types import CheckResult

NAME = "asks"
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
_OPENS_ANSWERS = frozenset("su ce of ab ye no gr go fa tr co in he th ri fi an so to le st re pa".split())
"""How all of these begin."""
_ADDRESSED = re.compile(r"\W*you(?:['’]re| are| act| work| have| will)\b", re.IGNORECASE)
_YOU = frozenset(("you", "your", "you're"))
_LEADING_MARKS = " \t\n\"'“”‘’*_>#"
_MOSTLY = 0.5
_OPENS_ALIKE = 100
"""Characters; no answer's opening is so long."""


_PASSED = result(NAME, None)


@judges(NAME)
def asks(compared: Compared) -> CheckResult:
    if compared.same_words or not _asks(compared.before.text):
        return _PASSED
    return result(NAME, _problem(compared))


def _problem(compared: Compared) -> str | None:
    before, after = compared.before.text, compared.after_text
    opened = after.lstrip(_LEADING_MARKS)
    if opened[:2].lower() in _OPENS_ANSWERS and before[:_OPENS_ALIKE] != after[:_OPENS_ALIKE]:
        opening = _ANSWER_OPENING.match(opened)
        if opening and opening.group().lower() not in before.lower():
            return f'answers instead of rewording: "{opening.group()}"'
    still_asks = "?" in after or _asks(compared.now.text) or _asks(after)
    if not still_asks and not (_ADDRESSED.match(before) and _YOU & compared.after.word_set):
        return "states something; the original asks"
    return "goes on after the question" if _goes_on(compared.before, after) else None


@lru_cache(maxsize=256)
def _asks(text: str) -> bool:
    if "?" in text or text.partition(" ")[0].lower() in VERBS:
        return True
    pieces = ["", *_CLAUSES.split(text)]
    for mark, clause in zip(pieces[-2::-2], pieces[::-2], strict=True):  # it mostly comes last
        said = clause.lstrip(_TRIMMED).lower().split(None, 5)
        while said and (said[0] in _LEADS or (said[0].endswith("ly") and said[0] != "reply")):
            said = said[1:]
        if said and _opens_request(said, not mark or any(start in mark for start in _STARTS)):
            return True
    return _REQUEST.search(text) is not None


def _opens_request(said: list[str], opens_sentence: bool) -> bool:
    first, second = said[0], said[1] if len(said) > 1 else ""
    if first in VERBS or (first in ("how", "what", "who", "why") and second in _HOW):
        return True
    if not opens_sentence:
        return False
    if first in _BEFORE_QUESTIONS and second in _QUESTION_WORDS:
        return True
    if first in _WHEN:
        return second in _AUXILIARIES
    unknown_verb = second in _POINTERS and first not in _NO_VERBS and first[-1] not in "sdg"
    return first in _QUESTION_WORDS or first in _AUXILIARIES or unknown_verb


def _goes_on(before: Reading, after: str) -> bool:
    """The original ends with its question; the variant says something new after it."""
    if "?" not in after or after[-1] == "?" or not before.text.rstrip().endswith("?"):
        return False
    tail = after.rpartition("?")[2]
    said = [word.strip(".,;:!()\"'").lower() for word in tail.split()]
    if len(said) < 2 or _asks(tail.strip()):
        return False
    new = [word for word in said if word not in before.word_set]
    return len(new) >= _MOSTLY * len(said)
