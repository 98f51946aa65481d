"""Names that may be published as they are (rules, families, scorers, errors); our own sentences, for `scan`.

`Pseudonyms` gives each name that leaves: one on the list as it is, another as `other` or as a keyed hash.
`own_texts` gives the sentences of our pages and tables, which `scan` does not take for those of a set.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from otherwords.core.contract import (
    AUDIT_LABELS,
    CONTROL,
    FAULT,
    HUMAN,
    KINDS,
    LLM,
    ORIG,
    OUTCOMES,
    PLACES,
    STATUSES,
    STRENGTHS,
    STYLES,
    TEMPLATE,
    WORDING,
)
from otherwords.core.registry import FAMILIES
from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.core.wording_names import known_changes

OTHER = "other"
"""In place of a kind or a change that is not ours."""
WITHHELD = "withheld"
_WAYS = ("typo", "chat", "casual", "formal", "terse", "padded", "british", "american", *STYLES, *STRENGTHS)
_MADE = (
    "antonym",
    "typing",
    "voice",
    "nonnative",
    "separator",
    "casual",
    "formal",
    "order",
    "swap",
    "reverse",
)
_NUMBERED = re.compile(r"(?P<name>[a-z]+)[_-]?[0-9]{0,4}")
_ORDERS = frozenset({"order_rev", "order_swap", "order_shuffle"})
_PLAIN_VARIANTS = frozenset(
    {ORIG, LLM, HUMAN, "para", "prompt", "variation", "variant", "system", "t", "s", "d"}
    | {"instruction-first", "instruction-last", *_WAYS}
)
SCORERS = frozenset(
    {
        "match",
        "includes",
        "pattern",
        "answer",
        "choice",
        "exact",
        "f1",
        "math",
        "score",
        "accuracy",
        "correct",
    }
    | {"model_graded_qa", "model_graded_fact", "multi_scorer", "perplexity", "outcome", "reward", "verify"}
)
"""Names that scorers of Inspect, of its benchmarks and of our readers have."""
REDUCERS = frozenset({"mean", "median", "mode", "max", "majority", "pass_k", "pass_at", "at_least", "pass^"})
METRICS = frozenset({"accuracy", "mean", "stderr", "std", "var", "bootstrap_stderr", "median", "max", "min"})
_SCORER_NUMBER = re.compile(r"_?[0-9]{1,3}$")
PACKAGES = frozenset({"inspect_ai", "inspect_evals", "otherwords"})
"""Whose versions are told."""
ERROR_CLASSES = frozenset(
    {name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)}
    | {
        "RateLimitError",
        "APIError",
        "APIConnectionError",
        "APITimeoutError",
        "APIStatusError",
        "BadRequestError",
    }
    | {"AuthenticationError", "PermissionDeniedError", "NotFoundError", "UnprocessableEntityError"}
    | {"InternalServerError", "ServiceUnavailableError", "OverloadedError", "ConflictError", "ServerError"}
    | {"ReadTimeout", "ConnectTimeout", "WriteTimeout", "PoolTimeout", "ConnectError", "ReadError"}
    | {"RemoteProtocolError", "HTTPStatusError", "JSONDecodeError", "ValidationError", "ClientError"}
    | {"ThrottlingException", "LimitExceededError", "PrerequisiteError", "CancelledError", "RetryError"}
    | {
        "ToolParsingError",
        "ToolCallError",
        "SampleLimitExceededError",
        "TerminateSampleError",
        "ProcessLookupError",
    }
)
"""Errors of Python, of Inspect, and of the packages that ask models."""
_BASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:+()-]{0,79}")
_MOST_WORDS = 4
"""`Claude 3.5 Sonnet (new)` is a name; more may be a sentence."""
_REVISION = re.compile(r"[0-9]{1,8}|[0-9a-f]{7,40}|main|latest|default", re.IGNORECASE)
_NO_NAME = re.compile(
    r"\w+://[^/\\]*|.*arn:aws[^/\\]*|.*(?:^|[/\\])(?:home|Users)[/\\][^/\\]*", re.IGNORECASE | re.DOTALL
)
"""An address of nothing but a host, an account, a person's folder."""
# Names within a private network, with a digit or a dash: `package.internal` is a module.
HOST = re.compile(
    r"(?<![\w.-])(?=[a-z.]{0,80}[0-9-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,4}(?:internal|intranet|corp|lan|home\.arpa)(?![\w-]|\.\w)"
    r"|(?<![\w.-])(?=[a-z]{0,40}[0-9-])[a-z0-9][a-z0-9-]{2,62}\.local(?![\w-]|\.\w)"
    r"|(?<![\w.-])ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?![\w-])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^localhost\b|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|:\d{4,5}$", re.IGNORECASE)


@cache
def rule_names() -> frozenset[str]:
    """The names of the rewording rules, as their files have them."""
    rules = files("otherwords.variants") / "rules"
    return frozenset(one.name.removesuffix(".yaml") for one in rules.iterdir() if one.name.endswith(".yaml"))


def is_change(text: str) -> bool:
    """Whether every part of it is the name of a rule, or of a change that a family of ours makes."""
    known = rule_names() | known_changes() | {*_MADE, *_WAYS, *_ORDERS}
    return all(part in known for part in text.split("+"))


def is_kind(text: str) -> bool:
    """Whether every part of it is the name of a registered family, or of a place that it rewords."""
    known = {*KINDS, *FAMILIES.names(), ORIG, FAULT, WORDING, OTHER, *PLACES}
    return all(part in known for whole in text.split("+") for part in whole.split(":"))


def is_variant(text: str) -> bool:
    """Whether every part of it is a name that our families and other harnesses give to wordings."""
    return all(map(_is_one_variant, text.split("+"))) if text else True


def _is_one_variant(text: str) -> bool:
    if text.isdigit():
        return len(text) <= 4
    group, _, name = text.rpartition(":")
    if group:
        bare = re.sub(r"_?[0-9]{1,4}$", "", name)
        return group in ("pert", CONTROL) and (is_change(bare) or bare in _PLAIN_VARIANTS)
    found = _NUMBERED.fullmatch(text)
    return text in _PLAIN_VARIANTS or (found is not None and found["name"] in _PLAIN_VARIANTS)


def is_factor(text: str) -> bool:
    """Whether it is a factor of a design: `wording`, `format`, `template.wording`."""
    return all(part == WORDING or is_kind(part) for part in text.split("."))


def is_scorer(text: str) -> bool:
    return all(_SCORER_NUMBER.sub("", part) in SCORERS | METRICS for part in text.split("."))


def is_reducer(text: str) -> bool:
    return _SCORER_NUMBER.sub("", text) in REDUCERS


def base_name(text: str) -> str | None:
    """The last part of a model's or a benchmark's name, without folders, hosts and arguments.

    None if that is no name but a host, a person's folder, an account, or a sentence.

    Examples:
        >>> base_name("openai/gpt-4o-mini"), base_name("file:///data/models/tiny.gguf?key=1")
        ('gpt-4o-mini', 'tiny.gguf')
        >>> base_name("hf/org/tiny@main"), base_name("http://gpu-17.internal:8000"), base_name("/home/rsmith")
        ('tiny@main', None, None)
    """
    whole = re.split(r"[?#]", text)[0].rstrip("/\\")
    if _NO_NAME.fullmatch(whole):
        return None
    last = re.split(r"[/\\]", whole)[-1]
    name, _, revision = last.partition("@")
    if revision and not _REVISION.fullmatch(revision):
        return None
    is_name = _BASE.fullmatch(name) and len(name.split()) <= _MOST_WORDS
    return last if is_name and not is_host(last) else None


def is_host(text: str) -> bool:
    """Whether the name of a machine is in it."""
    return bool(HOST.search(text) or _ADDRESS.search(text))


_ROOMS = ("report", "core", "metrics", "pipeline", "publish", "results")
_TEXTS = (".html", ".js", ".css", ".yaml", ".svg")
_INSPECT = """
success error cancelled started eval log samples sample input target choices output messages scores value
answer explanation metadata epoch epochs dataset model task run created version status plan steps config
results stats usage default limit context time working message token turn cost operator custom reducer
reductions header summaries journal completed attachments events store unscored name type params metrics
generate solver scorer packages tags revision sandbox inspect_ai otherwords mean median mode accuracy stderr
scored total withheld item variant
"""
"""Words that stand by themselves in any log that Inspect writes."""


@cache
def own_texts() -> tuple[str, ...]:
    """Every sentence that our code can write into a page, a table or a log, with 0 where it puts a number."""
    package = files("otherwords")
    found = [*_INSPECT.split(), *OUTCOME_COLUMNS, *STATUSES, *OUTCOMES, *AUDIT_LABELS, *SCORERS, *REDUCERS]
    found += [*METRICS, *ERROR_CLASSES, *rule_names(), *known_changes(), *FAMILIES.names(), TEMPLATE]
    for room in _ROOMS:
        found += _strings_below(package / room)
    return tuple(dict.fromkeys(found))


def _strings_below(folder: Any) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _strings_below(entry)
        elif entry.name.endswith(".py"):
            yield from _strings(ast.parse(entry.read_text("utf-8")))
        elif entry.name.endswith(_TEXTS):
            yield entry.read_text("utf-8")


def _strings(tree: ast.AST) -> Iterator[str]:
    """But for docstrings, whose examples are questions."""
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in described:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (one.value if isinstance(one, ast.Constant) else " 0 " for one in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.arg | ast.keyword):
            yield str(node.arg)
