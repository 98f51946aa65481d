"""The text of an error → whether it names a failure of a service, or one that code makes by itself."""

from __future__ import annotations

import re

_OF_SERVICES = re.compile(
    r"\b(?:RateLimitError|APIConnectionError|APITimeoutError|InternalServerError|ServiceUnavailableError|"
    r"OverloadedError|AuthenticationError|PermissionDeniedError|insufficient_quota|Connection error\.|"
    r"Connection(?:Refused|Reset)?Error|ConnectTimeout|ReadTimeout|Too many requests|"
    r"rate limit (?:reached|exceeded)|Service Unavailable|Bad Gateway|Internal Server Error|"
    r"(?:Error code|status(?: code)?|HTTP)[:= ]+(?:401|403|429|5\d\d))\b",
    re.IGNORECASE,
)
_OF_CODE = re.compile(
    r"(?:\w+\.)*(?:ArithmeticError|AssertionError|AttributeError|EOFError|FileNotFoundError|ImportError|"
    r"IndexError|JSONDecodeError|KeyError|LookupError|ModuleNotFoundError|NameError|NotImplementedError|"
    r"OverflowError|RecursionError|SyntaxError|TypeError|UnboundLocalError|Unicode\w*Error|ValidationError|"
    r"ValueError|ZeroDivisionError)\b"
)


def names_service_failure(text: str) -> bool:
    """Whether the text names an error of a provider or of the way to it.

    Example:
        >>> from otherwords.core.failure_texts import names_service_failure
        >>> names_service_failure("Error code: 429 - slow down"), names_service_failure("KeyError: 'x'")
        (True, False)
    """
    return _OF_SERVICES.search(text) is not None


def names_code_failure(text: str) -> bool:
    """Whether the text begins with an error that neither a service nor the machine is to blame for.

    Example:
        >>> from otherwords.core.failure_texts import names_code_failure
        >>> names_code_failure("KeyError('flight')"), names_code_failure("RuntimeError('503')")
        (True, False)
    """
    return _OF_CODE.match(text) is not None
