"""`refusal`, `answered`, `leak`: the prompt is neither declined nor answered, and its answer is not said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from otherwords.checks.base import invariant, short
from otherwords.checks.reading import Pair, Reading
from otherwords.core.types import letter_of
from otherwords.english.language import is_refusal
from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.quantities import mentions
from otherwords.english.words import is_base_verb

if TYPE_CHECKING:
    from spacy.tokens import Token

_SAYS = Patterns("requests")
_WORD = re.compile(r"\w+")
_MARKS = " \t\n\"'“”‘’*_>#-"


@invariant("leak", of_controls=True, english=False)
def leak(pair: Pair) -> str | None:
    """A single letter is no leak, but "the answer is B" is one."""
    item, shown = pair.item, pair.variant.target
    before, after = pair.whole_before, pair.whole_after
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    stripped = [re.sub(r"(?i)^(?:the|a|an)\s+", "", answer.strip()).rstrip(".!? ") for answer in right]
    answers = [answer for answer in stripped if len(answer) > 1 or answer.isdigit()]
    for answer in answers:
        if _times_said(answer, after) > _times_said(answer, before):
            return f"says the answer: {answer}"
    if item.choices and isinstance(shown, int):
        names = rf"\b[Aa]nswer(?: is)?:? ?\(?(?:option )?{letter_of(shown)}\b"
        if re.search(names, after) and not re.search(names, before):
            return f"says which option is right: {letter_of(shown)}"
    others = " ".join(choice.casefold() for choice in item.choices if choice not in answers)
    new = {*_WORD.findall(after.casefold())}.difference(_WORD.findall(before.casefold()))
    for name in (name for answer in answers if " " in answer for name in answer.split()):
        is_name = len(name) > 4 and name[0].isupper()  # "Austen" for "Jane Austen"
        if is_name and name.casefold() in new and name.casefold() not in others:
            return f"says a part of the answer: {name}"
    return None


def _times_said(answer: str, text: str) -> int:
    """How often a text says the answer; a number in digits or in words."""
    folded, text = answer.casefold(), text.casefold()
    bare = folded.lstrip("$€£").removesuffix("%").strip()
    numbers = _numbers(bare) if bare.replace(",", "").replace(".", "").isdecimal() else []
    if len(numbers) == 1:
        return _numbers(text).count(numbers[0])
    if folded in ("yes", "no", "true", "false"):  # only where they stand alone do they answer
        alone = rf"(?:^|[.?!:;,]\s*|\banswer(?: is|:)?\s+|\ba ){folded}(?=\s*(?:[.,!?;:]|$)|\s+that\b)"
        return len(re.findall(alone, text))
    return len(re.findall(rf"(?<!\w){re.escape(folded)}(?!\w)", text))


def _numbers(text: str) -> list[object]:
    """The values of the numbers; in words, 1 is a pronoun as often as a number."""
    return [one.value for one in mentions(text) if one.value is not None and one.spelling != "vague"]


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
            opens = token.text == "`"
        opens = opens or token.text.endswith(".")  # "40 mg per mL. Work out …" is one token to the parser


def _is_request(first: Token) -> bool:
    """Whether it is a question word, or a verb in its base form that nothing before it is the subject of."""
    if first.pos_ == "AUX" or first.tag_ in ("WP", "WRB", "WDT", "WP$", "VB"):
        return True
    no_object = ("NOUN", "VERB", "AUX", "CCONJ", "INTJ", "PUNCT", "SPACE")
    has_object = first.i + 1 < len(first.doc) and first.nbor().pos_ not in no_object
    is_order = has_object and first.i == first.sent.start and is_base_verb(first.lower_)
    return is_order or first.lower_ in word_set("requests", "commands")
