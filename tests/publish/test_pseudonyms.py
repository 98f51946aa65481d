"""The salt of a dataset is made once, kept private, and refused where it could be guessed or published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from otherwords.cli import main
from otherwords.core.errors import InputError
from otherwords.publish.pseudonyms import (
    SALT_HEADER,
    Pseudonyms,
    Salts,
    kept_salt,
    read_salt,
    salt_beside,
)

SALT = b"a salt of thirty-two bytes, here"


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("OTHERWORDS_SALT", raising=False)
    return tmp_path / "config" / "otherwords" / "salts"


def test_a_salt_is_made_for_each_dataset_and_used_again(tmp_path: Path, private: Path) -> None:
    first = Salts(tmp_path / "given").names("pkg/Herons").item("q1")
    assert kept_salt("pkg/Herons") == kept_salt("herons.jsonl") == private / "herons.salt"
    path = private / "herons.salt"
    assert path.read_text().startswith(SALT_HEADER)
    assert path.stat().st_mode & 0o777 == 0o600
    assert Salts(tmp_path / "elsewhere").names("herons").item("q1") == first
    assert Salts(tmp_path / "given").names("gulls").item("q1") != first


def test_a_file_goes_before_the_environment_and_that_before_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name(salt_file: Path | None = None) -> str:
        return Salts(tmp_path / "given", salt_file).names("herons").item("q1")

    kept = name()
    monkeypatch.setenv("OTHERWORDS_SALT", SALT.decode())
    assert name() == Pseudonyms(SALT).item("q1") != kept
    (tmp_path / "mine").write_bytes(b"another salt that is long enough")
    assert name(tmp_path / "mine") == Pseudonyms(b"another salt that is long enough").item("q1")


def test_a_salt_of_an_earlier_version_is_used(tmp_path: Path, private: Path) -> None:
    salt_beside(tmp_path / "given").write_bytes(SALT + b"\n")
    assert Salts(tmp_path / "given").names("herons").item("q1") == Pseudonyms(SALT).item("q1")
    assert not private.exists()


def test_a_salt_is_carried_to_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Salts(tmp_path / "given").names("herons").item("q1")
    with pytest.raises(SystemExit) as end:
        main(["salt", "export", "herons.jsonl", "-o", str(tmp_path / "carried")])
    assert not end.value.code
    assert (tmp_path / "carried").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    assert Salts(tmp_path / "given", tmp_path / "carried").names("herons").item("q1") == here
    capsys.readouterr()
    for arguments, problem in (
        (("herons", "-o", "x"), "no salt is kept for 'herons'. Known: none"),
        (("herons", "-o", str(tmp_path / "carried")), "no salt is kept for 'herons'. Known: none"),
    ):
        with pytest.raises(SystemExit) as end:
            main(["salt", "export", *arguments])
        assert end.value.code == 2
        assert capsys.readouterr().err == f"Error: {problem}\n"


def test_a_salt_within_the_report_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report" / "deep" / "salt"
    with pytest.raises(InputError) as caught:
        read_salt(path, tmp_path / "report")
    assert str(caught.value) == (
        f"{path}: the salt must not be in a folder that is made to be given away\n"
        "Keep it elsewhere: --salt-file …"
    )


def test_a_short_salt_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "salt"
    path.write_text("short\n")
    with pytest.raises(InputError) as caught:
        read_salt(path, tmp_path / "report")
    assert str(caught.value) == f"{path}: the salt has 5 bytes, which could be guessed; it takes 16"


@pytest.mark.parametrize(
    ("what", "ours", "theirs"),
    [
        ("kind", "template:format+paraphrase", "anthrax"),
        ("change", "what-which+tell-me", "anthrax"),
        ("change", "order:reverse", "anthrax+verb"),
        ("variant", "t1+para2", "anthrax"),
        ("variant", "pert:order_rev", "pert:anthrax"),
        ("variant", "control:negate", "control:anthrax1"),
        ("scorer", "match", "anthrax"),
        ("scorer", "model_graded_qa.accuracy", "match.anthrax"),
        ("reducer", "at_least_2", "anthrax"),
        ("factor", "template.wording", "anthrax"),
    ],
)
def test_words_on_the_list_stay_and_others_do_not(what: str, ours: str, theirs: str) -> None:
    name = getattr(Pseudonyms(SALT), what)
    assert name(ours) == ours
    assert "anthrax" not in name(theirs)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("/home/rsmith/models/tiny.gguf", "tiny.gguf"),
        ("C:\\Users\\rsmith\\tiny.gguf", "tiny.gguf"),
        ("http://rsmith:pw@gpu-17.internal:8000/v1/tiny?key=1", "tiny"),
        ("hf/rsmith/tiny@main", "tiny@main"),
        ("vertex/sonnet@20250514", "sonnet@20250514"),
        ("ollama/llama3:8b", "llama3:8b"),
        ("bedrock/arn:aws:bedrock:eu-1:123456789012:model/tiny", "tiny"),
        ("Claude 3.5 Sonnet (new)", "Claude 3.5 Sonnet (new)"),
    ],
)
def test_models_have_the_last_part_of_their_name(given: str, told: str) -> None:
    assert Pseudonyms(SALT).model(given) == told
    both = Pseudonyms(SALT).models(["openai/x", "azure/x", "openai/y"])
    assert both["openai/y"] == "y"
    assert both["openai/x"] != both["azure/x"]
    assert all(name.startswith("x-") for name in (both["openai/x"], both["azure/x"]))


@pytest.mark.parametrize(
    "given",
    [
        *(
            "http://gpu-node-17.corp:8000",
            "http://10.1.2.3:8000/",
            "https://company.example/",
            "localhost:8000",
        ),
        *("vllm/gpu-node-17.cluster.internal", "openai-api/10.1.2.3", "openai/my-deployment@rsmith.corp"),
        *("/home/rsmith", "file:///home/rsmith/", "C:\\Users\\rsmith", "rsmith@laptop"),
        *("arn:aws:bedrock:eu-1:123456789012:custom", "agent of (rsmith laptop /home/x)"),
        "Which harbour did the grey heron leave",
    ],
)
def test_what_is_no_name_of_a_model_is_hashed(given: str) -> None:
    """A host, a person's folder, an account, a sentence."""
    for whole in (False, True):
        assert re.fullmatch(r"model-[0-9a-f]{16}", Pseudonyms(SALT, model_names=whole).model(given))
    assert re.fullmatch(r"task-[0-9a-f]{16}", Pseudonyms(SALT).task(given))


def test_whole_names_of_models_where_they_are_asked_for() -> None:
    names = Pseudonyms(SALT, model_names=True)
    assert names.model("openai/gpt-4o-mini") == "openai/gpt-4o-mini"
    assert names.model("/home/rsmith/models/tiny.gguf") == "tiny.gguf"
