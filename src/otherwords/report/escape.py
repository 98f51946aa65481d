"""Untrusted text → safe on a terminal, in CSV, Markdown, HTML; HTML elements; a page → one file."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import orjson

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_FORMULA = re.compile(r"[ \t\r\n]*[=+\-@＝＋－＠]|[\t\r\n]")
_MARKUP = re.compile(r"[\\`*_\[\]#|~@$]|:(?=//)|(?<=mailto):|(?<=xmpp):|(?<=www)\.", re.IGNORECASE)
_LIST_MARK = re.compile(r"^(\d*)([-+=.)])")


def visible(text: object) -> str:
    """`text` with control, direction and zero-width characters shown instead of obeyed."""
    if text is None:
        return ""
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return _INVISIBLE.sub(_picture, shown.replace("\r\n", "\n"))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def one_line(text: object, limit: int | None = None) -> str:
    """Visible text with white space folded, cut at `limit` with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def csv_cell(text: str | None) -> str | None:
    """A spreadsheet would run a cell that starts like a formula; an apostrophe makes it text."""
    if text is None:
        return None
    shown = visible(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def markdown(text: object, limit: int | None = None) -> str:
    """One line of plain text inside Markdown: no markup, no HTML, no links."""
    line = _MARKUP.sub(r"\\\g<0>", one_line(text, limit))
    line = _LIST_MARK.sub(r"\1\\\2", line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def short_labels(names: Sequence[str], limit: int = 32) -> list[str]:
    """Names short enough for an axis, and still different from each other."""
    labels: list[str] = []
    taken: set[str] = set()
    for name in names:
        line = one_line(name) or "(no name)"
        if len(line) > limit:
            tail = limit // 3
            line = f"{line[: limit - tail - 1]}…{line[-tail:]}"
        label, count = line, 1
        while label in taken:
            count += 1
            label = f"{line} ({count})"
        taken.add(label)
        labels.append(label)
    return labels


class Html(str):
    """Finished HTML: `tag` takes it as it is, and every other text as text."""

    __slots__ = ()


def tag(element: str, *children: str | None, **attributes: str | int | bool | None) -> Html:
    """One element. `class_` is the attribute `class`, `data_x` is `data-x`; None is absent.

    Example:
        >>> from otherwords.report.escape import tag
        >>> tag("p", "1 < 2", class_="quiet")
        '<p class="quiet">1 &lt; 2</p>'
    """
    named = "".join(_attribute(name, value) for name, value in attributes.items())
    if element in _VOID:
        return Html(f"<{element}{named}>")
    return Html(f"<{element}{named}>{join(children)}</{element}>")


def join(children: Iterable[str | None]) -> Html:
    """Elements and texts one after the other."""
    return Html(
        "".join(
            child if isinstance(child, Html) else html.escape(visible(child))
            for child in children
            if child is not None
        )
    )


def _attribute(name: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    shown = name.rstrip("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{html.escape(visible(value))}"'


def breakable(name: str) -> Html:
    """A name that goes on in the next line after `/`, `_`, `.` or `:` rather than anywhere."""
    return Html(tag("wbr").join(join([part]) for part in re.split(r"(?<=[/_.:])(?=.)", name)))


def table(
    head: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    label: str,
    stack: bool = False,
    words: Iterable[int] = (),
) -> Html:
    """A table with a heading for each column and each row; `words` are the columns of text.

    With `stack` each row becomes a block on a narrow screen, with the column's heading beside each value.
    The roles say what is a row and a cell where the style makes blocks of them.
    """
    titles, left = list(head), {0, *words}
    top = [
        tag("th", title, scope="col", role="columnheader", class_="text" if place in left else None)
        for place, title in enumerate(titles)
    ]
    lines = []
    for row in rows:
        first, *others = row
        cells = [tag("th", first, scope="row", role="rowheader", class_="text")]
        cells += [
            tag(
                "td",
                tag("span", cell),
                role="cell",
                data_label=title,
                class_="text" if place in left else None,
            )
            for place, (title, cell) in enumerate(zip(titles[1:], others, strict=True), start=1)
        ]
        lines.append(tag("tr", *cells, role="row"))
    body = tag(
        "table",
        tag("thead", tag("tr", *top, role="row"), role="rowgroup"),
        tag("tbody", *lines, role="rowgroup"),
        role="table",
        aria_label=label,
        class_="stack" if stack else None,
    )
    if stack:
        return body
    return tag("div", body, class_="scroll", tabindex=0, role="region", aria_label=label)


_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})


_PARTS = {
    "page": ("base", "download", "drawing", "page"),
    "review": ("base", "review"),
    "comparison": ("base", "drawing"),
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
