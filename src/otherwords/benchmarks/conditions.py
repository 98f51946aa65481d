"""A wording and its references → conditions ("if", "unless") that it lost, or tells without condition.

A reference is a text that says the same: the scenario, or another wording of it. A condition is known by the
words around its sign ("if", "unless", "should the agent"), in every reference that has it; so that a free
wording of it is compared with several, and not with the scenario's words alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from otherwords.benchmarks.compared_texts import Span, Text, Word, pattern, word_list

_SIGN, _WEAK_SIGN, _NO_SIGN = range(3)
_IN_CLAUSE = 2.0
"""What a word of the clause itself weighs, beside the other words of its sentence."""
_LESS_IF_WEAK = 0.05
_LESS_IF_NO_SIGN = 0.55
_ALIKE = 0.3
_SURELY, _TOLD, _TOLD_AT_ALL = 0.85, 0.5, 0.3
_SURELY_IF_FEW, _TOLD_IF_FEW, _TOLD_AT_ALL_IF_FEW = 0.95, 0.6, 0.4
"""The least likeness to the references, as a share of the likeness that they have to each other."""
_AMONG_STRANGERS = 0.6
"""That likeness where there is one reference only."""
_SHORT_NOTE = 8
_LEAST_WORDS = 0.7
_ONE_SIGN = 22
"""Characters between two signs of one condition: "if and only if"."""


@dataclass(frozen=True, slots=True)
class Window:
    """The words around a sign of a condition."""

    start: int
    strength: int
    words: tuple[tuple[float, Word], ...]
    text: Text
    places: frozenset[int]

    def has(self, word: Word) -> bool:
        """Whether it has the word, or one that says the same."""
        return not self.places.isdisjoint(self.text.places(word))


_QUESTIONS = (
    "say ",
    "when you",
    "if possible",
    "if you can ",
    "if the agent can ",
    "if agent can ",
)
"""How signs begin that begin no condition, or none that matters."""
Rarity = Callable[[Word], float]


def conditions(references: Sequence[Text], after: Text) -> Iterator[str]:
    """Each condition of the references has one in the wording that tells it."""
    yield from (f"condition lost: '{begins}'" for begins in lost_conditions(after, references))


def lost_conditions(after: Text, references: Sequence[Text]) -> Iterator[str]:
    """The beginnings of conditions that most of the references tell, and that a text does not.

    Args:
        after: The text.
        references: The scenario first, then other wordings of it.
    """
    rarity = _rarity(references)
    mine = [*_signs(after), *_sentences(after)]
    told: dict[int, list[int]] = {}
    cases = _cases(references, rarity)
    counts = [len(pattern("counted_sign").findall(text.text)) for text in (after, *references)]
    surely, enough, at_all = (
        (_SURELY_IF_FEW, _TOLD_IF_FEW, _TOLD_AT_ALL_IF_FEW)
        if counts[0] < median(counts[1:])
        else (_SURELY, _TOLD, _TOLD_AT_ALL)
    )
    for number, case in enumerate(cases):
        scores = [max(_score(case.alike, window, rarity) for window in one) for one in mine]
        usual = case.usual(rarity)
        if max(scores, default=0.0) >= surely * usual:
            continue
        if case.of_scenario:
            told[number] = [at for at, score in enumerate(scores) if score >= enough * usual]
        elif max(scores, default=0.0) < at_all * usual:
            yield case.begins
    taken: dict[int, int] = {}
    yield from (cases[one].begins for one in told if not _take(one, told, taken, set()))


@dataclass(frozen=True)
class _Case:
    begins: str
    of_scenario: bool
    alike: tuple[Window, ...]

    def usual(self, rarity: Rarity) -> float:
        """How like the references are to each other, where they tell it."""
        if len(self.alike) == 1:
            return _AMONG_STRANGERS
        return median(_score(self.alike, one, rarity) for one in self.alike)


def _cases(references: Sequence[Text], rarity: Rarity) -> list[_Case]:
    """The conditions that all references but one tell; a scenario alone tells its own."""
    signs = [_signs(one) for one in references]
    least = max(0, len(references) - 2)
    seen: set[tuple[int, int]] = set()
    found: list[_Case] = []
    for owner, text in enumerate(references):
        for own, (window, *_) in enumerate(signs[owner]):
            if (owner, own) in seen or not _is_condition(text, window):
                continue
            alike = [window]
            for other in range(len(references)):
                if other == owner:
                    continue
                score, best, found_there = max(
                    (
                        (_score([window], one, rarity), at, one)
                        for at, sign in enumerate(signs[other])
                        for one in sign
                    ),
                    key=lambda scored: scored[0],
                    default=(0.0, 0, window),
                )
                if score >= _ALIKE:
                    alike.append(found_there)
                    seen.add((other, best))
            if len(alike) > least:
                begins = text.text[window.start : window.start + 70].split("\n")[0]
                found.append(_Case(begins, owner == 0, tuple(alike)))
    return found


def _is_condition(text: Text, window: Window) -> bool:
    """Whether the sign is sure, and begins a clause that is no question: "you wonder if"."""
    start = text.text[window.start : window.start + 20].lower()
    return (
        window.strength == _SIGN
        and not start.startswith(_QUESTIONS)
        and "relevant" not in text.text[window.start : window.start + _ONE_SIGN + 4]
        and "?" not in start[:5]
        and "→" not in start[:5]
        and pattern("no_condition").search(text.text[: window.start]) is None
        and sum(weight for weight, _ in window.words) >= _LEAST_WORDS
    )


def _take(case: int, told: dict[int, list[int]], taken: dict[int, int], seen: set[int]) -> bool:
    """Find a window for the case that no other case needs."""
    for window in told[case]:
        if window not in seen:
            seen.add(window)
            if window not in taken or _take(taken[window], told, taken, seen):
                taken[window] = case
                return True
    return False


# ---- likeness


def _rarity(texts: Sequence[Text]) -> Rarity:
    """How much a word tells: the more, the fewer sentences have it."""
    spans = [(text, span) for text in texts for span in text.sentences]
    having = Counter(lemma for text, span in spans for lemma in {word.lemma for word in text.of(span)})
    return lambda word: math.log((len(spans) + 1) / (having[word.lemma] + 1)) + 0.2


def _score(references: Sequence[Window], one: Window, rarity: Rarity) -> float:
    """The mean likeness to some windows; less if no sign says that it is a condition."""
    score = fmean(_likeness(other, one, rarity) for other in references)
    if one.strength == _NO_SIGN:
        return score * _LESS_IF_NO_SIGN
    return score - _LESS_IF_WEAK * (one.strength == _WEAK_SIGN)


def _likeness(one: Window, other: Window, rarity: Rarity) -> float:
    first, second = _share(one, other, rarity), _share(other, one, rarity)
    return 2 * first * second / (first + second) if first + second else 0.0


def _share(one: Window, other: Window, rarity: Rarity) -> float:
    """The share of a window's words that another has."""
    weighed = [(weight * rarity(word), word) for weight, word in one.words]
    total = sum(weight for weight, _ in weighed)
    if not total:
        return 0.0
    return sum(weight for weight, word in weighed if other.has(word)) / total


# ---- windows


def _signs(text: Text) -> list[tuple[Window, ...]]:
    """For each sign of a condition its sentence, as far as the next sign; and with the one that goes on."""
    signs = sorted(
        (match.start(), match.end(), strength)
        for name, strength in (("sign", _SIGN), ("weak_sign", _WEAK_SIGN), (_note(text), _WEAK_SIGN))
        for match in pattern(name).finditer(text.text)
    )
    sure = [start for start, _, strength in signs if strength == _SIGN]
    signs = [one for one in signs if one[2] or not any(0 < one[0] - other < _ONE_SIGN for other in sure)]
    strong = [_place(text, *sign) for sign in signs if sign[2] == _SIGN]
    found = []
    for start, end, strength in signs:
        at = _place(text, start, end, strength)
        number = max((n for n, one in enumerate(text.sentences) if one.first <= at), default=0)
        sentence = text.sentences[number]
        until = min((one for one in strong if at < one < sentence.end), default=sentence.end)
        clause_end = pattern("clause_end").search(text.text, end + 6)
        clause = text.span(start, len(text.text) if clause_end is None else clause_end.start())
        wide = list(range(sentence.first, until))
        windows = [wide]
        if number + 1 < len(text.sentences) and (
            until - sentence.first < _SHORT_NOTE or _ends_with(text, sentence, ":?")
        ):
            following = text.sentences[number + 1]
            wide = [*wide, *range(following.first, following.end)]
            windows.append(wide)
        if number and _ends_with(text, text.sentences[number - 1], ":"):
            leading = text.sentences[number - 1]
            windows.append([*range(leading.first, leading.end), *wide])
        found.append(tuple(_window(text, start, strength, clause, one) for one in windows[::-1]))
    return found


def _place(text: Text, start: int, end: int, strength: int) -> int:
    """The word of a sign: its last one where it is a mark, such as a colon, that makes it one."""
    return min(text.span(start if strength else end - 1, end).first, len(text.words) - 1)


def _window(text: Text, start: int, strength: int, clause: Span, places: Sequence[int]) -> Window:
    told = [n for n in places if _weight(text.words[n])]
    words = [
        (_weight(text.words[n]) * (_IN_CLAUSE if clause.first <= n < clause.end else 1.0), text.words[n])
        for n in told
    ]
    return Window(start, strength, tuple(words), text, frozenset(told))


def _ends_with(text: Text, sentence: Span, marks: str) -> bool:
    """Whether what the sentence begins is said in the next one."""
    return text.said(sentence).rstrip(" \n\"'“‘")[-1:] in tuple(marks)


def _sentences(text: Text) -> list[tuple[Window]]:
    """Those that have no sure sign."""
    signs = [_place(text, found.start(), found.end(), _SIGN) for found in pattern("sign").finditer(text.text)]
    return [
        (_window(text, 0, _NO_SIGN, Span(0, 0), range(*one)),)
        for one in text.sentences
        if not any(one.first <= at < one.end for at in signs)
    ]


def _weight(word: Word) -> float:
    """Light words count more than elsewhere, since a clause has few."""
    return max(word.weight, 0.5) if word.weight and word.lemma not in word_list("empty") else 0.0


# ---- sentences that lost their condition

_MEAN_GAIN, _GAIN_OF_ALL_BUT_ONE, _LEAST_GAIN, _MEAN_SHARE = 0.3, 0.1, -0.6, 0.65
_LEAST_SAID = 1.4


def unconditional(references: Sequence[Text], after: Text) -> Iterator[str]:
    """A sentence without any sign, of which the references tell most under a condition."""
    if len(references) < _ENOUGH:
        return
    rarity = _rarity(references)
    told = [_signed(text, hints=False) for text in references]
    mine = _signed(after, hints=True)
    for number, (span, is_signed) in enumerate(mine):
        words = [(_weight(word) * rarity(word), word) for word in after.of(span) if _weight(word)]
        goes_on = _ends_with(after, span, ";") and mine[min(number + 1, len(mine) - 1)][1]
        if (
            is_signed
            or goes_on
            or _ends_with(after, span, ":")
            or after.negations(span)
            or sum(_weight(word) for _, word in words) < _LEAST_SAID
        ):
            continue
        shares = [_best_shares(words, text, spans) for text, spans in zip(references, told, strict=True)]
        gains = sorted(signed - bare for signed, bare in shares)
        if (
            fmean(gains) >= _MEAN_GAIN
            and gains[1] >= _GAIN_OF_ALL_BUT_ONE
            and gains[0] > _LEAST_GAIN
            and fmean(signed for signed, _ in shares) >= _MEAN_SHARE
        ):
            yield f"no longer under a condition: {after.short(span)}"


_ENOUGH = 4


def _best_shares(
    words: Sequence[tuple[float, Word]], text: Text, spans: Sequence[tuple[Span, bool]]
) -> tuple[float, float]:
    """The most that a sentence with a sign has of some words, and the most that one without has."""
    total = sum(weight for weight, _ in words)
    best = [0.0, 0.0]
    for span, is_signed in spans:
        had = sum(w for w, word in words if any(span.first <= at < span.end for at in text.places(word)))
        best[not is_signed] = max(best[not is_signed], had / total)
    return best[0], best[1]


def _signed(text: Text, *, hints: bool) -> list[tuple[Span, bool]]:
    """The sentences, and whether each has a sign of a condition, or goes on from one that has."""
    note = _note(text)
    found = [
        (match.start(), match.end() - 1)
        for name in (("sign", "counted_sign", note) if hints else ("sign", note))
        for match in pattern(name).finditer(text.text)
    ]
    marks = {place for start, end in found for place in (start, end)}
    signed, leads = [], False
    for span in text.sentences:
        start, said = text.words[span.first].start, text.said(span)
        is_short = span.end - span.first <= _SHORT_NOTE
        has = any(
            start <= mark < start + len(said) and (is_short or text.text[mark] != "?") for mark in marks
        ) or (hints and pattern("hint").search(said) is not None)
        signed.append((span, has or leads))
        leads = (
            (_ends_with(text, span, ":") and (has or hints))
            or (_ends_with(text, span, ";") and hints and (has or leads))
            or (_ends_with(text, span, "?") and is_short)
        )
    return signed


def _note(text: Text) -> str:
    """The name of the pattern for signs of notes: a text that hardly says "you" is one."""
    yours = sum(word.lower in ("you", "your", "yourself") for word in text.words)
    return "sign_of_note" if yours < len(text.words) * 0.06 else "sign_before_colon"
