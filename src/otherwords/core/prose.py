"""Prose that is indented like code, as in the scenarios of simulated users."""

from __future__ import annotations

import re

_ADDRESSED = re.compile(r"\s+(?:You|Your|If|I|My)\b[^={}<>|]*[.?!,]\s*$")


def is_addressed_line(line: str) -> bool:
    """An indented line that speaks to the reader, in words and with a sentence's punctuation."""
    return bool(_ADDRESSED.match(line))
