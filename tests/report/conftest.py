"""Report data of any size from a seeded generator, with the numbers worked out the long way."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import shutil
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from otherwords.core.table import WORDING_COLUMNS
from otherwords.core.types import (
    CheckResult,
    Estimate,
    Item,
    Message,
    MissingVariant,
    Prompt,
    Variant,
    Vetted,
    original,
    variant_id,
)
from otherwords.metrics import Verdict, item_evidence, verdicts
from otherwords.report import AgentRow, LogRow, ModelRun, Provenance, ReportData, RunPoint, SkippedFile

VARIANTS = (
    ("orig", "orig", ""),
    ("para1", "paraphrase", "which_of_these"),
    ("para2", "paraphrase", "imperative"),
    ("pert:punct", "format", "punct"),
    ("pert:preamble", "format", "preamble"),
    ("pert:order_rev", "options", "order:reverse"),
    ("typo", "naturalistic", "typo"),
    ("pert:space", "format", "space"),
)
CAPITALS = ("Lisbon", "Nairobi", "Oslo", "Quito", "Hanoi", "Ottawa", "Accra", "Riga")
COUNTRIES = ("Portugal", "Kenya", "Norway", "Ecuador", "Vietnam", "Canada", "Ghana", "Latvia")
TEMPLATES = (
    "Which of the following is the capital of {0}?",
    "Which of these is the capital of {0}?",
    "Name the capital of {0}.",
    "Which of the following is the capital of {0}.",
    "Answer the question below.\n\nWhich of the following is the capital of {0}?",
    "Which of the following is the capital of {0}?",
    "which of teh following is the captial of {0}?",
    "Which of the following is  the capital of {0}?",
)
MODELS = ("mock/steady-70b", "mock/wobbly-7b", "gguf/smollm2", "mock/fourth", "mock/fifth", "mock/sixth")

ATTACKS = (
    "<script>window.owned=1</script>",
    "</script><script>window.owned=1</script>",
    "</title></style><img src=x onerror=window.owned=1>",
    "<!--<script>",
    "]]>{{script}}{{data}}",
    '"><svg onload=window.owned=1>',
    "javascript:window.owned=1//[click](javascript:window.owned=1)",
    '=HYPERLINK("http://evil.example","x")|',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\x1b[31mred\x1b]8;;http://evil.example\x07link\x00\u202e",
    "![x](http://evil.example/x.png) <http://evil.example> **b** `c` www.evil.example",
    "\u2028\u2029\ufeff__proto__ constructor",
    "<a href=\"javascript:window.owned=1\">x</a>' onmouseover=window.owned=1 x='",
    '"},"strings":[]}</script>{{figures}}otherwordsTexts(0,["x"]);//',
    "</text></svg><svg><foreignObject><iframe srcdoc='<script>top.owned=1</script>'>",
    "＝1+1\x9b31m\x85",
)

Build = Callable[..., ReportData]


def estimate(metric: str, group: str, values: Any, n_missing: int = 0, spread: float = 1.96) -> Estimate:
    values = np.asarray([value for value in values if value is not None], dtype=float)
    values = values[~np.isnan(values)]
    if not len(values):
        return Estimate(metric, group, None, None, None, 0, 0, n_missing, reason="no scored rows")
    half = spread * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    mean = float(values.mean())
    lowest = -1.0 if "delta" in metric else 0.0
    low, high = max(lowest, mean - half), min(1.0, mean + half)
    return Estimate(metric, group, mean, low, high, len(values), len(values), n_missing)


def mean_over(scores: Any, axis: Any) -> Any:
    """NaN where nothing was scored."""
    with np.errstate(invalid="ignore"):
        return np.nansum(scores, axis=axis) / (~np.isnan(scores)).sum(axis=axis)


def one_minus(metric: str, source: Estimate) -> Estimate:
    if source.value is None:
        return Estimate(metric, source.group, None, None, None, 0, 0, source.n_missing, reason=source.reason)
    assert source.low is not None
    assert source.high is not None
    low, high = max(0.0, 1 - source.high), min(1.0, 1 - source.low)
    return Estimate(metric, source.group, 1 - source.value, low, high, source.n_items, source.n_rows, 0)


def build_report_data(  # noqa: PLR0915 - one long story
    agents: int = 3,
    items: int = 60,
    variants: int = 6,
    repeats: int = 2,
    seed: int = 7,
    *,
    missing: float = 0.02,
    evil: str | None = None,
    chance: float | None = None,
    **changes: Any,
) -> ReportData:
    """`evil`, when given, is put into every field that holds text from a model, a file or a benchmark."""
    rng = np.random.default_rng(seed)
    dirty = (lambda text: f"{evil}{text}") if evil is not None else (lambda text: text)
    task = dirty("capitals")
    chosen = [
        (dirty(name) if name != "orig" else name, kind, change) for name, kind, change in VARIANTS[:variants]
    ]
    ids = [dirty(f"item-{number:03d}") for number in range(1, items + 1)]
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("items", "kinds", "cells", "samples", "wordings")
    }
    agent_rows = []
    for number, item_id in enumerate(ids):
        for place, (variant, kind, change) in enumerate(chosen):
            choices = [CAPITALS[(number + shift) % 8] for shift in (3, 0, 5, 6)]
            if change == "order:reverse":
                choices.reverse()
            rows["wordings"].append(
                {
                    "task": task,
                    "id": item_id,
                    "variant": variant,
                    "kind": dirty(kind),
                    "change": dirty(change),
                    "prompt": dirty(TEMPLATES[place].format(COUNTRIES[number % 8])),
                    "choices": [dirty(choice) for choice in choices],
                    "target": dirty(CAPITALS[number % 8]),
                }
            )
    for order in range(agents):
        model = dirty(MODELS[order])
        ability = rng.beta(1.6 - 0.3 * order, 0.8 + 0.2 * order, size=items)
        wobble = (0.05, 0.35, 0.25, 0.1, 0.2, 0.3)[order] * rng.normal(size=(items, variants))
        wobble[:, -1] -= 0.1
        probability = np.clip(ability[:, None] + wobble, 0, 1)
        if chance is not None:
            probability[:] = chance
        scores = (rng.random((items, variants, repeats)) < probability[:, :, None]).astype(float)
        lost = rng.random((items, variants, repeats)) < missing
        scores[lost] = np.nan
        variances: list[float | None] = []
        gaps: list[float | None] = []
        by_kind: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for number, item_id in enumerate(ids):
            means: list[float] = []
            orig_mean = float("nan")
            for place, (variant, kind, change) in enumerate(chosen):
                runs = scores[number, place]
                scored = runs[~np.isnan(runs)]
                mean = float(scored.mean()) if len(scored) else None
                failed = repeats - len(scored)
                status = (
                    "scored"
                    if not failed
                    else f"scored {len(scored)}, error {failed}"
                    if len(scored)
                    else "error"
                )
                right, wrong = CAPITALS[number % 8], CAPITALS[(number + 3) % 8]
                rows["cells"].append(
                    {
                        "task": task,
                        "model": model,
                        "id": item_id,
                        "variant": variant,
                        "score": mean,
                        "n": len(scored),
                        "status": status,
                        "answer": None if mean is None else dirty(right if mean >= 0.5 else wrong),
                        "log": dirty("logs/run.eval"),
                        "kind": kind if kind == "orig" else dirty(kind),
                        "change": dirty(change),
                    }
                )
                rows["samples"] += [
                    {
                        "task": task,
                        "model": model,
                        "id": item_id,
                        "variant": variant,
                        "repeat": repeat + 1,
                        "score": None if np.isnan(run) else float(run),
                        "outcome": "provider_error" if np.isnan(run) else "answered",
                        "answer": None if np.isnan(run) else dirty(right if run else wrong),
                        "reason": dirty("out of memory") if np.isnan(run) else None,
                        "log": dirty("logs/run.eval"),
                    }
                    for repeat, run in enumerate(runs)
                ]
                if mean is None:
                    continue
                means.append(mean)
                if variant == "orig":
                    orig_mean = mean
                by_kind.setdefault((kind, change), []).append((mean, orig_mean - mean))
            variance = float(np.var(means, ddof=1)) if len(means) > 1 else None
            gap = max(means) - min(means) if len(means) > 1 else None
            variances.append(variance)
            gaps.append(gap)
            s_task = None if variance is None else 1 - variance
            band = (
                None if s_task is None else "high" if s_task >= 0.9 else "medium" if s_task >= 0.7 else "low"
            )
            rows["items"].append(
                {
                    "task": task,
                    "model": model,
                    "id": item_id,
                    "n_variants": len(means),
                    "mean_score": float(np.mean(means)) if means else None,
                    "variance": variance,
                    "s_task": s_task,
                    "min_max_gap": gap,
                    "band": band,
                    "n_rows": variants * repeats,
                    "n_missing": int(lost[number].sum()),
                }
            )
        for (kind, change), pairs in by_kind.items():
            if kind == "orig":
                continue
            accuracy = estimate("accuracy", model, [pair[0] for pair in pairs])
            delta = estimate("delta", model, [pair[1] for pair in pairs if not np.isnan(pair[1])])
            rows["kinds"].append(
                {
                    "task": task,
                    "model": model,
                    "kind": dirty(kind),
                    "change": dirty(change),
                    "accuracy": accuracy.value,
                    "accuracy_low": accuracy.low,
                    "accuracy_high": accuracy.high,
                    "delta": delta.value,
                    "delta_low": delta.low,
                    "delta_high": delta.high,
                    "n_items": len(pairs),
                    "n_rows": len(pairs) * repeats,
                }
            )
        told, chances = _verdict(model, task, scores, ids, chosen, dirty)
        for row in rows["items"][-items:]:
            row["probability"] = chances[row["id"]]
        agent_rows.append(_agent_row(model, task, scores, variances, gaps, variants, repeats, told, dirty))
    values: dict[str, Any] = {
        "title": dirty("Capitals, in other words"),
        "agents": tuple(agent_rows),
        "items": pl.DataFrame(rows["items"], infer_schema_length=None),
        "kinds": pl.DataFrame(rows["kinds"], infer_schema_length=None),
        "cells": pl.DataFrame(rows["cells"], infer_schema_length=None),
        "wordings": pl.DataFrame(rows["wordings"], schema=WORDING_COLUMNS),
        "samples": pl.DataFrame(rows["samples"], infer_schema_length=None),
        "logs": (LogRow(dirty("logs/run.eval"), "m", task, None, None, 1, 1, 1.0, 1.0, names_wordings=True),),
        "provenance": Provenance(
            made="2026-11-17 09:30 UTC",
            versions=(("otherwords", dirty("0.3")),),
            runs=tuple(
                ModelRun(one.model, one.task, dirty("model"), dirty("temperature 0")) for one in agent_rows
            ),
            calls=agents * items * variants * repeats,
            families=((dirty("paraphrase"), 2 * items),),
            items_hash="0123456789abcdef",
            variants_hash="fedcba9876543210",
            generalizes=("items",),
            files=(dirty("logs/run.eval"),),
        ),
        "skipped": (SkippedFile(dirty("logs/broken.eval"), dirty("not a zip file")),),
        "notes": (dirty("These agents are invented."),),
    }
    return ReportData(**(values | changes))


def _verdict(
    model: str,
    task: str,
    scores: Any,
    ids: list[str],
    chosen: list[tuple[str, str, str]],
    dirty: Callable[[str], str],
) -> tuple[Verdict, dict[str, float | None]]:
    """As the library computes it of these scores, with the probability of each item."""
    rows = [
        {
            "task": task,
            "model": model,
            "id": ids[item],
            "variant": variant,
            "kind": kind if kind == "orig" else dirty(kind),
            "change": dirty(change),
            "repeat": repeat + 1,
            "score": None if np.isnan(score) else float(score),
            "status": "error" if np.isnan(score) else "scored",
            "reason": dirty("out of memory") if np.isnan(score) else None,
        }
        for item in range(scores.shape[0])
        for (variant, kind, change), runs in zip(chosen, scores[item], strict=True)
        for repeat, score in enumerate(runs)
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    (found,) = verdicts(table, permutations=1000)
    return found, dict(item_evidence(table).select("id", "probability").iter_rows())


def _agent_row(
    model: str,
    task: str,
    scores: Any,
    variances: Any,
    gaps: Any,
    variants: int,
    repeats: int,
    told: Verdict,
    dirty: Callable[[str], str],
) -> AgentRow:
    item_means = mean_over(scores, (1, 2))
    lost = int(np.isnan(scores).sum())
    found: dict[str, Estimate] = {
        "accuracy": estimate("accuracy", model, item_means, lost),
        "accuracy_orig": estimate("accuracy_orig", model, mean_over(scores[:, 0], 1)),
        "mean_variance": estimate("mean_variance", model, variances),
        "min_max_gap": estimate("min_max_gap", model, gaps),
        "consistency_at_k": estimate(
            "consistency_at_k", model, [gap == 0 for gap in gaps if gap is not None]
        ),
        "fragility_score": estimate("fragility_score", model, [gap for gap in gaps if gap is not None]),
        "delta_accuracy": estimate(
            "delta_accuracy", model, mean_over(scores[:, 0], 1) - mean_over(scores[:, 1:], (1, 2))
        ),
        "format_failure_rate": estimate("format_failure_rate", model, [0.02, 0.04, 0.03]),
    }
    found["s_prompt"] = one_minus("s_prompt", found["mean_variance"])
    half = variants // 2
    most = half * (variants - half) / (variants * (variants - 1)) if variants > 1 else 1
    found["s_norm"] = one_minus(
        "s_norm", estimate("x", model, [value / most for value in variances if value is not None])
    )
    known = [value for value in variances if value is not None]
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
    found["std_variance"] = Estimate("std_variance", model, spread, None, None, len(known), 0, 0)
    top = max((gap for gap in gaps if gap is not None), default=None)
    found["max_min_max_gap"] = Estimate("max_min_max_gap", model, top, None, None, len(known), 0, 0)
    if repeats > 1:
        found["noise"] = estimate("noise", model, _mean_over_wordings(scores))
        found["phrasing"] = Estimate("phrasing", model, 0.06, 0.03, 0.09, len(known), 0, 0)
        share = 0.06 / (0.06 + (found["noise"].value or 0.0))
        low, high = max(0.0, share - 0.15), min(1.0, share + 0.15)
        found["phrasing_share"] = Estimate("phrasing_share", model, share, low, high, len(known), 0, 0)
    else:
        for name in ("noise", "phrasing", "phrasing_share"):
            reason = "not identifiable with one repeat; rerun with --repeats 3"
            found[name] = Estimate(name, model, None, None, None, len(known), 0, 0, reason=reason)
    moved = [gap for gap in gaps if gap is not None]
    found["pairwise_agreement"] = estimate("pairwise_agreement", model, [1 - gap / 2 for gap in moved])
    if repeats > 1:
        right = mean_over(scores, 2)
        found["c_out"] = estimate("c_out", model, mean_over((2 * right - 1) ** 2, 1))
        found["s_corrected"] = one_minus("s_corrected", found["phrasing"])
        found["excess_flips"] = estimate("excess_flips", model, [gap - 0.4 for gap in moved])
    else:
        for name in ("c_out", "s_corrected", "excess_flips"):
            reason = "no wording was run twice; rerun with --repeats 3"
            found[name] = Estimate(name, model, None, None, None, 0, 0, 0, reason=reason)
    statuses = {"scored": scores.size - lost, "error": lost}
    kinds = dict.fromkeys(kind for _, kind, _ in VARIANTS[1:variants])
    flips = {
        dirty(kind): estimate("fragility_score", model, moved[place::2]) for place, kind in enumerate(kinds)
    }
    return AgentRow(model, task, found, statuses, repeats, told, flips)


def with_history(data: ReportData, runs: int = 4, evil: str = "") -> ReportData:
    """The same agents in `runs` runs, a little different in each."""
    history = []
    for run in range(runs):
        for agent in data.agents:
            moved = {
                name: replace(
                    one,
                    value=one.value - 0.02 * run,
                    low=None if one.low is None else one.low - 0.02 * run,
                    high=None if one.high is None else one.high - 0.02 * run,
                )
                for name, one in agent.estimates.items()
                if one.value is not None
            }
            label = f"{evil}2026-0{run + 1}-15 09:30"
            n_items = data.items_of(agent).height
            history.append(RunPoint(agent.model, agent.task, label, moved, n_items, data.floor(agent)))
    return replace(data, history=tuple(history))


def _mean_over_wordings(scores: Any) -> list[float]:
    found = []
    for item in scores:
        runs = [run[~np.isnan(run)] for run in item]
        found.append(float(np.mean([run.var(ddof=1) for run in runs if len(run) > 1] or [0.0])))
    return found


@pytest.fixture(scope="session")
def build() -> Build:
    """`build_report_data`, which takes long: once for the same arguments, where they can be compared."""
    once = cache(build_report_data)

    def build(*shape: Any, **changes: Any) -> ReportData:
        kept = all(isinstance(value, Hashable) for value in changes.values())
        return once(*shape, **changes) if kept else build_report_data(*shape, **changes)

    return build


def unpacked(packed: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="session")
def embedded() -> Callable[[Mapping[str, str]], Any]:
    """The data of a page, as its own script reads it, with every text under `texts`."""

    def of(files: Mapping[str, str]) -> Any:
        found = re.findall(r'<script type="text/plain" id="data">(.*?)</script>', files["index.html"], re.S)
        assert len(found) == 1
        data = unpacked(found[0])
        data["texts"] = []
        for place, pack in enumerate(data["packs"]):
            assert pack["start"] == len(data["texts"])
            if "packed" in pack:
                data["texts"] += unpacked(pack["packed"])
                continue
            call = re.fullmatch(r'otherwordsTexts\((\d+),"([\w+/=]*)"\);\n', files[pack["file"]])
            assert call is not None
            assert int(call[1]) == place
            data["texts"] += unpacked(call[2])
        return data

    return of


@pytest.fixture(scope="session")
def in_runs() -> Callable[..., ReportData]:
    return with_history


@pytest.fixture(scope="session")
def attacks() -> tuple[str, ...]:
    return ATTACKS


@pytest.fixture(params=ATTACKS, ids=range(len(ATTACKS)))
def attack(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The machine's own Chromium, driven by playwright.

    Closed with each module: while playwright runs, its event loop keeps Inspect from running in this process.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium on this machine, and CI must have one: apt-get install chromium")
        pytest.skip("no chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield running
        running.close()


def _vetted(variant: Variant, **failed: str) -> Vetted:
    """`failed` is check=reason; two checks more pass, and one does not apply."""
    said = [CheckResult(check, "fail", reason) for check, reason in failed.items()]
    said += [CheckResult(check, "pass") for check in ("length", "lines") if check not in failed]
    return Vetted(variant, (*said, CheckResult("leak", "not_applicable", "no known answer")))


def build_reviewed(evil: str | None = None) -> tuple[list[Vetted], list[MissingVariant]]:
    """Five items of all sorts. `evil`, when given, is put before every text that comes from a file."""
    dirty = (lambda text: f"{evil}{text}") if evil is not None else (lambda text: text)

    def of(item: Item, name: str, kind: str, change: str, prompt: Prompt, **other: Any) -> Variant:
        fields = {"choices": item.choices, "target": item.target, **other}
        return Variant(
            variant_id(item.id, dirty(name)),
            item.id,
            dirty(name),
            dirty(kind),
            prompt,
            change=dirty(change),
            generator=dirty(f"{kind}/1"),
            params={"note": dirty("x")},
            **fields,
        )

    def checked(variant: Variant, **failed: str) -> Vetted:
        one = _vetted(variant, **failed)
        if evil is None:
            return one
        said = (c._replace(check=dirty(c.check), reason=dirty(c.reason)) for c in one.checks)
        return Vetted(variant, tuple(said))

    capital = Item(dirty("capital"), dirty("Which of the following is the capital of Kenya?"))
    capital = replace(capital, choices=tuple(map(dirty, ("Nairobi", "Mombasa", "Kisumu"))), target=0)
    backwards = tuple(reversed(capital.choices))
    code = Item(
        dirty("code"), dirty("Say what it prints.\n\n```\nif x:\n    print(2.5)\n```"), target=(dirty("2.5"),)
    )
    talk = (
        Message("system", dirty("Be brief.")),
        Message("user", dirty("I am in Oslo.")),
        Message("assistant", dirty("Good.")),
        Message("user", dirty("Which trains do not run today?")),
    )
    chat = Item(dirty("chat"), talk)
    moved = (Message("system", dirty("Be brief. Use no lists.")), *talk[1:])
    alone = Item(dirty("alone"), dirty("Go."))
    plain = Item(dirty("plain"), dirty("What is the tallest mountain?"), target=(dirty("Everest"),))
    vetted = [
        checked(original(capital)),
        checked(
            of(
                capital,
                "para1",
                "paraphrase",
                "which_of_these",
                dirty("Which of these is the capital of Kenya?"),
            )
        ),
        checked(
            of(
                capital,
                "pert:order_rev",
                "options",
                "order:reverse",
                capital.prompt,
                choices=backwards,
                target=2,
                option_order=(2, 1, 0),
            )
        ),
        checked(
            of(capital, "mild1", "llm", "mild", dirty("Nairobi is the capital of Kenya.")), kind="no question"
        ),
        checked(original(code)),
        checked(
            of(code, "mild1", "llm", "mild", dirty("Say what is printed. ``` if x: print(2.5) ```")),
            lines="1 line",
        ),
        checked(of(code, "pert:preamble", "format", "preamble", dirty("Read this.\n\n") + str(code.prompt))),
        checked(original(chat)),
        checked(
            of(chat, "mild1", "llm", "mild", (*talk[:3], Message("user", dirty("Which trains run today?")))),
            words="lost: not",
            spans="lost: x",
        ),
        checked(of(chat, "system", "position", "system", moved)),
        checked(of(chat, "short", "position", "last", talk[:1] + talk[3:])),
        checked(original(alone)),
        checked(original(plain)),
        checked(of(plain, "para1", "paraphrase", "name_the", dirty("Name the tallest mountain."))),
        checked(of(plain, "control:negate", "control", "negate", dirty("What is the smallest mountain?"))),
    ]
    missing = [
        MissingVariant(code.id, dirty("mild2"), (dirty("spans: lost: 2.5"), dirty("refusal")), dirty("llm")),
        MissingVariant(dirty("gone"), dirty("mild1"), (), dirty("llm")),
    ]
    return vetted, missing


@pytest.fixture(scope="session")
def reviewed() -> Callable[..., tuple[list[Vetted], list[MissingVariant]]]:
    return build_reviewed
