"""The page in the real Chromium: it opens quietly, does what it offers, and runs nothing that it shows."""

from __future__ import annotations

import csv
import io
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

from otherwords.publish.reports import public_report
from otherwords.report import AuditedRow, ReportData
from otherwords.report.escape import visible
from otherwords.report.figures import FIGURES, HISTORY
from otherwords.report.webpage import TEXT_BUDGET, page_files

pytestmark = pytest.mark.browser

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def opened(
    browser: Any, folder: Path, data: Any, text_budget: int = TEXT_BUDGET, **options: Any
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
    page.goto(file.as_uri())
    yield page
    assert troubles == []
    beside = {(folder / name).as_uri() for name in written}
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
            "lowest possible 0.70",
        ):
            assert part in first
        assert page.title() == "Capitals, in other words"
        assert "These agents are invented." in page.locator("#notes").inner_text()
        assert "logs/broken.eval: not a zip file" in page.locator("#left").inner_text()


def test_one_repeat_is_said(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 2, 2, 1)) as page:
        assert (
            "phrasing and run-to-run noise (the same prompt asked again) are not separated"
            in page.locator("article.card").inner_text()
        )


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
        assert all("uninformative: always " in text for text in rows.all_inner_texts())
        page.locator("#show").select_option("all")
        page.locator("#band").select_option("medium")
        assert set(page.locator("#table tbody td:nth-child(6)").all_inner_texts()) == {"medium"}
        page.locator("#band").select_option("")
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


def with_audit(data: ReportData) -> ReportData:
    """The third item is ambiguous."""
    labels = {"clean": data.items_of(data.agents[0]).height - 1, "ambiguous": 1}
    rows = tuple(
        AuditedRow(agent.model, agent.task, labels, {"boolean_like": 1}, agent.estimates)
        for agent in data.agents
    )
    flagged = pl.when(pl.col("id") == "item-003").then(pl.lit("ambiguous")).otherwise(pl.lit("clean"))
    return replace(data, audited=rows, items=data.items.with_columns(audit=flagged))


def test_ambiguous_items_are_shown_with_and_without(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(2, 8)) as page:
        assert not page.locator("#audit").is_visible()
    with opened(browser, tmp_path, with_audit(build(2, 8))) as page:
        assert "1 of 8 items is ambiguous or unanswerable" in page.locator("#audit p").inner_text()
        assert page.locator("#audit tbody td.text").all_inner_texts() == ["all", "without ambiguous"] * 2
        assert page.locator("#audit tbody td:nth-child(3)").all_inner_texts() == ["8", "7"] * 2
        page.locator("#find").fill("item-003")
        assert "ambiguous options" in page.locator("#table tbody td:last-child").inner_text()
        page.locator("#find").fill("item-004")
        assert "ambiguous" not in page.locator("#table tbody td:last-child").inner_text()


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
    """The texts of items come from a file beside the page here, all else from the page."""
    with opened(browser, tmp_path, build(2, 3, evil=attack), text_budget=0, viewport=PHONE) as page:
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
        page.locator("dialog .log").wait_for()
        assert times("dialog") >= 6
        assert page.evaluate("window.owned") is None
        assert page.locator("img, iframe, object, embed, form, a:not(.skip)").count() == 0
        assert page.locator("svg").count() == page.locator("figure > .drawing > svg").count() == 7
        assert page.locator("script").count() == 3
        assert page.title().startswith(" ".join(shown.split()))
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_kind_of_change_is_chosen(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(2, 30, 8)) as page:
        kinds = page.locator("#kind option").all_inner_texts()
        assert kinds == ["all kinds", "paraphrase", "format", "options", "naturalistic"]
        page.locator("#kind").select_option("format")
        names = page.locator(".heat thead th span").all_inner_texts()
        assert names == ["orig", "pert:punct", "pert:preamble", "pert:space"]
        labels = page.locator("#kinds .label > div:first-child").all_inner_texts()
        assert sorted(labels) == ["format · preamble", "format · punct", "format · space"]
        page.locator("#show").select_option("differ")
        for row in page.locator(".heat tbody tr").all()[:5]:
            assert len(set(row.locator("button").all_inner_texts()) - {"–"}) > 1
        page.locator("#agent").select_option("1")
        assert page.locator("#kind").input_value() == "format"


def test_the_log_is_named_in_the_cell(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, build(1, 3, missing=0)) as page:
        page.locator(".heat button").first.click()
        page.locator("dialog .log").wait_for()
        assert page.locator("dialog .log").inner_text() == "logs/run.eval"


def of_its_own(data: Any) -> Any:
    """Each item with prompts that no other has."""
    return replace(data, wordings=data.wordings.with_columns(prompt=pl.format("{} ({})", "prompt", "id")))


def test_texts_beside_the_page_are_loaded_when_they_are_asked_for(
    browser: Any, build: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("otherwords.report.text_table.CHUNK", 1000)
    with opened(browser, tmp_path, of_its_own(build(1, 40, missing=0)), text_budget=1200) as page:
        assert page.locator("script[src]").count() == 0
        page.locator(".heat tbody tr").last.locator("button").nth(1).click()
        page.locator("dialog .choices").wait_for()
        assert page.locator("dialog ins").all_inner_texts() == ["these"]
        assert page.locator("dialog .choices li").count() == 4
        assert page.locator("script[src]").count() >= 1
        assert "keep them together" in page.locator("#alone").inner_text()


def test_a_page_without_the_files_beside_it_says_what_is_missing(
    browser: Any, build: Any, tmp_path: Path
) -> None:
    written = page_files(of_its_own(build(1, 40)), text_budget=1200)
    assert list(written) == ["index.html", "texts-1.js"]
    (tmp_path / "index.html").write_text(written["index.html"], "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.locator(".heat tbody tr").last.locator("button").nth(1).click()
    page.locator("dialog .caution").wait_for()
    assert page.locator("dialog .caution").inner_text() == (
        "The text of this item is not here. It is in texts-1.js, which should be beside this page and could "
        "not be opened."
    )
    page.close()


def test_what_is_embedded_in_the_page_cannot_load_a_script(browser: Any, build: Any, tmp_path: Path) -> None:
    """Only the page's own script may load the files beside it; an element in the page may not."""
    content = page_files(build(1, 40), text_budget=1200)["index.html"]
    (tmp_path / "evil.js").write_text("window.owned = 1")
    evil = '<script src="evil.js"></script><script>window.owned = 2</script></main>'
    (tmp_path / "index.html").write_text(content.replace("</main>", evil), "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    assert page.locator("article.card").count() == 1
    assert page.evaluate("window.owned") is None
    page.close()


def downloaded(page: Any, button: Any) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_every_figure_can_be_saved(browser: Any, build: Any, in_runs: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, in_runs(build(2, 30))) as page:
        places = page.locator(".save").all()
        saved = {}
        for place in places:
            for button in place.locator("button").all():
                assert button.get_attribute("aria-label").startswith("Save “")
                name, content = downloaded(page, button)
                saved[name] = content
        names = {name.rpartition(".")[0] for name in saved}
        assert {*FIGURES, *HISTORY, "items_by_wording", "items"} == names
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
        page.locator("#agent").select_option("1")
        page.locator("#kind").select_option("paraphrase")
        page.locator("#find").fill("item-00")
        _, content = downloaded(page, page.locator('#heat-save [data-save="csv"]'))
        rows = list(csv.DictReader(io.StringIO(content.decode())))
        assert [list(row)[3:] for row in rows] == [["orig", "para1", "para2"]] * 9
        assert {row["agent"] for row in rows} == {"mock/wobbly-7b"}
        _, drawing = downloaded(page, page.locator('#heat-save [data-save="svg"]'))
        assert b"9 of 9 chosen items" in drawing
        _, light = downloaded(page, page.locator('[data-figure="items_by_band"] [data-save="svg"]'))
        assert b'fill="#ffffff"' in light


@pytest.mark.parametrize("attack", ['=HYPERLINK("http://evil.example","x")|', "@SUM(1+1)", "\t-1+1", " ＝1"])
def test_a_saved_table_runs_nothing_in_a_spreadsheet(
    browser: Any, build: Any, tmp_path: Path, attack: str
) -> None:
    with opened(browser, tmp_path, build(1, 3, evil=attack)) as page:
        for button in page.locator('[data-save="csv"]').all():
            _, content = downloaded(page, button)
            rows = list(csv.reader(io.StringIO(content.decode())))
            texts = [cell for row in rows for cell in row if cell and not _is_number(cell)]
            assert not [cell for cell in texts if cell.lstrip(" ")[:1] in set("=+-@\t\r＝＋－＠")]
            assert any(visible(attack) in cell for cell in texts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("scheme", "viewport"), [("light", DESKTOP), ("dark", PHONE)])
def test_axe_finds_nothing_serious(
    browser: Any, build: Any, in_runs: Any, tmp_path: Path, scheme: str, viewport: dict[str, int]
) -> None:
    pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    options = {"color_scheme": scheme, "viewport": viewport, "bypass_csp": True}
    with opened(browser, tmp_path, with_audit(in_runs(build(2, 12))), **options) as page:
        page.locator("details").first.click()
        page.evaluate(script)
        troubles = page.evaluate(AXE)
        page.locator(".heat button").nth(1).click()
        page.locator("dialog .log").wait_for()
        troubles += page.evaluate(AXE)
    assert troubles == []


AXE = """async () => {
  const told = (node) => `${node.target} ${node.failureSummary}`;
  const { violations } = await axe.run();
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(told).join("; ")}`);
}"""


def test_ten_thousand_items_scroll_and_filter_at_once(browser: Any, build: Any, tmp_path: Path) -> None:
    """Only the rows that are looked at exist, however many items there are."""
    small = build(1, 50, 5, 1)
    copies = pl.DataFrame({"copy": range(200)})

    def many(frame: pl.DataFrame) -> pl.DataFrame:
        named = frame.join(copies, how="cross").with_columns(id=pl.format("{}-{}", "id", "copy"))
        return named.drop("copy")

    data = replace(small, items=many(small.items), cells=many(small.cells), wordings=pl.DataFrame())
    with opened(browser, tmp_path, data) as page:
        assert page.locator("#found").inner_text() == "10,000 of 10,000 items"
        assert page.locator(".heat tbody tr").count() == 40
        page.locator("#heat").evaluate("(box) => { box.scrollTop = box.scrollHeight; }")
        expect = pytest.importorskip("playwright.sync_api").expect
        expect(page.locator(".heat tbody tr")).to_have_count(80)  # by no script, which the page forbids
        page.locator("#find").fill("item-050-1")
        assert page.locator("#found").inner_text() == "111 of 10,000 items"
        assert page.locator(".heat tbody tr").count() == 40
        page.locator('[data-sort="id"]').click()
        assert page.locator("#table tbody th").first.inner_text() == "item-050-1"


def test_the_public_page_says_what_it_withholds(browser: Any, build: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, public_report(build(1, 5), b"0123456789abcdef")) as page:
        assert "Made to be public" in page.locator("#notes").inner_text()
        page.locator(".heat button").nth(1).click()
        assert "what was asked and answered is not in it" in page.locator("dialog").inner_text()
