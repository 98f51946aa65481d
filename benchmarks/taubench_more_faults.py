"""Faults of other kinds than those of taubench_faults.py, planted into wordings of tau-bench, seeded."""

# ruff: noqa: E501

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from taubench_faults import CONDITION, NAME, SENTENCE, Plant, content

BRANCH = [
    (
        r"\byou (?=(?:want|wish|prefer|ask|say|mention|provide|accept|agree|insist|request|give|tell|name)\b)",
        "you do not ",
    ),
    (r"\byou would like\b", "you would not like"),
    (r"\byou'd like\b", "you wouldn't like"),
    (r"\byou are (?=(?:willing|prepared|ready|fine|okay|ok|happy)\b)", "you are not "),
    (r"\byou're (?=(?:willing|prepared|ready|fine|okay|ok|happy|up)\b)", "you're not "),
    (
        r"\b(?<!to )(?=(?:ask|say|mention|accept|request|cancel|proceed|insist|provide|go ahead|inquire|agree)\b)",
        "do not ",
    ),
]
PROHIBITION = [
    ("do not want", "want"),
    ("don't want", "want"),
    ("do not wish", "wish"),
    ("would not like", "would like"),
    ("must not", "must"),
    ("are not to be", "are to be"),
    ("is not to be", "is to be"),
    ("not willing", "willing"),
    ("do not", "do"),
    ("don't", "do"),
    ("never", "always"),
    ("without", "with"),
    ("no ", "some "),
]
OPTIONS = re.compile(
    r"\b(?:black|white|red|blue|green|silver|gold|purple|pink|grey|gray|yellow|brown|beige|leather|cotton|polyester|"
    r"wooden|wood|plastic|metal|glass|ceramic|maple|bamboo|stainless steel|aluminum|induction|gas|electric|small|medium|"
    r"large|bagless|canister|robotic|wired|wireless|XXL|XL|[SML](?= size)|\d+(?:\.\d+)?[ -](?:inch|liters?|pieces?|GB|ml|"
    r"mm|hours|ft))\b"
)
CHOICES = re.compile(
    r"\b(?:gift card|credit card|certificate|paypal|travel voucher|original payment method|basic economy|economy|"
    r"business|first class|nonstop|one-stop|one stop|refund|voucher|transfer|exchange|return|cancel)\b",
    re.I,
)
DATE = re.compile(
    r"\b((?:January|February|March|April|May|June|July|August|September|October|November|December) )(\d{1,2})\b"
)
HOUR = re.compile(r"\b(\d{1,2}(?::\d\d)? ?)([ap])(\.?m\b)")
REASON = re.compile(r"\b(?:because|since|as(?= you\b)|given that|seeing as)\b(?! soon| much| many)", re.I)
ACTIONS = [
    ("return", "exchange"),
    ("exchange", "return"),
    ("cancel", "modify"),
    ("cancelled", "modified"),
    ("modify", "cancel"),
    ("add", "remove"),
    ("remove", "add"),
    ("removed", "added"),
    ("upgrade", "downgrade"),
    ("downgrade", "upgrade"),
    ("book", "cancel"),
    ("keep", "return"),
]
EXTENT = [
    ("only", ""),
    ("all", "some of"),
    ("both", "one of the"),
    ("except", "including"),
    ("apart from", "including"),
    ("every", "one"),
    ("same", "other"),
    ("most recent", "oldest"),
    ("at the same time", "at different times"),
    ("exactly", "roughly"),
    ("nonstop", "one-stop"),
    ("entire", "half the"),
]
MOODS = [
    ("polite", "rude"),
    ("rude", "polite"),
    ("patient", "impatient"),
    ("impatient", "patient"),
    ("happy", "sad"),
    ("sad", "cheerful"),
    ("organized", "messy"),
    ("messy", "tidy"),
    ("shy", "outgoing"),
    ("outgoing", "shy"),
    ("optimistic", "pessimistic"),
    ("pessimistic", "optimistic"),
    ("flexible", "rigid"),
    ("rigid", "flexible"),
    ("busy", "bored"),
    ("confident", "insecure"),
    ("insecure", "confident"),
    ("cautious", "careless"),
    ("logical", "emotional"),
    ("angry", "calm"),
    ("brief", "wordy"),
    ("private", "open"),
    ("reluctant", "glad"),
    ("independent", "dependent"),
]


def put(text: str, start: int, end: int, new: str) -> str:
    if text[start : start + 1].isupper():
        new = new[:1].upper() + new[1:]
    return text[:start] + new + text[end:]


def word_for_word(text: str, rng: random.Random, pairs: Sequence[tuple[str, str]]) -> str | None:
    made = [
        put(text, m.start(), m.end(), new)
        for old, new in pairs
        for m in re.finditer(rf"(?i)(?<![\w-]){re.escape(old)}(?![\w-])", text)
    ]
    return rng.choice(made) if made else None


def negated_branch(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """What is to be done if the condition holds is denied; the condition stays."""
    made = []
    for sentence in SENTENCE.finditer(text):
        conditions = list(CONDITION.finditer(sentence[0]))
        for old, new in BRANCH if conditions else ():
            for m in re.finditer(old, sentence[0], re.I):
                if not any(c.start() <= m.start() < c.end() for c in conditions):
                    made.append(put(text, sentence.start() + m.start(), sentence.start() + m.end(), new))
    return rng.choice(made) if made else None


def dropped_not(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    made = []
    for sentence in SENTENCE.finditer(text):
        if re.search(r"remember|recall|know|memory|sure|worry", sentence[0]) or CONDITION.search(sentence[0]):
            continue
        for old, new in PROHIBITION:
            m = re.search(rf"\b{old}" + r"\b" * (old[-1] != " "), sentence[0], re.I)
            if m:
                made.append(put(text, sentence.start() + m.start(), sentence.start() + m.end(), new))
                break
    return rng.choice(made) if made else None


def exchanged(pattern: re.Pattern[str], text: str, rng: random.Random) -> str | None:
    found = list(pattern.finditer(text))
    pairs = [
        (a, b)
        for i, a in enumerate(found)
        for b in found[i + 1 :]
        if a[0].lower() != b[0].lower()
        and not re.fullmatch(
            r"[\s,;/&()+'\"]*(?:\b(?:and|or|then)\b[\s,]*)?(?:the |a )?", text[a.end() : b.start()]
        )
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def exchanged_options(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    return exchanged(OPTIONS, text, rng)


def exchanged_choices(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """First and second choice of a payment, a cabin, a remedy."""
    return exchanged(CHOICES, text, rng)


def dropped_fallback(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """What to do if the first wish is refused."""
    refused = re.compile(
        r"\b(?:not|cannot|can't|isn't|doesn't|won't|impossible|unable|refus\w+|fails?|unavailable|no)\b|n't"
    )
    found = [
        m
        for m in SENTENCE.finditer(text)
        if any(refused.search(c[0]) for c in CONDITION.finditer(m[0]))
        or re.match(r"\s*(?:failing|otherwise|if not|if that fails)\b", m[0], re.I)
    ]
    if not found:
        return None
    one = rng.choice(found)
    return (text[: one.start()].rstrip(" ") + text[one.end() :]).strip()


def moved_date(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """Often to another date of the same text."""
    found: list[re.Match[str]] = [*DATE.finditer(text), *HOUR.finditer(text)]
    if not found:
        return None
    one = rng.choice(found)
    if one.re is HOUR:
        return put(text, one.start(), one.end(), one[1] + ("a" if one[2] == "p" else "p") + one[3])
    others = sorted({m[2] for m in DATE.finditer(text)} - {one[2]})
    day = rng.choice([*others, str(int(one[2]) % 28 + 1)])
    return put(text, one.start(), one.end(), one[1] + day)


def replaced_name(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """One mention of a name becomes another name of the same text."""
    found = [m for m in NAME.finditer(text) if m[0].lower() not in ("you", "your", "may", "the", "usa")]
    names = sorted({m[0] for m in found})
    if len(names) < 2:
        return None
    one = rng.choice(found)
    kind = [name for name in names if name != one[0] and name.isupper() == one[0].isupper()]
    return text[: one.start()] + rng.choice(kind) + text[one.end() :] if kind else None


def reason_as_condition(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    made = [
        put(text, m.start(), m.end(), rng.choice(["only if", "unless", "and demand that"]))
        for m in REASON.finditer(text)
    ]
    return rng.choice(made) if made else None


def invented_id(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    new = rng.choice(
        [
            f" The order number is #W{rng.randrange(10**6, 10**7)}.",
            f" It is reservation {''.join(rng.choice(letters + '23456789') for _ in range(5))}{rng.randrange(2, 10)}.",
            f" Your card ends in {rng.randrange(1000, 10000)}.",
            f" You paid ${rng.randrange(20, 900)} for it.",
        ]
    )
    ends = [m.end() for m in SENTENCE.finditer(text) if m[0].rstrip().endswith((".", "!", "?"))]
    at = rng.choice(ends) if ends else len(text)
    return text[:at] + new + text[at:]


def fact_of_another(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    """A sentence of another scenario that says at least two things that this one does not."""
    own = content(text)
    fits = [s for s in other if len(content(s) - own) >= 2 and len(s.split()) <= 25]
    ends = [m.end() for m in SENTENCE.finditer(text) if m[0].rstrip().endswith((".", "!", "?"))]
    if not fits or not ends:
        return None
    at = rng.choice(ends)
    return text[:at].rstrip() + " " + rng.choice(fits).strip() + " " + text[at:].lstrip(" ")


def other_action(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    return word_for_word(text, rng, ACTIONS)


def other_extent(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    return word_for_word(text, rng, EXTENT)


def other_mood(text: str, rng: random.Random, other: Sequence[str]) -> str | None:
    return word_for_word(text, rng, MOODS)


MORE_KINDS: dict[str, tuple[Plant, ...]] = {
    "negated_branch": (negated_branch,),
    "dropped_not": (dropped_not,),
    "exchanged_options": (exchanged_options,),
    "exchanged_choices": (exchanged_choices,),
    "dropped_fallback": (dropped_fallback,),
    "moved_date": (moved_date,),
    "replaced_name": (replaced_name,),
    "reason_as_condition": (reason_as_condition,),
    "invented_id": (invented_id,),
    "fact_of_another": (fact_of_another,),
    "other_action": (other_action,),
    "other_extent": (other_extent,),
    "other_mood": (other_mood,),
}
