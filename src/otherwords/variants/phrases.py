"""Fixed phrases that say exactly the same, found in one pass over the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from otherwords.variants.protect import MASK, Edit
from otherwords.variants.sentences import Passage


class _Phrase(NamedTuple):
    name: str
    pattern: str
    """Without capturing groups; it may look around."""
    new: str
    not_after: str = r"(?!)"


_SHOWN_ONE = (
    "question|problem|function|code|text|passage|table|list|sentence|paragraph|data|dataset|statement"
    "|equation|expression"
    "|information|article|conversation|email|message|review|example|format|scenario|situation|task"
    "|query|string|input"
    "|schema|snippet|program|script|log|error|poem|story|argument|case|document|abstract|transcript"
    "|recipe|dialogue"
)
_SHOWN_MANY = (
    "questions|problems|functions|tables|lists|sentences|paragraphs|statements|equations|expressions"
    "|reviews|examples|steps"
    "|requirements|rules|instructions|conditions|tasks|numbers|words|items|constraints|facts|options"
    "|clues|premises"
)
_VERB_OBJECT = rf"(?= (?:an?|the|his|her|its|their|some|two|three|four|five|six|ten|another|{MASK})(?!\w))"

_IN_UNITS = r"\bin \w+ $"
_CLAUSE_OPENINGS = "|".join(
    rf"(?<={before}{who} )"
    for before in ("^", ", ", "and ", "because ", "but ", "so ")
    for who in ("[Yy]ou", "[Ww]e", "I")
)

PHRASES: tuple[_Phrase, ...] = (
    _Phrase("this-thing", rf"\bthe following(?= (?:\w+ )?(?:{_SHOWN_ONE})(?: \w+)?:)", "this"),
    _Phrase("these-things", rf"\bthe following(?= (?:\w+ )?(?:{_SHOWN_MANY})(?: \w+)?:)", "these"),
    _Phrase("following-thing", rf"(?<=[a-z] )this(?= (?:\w+ )?(?:{_SHOWN_ONE}):)", "the following"),
    _Phrase("following-things", rf"(?<=[a-z] )these(?= (?:\w+ )?(?:{_SHOWN_MANY}):)", "the following"),
    _Phrase("in-order-to", r"\b[Ii]n order to(?= [a-z])(?! (?:be|have) )", "to"),
    _Phrase("make-sure", r"\b[Ee]nsure that(?= )", "make sure that"),
    _Phrase("make-sure", r"^Ensure(?= (?:the|all|your|every|each|it)\b)", "make sure"),
    _Phrase("ensure", r"\b[Mm]ake sure that(?= )", "ensure that"),
    _Phrase("ensure", r"\b[Mm]ake sure(?= (?:the|all|your|you|every|each|it)\b)", "ensure"),
    _Phrase("be-sure", r"^[Mm]ake sure(?= to )", "be sure"),
    _Phrase(
        "whether",
        r"(?:(?<=\bcheck )|(?<=\bCheck )|(?<=determine )|(?<=Determine )|(?<=[Vv]erify )|(?<=find out )"
        r"|(?<=figure out )|(?<=Find out ))if(?= [a-zA-Z])",
        "whether",
    ),
    _Phrase("have-to", rf"(?:{_CLAUSE_OPENINGS})need to(?= [a-z])(?! have\b)", "have to"),
    _Phrase("have-to", rf"(?:{_CLAUSE_OPENINGS})must(?= [a-z])(?! (?:have|be|not)\b)", "have to"),
    _Phrase("want-to", r"(?<=\b[Yy]ou )would like to(?= [a-z])", "want to"),
    _Phrase("want-to", r"(?<=\b[Ww]e )would like to(?= [a-z])", "want to"),
    _Phrase("want-to", r"(?<=\bI )would like to(?= [a-z])", "want to"),
    _Phrase("before", r"\b[Pp]rior to(?= )", "before"),
    _Phrase("about-so-many", rf"\b[Aa]pproximately(?= {MASK})", "about"),
    _Phrase("approximately", rf"(?<=(?:is|of|at|or|in) )about(?= {MASK})", "approximately"),
    _Phrase("wish-to", r"(?<=\b[Yy]ou )want to(?= [a-z])", "wish to"),
    _Phrase("wish-to", r"(?<=\bI )want to(?= [a-z])(?! know\b)", "wish to"),
    _Phrase("wish-to", r"(?<=\b[Ww]e )want to(?= [a-z])", "wish to"),
    _Phrase("use", r"\b[Uu]tilize(?= )", "use"),
    _Phrase("use", r"\b[Uu]tilizes(?= )", "uses"),
    _Phrase("use", r"\b[Uu]tilizing(?= )", "using"),
    _Phrase("for-instance", r"\b[Ff]or example(?=,)", "for instance"),
    _Phrase("for-example", r"\b[Ff]or instance(?=,)", "for example"),
    _Phrase("in-addition", r"^Additionally(?=,)", "in addition"),
    _Phrase("in-addition", r"^Also(?=, )", "in addition"),
    _Phrase("additionally", r"^In addition(?=,)", "additionally"),
    _Phrase("furthermore", r"^Moreover(?=,)", "furthermore"),
    _Phrase("due-to-fact", r"\b[Dd]ue to the fact that\b", "because"),
    _Phrase("suppose-that", r"^Assume(?= (?:that |the |an? |you |we |all )\w)", "suppose"),
    _Phrase("assume-that", r"^Suppose(?= (?:that |the |an? |you |we |all )\w)", "assume"),
    _Phrase("altogether", r"\bin total(?=[?])", "altogether"),
    _Phrase("in-total", r"\baltogether(?=[?])", "in total"),
    _Phrase("purchase", rf"\bbuys{_VERB_OBJECT}", "purchases"),
    _Phrase("purchase", rf"\bbought{_VERB_OBJECT}", "purchased"),
    _Phrase("buy", rf"\bpurchases{_VERB_OBJECT}", "buys"),
    _Phrase("buy", rf"\bpurchased{_VERB_OBJECT}", "bought"),
    _Phrase("start", r"\bbegins(?= (?:to|at|with|in|on|by)\b)", "starts"),
    _Phrase("start", r"\bbegan(?= (?:to|at|with|in|on|by)\b)", "started"),
    _Phrase("begin", r"\bstarts(?= (?:to|at|with|by)\b)", "begins"),
    _Phrase("begin", r"\bstarted(?= (?:to|with|by)\b)", "began"),
    _Phrase(
        "a-day",
        rf"(?<=[\w{MASK[1:-1]}] )per(?= (?:day|week|month|year|minute|person|night|mile|gallon|pound|box)\b)",
        "a",
        _IN_UNITS,
    ),
    _Phrase("an-hour", rf"(?<=[\w{MASK[1:-1]}] )per(?= hour\b)", "an", _IN_UNITS),
    _Phrase("about", r"\b[Rr]egarding(?= (?:the|your|my|an?|his|her|their|this|that)\b)", "about"),
    _Phrase("about", r"\b[Cc]oncerning(?= (?:the|your|my|an?|his|her|their)\b)", "about"),
    _Phrase("equals", rf"(?<=[a-z{MASK[1:-1]}] )is equal to(?= )", "equals"),
    _Phrase("that-is", r"\bi\.e\.(?=,)", "that is"),
    _Phrase("for-example", r"\be\.g\.(?=,)", "for example"),
    _Phrase("navigate", r"^Go to(?= (?:the|any|an?|your|[A-Z]))", "navigate to"),
    _Phrase("click", r"\b[Cc]lick on(?= (?:the|any|an?|your|it|[A-Z]))", "click"),
    _Phrase("notice", r"^Observe that(?= )", "notice that"),
    _Phrase("observe", r"^Notice that(?= )", "observe that"),
    _Phrase("sign-in", r"\b[Ll]og in(?= (?:to|with|as)\b|[.,])", "sign in"),
    _Phrase("log-in", r"\b[Ss]ign in(?= (?:to|with|as)\b|[.,])", "log in"),
    _Phrase("shown", r"(?<=\b(?:is|be) )displayed\b", "shown"),
    _Phrase("shown", r"(?<=\bare )displayed\b", "shown"),
    _Phrase("displayed", r"(?<=\b(?:is|be) )shown(?= (?:in|on|at)\b|[.,])", "displayed"),
    _Phrase("displayed", r"(?<=\bare )shown(?= (?:in|on|at)\b|[.,])", "displayed"),
    _Phrase("currently", r"^At the moment(?=,? )", "currently"),
    _Phrase("due-to", r"\b[Bb]ecause of(?= (?:an?|the|this|that|its|his|her|their|your|my)\b)", "due to"),
    _Phrase(
        "because-of",
        r"\b[Dd]ue to(?= (?:an?|the|its|his|her|their|your|my)\b)(?! the fact\b)",
        "because of",
        r"\b(?:is|are|was|were|be|been|largely|mainly|partly) $",
    ),
    _Phrase("note", r"^Please note that(?= )", "note that"),
    _Phrase("please-note", r"^Note that(?= )", "please note that"),
    _Phrase("immediately", r"\bright away(?=[.,])", "immediately"),
    _Phrase("right-away", r"\bimmediately(?=[.,])", "right away"),
    _Phrase("request", r"\basks for(?= (?:the|an?|your|his|her)\b)", "requests"),
    _Phrase("request", r"\b[Aa]sk for(?= (?:the|an?|your)\b)", "request"),
    _Phrase("inform", r"\b[Tt]ell(?= (?:the [a-z]+|him|her|them) that\b)", "inform"),
    _Phrase("receive", r"\b[Gg]et(?= an? (?:full )?(?:refund|discount|reply|response)\b)", "receive"),
    _Phrase("search-for", r"\blooking for(?= (?:the|an?|some|any)\b)", "searching for"),
    _Phrase("determine", r"\b[Ff]ind out(?= (?:whether|how|why|which|what|when)\b)", "determine"),
    _Phrase("happen", r"\boccurs(?= (?:when|if|only)\b)", "happens"),
    _Phrase("help", r"\b[Aa]ssist(?= (?:the|you|me|him|her|them|us|a)\b)", "help"),
    _Phrase("aim", r"\b[Yy]our (?:goal|objective) is(?= to\b)", "your aim is"),
    _Phrase("aim", r"\b[Mm]y (?:goal|objective) is(?= to\b)", "my aim is"),
    _Phrase("aim", r"\b[Tt]he (?:goal|objective) is(?= to\b)", "the aim is"),
    _Phrase("subsequently", r"\b[Ss]ubsequently(?=,)", "afterwards"),
    _Phrase("therefore", r"^Thus(?=, )", "therefore"),
    _Phrase("thus", r"^Therefore(?=, )", "thus"),
    _Phrase("as-a-result", r"^Consequently(?=, )", "as a result"),
    _Phrase("consequently", r"^As a result(?=, )", "consequently"),
    _Phrase("get", r"\breceives(?= (?:an?|the|" + MASK + r")(?!\w))", "gets"),
    _Phrase("try", r"\battempts to(?= [a-z])", "tries to"),
    _Phrase("try", r"\battempting to(?= [a-z])", "trying to"),
    _Phrase("try", r"\battempted to(?= [a-z])", "tried to"),
    _Phrase("if", r"\bin the event that\b", "if"),
)
_FIND = re.compile("|".join(f"({phrase.pattern})" for phrase in PHRASES))


def phrase_edits(passage: Passage) -> dict[str, list[Edit]]:
    """For each rule that applies, every place where it does."""
    found: dict[str, list[Edit]] = {}
    for sentence in passage.statements:
        for match in _FIND.finditer(sentence.own):
            phrase = PHRASES[match.lastindex - 1]  # type: ignore[operator]
            if re.search(phrase.not_after, sentence.own[: match.start()]):
                continue
            new = phrase.new
            if match[0][0].isupper():
                new = new[0].upper() + new[1:]
            found.setdefault(phrase.name, []).append(
                Edit(sentence.start + match.start(), sentence.start + match.end(), new)
            )
    return found
