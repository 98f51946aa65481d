"""Files that are about to be given away, looked through for texts of a set, secrets and keys."""

from __future__ import annotations

from otherwords.scan.needles import Needle, Needles
from otherwords.scan.search import Finding, Scanned, scan

__all__ = ["Finding", "Needle", "Needles", "Scanned", "scan"]
