"""Seven families that say a prompt as other people do, each a table of rules; their words are in lexicons.

Typed in a hurry, mistyped, dictated, by learners of English, casual or formal, terse or padded, British or
American.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from otherwords.english.lexicon import read_lexicon
from otherwords.english.quantities import in_words
from otherwords.english.spans import find_spans
from otherwords.english.words import is_word
from otherwords.variants.prose import capital_openers, with_case
from otherwords.variants.style import Place, Rule, Source, Style, Way, cased, replacing, verbs, words
from otherwords.variants.typing_slips import doubled, dropped, slip, swapped, wrong_key

STRUCTURED = "it has code, addresses, formulas or lists, which nobody says aloud"


def _lower_case(text: str) -> str:
    return with_case(text, capital_openers(text), upper=False)


def _naturalistic() -> tuple[Way, ...]:
    """Slips of neighbouring keys, and the style of short messages."""

    def no_last_mark(source: Source) -> Iterator[Place]:
        end = len(source.text.rstrip())
        if source.ends_in_own_words and re.search(r"[\w)\"'`][.?!]\Z", source.text[:end]):
            yield Place(end - 1, end, "", "no last mark")

    slips = (
        slip("doubled letter", doubled),
        slip("swapped letters", swapped),
        slip("wrong key", wrong_key),
        slip("missing letter", dropped),
    )
    short = replacing(read_lexicon("styles")["chat"], "short form")
    return (
        Way("typo", some=slips, per_word=0.25),
        Way("chat", always=(short, no_last_mark), first=_lower_case),
    )


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
        slip("doubled letter", doubled, is_word),
        slip("wrong key", wrong_key),
        slip("swapped letters", swapped),
        words(read["misspellings"], "misspelling"),
        replacing(read["homophones"], "homophone"),
        replacing(read["autocorrect"], "autocorrect"),
    )
    return (Way("typing", some=rules, per_word=0.25),)


_SAID_ALOUD = frozenset(("number", "quoted", "caps", "date"))
_UNSPEAKABLE = re.compile(
    r"[\n;:()\[\]{}<>*_#|/\\=–—…]|\w-\w.*-|,[^,.?!]*,[^,.?!]*,| - |\d%?,? (?:and |or )?\$?\d"
    r"|, [\w-]+(?: [\w-]+){0,2},? (?:and|or) "
)
_AMOUNT = re.compile(r"(?P<sign>\$)?(?P<number>\d{1,3}(?:,\d{3})+|\d+)(?P<percent>%)?(?: [a-z]{3,}.*)?")
_YEARS = range(1100, 2100)
_LARGEST_SAID = 9_999


def _unspoken(text: str) -> str:
    """Why `text` is nothing that one would dictate: structure, data, or lists that need their commas."""
    structured = any(span.kind not in _SAID_ALOUD for span in find_spans(text))
    return STRUCTURED if structured or _UNSPEAKABLE.search(text.strip()) else ""


def _voice() -> tuple[Way, ...]:
    read = read_lexicon("styles")["voice"]

    def no_punctuation(source: Source) -> Iterator[Place]:
        for match in source.found(r"(?<=[\w'’\"%])[.,?!]+(?=\s|\Z)"):
            if not re.search(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|vs|etc|approx)\Z", source.text[: match.start()]):
                yield Place(*match.span(), "", "no punctuation")

    def numbers(source: Source) -> Iterator[Place]:
        for span in find_spans(source.text):
            said = source.text[span.start : span.end]
            match = _AMOUNT.fullmatch(said) if span.kind == "number" else None
            if match is None or (match["sign"] and match["percent"]):
                continue
            value = int(match["number"].replace(",", ""))
            if value > _LARGEST_SAID or (value in _YEARS and said.isdecimal()):
                continue
            after = " dollars" if match["sign"] else " percent" if match["percent"] else ""
            if re.search(r"\b(?:an?|the|his|her|my|your|their|our) \Z", source.text[: span.start]):
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

    always = (numbers, no_punctuation, first_filler, please)
    return (Way("voice", always, (fillers,), refuses=_unspoken, first=_lower_case),)


_DETERMINED = frozenset(
    ("same", "other", "only", "first", "last", "next", "most", "least", "more", "less", "former")
)


def _no_article(change: str) -> Rule:
    """Without "the" or "a" before a plain noun phrase of which the meaning does not hang on it."""

    def rule(source: Source) -> Iterator[Place]:
        rates = frozenset(read_lexicon("styles")["nonnative"]["rates"])
        for token in source.tokens:
            if token.lower_ not in ("the", "a", "an") or token.dep_ != "det" or token.i + 1 >= len(token.doc):
                continue
            after, head = token.nbor(), token.head
            plain = after.is_lower and after.is_alpha and after.tag_ not in ("JJS", "JJR", "CD", "RBS", "RBR")
            if (
                not plain
                or after.lower_ in rates | _DETERMINED
                or head.lower_ in rates
                or head.pos_ not in ("NOUN", "ADJ")
            ):
                continue
            if not source.is_free(token.idx, after.idx + len(after)):
                continue
            new = after.text[0].upper() if token.text[0].isupper() else after.text[0]
            yield Place(token.idx, after.idx + 1, new, change)

    return rule


def _nonnative() -> tuple[Way, ...]:
    read = read_lexicon("styles")["nonnative"]

    def agreement(source: Source) -> Iterator[Place]:
        from lemminflect import getInflection

        for token in source.tokens:
            known = token.tag_ == "VBZ" and token.pos_ == "VERB" and token.is_lower and len(token) > 3
            if known and token.text in getInflection(token.lemma_, "VBZ"):  # the lemma may be wrong
                yield Place(token.idx, token.idx + len(token), token.lemma_.lower(), "verb form")
            if token.lower_ == "does" and token.dep_ == "aux":
                yield Place(token.idx, token.idx + len(token), cased("do", token.text), "verb form")

    def past_twice(source: Source) -> Iterator[Place]:
        from lemminflect import getInflection

        for token in source.tokens:
            after_did = any(child.lower_ == "did" and child.dep_ == "aux" for child in token.children)
            forms = (
                getInflection(token.text, "VBD")
                if after_did and token.tag_ == "VB" and token.is_lower
                else ()
            )
            if forms and forms[0] != token.text:
                yield Place(token.idx, token.idx + len(token), forms[0], "tense")

    rules = (
        _no_article("article"),
        agreement,
        past_twice,
        replacing(read["prepositions"], "preposition"),
        words(read["counted"], "plural"),
    )
    return (Way("nonnative", some=rules),)


_ROLE = re.compile(
    r"(?:You|Your|Act|Imagine|Pretend|Suppose|Assume|Complete|Continue|Below|Here)\b", re.IGNORECASE
)
"""How prompts open that describe a scene or are to be continued: nobody greets before them."""


def _around(
    first: list[str], last: list[str], change: str, of_questions: Sequence[str] = ()
) -> tuple[Rule, ...]:
    """Something said before the prompt, some of it only before questions, and something after it."""

    def before(source: Source) -> Iterator[Place]:
        if not source.starts_with_own_words or _ROLE.match(source.text):
            return
        asks = re.fullmatch(r"[^.:;!\n]*\?\s*", source.text)
        said = source.random.choice([*first, *of_questions] if asks else first)
        if source.text[0].isupper() or not said.endswith(". "):
            yield Place(0, 0, said, change)

    def after(source: Source) -> Iterator[Place]:
        end = len(source.text.rstrip())
        closed = source.ends_in_own_words and source.text[end - 1 : end] in (".", "?", "!")
        if closed and not _ROLE.match(source.text):
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
        match = re.match(r"(?:What|Who) (?:is|are|was|were) the (?=[a-z])", source.text)
        if match is None or not re.fullmatch(r"[^,.:;?\n]*\?\s*", source.text):
            return
        verbal = [token for token in source.doc if token.tag_.startswith("VB") or token.pos_ == "AUX"]
        if len(verbal) == 1 and not re.search(r"\b(?:of these|following|difference)\b", source.text):
            yield Place(0, match.end() + 1, source.text[match.end()].upper(), "left out")

    def which(source: Source) -> Iterator[Place]:
        for match in source.found(
            r"\b([Ww]hich) of the following(?= (?:is|are|was|were|can|has|causes|does)\b)"
        ):
            if source.has_choices:
                yield Place(*match.span(), match[1], "left out")

    def how_to(source: Source) -> Iterator[Place]:
        for match in source.found(r"\b([Hh]ow) (?:do|can|should) (?:I|you|we) (?=[a-z]{3,})"):
            yield Place(*match.span(), f"{match[1]} to ", "left out")

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


NATURALISTIC = Style(
    "naturalistic",
    _naturalistic,
    version=2,
    summary="typos, lower case and shorthand",
    is_informal=True,
    changes_form=True,
    advice="rough input costs: correct spelling before the model sees it, or test with such prompts",
)
TYPING = Style(
    "typing",
    _typing,
    summary="slips of real typing: missing spaces, doubled letters, homophones, autocorrect",
    is_informal=True,
    advice="rough input costs: correct spelling before the model sees it, or test with such prompts",
)
VOICE = Style(
    "voice",
    _voice,
    summary="as transcribed from speech: no punctuation, fillers, numbers as words",
    is_informal=True,
    changes_form=True,
    advice="spoken input costs: restore punctuation and numbers before the model sees it",
)
NONNATIVE = Style(
    "nonnative",
    _nonnative,
    summary="English as a second language: articles, prepositions, verb forms",
    advice="learners' English costs: test with your users' own prompts, or correct grammar first",
)
REGISTER = Style(
    "register",
    _register,
    summary="more casual or more formal",
    is_informal=True,
    advice="the tone matters: give the model one tone, or test both",
)
VERBOSITY = Style(
    "verbosity",
    _verbosity,
    summary="terser or with padding",
    advice="the length of a request matters: build prompts from one template",
)
DIALECT = Style(
    "dialect",
    _dialect,
    summary="British or American spelling and words",
    advice="spelling of one region costs: normalise it before the model sees it",
)
