"""An agent's tool calls → one short text for each run, read back as a path, and where two paths part.

The text is `get_user#1f3a9c book#77b0de +4`: tools in the order in which they were called, each with a hash
of its arguments, and how many further calls did not fit. It is shorter than what Inspect's summaries cut.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

LONGEST_RECORD = 1000
"""Characters; Inspect's summaries cut strings from 1,024 on."""
LONGEST_NAME = 64
_HASH = 6
_OTHER = re.compile(r"[^\w.:/-]+")
_CALL = re.compile(rf"(\S+)#([0-9a-f]{{{_HASH}}})")
_CUT = re.compile(r"\+(\d{1,9})")
# A number with or without marks of thousands. With zeros before it, it is rather an id.
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,30})(?:\.\d{1,30})?")

Called: TypeAlias = tuple[str, Any]
"""A tool's name and its arguments."""
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
    cut: int = 0
    """Further calls that the record has no room for."""


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


def tool_call_record(calls: Iterable[Called]) -> str:
    """The record of one run.

    Args:
        calls: Each call's tool and arguments, in the order in which they were made.

    Returns:
        At most 1,000 characters; empty where nothing was called.

    Example:
        >>> from otherwords.core.tool_calls import tool_call_record
        >>> tool_call_record([("get_user", {"id": 7}), ("get_user", {"id": " 7.0"})])
        'get_user#1f2ce0 get_user#1f2ce0'
    """
    written = [f"{_name(name)}#{argument_hash(arguments)}" for name, arguments in calls]
    record = " ".join(written)
    if len(record) <= LONGEST_RECORD:
        return record
    room, kept = LONGEST_RECORD - len(f" +{len(written)}"), 0
    while (room := room - len(written[kept]) - 1) >= -1:
        kept += 1
    return " ".join([*written[:kept], f"+{len(written) - kept}"])


def read_tool_calls(record: str) -> ToolPath:
    """The path in a record; what is no call in it is left out.

    Example:
        >>> from otherwords.core.tool_calls import read_tool_calls
        >>> read_tool_calls("find#0a1b2c book#ffffff +3")
        ToolPath(names=('find', 'book'), arguments=('0a1b2c', 'ffffff'), cut=3)
    """
    parts = record.split()
    calls = [found.groups() for part in parts if (found := _CALL.fullmatch(part))]
    cut = _CUT.fullmatch(parts[-1]) if parts else None
    return ToolPath(
        tuple(name for name, _ in calls), tuple(hashed for _, hashed in calls), int(cut[1]) if cut else 0
    )


def argument_hash(arguments: Any) -> str:
    """Equal for arguments that differ only in case, white space, the form of numbers or the order of keys."""
    text = json.dumps(_normalised(arguments), sort_keys=True, ensure_ascii=False, default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def _normalised(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {" ".join(str(key).casefold().split()): _normalised(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_normalised(one) for one in value]
    if isinstance(value, bool) or value is None:
        return value
    text = " ".join(str(value).casefold().split())
    return str(Decimal(text.replace(",", "")).normalize()) if _NUMBER.fullmatch(text) else text


def _name(name: str) -> str:
    return _OTHER.sub("_", name)[:LONGEST_NAME] or "_"


def usual_path(paths: Sequence[ToolPath]) -> ToolPath | None:
    """What most runs of one wording do: the most frequent tools, each with its most frequent arguments.

    Of several that are as frequent the earliest; None where there is no run.
    """
    if not paths:
        return None
    names = _most_frequent(path.names for path in paths)
    alike = [path for path in paths if path.names == names]
    each = zip(*(path.arguments for path in alike), strict=True)
    return ToolPath(names, tuple(_most_frequent(hashes) for hashes in each), min(one.cut for one in alike))


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


def _most_frequent(values: Iterable[Any]) -> Any:
    return Counter(values).most_common(1)[0][0]


def calls_in_sample(events: Any, messages: Any) -> list[Called]:
    """The calls of a sample, from what Inspect keeps of it: its own objects, or their JSON.

    Args:
        events: What happened, in order; of tools what was executed counts.
        messages: What was said. Where no event is of a tool, what the model asked for in them counts.
    """
    calls: list[Called] = []
    for event in events or ():
        if _field(event, "name") == "scorers" and not _field(event, "parent_id"):
            break  # what follows is the scorers'
        if _field(event, "event") == "tool" and isinstance(name := _field(event, "function"), str):
            calls.append((name, _field(event, "arguments")))
    return calls or [
        (name, _field(call, "arguments"))
        for message in messages or ()
        for call in _field(message, "tool_calls") or ()
        if isinstance(name := _field(call, "function"), str)
    ]


def _field(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)
