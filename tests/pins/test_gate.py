"""Each check says of each rewrite of the corpora what it said in version 0.1, with the same reason."""

from __future__ import annotations

import doors
import pytest
from pin_cases import CORPORA, gate_extra_pin, gate_pin
from pin_data import load, require_same

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("corpus", CORPORA)
def test_status_and_reason_of_every_check(corpus: str) -> None:
    require_same(load(f"gate_{corpus}"), gate_pin(corpus))


def test_options_chats_controls_and_twins() -> None:
    require_same(load("gate_extra"), gate_extra_pin())


def test_the_checks_speak_in_the_same_order() -> None:
    row = next(iter(load("gate_tuned").values()))
    assert list(doors.HARD_CHECKS) == list(row["checks"])
