"""The words of a text, in lower case and without punctuation."""

from __future__ import annotations

_PLAIN_MARKS = b'.,;:!?()[]{}"-/|*`<>=+_~\\#'  # hyphens part words: "5-km", "twenty-one"
_PARTED = bytes.maketrans(_PLAIN_MARKS, b" " * len(_PLAIN_MARKS))
_SEPARATORS = str.maketrans({**dict.fromkeys(_PLAIN_MARKS.decode() + "“”…—–‘−", " "), "’": "'"})
_SIGNS = "$€£¥₹%"


def _parted(text: str) -> str:
    if text.isascii():  # by bytes it is much quicker
        return text.encode().translate(_PARTED).decode()
    return text.translate(_SEPARATORS)


def words_in(text: str) -> list[str]:
    lower = text.lower()
    if ".m" in lower:
        lower = lower.replace("a.m.", "am ").replace("p.m.", "pm ")
    for sign in _SIGNS:
        if sign in lower:
            lower = lower.replace(sign, f" {sign} ")
    lower = _parted(lower)
    if "'" in lower:
        lower = f" {lower} ".replace("' ", " ").replace(" '", " ")  # "3 weeks' duration", 'quoted'
    return lower.split()
