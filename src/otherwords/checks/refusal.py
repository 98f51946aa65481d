"""`refusal` and `answered`: the prompt was reworded, and neither declined nor answered."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from otherwords.checks.base import invariant, short
from otherwords.checks.reading import Pair, Reading
from otherwords.english.language import is_refusal
from otherwords.english.lexicon import Patterns, read_lexicon
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
    if asks(pair.before) and not asks(pair.after) and not _asks_outside(pair):
        return "states something; the original asks"
    return None


def _asks_outside(pair: Pair) -> bool:
    """Whether the sentences that both share ask."""
    rest = pair.whole_after.replace(pair.after.text, "", 1) if pair.after.text else pair.whole_after
    return "?" in rest or bool(rest.strip() and asks(Reading(rest)))


def asks(reading: Reading) -> bool:
    """Whether some sentence is a question, an order, a wish, or a stem that is left open."""
    text = reading.text.rstrip()
    if "?" in text or text.endswith((":", "...", "…", "EXCEPT", "except")) or _SAYS.requests.search(text):
        return True
    return any(_is_request(clause) for clause in _clauses(reading))


def _clauses(reading: Reading) -> list[list[Token]]:
    """The words between marks, without those that only lead in."""
    clauses: list[list[Token]] = [[]]
    for token in reading.doc:
        if token.is_space or (token.is_punct and token.text not in "'’`-"):
            clauses.append([])
        elif clauses[-1] or token.lower_ not in _LEADS:
            clauses[-1].append(token)
            if token.text.endswith("."):  # "40 mg per mL. Work out …" is one token to the parser
                clauses.append([])
    return [clause for clause in clauses if clause]


_LEADS = frozenset("please kindly now then first next just also and so but or finally".split())
_ASKING = frozenset(("what", "which", "who", "whom", "whose", "when", "where", "why", "how"))
_AFTER_VERBS = frozenset(
    ("DET", "PRON", "ADJ", "NUM", "PROPN", "ADP", "SCONJ", "ADV", "X", "SYM", "PUNCT", "PART")
)


def _is_request(clause: list[Token]) -> bool:
    """A question word at the front, or a verb in its base form that nothing before it is the subject of."""
    first, second = clause[0], clause[1] if len(clause) > 1 else None
    asks_by_word = first.lower_ in _ASKING or first.tag_ in ("WP", "WRB", "WDT", "WP$")
    after_preposition = first.pos_ == "ADP" and second is not None and second.tag_.startswith("W")
    if first.pos_ == "AUX" or asks_by_word or after_preposition:
        return True
    after_adverb = first.lower_.endswith("ly") and second is not None and second.lower_ in _commands()
    if after_adverb or first.lower_ in _commands() | {"do", "don't", "never"} or first.tag_ == "VB":
        return True
    has_object = second is not None and second.pos_ in _AFTER_VERBS
    return has_object and first.i == first.sent.start and is_base_verb(first.lower_)


@cache
def _commands() -> frozenset[str]:
    return frozenset(read_lexicon("requests")["commands"].split())
