"""`refusal` and `answered`: the prompt was reworded, and neither declined nor answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from otherwords.checks.base import invariant, short
from otherwords.checks.reading import Pair, Reading
from otherwords.english.language import is_refusal
from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.words import is_base_verb

if TYPE_CHECKING:
    from spacy.tokens import Token

_SAYS = Patterns("requests")
_MARKS = " \t\n\"'“”‘’*_>#-"


@invariant("refusal", of_controls=True, english=False)
def refusal(pair: Pair) -> str | None:
    """Words of refusal that the original has too are part of the problem."""
    after = pair.whole_after.strip()
    found = is_refusal(after) and not is_refusal(pair.whole_before)
    return f'declines instead of rewording: "{short(after, 60)}"' if found else None


@invariant("answered")
def answered(pair: Pair) -> str | None:
    """What asks still asks; it is not answered."""
    after = pair.after.text.lstrip(_MARKS)
    found = _SAYS.answers_open.match(after)
    if found and _SAYS.introduces.sub("", found[0].lower()) not in pair.whole_before.lower():
        return f'answers instead of rewording: "{found[0]}"'
    remark = _SAYS.remarks.search(after)
    if remark and not _SAYS.on_texts.search(pair.whole_before):
        return f'speaks of the rewording: "{remark[0]}"'
    is_whole = pair.parts[1].strip() == pair.whole_after.strip()  # else what both share may ask
    states = is_whole and asks(pair.before) and not asks(pair.after)
    return "states something; the original asks" if states else None


def asks(reading: Reading) -> bool:
    """Whether some sentence is a question, an order, a wish, or a stem that is left open."""
    text = reading.text.rstrip()
    if "?" in text or text.endswith((":", "...", "…", "EXCEPT", "except")) or _SAYS.requests.search(text):
        return True
    return any(map(_is_request, _openers(reading)))


def _openers(reading: Reading) -> Iterator[Token]:
    """The first word after each mark, without those that only lead in, such as adverbs."""
    leads, opens = word_set("requests", "leads"), True
    for token in reading.doc:
        if token.is_space or (token.is_punct and token.text not in "'’`-"):
            opens = True
        elif opens and not (token.lower_ in leads or (token.pos_ == "ADV" and token.text[-2:] == "ly")):
            yield token
            opens = False
        opens = opens or token.text.endswith(".")  # "40 mg per mL. Work out …" is one token to the parser


def _is_request(first: Token) -> bool:
    """Whether it is a question word, or a verb in its base form that nothing before it is the subject of."""
    if first.pos_ == "AUX" or first.tag_ in ("WP", "WRB", "WDT", "WP$", "VB"):
        return True
    no_object = ("NOUN", "VERB", "AUX", "CCONJ", "INTJ", "PUNCT", "SPACE")
    has_object = first.i + 1 < len(first.doc) and first.nbor().pos_ not in no_object
    is_order = has_object and first.i == first.sent.start and is_base_verb(first.lower_)
    return is_order or first.lower_ in word_set("requests", "commands")
