"""Helpers of all rooms: `lazy_names` (import on first use), `cores` (processors), `parse_size` ("4 GB")."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for `package`; `homes` gives each name's module."""

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(homes[name]), name)

    return look_up, lambda: sorted(homes)


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes: `512MB`, `4 GB`, `1.5GiB`, `100000`.

    Example:
        >>> from otherwords.core import parse_size
        >>> parse_size("4GB"), parse_size("1 KiB")
        (4000000000, 1024)
    """
    from otherwords.core.errors import InputError

    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise InputError(f"'{text}' is no size of memory", hint="For example: 4GB, 512MB")
    base = 1024 if found[3] else 1000
    return int(float(found[1]) * base ** " kmgt".index(found[2].lower() or " "))


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
