from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import polars as pl

from otherwords.report.text import visible
from otherwords.report.webpage import page_html


def embedded(page: str) -> Any:
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.S)
    assert len(found) == 1
    return json.loads(found[0])


def test_the_policy_allows_only_the_pages_own_style_and_script(build: Any) -> None:
    page = page_html(build(1, 2))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        for part in (
            re.findall(r"<script>(.*?)</script>", page, flags=re.S)[0],
            re.findall(r"<style>(.*?)</style>", page, flags=re.S)[0],
        )
    ]
    assert policy[1] == (
        f"default-src 'none'; script-src '{hashes[0]}'; style-src '{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_the_page_refers_to_nothing_outside(build: Any) -> None:
    page = page_html(build(2, 5))
    assert re.findall(r"https?://|//cdn|@import|url\(", page) == []
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,", "#items-by-wording"]
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", page) == []


def test_the_data_cannot_close_its_element(build: Any, attack: str) -> None:
    page = page_html(build(1, 3, evil=attack))
    raw = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert not set("<>&") & set(raw)
    data = embedded(page)
    shown = visible(attack)
    assert data["title"].startswith(shown)
    assert data["skipped"][0][0].startswith(shown)
    assert data["notes"][0].startswith(shown)
    assert all(agent["model"].startswith(shown) for agent in data["agents"])
    assert sum(text.startswith(shown) for text in data["strings"]) > 10


def test_every_cell_is_in_the_page(build: Any) -> None:
    data = build(2, 9)
    found = embedded(page_html(data))
    for agent in found["agents"]:
        assert len(agent["items"]) == 9
        assert all(len(item[10]) == 6 for item in agent["items"])
    scores = [cell[0] for agent in found["agents"] for item in agent["items"] for cell in item[10]]
    known = data.cells["score"].drop_nulls().round(4).to_list()
    assert sorted(score for score in scores if score is not None) == sorted(known)


def test_texts_beyond_the_budget_are_left_out_and_counted(build: Any) -> None:
    data = build(1, 40)
    found = embedded(page_html(data, text_budget=1500))
    assert 0 < len(found["wordings"]) < 40
    assert len(found["wordings"]) + found["wordings_left_out"] == 40
    kept = {int(key.split(":")[1]) for key in found["wordings"]}
    variances = {item[0]: item[3] for item in found["agents"][0]["items"]}
    dropped = [value for place, value in variances.items() if place not in kept]
    assert min(variances[place] for place in kept) >= max(dropped)


def test_numbers_that_are_not_finite_become_null(build: Any) -> None:
    data = build(1, 2)
    odd = replace(data, items=data.items.with_columns(variance=pl.lit(float("nan"))))
    assert [item[3] for item in embedded(page_html(odd))["agents"][0]["items"]] == [None, None]


def test_a_large_set_stays_under_five_megabytes(build: Any) -> None:
    assert len(page_html(build(3, 500, 6)).encode()) < 5_000_000
