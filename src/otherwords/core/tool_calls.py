"""An agent's tool calls → one short text for each run, read back as a path; two paths aligned, and compared.

The text is `get_user#1f3a9c book#77b0de! +4`: tools in the order in which they were called, each with a hash
of its normalised arguments and a mark where it failed, and how many further calls did not fit. It is shorter
than what Inspect's summaries cut.
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from otherwords.core.errors import OtherwordsWarning
from otherwords.core.registry import Registry

LONGEST_RECORD = 1000
"""Characters; Inspect's summaries cut strings from 1,024 on."""
LONGEST_NAME = 64
_HASH = 6
_OTHER = re.compile(r"[^\w.:/-]+")
_CALL = re.compile(rf"(\S+)#([0-9a-f]{{{_HASH}}})(!?)")
_CUT = re.compile(r"\+(\d{1,9})")
# A number with or without marks of thousands. With zeros before it, it is rather an id.
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,30})(?:\.\d{1,30})?")

# What an environment draws at random: UUIDs, long hexadecimal ids with a letter and a digit, ULIDs.
_MADE_ID = re.compile(
    r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{16,64}"
    r"|(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{26})\b",
    re.IGNORECASE,
)

NORMALIZERS: Registry[Callable[[Any], Any]] = Registry("normalizer of arguments", "otherwords.normalizers")
"""By a tool's name, or `*` for every tool: from the arguments of a call to what they are compared by. The
module of a task or an agent can add one, or a package by an entry point of the group."""


class Call(NamedTuple):
    """One call of a tool."""

    tool: str
    arguments: Any = None
    failed: bool = False
    result: Any = None


How: TypeAlias = Literal["tool", "arguments", "ends", "goes on"]
TOOL: How = "tool"
ARGUMENTS: How = "arguments"
ENDS: How = "ends"
GOES_ON: How = "goes on"


@dataclass(frozen=True)
class ToolPath:
    """The calls of one run, in order."""

    names: tuple[str, ...]
    arguments: tuple[str, ...]
    """The hash of each call's arguments."""
    failed: tuple[bool, ...] = ()
    """Whether each call ended with an error."""
    cut: int = 0
    """Further calls that the record has no room for."""

    @property
    def calls(self) -> int:
        """How many were made, with those that the record has no room for."""
        return len(self.names) + self.cut


@dataclass(frozen=True)
class Parting:
    """Where a path first differs from another."""

    call: int
    """From 1 on."""
    how: How
    here: str = ""
    """The tool of this path at that call; empty where it ends before."""
    there: str = ""
    """The other's."""


def tool_call_record(calls: Iterable[Call | tuple[str, Any]]) -> str:
    """The record of one run.

    Arguments that differ only in case, white space, the form of numbers or the order of keys have the same
    hash. An id that the environment made (a UUID, a long hexadecimal id) is compared by its place among those
    that the results of earlier calls had: it is another one in each run.

    Args:
        calls: Each call's tool and arguments, in the order in which they were made.

    Returns:
        At most 1,000 characters; empty where nothing was called.

    Example:
        >>> from otherwords.core.tool_calls import Call, tool_call_record
        >>> tool_call_record([("get_user", {"id": 7}), Call("get_user", {"id": " 7.0"}, failed=True)])
        'get_user#1f2ce0 get_user#1f2ce0!'
    """
    made: dict[str, int] = {}
    written = []
    for one in calls:
        call = Call(*one)
        mark = "!" if call.failed else ""
        written.append(f"{_name(call.tool)}#{argument_hash(call.arguments, call.tool, made)}{mark}")
        for found in _MADE_ID.findall(_text(call.result)):
            made.setdefault(found.casefold(), len(made) + 1)
    record = " ".join(written)
    if len(record) <= LONGEST_RECORD:
        return record
    room, kept = LONGEST_RECORD - len(f" +{len(written)}"), 0
    while (room := room - len(written[kept]) - 1) >= -1:
        kept += 1
    return " ".join([*written[:kept], f"+{len(written) - kept}"])


@lru_cache(maxsize=65_536)
def read_tool_calls(record: str) -> ToolPath:
    """The path in a record; what is no call in it is left out.

    Example:
        >>> from otherwords.core.tool_calls import read_tool_calls
        >>> read_tool_calls("find#0a1b2c book#ffffff! +3")
        ToolPath(names=('find', 'book'), arguments=('0a1b2c', 'ffffff'), failed=(False, True), cut=3)
    """
    parts = record.split()
    calls = [found.groups() for part in parts if (found := _CALL.fullmatch(part))]
    cut = _CUT.fullmatch(parts[-1]) if parts else None
    return ToolPath(
        tuple(name for name, _, _ in calls),
        tuple(hashed for _, hashed, _ in calls),
        tuple(bool(mark) for _, _, mark in calls),
        int(cut[1]) if cut else 0,
    )


def argument_hash(arguments: Any, tool: str = "", made: Mapping[str, int] | None = None) -> str:
    """Equal for arguments that mean the same; `made` has ids of the environment by their place."""
    text = json.dumps(
        _normalised(_by_hook(arguments, tool), made or {}), sort_keys=True, ensure_ascii=False, default=repr
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def _by_hook(arguments: Any, tool: str) -> Any:
    """What a user's function makes of the arguments; one that fails is named in a warning and left out."""
    for name in (tool, "*"):
        hook = NORMALIZERS.find(name) if name else None
        if hook is None:
            continue
        try:
            arguments = hook(arguments)
        except Exception as error:  # noqa: BLE001 -- a run is not lost for it
            why = f"it raised {type(error).__name__}: {error}"
            text = f"the normalizer of arguments '{name}' is left out: {why}"
            warnings.warn(text, OtherwordsWarning, stacklevel=2)
    return arguments


def _normalised(value: Any, made: Mapping[str, int]) -> Any:
    if isinstance(value, Mapping):
        return {" ".join(str(key).casefold().split()): _normalised(one, made) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_normalised(one, made) for one in value]
    if isinstance(value, bool) or value is None:
        return value
    text = " ".join(str(value).casefold().split())
    if made:
        text = _MADE_ID.sub(lambda found: f"<id {made[found[0]]}>" if found[0] in made else found[0], text)
    return str(Decimal(text.replace(",", "")).normalize()) if _NUMBER.fullmatch(text) else text


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, default=str, ensure_ascii=False)


def _name(name: str) -> str:
    return _OTHER.sub("_", name)[:LONGEST_NAME] or "_"


def usual_path(paths: Sequence[ToolPath]) -> ToolPath | None:
    """What most runs of one wording do: of the most frequent tools the run with the most usual arguments.

    Of several that are as usual the earliest; None where there is no run.
    """
    if not paths:
        return None
    names = Counter(path.names for path in paths).most_common(1)[0][0]
    alike = [path for path in paths if path.names == names]
    counts = [Counter(hashes) for hashes in zip(*(path.arguments for path in alike), strict=True)]
    return max(
        alike, key=lambda path: sum(seen[one] for seen, one in zip(counts, path.arguments, strict=True))
    )


def aligned(one: Sequence[str], other: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Two sequences of tools with as few edits as can be: for each step the place in each, None for a gap.

    Example:
        >>> from otherwords.core.tool_calls import aligned
        >>> aligned(["get_user", "find", "book"], ["get_user", "book"])
        [(0, 0), (1, None), (2, 1)]
    """
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    rows, columns = one[start : len(one) - end], other[start : len(other) - end]
    # the fewest edits from here to the end, filled from behind so that the path is read from the front
    edits = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    edits[-1] = list(range(len(columns), -1, -1))
    for i in range(len(rows) - 1, -1, -1):
        edits[i][-1] = len(rows) - i
        for j in range(len(columns) - 1, -1, -1):
            edits[i][j] = min(
                edits[i + 1][j + 1] + (rows[i] != columns[j]), edits[i + 1][j] + 1, edits[i][j + 1] + 1
            )
    found: list[tuple[int | None, int | None]] = [(place, place) for place in range(start)]
    i = j = 0
    while i < len(rows) or j < len(columns):
        both = i < len(rows) and j < len(columns)
        if both and edits[i][j] == edits[i + 1][j + 1] + (rows[i] != columns[j]):
            found.append((start + i, start + j))
            i, j = i + 1, j + 1
        elif i < len(rows) and edits[i][j] == edits[i + 1][j] + 1:
            found.append((start + i, None))
            i += 1
        else:
            found.append((None, start + j))
            j += 1
    found += [(len(one) - place, len(other) - place) for place in range(end, 0, -1)]
    return found


def parting(path: ToolPath, usual: ToolPath) -> Parting | None:
    """The first call that differs from `usual`: another tool, or other arguments; None where none does.

    What a record has no room for is not compared.

    Example:
        >>> from otherwords.core.tool_calls import parting, read_tool_calls
        >>> usual = read_tool_calls("get_user#000001 book#000002")
        >>> parting(read_tool_calls("get_user#000001 find#000002"), usual)
        Parting(call=2, how='tool', here='find', there='book')
    """
    for place, (here, there) in enumerate(zip(_calls(path), _calls(usual), strict=False), start=1):
        if here != there:
            return Parting(place, TOOL if here[0] != there[0] else ARGUMENTS, here[0], there[0])
    mine, theirs = len(path.names), len(usual.names)
    if mine < theirs and not path.cut:
        return Parting(mine + 1, ENDS, "", usual.names[mine])
    if mine > theirs and not usual.cut:
        return Parting(theirs + 1, GOES_ON, path.names[theirs], "")
    return None


def parting_text(apart: Parting, *, is_original: bool = False) -> str:
    """The sentence for it.

    Args:
        apart: Where a run parts from what the original usually does.
        is_original: Whether the run is one of the original itself.

    Example:
        >>> from otherwords.core.tool_calls import Parting, parting_text
        >>> parting_text(Parting(2, "tool", "search_flights", "get_user"))
        'parts from the original at call 2: search_flights instead of get_user'
    """
    usual = "its usual path" if is_original else "the original"
    if apart.call == 1 and apart.how == ENDS:
        return f"calls no tool; {usual} begins with {apart.there}"
    if apart.call == 1 and apart.how == GOES_ON:
        return f"calls {apart.here}; {usual} calls no tool"
    told = {
        TOOL: f"{apart.here} instead of {apart.there}",
        ARGUMENTS: f"{apart.here} with other arguments",
        ENDS: f"ends, where {usual} goes on with {apart.there}",
        GOES_ON: f"goes on with {apart.here}, where {usual} ends",
    }
    return f"parts from {usual} at call {apart.call}: {told[apart.how]}"


def _calls(path: ToolPath) -> Iterator[tuple[str, str]]:
    return zip(path.names, path.arguments, strict=True)
