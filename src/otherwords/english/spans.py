"""A text → its sentences, and its protected spans: the parts that no rewording may touch.

They are found in one place because the variants must keep them and the checks must see that they were kept.
Protecting too much costs a little variety; protecting too little changes the problem. In doubt, protect.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    start: int
    end: int
    kind: str


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_UNIT = (
    r"(?:%|°\s?[CFK]?|[kcmµμnMG]?(?:m|g|s|L|l|J|W|V|A|N|Hz|Pa|eV|mol|B|bit|K|M)[²³]?|cm\^?[23]|h|min|ft|lbs?|oz|mph"
    r"|percent|degrees?(?: (?:Celsius|Fahrenheit))?|dollars?|euros?|cents?|pounds?|ounces?|tons?|tonnes?"
    r"|(?:kilo|centi|milli)?(?:met(?:er|re)s?|grams?|lit(?:er|re)s?)|kilobytes?|megabytes?|gigabytes?"
    r"|miles?|inch(?:es)?|feet|foot|yards?|acres?|hectares?|gallons?|cups?|million|billion|trillion|thousand|hundred"
    r"|seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centuries|century|a\.m\.|p\.m\.|am|pm|BCE?|CE|AD)"
)
_MEASURED = rf"{_UNIT}(?:/\w+)?(?!\w)"
_UP_TO_DOLLAR = r"[^$\n]*\$(?:(?<=[^\s$]\$)|\$)(?!\d)"  # "x + y$" after another, but not "5 and $6"
_OPERAND = (
    r"[-−+]?(?:\d+(?:[.,]\d+)*[A-Za-z]?[²³]?|[A-Za-z]\([^()\n]{1,40}\)|\([^()\n]{1,40}\)|[A-Za-z][²³₀-₉]?)%?"
)
_OPERATOR = r"(?:[<>=!]=|[-+*/=<>^×÷·−–≤≥≠≈])"
_EXTENSION = (
    r"(?:py|js|ts|c|cpp|h|rs|go|java|rb|sh|txt|csv|tsv|jsonl?|ya?ml|toml|xml|html|md|pdf|png|jpe?g|zip|log)"
)

_KINDS: tuple[tuple[str, str], ...] = (
    ("private", "[\U000f0000-\U000ffffd]"),
    ("fence", r"(?P<tick>`{3,}|^[ \t]*~{3,})[^`\n]*\n[\s\S]*?(?:^[ \t]*(?P=tick)[`~]*|\Z)"),
    ("code", r"(?P<quote>`+)(?!`)[^\n]+?(?<!`)(?P=quote)(?!`)"),
    ("url", r"\b(?:https?|ftp|file)://[^\s<>\"'`]*[\w/#=&%~+-]|\bwww\.[^\s<>\"'`]*[\w/]"),
    ("email", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    (
        "formula",
        rf"\$\$[\s\S]+?\$\$|\$(?=\S){_UP_TO_DOLLAR}"
        r"|\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]",
    ),
    (
        "placeholder",
        r"\{\{[^{}\n]*\}\}|\$?\{[^{}\n]*\}|</?[A-Za-z_][\w ./-]*>|%\(\w+\)[sd]|%[sd]\b"
        r"|\[[A-Z][A-Z0-9_ ]*\]|_{2,}",
    ),
    (
        "label",
        r"^[ \t]*(?:\([A-Za-z0-9]{1,2}\)|(?:[A-Za-z]|\d{1,2})[.)]|[-*+•]|#{1,6})(?=[ \t])"
        r"|\([A-Ha-h]\)|\b[Oo]ptions? [A-H]\b",
    ),
    (
        "path",
        r"(?<![\w/])(?:~|\.{1,2})?/[\w.-]*\w(?:/[\w.-]*\w)*/?|\b[A-Za-z]:\\[^\s\"']+"
        rf"|\b[\w-]+(?:/[\w.-]*\w)*\.{_EXTENSION}\b",
    ),
    (
        "date",
        r"\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b"
        rf"|\b(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?){_MONTH}\b(?:,? \d{{4}}\b)?"
        rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b{_MONTH},? \d{{4}}\b"
        r"|\b\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?",
    ),
    (
        "quoted",
        r"\"(?:[^\"\n]|\n(?![ \t]*\n))+\"|“[^”]+”|«[^»]+»|‘[^’\n]+’(?!\w)"
        r"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)",
    ),
    ("formula2", rf"(?<![\w.]){_OPERAND}(?: ?{_OPERATOR} ?{_OPERAND})+(?![\w(])|\b\d+(?::\d+)+\b"),
    ("formula3", r"\b[A-Za-z]+(?:-?\d)[\w-]*\b(?:\([\w,]*\))?|\b\w*[²³¹⁰⁴-⁹₀-₉]\w*"),
    (
        "number",
        r"(?:(?<![\w)])[-+−±])?[$€£¥₹]?\d+(?:,\d{3})*(?:\.\d+)*(?:[eE][-+]?\d+\b)?\w*"
        rf"(?:[ -]?{_MEASURED})?",
    ),
    ("caps", r"\b(?:[A-Z]\.){2,}|\b[A-Z]{2,}(?:['’-][A-Z]+)*s?\b|\b[A-Z][a-z]?[A-Z]\w*|\b[a-z]+[A-Z]\w*"),
)
OPENS_SPAN = "Option|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
"""As a regular expression: how words open that a letter or a number after them may make a span of."""
# What no span starts in is passed over at once, since this is most of most prompts: runs of small letters up
# to a gap, ordinary words, and what comes between a span and the next word. A letter before an operator is
# left to the formulas.
_SMALL = r"(?:[a-z]|(?<=\S)[ ,;])[a-z ,;]*(?<=[ ,;])(?<!option )(?<!options )(?![-+*/=<>^×÷·−–≤≥≠≈!])"
_ORDINARY = (
    rf"(?:{_SMALL}|(?:[a-np-zBCEGHIKLPQRTU-Z]|(?!option|{OPENS_SPAN})[A-Zo])"
    r"[a-z]+(?:(?:-[a-z]+)*(?:['’][a-z]+)?[,;?!).:]*(?:[ \n]|\Z))|[aAI] (?=[a-z]))"
)
_PASSED_OVER = rf"{_ORDINARY}+|(?<=\S)[,;?!).:]*(?: {_ORDINARY}*|\Z(?<=[,;?!).:]))"
# Most numbers are digits between words, which can be nothing else.
_PLAIN_NUMBER = (
    rf"(?<=\S )(?:\$(?!{_UP_TO_DOLLAR}))?\d+(?= (?!of [A-Z])[a-z]|[,.?;](?: |\Z))(?: {_MEASURED})?"
)
_ALL = (("number2", _PLAIN_NUMBER), *_KINDS)
_SCAN = re.compile(
    "|".join([_PASSED_OVER, *(f"(?P<{name}>{pattern})" for name, pattern in _ALL), r"[A-Za-z]+|[\s\S]"]),
    re.MULTILINE,
)


_KIND_OF = {name: name.rstrip("23") for name, _ in _ALL}


@lru_cache(maxsize=256)
def find_spans(text: str) -> tuple[Span, ...]:
    """The protected spans of `text`, left to right, never overlapping."""
    return tuple(
        [
            Span(*match.span(), _KIND_OF[kind])
            for match in _SCAN.finditer(text)
            if (kind := match.lastgroup) is not None
        ]
    )


def span_texts(text: str) -> tuple[str, ...]:
    """What the protected spans say, sorted, so that two texts are soon compared."""
    found = [match[0].strip() for match in _SCAN.finditer(text) if match.lastgroup is not None]
    return tuple(sorted(found))


def same_spans(before: str, after: str) -> bool:
    """Whether the protected spans of both say the same, each as often."""
    if before == after:
        return True
    first, last, new_last = change(before, after)
    said = [before[start:end].strip() for start, end, _ in find_spans(before) if first <= start < last]
    return tuple(sorted(said)) == span_texts(after[first:new_last])


def protected_texts(text: str) -> Counter[str]:
    """What the protected spans say, as a multiset."""
    return Counter(span_texts(text))


_OPENING = frozenset("\"“«‘`\\{~$<'")
_OPENS = re.compile(  # a set first, since `re` soon finds those
    r"[\"“«‘`\\{~$<'](?:(?<=\$)(?!\d)|(?<=<)(?=[A-Za-z/_])|(?<=')(?<!\w')|(?<![$<']))"
)
_SENTENCE_END = re.compile(
    r"[.?!:\n](?:(?<=\n)|(?:(?<=[a-z]{3}.)|(?<=[a-z]/[a-z].)|(?<=\d\d.)) (?=[A-Z][a-z]|[AI] ))"
)


Change: TypeAlias = "tuple[int, int, int]"
"""Where two texts differ: from the first place on, to the second in the one and to the third in the other."""


def change(before: str, after: str) -> Change:
    """The sentences and lines in which both differ: without those that are the same at either end.

    All of both where something is opened that may go over the end of a sentence.
    """
    parts = sentences(before)
    if not parts:
        return 0, len(before), len(after)
    first, last = 0, len(parts)
    start, end, new_end = 0, len(before), len(after)
    for part in parts:
        if not after.startswith(part, start):
            break
        start += len(part)
        first += 1
    for part in reversed(parts[first:]):
        if not after.endswith(part, start, new_end):
            break
        last -= 1
        end -= len(part)
        new_end -= len(part)
    if _may_open(after[max(0, start - 1) : new_end + 1]) and _OPENS.search(after):
        return 0, len(before), len(after)
    while first and not _ends_at(after, start):
        first -= 1
        start -= len(parts[first])
    while last < len(parts) and not _ends_at(after, new_end):
        end += len(parts[last])
        new_end += len(parts[last])
        last += 1
    return start, end, new_end


def sentences(text: str) -> tuple[str, ...]:
    """With the gaps after them; none where something is opened that may go over the end of one."""
    if _OPENS.search(text):
        return ()
    ends = [0, *[match.end() for match in _SENTENCE_END.finditer(text)], len(text)]
    return tuple([text[start:end] for start, end in pairwise(ends)])


def _may_open(text: str) -> bool:
    """It has what may go over the end of a sentence, such as a quotation or code."""
    return not _OPENING.isdisjoint(text)


def _ends_at(text: str, place: int) -> bool:
    """A sentence or a line of `text` ends there."""
    if place in (0, len(text)) or text[place - 1] == "\n":
        return True
    match = _SENTENCE_END.match(text, max(0, place - 2))
    return match is not None and match.end() == place


_ADDRESSED = re.compile(r"\s+(?:You|Your|If|I|My)\b[^={}<>|]*[.?!,]\s*$")


def is_addressed_line(line: str) -> bool:
    """Whether it is an indented line that speaks to the reader in a punctuated sentence."""
    return bool(_ADDRESSED.match(line))
