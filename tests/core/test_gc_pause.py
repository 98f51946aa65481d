from __future__ import annotations

import gc

import pytest

from otherwords.core.gc_pause import collector_paused


def test_the_collector_is_on_again_afterwards() -> None:
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), collector_paused():
        _ = 1 / 0
    assert gc.isenabled()
