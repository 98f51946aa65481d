"""Pages as they are in the repository → pages of the site; called by MkDocs, see mkdocs.yml."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from griffe import Extension, Object
from mkdocs.structure.files import File

DOCS = Path(__file__).parent
ROOT = DOCS.parent
CACHE = ROOT / ".cache" / "otherwords-site"
"""What was executed for an earlier build of the same sources."""

PUBLIC_NAMES = "PUBLIC_NAMES"
"""Stands in api.md for the documentation of every public name."""

COMMANDS = re.compile(r"^COMMANDS$", re.MULTILINE)
"""Stands in commands.md for what `--help` prints of every command."""

NOTEBOOK = re.compile(r"^NOTEBOOK (\S+)$", re.MULTILINE)
"""Stands for a notebook beside the page, executed."""

_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)\s]+)\)")
_FILE = re.compile(r"<!-- file: (\S+) -->\n```(\w+)")
"""A block of a page that is a file, by whose name it is headed."""
_OUTPUT = re.compile(r"<p>OTHERWORDS-OUTPUT-(\d+)</p>")
_shown: dict[str, list[str]] = {}


def on_page_markdown(markdown: str, *, config: Any, page: Any, **_more: Any) -> str:
    """Links to files beside docs/ lead to the repository, where its address is set; else they are text."""
    if PUBLIC_NAMES in markdown:
        import otherwords

        names = (name for name in otherwords.__all__ if not name.startswith("_"))
        markdown = markdown.replace(PUBLIC_NAMES, "\n\n".join(f"::: otherwords.{name}" for name in names))
    if COMMANDS.search(markdown):
        markdown = COMMANDS.sub(lambda _: "\n".join(commands()), markdown)
    markdown = _FILE.sub(r'```\2 title="\1"', markdown)
    shown = _shown[page.file.src_uri] = []
    markdown = NOTEBOOK.sub(lambda found: notebook_as_markdown(DOCS / found[1], shown), markdown)
    address = (config.repo_url or "").rstrip("/")
    if not address:
        return _OUTSIDE.sub(_named, markdown)
    return _OUTSIDE.sub(rf"[\1]({address}/blob/main/\2)", markdown)


def _named(link: re.Match[str]) -> str:
    """A file of the repository by its path, once."""
    return f"`{link[2]}`" if link[1].strip("`") == link[2] else f"{link[1]} (`{link[2]}`)"


def on_page_content(html: str, *, page: Any, **_more: Any) -> str:
    """What cells of a notebook have shown stands where its mark is."""
    shown = _shown.get(page.file.src_uri, [])
    return _OUTPUT.sub(lambda found: f'<div class="cell-output">{shown[int(found[1])]}</div>', html)


def on_files(files: Any, *, config: Any, **_more: Any) -> Any:
    """The reports of the gallery are written from the tables that our own runs left."""
    for table in sorted((DOCS / "gallery").glob("*.parquet")):
        kept = CACHE / f"{table.stem}-{sources(table)}.html"
        if not kept.is_file():
            from otherwords import write_report

            with tempfile.TemporaryDirectory() as folder:
                os.chdir(table.parent)  # the page names the table as it was given
                try:
                    write_report(table.name, Path(folder) / "report")
                finally:
                    os.chdir(ROOT)
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(folder) / "report" / "index.html", kept)
        files.append(File.generated(config, f"gallery/{table.stem}.html", abs_src_path=str(kept)))
    return files


def commands() -> Iterator[str]:
    """A section for each command, as Markdown."""
    import click

    from otherwords.cli import app

    def of(command: click.Command, context: click.Context) -> Iterator[str]:
        path = context.command_path
        level = "#" * max(3, len(path.split()) + 1)
        yield f"{level} {path} {{ #{path.replace(' ', '-')} data-toc-label='{context.info_name}' }}\n"
        for paragraph in inspect.cleandoc(command.help or command.short_help or "").split("\n\n"):
            examples = paragraph.partition("\b\n")[2]
            yield f"```text\n{examples}\n```\n" if examples else f"{escape(paragraph, quote=False)}\n"
        yield f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
        records = [one.get_help_record(context) for one in command.get_params(context)]
        rows = [[part.replace("|", "&#124;") for part in record] for record in records if record]
        yield "| option | |\n|---|---|"
        yield from (f"| <code>{names}</code> | {escape(said, quote=False)} |" for names, said in rows)
        yield ""
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from of(inner, click.Context(inner, info_name=name, parent=context))

    yield from of(app, click.Context(app, info_name="otherwords", **app.context_settings))


def sources(*files: Path) -> str:
    """One name for these files and the whole of the package."""
    package = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix != ".pyc" and path.is_file())
    seen = hashlib.sha256()
    for path in (*files, *package):
        seen.update(path.read_bytes())
    return seen.hexdigest()[:16]


def notebook_as_markdown(path: Path, shown: list[str]) -> str:
    """Its texts, its code, and a mark for each output; these are added to `shown` as HTML."""
    parts = []
    for cell in executed(path)["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            html = _as_html(output)
            if html:
                parts.append(f"OTHERWORDS-OUTPUT-{len(shown)}")
                shown.append(html)
    return "\n\n".join(parts)


def executed(path: Path) -> dict[str, Any]:
    """The notebook with its outputs, as executed now, or for an earlier build of the same sources."""
    kept = CACHE / f"{path.stem}-{sources(path)}.json"
    if not kept.is_file():
        import nbclient
        import nbformat

        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            place = {"metadata": {"path": folder}}
            quiet = ["--IPKernelApp.log_level=ERROR"]
            nbclient.NotebookClient(notebook, timeout=600, resources=place, extra_arguments=quiet).execute()
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(nbformat.writes(notebook), encoding="utf-8")
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def _as_html(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"<pre>{escape(''.join(output['text']))}</pre>" if output["name"] == "stdout" else ""
    data = output["data"]
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            return "".join(data[kind])
    return f"<pre>{escape(''.join(data['text/plain']))}</pre>"


class Examples(Extension):
    """Sections that are headed `Example:` are shown as code, like those that are headed `Examples:`."""

    def on_object(self, *, obj: Object, **_more: Any) -> None:
        """Called by griffe for every object that it reads."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"(?m)^Example:$", "Examples:", obj.docstring.value)
