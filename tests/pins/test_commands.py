"""Exit codes and error texts of the command line, as version 0.1 had them."""

from __future__ import annotations

from pathlib import Path

import doors
import pytest
from pin_commands import COMMANDS, ended, prepare
from pin_data import lay_out, load, require_same
from since_0_1 import COMMANDS as CHANGED
from since_0_1 import OPTIONS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", COMMANDS)
def test_exit_code_and_error_text(name: str, folder: Path) -> None:
    prepare(lay_out(folder))
    assert ended(name) == load("commands")[name] | CHANGED.get(name, {})


def test_commands_and_their_options_are_still_there() -> None:
    """There may be more of them."""
    found, expected = doors.command_options(), load("command_options")
    assert set(expected) <= set(found)
    for command, options in expected.items():
        kept = {name: found[command][name] for name in options if name in found[command]}
        changed = OPTIONS.get(command, {})
        require_same({name: one | changed.get(name, {}) for name, one in options.items()}, kept)
