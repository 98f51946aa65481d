"""A page's template, style, script and data → one HTML file that loads nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson

from otherwords.report.escape import visible

_PARTS = {
    "page": ("base", "download", "page"),
    "review": ("base", "review"),
    "comparison": ("base",),
}
"""The files that a page's style and script are made of; not each has both."""


def one_file(
    page: str, *, title: str, data: Any, insert: Mapping[str, str] | None = None, side_files: bool = False
) -> str:
    """`page`.html with its style, script and `data` in it, and a policy that lets nothing else run.

    `data` is made JSON, unless it is text that is safe already, such as base64. `insert` is finished HTML for
    the template's other places. With `side_files` the page's own script may
    load further scripts; one that stands in the page's text still may not run.
    """
    folder = files("otherwords.report") / "page"
    style, script = (
        "\n".join(
            file.read_text("utf-8")
            for name in _PARTS[page]
            if (file := folder / f"{name}.{ending}").is_file()
        )
        for ending in ("css", "js")
    )
    loading = " 'strict-dynamic'" if side_files else ""
    parts = {
        **(insert or {}),
        "title": html.escape(visible(title)),
        "style": style,
        "script": script,
        "data": data if isinstance(data, str) else safe_json(data),
        "policy": (
            f"default-src 'none'; script-src '{_digest(script)}'{loading}; style-src '{_digest(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
    }
    head, template = ((folder / f"{name}.html").read_text("utf-8") for name in ("head", page))
    template = template.replace("{{head}}", head, 1)
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def safe_json(content: Any) -> str:
    """JSON that cannot close the element that holds it. Arrays may be numpy's, with NaN for null."""
    raw = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    return raw.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026").decode("utf-8")
