"""What is published of templates and designs: our own names, and hashes of the user's."""

from __future__ import annotations

import polars as pl

from otherwords.publish.pseudonyms import Pseudonyms
from otherwords.publish.redact import public_outcomes

NAMES = Pseudonyms(b"0123456789abcdef0123456789abcdef")


def test_levels_and_templates_are_told_by_names_of_ours() -> None:
    table = pl.DataFrame(
        {
            "id": ["a", "a"],
            "variant": ["t1+para1", "secret-plan+para1"],
            "kind": ["template:paraphrase+template:format+paraphrase", "template+paraphrase"],
            "score": [1.0, 0.0],
            "template": ["t1", "secret-plan"],
            "wording": ["para1", "para1"],
            "levels": ["template.wording=para1;item.wording=orig", "template=secret-plan;wording=para1"],
        }
    )
    ours, theirs = public_outcomes(table, NAMES).iter_rows(named=True)
    assert (ours["variant"], ours["template"], ours["wording"]) == ("t1+para1", "t1", "para1")
    assert ours["kind"] == "template:paraphrase+template:format+paraphrase"
    assert ours["levels"] == "template.wording=para1;item.wording=orig"
    hashed = NAMES.variant("secret-plan")
    assert hashed != "secret-plan"
    assert (theirs["template"], theirs["levels"]) == (hashed, f"template={hashed};wording=para1")
    assert "secret" not in str(theirs)
