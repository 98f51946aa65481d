"""Text from models and files → safe on a terminal, in CSV and Markdown; names → short labels for an axis."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
