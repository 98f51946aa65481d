"""Runs → one zip file from which their estimates can be computed again; such a file → whether it still holds.

A bundle has a manifest with the hash of every other file, the outcome table, the estimates, how they were
computed, the report, and, unless it is public, the variants with the hash of each wording that was asked.
The same runs give the same bytes: members are sorted and have no time, and SOURCE_DATE_EPOCH is the date.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path, PurePosixPath
from platform import python_version
from typing import Any

import polars as pl

from otherwords.core.contract import VARIANTS_FILE
from otherwords.core.errors import GateFailed, InputError
from otherwords.core.files import DAMAGE, read_input, read_member, write_whole
from otherwords.core.table import as_outcomes, by_task
from otherwords.core.types import Estimate, Variant, stable_hash, varied_text, whole_text
from otherwords.metrics.intervals import Generalize
from otherwords.metrics.score_arrays import read_grid
from otherwords.pipeline.publish import prepare_publishing
from otherwords.pipeline.report_estimates import estimates_of, read_runs
from otherwords.pipeline.report_parts import now, stopped_runs
from otherwords.pipeline.write_report import METRICS, write_report
from otherwords.publish.vocabulary import PACKAGES
from otherwords.results import Results
from otherwords.variants.file import read_variants

FORMAT, VERSION = "otherwords-bundle", 1
MANIFEST, TABLE, ESTIMATES, SETTINGS = "manifest.json", "outcomes.parquet", "estimates.json", "settings.json"
WORDINGS, REPORT = "wordings.csv", "report"
_COMPUTED_WITH = ("otherwords", "numpy", "polars")
_NEAR = 1e-9
"""How far an estimate may be from the one in the bundle: another numpy may add in another order."""
_MOST_MEMBERS = 10_000


@dataclass(frozen=True)
class Bundled:
    """What was written."""

    path: Path
    sha256: str
    files: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Verified:
    """What a bundle holds, where everything in it is as it should be."""

    sha256: str
    public: bool
    files: int
    estimates: int
    wordings: int | None
    """How many wordings of the table were compared with the variants; None without variants."""
    versions: tuple[tuple[str, str, str], ...]
    """Packages that differ here: name, in the bundle, installed."""


def write_bundle(
    runs: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    variants: Sequence[str | Path] = (),
    public: bool = False,
    salt_file: str | Path | None = None,
    model_names: bool = False,
    scorer: str | None = None,
    generalize: Generalize | None = None,
    ddof: int = 1,
) -> Bundled:
    """Write all that it takes to compute the estimates of runs again into one zip file.

    `variants` are by default the files beside the logs; a `public` bundle has none, and only what may be
    given away. The other options are those of `write_report`.

    Raises:
        InputError: There is no result, or a variants file is not of these runs.
    """
    path = Path(out)
    if path.is_dir():
        raise InputError(
            "is a folder, and a bundle is one file", file=path, hint="For example: -o bundle.zip"
        )
    read = read_runs(runs, scorer=scorer)
    results, notes = read.results, [read.note] if read.note else []
    members: dict[str, bytes] = {}
    settings: dict[str, Any] = {"ddof": ddof, "generalize": generalize, "levels": _levels(results)}
    if public:
        if variants:
            raise InputError("variants are not for the public, and --public leaves them out")
        publishing = prepare_publishing(None, salt_file=salt_file, model_names=model_names)
        results, settings["levels"] = publishing.results(results), {}
    else:
        members |= _variants(results, [Path(one) for one in variants], notes)
        settings["runs"] = [_run(log) for log in results.logs]
    members[TABLE] = _parquet(results.outcomes)
    table = as_outcomes(pl.read_parquet(BytesIO(members[TABLE])))
    members[ESTIMATES] = _json(_estimates(table, settings))
    members[SETTINGS] = _json(settings)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / REPORT
        shown: dict[str, Any] = {"scorer": scorer, "generalize": generalize, "ddof": ddof, "latex": True}
        if public:
            shown |= {"public": True, "salt_file": salt_file, "model_names": model_names}
        _, written = write_report(runs, where, png=(), **shown)
        members |= {f"{REPORT}/{one.relative_to(where).as_posix()}": one.read_bytes() for one in written}
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "public": public,
        "made": now().strftime("%Y-%m-%d"),
        "versions": _versions(results, public),
        "files": {name: sha256(content).hexdigest() for name, content in sorted(members.items())},
    }
    content = _zipped({MANIFEST: _json(manifest), **dict(sorted(members.items()))})
    write_whole(path, content)
    names = (MANIFEST, *sorted(members))
    return Bundled(path, sha256(content).hexdigest(), names, tuple(dict.fromkeys(notes)))


def _levels(results: Results) -> dict[str, dict[str, float]]:
    """By task and model the level of intervals, of runs that stopped at a look."""
    levels: dict[str, dict[str, float]] = {}
    for (task, model), one in stopped_runs(results, results.outcomes).items():
        if one.level:
            levels.setdefault(task, {})[model] = one.level
    return levels


def _run(log: Any) -> dict[str, Any]:
    made = log.made
    return {
        "task": log.task,
        "model": log.model,
        "asked": made.model,
        "began": made.created,
        "settings": dict(made.settings),
        "until": made.until,
    }


def _versions(results: Results, public: bool) -> dict[str, str]:
    """Ours as they are here, and those that the logs were made with."""
    found = {"Python": python_version(), **{name: _installed(name) for name in _COMPUTED_WITH}}
    for log in results.logs:
        for name, number in log.made.versions:
            if not public or name in PACKAGES:
                found.setdefault(name, number)
    return found


def _installed(package: str) -> str:
    try:
        return python_version() if package == "Python" else version(package)
    except PackageNotFoundError:
        return "not installed"


def _parquet(table: pl.DataFrame) -> bytes:
    file = BytesIO()
    table.write_parquet(file, compression="zstd", statistics=False)
    return file.getvalue()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _zipped(members: Mapping[str, bytes]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)  # of 1 January 1980, as all of them
            member.compress_type, member.external_attr, member.create_system = (
                zipfile.ZIP_DEFLATED,
                0o644 << 16,
                3,
            )
            archive.writestr(member, content)
    return file.getvalue()


def _estimates(table: pl.DataFrame, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every estimate of every agent, in a fixed order."""
    found = []
    for task, rows in by_task(table):
        estimates = estimates_of(
            read_grid(rows),
            METRICS,
            generalize=settings["generalize"],
            ddof=settings["ddof"],
            levels=settings["levels"].get(task, {}),
        )
        for model, of_model in estimates.items():
            found += [_row(task, model, one) for one in of_model.values()]
    return sorted(found, key=lambda one: (one["task"], one["model"], one["metric"]))


def _row(task: str, model: str, estimate: Estimate) -> dict[str, Any]:
    kept = ("metric", "value", "low", "high", "n_items", "n_rows", "n_missing", "generalizes")
    return {"task": task, "model": model, **{name: getattr(estimate, name) for name in kept}}


def _variants(results: Results, given: Sequence[Path], notes: list[str]) -> dict[str, bytes]:
    """The variants files, and the hash of each wording that was asked, as the variants have it."""
    logs = results.outcomes["log"].drop_nulls().unique(maintain_order=True)
    beside = dict.fromkeys(Path(log).parent / VARIANTS_FILE for log in logs)
    told = results.wordings["prompt"].null_count() < results.wordings.height
    # Beside a table without prompts any file of such a name may lie.
    files = list(given) or [one for one in beside if told and one.is_file()]
    if not files:
        notes.append("no variants file is beside the logs, so none is in the bundle: --variants FILE adds it")
        return {}
    if not told:
        notes.append("the runs do not say what was asked: that these are the variants is not checked")
    members: dict[str, bytes] = {}
    wordings: dict[tuple[str, str], list[Variant]] = {}
    for number, file in enumerate(files, start=1):
        name = "variants.jsonl" if len(files) == 1 else f"variants-{number}.jsonl"
        members[name] = read_input(file)
        for variant in read_variants(file).accepted:
            wordings.setdefault((variant.item_id, variant.name), []).append(variant)
    prompts = {
        (task, id_, name): prompt
        for task, id_, name, prompt in results.wordings.select("task", "id", "variant", "prompt").iter_rows()
    }
    rows = []
    for key in _asked(results.outcomes):
        prompt = prompts.get(key)
        known = wordings.get(key[1:], [])
        mine = [one for one in known if prompt is None or _is_in(one, prompt)]
        if not mine:
            why = "is not in the variants" if not known else "was asked in other words than the variants have"
            raise InputError(f"wording '{key[2]}' of task '{key[0]}' {why}", item=key[1], file=files[0])
        rows.append((*key, _hash(mine[0])))
    frame = pl.DataFrame(rows, schema=["task", "id", "variant", "hash"], orient="row")
    return {**members, WORDINGS: frame.write_csv().encode()}


def _asked(table: pl.DataFrame) -> list[tuple[str, str, str]]:
    return [tuple(row) for row in table.select("task", "id", "variant").unique().sort(pl.all()).iter_rows()]


def _is_in(variant: Variant, prompt: str) -> bool:
    """Whether what was asked is the variant, or has it as a part, as in an agent's instructions."""
    return varied_text(variant.prompt).strip() in prompt or prompt.strip() in whole_text(variant.prompt)


def _hash(variant: Variant) -> str:
    return stable_hash([whole_text(variant.prompt), list(variant.choices)])


def verify_bundle(path: str | Path) -> Verified:
    """Check every hash in a bundle, compute its estimates again, and compare its variants with its table.

    Returns:
        What was compared, and which versions differ from those that are installed.

    Raises:
        InputError: The file is no bundle, is damaged, or has members that lead out of it.
        GateFailed: A file is missing, was added or changed, or what is computed again is something else.
    """
    path = Path(path)
    content = read_input(path)
    members = _members(path, content)
    manifest = _manifest(path, members.pop(MANIFEST, None))
    listed: dict[str, str] = manifest["files"]
    for name in sorted(listed.keys() | members.keys()):
        if name not in members:
            raise GateFailed(f"{path}: '{name}' is missing")
        if name not in listed:
            raise GateFailed(f"{path}: '{name}' is not in the manifest: it was added")
        if sha256(members[name]).hexdigest() != listed[name]:
            raise GateFailed(f"{path}: '{name}' was changed: its hash is not the manifest's")
    for name in (TABLE, ESTIMATES, SETTINGS):
        if name not in members:
            raise InputError(f"is no whole bundle: it has no {name}", file=path)
    try:
        table = as_outcomes(pl.read_parquet(BytesIO(members[TABLE])))
        again = _estimates(table, json.loads(members[SETTINGS]))
        there = json.loads(members[ESTIMATES])
        _compare(path, there, again)
    except (ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{TABLE}: {error.problem}", file=path) from error
        raise InputError(
            f"the table or the estimates cannot be read ({type(error).__name__})", file=path
        ) from error
    return Verified(
        sha256(content).hexdigest(),
        bool(manifest["public"]),
        len(members),
        len(again),
        _compare_variants(path, members, table),
        tuple(
            (name, number, here)
            for name, number in manifest["versions"].items()
            if (here := _installed(name)) != number
        ),
    )


def _members(path: Path, content: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_MEMBERS:
                raise InputError(f"has {len(infos):,} files, more than any bundle", file=path)
            for info in infos:
                _require_inside(path, info)
            names = [info.filename for info in infos]
            double = next((name for name in names if names.count(name) > 1), None)
            if double is not None:
                raise InputError(f"has '{double}' twice", file=path)
            return {info.filename: read_member(archive, info) for info in infos}
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=path) from error
    except DAMAGE as error:
        raise InputError("is no zip file, or is damaged or cut off", file=path) from error


def _require_inside(path: Path, info: zipfile.ZipInfo) -> None:
    name = info.filename
    parts = PurePosixPath(name.replace("\\", "/")).parts
    link = (info.external_attr >> 28) == 0xA
    if not parts or name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\\" in name or link:
        raise InputError(f"is refused: its file '{name}' leads out of it", file=path)


def _manifest(path: Path, content: bytes | None) -> dict[str, Any]:
    if content is None:
        raise InputError(f"is no bundle: it has no {MANIFEST}", file=path)
    try:
        manifest = json.loads(content)
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"is no bundle: its {MANIFEST} is none of ours", file=path)
    if manifest.get("version") != VERSION:
        raise InputError(f"is a bundle of version {manifest.get('version')}; this reads {VERSION}", file=path)
    for name in ("files", "versions"):
        entries = manifest.get(name)
        if not isinstance(entries, dict) or not all(isinstance(one, str) for one in entries.values()):
            raise InputError(f"is no whole bundle: its manifest has no {name}", file=path)
    return {"public": False, **manifest}


def _compare(path: Path, there: Sequence[Mapping[str, Any]], again: Sequence[Mapping[str, Any]]) -> None:
    """Refuses estimates that do not follow from the table."""
    mine, ours = (
        {(one["task"], one["model"], one["metric"]): one for one in side} for side in (there, again)
    )
    for key in sorted(mine.keys() | ours.keys()):
        of = f"{key[2]} of {key[1]} on {key[0]}"
        if key not in mine or key not in ours:
            where = "is not in the bundle" if key not in mine else "does not follow from the table"
            raise GateFailed(f"{path}: {of} {where}")
        for name in ("value", "low", "high", "n_items"):
            a, b = mine[key][name], ours[key][name]
            if (a is None) != (b is None) or (a is not None and abs(a - b) > _NEAR):
                raise GateFailed(f"{path}: {name} of {of} is {a}, and computed again from the table {b}")


def _compare_variants(path: Path, members: Mapping[str, bytes], table: pl.DataFrame) -> int | None:
    """How many wordings of the table are the variants'; refuses any that is not."""
    files = [name for name in members if name.startswith("variants") and name.endswith(".jsonl")]
    if not files and WORDINGS not in members:
        return None
    hashes: dict[tuple[str, str], set[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            file = Path(folder) / name
            file.write_bytes(members[name])
            try:
                accepted = read_variants(file).accepted
            except InputError as error:
                raise GateFailed(f"{path}: '{name}': {error.problem}") from error
            for one in accepted:
                hashes.setdefault((one.item_id, one.name), set()).add(_hash(one))
    listed = pl.read_csv(BytesIO(members.get(WORDINGS, b"task,id,variant,hash\n")), infer_schema=False)
    asked = {(task or "", id_, name): digest for task, id_, name, digest in listed.iter_rows()}
    for task, id_, name in _asked(table):
        if asked.get((task, id_, name)) not in hashes.get((id_, name), set()):
            raise GateFailed(f"{path}: wording '{name}' of item '{id_}' is not the one that was asked")
    return len(asked)
