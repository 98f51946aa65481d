from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

from otherwords.core.texts import outcome_name, percent
from otherwords.core.types import Estimate
from otherwords.core.verdict import ChangeLoss, Evidence
from otherwords.core.wording_names import kind_name, wording_name
from otherwords.publish import TextPatterns, scan
from otherwords.report import BaselineRow, ModelRun
from otherwords.report.escape import visible
from otherwords.report.formats import provenance_rows
from otherwords.report.page_verdict import loss_text
from otherwords.report.verdict_markdown import verdict_markdown
from otherwords.report.write import page_files

NONE = Estimate("accuracy", "", None, None, None, 0, 0, 0)


class Seen(HTMLParser):
    """The visible words of a page, by the id of the section that they are in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sections: dict[str, list[str]] = {}
        self.tags: list[str] = []
        self.now = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        name = dict(attrs).get("id")
        if tag in ("section", "details") and name:
            self.now = name

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] != ["script"] and self.tags[-1:] != ["style"] and data.strip():
            self.sections.setdefault(self.now, []).append(data.strip())

    def text(self, section: str) -> str:
        return " ".join(self.sections.get(section, ()))


def page_html(data: Any) -> str:
    return page_files(data)["index.html"]


def evidence(value: float | None, low: float | None = None, high: float | None = None) -> Evidence:
    return Evidence(value, low, high, low, high, 0.01, 40)


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
    addresses = set(re.findall(r"https?://[^\"'\s$]*|//cdn|@import|url\(", page))
    # the name of a format, and where Inspect View listens on the reader's own machine, opened by a click
    assert addresses == {"http://www.w3.org/2000/svg", "http://127.0.0.1:7575/#/logs/"}
    assert all(link.startswith(("data:,", "#")) for link in re.findall(r'(?:src|href)="([^"]*)"', page))
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", page) == []
    assert " style=" not in page


def test_the_sections_come_in_order(build: Any) -> None:
    page = page_html(build(2, 20))
    places = [
        page.index(f'id="{name}"')
        for name in ("verdict", "agents", "changes", "items", "figures", "measures", "made")
    ]
    assert places == sorted(places)
    assert re.findall(r"<nav[^>]*><div>(.*?)</div>", page)[0].count("<a ") == 7


def test_the_verdict_comes_first_with_commands_and_without_a_script(build: Any) -> None:
    data = build(2, 60)
    page = page_html(data)
    seen = Seen(page)
    for agent in data.agents:
        assert agent.verdict.sentence in " ".join(seen.text("verdict").split())
    assert 1 <= page.split('id="agents"')[0].count("<code>") <= 3
    assert {"Accuracy", "Lost by rewording", "Flips beyond noise", "Phrasing share", "No score"} <= set(
        seen.sections["agents"]
    )


def test_runs_without_a_score_are_said_with_reason_and_advice(build: Any) -> None:
    seen = Seen(page_html(build(1, 30, missing=0.3)))
    assert "of runs have no score" in seen.text("verdict")
    assert "ended by an error of the provider: out of memory" in seen.text("verdict")
    assert "run the same command again: only what is missing is asked" in seen.text("verdict")
    assert "have no score" not in Seen(page_html(build(1, 30, missing=0))).text("verdict")


def test_of_several_agents_it_is_said_who_lacks_scores(build: Any) -> None:
    data = build(2, 30, missing=0.3)
    none = replace(data.agents[1].verdict.unscored, count=0, reasons=())
    second = replace(data.agents[1], verdict=replace(data.agents[1].verdict, unscored=none))
    told = " ".join(Seen(page_html(replace(data, agents=(data.agents[0], second)))).text("verdict").split())
    share = percent(data.agents[0].verdict.unscored.share)
    assert f". By agent: {data.agents[0].model} {share}, {second.model} 0%" in told
    many = tuple(replace(data.agents[0], model=f"agent-{place}") for place in range(5))
    told = " ".join(Seen(page_html(replace(data, agents=many))).text("verdict").split())
    assert (
        f". By agent: agent-0 {share}, agent-1 {share}, agent-2 {share}, 2 others at most {share} each"
        in told
    )


def test_the_level_of_intervals_stands_where_the_first_ones_do(build: Any) -> None:
    data = build(1, 40)
    note = "In brackets: 95% intervals, here corrected for the number of questions asked."
    for sentence, is_told in (
        ("Rewording costs m 9 points (4 to 14)", True),
        ("No effect (p = .3) found", False),
    ):
        agent = replace(data.agents[0], verdict=replace(data.agents[0].verdict, sentence=sentence))
        told = " ".join(Seen(page_html(replace(data, agents=(agent,)))).text("verdict").split())
        assert (note in told) is is_told
        written = "\n".join(verdict_markdown([agent.verdict]))
        assert (note in written) is is_told
        assert "In brackets: 95% intervals" in written


def test_a_change_without_an_interval_was_not_tested(build: Any) -> None:
    data = build(1, 40)
    once = ChangeLoss("naturalistic", "casual", replace(evidence(0.33, 0, 0), corrected_low=None))
    same = ChangeLoss("format", "case", evidence(0.01, -0.04, 0.05))
    verdict = replace(data.agents[0].verdict, changes=(once, same), worst=None)
    section = page_html(replace(data, agents=(replace(data.agents[0], verdict=verdict),)))
    assert "No detectable effect: 1 change<" in section
    assert "Too few items to test: 1 change<" in section


def test_verdicts_that_are_folded_are_counted_by_their_effect(build: Any) -> None:
    data = build(1, 40, chance=0.5, missing=0)
    (agent,) = data.agents
    effects = ["large"] * 4 + ["none found", "cannot tell", "none found"]
    agents = tuple(
        replace(agent, model=f"m{place}", verdict=replace(agent.verdict, effect=effect))
        for place, effect in enumerate(effects)
    )
    told = Seen(page_html(replace(data, agents=agents))).text("verdict")
    assert "3 more verdicts: 1 cannot tell, 2 no effect found" in told
    told = Seen(page_html(replace(data, agents=agents[:5]))).text("verdict")
    assert "1 more verdict: no effect found" in told


def test_how_it_was_made_says_each_agent_once(build: Any) -> None:
    data = build(1, 8)
    runs = [
        ModelRun("m", "a", "openai/x", "temperature 0"),
        ModelRun("m", "b", "openai/x", "temperature 0"),
        ModelRun("m", "c", "openai/x"),
    ]
    made = replace(data.provenance, runs=tuple(runs), families=(("naturalistic", 1200),), wording_seeds=(3,))
    said = dict(provenance_rows(made))
    assert said["m"] == (
        "on a, b: model openai/x; temperature 0 · on c: model openai/x; settings not recorded"
    )
    assert said["Kinds of wordings"] == "casual typing (1,200 wordings)"
    assert (said["Seed of the runs"], said["Seed of the wordings"]) == ("not recorded", "3")


def test_changes_without_an_effect_are_folded(build: Any) -> None:
    data = build(1, 40)
    lost = ChangeLoss("naturalistic", "casual", evidence(0.31, 0.25, 0.37))
    same = tuple(ChangeLoss("format", f"way {n}", evidence(0.01, -0.04, 0.05)) for n in range(9))
    verdict = replace(data.agents[0].verdict, changes=(lost, *same), worst=lost)
    page = page_html(replace(data, agents=(replace(data.agents[0], verdict=verdict),)))
    section = page.split('id="changes"', 1)[1].split('id="items"', 1)[0]
    shown, folded = section.split("<details>", 1)
    assert "casual typing: casual" in shown
    assert "loses 31 points" in shown
    assert "(25 to 37), n = 40 items" in shown.replace("\u00a0", " ")
    assert "way 1" not in shown
    assert "No detectable effect: 9 changes" in folded
    assert folded.count("(4 gained to 5 lost)") == 2 * 9  # in the text, and for a listener
    assert 'href="#items&amp;kind=casual%20typing%3A%20casual&amp;different=1"' in shown


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (evidence(0.31, 0.25, 0.37), ("loses 31 points", "25 to 37")),
        (evidence(-0.02, -0.03, -0.01), ("gains 2 points", "1 to 3")),
        (evidence(0.02, -0.03, 0.07), ("loses 2 points", "3 gained to 7 lost")),
        (evidence(-0.0001, -0.03, 0.03), ("loses 0 points", "3 gained to 3 lost")),
        (evidence(0.01), ("loses 1 point", "")),
        (evidence(None), ("not computed", "")),
    ],
)
def test_gains_and_losses_are_in_words(loss: Evidence, said: tuple[str, str]) -> None:
    assert loss_text(loss) == said


def test_a_baseline_has_a_section_with_links_to_its_items(build: Any) -> None:
    data = build(2, 6)
    assert 'id="baseline"' not in page_html(data)
    agent = data.agents[1]
    row = BaselineRow(agent.model, agent.task, ("item-001",), ("item-002", "item-003"), 3, 2, 1, NONE, None)
    page = page_html(replace(data, baseline=(row,), baseline_name="runs/october"))
    seen = Seen(page).text("baseline")
    assert "Against the baseline (runs/october)" in seen
    assert "1 newly broken" in seen
    assert "2 newly fixed" in seen
    assert "3 unchanged" in seen
    assert 'href="#items&amp;agent=mock%2Fwobbly-7b&amp;item=item-002"' in page
    assert '<a href="#baseline">' in page


def test_how_it_was_made_is_told(build: Any) -> None:
    seen = Seen(page_html(build(1, 3))).text("made")
    for part in (
        "2026-11-17 09:30 UTC",
        "otherwords 0.3",
        "model model; temperature 0",
        "paraphrase (6 wordings)",
        "0123456789abcdef",
        "other items of the same kind, asked in these wordings",
        "logs/run.eval",
        "logs/broken.eval: not a zip file",
    ):
        assert part in seen


@pytest.mark.slow
def test_nothing_in_a_text_becomes_an_element(build: Any, embedded: Any, attack: str) -> None:
    clean, dirty = (page_files(build(1, 3, **kind)) for kind in ({}, {"evil": attack}))
    tags = [sorted(set(Seen(files["index.html"]).tags)) for files in (clean, dirty)]
    assert tags[0] == tags[1]
    raw = dirty["index.html"].split('id="data">', 1)[1].split("</script>", 1)[0]
    assert re.fullmatch(r"[\w+/=]+", raw)
    data, shown = embedded(dirty), visible(attack)
    assert all(agent["model"].startswith(shown) for agent in data["agents"])
    assert sum(text.startswith(shown) for text in data["texts"]) > 10


def test_texts_of_a_packed_page_are_found_by_a_scan(build: Any, tmp_path: Any) -> None:
    secret = "a canary that must not leave this house of cards"
    data = build(1, 3)
    asked = data.wordings.with_columns(prompt=pl.lit(secret))
    (tmp_path / "index.html").write_text(page_html(replace(data, wordings=asked)), "utf-8")
    patterns = TextPatterns()
    patterns.add("secret", secret, 1)
    assert scan(tmp_path, patterns).findings


def at(column: Any, place: int) -> Any:
    return column["all"] if isinstance(column, dict) else column[place]


def in_grid(grid: Any, column: int, row: int) -> Any:
    return grid["all"] if isinstance(grid, dict) else at(grid[column], row)


def test_every_run_is_in_the_page(build: Any, embedded: Any) -> None:
    data = build(2, 9, missing=0.1)
    found = embedded(page_files(data))
    task, texts = found["tasks"][0], found["texts"]
    for agent, row in zip(found["agents"], data.agents, strict=True):
        ids = [task["ids"][place] for place in agent["items"]["item"]]
        assert data.samples_of(row).height == len(ids) * len(task["variants"]) * agent["repeats"]
        for one in data.samples_of(row).iter_rows(named=True):
            column, line = task["variants"].index(one["variant"]), ids.index(one["id"])
            place = line * agent["repeats"] + one["repeat"] - 1
            score = in_grid(agent["runs"]["score"], column, place)
            assert (None if score < 0 else score / 10_000) == one["score"]
            answer = in_grid(agent["runs"]["answer"], column, place)
            assert (None if answer < 0 else texts[answer]) == one["answer"]
            reason = in_grid(agent["runs"]["reason"], column, place)
            assert (None if reason < 0 else texts[reason]) == one["reason"]
            outcome = found["outcomes"][in_grid(agent["runs"]["outcome"], column, place)]
            assert outcome == outcome_name(one["outcome"])
        for one in data.cells_of(row).iter_rows(named=True):
            column, line = task["variants"].index(one["variant"]), ids.index(one["id"])
            kind = task["kinds"][in_grid(task["kind"], column, agent["items"]["item"][line])]
            assert kind == [kind_name(one["kind"]), wording_name(one["kind"], one["change"])]


def test_every_wording_is_in_the_page(build: Any, embedded: Any) -> None:
    data = build(1, 9)
    found = embedded(page_files(data))
    task, texts = found["tasks"][0], found["texts"]
    assert data.wordings.height == 54
    for one in data.wordings.iter_rows(named=True):
        column, line = task["variants"].index(one["variant"]), task["ids"].index(one["id"])
        assert texts[in_grid(task["prompt"], column, line)] == one["prompt"]
        assert texts[in_grid(task["target"], column, line)] == one["target"]
        options = task["lists"][in_grid(task["options"], column, line)]
        assert [texts[number] for number in options] == one["choices"]


def test_texts_beyond_the_budget_are_beside_the_page(build: Any, embedded: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("otherwords.report.page_items.PACK", 400)
    data = build(1, 40)
    whole, parted = page_files(data), page_files(data, text_budget=500)
    assert list(whole) == ["index.html"]
    assert len(parted) > 3
    assert embedded(parted)["texts"] == embedded(whole)["texts"]
    inline = ["packed" in pack for pack in embedded(parted)["packs"]]
    assert 0 < sum(inline) < len(inline)
    assert inline == sorted(inline, reverse=True)
    assert "'strict-dynamic'" in parted["index.html"]
    assert "'strict-dynamic'" not in whole["index.html"]


def test_items_come_by_evidence_with_their_texts(build: Any, embedded: Any) -> None:
    data = build(1, 40)
    prompts = data.wordings.with_columns(prompt=pl.format("{} of {}", "prompt", "id"))
    found = embedded(page_files(replace(data, wordings=prompts)))
    chances = found["agents"][0]["items"]["probability"]
    assert chances == sorted(chances, reverse=True)
    numbers = [in_grid(found["tasks"][0]["prompt"], 0, row) for row in range(40)]
    assert numbers == sorted(numbers)


def test_numbers_that_are_not_finite_become_null(build: Any, embedded: Any) -> None:
    data = build(1, 2)
    odd = replace(data, items=data.items.with_columns(mean_score=pl.lit(float("nan"))))
    assert embedded(page_files(odd))["agents"][0]["items"]["mean"] == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["x", "漢", "<", "\n", '"'])
def test_a_large_set_stays_under_five_megabytes(build: Any, embedded: Any, letter: str) -> None:
    data = build(3, 500, 6)
    long = data.wordings.with_columns(
        prompt=pl.format("{} {} {}", "id", "variant", pl.lit("many words " * 20 + letter * 1800))
    )
    files = page_files(replace(data, wordings=long))
    assert len(files["index.html"].encode()) < 5_000_000
    assert embedded(files)["texts"].count(visible(long["prompt"][7])) == 1


def test_a_set_without_wordings_has_a_page(build: Any, embedded: Any) -> None:
    data = build(1, 3, wordings=pl.DataFrame())
    found = embedded(page_files(data))
    assert found["tasks"][0]["prompt"] == {"all": -1}
    assert len(found["agents"][0]["items"]["item"]) == 3
