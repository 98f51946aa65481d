"""The family `naturalistic`: the prompt as a person in a hurry types it.

`typo` has slips of the fingers, `chat` has the style of a short message. Both leave alone whatever carries
the problem: protected spans, data given along, capitals, and the small words that turn a meaning round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from otherwords.core.errors import InputError
from otherwords.core.families import FamilyTraits
from otherwords.core.types import Item, Variant, varied_text
from otherwords.variants.base import reworded
from otherwords.variants.openers import lower_openers
from otherwords.variants.prose import edit_prose, ends_in_prose, prose
from otherwords.variants.protect import MASK, Masked, keeps_spans, mask
from otherwords.variants.spelling import strange_sequences

DEFAULT_STRENGTH = 0.2
SHORTEST_WORD = 4
_MOST_TRIES = 8

# A question about letters or forms of words has another answer when they change.
_ABOUT_FORM = re.compile(
    r"\b(?:mis)?spell|\btypo|\bletters?\b(?! to\b)|\bthe words?\b|\bthese words\b|\bvowel|\bconsonant"
    r"|\bsyllab|\brhym"
    r"|\banagram|\bpalindrom|\bbackwards?\b|\balphabet|\bgramma|\bpunctuat|\bcapitali[sz]|\bupper-?case"
    r"|\blower-?case|\bplural|\btense of\b|\bprefix|\bsuffix|\bpronounc|\bhomophone|\bacronym|\bcharacters\b"
    r"|\bverbatim|\bproofread|\bstrings?\b",
    re.IGNORECASE,
)
_KEPT = frozenset(
    """
    never none neither nobody nothing nowhere without except unless until only each every some most
    least more less than fewer fewest many much several both either half twice double triple always
    often sometimes rarely seldom hardly barely usually exactly about roughly approximately almost
    nearly likely unlikely probable cannot could might must should shall will would first second third
    fourth fifth sixth seventh eighth ninth tenth last next previous before after during since while
    same different true false correct incorrect right wrong four five seven eight nine eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand million billion trillion dozen zero larger smaller bigger
    greater higher lower longer shorter older younger newer faster slower earlier later better worse
    heavier lighter stronger weaker nearer farther closer warmer colder hotter cooler deeper wider
    richer poorer cheaper above below over under between maximum minimum increase decrease positive
    negative left into onto from with
""".split()
)
_WORD = re.compile(rf"(?<![\w'’-])[a-z]{{{SHORTEST_WORD},}}(?![\w'’-])")
_NEIGHBOURS = dict(
    pair.split(":")
    for pair in (
        "q:wa w:qeas e:wrsd r:etdf t:ryfg y:tugh u:yihj i:uojk o:ipkl p:ol a:qwsz s:weadzx d:ersfxc f:rtdgcv"
        " g:tyfhvb h:yugjbn j:uihknm k:iojlm l:opk z:asx x:sdzc c:dfxv v:fgcb b:ghvn n:hjbm m:jkn"
    ).split()
)

_SHORTER: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b{words}\b"), short)
    for words, short in (
        (r"(what|who|where)(?: is|['’]s) (?=(?:the|a|an|your|my|this)\b)", r"\1s "),
        ("please", "pls"),
        ("(?:[Tt]hank you|[Tt]hanks)", "thx"),
        ("because", "bc"),
        ("your", "ur"),
        ("you", "u"),
        ("people", "ppl"),
        ("information", "info"),
        ("something", "smth"),
        ("tomorrow", "tmrw"),
        ("as soon as possible", "asap"),
        ("let me know", "lmk"),
        ("want to", "wanna"),
        ("versus", "vs"),
        ("okay", "ok"),
    )
)
_LAST_MARK = re.compile(rf"(?<=[\w){MASK[1:-1]}])[.?!](?=\s*\Z)")


class Naturalistic:
    name = "naturalistic"
    version = 1
    traits = FamilyTraits(
        keeps_meaning=True,
        summary="typos, lower case and shorthand",
        changes_form=True,
        is_informal=True,
        english_only=True,
        advice="rough input costs: correct spelling before the model sees it, or test with such prompts",
    )

    def __init__(self, strength: float = DEFAULT_STRENGTH) -> None:
        """`strength`: the share of the words that may be mistyped which are; at least one is."""
        if not 0 <= strength <= 1:
            raise InputError(f"strength must be from 0 to 1, got {strength}")
        self.strength = strength

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """`typo`, `chat`, then `typo2`, `typo3`, … as far as `k` goes and they differ."""
        text = varied_text(item.prompt)
        if _ABOUT_FORM.search(text):
            return []
        typos = self._typos(text, seed)
        made = [self._typo(item, next(typos, None), 1, seed), self._chat(item, text)]
        found = [one for one in made if one is not None][:k]
        number = 2
        while len(found) < k and (another := self._typo(item, next(typos, None), number, seed)) is not None:
            found.append(another)
            number += 1
        return found

    def _typos(self, text: str, seed: int) -> Iterator[str]:
        """Mistyped texts, each unlike those before."""
        random, given, failed = Random(seed), {text}, 0
        while self.strength > 0 and failed < _MOST_TRIES:
            new = mistype(text, self.strength, random)
            if new in given:
                failed += 1
                continue
            given.add(new)
            yield new

    def _typo(self, item: Item, text: str | None, number: int, seed: int) -> Variant | None:
        if text is None:
            return None
        name = "typo" if number == 1 else f"typo{number}"
        params = {"strength": self.strength, "seed": seed}
        return reworded(item, text, name=name, family=self, change="typo", params=params)

    def _chat(self, item: Item, text: str) -> Variant | None:
        new = chat_style(text)
        only_case = new.casefold() == text.casefold()  # which the family `format` changes too
        if only_case or not keeps_spans(text, new):
            return None
        return reworded(item, new, name="chat", family=self, change="chat")


NATURALISTIC = Naturalistic()


def mistype(text: str, strength: float, random: Random) -> str:
    """`text` with a slip in each of a few words; the same text where no word may have one."""
    masked = mask(text)
    words = _mistypable(masked)
    wanted = max(1, round(strength * len(words)))
    random.shuffle(words)
    slips: list[tuple[int, int, str]] = []
    for start, end in words:
        if len(slips) == wanted:
            break
        slip = _slip(masked.text[start:end], random)
        if slip is not None:
            slips.append((start, end, slip))
    new = masked.text
    for start, end, slip in sorted(slips, reverse=True):
        new = new[:start] + slip + new[end:]
    new = masked.unmask(new)
    return new if keeps_spans(text, new) else text


def chat_style(text: str) -> str:
    """Sentences open in lower case, common words are short, the last mark is gone."""
    masked = mask(text)
    new = edit_prose(masked, lambda own: _shortened(lower_openers(own)))
    return masked.unmask(_LAST_MARK.sub("", new) if ends_in_prose(masked) else new)


def _shortened(text: str) -> str:
    for words, short in _SHORTER:
        text = words.sub(short, text)
    return text


def _mistypable(masked: Masked) -> list[tuple[int, int]]:
    return [
        match.span()
        for start, end in prose(masked)
        for match in _WORD.finditer(masked.text, start, end)
        if match.group() not in _KEPT and not match.group().endswith("est")
    ]


def _slip(word: str, random: Random) -> str | None:
    """One slip inside the word, never at its first or last letter, that leaves no English word.

    In a short word a wrong or a missing letter is hard to read past: four letters are only swapped or
    doubled, and none is missing in fewer than six.
    """
    usual = strange_sequences(word)
    kinds = [_swaps, _doubles, _neighbours, _drops][: len(word) - SHORTEST_WORD + 2]
    random.shuffle(kinds)
    for kind in kinds:
        slips = [slip for slip in kind(word) if strange_sequences(slip) - usual]
        if slips:
            return random.choice(slips)
    return None


def _swaps(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 2):
        if word[place] != word[place + 1]:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _neighbours(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 1):
        for key in _NEIGHBOURS[word[place]]:
            yield word[:place] + key + word[place + 1 :]


def _drops(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 1):
        yield word[:place] + word[place + 1 :]


def _doubles(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 1):
        yield word[:place] + word[place] + word[place:]
