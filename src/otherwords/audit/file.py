"""The audit's file: labels and counts, no text of the dataset but the ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from otherwords.audit.decide import LABELS, Decision
from otherwords.audit.reasons import REASONS
from otherwords.audit.result import Audit
from otherwords.audit.words import findings
from otherwords.core.errors import InputError

FORMAT, VERSION = "otherwords-audit", 1
MAKE_AGAIN = "Make it again with `otherwords audit DATASET --json FILE`."


@dataclass(frozen=True, slots=True)
class AuditLabels:
    """What others need of an audit."""

    name: str
    """Of the dataset or task."""
    decisions: Mapping[str, Decision]
    """By id; items without options are not among them."""
    path: Path | None = None

    @property
    def flagged(self) -> dict[str, Decision]:
        return {id_: one for id_, one in self.decisions.items() if one.label != "clean"}


def labels_of(audit: Audit) -> AuditLabels:
    return AuditLabels(audit.name, {one.id: one for one in audit.decisions})


def audit_json(audit: Audit) -> str:
    """In ASCII: what a terminal would obey is written as its number."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "name": audit.name,
        "items": len(audit.decisions),
        "without_options": audit.without_options,
        "labels": audit.labels,
        "reasons": audit.reasons,
        "findings": dict(findings(audit)),
        "settings": asdict(audit.settings),
        "position": audit.position and asdict(audit.position),
        "length": audit.length and asdict(audit.length),
        "duplicates": asdict(audit.twins),
        "critic": audit.critic and asdict(audit.critic),
        "choices_only": audit.choices_only and asdict(audit.choices_only),
        "decisions": [asdict(one) for one in audit.decisions],
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def read_audit(path: str | Path) -> AuditLabels:
    """The labels of a file that `otherwords audit --json` wrote."""
    path = Path(path)
    try:
        content = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", file=path) from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=error.lineno) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError("is no audit", file=path, hint=MAKE_AGAIN)
    if content.get("version") != VERSION:
        raise InputError(
            f"an audit of format version {content.get('version')}; this otherwords reads version {VERSION}",
            file=path,
            hint=MAKE_AGAIN,
        )
    found = content.get("decisions")
    if not isinstance(found, list) or not isinstance(content.get("name"), str):
        raise InputError("has no decisions", file=path, hint=MAKE_AGAIN)
    decisions: dict[str, Decision] = {}
    for place, one in enumerate(found, start=1):
        decision = _decision(one, place, path)
        if decision.id in decisions:
            raise InputError("has two decisions", file=path, item=decision.id, hint=MAKE_AGAIN)
        decisions[decision.id] = decision
    return AuditLabels(content["name"], decisions, path)


def _decision(given: Any, place: int, path: Path) -> Decision:
    """A label that a person changed by hand stands; reasons are codes that we know."""
    if not isinstance(given, dict) or not isinstance(given.get("id"), str):
        raise InputError(f"decision {place} has no id", file=path, hint=MAKE_AGAIN)
    label, reasons = given.get("label"), given.get("reasons", [])
    if label not in LABELS:
        raise InputError(
            f"the label {label!r} is none of {', '.join(LABELS)}",
            file=path,
            item=given["id"],
            hint=MAKE_AGAIN,
        )
    if not isinstance(reasons, list) or any(code not in REASONS for code in reasons):
        raise InputError("has a reason that is not known", file=path, item=given["id"], hint=MAKE_AGAIN)
    return Decision(given["id"], label, tuple(reasons))
