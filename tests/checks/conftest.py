from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def gate() -> ModuleType:
    """The corpus of rewrites and its measure, which the benchmark uses as well."""
    spec = importlib.util.spec_from_file_location("gate", Path(__file__).parent / "gate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gate"] = module
    spec.loader.exec_module(module)
    return module
