"""The paraphrase rules, in the order in which they are tried.

A rule is a name and a small function from a read passage to the edits that reword it, none where that would
not be good English or would not mean the same. Protected spans are masked, so a rule cannot reach them.

Not here on purpose: "The" → "This" (it points at a thing never mentioned), a passive of "What causes X?" by
moving halves, and synonyms outside a fixed frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.clauses import CLAUSE_RULES
from otherwords.variants.contractions import CONTRACTION_RULES
from otherwords.variants.frames import INTRODUCTIONS
from otherwords.variants.instructions import INSTRUCTION_FRAMES, INSTRUCTION_RULES
from otherwords.variants.passages import Passage
from otherwords.variants.protect import Edit
from otherwords.variants.questions import QUESTION_FRAMES, QUESTION_RULES
from otherwords.variants.rule import Edits, Rule, Rules
from otherwords.variants.verbs import lexicon

_FOLLOWING = re.compile(r"\b[Ww]hich of (the following)\b(?!:)")
_LIKELY = re.compile(
    r"\b(?:[Tt]he|a|its|their|his|her|your) (?:most|least) (likely)(?= (?!to\b|not\b|that\b|be\b|have\b"
    r")[a-z])"
    r"|\b(?:is|are|was|were|seems) (?:most|least) (likely)(?=[?.])"
)


def _everywhere(pattern: re.Pattern[str], new: str, *, has: str) -> Callable[[Passage], Edits]:
    """Each place where one of the pattern's groups is found, which is only where a sentence has `has`."""

    def edits(passage: Passage) -> Edits:
        found: list[Edit] = []
        for sentence in passage.statements:
            for match in pattern.finditer(sentence.own) if has in sentence.own else ():
                start, end = match.span(match.lastindex or 0)
                found.append(Edit(sentence.start + start, sentence.start + end, new))
        return found

    return edits


REWRITES = Rules(
    (
        Rule(
            "which-of-these",
            _everywhere(_FOLLOWING, "these", has="hich of the following"),
            lexicon("following"),
        ),
        Rule("probable", _everywhere(_LIKELY, "probable", has="st likely"), lexicon("likely")),
        *CLAUSE_RULES,
        *QUESTION_RULES,
        *INSTRUCTION_RULES,
    )
)
"""True rewordings; the fixed phrases come after them."""

CONTRACTIONS = Rules(CONTRACTION_RULES)
"""The smallest changes."""

CLASHES = tuple(frozenset({f"contract-{word}", f"expand-{word}"}) for word in ("not", "be", "will"))
"""Rules of which one goes the other's way."""

FRAMES = Rules((*QUESTION_FRAMES, *INSTRUCTION_FRAMES, *INTRODUCTIONS))
"""The same words with a frame around them."""
