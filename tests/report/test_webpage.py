from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from otherwords.report.escape import visible
from otherwords.report.webpage import page_files


def page_html(data: Any) -> str:
    return page_files(data)["index.html"]


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
    addresses = set(re.findall(r"https?://[^\"'\s]*|//cdn|@import|url\(", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of a format, which nothing opens
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,", "#items-by-wording"]
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", page) == []


@pytest.mark.slow
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


def at(column: Any, place: int) -> Any:
    return column["all"] if isinstance(column, dict) else column[place]


def in_grid(grid: Any, column: int, row: int) -> Any:
    return grid["all"] if isinstance(grid, dict) else at(grid[column], row)


def test_every_cell_is_in_the_page(build: Any) -> None:
    data = build(2, 9)
    found = embedded(page_html(data))
    for agent, row in zip(found["agents"], data.agents, strict=True):
        names = [found["strings"][number] for number in found["tasks"][0]["items"]]
        ids = [names[place] for place in agent["items"]["item"]]
        variants = [name for name, _, _ in found["tasks"][0]["variants"]]
        cells = data.cells_of(row)
        assert len(ids) * len(variants) == cells.height
        for one in cells.iter_rows(named=True):
            column, line = variants.index(one["variant"]), ids.index(one["id"])
            score = one["score"]
            assert agent["cells"]["score"][column][line] == (None if score is None else round(score, 4))
            assert in_grid(agent["cells"]["n"], column, line) == one["n"]
            answer = in_grid(agent["cells"]["answer"], column, line)
            assert (None if answer < 0 else found["strings"][answer]) == one["answer"]
            assert found["strings"][in_grid(agent["cells"]["status"], column, line)] == one["status"]


def test_every_wording_is_in_the_page(build: Any) -> None:
    data = build(1, 9)
    found = embedded(page_html(data))
    task, strings = found["tasks"][0], found["strings"]
    ids = [strings[number] for number in task["items"]]
    variants = [name for name, _, _ in task["variants"]]
    assert data.wordings.height == 54
    for one in data.wordings.iter_rows(named=True):
        column, line = variants.index(one["variant"]), ids.index(one["id"])
        assert strings[in_grid(task["prompt"], column, line)] == one["prompt"]
        assert strings[in_grid(task["target"], column, line)] == one["target"]
        options = task["lists"][in_grid(task["options"], column, line)]
        assert [strings[number] for number in options] == one["choices"]


def all_texts(files: dict[str, str]) -> list[str]:
    texts = list(embedded(files["index.html"])["strings"])
    for place in range(1, len(files)):
        call = re.fullmatch(r"otherwordsTexts\((\d+),(\[.*\])\);\n", files[f"texts-{place}.js"], flags=re.S)
        assert call is not None
        assert int(call[1]) == place - 1
        texts += json.loads(call[2])
    return texts


def test_texts_beyond_the_budget_are_beside_the_page(build: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("otherwords.report.text_table.CHUNK", 400)
    data = build(1, 40)
    whole, parted = page_files(data), page_files(data, text_budget=1500)
    assert list(whole) == ["index.html"]
    assert len(parted) > 3
    assert all_texts(parted) == all_texts(whole)
    starts = embedded(parted["index.html"])["beside"]
    assert len(starts) == len(parted) - 1
    assert starts[0] == len(embedded(parted["index.html"])["strings"])
    assert "'strict-dynamic'" in parted["index.html"]
    assert "'strict-dynamic'" not in whole["index.html"]


def test_the_most_sensitive_items_have_their_texts_in_the_page(build: Any) -> None:
    data = build(1, 40)
    prompts = data.wordings.with_columns(prompt=pl.format("{} of {}", "prompt", "id"))
    found = embedded(page_files(replace(data, wordings=prompts), text_budget=8000)["index.html"])
    task, inline = found["tasks"][0], len(found["strings"])
    rows = range(len(task["items"]))
    here = [all(in_grid(task["prompt"], column, row) < inline for column in range(6)) for row in rows]
    assert 0 < sum(here) < 40
    assert here == sorted(here, reverse=True)
    first = found["agents"][0]["items"]["item"][: sum(here)]
    assert sorted(first) == list(range(sum(here)))


def test_numbers_that_are_not_finite_become_null(build: Any) -> None:
    data = build(1, 2)
    odd = replace(data, items=data.items.with_columns(variance=pl.lit(float("nan"))))
    assert embedded(page_html(odd))["agents"][0]["items"]["variance"] == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["x", "漢", "<", "\n", '"'])
def test_a_large_set_stays_under_five_megabytes(build: Any, letter: str) -> None:
    data = build(3, 500, 6)
    long = data.wordings.with_columns(
        prompt=pl.format("{} {} {}", "id", "variant", pl.lit("many words " * 20 + letter * 1800))
    )
    files = page_files(replace(data, wordings=long))
    assert len(files["index.html"].encode()) < 5_000_000
    assert len(files) > 1
    assert all_texts(files).count(visible(long["prompt"][7])) == 1


def test_a_set_without_wordings_has_a_page(build: Any) -> None:
    data = build(1, 3, wordings=pl.DataFrame())
    found = embedded(page_html(data))
    assert found["tasks"][0]["prompt"] == {"all": -1}
    assert len(found["agents"][0]["items"]["item"]) == 3
