"""Pages as they are in the repository → pages of the site; called by MkDocs, see mkdocs.yml."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)\s]+)\)")


PUBLIC_NAMES = "PUBLIC_NAMES"
"""Stands in api.md for the documentation of every public name."""


def on_page_markdown(markdown: str, *, config: Any, **_more: Any) -> str:
    """Links to files beside docs/ lead to the repository, where its address is set; else they are text."""
    if PUBLIC_NAMES in markdown:
        import otherwords

        names = (name for name in otherwords.__all__ if not name.startswith("_"))
        markdown = markdown.replace(PUBLIC_NAMES, "\n\n".join(f"::: otherwords.{name}" for name in names))
    address = (config.repo_url or "").rstrip("/")
    if not address:
        return _OUTSIDE.sub(r"\1 (`\2`)", markdown)
    return _OUTSIDE.sub(rf"[\1]({address}/blob/main/\2)", markdown)


class Examples(Extension):
    """Sections that are headed `Example:` are shown as code, like those that are headed `Examples:`."""

    def on_object(self, *, obj: Object, **_more: Any) -> None:
        """Called by griffe for every object that it reads."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"(?m)^Example:$", "Examples:", obj.docstring.value)
