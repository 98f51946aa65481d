"""The review page in the real Chromium: it opens quietly, shows what changed, runs nothing that it shows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.types import CheckResult, Item, Variant, Vetted, original
from otherwords.report import write_review
from otherwords.report.escape import visible

pytestmark = pytest.mark.browser

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def opened(browser: Any, folder: Path, told: Any, **options: Any) -> Iterator[Any]:
    """The page, and at the end the certainty that it neither complained nor asked for anything."""
    vetted, missing = told
    title = options.pop("title", "Capitals")
    file = write_review(folder / "review.html", vetted, title=title, source="variants.jsonl", missing=missing)
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
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    context.close()


def item(page: Any, name: str) -> Any:
    return page.locator("article").filter(has=page.get_by_role("heading", name=name, exact=True, level=3))


def row(page: Any, item_name: str, name: str) -> Any:
    heading = page.get_by_role("heading", name=name, exact=True, level=4)
    return item(page, item_name).locator(".row").filter(has=heading)


def wait(nodes: Any, count: int = 1) -> None:
    """Not by `wait_for_function`: it evaluates text, which the page's policy forbids."""
    pytest.importorskip("playwright.sync_api").expect(nodes).to_have_count(count)


def found(page: Any) -> str:
    return str(page.locator("#found").inner_text())


def options_of(page: Any, name: str) -> list[str]:
    return list(page.locator(f"#{name} option").all_inner_texts())


def many_items(count: int) -> tuple[list[Vetted], list[Any]]:
    vetted = []
    for number in range(count):
        one = Item(f"item-{number:04d}", f"What is {number} plus one?")
        variant = Variant(f"{one.id}#para1", one.id, "para1", "paraphrase", f"Give {number} plus one.")
        checks = (CheckResult("words", "fail" if number % 10 == 0 else "pass"),)
        vetted += [Vetted(original(one), ()), Vetted(variant, checks)]
    return vetted, []


def test_it_opens_with_counts(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        assert page.title() == "Capitals"
        assert page.locator("#sum").inner_text() == (
            "6 items: 7 accepted, 3 rejected, 2 missing. 2 items with no accepted variant."
        )
        assert found(page) == "6 of 6 items: 7 accepted, 3 rejected, 2 missing"
        families = page.locator("#counts table").first.locator("tbody tr").all_inner_texts()
        assert [line.split() for line in families] == [
            ["paraphrase", "2", "0", "0", "0"],
            ["options", "1", "0", "0", "0"],
            ["llm", "0", "3", "0", "2"],
            ["format", "1", "0", "0", "0"],
            ["position", "2", "0", "0", "0"],
            ["control", "1", "0", "0", "0"],
        ]
        failed = page.locator("#counts table").last.locator("tbody tr").all_inner_texts()
        assert sorted(line.split()[0] for line in failed) == ["kind", "lines", "spans", "words"]


def test_a_variant_is_shown_as_a_word_diff(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        one = row(page, "capital", "para1")
        assert one.locator("del").all_inner_texts() == ["the following"]
        assert one.locator("ins").all_inner_texts() == ["these"]
        assert one.locator(".facts").inner_text().split("\n") == [
            "✓ accepted",
            "para1",
            "paraphrase · which_of_these",
            "line 3 Copy id",
        ]
        for tag, line in (("del", "line-through"), ("ins", "underline")):
            style = one.locator(tag).evaluate("node => getComputedStyle(node).textDecorationLine")
            assert style == line
        spoken = one.locator("ins").evaluate("node => getComputedStyle(node, '::before').content")
        assert spoken == '" [inserted] "'


def test_lines_are_kept_and_a_lost_one_is_seen(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        said = row(page, "code", "original").locator(".said")
        assert said.inner_text() == "Say what it prints.\n\n```\nif x:\n    print(2.5)\n```"
        assert said.evaluate("node => getComputedStyle(node).whiteSpace") == "pre-wrap"
        flattened = row(page, "code", "mild1").locator(".said")
        assert "\n" not in flattened.inner_text()
        assert any("↵" in text for text in flattened.locator("del").all_inner_texts())
        added = row(page, "code", "pert:preamble").locator("ins")
        assert added.evaluate("node => node.textContent") == "Read this.↵\n↵\n"


def test_moved_options_say_where_they_were_and_which_is_right(
    browser: Any, reviewed: Any, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, reviewed()) as page:

        def options(name: str) -> list[str]:
            lines = row(page, "capital", name).locator(".options li").all_inner_texts()
            return [" ".join(line.split()) for line in lines]

        assert options("original") == ["A Nairobi ✓ right answer", "B Mombasa", "C Kisumu"]
        assert options("pert:order_rev") == ["A Kisumu was C", "B Mombasa", "C Nairobi ✓ right answer was A"]
        assert options("para1") == []
        assert "Options as in the original." in row(page, "capital", "para1").inner_text()
        assert "Prompt as in the original." in row(page, "capital", "pert:order_rev").inner_text()


def test_a_chat_is_shown_by_turns(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        roles = row(page, "chat", "original").locator(".role").all_inner_texts()
        assert roles == ["system", "user", "assistant", "user"]
        said = row(page, "chat", "mild1")
        same = [f"{role}: as in the original" for role in ("system", "user", "assistant")]
        assert said.locator(".turn.quiet").all_inner_texts() == same
        assert said.locator("del").all_inner_texts() == ["do not "]
        assert row(page, "chat", "system").locator("ins").all_inner_texts() == [" Use no lists."]
        gone = row(page, "chat", "short").locator(".role").all_inner_texts()
        assert gone == ["user (a turn that was removed)", "assistant (a turn that was removed)"]


def test_results_of_every_check_are_there_with_reasons(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        one = row(page, "chat", "mild1")
        assert one.locator(".failures li").all_inner_texts() == [
            "words failed: lost: not",
            "spans failed: lost: x",
        ]
        assert one.locator("summary").inner_text() == "5 checks: 2 passed, 2 failed, 1 not applicable"
        one.locator("summary").focus()
        page.keyboard.press("Enter")
        wait(one.locator("tbody tr"), 5)
        cells = [line.split("\t") for line in one.locator("tbody tr").all_inner_texts()]
        assert [[cell.strip() for cell in line] for line in cells] == [
            ["words", "failed", "lost: not"],
            ["spans", "failed", "lost: x"],
            ["length", "passed", ""],
            ["lines", "passed", ""],
            ["leak", "not applicable", "no known answer"],
        ]
        assert one.locator("details p").inner_text() == 'Made by llm/1 {"note": "x"}'


def test_missing_slots_and_absent_originals_are_said(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        slot = row(page, "code", "mild2")
        assert slot.locator(".badge").inner_text() == "∅ missing"
        assert slot.locator(".failures li").all_inner_texts() == ["spans: lost: 2.5", "refusal"]
        gone = item(page, "gone").inner_text()
        assert "The original is not in the file, so there is nothing to compare with." in gone
        assert "No reason was recorded." in gone
        assert "no variant was made" in item(page, "alone").inner_text()
        assert (
            "A control: it is meant to change the answer" in row(page, "plain", "control:negate").inner_text()
        )


def test_filters_combine_and_their_counts_follow(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        assert options_of(page, "status") == ["any (12)", "accepted (7)", "rejected (3)", "missing (2)"]
        page.locator("#status").select_option("rejected")
        assert found(page) == "3 of 6 items: 0 accepted, 3 rejected"
        assert options_of(page, "family") == ["any (3)", "llm (3)"]
        assert options_of(page, "check") == ["any (3)", "lines (1)", "kind (1)", "words (1)", "spans (1)"]
        assert options_of(page, "status") == ["any (12)", "accepted (7)", "rejected (3)", "missing (2)"]
        page.locator("#check").select_option(label="words (1)")
        assert found(page) == "1 of 6 items: 0 accepted, 1 rejected"
        assert page.locator("article h3").all_inner_texts() == ["chat"]
        assert page.locator(".row.accepted").count() == 0
        page.get_by_role("button", name="Show all 3 variants of chat").click()
        assert page.locator(".row.accepted").count() == 2
        page.get_by_role("button", name="Clear filters").click()
        assert found(page) == "6 of 6 items: 7 accepted, 3 rejected, 2 missing"
        assert page.get_by_role("button", name="Clear filters").is_hidden()
        page.locator("#family").select_option(label="position (2)")
        assert page.locator("article h3").all_inner_texts() == ["chat"]
        page.locator("#find").fill("nothing of the kind")
        assert page.locator("#items").inner_text() == "No variant fits these filters."


def test_items_with_none(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        page.get_by_label("only items with no accepted variant (2)").check()
        assert page.locator("article h3").all_inner_texts() == ["alone", "gone"]
        assert found(page) == "2 of 6 items: 0 accepted, 1 missing"


def test_an_item_with_accepted_controls_only_has_none(browser: Any, tmp_path: Path) -> None:
    one = original(Item("a", "Is it larger?"))
    control = Variant("a#control:negate", "a", "control:negate", "control", "Is it smaller?")
    with opened(browser, tmp_path, ([Vetted(one, ()), Vetted(control, ())], [])) as page:
        assert "1 item with no accepted variant." in page.locator("#sum").inner_text()
        assert "no accepted variant beside controls: 1 accepted" in item(page, "a").inner_text()


@pytest.mark.parametrize(
    ("wanted", "items", "rows"),
    [
        ("KENYA", ["capital"], 4),
        ("mombasa", ["capital"], 4),
        ("which of these", ["capital"], 2),
        ("refusal", ["code"], 2),
        ("lost: not", ["chat"], 2),
        ("capital#mild1", ["capital"], 2),
        ("line 3", ["capital"], 2),
        ("line 2", ["capital"], 4),
        ("line 1", [], 0),
    ],
)
def test_text_is_found_wherever_it_is(
    browser: Any, reviewed: Any, tmp_path: Path, wanted: str, items: list[str], rows: int
) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        page.locator("#find").fill(wanted)
        assert page.locator("article h3").all_inner_texts() == items
        assert page.locator(".row").count() == rows


def test_the_id_is_copied_as_it_stands_in_the_file(browser: Any, tmp_path: Path) -> None:
    names = ('plain"quoted"\\', "two\nlines\x1b")
    vetted = [Vetted(original(Item(name, "Why?")), ()) for name in names]
    with opened(browser, tmp_path, (vetted, [])) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        copied = []
        for button in page.get_by_role("button", name="Copy id").all():
            button.click()
            wait(page.locator("#said", has_text="Copied"))
            copied.append(page.evaluate("navigator.clipboard.readText()"))
            page.evaluate("document.getElementById('said').textContent = ''")
        assert copied == ['plain\\"quoted\\"\\\\#orig', "two\\nlines␛#orig"]


def test_the_id_is_copied_where_the_clipboard_is_refused(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
        button = row(page, "capital", "para1").get_by_role("button", name="Copy id")
        button.focus()
        page.keyboard.press("Enter")
        wait(page.locator("#said", has_text="Copied capital#para1"))
        assert page.evaluate("document.activeElement.textContent") == "Copied"
        assert page.locator("textarea").count() == 0


def test_thousands_of_items_are_drawn_on_demand(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, many_items(3000)) as page:
        assert found(page) == "3,000 of 3,000 items: 2,700 accepted, 300 rejected"
        assert page.locator("article").count() == 20
        page.locator("#more").focus()
        page.keyboard.press("Enter")
        assert page.locator("article").count() == 40
        assert page.evaluate("document.activeElement.textContent") == "item-0020"
        page.locator("#status").select_option("rejected")
        assert page.locator("article").count() == 20
        page.locator("#find").fill("item-299")
        assert page.locator("article h3").all_inner_texts() == ["item-2990"]
        assert page.locator("#more").is_hidden()


def test_print_says_what_is_not_on_paper(browser: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, many_items(25)) as page:
        page.emulate_media(media="print")
        rest = page.locator("#items").evaluate("(node) => getComputedStyle(node, '::after').content")
        assert rest == '"5 more of 25 items were not drawn when this was printed."'
        assert page.locator("#status").is_visible()
        for place in ("#find", "#none", "#more"):
            assert page.locator(place).is_hidden()
        assert page.locator(".plain:visible").count() == 0


def test_it_is_walked_with_the_keyboard(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    with opened(browser, tmp_path, reviewed()) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the items"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        passed = []
        for _ in range(6):
            passed.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
            page.keyboard.press("Tab")
        assert passed == ["find", "family", "status", "check", "none", "Copy id"]
        controls = page.locator("button:visible, input:visible, select:visible")
        nameless = "nodes => nodes.filter((one) => !one.labels?.length && !one.textContent).length"
        assert controls.count() == 37  # 8 filters and ids of 12 lines, 2 for each of 7 open variants, 3 below
        assert controls.evaluate_all(nameless) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_fits_and_can_be_read(
    browser: Any, reviewed: Any, tmp_path: Path, size: dict[str, int], scheme: str
) -> None:
    with opened(browser, tmp_path, reviewed(), viewport=size, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
        for place in (
            ".lead",
            ".said",
            "ins",
            "del",
            ".accepted .badge",
            ".rejected .badge",
            ".failures",
            ".was",
        ):
            assert page.evaluate(CONTRAST, place) >= 4.5, place


CONTRAST = """(place) => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  let node = document.querySelector(place);
  const ink = numbers(getComputedStyle(node).color);
  let ground = [0, 0, 0, 0];
  for (; node && ground[3] === 0; node = node.parentElement) {
    const found = numbers(getComputedStyle(node).backgroundColor);
    if (found.length === 3 || found[3] > 0) ground = found;
  }
  const light = (rgb) => rgb.slice(0, 3).map((n) => n / 255)
    .map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4))
    .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
  const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


def test_attack_strings_are_seen_and_do_nothing(
    browser: Any, reviewed: Any, tmp_path: Path, attack: str
) -> None:
    with opened(browser, tmp_path, reviewed(attack), viewport=PHONE, title=attack) as page:
        shown = visible(attack)

        def times(place: str) -> int:
            holds = "(nodes, shown) => nodes.filter((node) => node.textContent.includes(shown)).length"
            return int(page.locator(place).evaluate_all(holds, shown))

        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        wait(page.locator("details table"), 10)
        for place in (
            "#title",
            "#counts",
            "h3",
            "h4",
            ".kind",
            ".said",
            ".options",
            ".failures",
            "details td",
            "option",
        ):
            assert times(place) > 0, place
        page.locator("#find").fill(shown)
        assert page.locator("article").count() == 6
        page.get_by_role("button", name="Copy id").first.click()
        assert page.evaluate("window.owned") is None
        assert page.locator("img, svg, iframe, object, a:not(.skip)").count() == 0
        assert page.locator("script").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_diff_holds_both_texts(browser: Any, reviewed: Any, tmp_path: Path) -> None:
    rng = random.Random(5)
    words = ["the", "not", " ", "  ", "\n", "\t", ".", "2.5", "é", "漢字", "-", "if"]

    def prompt() -> str:
        return "".join(rng.choice(words) for _ in range(rng.randrange(14)))

    pairs = [[prompt(), prompt()] for _ in range(1500)]
    pairs += [[a, a.replace("the", "this")] for a, _ in pairs[:300]]
    with opened(browser, tmp_path, reviewed()) as page:
        found = page.evaluate("(pairs) => pairs.map(([a, b]) => diff(a, b))", pairs)
    for (before, after), parts in zip(pairs, found, strict=True):
        assert "".join(text for kind, text in parts if kind != "ins") == before
        assert "".join(text for kind, text in parts if kind != "del") == after
        assert all(text for _, text in parts)
        assert all(one[0] != two[0] for one, two in pairwise(parts))
