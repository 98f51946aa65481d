""" "do not" ↔ "don't", "it is" ↔ "it's", where both are good English.

A full form at the end of its clause stays ("I know where it is"), and so does one after a comparison or a
question word, where the contraction would stand before a gap ("taller than he is now").
"""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.nouns import looks_verbal
from otherwords.variants.passages import Passage
from otherwords.variants.protect import MASK, Edit
from otherwords.variants.rule import Edits, Rule
from otherwords.variants.sentences import Sentence
from otherwords.variants.verbs import lexicon

_NEGATED = "do does did is are was were has have had would could"
_NOT = re.compile(  # from the space on, which `re` soon finds
    r" not\b(?:(?<=\b(?:do|is) not)|(?<=\b(?:did|are|was|has|had) not)|(?<=\b(?:does|were|have) not)"
    rf"|(?<=\b(?:would|could) not))(?= [a-z{MASK[1:-1]}])(?! (?:only|just|merely|simply|necessarily)\b)",
    re.I,
)
_CANNOT = re.compile(r"\b(can)(?:not| not)\b(?= [a-z])(?! (?:only|just|but|help)\b)", re.I)
_NT = re.compile(
    rf"\b({_NEGATED.replace(' ', '|')})n['’]t\b(?= [a-z])(?! (?:i|you|he|she|it|we|they|the|this|that"
    rf"|there)\b)",
    re.I,
)
_CANT = re.compile(
    r"\b(can)['’]t\b(?= [a-z])(?! (?:i|you|he|she|it|we|they|the|this|that|there|help)\b)", re.I
)
_WILL_NOT = re.compile(r"\bwill not\b(?= [a-z])(?! (?:only|just)\b)")
_WONT = re.compile(r"\bwon['’]t\b(?= [a-z])(?! (?:i|you|he|she|it|we|they|the|this|that|there)\b)")
_WILL = re.compile(
    r"(?<!\w)(?:I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)(?:( will)|( would)(?= like\b))(?= [a-z])(?! not\b)"
)
_LL = re.compile(r"\b(?:I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)(?:(['’]ll)|(['’]d)(?= like\b))(?= [a-z])")
_AFTER_PRONOUN = re.compile(  # from the space on, which `re` soon finds
    r" (?:am(?<=(?<!\w)(I) am)"
    r"|are(?:(?<=(?<!\w)([Ww]e) are)|(?<=(?<!\w)([Yy]ou) are)|(?<=(?<!\w)([Tt]hey) are))"
    r"|is(?:(?<=(?<!\w)([Hh]e|[Ii]t) is)|(?<=(?<!\w)([Ss]he) is)|(?<=(?<!\w)([Tt]here) is)))"
    r"(?= [a-z])(?! (?:and|or|but|if|when|to|that|than|as|now|then|too|in|on|at|not)\b)"
)
_SHORT = {" am": "'m", " are": "'re", " is": "'s"}
_CLAUSE_OPENERS = (
    ", ", "and ", "but ", "because ", "if ", "that ", "since ", "although ", "though ", "unless ", "so "
)  # fmt: skip
_CONTRACTED = re.compile(
    r"\b(?:(I)(['’]m)|(you|we|they|You|We|They)(['’]re)|(he|she|it|He|She|It|There|there|that"
    r"|That)(['’]s))(?= [a-z])"
)
_FULL = {"m": " am", "e": " are", "s": " is"}


def _everywhere(find: Callable[[Sentence], list[Edit]]) -> Callable[[Passage], Edits]:
    def edits(passage: Passage) -> Edits:
        return [
            Edit(sentence.start + edit.start, sentence.start + edit.end, edit.new)
            for sentence in passage.statements
            for edit in find(sentence)
        ]

    return edits


def _contract_not(sentence: Sentence) -> list[Edit]:
    text = sentence.own
    if (" not " not in text and "annot " not in text) or sentence.asks:
        return []
    lowered = text.lower()
    found: list[Edit] = []
    if " not " in lowered:
        found += [Edit(*match.span(), "n't") for match in _NOT.finditer(text)]
    if "cannot " in lowered or "can not " in lowered:
        found += [Edit(match.end(1), match.end(), "'t") for match in _CANNOT.finditer(text)]
    if "will not " in text:
        found += [Edit(*match.span(), "won't") for match in _WILL_NOT.finditer(text)]
    return sorted(found)


def _expand_not(sentence: Sentence) -> list[Edit]:
    """Not in questions, where "Don't you …?" has no full form."""
    text = sentence.own
    if "t " not in text or sentence.asks:
        return []
    found = [Edit(match.end(1), match.end(), " not") for match in _NT.finditer(text)]
    found += [Edit(match.end(1), match.end(), "not") for match in _CANT.finditer(text)]
    found += [Edit(*match.span(), "will not") for match in _WONT.finditer(text)]
    return sorted(found)


def _contract_be(sentence: Sentence) -> list[Edit]:
    found = []
    for match in _AFTER_PRONOUN.finditer(sentence.own):
        pronoun = match.start(match.lastindex or 0)
        if not pronoun or sentence.own.endswith(_CLAUSE_OPENERS, 0, pronoun):
            found.append(Edit(*match.span(), _SHORT[match[0]]))
    return found


def _expand_be(sentence: Sentence) -> list[Edit]:
    """ "It's" may stand for "it has" before a participle; then it stays."""
    found = []
    for match in _CONTRACTED.finditer(sentence.own):
        group = next(place for place in (2, 4, 6) if match[place])
        after = re.match(r" ([a-z]+)", sentence.own[match.end() :])
        has = (
            after
            and (after[1] in ("been", "got", "had", "become") or looks_verbal(after[1]))
            and not after[1].endswith("ing")
        )
        if group == 6 and has:
            continue
        found.append(Edit(*match.span(group), _FULL[match[group][-1]]))
    return found


def _contract_will(sentence: Sentence) -> list[Edit]:
    return [
        Edit(*match.span(match.lastindex or 0), "'ll" if match[1] else "'d")
        for match in _WILL.finditer(sentence.own)
        if not match.start() or sentence.own.endswith(_CLAUSE_OPENERS, 0, match.start())
    ]


def _expand_will(sentence: Sentence) -> list[Edit]:
    """ "I'd" is "I would" before "like", and elsewhere may be "I had"."""
    return [
        Edit(*match.span(match.lastindex or 0), " will" if match[1] else " would")
        for match in _LL.finditer(sentence.own)
    ]


CONTRACTION_RULES: tuple[Rule, ...] = (
    Rule("contract-not", _everywhere(_contract_not), lexicon("not cannot")),
    Rule("expand-not", _everywhere(_expand_not), lexicon("t")),
    Rule("contract-be", _everywhere(_contract_be), lexicon("am are is")),
    Rule("expand-be", _everywhere(_expand_be), lexicon("m re s")),
    Rule("contract-will", _everywhere(_contract_will), lexicon("will would")),
    Rule("expand-will", _everywhere(_expand_will), lexicon("ll d")),
)
