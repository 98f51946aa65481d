"""A text → how else it reads: folded, unescaped, without markup, backwards; what is in base64, base32 or hex.

Every function takes time in proportion to the length of the text.
"""

from __future__ import annotations

import base64
import binascii
import html
import quopri
import re
import unicodedata
from collections.abc import Iterator
from itertools import chain, groupby, takewhile
from typing import NamedTuple
from urllib.parse import unquote

ROUNDS = 6
"""How often escapes are undone: JSON within JSON within a URL is three."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(r"[^\W_]+")
_WORD_OR_SIGN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}_])\w)+")
"""Chinese, Japanese and Korean have no spaces between words; each sign counts as one."""
# Zero-width and bidirectional characters, soft hyphens, variation selectors, tags, fillers.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U000e0000-\U000e0fff]"
)
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a]")
# Letters of other scripts that look like Latin ones, after case and compatibility forms are folded.
_LOOKALIKES = {
    "a": "аɑαᴀ",
    "b": "ьʙвβᏏ",
    "c": "сϲᴄⅽ",
    "d": "ԁɗᴅꓒ",
    "e": "еҽεᴇ℮",
    "f": "ƒꞙϝ",
    "g": "ɡցԍɢ",
    "h": "һհнʜη",
    "i": "іιıɩӏɪⅰlｌ",
    "j": "јϳʝ",
    "k": "кκᴋ",
    "m": "мᴍⅿ",
    "n": "пոռɴ",
    "o": "оοօᴏσ๐০",
    "p": "рρᴘ",
    "q": "ԛգ",
    "r": "гᴦʀ",
    "s": "ѕꜱʂ",
    "t": "тτᴛ",
    "u": "υսᴜʋ",
    "v": "νѵᴠ",
    "w": "ԝѡωᴡɯ",
    "x": "хχ×",
    "y": "уүγʏ",
    "z": "ᴢʐζ",
}
_TO_LATIN = str.maketrans({other: latin for latin, others in _LOOKALIKES.items() for other in others})
# Letters in squares and circles, and those of flags, which no compatibility form folds.
for _first in (0x1F150, 0x1F170, 0x1F1E6):
    _TO_LATIN |= {_first + place: chr(ord("a") + place) for place in range(26)}
# Within ASCII: 1, l and i, and 0 and o. On both sides, so that a number is still found.
_MERGED = str.maketrans({"0": "o", "1": "i", "l": "i"})
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")

# The escapes of JSON and of program text.
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{3})"
    r"|([nrtbfv0])|(.))"
)
_URL_ESCAPE = re.compile("%u([0-9a-fA-F]{4})")
# What a terminal does not show: colours, moves, titles.
_TERMINAL = re.compile(
    "\x1b(?:\\[[0-9;:?<=>]{0,40}[ -/]{0,4}[@-~]|\\][^\x07\x1b]{0,400}(?:\x07|\x1b\\\\)|[@-Z\\\\^_=>78])"
)
# A text in characters that are not shown at all: each stands for an ASCII one, or for a byte.
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{8,}")
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# An HTML tag or comment; bounded, so that a lone `<` does not make the search slow.
_TAG = re.compile(r"<!--[^<>]{0,2000}-->|<[^<>]{0,2000}>")
# Marks of Markdown between letters, and a word that goes on in the next line.
_INNER_MARK = re.compile(r"(?<=\w)(?:[*_~`]{1,3}|[-\u2010][ \t]{0,8}\r?\n[ \t>]{0,16})(?=\w)|[*`~]{1,3}")
_HAS_LATEX = re.compile(r"\\[A-Za-z]{1,30}\s?\{|\{\\|\\[-/\"'`^~=.]")
_LATEX = re.compile(r"\\[A-Za-z]{1,30}\*?(?:\s?(?=\{)| ?)|\\[^A-Za-z0-9\s]|[{}$]")
_QUOTED_PRINTABLE = re.compile(r"=(?:\r?\n|[0-9A-F]{2})")
# Characters that end a cell or a string in CSV, JSON, HTML and program text.
_BREAK = re.compile(r"[\n\r\t,;|\"'<>=:()\[\]{}]+")


def plain(text: str) -> str:
    """`text` without case, accents, invisible characters, compatibility forms and lookalikes."""
    if text.isascii():
        return text.lower()
    apart = _MARKS.sub("", _INVISIBLE.sub("", unicodedata.normalize("NFKD", text)))
    return unicodedata.normalize("NFC", apart.casefold()).translate(_TO_LATIN)


def words_of(text: str) -> list[str]:
    """The words of `text` as they are compared."""
    folded = plain(text).translate(_MERGED)
    return (_WORD if folded.isascii() else _WORD_OR_SIGN).findall(folded)


def letters_of(text: str) -> str:
    """The letters and digits of `text` as they are compared, with nothing between them."""
    folded = plain(text).translate(_MERGED)
    return "".join(_WORD.findall(folded))


def disguises(text: str) -> list[str]:
    """`text`, and as it reads in rot13 and backwards."""
    folded = plain(text)
    return [text, folded.translate(_ROT13), folded[::-1]]


def standalone_values(text: str) -> set[str]:
    """The short pieces of `text` that stand by themselves, such as cells and strings, as their words."""
    found = set()
    for piece in set(_BREAK.split(text)):
        if 0 < len(piece) <= 100:
            words = words_of(piece)
            if 0 < len(words) <= 2:
                found.add(" ".join(words))
    return found


def unescaped(text: str) -> str:
    """`text` with every escape of JSON, program text, URLs and HTML undone, again and again."""
    for _ in range(ROUNDS):
        before = text
        if "\\" in text:
            text = _ESCAPE.sub(_character, text)
        if "%" in text:
            text = unquote(_URL_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text), errors="replace")
        if "&" in text:
            text = html.unescape(text)
        if text == before:
            break
    return text if text.isascii() else _SURROGATES.sub(_joined_pair, text)


def visible(text: str) -> str:
    """`text` without characters that cannot be seen."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def readings(text: str) -> Iterator[str]:
    """`text`, and what else a reader may see in it: without escapes, tags, marks and LaTeX commands."""
    yield text
    level = text
    for _ in range(2):
        if "\\" in level and _HAS_LATEX.search(level):
            yield _LATEX.sub("", level)
            level = _ESCAPE.sub(_character, level)
        else:
            break
    seen = unescaped(text)
    if seen != text:
        yield seen
    if not seen.isascii():
        yield from _smuggled(seen)
    if "\x1b" in seen:
        seen = _TERMINAL.sub("", seen)
        yield seen
    if "=" in text and _QUOTED_PRINTABLE.search(text):
        yield quopri.decodestring(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    if "<" in seen:
        yield _TAG.sub(" ", seen)
        seen = _TAG.sub("", seen)
        yield seen
    joined = _INNER_MARK.sub("", seen)
    if joined != seen:
        yield joined


def _smuggled(text: str) -> Iterator[str]:
    """What is written in characters that cannot be seen."""
    for found in _TAGS.finditer(text):
        yield "".join(chr(ord(one) - 0xE0000) for one in found[0])
    for found in _SELECTORS.finditer(text):
        codes = (ord(one) - (0xFE00 if one <= "\ufe0f" else 0xE0100 - 16) for one in found[0])
        yield bytes(codes).decode("utf-8", "replace")


def _character(match: re.Match[str]) -> str:
    braces, four, eight, two, octal, control, other = match.groups()
    digits = braces or four or eight or two
    if digits:
        value = int(digits, 16)
        return chr(value) if value <= 0x10FFFF else " "
    if octal:
        return chr(int(octal, 8))
    return " " if control else str(other)


def _joined_pair(match: re.Match[str]) -> str:
    return match.group(0).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class EncodedBlock(NamedTuple):
    """What a text may hold in base64, base32 or hex."""

    contents: Iterator[bytes]
    """As the bytes that it may be, depending on where it begins; the likeliest first."""
    is_data: bool
    """Long and mixed enough to be nothing else than encoded data."""


SHORTEST_TOKEN = 16
_CERTAIN, _CERTAIN_LINE = 512, 56
_TOKEN = re.compile(rf"[A-Za-z0-9+/_-]{{{SHORTEST_TOKEN},}}")
# Our own keyed hashes, of which a public table has many; each is eight bytes.
_PSEUDONYM = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:item|answer|other|sample|scorer)[-_][0-9a-f]{16}(?![A-Za-z0-9+/_-])"
)
_LONGEST_LINE = 128
_GAP = 12
"""Characters between two lines of a block: quotes, commas, marks of a comment."""
_HEX = re.compile(r"(?:(?:0x)?[0-9A-Fa-f]{2}[\s,:;\"'\\-]{0,4}){12,}")
_HEX_APART = re.compile(r"(?:[0-9A-Fa-f][\s,:;-]{1,4}){24,}")
_NOT_HEX = re.compile(r"0x|[^0-9A-Fa-f]")
_DIGESTS = frozenset({32, 40, 48, 56, 64, 96, 128})
_BASE32 = re.compile(r"[A-Z2-7]+|[a-z2-7]+")
_FEWEST_NARROW = 6
_BEGINNINGS = 2
"""Tokens of a block behind which it may begin instead."""
_SPACED = re.compile(r"[^A-Za-z0-9+/_=-]+")
_MAGIC = (
    b"\x1f\x8b\x08",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"\x89PNG",
    b"%PDF-",
    b"x\x9c",
)


def encoded_blocks(text: str) -> Iterator[EncodedBlock]:
    """What may be written in `text` in base64, base32 or hex, however its lines are broken."""
    text = _PSEUDONYM.sub(" ", text)
    for tokens in chain(_wide_blocks(text), _narrow_blocks(text)):
        yield from _decoded(tokens)
    for found in chain(_HEX.finditer(text), _HEX_APART.finditer(text)):
        lines = [len(_NOT_HEX.sub("", part)) for part in found.group(0).split()]
        digits = _NOT_HEX.sub("", found.group(0))
        is_number = digits.isdecimal()  # a list of numbers: bytes would have an a to f among so many
        is_data = len(digits) >= _CERTAIN and not is_number and not all(size in _DIGESTS for size in lines)
        yield EncodedBlock((_from_hex(digits[start:]) for start in (0, 1)), is_data)


def _from_hex(digits: str) -> bytes:
    return bytes.fromhex(digits[: len(digits) - len(digits) % 2])


def _wide_blocks(text: str) -> Iterator[list[str]]:
    """Runs of long tokens with nothing but signs between them; a shorter token may end one."""
    tokens: list[str] = []
    end = -1
    for found in _TOKEN.finditer(text):
        gap = text[end : found.start()] if tokens else ""
        if tokens and (len(gap) > _GAP or any(map(str.isalnum, gap))):
            yield [*tokens, *_last_line(text, end, tokens)]
            tokens = []
        tokens.append(found.group(0))
        end = found.end()
    if tokens:
        yield [*tokens, *_last_line(text, end, tokens)]


_LAST = re.compile(
    rf"[^A-Za-z0-9=]{{1,{_GAP}}}([A-Za-z0-9+/_-]{{1,{SHORTEST_TOKEN - 1}}}={{0,6}})(?![A-Za-z0-9])"
)


def _last_line(text: str, end: int, tokens: list[str]) -> list[str]:
    """What is left of a block whose lines are of one length; behind one in one piece is something else."""
    is_wrapped = len(tokens[-1]) <= _LONGEST_LINE and (len(tokens) == 1 or len(tokens[-1]) == len(tokens[-2]))
    found = _LAST.match(text, end) if is_wrapped else None
    return [found.group(1)] if found else []


def _narrow_blocks(text: str) -> Iterator[list[str]]:
    """Runs of short tokens of one length, as of lines that were broken early."""
    waiting: list[str] = []
    for length, group in groupby(text.split(), key=len):
        tokens = list(group)
        if waiting and len(tokens) == 1 and length < len(waiting[0]):
            waiting += tokens
        if waiting:
            yield [_SPACED.sub("", token) for token in waiting]
        waiting = tokens if 4 <= length < SHORTEST_TOKEN + 4 and len(tokens) >= _FEWEST_NARROW else []
    if waiting:
        yield [_SPACED.sub("", token) for token in waiting]


def _decoded(tokens: list[str]) -> Iterator[EncodedBlock]:
    of_base32 = "".join(takewhile(_BASE32.fullmatch, (token.rstrip("=") for token in tokens)))
    if of_base32:
        is_data = len(of_base32) >= _CERTAIN and of_base32.isupper() and any(map(str.isdigit, of_base32))
        yield EncodedBlock((_base32(of_base32[start:].upper()) for start in range(8)), is_data)
    letters = "".join(tokens).rstrip("=")
    is_data = len(letters) >= _CERTAIN and max(map(len, tokens)) >= _CERTAIN_LINE and _is_mixed(letters)
    yield EncodedBlock(_from_base64(tokens, letters.replace("-", "+").replace("_", "/")), is_data)


def _from_base64(tokens: list[str], letters: str) -> Iterator[bytes]:
    yield _base64(letters)
    at = 0
    for number, token in enumerate(tokens[:-1]):  # a block may begin behind something else
        at += len(token.rstrip("="))
        if number < _BEGINNINGS or _base64(letters[at : at + 8]).startswith(_MAGIC):
            yield _base64(letters[at:])
            if number >= _BEGINNINGS:
                break
    for start in range(1, 4):
        yield _base64(letters[start:])


def _is_mixed(letters: str) -> bool:
    least = len(letters) // 20
    counts = (sum(map(kind, letters)) for kind in (str.isupper, str.islower, str.isdigit))
    return all(count >= least for count in counts)


def _base64(letters: str) -> bytes:
    letters = letters.replace("=", "")
    whole = letters[: len(letters) - (len(letters) % 4 == 1)]
    return binascii.a2b_base64(whole + "=" * (-len(whole) % 4))


def _base32(letters: str) -> bytes:
    spare = {1: 1, 3: 1, 6: 1}.get(len(letters) % 8, 0)
    whole = letters[: len(letters) - spare]
    try:
        return base64.b32decode(whole + "=" * (-len(whole) % 8))
    except binascii.Error:
        return b""
