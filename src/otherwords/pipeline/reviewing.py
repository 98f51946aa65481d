"""A variants file → a page for the person who reads it."""

from __future__ import annotations

from pathlib import Path

from otherwords.core.errors import InputError
from otherwords.core.paths import require_input
from otherwords.report import write_review
from otherwords.variants import read_variants


def review(path: str | Path, out: str | Path | None = None) -> Path:
    frozen = read_variants(require_input(path), verify=False)
    page = Path(path).with_suffix(".html") if out is None else Path(out)
    if page.resolve() == Path(path).resolve():
        raise InputError("the page would replace the variants themselves", file=path, hint="Give -o.")
    return write_review(
        page,
        frozen.vetted,
        title="Variants to review",
        source=str(path),
        missing=frozen.missing,
        lines=frozen.lines,
    )
