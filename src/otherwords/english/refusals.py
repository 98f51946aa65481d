"""A model's reply or an error's text → whether it refuses to answer, or names a service's failure.

Made not to be wrong where it says yes: a reply that merely hedges ("I cannot be certain, but …"), that says
what it lacks ("I have no access to …"), or that gives an answer after its reservations is no refusal.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["is_refusal"]

LONGEST = 2000
"""Characters from which a reply says more than no."""
_OPENING = 400
"""Characters at the beginning that are looked at for the refusing sentence."""

_MARKS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "*": "", "_": "", "#": "", ">": ""})
_CANNOT = (
    r"(?:can ?not|can't|could not|couldn't|won't|will not|do not|don't|should not|shouldn't|"
    r"(?: am|'m) (?:not (?:able|going|allowed|permitted|willing|authori[sz]ed|in a position)|unable|"
    r"programmed not|not (?:designed|programmed)) to|"
    r"(?:(?:must|have to|need to) )?(?:decline|refuse) to)"
)
_THAT = (
    r"(?:that|this|these|those|it|such|your request|requests?|"
    r"(?:any|the|an?|this|that|these|those|such|your) "
    r"(?:kind|type|sort|requests?|question|prompt|query|information|content|instructions?|topic|material|task|"
    r"message|subject|activit\w+|plans?|actions?|behaviou?r|illegal|harmful|dangerous|unethical))\b"
)
_HELP = (
    r"(?:help|assist|aid)(?: you| anyone| people)?"
    r"(?:[.!,;:]|$| (?:with|in|on|by|to|for|facilitat\w*|mak\w+|plan\w*|creat\w+|writ\w+|develop\w*)\b)"
)
_COMPLY = (
    r"(?:fulfil+|go along|proceed|engage|participate|take part|support|condone|facilitate|entertain|honou?r|"
    r"accommodate|complete|process|carry out|continue)(?: with| in)?(?: \w+){0,2}? " + _THAT
)
# An object of the user's own ("provide an exact figure", "write the last chapter") makes it no refusal.
_TELL = (
    r"(?:provide|give|share|offer|supply|produce|generate|create|write|discuss|answer|respond|reply|address|talk|"
    r"speak|comment|explain|describe|disclose|reveal|do|say)(?: you)?(?: (?:to|on|about|with|how))*(?: any)?"
    r"(?: (?:medical|legal|financial|professional|personal|detailed|specific|step-by-step|further))?"
    r"(?: (?:help|assistance|guidance|instructions?|information|details|advice|content|material|support|"
    r"directions|tips|steps)\b| " + _THAT + r")"
)
_ACT = rf"(?:{_HELP}|comply\b|{_COMPLY}|{_TELL}|do (?:that|this|so|it)\b)"
_LEAD = (
    r"(?:(?:(?:i'?m|i am) (?:\w+ )?sorry|sorry|apologies|my apologies|i (?:\w+ )?apologi[sz]e|unfortunately|"
    r"regrettably|no|i (?:understand|appreciate|hear|see|reali[sz]e|know|recogni[sz]e)\b[^.!?]{0,120}?|"
    r"as an? (?:\w+ )?(?:ai|language model|llm|assistant|chatbot)[^.!?,]{0,60}|due to [^.!?,]{3,80}|"
    r"for (?:safety|ethical|legal) reasons|while [^.!?]{3,120}?|i'?m an? (?:ai|language model)[^.!?,]{0,60})"
    r"(?:[,.:;!—–-]+ ?| )(?:but |however,? |so |and )?){0,3}"
)
_ADVERBS = r"(?: ?(?:simply|just|really|unfortunately|ethically|knowingly|in good conscience|therefore))*"
_ABOUT_IT = r"(?:help|assist|provid|answer|discuss|writ|creat|generat|engag|do|shar)\w*"
_NO = (
    rf"i{_ADVERBS} ?{_CANNOT}{_ADVERBS} {_ACT}",
    r"i(?: must| have to| need to| will| '?ll)?(?: respectfully| politely)? decline"
    rf"(?: to {_ABOUT_IT}| (?:this|that|your|the) (?:request|question|prompt)|[.!]|$)",
    rf"i(?:'m| am) not comfortable (?:with |in )?(?:{_ABOUT_IT}|this|that)",
    rf"i (?:do|would)(?:n't| not) feel comfortable (?:with )?{_ABOUT_IT}",
    r"i(?:'d| would) (?:rather not|prefer not to) (?:answer|help|say|discuss|provide|assist|engage|write)",
    r"(?:that|this|it|(?:this|that|your) request|doing so)(?:'s| is| would be| goes)? against my "
    r"(?:guidelines|programming|principles|polic|values|rules|ethic)\w*",
    r"(?:this|that|your) (?:request|question|prompt) (?:violates|goes against|conflicts with|would violate) "
    r"(?:my|our|the|openai's|anthropic's) (?:\w+ )?(?:guidelines|polic|principles|rules|terms)\w*",
    r"my (?:guidelines|programming|principles|policies) (?:prevent|prohibit|do(?: not|n't) allow|forbid) me",
    r"i (?:can't|cannot|won't|will not)[.!]?$",
)


@cache
def _says_no() -> re.Pattern[str]:
    """Compiled when the first reply is read: it takes longer than the rest of the import."""
    return re.compile(rf"^{_LEAD}(?:{'|'.join(_NO)})")


# A reply that goes on with the thing itself has answered; one that offers something else has not.
_GOES_ON = re.compile(
    r"\b(?:but|however|although|though|nevertheless|nonetheless|that said|still)\b,? (.{3,})"
)
_OFFER = re.compile(
    r"(?:(?:i|we)(?: can|'d|'m| am| would| will|'ll| could| encourage| recommend| suggest| urge| hope)|"
    r"if|please|let me|feel free|here are (?:some|a few) (?:other|safer|alternative|general|resources)|"
    r"there are (?:other|many|resources|people)|you (?:can|could|may|might|should)|is there|would you|do you|"
    r"happy to|thank|this|that|it(?:'s| is| would))\b"
)
_HAS_ANSWER = re.compile(
    r"\banswers? (?:is|are)\b|\banswer:|\bthe (?:correct|right|best|most likely) (?:answer|option|choice)|"
    r"\b(?:my|a|the) best (?:guess|estimate)|\bi(?:'d| would) (?:guess|say|estimate|go with|choose|pick)|"
    r"\bapproximately\b|\bboxed\{|```"
)


def is_refusal(text: str) -> bool:
    """Whether the reply says that it will not answer.

    Example:
        >>> from otherwords.english.refusals import is_refusal
        >>> is_refusal("I'm sorry, but I can't help with that.")
        True
        >>> is_refusal("I cannot be sure, but I think it is Paris.")
        False
    """
    if len(text) > LONGEST:
        return False
    said = " ".join(text.translate(_MARKS).split()).casefold()
    said = said.lstrip("\"' ").removeprefix("assistant: ")
    found = _says_no().match(said[:_OPENING])
    if found is None:
        return False
    rest = said[found.end() :]
    if _HAS_ANSWER.search(rest):
        return False
    goes_on = _GOES_ON.search(rest)
    return goes_on is None or _OFFER.match(goes_on[1]) is not None


_OF_SERVICES = re.compile(
    r"\b(?:RateLimitError|APIConnectionError|APITimeoutError|InternalServerError|ServiceUnavailableError|"
    r"OverloadedError|AuthenticationError|PermissionDeniedError|insufficient_quota|Connection error\.|"
    r"Connection(?:Refused|Reset)?Error|ConnectTimeout|ReadTimeout|Too many requests|"
    r"rate limit (?:reached|exceeded)|Service Unavailable|Bad Gateway|Internal Server Error|"
    r"(?:Error code|status(?: code)?|HTTP)[:= ]+(?:401|403|429|5\d\d))\b",
    re.IGNORECASE,
)
_OF_CODE = re.compile(
    r"(?:\w+\.)*(?:ArithmeticError|AssertionError|AttributeError|EOFError|FileNotFoundError|ImportError|"
    r"IndexError|JSONDecodeError|KeyError|LookupError|ModuleNotFoundError|NameError|NotImplementedError|"
    r"OverflowError|RecursionError|SyntaxError|TypeError|UnboundLocalError|Unicode\w*Error|ValidationError|"
    r"ValueError|ZeroDivisionError)\b"
)


def names_service_failure(text: str) -> bool:
    """Whether the text names an error of a provider or of the way to it.

    Example:
        >>> from otherwords.english.refusals import names_service_failure
        >>> names_service_failure("Error code: 429 - slow down"), names_service_failure("KeyError: 'x'")
        (True, False)
    """
    return _OF_SERVICES.search(text) is not None


def names_code_failure(text: str) -> bool:
    """Whether the text begins with an error that neither a service nor the machine is to blame for.

    Example:
        >>> from otherwords.english.refusals import names_code_failure
        >>> names_code_failure("KeyError('flight')"), names_code_failure("RuntimeError('503')")
        (True, False)
    """
    return _OF_CODE.match(text) is not None
