"""The package whose modules compose the rooms for the command line and `otherwords`; exports nothing itself.

Import them from `otherwords`, or from the module that is named after what it does.
"""

from __future__ import annotations

__all__: list[str] = []
