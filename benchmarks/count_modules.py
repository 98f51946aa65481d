"""How large the package is, and how many of its files one multiple-choice item passes through.

    python benchmarks/count_modules.py [SRC]
    python benchmarks/count_modules.py BEFORE AFTER

SRC is the folder of the package (`src/otherwords` by default); with two, their numbers stand side by side. It
prints the rows of a Markdown table.

A file is passed through when the body of one of its functions runs while a command does its work. What runs
while files are imported (class bodies, registration, constants) does not count; `--files` names what does.
Each command runs in a process of its own, through the command line, with a scripted model: no network and
no key.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LONG_FILE = 400
COMPLEX_FUNCTION = 15
APART = ("variants", "checks")

QUESTION = {
    "id": "mammal",
    "question": "Which of the following is a mammal?",
    "choices": ["Trout", "Dolphin", "Frog", "Sparrow"],
    "answer": "B",
}
COMMANDS = {
    "vary": ["vary", "questions.jsonl", "-o", "variants.jsonl"],
    "run": [
        *["run", "questions.jsonl", "--variants", "variants.jsonl", "--model", "scripted/b"],
        *["--repeats", "2", "--log-dir", "logs", "--yes"],
    ],
    "report": ["report", "logs", "-o", "report"],
}

# Runs one command and appends every file to a list when it is first passed through: at once, so that what
# forked processes pass is there too. CO_OPTIMIZED tells the body of a function from that of a class.
TRACED = """
import inspect, os, sys, threading

package, seen_file, command = sys.argv[1], sys.argv[2], sys.argv[3:]
prefix = package + os.sep
seen = set()
importing = threading.local()


def look(frame, event, arg):
    if event not in ("call", "return"):
        return
    code = frame.f_code
    if not code.co_filename.startswith(prefix):
        return
    if code.co_name == "<module>":
        importing.depth = getattr(importing, "depth", 0) + (1 if event == "call" else -1)
    elif (
        event == "call"
        and code.co_filename not in seen
        and code.co_flags & inspect.CO_OPTIMIZED
        and not getattr(importing, "depth", 0)
    ):
        seen.add(code.co_filename)
        with open(seen_file, "a", encoding="utf-8") as file:
            file.write(code.co_filename + "\\n")


if command[0] == "run":
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    @modelapi(name="scripted")
    class Scripted(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):
            output = ModelOutput.from_content(self.model_name, "ANSWER: B")
            output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
            return output

import otherwords
from otherwords.cli import main

assert os.path.dirname(os.path.abspath(otherwords.__file__)) == package, otherwords.__file__
threading.setprofile(look)
sys.setprofile(look)
main(command)
"""


def python_files(package: Path) -> dict[str, int]:
    """Every Python file under `package`, by its relative path, with its number of lines."""
    return {
        path.relative_to(package).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted(package.rglob("*.py"))
    }


def sizes(lines: dict[str, int]) -> dict[str, str]:
    """The rows on the sizes of files."""
    largest = max(lines, key=lambda name: lines[name])
    return {
        "files": f"{len(lines)}",
        "lines": f"{sum(lines.values()):,}",
        "lines of the median file": f"{statistics.median(lines.values()):g}",
        "largest file": f"{largest} ({lines[largest]})",
        f"files over {LONG_FILE} lines": f"{sum(count > LONG_FILE for count in lines.values())}",
    }


def write_entry_points(package: Path, folder: Path) -> None:
    """The entry points that the tree itself declares, to be found before those of what is installed here."""
    file = package.parents[1] / "pyproject.toml"
    if not file.is_file():
        return
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    described = folder / f"{project['name']}-{project['version']}.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    (described / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in groups.items()
        ),
        encoding="utf-8",
    )


def passed_through(package: Path) -> dict[str, list[str]]:
    """For each command, the files that one multiple-choice item passes through."""
    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n", encoding="utf-8")
        write_entry_points(package, folder / "described")
        path = os.pathsep.join([str(folder / "described"), str(package.parent)])
        environment = {**os.environ, "PYTHONPATH": path, "INSPECT_DISPLAY": "none"}
        for name, command in COMMANDS.items():
            seen = folder / f"{name}.seen"
            done = subprocess.run(
                [sys.executable, "-c", TRACED, str(package), str(seen), *command],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                sys.exit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
            files = {Path(line) for line in seen.read_text(encoding="utf-8").splitlines()}
            found[name] = sorted(file.relative_to(package).as_posix() for file in files)
    return found


def complex_functions(package: Path) -> int:
    """Functions above the limit of cyclomatic complexity, those that are excused included."""
    done = subprocess.run(
        [
            *[
                sys.executable,
                "-m",
                "ruff",
                "check",
                "--isolated",
                "--no-cache",
                "--ignore-noqa",
                "--exit-zero",
            ],
            *["--select", "C901", "--config", f"lint.mccabe.max-complexity={COMPLEX_FUNCTION}"],
            *["--output-format", "json", str(package)],
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return sum(found["code"] == "C901" for found in json.loads(done.stdout))


def count(package: Path, show: Callable[[str], None] = lambda _: None) -> dict[str, str]:
    """All rows for one tree, by their names."""
    lines = python_files(package)
    outside = {name: count for name, count in lines.items() if name.split("/", 1)[0] not in APART}
    rows = sizes(lines)
    rows |= {f"outside {' and '.join(APART)}: {name}": value for name, value in sizes(outside).items()}
    for command, files in passed_through(package).items():
        show(f"{command}: {' '.join(files)}")
        rows[f"files one multiple-choice item passes in `{command}`"] = f"{len(files)}"
    rows[f"functions above complexity {COMPLEX_FUNCTION}"] = f"{complex_functions(package)}"
    return rows


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--files"]
    trees = [Path(argument).absolute() for argument in arguments]
    trees = trees or [Path(__file__).absolute().parents[1] / "src" / "otherwords"]
    if len(trees) > 2 or not all((tree / "__init__.py").is_file() for tree in trees):
        sys.exit("usage: count_modules.py [--files] [SRC | BEFORE AFTER], each the folder of the package")
    show = (lambda text: print(text, file=sys.stderr)) if "--files" in sys.argv else (lambda _: None)
    counted = [count(tree, show) for tree in trees]
    heads = ["now"] if len(trees) == 1 else ["before", "after"]
    print(f"| | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for name in counted[0]:
        print(f"| {name} | {' | '.join(rows[name] for rows in counted)} |")


if __name__ == "__main__":
    main()
