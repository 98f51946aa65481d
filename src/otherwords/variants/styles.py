"""Seven families that say a prompt as other people do, each a table of rules; their words are in lexicons.

Typed in a hurry, mistyped, dictated, by learners of English, casual or formal, terse or padded, British or
American.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from otherwords.english.lexicon import Patterns, read_lexicon
from otherwords.english.quantities import in_words
from otherwords.english.spans import find_spans
from otherwords.english.words import is_word
from otherwords.variants import style
from otherwords.variants.prose import capital_openers, with_case
from otherwords.variants.style import Place, Rule, Source, Style, Way, cased, replacing, slip, verbs, words

STRUCTURED = "it has code, addresses, formulas or lists, which nobody says aloud"
_SAYS = Patterns("styles")
_SAID_ALOUD = frozenset(("number", "quoted", "caps", "date"))
_YEARS = range(1100, 2100)
_LARGEST_SAID = 9_999


def _lower_case(text: str) -> str:
    return with_case(text, capital_openers(text), upper=False)


def _naturalistic() -> tuple[Way, ...]:
    """Slips of neighbouring keys, and the style of short messages."""
    read = read_lexicon("styles")
    slips = (
        slip("doubled letter", style.doubled),
        slip("swapped letters", style.swapped),
        slip("wrong key", style.wrong_key),
        slip("missing letter", style.dropped),
    )
    shorter = replacing(read["chat"], "short form"), replacing(read["no_last_mark"], "no last mark")
    return Way("typo", some=slips, per_word=0.25), Way("chat", always=shorter, first=_lower_case)


def _typing() -> tuple[Way, ...]:
    """Slips of the fingers, the ear and the phone."""
    read = read_lexicon("typing")
    first, second = ("|".join(read[name]) for name in ("joined_first", "joined_second"))

    def missing_space(source: Source) -> Iterator[Place]:
        for match in source.found(rf"\b({first}) ({second})\b(?= [a-z])"):
            if not is_word(match[1] + match[2]):
                yield Place(*match.span(), match[1] + match[2], "missing space")
        for match in source.found(r"(?<=[a-z]), (?=[a-z])"):
            if source.is_free(match.start() - 1, match.end() + 1):
                yield Place(*match.span(), ",", "missing space")

    rules = (
        missing_space,
        slip("doubled letter", style.doubled, is_word),
        slip("wrong key", style.wrong_key),
        slip("swapped letters", style.swapped),
        words(read["misspellings"], "misspelling"),
        replacing(read["homophones"], "homophone"),
        replacing(read["autocorrect"], "autocorrect"),
    )
    return (Way("typing", some=rules, per_word=0.25),)


def _unspoken(text: str) -> str:
    """Why `text` is nothing that one would dictate: structure, data, or lists that need their commas."""
    structured = any(span.kind not in _SAID_ALOUD for span in find_spans(text))
    return STRUCTURED if structured or _SAYS.unspeakable.search(text.strip()) else ""


def _voice() -> tuple[Way, ...]:
    read = read_lexicon("styles")["voice"]

    def numbers(source: Source) -> Iterator[Place]:
        for span in find_spans(source.text):
            said = source.text[span.start : span.end]
            match = _SAYS.amount.fullmatch(said) if span.kind == "number" else None
            if match is None or (match["sign"] and match["percent"]):
                continue
            value = int(match["number"].replace(",", ""))
            if value > _LARGEST_SAID or (value in _YEARS and said.isdecimal()):
                continue
            after = " dollars" if match["sign"] else " percent" if match["percent"] else ""
            if _SAYS.determined.search(source.text[: span.start]):
                after = after.removesuffix("s")  # "a ten dollar bill"
            end = span.start + match.end("percent" if match["percent"] else "number")
            yield Place(span.start, end, in_words(value) + after, "numbers as words")

    def first_filler(source: Source) -> Iterator[Place]:
        if source.starts_with_own_words:
            yield Place(0, 0, f"{source.random.choice(read['fillers_first'])} ", "filler")

    def fillers(source: Source) -> Iterator[Place]:
        for match in source.found(r"(?<=[a-z][.?!] )(?=[A-Za-z])|(?<=[a-z] )(?=(?:because|and then|but)\b)"):
            yield Place(match.end(), match.end(), f"{source.random.choice(read['fillers'])} ", "filler")

    def please(source: Source) -> Iterator[Place]:
        if source.ends_in_own_words:
            end = len(source.text.rstrip())
            yield Place(end, end, " please", "filler")

    always = (numbers, replacing(read["marks"], "no punctuation"), first_filler, please)
    return (Way("voice", always, (fillers,), refuses=_unspoken, first=_lower_case),)


def _nonnative() -> tuple[Way, ...]:
    from lemminflect import getInflection

    read = read_lexicon("styles")["nonnative"]

    kept = frozenset((*read["rates"], *read["determined"]))

    def no_article(source: Source) -> Iterator[Place]:
        """Without "the" or "a" before a plain noun phrase of which the meaning does not hang on it."""
        for token in source.tokens:
            if token.lower_ not in ("the", "a", "an") or token.dep_ != "det" or token.i + 1 >= len(token.doc):
                continue
            after, head = token.nbor(), token.head
            plain = after.is_lower and after.is_alpha and after.tag_ not in ("JJS", "JJR", "CD", "RBS", "RBR")
            counts = after.lower_ in kept or head.lower_ in read["rates"]
            free = source.is_free(token.idx, after.idx + len(after))
            if plain and free and not counts and head.pos_ in ("NOUN", "ADJ"):
                yield Place(token.idx, after.idx + 1, cased(after.text[0], token.text), "article")

    def verb_forms(source: Source) -> Iterator[Place]:
        for token in source.tokens:
            known = token.tag_ == "VBZ" and token.pos_ == "VERB" and token.is_lower and len(token) > 3
            if known and token.text in getInflection(token.lemma_, "VBZ"):  # the lemma may be wrong
                yield style.in_place_of(token, token.lemma_.lower(), "verb form")
            if token.lower_ == "does" and token.dep_ == "aux":
                yield style.in_place_of(token, cased("do", token.text), "verb form")

    def past_twice(source: Source) -> Iterator[Place]:
        for token in source.tokens:
            after_did = any(child.lower_ == "did" and child.dep_ == "aux" for child in token.children)
            if after_did and token.tag_ == "VB" and token.is_lower:
                forms = getInflection(token.text, "VBD")
                if forms and forms[0] != token.text:
                    yield style.in_place_of(token, forms[0], "tense")

    rules = (
        no_article,
        verb_forms,
        past_twice,
        replacing(read["prepositions"], "preposition"),
        words(read["counted"], "plural"),
    )
    return (Way("nonnative", some=rules),)


def _around(
    first: list[str], last: list[str], change: str, of_questions: Sequence[str] = ()
) -> tuple[Rule, ...]:
    """Something said before the prompt, some of it only before questions, and something after it."""

    def before(source: Source) -> Iterator[Place]:
        if not source.starts_with_own_words or _SAYS.role.match(source.text):
            return
        asks = re.fullmatch(r"[^.:;!\n]*\?\s*", source.text)
        said = source.random.choice([*first, *of_questions] if asks else first)
        if source.text[0].isupper() or not said.endswith(". "):
            yield Place(0, 0, said, change)

    def after(source: Source) -> Iterator[Place]:
        end = len(source.text.rstrip())
        closed = source.ends_in_own_words and source.text[end - 1 : end] in (".", "?", "!")
        if closed and not _SAYS.role.match(source.text):
            yield Place(end, end, source.random.choice(last), change)

    return before, after


def _register() -> tuple[Way, ...]:
    read = read_lexicon("styles")["register"]
    casual = (
        verbs(read["verbs"], "casual word"),
        words(read["words"], "casual word"),
        *_around(read["casual_openers"], read["casual_closers"], "casual frame", read["casual_questions"]),
    )
    formal = (
        verbs(read["formal_verbs"], "formal word"),
        words(read["formal_phrases"], "formal word"),
        *_around(read["formal_openers"], read["formal_closers"], "formal frame", read["formal_questions"]),
    )
    return (
        Way("casual", (replacing(read["contracted"], "contraction"),), casual),
        Way("formal", (words(read["expanded"], "no contraction"),), formal),
    )


def _verbosity() -> tuple[Way, ...]:
    read = read_lexicon("styles")["verbosity"]

    def left_out(source: Source) -> Iterator[Place]:
        for pattern in read["left_out"]:
            for match in source.found(rf"(?:\A|(?<=[.?!] ))(?:{pattern})(?P<next>[A-Za-z])"):
                yield Place(*match.span(), match["next"].upper(), "left out")
        asked = rf"(?:\A|(?<=[.?!] )){read['asked_politely']}(?P<next>[a-z])(?P<rest>[^.?!\n]*)\?"
        for match in source.found(asked):  # without "could you", no question is left
            yield Place(*match.span(), f"{match['next'].upper()}{match['rest']}.", "left out")

    def noun_alone(source: Source) -> Iterator[Place]:
        match = _SAYS.alone.match(source.text)
        if match is None or not re.fullmatch(r"[^,.:;?\n]*\?\s*", source.text):
            return
        verbal = [token for token in source.doc if token.tag_.startswith("VB") or token.pos_ == "AUX"]
        if len(verbal) == 1 and not _SAYS.not_alone.search(source.text):
            yield Place(0, match.end() + 1, source.text[match.end()].upper(), "left out")

    def which(source: Source) -> Iterator[Place]:
        for match in source.found(_SAYS.which) if source.has_choices else ():
            yield Place(*match.span(), match[1], "left out")

    how_to = replacing(read["how_to"], "left out")
    shorter = (words(read["phrases"], "shorter phrase"), noun_alone, which, how_to)
    around = _around(read["before"], read["after"], "padding", read["before_questions"])
    longer = (words(read["padded"], "longer phrase"), *around)
    return Way("terse", (left_out,), shorter), Way("padded", some=longer)


def _dialect() -> tuple[Way, ...]:
    """American in place of British, and the other way round; other words only from half strength on."""
    read = read_lexicon("dialects")
    about = re.compile(read["about"])
    spelt = {
        one + ending: other + ending
        for family in read["families"]
        for one, other in zip(family["british"], family["american"], strict=True)
        for ending in family["endings"]
    }
    to_american = {one: other for one, other in spelt.items() if one not in read["not_to_american"]}
    to_british = {other: one for one, other in spelt.items() if other not in read["not_to_british"]}
    said = [(one, other, only[:1]) for one, other, *only in read["words"]]
    others = {one: other for one, other, only in said if only != ["to_british"]}
    others_back = {other: one for one, other, only in said if only != ["to_american"]}

    def refuses(text: str) -> str:
        return "it is about words of a dialect" if about.search(text) else ""

    def rules(spelling: dict[str, str], vocabulary: dict[str, str], change: str) -> tuple[Rule, ...]:
        return words(spelling, change), words(vocabulary, change, from_strength=0.5)

    return (
        Way("american", always=rules(to_american, others, "American"), refuses=refuses),
        Way("british", always=rules(to_british, others_back, "British"), refuses=refuses),
    )


NATURALISTIC = Style("naturalistic", _naturalistic)
TYPING = Style("typing", _typing)
VOICE = Style("voice", _voice)
NONNATIVE = Style("nonnative", _nonnative)
REGISTER = Style("register", _register)
VERBOSITY = Style("verbosity", _verbosity)
DIALECT = Style("dialect", _dialect)
