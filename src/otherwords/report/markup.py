"""Element names, attributes and texts → finished HTML in which no text can become an element."""

from __future__ import annotations

import html
from collections.abc import Iterable

from otherwords.report.escape import visible


class Html(str):
    """Finished HTML: `tag` takes it as it is, and every other text as text."""

    __slots__ = ()


def tag(element: str, *children: str | None, **attributes: str | int | bool | None) -> Html:
    """One element. `class_` is the attribute `class`, `data_x` is `data-x`; None is absent.

    Example:
        >>> from otherwords.report.markup import tag
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


_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
