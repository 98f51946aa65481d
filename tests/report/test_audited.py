"""With and without ambiguous items, wherever the report says it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from otherwords.report import AuditedRow, ReportData, report_json
from otherwords.report.markdown import report_markdown
from otherwords.report.messages import audit_sentences, audit_table
from otherwords.report.write import page_files

Build = Callable[..., ReportData]


def audited(data: ReportData, **labels: int) -> ReportData:
    counts = labels or {"clean": 50, "ambiguous": 8, "unanswerable": 1, "not audited": 1}
    rows = [
        AuditedRow(
            agent.model,
            agent.task,
            counts,
            {
                "boolean_like": 6,
                "crowded_numbers": 2,
                "duplicate_options": 1,
                "empty_option": 1,
                "critic:ambiguous": 1,
                "near_duplicate_options": 1,
            },
            dict(agent.estimates),
            0.5,
        )
        for agent in data.agents
    ]
    return replace(data, audited=tuple(rows))


def test_two_rows_for_each_agent(build: Build) -> None:
    data = audited(build(2))
    head, rows = audit_table(data)
    assert head[:6] == ("Agent", "Items", "n", "Accuracy", "S_prompt", "Lowest possible")
    assert [row[:3] for row in rows] == [
        [agent.model, *which]
        for agent in data.agents
        for which in (["all", "60"], ["without ambiguous", "51"])
    ]
    assert {len(row) for row in rows} == {len(head)}


def test_the_reasons_are_said_once(build: Build) -> None:
    assert audit_sentences(audited(build(2))) == [
        "By their options alone, 9 of 60 items are ambiguous or unanswerable before any rewording "
        "(boolean_like 6, crowded_numbers 2, duplicate_options 1, empty_option 1, 2 other reasons). "
        "1 item was not audited and stays in."
    ]
    assert audit_sentences(audited(build(1), clean=60)) == [
        "All 60 items that were audited have clean options."
    ]


def test_it_is_on_the_page_in_the_text_and_in_the_json(build: Build) -> None:
    data = audited(build(1))
    page = page_files(data)["index.html"]
    assert all(line in page for line in audit_sentences(data))
    assert page.count("<span>without ambiguous</span>") == 1
    text = report_markdown(data)
    assert text.index("## With and without ambiguous items") < text.index("## HAL's measures")
    assert "| without ambiguous | 51 |" in text
    [row] = json.loads(report_json(data))["without_ambiguous"]
    assert row["items_left"] == 51
    assert row["items_by_label"]["ambiguous"] == 8
    assert set(row["estimates"]["s_prompt"]) >= {"value", "low", "high", "n_items"}


def test_a_report_without_an_audit_says_nothing_of_it(build: Build) -> None:
    data = build(1)
    assert "without ambiguous" not in page_files(data)["index.html"]
    assert "ambiguous" not in report_markdown(data)
    assert json.loads(report_json(data))["without_ambiguous"] == []
