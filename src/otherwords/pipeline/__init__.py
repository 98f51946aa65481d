"""Functions that compose the other packages; the command line and `otherwords` itself offer them.

Import them from `otherwords`, or from the module that is named after what it does.
"""

from __future__ import annotations

__all__: list[str] = []
