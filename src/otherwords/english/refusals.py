"""A model's reply or an error's text → whether it refuses to answer, or names a service's failure.

Made not to be wrong where it says yes: a reply that merely hedges ("I cannot be certain, but …"), that says
what it lacks ("I have no access to …"), or that gives an answer after its reservations is no refusal.
"""

from __future__ import annotations

from otherwords.english.lexicon import Patterns

__all__ = ["is_refusal"]

_SAYS = Patterns("refusals")
LONGEST = 2000
"""Characters from which a reply says more than no."""
_OPENING = 400
"""Characters at the beginning that are looked at for the refusing sentence."""

_MARKS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "*": "", "_": "", "#": "", ">": ""})


def is_refusal(text: str) -> bool:
    """Whether the reply says that it will not answer.

    Example:
        >>> from otherwords.english.refusals import is_refusal
        >>> is_refusal("I'm sorry, but I can't help with that.")
        True
        >>> is_refusal("I cannot be sure, but I think it is Paris.")
        False
    """
    if len(text) > LONGEST:
        return False
    said = " ".join(text.translate(_MARKS).split()).casefold()
    said = said.lstrip("\"' ").removeprefix("assistant: ")
    found = _SAYS.declines.match(said[:_OPENING])
    if found is None:
        return False
    rest = said[found.end() :]
    if _SAYS.has_answer.search(rest):
        return False
    goes_on = _SAYS.goes_on.search(rest)
    return goes_on is None or _SAYS.offer.match(goes_on[1]) is not None


def names_service_failure(text: str) -> bool:
    """Whether the text names an error of a provider or of the way to it.

    Example:
        >>> from otherwords.english.refusals import names_service_failure
        >>> names_service_failure("Error code: 429 - slow down"), names_service_failure("KeyError: 'x'")
        (True, False)
    """
    return _SAYS.of_services.search(text) is not None


def names_code_failure(text: str) -> bool:
    """Whether the text begins with an error that neither a service nor the machine is to blame for.

    Example:
        >>> from otherwords.english.refusals import names_code_failure
        >>> names_code_failure("KeyError('flight')"), names_code_failure("RuntimeError('503')")
        (True, False)
    """
    return _SAYS.of_code.match(text) is not None
