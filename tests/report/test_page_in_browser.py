"""The page in the real Chromium: it opens quietly, does what it offers, and runs nothing that it shows."""

from __future__ import annotations

import csv
import io
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from otherwords.core.types import Estimate
from otherwords.pipeline.write_report import write_report
from otherwords.report import AuditedRow, BaselineRow, ReportData
from otherwords.report.escape import visible
from otherwords.report.figures import FIGURES, HISTORY
from otherwords.report.write import TEXT_BUDGET, page_files

pytestmark = pytest.mark.browser

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def opened(
    browser: Any, folder: Path, data: Any, text_budget: int = TEXT_BUDGET, address: str = "", **options: Any
) -> Iterator[Any]:
    """The page, and at the end the certainty that it neither complained nor asked for anything."""
    written = page_files(data, text_budget=text_budget)
    for name, content in written.items():
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
    page.goto(file.as_uri() + address)
    page.locator("body[data-ready]").wait_for()
    yield page
    assert troubles == []
    beside = {(folder / name).as_uri() for name in written}
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} <= beside
    context.close()


def expect(found: Any) -> Any:
    """Playwright's assertions, which wait: the page follows its address a moment after a link was clicked."""
    return pytest.importorskip("playwright.sync_api").expect(found)


def ids(page: Any) -> list[str]:
    return list(page.locator("#list .id").all_inner_texts())


def card(page: Any, name: str) -> Any:
    """The card of one wording in the panel, by the name that the logs have for it."""
    named = page.locator("header p", has_text=re.compile(f"^{re.escape(name)}$"))
    return page.locator("#wordings article", has=named)


def test_the_first_item_by_evidence_is_open(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 20)
    with opened(browser, tmp_path, data) as page:
        first = data.items_of(data.agents[0])["id"].to_list()
        assert ids(page) == first
        assert page.locator("#item-title").inner_text() == first[0]
        assert page.locator("#list [aria-current]").inner_text().startswith(first[0])
        assert page.locator("#found").inner_text().startswith("20 of 20 items")


def test_all_wordings_are_side_by_side_with_diff_answers_and_log(
    browser: Any, build: Any, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, build(1, 8, missing=0), address="#items&item=item-001") as page:
        assert page.locator("#wordings article").count() == 6
        assert page.locator("#wordings h4").first.inner_text() == "Original"
        assert card(page, "para1").locator("del").all_inner_texts() == ["the following"]
        assert card(page, "para1").locator("ins").all_inner_texts() == ["these"]
        assert card(page, "para1").locator("h4").inner_text() == "Paraphrase: which of these"
        assert card(page, "para1").locator(".choices").count() == 0  # as in the original
        assert card(page, "pert:order_rev").locator(".choices li").count() == 4
        told = [
            (one.locator(".badge").inner_text(), one.locator(".answer").inner_text())
            for one in page.locator(".runs li").all()
        ]
        # two runs of six wordings: those that came out the same stand in one line
        runs = {
            (score, "\n".join((run, answer)))
            for score, answer in (("right", "Lisbon"), ("wrong", "Quito"))
            for run in ("Runs 1–2", "Run 1", "Run 2")
        }
        assert set(told) <= runs
        assert sum(2 if "Runs" in answer else 1 for _, answer in told) == 12
        assert 6 <= len(told) < 12
        assert "target: Lisbon" in page.locator("#item-facts").inner_text()
        log = card(page, "para1").locator(".log")
        log.locator("summary").click()
        assert "inspect view --log-dir logs" in log.inner_text()
        assert "Log run.eval, sample item-001#para1" in log.inner_text()
        assert log.locator("a").all_inner_texts() == ["run 1", "run 2"]
        assert log.locator("a").last.get_attribute("href") == (
            "http://127.0.0.1:7575/#/logs/run.eval/samples/sample/item-001%23para1/2"
        )


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("I don't pay $3.50 now.", "I do not pay $3.50 now.", [("del", "don't"), ("ins", "do not")]),
        (
            "Read the short text with care.\n\nText: Lisbon is a city. It lies at the sea, in the west.",
            "Text: Lisbon is a city. It lies at the sea, in the west.\n\nRead the short text with care.",
            [("from", "Read the short text with care"), ("to", "Read the short text with care")],
        ),
        (
            "Could you say what it costs to send it?",
            "Tell me the price of one such parcel it?",
            [
                ("del", "Could you say what it costs to send"),
                ("ins", "Tell me the price of one such parcel"),
            ],
        ),
    ],
)
def test_a_diff_has_whole_words_and_phrases(
    browser: Any, build: Any, tmp_path: Path, before: str, after: str, marked: list[tuple[str, str]]
) -> None:
    with opened(browser, tmp_path, build(1, 2)) as page:
        parts = page.evaluate("([before, after]) => diff(before, after)", [before, after])
        changed = [(kind, re.sub(r"^[\s.]+|[\s.]+$", "", text)) for kind, text in parts if kind != "same"]
        assert changed == marked


def test_the_squares_and_the_plot_of_costs_are_labelled(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 20)) as page:
        assert page.locator("#columns li").all_inner_texts() == [
            "original",
            "paraphrase: which of these",
            "paraphrase: imperative",
            "layout: punctuation",
            "layout: a sentence in front",
            "order of options: reversed",
        ]
        assert page.locator("#list .strip i").first.get_attribute("title").startswith("original: ")
        page.locator("#changes summary").first.click()
        left, middle, right = page.locator("#changes .scale").first.locator("div span").all_inner_texts()
        assert (left.endswith(" gained"), middle, right.endswith(" lost")) == (True, "0 points", True)


def test_a_narrow_menu_shows_that_it_goes_on(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 2), viewport=PHONE) as page:
        assert page.locator("nav[data-more]").count() == 1
        page.locator("nav div").evaluate("menu => menu.scrollTo(menu.scrollWidth, 0)")
        page.locator("nav:not([data-more])").wait_for()


def test_a_run_without_a_score_has_its_reason(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 8, missing=0.5), address="#items&show=unscored") as page:
        why = page.locator("#wordings .why").first
        assert why.inner_text() == "ended by an error of the provider: out of memory"
        assert page.locator("#wordings .badge.none").first.inner_text() == "no score"


def test_everything_that_is_chosen_is_in_the_address(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(2, 30, 8)
    with opened(browser, tmp_path, data) as page:
        page.locator("#agent").select_option("mock/wobbly-7b")
        page.locator("#kind").select_option("layout: spaces")
        page.locator("#sort").select_option("id")
        page.locator("#different").check()
        page.locator("#find").fill("Norway")
        page.wait_for_url("**q=Norway**")
        page.locator("#list button").nth(1).click()
        address, listed = page.evaluate("location.hash"), ids(page)
        chosen = page.locator("#item-title").inner_text()
        assert listed[1] == chosen
    with opened(browser, tmp_path, data, address=address) as page:
        assert page.locator("#agent").input_value() == "mock/wobbly-7b"
        assert page.locator("#kind").input_value() == "layout: spaces"
        assert page.locator("#different").is_checked()
        assert page.locator("#find").input_value() == "Norway"
        assert ids(page) == listed == sorted(listed)
        assert page.locator("#item-title").inner_text() == chosen
        assert page.locator("#wordings h4").all_inner_texts() == ["Original", "Layout: spaces"]
        page.locator('nav a[href="#changes"]').click()
        assert page.evaluate("location.hash").startswith("#changes&agent=")


def test_a_link_of_a_change_shows_its_items(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(2, 30, 8)) as page:
        page.locator("#changes details").first.locator("summary").click()
        link = page.locator("#changes a.kind", has_text="layout: spaces").first
        link.click()
        expect(page.locator("#kind")).to_have_value("layout: spaces")
        assert page.locator("#different").is_checked()
        page.go_back()
        expect(page.locator("#kind")).to_have_value("")


def test_search_reads_prompts_answers_and_ids(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 16, missing=0)
    with opened(browser, tmp_path, data) as page:
        for wanted, count in (("item-007", 1), ("CAPITAL OF NORWAY", 2), ("nowhere", 0), ("", 16)):
            page.locator("#find").fill(wanted)
            page.locator("#found", has_text=f"{count} of 16 items").wait_for()
            assert len(ids(page)) == count
            assert page.locator("#none-found").is_visible() == (count == 0)
        said = data.samples.filter(pl.col("answer") == "Riga")["id"].n_unique()
        page.locator("#find").fill("riga")
        assert len(ids(page)) >= said


def test_different_only_leaves_out_what_came_out_the_same(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 30, missing=0)
    differ = data.items.filter(pl.col("min_max_gap") > 0).height
    with opened(browser, tmp_path, data) as page:
        page.locator("#different").check()
        assert len(ids(page)) == differ < 30
        shown = page.locator("#wordings article").count()
        item = page.locator("#item-title").inner_text()
        cells = data.cells.filter(pl.col("id") == item)
        first = cells.filter(pl.col("variant") == "orig")["score"][0]
        assert shown == 1 + cells.filter(pl.col("score") != first).height
        left = 6 - shown
        if left:
            assert page.locator("#item-left").inner_text().startswith(f"{left} wording")


def test_it_is_walked_with_the_keyboard(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 100)
    order = data.items_of(data.agents[0])["id"].to_list()
    with opened(browser, tmp_path, data) as page:
        title = page.locator("#item-title")
        for key, place in (("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            assert title.inner_text() == order[place]
        assert page.evaluate("location.hash") == f"#items&item={order[1]}"
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "find"
        page.keyboard.type("jk")  # letters are letters in a field
        assert title.inner_text() == order[1] or not ids(page)
        page.locator("#find").fill("")
        assert page.locator('#list button[tabindex="0"]').count() == 1
        page.locator('#list button[tabindex="0"]').focus()
        for key, place in (("ArrowDown", 1), ("End", 99), ("Home", 0), ("PageDown", 10)):
            page.keyboard.press(key)
            assert title.inner_text() == order[place]
            assert page.evaluate("document.activeElement.dataset.row") == str(place)
        page.locator("#next").click()
        assert title.inner_text() == order[11]


def test_the_link_of_an_item_is_copied(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 8), address="#items&item=item-003") as page:
        page.locator("#copy").click()
        page.locator("#copied", has_text="op").wait_for()
        assert page.evaluate("location.hash") == "#items&item=item-003"


def test_long_texts_are_folded_and_open(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 3, missing=0)
    long = data.samples.with_columns(answer=pl.lit("word " * 400 + "end"))
    with opened(browser, tmp_path, replace(data, samples=long)) as page:
        answer = page.locator(".runs .answer").first
        assert "more characters" in answer.inner_text()
        assert len(answer.inner_text()) < 400
        answer.locator("button").click()
        assert len(answer.inner_text()) > 1900


def test_a_long_text_with_many_changes_is_folded_and_opens(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 3, missing=0)
    before = " ".join(f"Sentence {n} of a long request." for n in range(150))
    after = before.replace("long ", "")
    prompt = pl.when(pl.col("variant") == "para1").then(pl.lit(after)).otherwise(pl.lit(before))
    long = data.wordings.with_columns(prompt=prompt)
    with opened(browser, tmp_path, replace(data, wordings=long)) as page:
        said = card(page, "para1").locator(".said")
        assert re.search(r"… [\d,]+ more characters, \d+ changes …", said.inner_text())
        assert len(said.inner_text()) < 1500
        said.locator("button").click()
        assert said.locator("button").count() == 0
        assert said.locator("del").count() == 150


def test_newly_broken_items_are_marked_and_chosen(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(1, 8)
    with opened(browser, tmp_path, data) as page:
        assert "newly broken" not in page.locator("#show option").all_inner_texts()
    moved = pl.when(pl.col("id") == "item-002").then(-1).otherwise(0)
    row = BaselineRow("mock/steady-70b", "capitals", ("item-002",), (), 7, 1, 0, NONE)
    against = replace(data, items=data.items.with_columns(moved=moved), baseline=(row,))
    with opened(browser, tmp_path, against) as page:
        page.locator("#show").select_option("broken")
        assert ids(page) == ["item-002"]
        assert page.locator("#list .tag").inner_text() == "newly broken"
        page.locator("#show").select_option("")
        page.locator("#baseline .links a").click()
        expect(page.locator("#item-title")).to_have_text("item-002")


NONE = Estimate("accuracy", "", None, None, None, 0, 0, 0)


def with_audit(data: ReportData) -> ReportData:
    """The third item is ambiguous."""
    labels = {"clean": data.items_of(data.agents[0]).height - 1, "ambiguous": 1}
    rows = tuple(
        AuditedRow(agent.model, agent.task, labels, {"boolean_like": 1}, agent.estimates)
        for agent in data.agents
    )
    flagged = pl.when(pl.col("id") == "item-003").then(pl.lit("ambiguous")).otherwise(pl.lit("clean"))
    return replace(data, audited=rows, items=data.items.with_columns(audit=flagged))


def test_ambiguous_items_are_marked_and_chosen(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, with_audit(build(2, 8)), address="#items&show=flagged") as page:
        assert ids(page) == ["item-003"]
        assert "ambiguous options" in page.locator("#item-facts").inner_text()
        page.locator('nav a[href="#measures"]').click()
        assert "1 of 8 items is ambiguous or unanswerable" in page.locator("#measures").inner_text()


@pytest.mark.parametrize("shape", [(3, 60, 8, 2), (1, 2, 2, 1)])
def test_it_fits_a_phone(browser: Any, build: Any, tmp_path: Path, shape: tuple[int, ...]) -> None:
    with opened(browser, tmp_path, build(*shape), viewport=PHONE) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_light_and_dark_follow_the_reader(browser: Any, build: Any, tmp_path: Path) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        with opened(browser, tmp_path, build(1, 2), color_scheme=scheme) as page:
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(251, 250, 247)", "rgb(20, 22, 27)"]


def test_print_is_light_whole_and_without_controls(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(2, 60), color_scheme="dark") as page:
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme="dark")
        body = page.evaluate("[getComputedStyle(document.body)].map((s) => [s.backgroundColor, s.color])[0]")
        assert body == ["rgb(255, 255, 255)", "rgb(31, 36, 48)"]
        for gone in ("nav", ".controls", ".master", ".steps"):
            assert page.locator(gone).first.is_hidden(), gone
        for there in ("#verdict .sentence", "#changes details .rows", "#item", "#made dl"):
            assert page.locator(there).first.is_visible(), there
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator("#made").get_attribute("open") is None


def test_attack_strings_are_seen_and_do_nothing(
    browser: Any, build: Any, tmp_path: Path, attack: str
) -> None:
    """The texts of items come from a file beside the page here, all else from the page."""
    data = build(2, 3, evil=attack, missing=0.3)
    with opened(browser, tmp_path, data, text_budget=0, viewport=PHONE) as page:
        shown = visible(attack)

        def times(place: str) -> int:
            return int(
                page.evaluate(
                    "([p, s]) => document.querySelector(p).textContent.split(s).length - 1", [place, shown]
                )
            )

        places = (
            "#title",
            "#notes",
            "#verdict",
            "#agents",
            "#changes",
            "#list",
            "#kind",
            "#measures",
            "#made",
        )
        page.locator("#list button").nth(1).click()
        page.locator("#wordings .log").first.wait_for()
        for place in (*places, "#measures", "#item", "#wordings"):
            assert times(place) > 0, place
        page.locator("#find").fill("item-002")
        page.locator("#found", has_text="1 of 3 items").wait_for()
        page.locator("#copy").click()
        assert page.evaluate("window.owned") is None
        assert page.locator("img, iframe, object, embed, form").count() == 0
        links = page.locator("a").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
        assert all(link.startswith(("#", "http://127.0.0.1:7575/#/logs/")) for link in links)
        assert page.locator("figure > .drawing > svg").count() == 8
        assert page.locator("script").count() == 3
        assert page.title().startswith(" ".join(shown.split()))
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.parametrize(
    "address", ["#items&item=%E0%A4%A", "#<img src=x onerror=1>&q=%00", "#items&show=x&kind=y&sort=z&agent=q"]
)
def test_an_address_that_is_none_of_ours_is_harmless(
    browser: Any, build: Any, tmp_path: Path, address: str
) -> None:
    with opened(browser, tmp_path, build(2, 3), address=address) as page:
        assert page.evaluate("window.owned") is None
        assert page.locator("#found").inner_text().endswith("matters") or not ids(page)


def of_its_own(data: Any) -> Any:
    """Each item with prompts that no other has."""
    return replace(data, wordings=data.wordings.with_columns(prompt=pl.format("{} ({})", "prompt", "id")))


def test_texts_beside_the_page_are_loaded_when_they_are_asked_for(
    browser: Any, build: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("otherwords.report.page_items.PACK", 1000)
    with opened(browser, tmp_path, of_its_own(build(1, 40, missing=0)), text_budget=1200) as page:
        assert page.locator("script[src]").count() == 0
        page.locator("#list button").last.click()
        card(page, "para1").locator("ins").wait_for()
        assert card(page, "para1").locator("ins").all_inner_texts() == ["these"]
        assert page.locator("script[src]").count() >= 1
        page.locator("#find").fill("capital of kenya? (item-002)")
        page.locator("#found", has_text="1 of 40 items").wait_for()
        assert "keep them together" in page.locator("footer").inner_text()


def test_a_page_without_the_files_beside_it_says_what_is_missing(
    browser: Any, build: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("otherwords.report.page_items.PACK", 1000)
    written = page_files(of_its_own(build(1, 40)), text_budget=1200)
    assert list(written)[:2] == ["index.html", "texts-1.js"]
    (tmp_path / "index.html").write_text(written["index.html"], "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.locator("body[data-ready]").wait_for()
    page.locator("#list button").last.click()
    page.locator("#item .caution").wait_for()
    assert page.locator("#item .caution").inner_text() == (
        f"The text of this item is not here. It is in {list(written)[-1]}, which should be beside this page "
        "and could not be opened."
    )
    page.close()


def test_what_is_embedded_in_the_page_cannot_load_a_script(browser: Any, build: Any, tmp_path: Path) -> None:
    """Only the page's own script may load the files beside it; an element in the page may not."""
    content = page_files(build(1, 40), text_budget=0)["index.html"]
    (tmp_path / "evil.js").write_text("window.owned = 1")
    evil = '<script src="evil.js"></script><script>window.owned = 2</script></main>'
    (tmp_path / "index.html").write_text(content.replace("</main>", evil), "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.locator("body[data-ready]").wait_for()
    assert page.evaluate("window.owned") is None
    page.close()


def downloaded(page: Any, button: Any) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_every_figure_can_be_saved(browser: Any, build: Any, in_runs: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, in_runs(build(2, 30))) as page:
        page.locator('nav a[href="#figures"]').click()
        places = page.locator(".save").all()
        saved = {}
        for place in places:
            for button in place.locator("button").all():
                assert button.get_attribute("aria-label").startswith("Save “")
                name, content = downloaded(page, button)
                saved[name] = content
        names = {name.rpartition(".")[0] for name in saved}
        assert {*FIGURES, *HISTORY, "items"} == names
        assert len(saved) == 3 * len(names) - 2  # the table of items is saved as numbers only
        for name, content in saved.items():
            if name.endswith(".png"):
                assert content.startswith(b"\x89PNG")
                assert struct.unpack(">I", content[16:20])[0] > 700
            elif name.endswith(".svg"):
                root = ElementTree.fromstring(content)
                assert root.tag == "{http://www.w3.org/2000/svg}svg"
            else:
                rows = list(csv.reader(io.StringIO(content.decode())))
                assert rows[0][0] == "agent"
                assert len(rows) > 2
                assert {len(row) for row in rows} == {len(rows[0])}


def test_what_is_saved_is_what_was_chosen(browser: Any, build: Any, tmp_path: Path) -> None:
    data = build(2, 60)
    with opened(browser, tmp_path, data, color_scheme="dark") as page:
        page.locator("#agent").select_option("mock/wobbly-7b")
        page.locator("#find").fill("item-00")
        page.locator("#found", has_text="9 of 60 items").wait_for()
        _, content = downloaded(page, page.locator('#items-save [data-save="csv"]'))
        rows = list(csv.DictReader(io.StringIO(content.decode())))
        assert len(rows) == 9
        assert {row["agent"] for row in rows} == {"mock/wobbly-7b"}
        assert "score para1" in rows[0]
        page.locator('nav a[href="#figures"]').click()
        _, light = downloaded(page, page.locator('[data-figure="items_by_band"] [data-save="svg"]'))
        assert b'fill="#ffffff"' in light


@pytest.mark.parametrize("attack", ['=HYPERLINK("http://evil.example","x")|', "@SUM(1+1)", "\t-1+1", " ＝1"])
def test_a_saved_table_runs_nothing_in_a_spreadsheet(
    browser: Any, build: Any, tmp_path: Path, attack: str
) -> None:
    with opened(browser, tmp_path, build(2, 3, evil=attack)) as page:
        page.locator('nav a[href="#figures"]').click()
        for button in page.locator('[data-save="csv"]').all():
            _, content = downloaded(page, button)
            rows = list(csv.reader(io.StringIO(content.decode())))
            texts = [cell for row in rows for cell in row if cell and not _is_number(cell)]
            assert not [cell for cell in texts if cell.lstrip(" ")[:1] in set("=+-@\t\r＝＋－＠")]
            assert len(rows) == 1 or any(visible(attack) in cell for cell in texts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("scheme", "viewport"), [("light", DESKTOP), ("dark", PHONE)])
def test_axe_finds_nothing(
    browser: Any, build: Any, in_runs: Any, tmp_path: Path, scheme: str, viewport: dict[str, int]
) -> None:
    pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    options = {"color_scheme": scheme, "viewport": viewport, "bypass_csp": True}
    with opened(browser, tmp_path, with_audit(in_runs(build(2, 12, missing=0.1))), **options) as page:
        page.evaluate(script)
        troubles = page.evaluate(AXE)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        troubles += page.evaluate(AXE)
    assert troubles == []


AXE = """async () => {
  const told = (node) => `${node.target} ${node.failureSummary}`;
  const { violations } = await axe.run();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(told).join("; ")}`);
}"""


def test_ten_thousand_items_scroll_and_filter_at_once(browser: Any, build: Any, tmp_path: Path) -> None:
    """Only the rows that are looked at exist, however many items there are."""
    small = build(1, 50, 5, 1)
    copies = pl.DataFrame({"copy": range(200)})

    def many(frame: pl.DataFrame) -> pl.DataFrame:
        named = frame.join(copies, how="cross").with_columns(id=pl.format("{}-{}", "id", "copy"))
        return named.drop("copy")

    frames = {name: many(getattr(small, name)) for name in ("items", "cells", "samples")}
    with opened(browser, tmp_path, replace(small, wordings=pl.DataFrame(), **frames)) as page:
        assert page.locator("#found").inner_text() == "10,000 of 10,000 items"
        assert page.locator("#list li").count() == 60
        page.locator("#list").evaluate("(box) => { box.scrollTop = box.scrollHeight; }")
        expect(page.locator("#list li")).to_have_count(120)  # by no script, which the page forbids
        page.locator("#find").fill("item-050-1")
        page.locator("#found", has_text="111 of 10,000 items").wait_for()
        assert page.locator("#list li").count() == 60
        page.locator("#sort").select_option("id")
        assert ids(page)[:2] == ["item-050-1", "item-050-10"]


def test_the_public_page_says_what_it_withholds(browser: Any, tmp_path: Path) -> None:
    rows = [
        (f"item-{item:03}", variant, 1.0, "Lisbon", "logs/run.eval")
        for item in range(5)
        for variant in ("orig", "para1")
    ]
    names = ["id", "variant", "score", "answer", "log"]
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(tmp_path / "outcomes.parquet")
    data, _ = write_report(tmp_path / "outcomes.parquet", tmp_path / "public", public=True, png=())
    with opened(browser, tmp_path, data) as page:
        assert "Made to be public" in page.locator("#notes").inner_text()
        assert "The wording is not in a public report." in page.locator("#wordings").inner_text()
        assert re.fullmatch(r"right\nanswer_[0-9a-f]{16}", page.locator(".runs").first.inner_text())
        text = page.locator("body").inner_text()
        for secret in ("item-00", "capital of", "Lisbon", "logs/run.eval"):
            assert secret not in text
