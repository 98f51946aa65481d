"""Exports of what makes public copies of tables and logs, with pseudonyms, and of `scan` for what leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names

if TYPE_CHECKING:
    from otherwords.publish.logs import write_public_logs
    from otherwords.publish.patterns import TextPattern, TextPatterns
    from otherwords.publish.pseudonyms import Pseudonyms, Salts
    from otherwords.publish.redact import public_outcomes
    from otherwords.publish.search import Finding, ScanResult, scan

__all__ = [
    "Finding",
    "Pseudonyms",
    "Salts",
    "ScanResult",
    "TextPattern",
    "TextPatterns",
    "public_outcomes",
    "scan",
    "write_public_logs",
]

# Looked up on first use, because writing logs imports Inspect, which takes seconds.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("Finding", "ScanResult", "scan"), f"{__name__}.search"),
        **dict.fromkeys(("Pseudonyms", "Salts"), f"{__name__}.pseudonyms"),
        **dict.fromkeys(("TextPattern", "TextPatterns"), f"{__name__}.patterns"),
        "public_outcomes": f"{__name__}.redact",
        "write_public_logs": f"{__name__}.logs",
    },
)
