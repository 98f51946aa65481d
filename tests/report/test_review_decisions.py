"""Decisions on the review page in the real Chromium: made with mouse and keys, counted, saved as a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.types import (
    CheckResult,
    Decision,
    Item,
    Variant,
    Vetted,
    original,
    variant_id,
    wording_hash,
)
from otherwords.report import write_review

pytestmark = pytest.mark.browser

CAPITAL = Item("capital", "What is the capital of Kenya?", (), ("Nairobi",))
ODD = Item("odd\u202eid\n<b>", "Who wrote Hamlet?", (), ("Shakespeare",))


def reworded(item: Item, name: str, prompt: str) -> Variant:
    return Variant(variant_id(item.id, name), item.id, name, "llm", prompt, item.choices, item.target)


FLAGGED = reworded(CAPITAL, "mild1", "Which city is Kenya's capital?")
REFUSED = reworded(CAPITAL, "mild2", "What is the capital of Chad?")
JUDGED = reworded(CAPITAL, "mild3", "Name the capital of Kenya.")
CONTRADICTED = reworded(CAPITAL, "mild4", "Kenya's seat of government?")
DECIDED = reworded(CAPITAL, "mild5", "Kenya: capital?")
STRANGE = reworded(ODD, "mild\u200b1", "Hamlet was written by whom?")

DECISION = Decision(False, "Ada", "2026-11-02", wording_hash(CAPITAL, DECIDED), "too short")
VETTED = [
    Vetted(original(CAPITAL), ()),
    Vetted(FLAGGED, (CheckResult("nouns", "flag", "lost: x"),)),
    Vetted(REFUSED, (CheckResult("names", "fail", "lost: Kenya"), CheckResult("lines", "flag", "1 line"))),
    Vetted(
        JUDGED,
        (CheckResult("nouns", "flag", "lost: y"), CheckResult("judge", "pass", "the same in both orders")),
    ),
    Vetted(CONTRADICTED, (CheckResult("judge", "flag", "the judge contradicts itself"),)),
    Vetted(DECIDED, (CheckResult("length", "flag", "2 words instead of 6"),), DECISION),
    Vetted(original(ODD), ()),
    Vetted(STRANGE, (CheckResult("asked_verb", "flag", "added: written"),)),
]


@contextmanager
def opened(browser: Any, folder: Path, vetted: list[Vetted] | None = None) -> Iterator[Any]:
    file = write_review(
        folder / "review.html", VETTED if vetted is None else vetted, title="T", source="data/v.jsonl"
    )
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.goto(file.as_uri())
    yield page
    assert troubles == []
    context.close()


def row(page: Any, name: str) -> Any:
    return page.locator(".row").filter(has=page.get_by_role("heading", name=name, exact=True, level=4))


def saved(page: Any) -> tuple[str, list[dict[str, Any]]]:
    with page.expect_download() as download:
        page.locator("#download").click()
    text = Path(download.value.path()).read_text("utf-8")
    return download.value.suggested_filename, [json.loads(line) for line in text.splitlines()]


def test_the_layer_that_spoke_and_why(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as page:

        def said(name: str) -> tuple[str, str, list[str]]:
            one = row(page, name)
            return (
                one.locator(".badge").inner_text(),
                one.locator(".body > p").last.inner_text(),
                one.locator(".failures li").all_inner_texts(),
            )

        assert said("mild1") == (
            "? undecided",
            "Undecided: it carries a flag, and nobody has decided.",
            ["nouns asks for a look: lost: x"],
        )
        assert said("mild2") == (
            "✗ rejected",
            "Refused by an invariant, which no decision overrules.",
            ["names failed: lost: Kenya", "lines asks for a look: 1 line"],
        )
        assert said("mild3") == (
            "✓ accepted",
            "Accepted by the judge.",
            ["nouns asks for a look: lost: y", "judge passed: the same in both orders"],
        )
        assert said("mild4")[1] == "Undecided: the judge could not decide."
        assert said("mild5")[:2] == ("✗ rejected", "Rejected by Ada on 2026-11-02: too short")
        assert row(page, "mild2").get_by_role("button", name="Accept").count() == 0
        assert row(page, "original").get_by_role("button", name="Accept").count() == 0
        flagged = page.locator("#counts table").last.locator("tbody tr").all_inner_texts()
        assert sorted(line.split()[0] for line in flagged) == [
            "asked_verb",
            "judge",
            "length",
            "lines",
            "nouns",
        ]


def test_decisions_are_made_counted_and_saved(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as page:
        assert page.locator("#sum").inner_text().startswith("2 items: 1 accepted, 2 rejected, 3 undecided.")
        assert page.locator("#download").is_disabled()
        row(page, "mild1").get_by_role("button", name="Accept").click()
        assert row(page, "mild1").locator(".badge").inner_text() == "✓ accepted"
        assert page.evaluate("document.activeElement.textContent") == "Accept"
        assert row(page, "mild1").get_by_role("button", name="Accept").get_attribute("aria-pressed") == "true"
        row(page, "mild1").get_by_label("Note").fill("  fine ")
        row(page, "mild3").get_by_role("button", name="Reject").click()
        row(page, "mild5").get_by_role("button", name="Accept").click()
        row(page, "mild4").get_by_role("button", name="Reject").click()
        row(page, "mild4").get_by_role("button", name="Take back").click()
        page.locator(".row.undecided").last.get_by_role("button", name="Accept").click()
        assert page.locator("#decided").inner_text() == "4 decisions made here, 1 undecided."
        assert page.locator("#sum").inner_text().startswith("2 items: 3 accepted, 2 rejected, 1 undecided.")
        page.locator("#download").click()
        assert page.locator("#decided").inner_text() == "Say first who decides: your name goes into the file."
        assert page.evaluate("document.activeElement.id") == "person"
        page.locator("#person").fill("Grace")
        name, lines = saved(page)
        assert name == "v-decisions.jsonl"
        assert page.locator("#decided").inner_text() == "4 decisions saved as v-decisions.jsonl."
        assert page.locator("#command").inner_text() == (
            "otherwords vet data/v.jsonl --decisions v-decisions.jsonl"
        )
    dates = {line.pop("date") for line in lines}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in dates)
    assert lines == [
        {
            "item": variant.item_id,
            "name": variant.name,
            "accepted": accepted,
            "person": "Grace",
            "wording_hash": wording_hash(item, variant),
            "note": note,
        }
        for item, variant, accepted, note in (
            (CAPITAL, FLAGGED, True, "fine"),
            (CAPITAL, JUDGED, False, ""),
            (CAPITAL, DECIDED, True, ""),
            (ODD, STRANGE, True, ""),
        )
    ]


def test_decisions_are_made_with_keys(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as page:

        def focused() -> str:
            return str(page.evaluate("document.activeElement.querySelector('h4')?.textContent"))

        page.locator("#next").focus()
        page.keyboard.press("Enter")
        assert focused() == "mild1"
        page.keyboard.press("a")
        assert (focused(), row(page, "mild1").locator(".badge").inner_text()) == ("mild1", "✓ accepted")
        page.keyboard.press("n")
        assert focused() == "mild4"
        page.keyboard.press("r")
        assert row(page, "mild4").locator(".badge").inner_text() == "✗ rejected"
        page.keyboard.press("u")
        assert row(page, "mild4").locator(".badge").inner_text() == "? undecided"
        page.keyboard.press("Control+a")
        assert row(page, "mild4").locator(".badge").inner_text() == "? undecided"
        page.keyboard.press("a")
        row(page, "mild4").get_by_label("Note").focus()
        page.keyboard.type("rare n")
        assert row(page, "mild4").get_by_label("Note").input_value() == "rare n"
        assert row(page, "mild4").locator(".badge").inner_text() == "✓ accepted"
        assert page.locator("#decided").inner_text() == "2 decisions made here, 1 undecided."


def test_what_is_decided_stays_in_sight_until_the_filter_changes(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as page:
        options = page.locator("#status option").all_inner_texts()
        assert options == ["any (6)", "accepted (1)", "rejected (2)", "undecided (3)"]
        page.locator("#status").select_option("undecided")
        assert page.locator(".row:not(.original) h4").all_inner_texts() == ["mild1", "mild4", "mild⟨U+200B⟩1"]
        row(page, "mild1").get_by_role("button", name="Reject").click()
        assert row(page, "mild1").is_visible()
        assert page.locator("#status option").all_inner_texts()[-1] == "undecided (2)"
        page.locator("#find").fill("mild")
        assert row(page, "mild1").count() == 0


def test_thousands_are_walked_through(browser: Any, tmp_path: Path) -> None:
    vetted = []
    for number in range(60):
        one = Item(f"i{number}", f"What is {number} plus one?")
        checks = (CheckResult("nouns", "flag" if number in (3, 55) else "pass"),)
        vetted += [Vetted(original(one), ()), Vetted(reworded(one, "mild1", f"Add one to {number}."), checks)]
    with opened(browser, tmp_path, vetted) as page:
        for expected in ("i3", "i55", "i3"):
            page.locator("#next").click() if expected == "i3" else page.keyboard.press("n")
            assert page.evaluate(
                "document.activeElement.closest('article').querySelector('h3').textContent"
            ) == (expected)


def test_a_page_with_nothing_to_decide_has_no_bar(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, [Vetted(original(CAPITAL), ()), VETTED[2]]) as page:
        assert page.locator("#deciding").is_hidden()


def test_leaving_with_decisions_that_were_not_saved_is_asked_about(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as page:
        asked: list[str] = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        row(page, "mild1").get_by_role("button", name="Accept").click()
        page.reload()
        assert asked == ["beforeunload"]
        assert page.locator("#decided").inner_text() == "0 decisions made here, 3 undecided."
        page.reload()
        assert asked == ["beforeunload"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_axe(browser: Any, tmp_path: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with opened(browser, tmp_path) as page:
        page.emulate_media(color_scheme=scheme)
        row(page, "mild1").get_by_role("button", name="Accept").click()
        found = axe.run(page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
