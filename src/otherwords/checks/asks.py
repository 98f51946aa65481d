"""`asks`: a question stays a question and an instruction an instruction; neither is answered.

One may become the other ("What is X?", "Tell me what X is.", "State X."), and a question may lose its mark.
"""

from __future__ import annotations

import re

from otherwords.checks.base import compares_form
from otherwords.checks.reading import Reading

NAME = "asks"
_VERBS = """
    add adjust analyse analyze answer apply arrange assess assist assume build calculate change check choose cite classify
    code combine compare complete compose compute condense consider construct convert correct count create debug decide
    deduce define deliver demonstrate derive describe design detect determine develop differentiate discuss distinguish
    divide do draft draw edit elaborate email enter estimate evaluate examine execute expand explain express extract fill
    filter find finish fix follow format formulate generate give go group guess help identify illustrate imagine implement
    indicate infer insert integrate interpret investigate join judge keep label leave let list locate look make mark match
    measure mention modify multiply name note number order organise organize outline output paraphrase pick place plan point
    pose predict prepare present print process produce prove provide put quote rank read recall recommend record reduce
    refactor remove rename reorder repair repeat rephrase replace reply report reserve respond restate restrict return
    reverse review revise reword rewrite round run save say schedule search see select send set shorten show simplify sketch
    solve sort specify split state stop study subtract suggest sum summarise summarize supply suppose take tell test think
    trace transform translate try turn type update use using validate verify work write book act act pretend respond
    design devise draft address avoid never always remember ensure come brainstorm craft clarify conduct contrast delete
    detail enumerate highlight justify link perform phrase prioritise prioritize propose rate reflect research retrieve
    share structure tackle tally walk weigh bring call offer assign attach confirm contact copy deploy download upload
    install inform load merge move notify open close pay purchase buy pull push refer request reset restart resolve start
    submit swap switch track transfer visit wait watch proofread
"""
_START = r"(?:\A|(?<=[.!?:;,—–)\"”>*#|])|(?<=\n\n)|(?<=[.!?:]\n)|(?<=\n[-*•])|(?<=\bplease)|(?<=\bthen)|(?<=^-))[ \t\n\"“'(*_>#-]*(?:\d{1,2}[.)] +)?"
_LEAD = r"(?:(?:first|next|now|also|so|kindly|just|and|\w+ly)\b,? )?"
_ASKING = re.compile(
    rf"\?|{_START}{_LEAD}(?:{'|'.join(sorted(set(_VERBS.split()), key=lambda verb: (-len(verb), verb)))})\b"
    r"|(?:\A|(?<=[.!:\"“])|(?<=\n\n)|(?<=[.!?:]\n))[ \t\"“]*(?:(?:at|in|by|for|from|of|on|to|with|under) )?"
    r"(?:what|which|who|whose|whom|why|how|(?:when|where)(?:'s|’s| (?:is|are|was|were|do|does|did|will|can|should|would))"
    r"|is|are|was|were|do|does|did|can|could|would|will|should|has|have|may)\b"
    r"|, (?:how (?:much|many|long|far|old|often|tall|high|fast|do|does|did|is|are|can)|what (?:is|are|was|were|does|do|did|will|would|can|happens)"
    r"|who (?:is|are|was|were)|why (?:is|are|do|does|did))\b"
    r"|\b(?:tell me|let me know|(?:want|wants|like|love|need|wish|trying|curious|interested|try|able)(?: you)? to (?:know|find|learn|understand|\w+)"
    r"|i['’]d like|i need|i want|we need|i wonder|wondering|please|pls|(?:your|the|my|our) (?:task|job|goal|role|assignment|question|request|aim"
    r"|challenge|instructions?)\b|you (?:should|must|are to|need to|have to|will be|are asked|are)\b|asked to"
    r"|(?:should|must|needs? to|ha(?:s|ve) to|(?:is|are) to) (?:not )?(?:be|become|stay|remain|contain|include|have|return)\b"
    r"|(?:do not|don['’]t) \w+|figure out|help me|true or false|looking for"
    r"|_{3,})",
    re.IGNORECASE | re.MULTILINE,
)
_UNKNOWN_VERB = re.compile(
    r"(?:\A|(?<=[.!?:\n] )|(?<=\n))(?!(?:the|and|but|or|so|because|when|since|while|as|if|in|on|at|by|for|from|of|to|with|both"
    r"|all|then|also|here|thus|overall|like|after|before|during|until|unless|though|although|such|not|that|this|these|those|it"
    r"|there|than|through|under|over|between|into|about|only|even|once|where|whereas|most|many|some|few|half|hence|given|plus"
    r"|he|she|they|we|you|i|its|his|her|their|our|my)\b)[A-Z][a-z]+(?<![sdg]) (?:the|an?|this|that|these|those|all|any|each|every"
    r"|my|your|his|its|their|our|me|us|how|whether)\b",
    re.IGNORECASE,
)
"""A verb that is not listed: no little word, and no form of the third person or of the past."""
_ANSWER_OPENING = re.compile(
    r"(?:sure|certainly|of course|absolutely|yes|no|nope|yep|great question|good question|false|true|correct|incorrect)[,.!:]"
    r"|here(?:['’]s| is| are) (?!\w+ (?:questions?|tasks?|problems?|prompts?)\b)(?:the|a|an|my|your|some|one|three|two)\b[^.:?!]{0,40}\b(?:answers?|lists?|summary|solutions?|codes?"
    r"|functions?|poems?|haiku|limerick|story|translation|rewritten|reworded|rephrased|paraphrased?|corrected|explanation|version"
    r"|script|class|query|plan|rewrite|rewording)\b"
    r"|(?:the )?(?:correct |right |final )?(?:answer|solution)(?: is|:)(?! to)"
    r"|to (?:solve|answer) (?:this|the)\b|let['’]s (?:solve|break|start|look|think)|first, (?:we|i|let)\b|step 1:"
    r"|(?:re(?:written|worded|phrased)|paraphrased?)(?: (?:prompt|version|question|text|instruction)s?)?:",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"\W*you(?:['’]re| are| act| work| have| will)\b", re.IGNORECASE)
_YOU = frozenset(("you", "your", "you're"))
_LEADING_MARKS = " \t\n\"'“”‘’*_>#"
_MOSTLY = 0.5


@compares_form(NAME)
def asks(before: Reading, after: Reading) -> str | None:
    if before.words == after.words or not _asks(before):
        return None
    opening = _ANSWER_OPENING.match(after.text.lstrip(_LEADING_MARKS))
    if opening and opening.group().lower() not in before.text.lower():
        return f'answers instead of rewording: "{opening.group()}"'
    if not _asks(after) and not (_ADDRESSED.match(before.text) and _YOU & after.word_set):
        return "states something; the original asks"
    return "goes on after the question" if _goes_on(before, after) else None


def _asks(reading: Reading) -> bool:
    text = reading.text
    return "?" in text or _ASKING.search(text) is not None or _UNKNOWN_VERB.search(text) is not None


def _goes_on(before: Reading, after: Reading) -> bool:
    """The original ends with its question; the variant says something new after it."""
    if not before.text.rstrip().endswith("?"):
        return False
    tail = after.text.rpartition("?")[2]
    said = [word.strip(".,;:!()\"'").lower() for word in tail.split()]
    if len(said) < 2 or "?" not in after.text or _ASKING.search(tail.strip()):
        return False
    new = [word for word in said if word not in before.word_set]
    return len(new) >= _MOSTLY * len(said)
