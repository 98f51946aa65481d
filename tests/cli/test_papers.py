"""What a researcher types: a bundle, verified and tampered with; a study; a data card; how to cite."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import yaml

from otherwords import evaluate
from otherwords.report.escape import one_line

pytestmark = pytest.mark.slow

Command = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[2]
PLACES = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Japan": "Tokyo", "Peru": "Lima"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset and the logs of a run."""
    folder = tmp_path_factory.mktemp("run")
    rows = [
        {"id": f"capital-{place}", "question": f"What is the capital of {place}?", "answer": city}
        for place, city in PLACES.items()
    ]
    (folder / "capitals.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def ask(prompt: str) -> str:
        known = next(city for place, city in PLACES.items() if place in prompt)
        return known if prompt.startswith("What") else "I would not know"

    evaluate(folder / "capitals.jsonl", ask, k=2, repeats=2, log_dir=folder / "logs")
    return folder


@pytest.fixture(scope="module")
def made(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from otherwords.pipeline.bundle import write_bundle

    return write_bundle(run / "logs", tmp_path_factory.mktemp("made") / "bundle.zip").path


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "bundle.zip"))


@pytest.fixture(autouse=True)
def _own_salts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def rewrite(bundle: Path, change: Callable[[dict[str, bytes]], None], *, hashes: bool = False) -> None:
    """Change the members of a bundle; with `hashes`, as one does who knows the manifest."""
    from hashlib import sha256

    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    if hashes:
        manifest = json.loads(members["manifest.json"])
        manifest["files"] = {
            name: sha256(content).hexdigest() for name, content in members.items() if name != "manifest.json"
        }
        members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_a_bundle_is_whole_and_holds(run: Path, tmp_path: Path, run_command: Command) -> None:
    code, out, _ = run_command("bundle", run / "logs", "-o", tmp_path / "b.zip")
    assert code == 0
    assert "private: it holds prompts and answers" in out
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        names = archive.namelist()
    kept = {
        "manifest.json",
        "estimates.json",
        "outcomes.parquet",
        "settings.json",
        "variants.jsonl",
        "wordings.csv",
    }
    assert kept <= set(names)
    assert "report/index.html" in names
    code, told, _ = run_command("verify", tmp_path / "b.zip")
    assert code == 0
    assert "estimates the same when computed again" in told
    assert "Versions: all are those that are installed" in told
    assert out.splitlines()[-1] == told.splitlines()[-1]  # the hash


def test_the_same_runs_give_the_same_bytes(
    run: Path, tmp_path: Path, run_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for name in ("a.zip", "b.zip"):
        run_command("bundle", run / "logs", "-o", tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_public_bundle_passes_the_scan_and_holds(run: Path, tmp_path: Path, run_command: Command) -> None:
    public = tmp_path / "public.zip"
    assert run_command("bundle", run / "logs", "-o", public, "--public")[0] == 0
    code, out, _ = run_command("verify", public)
    assert code == 0
    assert "no variants in it" in out
    secrets = ["--dataset", run / "capitals.jsonl", "--variants", run / "logs" / "variants.jsonl"]
    assert run_command("scan", public, *secrets)[0] == 0
    private = tmp_path / "private.zip"
    run_command("bundle", run / "logs", "-o", private)
    assert run_command("scan", private, *secrets)[0] == 1
    with zipfile.ZipFile(public) as archive:
        said = b"".join(archive.read(name) for name in archive.namelist())
    assert b"capital-" not in said
    code, _, err = run_command(
        "bundle", run / "logs", "-o", public, "--public", "--variants", run / "logs" / "variants.jsonl"
    )
    assert (code, err) == (2, "Error: variants are not for the public, and --public leaves them out\n")


def without(members: dict[str, bytes]) -> None:
    del members["settings.json"]


def added(members: dict[str, bytes]) -> None:
    members["more.txt"] = b"?"


def edited(members: dict[str, bytes]) -> None:
    members["report/index.html"] += b"<p>and robust, too</p>"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without, "'settings.json' is missing"),
        (added, "'more.txt' is not in the manifest: it was added"),
        (edited, "'report/index.html' was changed: its hash is not the manifest's"),
    ],
)
def test_tampering_is_one_sentence(
    change: Callable[[dict[str, bytes]], None], said: str, bundle: Path, run_command: Command
) -> None:
    rewrite(bundle, change)
    code, out, err = run_command("verify", bundle)
    assert (code, out, err) == (1, "", f"Error: {bundle}: {said}\n")


def test_a_table_with_new_hashes_is_found_by_its_estimates(bundle: Path, run_command: Command) -> None:
    def better(members: dict[str, bytes]) -> None:
        from io import BytesIO

        table, file = pl.read_parquet(BytesIO(members["outcomes.parquet"])), BytesIO()
        table.with_columns(score=pl.lit(1.0), correct=pl.lit(value=True)).write_parquet(file)
        members["outcomes.parquet"] = file.getvalue()

    rewrite(bundle, better, hashes=True)
    code, _, err = run_command("verify", bundle)
    assert code == 1
    assert "value of accuracy of ask on capitals is 0." in err
    assert err.endswith("and computed again from the table 1.0\n")


def test_other_variants_with_new_hashes_are_found(bundle: Path, run: Path, run_command: Command) -> None:
    def other(members: dict[str, bytes]) -> None:
        members["wordings.csv"] = members["wordings.csv"].replace(b"orig,", b"orig,0", 1)

    rewrite(bundle, other, hashes=True)
    code, _, err = run_command("verify", bundle)
    assert (code, err) == (
        1,
        f"Error: {bundle}: wording 'orig' of item 'capital-France' is not the one that was asked\n",
    )


def test_what_is_no_bundle_is_bad_input(bundle: Path, tmp_path: Path, run_command: Command) -> None:
    whole = bundle.read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole[: len(whole) // 2])
    text = tmp_path / "text.zip"
    text.write_text("no zip")
    for file in (cut, text):
        code, _, err = run_command("verify", file)
        assert (code, err) == (2, f"Error: {file}: is no zip file, or is damaged or cut off\n")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(whole[:200] + bytes(len(whole[200:400])) + whole[400:])
    assert run_command("verify", broken)[0] == 2
    for name in ("../../up.txt", "/etc/passwd", "..\\up.txt", "C:/up.txt"):
        out = tmp_path / "out.zip"
        shutil.copy(bundle, out)
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr(zipfile.ZipInfo(name), "?")
        code, _, err = run_command("verify", out)
        shown = one_line(name)
        assert (code, err) == (2, f"Error: {out}: is refused: its file '{shown}' leads out of it\n")
    rewrite(bundle, lambda members: members.pop("manifest.json") and None)
    code, _, err = run_command("verify", bundle)
    assert (code, err) == (2, f"Error: {bundle}: is no bundle: it has no manifest.json\n")


def test_versions_that_differ_are_named(bundle: Path, run_command: Command) -> None:
    def older(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"])
        manifest["versions"]["numpy"] = "1.0"
        members["manifest.json"] = json.dumps(manifest).encode()

    rewrite(bundle, older)
    code, out, _ = run_command("verify", bundle)
    assert code == 0
    assert "Versions: numpy 1.0 in the bundle, " in out


def test_variants_of_another_run_are_refused(run: Path, tmp_path: Path, run_command: Command) -> None:
    (tmp_path / "other.jsonl").write_text(
        '{"id": "x", "question": "Who wrote Hamlet?", "answer": "Shakespeare"}'
    )
    run_command("vary", tmp_path / "other.jsonl", "-o", tmp_path / "v.jsonl")
    code, _, err = run_command(
        "bundle", run / "logs", "-o", tmp_path / "b.zip", "--variants", tmp_path / "v.jsonl"
    )
    assert code == 2
    assert err.endswith("item 'capital-France': wording 'orig' of task 'capitals' is not in the variants\n")
    assert not (tmp_path / "b.zip").exists()


def test_a_data_card(run: Path, tmp_path: Path, run_command: Command) -> None:
    card = tmp_path / "card.md"
    variants = run / "logs" / "variants.jsonl"
    code, out, _ = run_command("review", variants, "--card", "-o", card, "--licence", "CC-BY-4.0")
    assert (code, out) == (0, f"Data card: {card}\n")
    text = card.read_text()
    for line in (
        "# Data card: variants.jsonl",
        "| items | 5 |",
        "| languages | en 5 |",
        "| licence | CC-BY-4.0 |",
        "| people | — | 0.64 | 0.80 | 0.71 | 0.00 |",
        "No model wrote or judged a wording.",
        "- No model judged whether meanings are the same.",
    ):
        assert line in text
    assert "| numbers | invariant |" in text
    assert "capital of" not in text  # no text of an item
    assert run_command("review", variants, "--licence", "MIT")[0] == 2


def test_how_to_cite(tmp_path: Path, run_command: Command) -> None:
    code, out, _ = run_command("cite")
    assert code == 0
    assert out.startswith(
        "@software{otherwords,\n  title = {otherwords},\n  author = {{the otherwords authors}},"
    )
    assert run_command("cite", "--format", "cff")[1] == (ROOT / "CITATION.cff").read_text()
    table = tmp_path / "outcomes.csv"
    table.write_text(
        "task,model,id,variant,kind,score\ntau2_airline,m,0,orig,orig,1\ntau2_airline,m,0,terse,terse,0\n"
    )
    _, out, _ = run_command("cite", table)
    assert "@misc{taubench_airline," in out
    assert "url = {https://github.com/sierra-research/tau2-bench}," in out
    assert "@misc{taubench_wordings," in out
    found = yaml.safe_load(run_command("cite", table, "--format", "cff")[1])
    assert [one["type"] for one in found["references"]] == ["data", "data"]
    table.write_text("task,model,id,variant,score\nmine,m,0,orig,1\n")
    _, out, err = run_command("cite", table, "--format", "text")
    assert out.startswith("The otherwords authors. otherwords, version ")
    assert err == "Nothing is known of the benchmark 'mine'.\n"


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Five agents of different robustness on two benchmarks; `m0` is the same under every wording."""
    paths = []
    for task in ("quiz", "maths"):
        rows = [
            f"{task},lab/m{agent},q{item},{variant},{repeat},{int((item + place * (item < 2 * agent)) % 2)}"
            for agent in range(5)
            for item in range(12)
            for place, variant in enumerate(("orig", "para1", "para2"))
            for repeat in (1, 2)
        ]
        paths.append(tmp_path / f"{task}.csv")
        paths[-1].write_text("\n".join(["task,model,id,variant,repeat,score", *rows]))
    return paths


MODELS = """\
models:
  - name: m0
    family: a
    size: 1
    date: 2023
  - {name: m1, family: a, size: 7, date: 2023-06}
  - {name: lab/m2, family: b, size: 70, date: 2024-02-29}
  - {name: m3, family: b, size: 405}
"""


def test_a_study(tables: list[Path], tmp_path: Path, run_command: Command) -> None:
    models = tmp_path / "models.yaml"
    models.write_text(MODELS)
    code, out, _ = run_command("study", *tables, "--models", models, "-o", tmp_path / "study", "--full")
    assert code == 0
    assert " ".join(out.split()).startswith(
        "Robustness transfers between quiz and maths: correlation over 5 agents "
    )
    assert "the file of models says nothing of lab/m4" in " ".join(out.split())
    frame = pl.read_csv(tmp_path / "study" / "study.csv")
    assert frame.filter(what="s_corrected", agent="lab/m0")["value"].to_list() == [1.0, 1.0]
    assert frame.filter(what="transfer")["value"].to_list() == [pytest.approx(1.0)]
    assert set(frame.filter(what="mean of family")["other"]) == {"a", "b"}
    page = (tmp_path / "study" / "index.html").read_text()
    assert "Do rankings hold over wordings?" in page
    assert page.count("<svg") >= 3
    latex = (tmp_path / "study" / "study.tex").read_text()
    assert "\\label{tab:transfer}" in latex
    found = json.loads(run_command("study", *tables, "-o", tmp_path / "s", "--json")[1])
    assert (found["format"], found["measure"]) == ("otherwords-study", "s_corrected")


def test_a_study_says_what_it_cannot_tell(tables: list[Path], tmp_path: Path, run_command: Command) -> None:
    _, out, _ = run_command("study", tables[0], "-o", tmp_path / "study")
    assert out.startswith("Whether robustness transfers cannot be told from one benchmark.\n")
    for path in tables:  # three agents, each wording once
        frame = pl.read_csv(path).filter(pl.col("model") < "lab/m3", pl.col("repeat") == 1)
        frame.write_csv(path)
    _, out, _ = run_command("study", *tables, "-o", tmp_path / "study")
    said = " ".join(out.split())
    assert "3 agents are on both; a correlation over agents takes 4." in said
    assert "Some agents were asked each wording once, so that run-to-run noise is part of S_prompt" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models:\n  - {name: m0, sise: 7}\n", ":2: unknown setting 'sise'. Did you mean: size?"),
        ("models:\n  - name: m0\n    size: big\n", ":3: size must be a number, got 'big'"),
        ("models:\n  - name: m0\n    size: 0\n", ":3: size must be more than 0, got 0"),
        ("models:\n  - name: m0\n  - name: m0\n", ":3: model 'm0' is there twice"),
        ("models:\n  - family: a\n", ":2: a model without a name"),
        (
            "models:\n  - name: m0\n    date: soon\n",
            ":3: date must be a day, a month or a year (2025-03-14, 2025-03, 2025), got 'soon'",
        ),
        ("models: [", ":1: is not YAML: expected the node content, but found '<stream end>'"),
        ("models: []\n", ":1: models must be a list with at least one entry"),
    ],
)
def test_a_file_of_models_with_a_mistake(
    text: str, said: str, tables: list[Path], tmp_path: Path, run_command: Command
) -> None:
    models = tmp_path / "models.yaml"
    models.write_text(text)
    code, out, err = run_command("study", *tables, "--models", models, "-o", tmp_path / "study")
    assert (code, out) == (2, "")
    assert err == f"Error: {models}{said}\n"
    assert not (tmp_path / "study").exists()
