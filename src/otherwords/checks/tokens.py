"""The words of a text, in lower case and without punctuation."""

from __future__ import annotations

_SEPARATORS = str.maketrans(
    {
        **dict.fromkeys('.,;:!?()[]{}"“”…—–-/|*`<>=+_~\\#‘−', " "),
        "’": "'",
    }  # hyphens part words: "5-km", "twenty-one"
)
_SIGNS = "$€£¥₹%"


def words_in(text: str) -> list[str]:
    lower = text.lower()
    if ".m" in lower:
        lower = lower.replace("a.m.", "am ").replace("p.m.", "pm ")
    for sign in _SIGNS:
        if sign in lower:
            lower = lower.replace(sign, f" {sign} ")
    lower = lower.translate(_SEPARATORS)
    if "'" in lower:
        lower = f" {lower} ".replace("' ", " ").replace(" '", " ")  # "3 weeks' duration", 'quoted'
    return lower.split()
