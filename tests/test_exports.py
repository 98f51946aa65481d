"""The public names are these and no others; a change here is a change for users."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from otherwords.cli.app import COMMANDS

PUBLIC = [
    "CheckResult",
    "Estimate",
    "InputError",
    "Item",
    "Message",
    "OtherwordsError",
    "PromptVariationGenerator",
    "Variant",
    "Vetted",
    "__version__",
    "generate_paraphrases",
    "generate_perturbations",
    "load_all_results",
    "load_items",
    "read_results",
    "s_prompt",
    "summarise",
    "vary",
    "vary_task",
]
ROOMS = ["items", "variants", "checks", "runs", "results", "metrics", "report", "audit", "scan", "pipeline"]
HEAVY = ("inspect_ai", "polars", "numpy", "altair", "vl_convert", "pandas", "pydantic", "rich")


def test_public_names() -> None:
    import otherwords

    assert otherwords.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(otherwords, name) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_room_is_there(room: str) -> None:
    module = import_module(f"otherwords.{room}")
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    import otherwords

    with pytest.raises(AttributeError, match=r"^module 'otherwords' has no attribute 'nothing'$"):
        _ = otherwords.nothing


@pytest.mark.parametrize(
    "arguments",
    [[], *([name] for name in COMMANDS)],
    ids=lambda arguments: " ".join(arguments) or "otherwords",
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom otherwords.cli import main\n"
        f"try: main({[*arguments, '--help']!r})\nexcept SystemExit as end: assert end.code == 0, end.code\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\nassert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage: otherwords" in done.stdout
