"""A prompt's text → the message that asks a model for rewordings; what it replies → the rewordings in it.

The text is somebody's data, and may say "ignore your instructions": it stands between tags with a name that
it cannot contain. Its protected spans are shown as marks ("add 2.5 kg" is "add ⟦1⟧"). Replies are read as
models give them: as JSON, as Python, as lists of all kinds, with remarks around them, and cut off.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from otherwords.core.contract import SPREAD, STRENGTHS
from otherwords.core.errors import UnknownNameError
from otherwords.core.types import stable_hash
from otherwords.english.language import is_refusal
from otherwords.english.lexicon import Patterns, read_lexicon
from otherwords.english.spans import MASK, mask

_TOLD = read_lexicon("prompts")["reword"]
PROMPT_VERSION: int = _TOLD["version"]
RULES: str = _TOLD["rules"]
"""The system's message."""
INSTRUCTIONS: dict[str, str] = _TOLD["strengths"]
"""How far a rewording may go from the original, as the model is told."""
KEY = "rewordings"
_MOST_EARLIER = 6


def strengths_of(strength: str, k: int) -> list[str]:
    """How far each of `k` rewordings may go: as `strength` says, or all strengths in turn."""
    if strength != SPREAD and strength not in INSTRUCTIONS:
        raise UnknownNameError("strength", strength, (*STRENGTHS, SPREAD))
    return [STRENGTHS[place % len(STRENGTHS)] if strength == SPREAD else strength for place in range(k)]


def make_request(
    source: Marked,
    strengths: Sequence[str],
    *,
    taken: Sequence[str] = (),
    rejected: Mapping[str, str] | None = None,
    problems: Sequence[str] = (),
) -> str:
    """Asks for one rewording of each of the `strengths`, and tells which exist and what was wrong so far."""
    number, told = len(strengths), _TOLD["request"]
    marks = [f"⟦{place}⟧ {_json(_short(span, 60))}" for place, span in source.spans.items()]
    earlier = [{"text": text, "problem": problem} for text, problem in (rejected or {}).items()]
    shown = {
        "text": source.text,
        "marks": "\n".join(marks),
        "taken": "\n".join(map(_json, taken)),
        "rejected": "\n".join(map(_json, earlier[-_MOST_EARLIER:])),
    }
    # The end of the tags' names depends on all that they enclose, and stands in none of it.
    tags = (stable_hash([turn, *shown.values()]) for turn in count())
    tag = next(tag for tag in tags if not any(tag in content for content in shown.values()))
    ways = "1 way" if number == 1 else f"{number} different ways"
    texts = "1 text" if number == 1 else f"{number} texts"
    if len(set(strengths)) == 1:
        ways += f". {INSTRUCTIONS[strengths[0]]}"
    else:
        lines = [f"{place}. {INSTRUCTIONS[one]}" for place, one in enumerate(strengths, start=1)]
        ways += ", in this order:\n" + "\n".join(lines)
    blocks = [
        f"{told[what].format(tag=tag, ways=ways)}\n\n<{what}-{tag}>\n{content}\n</{what}-{tag}>"
        for what, content in shown.items()
        if content or what == "text"
    ]
    blocks += [told["problem"].format(problem=problem) for problem in problems]
    return "\n\n".join([*blocks, told["reply"].format(tag=tag, texts=texts, key=_json(KEY))])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


_SAYS = Patterns("replies", MASK=MASK)


class Marked:
    """A text with marks such as ⟦1⟧ in place of its protected spans, and of brackets of that shape."""

    def __init__(self, text: str) -> None:
        self._masked = mask(text)
        self.spans: dict[int, str] = {}
        """What each mark stands for, by its number."""
        self._in_order: list[int] = []
        self.text = _SAYS.to_mark.sub(self._numbered, self._masked.text)

    def _numbered(self, match: re.Match[str]) -> str:
        number = len(self.spans) + 1
        self.spans[number] = self._masked.unmask(match[0])
        if self._masked.kind_of(match[0]) in ("label", "fence"):
            self._in_order.append(number)
        return f"⟦{number}⟧"

    @property
    def has_words(self) -> bool:
        """False when nothing is left to reword."""
        return _SAYS.word.search(_SAYS.mark.sub(" ", self.text)) is not None

    def restore(self, reply: str) -> tuple[str, str]:
        """The reply with its spans, marked or written out, and why they are not all there as they were."""
        there = {int(match[1]) for match in _SAYS.mark.finditer(reply)}
        for number in sorted(self.spans.keys() - there, key=lambda number: -len(self.spans[number])):
            said = self.spans[number].strip()
            if said.strip("⟦⟧"):
                written = rf"(?<![\w⟦.,]){re.escape(said)}(?![\w⟧]|[.,]\d)"
                reply = re.sub(written, f"⟦{number}⟧", reply, count=1)
        found = [int(match[1]) for match in _SAYS.mark.finditer(reply)]
        times = Counter(found)
        wrong = {
            "lost": [self._shown(number) for number in self.spans if not times[number]],
            "repeated": [self._shown(number) for number in self.spans if times[number] > 1],
            "unknown": [f"⟦{number}⟧" for number in times if number not in self.spans],
        }
        problems = [f"{what}: {', '.join(marks)}" for what, marks in wrong.items() if marks]
        if not problems and [number for number in found if number in self._in_order] != self._in_order:
            problems.append("list labels or code blocks changed places")
        if re.search("[⟦⟧]", _SAYS.mark.sub("", reply)):
            problems.append("a broken mark")
        restored = _SAYS.mark.sub(lambda match: self.spans.get(int(match[1]), match[0]), reply)
        return restored, "; ".join(problems)

    def _shown(self, number: int) -> str:
        return f"⟦{number}⟧ ({_short(' '.join(self.spans[number].split()), 40)})"


NO_LIST = "no list of rewordings in it"
_MOST_OPENINGS = 50
_JSON = json.JSONDecoder(strict=False)
"""Takes line breaks inside texts, which models forget to escape."""


def read_reply(reply: str, wanted: int) -> tuple[list[str], str]:
    """The rewordings in `reply`, of which `wanted` were asked for, and what is wrong with it as a whole."""
    said = _SAYS.thought.sub("", reply).strip()
    if not said:
        return [], "the reply is empty"
    texts, whole = _in_json(said)
    if not texts and not whole:
        texts, whole = _listed(said, wanted), True
        if not texts:
            return [], NO_LIST
    cleaned = [text for one in texts if (text := _cleaned(one))]
    if not cleaned:
        return [], "the list is empty"
    of = f"{len(cleaned)} of {wanted}"
    lacking = f"only {of} rewordings" if whole else f"cut off after {of}"
    return cleaned, lacking if len(cleaned) < wanted else ""


def _in_json(reply: str) -> tuple[list[str], bool]:
    """The texts of JSON lines, or else of the first list or object of texts, and whether it ends well."""
    texts, whole = _values(_SAYS.fence.sub("", reply), 0)
    if whole and len(texts) > 1:
        return texts, whole
    openings = [match.end() for match in _SAYS.keyed.finditer(reply)]
    openings = openings or [match.end() for match in re.finditer(r"[\[{]", reply)]
    for start in openings[:_MOST_OPENINGS]:
        texts, whole = _values(reply, start)
        if texts or (whole and KEY in reply[:start]):
            return texts, whole
    return [], False


def _values(reply: str, start: int) -> tuple[list[str], bool]:
    """The texts from `start` up to a broken one, in JSON or as Python writes them; whether they end well."""
    texts: list[str] = []
    place = start
    while True:
        place += len(_SAYS.between.match(reply, place)[0])  # type: ignore[index]  # it matches nothing, too
        if place == len(reply) or reply[place] in "]}":
            return texts, (place == len(reply)) == (start == 0)
        try:
            if quoted := _SAYS.python_text.match(reply, place):
                value, place = ast.literal_eval(quoted[0]), quoted.end()
            else:
                value, place = _JSON.raw_decode(reply, place)
        except (ValueError, SyntaxError, RecursionError):
            return texts, False
        text = _as_text(value)
        if text is None:
            return [], False
        if place < len(reply) or reply[start - 1] != "{":  # else perhaps a value's name, cut off
            texts.append(text)


def _as_text(value: Any) -> str | None:
    """Some models wrap each text, as in {"text": "…"}, and name its strength beside it."""
    if isinstance(value, dict):
        texts = {name: one for name, one in value.items() if isinstance(one, str)}
        named = [texts[name] for name in ("text", "rewording", "paraphrase") if name in texts]
        found = named or [*texts.values()]
        return found[0] if len(found) == 1 else None
    return value if isinstance(value, str) else None


def _listed(reply: str, wanted: int) -> list[str]:
    """The parts of a list that is no JSON; of a reply without one, its paragraphs or lines, if they fit."""
    reply = _SAYS.closing.sub("", _SAYS.fence.sub("", reply)).strip()
    for marker in (_SAYS.number, _SAYS.heading, _SAYS.label, _SAYS.bullet):
        found = [*marker.finditer(reply)]
        ends = [match.start() for match in found[1:]] + [len(reply)]
        parts = [reply[match.end() : end] for match, end in zip(found, ends, strict=False)]
        if len(parts) >= min(wanted, 2) and all(map(str.strip, parts)):
            return [re.sub(r"\n[ \t]{2,3}(?=\S)", "\n", _SAYS.rule.sub("", part)) for part in parts]
    body = _SAYS.lead_in.sub("", reply, count=1).strip()
    for split in (r"\n\s*\n", r"\n"):
        parts = [part for part in re.split(split, body) if part.strip()]
        if len(parts) == wanted > 1:
            return parts
    return [] if wanted > 1 or is_refusal(body) or _SAYS.no_text.match(body) else [body]


def _cleaned(text: str) -> str:
    """`text` without labels, notes, quotation marks and bold type around it, and without half characters."""
    before = None
    text = text.encode("utf-8", "ignore").decode("utf-8").strip()
    while text != before:
        before = text
        text = _SAYS.note.sub("", _SAYS.stripped.sub("", text, count=1)).strip()
        for around in (_SAYS.quoted, _SAYS.in_bold):
            if match := around.match(text):
                text = match[match.lastindex or 0].strip()
    return text
