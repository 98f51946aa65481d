"""Lists in another shape: other labels, one line instead of many, many instead of one.

A prompt with code, a table or a quotation is left alone: its lines are its matter.
"""

from __future__ import annotations

import re

from otherwords.variants.protect import MASK, Masked, mask

_LABEL = re.compile(r"(?P<indent>[ \t]*)(?P<open>\(?)(?P<mark>[A-Za-z]|\d{1,2})(?P<close>[.)])")
_NEXT_STYLE = {("", "."): ("(", ")"), ("(", ")"): ("", ")"), ("", ")"): ("", ".")}
_STRUCTURED_LINE = re.compile(r"^(?:[ \t]*[|>]|    \S|\t)", re.MULTILINE)
_BULLETS = re.compile(
    r"(?P<intro>^[^\n]*\S):[ \t]*\n(?P<items>(?:[-*•][ \t]+[^\n]+(?:\n|\Z)){2,})", re.MULTILINE
)
_BULLET = re.compile(r"^[-*•][ \t]+", re.MULTILINE)
_LONGEST_ITEM = 6
_INTRODUCES = re.compile(r"\b(?:following|these|list)\b")
_ENUMERATED = re.compile(r"(?P<items>[^:.?!()]+)(?P<end>[.?]?)")
_BETWEEN = re.compile(r"; (?:and |or )?|, (?:and |or )?")
_LAST_JOINED = re.compile(r" (?:and|or) ")
_ITEM = re.compile(rf"(?:[\w'’-]|{MASK})+(?: (?:[\w'’-]|{MASK})+){{0,2}}")
_NOT_ITEM = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|may|might|must|should|however"
    r"|then|so|if|which"
    r"|that|because|respectively|etc)\b"
)


def change_labels(text: str) -> str:
    """`A.` → `(A)` → `A)` → `A.`; the letter or number stays, so that what refers to it still does."""
    masked = mask(text)
    if _has_structure(masked):
        return text
    lines = text.split("\n")
    run = _labelled_run(lines)
    if not run:
        return text
    first = run[0][1]
    style = (first["open"], first["close"])
    elsewhere = "\n".join(line for place, line in enumerate(lines) if place not in dict(run))
    if re.search(r"\([A-Za-z0-9]{1,2}\)|\b[A-Z][.)](?=\s)", elsewhere):
        return text
    opening, closing = _NEXT_STYLE[style]
    for place, label in run:
        lines[place] = f"{label['indent']}{opening}{label['mark']}{closing}{lines[place][label.end() :]}"
    return "\n".join(lines)


def _labelled_run(lines: list[str]) -> list[tuple[int, re.Match[str]]]:
    """The labels of the one list in `lines`, which count up from A, a or 1 in one style; else nothing."""
    found = [
        (place, label)
        for place, line in enumerate(lines)
        if (label := _LABEL.match(line)) and _spaced(line, label)
    ]
    if len(found) < 2:
        return []
    first = found[0][1]
    style = (first["indent"], first["open"], first["close"])
    counted = [_counted(first["mark"], number) for number in range(len(found))]
    same = all((label["indent"], label["open"], label["close"]) == style for _, label in found)
    in_order = [label["mark"] for _, label in found] == counted
    return found if same and in_order and style[1:] in _NEXT_STYLE else []


def _spaced(line: str, label: re.Match[str]) -> bool:
    return line[label.end() : label.end() + 1] in (" ", "\t")


def _counted(first: str, number: int) -> str:
    if first not in ("A", "a", "1"):
        return ""
    return str(1 + number) if first == "1" else chr(ord(first) + number)


def list_to_prose(text: str) -> str:
    """`…:` and the prompt's one list, of short items, becomes one line: `…: one; two; three`."""
    match = _BULLETS.search(text)
    if match is None or _has_structure(mask(text)):
        return text
    items = [_BULLET.sub("", line).strip() for line in match["items"].strip("\n").split("\n")]
    if len(items) != len(_BULLET.findall(text)) or not all(_short(item) for item in items):
        return text
    ending = "\n" if match["items"].endswith("\n") else ""
    return f"{text[: match.start()]}{match['intro']}: {'; '.join(items)}{ending}{text[match.end() :]}"


def _short(item: str) -> bool:
    return len(item.split()) <= _LONGEST_ITEM and ";" not in item and item[-1:] not in ".?!:,"


def prose_to_list(text: str) -> str:
    """`… these: one, two, three.` becomes a list; where a question ends so, its mark goes before the list."""
    body = text.rstrip()
    if body.count(": ") != 1 or "\n" in body.lstrip():
        return text
    masked = mask(text)
    intro, _, listed = masked.text.rstrip().partition(": ")
    match = _ENUMERATED.fullmatch(listed)
    if match is None or not _INTRODUCES.search(intro) or _has_structure(masked):
        return text
    items = _items(match["items"])
    if len(items) < 3 or not all(_ITEM.fullmatch(item) and not _NOT_ITEM.search(item) for item in items):
        return text
    mark = "?" if match["end"] == "?" else ":"
    lines = "".join(f"\n- {item}" for item in items)
    return masked.unmask(intro + mark + lines + masked.text[len(masked.text.rstrip()) :])


def _items(text: str) -> list[str]:
    if ";" in text and "," in text:
        return []
    *others, last = _BETWEEN.split(text.strip())
    if not others or re.search(r"[,;] (?:and|or) ", text):
        return [*others, last]
    return [*others, *_LAST_JOINED.split(last, maxsplit=1)]


def _has_structure(masked: Masked) -> bool:
    return "fence" in masked.kinds or bool(_STRUCTURED_LINE.search(masked.text))
