"""`Template`, a text or messages with `{placeholders}`: read from files, checked, filled in by a case.

`{name}` is a placeholder. `{{` and `}}` are braces that are meant as they stand. Any other brace is refused.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast, get_args

from otherwords.core.contract import ORIG, PLACES, SYSTEM, TEMPLATE
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.files import read_input
from otherwords.core.types import Item, Message, Prompt, Role

ROLES = get_args(Role)
TEXT_FILES = (".txt", ".md")
MESSAGE_FILES = (".yaml", ".yml", ".json")
LARGEST = 1024**2
"""Bytes of a template's file."""
OPTIONS_FIELDS = ("choices", "options")
ANSWER_FIELDS = ("answer", "answers", "target")
_PIECE = re.compile(r"\{\{|\}\}|\{(?P<name>[^\W\d][\w.-]*)\}|[{}]")
_SHOWN = re.compile(r"\{[^{}\n]{0,40}\}?|\}")
_DOUBLED = re.compile(r"\{\{\s*([^\W\d][\w.-]*)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with `{name}` placeholders, which are filled in with the fields of a case.

    Args:
        prompt: A text, or messages: `Message` objects, or mappings with `role` and `content`.
        name: What tables call it; the first one is `orig`.

    Raises:
        InputError: It has no placeholder, or a brace that is none.

    Example:
        >>> from otherwords import Template
        >>> template = Template("Answer in one word: {question}")
        >>> template.placeholders
        ('question',)
        >>> template.render({"question": "What is the capital of France?"})
        'Answer in one word: What is the capital of France?'
    """

    prompt: Prompt
    name: str = ORIG
    file: Path | None = field(default=None, compare=False)
    """Where it was read; None if it was not."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompt", _as_prompt(self.prompt, self.file))
        self._require_braces()
        if not self.placeholders:
            raise InputError("the template has no placeholder", file=self.file, hint=self._how_to_name())

    @property
    def messages(self) -> tuple[Message, ...]:
        """Its messages; a text is one of the user."""
        return (Message("user", self.prompt),) if isinstance(self.prompt, str) else self.prompt

    @property
    def plain(self) -> Any:
        """The text, or the messages as dictionaries, for files."""
        return self.prompt if isinstance(self.prompt, str) else [asdict(one) for one in self.prompt]

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the fields that it needs, each once, in order."""
        return tuple(dict.fromkeys(name for one in self.messages for name in placeholder_names(one.content)))

    def render(self, fields: Mapping[str, object], *, where: str = "") -> Prompt:
        """The prompt with the fields of one case filled in.

        Args:
            fields: The case's fields by name. A number is written as Python writes it.
            where: How the case is named in an error, such as `cases.jsonl:3`.

        Returns:
            A text, or messages, as the template is.

        Raises:
            InputError: A field is not there, or is neither a text nor a number.
        """
        values = {name: self._value(name, fields, where) for name in self.placeholders}
        if isinstance(self.prompt, str):
            return fill(self.prompt, values)
        return tuple(Message(one.role, fill(one.content, values)) for one in self.prompt)

    def place(self, part: str) -> int:
        """Which of its messages `system`, `tools` or `template` stands for.

        `template` is the last message of the user with a placeholder. Of an Inspect task, the last system
        message lists the tools where these are varied. All other messages are examples.

        Raises:
            InputError: It has no such message.
        """
        wanted = _is_instruction if part == TEMPLATE else _is_system
        found = [place for place, one in enumerate(self.messages) if wanted(one)]
        if not found:
            lacks = "message of the user that has a placeholder" if part == TEMPLATE else "system message"
            raise InputError(
                f"the template has no {lacks}, so that --vary {part} has nothing to vary", file=self.file
            )
        return found[0] if part == SYSTEM else found[-1]

    def part(self, part: str) -> str:
        """The text of that part."""
        return self.messages[self.place(part)].content

    def with_part(self, part: str, text: str, name: str) -> Template:
        """A template of another name, with `text` in place of that part and all else as it was."""
        if isinstance(self.prompt, str) and part == TEMPLATE:
            return Template(text, name)
        at = self.place(part)
        changed = Message(self.messages[at].role, text)
        return Template((*self.messages[:at], changed, *self.messages[at + 1 :]), name)

    def _value(self, name: str, fields: Mapping[str, object], where: str) -> str:
        value = fields.get(name)
        at = f"{where}: " if where else ""
        if value is None:
            has = ", ".join(known for known, given in fields.items() if given is not None)
            raise InputError(
                f"{at}has no field '{name}', which {self._titled()} names", hint=f"It has: {has or 'none'}."
            )
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            problem = f"must be text or a number, got {type(value).__name__}"
            raise InputError(f"{at}the field '{name}', which {self._titled()} names, {problem}")
        return str(value)

    def _titled(self) -> str:
        return "the template" if self.file is None else f"the template {self.file}"

    def _require_braces(self) -> None:
        for number, message in enumerate(self.messages, start=1):
            stray = stray_brace(message.content)
            if stray is None:
                continue
            shown, line = stray
            is_text = isinstance(self.prompt, str)
            of = "" if is_text else f" (line {line} of message {number})"
            raise InputError(
                f"'{shown}' is no placeholder such as {{question}}{of}",
                file=self.file,
                line=line if is_text else None,
                hint="Write {{ and }} for braces that are meant as they stand.",
            )

    def _how_to_name(self) -> str:
        doubled = next((found for one in self.messages if (found := _DOUBLED.search(one.content))), None)
        if doubled is not None:
            return f"{doubled[0]} stands for the text {{{doubled[1]}}}; the placeholder is {{{doubled[1]}}}."
        return "Name the fields of a case in braces, as in: Answer in one word: {question}"


def _as_prompt(given: Any, file: Path | None) -> Prompt:
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping) or not isinstance(given, Sequence) or not given:
        raise InputError("a template must be a text or a list of messages with role and content", file=file)
    messages = tuple(_as_message(one, number, file) for number, one in enumerate(given, start=1))
    if not any(message.role == "user" for message in messages):
        raise InputError("the template has no message of the user", file=file)
    return messages


def _as_message(given: Any, number: int, file: Path | None) -> Message:
    if isinstance(given, Message):
        return given
    if not isinstance(given, Mapping) or set(given) != {"role", "content"}:
        raise InputError(f"message {number} of the template must have a role and a content", file=file)
    role, content = given["role"], given["content"]
    if role not in ROLES:
        raise InputError(
            f"message {number} of the template has the role {role!r}; known: {', '.join(ROLES)}", file=file
        )
    if not isinstance(content, str):
        raise InputError(f"the content of message {number} of the template must be text", file=file)
    return Message(cast(Role, role), content)


def _is_instruction(message: Message) -> bool:
    return message.role == "user" and bool(placeholder_names(message.content))


def _is_system(message: Message) -> bool:
    return message.role == "system"


def placeholder_names(text: str) -> list[str]:
    """The names in `text` that are to be filled in, in order, as often as they are there."""
    return [match["name"] for match in _PIECE.finditer(text) if match["name"]]


def stray_brace(text: str) -> tuple[str, int] | None:
    """The first brace that is neither a placeholder's nor doubled, with what follows it, and its line."""
    for match in _PIECE.finditer(text):
        if match[0] in ("{", "}"):
            shown = cast("re.Match[str]", _SHOWN.match(text, match.start()))[0]
            return shown, text.count("\n", 0, match.start()) + 1
    return None


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with each placeholder's value in its place, and doubled braces as single ones."""
    return _PIECE.sub(lambda match: values[match["name"]] if match["name"] else match[0][:1], text)


def read_template(path: str | Path, name: str = ORIG) -> Template:
    """Reads a template: a text (`.txt`, `.md`) or messages (`.yaml`, `.yml`, `.json`).

    The end of a text's last line is no part of it. Messages are a list, or the list `messages` of an object.

    Args:
        path: The file.
        name: What tables call it.

    Returns:
        The template.

    Raises:
        InputError: The file cannot be read, has no placeholder, or has a brace that is none.

    Example:
        >>> import pathlib, tempfile
        >>> from otherwords import read_template
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "prompt.txt"
        >>> _ = file.write_text("Answer in one word: {question}")
        >>> read_template(file).placeholders
        ('question',)
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in MESSAGE_FILES:
        from otherwords.core.yaml_lines import load_yaml  # JSON is YAML, too

        content = load_yaml(path)
        if isinstance(content, Mapping):
            content = content.get("messages")
        return Template(content, name, path)
    if suffix not in TEXT_FILES:
        known = ", ".join((*TEXT_FILES, *MESSAGE_FILES))
        raise InputError(f"unknown kind of template '{suffix}'", file=path, hint=f"Known: {known}.")
    data = read_input(path, largest=LARGEST)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text", file=path, line=line, hint="Save the file as UTF-8.") from None
    text = text.replace("\r\n", "\n")
    return Template(text.removesuffix("\n"), name, path)


def read_templates(paths: Sequence[str | Path]) -> tuple[Template, ...]:
    """Reads the templates that a user gives; one is called `orig`, several by the names of their files."""
    if len(paths) == 1:
        return (read_template(paths[0]),)
    read = tuple(read_template(path, Path(path).stem) for path in paths)
    for place, one in enumerate(read):
        if any(other.name == one.name for other in read[:place]):
            raise InputError(
                f"two templates are called '{one.name}'", file=one.file, hint="Give one file another name."
            )
    return read


def tools_text(descriptions: Mapping[str, str]) -> str:
    """The descriptions of tools as a part of a template, in which no brace is a placeholder's."""
    listed = "\n\n".join(f"{name}: {description}" for name, description in descriptions.items())
    return listed.replace("{", "{{").replace("}", "}}")


def unfilled(template: Template, own: str) -> dict[str, str]:
    """Fields that stand for themselves: those which Inspect fills in while a task runs."""
    return {name: f"{{{name}}}" for name in template.placeholders if name != own}


def case_fields(case: Item, own: str) -> dict[str, object]:
    """What a case's template can name: its own text by the name `own`, its id and its other fields."""
    return {"id": case.id, **case.metadata, own: case.prompt}


def own_field(templates: Sequence[Template], known: Sequence[str], given: str | None = None) -> str:
    """The name of the field that holds a case's own text.

    It is the one that is given, the only placeholder, or one of the usual names of a question.

    Raises:
        InputError: A template does not name it, or none of its placeholders can be it.
    """
    first = templates[0]
    if given is None:
        usual = [name for name in first.placeholders if name in known]
        if len(first.placeholders) == 1:
            usual = list(first.placeholders)
        if len(usual) != 1:
            raise InputError(
                f"it is not clear which of {', '.join(first.placeholders)} is the case's own text",
                file=first.file,
                hint=f"Name it, for example: --prompt-field {first.placeholders[-1]}",
            )
        given = usual[0]
    for template in templates:
        if given not in template.placeholders:
            raise InputError(
                f"the template does not name '{given}', which is the case's own text",
                file=template.file,
                hint=f"It names: {', '.join(template.placeholders)}.",
            )
    return given


def render_cases(template: Template, cases: Sequence[Item], own: str) -> Iterator[Item]:
    """Each case with the whole prompt in place of its own text.

    Raises:
        InputError: The template names a field that no case has, or that one of them lacks.
    """
    require_fields(template, [name for case in cases for name in case_fields(case, own)])
    for case in cases:
        where = f"{case.source}, item '{case.id}'" if case.source else f"item '{case.id}'"
        yield replace(case, prompt=template.render(case_fields(case, own), where=where))


def require_fields(template: Template, known: Iterable[str]) -> None:
    """Refuses a template that names a field which no case has; `known` are those that any case has."""
    names = list(dict.fromkeys(known))
    for name in template.placeholders:
        if name not in names:
            raise InputError(
                f"the template names '{name}', and no case has a field of this name",
                file=template.file,
                line=_line_of(template, name),
                hint=_why_unknown(name, names),
            )


def _line_of(template: Template, name: str) -> int | None:
    if not isinstance(template.prompt, str):
        return None
    found = next(match for match in _PIECE.finditer(template.prompt) if match["name"] == name)
    return template.prompt.count("\n", 0, found.start()) + 1


def _why_unknown(name: str, known: Sequence[str]) -> str:
    if name in OPTIONS_FIELDS:
        return "Options are put below the prompt by themselves: take it out of the template."
    if name in ANSWER_FIELDS:
        return "The answer is what is asked for, and is not shown: take it out of the template."
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f"Did you mean: {', '.join(near)}?" if near else f"The cases have: {', '.join(known)}."


def require_places(places: Sequence[str]) -> tuple[str, ...]:
    """Places that `--vary` names, each once."""
    for place, name in enumerate(places):
        if name not in PLACES:
            raise UnknownNameError("place to vary", name, PLACES)
        if name in places[:place]:
            raise InputError(f"--vary names '{name}' twice")
    return tuple(places)


@dataclass(frozen=True)
class Cases:
    """What stands in templates."""

    templates: tuple[Template, ...]
    """The first is the original."""
    own: str
    """The field with the text of a case."""
    cases: tuple[Item, ...]
    """Items whose prompts are their own text alone."""
    places: tuple[str, ...] = ()
    """Of an Inspect task: where its own texts are varied; the template is then the task's."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """Of the task's tools, where these are varied."""

    def items(self) -> list[Item]:
        """The cases as the first template asks them.

        Raises:
            InputError: A case lacks a field that a template names.
        """
        first, *_ = [list(render_cases(template, self.cases, self.own)) for template in self.templates]
        return first

    def of(self, items: Sequence[Item]) -> Cases:
        """Without the cases of other items."""
        wanted = {item.id for item in items}
        return replace(self, cases=tuple(case for case in self.cases if case.id in wanted))
