"""Faults planted into wordings of tau-bench's scenarios, seeded: what a writer may get wrong, in seven kinds.

The first four are what the validator must find; the others show where else it is blind.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

ID = re.compile(r"#?\b(?=[\w.@-]*\d)(?=[\w.@-]*[A-Za-z_])[\w.@-]{5,}\w|\b[A-Z0-9]{6}\b")
NUMBER = re.compile(
    r"(?<![\w.@#$-])\$?\d[\d,]*(?:\.\d+)?(?![\w@-])|\b(?:two|three|four|five|six|seven|eight)\b"
)
NAME = re.compile(r"(?<![.!?:\n\"'(] )(?<![.!?:\n\"'(])(?<!^)\b[A-Z][a-z]{2,}\b|\b[A-Z]{3}\b")
SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?")
CONDITION = re.compile(
    r"(?<!see )(?<!know )(?<!wonder )(?<!check )(?<!ask )(?<!is )(?<!only )"
    r"\b(?:if|unless|in case|in the event that|"
    r"should(?= (?:the|they|it|that|there|any))|provided(?: that)?|"
    r"when(?= (?:the |service )*(?:agent|they|asked)))\b[^,.;:!?\n]{8,}?(?:[,:] (?:then )?|(?=[.;!?\n]|$))",
    re.I,
)
DENIAL = re.compile(
    r"\b(?:do not|don't|never|must not|mustn't|without|not want|are not|no circumstances|not to)\b", re.I
)
DIGITS = re.compile(r"(?<![\w.@#$-])\d+(?:\.\d+)?(?![\w@.,-])")
WORDS = ["two", "three", "four", "five", "six", "seven", "eight"]
TURNED = [
    ("cheapest", "most expensive"),
    ("most expensive", "cheapest"),
    ("less than", "more than"),
    ("more than", "less than"),
    ("under \\$", "over $"),
    ("at most", "at least"),
    ("at least", "at most"),
    ("earliest", "latest"),
    ("as much as", "as little as"),
    ("or higher", "or lower"),
    ("or above", "or below"),
    ("fastest", "slowest"),
    ("shortest", "longest"),
    ("lowest", "highest"),
    ("before (?=\\d)", "after "),
    ("up to (?=\\$)", "no less than "),
    ("smaller", "larger"),
    ("larger", "smaller"),
    ("bigger", "smaller"),
    ("as soon as possible", "as late as possible"),
    ("second cheapest", "second most expensive"),
]
RANKED = re.compile(
    r"\b([\w$'-]+(?: [\w'-]+)?) (over|rather than|instead of|ahead of|in preference to) (?:the |a |an )?"
    r"([\w$'-]+(?: card| \w+)?)",
    re.I,
)
PREFER = re.compile(r"prefer|rather|favou?r|choice|choose|rank", re.I)


def swapped_id(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    found = list(ID.finditer(text))
    if not found:
        return None
    one = rng.choice(found)
    s = one[0]
    places = [p for p in range(len(s) - 1) if s[p].isalnum() and s[p + 1].isalnum() and s[p] != s[p + 1]]
    if not places:
        return None
    p = rng.choice(places)
    return text[: one.start()] + s[:p] + s[p + 1] + s[p] + s[p + 2 :] + text[one.end() :]


def changed_number(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    found = list(NUMBER.finditer(text))
    if not found:
        return None
    one = rng.choice(found)
    s = one[0]
    if s.lower() in WORDS:
        new = rng.choice([w for w in WORDS if w != s.lower()])
    else:
        p = rng.choice([p for p, c in enumerate(s) if c.isdigit()])
        new = s[:p] + rng.choice([c for c in "123456789" if c != s[p]]) + s[p + 1 :]
    return text[: one.start()] + new + text[one.end() :]


JOINED = r"[\s,;/&()+'\"]*(?:\b(?:and|or|then)\b[\s,]*)?"
"""Between two things of a list, whose exchange changes nothing."""


def swapped_pair(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    kinds = []
    for pattern in (ID, NAME, DIGITS):
        seen = list(dict.fromkeys(m[0] for m in pattern.finditer(text)))
        pairs = [
            (a, b)
            for i, a in enumerate(seen)
            for b in seen[i + 1 :]
            if a.lower() != b.lower()
            and a not in b
            and b not in a
            and not re.search(
                rf"{re.escape(a)}{JOINED}{re.escape(b)}|{re.escape(b)}{JOINED}{re.escape(a)}", text
            )
        ]
        kinds += [pairs] if pairs else []
    if not kinds:
        return None
    a, b = rng.choice(rng.choice(kinds))
    return re.sub(rf"(?<!\w)(?:{re.escape(a)}|{re.escape(b)})(?!\w)", lambda m: b if m[0] == a else a, text)


def lost_condition(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    found = list(CONDITION.finditer(text))
    if not found:
        return None
    one = rng.choice(found)
    rest = text[one.end() :]
    before = text[: one.start()].rstrip(" ,")
    if not before or before[-1] in ".!?:;\n":
        rest = rest[:1].upper() + rest[1:]
    return f"{before} {rest}".strip()


UN = [
    ("is not", "is"),
    ("are not", "are"),
    ("cannot", "can"),
    ("can't", "can"),
    ("does not", "does"),
    ("doesn't", "does"),
    ("do not", "do"),
    ("don't", "do"),
    ("isn't", "is"),
    ("aren't", "are"),
    ("not possible", "possible"),
    ("impossible", "possible"),
    ("unavailable", "available"),
    ("unless", "if"),
    (" no ", " a "),
    ("won't", "will"),
    ("will not", "will"),
    (" not ", " "),
]
IN = [
    (" is ", " is not "),
    (" are ", " are not "),
    (" can ", " cannot "),
    (" has ", " does not have "),
    (" says ", " does not say "),
    (" asks ", " does not ask "),
    (" tells ", " does not tell "),
    (" offers ", " does not offer "),
    (" mentions ", " does not mention "),
    (" possible", " impossible"),
    (" available", " unavailable"),
]


def negated_condition(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    found = list(CONDITION.finditer(text))
    rng.shuffle(found)
    for one in found:
        s = one[0]
        for a, b in UN + IN:
            if a.lower() in s.lower():
                p = s.lower().index(a)
                return text[: one.start()] + s[:p] + b + s[p + len(a) :] + text[one.end() :]
        if re.match(r"if\b", s, re.I):
            return text[: one.start()] + ("Unless" if s[0] == "I" else "unless") + s[2:] + text[one.end() :]
    return None


def reversed_preference(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    made = []
    for m in RANKED.finditer(text):
        around = text[max(0, m.start() - 60) : m.end() + 30]
        if (m[2].lower() != "over" or PREFER.search(around)) and m[1].lower() != m[3].lower():
            made.append(text[: m.start(1)] + m[3] + text[m.end(1) : m.start(3)] + m[1] + text[m.end(3) :])
    for a, b in TURNED:
        made += [
            text[: m.start()] + b + text[m.end() :]
            for m in re.finditer(rf"\b{a}" + r"\b" * a[-1].isalpha(), text)
        ]
    return rng.choice(made) if made else None


def lost_prohibition(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    found = [
        m
        for m in SENTENCE.finditer(text)
        if DENIAL.search(m[0]) and not re.search(r"remember|recall|know", m[0])
    ]
    if not found:
        return None
    one = rng.choice(found)
    if rng.random() < 0.5:
        return (text[: one.start()].rstrip(" ") + text[one.end() :]).strip()
    for a, b in (
        ("do not want", "want"),
        ("don't want", "want"),
        ("do not", "do"),
        ("don't", "do"),
        ("never ", ""),
        ("without", "with"),
        ("must not", "must"),
        (" not ", " "),
    ):
        if a in one[0]:
            return text[: one.start()] + one[0].replace(a, b, 1) + text[one.end() :]
    return None


def content(s: str) -> set[str]:
    return {w.lower()[:5] for w in re.findall(r"[A-Za-z]{4,}", s)} - {
        "your",
        "with",
        "that",
        "this",
        "have",
        "want",
        "agent",
        "about",
        "from",
        "will",
        "would",
        "when",
    }


def added_fact(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """`other` are sentences of other scenarios in the same voice."""
    own = content(text)
    fits = [s for s in other if len(content(s)) >= 3 and len(content(s) & own) <= len(content(s)) * 0.34]
    if not fits:
        return None
    ends = [m.end() for m in SENTENCE.finditer(text) if m[0].rstrip().endswith((".", "!", "?"))] or [
        len(text)
    ]
    at = rng.choice(ends)
    return text[:at].rstrip() + " " + rng.choice(fits).strip() + " " + text[at:].lstrip(" ")


def lost_sentence(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    found = [m for m in SENTENCE.finditer(text) if len(content(m[0])) >= 3]
    if len(found) < 2:
        return None
    one = rng.choice(found)
    return (text[: one.start()].rstrip(" ") + text[one.end() :]).strip()


def lost_conditional(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """The whole sentence with its condition."""
    found = [m for m in SENTENCE.finditer(text) if CONDITION.search(m[0])]
    if not found:
        return None
    one = rng.choice(found)
    return (text[: one.start()].rstrip(" ") + text[one.end() :]).strip()


Plant = Callable[[str, random.Random, Sequence[str]], str | None]
KINDS: dict[str, tuple[Plant, ...]] = {
    "swapped_id": (swapped_id, changed_number, swapped_pair),
    "lost_condition": (lost_condition, lost_conditional),
    "reversed_preference": (reversed_preference,),
    "added_fact": (added_fact,),
}
FURTHER: dict[str, tuple[Plant, ...]] = {
    "negated_condition": (negated_condition,),
    "lost_prohibition": (lost_prohibition,),
    "lost_sentence": (lost_sentence,),
}


Key = tuple[str, str, str]
"""Benchmark, item and voice."""


def planted(
    wordings: Mapping[Key, str], each: int, seed: int, kinds: Mapping[str, tuple[Plant, ...]] = KINDS
) -> list[tuple[str, Key, str]]:
    """So many faults of each kind: its kind, where it is, and the faulty text."""
    rng = random.Random(seed)
    keys = sorted(wordings)
    sentences: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for d, i, v in keys:
        sentences.setdefault((d, v), []).extend((i, m[0]) for m in SENTENCE.finditer(wordings[d, i, v]))
    made: list[tuple[str, Key, str]] = []
    for kind, ways in kinds.items():
        count = 0
        while count < each:
            key = rng.choice(keys)
            other = [s for i, s in sentences[key[0], key[2]] if i != key[1]]
            faulty = ways[count % len(ways)](wordings[key], rng, other)
            if faulty is not None and faulty.split() != wordings[key].split():
                made.append((kind, key, faulty))
                count += 1
    return made
