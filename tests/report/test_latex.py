from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from otherwords.report.tables import latex_tables, latex_text


def test_tables_have_booktabs_rules_captions_and_n(build: Any) -> None:
    text = latex_tables(build(2, 30))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 3
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(rule) == 3
    assert "|" not in re.sub(r"%.*", "", text)
    assert text.count(r"95\% intervals") == 2
    assert text.count("$n$: items") == 2
    for block in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", text, re.S):
        rows = [line for line in block[1].splitlines() if line.rstrip().endswith("\\\\")]
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(block[0])}


def test_a_row_for_each_agent_and_change(build: Any) -> None:
    data = build(2, 30)
    text = latex_tables(data)
    changes = sum(len(agent.verdict.changes) for agent in data.agents)
    assert text.count("mock/steady-70b & capitals") == 2 + len(data.agents[0].verdict.changes)
    assert text.count(" & capitals & ") == 2 * 2 + changes


def test_no_text_is_a_command(build: Any, attack: str) -> None:
    data = build(1, 3)
    hostile = f"{attack}\\input{{/etc/passwd}}%$x$#~^&_"
    text = latex_tables(replace(data, agents=(replace(data.agents[0], model=hostile),)))
    assert r"\input{" not in text
    assert latex_text("50% of a_b & c{d}\\e") == r"50\% of a\_b \& c\{d\}\textbackslash{}e"
    assert latex_text("−3 < 4") == "$-$3 $<$ 4"


def test_every_character_that_means_something_to_tex_is_escaped() -> None:
    assert latex_text("& % _ # { } ~ ^ \\ $") == (
        r"\& \% \_ \# \{ \} \textasciitilde{} \textasciicircum{} \textbackslash{} \$"
    )
    # behind the end of a row, `[` and `*` would be read as its options
    assert latex_text("[a] *b*") == "{[}a{]} {*}b{*}"
    assert latex_text("日 é -- — “q”") == "{[}U+65E5{]} é -{}- --- ``q''"


def test_braces_and_environments_are_closed(build: Any, attack: str) -> None:
    data = build(1, 3)
    text = latex_tables(replace(data, agents=(replace(data.agents[0], model=f"{attack}}}{{"),)))
    bare = re.sub(r"(?m)(?<!\\)%.*$", "", text).replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for mark in re.findall(r"[{}]", bare):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert re.findall(r"\\begin\{(\w+)\}", text) == ["table", "tabular"] * 3
