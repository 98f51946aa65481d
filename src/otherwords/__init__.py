"""Does it still work when you say it in other words?"""

from __future__ import annotations

__version__ = "0.1.0"
