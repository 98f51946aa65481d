"""One HTML file that holds its own style, script and data and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any

from otherwords.report.text import visible


def one_file(page: str, *, title: str, data: Any) -> str:
    """`page`.html with its style, script and `data` in it, and a policy that lets nothing else run."""
    folder = files("otherwords.report") / "page"
    style, script = (
        "\n".join((folder / f"{name}.{ending}").read_text("utf-8") for name in ("base", page))
        for ending in ("css", "js")
    )
    parts = {
        "title": html.escape(visible(title)),
        "style": style,
        "script": script,
        "data": _json(data),
        "policy": (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
    }
    template = (folder / f"{page}.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _json(content: Any) -> str:
    """JSON that cannot close the element that holds it."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class Strings:
    """Each text once; the page's tables refer to it by number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.length = 0
        self._places: dict[str, int] = {}

    def place(self, text: str | None) -> int | None:
        if text is None:
            return None
        shown = visible(text)
        found = self._places.get(shown)
        if found is None:
            found = self._places[shown] = len(self.texts)
            self.texts.append(shown)
            self.length += len(shown)
        return found
