"""The page in the real Chromium: it opens quietly, does what it offers, and runs nothing that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from otherwords.report.text import visible
from otherwords.report.webpage import TEXT_BUDGET, page_files

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def opened(
    browser: Any, folder: Path, data: Any, text_budget: int = TEXT_BUDGET, **options: Any
) -> Iterator[Any]:
    """The page, and at the end the certainty that it neither complained nor asked for anything."""
    files = page_files(data, text_budget=text_budget)
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    file = folder / "index.html"
    context = browser.new_context(**{"viewport": DESKTOP, **options})
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    yield page
    assert troubles == []
    beside = {(folder / name).as_uri() for name in files}
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} <= beside
    context.close()


def test_it_opens_with_verdict_numbers_and_cautions(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(3, 60)) as page:
        assert page.locator("article.card").count() == 3
        first = page.locator("article.card").first.inner_text()
        for part in (
            "The score differs between wordings",
            "Accuracy, all wordings",
            "S_prompt",
            "floor 0.70",
        ):
            assert part in first
        assert page.title() == "Capitals, in other words"
        assert "These agents are invented." in page.locator("#notes").inner_text()
        assert "logs/broken.eval: not a zip file" in page.locator("#left").inner_text()


def test_one_repeat_is_said(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 2, 2, 1)) as page:
        assert "phrasing and plain luck are not separated" in page.locator("article.card").inner_text()


def test_rows_are_drawn_on_demand(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 60)) as page:
        assert page.locator(".heat tbody tr").count() == 40
        page.locator("#heat-more").click()
        assert page.locator(".heat tbody tr").count() == 60
        assert page.locator("#heat-more").is_hidden()


def test_a_cell_opens_with_wording_diff_answer_and_target(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 8, missing=0)) as page:
        page.locator('.heat button[aria-label^="item-001, para1"]').click()
        dialog = page.locator("dialog")
        assert dialog.locator("h2").inner_text() == "item-001 · para1"
        assert dialog.locator("del").all_inner_texts() == ["the following"]
        assert dialog.locator("ins").all_inner_texts() == ["these"]
        assert dialog.locator(".pair .said").last.inner_text() == "Lisbon"
        assert dialog.locator(".choices li").count() == 4
        page.keyboard.press("Escape")
        assert not dialog.is_visible()
        page.locator('.heat button[aria-label^="item-001, pert:order_rev"]').click()
        assert "Options, in the order shown (not the original's)" in dialog.inner_text()


def test_the_heat_map_is_walked_with_the_keyboard(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 8)) as page:
        assert page.locator('.heat button[tabindex="0"]').count() == 1
        page.locator('.heat button[tabindex="0"]').focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowLeft"):
            page.keyboard.press(key)
        place = page.evaluate("[document.activeElement.dataset.row, document.activeElement.dataset.column]")
        assert place == ["2", "0"]
        assert page.locator('.heat button[tabindex="0"]').count() == 1
        page.keyboard.press("Enter")
        assert page.locator("dialog").is_visible()


def test_agent_and_selection_change_what_is_shown(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(2, 30)
    with opened(browser, tmp_path, data) as page:
        page.locator("#agent").select_option("1")
        assert page.locator("#kinds h3").inner_text() == "mock/wobbly-7b"
        page.locator("#show").select_option("uninformative")
        rows = page.locator("#table tbody tr")
        assert rows.count() == page.locator(".heat tbody tr").count() > 0
        assert all("uninformative: all " in text for text in rows.all_inner_texts())
        page.locator("#show").select_option("all")
        page.locator("#find").fill("item-007")
        assert page.locator("#found").inner_text() == "1 of 30 items"
        page.locator("#find").fill("nowhere")
        assert page.locator("#heat").inner_text() == "No item fits this selection."


def test_the_table_sorts_both_ways_and_says_so(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 20)) as page:
        for ascending in (False, True):
            page.locator('[data-sort="mean"]').click()
            means = [float(text) for text in page.locator("#table tbody td:nth-child(2)").all_inner_texts()]
            assert means == sorted(means, reverse=not ascending)
            heading = page.locator("#table th", has=page.locator('[data-sort="mean"]'))
            assert heading.get_attribute("aria-sort") == ("ascending" if ascending else "descending")
        page.locator('[data-sort="id"]').click()
        ids = page.locator("#table tbody th").all_inner_texts()
        assert ids == sorted(ids)


def test_kinds_are_ranked_by_cost(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 40)) as page:
        texts = page.locator(".kind .value").all_inner_texts()
        costs = [float(text.split()[0].replace("−", "-")) for text in texts]
        assert len(costs) == 5
        assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("shape", [(3, 60, 8, 2), (1, 2, 2, 1)])
def test_it_fits_a_phone(browser: Any, build: Any, tmp_path: Path, shape: tuple[int, ...]) -> None:
    with opened(browser, tmp_path, build(*shape), viewport=PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_light_and_dark_follow_the_reader(browser: Any, build: Any, tmp_path: Path) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        with opened(browser, tmp_path, build(1, 2), color_scheme=scheme) as page:
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(251, 250, 247)", "rgb(20, 22, 27)"]


def test_print_is_light_names_the_agent_and_says_what_is_not_on_paper(
    browser: Any, build: Any, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, build(2, 60), color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        body = page.evaluate("[getComputedStyle(document.body)].map((s) => [s.backgroundColor, s.color])[0]")
        assert body == ["rgb(255, 255, 255)", "rgb(31, 36, 48)"]
        square = page.locator(".heat button").first
        assert square.evaluate("(node) => getComputedStyle(node).printColorAdjust") == "exact"
        assert page.locator("#agent").is_visible()
        assert page.locator("#find").is_hidden()
        assert page.locator("#heat-more").is_hidden()
        rest = page.locator("#heat").evaluate("(node) => getComputedStyle(node, '::after').content")
        assert rest == '"20 more of 60 items were not drawn when this was printed."'


def test_attack_strings_are_seen_and_do_nothing(
    browser: Any, build: Any, tmp_path: Path, attack: str
) -> None:
    with opened(browser, tmp_path, build(2, 3, evil=attack), viewport=PHONE) as page:
        shown = visible(attack)

        def times(place: str) -> int:
            return int(
                page.evaluate(
                    "([p, s]) => document.querySelector(p).textContent.split(s).length - 1", [place, shown]
                )
            )

        for place in ("#title", "#notes", "#verdicts", "#heat", "#kind", "#kinds", "#table", "#left"):
            assert times(place) > 0, place
        page.locator(".heat button").nth(1).click()
        assert times("dialog") >= 6
        assert page.evaluate("window.owned") is None
        assert page.locator("img, iframe, object, embed, form, a:not(.skip)").count() == 0
        assert page.locator("svg").count() == page.locator("figure > .drawing > svg").count() == 7
        assert page.locator("script").count() == 2
        assert page.title().startswith(" ".join(shown.split()))
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
