"""Fixed phrases that say exactly the same, each with the surroundings in which it is safe to change."""

from __future__ import annotations

import re

from otherwords.variants.passages import Passage
from otherwords.variants.protect import MASK, Edit

_SHOWN_ONE = (
    "question|problem|function|code|text|passage|table|list|sentence|paragraph|data|dataset|statement|equation"
    "|expression|information|article|conversation|email|message|review|example|format|scenario|situation|task"
    "|query|string|input|schema|snippet|program|script|log|error|poem|story|argument|case|document|abstract"
    "|transcript|recipe|dialogue"
)
_SHOWN_MANY = (
    "questions|problems|functions|tables|lists|sentences|paragraphs|statements|equations|expressions|reviews"
    "|examples|steps|requirements|rules|instructions|conditions|tasks|numbers|words|items|constraints|facts"
    "|options|clues|premises"
)
_OBJECT = rf" (?:an?|the|his|her|its|their|some|two|three|four|five|six|ten|another|{MASK})(?!\w)"
_VERB = r" [a-z]"
_START = r"^"
_NEAR_START = r"^(?:[A-Za-z]+ ){1,5}"
_WORD_OR_SPAN = rf"[\w{MASK[1:-1]}] "
_NOT_IN_UNITS = rf"(?<!\bin )(?<!\w)[\w{MASK[1:-1]}]+ "
_WE = r"\b(?:[Yy]ou|[Ww]e|I) "
_CLAUSE_WE = r"(?:^|, |\b(?:and|because|but|so) )(?:[Yy]ou|[Ww]e|I) "
_CHECKED = r"\b(?:[Cc]heck|[Dd]etermine|[Vv]erify|[Ff]ind out|[Ff]igure out) "
_BE = r"\b(?:is|are|be) "
_OWNER = r" (?:an?|the|its|his|her|their|your|my)\b"
_SHOWN_PLACE = r" (?:in|on|at)\b|[.,]"
_PERIOD = r" (?:day|week|month|year|minute|person|night|mile|gallon|pound|box)\b"


class Phrase:
    """`old` may be said as `new` where `before` ends what comes before it and `after` begins what follows."""

    def __init__(self, name: str, old: str, new: str, *, before: str = "", after: str = "") -> None:
        self.name = name
        self.new = new
        self.trigger = max(re.findall("[a-z]+", old.lower()), key=len)
        first = f"[{old[0].upper()}{old[0].lower()}]" if before != _START else old[0].upper()
        self._rest = old[1:]
        self._old = re.compile(rf"{first}(?<!\w.){re.escape(old[1:])}(?!\w)(?={after})")
        self._before = re.compile(rf"(?:{before})$") if before else None

    def edits_in(self, text: str, offset: int) -> list[Edit]:
        found: list[Edit] = []
        rest = text.find(self._rest, 1)
        while rest > 0:
            match = self._old.match(text, rest - 1)
            if match and (self._before is None or self._before.search(text, 0, match.start())):
                new = self.new[0].upper() + self.new[1:] if match[0][0].isupper() else self.new
                found.append(Edit(offset + match.start(), offset + match.end(), new))
            rest = text.find(self._rest, rest + 1)
        return found


PHRASES: tuple[Phrase, ...] = (
    Phrase("this-thing", "the following", "this", after=rf" (?:\w+ )?(?:{_SHOWN_ONE})(?: \w+)?:"),
    Phrase("these-things", "the following", "these", after=rf" (?:\w+ )?(?:{_SHOWN_MANY})(?: \w+)?:"),
    Phrase(
        "following-thing", "this", "the following", before=_NEAR_START, after=rf" (?:\w+ )?(?:{_SHOWN_ONE}):"
    ),
    Phrase(
        "following-things",
        "these",
        "the following",
        before=rf"{_NEAR_START}(?<![Ff]ollow )",
        after=rf" (?:\w+ )?(?:{_SHOWN_MANY}):",
    ),
    Phrase("in-order-to", "in order to", "to", after=r" (?!be |have )[a-z]"),
    Phrase("make-sure", "ensure that", "make sure that"),
    Phrase("make-sure", "ensure", "make sure", before=_START, after=r" (?:the|all|your|every|each|it)\b"),
    Phrase("ensure", "make sure that", "ensure that"),
    Phrase("ensure", "make sure", "ensure", after=r" (?:the|all|your|you|every|each|it)\b"),
    Phrase("be-sure", "make sure", "be sure", before=_START, after=" to "),
    Phrase("whether", "if", "whether", before=_CHECKED),
    Phrase("have-to", "need to", "have to", before=_CLAUSE_WE, after=r" (?!have\b)[a-z]"),
    Phrase("have-to", "must", "have to", before=_CLAUSE_WE, after=r" (?!have\b|be\b|not\b)[a-z]"),
    Phrase("want-to", "would like to", "want to", before=_WE, after=_VERB),
    Phrase("wish-to", "want to", "wish to", before=_WE, after=_VERB),
    Phrase("before", "prior to", "before"),
    Phrase("about-so-many", "approximately", "about", after=f" {MASK}"),
    Phrase("approximately", "about", "approximately", before=r"\b(?:is|of|at|or|in) ", after=f" {MASK}"),
    Phrase("use", "utilize", "use"),
    Phrase("use", "utilizes", "uses"),
    Phrase("use", "utilizing", "using"),
    Phrase("for-instance", "for example", "for instance", after=","),
    Phrase("for-example", "for instance", "for example", after=","),
    Phrase("for-example", "e.g.", "for example", after=","),
    Phrase("that-is", "i.e.", "that is", after=","),
    Phrase("in-addition", "additionally", "in addition", before=_START, after=","),
    Phrase("in-addition", "also", "in addition", before=_START, after=", "),
    Phrase("additionally", "in addition", "additionally", before=_START, after=","),
    Phrase("furthermore", "moreover", "furthermore", before=_START, after=","),
    Phrase("due-to-fact", "due to the fact that", "because"),
    Phrase("suppose-that", "assume", "suppose", before=_START, after=r" (?:that|the|an?|you|we|all) \w"),
    Phrase("assume-that", "suppose", "assume", before=_START, after=r" (?:that|the|an?|you|we|all) \w"),
    Phrase("altogether", "in total", "altogether", after=r"\?"),
    Phrase("in-total", "altogether", "in total", after=r"\?"),
    Phrase("purchase", "buys", "purchases", after=_OBJECT),
    Phrase("purchase", "bought", "purchased", after=_OBJECT),
    Phrase("buy", "purchases", "buys", after=_OBJECT),
    Phrase("buy", "purchased", "bought", after=_OBJECT),
    Phrase("start", "begins", "starts", after=r" (?:to|at|with|in|on|by)\b"),
    Phrase("start", "began", "started", after=r" (?:to|at|with|in|on|by)\b"),
    Phrase("begin", "starts", "begins", after=r" (?:to|at|with|by)\b"),
    Phrase("begin", "started", "began", after=r" (?:to|with|by)\b"),
    Phrase("a-day", "per", "a", before=_NOT_IN_UNITS, after=_PERIOD),
    Phrase("an-hour", "per", "an", before=_NOT_IN_UNITS, after=r" hour\b"),
    Phrase("about", "regarding", "about", after=r" (?:the|your|my|an?|his|her|their|this|that)\b"),
    Phrase("about", "concerning", "about", after=r" (?:the|your|my|an?|his|her|their)\b"),
    Phrase("equals", "is equal to", "equals", before=_WORD_OR_SPAN),
    Phrase("navigate", "go to", "navigate to", before=_START, after=" (?:the|any|an?|your|[A-Z])"),
    Phrase("click", "click on", "click", after=" (?:the|any|an?|your|it|[A-Z])"),
    Phrase("notice", "observe that", "notice that", before=_START),
    Phrase("observe", "notice that", "observe that", before=_START),
    Phrase("sign-in", "log in", "sign in", after=r" (?:to|with|as)\b|[.,]"),
    Phrase("log-in", "sign in", "log in", after=r" (?:to|with|as)\b|[.,]"),
    Phrase("shown", "displayed", "shown", before=_BE),
    Phrase("displayed", "shown", "displayed", before=_BE, after=_SHOWN_PLACE),
    Phrase("currently", "at the moment", "currently", before=_START, after=",? "),
    Phrase("due-to", "because of", "due to", after=_OWNER),
    Phrase(
        "because-of",
        "due to",
        "because of",
        before=r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbe )",
        after=_OWNER,
    ),
    Phrase("note", "please note that", "note that", before=_START),
    Phrase("please-note", "note that", "please note that", before=_START),
    Phrase("immediately", "right away", "immediately", after="[.,]"),
    Phrase("right-away", "immediately", "right away", after="[.,]"),
    Phrase("request", "asks for", "requests", after=r" (?:the|an?|your|his|her)\b"),
    Phrase("request", "ask for", "request", after=r" (?:the|an?|your)\b"),
    Phrase("inform", "tell", "inform", after=r" (?:the [a-z]+|him|her|them) that\b"),
    Phrase("receive", "get", "receive", after=r" an? (?:full )?(?:refund|discount|reply|response)\b"),
    Phrase("search-for", "looking for", "searching for", after=r" (?:the|an?|some|any)\b"),
    Phrase("determine", "find out", "determine", after=r" (?:whether|how|why|which|what|when)\b"),
    Phrase("happen", "occurs", "happens", after=r" (?:when|if|only)\b"),
    Phrase("help", "assist", "help", after=r" (?:the|you|me|him|her|them|us|a)\b"),
    Phrase("aim", "goal is", "aim is", after=r" to\b"),
    Phrase("aim", "objective is", "aim is", after=r" to\b"),
    Phrase("afterwards", "subsequently", "afterwards", after=","),
    Phrase("therefore", "thus", "therefore", before=_START, after=", "),
    Phrase("thus", "therefore", "thus", before=_START, after=", "),
    Phrase("as-a-result", "consequently", "as a result", before=_START, after=", "),
    Phrase("consequently", "as a result", "consequently", before=_START, after=", "),
    Phrase("get", "receives", "gets", after=rf" (?:an?|the|{MASK})(?!\w)"),
    Phrase("try", "attempts to", "tries to", after=_VERB),
    Phrase("try", "attempting to", "trying to", after=_VERB),
    Phrase("try", "attempted to", "tried to", after=_VERB),
    Phrase("if", "in the event that", "if"),
)
_BY_TRIGGER: dict[str, list[int]] = {}
for _place, _phrase in enumerate(PHRASES):
    _BY_TRIGGER.setdefault(_phrase.trigger, []).append(_place)
_TRIGGERS = frozenset(_BY_TRIGGER)


def phrase_edits(passage: Passage) -> dict[str, list[Edit]]:
    """For each rule that applies, every place where it does."""
    found: dict[str, list[Edit]] = {}
    for place in sorted([place for word in _TRIGGERS & passage.words for place in _BY_TRIGGER[word]]):
        phrase = PHRASES[place]
        edits = [edit for one in passage.statements for edit in phrase.edits_in(one.own, one.start)]
        if edits:
            found[phrase.name] = sorted([*found.get(phrase.name, ()), *edits])
    return found
