from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import (
    CheckResult,
    Decision,
    Item,
    MissingVariant,
    Variant,
    Vetted,
    original,
    wording_hash,
)
from otherwords.report import review_html, write_review
from otherwords.report.escape import visible

Reviewed = Callable[..., tuple[list[Vetted], list[MissingVariant]]]


def told(page: str) -> Any:
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.S)
    assert len(found) == 1
    return json.loads(found[0])


def page_of(vetted: list[Vetted], missing: Any = (), **options: Any) -> str:
    return review_html(vetted, title="Capitals", source="variants.jsonl", missing=missing, **options)


def test_the_policy_allows_only_the_pages_own_style_and_script(reviewed: Reviewed) -> None:
    page = page_of(*reviewed())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    script, style = (re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.S) for tag in ("script", "style"))
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        for (part,) in (script, style)
    ]
    assert policy[1] == (
        f"default-src 'none'; script-src '{hashes[0]}'; style-src '{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_the_page_refers_to_nothing_outside(reviewed: Reviewed) -> None:
    page = page_of(*reviewed())
    assert re.findall(r"https?://|//cdn|@import|url\(", page) == []
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,", "#items-title"]
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", page) == []


def test_candidates_follow_the_header_unless_their_lines_are_given(reviewed: Reviewed) -> None:
    vetted, _ = reviewed()

    def lines(page: str) -> list[int]:
        items = told(page)["items"]
        return sorted(row[0] for item in items for row in [item["original"], *item["rows"]])

    assert lines(page_of(vetted)) == list(range(2, 2 + len(vetted)))
    given = [10 * number for number in range(1, 1 + len(vetted))]
    assert lines(page_of(vetted, lines=given)) == given


def test_line_numbers_must_be_as_many_as_candidates(reviewed: Reviewed) -> None:
    with pytest.raises(InputError, match=r"^15 candidates with 2 line numbers$"):
        page_of(reviewed()[0], lines=[2, 3])


def test_nothing_is_dropped(reviewed: Reviewed) -> None:
    vetted, missing = reviewed()
    data = told(page_of(vetted, missing))
    ids = [
        data["strings"][row[1]]
        for item in data["items"]
        for row in [item["original"], *item["rows"]]
        if row is not None
    ]
    assert sorted(ids) == sorted(one.variant.id for one in vetted)
    assert sum(len(item["missing"]) for item in data["items"]) == len(missing) == 2


def test_a_second_original_of_an_item_is_shown_as_a_candidate() -> None:
    first = original(Item("a", "Why?"))
    items = told(page_of([Vetted(first, ()), Vetted(first, ())]))["items"]
    assert [(item["original"][0], [row[0] for row in item["rows"]]) for item in items] == [(2, [3])]


def test_an_item_of_which_only_a_missing_slot_is_known_is_there() -> None:
    data = told(page_of([], [MissingVariant("a", "mild1", ("words: lost: not",), "llm")]))
    (item,) = data["items"]
    assert data["strings"][item["id"]] == "a"
    assert item["original"] is None
    assert data["kinds"] == ["llm"]
    assert [data["strings"][place] for place in item["missing"][0][2]] == ["words: lost: not"]


def test_the_data_cannot_close_its_element(reviewed: Reviewed, attack: str) -> None:
    page = page_of(*reviewed(attack))
    raw = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert not set("<>&") & set(raw)
    data = told(page)
    shown = visible(attack)
    assert all(name.startswith(shown) for name in [*data["kinds"], *data["checks"]] if name != "orig")
    assert sum(text.startswith(shown) for text in data["strings"]) > 30


def test_parameters_of_any_kind_are_told() -> None:
    odd = Variant(
        "a#b", "a", "b", "llm", "Why?", generator="llm/1", params={"at": Path("x"), "n": float("nan")}
    )
    assert 'llm/1 {"at": "x", "n": NaN}' in told(page_of([Vetted(odd, ())]))["strings"]


def test_a_variant_is_told_with_its_layer_and_what_a_decision_on_it_must_repeat() -> None:
    item = Item("odd\u202e", "Who wrote Hamlet?")
    variant = Variant("odd\u202e#mild1", "odd\u202e", "mild1", "llm", "By whom was Hamlet written?")
    flag = CheckResult("names", "flag", "lost: x")
    decision = Decision(False, "Ada", "2026-11-02", "h", "no")
    data = told(
        page_of([Vetted(original(item), ()), Vetted(variant, (flag,)), Vetted(variant, (flag,), decision)])
    )
    (shown,) = data["items"]
    assert json.loads(shown["exact"]) == item.id
    assert shown["original"][13] is None
    first, second = (row[11:] for row in shown["rows"])
    assert first == ["undecided", "flag", [wording_hash(item, variant), None], None]
    assert second[:2] == ["rejected", "person"]
    assert [second[3][0], *(data["strings"][place] for place in second[3][1:])] == [
        False,
        "Ada",
        "2026-11-02",
        "no",
    ]


def test_texts_and_check_results_that_repeat_are_told_once() -> None:
    vetted = []
    for number in range(500):
        item = Item(f"i{number}", "the same long prompt " * 50)
        variant = original(item)
        checks = tuple(CheckResult(name, "pass") for name in "abcdefgh")
        vetted.append(Vetted(variant, checks))
    data = told(page_of(vetted))
    assert len(data["check_results"]) == 1
    assert sum(text.startswith("the same") for text in data["strings"]) == 1


def test_it_is_written_whole_and_the_same_each_time(reviewed: Reviewed, tmp_path: Path) -> None:
    vetted, missing = reviewed()
    paths = [
        write_review(tmp_path / name, vetted, title="T", source="v.jsonl", missing=missing)
        for name in ("new/a.html", "b.html")
    ]
    assert paths == [tmp_path / "new" / "a.html", tmp_path / "b.html"]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_text("utf-8") == review_html(vetted, title="T", source="v.jsonl", missing=missing)


def test_a_review_needs_no_tables_and_no_plotting() -> None:
    code = (
        "import sys\nfrom otherwords.report import review_html\nreview_html([], title='t', source='s')\n"
        "print([name for name in ('polars', 'altair', 'numpy', 'inspect_ai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
