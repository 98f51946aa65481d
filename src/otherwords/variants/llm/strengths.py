"""How far a rewording may go from the original, as the model is told."""

from __future__ import annotations

from otherwords.core.contract import MEDIUM, MILD, NATURALISTIC, STRONG
from otherwords.core.errors import UnknownNameError

STRENGTHS = {
    MILD: (
        "Stay close. Exchange a few ordinary words for plain synonyms or turn one phrase around. "
        "Sentences keep their order, their tone and about their length."
    ),
    MEDIUM: (
        "Rebuild the sentences. Use other verbs and another order of clauses, join or split sentences where "
        "that reads well, and move between active and passive. The tone stays as it is."
    ),
    STRONG: (
        "Write it as another author would who has the same thing to say: other sentence structures, other "
        "vocabulary throughout, tighter or fuller, and another order of the information where the order "
        "carries no meaning."
    ),
    NATURALISTIC: (
        "Write it as people type to an assistant on an ordinary day: relaxed, with contractions, a little "
        "context or a filler word, loose capitals and punctuation. No misspelling that could be read as "
        "another word, and nothing left out."
    ),
}


def instruction(strength: str) -> str:
    try:
        return STRENGTHS[strength]
    except KeyError:
        raise UnknownNameError("strength", strength, STRENGTHS) from None
