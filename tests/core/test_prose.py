from __future__ import annotations

import pytest

from otherwords.core.prose import is_addressed_line


@pytest.mark.parametrize(
    ("line", "prose"),
    [
        ("\tYou want to cancel reservation EHGLP3. ", True),
        ("\tIf the agent says no,", True),
        ("    Your user id is emma_kim_9957.", True),
        ("You want to cancel.", False),
        ("\tYou = 3.", False),
        ("    if x > 1:", False),
        ("\treturn value", False),
        ("\tI", False),
    ],
)
def test_indented_prose_is_told_from_code(line: str, prose: bool) -> None:
    assert is_addressed_line(line) is prose
