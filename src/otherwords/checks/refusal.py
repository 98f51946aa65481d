"""`refusal`: the paraphraser reworded the prompt instead of declining it."""

from __future__ import annotations

import re

from otherwords.checks.base import Scope, compares_form, short
from otherwords.checks.reading import Reading

NAME = "refusal"
_I_AM = r"(?:i am|i['’]?m|we are|we['’]re)"
_CANNOT = (
    r"(?:can(?:no|['’])?t|can not|won['’]t|will not|could(?:n['’]t| not)"
    r"|must decline|have to decline|decline to|refuse to)"
)
_MACHINE = r"an? (?:ai\b|artificial|(?:large |text-based )?language model|virtual assistant|chatbot|program)"
_SERVICE = (
    r"(?:help|assist|provide|answer|fulfil+|comply|continue|create|generate|write|give|offer|support"
    r"|engage|respond|process|access|complete|perform|discuss|share|translate|rewrite|reword|rephrase"
    r"|paraphrase|summari[sz]e|do (?:that|this))"
)
_OPENING = re.compile(
    "|".join(
        (
            rf"(?:(?:{_I_AM} )?(?:so |very |really |truly |terribly )?sorry|{_I_AM} afraid|(?:i |we "
            rf"|my )?(?:sincer\w+ |deep\w+ )?"
            r"apolog(?:i[sz]e|ies)|unfortunately|regrettably|i regret)\b[^.?!]{0,40}?\b(?:i|i['’]m|i['’]ve"
            r"|we|this|as an?)\b",
            rf"as {_MACHINE}",
            rf"{_I_AM} (?:just |only |merely )?{_MACHINE}",
            rf"(?:i|we) {_CANNOT}",
            rf"{_I_AM} (?:unable|not (?:able|allowed|permitted|comfortable|going to|qualified"
            rf"|authori[sz]ed|an? \w+ and))",
            r"(?:i|we) (?:don['’]t|do not) (?:have (?:the |any |enough |sufficient )?"
            r"(?:ability|access|capabilit\w+|information|knowledge|means|permission)|feel comfortable)",
            r"(?:i|we) (?:must|have to|need to|will have to) (?:respectfully |politely )?(?:decline|refuse)",
            r"(?:this|that|the|your) (?:request|prompt|content|question|topic) (?:violates|goes against"
            r"|cannot be|can['’]t be"
            r"|is (?:not appropriate|inappropriate|against|unsafe|harmful))",
            r"it (?:would be|is|['’]s) (?:not appropriate|inappropriate|unethical|against)",
        )
    ),
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    rf"\bas {_MACHINE}|\b{_I_AM} (?:just |only )?{_MACHINE}|(?<=[.!?] )i {_CANNOT} (?:\w+ )?{_SERVICE}\b"
    rf"|(?<=[.!?] ){_I_AM} (?:unable|not able) to {_SERVICE}\b|\bagainst my (?:polic|guideline|programming)",
    re.IGNORECASE,
)
_SPEAKS = frozenset(
    "i i'm im ai we we're it it's apologies sorry unfortunately regrettably request prompt content".split()
)
_DECLINES = frozenset(
    """sorry afraid apologize apologise apologies unfortunately regrettably regret ai artificial language
    assistant chatbot program can't cant cannot won't not couldn't decline refuse unable don't violates
    against inappropriate unethical unsafe harmful""".split()
)
"""A text that declines has one of the first and one of the second; most texts have not."""
_LEADING_MARKS = " \t\n\"'“”‘’*_>#"


@compares_form(NAME, Scope.CHANGED)
def refusal(before: Reading, after: Reading) -> str | None:
    """Words of refusal that the original has too are part of the problem."""
    if not may_decline(after):
        return None
    found = _OPENING.match(after.text.lstrip(_LEADING_MARKS)) or _ANYWHERE.search(after.text)
    if found is None or _plain(found.group()) in _plain(before.text):
        return None
    return f'declines instead of rewording: "{short(found.string[found.start() :], 60)}"'


def may_decline(reading: Reading) -> bool:
    return not _SPEAKS.isdisjoint(reading.word_set) and not _DECLINES.isdisjoint(reading.word_set)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())
