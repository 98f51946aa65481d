"""Command lines, good and bad, whose exit code and error text are pinned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import doors
import pin_provider  # noqa: F401  it registers its model with Inspect

_RUN = "run questions.jsonl --variants variants.jsonl --model pinned/x --repeats 1"
COMMANDS: dict[str, str] = {
    "version": "--version",
    "help": "--help",
    "unknown command": "reprot",
    "unknown command, no near one": "xyzzy",
    "unknown option": "vary questions.jsonl --colour",
    "root is kept": "--root inner vary questions.jsonl -o inner/out.jsonl",
    # vary
    "vary": "vary questions.jsonl -o out.jsonl",
    "vary into a new folder": "vary questions.jsonl -o new/folder/out.jsonl -k 1",
    "vary: no argument": "vary",
    "vary: no such file": "vary nothing.jsonl",
    "vary: not JSON": "vary bad/not-json.jsonl",
    "vary: no question": "vary bad/no-question.jsonl",
    "vary: same id": "vary bad/same-id.jsonl",
    "vary: answer is no option": "vary bad/answer.jsonl",
    "vary: empty": "vary bad/empty.jsonl",
    "vary: not text": "vary bad/bytes.jsonl",
    "vary: unknown ending": "vary bad/notes.txt",
    "vary: unknown family": "vary questions.jsonl --families paraphrse",
    "vary: unknown family, no near one": "vary questions.jsonl --families xyzzy",
    "vary: family twice": "vary questions.jsonl --families format,format",
    "vary: k is 0": "vary questions.jsonl -k 0",
    "vary: seed is text": "vary questions.jsonl --seed many",
    "vary: argument of a file": "vary questions.jsonl -T country=x",
    "vary: not name=value": "vary quiz.py@capitals -T country",
    "vary: no such task": "vary quiz.py@countries",
    "vary: task": "vary quiz.py@capitals -o out.jsonl",
    "vary: wrong task argument": "vary quiz.py@capitals -T planet=x",
    "vary: prompt field": "vary quiz.py@capitals --prompt-field nowhere[",
    "vary: audit alone": "vary questions.jsonl --audit audit.json",
    "vary: without ambiguous": "vary mcq.jsonl --exclude-ambiguous -o out.jsonl",
    "vary: audit of other items": "vary mcq.jsonl --exclude-ambiguous --audit audit-questions.json",
    "vary: audit is none": "vary mcq.jsonl --exclude-ambiguous --audit questions.jsonl",
    "vary: audit is not there": "vary mcq.jsonl --exclude-ambiguous --audit nothing.json",
    "vary: unknown check": "vary questions.jsonl --check grammar",
    "vary: judge of nobody": "vary questions.jsonl --check judge",
    "vary: out is a folder": "vary questions.jsonl -o inner",
    "vary: unknown strength": "vary questions.jsonl --strength wild",
    # vet, review
    "vet": "vet variants.jsonl",
    "vet: edited": "vet bad/edited.jsonl -o out.jsonl",
    "vet: edited original": "vet bad/edited-original.jsonl",
    "vet: no variants": "vet questions.jsonl",
    "vet: later version": "vet bad/later.jsonl",
    "vet: bad line": "vet bad/bad-line.jsonl",
    "vet: no such file": "vet nothing.jsonl",
    "review": "review variants.jsonl -o out.html",
    "review: edited": "review bad/edited.jsonl -o out.html",
    "review: no such file": "review nothing.jsonl",
    # run
    "run: dry": f"{_RUN} --dry-run",
    "run: all": f"{_RUN} --log-dir new-logs",
    "run: budget": f"{_RUN} --budget calls=3 --max-connections 2 --log-dir new-logs",
    "run: task": "run quiz.py@capitals --model quizzed/x --repeats 1 -k 1 --log-dir new-logs",
    "run: other number of wordings": "run quiz.py@capitals --model quizzed/x --repeats 1 -k 1",
    "run: finished before": "run quiz.py@capitals --model quizzed/x --families paraphrase,format -k 2 "
    "--repeats 2",
    "run: other settings": "run quiz.py@capitals --model quizzed/x --families paraphrase,format -k 2 "
    "--repeats 2 --temperature 1",
    "run: other wordings": "run quiz.py@capitals --model quizzed/x --families paraphrase -k 1 --repeats 2 "
    "--max-items 2",
    "run: agent fails": "run questions.jsonl --agent bad/agent.py:fails --repeats 1 -k 1 --log-dir new-logs",
    "run: agent": "run questions.jsonl --agent mine.py:answer --repeats 1 -k 1 --log-dir new-logs",
    "run: nothing": "run",
    "run: no model": "run questions.jsonl",
    "run: task and benchmark": "run questions.jsonl --benchmark gaia",
    "run: unknown benchmark": "run --benchmark gaja --model pinned/x",
    "run: unknown provider": "run questions.jsonl --model nobody/x --repeats 1",
    "run: model without provider": "run questions.jsonl --model x --repeats 1",
    "run: bad budget": f"{_RUN} --budget lots",
    "run: bad budget number": f"{_RUN} --budget calls=many",
    "run: bad price": f"{_RUN} --price cheap",
    "run: budget without price": f"{_RUN} --budget usd=1",
    "run: much money": f"{_RUN} --price 900,5000000",
    "run: no repeats": f"{_RUN} --repeats 0",
    "run: variations and k": "run questions.jsonl --model pinned/x --num_variations 2 -k 3",
    "run: variants edited": "run questions.jsonl --variants bad/edited.jsonl --model pinned/x",
    "run: variants of others": "run bad/open.jsonl --variants variants.jsonl --model pinned/x",
    "run: empty option": "run mcq.jsonl --model pinned/x",
    "run: variants of earlier": "run bad/reworded.jsonl --variants variants.jsonl --model pinned/x",
    "run: unknown solver": f"{_RUN} --solver not_installed",
    "run: solver and agent": f"{_RUN} --solver generate --agent react",
    "run: no agent file": "run questions.jsonl --agent nothing.py:answer",
    "run: no agent function": "run questions.jsonl --agent mine.py:reply",
    "run: no agent folder": "run questions.jsonl --agent-dir nothing",
    "run: salt alone": f"{_RUN} --salt-file salt",
    "run: public": f"{_RUN} --public public-logs --log-dir private-logs",
    "run: public in logs": f"{_RUN} --public private-logs --log-dir private-logs",
    "suite: dry": "run --config suite.yaml --dry-run",
    "suite: with a task": "run questions.jsonl --config suite.yaml",
    "suite: with an option": "run --config suite.yaml --repeats 2",
    "suite: not there": "run --config nothing.yaml",
    "suite: unknown key": "run --config bad/unknown-key.yaml",
    "suite: not YAML": "run --config bad/not-yaml.yaml",
    "suite: agents alike": "run --config bad/alike.yaml",
    "suite: no agents": "run --config bad/no-agents.yaml",
    "suite: wrong type": "run --config bad/wrong-type.yaml",
    "suite: no such dataset": "run --config bad/no-dataset.yaml",
    # aggregate
    "aggregate": "aggregate --logs logs --out results",
    "aggregate: nothing": "aggregate --logs nothing --out results",
    "aggregate: no results": "aggregate --logs inner --out results",
    "aggregate: broken": "aggregate --logs bad/logs --out results",
    "aggregate: broken, strict": "aggregate --logs bad/logs --out results --strict",
    "aggregate: their columns": "aggregate --logs bad/theirs.csv --column score=acc --column id=n "
    "--column variant=wording --out results",
    "aggregate: not their columns": "aggregate --logs bad/theirs.csv --column score=nope --out results",
    "aggregate: unknown column": "aggregate --logs bad/theirs.csv --column scor=acc --out results",
    "aggregate: no column": "aggregate --logs bad/theirs.csv --column score --out results",
    "aggregate: score in words": "aggregate --logs bad/words.csv --out results --strict",
    "aggregate: score is nonsense": "aggregate --logs bad/nonsense.csv --out results",
    "aggregate: score is nonsense, strict": "aggregate --logs bad/nonsense.csv --out results --strict",
    "aggregate: unknown scorer": "aggregate --logs logs --scorer nobody --out results --strict",
    "aggregate: salt alone": "aggregate --logs logs --salt-file salt",
    "aggregate: short salt": "aggregate --logs logs --public --salt-file bad/salt --out results",
    # report
    "report: JSON": "report choice.csv --json",
    "report: no argument": "report",
    "report: nothing": "report nothing",
    "report: unknown benchmark": "report choice.csv --benchmark scince --json",
    "report: benchmark": "report choice.csv --benchmark history --json",
    "report: salt alone": "report choice.csv --salt-file salt",
    "report: broken, strict": "report bad/logs --strict --json",
    "report: audit is none": "report choice.csv --audit questions.jsonl --json",
    # fix, compare
    "fix": "fix binary.csv",
    "fix: no argument": "fix",
    "fix: nothing": "fix nothing",
    "fix: unknown benchmark": "fix choice.csv --benchmark scince",
    "compare": "compare binary.csv binary.csv --model-a large --model-b small",
    "compare: several models": "compare binary.csv binary.csv",
    "compare: unknown model": "compare binary.csv binary.csv --model-a lage --model-b small",
    "compare: nothing": "compare binary.csv nothing.csv",
    "compare: nothing in common": "compare binary.csv choice.csv --model-a large --model-b small",
    # check
    "check: met": "check binary.csv --min-accuracy 0.1 --max-flip-rate 1",
    "check: not met": "check binary.csv --min-accuracy 0.99",
    "check: not met in part": "check binary.csv --min-accuracy 0.5 --min-s-prompt 0.99 --on value",
    "check: nothing to check": "check binary.csv",
    "check: nothing": "check nothing --min-accuracy 0.5",
    "check: not measured": "check continuous.csv --min-consistency 0.1",
    "check: baseline": "check binary.csv --baseline binary.csv",
    "check: fell": "check bad/fallen.csv --baseline binary.csv",
    "check: may fall": "check bad/fallen.csv --baseline binary.csv --max-fall 1",
    "check: baseline of others": "check binary.csv --baseline continuous.csv",
    "check: on something": "check binary.csv --min-accuracy 0.5 --on luck",
    "check: no number": "check binary.csv --min-accuracy high",
    # plan, selftest
    "plan": "plan --half-width 0.05",
    "plan: pilot": "plan --drop 0.05 --pilot binary.csv --model large --price 0.5",
    "plan: no goal": "plan",
    "plan: too wide": "plan --half-width 2",
    "plan: accuracy": "plan --half-width 0.1 --accuracy 1",
    "plan: power": "plan --drop 0.1 --power 1",
    "plan: no pilot": "plan --half-width 0.05 --pilot nothing",
    "plan: unknown model": "plan --half-width 0.05 --pilot binary.csv --model lage",
    "selftest": "selftest",
    # scan
    "scan: clean": "scan suite.yaml --dataset questions.jsonl",
    "scan: found": "scan questions.jsonl --dataset questions.jsonl",
    "scan: variants": "scan logs-questions --variants variants.jsonl",
    "scan: nothing": "scan nothing --dataset questions.jsonl",
    "scan: no argument": "scan",
    "scan: no such dataset": "scan mine.py --dataset nothing.jsonl",
    "scan: no secrets": "scan mine.py --secret-file nothing.txt",
    # audit
    "audit": "audit questions.jsonl",
    "audit: ambiguous": "audit mcq.jsonl --fail-on ambiguous",
    "audit: unanswerable": "audit mcq.jsonl --fail-on unanswerable --fail-on duplicates",
    "audit: position": "audit mcq.jsonl --fail-on position --fail-on length",
    "audit: not found": "audit questions.jsonl --fail-on unanswerable",
    "audit: ignored": "audit mcq.jsonl --ignore boolean_like --fail-on choices-only",
    "audit: unknown reason": "audit mcq.jsonl --ignore bolean_like",
    "audit: unknown gate": "audit mcq.jsonl --fail-on anything",
    "audit: too much": "audit mcq.jsonl --near-duplicate 2",
    "audit: nothing": "audit nothing.jsonl",
    "audit: no options": "audit bad/open.jsonl",
    "audit: unknown critic": "audit mcq.jsonl --critic nobody/x",
    "audit: dry": "audit mcq.jsonl --choices-only pinned/x --dry-run",
    "audit: choices only": "audit mcq.jsonl --choices-only pinned/x --fail-on choices-only",
    # completion
    "completion": "completion bash",
    "completion: unknown shell": "completion tcsh",
}


def prepare(folder: Path) -> None:
    """Beside what `lay_out` put there, files with something wrong in them."""
    bad = folder / "bad"
    (bad / "logs").mkdir(parents=True)
    (folder / "inner").mkdir()
    good = (folder / "questions.jsonl").read_text(encoding="utf-8")
    first, second, *_ = good.splitlines()
    variants = (folder / "variants.jsonl").read_text(encoding="utf-8").splitlines()
    changed = variants[2].replace("capital", "chief city")
    assert changed != variants[2]
    files = {
        "not-json.jsonl": f"{first}\n{second[:-4]}\n",
        "no-question.jsonl": f'{first}\n{{"id": "b", "answer": "x"}}\n',
        "same-id.jsonl": f"{first}\n{first}\n",
        "answer.jsonl": '{"id": "a", "question": "Which?", "choices": ["x", "y"], "answer": "E"}\n',
        "empty.jsonl": "",
        "notes.txt": "Which one?\n",
        "open.jsonl": f"{first}\n{second}\n",
        "reworded.jsonl": good.replace("Who wrote", "Who composed"),
        "edited.jsonl": _lines([*variants[:2], changed, *variants[3:]]),
        "edited-original.jsonl": _lines(
            [variants[0], variants[1].replace("capital", "chief city"), *variants[2:]]
        ),
        "later.jsonl": _lines([variants[0].replace('"version":1', '"version":99'), *variants[1:]]),
        "bad-line.jsonl": _lines([*variants[:2], '{"id": 3}', *variants[3:]]),
        "agent.py": "def fails(prompt):\n    raise RuntimeError('no key')\n",
        "salt": "ab\n",
        "theirs.csv": "n,wording,acc\n1,orig,1\n1,para1,0.5\n",
        "words.csv": "id,variant,score\n1,orig,yes\n1,para1,no\n",
        "nonsense.csv": "id,variant,score\n1,orig,great\n1,para1,0.5\n",
        "logs/broken.eval": "this is no archive",
        "unknown-key.yaml": "agents:\n  - modl: openai/x\nbenchmarks:\n  - task: ../questions.jsonl\n",
        "not-yaml.yaml": "agents: [a\nbenchmarks: {\n",
        "alike.yaml": "agents:\n  - model: quizzed/x\n  - model: quizzed/x\nbenchmarks:\n  - task: a.jsonl\n",
        "no-agents.yaml": "benchmarks:\n  - task: ../questions.jsonl\n",
        "wrong-type.yaml": "repeats: many\nagents:\n  - model: quizzed/x\nbenchmarks:\n  - task: a.jsonl\n",
        "no-dataset.yaml": "agents:\n  - agent: agent.py:fails\nbenchmarks:\n  - task: nothing.jsonl\n",
        "fallen.csv": _fallen(folder / "binary.csv"),
    }
    for name, text in files.items():
        (bad / name).write_text(text, encoding="utf-8")
    (bad / "bytes.jsonl").write_bytes(b'{"id": "a", "question": "\xff\xfe", "answer": "x"}\n')


def _lines(lines: list[str]) -> str:
    for line in lines:
        json.loads(line)
    return "".join(f"{line}\n" for line in lines)


def _fallen(path: Path) -> str:
    """The same rows with every second right answer wrong."""
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    fallen = [row.replace(",1.0,true,", ",0.0,false,") if n % 2 else row for n, row in enumerate(rows)]
    return "\n".join([header, *fallen]) + "\n"


def ended(name: str) -> dict[str, Any]:
    """The exit code and all of the error text, without the folder's name."""
    code, _, err = doors.command(*COMMANDS[name].split())
    return {
        "command": COMMANDS[name],
        "code": code,
        "err": err.replace(str(Path.cwd()), "FOLDER").splitlines(),
    }
