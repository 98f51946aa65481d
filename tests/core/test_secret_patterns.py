from __future__ import annotations

import time

import pytest

from otherwords.core.secret_patterns import (
    REDACTED,
    find_keys,
    hide_keys_in,
    is_key_name,
    redacted,
    without_keys,
)

KEYS = {
    "sk-proj-4bC9dE2fGh1jK7mN0pQ": "API key",
    "gsk_4bC9dE2fGh1jK7mN0pQrS5tU": "API key",
    "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p": "API key",
    "AKIAQ4WERT7YUIOP2ASD": "AWS key",
    "ghp_a1B2c3D4e5F6g7H8i9J0k1L2": "GitHub token",
    "glpat-a1B2c3D4e5F6g7H8": "GitLab token",
    "hf_aBcDeFgHiJkLmNoPqRsTuVwX": "Hugging Face token",
    "xoxb-1234567890-abcdef": "Slack token",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSM": "web token",
    "Bearer a1b2c3d4e5f6a7b8c9": "bearer token",
}


@pytest.mark.parametrize(("key", "kind"), KEYS.items(), ids=lambda value: value[:12])
def test_keys_are_known_by_their_looks(key: str, kind: str) -> None:
    text = f"Error code 401: '{key}' was refused."
    assert [text[one.start : one.end] for one in find_keys(text) if one.kind == kind] == [key]
    assert redacted(text) == f"Error code 401: '{REDACTED}' was refused."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("https://ann:pass@host/logs", f"https://{REDACTED}@host/logs"),
        ("s3://bucket/a?sig=abcdefgh12&x=1", f"s3://bucket/a?{REDACTED}&x=1"),
        ('{"api_key": "a1b2c3d4e5f6"}', f'{{"api_key": "{REDACTED}"}}'),
        (r"{\"token\": \"a1b2c3d4e5f6\"}", rf"{{\"token\": \"{REDACTED}\"}}"),
        ("MY_SERVICE_PASSWORD=tr0ub4dor", f"MY_SERVICE_PASSWORD={REDACTED}"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter",
            f"{REDACTED}\nafter",
        ),
    ],
)
def test_what_goes_under_the_name_of_a_key_is_hidden_and_the_rest_stays(text: str, left: str) -> None:
    assert redacted(text) == left
    assert redacted(left) == left
    assert list(find_keys(text))


@pytest.mark.parametrize(
    "text",
    [
        "total_tokens: 123456789",
        "max_tokens=1000",
        "task-consistency-at-3-wordings-of-one-item",
        "The key to the question is in line 3.",
        "tokens=12 seconds=4",
        "see http://example.org:8080/path",
        "disk-usage-of-2026-11-15-was-fine",
        "the token: a word or part of one",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redacted(text) == text
    assert list(find_keys(text)) == []


def test_values_of_the_environment_are_keys_if_their_name_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "sunny days")
    monkeypatch.setenv("SHORT_TOKEN", "abc")
    monkeypatch.setenv("WEATHER_PLACE", "valparaiso")
    text = "abc: sunny days in valparaiso"
    assert redacted(text) == f"abc: {REDACTED} in valparaiso"
    assert [one.kind for one in find_keys(text)] == ["value of WEATHER_API_KEY"]


def test_names() -> None:
    names = ["api_key", "OPENAI_API_KEY", "token", "auth-token", "password", "azure.secret", "key"]
    assert all(map(is_key_name, names))
    others = ["tokens", "max_tokens", "token_limit", "monkey", "keyboard", "model", "key_path", "author"]
    assert not any(map(is_key_name, others))


def test_arguments_however_nested() -> None:
    given = {"api_key": "x", "n": 3, "more": [{"token": 5, "url": "http://a:b@c"}], "key": True, "none": None}
    assert without_keys(given) == {
        "api_key": REDACTED,
        "n": 3,
        "more": [{"token": REDACTED, "url": f"http://{REDACTED}@c"}],
        "key": True,
        "none": None,
    }


KEY = "sk-proj-4bC9dE2fGh1jK7mN0pQ"


def test_an_error_loses_its_keys_and_stays_what_it_is() -> None:
    cause = ValueError(f"bad key {KEY}")
    error = KeyError(f"refused {KEY}", 401)
    error.__cause__ = cause
    error.body = {"detail": f"{KEY} is refused", "api_key": "secret"}  # type: ignore[attr-defined]
    assert hide_keys_in(error) is error
    assert (error.args, cause.args) == ((f"refused {REDACTED}", 401), (f"bad key {REDACTED}",))
    assert error.body == {"detail": f"{REDACTED} is refused", "api_key": REDACTED}  # type: ignore[attr-defined]


def test_an_error_that_makes_its_text_of_something_else_is_replaced() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            return f"refused {KEY}"

    hidden = hide_keys_in(Odd())
    assert (type(hidden), str(hidden)) == (RuntimeError, f"Odd: refused {REDACTED}")


@pytest.mark.parametrize(
    "unit", ["token=", "sk-", "eyJ-", "-----BEGIN PRIVATE KEY-----", "Bearer a", "://a:"]
)
def test_redacting_takes_time_in_proportion(unit: str) -> None:
    def seconds(size: int) -> float:
        text, times = unit * (size // len(unit)), []
        for _ in range(3):
            start = time.process_time()
            redacted(text)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(100_000) < 2.6 * seconds(50_000) + 0.01
